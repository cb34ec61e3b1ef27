/* A factor of blocks on the device: where A's values go, a pass, its block form, and products with the inverses of pivot blocks. */
#include <cstdio>
#include <cstdlib>
#include "blockpivots.cuh"

namespace {

using namespace sptrsv;

/* ---------------------------------------------------------- set-up --------------------------------------------------------- */

/* Positions in A's values of a row of blocks' entries, row by row */
void find_sources(SptrsvFactor factor, int i, int *source)
{
  const SptrsvPattern &f    = factor->analysis->a;
  const int            rows = factor->storage.rows, blocks = f.row_ptr[i + 1] - f.row_ptr[i];

  for (int e = f.row_ptr[i]; e < f.row_ptr[i + 1]; e++) {
    const int  from = factor->source ? factor->source[e] : e, block = from < 0 ? ~from : from;
    const bool transposed = (from < 0) != (factor->kind == SPTRSV_ICC0 && e < f.split[i]); /* of ICC its mirror image is given */

    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < rows; c++) {
        const size_t at = (size_t)block * (size_t)(rows * rows) + (size_t)(transposed ? r * rows + c : c * rows + r);
        int *const   to = source + ((size_t)r * (size_t)blocks + (size_t)(e - f.row_ptr[i])) * (size_t)rows + c;

        *to = from == SPTRSV_FILL ? (int)SPTRSV_FILL : factor->entry ? factor->entry[at] : (int)at;
      }
    }
  }
}

SptrsvStatus upload_sources(SptrsvFactor factor, const int **source)
{
  const SptrsvPattern &f    = factor->analysis->a;
  const size_t         size = (size_t)(factor->storage.rows * factor->storage.rows);
  int                 *host, *d = nullptr;

  SPTRSV_TRY(sptrsvNew((size_t)f.nnz * size, &host));
  for (int i = 0; i < f.n; i++) find_sources(factor, i, host + (size_t)f.row_ptr[i] * size);
  const SptrsvStatus status = sptrsvUpload(&factor->memory, host, (size_t)f.nnz * size, &d);
  free(host);
  *source = d;
  return status;
}

SptrsvStatus arrange(SptrsvFactor factor, const FactorPattern &f)
{
  SptrsvFactorWork &work = factor->work;
  const int         rows = factor->storage.rows;
  BlockRows        *plan;
  int               longest;

  SPTRSV_TRY(sptrsvNew(1, &plan));
  work.data = plan;
  SPTRSV_TRY(longest_row(f, &longest));
  plan->block  = rows;
  plan->rows   = f.n;
  plan->memory = (size_t)(longest + 1) * (size_t)(rows * rows) * sptrsvValueSize(factor->type);
  if (longest > MOST_ROW_OF_BLOCKS || plan->memory > MOST_MEMORY) return SPTRSV_NOT_SUPPORTED;
  SPTRSV_TRY(blockrows_arrange(f, 1, factor->analysis, &work.memory, plan));
  SPTRSV_TRY(blockpivots_tickets(factor->type, &work.memory, plan));
  work.stalled = plan->tickets.stalled;
  return SPTRSV_SUCCESS;
}

