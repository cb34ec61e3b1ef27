/* `levelorder`: pivots of a factorization. */
#include "levelorder_kernel.cuh"

SptrsvStatus sptrsv::levelorder_invert(const LevelOrderPlan &plan, SptrsvValueType type, const void *diagonal, void *inverse,
                                       const Pivot &end, SptrsvStream stream)
{
  return launch_levelorder(plan, type, diagonal, inverse, end, false, stream);
}
