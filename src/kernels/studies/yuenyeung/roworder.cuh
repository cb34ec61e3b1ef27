/* Rows in the order of the matrix: the plan, between its set-up (roworder_plan.cu) and its kernels (roworder.cu). */
#pragma once
#include "../../device/tickets.cuh"
#include "../../plan/triangle.cuh"

namespace sptrsv {

/* Zhang et al., Algorithms 5, 4, 3 and 6 */
enum class RowOrderForm { WRITING_FIRST, TWO_PHASE, WARP_LEVEL, FUSED };

constexpr int ROWORDER_WARPS = 4; /* of a block */

/* By rows */
template <class V = void> struct RowOrder : Triangle<V> {
  Tickets tickets;
  int    *execute_row_id; /* FUSED: [groups + 1] first row of each group */
  V      *x;              /* [2][rows] */
};

struct RowOrderPlan {
  RowOrderForm form;
  RowOrder<>   sweep;
  int          groups, warp_rows; /* rows that have a group to themselves */
  double       threshold;
  const char  *origin; /* of the threshold, for views */
};

SptrsvStatus roworder_solve(SptrsvPlan plan, const SptrsvSolve *s);

/* Blocks of its kernel that fit on the GPU at once */
SptrsvStatus roworder_resident(RowOrderForm form, SptrsvValueType type, int *blocks);

} // namespace sptrsv
