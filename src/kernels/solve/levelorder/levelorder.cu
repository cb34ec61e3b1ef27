/* `levelorder`: its plans, and sweeps. */
#include <algorithm>
#include <cstdio>
#include "levelorder_kernel.cuh"

namespace {

using namespace sptrsv;

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_stored_type(plan->options, [&](auto v, auto stored) {
    return launch_levelorder<decltype(v), decltype(stored)>(*level_plan(plan), *s, Solution());
  });
}

/* Lanes of a row, as measured (doc/algorithms/levelorder.md): two, or the number that holds the mean row with some room; one where levels
   are so wide that throughput counts and not the time of a row.  Rows that do not fit are cut, so the longest does not count here. */
void choose_lanes(const SptrsvPlanOptions &options, const SptrsvStatistics &statistics, LevelChunks *data)
{
  const double mean = mean_length(statistics);

  data->lanes = options.tuning.levelorder.lanes;
  if (!data->lanes) {
    data->lanes = statistics.n_level > 4096 ? 1 : 2;
    while (data->lanes < WARP && MOST_HELD * data->lanes < 1.25 * mean) data->lanes *= 2;
  }
  data->per_lane = 2;
  while (data->per_lane < MOST_HELD && (int64_t)data->per_lane * data->lanes < statistics.longest) data->per_lane *= 2;
}

SptrsvStatus build(SptrsvPlan plan)
{
  const SptrsvSweep *sweep;
  LevelPlan         *data = level_plan(plan);

  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  plan->several = levelorder_together();
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  choose_lanes(plan->options, sweep->statistics, &data->level);
  SPTRSV_TRY(level_chunks_create(plan, false, &data->level));
  return level_warps_create(plan, data->level, &data->warps);
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LevelPlan &data = *level_plan(plan);

  (void)snprintf(text, size, "%d lanes a row, %d chunks, %u resident warps, %d partial sums of long rows", data.level.lanes,
                 data.level.chunks, data.warps.tickets.warps, data.level.triangle.rows - plan->analysis->a.n);
}

} // namespace

/* clang-format off */
static const SptrsvMethod levelorder = {
  {"levelorder", "this project",
   "rows in level order, few resident warps, values as their own flags", SPTRSV_DEVICE, SPTRSV_BLOCKS | SPTRSV_STORES_SINGLE,
   nullptr, SPTRSV_ALL_VALUES},
  sizeof(LevelPlan), build, level_update, solve, describe, nullptr, levelorder_invert, nullptr, level_waits_forecast};
/* clang-format on */

const SptrsvFamily sptrsvLevelFamily = {{&levelorder, &sptrsvLevelSet, &sptrsvBlockOrder}, nullptr, nullptr};
