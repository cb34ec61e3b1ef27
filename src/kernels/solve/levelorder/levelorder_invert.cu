/* `levelorder`: pivots of a factorization. */
#include "levelorder_kernel.cuh"

SptrsvStatus sptrsv::levelorder_invert(const LevelOrderPlan &plan, SptrsvValueType type, const SptrsvSolve &s, const Pivot &end)
{
  return launch_levelorder(plan, type, s, end);
}
