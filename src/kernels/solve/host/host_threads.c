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
  SptrsvOrdered o;         /* in level order */
  int          *from, *to; /* [n] places in b and out */
  void         *values, *reciprocal, *x;
  const void   *given; /* the caller's values */
  bool          taken; /* `values` and `reciprocal` are up to date: in the first solve after an update all threads copy them */
  const void   *b;     /* of the solve under way */
  void         *out;
} Threads;

#define FUNCTIONS "solve/host/host_threads.inc"
#include "../../both_types.h"

/* `host` takes the entries of an upper row from left to right, an SptrsvOrdered from right to left */
static void turn_rows(SptrsvOrdered *o)
{
  for (int r = 0; r < o->n; r++) {
    for (int left = o->row_ptr[r], right = o->row_ptr[r + 1] - 1; left < right; left++, right--) {
      const int col = o->col_idx[left], source = o->source[left];

      o->col_idx[left]  = o->col_idx[right];
      o->source[left]   = o->source[right];
      o->col_idx[right] = col;
      o->source[right]  = source;
    }
  }
}

/* Rows and entries from row begin to row end */
static int64_t cost(const SptrsvOrdered *o, int begin, int end)
{
  return (int64_t)end - begin + o->row_ptr[end] - o->row_ptr[begin];
}

/* Number of threads that this level has work for */
static int helpers_for(const SptrsvOrdered *o, const int *level_ptr, int level, int entries, int threads)
{
  const int64_t helpers = cost(o, level_ptr[level], level_ptr[level + 1]) / entries;

  return helpers < 1 ? 1 : helpers < threads ? (int)helpers : threads;
}

/* Cuts the rows of a level into shares of about the same cost; the other threads have none */
static void cut_level(const SptrsvOrdered *o, int begin, int end, int shares, int threads, int *cut)
{
  const int64_t all = cost(o, begin, end);
  int           row = begin;

  for (int k = 0; k <= threads; k++) {
    while (row < end && (k >= shares || cost(o, begin, row) * shares < all * k)) row++;
    cut[k] = row;
  }
}

/* Consecutive levels with work for one thread only are one step.  Counts the steps, and fills h->cut unless it is NULL. */
static void cut_steps(Threads *h, const int *level_ptr, int entries)
{
  const size_t stride = (size_t)h->threads + 1;
  bool         alone  = false; /* the last step so far is one thread's */

  h->steps = h->shared = 0;
  for (int l = 0; l < h->levels; l++) {
    const int  helpers = helpers_for(&h->o, level_ptr, l, entries, h->threads);
    const bool goes_on = helpers == 1 && alone;

    if (h->cut && goes_on) {
      for (size_t k = 1; k < stride; k++) h->cut[(size_t)(h->steps - 1) * stride + k] = level_ptr[l + 1];
    } else if (h->cut) cut_level(&h->o, level_ptr[l], level_ptr[l + 1], helpers, h->threads, h->cut + (size_t)h->steps * stride);
    h->steps += !goes_on;
    h->shared += helpers > 1;
    alone = helpers == 1;
  }
}

static SptrsvStatus places(int n, const int *row, const int32_t *perm, int **place)
{
  SPTRSV_TRY(sptrsvNew(n, place));
  for (int r = 0; r < n; r++) (*place)[r] = perm ? perm[row[r]] : row[r];
  return SPTRSV_SUCCESS;
}

/* The number of threads that the widest level has work for, at most the number asked for */
static SptrsvStatus arrange(SptrsvPlan plan, Threads *h, const int *level_ptr)
{
  const SptrsvPlanOptions *options = &plan->options;
  const int                entries = options->tuning.host.threads_entries ? options->tuning.host.threads_entries : ENTRIES_PER_THREAD;
  const int                most    = options->tuning.host.threads ? options->tuning.host.threads : sptrsvProcessors();

  h->threads = 1;
  for (int l = 0; l < h->levels; l++) {
    const int helpers = helpers_for(&h->o, level_ptr, l, entries, most);

    if (helpers > h->threads) h->threads = helpers;
  }
  cut_steps(h, level_ptr, entries);
  SPTRSV_TRY(sptrsvNew((size_t)h->steps * (size_t)(h->threads + 1), &h->cut));
  cut_steps(h, level_ptr, entries);
  return sptrsvTeamCreate(h->threads, &h->team);
}

static SptrsvStatus build(SptrsvPlan plan)
{
  const size_t       size  = sptrsvValueSize(plan->options.type);
  const bool         turns = plan->options.triangle == SPTRSV_UPPER && plan->options.op == SPTRSV_NON_TRANSPOSE;
  const SptrsvSweep *sweep;
  Threads           *h;
  int               *level_ptr;
  SptrsvStatus       status;

  SPTRSV_TRY(sptrsvNew(1, &h));
  plan->data = h;
  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &h->o));
  h->n = h->o.n;
  if (turns) turn_rows(&h->o);
  SPTRSV_TRY(sptrsvOrderedByLevel(&h->o, sweep->level, &h->levels, &level_ptr));
  status = arrange(plan, h, level_ptr);
  free(level_ptr);
  SPTRSV_TRY(status);
  SPTRSV_TRY(places(h->n, h->o.row, plan->options.in_perm, &h->from));
  SPTRSV_TRY(places(h->n, h->o.row, plan->options.out_perm, &h->to));
  SPTRSV_TRY(sptrsvAllocate((size_t)h->o.nnz, size, &h->values));
  SPTRSV_TRY(sptrsvAllocate((size_t)h->n, size, &h->reciprocal));
  SPTRSV_TRY(sptrsvAllocate((size_t)h->n, size, &h->x));
  plan->host_bytes += (size_t)h->steps * (size_t)(h->threads + 1) * sizeof(int) +
                      ((size_t)5 * h->n + 1 + (size_t)2 * h->o.nnz) * sizeof(int) + ((size_t)2 * h->n + (size_t)h->o.nnz) * size;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  Threads *h = (Threads *)plan->data;

  (void)stream;
  h->given = values;
  h->taken = false;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus solve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  Threads *h = (Threads *)plan->data;

  (void)stream;
  h->b   = b;
  h->out = x;
  sptrsvTeamRun(h->team, plan->options.type == SPTRSV_DOUBLE ? work_double : work_float, plan);
  h->taken = true;
  return SPTRSV_SUCCESS;
}

static void describe(SptrsvPlan plan, char *text, size_t size)
{
  const Threads *h = (const Threads *)plan->data;

  (void)snprintf(text, size, "%d thread%s, %d levels in %d steps, of which %d are shared", h->threads, h->threads == 1 ? "" : "s",
                 h->levels, h->steps, h->shared);
}

static void destroy(SptrsvPlan plan)
{
  Threads *h = (Threads *)plan->data;

  sptrsvTeamDestroy(h->team);
  sptrsvOrderedFree(&h->o);
  free(h->cut);
  free(h->from);
  free(h->to);
  free(h->values);
  free(h->reciprocal);
  free(h->x);
}

const SptrsvMethod sptrsvHostThreads = {{"host-threads", "level scheduling (Anderson and Saad)",
                                         "levels on the CPU's threads, small ones together on one", SPTRSV_HOST, 0},
                                        build,
                                        update,
                                        solve,
                                        describe,
                                        destroy};

SptrsvTeam sptrsvHostThreadsTeam(SptrsvPlan plan)
{
  return plan->method == &sptrsvHostThreads ? ((const Threads *)plan->data)->team : NULL;
}
