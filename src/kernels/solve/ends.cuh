/* What a sweep makes of the sum of a row: a solution, or an inverse pivot of a factorization (sweep.cu).  of(target), called before
   the row waits, has all that is to be loaded for it. */
#pragma once
#include "../analysis/analysis.h"
#include "../device/pivots.cuh"

namespace sptrsv {

/* x(i) is the sum.  source, target: the row's positions in b and x, or where they are. */
struct Solution {
  static constexpr bool SKIPS_ZEROS = false;

  template <class T> __device__ static T             source(T source, T) { return source; }
  template <class V> __device__ __forceinline__ auto of(int) const
  {
    return [](V sum) { return sum; };
  }
};

/* 1 / (the sum times the row's scale, if it has one), but for partial sums of long rows, which have no target.  b, too, is in the order of
   the factor.  Values that are zero are skipped, as a factorization on the host does: no 0 * Inf after a zero pivot. */
struct Pivot {
  static constexpr bool SKIPS_ZEROS = true;
  Inversion             invert;
  const short          *scale; /* device [n], exponents; or NULL */

  template <class T> __device__ static T             source(T, T target) { return target; }
  template <class V> __device__ __forceinline__ auto of(int target) const
  {
    const int exponent = target >= 0 && scale ? scale[target] : 0; /* takes fewer registers than the power */

    return [target, exponent, invert = invert](V sum) {
      const V inverse =
          invert(target < 0 ? V(1) : sum * power_of_two<Part<V>>(exponent), [=] { return target; }); /* without a branch around it */
      return target < 0 ? sum : inverse;
    };
  }
};
inline Pivot pivot_of(const SptrsvPivotSweep &pivots)
{
  return {{pivots.pivoting, pivots.bad_row}, pivots.scale};
}

} // namespace sptrsv
