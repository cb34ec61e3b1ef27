/* `levelorder`: several right-hand sides at once. */
#include "levelorder_kernel.cuh"

namespace {

using namespace sptrsv;

constexpr int EACH       = 2;
constexpr int MOST_LANES = 4; /* for each of a row's; fewer where a warp has not as many */

constexpr int column_lanes(int lanes)
{
  return std::min(MOST_LANES, WARP / lanes);
}

SptrsvStatus prepare(SptrsvPlan plan)
{
  LevelPlan &data   = *level_plan(plan);
  const int  spread = column_lanes(data.level.lanes), columns = spread * EACH;

  SPTRSV_TRY(level_warps_create(plan, &data.together, spread, columns));
  plan->together = columns;
  return SPTRSV_SUCCESS;
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  const LevelPlan &data = *level_plan(plan);

  return by_stored_type(plan->options, [&](auto v, auto stored) {
    return launch_levelorder<decltype(v), decltype(stored)>(data.level, data.together, *s, Solution(), [=](auto lanes) {
      return SomeColumns<decltype(v), column_lanes(lanes.value), EACH>::of(*s);
    });
  });
}

} // namespace

const SptrsvTogether sptrsv::levelorder_together = {prepare, solve};
