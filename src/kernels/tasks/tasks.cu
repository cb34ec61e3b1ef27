/* Tasks on the device: chunks, the size of tasks by measurement, and who waits for whom when tasks are launched one by one. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include "tasks.cuh"

namespace {

using namespace sptrsv;

__global__ void nothing_kernel()
{}

/* Milliseconds of the GPU's time, by the second of two runs; in the legacy stream */
SptrsvStatus measure(const std::function<SptrsvStatus()> &run, cudaEvent_t begin, cudaEvent_t end, float *ms)
{
  for (int k = 0; k < 2; k++) {
    SPTRSV_CUDA(cudaEventRecord(begin, nullptr));
    SPTRSV_TRY(run());
    SPTRSV_CUDA(cudaEventRecord(end, nullptr));
    SPTRSV_CUDA(cudaEventSynchronize(end));
  }
  SPTRSV_CUDA(cudaEventElapsedTime(ms, begin, end));
  return SPTRSV_SUCCESS;
}

SptrsvStatus measure_launch_and_run(const std::function<SptrsvStatus()> &run, float *launch_ms, float *run_ms)
{
  const int    launches = 64;
  cudaEvent_t  event[2] = {};
  SptrsvStatus status   = SPTRSV_SUCCESS;

  for (cudaEvent_t &e : event) {
    if (!status) status = sptrsvCudaStatus(cudaEventCreateWithFlags(&e, cudaEventDefault));
  }
  const auto empty = [=] {
    for (int k = 0; k < launches; k++) SPTRSV_CUDA(launch(nothing_kernel, 1, WARP, nullptr));
    return SPTRSV_SUCCESS;
  };
  if (!status) status = measure(empty, event[0], event[1], launch_ms);
  if (!status) status = measure(run, event[0], event[1], run_ms);
  for (cudaEvent_t e : event) {
    if (e) (void)cudaEventDestroy(e);
  }
  if (!status) *launch_ms /= (float)launches;
  return status;
}

int chunks_of(const SptrsvTasks &t, int k)
{
  return (t.first[k + 1] - t.first[k] + TASK_ROWS - 1) / TASK_ROWS;
}

SptrsvStatus upload_chunks(const SptrsvTasks &t, TaskPlan *p, size_t *total)
{
  const int  chunks = p->first_chunk[t.tasks];
  TaskChunk *chunk;

  SPTRSV_TRY(sptrsvNew(chunks, &chunk));
  for (int k = 0, c = 0; k < t.tasks; k++) {
    const int end = t.first[k + 1];

    for (int first = t.first[k]; first < end; first += TASK_ROWS) chunk[c++] = {first, std::min(first + TASK_ROWS, end), end, t.tracked[k]};
  }
  const SptrsvStatus status = sptrsvUpload(chunk, (size_t)chunks * sizeof(*chunk), (void **)&p->range.chunk, total);
  free(chunk);
  return status;
}

