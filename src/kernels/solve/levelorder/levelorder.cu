/*
   `levelorder`: rows in level order, each solved by a few lanes of one of few resident warps.

   A warp takes a chunk of up to WARP / LANES rows of one level (pack.cu), loads everything but x, keeps the loads of all its x in flight,
   and repeats only those that were not ready.  A row is done as soon as its own lanes have everything.
*/
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include "../ends.cuh"
#include "levelorder.cuh"

namespace {

using namespace sptrsv;

/* A row of the triangle is an unknown, its entries are in slots: idx and values are [slots] */
template <class V> struct LevelOrder : Triangle<V> {
  Tickets                tickets;
  const LevelOrderChunk *chunk;
  V                     *x; /* [2][rows] */
};

/* LANES per row, at most K entries per lane */
template <class V, int LANES, int K, class End>
__global__ void levelorder_kernel(const LevelOrder<V> sweep, const V *b, V *__restrict__ out, const End end)
{
  using W        = Word<V>;
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
    int       col[K];
    V         a[K];

    ahead = turn.take();
#pragma unroll
    for (int k = 0; k < K; k++) {
      const int slot = chunk.first + WARP * k + lane;
      col[k]         = k < chunk.per_lane ? sweep.idx[slot] : -1;
      a[k]           = k < chunk.per_lane ? sweep.values[slot] : V(0);
    }
    await_previous_launch();
    const V          start = from >= 0 && !sub ? b[from] : V(0);
    typename W::type v[K];
    bool             open   = mine, waiting;
    unsigned         rounds = 0;
#pragma unroll
    for (int k = 0; k < K; k++) v[k] = col[k] >= 0 ? W::NOT_READY : W::of(V(0));
    /* The wait ends: the rows that these rows need have earlier tickets, and no row of this warp needs another. */
    for (;;) {
      do {
        bool ready = true;
        V    sum   = start;
#pragma unroll
        for (int k = 0; k < K; k++) {
          if (v[k] == W::NOT_READY) v[k] = poll(x + col[k]);
        }
#pragma unroll
        for (int k = 0; k < K; k++) {
          ready = ready && v[k] != W::NOT_READY;
          if (!End::SKIPS_ZEROS || a[k] != V(0)) sum -= a[k] * W::value(v[k]);
        }
        /* The sum is formed in every round, beside the vote and not after it; it counts in the round in which all lanes were ready. */
        sum = sum_over(LANES, sum);

        const LaneMask ready_lanes = __ballot_sync(ALL_LANES, ready); /* every lane must vote, so never behind && */
        const bool     done        = open && (ready_lanes & row_lanes) == row_lanes;
        if (done && !sub) {
          sum = end(sum * reciprocal, to);
          publish(x + r, sum);
          rearm(next + r);
          if (to >= 0) out[to] = sum;
        }
        open    = open && !done;
        waiting = __any_sync(ALL_LANES, open);
      } while (waiting && ++rounds < turn.limit);
      if (!waiting) break;
      if (turn.gives_up(rounds)) {
#pragma unroll
        for (int k = 0; k < K; k++) v[k] = v[k] == W::NOT_READY ? W::NOT_A_NUMBER : v[k];
      }
    }
  }
}

struct LevelOrderPlan {
  LevelChunks level;
  void       *x; /* [2][unknowns] */
  int         warps_per_block;
  Tickets     tickets;
};

LevelOrderPlan *plan_of(SptrsvPlan plan)
{
  return (LevelOrderPlan *)plan->data;
}

template <class End> SptrsvStatus run(SptrsvPlan plan, const void *b, void *out, const End &end, bool follows, SptrsvStream stream)
{
  const LevelOrderPlan &data = *plan_of(plan);

  return by_type(plan->options.type, [&](auto v) {
    using V                   = decltype(v);
    const LevelOrder<V> p     = {view<V>(data.level.triangle), data.tickets, data.level.chunk, (V *)data.x};
    const auto          start = [&](auto lanes, auto entries) {
      return launch_with({0, follows}, levelorder_kernel<V, lanes.value, entries.value, End>,
                                  (int)data.tickets.warps / data.warps_per_block, WARP * data.warps_per_block, stream, p, (const V *)b,
                                  (V *)out, end);
    };
    return sptrsvCudaStatus(with_entries(data.level.per_lane, [&](auto entries) {
      return with_lanes(data.level.lanes, [&](auto lanes) { return start(lanes, entries); });
    }));
  });
}

