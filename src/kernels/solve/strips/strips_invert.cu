/* `strips`: pivots of a factorization. */
#include "strips_kernel.cuh"

SptrsvStatus sptrsv::strips_invert(const StripsPlan &plan, SptrsvValueType type, const SptrsvSolve &s, const Pivot &end)
{
  SPTRSV_CUDA(by_any_type(type, [&](auto v) {
    return with_kernel<decltype(v), Pivot>(plan.most, [](auto *kernel, int, auto) { return allow_memory(kernel); });
  }));
  return launch_strips(plan, type, s, end);
}
