/* `host-threads`: levels on threads.  See doc/algorithms/host-threads.md.

   Rows are in level order.  A step is a level whose rows the threads share, or a run of levels too small for that, which one thread solves
   row after row; between steps is a barrier. */
#include <stdio.h>
#include "host_rows.h"
#include "team.h"

enum { ENTRIES_PER_THREAD = 2048 }; /* some microseconds of work; a barrier takes one */

typedef struct {
  SptrsvHostRows stored; /* in level order */
  SptrsvTeam     team;
  int            threads, levels, steps, shared;
  int           *cut; /* [steps][threads + 1] rows of each thread */
} ThreadsPlan;

/* Counts rows and entries from row begin to row end */
static int64_t cost(const SptrsvHostRows *stored, int begin, int end)
{
  return (int64_t)end - begin + stored->row_ptr[end] - stored->row_ptr[begin];
}

/* Returns the number of threads that this level has work for */
static int helpers_for(const SptrsvHostRows *stored, const int *level_ptr, int level, int entries, int threads)
{
  const int64_t helpers = cost(stored, level_ptr[level], level_ptr[level + 1]) / entries;

  return helpers < 1 ? 1 : helpers < threads ? (int)helpers : threads;
}

/* Cuts the rows of a level into shares of about the same cost; the other threads have none */
static void cut_level(const SptrsvHostRows *stored, int begin, int end, int shares, int threads, int *cut)
{
  const int64_t all = cost(stored, begin, end);
  int           row = begin;

  for (int k = 0; k <= threads; k++) {
    while (row < end && (k >= shares || cost(stored, begin, row) * shares < all * k)) row++;
    cut[k] = row;
  }
}

/* Consecutive levels with work for one thread only are one step.  Counts the steps, and fills data->cut unless it is NULL. */
static void cut_steps(ThreadsPlan *data, const int *level_ptr, int entries)
{
  const size_t stride = (size_t)data->threads + 1;
  bool         alone  = false; /* the last step so far is one thread's */

  data->steps = data->shared = 0;
  for (int l = 0; l < data->levels; l++) {
    const int  helpers = helpers_for(&data->stored, level_ptr, l, entries, data->threads);
    const bool goes_on = helpers == 1 && alone;

    if (data->cut && goes_on) {
      for (size_t k = 1; k < stride; k++) data->cut[(size_t)(data->steps - 1) * stride + k] = level_ptr[l + 1];
    } else if (data->cut)
      cut_level(&data->stored, level_ptr[l], level_ptr[l + 1], helpers, data->threads, data->cut + (size_t)data->steps * stride);
    data->steps += !goes_on;
    data->shared += helpers > 1;
    alone = helpers == 1;
  }
}

/* Sets the number of threads to what the widest level has work for, at most the number asked for */
static SptrsvStatus arrange(SptrsvPlan plan, ThreadsPlan *data, const int *level_ptr)
{
  const SptrsvPlanOptions *options = &plan->options;
  const int                entries = options->tuning.host.threads_entries ? options->tuning.host.threads_entries : ENTRIES_PER_THREAD;
  const int                most    = options->tuning.host.threads ? options->tuning.host.threads : sptrsvProcessors();

  data->threads = 1;
  for (int l = 0; l < data->levels; l++) {
    const int helpers = helpers_for(&data->stored, level_ptr, l, entries, most);

    if (helpers > data->threads) data->threads = helpers;
  }
  cut_steps(data, level_ptr, entries);
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, (size_t)data->steps * (size_t)(data->threads + 1), &data->cut));
  cut_steps(data, level_ptr, entries);
  return sptrsvTeamGet(data->threads, &data->team);
}

static SptrsvStatus build(SptrsvPlan plan)
{
  const SptrsvSweep *sweep;
  ThreadsPlan       *data = (ThreadsPlan *)plan->data;
  int               *order;

  SPTRSV_TRY(sptrsvAnalysisLevels(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(sptrsvHostRowsFind(plan, &data->stored));
  SPTRSV_TRY(sptrsvLevelOrder(sweep, NULL, &plan->scratch, &order));
  for (int r = 0; r < data->stored.rows.n; r++) order[r] = sptrsvRow(&data->stored.rows, order[r]); /* finds r of a row, too */
  SPTRSV_TRY(sptrsvHostRowsOrder(plan, order, false, &data->stored));
  data->levels = (int)sweep->statistics.levels;
  return arrange(plan, data, sweep->level_ptr);
}

static void work(void *context, int me, int members)
{
  ThreadsPlan *data = (ThreadsPlan *)context;

  if (members == 1) {
    sptrsvHostRowsSolve(&data->stored, 0, data->stored.rows.n);
    return;
  }
  for (int k = 0; k < data->steps; k++) {
    const int *cut = data->cut + (size_t)k * (size_t)(data->threads + 1);

    if (k) sptrsvTeamBarrier(data->team);
    sptrsvHostRowsSolve(&data->stored, cut[me], cut[me + 1]);
  }
}

static SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  (void)stream;
  ((ThreadsPlan *)plan->data)->stored.given = values;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  ThreadsPlan *data = (ThreadsPlan *)plan->data;

  data->stored.b = s->b;
  data->stored.x = s->x;
  sptrsvTeamRun(data->team, true, work, data);
  data->stored.given = NULL;
  return SPTRSV_SUCCESS;
}

static void describe(SptrsvPlan plan, char *text, size_t size)
{
  const ThreadsPlan *data = (const ThreadsPlan *)plan->data;

  if (data->threads == 1) {
    (void)snprintf(text, size, "1 thread, %d levels, too few processors or entries in a level for more", data->levels);
  } else {
    (void)snprintf(text, size, "%d threads, %d levels in %d steps, of which %d are shared%s", data->threads, data->levels, data->steps,
                   data->shared, sptrsvTeamHasThreads(data->team) ? "" : ", " SPTRSV_NO_THREADS);
  }
}

static void destroy(SptrsvPlan plan)
{
  sptrsvTeamRelease(((ThreadsPlan *)plan->data)->team);
}

/* clang-format off */
const SptrsvMethod sptrsvHostThreads = {
  {"host-threads", "level scheduling (Anderson and Saad)",
   "levels on the CPU's threads, small ones together on one", SPTRSV_HOST, SPTRSV_BLOCKS, "", SPTRSV_ALL_VALUES},
  sizeof(ThreadsPlan), build, update, solve, describe, destroy, NULL, NULL, NULL};
/* clang-format on */

SptrsvTeam sptrsvHostThreadsTeam(SptrsvPlan plan)
{
  return plan->method == &sptrsvHostThreads ? ((const ThreadsPlan *)plan->data)->team : NULL;
}
