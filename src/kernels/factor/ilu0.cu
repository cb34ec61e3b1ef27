/*
   The factorizations on the device: the choice of a method, a pass by it, and PETSc's pivot tests.
*/
#include <cstdio>
#include <cstdlib>
#include "../device/triangle.cuh"
#include "ilu0.cuh"

namespace {

using namespace sptrsv;

/* The pivot tests that compare with the finished row: a warp per row */
template <class V> __global__ void check_kernel(FactorPattern f, bool upper_only, SptrsvPivoting pivoting, const V *v, int *bad_row)
{
  const int lane = threadIdx.x % WARP;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < f.n; i += gridDim.x * blockDim.x / WARP) {
    double sum = 0;
    for (int e = (upper_only ? f.split[i] : f.row_ptr[i]) + lane; e < f.row_ptr[i + 1]; e += WARP)
      sum += e == f.split[i] ? 0 : fabs((double)v[e]);
    sum = sum_over(WARP, sum);

    const double pivot = 1 / (double)v[f.split[i]];
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
  FactorPattern         f;
  int                  *a_row_ptr, *a_diagonal; /* for dominance_kernel only */
  int                  *bad_row, *bad_row_host; /* the latter in pinned host memory */
  unsigned long long   *gap;
  SptrsvFactorAlgorithm asked, method;       /* method AUTO: not chosen yet */
  bool                  judged, pivots_only; /* sweep_suits(), once it was asked */
  SptrsvPlan            lower;
  Ilu0Entries          *entries; /* of each method that was in use */
  Ilu0Rows             *rows;
  Ilu0Sweep            *sweep;
  Ilu0Tasks            *tasks;
};
Device *device_of(SptrsvFactor factor)
{
  return (Device *)factor->device;
}

SptrsvStatus sweep_can(Device &d, bool *can)
{
  *can = false;
  if (!d.lower || !d.lower->method->invert) return SPTRSV_SUCCESS;
  if (!d.judged) SPTRSV_TRY(sweep_suits(d.f, &d.pivots_only));
  d.judged = true;
  *can     = d.pivots_only;
  return SPTRSV_SUCCESS;
}

/* Levels with so much work that lanes count, of which rows leave many idle (doc/algorithms/factorization.md) */
constexpr int FEW = 64;

/* The best method */
SptrsvStatus choose(SptrsvFactor factor, SptrsvFactorAlgorithm *method)
{
  Device            &d     = *device_of(factor);
  bool               sweep = false, rows;
  const SptrsvSweep *lower;

  SPTRSV_TRY(sweep_can(d, &sweep));
  if (!sweep) SPTRSV_TRY(rows_can(factor, d.f, &rows));
  SPTRSV_TRY(sptrsvAnalysisSweep(factor->analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &lower));
  *method = sweep ? SPTRSV_FACTOR_SWEEP : rows && lower->statistics.levels >= FEW ? SPTRSV_FACTOR_ROWS : SPTRSV_FACTOR_ENTRIES;
  return SPTRSV_SUCCESS;
}

/* NOT_SUPPORTED: the pattern, or the plan of the lower sweep, is not for the method that was asked for */
SptrsvStatus check_asked(SptrsvFactor factor)
{
  Device &d   = *device_of(factor);
  bool    can = true;

  if (d.asked == SPTRSV_FACTOR_SWEEP) SPTRSV_TRY(sweep_can(d, &can));
  if (d.asked == SPTRSV_FACTOR_ROWS) SPTRSV_TRY(rows_can(factor, d.f, &can));
  return can ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED;
}

/* *data: made by create(data) unless it is there.  A failure leaves nothing behind. */
template <class T, class F> SptrsvStatus need(SptrsvFactor factor, T **data, F create)
{
  const int    blocks = factor->memory.blocks;
  T           *made   = nullptr;
  SptrsvStatus status = SPTRSV_SUCCESS;

  if (*data) return SPTRSV_SUCCESS;
  status = create(&made);
  if (!status) *data = made;
  else {
    sptrsvMemoryRewind(&factor->memory, blocks);
    free(made);
  }
  return status;
}

SptrsvStatus need_entries(SptrsvFactor factor)
{
  Device &d = *device_of(factor);

  return need(factor, &d.entries, [&](auto made) { return entries_create(factor, d.f, made); });
}

/* The data of a method.  That of others which were in use stays. */
SptrsvStatus need_data(SptrsvFactor factor, SptrsvFactorAlgorithm method)
{
  Device &d = *device_of(factor);

  switch (method) {
  case SPTRSV_FACTOR_SWEEP:
    return need(factor, &d.sweep, [&](auto made) { return sweep_create(factor, d.f, made); });
  case SPTRSV_FACTOR_ROWS:
    return need(factor, &d.rows, [&](auto made) { return rows_create(factor, d.f, made); });
  default:
    return need_entries(factor);
  }
}

/* The rows of A, if they are not the factor's, for dominance_kernel */
SptrsvStatus need_matrix(SptrsvFactor factor)
{
  Device   &d = *device_of(factor);
  const int n = d.f.n;

  if (factor->a_row_ptr && !d.a_row_ptr) SPTRSV_TRY(sptrsvUpload(&factor->memory, factor->a_row_ptr, n + 1, &d.a_row_ptr));
  if (factor->a_row_ptr && !d.a_diagonal) SPTRSV_TRY(sptrsvUpload(&factor->memory, factor->a_diagonal, n, &d.a_diagonal));
  return SPTRSV_SUCCESS;
}

SptrsvStatus prepare(SptrsvFactor factor)
{
  Device               &d      = *device_of(factor);
  SptrsvFactorAlgorithm method = d.asked;

  if (d.method != SPTRSV_FACTOR_AUTO || !d.f.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(d.asked == SPTRSV_FACTOR_AUTO ? choose(factor, &method) : check_asked(factor));
  SPTRSV_TRY(need_data(factor, method));
  d.method = method;
  return SPTRSV_SUCCESS;
}

SptrsvStatus prepare_apart(SptrsvFactor factor)
{
  sptrsvSetupBegin();
  return sptrsvSetupEnd(prepare(factor));
}

/* Where a warp says that it gave up */
volatile unsigned *stalled_of(const Device &d)
{
  switch (d.method) {
  case SPTRSV_FACTOR_SWEEP:
    return d.lower->stalled;
  case SPTRSV_FACTOR_ROWS:
    return rows_stalled(*d.rows);
  case SPTRSV_FACTOR_ATA:
    return tasks_stalled(*d.tasks);
  default:
    return entries_stalled(*d.entries);
  }
}

template <class V> SptrsvStatus compute(const Device &d, const Pass<V> &p, cudaStream_t stream)
{
  switch (d.method) {
  case SPTRSV_FACTOR_SWEEP:
    return sweep_pass(*d.sweep, d.lower, p, stream);
  case SPTRSV_FACTOR_ROWS:
    return rows_pass(*d.rows, p, stream);
  case SPTRSV_FACTOR_ATA:
    return tasks_pass(*d.tasks, *d.entries, p, stream);
  default:
    return entries_pass(*d.entries, p, stream);
  }
}

template <class V>
SptrsvStatus pass(SptrsvFactor factor, const V *a, const SptrsvPivoting &pivoting, double shift, cudaStream_t stream, SptrsvPivots *pivots)
{
  const Device            &d       = *device_of(factor);
  const bool               check   = pivoting.shift == SPTRSV_SHIFT_NONZERO || pivoting.shift == SPTRSV_SHIFT_POSITIVE_DEFINITE;
  int *const               report  = check || d.method == SPTRSV_FACTOR_ROWS ? nullptr : d.bad_row_host;
  const Pass<V>            p       = {d.f, a, (V *)factor->values, (V)shift, {pivoting, d.bad_row}, report};
  volatile unsigned *const stalled = stalled_of(d);
  V                        inverse;
  int                      split;

  if (stalled) *stalled = 0;
  SPTRSV_TRY(compute(d, p, stream));
  if (check)
    SPTRSV_CUDA(launch(check_kernel<V>, blocks_for((size_t)d.f.n * WARP), BLOCK, stream, d.f, factor->kind == SPTRSV_ICC0, pivoting, p.v,
                       d.bad_row));
  if (!report) SPTRSV_CUDA(cudaMemcpyAsync(d.bad_row_host, d.bad_row, sizeof(int), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  if (stalled && *stalled) return SPTRSV_STALLED;
  pivots->bad_row = *d.bad_row_host;
  if (pivots->bad_row < 0) return SPTRSV_SUCCESS;
  SPTRSV_CUDA(cudaMemcpyAsync(&split, d.f.split + pivots->bad_row, sizeof(split), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  SPTRSV_CUDA(cudaMemcpyAsync(&inverse, p.v + split, sizeof(V), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  pivots->bad_pivot = 1 / (double)inverse;
  return SPTRSV_SUCCESS;
}

/* Where the factor's values come from: found on the host; or ICC's at mirrored places; NULL: their own */
SptrsvStatus find_source(SptrsvFactor factor, const FactorPattern &f, int **source)
{
  *source = nullptr;
  if (factor->source) return sptrsvUpload(&factor->memory, factor->source, f.nnz, source);
  if (factor->kind == SPTRSV_ILU0) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvDeviceNew(&factor->memory, f.nnz, source));
  return find_mirrored(f, *source);
}

} // namespace

SptrsvStatus sptrsvFactorDeviceCreate(SptrsvFactor factor)
{
  SptrsvMemory *memory = &factor->memory;
  Device       *d;
  int          *source;

  SPTRSV_TRY(sptrsvNew(1, &d));
  factor->device = d;
  SPTRSV_TRY(sptrsvDeviceAllocate(memory, (size_t)factor->analysis->a.nnz * sptrsvValueSize(factor->type), &factor->values));
  SPTRSV_TRY(sptrsvDeviceNew(memory, 1, &d->bad_row));
  SPTRSV_TRY(sptrsvDeviceNew(memory, 1, &d->gap));
  SPTRSV_TRY(sptrsvPinnedAllocate(memory, sizeof(int), (void **)&d->bad_row_host));
  d->f = pattern_of(factor->analysis);
  SPTRSV_TRY(find_source(factor, d->f, &source));
  d->f.source = source;
  SPTRSV_CUDA(cudaDeviceSynchronize()); /* the first factorization may come in another stream */
  return SPTRSV_SUCCESS;
}

void sptrsvFactorDeviceDestroy(SptrsvFactor factor)
{
  Device *d = device_of(factor);

  if (!d) return;
  tasks_destroy(factor, d->tasks);
  free(d->entries);
  free(d->rows);
  free(d->sweep);
  free(d);
}

SptrsvStatus sptrsvFactorDeviceTune(SptrsvFactor factor, const SptrsvTuning *tuning)
{
  Device                     &d     = *device_of(factor);
  const SptrsvFactorAlgorithm asked = tuning->factor.algorithm;
  Ilu0Tasks                  *tasks = nullptr;

  if (asked == SPTRSV_FACTOR_ATA) {
    SPTRSV_TRY(need_entries(factor));
    SPTRSV_TRY(tasks_create(factor, d.f, *d.entries, tuning->ata, &tasks));
  }
  tasks_destroy(factor, d.tasks);
  d.tasks  = tasks;
  d.asked  = asked;
  d.method = tasks ? asked : SPTRSV_FACTOR_AUTO;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorDeviceSetSweep(SptrsvFactor factor, SptrsvPlan lower)
{
  Device &d = *device_of(factor);

  if (lower != d.lower && d.method != SPTRSV_FACTOR_ATA) d.method = SPTRSV_FACTOR_AUTO;
  d.lower                   = lower;
  const SptrsvStatus status = lower ? prepare_apart(factor) : SPTRSV_SUCCESS;
  if (status) d.lower = nullptr; /* the caller may destroy it */
  return status;
}

void sptrsvFactorDeviceDescribe(SptrsvFactor factor, char *text, size_t size)
{
  const Device &d = *device_of(factor);

  switch (d.method) {
  case SPTRSV_FACTOR_AUTO:
    (void)snprintf(text, size, d.f.n ? "chosen at the first factorization" : "of no rows");
    break;
  case SPTRSV_FACTOR_SWEEP:
    (void)snprintf(text, size, "sweep, of pivots alone, by the lower sweep's %s", d.lower->algorithm->name);
    break;
  case SPTRSV_FACTOR_ROWS:
    rows_describe(*d.rows, text, size);
    break;
  case SPTRSV_FACTOR_ATA:
    tasks_describe(*d.tasks, text, size);
    break;
  default:
    entries_describe(*d.entries, text, size);
  }
}

SptrsvStatus sptrsvFactorPassDevice(SptrsvFactor factor, const void *a, const SptrsvPivoting *pivoting, double shift, SptrsvStream stream,
                                    SptrsvPivots *pivots)
{
  pivots->bad_row = -1;
  if (!device_of(factor)->f.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(prepare_apart(factor));
  return by_type(factor->type, [&](auto v) { return pass(factor, (const decltype(v) *)a, *pivoting, shift, stream, pivots); });
}

SptrsvStatus sptrsvFactorDominanceDevice(SptrsvFactor factor, const void *a, SptrsvStream stream, double *gap)
{
  Device   *d = device_of(factor);
  const int n = factor->analysis->a.n, blocks = blocks_for((size_t)n * WARP);

  sptrsvSetupBegin();
  SPTRSV_TRY(sptrsvSetupEnd(need_matrix(factor)));
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

SptrsvStatus sptrsvFactorPivotsDevice(SptrsvFactor factor, void *inverted, SptrsvStream stream)
{
  return move_values(factor->analysis->a.n, factor->analysis->d_split, nullptr, factor->type, factor->values, inverted, stream);
}
