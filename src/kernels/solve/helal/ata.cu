/*
   Adaptive task aggregation, Helal et al. (ATA): rows put together into tasks (aggregate.c), a warp per row.
     ata        pull: a row polls the unknowns that it needs                               Algorithm 2, lines 10-16
     ata-push   push: a column adds to the sums of the rows that need it, and counts down  Algorithm 2, lines 3-9
   In a task whose rows do not need each other nobody polls and nobody counts.
*/
#include <cstdio>
#include <cstdlib>
#include "../../tasks/tasks.cuh"
#include "../../device/values.cuh"

namespace {

using namespace sptrsv;

template <class V> struct TaskRows {
  int             rows;
  const int      *ptr, *idx;       /* entries of row i, or of column i, are at ptr[i] … ptr[i + 1] - 1 */
  const int      *source, *target; /* [rows] places in b and out */
  const V        *values;          /* [nnz] */
  const V        *reciprocal;      /* [rows] of the diagonal */
  V              *x;               /* [2][rows] unknowns; push: sums of what was added to each row */
  unsigned       *u_deps;          /* push: [2][rows] rows of its own task that a row still waits for */
  const unsigned *needs;           /* push: [rows] and at the beginning */
};

/* The x of earlier tasks are there.  Those of the own task belong to earlier chunks, whose tickets are earlier, or to earlier rows of this
   chunk, which its warps take in order: so each gets its value, and the wait ends. */
template <class V>
__device__ __forceinline__ void pull_row(const TaskRows<V> &p, const TaskChunk &chunk, BlockTurn &turn, int i, int lane, V sum, V *out)
{
  V *const x = p.x + (size_t)turn.parity * p.rows, *const next = p.x + (size_t)(1 - turn.parity) * p.rows;

  if (lane) sum = V(0);
  for (int j = p.ptr[i] + lane; j < p.ptr[i + 1]; j += WARP) sum -= p.values[j] * (chunk.tracked ? await(x + p.idx[j], turn) : x[p.idx[j]]);
  __syncwarp();
  sum = sum_over(WARP, sum);
  if (lane) return;
  sum *= p.reciprocal[i];
  publish(x + i, sum);
  if (chunk.tracked) rearm(next + i);
  out[p.target[i]] = sum;
}

/* A row's count comes to zero once the rows of its task that it needs are done, which come before it as above.  Each lane counts down
   after it has added, so who sees zero sees the whole sum. */
template <class V>
__device__ __forceinline__ void push_row(const TaskRows<V> &p, const TaskChunk &chunk, BlockTurn &turn, int i, int lane, V sum, V *out)
{
  const size_t    now = (size_t)turn.parity * p.rows, later = (size_t)(1 - turn.parity) * p.rows;
  V *const        pushed = p.x + now;
  unsigned *const u_deps = p.u_deps + now;

  if (!lane) {
    if (chunk.tracked && !await_zero(u_deps + i, turn)) sum = Word<V>::value(Word<V>::NOT_A_NUMBER);
    sum            = p.reciprocal[i] * (sum - Word<V>::value(poll(pushed + i)));
    p.x[later + i] = 0;
    if (chunk.tracked) p.u_deps[later + i] = p.needs[i];
    out[p.target[i]] = sum;
  }
  const V x = __shfl_sync(ALL_LANES, sum, 0);

  for (int j = p.ptr[i] + lane; j < p.ptr[i + 1]; j += WARP) {
    add_relaxed(pushed + p.idx[j], p.values[j] * x);
    if (p.idx[j] < chunk.task_end) subtract_release(u_deps + p.idx[j], 1);
  }
}

template <class V, bool PUSH>
__global__ void ata_kernel(const TaskRange t, const TaskRows<V> p, const V *__restrict__ b, V *__restrict__ out)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  BlockTurn turn(t.tickets);

  for (unsigned c = turn.start; c < t.tickets.work; c = turn.next()) {
    const TaskChunk chunk = t.chunk[c];

    for (int i = chunk.first + warp; i < chunk.end; i += TASK_WARPS) {
      if (PUSH) push_row(p, chunk, turn, i, lane, b[p.source[i]], out);
      else pull_row(p, chunk, turn, i, lane, b[p.source[i]], out);
    }
  }
}

struct Plan {
  bool      push, torn; /* torn: some tasks of the last solve were launched, others could not be */
  int       rows, nnz;
  int      *ptr, *idx, *value_source, *diagonal_source, *source, *target;
  void     *values, *reciprocal, *x;
  unsigned *u_deps, *needs;
  TaskPlan  tasks;
};

Plan *plan_of(SptrsvPlan plan)
{
  return (Plan *)plan->data;
}

