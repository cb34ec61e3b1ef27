/*
   Tasks on the device, Helal et al. (ATA): what the kernels of sweeps (ata.cu) and of the factorization (factor/ilu0_tasks.cu) share.

   A task is cut into chunks, in SET order.  Blocks take chunks by ticket, so inside a task every row that a row needs belongs to the same
   or an earlier chunk (the fine dependencies).  The coarse ones are up to the form: with tickets one launch has the chunks of all tasks,
   and a block waits until the tasks before its own are done; with streams each task is a launch, and the streams wait.
*/
#pragma once
#include <functional>
#include "../device/tickets.cuh"

namespace sptrsv {

constexpr int TASK_WARPS = 4;  /* of a block */
constexpr int TASK_ROWS  = 16; /* of a chunk at most, one after the other for each of the block's warps */

struct TaskChunk {
  int          first, end; /* its rows, as places */
  int          task_end;   /* where its task ends */
  int          task;
  bool         tracked; /* rows of its task need each other */
  unsigned     opens;   /* the task's first chunk: number of its chunks; others: 0 */
  SptrsvQueues after;
};

/* What a launch works on */
struct TaskRange {
  Tickets          tickets;
  const TaskChunk *chunk;
  unsigned        *left; /* [2][tasks] chunks that are not done; NULL: who launches waits */
  int              tasks;
};

/* Waits for the tasks that a chunk comes after; false: gave up.  All threads of a block together.  The wait ends: earlier tasks have all
   their chunks under earlier tickets.  What was done in them is seen, since each of their blocks said so by a release after a barrier. */
__device__ __forceinline__ bool begin_chunk(const TaskRange &t, unsigned c, BlockTurn &turn)
{
  __shared__ bool reached;

  if (!t.left) return true;
  if (threadIdx.x < WARP) {
    const int needed = threadIdx.x < SPTRSV_QUEUES ? t.chunk[c].after[threadIdx.x] : -1;
    bool      there  = true;

    if (needed >= 0) there = await_zero(t.left + (size_t)turn.parity * t.tasks + needed, turn);
    __syncwarp();
    const bool missing = __any_sync(ALL_LANES, !there);
    if (!threadIdx.x) reached = !missing;
  }
  __syncthreads();
  return reached;
}

/* Counts are set afresh for the next launch by whoever opens a task */
__device__ __forceinline__ void end_chunk(const TaskRange &t, const TaskChunk &chunk, const BlockTurn &turn)
{
  if (!t.left) return;
  __syncthreads();
  if (threadIdx.x) return;
  if (chunk.opens) t.left[(size_t)(1 - turn.parity) * t.tasks + chunk.task] = chunk.opens;
  subtract_release(t.left + (size_t)turn.parity * t.tasks + chunk.task, 1);
}

/* A plan's tasks.  Zeroed before it is created; to be destroyed after a failure, too. */
struct TaskPlan {
  TaskRange      range; /* all of it, for one launch */
  SptrsvTaskForm form;
  int            rows, tasks, depth, untracked, size, resident; /* rows asked of a task; blocks that fit on the GPU */
  size_t         host_bytes;
  /* Streams; on the host */
  int          *first_chunk, *queue;   /* [tasks + 1], [tasks] */
  SptrsvQueues *after;                 /* [tasks] */
  cudaStream_t  stream[SPTRSV_QUEUES]; /* that of queue 0 is the caller's */
  cudaEvent_t   begin, *done;          /* [tasks] of tasks for which another stream waits, else NULL */
};

/* Takes some of the arrays of `tasks` over; allocates the counter of tickets last */
SptrsvStatus task_plan_create(SptrsvTasks *tasks, SptrsvTaskForm form, int size, int resident, TaskPlan *p, size_t *total);
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
