/*
   ILU(0) on the GPU by tasks, Helal et al. (ATA), Algorithm 5, by rows in place of columns: a warp per row pulls the rows above that it
   needs.  Its entries, from left to right, are those of factor/entries.cu, with the same operands; a kernel there divides by the
   pivots (lines 7-9).
*/
#include <cstdio>
#include <cstring>
#include "../../factor/entries.cuh"
#include "tasks.cuh"

namespace {

using namespace sptrsv;

struct Ilu0Tasks {
  Operands          operands;
  TaskPlan          plan;
  SptrsvTaskOptions options;
  int              *ptr, *unknown; /* [rows + 1] in the order of the tasks; [unknowns], of a row from left to right */
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
template <class V> SptrsvStatus compute(const Ilu0Tasks &tasks, const Pass<V> &pass, cudaStream_t stream)
{
  return task_plan_run(tasks.plan, stream, [&](const TaskRange &range, int blocks, cudaStream_t in) {
    return launch(tasks_kernel<V>, blocks, TASK_WARPS * WARP, in, range, tasks.operands, tasks.ptr, tasks.unknown, pass);
  });
}

/* Unknowns of each row, rows in the order of the tasks */
SptrsvStatus list_unknowns(const SptrsvPattern &pattern, SptrsvMemory *memory, SptrsvMemory *scratch, Ilu0Tasks *tasks)
{
  const SptrsvTasks &order    = tasks->plan;
  const int          unknowns = tasks->operands.unknowns;
  int               *code, *of_entry, *ptr, *unknown;

  SPTRSV_TRY(sptrsvHostNew(scratch, unknowns, &code));
  SPTRSV_TRY(read_back(tasks->operands.entry, code, unknowns));
  SPTRSV_TRY(sptrsvHostNew(scratch, pattern.nnz, &of_entry)); /* 1 + unknown, 0: a copy of A's */
  SPTRSV_TRY(sptrsvHostNew(scratch, order.rows + 1, &ptr));
  SPTRSV_TRY(sptrsvHostNew(scratch, unknowns, &unknown));
  for (int u = 0; u < unknowns; u++) of_entry[entry_of(code[u])] = u + 1;
  for (int i = 0; i < order.rows; i++) {
    ptr[i + 1] = ptr[i];
    for (int e = pattern.row_ptr[order.row[i]]; e < pattern.row_ptr[order.row[i] + 1]; e++) {
      if (of_entry[e]) unknown[ptr[i + 1]++] = of_entry[e] - 1;
    }
  }
  SPTRSV_TRY(sptrsvUpload(memory, ptr, order.rows + 1, &tasks->ptr));
  return sptrsvUpload(memory, unknown, unknowns, &tasks->unknown);
}

/* All but the operands.  untracked: nothing waits, for measurements */
SptrsvStatus build(const SptrsvPattern &pattern, const SptrsvOrdered &lower, SptrsvTaskPolicy policy, int size, int resident,
                   bool untracked, SptrsvMemory *memory, SptrsvMemory *scratch, Ilu0Tasks *tasks)
{
  SPTRSV_TRY(sptrsvTasksCreate(&lower, pattern.n, policy, size, memory, scratch, &tasks->plan));
  if (untracked) tasks->plan.tracked[0] = false;
  SPTRSV_TRY(list_unknowns(pattern, memory, scratch, tasks));
  return task_plan_create(memory, scratch, size, resident, &tasks->plan);
}

/* For Equation 2: all rows as one task without waits, on zeros */
template <class V> SptrsvStatus choose_size(SptrsvFactor factor, const Ilu0Tasks &tasks, const SptrsvOrdered &lower, int resident,
                                            SptrsvMemory *scratch, int *size)
{
  const FactorPattern &f      = device_of(factor).f;
  const size_t         a_nnz  = (size_t)sptrsvFactorMatrix(factor)->a.nnz;
  Ilu0Tasks            sample = {};
  ScopedMemory         memory;
  Scratch<int>         bad_row;
  Scratch<V>           v, a;

  sample.operands = tasks.operands;
  SPTRSV_TRY(bad_row.create(1));
  SPTRSV_TRY(v.create(f.nnz));
  SPTRSV_TRY(a.create(a_nnz));
  SPTRSV_CUDA(cudaMemset(v, 0, (size_t)f.nnz * sizeof(V)));
  SPTRSV_CUDA(cudaMemset(a, 0, a_nnz * sizeof(V)));
  const Pass<V> pass = {f, a, v, 0, {{SPTRSV_SHIFT_NONE, 0, -1, 0}, bad_row}, nullptr};
  const auto    run  = [&] { return compute(sample, pass, nullptr); };

  SptrsvStatus status = build(factor->analysis->a, lower, SPTRSV_TASKS_LOCALITY, f.n, resident, true, &memory, scratch, &sample);
  if (!status) status = measure_size(tasks.options.ratio, resident, f.n, run, size);
  task_plan_destroy(&sample.plan);
  return status;
}

template <class V>
SptrsvStatus aggregate(SptrsvFactor factor, const SptrsvOrdered &lower, SptrsvMemory *memory, SptrsvMemory *scratch, Ilu0Tasks *tasks)
{
  const SptrsvTaskOptions &options = tasks->options;
  int                      size = options.size ? options.size : 1, resident = 0;

  SPTRSV_TRY(count_resident_blocks(tasks_kernel<V>, TASK_WARPS * WARP, &resident));
  if (!options.size && factor->analysis->a.n) SPTRSV_TRY(choose_size<V>(factor, *tasks, lower, resident, scratch, &size));
  return build(factor->analysis->a, lower, options.policy, size, resident, false, memory, scratch, tasks);
}

SptrsvStatus create(SptrsvFactor factor, const SptrsvTuning *tuning, SptrsvFactorWork *work)
{
  const SptrsvPlanOptions forward = {}; /* rows need the rows left of their diagonal */
  ScopedMemory            scratch;
  SptrsvOrdered           lower;
  Ilu0Tasks              *tasks;

  SPTRSV_TRY(sptrsvNew(1, &tasks));
  work->data     = tasks;
  tasks->options = tuning->ata;
  SPTRSV_TRY(operands_create(factor, &work->memory, &tasks->operands));
  SPTRSV_TRY(sptrsvOrderedCreate(factor->analysis, &forward, &scratch, &lower));
  SPTRSV_TRY(by_type(factor->type, [&](auto v) { return aggregate<decltype(v)>(factor, lower, &work->memory, &scratch, tasks); }));
  work->stalled = tasks->plan.range.tickets.stalled;
  return SPTRSV_SUCCESS;
}

SptrsvStatus pass(SptrsvFactor factor, const PassOptions &options, cudaStream_t stream)
{
  const Ilu0Tasks &tasks = data_of<Ilu0Tasks>(factor);

  SPTRSV_TRY(entries_start(factor, tasks.operands, options, stream));
  SPTRSV_TRY(by_type(factor->type, [&](auto v) { return compute(tasks, pass_of<decltype(v)>(factor, options), stream); }));
  return entries_scale(factor, tasks.operands, options, stream);
}

void describe(SptrsvFactor factor, char *text, size_t size)
{
  const Ilu0Tasks &tasks = data_of<Ilu0Tasks>(factor);

  (void)snprintf(text, size, "ata, ");
  task_plan_describe(tasks.plan, tasks.options, text + strlen(text), size - strlen(text));
}

void destroy(void *data)
{
  task_plan_destroy(&((Ilu0Tasks *)data)->plan);
}

} // namespace

/* clang-format off */
const SptrsvFactorMethod sptrsvFactorAta = {
  {"ata", "Helal et al. (ATA), Algorithm 5", "rows aggregated into tasks", SPTRSV_DEVICE, 0, "", SPTRSV_REALS},
  TUNED | REPORTS, nullptr, create, pass, nullptr, describe, destroy};
/* clang-format on */
