/*
   `split` for vectors on the GPU.

   What the CPU works on lies in pinned host memory, which kernels read and write: gathering a right-hand side and moving it to the host
   are one kernel, and so are moving a solution back and scattering it.  The CPU's work is a host function in the stream.  So a solve is
   asynchronous like any other, and can be captured.
*/
#include <algorithm>
#include <cstdlib>
#include "split.h"
#include "values.cuh"

namespace {

using namespace sptrsv;

/* right(i) = b(from(i)) - sum over row i of values(j) x(col(j)), Equation 1.  LANES lanes a row. */
template <class V> struct Rectangle {
  int        rows;
  const int *row_ptr, *col_idx, *from;
  const V   *values;
  V         *right;
};

template <class V, int LANES> __global__ void product_kernel(const Rectangle<V> p, const V *__restrict__ b, const V *__restrict__ x)
{
  const int lane = threadIdx.x % LANES, stride = gridDim.x * (blockDim.x / LANES), rounds = (p.rows + stride - 1) / stride;
  int       i = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;

  for (int round = 0; round < rounds; round++, i += stride) { /* equally many for all lanes, which add up together */
    V sum = V(0);

    if (i < p.rows) {
      for (int j = p.row_ptr[i] + lane; j < p.row_ptr[i + 1]; j += LANES) sum -= p.values[j] * x[p.col_idx[j]];
    }
    sum = sum_over(LANES, sum);
    if (i < p.rows && !lane) p.right[i] = b[p.from[i]] + sum;
  }
}

/* What a host function needs */
struct Task {
  SptrsvPlan    plan, part;
  SptrsvProduct product; /* before the second part, if both are the CPU's */
  const void   *values, *b;
  void         *x;
};

struct Plan {
  SptrsvSplitPlan common;
  unsigned        failed;                                 /* set by host functions */
  int            *from, *to, *source, *row_ptr, *col_idx; /* on the device: as in SptrsvSplitPlan and SptrsvSlices */
  char           *values[3];                              /* of I, II, III, each where it is used: on the device or pinned */
  char           *b, *x;                                  /* pinned [rows], for the parts of the CPU */
  void           *right;                                  /* [rows of the second part] its right-hand side, if the GPU computes it */
  Task            task[2];
  cudaStream_t    side; /* CPU-CPU: moves that overlap with work */
  cudaEvent_t     event[4];
};

Plan *plan_of(SptrsvPlan plan)
{
  return (Plan *)plan->data;
}

bool on_cpu(const Plan &d, int k)
{
  return sptrsvSplitLocation(d.common.split.policy, k) == SPTRSV_HOST;
}

/* Whether I (0), II (1) or III (2) is the CPU's; the product is the GPU's if the GPU has a part at all */
bool values_on_cpu(const Plan &d, int k)
{
  return k == 1 ? d.common.split.policy == SPTRSV_SPLIT_CPU_CPU : on_cpu(d, k / 2);
}

/* ------------------------------------------------------ host functions ------------------------------------------------------- */

/* In stream order, so that a solve under way is not disturbed */
void take_update(void *argument)
{
  const Task &t = *(const Task *)argument;

  if (sptrsvPlanUpdate(t.part, t.values, nullptr)) plan_of(t.plan)->failed = 1;
}

void solve_part(void *argument)
{
  const Task &t = *(const Task *)argument;

  if (t.product.n) sptrsvSplitProduct(t.plan->part[0], &t.product);
  if (sptrsvSolve(t.part, t.b, t.x, nullptr)) plan_of(t.plan)->failed = 1;
}

/* ----------------------------------------------------------- update ---------------------------------------------------------- */

SptrsvStatus update_part(SptrsvPlan plan, int k, SptrsvStream stream)
{
  Plan &d = *plan_of(plan);

  if (!plan->part[k]) return SPTRSV_SUCCESS;
  if (!on_cpu(d, k)) return sptrsvPlanUpdate(plan->part[k], d.values[2 * k], stream);
  SPTRSV_CUDA(cudaLaunchHostFunc(stream, take_update, &d.task[k]));
  return SPTRSV_SUCCESS;
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  Plan              &d      = *plan_of(plan);
  const SptrsvSplit &split  = d.common.split;
  size_t             before = 0;

  if (split.policy == SPTRSV_SPLIT_GPU) return plan->part[0] ? sptrsvPlanUpdate(plan->part[0], values, stream) : SPTRSV_SUCCESS;
  if (split.policy == SPTRSV_SPLIT_CPU) {
    const size_t bytes = (size_t)plan->analysis->a.nnz * value_size(plan->options.type);

    if (bytes) SPTRSV_CUDA(cudaMemcpyAsync(d.values[0], values, bytes, cudaMemcpyDeviceToHost, stream));
    return update_part(plan, 0, stream);
  }
  for (int k = 0; k < 3; k++) {
    SPTRSV_TRY(take_values({(size_t)split.nnz[k], d.source + before, d.values[k], 0, nullptr, nullptr}, plan->options.diagonal,
                           plan->options.type, values, stream));
    before += (size_t)split.nnz[k];
  }
  SPTRSV_TRY(update_part(plan, 0, stream));
  return update_part(plan, 1, stream);
}

/* ------------------------------------------------------------ solve ---------------------------------------------------------- */

template <class V> cudaError_t launch_product(const Plan &d, const void *b, const void *x, cudaStream_t stream)
{
  const int          first = (int)d.common.split.rows[0], rows = (int)d.common.split.rows[1];
  const double       mean = (double)d.common.split.nnz[1] / rows;
  const Rectangle<V> p    = {rows, d.row_ptr, d.col_idx, d.from + first, (const V *)d.values[1], (V *)d.right};

  if (mean <= 4) return launch(product_kernel<V, 1>, blocks_for(rows), BLOCK, stream, p, (const V *)b, (const V *)x);
  if (mean <= 32) return launch(product_kernel<V, 8>, blocks_for((size_t)rows * 8), BLOCK, stream, p, (const V *)b, (const V *)x);
  return launch(product_kernel<V, WARP>, blocks_for((size_t)rows * WARP), BLOCK, stream, p, (const V *)b, (const V *)x);
}

/* A part's right-hand side to the CPU, and its solution back */
SptrsvStatus move_in(SptrsvPlan plan, int k, const void *b, cudaStream_t stream)
{
  const Plan  &d     = *plan_of(plan);
  const size_t first = k ? (size_t)d.common.split.rows[0] : 0;

  return move_values((int)d.common.split.rows[k], d.from + first, nullptr, plan->options.type, b,
                     d.b + first * value_size(plan->options.type), stream);
}

SptrsvStatus move_out(SptrsvPlan plan, int k, void *out, cudaStream_t stream)
{
  const Plan  &d     = *plan_of(plan);
  const size_t first = k ? (size_t)d.common.split.rows[0] : 0;

  return move_values((int)d.common.split.rows[k], nullptr, d.to + first, plan->options.type, d.x + first * value_size(plan->options.type),
                     out, stream);
}

/* The other stream goes on when this one has come here */
SptrsvStatus follow(cudaStream_t other, cudaStream_t stream, cudaEvent_t event)
{
  SPTRSV_CUDA(cudaEventRecord(event, stream));
  SPTRSV_CUDA(cudaStreamWaitEvent(other, event, 0));
  return SPTRSV_SUCCESS;
}

/* b of the second part moves in while the first part is worked on, x of the first part moves out during the second */
SptrsvStatus solve_cpu_cpu(SptrsvPlan plan, const void *b, void *out, cudaStream_t stream, bool work)
{
  Plan &d = *plan_of(plan);

  SPTRSV_TRY(follow(d.side, stream, d.event[0]));
  SPTRSV_TRY(move_in(plan, 1, b, d.side));
  SPTRSV_TRY(move_in(plan, 0, b, stream));
  if (work && plan->part[0]) SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &d.task[0]));
  SPTRSV_TRY(follow(stream, d.side, d.event[1]));
  SPTRSV_TRY(follow(d.side, stream, d.event[2]));
  SPTRSV_TRY(move_out(plan, 0, out, d.side));
  if (work && plan->part[1]) SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &d.task[1]));
  SPTRSV_TRY(move_out(plan, 1, out, stream));
  return follow(stream, d.side, d.event[3]);
}

