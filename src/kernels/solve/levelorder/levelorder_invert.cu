/* `levelorder`: pivots of a factorization. */
#include "levelorder_kernel.cuh"

SptrsvStatus sptrsv::levelorder_invert(SptrsvPlan plan, const SptrsvPivotSweep *pivots, SptrsvStream stream)
{
  const LevelPlan  &data = *level_plan(plan);
  const SptrsvSolve s    = {1, pivots->diagonal, 0, pivots->inverse, 0, stream, false};

  SPTRSV_TRY(triangle_update(plan->options, data.level.triangle, *pivots, stream));
  return by_any_type(plan->options.type, [&](auto v) { return launch_levelorder<decltype(v), decltype(v)>(data, s, pivot_of(*pivots)); });
}
