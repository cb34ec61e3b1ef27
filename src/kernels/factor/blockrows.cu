/*
   ILU(0) of points by rows of blocks, of a pattern that is made of dense blocks of equal size: what factorization by rows does to each
   entry, in the same order and so with the same bits.
*/
#include <cstdio>
#include "blockrows.cuh"

namespace {

using namespace sptrsv;

/* Blocks are where they are in the factor */
template <class V, int BS> struct Factor {
  const V *v;

  __device__ __forceinline__ const V *diagonal(const BlockRow &j, int e) const { return right(j, 0) + e / BS * j.width + e % BS; }
  __device__ __forceinline__ const V *right(const BlockRow &j, int q) const { return v + j.first + j.split + q * BS; }
  __device__ __forceinline__ int      stride(const BlockRow &j) const { return j.width; }
};

template <class V, int BS> struct PointRow : RowOfBlocks<V, BS, Factor<V, BS>> {
  using RowOfBlocks<V, BS, Factor<V, BS>>::at;
  static constexpr int STEP = BS;

  static __device__ __forceinline__ Factor<V, BS> store_of(const Pass<V> &pass) { return {pass.v}; }

  __device__ __forceinline__ V    begin(const Pass<V> &pass, int k) const { return start_value(pass, this->own.first + k, false); }
  __device__ __forceinline__ void shift(const Pass<V> &pass) const
  {
    if (this->lane < BS) at(this->lane, this->own.split + this->lane) += pass.shift;
    __syncwarp();
  }

  /* Block at column c becomes L_ij: a lane per row.  As on the host there is no 0 * Inf after a zero pivot. */
  __device__ __forceinline__ void divide(int c) const
  {
    V left[BS], l[BS];

    if (this->lane >= BS) return;
#pragma unroll
    for (int k = 0; k < BS; k++) left[k] = at(this->lane, c + k);
#pragma unroll
    for (int k = 0; k < BS; k++) {
#pragma unroll
      for (int t = 0; t < k; t++) left[k] = left[t] != V(0) ? std::fma(-l[t], this->diagonal[t * BS + k], left[k]) : left[k];
      l[k] = left[k] != V(0) ? left[k] * this->diagonal[k * BS + k] : left[k];
    }
#pragma unroll
    for (int k = 0; k < BS; k++) at(this->lane, c + k) = l[k];
  }

  __device__ __forceinline__ void take(int c, const Finished<V, BS> &row, const unsigned short *match, Waiter &turn) const
  {
    this->keep_diagonal(row);
    divide(c);
    __syncwarp();
    this->subtract(c, row, match, turn);
  }

  /* The diagonal block becomes L_ii and U_ii, with inverse pivots: a lane per row, and the others shuffle along */
  __device__ __forceinline__ void factor(const Inversion &invert) const
  {
    const int first_row = this->own.i * BS;
    V         d[BS];

#pragma unroll
    for (int k = 0; k < BS; k++) d[k] = this->lane < BS ? at(this->lane, this->own.split + k) : V(0);
#pragma unroll
    for (int t = 0; t < BS; t++) {
      const V    left = d[t], inverse = invert(from_lane(left, t), [=] { return first_row + t; }), l = left * inverse;
      const bool below = this->lane > t, counts = below && left != V(0);

      d[t] = counts ? l : this->lane == t ? inverse : left;
#pragma unroll
      for (int k = t + 1; k < BS; k++) {
        const V u = from_lane(d[k], t);
        d[k]      = counts ? std::fma(-l, u, d[k]) : d[k];
      }
    }
    if (this->lane < BS) {
#pragma unroll
      for (int k = 0; k < BS; k++) at(this->lane, this->own.split + k) = d[k];
    }
    __syncwarp();
  }

  /* Blocks on its right become L_ii^-1 times them */
  __device__ __forceinline__ void solve() const
  {
    this->for_right([this](int c, V(&u)[BS]) {
#pragma unroll
      for (int r = 1; r < BS; r++) {
#pragma unroll
        for (int t = 0; t < r; t++) {
          const V l = at(r, this->own.split + t);
          u[r]      = l != V(0) ? std::fma(-l, u[t], u[r]) : u[r];
        }
        at(r, c) = u[r];
      }
    });
  }

  __device__ __forceinline__ void finish(const Pass<V> &pass) const
  {
    factor(pass.invert);
    solve();
    for (int k = this->lane; k < BS * this->own.width; k += WARP) publish(pass.v + this->own.first + k, this->w[k]);
  }
};

template <class V, int BS> __global__ void SPTRSV_BOUNDS(WARP, 16) blockrows_kernel(const BlockRows plan, const Pass<V> pass)
{
  factor_rows<PointRow<V, BS>>(plan, pass);
}

/* --------------------------------------------------------- the method --------------------------------------------------------- */

constexpr size_t MUCH = MOST_MEMORY / 4; /* memory of a warp with which few are resident */

SptrsvStatus judge(SptrsvFactor factor, Fit *fit)
{
  const SptrsvAnalysis form = factor->blocks.analysis, blocks = form ? form->blocks : nullptr;
  size_t               memory;

  *fit = Fit::NONE;
  if (!blocks) return SPTRSV_SUCCESS;
  const SptrsvStatus status = blockrows_measure(factor, blocks->block, blocks->block, &memory);
  if (!status) *fit = memory <= MUCH ? Fit::BEST : Fit::ALLOWED;
  return status == SPTRSV_NOT_SUPPORTED ? SPTRSV_SUCCESS : status;
}

SptrsvStatus create(SptrsvFactor factor, const SptrsvTuning *, SptrsvFactorWork *work)
{
  const SptrsvAnalysis blocks = factor->blocks.analysis->blocks;
  BlockRows           *plan;

  SPTRSV_TRY(blockrows_create(factor, blocks->block, blocks->block, blocks, work, &plan));
  return by_type(factor->type, [&](auto v) {
    return with_block<2>(plan->block, [&](auto bs) {
      return resident_tickets(blockrows_kernel<decltype(v), bs.value>, plan->memory, plan->rows, work, &plan->tickets);
    });
  });
}

SptrsvStatus pass(SptrsvFactor factor, const PassOptions &options, cudaStream_t stream)
{
  const BlockRows &plan = data_of<BlockRows>(factor);

  SPTRSV_TRY(factor_start(factor->type, device_of(factor).f.nnz, factor->values, options.invert.bad_row, stream));
  return sptrsvCudaStatus(by_type(factor->type, [&](auto v) {
    using V = decltype(v);
    return with_block<2>(plan.block, [&](auto bs) {
      return launch_with({plan.memory, false}, blockrows_kernel<V, bs.value>, (int)plan.tickets.warps, WARP, stream, plan,
                         pass_of<V>(factor, options));
    });
  }));
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
