/* `levelorder`: its plans, and sweeps. */
#include <algorithm>
#include <cstdio>
#include "levelorder_kernel.cuh"

namespace {

using namespace sptrsv;

constexpr auto *plan_of = data_of<LevelOrderPlan>;

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_stored_type(plan->options, [&](auto v, auto stored) {
    return launch_levelorder<decltype(v), decltype(stored)>(*plan_of(plan), *s, Solution());
  });
}

SptrsvStatus invert(SptrsvPlan plan, const SptrsvPivotSweep *pivots, SptrsvStream stream)
{
  const LevelOrderPlan &data = *plan_of(plan);

  SPTRSV_TRY(triangle_update(plan->options, data.level.triangle, *pivots, stream));
  return levelorder_invert(data, plan->options.type, {1, pivots->diagonal, 0, pivots->inverse, 0, stream, false}, pivot_of(*pivots));
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
  LevelOrderPlan    *data = plan_of(plan);

  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  plan->several = levelorder_together();
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  choose_lanes(plan->options, sweep->statistics, &data->level);
  SPTRSV_TRY(level_chunks_create(plan, &data->level));
  return level_warps_create(plan, data->level, &data->warps);
}

SptrsvStatus forecast(SptrsvPlan plan, double *us)
{
  const LevelChunks &level = plan_of(plan)->level;

  *us = level_forecast(level.levels, level.chunks, (double)level_bytes(level, plan->options), level.per_lane);
  return SPTRSV_SUCCESS;
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LevelOrderPlan &data = *plan_of(plan);

  (void)snprintf(text, size, "%d lanes a row, %d chunks, %u resident warps, %d partial sums of long rows", data.level.lanes,
                 data.level.chunks, data.warps.tickets.warps, data.level.partial_sums);
}

} // namespace

/* clang-format off */
static const SptrsvMethod levelorder = {
  {"levelorder", "this project",
   "rows in level order, few resident warps, values as their own flags", SPTRSV_DEVICE, SPTRSV_BLOCKS | SPTRSV_STORES_SINGLE,
   nullptr, SPTRSV_ALL_VALUES},
  sizeof(LevelOrderPlan), build, update_level<LevelOrderPlan>, solve, describe, nullptr, invert, nullptr, forecast};
/* clang-format on */

const SptrsvFamily sptrsvLevelFamily = {{&levelorder, &sptrsvLevelSet, &sptrsvBlockOrder}, nullptr, nullptr};
