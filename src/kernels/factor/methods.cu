/*
   The factorizations on the device: the choice of a method, a pass by it, and PETSc's pivot tests; counts and mirror images of entries.
*/
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include "../plan/triangle.cuh"
#include "methods.cuh"

namespace {

using namespace sptrsv;

/* Entries left of the diagonal are not waited for, but it takes longer to leave them out. */
template <class V> __global__ void rearm_kernel(int nnz, V *v, int *bad_row)
{
  const int first = blockIdx.x * blockDim.x + threadIdx.x;

  if (!first) *bad_row = -1;
  for (int e = first; e < nnz; e += gridDim.x * blockDim.x) rearm(v + e);
}

/* The pivot tests that compare with the finished row: a warp per row */
template <class V> __global__ void check_kernel(FactorPattern f, bool upper_only, SptrsvPivoting pivoting, const V *v, int *bad_row)
{
  const int lane = threadIdx.x % WARP;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < f.n; i += gridDim.x * blockDim.x / WARP) {
    double sum = 0;
    for (int e = (upper_only ? f.split[i] : f.row_ptr[i]) + lane; e < f.row_ptr[i + 1]; e += WARP)
      sum += e == f.split[i] ? 0 : modulus(v[e]);
    sum = sum_over(WARP, sum);

    const PivotSize pivot = pivot_size(v[f.split[i]]);
    const bool      small = (pivoting.shift == SPTRSV_SHIFT_POSITIVE_DEFINITE ? pivot.real : pivot.modulus) <= pivoting.zero_pivot * sum;
    if (small && !lane) atomicMax(bad_row, i);
  }
}

/* gap [1], nonnegative: max over the rows of A of  sum_j |a(i,j)| - |a(i,i)| - Re a(i,i) */
template <class V> __global__ void dominance_kernel(int n, const int *row_ptr, const int *diagonal, const V *a, unsigned long long *gap)
{
  const int lane = threadIdx.x % WARP;

  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < n; i += gridDim.x * blockDim.x / WARP) {
    double sum = 0;
    for (int e = row_ptr[i] + lane; e < row_ptr[i + 1]; e += WARP) sum += e == diagonal[i] ? -real_part(a[e]) : modulus(a[e]);
    sum = sum_over(WARP, sum);
    if (!lane && sum > 0) atomicMax(gap, bits_as<unsigned long long>(sum)); /* nonnegative doubles are ordered like their bits */
  }
}

struct Counts {
  unsigned long long lower, products;
};

__global__ void counts_kernel(SptrsvPattern f, Counts *sum)
{
  Counts own = {};

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < f.n; i += gridDim.x * blockDim.x) {
    own.lower += (unsigned long long)(f.split[i] - f.row_ptr[i]);
    for (int e = f.row_ptr[i]; e < f.split[i]; e++)
      own.products += (unsigned long long)(f.row_ptr[f.col_idx[e] + 1] - f.split[f.col_idx[e]] - 1);
  }
  add_by_warp(&sum->lower, own.lower);
  add_by_warp(&sum->products, own.products);
}

/* In the order in which auto prefers them */
const FactorMethod *const methods[] = {&factorSweep, &factorBlockRows, &factorRows, &factorEntries};

/* Returns the k-th method, those of studies last; NULL past the last */
const FactorMethod *method_at(int k)
{
  const int own = (int)(sizeof(methods) / sizeof(*methods));

  if (k < own) return k < 0 ? nullptr : methods[k];
  k -= own;
  for (const SptrsvFamily *const *study = sptrsvStudies; *study; study++) {
    if ((*study)->factor && !k--) return (*study)->factor;
  }
  return nullptr;
}

/* The one that was asked for, or the first that suits the pattern best.  NOT_SUPPORTED: there is none. */
SptrsvStatus choose(SptrsvFactor factor, const FactorMethod **chosen)
{
  const FactorMethod *const asked = device_of(factor).asked, *method;

  for (int k = 0; (method = method_at(k)) != nullptr; k++) {
    Fit fit = Fit::BEST;

    if ((asked ? method != asked : method->facts & TUNED) || !(method->info.values >> factor->type & 1)) continue;
    if (method->judge) SPTRSV_TRY(method->judge(factor, &fit));
    *chosen = method;
    if (fit >= (asked ? Fit::ALLOWED : Fit::BEST)) return SPTRSV_SUCCESS;
  }
  return SPTRSV_NOT_SUPPORTED;
}

