/*
   Adaptive task aggregation, Helal et al. (ATA): rows put together into tasks (aggregate.c), a warp per row.
     ata        pull: a row polls the unknowns that it needs                               Algorithm 2, lines 10-16
     ata-push   push: a column adds to the sums of the rows that need it, and counts down  Algorithm 2, lines 3-9
   A task whose rows do not need each other polls and counts nothing.
*/
#include "../../plan/triangle.cuh"
#include "tasks.cuh"

namespace {

using namespace sptrsv;

/* The triangle in the order of the tasks, by rows or (push) by columns */
template <class V = void> struct TaskRows : Triangle<V> {
  V              *x;      /* [2][rows] unknowns; push: sums of what was added to each row */
  unsigned       *u_deps; /* push: [2][rows] rows of its own task that a row still waits for */
  const unsigned *needs;  /* push: [rows] the count each row starts with */
};

/* The x of earlier tasks are there.  Those of the own task belong to earlier chunks, whose tickets are earlier, or to earlier rows of this
   chunk, which its warps take in order.  So each gets its value, and the wait ends. */
template <class V>
__device__ __forceinline__ void pull_row(const TaskRows<V> &sweep, const TaskChunk &chunk, BlockTurn &turn, int i, int lane, V sum, V *out)
{
  V *const x = sweep.x + (size_t)turn.parity * sweep.rows, *const next = sweep.x + (size_t)(1 - turn.parity) * sweep.rows;

  if (lane) sum = V(0);
  for (int j = sweep.ptr[i] + lane; j < sweep.ptr[i + 1]; j += WARP) {
    sum -= sweep.values[j] * (chunk.tracked ? await(x + sweep.idx[j], turn) : x[sweep.idx[j]]);
    turn.work_goes_on((unsigned)j);
  }
  __syncwarp();
  sum = sum_over(WARP, sum);
  if (lane) return;
  sum *= sweep.reciprocal[i];
  publish(x + i, sum);
  if (chunk.tracked) rearm(next + i);
  out[sweep.target[i]] = sum;
}

/* A row's count comes to zero once the rows of its task that it needs are done, which come before it as above.  Each lane counts down
   after it has added, so a lane that sees zero sees the whole sum. */
template <class V>
__device__ __forceinline__ void push_row(const TaskRows<V> &sweep, const TaskChunk &chunk, BlockTurn &turn, int i, int lane, V sum, V *out)
{
  const size_t    now = (size_t)turn.parity * sweep.rows, later = (size_t)(1 - turn.parity) * sweep.rows;
  V *const        pushed = sweep.x + now;
  unsigned *const u_deps = sweep.u_deps + now;

  if (!lane) {
    sweep.x[later + i] = 0;
    if (chunk.tracked) sweep.u_deps[later + i] = sweep.needs[i];
  }
  if (chunk.tracked && !await_zero(u_deps + i, turn)) sum = no_value<V>();
  const V x = sweep.reciprocal[i] * (sum - poll(pushed + i).value());

  if (!lane) out[sweep.target[i]] = x;
  for (int j = sweep.ptr[i] + lane; j < sweep.ptr[i + 1]; j += WARP) {
    add_relaxed(pushed + sweep.idx[j], sweep.values[j] * x);
    if (sweep.idx[j] < chunk.task_end) subtract_release(u_deps + sweep.idx[j], 1);
    turn.work_goes_on((unsigned)j);
  }
  __syncwarp(); /* in lockstep, lanes that poll for the next row would keep the others from adding to it */
}

template <class V, bool PUSH>
__global__ void ata_kernel(const TaskRange range, const TaskRows<V> sweep, const V *__restrict__ b, V *__restrict__ out)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  BlockTurn turn(range.tickets);

  for (unsigned c = turn.start; c < range.tickets.work; c = turn.next()) {
    const TaskChunk chunk = range.chunk[c];

    for (int i = chunk.first + warp; i < chunk.end; i += TASK_WARPS) {
      if (PUSH) push_row(sweep, chunk, turn, i, lane, b[sweep.source[i]], out);
      else pull_row(sweep, chunk, turn, i, lane, b[sweep.source[i]], out);
    }
  }
}

