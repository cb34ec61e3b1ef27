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

/* The entries of A's rows on one side of the diagonal */
inline Adjacency triangle_rows(const SptrsvAnalysis_s *a, SptrsvTriangle side)
{
  const bool lower = side == SPTRSV_LOWER;

  return {a->a.n, lower ? a->d_row_ptr : a->d_split, lower ? a->d_split : a->d_row_ptr + 1, a->d_col_idx, !lower};
}

/* Lists without gaps, as in CSR or CSC */
inline Adjacency lists(int n, const int *ptr, const int *idx)
{
  return {n, ptr, ptr + 1, idx, false};
}

/*
   The same graph with all arrows turned round, which makes CSC of CSR: ptr [n + 1], idx [entries] and, unless it is NULL, moved [entries],
   payload[e] (payload NULL: e) of each entry e.  Device arrays.  Entries of a list come in any order.  In the legacy stream.
*/
SptrsvStatus transpose(const Adjacency &a, const int *payload, int *ptr, int *idx, int *moved);

/* count [copies][n] = lengths of the lists; in the legacy stream */
SptrsvStatus count_lengths(const Adjacency &a, int copies, unsigned *count);

/* level [n] (device) of each unknown by Kahn's algorithm, Li 4.4.1, with a launch for each level.  feeds: those that need each unknown;
   missing [n] (device): how many each unknown needs, zero in the end. */
SptrsvStatus levels_by_kahn(const Adjacency &feeds, unsigned *missing, unsigned *level);

/* The same by waiting, in one launch.  needs: those that each unknown needs, with smaller numbers, or greater ones if `backwards`. */
SptrsvStatus levels_by_rows(const Adjacency &needs, bool backwards, unsigned *level);

} // namespace sptrsv
