/*
   `auto` on the GPU: the fastest of levelorder, blockorder, levelset, and strips of several sizes, on this pattern.

   The time of a sweep depends on its pattern and hardly on values, so plans are timed before there are any, on zeros.  The first is
   levelorder.  Blockorder follows where there are blocks, and levelset where its launches alone do not take as long.  Then strips are
   tried as long as the set-up of another is likely to end within the budget.  A choice is remembered for the life of the process, by the
   pattern and all that it depends on.
*/
#include <cmath>
#include <cstdio>
#include <cstring>
#include "../../device/measure.cuh"
#include "../../device/scratch.cuh"
#include "../strips/strips.h"
#include "choices.h"

namespace {

using namespace sptrsv;

constexpr float  LONG_MS  = 0.2f;               /* sweeps are timed that take so long together, */
constexpr int    MOST     = 32;                 /* but at most so many */
constexpr float  MIRRORED = 1.05f;              /* times as long as another sweep of the matrix: as fast */
constexpr float  FLAT     = 1.07f;              /* times as long as with the best size of strips: one in between may be better */
constexpr double START_US = 7, STEP_US = 0.075; /* of a sweep by strips; of a level */
constexpr double SPARE     = 1.5;               /* times as long as its steps alone: another order may be better */
constexpr float  CLOSE     = 1.1f;              /* times as long as the best so far: strips of another size may be better */
constexpr float  LINES     = 1.12f;             /* times as long as strips in natural order: bricks of a pattern without lines */
constexpr double LISTING   = 100;               /* times as long as a sweep: its list schedule */
constexpr double LAUNCH_US = 3.5;               /* least time of a level that has a launch of its own (doc/algorithms/levelset.md) */

constexpr size_t HASHING = 1 << 16; /* threads, each of which ends with an atomic on one place */

/* FNV-1a, by words */
uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
  const auto *word = (const uint32_t *)data;

  for (size_t k = 0; k < bytes / sizeof(*word); k++) h = (h ^ word[k]) * 0x100000001b3ull;
  return h;
}

/* Adds to a sum, in any order, a number for each value and its place: the last steps of SplitMix64 (Steele, Lea, Flood) */
__global__ void hash_kernel(int count, const int *value, unsigned long long *sum)
{
  unsigned long long own = 0;

  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x) {
    unsigned long long z = ((unsigned long long)k << 32 | (unsigned)value[k]) + 0x9e3779b97f4a7c15ull;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    own += z ^ z >> 31;
  }
  add_relaxed(sum, own);
}

SptrsvStatus hash_on_device(uint64_t *h, int count, const int *values)
{
  Scratch<unsigned long long> d_sum;
  unsigned long long          sum = 0;

  SPTRSV_TRY(d_sum.upload(&sum, 1));
  SPTRSV_CUDA(launch(hash_kernel, blocks_for(std::min((size_t)count, HASHING)), BLOCK, nullptr, count, values, d_sum));
  SPTRSV_TRY(read_back((unsigned long long *)d_sum, &sum));
  *h = hash(*h, &sum, sizeof(sum));
  return SPTRSV_SUCCESS;
}

/* Hashes of everything that the choice depends on: `key` includes the sweep, `matrix` does not */
SptrsvStatus keys_of(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, SptrsvChoice *choice)
{
  const SptrsvPattern &a       = analysis->a;
  const int            sweep[] = {o.triangle, o.op, o.diagonal}, all[] = {o.type, o.tuning.choice.budget};
  char                 gpu[SPTRSV_NAME_LENGTH] = "";
  uint64_t             h                       = 0xcbf29ce484222325ull;

  (void)sptrsvDeviceName(gpu, sizeof(gpu));
  h = hash(h, gpu, sizeof(gpu));
  h = hash(h, all, sizeof(all));
  h = hash(h, &o.tuning.levelorder, sizeof(o.tuning.levelorder));
  h = hash(h, &o.tuning.strips, sizeof(o.tuning.strips));
  SPTRSV_TRY(hash_on_device(&h, a.n + 1, analysis->device.row_ptr));
  SPTRSV_TRY(hash_on_device(&h, a.nnz, analysis->device.col_idx));
  choice->matrix = h;
  choice->key    = hash(h, sweep, sizeof(sweep));
  return SPTRSV_SUCCESS;
}

