/*
   `levelorder`: rows in level order, each solved by a few lanes of one of few resident warps.

   A warp takes a chunk of up to 32 / LANES rows of one level (levelorder.c), loads all that does not depend on x, keeps the loads of all
   its x in flight and asks again only for those that were not ready.  A row leaves as soon as its own lanes have everything.
*/
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include "values.cuh"

namespace {

using namespace sptrsv;

template <class V> struct LevelOrder {
  Tickets      tickets;
  int          unknowns;
  const int4  *chunk;            /* SptrsvChunk */
  const int   *col_idx;          /* [slots] */
  const int   *source, *target;  /* [unknowns] places in b and out, -1 for a partial sum */
  const V     *values;           /* [slots] */
  const V     *reciprocal;       /* [unknowns] */
  V           *x;                /* [2][unknowns] */
};

/* LANES per row, at most K entries per lane */
template <class V, int LANES, int K> __global__ void levelorder_kernel(const LevelOrder<V> p, const V *__restrict__ b, V *__restrict__ out)
{
  using W        = Word<V>;
  const int lane = threadIdx.x % WARP, sub = lane % LANES;

  const unsigned row_lanes = (LANES == WARP ? ALL_LANES : (1u << LANES) - 1) << (lane - sub);
  const Turn     turn(p.tickets, lane);
  V *const       x    = p.x + (size_t)turn.parity * p.unknowns;
  V *const       next = p.x + (size_t)(1 - turn.parity) * p.unknowns;

  for (unsigned c = turn.start, ahead; c < p.tickets.work; c = turn.share(ahead)) {
    const int4 chunk = p.chunk[c];
    const bool mine  = lane / LANES < chunk.z;
    const int  r     = chunk.y + lane / LANES;

    /* Everything but x is loaded before the wait: whatever came behind it would be paid once per level. */
    const int from = mine ? p.source[r] : -1, to = mine ? p.target[r] : -1;
    const V   reciprocal = mine ? p.reciprocal[r] : V(0);
    int       col[K];
    V         a[K];

    ahead = turn.take();
#pragma unroll
    for (int k = 0; k < K; k++) {
      const int slot = chunk.x + WARP * k + lane;
      col[k]         = k < chunk.w ? p.col_idx[slot] : -1;
      a[k]           = k < chunk.w ? p.values[slot] : V(0);
    }
    const V          start = from >= 0 && !sub ? b[from] : V(0);
    typename W::type v[K];
    bool             open = mine;
#pragma unroll
    for (int k = 0; k < K; k++) v[k] = col[k] >= 0 ? W::NOT_READY : W::of(V(0));
    /* The wait ends: what these rows need was taken with an earlier ticket, and no row of this warp needs another. */
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

      const unsigned ready_lanes = __ballot_sync(ALL_LANES, ready); /* every lane must vote, so never behind && */
      const bool     done        = open && (ready_lanes & row_lanes) == row_lanes;
      if (done && !sub) {
        sum *= reciprocal;
        publish(x + r, sum);
        rearm(next + r);
        if (to >= 0) out[to] = sum;
      }
      open = open && !done;
    } while (__any_sync(ALL_LANES, open));
  }
}

constexpr int MOST_PER_LANE = 8; /* entries that a lane can hold */

struct Plan {
  SptrsvChunk *chunk;
  int         *col_idx, *value_source, *diagonal_source, *source, *target;
  void        *values, *reciprocal, *x;
  size_t       slots;
  int          unknowns, chunks, partial_sums, levels, lanes, per_lane, warps, warps_per_block;
  unsigned long long *counter;
};

Plan *plan_of(SptrsvPlan plan)
{
  return (Plan *)plan->data;
}

template <class V, int LANES, int K> void launch(const Plan &d, const V *b, V *out, cudaStream_t stream)
{
  const LevelOrder<V> p = {
    {d.counter, (unsigned)d.chunks, (unsigned)d.warps}, d.unknowns, (const int4 *)d.chunk, d.col_idx, d.source, d.target,
    (const V *)d.values, (const V *)d.reciprocal, (V *)d.x
  };
  const int warps_per_block = d.warps_per_block;

  levelorder_kernel<V, LANES, K><<<d.warps / warps_per_block, WARP * warps_per_block, 0, stream>>>(p, b, out);
}

template <class V, int K> void launch_lanes(const Plan &d, const V *b, V *out, cudaStream_t stream)
{
  switch (d.lanes) {
  case 1:
    return launch<V, 1, K>(d, b, out, stream);
  case 2:
    return launch<V, 2, K>(d, b, out, stream);
  case 4:
    return launch<V, 4, K>(d, b, out, stream);
  case 8:
    return launch<V, 8, K>(d, b, out, stream);
  case 16:
    return launch<V, 16, K>(d, b, out, stream);
  default:
    return launch<V, 32, K>(d, b, out, stream);
  }
}

template <class V> void launch_entries(const Plan &d, const V *b, V *out, cudaStream_t stream)
{
  if (d.per_lane <= 2) launch_lanes<V, 2>(d, b, out, stream);
  else if (d.per_lane <= 4) launch_lanes<V, 4>(d, b, out, stream);
  else launch_lanes<V, 8>(d, b, out, stream);
}

