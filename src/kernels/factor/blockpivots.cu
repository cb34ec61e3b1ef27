/*
   ILU and ICC by blocks on the device, A = L D U with unit blocks on the diagonals of L and U: rows of blocks in level order, whose pivots
   are blocks.  The factor is in the block form from the start: Lb and Ub entry by entry, row by row, and the inverse of each pivot block.
   ICC makes both of its triangles, as an ILU would.

   The factor's device_of() has the pattern of blocks, with a source for each entry: row by row those of each row of blocks.
   factor->values [(nnz - n) * rows * rows] becomes Lb and Ub, also row by row; factor->inverse [n][rows * rows], right behind it, the
   inverses of pivot blocks; bad_row the first row with a zero pivot that no shift cured, or -1.
*/
#include <cstdio>
#include <cstdlib>
#include "blockrows.cuh"

namespace {

using namespace sptrsv;

/* Blocks are where they are in the form, which has none on the diagonal */
template <class V, int BS> struct Form {
  V *values, *inverse;

  __device__ __forceinline__ int      stride(const BlockRow &j) const { return j.width - BS; }
  __device__ __forceinline__ V       *row(const BlockRow &j) const { return values + j.first - j.i * (BS * BS); }
  __device__ __forceinline__ const V *diagonal(const BlockRow &j, int e) const { return inverse + (size_t)j.i * (BS * BS) + e; }
  __device__ __forceinline__ const V *right(const BlockRow &j, int q) const { return row(j) + j.split + (q - 1) * BS; }
};

/* A pivot block, of which each of the first BS lanes has a column */
template <class V, int BS> struct PivotBlock {
  const int lane;
  V         d[BS];

  /* Exchanges row k with the one that has the largest entry in column k, of those that are left.  Returns that row. */
  __device__ __forceinline__ int exchange_rows(int k)
  {
    V   most = d[k];
    int row  = k;

#pragma unroll
    for (int r = k + 1; r < BS; r++) {
      const bool larger = fabs((double)d[r]) > fabs((double)most);

      most = larger ? d[r] : most;
      row  = larger ? r : row;
    }
    row = from_lane(row, k);
#pragma unroll
    for (int r = k + 1; r < BS; r++) {
      const V other = d[r];

      d[r] = r == row ? d[k] : other;
      d[k] = r == row ? other : d[k];
    }
    return row;
  }

  /* A step of Gauss-Jordan elimination, with pivot d[k] of column k */
  __device__ __forceinline__ void eliminate(int k)
  {
    const V inverse = from_lane(1 / d[k], k), scaled = d[k] * inverse;

#pragma unroll
    for (int r = 0; r < BS; r++) {
      const V multiple = from_lane(d[r], k);

      if (r != k) d[r] = lane == k ? -multiple * inverse : d[r] - multiple * scaled;
    }
    d[k] = lane == k ? inverse : scaled;
  }

  /* Inverts it: elimination from column K on, and the exchanges of columns backwards.  K is a constant, so that the column stays in
     registers.  sum: of its absolute diagonal entries.  Returns the first zero pivot that no shift cured, or -1. */
  template <int K = 0> __device__ __forceinline__ int invert(const SptrsvPivoting &pivoting, double sum)
  {
    if constexpr (K < BS) {
      const int  row     = pivoting.in_order ? K : exchange_rows(K);
      const bool zero    = fabs((double)from_lane(d[K], K)) <= pivoting.zero_pivot;
      const bool shifted = zero && pivoting.shift == SPTRSV_SHIFT_INBLOCKS && pivoting.shift_amount != 0 && K < BS - 1;

      if (shifted && lane == K) d[K] = (V)(0.25 * pivoting.shift_amount * sum);
      eliminate(K);
      const int later = invert<K + 1>(pivoting, sum), column = lane == K ? row : lane == row ? K : lane;

#pragma unroll
      for (int r = 0; r < BS; r++) d[r] = from_lane(d[r], column);
      return zero && !shifted ? K : later;
    }
    return -1;
  }
};

template <class V, int BS> struct BlocksRow : RowOfBlocks<V, BS, Form<V, BS>> {
  using Base = RowOfBlocks<V, BS, Form<V, BS>>;
  using Base::at;
  static constexpr int STEP = 1;

  static __device__ __forceinline__ Form<V, BS> store_of(const Pass<V> &pass)
  {
    return {pass.v, pass.v + (size_t)(pass.f.nnz - pass.f.n) * (BS * BS)};
  }

  __device__ __forceinline__ V    begin(const Pass<V> &pass, int k) const { return entry_of(pass.a, pass.f.source, this->own.first + k); }
  __device__ __forceinline__ void shift(const Pass<V> &) const {}

  /* Block at column c becomes w D_j^-1 */
  __device__ __forceinline__ void multiply(int c) const
  {
    constexpr int EACH = Finished<V, BS>::EACH;
    V             l[EACH];

#pragma unroll
    for (int t = 0; t < EACH; t++) {
      const int e = min(this->lane + WARP * t, this->SIZE - 1), r = e / BS, k = e % BS;

      l[t] = 0;
#pragma unroll
      for (int s = 0; s < BS; s++) {
        const V w = at(r, c + s);
        l[t]      = w != V(0) ? std::fma(w, this->diagonal[s * BS + k], l[t]) : l[t];
      }
    }
    __syncwarp();
#pragma unroll
    for (int t = 0; t < EACH; t++) {
      const int e = this->lane + WARP * t;
      if (e < this->SIZE) at(e / BS, c + e % BS) = l[t];
    }
    __syncwarp();
  }

  __device__ __forceinline__ void take(int c, const Finished<V, BS> &row, const unsigned short *match, Waiter &turn) const
  {
    this->keep_diagonal(row);
    this->subtract(c, row, match, turn);
    multiply(c);
  }

  /* D_i^-1 takes the place of a finished row's */
  __device__ __forceinline__ void invert(const Pass<V> &pass) const
  {
    const int         column = min(this->lane, BS - 1);
    PivotBlock<V, BS> pivot  = {this->lane, {}};
    double            sum    = 1e-12; /* as PETSc's */

#pragma unroll
    for (int r = 0; r < BS; r++) {
      pivot.d[r] = at(r, this->own.split + column);
      sum += fabs((double)at(r, this->own.split + r));
    }
    const int zero = pivot.invert(pass.invert.pivoting, sum);
    if (zero >= 0 && !this->lane) atomicMin((unsigned *)pass.invert.bad_row, (unsigned)(this->own.i * BS + zero));
    if (this->lane < BS) {
#pragma unroll
      for (int r = 0; r < BS; r++) this->diagonal[r * BS + this->lane] = pivot.d[r];
    }
    __syncwarp();
  }

  /* Blocks on its right become D_i^-1 times them */
  __device__ __forceinline__ void solve() const
  {
    this->for_right([this](int c, const V(&u)[BS]) {
#pragma unroll
      for (int r = 0; r < BS; r++) {
        V sum = 0;

#pragma unroll
        for (int t = 0; t < BS; t++) sum += this->diagonal[r * BS + t] * u[t];
        at(r, c) = sum;
      }
    });
  }

  __device__ __forceinline__ void finish(const Pass<V> &pass) const
  {
    V *const  row    = this->store.row(this->own);
    const int length = this->own.width - BS;

    invert(pass);
    solve();
    for (int k = this->lane; k < this->SIZE; k += WARP)
      publish(this->store.inverse + (size_t)this->own.i * this->SIZE + k, this->diagonal[k]);
    for (int k = this->lane; k < BS * length; k += WARP) {
      const int c = k % length;
      publish(row + k, at(k / length, c < this->own.split ? c : c + BS));
    }
  }
};

template <class V, int BS> __global__ void SPTRSV_BOUNDS(WARP, 16) blockpivots_kernel(const BlockRows plan, const Pass<V> pass)
{
  factor_rows<BlocksRow<V, BS>>(plan, pass);
}

/* ------------------------------------------------------ the factorization ------------------------------------------------------ */

/* The source of entries, row by row of each row of blocks, takes the place of that of blocks.  A is of blocks, too, if there is no entry.
   Of mirrored ones the mirror image is given. */
SptrsvStatus find_sources(SptrsvFactor factor)
{
  FactorPattern &f        = device_of(factor).f;
  const int      rows     = factor->storage.rows;
  const bool     mirrored = factor->kind == SPTRSV_ICC0;
  ScopedMemory   scratch;
  int           *source;

  SPTRSV_TRY(find_source(factor, &scratch, &f.source));
  SPTRSV_TRY(sptrsvDeviceNew(&factor->memory, (size_t)f.nnz * (size_t)(rows * rows), &source));
  SPTRSV_TRY(for_each<WARP>(f.n, [f = f, rows, mirrored, entry = factor->entry, source] __device__(int i) {
    const BlockRow own(f, i, 1, rows);

    for (int k = threadIdx.x % WARP; k < rows * own.width; k += WARP) {
      const int  r = k / own.width, c = k % own.width % rows, e = f.row_ptr[i] + k % own.width / rows;
      const int  from = f.source ? f.source[e] : e, block = from < 0 ? ~from : from;
      const bool transposed = (from < 0) != (mirrored && e < f.split[i]);

      if (from == SPTRSV_FILL) source[own.first + k] = SPTRSV_FILL;
      else {
        const int at = (block * rows + (transposed ? r : c)) * rows + (transposed ? c : r);

        source[own.first + k] = entry ? entry[at] : at;
      }
    }
  }));
  f.source = source;
  sptrsvMemoryFree(&factor->entry_memory);
  free(factor->analysis->source);
  factor->analysis->source = factor->entry = nullptr;
  return SPTRSV_SUCCESS;
}

SptrsvStatus create(SptrsvFactor factor)
{
  const SptrsvPattern &f    = factor->analysis->a;
  const size_t         size = (size_t)(factor->storage.rows * factor->storage.rows) * sptrsvValueSize(factor->type);
  BlockRows           *plan;

  if ((int64_t)f.nnz * factor->storage.rows * factor->storage.rows >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(device_create(factor, (size_t)f.nnz * size));
  factor->inverse = (char *)factor->values + (size_t)(f.nnz - f.n) * size;
  if (!f.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(find_sources(factor));
  SPTRSV_TRY(blockrows_create(factor, 1, factor->storage.rows, factor->analysis, &factor->work, &plan));
  return by_type(factor->type, [&](auto v) {
    return with_block<2>(plan->block, [&](auto bs) {
      return resident_tickets(blockpivots_kernel<decltype(v), bs.value>, plan->memory, plan->rows, &factor->work, &plan->tickets);
    });
  });
}

void describe(SptrsvFactor factor, char *text, size_t size)
{
  const BlockRows *plan = (const BlockRows *)factor->work.data;

  (void)snprintf(text, size, "by blocks of %d rows, in %d levels, %u resident warps", factor->storage.rows, plan ? plan->levels : 0,
                 plan ? plan->tickets.warps : 0);
}

SptrsvStatus pass(SptrsvFactor factor, const SptrsvNumeric *numeric, double /* there is one pass */, SptrsvFactorResult *result)
{
  FactorDevice &d = device_of(factor);

  result->zero_pivot_row = -1;
  if (!d.f.n) return SPTRSV_SUCCESS;
  const BlockRows &plan = data_of<BlockRows>(factor);

  *factor->work.stalled = 0;
  d.halved              = false;
  SPTRSV_TRY(factor_start(factor->type, d.f.nnz * plan.block * plan.block, factor->values, d.bad_row, numeric->stream));
  SPTRSV_CUDA(by_type(factor->type, [&](auto v) {
    using V            = decltype(v);
    const Pass<V> pass = pass_of<V>(factor, {numeric->a, 0, {*numeric->pivoting, d.bad_row}, nullptr});

    return with_block<2>(plan.block, [&](auto bs) {
      return launch_with({plan.memory, false}, blockpivots_kernel<V, bs.value>, (int)plan.tickets.warps, WARP, numeric->stream, plan, pass);
    });
  }));
  return end_pass(factor, *numeric, false, factor->work.stalled, result);
}

} // namespace

const SptrsvFactorPlace sptrsvFactorDeviceBlocks = {create,   device_destroy, nullptr, nullptr, nullptr,
                                                    describe, pass,           nullptr, nullptr, &sptrsvFormDevice};