struct Trial {
  char      *tried; /* the choice's */
  SptrsvPlan best    = nullptr;
  float      best_us = INFINITY, us = 0; /* of a sweep: of the best plan, of the last one */
  double     setup = 0;                  /* seconds that the last plan took, */
  double     left  = INFINITY;           /* and that there are for others */

  SptrsvChoice other = {}; /* the choice for the matrix's other sweep, tried first; us: its time here; algorithm NULL: none */
};

SptrsvStatus time_sweep(SptrsvPlan plan, float *us)
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
  *us         = ms * 1e3f;
  return sptrsvPlanGetStatus(plan);
}

void note(const SptrsvPlanOptions &o, float us, char tried[SPTRSV_TRIED])
{
  const SptrsvStripsOptions &s = o.tuning.strips;
  const char *const order      = s.order == SPTRSV_STRIPS_DEPTH_FIRST ? " depth-first" : s.order == SPTRSV_STRIPS_BRICKS ? " bricks" : "";

  sptrsvAppend(tried, SPTRSV_TRIED, "%s%s", *tried ? ", " : "", o.algorithm);
  if (s.rows) sptrsvAppend(tried, SPTRSV_TRIED, " %d", s.rows);
  sptrsvAppend(tried, SPTRSV_TRIED, "%s%s %.1f us", order, s.schedule == SPTRSV_STRIPS_LIST ? " by list" : "", (double)us);
}

/* The time for the sweep's bytes alone: entries with their columns, and b, x and the diagonal, at the memory's full speed */
void note_floor(const SptrsvStatistics &statistics, SptrsvValueType type, char tried[SPTRSV_TRIED])
{
  const double size = (double)sptrsvValueSize(type), n = (double)statistics.rows, nnz = (double)statistics.nnz;
  int          device, clock = 0, width = 0; /* kHz, bits */

  if (cudaGetDevice(&device) || cudaDeviceGetAttribute(&clock, cudaDevAttrMemoryClockRate, device)) return;
  if (cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, device) || !clock || !width) return;
  const double us = ((size + 4) * nnz + 3 * size * n) / (2e3 * clock * width / 8) * 1e6;
  sptrsvAppend(tried, SPTRSV_TRIED, "; its bytes alone %.1f us", us);
}

bool is_same(const SptrsvChoice &choice, const SptrsvPlanOptions &o)
{
  const SptrsvStripsOptions &s = choice.strips, &t = o.tuning.strips;

  if (!choice.algorithm || strcmp(choice.algorithm, o.algorithm)) return false;
  return s.rows == t.rows && s.warps == t.warps && s.order == t.order && s.schedule == t.schedule;
}

SptrsvStatus try_plan(SptrsvAnalysis analysis, const SptrsvPlanOptions &options, Trial *trial)
{
  if (is_same(trial->other, options)) { /* it has been tried */
    trial->us = trial->other.us;
    return SPTRSV_SUCCESS;
  }
  const double start  = sptrsvSeconds();
  SptrsvPlan   plan   = nullptr;
  SptrsvStatus status = sptrsvPlanBuild(analysis, &options, &plan);

  if (!status) status = time_sweep(plan, &trial->us);
  if (!status) note(options, trial->us, trial->tried);
  if (!status && trial->us < trial->best_us) {
    std::swap(plan, trial->best);
    trial->best_us = trial->us;
  }
  (void)sptrsvPlanDestroy(&plan);
  trial->setup = sptrsvSeconds() - start;
  trial->left -= trial->setup;
  return status;
}

/* The error is of no account if there is no time for them */
SptrsvStatus try_strips(SptrsvAnalysis analysis, SptrsvPlanOptions o, const SptrsvStripsOptions &strips, Trial *trial)
{
  if (trial->setup > trial->left) return SPTRSV_NOT_SUPPORTED;
  o.algorithm     = "strips";
  o.tuning.strips = strips;
  return try_plan(analysis, o, trial);
}

