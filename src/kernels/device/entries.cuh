/* Where the values of a plan or a factor come from. */
#pragma once
#include "../analysis/analysis.h"
#include "device.cuh"

namespace sptrsv {

/* A's value for entry e of a factor's pattern.  source: as in SptrsvPivotSweep */
template <class V> __device__ __forceinline__ V entry_of(const V *a, const int *source, int e)
{
  const int position = source ? source[e] : e;

  return position == SPTRSV_FILL ? V(0) : harmless(a[position]);
}

/* values(position) */
template <class V> struct Stored {
  const V *values;

  __device__ __forceinline__ V operator()(int position) const { return values[position]; }
};

/* What a sweep for inverse pivots has for entry e, which is left of the diagonal: its product with its mirror image.  A zero is skipped,
   whatever it meets. */
template <class V> struct Products {
  const V   *a;
  const int *source, *mirrored;

  __device__ __forceinline__ V operator()(int e) const
  {
    const int q    = mirrored[e];
    const V   left = entry_of(a, source, e);

    return q >= 0 && left != V(0) ? left * entry_of(a, source, q) : V(0);
  }
};
template <class V> Products<V> products_of(const SptrsvPivotSweep &pivots)
{
  return {(const V *)pivots.a, pivots.source, pivots.mirrored};
}

/* In place of a value whose position is negative */
template <class V> __device__ __forceinline__ V constant_of(int position)
{
  return position == SPTRSV_ONE ? V(1) : position == SPTRSV_MINUS_ONE ? V(-1) : V(0);
}
template <class V, class Values> __device__ __forceinline__ V value_or_constant(const Values &values, int position)
{
  return position >= 0 ? values(position) : constant_of<V>(position);
}

} // namespace sptrsv