struct AtaPlan {
  bool       push, torn; /* torn: some tasks of the last solve were launched, others could not be */
  TaskRows<> sweep;
  TaskPlan   tasks;
};

constexpr auto *plan_of = data_of<AtaPlan>;

template <class V> auto kernel_of(bool push)
{
  return push ? ata_kernel<V, true> : ata_kernel<V, false>;
}

SptrsvStatus run(const AtaPlan &data, SptrsvValueType type, const SptrsvSolve &s)
{
  return by_type(type, [&](auto v) {
    using V             = decltype(v);
    const TaskRows<V> p = view_as<TaskRows<V>>(data.sweep);

    return task_plan_run(data.tasks, s.stream, [&](const TaskRange &range, int blocks, cudaStream_t in) {
      return launch(kernel_of<V>(data.push), blocks, TASK_WARPS * WARP, in, range, p, (const V *)s.b, (V *)s.x);
    });
  });
}

/* Puts both halves as a launch finds them */
SptrsvStatus clear(const AtaPlan &data, SptrsvValueType type)
{
  const size_t rows = (size_t)data.sweep.rows;

  if (!data.push) return unknowns_clear(rows, type, data.sweep.x);
  SPTRSV_CUDA(cudaMemset(data.sweep.x, 0, 2 * rows * sptrsvValueSize(type)));
  for (int half = 0; half < 2; half++)
    SPTRSV_CUDA(cudaMemcpy(data.sweep.u_deps + half * rows, data.sweep.needs, rows * sizeof(unsigned), cudaMemcpyDeviceToDevice));
  return SPTRSV_SUCCESS;
}

/* The half that a task fills follows from its own tickets, so tasks that were launched once more than others would read the wrong one of
   theirs from then on.  Then they begin anew, by a set-up, which works in the legacy stream. */
SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  AtaPlan     &data = *plan_of(plan);
  SptrsvStatus status;

  if (data.torn) {
    sptrsvSetupBegin();
    status = sptrsvCudaStatus(cudaMemset(data.tasks.range.tickets.counter, 0, (size_t)data.tasks.tasks * sizeof(unsigned long long)));
    if (!status) status = clear(data, plan->options.type);
    SPTRSV_TRY(sptrsvSetupEnd(SPTRSV_DEVICE, status));
  }
  status    = run(data, plan->options.type, *s);
  data.torn = status;
  return status;
}

/* The rows of the tasks in their order */
SptrsvStatus create_rows(SptrsvPlan plan, const SptrsvOrdered &ordered, AtaPlan *data)
{
  SptrsvMemory *memory = &plan->memory;
  const size_t  rows   = (size_t)data->tasks.rows;
  SptrsvOrdered sorted;
  unsigned     *needs;

  SPTRSV_TRY(sptrsvTasksOrder(&ordered, &data->tasks, &plan->scratch, &sorted, &needs));
  SPTRSV_TRY(sptrsvDeviceAllocate(memory, 2 * rows * sptrsvValueSize(plan->options.type), &data->sweep.x));
  if (data->push) {
    Scratch<int> row_ptr;

    SPTRSV_TRY(row_ptr.upload(sorted.row_ptr, rows + 1));
    SPTRSV_TRY(triangle_upload_columns(plan, sorted, row_ptr, &data->sweep));
    SPTRSV_TRY(sptrsvUpload(memory, needs, rows, &data->sweep.needs));
    SPTRSV_TRY(sptrsvDeviceNew(memory, 2 * rows, &data->sweep.u_deps));
  } else SPTRSV_TRY(triangle_upload(plan, sorted, &data->sweep));
  return clear(*data, plan->options.type);
}