/* Streams for the queues that are used, events for tasks that others wait for, and for the last one of each queue */
SptrsvStatus create_streams(TaskPlan *p)
{
  int last[SPTRSV_QUEUES];

  SPTRSV_TRY(sptrsvNew(p->tasks, &p->done));
  std::fill_n(last, (int)SPTRSV_QUEUES, -1);
  for (int k = 0; k < p->tasks; k++) last[p->queue[k]] = k;
  const auto event = [](cudaEvent_t *e) { return *e ? cudaSuccess : cudaEventCreateWithFlags(e, cudaEventDisableTiming); };
  for (int q = 1; q < SPTRSV_QUEUES; q++) {
    if (last[q] < 0) continue;
    SPTRSV_CUDA(cudaStreamCreateWithFlags(&p->stream[q], cudaStreamNonBlocking));
    SPTRSV_CUDA(event(&p->begin));
    SPTRSV_CUDA(event(&p->done[last[q]]));
  }
  for (int k = 0; k < p->tasks; k++) {
    for (int q = 0; q < SPTRSV_QUEUES; q++) {
      if (p->after[k][q] >= 0 && q != p->queue[k]) SPTRSV_CUDA(event(&p->done[p->after[k][q]]));
    }
  }
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsv::task_size(const SptrsvTaskOptions &options, int resident, int rows, const std::function<SptrsvStatus()> &run,
                               int *size)
{
  const double least = (double)resident * TASK_WARPS, most = SPTRSV_MOST; /* Equation 1: a row to every warp that fits */
  float        launch_ms, run_ms;

  *size = options.size;
  if (options.size) return SPTRSV_SUCCESS;
  SPTRSV_TRY(measure_launch_and_run(run, &launch_ms, &run_ms));
  /* Equation 2: S = R T_l / T_u */
  const double times = (options.ratio > 0 ? options.ratio : 1) * launch_ms / (run_ms / rows);

  *size = (int)std::max(least, times < most ? times : most);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsv::task_plan_create(SptrsvTasks *t, int size, int resident, TaskPlan *p, size_t *total)
{
  const size_t tasks = t->tasks;

  p->rows       = t->rows;
  p->tasks      = t->tasks;
  p->depth      = t->depth;
  p->untracked  = t->untracked;
  p->size       = size;
  p->resident   = resident;
  p->host_bytes = (tasks + 1) * sizeof(int) + tasks * (sizeof(int) + sizeof(SptrsvQueues) + sizeof(cudaEvent_t));
  SPTRSV_TRY(sptrsvNew(t->tasks + 1, &p->first_chunk));
  for (int k = 0; k < t->tasks; k++) p->first_chunk[k + 1] = p->first_chunk[k] + chunks_of(*t, k);
  SPTRSV_TRY(upload_chunks(*t, p, total));
  p->queue = t->queue;
  p->after = t->after;
  t->queue = nullptr;
  t->after = nullptr;
  SPTRSV_TRY(create_streams(p));
  return tickets_create(0, 0, &p->range.tickets, total, tasks); /* start() says how much work a task has */
}

void sptrsv::task_plan_destroy(TaskPlan *p)
{
  for (int k = 0; p->done && k < p->tasks; k++) {
    if (p->done[k]) (void)cudaEventDestroy(p->done[k]);
  }
  if (p->begin) (void)cudaEventDestroy(p->begin);
  for (cudaStream_t s : p->stream) {
    if (s) (void)cudaStreamDestroy(s);
  }
  free(p->done);
  free(p->first_chunk);
  free(p->queue);
  free(p->after);
  sptrsvDeviceFree((void *)p->range.chunk);
  tickets_destroy(&p->range.tickets);
}

/* Capturing the caller's stream captures all of it: the other streams join by events and come back */
static SptrsvStatus start(const TaskPlan &p, cudaStream_t stream, const TaskLaunch &launch)
{
  cudaStream_t in[SPTRSV_QUEUES] = {stream};
  int          last[SPTRSV_QUEUES];

  std::fill_n(last, (int)SPTRSV_QUEUES, -1);
  if (p.begin) SPTRSV_CUDA(cudaEventRecord(p.begin, stream));
  for (int q = 1; q < SPTRSV_QUEUES; q++) {
    in[q] = p.stream[q];
    if (in[q]) SPTRSV_CUDA(cudaStreamWaitEvent(in[q], p.begin, 0));
  }
  for (int k = 0; k < p.tasks; k++) {
    const int q = p.queue[k], first = p.first_chunk[k], chunks = p.first_chunk[k + 1] - first;
    TaskRange range = p.range;

    for (int other = 0; other < SPTRSV_QUEUES; other++) {
      if (other != q && p.after[k][other] >= 0) SPTRSV_CUDA(cudaStreamWaitEvent(in[q], p.done[p.after[k][other]], 0));
    }
    range.chunk += first;
    range.tickets.counter += k;
    range.tickets.work  = (unsigned)chunks;
    range.tickets.warps = (unsigned)std::min(p.resident, chunks);
    SPTRSV_CUDA(launch(range, (int)range.tickets.warps, in[q]));
    if (p.done[k]) SPTRSV_CUDA(cudaEventRecord(p.done[k], in[q]));
    last[q] = k;
  }
  for (int q = 1; q < SPTRSV_QUEUES; q++) {
    if (last[q] >= 0) SPTRSV_CUDA(cudaStreamWaitEvent(stream, p.done[last[q]], 0));
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsv::task_plan_run(const TaskPlan &p, cudaStream_t stream, const TaskLaunch &launch)
{
  const SptrsvStatus status = p.tasks ? start(p, stream, launch) : SPTRSV_SUCCESS;

  if (status) (void)cudaDeviceSynchronize(); /* no stream has come back to the caller's */
  return status;
}

SptrsvStatus sptrsv::task_plan_rewind(const TaskPlan &p)
{
  SPTRSV_CUDA(cudaMemset(p.range.tickets.counter, 0, (size_t)p.tasks * sizeof(*p.range.tickets.counter)));
  return SPTRSV_SUCCESS;
}

void sptrsv::task_plan_describe(const TaskPlan &p, const SptrsvTaskOptions &options, char *text, size_t length)
{
  char ratio[32] = "";

  if (!options.size) (void)snprintf(ratio, sizeof(ratio), " by Equations 1 and 2");
  (void)snprintf(text, length, "%s, %d tasks in %d levels, of %d rows%s, %.3g %% of rows in tasks without inner dependencies",
                 options.policy == SPTRSV_TASKS_LOCALITY ? "locality-aware" : "concurrency-aware", p.tasks, p.depth, p.size, ratio,
                 p.rows ? 100.0 * p.untracked / p.rows : 0);
}
