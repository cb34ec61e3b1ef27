/*
   `split` for vectors on the GPU.

   The CPU's data lie in pinned host memory, which kernels read and write: one kernel gathers a right-hand side and moves it to the host,
   another moves a solution back and scatters it.  The CPU's work is a host function in the stream.  So a solve is asynchronous like any
   other, and can be captured.
*/
#include "../../device/values.cuh"
#include "../../plan/triangle.cuh"
#include "split.h"

namespace {

using namespace sptrsv;

/* The argument of a host function */
struct SplitTask {
  SptrsvPlan    plan, part;
  SptrsvProduct product; /* before the second part, if both are the CPU's */
  const void   *values, *b;
  void         *x;
};

struct SplitPlan {
  SptrsvSplitPlan common;
  unsigned        failed;                                 /* set by host functions */
  int            *from, *to, *source, *row_ptr, *col_idx; /* on the device: as in SptrsvSplitPlan */
  char           *values[3];                              /* of I, II, III, each where it is used: on the device or pinned */
  char           *b, *x;                                  /* pinned [rows], for the parts of the CPU */
  void           *right;                                  /* [rows of the second part] its right-hand side, if the GPU computes it */
  SplitTask       task[2];
  cudaStream_t    side; /* CPU-CPU: moves that overlap with work */
  cudaEvent_t     event[4];
};

constexpr auto *split_of = data_of<SplitPlan>;

inline bool on_cpu(const SplitPlan &data, int k)
{
  return sptrsvSplitLocation(data.common.split.policy, k) == SPTRSV_HOST;
}

/* Tells whether I (0), II (1) or III (2) is the CPU's; the product is the GPU's if the GPU has a part at all */
inline bool values_on_cpu(const SplitPlan &data, int k)
{
  return k == 1 ? data.common.split.policy == SPTRSV_SPLIT_CPU_CPU : on_cpu(data, k / 2);
}

/* ---------------------------------------------------------- set-up ----------------------------------------------------------- */

SptrsvStatus create_values(SptrsvPlan plan, SplitPlan *data)
{
  const SptrsvSplit &split = data->common.split;
  const size_t       size  = sptrsvValueSize(plan->options.type);

  if (split.policy == SPTRSV_SPLIT_CPU)
    return sptrsvPinnedAllocate(&plan->memory, (size_t)plan->analysis->a.nnz * size, (void **)&data->values[0]);
  for (int k = 0; k < 3; k++) {
    const size_t bytes = (size_t)split.nnz[k] * size;

    if (values_on_cpu(*data, k)) SPTRSV_TRY(sptrsvPinnedAllocate(&plan->memory, bytes, (void **)&data->values[k]));
    else SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, bytes, (void **)&data->values[k]));
  }
  return SPTRSV_SUCCESS;
}

/* The slices' arrays, as far as the device needs them; the product reads the first part's x in out */
SptrsvStatus upload(SptrsvPlan plan, SplitPlan *data)
{
  SptrsvSplitPlan   &s      = data->common;
  const SptrsvSplit &split  = s.split;
  const size_t       n      = (size_t)plan->analysis->a.n;
  SptrsvMemory      *memory = &plan->memory;

  SPTRSV_TRY(sptrsvUpload(memory, s.from, n, &data->from));
  SPTRSV_TRY(sptrsvUpload(memory, s.to, n, &data->to));
  if (sptrsvSplitIsUnified(split.policy)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvUpload(memory, s.source, split.nnz[0] + split.nnz[1] + split.nnz[2], &data->source));
  if (split.policy == SPTRSV_SPLIT_CPU_CPU) return SPTRSV_SUCCESS;
  for (int64_t e = 0; e < split.nnz[1]; e++) s.col_idx[e] = s.to[s.col_idx[e]];
  SPTRSV_TRY(sptrsvUpload(memory, s.row_ptr, split.rows[1] + 1, &data->row_ptr));
  return sptrsvUpload(memory, s.col_idx, split.nnz[1], &data->col_idx);
}

