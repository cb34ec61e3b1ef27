/* The right-hand sides of a sweep: one, or several, for which the entries are read once.  Each lane of a row becomes LANES, with the same
   entries and different columns; such a lane has Values. */
#pragma once
#include "../../device/values.cuh"

namespace sptrsv {

/* A row's values in C neighbouring columns */
template <class V, int C> struct alignas(C * sizeof(V) < 16 ? C * sizeof(V) : 16) ColumnValues {
  V of[C];

  ColumnValues() = default;
  __device__ __forceinline__ explicit ColumnValues(V v)
  {
#pragma unroll
    for (int k = 0; k < C; k++) of[k] = v;
  }
  __device__ __forceinline__ ColumnValues &operator-=(const ColumnValues &v)
  {
#pragma unroll
    for (int k = 0; k < C; k++) of[k] -= v.of[k];
    return *this;
  }
  friend __device__ __forceinline__ ColumnValues operator*(V a, ColumnValues v)
  {
#pragma unroll
    for (int k = 0; k < C; k++) v.of[k] = a * v.of[k];
    return v;
  }
};
template <class V, int C> struct Word<ColumnValues<V, C>> : Word<V> {};

template <int STEP = 1, class V, int C> __device__ __forceinline__ ColumnValues<V, C> sum_over(int lanes, ColumnValues<V, C> v)
{
#pragma unroll
  for (int k = 0; k < C; k++) v.of[k] = sum_over<STEP>(lanes, v.of[k]);
  return v;
}

template <class V> struct OneColumn {
  using Values               = V;
  static constexpr int LANES = 1;

  __device__ __forceinline__ Values read(const V *b, int row, int) const { return b[row]; }
  __device__ __forceinline__ void   write(V *x, int row, int, V v) const { x[row] = v; }
};

/* Lanes beyond the last column solve for a right-hand side of zeros */
template <class V, int SPREAD> struct SomeColumns {
  static constexpr int LANES = SPREAD, EACH = 2;
  using Values = ColumnValues<V, EACH>;

  int    count;
  size_t ldb, ldx;

  __device__ __forceinline__ Values read(const V *b, int row, int lane) const
  {
    Values v;
#pragma unroll
    for (int k = 0; k < EACH; k++) v.of[k] = lane * EACH + k < count ? b[row + (lane * EACH + k) * ldb] : V(0);
    return v;
  }
  __device__ __forceinline__ void write(V *x, int row, int lane, const Values &v) const
  {
#pragma unroll
    for (int k = 0; k < EACH; k++) {
      if (lane * EACH + k < count) x[row + (lane * EACH + k) * ldx] = v.of[k];
    }
  }
};

} // namespace sptrsv
