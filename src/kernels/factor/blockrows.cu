/*
   ILU(0) by rows of blocks, in level order, of a pattern that is made of dense blocks of equal size.

   A warp has a row of blocks in shared memory, where it is as in the factor.  It does what factorization by rows does to each entry, in the
   same order and so with the same bits, but waits for a row of blocks as a whole: there are as many times fewer levels as a block has rows.
   Which blocks of the row meet which of a finished one is known, so a factorization searches nothing.
*/
#include <cmath>
#include <cstdio>
#include "blockrows.cuh"

namespace {

using namespace sptrsv;

/* --------------------------------------------------------- factorization ------------------------------------------------------- */

__global__ void start_kernel(int rows, unsigned *missing, int *bad_row)
{
  const int first = blockIdx.x * blockDim.x + threadIdx.x;

  if (!first) *bad_row = -1;
  for (int i = first; i < rows; i += gridDim.x * blockDim.x) missing[i] = 1;
}

/* What a warp needs of a finished row j to take block m of its own through it, loaded before it is used: the diagonal block, an entry or
   two for each lane, and column k of block q, for the lane's entry of the first matches */
template <class V, int BS> struct Finished {
  static constexpr int SIZE = BS * BS, EACH = (SIZE + WARP - 1) / WARP;

  BlockRow j;
  V        diagonal[EACH], u[BS];
  int      pair, matches;

  /* pair: the lane's, of the first matches */
  __device__ __forceinline__ void load(const V *v, int lane)
  {
    const V *const own = v + j.first + j.split + (pair >> 8) * BS + lane % BS;

#pragma unroll
    for (int t = 0; t < EACH; t++) {
      const int e = min(lane + WARP * t, SIZE - 1);
      diagonal[t] = v[j.first + j.split + e / BS * j.width + e % BS];
    }
#pragma unroll
    for (int t = 0; t < BS; t++) u[t] = own[t * j.width];
  }
};

/* The warp's row of blocks w, of BS rows.  Zeros are skipped, as on the host: no 0 * Inf after a zero pivot. */
template <class V, int BS> struct RowOfBlocks {
  static constexpr int SIZE = BS * BS;

  V *const w, *const diagonal; /* the latter [SIZE], of the finished row */
  const BlockRow own;
  const int      lane;

  __device__ __forceinline__ V &at(int r, int c) const { return w[r * own.width + c]; }

  /* Block at column c becomes L_ij: a lane per row */
  __device__ __forceinline__ void divide(int c, const Finished<V, BS> &row) const
  {
    V left[BS], l[BS];

#pragma unroll
    for (int t = 0; t < row.EACH; t++) {
      if (lane + WARP * t < SIZE) diagonal[lane + WARP * t] = row.diagonal[t];
    }
    __syncwarp();
    if (lane >= BS) return;
#pragma unroll
    for (int k = 0; k < BS; k++) left[k] = at(lane, c + k);
#pragma unroll
    for (int k = 0; k < BS; k++) {
#pragma unroll
      for (int t = 0; t < k; t++) left[k] = left[t] != V(0) ? std::fma(-l[t], diagonal[t * BS + k], left[k]) : left[k];
      l[k] = left[k] * diagonal[k * BS + k];
    }
#pragma unroll
    for (int k = 0; k < BS; k++) at(lane, c + k) = l[k];
  }

  /* Subtracts L_ij U_jk from an entry, L_ij at column c and u the column of U_jk */
  __device__ __forceinline__ void subtract_from(V &entry, int r, int c, const V (&u)[BS]) const
  {
    V sum = entry;

#pragma unroll
    for (int t = 0; t < BS; t++) {
      const V l = at(r, c + t);
      sum       = l != V(0) ? std::fma(-l, u[t], sum) : sum;
    }
    entry = sum;
  }

  /* The same for all matches: a lane per entry */
  __device__ __forceinline__ void subtract(int c, const V *v, const Finished<V, BS> &row, const unsigned short *match) const
  {
    if (lane < row.matches * SIZE) subtract_from(at(lane % SIZE / BS, (row.pair & 255) * BS + lane % BS), lane % SIZE / BS, c, row.u);
    for (int e = lane + WARP; e < row.matches * SIZE; e += WARP) {
      const int      pair = match[e / SIZE], r = e % SIZE / BS, k = e % BS;
      const V *const from = v + row.j.first + row.j.split + (pair >> 8) * BS + k;
      V              u[BS];

#pragma unroll
      for (int t = 0; t < BS; t++) u[t] = from[t * row.j.width];
      subtract_from(at(r, (pair & 255) * BS + k), r, c, u);
    }
  }

  /* The diagonal block becomes L_ii and U_ii, with inverse pivots: a lane per row, and the others shuffle along */
  __device__ __forceinline__ void factor(const Inversion &invert, int first_row) const
  {
    V d[BS];

#pragma unroll
    for (int k = 0; k < BS; k++) d[k] = lane < BS ? at(lane, own.split + k) : V(0);
#pragma unroll
    for (int t = 0; t < BS; t++) {
      if (lane == t) d[t] = invert(d[t], [=] { return first_row + t; });
      const V    inverse = from_lane(d[t], t), left = d[t], l = left * inverse;
      const bool counts = lane > t && left != V(0);

      if (lane > t) d[t] = l;
#pragma unroll
      for (int k = t + 1; k < BS; k++) {
        const V u = from_lane(d[k], t);
        d[k]      = counts ? std::fma(-l, u, d[k]) : d[k];
      }
    }
    if (lane < BS) {
#pragma unroll
      for (int k = 0; k < BS; k++) at(lane, own.split + k) = d[k];
    }
    __syncwarp();
  }

  /* Blocks on its right become L_ii^-1 times them: a lane per column */
  __device__ __forceinline__ void solve() const
  {
    for (int c = own.split + BS + lane; c < own.width; c += WARP) {
      V u[BS];

#pragma unroll
      for (int r = 0; r < BS; r++) u[r] = at(r, c);
#pragma unroll
      for (int r = 1; r < BS; r++) {
#pragma unroll
        for (int t = 0; t < r; t++) {
          const V l = at(r, own.split + t);
          u[r]      = l != V(0) ? std::fma(-l, u[t], u[r]) : u[r];
        }
        at(r, c) = u[r];
      }
    }
  }
};

/* Takes the warp's row through the rows of its entries left of the diagonal, a warp's number of them at a time */
template <class V, int BS>
__device__ __forceinline__ void eliminate(const RowOfBlocks<V, BS> &row, const BlockRows &plan, const Pass<V> &pass, Waiter &turn)
{
  const int lower = row.own.split / BS, number = row.own.first / (BS * BS);

  for (int first = 0; first < lower; first += WARP) {
    const int      m = first + row.lane, j = m < lower ? pass.f.col_idx[row.own.first + m * BS] / BS : -1, end = min(WARP, lower - first);
    const BlockRow other(pass.f, max(j, 0), BS);
    const size_t   begin   = plan.match_ptr[number + min(m, lower)];
    const int      matches = (int)(plan.match_ptr[number + min(m + 1, lower)] - begin);

    const auto matches_of = [&](int k) { return plan.match + __shfl_sync(ALL_LANES, begin, k); };
    const auto finished   = [&](int k) {
      const unsigned short *const match = matches_of(k);
      const int                   count = __shfl_sync(ALL_LANES, matches, k), e = row.lane / row.SIZE;

      return Finished<V, BS>{other.from(k), {}, {}, e < count ? match[e] : 0, count};
    };
    Finished<V, BS> now = finished(0);

    /* The wait ends: row j belongs to an earlier level, so to an earlier ticket.  Only its end acquires, since each acquire empties the L1
       cache; what one lane has acquired is for all.  The warp gives up together. */
    bool waiting;
    do {
#pragma unroll 1
      do waiting = __any_sync(ALL_LANES, j >= 0 && load_relaxed(plan.missing + j));
      while (waiting && !__any_sync(ALL_LANES, !turn.stays()));
    } while (waiting && !__any_sync(ALL_LANES, turn.gives_up()));
    if (j >= 0) (void)load_acquire(plan.missing + j);
    __syncwarp();
    now.load(pass.v, row.lane);
    for (int k = 0; k < end; k++) {
      Finished<V, BS> next = finished(min(k + 1, end - 1));

      next.load(pass.v, row.lane);
      row.divide((first + k) * BS, now);
      __syncwarp();
      row.subtract((first + k) * BS, pass.v, now, matches_of(k));
      __syncwarp();
      now = next;
    }
  }
}

template <class V, int BS> __global__ void SPTRSV_BOUNDS(WARP, 16) blockrows_kernel(const BlockRows plan, const Pass<V> pass)
{
  V *const  memory = (V *)block_memory<MOST_MEMORY>();
  const int lane   = threadIdx.x % WARP;
  Turn      turn(plan.tickets, lane);

  for (unsigned c = turn.start, ahead; c < plan.tickets.work; c = turn.share(ahead)) {
    const int                i   = plan.row[c];
    const RowOfBlocks<V, BS> row = {memory + BS * BS, memory, BlockRow(pass.f, i, BS), lane};

    ahead = turn.take();
#pragma unroll 4
    for (int k = lane; k < BS * row.own.width; k += WARP) row.w[k] = start_value(pass, row.own.first + k, false);
    __syncwarp();
    if (lane < BS) row.at(lane, row.own.split + lane) += pass.shift;
    __syncwarp();
    eliminate(row, plan, pass, turn);
    row.factor(pass.invert, i * BS);
    row.solve();
    __syncwarp();
    for (int k = lane; k < BS * row.own.width; k += WARP) pass.v[row.own.first + k] = row.w[k];
    __syncwarp();
    if (!lane) subtract_release(plan.missing + i, 1);
  }
}

/* --------------------------------------------------------- the method --------------------------------------------------------- */

constexpr int    MOST_ROW = 255;             /* blocks, for matches of two bytes */
constexpr size_t MUCH     = MOST_MEMORY / 4; /* memory of a warp with which few are resident */
/* A level takes longer than one of rows, so that blocks of fewer rows than LARGE gain only where levels are WIDE */
constexpr int LARGE = 4, WIDE = 512;

/* Bytes of a warp's row, and whether blocks are as the method needs them */
SptrsvStatus measure_row(SptrsvFactor factor, size_t *memory, bool *fits)
{
  const SptrsvAnalysis form = factor->blocks.analysis;
  int                  longest;

  *fits = form && form->blocks;
  if (!*fits) return SPTRSV_SUCCESS;
  SPTRSV_TRY(longest_row(device_of(factor).f, &longest));
  *memory = (size_t)(longest + form->blocks->block) * form->blocks->block * sptrsvValueSize(factor->type);
  *fits   = longest / form->blocks->block <= MOST_ROW && *memory <= MOST_MEMORY;
  return SPTRSV_SUCCESS;
}

SptrsvStatus judge(SptrsvFactor factor, Fit *fit)
{
  const SptrsvAnalysis form   = factor->blocks.analysis;
  size_t               memory = 0;
  const SptrsvSweep   *lower;
  bool                 fits;

  *fit = Fit::NONE;
  SPTRSV_TRY(measure_row(factor, &memory, &fits));
  if (!fits) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvAnalysisSweep(form->blocks, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &lower));
  *fit = memory <= MUCH && (form->blocks->block >= LARGE || lower->statistics.n_level >= WIDE) ? Fit::BEST : Fit::ALLOWED;
  return SPTRSV_SUCCESS;
}

