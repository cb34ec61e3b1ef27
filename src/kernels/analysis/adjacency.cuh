/* A sweep's graph of dependencies on the device, as lists: for each unknown those that it needs, or those that need it. */
#pragma once
#include "../device/scratch.cuh"
#include "analysis.h"

namespace sptrsv {

struct Adjacency {
  int        n;
  const int *begin, *end, *idx; /* list i is idx[begin[i]], ..., idx[end[i] - 1] */
  bool       diagonal;          /* a list may begin with i itself, which does not count */
};

__device__ __forceinline__ int first_of(const Adjacency &adjacency, int i)
{
  const int begin = adjacency.begin[i];

  return begin + (adjacency.diagonal && begin < adjacency.end[i] && adjacency.idx[begin] == i);
}

/* for_each() of entries, by a warp per list: work(list, position of the entry) */
template <class F> SptrsvStatus for_each_entry(const Adjacency &adjacency, F work)
{
  return for_each<WARP>(adjacency.n, [=] __device__(int i) {
    for (int e = first_of(adjacency, i) + threadIdx.x % WARP; e < adjacency.end[i]; e += WARP) work(i, e);
  });
}

/* The first position from begin on, at most end, whose number is not below the key; numbers ascend */
template <class T> __device__ __forceinline__ int first_at_least(const T *numbers, int begin, int end, T key)
{
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;

    if (numbers[middle] < key) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/* Position of (i, j) if it is not before `first`, a position of row i or its end; otherwise -1 */
__device__ __forceinline__ int find_from(const SptrsvPattern &p, int i, int first, int j)
{
  const int end = p.row_ptr[i + 1], found = first_at_least(p.col_idx, first, end, j);

  return found < end && p.col_idx[found] == j ? found : -1;
}
/* Position of (k, j) in the strict upper triangle of a pattern with all diagonal entries, or -1 */
__device__ __forceinline__ int find_upper(const SptrsvPattern &p, int k, int j)
{
  return find_from(p, k, p.split[k] + 1, j);
}

/* The entries of rows on one side of the diagonal.  The pattern is on the device. */
inline Adjacency one_side(const SptrsvPattern &p, SptrsvTriangle side)
{
  const bool lower = side == SPTRSV_LOWER;

  return {p.n, lower ? p.row_ptr : p.split, lower ? p.split : p.row_ptr + 1, p.col_idx, !lower};
}
/* Those that a sweep takes.  The transpose is on the device if it needs it. */
inline Adjacency sweep_rows(const SptrsvAnalysis_s *a, SptrsvTriangle triangle, SptrsvOperation op)
{
  return one_side(op == SPTRSV_TRANSPOSE ? a->device_t : a->device, sptrsvSide(triangle, op));
}

/* Lists without gaps, as in CSR or CSC */
__host__ __device__ __forceinline__ Adjacency lists(int n, const int *ptr, const int *idx)
{
  return {n, ptr, ptr + 1, idx, false};
}

/*
   The same graph with all arrows turned round, which makes CSC of CSR: ptr [n + 1], idx [entries].  Device arrays.  Entries of a list come
   in any order.  In the legacy stream.
*/
SptrsvStatus transpose(const Adjacency &a, Scratch<int> &ptr, Scratch<int> &idx);

/* A pattern's transpose, its entries in order: row_ptr [n + 1], col_idx [nnz], source [nnz], position of each entry in the pattern.  Device
   arrays.  In the legacy stream. */
SptrsvStatus transpose_in_order(int n, int nnz, const int *row_ptr, const int *col_idx, int *t_row_ptr, int *t_col_idx, int *source);

/* row [entries]: the list of each entry, of lists without gaps.  Device arrays.  In the legacy stream. */
SptrsvStatus row_numbers(const Adjacency &rows, int *row);

/* to [count] = from[place[k]] of each k.  Device arrays.  In the legacy stream. */
SptrsvStatus gather(int count, const int *from, const int *place, int *to);
/* to[place[k]] = from[k]; from NULL: k itself */
SptrsvStatus scatter(int count, const int *from, const int *place, int *to);

/* count [copies][n] = lengths of the lists; in the legacy stream */
SptrsvStatus count_lengths(const Adjacency &a, int copies, unsigned *count);

/* A graph whose paths are looked for: what each unknown needs, with smaller numbers, or greater ones if `backwards`.  Device arrays */
template <class Length> struct PathGraph {
  Adjacency     needs;
  bool          backwards;
  Length       *length;          /* [needs.n] of the longest path to each unknown */
  const Length *least = nullptr; /* [needs.n] of a path that begins with it; NULL: 0 */
};

/* level [n] (device) of each unknown, by waiting, in one launch; `needs` and `backwards` as of PathGraph */
SptrsvStatus levels_by_rows(const Adjacency &needs, bool backwards, unsigned *level);

/* The largest `least` of each unknown and of all that it needs, directly or not, by waiting, in one launch: of one graph, or of two with as
   many unknowns */
SptrsvStatus largest_of_paths(const PathGraph<unsigned> graph[], int count);

/* Of these levels the statistics nnz, longest and levels, and *level_ptr (host [levels + 1]): unknowns before each level */
SptrsvStatus count_levels(const Adjacency &needs, const int *level, SptrsvMemory *memory, SptrsvStatistics *statistics, int **level_ptr);

/* potential [needs.n] (device): the most entries whose distance from the diagonal is from bound[0] up to below bound[1], on a path to each
   unknown, and in the upper half the most of those from bound[1] on.  By waiting, in one launch; `backwards` as for levels_by_rows(). */
SptrsvStatus potentials_by_rows(const Adjacency &needs, bool backwards, const int bound[2], unsigned long long *potential);

} // namespace sptrsv