/* Strips in natural order, and the time of a sweep by them */
struct Size {
  int   rows;
  float us;
};

/* Whether a list schedule is better than levels for strips in natural order of so many rows, which take `us` by level.  Where lines make
   bricks almost as good there is nothing to wait for but the line before. */
bool try_list(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, int rows, float us, float bricks_us, Trial *trial)
{
  if (bricks_us < LINES * us || trial->setup + us * LISTING * 1e-6 > trial->left) return false;
  return !try_strips(analysis, o, {rows, 0, SPTRSV_STRIPS_NATURAL, SPTRSV_STRIPS_LIST}, trial) && trial->us < us;
}

/* Strips in natural order of twice as many rows as the rule says or, if that does not gain, of ever fewer as long as that does.  A size
   between the two best may be better than both. */
void try_sizes(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, Trial *trial, Size best)
{
  const int rule   = best.rows;
  Size      second = {0, INFINITY};

  for (const double part : {2., 0.5, 0.25, 0.125}) {
    const int rows = (int)(part * rule);

    if (try_strips(analysis, o, {rows, 0, SPTRSV_STRIPS_NATURAL, {}}, trial)) continue;
    const bool gains = trial->us < best.us;
    if (gains) second = best;
    if (gains || trial->us < second.us) (gains ? best : second) = {rows, trial->us};
    if (gains == (part > 1)) break;
  }
  if (best.us <= trial->best_us && second.us < FLAT * best.us)
    (void)try_strips(analysis, o, {(best.rows + second.rows) / 2, 0, SPTRSV_STRIPS_NATURAL, {}}, trial);
}

/* Bricks are for lines and planes: most rows need the one beside them, and distances from the diagonal have a gap.  Where they do well, the
   natural order follows lines, and a depth-first one is worse; that one is the host's work.  No strips take less than a step for a level.
   Other sizes of strips gain little with a list schedule. */
void try_orders(SptrsvAnalysis analysis, const SptrsvPlanOptions &o, Trial *trial)
{
  const int            rule      = sptrsvStripsRows(analysis->a.n);
  float                bricks_us = INFINITY, natural_us = INFINITY;
  SptrsvStripsSchedule schedule = SPTRSV_STRIPS_SCHEDULE_AUTO;
  int                  bound[2], gaps = 0;
  double               beside = 0;
  const SptrsvSweep   *sweep;

  if (sptrsvAnalysisSweep(analysis, o.triangle, o.op, &sweep)) return;
  (void)sptrsvDistanceClasses(analysis, o.triangle, bound, &gaps, &beside); /* without memory for them there are no bricks */
  const double least = START_US + STEP_US * (double)sweep->statistics.levels;
  if (gaps && beside > 0.5 && !try_strips(analysis, o, {0, 0, SPTRSV_STRIPS_BRICKS, schedule}, trial)) bricks_us = trial->us;
  if (!try_strips(analysis, o, {rule, 0, SPTRSV_STRIPS_NATURAL, schedule}, trial)) natural_us = trial->us;
  if (try_list(analysis, o, rule, natural_us, bricks_us, trial)) {
    schedule   = SPTRSV_STRIPS_LIST;
    natural_us = trial->us;
  }
  if (natural_us <= trial->best_us && bricks_us > 4 * natural_us && natural_us > SPARE * least)
    (void)try_strips(analysis, o, {rule / 4, 0, SPTRSV_STRIPS_DEPTH_FIRST, schedule}, trial);
  if (!schedule && natural_us < CLOSE * trial->best_us) try_sizes(analysis, o, trial, {rule, natural_us});
}

