/* `split` for vectors on the GPU: a plan's arrays on the device and in pinned memory. */
#include "split.cuh"

namespace {

using namespace sptrsv;

SptrsvStatus allocate_pinned(SptrsvPlan plan, size_t bytes, char **p)
{
  return sptrsvPinnedAllocate(&plan->memory, bytes, (void **)p);
}

SptrsvStatus create_values(SptrsvPlan plan, SplitPlan *data)
{
  const SptrsvSplit &split = data->common.split;
  const size_t       size  = sptrsvValueSize(plan->options.type);

  if (split.policy == SPTRSV_SPLIT_CPU) return allocate_pinned(plan, (size_t)plan->analysis->a.nnz * size, &data->values[0]);
  for (int k = 0; k < 3; k++) {
    const size_t bytes = (size_t)split.nnz[k] * size;

    if (values_on_cpu(*data, k)) SPTRSV_TRY(allocate_pinned(plan, bytes, &data->values[k]));
    else SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, bytes, (void **)&data->values[k]));
  }
  return SPTRSV_SUCCESS;
}

/* The slices' arrays, as far as the device needs them; the product reads the first part's x in out */
SptrsvStatus upload(SptrsvPlan plan, SplitPlan *data)
{
  const SptrsvSplit &split  = data->common.split;
  SptrsvSlices      &s      = data->common.slices;
  const size_t       n      = (size_t)plan->analysis->a.n;
  SptrsvMemory      *memory = &plan->memory;

  SPTRSV_TRY(sptrsvUpload(memory, data->common.from, n, &data->from));
  SPTRSV_TRY(sptrsvUpload(memory, data->common.to, n, &data->to));
  if (sptrsvSplitIsUnified(split.policy)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvUpload(memory, s.source, split.nnz[0] + split.nnz[1] + split.nnz[2], &data->source));
  if (split.policy == SPTRSV_SPLIT_CPU_CPU) return SPTRSV_SUCCESS;
  for (int e = 0; e < s.nnz[1]; e++) s.col_idx[e] = data->common.to[s.col_idx[e]];
  SPTRSV_TRY(sptrsvUpload(memory, s.row_ptr, s.n[1] + 1, &data->row_ptr));
  return sptrsvUpload(memory, s.col_idx, s.nnz[1], &data->col_idx);
}

SptrsvStatus create_vectors(SptrsvPlan plan, SplitPlan *data)
{
  SptrsvSplit        &split = data->common.split;
  const SptrsvSlices &s     = data->common.slices;
  const size_t        size = sptrsvValueSize(plan->options.type), bytes = (size_t)plan->analysis->a.n * size;
  const size_t        first = (size_t)split.rows[0] * size;

  if (split.rows[1] && split.policy != SPTRSV_SPLIT_CPU_CPU) SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, bytes - first, &data->right));
  if (!on_cpu(*data, 0) && !on_cpu(*data, 1)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(allocate_pinned(plan, bytes, &data->b));
  SPTRSV_TRY(allocate_pinned(plan, bytes, &data->x));
  for (int k = 0; k < 2; k++) {
    const size_t at = k ? first : 0;

    data->task[k] = {plan, nullptr, {}, data->values[2 * k], data->b + at, data->x + at};
    if (on_cpu(*data, k)) split.transfer += 2 * split.rows[k] * (int64_t)size;
  }
  if (split.policy == SPTRSV_SPLIT_CPU_CPU)
    data->task[1].product = {plan->options.type, s.n[1],          s.row_ptr, s.col_idx,      nullptr,
                             data->values[1],    data->b + first, data->x,   data->b + first};
  return SPTRSV_SUCCESS;
}

SptrsvStatus create_side(SplitPlan *data)
{
  if (data->common.split.policy != SPTRSV_SPLIT_CPU_CPU) return SPTRSV_SUCCESS;
  SPTRSV_CUDA(cudaStreamCreateWithFlags(&data->side, cudaStreamNonBlocking));
  for (cudaEvent_t &event : data->event) SPTRSV_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsv::split_build(SptrsvPlan plan)
{
  SplitPlan *data = split_of(plan);

  plan->stalled = &data->failed;
  SPTRSV_TRY(sptrsvSplitPrepare(plan, &data->common));
  if (data->common.split.policy != SPTRSV_SPLIT_GPU) { /* else the only part is the whole sweep */
    const double start = sptrsvSeconds();

    SPTRSV_TRY(create_values(plan, data));
    SPTRSV_TRY(upload(plan, data));
    SPTRSV_TRY(create_vectors(plan, data));
    SPTRSV_TRY(create_side(data));
    data->common.split.setup[2] += sptrsvSeconds() - start;
  }
  SPTRSV_TRY(sptrsvSplitBuildParts(plan, &data->common));
  for (int k = 0; k < 2; k++) data->task[k].part = plan->part[k];
  return SPTRSV_SUCCESS;
}

void sptrsv::split_destroy(SptrsvPlan plan)
{
  SplitPlan *data = split_of(plan);

  if (data->b) (void)cudaDeviceSynchronize(); /* the CPU may still be at work */
  for (cudaEvent_t event : data->event) {
    if (event) (void)cudaEventDestroy(event);
  }
  if (data->side) (void)cudaStreamDestroy(data->side);
  sptrsvSplitDestroy(plan, &data->common);
}