/* All values zero, for a kernel whose results do not matter */
SptrsvStatus clear_values(const Triangle<> &triangle, SptrsvValueType type)
{
  SPTRSV_CUDA(cudaMemset(triangle.values, 0, triangle.nnz * sptrsvValueSize(type)));
  SPTRSV_CUDA(cudaMemset(triangle.reciprocal, 0, (size_t)triangle.rows * sptrsvValueSize(type)));
  return SPTRSV_SUCCESS;
}

/* Chooses by Equation 2, for which the first rows are timed as one task without waits, a plan of its own */
SptrsvStatus choose_size(const SptrsvPlanOptions &options, const SptrsvOrdered &ordered, bool push, int resident, int *size)
{
  const int    rows    = std::min(ordered.n, 1 << 16);
  const size_t bytes   = (size_t)ordered.n * sptrsvValueSize(options.type);
  SptrsvPlan_s sample  = {};
  AtaPlan      data    = {};
  void        *vectors = nullptr;

  sample.options         = options;
  sample.options.in_perm = sample.options.out_perm = nullptr;
  data.push                                        = push;
  SptrsvStatus status = sptrsvTasksCreate(&ordered, rows, SPTRSV_TASKS_LOCALITY, rows, &sample.memory, &sample.scratch, &data.tasks);
  if (!status) data.tasks.tracked[0] = false;
  if (!status) status = create_rows(&sample, ordered, &data);
  if (!status) status = clear_values(data.sweep, options.type);
  if (!status) status = task_plan_create(&sample.memory, &sample.scratch, rows, resident, &data.tasks);
  if (!status) status = sptrsvDeviceAllocateZeroed(&sample.memory, 2 * bytes, &vectors);
  const auto sweep = [&] { return run(data, options.type, {1, vectors, 0, (char *)vectors + bytes, 0, nullptr, false}); };
  if (!status) status = measure_size(options.tuning.ata.ratio, resident, rows, sweep, size);
  task_plan_destroy(&data.tasks);
  sptrsvMemoryFree(&sample.memory);
  sptrsvMemoryFree(&sample.scratch);
  return status;
}

template <bool PUSH> SptrsvStatus build(SptrsvPlan plan)
{
  const SptrsvTaskOptions &options = plan->options.tuning.ata;
  SptrsvMemory *const memory = &plan->memory, *const scratch = &plan->scratch;
  SptrsvOrdered o;
  AtaPlan      *data     = plan_of(plan);
  int           resident = 0, size = options.size;

  data->push = PUSH;
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, scratch, &o));
  SPTRSV_TRY(by_type(plan->options.type,
                     [&](auto v) { return count_resident_blocks(kernel_of<decltype(v)>(PUSH), TASK_WARPS * WARP, &resident); }));
  if (!size) SPTRSV_TRY(choose_size(plan->options, o, PUSH, resident, &size));
  SPTRSV_TRY(sptrsvTasksCreate(&o, o.n, options.policy, size, memory, scratch, &data->tasks));
  SPTRSV_TRY(create_rows(plan, o, data));
  SPTRSV_TRY(task_plan_create(memory, scratch, size, resident, &data->tasks));
  plan->stalled = data->tasks.range.tickets.stalled;
  return SPTRSV_SUCCESS;
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  task_plan_describe(plan_of(plan)->tasks, plan->options.tuning.ata, text, size);
}

void destroy(SptrsvPlan plan)
{
  task_plan_destroy(&plan_of(plan)->tasks);
}

} // namespace

/* clang-format off */
const SptrsvMethod sptrsvAta = {
  {"ata", "Helal et al. (ATA), Algorithms 2 (pull), 3 and 4",
   "rows put together into tasks, which wait for tasks", SPTRSV_DEVICE, SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(AtaPlan), build<false>, update_sweep<AtaPlan>, solve, describe, destroy, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvAtaPush = {
  {"ata-push", "Helal et al. (ATA), Algorithms 2 (push), 3 and 4",
   "the same column by column, with counters and atomic sums", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(AtaPlan), build<true>, update_sweep<AtaPlan>, solve, describe, destroy, nullptr, nullptr, nullptr};
/* clang-format on */
