/*
   ILU(0) on the GPU by tasks, Helal et al. (ATA), Algorithm 5, by rows in place of columns: a warp per row pulls the rows above that it
   needs.  Its entries, from left to right, are those of ilu0.cu, with the same operands; the division by pivots (lines 7-9) is left to the
   kernel that does it there.
*/
#include <cstdio>
#include <cstdlib>
#include "../device/scratch.cuh"
#include "../tasks/tasks.cuh"
#include "../device/values.cuh"
#include "ilu0.cuh"

namespace sptrsv {

struct Ilu0Tasks {
  TaskPlan          plan;
  SptrsvTaskOptions options;
  int              *ptr, *unknown; /* [rows + 1] by place of the row; [unknowns], of a row from left to right */
  size_t            bytes;
};

template <class V> __global__ void ilu0_tasks_kernel(const TaskRange t, const Ilu0<V> p, const int *ptr, const int *unknown,
                                                     const V *__restrict__ a, V shift, SptrsvPivoting pivoting)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  BlockTurn turn(t.tickets);

  for (unsigned c = turn.start; c < t.tickets.work; c = turn.next()) {
    const TaskChunk chunk = t.chunk[c];

    for (int i = chunk.first + warp; i < chunk.end; i += TASK_WARPS) {
      for (int k = ptr[i]; k < ptr[i + 1]; k++) {
        const int    u = unknown[k], code = p.o.entry[u];
        const size_t first = p.o.pair_ptr[u] + lane, end = p.o.pair_ptr[u + 1];
        V            sum = lane ? V(0) : start_entry(p, a, code, shift);

        sum = chunk.tracked ? subtract_pairs<V, true>(p, turn, first, end, WARP, sum)
                            : subtract_pairs<V, false>(p, turn, first, end, WARP, sum);
        __syncwarp();
        sum = sum_over(WARP, sum);
        if (!lane) finish_entry(p, code, sum, pivoting);
        __syncwarp(); /* entries to its right need it */
      }
    }
  }
}

template <class V> SptrsvStatus ilu0_tasks_run(const Ilu0Tasks &tasks, const Ilu0<V> &p, const V *a, V shift,
                                               const SptrsvPivoting &pivoting, cudaStream_t stream)
{
  const auto start = [&](const TaskRange &range, int blocks, cudaStream_t in) {
    return launch(ilu0_tasks_kernel<V>, blocks, TASK_WARPS * WARP, in, range, p, tasks.ptr, tasks.unknown, a, shift, pivoting);
  };

  return task_plan_run(tasks.plan, stream, std::ref(start)); /* a reference, so that nothing is allocated */
}
template SptrsvStatus ilu0_tasks_run(const Ilu0Tasks &, const Ilu0<double> &, const double *, double, const SptrsvPivoting &, cudaStream_t);
template SptrsvStatus ilu0_tasks_run(const Ilu0Tasks &, const Ilu0<float> &, const float *, float, const SptrsvPivoting &, cudaStream_t);

/* Unknowns of each row, rows in the order of the tasks */
static SptrsvStatus list_unknowns(const SptrsvPattern &f, const Operands &o, const SptrsvTasks &t, Ilu0Tasks *tasks)
{
  int         *entry = nullptr, *of_entry = nullptr, *ptr = nullptr, *unknown = nullptr;
  SptrsvStatus status = sptrsvNew(o.unknowns, &entry);

  if (!status) status = sptrsvNew(f.nnz, &of_entry); /* 1 + unknown, 0: a copy of A's */
  if (!status) status = sptrsvNew(t.rows + 1, &ptr);
  if (!status) status = sptrsvNew(o.unknowns, &unknown);
  if (!status) status = read_back(o.entry, entry, o.unknowns);
  for (int u = 0; !status && u < o.unknowns; u++) of_entry[entry[u] < 0 ? ~entry[u] : entry[u]] = u + 1;
  for (int i = 0; !status && i < t.rows; i++) {
    ptr[i + 1] = ptr[i];
    for (int e = f.row_ptr[t.row[i]]; e < f.row_ptr[t.row[i] + 1]; e++) {
      if (of_entry[e]) unknown[ptr[i + 1]++] = of_entry[e] - 1;
    }
  }
  if (!status) status = sptrsvUpload(ptr, ((size_t)t.rows + 1) * sizeof(int), (void **)&tasks->ptr, &tasks->bytes);
  if (!status) status = sptrsvUpload(unknown, (size_t)o.unknowns * sizeof(int), (void **)&tasks->unknown, &tasks->bytes);
  for (int *p : {entry, of_entry, ptr, unknown}) free(p);
  return status;
}