void work_free(const FactorMethod *method, SptrsvFactorWork *work)
{
  if (work->data && method && method->destroy) method->destroy(work->data);
  sptrsvMemoryFree(&work->memory);
  free(work->data);
}

/* The data of a method in place of those of the one before, which stay after a failure */
SptrsvStatus make(SptrsvFactor factor, const FactorMethod *method, const SptrsvTuning *tuning)
{
  FactorDevice    &d    = device_of(factor);
  SptrsvFactorWork work = {};

  const SptrsvStatus status = method->create(factor, tuning, &work);
  if (!status) {
    std::swap(work, factor->work);
    std::swap(method, d.made);
  }
  work_free(method, &work);
  return status;
}

/* The rows of A, if they are on the host only, for dominance_kernel */
SptrsvStatus upload_matrix(SptrsvAnalysis matrix)
{
  SptrsvPattern &d      = matrix->device;
  const int      n      = matrix->a.n;
  SptrsvStatus   status = SPTRSV_SUCCESS;

  if (d.split) return SPTRSV_SUCCESS;
  sptrsvSetupBegin();
  if (!d.row_ptr) status = sptrsvUpload(&matrix->memory, matrix->a.row_ptr, n + 1, &d.row_ptr);
  if (!status) status = sptrsvUpload(&matrix->memory, matrix->a.split, n, &d.split);
  return sptrsvSetupEnd(SPTRSV_DEVICE, status);
}

/* Chooses the method and makes its data if there is none yet.  The host waits only if something was made. */
SptrsvStatus prepare(SptrsvFactor factor)
{
  FactorDevice       &d      = device_of(factor);
  const FactorMethod *method = nullptr;

  if (d.method || !d.f.n) return SPTRSV_SUCCESS;
  sptrsvSetupBegin();
  SptrsvStatus status = choose(factor, &method);
  const bool   makes  = !status && method != d.made;
  if (makes) status = make(factor, method, nullptr);
  if (!status) d.method = method;
  return sptrsvSetupEnd(makes ? SPTRSV_DEVICE : SPTRSV_HOST, status);
}

