/*
   `levelorder`: rows in level order, each solved by a few lanes of one of few resident warps.

   A warp takes a chunk of up to WARP / LANES rows of one level (pack.cu), loads everything but x, keeps the loads of all its x in flight,
   and repeats only those that were not ready.  A row is done as soon as its own lanes have everything.
*/
#pragma once
#include "../ends.cuh"
#include "levelorder.cuh"

namespace sptrsv {

/* A row of the triangle is an unknown, its entries are in slots: idx and values are [slots] */
template <class V> struct LevelOrder : Triangle<V> {
  Tickets                tickets;
  const LevelOrderChunk *chunk;
  V                     *x; /* [2][rows] */
};

/* A lane's entries of a row, and the unknowns that they need, as far as those are ready */
template <class V, int K, class End> struct Entries {
  int        col[K];
  V          a[K];
  Unknown<V> v[K];

  __device__ __forceinline__ void load(const LevelOrder<V> &sweep, const LevelOrderChunk &chunk, int lane)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      const int slot = chunk.first + WARP * k + lane;
      col[k]         = k < chunk.per_lane ? sweep.idx[slot] : -1;
      a[k]           = k < chunk.per_lane ? sweep.values[slot] : V(0);
    }
  }
  __device__ __forceinline__ void begin()
  {
#pragma unroll
    for (int k = 0; k < K; k++) v[k] = Unknown<V>::missing_if(col[k] >= 0);
  }
  __device__ __forceinline__ void poll_missing(const V *x)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      if (!v[k].is_ready()) v[k] = poll(x + col[k]);
    }
  }
  /* Subtracts the entries' products; false: some x is not ready, and the sum does not count */
  __device__ __forceinline__ bool subtract_from(V &sum) const
  {
    bool ready = true;
#pragma unroll
    for (int k = 0; k < K; k++) {
      ready = ready && v[k].is_ready();
      if (!End::SKIPS_ZEROS || a[k] != V(0)) sum -= a[k] * v[k].value();
    }
    return ready;
  }
};

/* LANES per row, at most K entries per lane */
template <class V, int LANES, int K, class End>
__global__ void levelorder_kernel(const LevelOrder<V> sweep, const V *b, V *__restrict__ out, const End end)
{
  const int lane = threadIdx.x % WARP, sub = lane % LANES;

  let_next_launch_begin();

  const LaneMask row_lanes = ALL_LANES >> (WARP - LANES) << (lane - sub);
  Turn           turn(sweep.tickets, lane);
  V *const       x    = sweep.x + (size_t)turn.parity * sweep.rows;
  V *const       next = sweep.x + (size_t)(1 - turn.parity) * sweep.rows;

  for (unsigned c = turn.start, ahead; c < sweep.tickets.work; c = turn.share(ahead)) {
    const LevelOrderChunk chunk = sweep.chunk[c];
    const bool            mine  = lane / LANES < chunk.rows;
    const int             r     = chunk.row + lane / LANES;

    /* Everything but x is loaded before the wait: a load behind it would be paid once per level. */
    const int to = mine ? sweep.target[r] : -1, from = End::source(mine ? sweep.source[r] : -1, to);
    const V   reciprocal = mine ? sweep.reciprocal[r] : V(0);

    Entries<V, K, End> entries;

    ahead = turn.take();
    entries.load(sweep, chunk, lane);
    await_previous_launch();
    const V    start     = from >= 0 && !sub ? b[from] : V(0);
    const auto row       = end.template of<V>(to);
    bool       publishes = mine && !sub, waiting, stays; /* the row's first lane, until it has done so */
    entries.begin();
    /* The wait ends: the rows that these rows need have earlier tickets, and no row of this warp needs another. */
    for (;;) {
#pragma unroll 1
      do {
        V sum = start;
        entries.poll_missing(x);
        stays            = turn.stays();
        const bool ready = entries.subtract_from(sum);
        /* The sum is formed in every round, beside the vote and not after it; it counts in the round in which all lanes were ready. */
        sum = sum_over(LANES, sum) * reciprocal;

        const LaneMask ready_lanes = __ballot_sync(ALL_LANES, ready); /* every lane must vote, so never behind && */
        if (publishes && (ready_lanes & row_lanes) == row_lanes) {
          sum = row(sum);
          publish(x + r, sum);
          rearm(next + r);
          if (to >= 0) out[to] = sum;
          publishes = false;
        }
        waiting = ready_lanes != ALL_LANES;
      } while (waiting && stays);
      if (!waiting) break;
      if (turn.gives_up()) settle(entries.v);
    }
  }
}

struct LevelOrderPlan {
  LevelChunks level;
  LevelWarps  warps;
};

/* End: what a row ends in; each file that launches has the kernels of one, which a process loads together */
template <class End> SptrsvStatus launch_levelorder(const LevelOrderPlan &plan, SptrsvValueType type, const SptrsvSolve &s, const End &end)
{
  return by_type(type, [&](auto v) {
    using V                   = decltype(v);
    const LevelOrder<V> p     = {view<V>(plan.level.triangle), plan.warps.tickets, plan.level.chunk, (V *)plan.warps.x};
    const auto          start = [&](auto lanes, auto entries) {
      auto *const kernel = levelorder_kernel<V, lanes.value, entries.value, End>;

      return launch_with({0, s.follows}, kernel, plan.warps.blocks(), WARP * plan.warps.per_block, s.stream, p, (const V *)s.b, (V *)s.x,
                                  end);
    };
    return sptrsvCudaStatus(with_entries(plan.level.per_lane, [&](auto entries) {
      return with_lanes(plan.level.lanes, [&](auto lanes) { return start(lanes, entries); });
    }));
  });
}

/* levelorder_invert.cu: pivots of a factorization for x, from the diagonal for b */
SptrsvStatus levelorder_invert(const LevelOrderPlan &plan, SptrsvValueType type, const SptrsvSolve &s, const Pivot &end);

} // namespace sptrsv