SptrsvStatus solve(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  const Plan &d = *plan_of(plan);

  if (plan->options.type == SPTRSV_DOUBLE) launch_entries(d, (const double *)b, (double *)out, stream);
  else launch_entries(d, (const float *)b, (float *)out, stream);
  SPTRSV_CUDA(cudaGetLastError());
  return SPTRSV_SUCCESS;
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  const Plan &d = *plan_of(plan);

  SPTRSV_TRY(gather_values(d.slots, d.value_source, plan->options.type, values, d.values, stream));
  return gather_reciprocals(d.unknowns, d.diagonal_source, plan->options.diagonal, plan->options.type, values, d.reciprocal, stream);
}

/* How a row is spread, as measured (doc/algorithms/levelorder.md): over two lanes, or as many as hold the mean row with some room; one
   lane where levels are so wide that throughput counts and not the time of a row.  Rows that do not fit are cut, so the mean counts here
   and not the longest. */
void choose_lanes(const SptrsvPlanOptions &options, const SptrsvStatistics &s, Plan *d)
{
  const double mean = s.rows ? (double)s.nnz / (double)s.rows : 0;

  d->lanes = options.lanes;
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
  const double chunks_per_level = (double)d.chunks / std::max(1, d.levels);
  const double most             = (chunks_per_level > processors && d.levels > 100 ? 16.0 : 8.0) * processors;
  int          warps            = options.warps ? options.warps : (int)std::min(std::max(48 * chunks_per_level, (double)processors), most);

  warps = std::max(1, std::min(warps, d.chunks));
  return warps < 4 * processors ? warps : warps / 4 * 4; /* many come in blocks of four */
}

SptrsvStatus upload(SptrsvPlan plan, const SptrsvChunks &c, Plan *d)
{
  const size_t n = (size_t)c.unknowns, size = value_size(plan->options.type);
  size_t      *total = &plan->device_bytes;

  SPTRSV_TRY(sptrsvUpload(c.chunk, (size_t)c.chunks * sizeof(*c.chunk), (void **)&d->chunk, total));
  SPTRSV_TRY(sptrsvUpload(c.col_idx, c.slots * sizeof(int), (void **)&d->col_idx, total));
  SPTRSV_TRY(sptrsvUpload(c.source, c.slots * sizeof(int), (void **)&d->value_source, total));
  SPTRSV_TRY(sptrsvUpload(c.diagonal, n * sizeof(int), (void **)&d->diagonal_source, total));
  SPTRSV_TRY(upload_places(c.unknowns, c.row, plan->options.in_perm, &d->source, total));
  SPTRSV_TRY(upload_places(c.unknowns, c.row, plan->options.out_perm, &d->target, total));
  SPTRSV_TRY(sptrsvDeviceAllocate(c.slots * size, &d->values, total));
  SPTRSV_TRY(sptrsvDeviceAllocate(n * size, &d->reciprocal, total));
  SPTRSV_TRY(unknowns_create(n, plan->options.type, &d->x, total));
  SPTRSV_TRY(sptrsvDeviceAllocate(sizeof(*d->counter), (void **)&d->counter, total));
  SPTRSV_CUDA(cudaMemset(d->counter, 0, sizeof(*d->counter)));
  return SPTRSV_SUCCESS;
}

SptrsvStatus build(SptrsvPlan plan, SptrsvStream)
{
  const SptrsvSweep *sweep;
  SptrsvChunks       c;
  Plan              *d;
  int                processors;

  SPTRSV_TRY(sptrsvAnalysisSweep(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(count_processors(&processors));
  SPTRSV_TRY(sptrsvNew(1, &d));
  plan->data = d;
  choose_lanes(plan->options, sweep->statistics, d);
  SPTRSV_TRY(sptrsvChunksCreate(plan->analysis, &plan->options, d->lanes, d->per_lane, &c));
  d->slots           = c.slots;
  d->unknowns        = c.unknowns;
  d->chunks          = c.chunks;
  d->levels          = c.levels;
  d->partial_sums    = c.unknowns - plan->analysis->a.n;
  d->warps           = choose_warps(plan->options, *d, processors);
  d->warps_per_block = d->warps < 4 * processors ? 1 : 4;

  const SptrsvStatus status = upload(plan, c, d);
  sptrsvChunksFree(&c);
  return status;
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const Plan &d = *plan_of(plan);

  (void)snprintf(text, size, "%d lanes a row, %d chunks, %d resident warps, %d partial sums of long rows", d.lanes, d.chunks, d.warps, d.partial_sums);
}

void destroy(SptrsvPlan plan)
{
  Plan *d = plan_of(plan);

  if (!d) return;
  for (void *p : {(void *)d->chunk, (void *)d->col_idx, (void *)d->value_source, (void *)d->diagonal_source, (void *)d->source,
                  (void *)d->target, d->values, d->reciprocal, d->x, (void *)d->counter}) sptrsvDeviceFree(p);
  free(d);
}

} // namespace

const SptrsvMethod sptrsvLevelOrder = {
  {"levelorder", "this project", "rows in level order, few resident warps, values as their own flags", SPTRSV_DEVICE},
  build, update, solve, describe, destroy
};
