/* Pivots of factorizations on the device, which are kept inverted. */
#pragma once
#include <cmath>
#include <limits>
#include "values.cuh"

namespace sptrsv {

/* Exponents k for which 2^k and 2^-k are normal numbers */
template <class V> constexpr int MOST_EXPONENT = std::numeric_limits<Part<V>>::max_exponent - 2;

/* 2^k */
template <class V> __device__ __forceinline__ V power_of_two(int k)
{
  return bits_as<V>((typename Word<V>::type)(k + MOST_EXPONENT<V> + 1) << (std::numeric_limits<V>::digits - 1));
}
/* The bits of v's exponent: zero of numbers below the normal ones, all of them of infinity and NaN */
template <class V> __device__ __forceinline__ int biased_exponent(V v)
{
  if constexpr (IS_COMPLEX<V>) return max(biased_exponent(v.re), biased_exponent(v.im)); /* of the larger part */
  else return (int)(bits_as<typename Word<V>::type>(v) >> (std::numeric_limits<V>::digits - 1)) & (2 * MOST_EXPONENT<V> + 3);
}
template <class V> __device__ __forceinline__ bool is_normal(V v)
{
  return (unsigned)biased_exponent(v) - 1 < 2 * MOST_EXPONENT<V> + 2;
}
/* The exponent of v, or the nearest that there is: a power of two that is near v */
template <class V> __device__ __forceinline__ int exponent_of(V v)
{
  return max(-MOST_EXPONENT<V>, min(biased_exponent(v) - MOST_EXPONENT<V> - 1, MOST_EXPONENT<V>));
}

/* A pivot's real part and modulus, from its inverse.  Both are zero if that is infinite. */
struct PivotSize {
  double real, modulus;
};
template <class R> __host__ __device__ __forceinline__ PivotSize pivot_size(R inverse)
{
  const double pivot = 1 / (double)inverse;

  return {pivot, std::fabs(pivot)};
}
template <class R> __host__ __device__ __forceinline__ PivotSize pivot_size(Complex<R> inverse)
{
  const double size = 1 / modulus(inverse);

  return {size == 0 ? 0 : (double)inverse.re * size * size, size};
}

/* 1 / pivot.  A small one is shifted or reported; the tests that compare with a finished row come later (methods.cu). */
struct Inversion {
  SptrsvPivoting pivoting;
  int           *bad_row; /* device [1]: last row with a small pivot */

  /* row(): the pivot's row.  Small pivots are rare, and everything else is done without waiting for the test. */
  template <class V, class F> __device__ __forceinline__ V operator()(V pivot, F row) const
  {
    const bool absolute = pivoting.shift == SPTRSV_SHIFT_NONE || pivoting.shift == SPTRSV_SHIFT_INBLOCKS;
    V          inverse  = 1 / pivot;

    if (absolute && modulus(pivot) <= pivoting.zero_pivot) {
      if (pivoting.shift == SPTRSV_SHIFT_INBLOCKS) inverse = 1 / (pivot + (V)pivoting.shift_amount);
      else atomicMax(bad_row, row());
    }
    return inverse;
  }
};

} // namespace sptrsv
