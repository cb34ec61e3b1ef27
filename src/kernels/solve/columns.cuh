/* The right-hand sides of a sweep: one, or several, for which the entries are read once.  They are in PARTS parts.  What solves a part has
   the same entries as for the others, and Values in place of values: a lane's of a row (levelorder), a ticket's of a strip (strips). */
#pragma once
#include "../device/values.cuh"

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
  friend __device__ __forceinline__ ColumnValues operator+(ColumnValues u, const ColumnValues &v)
  {
#pragma unroll
    for (int k = 0; k < C; k++) u.of[k] = u.of[k] + v.of[k];
    return u;
  }
  friend __device__ __forceinline__ ColumnValues operator*(V a, ColumnValues v)
  {
#pragma unroll
    for (int k = 0; k < C; k++) v.of[k] = a * v.of[k];
    return v;
  }
  friend __device__ __forceinline__ ColumnValues operator*(ColumnValues v, V a)
  {
#pragma unroll
    for (int k = 0; k < C; k++) v.of[k] = v.of[k] * a;
    return v;
  }
  friend __device__ __forceinline__ ColumnValues fma(V a, const ColumnValues &v, ColumnValues w)
  {
    using std::fma;
#pragma unroll
    for (int k = 0; k < C; k++) w.of[k] = fma(a, v.of[k], w.of[k]);
    return w;
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
  static constexpr int PARTS = 1;

  static OneColumn of(const SptrsvSolve &) { return {}; }

  __device__ __forceinline__ bool   lacks(int) const { return false; }
  __device__ __forceinline__ bool   are_apart() const { return false; }
  __device__ __forceinline__ Values read(const V *b, int row, int) const { return b[(unsigned)row]; }
  __device__ __forceinline__ void   write(V *x, int row, int, V v) const { x[(unsigned)row] = v; }
};

/* The columns that are missing of a part have a right-hand side of zeros, or what is there by rows */
template <class V, int COLUMN_PARTS, int EACH> struct SomeColumns {
  static constexpr int PARTS = COLUMN_PARTS;
  using Values               = ColumnValues<V, EACH>;

  int     count;
  int64_t ldb, ldx; /* negative: by rows */

  static SomeColumns of(const SptrsvSolve &s) { return {(int)s.columns, s.ldb, s.ldx}; }

  __device__ __forceinline__ bool   are_apart() const { return ldx >= 0; }
  __device__ __forceinline__ bool   lacks(int part) const { return part * EACH >= count; }
  __device__ __forceinline__ Values read(const V *b, int row, int part) const
  {
    Values v;

    if (ldb < 0) return *(const Values *)(b + row * -ldb + part * EACH);
#pragma unroll
    for (int k = 0; k < EACH; k++) v.of[k] = part * EACH + k < count ? b[row + (part * EACH + k) * ldb] : V(0);
    return v;
  }
  __device__ __forceinline__ void write(V *x, int row, int part, const Values &v) const
  {
    if (ldx < 0) *(Values *)(x + row * -ldx + part * EACH) = v;
#pragma unroll
    for (int k = 0; k < EACH && ldx >= 0; k++) {
      if (part * EACH + k < count) x[row + (part * EACH + k) * ldx] = v.of[k];
    }
  }
};

} // namespace sptrsv
