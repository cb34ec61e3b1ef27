/*
   `auto` on the GPU: the fastest of levelorder, blockorder, levelset, and strips of several sizes and orders, on this pattern.

   The time of a sweep depends on its pattern and hardly on values, and each of these methods has a forecast of it.  So the same pattern
   gets the same plan in every run and on every process.  With a budget plans are timed, too, on zeros, and those times count.  A choice is
   remembered for the life of the process, by the pattern and all that it depends on.
*/
#include <cmath>
#include <cstdio>
#include <cstring>
#include "../../device/scratch.cuh"
#include "../levelorder/levelorder.cuh"
#include "../strips/strips.h"
#include "choices.h"

namespace {

using namespace sptrsv;

/* Timing: sweeps that take so long together, but at most so many */
constexpr float LONG_MS = 0.2f;
constexpr int   MOST    = 32;

/* Times in us */
constexpr double TRIFLE_US = 8;                 /* of a sweep that no other strips pay for */
constexpr double BRIEF_US  = 15;                /* that no list schedule pays for, which takes some ms */
constexpr double START_US = 7, STEP_US = 0.075; /* of a sweep by strips; of a level */

/* Times as long as */
constexpr double HOPS     = 0.2;  /* levelorder: the waits of its levels, or strips gain nothing */
constexpr double MIRRORED = 1.05; /* another sweep of the matrix: as fast */
constexpr double SPARE    = 1.5;  /* a sweep's steps alone: another order may be better */
constexpr double LINES    = 1.5;  /* strips in natural order: bricks of a pattern without lines */
constexpr double LISTED   = 0.5;  /* strips by level: the most that a list schedule gains */
constexpr double LISTING  = 100;  /* a sweep: making its list schedule */
constexpr double FLAT     = 1.07; /* the best size: one in between may be better */
constexpr double CUT      = 1.05; /* rows that are cut: the least that this must gain, since a plan is larger */

struct Trial {
  char      *tried;  /* the choice's */
  double     budget; /* for plans that are timed, in sweeps of the best one; 0: none is */
  SptrsvPlan best    = nullptr;
  double     best_us = INFINITY, us = 0; /* of a sweep: of the best plan, of the last one */
  double     setup = 0, spent = 0;       /* seconds, of the last plan and of all, where plans are timed */

