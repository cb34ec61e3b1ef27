/*
   `syncfree-csc`: one launch, a warp for each column in the order of the rows, sums and counts of the block's own rows in shared memory.
   Liu et al., Algorithm 2.
*/
#include <cstdio>
#include "li.cuh"

namespace {

using namespace sptrsv;

/*
   A row's in-degree is counted down in two counters: d_in_degree in global memory, which starts with the in-degree, and s_in_degree in
   shared memory, which starts at 0 and goes below.  Both only fall, so their sum is never below the number of missing columns, and is zero
   when none is missing.

   All lanes poll and acquire, so that each has x without a shuffle.  A warp of which one lane polls is slower (doc/algorithms/authors.md).

   The wait ends: columns have smaller numbers than rows, so the missing ones are in a block with an earlier ticket or in another warp of
   this block, which runs too.
*/
template <class V> __global__ void syncfree_kernel(const LiSweep<V> sweep, const V *__restrict__ b, V *__restrict__ out)
{
  __shared__ V        s_left_sum[WARPS_PER_BLOCK];
  __shared__ unsigned s_in_degree[WARPS_PER_BLOCK];
  const int           lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

  if (!lane) {
    s_left_sum[warp]  = 0;
    s_in_degree[warp] = 0;
  }
  BlockTurn       turn(sweep.tickets); /* has barriers */
  unsigned *const d_in_degree = set_of(sweep.missing, sweep.rows, turn.parity);
  V *const        d_left_sum  = set_of(sweep.left_sum, sweep.rows, turn.parity);
  const int       first = (int)turn.start * WARPS_PER_BLOCK, i = first + warp;

  if (i >= sweep.rows) return;
  const int end = sweep.ptr[i + 1], to = sweep.target[i];
  int       e = sweep.ptr[i] + lane, row = e < end ? sweep.idx[e] : 0; /* before the wait, since all of the next level waits for it */
  V         a     = e < end ? sweep.values[e] : V(0);
  const V   right = b[sweep.source[i]], reciprocal = sweep.reciprocal[i];

  if (!lane) {
    set_of(sweep.missing, sweep.rows, 1 - turn.parity)[i]  = sweep.in_degree[i];
    set_of(sweep.left_sum, sweep.rows, 1 - turn.parity)[i] = 0;
  }
  const bool ready =
      await_nothing([&] { return load_acquire(d_in_degree + i) + load_acquire_block(s_in_degree + warp); }, turn); /* line 11 */
  const V x = ready ? (right - (d_left_sum[i] + s_left_sum[warp])) * reciprocal : no_value<V>();                   /* line 14 */

  if (!lane) out[to] = x;
  while (e < end) { /* line 15 */
    const int own = row - first;

    if (own < WARPS_PER_BLOCK) {
      add_relaxed(s_left_sum + own, a * x);
      subtract_release_block(s_in_degree + own, 1);
    } else {
      add_relaxed(d_left_sum + row, a * x);
      subtract_release(d_in_degree + row, 1);
    }
    turn.work_goes_on((unsigned)e);
    e += WARP;
    if (e < end) {
      row = sweep.idx[e];
      a   = sweep.values[e];
    }
  }
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_type(plan->options.type, [&](auto v) { return li_launch(plan, syncfree_kernel<decltype(v)>, *s); });
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LiPlan &data = *li_of(plan);

  (void)snprintf(text, size, "%u blocks of %d columns, %.0f %% of the sums in shared memory", data.sweep.tickets.work, WARPS_PER_BLOCK,
                 100 * data.in_block);
}

} // namespace

/* clang-format off */
const SptrsvMethod sptrsvSyncFreeCsc = {
  {"syncfree-csc", "Liu et al., Algorithm 2",
   "a warp per column in row order, sums of the own block in shared memory", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), li_build<BY_COLUMNS | COUNTED>, update_sweep<LiPlan>, solve, describe, nullptr, nullptr, nullptr, nullptr};
/* clang-format on */
