/* `levelorder`: pivots of a factorization. */
#include "levelorder_kernel.cuh"

SptrsvStatus sptrsv::levelorder_invert(const LevelOrderPlan &plan, SptrsvValueType type, const void *diagonal, void *inverse,
                                       const Inversion &invert, SptrsvStream stream)
{
  return launch_levelorder(plan, type, diagonal, inverse, Pivot{invert}, false, stream);
}
