/*
   ILU(0) on the GPU, entry by entry.

   Every entry of the factor that is not a copy of A's is an unknown of its own:
     v(i,j) = a(i,j) - sum over k < min(i,j) of v(i,k) v(k,j) / v(k,k),
   where v is U on and above the diagonal and, below it, L times the pivot of its column.  Written so, an entry needs one value per hop
   from the level before and no row waits for itself: the chain of dependent entries is as long as that of dependent rows.  Who needs whom
   depends on the pattern only and is listed once (operands.cu); a factorization searches nothing.  As in the sweeps, unknowns are their
   own flags.
*/
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include "../device/scratch.cuh"
#include "../device/tickets.cuh"
#include "../device/values.cuh"
#include "ilu0.cuh"

namespace {

using namespace sptrsv;

/* What A gives directly is copied, what must be computed is marked as not ready */
template <class V> __global__ void start_kernel(int nnz, const int *__restrict__ source, const V *__restrict__ a, V *v, int *bad_row)
{
  const int first = blockIdx.x * blockDim.x + threadIdx.x;

  if (!first) *bad_row = -1;
  for (int e = first; e < nnz; e += gridDim.x * blockDim.x) {
    const int s = source[e];
    if (s < 0) rearm(v + e);
    else v[e] = harmless(a[s]);
  }
}

template <class V>
__global__ void ilu0_kernel(const Tickets tickets, const Ilu0<V> p, const V *__restrict__ a, V shift, SptrsvPivoting pivoting)
{
  const int lane = threadIdx.x % WARP;

  Turn turn(tickets, lane);

  for (unsigned c = turn.start, ahead; c < tickets.work; c = turn.share(ahead)) {
    const EntryChunk chunk = p.o.chunk[c];
    const int        lanes = chunk.lanes, sub = lane % lanes, u = chunk.first + lane / lanes;
    const bool       mine  = lane / lanes < chunk.unknowns;
    const int        code  = mine ? p.o.entry[u] : 0;
    const size_t     first = mine ? p.o.pair_ptr[u] + sub : 0, end = mine ? p.o.pair_ptr[u + 1] : 0;
    V                sum = mine && !sub ? start_entry(p, a, code, shift) : V(0);

    ahead = turn.take();
    sum   = subtract_pairs<V, true>(p, turn, first, end, lanes, sum);
    __syncwarp();
    sum = sum_over(lanes, sum);
    if (mine && !sub) finish_entry(p, code, sum, pivoting);
  }
}

/* L = (L times pivots) / pivots; and the bad row, if no test is to come, goes to the host's memory, which saves a copy of its own */
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
  Operands            o;
  int                *a_row_ptr, *a_diagonal; /* for dominance_kernel only */
  int                *bad_row, *bad_row_host; /* the latter in pinned host memory that the device can write */
  Tickets             tickets;
  Ilu0Tasks          *tasks; /* NULL: entry by entry */
  unsigned long long *gap;
};
Device *device_of(SptrsvFactor f)
{
  return (Device *)f->device;
}

