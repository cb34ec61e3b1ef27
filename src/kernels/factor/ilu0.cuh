/* The factorization on the device: its operands, and what its two kernels share. */
#pragma once
#include "../device/tickets.cuh"
#include "factor.h"

namespace sptrsv {

constexpr int BATCH = 4; /* pairs of one lane whose operands are in flight together */

/* Unknowns of one rank (operands.cu) that a warp takes at once; lanes: for each */
struct alignas(16) EntryChunk {
  int first, unknowns, lanes;
};

/*
   The graph of dependencies (device arrays).  Unknown u, entry e of the factor, is a(e) - sum over its pairs (p, q), in their order, of
   v(p) v(q) / v(pivot(p)).  Entries that have pairs, and all pivots, are unknowns; others are copies of A's.  Entries of fill have pairs.
   Every unknown comes after those it needs, and those of one chunk do not need each other.
*/
struct Operands {
  EntryChunk *chunk;    /* [chunks] */
  int        *entry;    /* [unknowns] e, with a mark on pivots */
  size_t     *pair_ptr; /* [unknowns + 1] */
  int2       *pair;     /* [pair_ptr[unknowns]] p, q */
  int        *pivot;    /* [nnz] entry of the pivot of an entry's column; -1 on and above the diagonal */
  int        *source;   /* [nnz] position in A or SPTRSV_FILL, with a mark on unknowns */
  int         unknowns, chunks, ranks;
};

/* Numbers with a mark are negative, and the mark is put on and taken off by the same function */
__host__ __device__ __forceinline__ int flip_mark(int number)
{
  return ~number;
}
/* Of Operands.entry */
__host__ __device__ __forceinline__ bool is_pivot(int code)
{
  return code < 0;
}
__host__ __device__ __forceinline__ int entry_of(int code)
{
  return is_pivot(code) ? flip_mark(code) : code;
}
/* Of Operands.source */
__device__ __forceinline__ bool is_unknown(int source)
{
  return source < 0;
}

/* From the factor's pattern on the device; the arrays belong to factor->memory */
SptrsvStatus operands_create(SptrsvFactor factor, Operands *operands);

template <class V> struct Ilu0 {
  Operands   operands;
  const int *col_idx; /* [nnz] */
  V         *v;       /* [nnz] the factor */
  int       *bad_row; /* [1] */
};

/* The value that pairs are subtracted from: A's entry, or zero, shifted on the diagonal */
template <class V> __device__ __forceinline__ V start_entry(const Ilu0<V> &ilu, const V *a, int code, V shift)
{
  const int source = flip_mark(ilu.operands.source[entry_of(code)]);

  return (source == SPTRSV_FILL ? V(0) : harmless(a[source])) + (is_pivot(code) ? shift : V(0));
}

/* Every `lanes`-th of the pairs first … end - 1 is subtracted.  Not TRACKED: all operands are there.  Else the wait ends: they are of
   earlier tickets, or this warp has computed them. */
template <class V, bool TRACKED>
__device__ __forceinline__ V subtract_pairs(const Ilu0<V> &ilu, Waiter &turn, size_t first, size_t end, int lanes, V sum)
{
  using W        = Word<V>;
  const auto get = [&](int e) { return TRACKED ? poll(ilu.v + e) : W::of(ilu.v[e]); };

  for (; first < end; first += (size_t)BATCH * lanes) {
    int3             at[BATCH];
    typename W::type left[BATCH], up[BATCH], pivot[BATCH];
    bool             waiting;
    unsigned         rounds = 0;
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
      const size_t t  = first + (size_t)k * lanes;
      const int2   pq = t < end ? ilu.operands.pair[t] : make_int2(-1, -1);

      at[k]   = make_int3(pq.x, pq.y, t < end ? ilu.operands.pivot[pq.x] : -1);
      left[k] = up[k] = pivot[k] = t < end ? W::NOT_READY : W::of(V(0));
    }
    do {
      do {
        waiting = false;
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
          if (left[k] == W::NOT_READY) left[k] = get(at[k].x);
          if (up[k] == W::NOT_READY) up[k] = get(at[k].y);
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) { /* last, since their addresses are known last */
          if (pivot[k] == W::NOT_READY) pivot[k] = get(at[k].z);
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) waiting = waiting || left[k] == W::NOT_READY || up[k] == W::NOT_READY || pivot[k] == W::NOT_READY;
      } while (TRACKED && waiting && ++rounds < turn.limit);
    } while (TRACKED && waiting && !turn.gives_up(rounds));
#pragma unroll
    for (int k = 0; k < BATCH; k++) { /* a zero multiplier is skipped, as on the host: no 0 * Inf after a zero pivot */
      if (W::value(left[k]) != V(0)) sum -= W::value(left[k]) * W::value(pivot[k]) * W::value(up[k]);
    }
  }
  return sum;
}

/* Called by one lane, with the whole sum */
template <class V> __device__ __forceinline__ void finish_entry(const Ilu0<V> &ilu, int code, V sum, const SptrsvPivoting &pivoting)
{
  const int e = entry_of(code);

  if (is_pivot(code)) { /* pivots are kept inverted */
    const bool small =
        (pivoting.shift == SPTRSV_SHIFT_NONE || pivoting.shift == SPTRSV_SHIFT_INBLOCKS) && fabs((double)sum) <= pivoting.zero_pivot;

    if (small && pivoting.shift == SPTRSV_SHIFT_INBLOCKS) sum += (V)pivoting.shift_amount;
    else if (small) atomicMax(ilu.bad_row, ilu.col_idx[e]);
    sum = 1 / sum;
  }
  publish(ilu.v + e, sum);
}

/* The factorization by tasks (ilu0_tasks.cu), with the same operands; the factor's analysis and values are there */
struct Ilu0Tasks;
SptrsvStatus ilu0_tasks_create(SptrsvFactor factor, const Operands &operands, const SptrsvTaskOptions &options, Ilu0Tasks **tasks);
void         ilu0_tasks_destroy(SptrsvFactor factor, Ilu0Tasks *tasks);
unsigned    *ilu0_tasks_stalled(const Ilu0Tasks &tasks);
void         ilu0_tasks_describe(const Ilu0Tasks &tasks, char *text, size_t size);
/* Computes the entries that are unknowns */
template <class V> SptrsvStatus ilu0_tasks_run(const Ilu0Tasks &tasks, const Ilu0<V> &p, const V *a, V shift,
                                               const SptrsvPivoting &pivoting, cudaStream_t stream);

} // namespace sptrsv