/* A part of the CPU; without `work` only what is moved */
SptrsvStatus solve_on_cpu(SptrsvPlan plan, int k, const void *b, void *out, cudaStream_t stream, bool work)
{
  Plan        &d     = *plan_of(plan);
  const size_t bytes = (size_t)d.common.split.rows[1] * value_size(plan->options.type);

  if (!k) SPTRSV_TRY(move_in(plan, 0, b, stream));
  else SPTRSV_CUDA(cudaMemcpyAsync((void *)d.task[1].b, d.right, bytes, cudaMemcpyDeviceToHost, stream));
  if (work) SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &d.task[k]));
  return move_out(plan, k, out, stream);
}

SptrsvStatus solve_either(SptrsvPlan plan, int k, const void *b, void *out, cudaStream_t stream, bool work)
{
  const Plan &d      = *plan_of(plan);
  const bool  narrow = plan->options.type == SPTRSV_FLOAT;

  if (!plan->part[k]) return SPTRSV_SUCCESS;
  if (k && work) SPTRSV_CUDA(narrow ? launch_product<float>(d, b, out, stream) : launch_product<double>(d, b, out, stream));
  if (on_cpu(d, k)) return solve_on_cpu(plan, k, b, out, stream, work);
  return work ? sptrsvSolve(plan->part[k], k ? d.right : b, out, stream) : SPTRSV_SUCCESS;
}

