/*
   `split` for vectors on the GPU.

   The CPU's data lie in pinned host memory, which kernels read and write: one kernel gathers a right-hand side and moves it to the host,
   another moves a solution back and scatters it.  The CPU's work is a host function in the stream.  So a solve is asynchronous like any
   other, and can be captured.
*/
#include "split.cuh"

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

  for (int round = 0; round < rounds; round++, i += stride) { /* the same number for all lanes, which add up together */
    V sum = V(0);

    if (i < p.rows) {
      for (int j = p.row_ptr[i] + lane; j < p.row_ptr[i + 1]; j += LANES) sum -= p.values[j] * x[p.col_idx[j]];
    }
    sum = sum_over(LANES, sum);
    if (i < p.rows && !lane) p.right[i] = b[p.from[i]] + sum;
  }
}

/* ------------------------------------------------------ host functions ------------------------------------------------------- */

/* Updates in stream order, so that a solve under way is not disturbed */
void take_update(void *argument)
{
  const SplitTask &t = *(const SplitTask *)argument;

  if (sptrsvPlanUpdate(t.part, t.values, nullptr)) split_of(t.plan)->failed = 1;
}

void solve_part(void *argument)
{
  const SplitTask &t = *(const SplitTask *)argument;

  if (t.product.n) sptrsvSplitProduct(t.plan->part[0], &t.product);
  if (sptrsvSolve(t.part, t.b, t.x, nullptr)) split_of(t.plan)->failed = 1;
}

/* ----------------------------------------------------------- update ---------------------------------------------------------- */

SptrsvStatus update_part(SptrsvPlan plan, int k, SptrsvStream stream)
{
  SplitPlan &data = *split_of(plan);

  if (!plan->part[k]) return SPTRSV_SUCCESS;
  if (!on_cpu(data, k)) return sptrsvPlanUpdate(plan->part[k], data.values[2 * k], stream);
  SPTRSV_CUDA(cudaLaunchHostFunc(stream, take_update, &data.task[k]));
  return SPTRSV_SUCCESS;
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  SplitPlan         &data   = *split_of(plan);
  const SptrsvSplit &split  = data.common.split;
  size_t             before = 0;

  if (split.policy == SPTRSV_SPLIT_GPU) return plan->part[0] ? sptrsvPlanUpdate(plan->part[0], values, stream) : SPTRSV_SUCCESS;
  if (split.policy == SPTRSV_SPLIT_CPU) {
    const size_t bytes = (size_t)plan->analysis->a.nnz * sptrsvValueSize(plan->options.type);

    if (bytes) SPTRSV_CUDA(cudaMemcpyAsync(data.values[0], values, bytes, cudaMemcpyDeviceToHost, stream));
    return update_part(plan, 0, stream);
  }
  for (int k = 0; k < 3; k++) {
    Triangle<> part = {};

    part.nnz          = (size_t)split.nnz[k];
    part.value_source = data.source + before;
    part.values       = data.values[k];
    SPTRSV_TRY(triangle_update(plan->options, part, values, stream));
    before += (size_t)split.nnz[k];
  }
  SPTRSV_TRY(update_part(plan, 0, stream));
  return update_part(plan, 1, stream);
}

/* ------------------------------------------------------------ solve ---------------------------------------------------------- */

template <class V> SptrsvStatus launch_product(const SplitPlan &data, const void *b, const void *x, cudaStream_t stream)
{
  const int          first = (int)data.common.split.rows[0], rows = (int)data.common.split.rows[1];
  const double       mean = (double)data.common.split.nnz[1] / rows;
  const Rectangle<V> p    = {rows, data.row_ptr, data.col_idx, data.from + first, (const V *)data.values[1], (V *)data.right};

  if (mean <= 4) return launch_for(product_kernel<V, 1>, rows, stream, p, (const V *)b, (const V *)x);
  if (mean <= 32) return launch_for(product_kernel<V, 8>, (size_t)rows * 8, stream, p, (const V *)b, (const V *)x);
  return launch_for(product_kernel<V, WARP>, (size_t)rows * WARP, stream, p, (const V *)b, (const V *)x);
}

/* A part's right-hand side to the CPU, and its solution back */
SptrsvStatus move_in(SptrsvPlan plan, int k, const void *b, cudaStream_t stream)
{
  const SplitPlan &data  = *split_of(plan);
  const size_t     first = k ? (size_t)data.common.split.rows[0] : 0;

  return move_values((int)data.common.split.rows[k], data.from + first, nullptr, plan->options.type, b,
                     data.b + first * sptrsvValueSize(plan->options.type), stream);
}

