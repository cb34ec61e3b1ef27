/* `strips`: pivots of a factorization. */
#include "strips_kernel.cuh"

SptrsvStatus sptrsv::strips_invert(const StripsPlan &plan, SptrsvValueType type, const void *diagonal, void *inverse, const Pivot &end,
                                   SptrsvStream stream)
{
  SPTRSV_CUDA(by_type(type, [&](auto v) {
    return with_kernel<decltype(v), Pivot>(plan.most, [](auto *kernel, int, auto) { return allow_memory(kernel); });
  }));
  return launch_strips(plan, type, diagonal, inverse, end, false, stream);
}