  SptrsvChoice first = {}; /* the first sweep's, tried first; us: its time here; algorithm NULL: none */
};

SptrsvStatus time_sweep(SptrsvPlan plan, double *us)
{
  const size_t  size = sptrsvValueSize(plan->options.type), n = plan->analysis->a.n, nnz = plan->analysis->a.nnz;
  Scratch<char> zeros, x;
  float         ms;

  SPTRSV_TRY(zeros.create(std::max(n, nnz) * size));
  SPTRSV_TRY(x.create(n * size));
  SPTRSV_CUDA(cudaMemsetAsync(zeros, 0, std::max(n, nnz) * size, nullptr));
  SPTRSV_TRY(sptrsvPlanUpdate(plan, zeros, nullptr));
  int        count  = 1;
  const auto sweeps = [&] {
    for (int k = 0; k < count; k++) SPTRSV_TRY(sptrsvSolve(plan, zeros, x, nullptr));
    return SPTRSV_SUCCESS;
  };
  SPTRSV_TRY(measure(sweeps, &ms));
  if (ms < LONG_MS) {
    count = ms * MOST > LONG_MS ? (int)std::ceil(LONG_MS / ms) : MOST;
    SPTRSV_TRY(measure(sweeps, &ms, 1));
    ms /= (float)count;
  }
  plan->ready = false; /* these were not its values */
  *us         = ms * 1e3;
  return sptrsvPlanGetStatus(plan);
}

/* A plan that was tried: its forecast, and if it was timed what that gave */
void note(const SptrsvPlanOptions &o, double forecast, double us, bool times, char tried[SPTRSV_TRIED])
{
  const SptrsvStripsOptions &s = o.tuning.strips;
  const char *const order      = s.order == SPTRSV_STRIPS_DEPTH_FIRST ? " depth-first" : s.order == SPTRSV_STRIPS_BRICKS ? " bricks" : "";

  sptrsvAppend(tried, SPTRSV_TRIED, "%s%s", *tried ? ", " : times ? "timed: " : "forecast: ", o.algorithm);
  if (s.rows) sptrsvAppend(tried, SPTRSV_TRIED, " %d", s.rows);
  if (s.entries && s.entries < SPTRSV_STRIP_ENTRIES) sptrsvAppend(tried, SPTRSV_TRIED, " of %d entries", s.entries);
  sptrsvAppend(tried, SPTRSV_TRIED, "%s%s %.1f us", order, s.schedule == SPTRSV_STRIPS_LIST ? " by list" : "", us);
  if (times) sptrsvAppend(tried, SPTRSV_TRIED, " (forecast %.1f)", forecast);
}

bool is_same(const SptrsvChoice &choice, const SptrsvPlanOptions &o)
{
  return choice.algorithm && !strcmp(choice.algorithm, o.algorithm) && !memcmp(&choice.strips, &o.tuning.strips, sizeof(choice.strips));
}

/* What counts of the plan: its forecast, or its time.  Timing may fail for lack of memory */
SptrsvStatus judge(SptrsvPlan plan, const SptrsvPlanOptions &o, Trial *trial)
{
  const bool times = trial->budget > 0;
  double     forecast;

  SPTRSV_TRY(plan->method->forecast(plan, &forecast));
  trial->us = forecast;
  if (times) SPTRSV_TRY(time_sweep(plan, &trial->us));
  note(o, forecast, trial->us, times, trial->tried);
  return SPTRSV_SUCCESS;
}

SptrsvStatus try_plan(SptrsvAnalysis analysis, const SptrsvPlanOptions &options, Trial *trial)
{
  if (is_same(trial->first, options)) { /* it has been tried */
    trial->us = trial->first.us;
    return SPTRSV_SUCCESS;
  }
  const double start  = sptrsvSeconds();
  SptrsvPlan   plan   = nullptr;
  SptrsvStatus status = sptrsvPlanBuild(analysis, &options, &plan);

  if (!status) status = judge(plan, options, trial);
  if (!status && trial->us < trial->best_us) {
    std::swap(plan, trial->best);
    trial->best_us = trial->us;
  }
  (void)sptrsvPlanDestroy(&plan);
  trial->setup = sptrsvSeconds() - start;
  trial->spent += trial->setup;
  return status;
}

/* Whether a plan can be tried that is likely to take so many seconds */
bool has_time(const Trial &trial, double seconds)
{
  return !(trial.budget > 0) || !trial.best || trial.spent + seconds <= trial.budget * trial.best_us * 1e-6;
}

/* The error is of no account if there is no time for them */
SptrsvStatus try_strips(SptrsvAnalysis analysis, SptrsvPlanOptions o, const SptrsvStripsOptions &strips, Trial *trial)
{
  if (!has_time(*trial, trial->setup)) return SPTRSV_NOT_SUPPORTED;
  o.algorithm     = "strips";
  o.tuning.strips = strips;
  return try_plan(analysis, o, trial);
}

/* Strips in natural order, and the time of a sweep by them */
struct Size {
  int    rows;
  double us;
};

/* How much larger strips can be than those of the plan: until their levels fill a chunk, since the next row of the widest one takes another
   chunk.  Twice if they do already, where longer strips may be of use all the same. */
double more_rows(SptrsvPlan strips)
{
  const int widest = sptrsvStripsWidest(strips);

  return widest > 0 && widest < WARP ? std::min(2., (double)WARP / widest) : 2;
}

/* Strips of more rows than those of the rule, which are the best plan so far, or, if that does not gain, of ever fewer as long as that
   does.  A size between the two best may be better than both. */
void try_sizes(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, Trial *trial, SptrsvStripsOptions strips, double us)
{
  const int rule = strips.rows;
  Size      best = {rule, us}, second = {0, INFINITY};

  for (const double part : {more_rows(trial->best), 0.5, 0.25, 0.125}) {
    const int rows = strips.rows = (int)(part * rule);

    if (try_strips(analysis, o, strips, trial)) continue;
    const bool gains = trial->us < best.us;
    if (gains) second = best;
    if (gains || trial->us < second.us) (gains ? best : second) = {rows, trial->us};
    if (gains == (part > 1)) break;
  }
  strips.rows = (best.rows + second.rows) / 2;
  if (best.us <= trial->best_us && second.us < FLAT * best.us) (void)try_strips(analysis, o, strips, trial);
}

/* Bricks are for lines and planes: most rows need the one beside them, and distances from the diagonal have a gap.  Returns their time. */
double try_bricks(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, Trial *trial)
{
  int    bound[2], gaps = 0;
  double beside = 0;

  (void)sptrsvDistanceClasses(analysis, o.triangle, bound, &gaps, &beside); /* without memory for them there are no bricks */
  return gaps && beside > 0.5 && !try_strips(analysis, o, {0, 0, SPTRSV_STRIPS_BRICKS, {}, 0}, trial) ? trial->us : INFINITY;
}

/* Rows cut so that no unknown has more than a half of the entries, or a quarter: steps are shorter, but there are more unknowns.  Returns
   the time of the best of these strips, which are then *strips. */
double try_cut(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, int64_t longest, double us, SptrsvStripsOptions *strips, Trial *trial)
{
  SptrsvStripsOptions cut = *strips;

  while ((cut.entries /= 2) >= SPTRSV_STRIP_GROUP) {
    if (cut.entries >= longest || try_strips(analysis, o, cut, trial) || CUT * trial->us > us) continue;
    us      = trial->us;
    *strips = cut;
  }
  return us;
}

/* A depth-first order may be better if the natural one does not follow lines and takes much longer than a step for each level, which all
   strips do; if another plan is the best, that must, too.  True: it is better than the natural one. */
bool try_depth_first(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, double least, double us, SptrsvStripsOptions *strips,
                     double bricks_us, Trial *trial)
{
  SptrsvStripsOptions deep = *strips;

  if (us <= SPARE * least || bricks_us <= 4 * std::min(us, trial->best_us)) return false;
  if (us > trial->best_us && trial->best_us <= 2 * SPARE * least) return false;
  deep.order = SPTRSV_STRIPS_DEPTH_FIRST;
  if (try_strips(analysis, o, deep, trial) || trial->us >= us) return false;
  *strips = deep;
  return true;
}

/* A list schedule is tried where it may be the best.  True: it is better than the order without it. */
bool try_list(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, SptrsvStripsOptions strips, double us, Trial *trial)
{
  if (us <= BRIEF_US || LISTED * us >= trial->best_us || !has_time(*trial, trial->setup + us * LISTING * 1e-6)) return false;
  strips.schedule = SPTRSV_STRIPS_LIST;
  return !try_strips(analysis, o, strips, trial) && trial->us < us;
}

/* Strips beside those of the rule, which take `us`.  Where lines make bricks almost as good, rows are not cut, and there is nothing to wait
   for but the line before.  Other sizes gain little with a list schedule, and are not tried where bricks are better: their forecast is too
   short for a few rows with many far entries. */
void try_other_strips(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, const SptrsvStatistics &statistics, double steps,
                      SptrsvStripsOptions strips, double us, Trial *trial)
{
  const double bricks_us = try_bricks(analysis, o, trial);
  const bool   lines     = bricks_us <= LINES * us;

  if (!lines && LISTED * us < trial->best_us) us = try_cut(analysis, o, statistics.longest, us, &strips, trial);
  const bool deep = try_depth_first(analysis, o, steps, us, &strips, bricks_us, trial);
  if (deep) us = trial->us;
  if ((!lines && try_list(analysis, o, strips, us, trial)) || deep) return;
  if (us <= trial->best_us) try_sizes(analysis, o, trial, strips, us);
}

/* The plans that are not strips.  One that cannot be the best, by the least that levels and bytes take, is not made; levelorder is, if
   there is no other.  The status is levelorder's. */
SptrsvStatus try_levels(SptrsvAnalysis analysis, SptrsvPlanOptions o, double levels, double least, Trial *trial)
{
  o.tuning.strips = {};
  o.algorithm     = "blockorder";
  if (has_blocks(analysis, o)) (void)try_plan(analysis, o, trial);
  o.algorithm = "levelset";
  if (LEVEL_LAUNCH_US * levels < std::min(least, trial->best_us)) (void)try_plan(analysis, o, trial);
  o.algorithm = "levelorder";
  return least < trial->best_us ? try_plan(analysis, o, trial) : SPTRSV_SUCCESS;
}

/* A candidate that fails, in whatever way, is left out.  Only if all fail is there a status, levelorder's. */
SptrsvStatus try_plans(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, const SptrsvStatistics &statistics, Trial *trial)
{
  const SptrsvStripsOptions asked  = o.tuning.strips;
  const bool                given  = asked.rows || asked.warps || asked.order || asked.schedule || asked.entries;
  const double              levels = (double)statistics.levels, entry = (double)(sizeof(int) + stored_size(o));
  const double              least      = level_forecast(levels, (double)statistics.rows / WARP, (double)statistics.nnz * entry, 2);
  const double              steps      = START_US + STEP_US * levels;                    /* the least of several strips */
  const bool                hops       = !given && LEVEL_HOP_US * levels > HOPS * least; /* otherwise strips gain nothing */
  const SptrsvStripsOptions rule       = {sptrsvStripsRows(analysis->a.n), 0, SPTRSV_STRIPS_NATURAL, {}, sptrsvStripsEntries(&statistics)};
  const bool                few        = least < steps && analysis->a.n > rule.rows; /* levels, so that strips may be of no use */
  double                    natural_us = INFINITY;
  SptrsvStatus              status     = SPTRSV_SUCCESS;

  if (given) (void)try_strips(analysis, o, asked, trial);
  if (few) status = try_levels(analysis, o, levels, least, trial);
  const bool tries = hops && (!few || trial->best_us > steps);
  if (tries && !try_strips(analysis, o, rule, trial)) natural_us = trial->us;
  if (!few) status = try_levels(analysis, o, levels, least, trial);
  if (tries && trial->best_us > TRIFLE_US) try_other_strips(analysis, o, statistics, steps, rule, natural_us, trial);
  return trial->best ? SPTRSV_SUCCESS : status;
}

SptrsvStatus find_choice(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, SptrsvChoice *choice, SptrsvPlan *plan);

/* The other sweeps of a symmetric pattern have as many levels as the first one, and are solved as fast by the same plan.  True: so it is,
   and needs no other trial. */
bool try_first_choice(SptrsvAnalysis analysis, SptrsvPlanOptions o, const SptrsvStatistics &statistics, Trial *trial)
{
  SptrsvPlanOptions  first = o;
  const SptrsvSweep *sweep;
  SptrsvChoice       choice = {};
  SptrsvPlan         plan   = nullptr; /* if it is not remembered */

  first.triangle = SPTRSV_LOWER;
  first.op       = SPTRSV_NON_TRANSPOSE;
  if ((o.triangle == first.triangle && o.op == first.op) || sptrsvAnalysisSweep(analysis, first.triangle, first.op, &sweep)) return false;
  if (sweep->statistics.levels != statistics.levels || find_choice(analysis, first, &choice, &plan)) return false;
  (void)sptrsvPlanDestroy(&plan);
  o.algorithm     = choice.algorithm;
  o.tuning.strips = choice.strips;
  if (try_plan(analysis, o, trial)) return false;
  trial->first    = choice;
  trial->first.us = trial->us;
  return trial->us < MIRRORED * choice.us;
}

/* The choice for the sweep as it is remembered, or else made by trial, which also leaves a plan */
SptrsvStatus find_choice(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, SptrsvChoice *choice, SptrsvPlan *plan)
{
  Trial              trial = {choice->tried, (double)o.tuning.choice.budget};
  const SptrsvSweep *sweep;

  SPTRSV_TRY(sptrsvChoiceKey(analysis, &o, has_blocks(analysis, o), &choice->key));
  if (sptrsvChoiceFind(choice)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, o.triangle, o.op, &sweep));
  if (!try_first_choice(analysis, o, sweep->statistics, &trial)) SPTRSV_TRY(try_plans(analysis, o, sweep->statistics, &trial));
  choice->algorithm = trial.best->method->info.name;
  choice->strips    = trial.best->options.tuning.strips;
  choice->us        = trial.best_us;
  *plan             = trial.best;
  sptrsvChoiceKeep(choice);
  return SPTRSV_SUCCESS;
}

