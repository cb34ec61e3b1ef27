/*
   Tasks on the device, Helal et al. (ATA): what the kernels of sweeps (ata.cu) and of the factorization (factor/ilu0_tasks.cu) share.

   A task is a launch, and streams wait for the tasks that a task needs (the coarse dependencies).  It is cut into chunks, in SET order,
   which blocks take by ticket, so every row of the task that a row needs belongs to the same or an earlier chunk (the fine dependencies).
*/
#pragma once
#include <functional>
#include "../device/tickets.cuh"

namespace sptrsv {

constexpr int TASK_WARPS = 4;  /* of a block */
constexpr int TASK_ROWS  = 16; /* of a chunk at most, one after the other for each of the block's warps */

struct TaskChunk {
  int  first, end; /* its rows, as places */
  int  task_end;   /* where its task ends */
  bool tracked;    /* rows of its task need each other */
};

/* The chunks of one task, or of all */
struct TaskRange {
  Tickets          tickets;
  const TaskChunk *chunk;
};

/* A plan's tasks.  Zeroed before it is created; to be destroyed after a failure, too. */
struct TaskPlan {
  TaskRange     range;                                         /* all tasks, a counter for each */
  int           rows, tasks, depth, untracked, size, resident; /* rows asked of a task; blocks that fit on the GPU */
  size_t        host_bytes;
  int          *first_chunk, *queue;   /* host [tasks + 1], [tasks] */
  SptrsvQueues *after;                 /* host [tasks] */
  cudaStream_t  stream[SPTRSV_QUEUES]; /* that of queue 0 is the caller's */
  cudaEvent_t   begin, *done;          /* [tasks] of tasks for which another stream waits, else NULL */
};

/* Takes some of the arrays of `tasks` over; allocates the counters of tickets last */
SptrsvStatus task_plan_create(SptrsvTasks *tasks, int size, int resident, TaskPlan *p, size_t *total);
void         task_plan_destroy(TaskPlan *p);
void         task_plan_describe(const TaskPlan &p, const SptrsvTaskOptions &options, char *text, size_t length);

/* Starts all tasks: launch(range, blocks, stream) does it for some.  After a failure those that were started have ended, and the tickets
   of tasks may be out of step, which matters if they use halves in turn: task_plan_rewind(), when none runs. */
using TaskLaunch = std::function<cudaError_t(const TaskRange &, int, cudaStream_t)>;
SptrsvStatus task_plan_run(const TaskPlan &p, cudaStream_t stream, const TaskLaunch &launch);
SptrsvStatus task_plan_rewind(const TaskPlan &p);

/* Rows of a task: as the options say, or max of Equation 1 (resident blocks) and 2.  run: does `rows` rows without tracking, to be timed */
SptrsvStatus task_size(const SptrsvTaskOptions &options, int resident, int rows, const std::function<SptrsvStatus()> &run, int *size);

} // namespace sptrsv
