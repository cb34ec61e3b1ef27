/* Triangles on the device: their arrays, their values, and the unknowns that sweeps fill. */
#include "../analysis/adjacency.cuh"
#include "entries.cuh"
#include "triangle.cuh"

namespace {

using namespace sptrsv;

template <class V, class S, class Values> __global__ void update_kernel(const Triangle<> triangle, bool inverted, Values values)
{
  for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < triangle.nnz + triangle.rows; k += (size_t)gridDim.x * blockDim.x) {
    if (k < triangle.nnz) ((S *)triangle.values)[k] = S(value_or_constant<V>(values, triangle.value_source[k]));
    else ((V *)triangle.reciprocal)[k - triangle.nnz] = reciprocal_of<V>(values, triangle.diagonal_source[k - triangle.nnz], inverted);
  }
  values.report();
}

template <class V> __global__ void move_kernel(int n, const int *from, const int *to, const V *__restrict__ source, V *__restrict__ target)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    target[to ? to[i] : i] = source[from ? from[i] : i];
}

template <class V> __global__ void not_ready_kernel(size_t n, V *x)
{
  for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x) rearm(x + k);
}

template <class V, class S, class Values>
SptrsvStatus update(const SptrsvPlanOptions &options, const Triangle<> &triangle, const Values &values, SptrsvStream stream)
{
  const size_t threads = triangle.nnz + triangle.rows;

  if (!threads) return SPTRSV_SUCCESS;
  return launch_for(update_kernel<V, S, Values>, threads, stream, triangle, options.diagonal == SPTRSV_DIAG_INVERTED, values);
}

/* *d: the position in a vector of the caller of each row */
SptrsvStatus upload_positions(SptrsvPlan plan, const SptrsvOrdered &ordered, const int *perm, int **d)
{
  int *position;

  SPTRSV_TRY(sptrsvHostNew(&plan->scratch, ordered.n, &position));
  for (int k = 0; k < ordered.n; k++) position[k] = perm ? perm[ordered.row[k]] : ordered.row[k];
  return sptrsvUpload(&plan->memory, position, ordered.n, d);
}

} // namespace

namespace sptrsv {

SptrsvStatus triangle_create(SptrsvPlan plan, const SptrsvOrdered &ordered, Triangle<> *triangle)
{
  const size_t size = sptrsvValueSize(plan->options.type);

  triangle->rows = ordered.n;
  triangle->nnz  = (size_t)ordered.nnz;
  SPTRSV_TRY(sptrsvUpload(&plan->memory, ordered.diagonal, triangle->rows, &triangle->diagonal_source));
  SPTRSV_TRY(upload_positions(plan, ordered, plan->options.in_perm, &triangle->source));
  SPTRSV_TRY(upload_positions(plan, ordered, plan->options.out_perm, &triangle->target));
  SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, triangle->nnz * size, &triangle->values));
  return sptrsvDeviceAllocate(&plan->memory, (size_t)triangle->rows * size, &triangle->reciprocal);
}

SptrsvStatus triangle_upload(SptrsvPlan plan, const SptrsvOrdered &ordered, Triangle<> *triangle)
{
  SPTRSV_TRY(triangle_create(plan, ordered, triangle));
  SPTRSV_TRY(sptrsvUpload(&plan->memory, ordered.row_ptr, (size_t)triangle->rows + 1, &triangle->ptr));
  SPTRSV_TRY(sptrsvUpload(&plan->memory, ordered.col_idx, triangle->nnz, &triangle->idx));
  return sptrsvUpload(&plan->memory, ordered.source, triangle->nnz, &triangle->value_source);
}

SptrsvStatus upload_columns(SptrsvPlan plan, const SptrsvOrdered &ordered, const int *row_ptr, int **col_ptr, int **row_idx,
                            int **value_source)
{
  Scratch<int> col_idx, entry, source;

  SPTRSV_TRY(col_idx.upload(ordered.col_idx, ordered.nnz));
  SPTRSV_TRY(entry.create(ordered.nnz));
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, ordered.n + 1, col_ptr));
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, ordered.nnz, row_idx));
  SPTRSV_TRY(transpose_in_order(ordered.n, ordered.nnz, row_ptr, col_idx, *col_ptr, *row_idx, entry));
  if (!value_source) return SPTRSV_SUCCESS;
  SPTRSV_TRY(source.upload(ordered.source, ordered.nnz));
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, ordered.nnz, value_source));
  return gather(ordered.nnz, source, entry, *value_source);
}

SptrsvStatus triangle_upload_columns(SptrsvPlan plan, const SptrsvOrdered &ordered, const int *row_ptr, Triangle<> *triangle)
{
  SPTRSV_TRY(triangle_create(plan, ordered, triangle));
  return upload_columns(plan, ordered, row_ptr, &triangle->ptr, &triangle->idx, &triangle->value_source);
}

SptrsvStatus triangle_update(const SptrsvPlanOptions &options, const Triangle<> &triangle, const void *values, SptrsvStream stream)
{
  return by_stored_type(options, [&](auto v, auto s) {
    using V = decltype(v);
    return update<V, decltype(s)>(options, triangle, Stored<V>{(const V *)values}, stream);
  });
}

SptrsvStatus triangle_update(const SptrsvPlanOptions &options, const Triangle<> &triangle, const SptrsvPivotSweep &pivots,
                             SptrsvStream stream)
{
  return by_any_type(options.type, [&](auto v) {
    using V = decltype(v);
    return with_products<V>(pivots, [&](const auto &values) { return update<V, V>(options, triangle, values, stream); });
  });
}

SptrsvStatus unknowns_create(SptrsvMemory *memory, size_t n, SptrsvValueType type, void **d)
{
  SPTRSV_TRY(sptrsvDeviceAllocate(memory, 2 * n * sptrsvValueSize(type), d));
  return unknowns_clear(n, type, *d);
}

SptrsvStatus unknowns_clear(size_t n, SptrsvValueType type, void *d)
{
  if (!n) return SPTRSV_SUCCESS;
  return by_any_type(type, [&](auto v) { return launch_for(not_ready_kernel<decltype(v)>, 2 * n, nullptr, 2 * n, (decltype(v) *)d); });
}

SptrsvStatus move_values(int n, const int *from, const int *to, SptrsvValueType type, const void *source, void *target, SptrsvStream stream)
{
  if (!n) return SPTRSV_SUCCESS;
  return by_any_type(type, [&](auto v) {
    using V = decltype(v);
    return launch_for(move_kernel<V>, n, stream, n, from, to, (const V *)source, (V *)target);
  });
}

} // namespace sptrsv
