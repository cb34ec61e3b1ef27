/* Rows sorted by level and packed into chunks, which the set-up on the device (pack.cu) makes for levelorder.cu and levelset.cu. */
#pragma once
#include "../../analysis/rows.cuh"
#include "../../device/tickets.cuh"
#include "../../plan/triangle.cuh"

namespace sptrsv {

/* The unknowns that a warp takes at once, up to WARP / lanes of one level.  Entry k of lane l is in slot first + WARP k + l. */
struct alignas(16) LevelOrderChunk {
  int first, row, rows, per_lane; /* slot, first unknown, number of unknowns, entries per lane */
};

struct LevelChunks {
  Triangle<>       triangle; /* of the unknowns, in slots: nnz is their number, ptr NULL; source and target -1 for a partial sum */
  LevelOrderChunk *chunk;    /* device [chunks] */
  int              chunks, partial_sums, levels, lanes;
  int              per_lane; /* most entries of a lane */
  int             *first;    /* host [levels + 1] chunks before each level */
};

/* Packs the plan's sweep, for lanes and per_lane, which the caller has set; longer rows are cut */
SptrsvStatus level_chunks_create(SptrsvPlan plan, LevelChunks *data);

/* update() of a method whose data T have such chunks */
template <class T> SptrsvStatus update_level(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  return triangle_update(plan->options, data_of<T>(plan)->level.triangle, values, stream);
}

/* call(n) with the power of two n as a constant: of lanes, from 1 to WARP; of entries that a lane holds at a time, 2, 4 or 8 */
template <int LANES = 1, class F> cudaError_t with_lanes(int lanes, F call)
{
  if constexpr (LANES < WARP) {
    if (lanes > LANES) return with_lanes<2 * LANES>(lanes, call);
  }
  return call(std::integral_constant<int, LANES>());
}
constexpr int                             MOST_HELD = 8;
template <int K = 2, class F> cudaError_t with_entries(int per_lane, F call)
{
  if constexpr (K < MOST_HELD) {
    if (per_lane > K) return with_entries<2 * K>(per_lane, call);
  }
  return call(std::integral_constant<int, K>());
}

} // namespace sptrsv

SPTRSV_TABLE SptrsvMethod sptrsvLevelSet; /* levelset.cu */
