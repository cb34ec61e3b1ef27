/*
   `blockorder`: levelorder for blocks of unknowns, with one index for each block (doc/algorithms/blocks.md).

   A row is a block of BS unknowns.  Lane c of its BS lanes polls component c of a block of x, multiplies it with column c of the entry's
   block, and so has a part of each sum of the row.  The parts are gathered once, when the row is complete.  So a poll is of one unknown,
   which is its own flag, and shuffles do not grow with the row.  Rows that are too long for registers go window by window.  A pattern that
   is not made of dense blocks of equal size has blocks of one row.
*/
#include <algorithm>
#include <cstdio>
#include "levelorder.cuh"

namespace {

using namespace sptrsv;

/* idx are blocks, in slots, and each slot has BS values for each of its BS lanes: value s of lane c is in row (c + s) % BS and column c of
   the block, so that no register is indexed by a variable.  Values of neighbouring slots are beside each other: place_of(). */
template <class V> struct BlockOrder : Triangle<V> {
  Tickets                tickets;
  const LevelOrderChunk *chunk;
  V                     *x;     /* [2][rows] */
  int                    lanes; /* for each component of a row */
};

template <int BS> constexpr int WIDTH = WARP / BS; /* slots that a warp reads at once */

/* Place of value s of the lane, of round k of a chunk */
template <int BS> __device__ __forceinline__ size_t place_of(const LevelOrderChunk &chunk, int k, int s, int lane)
{
  return ((size_t)chunk.first + WIDTH<BS> * k) * (BS * BS) + s * (WIDTH<BS> * BS) + lane;
}

/* Where a lane is in its warp: lanes of one component follow those of another, and groups of BS lanes each other.  Lanes that are left over
   have a row that no chunk has. */
template <int BS> struct Lane {
  const int lane, group, component, row, part;

  __device__ __forceinline__ Lane(int lane, int lanes)
      : lane(lane), group(lane / BS), component(lane % BS), row(group / lanes), part(group % lanes)
  {}
  __device__ __forceinline__ LaneMask mask_of_row(int lanes) const
  {
    return ALL_LANES >> (WARP - BS * lanes) << min(row * lanes * BS, WARP - 1);
  }
  __device__ __forceinline__ int at(int other_group, int other_component) const
  {
    return (other_group * BS + other_component) & (WARP - 1);
  }
};

/* A lane's entries in a window of the row, and the unknowns that they need, as far as those are ready */
template <class V, int BS, int K> struct BlockEntries {
  int        col[K];
  V          a[K][BS];
  Unknown<V> v[K];

  __device__ __forceinline__ void load(const BlockOrder<V> &sweep, const LevelOrderChunk &chunk, const Lane<BS> &own, int first)
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
      const bool there = first + k < chunk.per_lane && own.group < WIDTH<BS>;

      col[k] = there ? sweep.idx[chunk.first + WIDTH<BS> * (first + k) + own.group] : -1;
#pragma unroll
      for (int s = 0; s < BS; s++) a[k][s] = there ? sweep.values[place_of<BS>(chunk, first + k, s, own.lane)] : V(0);
      v[k] = Unknown<V>::missing_if(col[k] >= 0);
    }
  }
  __device__ __forceinline__ bool poll_missing(const V *x)
  {
    bool ready = true;
#pragma unroll
    for (int k = 0; k < K; k++) {
      if (!v[k].is_ready()) v[k] = poll(x + (size_t)col[k] * BS);
    }
#pragma unroll
    for (int k = 0; k < K; k++) ready = ready && v[k].is_ready();
    return ready;
  }
  __device__ __forceinline__ void subtract_from(V (&sum)[BS]) const
  {
#pragma unroll
    for (int k = 0; k < K; k++) {
#pragma unroll
      for (int s = 0; s < BS; s++) sum[s] -= a[k][s] * v[k].value();
    }
  }
  /* Polls the components of x until all lanes are ready, and gives round() the lanes that are.  The wait ends: blocks that these rows need
     have earlier tickets, and no row of this warp needs another. */
  template <class F> __device__ __forceinline__ void await(const V *x, Turn &turn, F round)
  {
    bool waiting, stays;

    for (;;) {
#pragma unroll 1
      do {
        const bool ready = poll_missing(x);
        stays            = turn.stays();

        const LaneMask ready_lanes = __ballot_sync(ALL_LANES, ready);
        round(ready_lanes);
        waiting = ready_lanes != ALL_LANES;
      } while (waiting && stays);
      if (!waiting) return;
      if (turn.gives_up()) settle(v);
    }
  }
};