SptrsvStatus run(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream, bool work)
{
  if (plan_of(plan)->common.split.policy == SPTRSV_SPLIT_CPU_CPU) return solve_cpu_cpu(plan, b, out, stream, work);
  SPTRSV_TRY(solve_either(plan, 0, b, out, stream, work));
  return solve_either(plan, 1, b, out, stream, work);
}

SptrsvStatus solve(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  return run(plan, b, out, stream, true);
}

/* ------------------------------------------------------------ build ---------------------------------------------------------- */

SptrsvStatus allocate_pinned(size_t bytes, char **p, size_t *total)
{
  SPTRSV_CUDA(cudaHostAlloc((void **)p, std::max<size_t>(bytes, 1), cudaHostAllocMapped));
  *total += bytes;
  return SPTRSV_SUCCESS;
}

SptrsvStatus create_values(SptrsvPlan plan, Plan *d)
{
  const SptrsvSplit &split = d->common.split;
  const size_t       size  = value_size(plan->options.type);

  if (split.policy == SPTRSV_SPLIT_CPU) return allocate_pinned((size_t)plan->analysis->a.nnz * size, &d->values[0], &plan->host_bytes);
  for (int k = 0; k < 3; k++) {
    const size_t bytes = (size_t)split.nnz[k] * size;

    if (values_on_cpu(*d, k)) SPTRSV_TRY(allocate_pinned(bytes, &d->values[k], &plan->host_bytes));
    else SPTRSV_TRY(sptrsvDeviceAllocate(bytes, (void **)&d->values[k], &plan->device_bytes));
  }
  return SPTRSV_SUCCESS;
}

/* The slices' arrays, as far as the device needs them; the product reads the first part's x in out */
SptrsvStatus upload(SptrsvPlan plan, Plan *d)
{
  const SptrsvSplit &split = d->common.split;
  SptrsvSlices      &s     = d->common.slices;
  const size_t       n     = (size_t)plan->analysis->a.n;
  size_t            *total = &plan->device_bytes;

  SPTRSV_TRY(sptrsvUpload(d->common.from, n * sizeof(int), (void **)&d->from, total));
  SPTRSV_TRY(sptrsvUpload(d->common.to, n * sizeof(int), (void **)&d->to, total));
  if (sptrsvSplitIsUnified(split.policy)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvUpload(s.source, (size_t)(split.nnz[0] + split.nnz[1] + split.nnz[2]) * sizeof(int), (void **)&d->source, total));
  if (split.policy == SPTRSV_SPLIT_CPU_CPU) return SPTRSV_SUCCESS;
  for (int e = 0; e < s.nnz[1]; e++) s.col_idx[e] = d->common.to[s.col_idx[e]];
  SPTRSV_TRY(sptrsvUpload(s.row_ptr, ((size_t)s.n[1] + 1) * sizeof(int), (void **)&d->row_ptr, total));
  return sptrsvUpload(s.col_idx, (size_t)s.nnz[1] * sizeof(int), (void **)&d->col_idx, total);
}