SptrsvStatus read_pivot(SptrsvFactor factor, int row, cudaStream_t stream, double *pivot)
{
  int split;

  SPTRSV_CUDA(cudaMemcpyAsync(&split, device_of(factor).f.split + row, sizeof(split), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  return by_any_type(factor->type, [&](auto inverse) {
    SPTRSV_CUDA(cudaMemcpyAsync(&inverse, (decltype(inverse) *)factor->values + split, sizeof(inverse), cudaMemcpyDeviceToHost, stream));
    SPTRSV_CUDA(cudaStreamSynchronize(stream));
    *pivot = std::copysign(pivot_size(inverse).modulus, pivot_size(inverse).real);
    return SPTRSV_SUCCESS;
  });
}

SptrsvStatus pass(SptrsvFactor factor, const SptrsvNumeric *numeric, double shift, SptrsvFactorResult *result)
{
  const FactorDevice   &d        = device_of(factor);
  const SptrsvPivoting &pivoting = *numeric->pivoting;
  const cudaStream_t    stream   = numeric->stream;
  const bool            relative = pivoting.shift == SPTRSV_SHIFT_NONZERO || pivoting.shift == SPTRSV_SHIFT_POSITIVE_DEFINITE;

  result->zero_pivot_row = -1;
  if (!d.f.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(prepare(factor));
  int *const               report  = !relative && d.method->facts & REPORTS ? d.bad_row_host : nullptr;
  volatile unsigned *const stalled = factor->work.stalled ? factor->work.stalled : d.lower ? d.lower->stalled : nullptr;

  do {
    if (stalled) *stalled = 0;
    SPTRSV_TRY(d.method->pass(factor, {numeric->a, shift, {pivoting, d.bad_row}, report}, stream));
    if (relative) {
      SPTRSV_TRY(by_any_type(factor->type, [&](auto v) {
        const auto *const values = (const decltype(v) *)factor->values;
        return launch_for(check_kernel<decltype(v)>, (size_t)d.f.n * WARP, stream, d.f, factor->kind == SPTRSV_ICC0, pivoting, values,
                          d.bad_row);
      }));
    }
    SPTRSV_TRY(end_pass(factor, *numeric, report, stalled, result));
  } while (d.method->again && d.method->again(factor));
  return *d.bad_row_host < 0 ? SPTRSV_SUCCESS : read_pivot(factor, *d.bad_row_host, stream, &result->zero_pivot);
}

SptrsvStatus create(SptrsvFactor factor)
{
  SPTRSV_TRY(device_create(factor, (size_t)factor->analysis->a.nnz * sptrsvValueSize(factor->type)));
  SPTRSV_TRY(find_source(factor, &factor->memory, &device_of(factor).f.source));
  free(factor->analysis->source); /* the device has it */
  factor->analysis->source = nullptr;
  return SPTRSV_SUCCESS;
}

const SptrsvAlgorithm *algorithm_of(SptrsvFactor factor)
{
  const FactorMethod *method = device_of(factor).method;

  return method ? &method->info : nullptr;
}

SptrsvStatus tune(SptrsvFactor factor, const char *algorithm, const SptrsvTuning *tuning)
{
  FactorDevice             &d     = device_of(factor);
  const FactorMethod *const asked = (const FactorMethod *)sptrsvFactorAlgorithmFind(algorithm); /* of which it is the first member */
  const bool                tuned = asked && asked->facts & TUNED;

  if (algorithm && !asked) return SPTRSV_UNKNOWN_NAME;
  if (asked && !(asked->info.values >> factor->type & 1)) return SPTRSV_NOT_SUPPORTED;
  if (tuned) SPTRSV_TRY(make(factor, asked, tuning));
  d.asked  = asked;
  d.method = tuned ? asked : nullptr;
  return SPTRSV_SUCCESS;
}

/* A plan of the block form is not lent */
SptrsvStatus lend(SptrsvFactor factor, SptrsvPlan lower)
{
  FactorDevice    &d    = device_of(factor);
  const SptrsvPlan lent = lower && lower->analysis == factor->analysis ? lower : nullptr;

  if (lent != d.lower && d.method && !(d.method->facts & TUNED)) d.method = nullptr;
  d.lower                   = lent;
  const SptrsvStatus status = lower ? prepare(factor) : SPTRSV_SUCCESS;
  if (status) d.lower = nullptr; /* the caller may destroy it */
  return status;
}

void describe(SptrsvFactor factor, char *text, size_t size)
{
  const FactorDevice &d = device_of(factor);

  if (d.method) d.method->describe(factor, text, size);
  else (void)snprintf(text, size, d.f.n ? "chosen at the first factorization" : "of no rows");
}

SptrsvStatus dominance(SptrsvFactor factor, const void *a, SptrsvStream stream, double *gap)
{
  const SptrsvPattern &p = sptrsvFactorMatrix(factor)->device;
  FactorDevice        *d = &device_of(factor);
  const int            n = factor->analysis->a.n;

  SPTRSV_TRY(upload_matrix(sptrsvFactorMatrix(factor)));
  SPTRSV_CUDA(cudaMemsetAsync(d->gap, 0, sizeof(*d->gap), stream));
  SPTRSV_TRY(by_any_type(factor->type, [&](auto v) {
    using V = decltype(v);
    return launch_for(dominance_kernel<V>, (size_t)n * WARP, stream, n, p.row_ptr, p.split, (const V *)a, d->gap);
  }));
  SPTRSV_CUDA(cudaMemcpyAsync(gap, d->gap, sizeof(*gap), cudaMemcpyDeviceToHost, stream));
  SPTRSV_CUDA(cudaStreamSynchronize(stream));
  return SPTRSV_SUCCESS;
}

SptrsvStatus copy_pivots(SptrsvFactor factor, void *inverted, SptrsvStream stream)
{
  return move_values(factor->analysis->a.n, factor->analysis->device.split, nullptr, factor->type, factor->values, inverted, stream);
}

} // namespace

SptrsvStatus sptrsv::find_source(SptrsvFactor factor, SptrsvMemory *memory, int **source)
{
  const SptrsvPattern &p    = factor->analysis->device;
  const int *const     host = factor->analysis->source;

  *source = factor->analysis->d_source; /* found with the fill */
  if (*source || (factor->kind == SPTRSV_ILU0 && !host)) return SPTRSV_SUCCESS;
  SPTRSV_TRY(host ? sptrsvUpload(memory, host, p.nnz, source) : sptrsvDeviceNew(memory, p.nnz, source));
  if (factor->kind == SPTRSV_ILU0) return SPTRSV_SUCCESS;
  return for_each_entry(lists(p.n, p.row_ptr, p.col_idx), [p, given = host != nullptr, to = *source] __device__(int i, int e) {
    const int from = e < p.split[i] ? find_upper(p, p.col_idx[e], i) : e;

    if (from != e || !given) to[e] = given ? to[from] : from;
  });
}

SptrsvStatus sptrsv::find_mirrored(const SptrsvPattern &p, int *mirrored)
{
  return for_each_entry(lists(p.n, p.row_ptr, p.col_idx), [=] __device__(int i, int e) {
    mirrored[e] = e < p.split[i] ? find_upper(p, p.col_idx[e], i) : e == p.split[i] ? ON_DIAGONAL : RIGHT_OF_DIAGONAL;
  });
}

SptrsvStatus sptrsvFactorDeviceCounts(SptrsvFactor factor, SptrsvFactorCounts *counts)
{
  const SptrsvPattern &f   = factor->analysis->device;
  Counts               sum = {};

  SPTRSV_TRY(run_on(&sum, [&](Counts *d) { return launch_for(counts_kernel, std::min((size_t)f.n, MOST_ENDING), nullptr, f, d); }));
  counts->lower    = (int64_t)sum.lower;
  counts->products = (int64_t)sum.products;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsv::factor_start(SptrsvValueType type, int nnz, void *v, int *bad_row, cudaStream_t stream)
{
  return by_any_type(type, [&](auto value) {
    using V = decltype(value);
    return launch_for(rearm_kernel<V>, nnz, stream, nnz, (V *)v, bad_row);
  });
}

SptrsvStatus sptrsv::device_create(SptrsvFactor factor, size_t bytes)
{
  FactorDevice *d;

  SPTRSV_TRY(sptrsvNew(1, &d));
  factor->device = d;
  d->f           = {factor->analysis->device, nullptr};
  SPTRSV_TRY(device_arrays(&factor->memory, {{bytes, &factor->values}, array_of(1, &d->bad_row), array_of(1, &d->gap)}));
  SPTRSV_TRY(sptrsvPinnedAllocate(&factor->memory, sizeof(int), (void **)&d->bad_row_host));
  return sptrsvCudaStatus(cudaEventCreateWithFlags(&d->factored, cudaEventDisableTiming));
}

void sptrsv::device_destroy(SptrsvFactor factor)
{
  if (!factor->device) return;
  work_free(device_of(factor).made, &factor->work);
  if (device_of(factor).factored) (void)cudaEventDestroy(device_of(factor).factored);
  free(factor->device);
}

/* The host waits for the pivots, and not for what the plans take over */
SptrsvStatus sptrsv::end_pass(SptrsvFactor factor, const SptrsvNumeric &numeric, bool reported, const volatile unsigned *stalled,
                              SptrsvFactorResult *result)
{
  const FactorDevice &d = device_of(factor);

  if (!reported) SPTRSV_CUDA(cudaMemcpyAsync(d.bad_row_host, d.bad_row, sizeof(int), cudaMemcpyDeviceToHost, numeric.stream));
  SPTRSV_CUDA(cudaEventRecord(d.factored, numeric.stream));
  const SptrsvStatus status = sptrsvFactorFillPlans(factor, &numeric);
  SPTRSV_CUDA(cudaEventSynchronize(d.factored));
  result->zero_pivot_row = *d.bad_row_host;
  return !status && stalled && *stalled ? SPTRSV_STALLED : status;
}

const SptrsvAlgorithm *sptrsvFactorAlgorithmGet(int k)
{
  const FactorMethod *method = method_at(k);

  return method ? &method->info : nullptr;
}

const SptrsvFactorPlace sptrsvFactorDevice = {create,   device_destroy, tune,      lend,        algorithm_of,
                                              describe, pass,           dominance, copy_pivots, &sptrsvBlocksDevice};
