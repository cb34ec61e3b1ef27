/*
   `levelorder`: rows in level order, each solved by a few lanes of one of few resident warps.

   A warp takes a chunk of up to WARP / LANES rows of one level (pack.cu), loads all that does not depend on x, keeps the loads
   of all its x in flight and asks again only for those that were not ready.  A row leaves as soon as its own lanes have everything.
*/
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include "levelorder.cuh"
#include "../../device/scratch.cuh"
#include "../../device/tickets.cuh"
#include "../../device/values.cuh"

namespace {

using namespace sptrsv;

template <class V> struct LevelOrder {
  Tickets                tickets;
  int                    unknowns;
  const LevelOrderChunk *chunk;
  const int             *col_idx;         /* [slots] */
  const int             *source, *target; /* [unknowns] places in b and out, -1 for a partial sum */
  const V               *values;          /* [slots] */
  const V               *reciprocal;      /* [unknowns] */
  V                     *x;               /* [2][unknowns] */
};

/* LANES per row, at most K entries per lane */
template <class V, int LANES, int K> __global__ void levelorder_kernel(const LevelOrder<V> p, const V *__restrict__ b, V *__restrict__ out)
{
  using W        = Word<V>;
  const int lane = threadIdx.x % WARP, sub = lane % LANES;

  const LaneMask row_lanes = ALL_LANES >> (WARP - LANES) << (lane - sub);
  Turn           turn(p.tickets, lane);
  V *const       x    = p.x + (size_t)turn.parity * p.unknowns;
  V *const       next = p.x + (size_t)(1 - turn.parity) * p.unknowns;

  for (unsigned c = turn.start, ahead; c < p.tickets.work; c = turn.share(ahead)) {
    const LevelOrderChunk chunk = p.chunk[c];
    const bool            mine  = lane / LANES < chunk.rows;
    const int             r     = chunk.row + lane / LANES;

    /* Everything but x is loaded before the wait: whatever came behind it would be paid once per level. */
    const int from = mine ? p.source[r] : -1, to = mine ? p.target[r] : -1;
    const V   reciprocal = mine ? p.reciprocal[r] : V(0);
    int       col[K];
    V         a[K];

    ahead = turn.take();
#pragma unroll
    for (int k = 0; k < K; k++) {
      const int slot = chunk.first + WARP * k + lane;
      col[k]         = k < chunk.per_lane ? p.col_idx[slot] : -1;
      a[k]           = k < chunk.per_lane ? p.values[slot] : V(0);
    }
    const V          start = from >= 0 && !sub ? b[from] : V(0);
    typename W::type v[K];
    bool             open   = mine, waiting;
    unsigned         rounds = 0;
#pragma unroll
    for (int k = 0; k < K; k++) v[k] = col[k] >= 0 ? W::NOT_READY : W::of(V(0));
    /* The wait ends: what these rows need was taken with an earlier ticket, and no row of this warp needs another. */
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
          sum -= a[k] * W::value(v[k]);
        }
        /* The sum is formed in every round, beside the vote and not after it; it counts in the round in which all lanes were ready. */
        sum = sum_over(LANES, sum);

        const LaneMask ready_lanes = __ballot_sync(ALL_LANES, ready); /* every lane must vote, so never behind && */
        const bool     done        = open && (ready_lanes & row_lanes) == row_lanes;
        if (done && !sub) {
          sum *= reciprocal;
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

constexpr int MOST_PER_LANE = 8; /* entries that a lane can hold */

struct Plan {
  LevelOrderPack rows;
  void          *values, *reciprocal, *x; /* [slots], [unknowns], [2][unknowns] */
  int            unknowns, partial_sums, levels, lanes, per_lane, warps_per_block;
  Tickets        tickets;
};

Plan *plan_of(SptrsvPlan plan)
{
  return (Plan *)plan->data;
}

template <class V, int LANES, int K> cudaError_t launch_kernel(const Plan &d, const V *b, V *out, cudaStream_t stream)
{
  LevelOrder<V> p;

  p.tickets    = d.tickets;
  p.unknowns   = d.unknowns;
  p.chunk      = d.rows.chunk;
  p.col_idx    = d.rows.col_idx;
  p.source     = d.rows.source;
  p.target     = d.rows.target;
  p.values     = (const V *)d.values;
  p.reciprocal = (const V *)d.reciprocal;
  p.x          = (V *)d.x;
  return launch(levelorder_kernel<V, LANES, K>, (int)d.tickets.warps / d.warps_per_block, WARP * d.warps_per_block, stream, p, b, out);
}

template <class V, int K> cudaError_t launch_lanes(const Plan &d, const V *b, V *out, cudaStream_t stream)
{
  switch (d.lanes) {
  case 1:
    return launch_kernel<V, 1, K>(d, b, out, stream);
  case 2:
    return launch_kernel<V, 2, K>(d, b, out, stream);
  case 4:
    return launch_kernel<V, 4, K>(d, b, out, stream);
  case 8:
    return launch_kernel<V, 8, K>(d, b, out, stream);
  case 16:
    return launch_kernel<V, 16, K>(d, b, out, stream);
  case 32:
    return launch_kernel<V, 32, K>(d, b, out, stream);
  default:
    return launch_kernel<V, WARP, K>(d, b, out, stream);
  }
}

template <class V> cudaError_t launch_entries(const Plan &d, const V *b, V *out, cudaStream_t stream)
{
  if (d.per_lane <= 2) return launch_lanes<V, 2>(d, b, out, stream);
  return d.per_lane <= 4 ? launch_lanes<V, 4>(d, b, out, stream) : launch_lanes<V, 8>(d, b, out, stream);
}

SptrsvStatus solve(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  const Plan &d = *plan_of(plan);

  SPTRSV_CUDA(plan->options.type == SPTRSV_DOUBLE ? launch_entries(d, (const double *)b, (double *)out, stream)
                                                  : launch_entries(d, (const float *)b, (float *)out, stream));
  return SPTRSV_SUCCESS;
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  const Plan &d = *plan_of(plan);

  return take_values({d.rows.slots, d.rows.value_source, d.values, d.unknowns, d.rows.diagonal_source, d.reciprocal},
                     plan->options.diagonal, plan->options.type, values, stream);
}

/* How a row is spread, as measured (doc/algorithms/levelorder.md): over two lanes, or as many as hold the mean row with some room; one
   lane where levels are so wide that throughput counts and not the time of a row.  Rows that do not fit are cut, so the mean counts here
   and not the longest. */
void choose_lanes(const SptrsvPlanOptions &options, const SptrsvStatistics &s, Plan *d)
{
  const double mean = s.rows ? (double)s.nnz / (double)s.rows : 0;

  d->lanes = options.tuning.levelorder.lanes;
  if (!d->lanes) {
    d->lanes = s.n_level > 4096 ? 1 : 2;
    while (d->lanes < WARP && MOST_PER_LANE * d->lanes < 1.25 * mean) d->lanes *= 2;
  }
  d->per_lane = 2;
  while (d->per_lane < MOST_PER_LANE && (int64_t)d->per_lane * d->lanes < s.longest) d->per_lane *= 2;
}

/* Few warps wait at a time, since polling warps slow down those that have work: enough for some 48 levels ahead, at most eight for each
   multiprocessor, or sixteen where many levels are that wide. */
int choose_warps(const SptrsvPlanOptions &options, const Plan &d, int processors)
{
  const double chunks_per_level = (double)d.rows.chunks / std::max(1, d.levels);
  const double most             = (chunks_per_level > processors && d.levels > 100 ? 16.0 : 8.0) * processors;
  int          warps            = options.tuning.levelorder.warps ? options.tuning.levelorder.warps
                                                                  : (int)std::min(std::max(48 * chunks_per_level, (double)processors), most);

  warps = std::max(1, std::min(warps, d.rows.chunks));
  return warps < 4 * processors ? warps : warps / 4 * 4; /* many come in blocks of four */
}

/* The rows as the analysis has them on the device */
SptrsvStatus pack_rows(SptrsvPlan plan, const SptrsvSweep &sweep, Plan *d)
{
  const SptrsvAnalysis a     = plan->analysis;
  const bool           upper = plan->options.triangle == SPTRSV_UPPER, unit = plan->options.diagonal == SPTRSV_DIAG_UNIT;
  LevelOrderRows       rows = {};
  Scratch<int>         level;
  int                 *level_ptr;

  SPTRSV_TRY(level.upload(sweep.level, a->a.n));
  SPTRSV_TRY(sptrsvLevelPointers(a->a.n, sweep.level, &d->levels, &level_ptr));
  d->unknowns        = a->a.n;
  rows.n             = a->a.n;
  rows.rows          = a->a.n;
  rows.begin         = upper ? a->d_split : a->d_row_ptr;
  rows.end           = upper ? a->d_row_ptr + 1 : a->d_split;
  rows.skip_diagonal = upper;
  rows.backwards     = upper;
  rows.col_idx       = a->d_col_idx;
  rows.diagonal      = unit ? nullptr : a->d_split;
  rows.level         = level;

  const SptrsvStatus status = levelorder_pack(rows, level_ptr, d->levels, d->lanes, d->per_lane, plan->options.in_perm,
                                              plan->options.out_perm, &d->rows, &plan->device_bytes);
  free(level_ptr);
  return status;
}

/* The rows by way of the host, which transposes and cuts them */
SptrsvStatus pack_unknowns(SptrsvPlan plan, const SptrsvUnknowns &u, Plan *d)
{
  Scratch<int> row_ptr, col_idx, source, row, diagonal, level;
  int         *level_ptr;

  SPTRSV_TRY(row_ptr.upload(u.row_ptr, (size_t)u.n + 1));
  SPTRSV_TRY(col_idx.upload(u.col_idx, u.nnz));
  SPTRSV_TRY(source.upload(u.source, u.nnz));
  SPTRSV_TRY(row.upload(u.row, u.n));
  SPTRSV_TRY(diagonal.upload(u.diagonal, u.n));
  SPTRSV_TRY(level.upload(u.level, u.n));
  SPTRSV_TRY(sptrsvLevelPointers(u.n, u.level, &d->levels, &level_ptr));
  d->unknowns                 = u.n;
  const LevelOrderRows rows   = {u.n, plan->analysis->a.n, row_ptr, row_ptr + 1, false, false, col_idx, source, diagonal, row, level};
  const SptrsvStatus   status = levelorder_pack(rows, level_ptr, d->levels, d->lanes, d->per_lane, plan->options.in_perm,
                                                plan->options.out_perm, &d->rows, &plan->device_bytes);
  free(level_ptr);
  return status;
}

SptrsvStatus pack(SptrsvPlan plan, const SptrsvSweep &sweep, Plan *d)
{
  const int      most = d->lanes * d->per_lane;
  SptrsvUnknowns u;

  if (plan->options.op == SPTRSV_NON_TRANSPOSE && sweep.statistics.longest <= most) return pack_rows(plan, sweep, d);
  SptrsvStatus status = sptrsvUnknownsCreate(plan->analysis, &plan->options, most, &u);
  if (!status) status = pack_unknowns(plan, u, d);
  sptrsvUnknownsFree(&u);
  return status;
}

SptrsvStatus build(SptrsvPlan plan)
{
  const size_t       size  = value_size(plan->options.type);
  size_t            *total = &plan->device_bytes;
  const SptrsvSweep *sweep;
  Plan              *d;
  int                processors, warps;

  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(count_processors(&processors));
  SPTRSV_TRY(sptrsvNew(1, &d));
  plan->data = d;
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  choose_lanes(plan->options, sweep->statistics, d);
  SPTRSV_TRY(pack(plan, *sweep, d));
  d->partial_sums    = d->unknowns - plan->analysis->a.n;
  warps              = choose_warps(plan->options, *d, processors);
  d->warps_per_block = warps < 4 * processors ? 1 : 4;
  SPTRSV_TRY(sptrsvDeviceAllocate(d->rows.slots * size, &d->values, total));
  SPTRSV_TRY(sptrsvDeviceAllocate((size_t)d->unknowns * size, &d->reciprocal, total));
  SPTRSV_TRY(unknowns_create((size_t)d->unknowns, plan->options.type, &d->x, total));
  SPTRSV_TRY(tickets_create(d->rows.chunks, warps, &d->tickets, total));
  plan->stalled = d->tickets.stalled;
  return SPTRSV_SUCCESS;
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const Plan &d = *plan_of(plan);

  (void)snprintf(text, size, "%d lanes a row, %d chunks, %u resident warps, %d partial sums of long rows", d.lanes, d.rows.chunks,
                 d.tickets.warps, d.partial_sums);
}

void destroy(SptrsvPlan plan)
{
  Plan *d = plan_of(plan);

  if (!d) return;
  for (void *p : {(void *)d->rows.chunk, (void *)d->rows.col_idx, (void *)d->rows.value_source, (void *)d->rows.diagonal_source,
                  (void *)d->rows.source, (void *)d->rows.target, d->values, d->reciprocal, d->x})
    sptrsvDeviceFree(p);
  tickets_destroy(&d->tickets);
  free(d);
}

} // namespace

const SptrsvMethod sptrsvLevelOrder = {{"levelorder", "this project", "rows in level order, few resident warps, values as their own flags",
                                        SPTRSV_DEVICE, 0},
                                       build,
                                       update,
                                       solve,
                                       describe,
                                       destroy};
