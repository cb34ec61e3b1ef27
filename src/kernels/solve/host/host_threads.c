/* `host-threads`: levels on threads.  See doc/algorithms/host-threads.md.

   Rows are in level order.  A step is a level whose rows the threads share, or a run of levels too small for that, which one thread solves
   row after row; between steps is a barrier.  Sums are formed in the order of `host`, so both give the same bits. */
#include <stdio.h>
#include <stdlib.h>
#include "team.h"

enum { ENTRIES_PER_THREAD = 2048 }; /* some microseconds of work; a barrier takes one */

typedef struct {
  SptrsvTeam    team;
  int           n, threads, levels, steps, shared;
  int          *cut;       /* [steps][threads + 1] rows of each thread */
  SptrsvOrdered ordered;   /* in level order */
  int          *from, *to; /* [n] positions in b and out */
  void         *values, *reciprocal, *x;
  const void   *given; /* the caller's values */
  bool          taken; /* `values` and `reciprocal` are up to date: in the first solve after an update all threads copy them */
  const void   *b;     /* of the solve under way */
  void         *out;
} ThreadsPlan;

#define FUNCTIONS "solve/host/host_threads.inc"
#include "../../both_types.h"

/* Counts rows and entries from row begin to row end */
static int64_t cost(const SptrsvOrdered *ordered, int begin, int end)
{
  return (int64_t)end - begin + ordered->row_ptr[end] - ordered->row_ptr[begin];
}

/* Returns the number of threads that this level has work for */
static int helpers_for(const SptrsvOrdered *ordered, const int *level_ptr, int level, int entries, int threads)
{
  const int64_t helpers = cost(ordered, level_ptr[level], level_ptr[level + 1]) / entries;

  return helpers < 1 ? 1 : helpers < threads ? (int)helpers : threads;
}

/* Cuts the rows of a level into shares of about the same cost; the other threads have none */
static void cut_level(const SptrsvOrdered *ordered, int begin, int end, int shares, int threads, int *cut)
{
  const int64_t all = cost(ordered, begin, end);
  int           row = begin;

  for (int k = 0; k <= threads; k++) {
    while (row < end && (k >= shares || cost(ordered, begin, row) * shares < all * k)) row++;
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
    const int  helpers = helpers_for(&data->ordered, level_ptr, l, entries, data->threads);
    const bool goes_on = helpers == 1 && alone;

    if (data->cut && goes_on) {
      for (size_t k = 1; k < stride; k++) data->cut[(size_t)(data->steps - 1) * stride + k] = level_ptr[l + 1];
    } else if (data->cut)
      cut_level(&data->ordered, level_ptr[l], level_ptr[l + 1], helpers, data->threads, data->cut + (size_t)data->steps * stride);
    data->steps += !goes_on;
    data->shared += helpers > 1;
    alone = helpers == 1;
  }
}

static SptrsvStatus positions(int n, const int *row, const int32_t *perm, int **position)
{
  SPTRSV_TRY(sptrsvNew(n, position));
  for (int r = 0; r < n; r++) (*position)[r] = perm ? perm[row[r]] : row[r];
  return SPTRSV_SUCCESS;
}

/* Sets the number of threads to what the widest level has work for, at most the number asked for */
static SptrsvStatus arrange(SptrsvPlan plan, ThreadsPlan *data, const int *level_ptr)
{
  const SptrsvPlanOptions *options = &plan->options;
  const int                entries = options->tuning.host.threads_entries ? options->tuning.host.threads_entries : ENTRIES_PER_THREAD;
  const int                most    = options->tuning.host.threads ? options->tuning.host.threads : sptrsvProcessors();

  data->threads = 1;
  for (int l = 0; l < data->levels; l++) {
    const int helpers = helpers_for(&data->ordered, level_ptr, l, entries, most);

    if (helpers > data->threads) data->threads = helpers;
  }
  cut_steps(data, level_ptr, entries);
  SPTRSV_TRY(sptrsvNew((size_t)data->steps * (size_t)(data->threads + 1), &data->cut));
  cut_steps(data, level_ptr, entries);
  return sptrsvTeamGet(data->threads, &data->team);
}

static SptrsvStatus build(SptrsvPlan plan)
{
  const size_t       size = sptrsvValueSize(plan->options.type);
  const SptrsvSweep *sweep;
  ThreadsPlan       *data;
  int               *level_ptr;
  SptrsvStatus       status;

  SPTRSV_TRY(sptrsvNew(1, &data));
  plan->data = data;
  SPTRSV_TRY(sptrsvAnalysisLevels(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &data->ordered));
  data->n = data->ordered.n;
  SPTRSV_TRY(sptrsvOrderedByLevel(&data->ordered, sweep->level, &data->levels, &level_ptr));
  status = arrange(plan, data, level_ptr);
  free(level_ptr);
  SPTRSV_TRY(status);
  SPTRSV_TRY(positions(data->n, data->ordered.row, plan->options.in_perm, &data->from));
  SPTRSV_TRY(positions(data->n, data->ordered.row, plan->options.out_perm, &data->to));
  SPTRSV_TRY(sptrsvAllocate((size_t)data->ordered.nnz, size, &data->values));
  SPTRSV_TRY(sptrsvAllocate((size_t)data->n, size, &data->reciprocal));
  SPTRSV_TRY(sptrsvAllocate((size_t)data->n, size, &data->x));
  plan->host_bytes += (size_t)data->steps * (size_t)(data->threads + 1) * sizeof(int) +
                      ((size_t)5 * data->n + 1 + (size_t)2 * data->ordered.nnz) * sizeof(int) +
                      ((size_t)2 * data->n + (size_t)data->ordered.nnz) * size;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  ThreadsPlan *data = (ThreadsPlan *)plan->data;

  (void)stream;
  data->given = values;
  data->taken = false;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus solve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  ThreadsPlan *data = (ThreadsPlan *)plan->data;

  (void)stream;
  data->b   = b;
  data->out = x;
  sptrsvTeamRun(data->team, true, plan->options.type == SPTRSV_DOUBLE ? work_double : work_float, plan);
  data->taken = true;
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
  ThreadsPlan *data = (ThreadsPlan *)plan->data;

  sptrsvTeamRelease(data->team);
  sptrsvOrderedFree(&data->ordered);
  free(data->cut);
  free(data->from);
  free(data->to);
  free(data->values);
  free(data->reciprocal);
  free(data->x);
}

/* clang-format off */
const SptrsvMethod sptrsvHostThreads = {
  {"host-threads", "level scheduling (Anderson and Saad)",
   "levels on the CPU's threads, small ones together on one", SPTRSV_HOST, 0, "", SPTRSV_REALS},
  build, update, solve, describe, destroy, NULL, NULL, NULL};
/* clang-format on */

SptrsvTeam sptrsvHostThreadsTeam(SptrsvPlan plan)
{
  return plan->method == &sptrsvHostThreads ? ((const ThreadsPlan *)plan->data)->team : NULL;
}