/* A candidate that fails, in whatever way, is left out.  Only if all fail is there a status, levelorder's. */
SptrsvStatus try_plans(SptrsvAnalysis analysis, SptrsvPlanOptions o, Trial *trial)
{
  const SptrsvStripsOptions asked  = o.tuning.strips;
  SptrsvTuning              filled = o.tuning; /* with the default budget */
  const SptrsvSweep        *sweep;

  (void)sptrsvAnalysisSweep(analysis, o.triangle, o.op, &sweep); /* levels are no plan's set-up; plans report it if it fails again */
  sptrsvTuningFill(&filled);
  o.algorithm               = "levelorder";
  o.tuning.strips           = {}; /* of strips alone */
  const SptrsvStatus always = try_plan(analysis, o, trial);
  if (!always) trial->left = trial->us * 1e-6 * filled.choice.budget;

  o.algorithm = "blockorder";
  if (analysis->blocks && o.diagonal == SPTRSV_DIAG_UNIT) (void)try_plan(analysis, o, trial);
  o.algorithm = "levelset";
  if (!always && LAUNCH_US * (double)sweep->statistics.levels < trial->us) (void)try_plan(analysis, o, trial);
  if (asked.rows || asked.warps || asked.order || asked.schedule) (void)try_strips(analysis, o, asked, trial);
  else try_orders(analysis, o, trial);
  return trial->best ? SPTRSV_SUCCESS : always;
}

/* The other triangle of a symmetric pattern has as many levels, and is solved as fast by the same plan.  True: so it is, and needs no other
   trial. */
bool try_choice_of_matrix(SptrsvAnalysis analysis, SptrsvPlanOptions o, uint64_t matrix, Trial *trial)
{
  const SptrsvSweep *sweep;
  SptrsvChoice       other;
  bool               found;

  sptrsvChoiceOfMatrix(matrix, &other, &found);
  if (!found || sptrsvAnalysisSweep(analysis, o.triangle, o.op, &sweep) || sweep->statistics.levels != other.levels) return false;
  o.algorithm     = other.algorithm;
  o.tuning.strips = other.strips;
  if (try_plan(analysis, o, trial)) return false;
  trial->other    = other;
  trial->other.us = trial->us;
  return trial->us < MIRRORED * other.us;
}

/* By trial */
SptrsvStatus choose(SptrsvAnalysis analysis, const SptrsvPlanOptions &options, SptrsvChoice *choice, SptrsvPlan *plan)
{
  Trial              trial = {choice->tried};
  const SptrsvSweep *sweep;
  SptrsvStatus       status = SPTRSV_SUCCESS;

  if (!try_choice_of_matrix(analysis, options, choice->matrix, &trial)) status = try_plans(analysis, options, &trial);
  if (!status) status = sptrsvAnalysisSweep(analysis, options.triangle, options.op, &sweep);
  if (status) {
    (void)sptrsvPlanDestroy(&trial.best);
    return status;
  }
  note_floor(sweep->statistics, options.type, choice->tried);
  choice->algorithm = trial.best->algorithm->name;
  choice->strips    = trial.best->options.tuning.strips;
  choice->levels    = sweep->statistics.levels;
  choice->us        = trial.best_us;
  *plan             = trial.best;
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
  const char *const path   = options->tuning.choice.file;
  SptrsvChoice      choice = {};
  const char       *note   = nullptr;
  bool              found  = !analysis->a.n;

  const bool keyed = !keys_of(analysis, *options, &choice);
  choice.algorithm = "levelorder"; /* for a matrix without rows, too */
  if (!found && keyed) note = sptrsvChoiceFind(path, &choice, &found);
  SptrsvStatus status = found ? build(analysis, *options, choice, plan) : choose(analysis, *options, &choice, plan);
  if (!status && !found && keyed) {
    const char *const unwritten = sptrsvChoiceKeep(path, &choice);
    if (unwritten) note = unwritten;
  }
  if (status) { /* no memory to time it, or none today for what was found: not remembered */
    note             = "the fastest could not be made or timed";
    choice.algorithm = "levelorder";
    status           = build(analysis, *options, choice, plan);
  }
  if (status) return status;
  memcpy((*plan)->tried, choice.tried, sizeof(choice.tried));
  (*plan)->note      = note;
  (*plan)->automatic = true;
  return SPTRSV_SUCCESS;
}
