/*
   `levelset`: a launch for each level, all of whose rows are solved at once.

   Where levels are few and wide, a sweep is as fast as memory and launches allow.  Launches of one stream come one after the other, so
   nothing waits for a single x, and x of earlier levels is read as any other data.  A launch begins while the one in front ends, and
   reads its entries meanwhile.
*/
#include <algorithm>
#include <cstdio>
#include "../ends.cuh"
#include "levelorder.cuh"

namespace {

using namespace sptrsv;

constexpr int WARPS_PER_BLOCK = 4;

template <class V, class S> struct LevelSet : Triangle<V, S> {
  const LevelOrderChunk *chunk;
  V                     *x;
};

/* Chunks c up to end, a warp for each; LANES per row, K entries of a lane at a time */
template <class V, class S, int LANES, int K, class End>
__global__ void levelset_kernel(const LevelSet<V, S> sweep, int c, int end_chunk, const V *b, V *__restrict__ out, const End end)
{
  const int lane = threadIdx.x % WARP, sub = lane % LANES;

  let_next_launch_begin();
  c += (int)(blockIdx.x * WARPS_PER_BLOCK + threadIdx.x / WARP);
  if (c >= end_chunk) return;
  const LevelOrderChunk chunk = sweep.chunk[c];
  const int             r     = chunk.row + lane / LANES;
  const bool            last  = lane / LANES < chunk.rows && !sub; /* of the row's lanes, to store x */
  const int             to = last ? sweep.target[r] : -1, from = End::source(last ? sweep.source[r] : -1, to);
  const V               reciprocal = last ? sweep.reciprocal[r] : V(0);
  int                   col[K];
  S                     a[K];

  const auto read = [&](int first) {
#pragma unroll
    for (int k = 0; k < K; k++) {
      const int slot = chunk.first + WARP * (first + k) + lane;

      col[k] = first + k < chunk.per_lane ? sweep.idx[slot] : -1;
      a[k]   = first + k < chunk.per_lane ? sweep.values[slot] : S(0);
    }
  };
  read(0);
  await_previous_launch();
  V          sum = from >= 0 ? b[from] : V(0);
  const auto row = end.template of<V>(to);
  for (int first = 0; first < chunk.per_lane; first += K) {
    if (first) read(first);
#pragma unroll
    for (int k = 0; k < K; k++) {
      if (col[k] >= 0 && (!End::SKIPS_ZEROS || a[k] != S(0))) sum -= V(a[k]) * sweep.x[col[k]];
    }
  }
  /* x_i = (b_i - sum_j a_ij x_j) / d_i */
  sum = sum_over(LANES, sum) * reciprocal;
  if (last) sweep.x[r] = sum = row(sum);
  if (to >= 0) out[to] = sum;
}

constexpr int MOST_PER_LANE = 64;      /* entries; longer rows are cut */
constexpr int WIDE          = 1 << 16; /* lanes that are enough for one level */

template <class V, class S, class End> SptrsvStatus run(SptrsvPlan plan, const SptrsvSolve &s, const End &end)
{
  const LevelPlan     &data  = *level_plan(plan);
  const LevelSet<V, S> p     = {view<V, S>(data.level.triangle), data.level.chunk, (V *)data.warps.x};
  const auto           start = [&](auto lanes, auto entries) {
    cudaError_t error = cudaSuccess;

    for (int l = 0; l < data.level.levels && error == cudaSuccess; l++) {
      const int c = data.level.first[l], next = data.level.first[l + 1];

      const int  blocks = (next - c + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
      const auto kernel = levelset_kernel<V, S, lanes.value, entries.value, End>;

      error = launch_with({0, l ? plan->overlaps : s.follows}, kernel, blocks, WARP * WARPS_PER_BLOCK, s.stream, p, c, next, (const V *)s.b,
                                    (V *)s.x, end);
    }
    return error;
  };

  return sptrsvCudaStatus(with_power<2, MOST_HELD>(data.level.per_lane, [&](auto entries) {
    return with_power<1, WARP>(data.level.lanes, [&](auto lanes) { return start(lanes, entries); });
  }));
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_stored_type(plan->options, [&](auto v, auto stored) { return run<decltype(v), decltype(stored)>(plan, *s, Solution()); });
}

SptrsvStatus invert(SptrsvPlan plan, const SptrsvPivotSweep *pivots, SptrsvStream stream)
{
  SPTRSV_TRY(triangle_update(plan->options, level_plan(plan)->level.triangle, *pivots, stream));
  return by_any_type(plan->options.type, [&](auto v) {
    return run<decltype(v), decltype(v)>(plan, {1, pivots->diagonal, 0, pivots->inverse, 0, stream, false}, pivot_of(*pivots));
  });
}

/* A lane for each row, and more where levels are too narrow for that */
void choose_lanes(const SptrsvStatistics &statistics, LevelChunks *level)
{
  const double mean = mean_length(statistics);

  if (!level->lanes) {
    level->lanes = 1;
    while (level->lanes < WARP && level->lanes * statistics.n_level < WIDE && 2 * level->lanes < mean) level->lanes *= 2;
  }
  choose_per_lane(statistics, MOST_PER_LANE, level);
}

SptrsvStatus build(SptrsvPlan plan)
{
  LevelPlan *data = level_plan(plan);

  SPTRSV_TRY(level_chunks_create(plan, false, choose_lanes));
  return sptrsvDeviceAllocate(&plan->memory, (size_t)data->level.triangle.rows * sptrsvValueSize(plan->options.type), &data->warps.x);
}

/* As fitted (doc/algorithms/auto.md) */
SptrsvStatus forecast(SptrsvPlan plan, double *us)
{
  const LevelChunks &level = level_plan(plan)->level;

  *us = (LEVEL_LAUNCH_US + 0.07 * level.per_lane) * level.levels + 0.2e-3 * level.chunks +
        0.16e-6 * (double)level_bytes(level, plan->options);
  return SPTRSV_SUCCESS;
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LevelChunks &level = level_plan(plan)->level;

  (void)snprintf(text, size, "%d levels, a launch each, %d lanes a row, %d chunks, %d partial sums of long rows", level.levels, level.lanes,
                 level.chunks, level.triangle.rows - plan->analysis->a.n);
}

} // namespace

/* clang-format off */
const SptrsvMethod sptrsvLevelSet = {
  {"levelset", "level scheduling (Anderson and Saad)",
   "a launch for each level, rows packed as in levelorder", SPTRSV_DEVICE, SPTRSV_BLOCKS | SPTRSV_STORES_SINGLE, "",
   SPTRSV_ALL_VALUES},
  sizeof(LevelPlan), build, level_update, solve, describe, nullptr, invert, nullptr, forecast};
/* clang-format on */
