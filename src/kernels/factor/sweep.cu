/*
   ILU(0) of a pattern in which no product meets an entry beside the diagonal, as in 5- and 7-point stencils.

   Then only pivots are unknowns, and their inverses x are those of a sweep whose last step inverts:
     x(i) = 1 / (a(i,i) - sum over k < i of a(i,k) a(k,i) x(k)).
   So the plan that solves with L factors, too: for this time it takes the products a(i,k) a(k,i) as its values.

   A product of two values has twice their exponents, and may overflow or vanish where the factor does not.  If one does, the pass is
   repeated, and those to come are made in the same way: rows are divided by a power of two of their size, which rounds nothing, and their
   pivots are multiplied by it.
*/
#include <cstdio>
#include "methods.cuh"

namespace {

using namespace sptrsv;

struct Ilu0Sweep {
  int      *mirrored; /* device [nnz], of find_mirrored() with marks */
  void     *x;        /* device [2][n] the diagonal of A over the rows' scales, inverse pivots */
  short    *scale;    /* device [n] exponents */
  unsigned *extreme;  /* pinned host [1] */
  bool      scaled;   /* a product was extreme */
};

constexpr int SEARCHERS = 8; /* lanes of an entry, in products_meet_kernel() */

/* A few lanes per entry (i,k) left of the diagonal: whether any product a(i,k) a(k,j) meets an entry (i,j) beside the diagonal.  The
   shorter one of what is right of (k,k) and of (i,k) is gone through and the other one searched, so that one long row does not cost its
   square.  A thread that hears of one leaves all its entries. */
__global__ void products_meet_kernel(FactorPattern f, const int *row, unsigned *meet)
{
  const int lane = threadIdx.x % SEARCHERS;

  for (size_t e = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / SEARCHERS; e < (size_t)f.nnz;
       e += (size_t)gridDim.x * blockDim.x / SEARCHERS) {
    const int i = row[e], k = f.col_idx[e], upper = f.split[k] + 1, right = (int)e + 1;

    if (k >= i) continue;
    if (load_relaxed(meet)) return;
    if (f.row_ptr[k + 1] - upper < f.row_ptr[i + 1] - right) {
      for (int q = upper + lane; q < f.row_ptr[k + 1]; q += SEARCHERS) {
        if (f.col_idx[q] != i && find_from(f, i, right, f.col_idx[q]) >= 0) store_relaxed(meet, 1);
      }
    } else {
      for (int p = right + lane; p < f.row_ptr[i + 1]; p += SEARCHERS) {
        if (f.col_idx[p] != i && find_upper(f, k, f.col_idx[p]) >= 0) store_relaxed(meet, 1);
      }
    }
  }
}

/* The exponent of what row i is divided by: its largest value up to the diagonal, but no more than leaves the diagonal entry normal */
template <class V> __device__ int scale_of(const Pass<V> &pass, int i, V diagonal)
{
  Part<V> largest = larger_part(diagonal);

  for (int e = pass.f.row_ptr[i]; e < pass.f.split[i]; e++) {
    const Part<V> size = larger_part(start_value(pass, e, false));

    if (size > largest) largest = size;
  }
  return diagonal != V(0) ? min(exponent_of(largest), exponent_of(diagonal) + MOST_EXPONENT<V>) : exponent_of(largest);
}

/* A thread per row.  scale: NULL, or what comes out */
template <class V> __global__ void diagonal_kernel(const Pass<V> pass, V *diagonal, short *scale)
{
  const int first = blockIdx.x * blockDim.x + threadIdx.x;

  if (!first) *pass.invert.bad_row = -1;
  for (int i = first; i < pass.f.n; i += gridDim.x * blockDim.x) {
    const V   start    = start_value(pass, pass.f.split[i], true);
    const int exponent = scale ? scale_of(pass, i, start) : 0;

    diagonal[i] = start * power_of_two<Part<V>>(-exponent);
    if (scale) scale[i] = (short)exponent;
  }
}

/* l(i,k) = a(i,k) x(k), and the others; and the report.  What a thread's two entries need is under way at the same time. */
template <class V> __global__ void finish_kernel(const Pass<V> pass, const int *mirrored, const V *x)
{
  const int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;

  if (!first && pass.report) *pass.report = *pass.invert.bad_row;
  for (int e = first; e < pass.f.nnz; e += 2 * stride) {
    const int entry[2] = {e, min(e + stride, pass.f.nnz - 1)};
    int       q[2], k[2];
    V         start[2], inverse[2];

#pragma unroll
    for (int h = 0; h < 2; h++) {
      q[h]     = mirrored[entry[h]];
      k[h]     = pass.f.col_idx[entry[h]];
      start[h] = start_value(pass, entry[h], false);
    }
#pragma unroll
    for (int h = 0; h < 2; h++) inverse[h] = q[h] == RIGHT_OF_DIAGONAL ? V(1) : x[k[h]];
#pragma unroll
    for (int h = 0; h < 2; h++) {
      if (e + h * stride >= pass.f.nnz) break;
      if (q[h] == ON_DIAGONAL) pass.v[entry[h]] = inverse[h];
      else pass.v[entry[h]] = q[h] == RIGHT_OF_DIAGONAL || start[h] == V(0) ? start[h] : start[h] * inverse[h];
    }
  }
}

SptrsvStatus products_meet(const FactorPattern &f, bool *meet)
{
  Scratch<int> row;
  unsigned     found = 0;

  SPTRSV_TRY(row.create(f.nnz));
  SPTRSV_TRY(row_numbers(lists(f.n, f.row_ptr, f.col_idx), row));
  SPTRSV_TRY(run_on(&found, [&](unsigned *d) { return launch_for(products_meet_kernel, (size_t)f.nnz * SEARCHERS, nullptr, f, row, d); }));
  *meet = found;
  return SPTRSV_SUCCESS;
}

SptrsvStatus judge(SptrsvFactor factor, Fit *fit)
{
  const FactorDevice &d    = device_of(factor);
  const bool          can  = d.lower && d.lower->method->invert && d.lower->options.tuning.sweep.precision == SPTRSV_PRECISION_OWN;
  bool                meet = d.made != &factorSweep; /* else the pattern was judged before */

  if (can && meet) SPTRSV_TRY(products_meet(d.f, &meet));
  *fit = can && !meet ? Fit::BEST : Fit::NONE;
  return SPTRSV_SUCCESS;
}

SptrsvStatus create(SptrsvFactor factor, const SptrsvTuning *, SptrsvFactorWork *work)
{
  const FactorPattern &f = device_of(factor).f;
  Ilu0Sweep           *sweep;

  SPTRSV_TRY(sptrsvNew(1, &sweep));
  work->data = sweep;
  SPTRSV_TRY(sptrsvDeviceNew(&work->memory, f.nnz, &sweep->mirrored));
  SPTRSV_TRY(find_mirrored(f, sweep->mirrored));
  SPTRSV_TRY(sptrsvDeviceAllocate(&work->memory, 2 * (size_t)f.n * sptrsvValueSize(factor->type), &sweep->x));
  SPTRSV_TRY(sptrsvDeviceNew(&work->memory, f.n, &sweep->scale));
  SPTRSV_TRY(sptrsvPinnedAllocate(&work->memory, sizeof(*sweep->extreme), (void **)&sweep->extreme));
  *sweep->extreme = 0;
  return SPTRSV_SUCCESS;
}

SptrsvStatus pass(SptrsvFactor factor, const PassOptions &options, cudaStream_t stream)
{
  const Ilu0Sweep &sweep = data_of<Ilu0Sweep>(factor);
  SptrsvPlan       plan  = device_of(factor).lower;
  short *const     scale = sweep.scaled ? sweep.scale : nullptr;

  plan->ready = false; /* the values that it gets are not those of L */
  return by_any_type(factor->type, [&](auto v) {
    using V                        = decltype(v);
    const Pass<V>          pass    = pass_of<V>(factor, options);
    V *const               inverse = (V *)sweep.x + pass.f.n;
    const SptrsvPivotSweep pivots  = {pass.a, sweep.x,       pass.f.source, sweep.mirrored,       pass.f.col_idx,
                                      scale,  sweep.extreme, inverse,       pass.invert.pivoting, pass.invert.bad_row};

    SPTRSV_TRY(launch_for(diagonal_kernel<V>, pass.f.n, stream, pass, (V *)sweep.x, scale));
    SPTRSV_TRY(plan->method->invert(plan, &pivots, stream));
    return launch_for(finish_kernel<V>, ((size_t)pass.f.nnz + 1) / 2, stream, pass, sweep.mirrored, inverse);
  });
}

bool again(SptrsvFactor factor)
{
  Ilu0Sweep &sweep = *(Ilu0Sweep *)factor->work.data;
  const bool first = !sweep.scaled && *(volatile unsigned *)sweep.extreme;

  sweep.scaled = sweep.scaled || first;
  return first;
}

void describe(SptrsvFactor factor, char *text, size_t size)
{
  (void)snprintf(text, size, "sweep, of pivots alone, by the lower sweep's %s", device_of(factor).lower->method->info.name);
}

} // namespace

/* clang-format off */
const FactorMethod sptrsv::factorSweep = {
  {"sweep", "this project", "pivots alone, by the plan of the lower sweep", SPTRSV_DEVICE, 0, nullptr, SPTRSV_ALL_VALUES},
  REPORTS, judge, create, pass, again, describe, nullptr};
/* clang-format on */
