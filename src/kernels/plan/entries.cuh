/* Where the values of a plan or a factor come from. */
#pragma once
#include "../analysis/analysis.h"
#include "../device/pivots.cuh"

namespace sptrsv {

/* A's value for entry e of a factor's pattern.  source: as in SptrsvPivotSweep */
template <class V> __device__ __forceinline__ V entry_of(const V *a, const int *source, int e)
{
  const int position = source ? source[e] : e;

  return position == SPTRSV_FILL ? V(0) : harmless(a[position]);
}

/* values(position, row).  row: that of the entry, or -1 where it is not at hand */
template <class V> struct Stored {
  const V *values;

  __device__ __forceinline__ V operator()(int position, int) const { return values[position]; }
};

/* What a sweep for inverse pivots has for entry e, which is left of the diagonal: its product with its mirror image, over the row's scale.
   The division comes first, since the product alone may overflow or vanish.  A zero is skipped, whatever it meets. */
template <class V> struct Products {
  const V     *a;
  const int   *source, *mirrored, *col_idx;
  const short *scale;

  __device__ __forceinline__ V operator()(int e, int row) const
  {
    const int q    = mirrored[e];
    const V   left = entry_of(a, source, e);

    return q >= 0 && left != V(0) ? left * power_of_two<V>(-scale[row >= 0 ? row : col_idx[q]]) * entry_of(a, source, q) : V(0);
  }
};
template <class V> Products<V> products_of(const SptrsvPivotSweep &pivots)
{
  return {(const V *)pivots.a, pivots.source, pivots.mirrored, pivots.col_idx, pivots.scale};
}

/* In place of a value whose position is negative */
template <class V> __device__ __forceinline__ V constant_of(int position)
{
  return position == SPTRSV_ONE ? V(1) : position == SPTRSV_MINUS_ONE ? V(-1) : V(0);
}
template <class V, class Values> __device__ __forceinline__ V value_or_constant(const Values &values, int position)
{
  return position >= 0 ? values(position, -1) : constant_of<V>(position);
}

} // namespace sptrsv
