/* `levelorder`: pivots of a factorization. */
#include "levelorder_kernel.cuh"

SptrsvStatus sptrsv::levelorder_invert(const LevelOrderPlan &plan, SptrsvValueType type, const SptrsvSolve &s, const Pivot &end)
{
  return by_any_type(type, [&](auto v) { return launch_levelorder<decltype(v), decltype(v)>(plan, s, end); });
}
