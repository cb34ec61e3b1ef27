/* `strips`: pivots of a factorization. */
#include "strips_kernel.cuh"

SptrsvStatus sptrsv::strips_invert(const StripsPlan &plan, SptrsvValueType type, const SptrsvSolve &s, const Pivot &end)
{
  return by_any_type(type, [&](auto v) {
    using V = decltype(v);
    SPTRSV_CUDA((with_kernel<V, V, Pivot, Alone>(plan.most, [](auto *kernel, auto, int, auto) { return allow_memory(kernel); })));
    return launch_strips<V, V, Alone>(plan, plan.alone, s, end);
  });
}
