/* What a sweep makes of the sum of a row: a solution, or an inverse pivot of a factorization (ilu0_sweep.cu). */
#pragma once
#include "../device/pivots.cuh"

namespace sptrsv {

/* x(i) is the sum.  source, target: the row's positions in b and x. */
struct Solution {
  static constexpr bool SKIPS_ZEROS = false;

  __device__ static int                           source(int source, int) { return source; }
  template <class V> __device__ __forceinline__ V operator()(V sum, int) const { return sum; }
};

/* 1 / the sum, but for partial sums of long rows, which have no target.  b, too, is in the order of the factor.  Values that are zero are
   skipped, as a factorization on the host does: no 0 * Inf after a zero pivot. */
struct Pivot {
  static constexpr bool SKIPS_ZEROS = true;
  Inversion             invert;

  __device__ static int                           source(int, int target) { return target; }
  template <class V> __device__ __forceinline__ V operator()(V sum, int target) const
  {
    const V inverse = invert(target < 0 ? V(1) : sum, [=] { return target; }); /* without a branch around it */
    return target < 0 ? sum : inverse;
  }
};

} // namespace sptrsv
