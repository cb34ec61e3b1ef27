/* Longest paths in a sweep's graph, on the device. */
#pragma once
#include "adjacency.cuh"

namespace sptrsv {

/* The larger of both lower halves, and of both upper ones */
__host__ __device__ __forceinline__ unsigned long long larger_halves(unsigned long long a, unsigned long long b)
{
  constexpr unsigned long long LOWER = ~0u, UPPER = ~LOWER;
  const unsigned long long     lower = (a & LOWER) > (b & LOWER) ? a : b, upper = (a & UPPER) > (b & UPPER) ? a : b;

  return (lower & LOWER) | (upper & UPPER);
}

/* potential [needs.n] (device): the most entries whose distance from the diagonal is from bound[0] up to below bound[1], on a path to each
   unknown, and in the upper half the most of those from bound[1] on.  By waiting, in one launch; `backwards` as for levels_by_rows(). */
SptrsvStatus potentials_by_rows(const Adjacency &needs, bool backwards, const int bound[2], unsigned long long *potential);

} // namespace sptrsv
