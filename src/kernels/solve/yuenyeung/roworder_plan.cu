/*
   Set-up of the methods in roworder.cu: next to nothing, since rows stay where they are.  yuenyeung's execute_row_id is made on the
   device, from the row pointers there.
*/
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include "../../device/scratch.cuh"
#include "roworder.cuh"

namespace {

using namespace sptrsv;
using Form = RowOrderForm;

/* Algorithm 6, lines 12 to 16: how many groups a sub-matrix of WARP rows becomes, a group for each row if their mean length, with the
   diagonal, reaches the threshold.  After the last one, none. */
__global__ void count_kernel(int n, int matrices, const int *row_ptr, double threshold, int *count)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k <= matrices; k += gridDim.x * blockDim.x) {
    const int    start = k * WARP, rows = k < matrices ? min(WARP, n - start) : 0;
    const double mean = rows ? (double)(row_ptr[start + rows] - row_ptr[start]) / rows + 1 : 0;

    count[k] = mean >= threshold ? rows : min(rows, 1);
  }
}

/* Lines 17 to 23; `first` is the sum of the counts before */
__global__ void fill_kernel(int n, int matrices, const int *first, int *execute_row_id)
{
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;

  for (int i = thread; i < n; i += gridDim.x * blockDim.x) {
    const int k = i / WARP, place = first[k] + i % WARP;

    if (place < first[k + 1]) execute_row_id[place] = i;
  }
  if (!thread) execute_row_id[first[matrices]] = n;
}

RowOrderPlan *plan_of(SptrsvPlan plan)
{
  return (RowOrderPlan *)plan->data;
}

SptrsvStatus solve(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  return roworder_launch(*plan_of(plan), plan->options.type, b, out, stream);
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  const RowOrderPlan &d = *plan_of(plan);

  return take_values({(size_t)d.nnz, d.value_source, d.values, d.rows, d.diagonal_source, d.reciprocal}, plan->options.diagonal,
                     plan->options.type, values, stream);
}

SptrsvStatus upload(SptrsvPlan plan, const SptrsvOrdered &o, RowOrderPlan *d)
{
  const size_t n = (size_t)o.n, nnz = (size_t)o.nnz, size = value_size(plan->options.type);
  size_t      *total = &plan->device_bytes;

  SPTRSV_TRY(sptrsvUpload(o.row_ptr, (n + 1) * sizeof(int), (void **)&d->row_ptr, total));
  SPTRSV_TRY(sptrsvUpload(o.col_idx, nnz * sizeof(int), (void **)&d->col_idx, total));
  SPTRSV_TRY(sptrsvUpload(o.source, nnz * sizeof(int), (void **)&d->value_source, total));
  SPTRSV_TRY(sptrsvUpload(o.diagonal, n * sizeof(int), (void **)&d->diagonal_source, total));
  SPTRSV_TRY(upload_places(o.n, o.row, plan->options.in_perm, &d->source, total));
  SPTRSV_TRY(upload_places(o.n, o.row, plan->options.out_perm, &d->target, total));
  SPTRSV_TRY(sptrsvDeviceAllocate(nnz * size, &d->values, total));
  SPTRSV_TRY(sptrsvDeviceAllocate(n * size, &d->reciprocal, total));
  return unknowns_create(n, plan->options.type, &d->x, total);
}

SptrsvStatus choose_threshold(const SptrsvPlanOptions &o, RowOrderPlan *d)
{
  char gpu[SPTRSV_NAME_LENGTH];

  d->threshold = o.tuning.yuenyeung.threshold;
  d->origin    = o.tuning.yuenyeung.threshold_file[0] ? "file" : "given";
  if (d->threshold > 0) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceName(gpu, sizeof(gpu)));
  d->threshold = sptrsvThresholdBuiltIn(gpu, &d->origin);
  return SPTRSV_SUCCESS;
}

SptrsvStatus choose_groups(SptrsvPlan plan, RowOrderPlan *d)
{
  d->groups = d->form == Form::WARP_LEVEL ? d->rows : (d->rows + WARP - 1) / WARP;
  if (d->form != Form::FUSED) return SPTRSV_SUCCESS;
  SPTRSV_TRY(choose_threshold(plan->options, d));
  SPTRSV_TRY(sptrsvRowGroups(d->rows, d->row_ptr, d->threshold, &d->execute_row_id, &d->groups, &plan->device_bytes));

  /* A thread-level group of r rows is r - 1 groups less than rows: WARP - 1 less, the last one perhaps fewer. */
  const int thread_level = (d->rows - d->groups + WARP - 2) / (WARP - 1);
  d->warp_rows           = d->groups - thread_level;
  return SPTRSV_SUCCESS;
}

