/* The factorizations on the device: what their methods share. */
#pragma once
#include "../device/entries.cuh"
#include "../device/pivots.cuh"
#include "../device/scratch.cuh"
#include "../device/tickets.cuh"
#include "factor.h"

namespace sptrsv {

/* The pattern of a factor on the device, with all diagonal entries */
struct FactorPattern {
  int        n, nnz;
  const int *row_ptr, *col_idx, *split;
  const int *source; /* [nnz] position of each entry in A's values, or SPTRSV_FILL; NULL: the entry's own */
};

/* One factorization of A's values with a given shift (device arrays) */
template <class V> struct Pass {
  FactorPattern f;
  const V      *a;
  V            *v;     /* [nnz] the factor */
  V             shift; /* of the whole diagonal */
  Inversion     invert;
  int          *report; /* pinned host memory: where the last kernel puts bad_row, which saves a copy of its own; NULL: it does not */
};

/* What entry e of the factor starts from: A's, or zero, shifted on the diagonal */
template <class V> __device__ __forceinline__ V start_value(const Pass<V> &pass, int e, bool diagonal)
{
  return entry_of(pass.a, pass.f.source, e) + (diagonal ? pass.shift : V(0));
}

/* Position of (i, j) if it is not before `first`, a position of row i or its end; otherwise -1 */
__device__ __forceinline__ int find_from(const FactorPattern &f, int i, int first, int j)
{
  const int end = f.row_ptr[i + 1];
  int       low = first, high = end;

  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (f.col_idx[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low < end && f.col_idx[low] == j ? low : -1;
}
/* Position of (k, j) in the strict upper triangle, or -1 */
__device__ __forceinline__ int find_upper(const FactorPattern &f, int k, int j)
{
  return find_from(f, k, f.split[k] + 1, j);
}

FactorPattern pattern_of(SptrsvAnalysis analysis); /* with NULL for source */

/* mirrored [nnz] (device): position of the mirror image of each entry left of the diagonal, -1: none; of others their own */
SptrsvStatus find_mirrored(const FactorPattern &f, int *mirrored);
SptrsvStatus is_symmetric(const FactorPattern &f, int64_t lower, bool *symmetric); /* lower: entries left of the diagonal */

/*
   Methods.  Each makes its data for a factor's pattern once, in factor->memory; the struct itself is freed by the caller.  A pass leaves
   the factor in pass.v, and small pivots in bad_row.  All work is in the stream.
*/
struct Ilu0Entries; /* ilu0_entries.cu: any pattern */
SptrsvStatus                    entries_create(SptrsvFactor factor, const FactorPattern &f, Ilu0Entries **entries);
unsigned                       *entries_stalled(const Ilu0Entries &entries);
void                            entries_describe(const Ilu0Entries &entries, char *text, size_t size);
template <class V> SptrsvStatus entries_pass(const Ilu0Entries &entries, const Pass<V> &pass, cudaStream_t stream);

struct Ilu0Tasks; /* ilu0_tasks.cu: on the data of entries, with memory of its own */
SptrsvStatus tasks_create(SptrsvFactor factor, const FactorPattern &f, const Ilu0Entries &entries, const SptrsvTaskOptions &options,
                          Ilu0Tasks **tasks);
void         tasks_destroy(SptrsvFactor factor, Ilu0Tasks *tasks);
unsigned    *tasks_stalled(const Ilu0Tasks &tasks);
void         tasks_describe(const Ilu0Tasks &tasks, char *text, size_t size);
template <class V> SptrsvStatus tasks_pass(const Ilu0Tasks &tasks, const Ilu0Entries &entries, const Pass<V> &pass, cudaStream_t stream);

struct Ilu0Rows; /* ilu0_rows.cu: rows that a few lanes hold */
SptrsvStatus                    rows_can(SptrsvFactor factor, const FactorPattern &f, bool *can); /* whether lanes hold its rows */
SptrsvStatus                    rows_create(SptrsvFactor factor, const FactorPattern &f, Ilu0Rows **rows);
unsigned                       *rows_stalled(const Ilu0Rows &rows);
void                            rows_describe(const Ilu0Rows &rows, char *text, size_t size);
template <class V> SptrsvStatus rows_pass(const Ilu0Rows &rows, const Pass<V> &pass, cudaStream_t stream);

struct Ilu0Sweep; /* ilu0_sweep.cu: pivots by a plan of the lower sweep, where no other entry is an unknown */
SptrsvStatus                    sweep_suits(const FactorPattern &f, bool *suits);
SptrsvStatus                    sweep_create(SptrsvFactor factor, const FactorPattern &f, Ilu0Sweep **sweep);
template <class V> SptrsvStatus sweep_pass(const Ilu0Sweep &sweep, SptrsvPlan plan, const Pass<V> &pass, cudaStream_t stream);

} // namespace sptrsv