template <class V> SptrsvStatus run(const Plan &d, const V *b, V *out, cudaStream_t stream)
{
  const TaskRows<V> p      = {d.rows,   d.ptr,    d.idx,  d.source, d.target, (const V *)d.values, (const V *)d.reciprocal,
                              (V *)d.x, d.u_deps, d.needs};
  const auto        kernel = d.push ? ata_kernel<V, true> : ata_kernel<V, false>;

  const auto start = [&](const TaskRange &range, int blocks, cudaStream_t in) {
    return launch(kernel, blocks, TASK_WARPS * WARP, in, range, p, b, out);
  };

  return task_plan_run(d.tasks, stream, std::ref(start)); /* a reference, so that nothing is allocated */
}

SptrsvStatus run_any(const Plan &d, SptrsvValueType type, const void *b, void *out, cudaStream_t stream)
{
  if (type == SPTRSV_DOUBLE) return run(d, (const double *)b, (double *)out, stream);
  return run(d, (const float *)b, (float *)out, stream);
}

/* Both halves as a launch finds them */
SptrsvStatus clear(const Plan &d, SptrsvValueType type)
{
  const size_t rows = (size_t)d.rows;

  if (!d.push) return unknowns_clear(rows, type, d.x);
  SPTRSV_CUDA(cudaMemset(d.x, 0, 2 * rows * value_size(type)));
  for (int half = 0; half < 2; half++)
    SPTRSV_CUDA(cudaMemcpy(d.u_deps + half * rows, d.needs, rows * sizeof(unsigned), cudaMemcpyDeviceToDevice));
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr)); /* the next solve may come in another stream */
  return SPTRSV_SUCCESS;
}

/* Which half a task fills follows from its own tickets, so those that were launched once more than others would read the wrong one of
   theirs from then on. */
SptrsvStatus solve(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  Plan &d = *plan_of(plan);

  if (d.torn) {
    SPTRSV_TRY(task_plan_rewind(d.tasks));
    SPTRSV_TRY(clear(d, plan->options.type));
    d.torn = false;
  }
  const SptrsvStatus status = run_any(d, plan->options.type, b, out, stream);
  d.torn                    = status;
  return status;
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  const Plan &d = *plan_of(plan);

  return take_values({(size_t)d.nnz, d.value_source, d.values, d.rows, d.diagonal_source, d.reciprocal}, plan->options.diagonal,
                     plan->options.type, values, stream);
}

SptrsvStatus upload(const SptrsvPlanOptions &options, const SptrsvTaskEntries &n, Plan *d, size_t *total)
{
  const size_t rows = (size_t)d->rows, nnz = (size_t)d->nnz, size = value_size(options.type);

  SPTRSV_TRY(sptrsvUpload(n.ptr, (rows + 1) * sizeof(int), (void **)&d->ptr, total));
  SPTRSV_TRY(sptrsvUpload(n.idx, nnz * sizeof(int), (void **)&d->idx, total));
  SPTRSV_TRY(sptrsvUpload(n.source, nnz * sizeof(int), (void **)&d->value_source, total));
  SPTRSV_TRY(sptrsvUpload(n.diagonal, rows * sizeof(int), (void **)&d->diagonal_source, total));
  SPTRSV_TRY(upload_places(d->rows, n.row, options.in_perm, &d->source, total));
  SPTRSV_TRY(upload_places(d->rows, n.row, options.out_perm, &d->target, total));
  SPTRSV_TRY(sptrsvDeviceAllocateZeroed(nnz * size, &d->values, total));
  SPTRSV_TRY(sptrsvDeviceAllocateZeroed(rows * size, &d->reciprocal, total));
  SPTRSV_TRY(sptrsvDeviceAllocate(2 * rows * size, &d->x, total));
  if (d->push) {
    SPTRSV_TRY(sptrsvUpload(n.needs, rows * sizeof(unsigned), (void **)&d->needs, total));
    SPTRSV_TRY(sptrsvDeviceAllocate(2 * rows * sizeof(unsigned), (void **)&d->u_deps, total));
  }
  return clear(*d, options.type);
}

SptrsvStatus pack(const SptrsvPlanOptions &options, const SptrsvOrdered &o, const SptrsvTasks &t, Plan *d, size_t *total)
{
  SptrsvTaskEntries n;

  d->rows             = t.rows;
  d->nnz              = o.row_ptr[t.rows];
  SptrsvStatus status = sptrsvTaskEntriesCreate(&o, &t, d->push, &n);
  if (!status) status = upload(options, n, d, total);
  sptrsvTaskEntriesFree(&n);
  return status;
}

