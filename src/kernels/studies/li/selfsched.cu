/*
   Self-scheduling: one launch, in which a warp for each row or column waits until its row's count of missing unknowns is zero.
     slfr   by rows                        Li, Algorithm 3, listing SLFR
     slfc   by columns, with atomics       Li, Algorithm 4, listing SLFC

   Warps take the rows level by level (jlev).  A block's number is its ticket.
*/
#include <cstdio>
#include "li.cuh"

namespace {

using namespace sptrsv;

/*
   All lanes poll.  The wait ends: the rows that a row needs are in earlier levels, hence earlier in jlev, hence in a block with an earlier
   ticket or in another warp of this block, which runs too.

   Each lane acquires what those warps released, so it may read x by plain loads.  __syncwarp() puts lane 0's x before the releases of all
   lanes.  Everything but x is loaded before the wait, as in the listing.
*/
template <class V> __global__ void slfr_kernel(const LiSweep<V> sweep, const V *__restrict__ b, V *x)
{
  BlockTurn       turn(sweep.tickets);
  unsigned *const missing = set_of(sweep.missing, sweep.rows, turn.parity);
  const int       lane = threadIdx.x % WARP, k = (int)(turn.start * WARPS_PER_BLOCK + threadIdx.x / WARP);

  if (k >= sweep.rows) return;
  const int i = sweep.jlev[k], row_begin = sweep.ptr[i], row_end = sweep.ptr[i + 1], col_begin = sweep.col_ptr[i],
            col_end = sweep.col_ptr[i + 1], to = sweep.target[i];
  const V right = b[sweep.source[i]], reciprocal = sweep.reciprocal[i];

  if (!lane) set_of(sweep.missing, sweep.rows, 1 - turn.parity)[i] = sweep.in_degree[i];
  const bool ready = await_zero(missing + i, turn);
  const V    sum   = dot_row(sweep, row_begin, row_end, lane, x, [&](int e) { turn.work_goes_on((unsigned)e); });
  if (!lane) x[to] = ready ? (right - sum) * reciprocal : no_value<V>();
  __syncwarp();
  for (int e = col_begin + lane; e < col_end; e += WARP) {
    subtract_release(missing + sweep.row_idx[e], 1);
    turn.work_goes_on((unsigned)e);
  }
}

/* The wait ends for the same reason.  Each lane releases its own additions to left sums. */
template <class V> __global__ void slfc_kernel(const LiSweep<V> sweep, const V *__restrict__ b, V *__restrict__ out)
{
  BlockTurn       turn(sweep.tickets);
  unsigned *const missing  = set_of(sweep.missing, sweep.rows, turn.parity);
  V *const        left_sum = set_of(sweep.left_sum, sweep.rows, turn.parity);
  const int       lane = threadIdx.x % WARP, k = (int)(turn.start * WARPS_PER_BLOCK + threadIdx.x / WARP);

  if (k >= sweep.rows) return;
  const int j = sweep.jlev[k], begin = sweep.ptr[j], end = sweep.ptr[j + 1], to = sweep.target[j];
  const V   right = b[sweep.source[j]], reciprocal = sweep.reciprocal[j];

  if (!lane) {
    set_of(sweep.missing, sweep.rows, 1 - turn.parity)[j]  = sweep.in_degree[j];
    set_of(sweep.left_sum, sweep.rows, 1 - turn.parity)[j] = 0;
  }
  const V x = await_zero(missing + j, turn) ? (right - left_sum[j]) * reciprocal : no_value<V>();
  if (!lane) out[to] = x;
  for (int e = begin + lane; e < end; e += WARP) {
    add_relaxed(left_sum + sweep.idx[e], sweep.values[e] * x);
    subtract_release(missing + sweep.idx[e], 1);
    turn.work_goes_on((unsigned)e);
  }
}

SptrsvStatus solve_slfr(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_type(plan->options.type, [&](auto v) { return li_launch(plan, slfr_kernel<decltype(v)>, *s); });
}

SptrsvStatus solve_slfc(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_type(plan->options.type, [&](auto v) { return li_launch(plan, slfc_kernel<decltype(v)>, *s); });
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LiPlan &data = *li_of(plan);

  (void)snprintf(text, size, "%d levels of %.1f rows on average, %u blocks of %d warps", data.levels,
                 data.levels ? (double)data.sweep.rows / data.levels : 0, data.sweep.tickets.work, WARPS_PER_BLOCK);
}

} // namespace

/* clang-format off */
const SptrsvMethod sptrsvSlfr = {
  {"slfr", "Li, Algorithm 3", "a warp per row in level order, counts of what is missing", SPTRSV_DEVICE, SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), li_build<BY_ROWS | BY_COLUMNS | IN_LEVELS | COUNTED>, update_sweep<LiPlan>, solve_slfr, describe, nullptr, nullptr,
  nullptr, nullptr};
const SptrsvMethod sptrsvSlfc = {
  {"slfc", "Li, Algorithm 4",
   "a warp per column in level order, counts of what is missing, atomics", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), li_build<BY_COLUMNS | IN_LEVELS | COUNTED>, update_sweep<LiPlan>, solve_slfc, describe, nullptr, nullptr,
  nullptr, nullptr};
/* clang-format on */