SptrsvStatus solve(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  return run(plan, b, out, Solution(), plan->follows, stream);
}

SptrsvStatus invert(SptrsvPlan plan, const SptrsvPivotSweep *pivots, SptrsvStream stream)
{
  SPTRSV_TRY(triangle_update(plan->options, plan_of(plan)->level.triangle, *pivots, stream));
  return run(plan, pivots->diagonal, pivots->inverse, Pivot{{pivots->pivoting, pivots->bad_row}}, false, stream);
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  return triangle_update(plan->options, plan_of(plan)->level.triangle, values, stream);
}

/* Lanes of a row, as measured (doc/algorithms/levelorder.md): two, or the number that holds the mean row with some room; one where levels
   are so wide that throughput counts and not the time of a row.  Rows that do not fit are cut, so the longest does not count here. */
void choose_lanes(const SptrsvPlanOptions &options, const SptrsvStatistics &statistics, LevelChunks *data)
{
  const double mean = statistics.rows ? (double)statistics.nnz / (double)statistics.rows : 0;

  data->lanes = options.tuning.levelorder.lanes;
  if (!data->lanes) {
    data->lanes = statistics.n_level > 4096 ? 1 : 2;
    while (data->lanes < WARP && MOST_HELD * data->lanes < 1.25 * mean) data->lanes *= 2;
  }
  data->per_lane = 2;
  while (data->per_lane < MOST_HELD && (int64_t)data->per_lane * data->lanes < statistics.longest) data->per_lane *= 2;
}

/* Few warps, since those that poll slow down those that have work: enough for 48 levels at a time, at most eight for each multiprocessor,
   or sixteen where many levels are that wide. */
int choose_warps(const SptrsvPlanOptions &options, const LevelChunks &data, int processors)
{
  const double chunks_per_level = (double)data.chunks / std::max(1, data.levels);
  const double most             = (chunks_per_level > processors && data.levels > 100 ? 16.0 : 8.0) * processors;
  const double by_rule          = std::min(std::max(48 * chunks_per_level, (double)processors), most);
  int          warps            = options.tuning.levelorder.warps ? options.tuning.levelorder.warps : (int)by_rule;

  warps = std::max(1, std::min(warps, data.chunks));
  return warps < 4 * processors ? warps : warps / 4 * 4; /* many come in blocks of four */
}

SptrsvStatus build(SptrsvPlan plan)
{
  const SptrsvSweep *sweep;
  LevelOrderPlan    *data;
  int                processors, warps, *first;

  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(count_processors(&processors));
  SPTRSV_TRY(sptrsvNew(1, &data));
  plan->data = data;
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  choose_lanes(plan->options, sweep->statistics, &data->level);
  SPTRSV_TRY(level_chunks_create(plan, &data->level, &first));
  free(first);
  warps                 = choose_warps(plan->options, data->level, processors);
  data->warps_per_block = warps < 4 * processors ? 1 : 4;
  SPTRSV_TRY(unknowns_create(&plan->memory, (size_t)data->level.triangle.rows, plan->options.type, &data->x));
  SPTRSV_TRY(tickets_create(&plan->memory, data->level.chunks, warps, &data->tickets));
  plan->stalled = data->tickets.stalled;
  return SPTRSV_SUCCESS;
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LevelOrderPlan &data = *plan_of(plan);

  (void)snprintf(text, size, "%d lanes a row, %d chunks, %u resident warps, %d partial sums of long rows", data.level.lanes,
                 data.level.chunks, data.tickets.warps, data.level.partial_sums);
}

} // namespace

const SptrsvMethod sptrsvLevelOrder = {build, update, solve, describe, nullptr, invert};
