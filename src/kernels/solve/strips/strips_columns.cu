/* `strips`: several right-hand sides at once. */
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
__global__ void exits_kernel(const StripsTeams teams)
{
  for (int s = blockIdx.x; s < teams.strips; s += gridDim.x) {
    const int first = teams.strip_ptr[s] * WARP, last = teams.strip_ptr[s + 1] * WARP, window = teams.window * WARP;

    for (int p = first + threadIdx.x; p < last; p += blockDim.x) {
      const int      begin = p - (p - first) % window, end = min(begin + window, last);
      const unsigned target = (unsigned)teams.target[p];
      int            rank   = 0;

      for (int q = begin; q < end; q++) {
        const unsigned other = (unsigned)teams.target[q];
        rank += other < target || (other == target && q < p);
      }
      teams.exits[begin + rank] = {p - begin, (int)target};
    }
  }
}

/* With chunk c a warp writes a slice of the window that chunk c - window is in, which begins 2 window - 1 chunks before c or later.  Until
   the last of its lanes has read, the team solves chunk c + warps at most, with the other lanes.  That does not come round to the window in
   the ring. */
SptrsvStatus create_exits(SptrsvPlan plan, StripsTeams *teams)
{
  teams->window = std::min(WINDOW, (SPTRSV_STRIP_RING / WARP - teams->warps) / 2);
  if (teams->window <= 0) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceNew(&plan->memory, teams->number_of_places, &teams->exits));
  return sptrsvCudaStatus(launch(exits_kernel, (int)std::min(MOST_BLOCKS, (size_t)teams->strips), BLOCK, nullptr, *teams));
}

SptrsvStatus prepare(SptrsvPlan plan)
{
  StripsTeams *teams = &plan_of(plan)->together;

  *teams = *plan_of(plan);
  SPTRSV_TRY(unknowns_create(&plan->memory, teams->number_of_places * COLUMNS, plan->options.type, &teams->x));
  SPTRSV_TRY(create_exits(plan, teams));
  SPTRSV_TRY(create_teams<Together>(plan, teams));
  plan->together = COLUMNS;
  return SPTRSV_SUCCESS;
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_stored_type(plan->options, [&](auto v, auto stored) {
    return launch_strips<decltype(v), decltype(stored), Together>(plan_of(plan)->together, *s, Solution());
  });
}

} // namespace

const SptrsvTogether sptrsv::strips_together = {prepare, solve};
