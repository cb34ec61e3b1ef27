/*
   Tasks on the device, Helal et al. (ATA): what the kernels of sweeps (ata.cu) and of the factorization (factor.cu)
   share.

   A task is a launch, and streams wait for the tasks that a task needs (the coarse dependencies).  It is cut into chunks, in SET order,
   which blocks take by ticket, so every row of the task that a row needs belongs to the same or an earlier chunk (the fine dependencies).
*/
#pragma once
#include <algorithm>
#include "../../device/scratch.cuh"
#include "../../device/tickets.cuh"
#include "tasks.h"

namespace sptrsv {

constexpr int TASK_WARPS = 4;  /* of a block */
constexpr int TASK_ROWS  = 16; /* of a chunk at most, one after the other for each of the block's warps */

/* Rows by their position in the order of the tasks */
struct TaskChunk {
  int  first, end;
  int  task_end; /* where its task ends */
  bool tracked;  /* rows of its task need each other */
};

/* The chunks of one task, or of all */
struct TaskRange {
  Tickets          tickets;
  const TaskChunk *chunk;
};

/* A plan's tasks.  Zeroed before they are created; to be destroyed after a failure, too */
struct TaskPlan : SptrsvTasks {
  TaskRange    range;                 /* all tasks, a counter for each */
  int          size, resident;        /* rows asked of a task; blocks that fit on the GPU */
  int         *first_chunk;           /* host [tasks + 1] */
  cudaStream_t stream[SPTRSV_QUEUES]; /* that of queue 0 is the caller's */
  cudaEvent_t  begin, *done;          /* [tasks] of tasks for which another stream waits, else NULL */
};

/* What follows from the tasks, in the same memories.  task_plan_destroy() frees all else. */
SptrsvStatus task_plan_create(SptrsvMemory *memory, SptrsvMemory *scratch, int size, int resident, TaskPlan *plan);
void         task_plan_destroy(TaskPlan *plan);
void         task_plan_describe(const TaskPlan &plan, const SptrsvTaskOptions &options, char *text, size_t length);

/* Capturing the caller's stream captures all of it: events fork the other streams from it and join them with it */
template <class F> SptrsvStatus task_plan_start(const TaskPlan &plan, cudaStream_t stream, const F &launch)
{
  cudaStream_t in[SPTRSV_QUEUES] = {stream};
  int          last[SPTRSV_QUEUES];

  std::fill_n(last, (int)SPTRSV_QUEUES, -1);
  if (plan.begin) SPTRSV_CUDA(cudaEventRecord(plan.begin, stream));
  for (int q = 1; q < SPTRSV_QUEUES; q++) {
    in[q] = plan.stream[q];
    if (in[q]) SPTRSV_CUDA(cudaStreamWaitEvent(in[q], plan.begin, 0));
  }
  for (int k = 0; k < plan.tasks; k++) {
    const int q = plan.queue[k], first = plan.first_chunk[k], chunks = plan.first_chunk[k + 1] - first;
    TaskRange range = plan.range;

    for (int other = 0; other < SPTRSV_QUEUES; other++) {
      if (other != q && plan.after[k][other] >= 0) SPTRSV_CUDA(cudaStreamWaitEvent(in[q], plan.done[plan.after[k][other]], 0));
    }
    range.chunk += first;
    range.tickets.counter += k;
    range.tickets.work  = (unsigned)chunks;
    range.tickets.warps = (unsigned)std::min(plan.resident, chunks);
    SPTRSV_CUDA(launch(range, (int)range.tickets.warps, in[q]));
    if (plan.done[k]) SPTRSV_CUDA(cudaEventRecord(plan.done[k], in[q]));
    last[q] = k;
  }
  for (int q = 1; q < SPTRSV_QUEUES; q++) {
    if (last[q] >= 0) SPTRSV_CUDA(cudaStreamWaitEvent(stream, plan.done[last[q]], 0));
  }
  return SPTRSV_SUCCESS;
}

/* Starts all tasks: launch(range, blocks, stream) starts one.  After a failure those that were started have ended, and tickets of tasks may
   be out of step, which matters if they use halves in turn: then counters are to be cleared, when none runs. */
template <class F> SptrsvStatus task_plan_run(const TaskPlan &plan, cudaStream_t stream, const F &launch)
{
  const SptrsvStatus status = plan.tasks ? task_plan_start(plan, stream, launch) : SPTRSV_SUCCESS;

  for (int q = 0; status && q < SPTRSV_QUEUES; q++) { /* they have not joined the caller's, which is that of the first queue */
    if (!q || plan.stream[q]) (void)cudaStreamSynchronize(q ? plan.stream[q] : stream);
  }
  return status;
}

/* Rows of a task by Equations 1 (resident blocks) and 2; run_ms: time of `rows` rows without tracking */
SptrsvStatus task_size(double ratio, int resident, int rows, float run_ms, int *size);

/* The same by a sample, run() of so many rows.  It leaves the waits out, so that what it computes does not matter */
template <class F> SptrsvStatus measure_size(double ratio, int resident, int rows, const F &run, int *size)
{
  const RacesIntended sample;
  float               run_ms;

  SPTRSV_TRY(measure(run, &run_ms));
  return task_size(ratio, resident, rows, run_ms, size);
}

} // namespace sptrsv
