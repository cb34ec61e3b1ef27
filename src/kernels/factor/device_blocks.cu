/* What a factor of blocks on the device has beside its passes (blockpivots.cu): its block form's pattern, and products with the inverses of
   pivot blocks, or with halves of them. */
#include "blockrows.cuh"

namespace {

using namespace sptrsv;

SptrsvStatus form(SptrsvFactor factor)
{
  SptrsvFactorBlocks  &b    = factor->blocks;
  const FactorPattern &f    = device_of(factor).f;
  const int            rows = factor->storage.rows, n = f.n * rows, nnz = (f.nnz - f.n) * rows * rows;
  Scratch<int>         row_ptr, col_idx;

  SPTRSV_TRY(row_ptr.create((size_t)n + 1));
  SPTRSV_TRY(col_idx.create((size_t)nnz + 1));
  SPTRSV_CUDA(cudaMemsetAsync(row_ptr, 0, sizeof(int), nullptr)); /* for no rows */
  SPTRSV_TRY(for_each<WARP>(n ? n + 1 : 0, [f, rows, n, row_ptr = (int *)row_ptr, col_idx = (int *)col_idx] __device__(int i) {
    const BlockRow own(f, min(i / rows, f.n - 1), 1, rows);
    const int      length = own.width - rows, to = own.first - own.i * rows * rows + (i - own.i * rows) * length;

    if (threadIdx.x % WARP == 0) row_ptr[i] = to;
    for (int k = threadIdx.x % WARP; k < length && i < n; k += WARP) {
      const int c = k < own.split ? k : k + rows;

      col_idx[to + k] = f.col_idx[f.row_ptr[own.i] + c / rows] * rows + c % rows;
    }
  }));
  b.values = factor->values;
  return analyse_form({n, nnz, (int *)row_ptr, (int *)col_idx, SPTRSV_INT32, SPTRSV_DEVICE}, &b);
}

/* A thread per pivot block: the lower triangle H.  bad [1]: a block that is not positive definite */
template <class V, int BS> __global__ void halves_kernel(int n, const V *inverse, V *halves, int *bad)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const V *const d = inverse + (size_t)i * (BS * BS);
    V *const       h = halves + (size_t)i * (BS * BS);

    for (int c = 0; c < BS; c++) {
      for (int r = 0; r < BS; r++) {
        V sum = d[r * BS + c];

        for (int k = 0; k < c; k++) sum -= h[r * BS + k] * h[c * BS + k];
        if (r == c && !(sum > 0)) atomicMax(bad, i);
        h[r * BS + c] = r < c ? V(0) : r == c ? std::sqrt(sum) : sum / h[c * BS + c];
      }
    }
  }
}

/* NOT_SUPPORTED: there are none */
SptrsvStatus make_halves(SptrsvFactor factor, cudaStream_t stream)
{
  FactorDevice &d    = device_of(factor);
  const int     rows = factor->storage.rows;
  const size_t  size = (size_t)(rows * rows) * sptrsvValueSize(factor->type);

  if (!d.halves) SPTRSV_TRY(sptrsvDeviceAllocate(&factor->memory, (size_t)d.f.n * size, &d.halves));
  SPTRSV_CUDA(cudaMemsetAsync(d.bad_row, 0xff, sizeof(int), stream));
  SPTRSV_TRY(by_type(factor->type, [&](auto v) {
    using V = decltype(v);
    return with_block<2>(rows, [&](auto bs) {
      return launch_for(halves_kernel<V, bs.value>, d.f.n, stream, d.f.n, (const V *)factor->inverse, (V *)d.halves, d.bad_row);
    });
  }));
  SPTRSV_CUDA(cudaMemcpyAsync(d.bad_row_host, d.bad_row, sizeof(int), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  d.halved = *d.bad_row_host < 0;
  return d.halved ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED;
}

/* x = M b or M^T b with a block of M for each pivot block, where b may be x: a lane per row, and each warp has whole blocks */
template <class V, int BS> __global__ void product_kernel(int n, const V *blocks, bool transposed, const V *b, V *x)
{
  constexpr int OWN  = WARP / BS * BS;
  const int     lane = threadIdx.x % WARP, number = lane % BS;

  await_previous_launch();
  for (int begin = (blockIdx.x * blockDim.x + threadIdx.x) / WARP * OWN; begin < n; begin += gridDim.x * blockDim.x / WARP * OWN) {
    const bool     mine  = lane < OWN && begin + lane < n;
    const V *const block = blocks + (size_t)(begin + lane - number) * BS;
    const V        y     = mine ? b[begin + lane] : V(0);
    V              sum   = 0;

#pragma unroll
    for (int k = 0; k < BS; k++) {
      const V other = from_lane(y, (lane - number + k) & (WARP - 1));

      if (mine) sum += block[transposed ? k * BS + number : number * BS + k] * other;
    }
    if (mine) x[begin + lane] = sum;
  }
}

SptrsvStatus product(SptrsvFactor factor, SptrsvBlockPart part, SptrsvOperation op, const void *b, void *x, SptrsvStream stream)
{
  const int    rows = factor->storage.rows, n = factor->analysis->a.n * rows;
  const size_t warps      = (size_t)n / (size_t)(WARP / rows * rows) + 1;
  const bool   half       = part != SPTRSV_BLOCKS_LU && factor->kind == SPTRSV_ICC0;
  const bool   transposed = half ? (part == SPTRSV_BLOCKS_L) == (op == SPTRSV_NON_TRANSPOSE) : op == SPTRSV_TRANSPOSE;

  if (half && !device_of(factor).halved) SPTRSV_TRY(make_halves(factor, stream));
  return sptrsvCudaStatus(by_type(factor->type, [&](auto v) {
    using V               = decltype(v);
    const V *const blocks = (const V *)(half ? device_of(factor).halves : factor->inverse);

    if (part == SPTRSV_BLOCKS_L && !half)
      return b == x ? cudaSuccess : cudaMemcpyAsync(x, b, (size_t)n * sizeof(V), cudaMemcpyDeviceToDevice, stream);
    return with_block<2>(rows, [&](auto bs) {
      return launch_with({0, factor->blocks.overlaps}, product_kernel<V, bs.value>, blocks_for(warps * WARP), BLOCK, stream, n, blocks,
                         transposed, (const V *)b, (V *)x);
    });
  }));
}

} // namespace

const SptrsvBlockWork sptrsvFormDevice = {nullptr, form, nullptr, product};