void release(Plan *d)
{
  for (void *p : {(void *)d->ptr, (void *)d->idx, (void *)d->value_source, (void *)d->diagonal_source, (void *)d->source, (void *)d->target,
                  d->values, d->reciprocal, d->x, (void *)d->u_deps, (void *)d->needs})
    sptrsvDeviceFree(p);
  task_plan_destroy(&d->tasks);
}

SptrsvStatus count_resident(const SptrsvPlanOptions &options, bool push, int *blocks)
{
  const int threads = TASK_WARPS * WARP;

  if (options.type == SPTRSV_DOUBLE)
    return count_resident_blocks(push ? ata_kernel<double, true> : ata_kernel<double, false>, threads, blocks);
  return count_resident_blocks(push ? ata_kernel<float, true> : ata_kernel<float, false>, threads, blocks);
}

/* For Equation 2: the first rows as one task in which nobody waits, whatever comes out */
SptrsvStatus choose_size(const SptrsvPlanOptions &options, const SptrsvOrdered &o, bool push, int resident, int *size)
{
  const int         rows    = std::min(o.n, 1 << 16);
  SptrsvPlanOptions natural = options;
  SptrsvTasks       t;
  Plan              d       = {};
  void             *vectors = nullptr;
  size_t            ignored = 0, bytes = (size_t)o.n * value_size(options.type);

  natural.in_perm = natural.out_perm = nullptr;
  d.push                             = push;
  SptrsvStatus status                = sptrsvTasksCreate(rows, o.row_ptr, o.col_idx, SPTRSV_TASKS_LOCALITY, rows, &t);
  if (!status) t.tracked[0] = false;
  if (!status) status = pack(natural, o, t, &d, &ignored);
  if (!status) status = task_plan_create(&t, rows, resident, &d.tasks, &ignored);
  if (!status) status = sptrsvDeviceAllocateZeroed(2 * bytes, &vectors, &ignored);
  if (!status)
    status = task_size(
        options.tuning.ata, resident, rows, [&] { return run_any(d, options.type, vectors, (char *)vectors + bytes, nullptr); }, size);
  sptrsvDeviceFree(vectors);
  sptrsvTasksFree(&t);
  release(&d);
  return status;
}

SptrsvStatus build_tasks(SptrsvPlan plan, const SptrsvOrdered &o, Plan *d)
{
  const SptrsvTaskOptions &options = plan->options.tuning.ata;
  SptrsvTasks              t;
  int                      resident = 0, size = options.size;

  SPTRSV_TRY(count_resident(plan->options, d->push, &resident));
  if (!size) SPTRSV_TRY(choose_size(plan->options, o, d->push, resident, &size));
  SptrsvStatus status = sptrsvTasksCreate(o.n, o.row_ptr, o.col_idx, options.policy, size, &t);
  if (!status) status = pack(plan->options, o, t, d, &plan->device_bytes);
  if (!status) status = task_plan_create(&t, size, resident, &d->tasks, &plan->device_bytes);
  sptrsvTasksFree(&t);
  plan->host_bytes += d->tasks.host_bytes;
  plan->stalled = d->tasks.range.tickets.stalled;
  return status;
}

SptrsvStatus build_either(SptrsvPlan plan, bool push)
{
  SptrsvOrdered o;
  Plan         *d;

  SPTRSV_TRY(sptrsvNew(1, &d));
  plan->data = d;
  d->push    = push;
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &o));
  const SptrsvStatus status = build_tasks(plan, o, d);
  sptrsvOrderedFree(&o);
  return status;
}

SptrsvStatus build(SptrsvPlan plan)
{
  return build_either(plan, false);
}

SptrsvStatus build_push(SptrsvPlan plan)
{
  return build_either(plan, true);
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  task_plan_describe(plan_of(plan)->tasks, plan->options.tuning.ata, text, size);
}

void destroy(SptrsvPlan plan)
{
  if (!plan_of(plan)) return;
  release(plan_of(plan));
  free(plan_of(plan));
}

} // namespace

const SptrsvMethod sptrsvAta     = {{"ata", "Helal et al. (ATA), Algorithms 2 (pull), 3 and 4",
                                     "rows put together into tasks, which wait for tasks", SPTRSV_DEVICE, 0},
                                    build,
                                    update,
                                    solve,
                                    describe,
                                    destroy};
const SptrsvMethod sptrsvAtaPush = {{"ata-push", "Helal et al. (ATA), Algorithms 2 (push), 3 and 4",
                                     "the same column by column, with counters and atomic sums", SPTRSV_DEVICE, SPTRSV_VARIES},
                                    build_push,
                                    update,
                                    solve,
                                    describe,
                                    destroy};