template <class V>
SptrsvStatus pass(SptrsvFactor f, const V *a, const SptrsvPivoting &pivoting, double shift, cudaStream_t stream, SptrsvPivots *pivots)
{
  const SptrsvAnalysis an = f->analysis;
  const Device        &d  = *device_of(f);
  const int            n = an->a.n, nnz = an->a.nnz;
  const bool           check   = pivoting.shift == SPTRSV_SHIFT_NONZERO || pivoting.shift == SPTRSV_SHIFT_POSITIVE_DEFINITE;
  V                   *v       = (V *)f->values, inverse;
  const Ilu0<V>        p       = {d.o, an->d_col_idx, v, d.bad_row};
  unsigned *const      stalled = d.tasks ? ilu0_tasks_stalled(*d.tasks) : d.tickets.stalled;

  *stalled = 0;
  SPTRSV_CUDA(launch(start_kernel<V>, blocks_for(nnz), BLOCK, stream, nnz, d.o.source, a, v, d.bad_row));
  if (d.tasks) SPTRSV_TRY(ilu0_tasks_run(*d.tasks, p, a, (V)shift, pivoting, stream));
  else SPTRSV_CUDA(launch(ilu0_kernel<V>, (int)d.tickets.warps, WARP, stream, d.tickets, p, a, (V)shift, pivoting));
  SPTRSV_CUDA(launch(scale_kernel<V>, blocks_for(nnz), BLOCK, stream, nnz, d.o.pivot, v, d.bad_row, check ? nullptr : d.bad_row_host));
  if (check)
    SPTRSV_CUDA(launch(check_kernel<V>, blocks_for((size_t)n * WARP), BLOCK, stream, n, f->kind == SPTRSV_ICC0, an->d_row_ptr, an->d_split,
                       pivoting, v, d.bad_row));
  if (check) SPTRSV_CUDA(cudaMemcpyAsync(d.bad_row_host, d.bad_row, sizeof(int), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  if (*stalled) return SPTRSV_STALLED;
  pivots->bad_row = *d.bad_row_host;
  if (pivots->bad_row < 0) return SPTRSV_SUCCESS;
  SPTRSV_CUDA(cudaMemcpy(&inverse, v + an->a.split[pivots->bad_row], sizeof(V), cudaMemcpyDeviceToHost));
  pivots->bad_pivot = 1 / (double)inverse;
  return SPTRSV_SUCCESS;
}

/* As in the sweeps: few warps poll at a time.  With a handful of levels, or wide ones, nobody polls for long, and more are better. */
int choose_warps(const Operands &o, int processors)
{
  const double chunks_per_level = (double)o.chunks / std::max(1, o.ranks);
  const double most             = (o.ranks > 16 && chunks_per_level < 16 * processors ? 8.0 : 16.0) * processors;

  return std::max(1, std::min(o.chunks, (int)std::min(std::max(24 * chunks_per_level, (double)processors), most)));
}

} // namespace

SptrsvStatus sptrsvFactorDeviceCreate(SptrsvFactor f)
{
  const SptrsvPattern &p = f->analysis->a;
  Device              *d;
  int                  processors;

  SPTRSV_TRY(sptrsvNew(1, &d));
  f->device = d;
  SPTRSV_TRY(sptrsvDeviceAllocate((size_t)p.nnz * value_size(f->type), &f->values, &f->device_bytes));
  SPTRSV_TRY(sptrsvDeviceAllocate(sizeof(int), (void **)&d->bad_row, &f->device_bytes));
  SPTRSV_TRY(sptrsvDeviceAllocate(sizeof(*d->gap), (void **)&d->gap, &f->device_bytes));
  SPTRSV_CUDA(cudaHostAlloc((void **)&d->bad_row_host, sizeof(int), cudaHostAllocMapped));
  SPTRSV_TRY(count_processors(&processors));
  SPTRSV_TRY(operands_create(f, &d->o, &f->device_bytes));
  return tickets_create(d->o.chunks, choose_warps(d->o, processors), &d->tickets, &f->device_bytes);
}

void sptrsvFactorDeviceDestroy(SptrsvFactor f)
{
  Device *d = device_of(f);

  sptrsvDeviceFree(f->values);
  if (!d) return;
  ilu0_tasks_destroy(f, d->tasks);
  operands_destroy(&d->o);
  for (void *p : {(void *)d->a_row_ptr, (void *)d->a_diagonal, (void *)d->bad_row, (void *)d->gap}) sptrsvDeviceFree(p);
  tickets_destroy(&d->tickets);
  (void)cudaFreeHost(d->bad_row_host);
  free(d);
}

SptrsvStatus sptrsvFactorDeviceTasks(SptrsvFactor f, const SptrsvTaskOptions *options)
{
  Device    *d     = device_of(f);
  Ilu0Tasks *tasks = nullptr;

  if (options) SPTRSV_TRY(ilu0_tasks_create(f, d->o, *options, &tasks));
  ilu0_tasks_destroy(f, d->tasks);
  d->tasks = tasks;
  return SPTRSV_SUCCESS;
}

void sptrsvFactorDeviceDescribe(SptrsvFactor f, char *text, size_t size)
{
  const Device &d = *device_of(f);

  if (d.tasks) ilu0_tasks_describe(*d.tasks, text, size);
  else (void)snprintf(text, size, "entries, %d to compute in %d ranks, %u resident warps", d.o.unknowns, d.o.ranks, d.tickets.warps);
}

SptrsvStatus sptrsvFactorPassDevice(SptrsvFactor f, const void *a, const SptrsvPivoting *pivoting, double shift, SptrsvStream stream,
                                    SptrsvPivots *pivots)
{
  if (f->type == SPTRSV_DOUBLE) return pass(f, (const double *)a, *pivoting, shift, stream, pivots);
  return pass(f, (const float *)a, *pivoting, shift, stream, pivots);
}

SptrsvStatus sptrsvFactorDominanceDevice(SptrsvFactor f, const void *a, SptrsvStream stream, double *gap)
{
  Device   *d = device_of(f);
  const int n = f->analysis->a.n;

  if (f->a_row_ptr && !d->a_row_ptr) {
    Scratch<int> a_row_ptr, a_diagonal;

    SPTRSV_TRY(a_row_ptr.upload(f->a_row_ptr, (size_t)n + 1));
    SPTRSV_TRY(a_diagonal.upload(f->a_diagonal, n));
    a_row_ptr.release(&d->a_row_ptr, &f->device_bytes);
    a_diagonal.release(&d->a_diagonal, &f->device_bytes);
  }
  const int *row_ptr  = d->a_row_ptr ? d->a_row_ptr : f->analysis->d_row_ptr,
            *diagonal = d->a_diagonal ? d->a_diagonal : f->analysis->d_split;

  SPTRSV_CUDA(cudaMemsetAsync(d->gap, 0, sizeof(*d->gap), stream));
  if (f->type == SPTRSV_DOUBLE)
    SPTRSV_CUDA(
        launch(dominance_kernel<double>, blocks_for((size_t)n * WARP), BLOCK, stream, n, row_ptr, diagonal, (const double *)a, d->gap));
  else
    SPTRSV_CUDA(
        launch(dominance_kernel<float>, blocks_for((size_t)n * WARP), BLOCK, stream, n, row_ptr, diagonal, (const float *)a, d->gap));
  SPTRSV_CUDA(cudaMemcpyAsync(gap, d->gap, sizeof(*gap), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  return SPTRSV_SUCCESS;
}