SptrsvStatus create(SptrsvFactor factor, const SptrsvTuning *, SptrsvFactorWork *work)
{
  const SptrsvAnalysis form = factor->blocks.analysis;
  BlockRows           *plan;
  bool                 fits;
  int                  warps = 0;

  SPTRSV_TRY(sptrsvNew(1, &plan));
  work->data  = plan;
  plan->block = form->blocks->block;
  plan->rows  = form->blocks->a.n;
  SPTRSV_TRY(measure_row(factor, &plan->memory, &fits));
  SPTRSV_TRY(blockrows_arrange(factor, &work->memory, plan));
  SPTRSV_TRY(sptrsvDeviceNew(&work->memory, plan->rows, &plan->missing));
  SPTRSV_TRY(by_type(factor->type, [&](auto v) {
    return with_block<2>(plan->block, [&](auto bs) {
      return count_resident_blocks(blockrows_kernel<decltype(v), bs.value>, WARP, &warps, plan->memory);
    });
  }));
  SPTRSV_TRY(tickets_create(&work->memory, plan->rows, std::max(1, std::min(warps, plan->rows)), &plan->tickets));
  work->stalled = plan->tickets.stalled;
  return SPTRSV_SUCCESS;
}

SptrsvStatus pass(SptrsvFactor factor, const PassOptions &options, cudaStream_t stream)
{
  const BlockRows &plan = data_of<BlockRows>(factor);

  SPTRSV_CUDA(launch(start_kernel, blocks_for(plan.rows), BLOCK, stream, plan.rows, plan.missing, options.invert.bad_row));
  return by_type(factor->type, [&](auto v) {
    using V = decltype(v);
    return sptrsvCudaStatus(with_block<2>(plan.block, [&](auto bs) {
      return launch_with({plan.memory, false}, blockrows_kernel<V, bs.value>, (int)plan.tickets.warps, WARP, stream, plan,
                         pass_of<V>(factor, options));
    }));
  });
}

void describe(SptrsvFactor factor, char *text, size_t size)
{
  const BlockRows &plan = data_of<BlockRows>(factor);

  (void)snprintf(text, size, "blockrows in %d levels, blocks of %d rows, %u resident warps", plan.levels, plan.block, plan.tickets.warps);
}

} // namespace

/* clang-format off */
const FactorMethod sptrsv::factorBlockRows = {
  {"blockrows", "this project",
   "row by row of dense blocks of equal size, in level order; a warp has a row in shared memory", SPTRSV_DEVICE, 0, nullptr, SPTRSV_REALS},
  0, judge, create, pass, nullptr, describe, nullptr};
/* clang-format on */