SptrsvStatus create(SptrsvFactor factor)
{
  const SptrsvPattern &f    = factor->analysis->a;
  const size_t         size = (size_t)(factor->storage.rows * factor->storage.rows) * sptrsvValueSize(factor->type);
  FactorDevice        *d;

  if ((int64_t)f.nnz * factor->storage.rows * factor->storage.rows >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(sptrsvNew(1, &d));
  factor->device = d;
  SPTRSV_TRY(sptrsvDeviceAllocate(&factor->memory, (size_t)f.nnz * size, &factor->values));
  factor->inverse = (char *)factor->values + (size_t)(f.nnz - f.n) * size;
  SPTRSV_TRY(sptrsvDeviceNew(&factor->memory, 1, &d->bad_row));
  SPTRSV_TRY(sptrsvPinnedAllocate(&factor->memory, sizeof(int), (void **)&d->bad_row_host));
  d->f = pattern_of(factor->analysis);
  if (!f.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(upload_sources(factor, &d->f.source));
  free(factor->source); /* the device has them */
  free(factor->entry);
  factor->source = factor->entry = nullptr;
  return arrange(factor, d->f);
}

void destroy(SptrsvFactor factor)
{
  sptrsvMemoryFree(&factor->work.memory);
  free(factor->work.data);
  free(factor->device);
}

void describe(SptrsvFactor factor, char *text, size_t size)
{
  const BlockRows *plan = (const BlockRows *)factor->work.data;

  (void)snprintf(text, size, "by blocks of %d rows, in %d levels, %u resident warps", factor->storage.rows, plan ? plan->levels : 0,
                 plan ? plan->tickets.warps : 0);
}

SptrsvStatus pass(SptrsvFactor factor, const void *a, const SptrsvPivoting *pivoting, double /* there is one pass */, SptrsvStream stream,
                  SptrsvPivots *pivots)
{
  const FactorDevice &d = device_of(factor);

  *pivots = {-1, 0};
  if (!d.f.n) return SPTRSV_SUCCESS;
  const BlockRows &plan = data_of<BlockRows>(factor);

  *factor->work.stalled = 0;
  SPTRSV_TRY(blockpivots_factor(plan, factor, a, *pivoting, stream));
  SPTRSV_CUDA(cudaMemcpyAsync(d.bad_row_host, d.bad_row, sizeof(int), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  pivots->bad_row = *d.bad_row_host;
  return *factor->work.stalled ? SPTRSV_STALLED : SPTRSV_SUCCESS;
}

/* ----------------------------------------------------------- the form ---------------------------------------------------------- */

/* All rows are in blocks, whatever is asked for */
SptrsvStatus find(SptrsvFactor factor, int, SptrsvFactorBlocks *blocks)
{
  const int rows = factor->storage.rows;

  blocks->found  = {(int64_t)factor->analysis->a.n * rows, rows, rows, 1};
  blocks->stride = rows;
  return SPTRSV_SUCCESS;
}

/* A warp per row of entries */
__global__ void form_kernel(FactorPattern f, int rows, int *row_ptr, int *col_idx)
{
  const int n = f.n * rows;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i <= n; i += gridDim.x * blockDim.x / WARP) {
    const BlockRow own(f, min(i / rows, f.n - 1), 1, rows);
    const int      length = own.width - rows, to = own.first - own.i * rows * rows + (i - own.i * rows) * length;

    if (threadIdx.x % WARP == 0) row_ptr[i] = to;
    for (int k = threadIdx.x % WARP; k < length && i < n; k += WARP) {
      const int c = k < own.split ? k : k + rows;

      col_idx[to + k] = f.col_idx[f.row_ptr[own.i] + c / rows] * rows + c % rows;
    }
  }
}

SptrsvStatus form(SptrsvFactor factor)
{
  SptrsvFactorBlocks  &b    = factor->blocks;
  const FactorPattern &f    = device_of(factor).f;
  const int            rows = factor->storage.rows, n = f.n * rows, nnz = (f.nnz - f.n) * rows * rows;
  Scratch<int>         row_ptr, col_idx;

  if (b.analysis) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvLaunchesOverlap(&b.overlaps));
  SPTRSV_TRY(row_ptr.create((size_t)n + 1));
  SPTRSV_TRY(col_idx.create((size_t)nnz + 1));
  if (f.n) SPTRSV_CUDA(launch(form_kernel, blocks_for(((size_t)n + 1) * WARP), BLOCK, nullptr, f, rows, row_ptr, col_idx));
  else SPTRSV_CUDA(cudaMemsetAsync(row_ptr, 0, sizeof(int), nullptr));
  b.values = factor->values;
  return analyse_form({n, nnz, (int *)row_ptr, (int *)col_idx, SPTRSV_INT32, SPTRSV_DEVICE}, &b);
}

SptrsvStatus values(SptrsvFactor, SptrsvStream) /* pass() made them */
{
  return SPTRSV_SUCCESS;
}

/* x = D^-1 b or D^-T b, where b may be x: a lane per row, and each warp has whole blocks */
template <class V, int BS> __global__ void product_kernel(int n, const V *inverse, bool transposed, const V *b, V *x)
{
  constexpr int OWN  = WARP / BS * BS;
  const int     lane = threadIdx.x % WARP, number = lane % BS;

  await_previous_launch();
  for (int begin = (blockIdx.x * blockDim.x + threadIdx.x) / WARP * OWN; begin < n; begin += gridDim.x * blockDim.x / WARP * OWN) {
    const bool     mine  = lane < OWN && begin + lane < n;
    const V *const block = inverse + (size_t)(begin + lane - number) * BS;
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
  const size_t warps = (size_t)n / (size_t)(WARP / rows * rows) + 1;

  if (part != SPTRSV_BLOCKS_LU && factor->kind == SPTRSV_ICC0) return SPTRSV_NOT_SUPPORTED;
  return sptrsvCudaStatus(by_type(factor->type, [&](auto v) {
    using V = decltype(v);
    if (part == SPTRSV_BLOCKS_L)
      return b == x ? cudaSuccess : cudaMemcpyAsync(x, b, (size_t)n * sizeof(V), cudaMemcpyDeviceToDevice, stream);
    return with_block<2>(rows, [&](auto bs) {
      return launch_with({0, factor->blocks.overlaps}, product_kernel<V, bs.value>, blocks_for(warps * WARP), BLOCK, stream, n,
                         (const V *)factor->inverse, op == SPTRSV_TRANSPOSE, (const V *)b, (V *)x);
    });
  }));
}

const SptrsvBlockWork work = {find, form, values, product};

} // namespace

const SptrsvFactorPlace sptrsvFactorDeviceBlocks = {create, destroy, nullptr, nullptr, nullptr, describe, pass, nullptr, nullptr, &work};
