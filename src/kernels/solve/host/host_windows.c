/* `host-windows`: the host's fast sweep.  See doc/algorithms/host-windows.md.

   The order of a sweep is cut into windows of consecutive rows, and the rows of a window are taken level by level: they stay near each
   other in memory, but a row seldom needs the one just before it, so the processor works on several at a time.  Windows go to the threads
   in turn.  A chunk is a piece of a window with a flag: a thread that starts it waits for the chunks of other threads that it needs.
   Sums are formed in the order of `host`, so both give the same bits. */
#include <stdio.h>
#include "host_windows.h"

enum {
  MOST_THREADS = 64,
  LEAST_WORK   = 150000 /* rows + entries, about 100 us: waking a thread takes 5 or more */
};

/* The wait ends: the needed chunk is of an earlier window, and of all windows that are not finished the first waits for none. */
static void wait_for(const SptrsvWindows *data, int thread, int chunks, int *seen)
{
  for (int polls = 0; *seen < chunks; sptrsvTeamPause(&polls)) {
    *seen = atomic_load_explicit(&data->progress[thread].chunks, memory_order_acquire);
  }
}

static void work(void *context, int me, int members)
{
  SptrsvPlan          plan               = (SptrsvPlan)context;
  SptrsvWindows      *data               = (SptrsvWindows *)plan->data;
  const SptrsvChunks *chunks             = &data->chunks;
  int                 seen[MOST_THREADS] = {0};

  if (members == 1) {
    sptrsvHostRowsSolve(&data->stored, 0, data->stored.units.n);
    return;
  }
  for (int w = me; w < chunks->windows; w += data->threads) {
    for (int c = chunks->first[w]; c < chunks->first[w + 1]; c++) {
      for (int t = 0; t < data->threads; t++) wait_for(data, t, chunks->need[(size_t)c * (size_t)data->threads + (size_t)t], &seen[t]);
      sptrsvHostRowsSolve(&data->stored, chunks->begin[c], chunks->begin[c + 1]);
      atomic_store_explicit(&data->progress[me].chunks, c + 1, memory_order_release);
    }
  }
}

/* Sets the number of threads to what was asked for, or as many as the model finds busy most of the time */
static SptrsvStatus share(SptrsvPlan plan, SptrsvWindows *data)
{
  const int  asked = plan->options.tuning.host.threads;
  const bool once  = plan->analysis->icc0 && plan->options.tuning.host.storage == SPTRSV_STORED_ONCE;
  const bool small = ((double)data->stored.rows.n + (double)data->stored.nnz * data->stored.block) * data->stored.block < LEAST_WORK;
  int        most  = asked ? asked : small || once ? 1 : sptrsvProcessors();

  if (most > MOST_THREADS) most = MOST_THREADS;
  data->threads = 1;
  if (most > 1) {
    SPTRSV_TRY(sptrsvWindowsShare(&data->stored.units, most, asked, &plan->analysis->share, &plan->scratch, &data->threads, &data->window,
                                  &data->speedup));
  }
  const bool sums = data->stored.groups || data->stored.block > 2; /* several at a time, which are enough work */
  if (once || (data->threads == 1 && sums)) data->window = 1;
  else if (data->threads == 1) SPTRSV_TRY(sptrsvWindowsChoose(&data->stored.units, &plan->scratch, &data->window));
  if (plan->options.tuning.host.window) {
    data->window  = plan->options.tuning.host.window;
    data->speedup = 0; /* of another window */
  }
  return SPTRSV_SUCCESS;
}

static SptrsvStatus start_team(SptrsvPlan plan, SptrsvWindows *data, const int *order)
{
  if (data->threads == 1) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvChunksCreate(&data->stored.units, order, data->window, data->threads, &plan->memory, &data->chunks));
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, data->threads, &data->progress));
  if (!plan->options.tuning.host.threads) {
    SPTRSV_TRY(sptrsvHostPermutation(plan, plan->options.in_perm, &data->in));
    SPTRSV_TRY(sptrsvHostPermutation(plan, plan->options.out_perm, &data->out));
  }
  return sptrsvTeamGet(data->threads, &data->team);
}

static SptrsvStatus build(SptrsvPlan plan)
{
  SptrsvWindows *data = (SptrsvWindows *)plan->data;
  int           *order;

  SPTRSV_TRY(sptrsvHostRowsFind(plan, &data->stored));
  if (plan->options.tuning.host.storage != SPTRSV_STORED_ONCE) SPTRSV_TRY(sptrsvHostRowsGroup(plan, &data->stored));
  SPTRSV_TRY(share(plan, data));
  SPTRSV_TRY(sptrsvHostNew(&plan->scratch, data->stored.units.n, &order));
  SPTRSV_TRY(sptrsvWindowsOrder(&data->stored.units, data->window, order));
  SPTRSV_TRY(start_team(plan, data, order));
  SPTRSV_TRY(sptrsvHostRowsOrder(plan, order, data->window == 1, &data->stored));
  return sptrsvPairJoin(plan);
}

static SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  SptrsvWindows *data = (SptrsvWindows *)plan->data;

  data->stored.given = values;
  sptrsvPairUpdate(plan);
  return plan->part[0] ? sptrsvPlanUpdate(plan->part[0], values, stream) : SPTRSV_SUCCESS;
}

/* Solves by the team, or without it by the caller */
static void solve_rows(SptrsvPlan plan, SptrsvWindows *data, bool together)
{
  for (int t = 0; data->team && t < data->threads; t++) atomic_store_explicit(&data->progress[t].chunks, 0, memory_order_relaxed);
  sptrsvTeamRun(data->team, together, work, plan);
  data->stored.given = NULL;
}

/* The sweep in an order that suits one thread; NULL: there is no memory for it */
static SptrsvPlan alone(SptrsvPlan plan, const SptrsvWindows *data)
{
  SptrsvPlanOptions o = plan->options;

  if (plan->part[0]) return plan->part[0];
  o.tuning.host.threads = 1;
  o.in_perm             = data->in;
  o.out_perm            = data->out;
  if (!sptrsvPlanBuild(plan->analysis, &o, &plan->part[0])) (void)sptrsvPlanUpdate(plan->part[0], plan->values, NULL);
  return plan->part[0];
}

/* Solves by the team, or by one thread if that is faster now (pace.c) */
static SptrsvStatus solve_judged(SptrsvPlan plan, SptrsvWindows *data, const SptrsvSolve *s)
{
  const double begin    = sptrsvSeconds();
  const bool   together = sptrsvPaceTogether(&data->pace);
  SptrsvPlan   one      = together ? NULL : alone(plan, data);
  const bool   packs    = (one ? (SptrsvWindows *)one->data : data)->stored.given;

  if (one) SPTRSV_TRY(sptrsvSolve(one, s->b, s->x, NULL));
  else solve_rows(plan, data, together);
  sptrsvPaceCount(&data->pace, sptrsvSeconds() - begin, !packs);
  if (data->pace.way == SPTRSV_TOGETHER && !data->pace.away) (void)sptrsvPlanDestroy(&plan->part[0]);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  SptrsvWindows *data = (SptrsvWindows *)plan->data;

  data->stored.b = s->b;
  data->stored.x = s->x;
  if (data->team && !plan->options.tuning.host.threads) return solve_judged(plan, data, s);
  if (!sptrsvPairBegin(plan)) solve_rows(plan, data, true);
  sptrsvPairEnd(plan);
  return SPTRSV_SUCCESS;
}

static void describe_team(const SptrsvWindows *data, char *text, size_t size)
{
  const SptrsvPace *pace = &data->pace;

  if (!sptrsvTeamHasThreads(data->team)) sptrsvAppend(text, size, ", " SPTRSV_NO_THREADS);
  else if (pace->runs[SPTRSV_ALONE]) {
    sptrsvAppend(text, size, ", a sweep takes %.0f us; by one thread, which is %s, %.0f us", 1e6 * pace->seconds[SPTRSV_TOGETHER],
                 pace->way == SPTRSV_ALONE ? "used" : "not used", 1e6 * pace->seconds[SPTRSV_ALONE]);
  } else if (data->speedup > 0) sptrsvAppend(text, size, ", by the model %.1f times as fast as one", data->speedup);
}

static void describe(SptrsvPlan plan, char *text, size_t size)
{
  const SptrsvWindows *data   = (const SptrsvWindows *)plan->data;
  const SptrsvGroups  *groups = data->stored.groups;

  if (data->window == 1 && !data->team) (void)snprintf(text, size, "rows as they are");
  else (void)snprintf(text, size, "windows of %d %s", data->window, groups ? "groups" : "rows");
  if (groups) sptrsvAppend(text, size, ", %d rows in groups of %d", groups->rows, groups->least);
  if (groups && groups->most > groups->least) sptrsvAppend(text, size, " to %d", groups->most);
  sptrsvAppend(text, size, data->threads == 1 ? ", 1 thread" : ", %d threads", data->threads);
  if (data->team) describe_team(data, text, size);
  sptrsvPairDescribe(plan, text, size);
}

static void destroy(SptrsvPlan plan)
{
  (void)sptrsvPlanDestroy(&plan->part[0]);
  sptrsvPairLeave(plan);
  sptrsvTeamRelease(((SptrsvWindows *)plan->data)->team);
}

/* clang-format off */
const SptrsvMethod sptrsvHostWindows = {
  {"host-windows", "this project",
   "windows of rows, level by level in each, on one thread or several", SPTRSV_HOST, SPTRSV_BLOCKS, NULL, SPTRSV_ALL_VALUES},
  sizeof(SptrsvWindows), build, update, solve, describe, destroy, NULL, NULL, NULL};
/* clang-format on */