SptrsvStatus move_out(SptrsvPlan plan, int k, void *out, cudaStream_t stream)
{
  const SplitPlan &data  = *split_of(plan);
  const size_t     first = k ? (size_t)data.common.split.rows[0] : 0;

  return move_values((int)data.common.split.rows[k], nullptr, data.to + first, plan->options.type,
                     data.x + first * sptrsvValueSize(plan->options.type), out, stream);
}

/* The other stream waits for the work enqueued in this one so far */
SptrsvStatus follow(cudaStream_t other, cudaStream_t stream, cudaEvent_t event)
{
  SPTRSV_CUDA(cudaEventRecord(event, stream));
  SPTRSV_CUDA(cudaStreamWaitEvent(other, event, 0));
  return SPTRSV_SUCCESS;
}

/* b of the second part moves in during the first part, x of the first part moves out during the second */
SptrsvStatus solve_cpu_cpu(SptrsvPlan plan, const void *b, void *out, cudaStream_t stream, bool work)
{
  SplitPlan &data = *split_of(plan);

  SPTRSV_TRY(follow(data.side, stream, data.event[0]));
  SPTRSV_TRY(move_in(plan, 1, b, data.side));
  SPTRSV_TRY(move_in(plan, 0, b, stream));
  if (work && plan->part[0]) SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &data.task[0]));
  SPTRSV_TRY(follow(stream, data.side, data.event[1]));
  SPTRSV_TRY(follow(data.side, stream, data.event[2]));
  SPTRSV_TRY(move_out(plan, 0, out, data.side));
  if (work && plan->part[1]) SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &data.task[1]));
  SPTRSV_TRY(move_out(plan, 1, out, stream));
  return follow(stream, data.side, data.event[3]);
}

/* A part of the CPU; without `work` only its moves */
SptrsvStatus solve_on_cpu(SptrsvPlan plan, int k, const void *b, void *out, cudaStream_t stream, bool work)
{
  SplitPlan   &data  = *split_of(plan);
  const size_t bytes = (size_t)data.common.split.rows[1] * sptrsvValueSize(plan->options.type);

  if (!k) SPTRSV_TRY(move_in(plan, 0, b, stream));
  else SPTRSV_CUDA(cudaMemcpyAsync((void *)data.task[1].b, data.right, bytes, cudaMemcpyDeviceToHost, stream));
  if (work) SPTRSV_CUDA(cudaLaunchHostFunc(stream, solve_part, &data.task[k]));
  return move_out(plan, k, out, stream);
}

SptrsvStatus solve_either(SptrsvPlan plan, int k, const void *b, void *out, cudaStream_t stream, bool work)
{
  const SplitPlan &data = *split_of(plan);

  if (!plan->part[k]) return SPTRSV_SUCCESS;
  if (k && work) SPTRSV_TRY(by_type(plan->options.type, [&](auto v) { return launch_product<decltype(v)>(data, b, out, stream); }));
  if (on_cpu(data, k)) return solve_on_cpu(plan, k, b, out, stream, work);
  return work ? sptrsvSolve(plan->part[k], k ? data.right : b, out, stream) : SPTRSV_SUCCESS;
}

SptrsvStatus run(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream, bool work)
{
  if (split_of(plan)->common.split.policy == SPTRSV_SPLIT_CPU_CPU) return solve_cpu_cpu(plan, b, out, stream, work);
  SPTRSV_TRY(solve_either(plan, 0, b, out, stream, work));
  return solve_either(plan, 1, b, out, stream, work);
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  return run(plan, s->b, s->x, s->stream, true);
}

} // namespace

SptrsvStatus sptrsvSplitTransferDevice(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  return run(plan, b, x, stream, false);
}

/* clang-format off */
const SptrsvMethod sptrsvSplitDevice = {
  {"split", SPTRSV_SPLIT_SOURCE,
   "the first levels by one algorithm, the others by another, on GPU and CPU", SPTRSV_DEVICE, SPTRSV_SPLITS | SPTRSV_STUDY, "",
   SPTRSV_REALS},
  sizeof(SplitPlan), split_build, update, solve, sptrsvSplitDescribe, split_destroy, nullptr, sptrsvSplitCheck, nullptr};
/* clang-format on */
