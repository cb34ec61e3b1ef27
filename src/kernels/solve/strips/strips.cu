/* `strips`: sweeps. */
#include "strips_kernel.cuh"

SptrsvStatus sptrsv::strips_resident(SptrsvValueType type, int most, int *warps, int *teams)
{
  return by_any_type(type, [&](auto v) {
    return with_kernel<decltype(v), Solution>(most, [&](auto *kernel, int most_warps, auto bytes) {
      *warps = std::min(*warps, most_warps);
      return count_resident_blocks(kernel, WARP * *warps, teams, bytes(*warps));
    });
  });
}

SptrsvStatus sptrsv::strips_launch(const StripsPlan &plan, SptrsvValueType type, const SptrsvSolve &s)
{
  return launch_strips(plan, type, s, Solution());
}
