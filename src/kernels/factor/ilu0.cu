/*
   ILU(0) on the GPU, entry by entry.

   Every entry of the factor that is not a copy of A's is an unknown of its own:
     v(i,j) = a(i,j) - sum over k < min(i,j) of v(i,k) v(k,j) / v(k,k),
   where v is U on and above the diagonal and, below it, L times the pivot of its column.  Written so, an entry needs one value per hop
   from the level before and no row waits for itself: the chain of dependent entries is as long as that of dependent rows.  The dependencies
   follow from the pattern and are listed once (operands.cu); a factorization searches nothing.  As in the sweeps, unknowns are their own
   flags.
*/
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include "../device/scratch.cuh"
#include "ilu0.cuh"

namespace {

using namespace sptrsv;

/* Entries that are A's are copied, unknowns are not ready */
template <class V> __global__ void start_kernel(int nnz, const int *__restrict__ source, const V *__restrict__ a, V *v, int *bad_row)
{
  const int first = blockIdx.x * blockDim.x + threadIdx.x;

  if (!first) *bad_row = -1;
  for (int e = first; e < nnz; e += gridDim.x * blockDim.x) {
    const int s = source[e];
    if (is_unknown(s)) rearm(v + e);
    else v[e] = harmless(a[s]);
  }
}

template <class V>
__global__ void ilu0_kernel(const Tickets tickets, const Ilu0<V> ilu, const V *__restrict__ a, V shift, SptrsvPivoting pivoting)
{
  const int lane = threadIdx.x % WARP;

  Turn turn(tickets, lane);

  for (unsigned c = turn.start, ahead; c < tickets.work; c = turn.share(ahead)) {
    const EntryChunk chunk = ilu.operands.chunk[c];
    const int        lanes = chunk.lanes, sub = lane % lanes, u = chunk.first + lane / lanes;
    const bool       mine  = lane / lanes < chunk.unknowns;
    const int        code  = mine ? ilu.operands.entry[u] : 0;
    const size_t     first = mine ? ilu.operands.pair_ptr[u] + sub : 0, end = mine ? ilu.operands.pair_ptr[u + 1] : 0;
    V                sum = mine && !sub ? start_entry(ilu, a, code, shift) : V(0);

    ahead = turn.take();
    sum   = subtract_pairs<V, true>(ilu, turn, first, end, lanes, sum);
    __syncwarp();
    sum = sum_over(lanes, sum);
    if (mine && !sub) finish_entry(ilu, code, sum, pivoting);
  }
}

/* L = (L times pivots) / pivots.  If no test is to come, the bad row goes to host memory here, which saves a copy of its own. */
template <class V> __global__ void scale_kernel(int nnz, const int *__restrict__ pivot, V *v, const int *bad_row, int *report)
{
  if (report && !blockIdx.x && !threadIdx.x) *report = *bad_row;
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < nnz; e += gridDim.x * blockDim.x) {
    const int d = pivot[e];
    if (d >= 0 && v[e] != V(0)) v[e] *= v[d];
  }
}

/* The pivot tests that compare with the finished row: a warp per row */
template <class V> __global__ void check_kernel(int n, bool upper_only, const int *row_ptr, const int *split, SptrsvPivoting pivoting,
                                                const V *v, int *bad_row)
{
  const int lane = threadIdx.x % WARP;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < n; i += gridDim.x * blockDim.x / WARP) {
    double sum = 0;
    for (int e = (upper_only ? split[i] : row_ptr[i]) + lane; e < row_ptr[i + 1]; e += WARP) sum += e == split[i] ? 0 : fabs((double)v[e]);
    sum = sum_over(WARP, sum);

    const double pivot = 1 / (double)v[split[i]];
    const bool   small = (pivoting.shift == SPTRSV_SHIFT_POSITIVE_DEFINITE ? pivot : fabs(pivot)) <= pivoting.zero_pivot * sum;
    if (small && !lane) atomicMax(bad_row, i);
  }
}