/* untracked: nobody waits, for measurements */
static SptrsvStatus prepare(const SptrsvPattern &f, const Operands &o, const SptrsvOrdered &lower, SptrsvTaskPolicy policy, int size,
                            int resident, bool untracked, Ilu0Tasks *tasks)
{
  SptrsvTasks  t;
  SptrsvStatus status = sptrsvTasksCreate(f.n, lower.row_ptr, lower.col_idx, policy, size, &t);

  if (!status && untracked) t.tracked[0] = false;
  if (!status) status = list_unknowns(f, o, t, tasks);
  if (!status) status = task_plan_create(&t, size, resident, &tasks->plan, &tasks->bytes);
  sptrsvTasksFree(&t);
  return status;
}

static void release(Ilu0Tasks *tasks)
{
  sptrsvDeviceFree(tasks->ptr);
  sptrsvDeviceFree(tasks->unknown);
  task_plan_destroy(&tasks->plan);
}

/* For Equation 2: all rows as one task in which nobody waits, on zeros */
template <class V> static SptrsvStatus choose_size(SptrsvFactor f, const Operands &o, const SptrsvOrdered &lower,
                                                   const SptrsvTaskOptions &options, int resident, int *size)
{
  const SptrsvPattern &pattern = f->analysis->a;
  const size_t         a_nnz   = (size_t)(f->a_row_ptr ? f->a_row_ptr[pattern.n] : pattern.nnz);
  Ilu0Tasks            sample  = {};
  Scratch<int>         bad_row;
  Scratch<V>           v, a;

  if (options.size || !pattern.n) {
    *size = options.size ? options.size : 1;
    return SPTRSV_SUCCESS;
  }
  SPTRSV_TRY(bad_row.create(1));
  SPTRSV_TRY(v.create(pattern.nnz));
  SPTRSV_TRY(a.create(a_nnz));
  SPTRSV_CUDA(cudaMemset(v, 0, (size_t)pattern.nnz * sizeof(V)));
  SPTRSV_CUDA(cudaMemset(a, 0, a_nnz * sizeof(V)));
  const Ilu0<V> p      = {o, f->analysis->d_col_idx, v, bad_row};
  SptrsvStatus  status = prepare(pattern, o, lower, SPTRSV_TASKS_LOCALITY, pattern.n, resident, true, &sample);

  if (!status) {
    status = task_size(
        options, resident, pattern.n,
        [&] {
          return ilu0_tasks_run(sample, p, (const V *)a, V(0), {SPTRSV_SHIFT_NONE, 0, -1}, nullptr);
        },
        size);
  }
  release(&sample);
  return status;
}

template <class V> static SptrsvStatus create(SptrsvFactor f, const Operands &o, const SptrsvOrdered &lower, Ilu0Tasks *tasks)
{
  int size, resident = 0;

  SPTRSV_TRY(count_resident_blocks(ilu0_tasks_kernel<V>, TASK_WARPS * WARP, &resident));
  SPTRSV_TRY(choose_size<V>(f, o, lower, tasks->options, resident, &size));
  return prepare(f->analysis->a, o, lower, tasks->options.policy, size, resident, false, tasks);
}

SptrsvStatus ilu0_tasks_create(SptrsvFactor f, const Operands &o, const SptrsvTaskOptions &options, Ilu0Tasks **tasks)
{
  const SptrsvPlanOptions forward = {}; /* rows need the rows left of their diagonal */
  SptrsvOrdered           lower;
  Ilu0Tasks              *t;

  SPTRSV_TRY(sptrsvNew(1, &t));
  t->options          = options;
  SptrsvStatus status = sptrsvOrderedCreate(f->analysis, &forward, &lower);
  if (!status) {
    status = f->type == SPTRSV_DOUBLE ? create<double>(f, o, lower, t) : create<float>(f, o, lower, t);
    sptrsvOrderedFree(&lower);
  }
  f->device_bytes += t->bytes;
  f->host_bytes += t->plan.host_bytes;
  if (status) ilu0_tasks_destroy(f, t);
  else *tasks = t;
  return status;
}

void ilu0_tasks_destroy(SptrsvFactor f, Ilu0Tasks *tasks)
{
  if (!tasks) return;
  f->device_bytes -= tasks->bytes;
  f->host_bytes -= tasks->plan.host_bytes;
  release(tasks);
  free(tasks);
}

unsigned *ilu0_tasks_stalled(const Ilu0Tasks &tasks)
{
  return tasks.plan.range.tickets.stalled;
}

void ilu0_tasks_describe(const Ilu0Tasks &tasks, char *text, size_t size)
{
  const int head = snprintf(text, size, "ata, ");

  if (head > 0 && (size_t)head < size) task_plan_describe(tasks.plan, tasks.options, text + head, size - (size_t)head);
}

} // namespace sptrsv
