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
void choose_lanes(const SptrsvStatistics &statistics, LevelChunks *level)
{
  if (!level->lanes) {
    level->lanes = statistics.n_level > 4096 ? 1 : 2;
    while (level->lanes < WARP && MOST_HELD * level->lanes < 1.25 * mean_length(statistics)) level->lanes *= 2;
  }
  choose_per_lane(statistics, MOST_HELD, level);
}

SptrsvStatus build(SptrsvPlan plan)
{
  plan->several = &levelorder_together;
  SPTRSV_TRY(level_chunks_create(plan, false, choose_lanes));
  return level_warps_create(plan, &level_plan(plan)->warps);
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
