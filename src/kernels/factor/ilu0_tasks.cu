/*
   ILU(0) on the GPU by tasks, Helal et al. (ATA), Algorithm 5, by rows in place of columns: a warp per row pulls the rows above that it
   needs.  Its entries, from left to right, are those of ilu0_entries.cu, with the same operands; a kernel there divides by the
   pivots (lines 7-9).
*/
#include <cstdio>
#include <cstdlib>
#include "../tasks/tasks.cuh"
#include "ilu0_entries.cuh"

namespace sptrsv {

struct Ilu0Tasks {
  TaskPlan          plan;
  SptrsvTaskOptions options;
  int              *ptr, *unknown; /* [rows + 1] in the order of the tasks; [unknowns], of a row from left to right */
  SptrsvMemory      memory;
};

template <class V>
__global__ void tasks_kernel(const TaskRange range, const Operands operands, const int *ptr, const int *unknown, const Pass<V> pass)
{
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  BlockTurn turn(range.tickets);

  for (unsigned c = turn.start; c < range.tickets.work; c = turn.next()) {
    const TaskChunk chunk = range.chunk[c];

    for (int i = chunk.first + warp; i < chunk.end; i += TASK_WARPS) {
      for (int k = ptr[i]; k < ptr[i + 1]; k++) {
        const int    u = unknown[k], code = operands.entry[u];
        const size_t first = operands.pair_ptr[u] + lane, end = operands.pair_ptr[u + 1];
        V            sum = lane ? V(0) : start_value(pass, entry_of(code), is_pivot(code));

        sum = chunk.tracked ? subtract_pairs<V, true>(operands, pass.v, turn, first, end, WARP, sum)
                            : subtract_pairs<V, false>(operands, pass.v, turn, first, end, WARP, sum);
        __syncwarp();
        sum = sum_over(WARP, sum);
        if (!lane) finish_entry(pass, code, sum);
        if (!lane) turn.work_goes_on((unsigned)k);
        __syncwarp(); /* entries to its right need it */
      }
    }
  }
}

/* The entries that are unknowns */
template <class V> static SptrsvStatus compute(const Ilu0Tasks &tasks, const Operands &operands, const Pass<V> &pass, cudaStream_t stream)
{
  return task_plan_run(tasks.plan, stream, [&](const TaskRange &range, int blocks, cudaStream_t in) {
    return launch(tasks_kernel<V>, blocks, TASK_WARPS * WARP, in, range, operands, tasks.ptr, tasks.unknown, pass);
  });
}

template <class V> SptrsvStatus tasks_pass(const Ilu0Tasks &tasks, const Ilu0Entries &entries, const Pass<V> &pass, cudaStream_t stream)
{
  SPTRSV_TRY(entries_start(entries.operands, pass, stream));
  SPTRSV_TRY(compute(tasks, entries.operands, pass, stream));
  return entries_scale(entries.operands, pass, stream);
}
template SptrsvStatus tasks_pass(const Ilu0Tasks &, const Ilu0Entries &, const Pass<double> &, cudaStream_t);
template SptrsvStatus tasks_pass(const Ilu0Tasks &, const Ilu0Entries &, const Pass<float> &, cudaStream_t);

/* Unknowns of each row, rows in the order of the tasks */
static SptrsvStatus list_unknowns(const SptrsvPattern &pattern, const Operands &operands, const SptrsvTasks &order, Ilu0Tasks *tasks)
{
  const int    unknowns = operands.unknowns;
  int         *code = nullptr, *of_entry = nullptr, *ptr = nullptr, *unknown = nullptr;
  SptrsvStatus status = sptrsvNew(unknowns, &code);

  if (!status) status = sptrsvNew(pattern.nnz, &of_entry); /* 1 + unknown, 0: a copy of A's */
  if (!status) status = sptrsvNew(order.rows + 1, &ptr);
  if (!status) status = sptrsvNew(unknowns, &unknown);
  if (!status) status = read_back(operands.entry, code, unknowns);
  for (int u = 0; !status && u < unknowns; u++) of_entry[entry_of(code[u])] = u + 1;
  for (int i = 0; !status && i < order.rows; i++) {
    ptr[i + 1] = ptr[i];
    for (int e = pattern.row_ptr[order.row[i]]; e < pattern.row_ptr[order.row[i] + 1]; e++) {
      if (of_entry[e]) unknown[ptr[i + 1]++] = of_entry[e] - 1;
    }
  }
  if (!status) status = sptrsvUpload(&tasks->memory, ptr, order.rows + 1, &tasks->ptr);
  if (!status) status = sptrsvUpload(&tasks->memory, unknown, unknowns, &tasks->unknown);
  for (int *p : {code, of_entry, ptr, unknown}) free(p);
  return status;
}

/* untracked: nothing waits, for measurements */
static SptrsvStatus build(const SptrsvPattern &pattern, const Operands &operands, const SptrsvOrdered &lower, SptrsvTaskPolicy policy,
                          int size, int resident, bool untracked, Ilu0Tasks *tasks)
{
  SptrsvTasks  order;
  SptrsvStatus status = sptrsvTasksCreate(pattern.n, lower.row_ptr, lower.col_idx, policy, size, &order);

  if (!status && untracked) order.tracked[0] = false;
  if (!status) status = list_unknowns(pattern, operands, order, tasks);
  if (!status) status = task_plan_create(&tasks->memory, &order, size, resident, &tasks->plan);
  sptrsvTasksFree(&order);
  return status;
}

static void release(Ilu0Tasks *tasks)
{
  task_plan_destroy(&tasks->plan);
  sptrsvMemoryFree(&tasks->memory);
}

/* For Equation 2: all rows as one task without waits, on zeros */
template <class V> static SptrsvStatus choose_size(SptrsvFactor factor, const FactorPattern &f, const Operands &operands,
                                                   const SptrsvOrdered &lower, double ratio, int resident, int *size)
{
  const size_t a_nnz  = (size_t)sptrsvFactorMatrixNnz(factor);
  Ilu0Tasks    sample = {};
  Scratch<int> bad_row;
  Scratch<V>   v, a;
  float        run_ms;

  SPTRSV_TRY(bad_row.create(1));
  SPTRSV_TRY(v.create(f.nnz));
  SPTRSV_TRY(a.create(a_nnz));
  SPTRSV_CUDA(cudaMemset(v, 0, (size_t)f.nnz * sizeof(V)));
  SPTRSV_CUDA(cudaMemset(a, 0, a_nnz * sizeof(V)));
  const Pass<V> pass = {f, a, v, 0, {{SPTRSV_SHIFT_NONE, 0, -1}, bad_row}, nullptr};
  const auto    run  = [&] { return compute(sample, operands, pass, nullptr); };

  SptrsvStatus status = build(factor->analysis->a, operands, lower, SPTRSV_TASKS_LOCALITY, f.n, resident, true, &sample);
  if (!status) status = measure_sample(run, &run_ms);
  if (!status) status = task_size(ratio, resident, f.n, run_ms, size);
  release(&sample);
  return status;
}

template <class V> static SptrsvStatus create(SptrsvFactor factor, const FactorPattern &f, const Operands &operands,
                                              const SptrsvOrdered &lower, Ilu0Tasks *tasks)
{
  const SptrsvTaskOptions &options = tasks->options;
  int                      size = options.size ? options.size : 1, resident = 0;

  SPTRSV_TRY(count_resident_blocks(tasks_kernel<V>, TASK_WARPS * WARP, &resident));
  if (!options.size && f.n) SPTRSV_TRY(choose_size<V>(factor, f, operands, lower, options.ratio, resident, &size));
  return build(factor->analysis->a, operands, lower, options.policy, size, resident, false, tasks);
}

SptrsvStatus tasks_create(SptrsvFactor factor, const FactorPattern &f, const Ilu0Entries &entries, const SptrsvTaskOptions &options,
                          Ilu0Tasks **tasks)
{
  const SptrsvPlanOptions forward = {}; /* rows need the rows left of their diagonal */
  SptrsvOrdered           lower;
  Ilu0Tasks              *made;

  SPTRSV_TRY(sptrsvNew(1, &made));
  made->options       = options;
  SptrsvStatus status = sptrsvOrderedCreate(factor->analysis, &forward, &lower);
  if (!status) {
    status = by_type(factor->type, [&](auto v) { return create<decltype(v)>(factor, f, entries.operands, lower, made); });
    sptrsvOrderedFree(&lower);
  }
  factor->memory.bytes += made->memory.bytes;
  factor->host_bytes += made->plan.host_bytes;
  if (status) tasks_destroy(factor, made);
  else *tasks = made;
  return status;
}

void tasks_destroy(SptrsvFactor factor, Ilu0Tasks *tasks)
{
  if (!tasks) return;
  factor->memory.bytes -= tasks->memory.bytes;
  factor->host_bytes -= tasks->plan.host_bytes;
  release(tasks);
  free(tasks);
}

unsigned *tasks_stalled(const Ilu0Tasks &tasks)
{
  return tasks.plan.range.tickets.stalled;
}

void tasks_describe(const Ilu0Tasks &tasks, char *text, size_t size)
{
  const int head = snprintf(text, size, "ata, ");

  if (head > 0 && (size_t)head < size) task_plan_describe(tasks.plan, tasks.options, text + head, size - (size_t)head);
}

} // namespace sptrsv