SptrsvStatus create_vectors(SptrsvPlan plan, SplitPlan *data)
{
  SptrsvSplitPlan &s     = data->common;
  SptrsvSplit     &split = s.split;
  const size_t     size = sptrsvValueSize(plan->options.type), bytes = (size_t)plan->analysis->a.n * size;
  const size_t     first = (size_t)split.rows[0] * size;

  if (split.rows[1] && split.policy != SPTRSV_SPLIT_CPU_CPU) SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, bytes - first, &data->right));
  if (!on_cpu(*data, 0) && !on_cpu(*data, 1)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvPinnedAllocate(&plan->memory, bytes, (void **)&data->b));
  SPTRSV_TRY(sptrsvPinnedAllocate(&plan->memory, bytes, (void **)&data->x));
  for (int k = 0; k < 2; k++) {
    const size_t at = k ? first : 0;

    data->task[k] = {plan, nullptr, {}, data->values[2 * k], data->b + at, data->x + at};
    if (on_cpu(*data, k)) split.transfer += 2 * split.rows[k] * (int64_t)size;
  }
  if (split.policy != SPTRSV_SPLIT_CPU_CPU) return SPTRSV_SUCCESS;
  SPTRSV_CUDA(cudaStreamCreateWithFlags(&data->side, cudaStreamNonBlocking));
  for (cudaEvent_t &event : data->event) SPTRSV_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  data->task[1].product = {plan->options.type, (int)split.rows[1], s.row_ptr, s.col_idx,      nullptr,
                           data->values[1],    data->b + first,    data->x,   data->b + first};
  return SPTRSV_SUCCESS;
}

SptrsvStatus build(SptrsvPlan plan)
{
  SplitPlan *data = split_of(plan);

  plan->stalled = &data->failed;
  SPTRSV_TRY(sptrsvSplitPrepare(plan, &data->common));
  if (data->common.split.policy != SPTRSV_SPLIT_GPU) { /* else the only part is the whole sweep */
    const double start = sptrsvSeconds();

    SPTRSV_TRY(create_values(plan, data));
    SPTRSV_TRY(upload(plan, data));
    SPTRSV_TRY(create_vectors(plan, data));
    data->common.split.setup[2] += sptrsvSeconds() - start;
  }
  SPTRSV_TRY(sptrsvSplitBuildParts(plan, &data->common));
  for (int k = 0; k < 2; k++) data->task[k].part = plan->part[k];
  return SPTRSV_SUCCESS;
}

void destroy(SptrsvPlan plan)
{
  SplitPlan *data = split_of(plan);

  if (data->b) (void)cudaDeviceSynchronize(); /* the CPU may still be at work */
  for (cudaEvent_t event : data->event) {
    if (event) (void)cudaEventDestroy(event);
  }
  if (data->side) (void)cudaStreamDestroy(data->side);
  sptrsvSplitDestroy(plan, &data->common);
}

/* ---------------------------------------------------------- kernel ----------------------------------------------------------- */

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
    SPTRSV_TRY(move_values((int)split.nnz[k], data.source + before, nullptr, plan->options.type, values, data.values[k], stream));
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

  return move_values((int)data.common.split.rows[k], data.from + first, nullptr, plan->options.type, b, (void *)data.task[k].b, stream);
}

SptrsvStatus move_out(SptrsvPlan plan, int k, void *out, cudaStream_t stream)
{
  const SplitPlan &data  = *split_of(plan);
  const size_t     first = k ? (size_t)data.common.split.rows[0] : 0;

  return move_values((int)data.common.split.rows[k], nullptr, data.to + first, plan->options.type, data.task[k].x, out, stream);
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
  sizeof(SplitPlan), build, update, solve, sptrsvSplitDescribe, destroy, nullptr, sptrsvSplitCheck, nullptr};
/* clang-format on */