/* The lane's component of the row's sum, of parts as BlockOrder's values have them, in a fixed order */
template <class V, int BS> __device__ __forceinline__ V gather(V (&part)[BS], const Lane<BS> &own, int lanes)
{
#pragma unroll
  for (int s = 1; s < BS; s++) part[s] = from_lane(part[s], own.at(own.group, (own.component + BS - s) % BS));
#pragma unroll
  for (int left = BS; left > 1; left = (left + 1) / 2) {
#pragma unroll
    for (int s = 0; s < left / 2; s++) part[s] += part[s + (left + 1) / 2];
  }
  for (int step = lanes >> 1; step; step >>= 1) part[0] += from_lane(part[0], own.at(own.group ^ step, own.component));
  return part[0];
}

/* At most K entries of a lane at a time */
template <class V, int BS, int K> __global__ void blockorder_kernel(const BlockOrder<V> sweep, const V *b, V *__restrict__ out)
{
  const Lane<BS> own(threadIdx.x % WARP, sweep.lanes);

  let_next_launch_begin();

  const LaneMask row_lanes = own.mask_of_row(sweep.lanes);
  Turn           turn(sweep.tickets, own.lane);
  V *const       x    = sweep.x + (size_t)turn.parity * sweep.rows;
  V *const       next = sweep.x + (size_t)(1 - turn.parity) * sweep.rows;

  for (unsigned c = turn.start, ahead; c < sweep.tickets.work; c = turn.share(ahead)) {
    const LevelOrderChunk chunk = sweep.chunk[c];
    const int             i     = (chunk.row + own.row) * BS + own.component; /* unknown */
    bool                  mine  = own.row < chunk.rows && !own.part;          /* until it is published */
    const int             to = mine ? sweep.target[i] : -1, from = mine ? sweep.source[i] : -1;
    const V               reciprocal = BS == 1 && mine ? sweep.reciprocal[i] : V(1);

    BlockEntries<V, BS, K> entries;

    ahead = turn.take();
    entries.load(sweep, chunk, own, 0);
    await_previous_launch();
    V start[BS] = {from >= 0 ? b[from] : V(0)};

    for (int first = K; first < chunk.per_lane; first += K) {
      entries.await(x + own.component, turn, [](LaneMask) {});
      entries.subtract_from(start);
      entries.load(sweep, chunk, own, first);
      if (!own.lane) turn.work_goes_on(first, K);
    }
    entries.await(x + own.component, turn, [&](LaneMask ready_lanes) {
      V part[BS];

#pragma unroll
      for (int s = 0; s < BS; s++) part[s] = start[s];
      entries.subtract_from(part);
      /* The sum is formed in every round, beside the vote and not after it; it counts in the round in which all lanes were ready. */
      const V sum = gather<V, BS>(part, own, sweep.lanes) * reciprocal;
      if (!mine || (ready_lanes & row_lanes) != row_lanes) return;
      publish(x + i, sum);
      rearm(next + i);
      if (to >= 0) out[to] = sum;
      mine = false;
    });
  }
}

/* The blocks of a sweep among the values of its pattern, which has them row by row */
struct StoredBlocks {
  const int *row;     /* [block rows] of the pattern, in the order of the sweep */
  const int *row_ptr; /* [block rows + 1] of the pattern's blocks */
  bool       transposed;
};

