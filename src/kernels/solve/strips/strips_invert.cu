/* `strips`: pivots of a factorization. */
#include "strips_kernel.cuh"

SptrsvStatus sptrsv::strips_invert(const StripsTeams &teams, SptrsvValueType type, const SptrsvSolve &s, const Pivot &end)
{
  return by_any_type(type, [&](auto v) {
    using V = decltype(v);
    SPTRSV_CUDA((with_kernel<V, V, Pivot, Alone>(teams.most, [](auto *kernel, auto, int, auto) { return allow_memory(kernel); })));
    return launch_strips<V, V, Alone>(teams, s, end);
  });
}