SptrsvStatus build(SptrsvAnalysis analysis, SptrsvPlanOptions o, const SptrsvChoice &choice, SptrsvPlan *plan)
{
  o.algorithm     = choice.algorithm;
  o.tuning.strips = choice.strips;
  return sptrsvPlanBuild(analysis, &o, plan);
}

} // namespace

SptrsvStatus sptrsvPlanChoose(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan)
{
  SptrsvChoice choice = {};
  SptrsvStatus status = SPTRSV_SUCCESS;

  choice.algorithm = "levelorder"; /* for a matrix without rows */
  if (analysis->a.n) status = find_choice(analysis, *options, &choice, plan);
  if (!status && !*plan) status = build(analysis, *options, choice, plan);
  if (status) { /* no memory for the choice, or none today for what is remembered */
    choice           = {};
    choice.algorithm = "levelorder";
    SPTRSV_TRY(build(analysis, *options, choice, plan));
    (*plan)->note = "the fastest could not be found or made";
  }
  memcpy((*plan)->tried, choice.tried, sizeof(choice.tried));
  return SPTRSV_SUCCESS;
}

/* Entries with their columns, and b, x and the diagonal, at the memory's full speed */
static double bytes_us(const SptrsvStatistics &statistics, const SptrsvPlanOptions &o)
{
  const double n = (double)statistics.rows, nnz = (double)statistics.nnz;
  const double bytes = (double)(stored_size(o) + sizeof(int)) * nnz + 3 * (double)sptrsvValueSize(o.type) * n;
  int          device, clock = 0, width = 0; /* kHz, bits */

  if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, device)) return 0;
  if (cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, device) || !clock || !width) return 0;
  return bytes / (2e3 * clock * width / 8) * 1e6;
}

void sptrsvChoiceDescribe(SptrsvPlan plan, char *text, size_t size)
{
  const SptrsvPlanOptions &o = plan->options;
  const SptrsvSweep       *sweep;

  if (!*plan->tried || sptrsvAnalysisSweep(plan->analysis, o.triangle, o.op, &sweep)) return;
  const double us = bytes_us(sweep->statistics, o);
  sptrsvAppend(text, size, "; %s", plan->tried);
  if (us > 0) sptrsvAppend(text, size, "; its bytes alone %.1f us", us);
}
