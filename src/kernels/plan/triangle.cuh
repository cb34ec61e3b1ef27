/* The triangle of a sweep, as a plan holds it on the device and as kernels read it; and vectors, permuted or not ready. */
#pragma once
#include <cstring>
#include "../analysis/analysis.h"
#include "../device/launch.cuh"

namespace sptrsv {

/* Device arrays.  The entries are those of an SptrsvOrdered, by rows or by columns.  V: the type of the sweep; S: that in which the plan
   stores its values; a plan has void, of which view() makes them. */
template <class V = void, class S = V> struct Triangle {
  int    rows;
  size_t nnz;
  int   *ptr, *idx;                      /* [rows + 1], [nnz]: entries of row (or column) i are ptr[i] … ptr[i + 1] - 1 */
  int   *value_source, *diagonal_source; /* [nnz], [rows] positions in the matrix's values, or constants (SPTRSV_ONE, …) */
  int   *source, *target;                /* [rows] positions in b and out */
  S     *values;                         /* [nnz] */
  V     *reciprocal;                     /* [rows] of the diagonal */
};

/* What a plan has, as kernels read it */
template <class Typed, class Stored> Typed view_as(const Stored &stored)
{
  Typed typed;

  static_assert(sizeof(typed) == sizeof(stored), "only the type of pointers differs");
  memcpy(&typed, &stored, sizeof(typed));
  return typed;
}
template <class V, class S = V> Triangle<V, S> view(const Triangle<> &stored)
{
  return view_as<Triangle<V, S>>(stored);
}

/* For a plan that is built: rows, nnz, and all arrays but ptr, idx and value_source; then these, too, as `ordered` has them */
SptrsvStatus triangle_create(SptrsvPlan plan, const SptrsvOrdered &ordered, Triangle<> *triangle);
SptrsvStatus triangle_upload(SptrsvPlan plan, const SptrsvOrdered &ordered, Triangle<> *triangle);
/* The same by columns.  row_ptr: of `ordered`, on the device */
SptrsvStatus triangle_upload_columns(SptrsvPlan plan, const SptrsvOrdered &ordered, const int *row_ptr, Triangle<> *triangle);
/* Columns of the rows.  Entries of a column ascend, so that the rows that come next hear of it first (doc/algorithms/authors.md).
   value_source: that of these entries; NULL: not asked for */
SptrsvStatus upload_columns(SptrsvPlan plan, const SptrsvOrdered &ordered, const int *row_ptr, int **col_ptr, int **row_idx,
                            int **value_source);

/* Takes values and reciprocals out of the matrix's values, or those of a sweep for inverse pivots, in one launch, in stream order */
SptrsvStatus triangle_update(const SptrsvPlanOptions &options, const Triangle<> &triangle, const void *values, SptrsvStream stream);
SptrsvStatus triangle_update(const SptrsvPlanOptions &options, const Triangle<> &triangle, const SptrsvPivotSweep &pivots,
                             SptrsvStream stream);

/* update() of a method whose data T have a `sweep`, which is a triangle */
template <class T> SptrsvStatus update_sweep(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  return triangle_update(plan->options, data_of<T>(plan)->sweep, values, stream);
}

/* 2 n unknowns, all not ready when the set-up ends */
SptrsvStatus unknowns_create(SptrsvMemory *memory, size_t n, SptrsvValueType type, void **d);
SptrsvStatus unknowns_clear(size_t n, SptrsvValueType type, void *d);

/* target[to ? to[i] : i] = source[from ? from[i] : i] for i < n */
SptrsvStatus move_values(int n, const int *from, const int *to, SptrsvValueType type, const void *source, void *target,
                         SptrsvStream stream);

} // namespace sptrsv