/* gap [1], nonnegative: max over the rows of A of  sum_j |a(i,j)| - |a(i,i)| - a(i,i) */
template <class V> __global__ void dominance_kernel(int n, const int *row_ptr, const int *diagonal, const V *a, unsigned long long *gap)
{
  const int lane = threadIdx.x % WARP;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < n; i += gridDim.x * blockDim.x / WARP) {
    double sum = 0;
    for (int e = row_ptr[i] + lane; e < row_ptr[i + 1]; e += WARP) sum += e == diagonal[i] ? -(double)a[e] : fabs((double)a[e]);
    sum = sum_over(WARP, sum);
    if (!lane && sum > 0)
      atomicMax(gap, (unsigned long long)__double_as_longlong(sum)); /* nonnegative doubles are ordered like their bits */
  }
}

struct Device {
  Operands            operands;
  int                *a_row_ptr, *a_diagonal; /* for dominance_kernel only */
  int                *bad_row, *bad_row_host; /* the latter in pinned host memory */
  Tickets             tickets;
  Ilu0Tasks          *tasks; /* NULL: entry by entry */
  unsigned long long *gap;
};
Device *device_of(SptrsvFactor factor)
{
  return (Device *)factor->device;
}

template <class V>
SptrsvStatus pass(SptrsvFactor factor, const V *a, const SptrsvPivoting &pivoting, double shift, cudaStream_t stream, SptrsvPivots *pivots)
{
  const SptrsvAnalysis f = factor->analysis; /* of the factor's pattern */
  const Device        &d = *device_of(factor);
  const int            n = f->a.n, nnz = f->a.nnz;
  const bool           check   = pivoting.shift == SPTRSV_SHIFT_NONZERO || pivoting.shift == SPTRSV_SHIFT_POSITIVE_DEFINITE;
  V                   *v       = (V *)factor->values, inverse;
  int                  split;
  const Ilu0<V>        p       = {d.operands, f->d_col_idx, v, d.bad_row};
  unsigned *const      stalled = d.tasks ? ilu0_tasks_stalled(*d.tasks) : d.tickets.stalled;

  *stalled = 0;
  SPTRSV_CUDA(launch(start_kernel<V>, blocks_for(nnz), BLOCK, stream, nnz, d.operands.source, a, v, d.bad_row));
  if (d.tasks) SPTRSV_TRY(ilu0_tasks_run(*d.tasks, p, a, (V)shift, pivoting, stream));
  else SPTRSV_CUDA(launch(ilu0_kernel<V>, (int)d.tickets.warps, WARP, stream, d.tickets, p, a, (V)shift, pivoting));
  SPTRSV_CUDA(
      launch(scale_kernel<V>, blocks_for(nnz), BLOCK, stream, nnz, d.operands.pivot, v, d.bad_row, check ? nullptr : d.bad_row_host));
  if (check)
    SPTRSV_CUDA(launch(check_kernel<V>, blocks_for((size_t)n * WARP), BLOCK, stream, n, factor->kind == SPTRSV_ICC0, f->d_row_ptr,
                       f->d_split, pivoting, v, d.bad_row));
  if (check) SPTRSV_CUDA(cudaMemcpyAsync(d.bad_row_host, d.bad_row, sizeof(int), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  if (*stalled) return SPTRSV_STALLED;
  pivots->bad_row = *d.bad_row_host;
  if (pivots->bad_row < 0) return SPTRSV_SUCCESS;
  SPTRSV_CUDA(cudaMemcpy(&split, f->d_split + pivots->bad_row, sizeof(split), cudaMemcpyDeviceToHost));
  SPTRSV_CUDA(cudaMemcpy(&inverse, v + split, sizeof(V), cudaMemcpyDeviceToHost));
  pivots->bad_pivot = 1 / (double)inverse;
  return SPTRSV_SUCCESS;
}

/* As in the sweeps few warps poll at a time.  With a handful of levels, or wide ones, no warp polls for long, and more warps are better. */
int choose_warps(const Operands &operands, int processors)
{
  const double chunks_per_level = (double)operands.chunks / std::max(1, operands.ranks);
  const double most             = (operands.ranks > 16 && chunks_per_level < 16 * processors ? 8.0 : 16.0) * processors;

  return std::max(1, std::min(operands.chunks, (int)std::min(std::max(24 * chunks_per_level, (double)processors), most)));
}

} // namespace

SptrsvStatus sptrsvFactorDeviceCreate(SptrsvFactor factor)
{
  SptrsvMemory *memory = &factor->memory;
  Device       *d;
  int           processors;

  SPTRSV_TRY(sptrsvNew(1, &d));
  factor->device = d;
  SPTRSV_TRY(sptrsvDeviceAllocate(memory, (size_t)factor->analysis->a.nnz * sptrsvValueSize(factor->type), &factor->values));
  SPTRSV_TRY(sptrsvDeviceNew(memory, 1, &d->bad_row));
  SPTRSV_TRY(sptrsvDeviceNew(memory, 1, &d->gap));
  SPTRSV_TRY(sptrsvPinnedAllocate(memory, sizeof(int), (void **)&d->bad_row_host));
  SPTRSV_TRY(count_processors(&processors));
  SPTRSV_TRY(operands_create(factor, &d->operands));
  return tickets_create(memory, d->operands.chunks, choose_warps(d->operands, processors), &d->tickets);
}

void sptrsvFactorDeviceDestroy(SptrsvFactor factor)
{
  if (!factor->device) return;
  ilu0_tasks_destroy(factor, device_of(factor)->tasks);
  free(factor->device);
}

SptrsvStatus sptrsvFactorDeviceTasks(SptrsvFactor factor, const SptrsvTaskOptions *options)
{
  Device    *d     = device_of(factor);
  Ilu0Tasks *tasks = nullptr;

  if (options) SPTRSV_TRY(ilu0_tasks_create(factor, d->operands, *options, &tasks));
  ilu0_tasks_destroy(factor, d->tasks);
  d->tasks = tasks;
  return SPTRSV_SUCCESS;
}

void sptrsvFactorDeviceDescribe(SptrsvFactor factor, char *text, size_t size)
{
  const Device   &d = *device_of(factor);
  const Operands &o = d.operands;

  if (d.tasks) ilu0_tasks_describe(*d.tasks, text, size);
  else (void)snprintf(text, size, "entries, %d to compute in %d ranks, %u resident warps", o.unknowns, o.ranks, d.tickets.warps);
}

SptrsvStatus sptrsvFactorPassDevice(SptrsvFactor factor, const void *a, const SptrsvPivoting *pivoting, double shift, SptrsvStream stream,
                                    SptrsvPivots *pivots)
{
  return by_type(factor->type, [&](auto v) { return pass(factor, (const decltype(v) *)a, *pivoting, shift, stream, pivots); });
}

SptrsvStatus sptrsvFactorDominanceDevice(SptrsvFactor factor, const void *a, SptrsvStream stream, double *gap)
{
  Device   *d = device_of(factor);
  const int n = factor->analysis->a.n, blocks = blocks_for((size_t)n * WARP);

  if (factor->a_row_ptr && !d->a_row_ptr) SPTRSV_TRY(sptrsvUpload(&factor->memory, factor->a_row_ptr, n + 1, &d->a_row_ptr));
  if (factor->a_row_ptr && !d->a_diagonal) SPTRSV_TRY(sptrsvUpload(&factor->memory, factor->a_diagonal, n, &d->a_diagonal));
  const int *row_ptr  = d->a_row_ptr ? d->a_row_ptr : factor->analysis->d_row_ptr,
            *diagonal = d->a_diagonal ? d->a_diagonal : factor->analysis->d_split;

  SPTRSV_CUDA(cudaMemsetAsync(d->gap, 0, sizeof(*d->gap), stream));
  SPTRSV_CUDA(by_type(factor->type, [&](auto v) {
    using V = decltype(v);
    return launch(dominance_kernel<V>, blocks, BLOCK, stream, n, row_ptr, diagonal, (const V *)a, d->gap);
  }));
  SPTRSV_CUDA(cudaMemcpyAsync(gap, d->gap, sizeof(*gap), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  return SPTRSV_SUCCESS;
}
