/* Tasks on the device: chunks, the size of tasks by measurement, streams and events. */
#include <algorithm>
#include <cstdio>
#include "tasks.cuh"

namespace {

using namespace sptrsv;

__global__ void nothing_kernel()
{}

SptrsvStatus upload_chunks(SptrsvMemory *memory, SptrsvMemory *scratch, TaskPlan *plan)
{
  const int  chunks = plan->first_chunk[plan->tasks];
  TaskChunk *chunk;

  SPTRSV_TRY(sptrsvHostNew(scratch, chunks, &chunk));
  for (int k = 0, c = 0; k < plan->tasks; k++) {
    const int end = plan->first[k + 1];

    for (int first = plan->first[k]; first < end; first += TASK_ROWS)
      chunk[c++] = {first, std::min(first + TASK_ROWS, end), end, plan->tracked[k]};
  }
  return sptrsvUpload(memory, chunk, chunks, &plan->range.chunk);
}

/* Streams for the queues in use, events for tasks that other queues wait for and for the last task of each queue */
SptrsvStatus create_streams(SptrsvMemory *memory, TaskPlan *plan)
{
  int last[SPTRSV_QUEUES];

  SPTRSV_TRY(sptrsvHostNew(memory, plan->tasks, &plan->done));
  std::fill_n(last, (int)SPTRSV_QUEUES, -1);
  for (int k = 0; k < plan->tasks; k++) last[plan->queue[k]] = k;
  const auto event = [](cudaEvent_t *e) { return *e ? cudaSuccess : cudaEventCreateWithFlags(e, cudaEventDisableTiming); };
  for (int q = 1; q < SPTRSV_QUEUES; q++) {
    if (last[q] < 0) continue;
    SPTRSV_CUDA(cudaStreamCreateWithFlags(&plan->stream[q], cudaStreamNonBlocking));
    SPTRSV_CUDA(event(&plan->begin));
    SPTRSV_CUDA(event(&plan->done[last[q]]));
  }
  for (int k = 0; k < plan->tasks; k++) {
    for (int q = 0; q < SPTRSV_QUEUES; q++) {
      if (plan->after[k][q] >= 0 && q != plan->queue[k]) SPTRSV_CUDA(event(&plan->done[plan->after[k][q]]));
    }
  }
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsv::task_size(double ratio, int resident, int rows, float run_ms, int *size)
{
  const int    launches = 64;
  const double least = (double)resident * TASK_WARPS, most = SPTRSV_MOST; /* Equation 1: a row to every warp that fits */
  const auto   empty = [=] {
    for (int k = 0; k < launches; k++) SPTRSV_CUDA(launch(nothing_kernel, 1, WARP, nullptr));
    return SPTRSV_SUCCESS;
  };
  float launch_ms;

  SPTRSV_TRY(measure(empty, &launch_ms));
  /* Equation 2: S = R T_l / T_u */
  const double times = (ratio > 0 ? ratio : 1) * (launch_ms / launches) / (run_ms / rows);

  *size = (int)std::max(least, times < most ? times : most);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsv::task_plan_create(SptrsvMemory *memory, SptrsvMemory *scratch, int size, int resident, TaskPlan *plan)
{
  plan->size     = size;
  plan->resident = resident;
  SPTRSV_TRY(sptrsvHostNew(memory, plan->tasks + 1, &plan->first_chunk));
  for (int k = 0; k < plan->tasks; k++)
    plan->first_chunk[k + 1] = plan->first_chunk[k] + (plan->first[k + 1] - plan->first[k] + TASK_ROWS - 1) / TASK_ROWS;
  SPTRSV_TRY(upload_chunks(memory, scratch, plan));
  SPTRSV_TRY(create_streams(memory, plan));
  return tickets_create(memory, 0, 0, &plan->range.tickets, plan->tasks); /* task_plan_start() says how much work a task has */
}

void sptrsv::task_plan_destroy(TaskPlan *plan)
{
  for (int k = 0; plan->done && k < plan->tasks; k++) {
    if (plan->done[k]) (void)cudaEventDestroy(plan->done[k]);
  }
  if (plan->begin) (void)cudaEventDestroy(plan->begin);
  for (cudaStream_t s : plan->stream) {
    if (s) (void)cudaStreamDestroy(s);
  }
}

void sptrsv::task_plan_describe(const TaskPlan &plan, const SptrsvTaskOptions &options, char *text, size_t length)
{
  (void)snprintf(text, length, "%s, %d tasks in %d levels, of %d rows%s, %.3g %% of rows in tasks without inner dependencies",
                 options.policy == SPTRSV_TASKS_LOCALITY ? "locality-aware" : "concurrency-aware", plan.tasks, plan.depth, plan.size,
                 options.size ? "" : " by Equations 1 and 2", plan.rows ? 100.0 * plan.untracked / plan.rows : 0);
}
