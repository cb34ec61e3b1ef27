/* `strips`: several right-hand sides at once. */
#include "../../plan/triangle.cuh"
#include "strips_kernel.cuh"

namespace {

using namespace sptrsv;

constexpr auto *plan_of = data_of<StripsPlan>;
constexpr int   COLUMNS = 16;
constexpr int   WINDOW  = 8; /* chunks, of whose unknowns many are neighbours in out */

/* As many columns of a part as there are registers for */
struct Together {
  template <class V, int K> static constexpr int each() { return std::max(1, (K <= 4 ? 32 : 16) / (int)sizeof(V)); }
  template <class V, int K> using Columns = SomeColumns<V, COLUMNS / each<V, K>(), each<V, K>()>;
};

/* A block for a strip, and a thread for a place of its window: its rank there by the target, counted, since a window is small and a sort of
   all places would need memory */
__global__ void exits_kernel(const int *strip_ptr, int strips, int window, const int *out, StripsExit *exits)
{
  for (int s = blockIdx.x; s < strips; s += gridDim.x) {
    for (int p = strip_ptr[s] * WARP + threadIdx.x; p < strip_ptr[s + 1] * WARP; p += blockDim.x) {
      const int      begin  = p - (p - strip_ptr[s] * WARP) % (window * WARP);
      const int      end    = min(begin + window * WARP, strip_ptr[s + 1] * WARP);
      const unsigned target = (unsigned)out[p];
      int            rank   = 0;

      for (int q = begin; q < end; q++) {
        const unsigned other = (unsigned)out[q];
        rank += other < target || (other == target && q < p);
      }
      exits[begin + rank] = {p - begin, (int)target};
    }
  }
}

/* With chunk c a warp writes a slice of the window that chunk c - window is in, which begins 2 window - 1 chunks before c or later.  Until
   the last of its lanes has read, the team solves chunk c + warps at most, with the other lanes.  That does not come round to the window in
   the ring. */
SptrsvStatus create_exits(SptrsvPlan plan, const StripsPlan &data, StripsTeams *teams)
{
  teams->window = std::min(WINDOW, (SPTRSV_STRIP_RING / WARP - teams->warps) / 2);
  if (teams->window <= 0) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceAllocate(&plan->memory, (size_t)data.chunks * WARP * sizeof(*teams->exits), (void **)&teams->exits));
  return sptrsvCudaStatus(launch(exits_kernel, (int)std::min(MOST_BLOCKS, (size_t)data.strips), BLOCK, nullptr, data.strip_ptr, data.strips,
                                 teams->window, data.out, teams->exits));
}

SptrsvStatus prepare(SptrsvPlan plan)
{
  StripsPlan &data = *plan_of(plan);

  data.together.warps = data.alone.warps;
  SPTRSV_TRY(unknowns_create(&plan->memory, (size_t)data.chunks * WARP * COLUMNS, plan->options.type, &data.together.x));
  SPTRSV_TRY(create_exits(plan, data, &data.together));
  SPTRSV_TRY(create_teams<Together>(plan, data, &data.together));
  plan->together = COLUMNS;
  return SPTRSV_SUCCESS;
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  const StripsPlan &data = *plan_of(plan);

  return by_stored_type(plan->options, [&](auto v, auto stored) {
    return launch_strips<decltype(v), decltype(stored), Together>(data, data.together, *s, Solution());
  });
}

} // namespace

const SptrsvTogether sptrsv::strips_together = {prepare, solve};