SptrsvStatus build_form(SptrsvPlan plan, Form form)
{
  SptrsvOrdered o;
  RowOrderPlan *d;
  int           resident;

  SPTRSV_TRY(sptrsvNew(1, &d));
  plan->data = d;
  d->form    = form;
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &o));
  d->rows = o.n;
  d->nnz  = o.nnz;

  const SptrsvStatus status = upload(plan, o, d);
  sptrsvOrderedFree(&o);
  SPTRSV_TRY(status);
  SPTRSV_TRY(choose_groups(plan, d));
  SPTRSV_TRY(roworder_resident(form, plan->options.type, &resident));
  const int blocks = std::max(1, std::min(resident, (d->groups + ROWORDER_WARPS - 1) / ROWORDER_WARPS));

  SPTRSV_TRY(tickets_create(d->groups, (size_t)blocks * ROWORDER_WARPS, &d->tickets, &plan->device_bytes));
  plan->stalled = d->tickets.stalled;
  return SPTRSV_SUCCESS;
}

SptrsvStatus build_syncfree_csr(SptrsvPlan plan)
{
  return build_form(plan, Form::WARP_LEVEL);
}

SptrsvStatus build_twophase(SptrsvPlan plan)
{
  return build_form(plan, Form::TWO_PHASE);
}

SptrsvStatus build_capellini(SptrsvPlan plan)
{
  return build_form(plan, Form::WRITING_FIRST);
}

SptrsvStatus build_yuenyeung(SptrsvPlan plan)
{
  return build_form(plan, Form::FUSED);
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const RowOrderPlan &d = *plan_of(plan);

  if (d.form == Form::WARP_LEVEL) (void)snprintf(text, size, "%d rows at warp level", d.rows);
  else if (d.form != Form::FUSED) (void)snprintf(text, size, "%d groups of %d rows", d.groups, WARP);
  else
    (void)snprintf(text, size, "%d groups of %d rows at thread level, %d rows at warp level, threshold %g (%s)", d.groups - d.warp_rows,
                   WARP, d.warp_rows, d.threshold, d.origin);
}

void destroy(SptrsvPlan plan)
{
  RowOrderPlan *d = plan_of(plan);

  if (!d) return;
  for (void *p : {(void *)d->execute_row_id, (void *)d->row_ptr, (void *)d->col_idx, (void *)d->value_source, (void *)d->diagonal_source,
                  (void *)d->source, (void *)d->target, d->values, d->reciprocal, d->x})
    sptrsvDeviceFree(p);
  tickets_destroy(&d->tickets);
  free(d);
}

} // namespace

SptrsvStatus sptrsvRowGroups(int n, const int *d_row_ptr, double threshold, int **d_execute_row_id, int *groups, size_t *total)
{
  const int    matrices = (n + WARP - 1) / WARP;
  Scratch<int> count, first;

  SPTRSV_TRY(count.create((size_t)matrices + 1));
  SPTRSV_TRY(first.create((size_t)matrices + 1));
  SPTRSV_CUDA(launch(count_kernel, blocks_for(matrices + 1), BLOCK, nullptr, n, matrices, d_row_ptr, threshold, (int *)count));
  SPTRSV_TRY(with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceScan::ExclusiveSum(workspace, bytes, (int *)count, (int *)first, matrices + 1);
  }));
  SPTRSV_TRY(read_back(first + matrices, groups));
  SPTRSV_TRY(sptrsvDeviceAllocate(((size_t)*groups + 1) * sizeof(int), (void **)d_execute_row_id, total));
  SPTRSV_CUDA(launch(fill_kernel, blocks_for(n), BLOCK, nullptr, n, matrices, (int *)first, *d_execute_row_id));
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr)); /* the first solve may come in another stream */
  return SPTRSV_SUCCESS;
}

const SptrsvMethod sptrsvSyncFreeCsr = {{"syncfree-csr", "Zhang et al. (YuenyeungSpTRSV), Algorithm 3", "a warp per row", SPTRSV_DEVICE, 0},
                                        build_syncfree_csr,
                                        update,
                                        solve,
                                        describe,
                                        destroy};
const SptrsvMethod sptrsvTwoPhase    = {{"twophase", "Zhang et al. (YuenyeungSpTRSV), Algorithm 4",
                                         "a thread per row, waits on other warps first, then rounds inside the warp", SPTRSV_DEVICE, 0},
                                        build_twophase,
                                        update,
                                        solve,
                                        describe,
                                        destroy};
const SptrsvMethod sptrsvCapellini   = {{"capellini", "Zhang et al. (YuenyeungSpTRSV), Algorithm 5", "a thread per row, writing first",
                                         SPTRSV_DEVICE, 0},
                                        build_capellini,
                                        update,
                                        solve,
                                        describe,
                                        destroy};
const SptrsvMethod sptrsvYuenyeung   = {{"yuenyeung", "Zhang et al. (YuenyeungSpTRSV), Algorithms 3, 5 and 6",
                                         "thread or warp per row, by groups of 32 rows and a threshold", SPTRSV_DEVICE,
                                         SPTRSV_USES_THRESHOLD},
                                        build_yuenyeung,
                                        update,
                                        solve,
                                        describe,
                                        destroy};
