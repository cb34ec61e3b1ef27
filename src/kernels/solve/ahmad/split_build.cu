/* `split` for vectors on the GPU: a plan's arrays on the device and in pinned memory. */
#include "split.cuh"

namespace {

using namespace sptrsv;

SptrsvStatus allocate_pinned(SptrsvPlan plan, size_t bytes, char **p)
{
  SPTRSV_TRY(sptrsvPinnedAllocate(&plan->memory, bytes, (void **)p));
  plan->host_bytes += bytes;
  return SPTRSV_SUCCESS;
}

SptrsvStatus create_values(SptrsvPlan plan, SplitPlan *d)
{
  const SptrsvSplit &split = d->common.split;
  const size_t       size  = sptrsvValueSize(plan->options.type);

  if (split.policy == SPTRSV_SPLIT_CPU) return allocate_pinned(plan, (size_t)plan->analysis->a.nnz * size, &d->values[0]);
  for (int k = 0; k < 3; k++) {
    const size_t bytes = (size_t)split.nnz[k] * size;

    if (values_on_cpu(*d, k)) SPTRSV_TRY(allocate_pinned(plan, bytes, &d->values[k]));
    else SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, bytes, (void **)&d->values[k]));
  }
  return SPTRSV_SUCCESS;
}

/* The slices' arrays, as far as the device needs them; the product reads the first part's x in out */
SptrsvStatus upload(SptrsvPlan plan, SplitPlan *d)
{
  const SptrsvSplit &split  = d->common.split;
  SptrsvSlices      &s      = d->common.slices;
  const size_t       n      = (size_t)plan->analysis->a.n;
  SptrsvMemory      *memory = &plan->memory;

  SPTRSV_TRY(sptrsvUpload(memory, d->common.from, n, &d->from));
  SPTRSV_TRY(sptrsvUpload(memory, d->common.to, n, &d->to));
  if (sptrsvSplitIsUnified(split.policy)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvUpload(memory, s.source, split.nnz[0] + split.nnz[1] + split.nnz[2], &d->source));
  if (split.policy == SPTRSV_SPLIT_CPU_CPU) return SPTRSV_SUCCESS;
  for (int e = 0; e < s.nnz[1]; e++) s.col_idx[e] = d->common.to[s.col_idx[e]];
  SPTRSV_TRY(sptrsvUpload(memory, s.row_ptr, s.n[1] + 1, &d->row_ptr));
  return sptrsvUpload(memory, s.col_idx, s.nnz[1], &d->col_idx);
}

SptrsvStatus create_vectors(SptrsvPlan plan, SplitPlan *d)
{
  SptrsvSplit        &split = d->common.split;
  const SptrsvSlices &s     = d->common.slices;
  const size_t        size = sptrsvValueSize(plan->options.type), bytes = (size_t)plan->analysis->a.n * size;
  const size_t        first = (size_t)split.rows[0] * size;

  if (split.rows[1] && split.policy != SPTRSV_SPLIT_CPU_CPU) SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, bytes - first, &d->right));
  if (!on_cpu(*d, 0) && !on_cpu(*d, 1)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(allocate_pinned(plan, bytes, &d->b));
  SPTRSV_TRY(allocate_pinned(plan, bytes, &d->x));
  for (int k = 0; k < 2; k++) {
    const size_t at = k ? first : 0;

    d->task[k] = {plan, nullptr, {}, d->values[2 * k], d->b + at, d->x + at};
    if (on_cpu(*d, k)) split.transfer += 2 * split.rows[k] * (int64_t)size;
  }
  if (split.policy == SPTRSV_SPLIT_CPU_CPU)
    d->task[1].product = {plan->options.type, s.n[1], s.row_ptr, s.col_idx, nullptr, d->values[1], d->b + first, d->x, d->b + first};
  return SPTRSV_SUCCESS;
}

SptrsvStatus create_side(SplitPlan *d)
{
  if (d->common.split.policy != SPTRSV_SPLIT_CPU_CPU) return SPTRSV_SUCCESS;
  SPTRSV_CUDA(cudaStreamCreateWithFlags(&d->side, cudaStreamNonBlocking));
  for (cudaEvent_t &event : d->event) SPTRSV_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsv::split_build(SptrsvPlan plan)
{
  SplitPlan *d;

  SPTRSV_TRY(sptrsvNew(1, &d));
  plan->data    = d;
  plan->stalled = &d->failed;
  SPTRSV_TRY(sptrsvSplitPrepare(plan, &d->common));
  if (d->common.split.policy != SPTRSV_SPLIT_GPU) { /* else the only part is the whole sweep */
    const double start = sptrsvSeconds();

    SPTRSV_TRY(create_values(plan, d));
    SPTRSV_TRY(upload(plan, d));
    SPTRSV_TRY(create_vectors(plan, d));
    SPTRSV_TRY(create_side(d));
    d->common.split.setup[2] += sptrsvSeconds() - start;
  }
  SPTRSV_TRY(sptrsvSplitBuildParts(plan, &d->common));
  for (int k = 0; k < 2; k++) d->task[k].part = plan->part[k];
  return SPTRSV_SUCCESS;
}

void sptrsv::split_destroy(SptrsvPlan plan)
{
  SplitPlan *d = split_of(plan);

  if (d->b) (void)cudaDeviceSynchronize(); /* the CPU may still be at work */
  for (cudaEvent_t event : d->event) {
    if (event) (void)cudaEventDestroy(event);
  }
  if (d->side) (void)cudaStreamDestroy(d->side);
  sptrsvSplitDestroy(plan, &d->common);
}
