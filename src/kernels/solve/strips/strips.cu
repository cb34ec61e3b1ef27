/* `strips`: sweeps. */
#include "strips_kernel.cuh"

SptrsvStatus sptrsv::strips_resident(const SptrsvPlanOptions &options, int most, int *warps, int *teams)
{
  return by_stored_type(options, [&](auto v, auto stored) {
    return with_kernel<decltype(v), decltype(stored), Solution>(most, [&](auto *kernel, int most_warps, auto bytes) {
      *warps = std::min(*warps, most_warps);
      return count_resident_blocks(kernel, WARP * *warps, teams, bytes(*warps));
    });
  });
}

SptrsvStatus sptrsv::strips_launch(const StripsPlan &plan, const SptrsvPlanOptions &options, const SptrsvSolve &s)
{
  return by_stored_type(options, [&](auto v, auto stored) { return launch_strips<decltype(v), decltype(stored)>(plan, s, Solution()); });
}