SptrsvStatus create_vectors(SptrsvPlan plan, Plan *d)
{
  SptrsvSplit        &split = d->common.split;
  const SptrsvSlices &s     = d->common.slices;
  const size_t        size = value_size(plan->options.type), bytes = (size_t)plan->analysis->a.n * size;
  const size_t        first = (size_t)split.rows[0] * size;

  if (plan->part[1] && split.policy != SPTRSV_SPLIT_CPU_CPU)
    SPTRSV_TRY(sptrsvDeviceAllocate(bytes - first, &d->right, &plan->device_bytes));
  if (!on_cpu(*d, 0) && !on_cpu(*d, 1)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(allocate_pinned(bytes, &d->b, &plan->host_bytes));
  SPTRSV_TRY(allocate_pinned(bytes, &d->x, &plan->host_bytes));
  for (int k = 0; k < 2; k++) {
    const size_t at = k ? first : 0;

    d->task[k] = {plan, plan->part[k], {}, d->values[2 * k], d->b + at, d->x + at};
    if (on_cpu(*d, k)) split.transfer += 2 * split.rows[k] * (int64_t)size;
  }
  if (split.policy == SPTRSV_SPLIT_CPU_CPU)
    d->task[1].product = {plan->options.type, s.n[1], s.row_ptr, s.col_idx, nullptr, d->values[1], d->b + first, d->x, d->b + first};
  return SPTRSV_SUCCESS;
}

SptrsvStatus build(SptrsvPlan plan)
{
  Plan *d;

  SPTRSV_TRY(sptrsvNew(1, &d));
  plan->data    = d;
  plan->stalled = &d->failed;
  SPTRSV_TRY(sptrsvSplitBuild(plan, &d->common));
  if (d->common.split.policy == SPTRSV_SPLIT_GPU) return SPTRSV_SUCCESS; /* the part does it all */
  SPTRSV_TRY(create_values(plan, d));
  SPTRSV_TRY(upload(plan, d));
  SPTRSV_TRY(create_vectors(plan, d));
  if (d->common.split.policy != SPTRSV_SPLIT_CPU_CPU) return SPTRSV_SUCCESS;
  SPTRSV_CUDA(cudaStreamCreateWithFlags(&d->side, cudaStreamNonBlocking));
  for (cudaEvent_t &event : d->event) SPTRSV_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return SPTRSV_SUCCESS;
}

void destroy(SptrsvPlan plan)
{
  Plan *d = plan_of(plan);

  if (!d) return;
  if (d->b) (void)cudaDeviceSynchronize(); /* the CPU may still be at work */
  for (int k = 0; k < 3; k++) {
    if (values_on_cpu(*d, k)) (void)cudaFreeHost(d->values[k]);
    else sptrsvDeviceFree(d->values[k]);
  }
  sptrsvDeviceFree(d->right);
  (void)cudaFreeHost(d->b);
  (void)cudaFreeHost(d->x);
  for (int *p : {d->from, d->to, d->source, d->row_ptr, d->col_idx}) sptrsvDeviceFree(p);
  for (cudaEvent_t event : d->event) {
    if (event) (void)cudaEventDestroy(event);
  }
  if (d->side) (void)cudaStreamDestroy(d->side);
  sptrsvSplitDestroy(plan, &d->common);
  free(d);
}

} // namespace

SptrsvStatus sptrsvSplitTransferDevice(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  return run(plan, b, x, stream, false);
}

const SptrsvMethod sptrsvSplitDevice = {{"split", "Ahmad, Yilmaz, Unat: A Split Execution Model for SpTRSV",
                                         "the first levels by one algorithm, the others by another, on GPU and CPU", SPTRSV_DEVICE, 0},
                                        build,
                                        update,
                                        solve,
                                        sptrsvSplitDescribe,
                                        destroy};
