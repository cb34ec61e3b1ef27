/* `levelorder`: its plan, between the set-up on the device (pack.cu) and the kernel (levelorder.cu). */
#pragma once
#include "../../analysis/rows.cuh"
#include "../../device/tickets.cuh"
#include "../../device/triangle.cuh"

namespace sptrsv {

/* The unknowns that a warp takes at once, up to WARP / lanes of one level.  Entry k of lane l is in slot first + WARP k + l. */
struct alignas(16) LevelOrderChunk {
  int first, row, rows, per_lane; /* slot, first unknown, number of unknowns, entries per lane */
};

struct LevelOrderPlan {
  StoredTriangle   triangle; /* of the unknowns, in slots: nnz is their number, ptr NULL; source and target -1 for a partial sum */
  LevelOrderChunk *chunk;
  void            *x; /* [2][unknowns] */
  int              chunks, partial_sums, levels, lanes, per_lane, warps_per_block;
  Tickets          tickets;
};

/* Triangle (but values and reciprocal) and chunks, for the plan's lanes and entries per lane.  level_ptr: host [levels + 1], rows before
   each level. */
SptrsvStatus levelorder_pack(SptrsvPlan plan, const Rows &rows, const int *level_ptr, LevelOrderPlan *data);

} // namespace sptrsv
