/*
   `levelorder`: rows in level order, each solved by a few lanes of one of few resident warps.

   A warp takes a chunk of up to WARP / LANES rows of one level (pack.cu), loads everything but x, keeps the loads of all its x in flight,
   and repeats only those that were not ready.  A row is done as soon as its own lanes have everything.

   With several right-hand sides each of a row's lanes becomes as many as their parts (columns.cuh), and a chunk as many tickets.
*/
#pragma once
#include "../columns.cuh"
#include "../ends.cuh"
#include "levelorder.cuh"

namespace sptrsv {

/* A row of the triangle is an unknown, its entries are in slots: idx and values are [slots] */
template <class V, class S, class Columns> struct LevelOrder : Triangle<V, S> {
  Tickets                tickets;
  const LevelOrderChunk *chunk;

  typename Columns::Values *x; /* [2][rows][Columns::PARTS] */
};

/* A lane's entries of a row, and the unknowns that they need, as far as those are ready */
template <class V, class S, int K, class End, class Columns> struct Entries {
  using Values = typename Columns::Values;

  int             col[K];
  S               stored[K];
  V               a[K];
  Unknown<Values> v[K];

  __device__ __forceinline__ void load(const LevelOrder<V, S, Columns> &sweep, const LevelOrderChunk &chunk, int lane)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      const int slot = chunk.first + WARP * k + lane;
      col[k]         = k < chunk.per_lane ? sweep.idx[slot] : -1;
      stored[k]      = k < chunk.per_lane ? sweep.values[slot] : S(0);
    }
  }
  __device__ __forceinline__ void begin()
  {
#pragma unroll
    for (int k = 0; k < K; k++) a[k] = V(stored[k]);
#pragma unroll
    for (int k = 0; k < K; k++) v[k] = Unknown<Values>::missing_if(col[k] >= 0);
  }
  __device__ __forceinline__ void poll_missing(const Values *x)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      if (!v[k].is_ready()) v[k] = poll(x + (size_t)col[k] * Columns::PARTS);
    }
  }
  /* Subtracts the entries' products; false: some x is not ready, and the sum does not count */
  __device__ __forceinline__ bool subtract_from(Values &sum) const
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
template <class V, class S, int LANES, int K, class End, class Columns> __global__ void
levelorder_kernel(const LevelOrder<V, S, Columns> sweep, const V *b, V *__restrict__ out, const End end, const Columns columns)
{
  using Values         = typename Columns::Values;
  constexpr int SPREAD = Columns::PARTS;
  const int     lane = threadIdx.x % WARP, sub = lane / SPREAD % LANES, column = lane % SPREAD;

  let_next_launch_begin();

  const LaneMask row_lanes = ALL_LANES >> (WARP - LANES * SPREAD) << (lane - lane % (LANES * SPREAD));
  Turn           turn(sweep.tickets, lane);
  Values *const  x    = sweep.x + (size_t)turn.parity * sweep.rows * SPREAD + column;
  Values *const  next = sweep.x + (size_t)(1 - turn.parity) * sweep.rows * SPREAD + column;

  for (unsigned c = turn.start, ahead; c < sweep.tickets.work; c = turn.share(ahead)) {
    const LevelOrderChunk chunk    = sweep.chunk[c / SPREAD];
    const int             of_chunk = c % SPREAD * (WARP / SPREAD) + lane / SPREAD; /* the chunk's lane */
    const bool            mine     = of_chunk / LANES < chunk.rows;
    const int             r        = chunk.row + of_chunk / LANES;

    /* Everything but x is loaded before the wait: a load behind it would be paid once per level. */
    const int to = mine ? sweep.target[r] : -1, from = End::source(mine ? sweep.source[r] : -1, to);
    const V   reciprocal = mine ? sweep.reciprocal[r] : V(0);

    Entries<V, S, K, End, Columns> entries;

    ahead = turn.take();
    entries.load(sweep, chunk, of_chunk);
    await_previous_launch();
    const Values start     = from >= 0 && !sub ? columns.read(b, from, column) : Values(0);
    const auto   row       = end.template of<Values>(to);
    bool         publishes = mine && !sub, waiting, stays; /* the row's first lane, until it has done so */
    entries.begin();
    /* The wait ends: the rows that these rows need have earlier tickets, and no row of this warp needs another. */
    for (;;) {
#pragma unroll 1
      do {
        Values sum = start;
        entries.poll_missing(x);
        stays            = turn.stays();
        const bool ready = entries.subtract_from(sum);
        /* The sum is formed in every round, beside the vote and not after it; it counts in the round in which all lanes were ready. */
        sum = reciprocal * sum_over<SPREAD>(LANES, sum);

        const LaneMask ready_lanes = __ballot_sync(ALL_LANES, ready); /* every lane must vote, so never behind && */
        if (publishes && (ready_lanes & row_lanes) == row_lanes) {
          sum = row(sum);
          publish(x + (size_t)r * SPREAD, sum);
          rearm(next + (size_t)r * SPREAD);
          if (to >= 0) columns.write(out, to, column, sum);
          publishes = false;
        }
        waiting = ready_lanes != ALL_LANES;
      } while (waiting && stays);
      if (!waiting) break;
      if (turn.gives_up()) settle(entries.v);
    }
  }
}

/* For values that are stored as S.  End: what a row ends in.  columns(lanes): those of the solve, for a constant number of lanes of a row.
   Each file that launches has the kernels of one End and kind of columns, which a process loads together. */
template <class V, class S, class End, class F>
SptrsvStatus launch_levelorder(const LevelChunks &level, const LevelWarps &warps, const SptrsvSolve &s, const End &end, F columns)
{
  const auto start = [&](auto lanes, auto entries) {
    const auto own                   = columns(lanes);
    using C                          = std::decay_t<decltype(own)>;
    auto *const               kernel = levelorder_kernel<V, S, lanes.value, entries.value, End, C>;
    const LevelOrder<V, S, C> p      = {view<V, S>(level.triangle), warps.tickets, level.chunk, (typename C::Values *)warps.x};

    return launch_with({0, s.follows}, kernel, warps.blocks(), WARP * warps.per_block, s.stream, p, (const V *)s.b, (V *)s.x, end, own);
  };
  return sptrsvCudaStatus(with_power<2, MOST_HELD>(level.per_lane, [&](auto entries) {
    return with_power<1, WARP>(level.lanes, [&](auto lanes) { return start(lanes, entries); });
  }));
}
template <class V, class S, class End> SptrsvStatus launch_levelorder(const LevelPlan &plan, const SptrsvSolve &s, const End &end)
{
  return launch_levelorder<V, S>(plan.level, plan.warps, s, end, [](auto) { return OneColumn<V>(); });
}

/* levelorder_columns.cu: several right-hand sides at once */
SPTRSV_TABLE SptrsvTogether levelorder_together;

/* levelorder_invert.cu: pivots of a factorization */
SptrsvStatus levelorder_invert(SptrsvPlan plan, const SptrsvPivotSweep *pivots, SptrsvStream stream);

} // namespace sptrsv