/* A warp per chunk */
template <class V, int BS> __global__ void values_kernel(const BlockOrder<V> sweep, const StoredBlocks stored, int chunks, const V *values)
{
  const Lane<BS> own(threadIdx.x % WARP, sweep.lanes);

  for (int c = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; c < chunks; c += gridDim.x * blockDim.x / WARP) {
    const LevelOrderChunk chunk = sweep.chunk[c];

    for (int k = 0; k < chunk.per_lane && own.group < WIDTH<BS>; k++) {
      const int slot = chunk.first + WIDTH<BS> * k + own.group, entry = sweep.value_source[slot];
      const int i     = entry < 0 ? 0 : stored.row[stored.transposed ? sweep.idx[slot] : chunk.row + own.row];
      const int begin = stored.row_ptr[i], length = (stored.row_ptr[i + 1] - begin) * BS; /* of each of its rows */
      const int block = begin * BS * BS + (entry - begin) * BS;

      for (int s = 0; s < BS; s++) {
        const int r = (own.component + s) % BS, at = stored.transposed ? own.component * length + r : r * length + own.component;

        sweep.values[place_of<BS>(chunk, k, s, own.lane)] = entry < 0 ? V(0) : values[block + at];
      }
    }
  }
}

template <class V> BlockOrder<V> sweep_of(const LevelPlan &data)
{
  return {view<V>(data.level.triangle), data.warps.tickets, data.level.chunk, (V *)data.warps.x, data.level.lanes};
}

constexpr int blocks_held(int block) /* by a lane, at most */
{
  return block > 4 ? 4 : 8;
}

SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  const LevelPlan &data = *level_plan(plan);

  return sptrsvCudaStatus(by_type(plan->options.type, [&](auto v) {
    using V          = decltype(v);
    const auto start = [&](auto *kernel) {
      return launch_with({0, s->follows}, kernel, data.warps.blocks(), WARP * data.warps.per_block, s->stream, sweep_of<V>(data),
                         (const V *)s->b, (V *)s->x);
    };
    return with_block<1>(data.level.block, [&](auto bs) {
      if (data.level.per_lane > 4) return start(blockorder_kernel<V, bs.value, blocks_held(bs.value)>);
      return start(blockorder_kernel<V, bs.value, 4>);
    });
  }));
}

SptrsvStatus update(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  const LevelPlan &data = *level_plan(plan);

  if (!data.level.row) return level_update(plan, values, stream);
  return by_type(plan->options.type, [&](auto v) {
    using V                   = decltype(v);
    const StoredBlocks stored = {data.level.row, plan->analysis->blocks->device.row_ptr, plan->options.op == SPTRSV_TRANSPOSE};

    return with_block<1>(data.level.block, [&](auto bs) {
      return launch_for(values_kernel<V, bs.value>, (size_t)data.level.chunks * WARP, stream, sweep_of<V>(data), stored, data.level.chunks,
                        (const V *)values);
    });
  });
}

constexpr int MOST_PER_LANE = 64; /* entries; longer rows are cut, but those of blocks */

/* Lanes for each component of a row: one, or two where levels have few rows, or the number that holds the mean row with some room */
void choose_lanes(const SptrsvStatistics &statistics, LevelChunks *level)
{
  if (!level->lanes) {
    level->lanes = statistics.n_level * level->block > 256 ? 1 : 2;
    while (blocks_held(level->block) * level->lanes < 1.25 * mean_length(statistics)) level->lanes *= 2;
  }
  while (level->lanes > level->width) level->lanes /= 2;
  level->per_lane = (int)std::max((int64_t)1, (statistics.longest + level->lanes - 1) / level->lanes);
  if (level->block == 1) level->per_lane = std::min(level->per_lane, MOST_PER_LANE);
}

SptrsvStatus build(SptrsvPlan plan)
{
  SPTRSV_TRY(level_chunks_create(plan, has_blocks(plan->analysis, plan->options), choose_lanes));
  return level_warps_create(plan, &level_plan(plan)->warps);
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LevelPlan &data = *level_plan(plan);

  (void)snprintf(text, size, "blocks of %d rows, %d lanes for each row, %d chunks, %u resident warps", data.level.block, data.level.lanes,
                 data.level.chunks, data.warps.tickets.warps);
}

} // namespace

/* clang-format off */
const SptrsvMethod sptrsvBlockOrder = {
  {"blockorder", "this project",
   "levelorder with an index for each block of unknowns, a lane for each of its columns", SPTRSV_DEVICE, SPTRSV_BLOCKS, nullptr,
   SPTRSV_REALS},
  sizeof(LevelPlan), build, update, solve, describe, nullptr, nullptr, nullptr, level_waits_forecast};
/* clang-format on */
