/* Where the values of a plan or a factor come from. */
#pragma once
#include "../analysis/analysis.h"
#include "../device/pivots.cuh"

namespace sptrsv {

/* A's value for entry e of a factor's pattern.  source: as in SptrsvPivotSweep */
template <class V> __device__ __forceinline__ V entry_of(const V *a, const int *source, int e)
{
  const int position = source ? source[e] : e;

  return position == SPTRSV_FILL ? V(0) : Unknown<V>::of(a[position]).settled().value();
}

/* What a thread takes values from: values(position, values.find(position)), which is zero for a negative position, in two steps, so that
   the loads of several entries are under way at the same time; and values.report() after the last one */
template <class V> struct Stored {
  const V *values;

  __device__ __forceinline__ int  find(int) const { return 0; }
  __device__ __forceinline__ V    operator()(int position, int) const { return position >= 0 ? values[position] : V(0); }
  __device__ __forceinline__ void report() const {}
};

/* What a sweep for inverse pivots has for entry e, which is left of the diagonal: its product with its mirror image, SCALED over the row's
   scale.  The division comes first, since the product alone may overflow or vanish.  A zero is skipped, whatever it meets.  Loads have no
   branch in front of them; entry 0 is there, if only a diagonal. */
template <class V, bool SCALED> struct Products {
  SptrsvPivotSweep sweep;
  bool             extreme = false;

  __device__ __forceinline__ int find(int e) const { return e >= 0 ? sweep.mirrored[e] : -1; }
  __device__ __forceinline__ V   operator()(int e, int q)
  {
    const V *const a    = (const V *)sweep.a;
    const V        left = entry_of(a, sweep.source, max(e, 0)), right = entry_of(a, sweep.source, max(q, 0));
    const bool     none = q < 0 || left == V(0);

    if constexpr (SCALED) return none ? V(0) : left * power_of_two<Part<V>>(-sweep.scale[sweep.col_idx[max(q, 0)]]) * right;
    extreme |= !none & (right != V(0)) & (int)!is_normal(left * right); /* without a branch */
    return none ? V(0) : left * right;
  }
  __device__ __forceinline__ void report() const
  {
    if (extreme) store_relaxed(sweep.extreme, 1u);
  }
};
template <class V, class F> auto with_products(const SptrsvPivotSweep &sweep, F call)
{
  return sweep.scale ? call(Products<V, true>{sweep}) : call(Products<V, false>{sweep});
}

/* In place of a value whose position is negative */
template <class V> __device__ __forceinline__ V constant_of(int position)
{
  return position == SPTRSV_ONE ? V(1) : position == SPTRSV_MINUS_ONE ? V(-1) : V(0);
}
template <class V, class Values> __device__ __forceinline__ V value_or_constant(Values &values, int position)
{
  const V value = values(position, values.find(position));

  return position >= 0 ? value : constant_of<V>(position);
}

/* Of a diagonal entry, which may be inverted already, as constants are */
template <class V, class Values> __device__ __forceinline__ V reciprocal_of(Values &values, int position, bool inverted)
{
  const V diagonal = value_or_constant<V>(values, position);

  return inverted || position < 0 ? diagonal : 1 / diagonal;
}

} // namespace sptrsv
