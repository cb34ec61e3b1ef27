/*
   Level scheduling: a launch for each level, a warp for each of its rows or columns.
     levr   by rows                        Li, Algorithm 1, listing LEVR
     levc   by columns, with atomics       Li, Algorithm 2, listing LEVC

   Launches of one stream come one after the other, so no warp waits inside of one.
*/
#include <algorithm>
#include <cstdio>
#include "li.cuh"

namespace {

using namespace sptrsv;

/* l1, l2: where the level and the next one begin in jlev */
template <class V> __global__ void levr_kernel(const LiSweep<V> sweep, int l1, int l2, const V *__restrict__ b, V *x)
{
  const int lane = threadIdx.x % WARP, k = l1 + (int)(blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP);

  if (k >= l2) return;
  const int i   = sweep.jlev[k];
  const V   sum = dot_row(sweep, sweep.ptr[i], sweep.ptr[i + 1], lane, x, [](int) {});
  if (!lane) x[sweep.target[i]] = (b[sweep.source[i]] - sum) * sweep.reciprocal[i];
}

/* The listing adds to x itself, which must be b before the first launch.  Here the left sum is an array of its own.  Additions to it come
   from earlier levels only, so it is cleared for the next solve when its row is done. */
template <class V> __global__ void levc_kernel(const LiSweep<V> sweep, int l1, int l2, const V *__restrict__ b, V *__restrict__ out)
{
  const int lane = threadIdx.x % WARP, k = l1 + (int)(blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP);
  V         x = 0;

  if (k >= l2) return;
  const int j = sweep.jlev[k];
  if (!lane) {
    x                    = (b[sweep.source[j]] - sweep.left_sum[j]) * sweep.reciprocal[j];
    sweep.left_sum[j]    = 0;
    out[sweep.target[j]] = x;
  }
  x = from_lane(x, 0);
  for (int e = sweep.ptr[j] + lane; e < sweep.ptr[j + 1]; e += WARP) add_relaxed(sweep.left_sum + sweep.idx[e], sweep.values[e] * x);
}

template <class V> SptrsvStatus launch_levels(SptrsvPlan plan, void (*kernel)(LiSweep<V>, int, int, const V *, V *), const SptrsvSolve &s)
{
  const LiPlan &data = *li_of(plan);

  for (int m = 0; m < data.levels; m++) {
    const int         l1 = data.ilev[m], l2 = data.ilev[m + 1], warps = std::min(WARPS_PER_BLOCK, l2 - l1);
    const cudaError_t error = launch(kernel, (l2 - l1 + warps - 1) / warps, WARP * warps, s.stream, view_as<LiSweep<V>>(data.sweep), l1, l2,
                                     (const V *)s.b, (V *)s.x);

    if (error == cudaSuccess) continue;
    if (data.sweep.left_sum)
      (void)cudaMemsetAsync(data.sweep.left_sum, 0, (size_t)data.sweep.rows * sizeof(V), s.stream); /* of levels not launched */
    return sptrsvCudaStatus(error);
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus solve_levr(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_type(plan->options.type, [&](auto v) { return launch_levels(plan, levr_kernel<decltype(v)>, *s); });
}

SptrsvStatus solve_levc(SptrsvPlan plan, const SptrsvSolve *s)
{
  return by_type(plan->options.type, [&](auto v) { return launch_levels(plan, levc_kernel<decltype(v)>, *s); });
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const LiPlan &data = *li_of(plan);

  (void)snprintf(text, size, "%d levels of %.1f rows on average, a launch each", data.levels,
                 data.levels ? (double)data.sweep.rows / data.levels : 0);
}

} // namespace

/* clang-format off */
const SptrsvMethod sptrsvLevr = {
  {"levr", "Li, Algorithm 1", "a launch per level, a warp per row", SPTRSV_DEVICE, SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), li_build<BY_ROWS | IN_LEVELS>, update_sweep<LiPlan>, solve_levr, describe, nullptr, nullptr, nullptr, nullptr};
const SptrsvMethod sptrsvLevc = {
  {"levc", "Li, Algorithm 2", "a launch per level, a warp per column, atomics",
   SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY, "", SPTRSV_REALS},
  sizeof(LiPlan), li_build<BY_COLUMNS | IN_LEVELS>, update_sweep<LiPlan>, solve_levc, describe, nullptr, nullptr, nullptr,
  nullptr};
/* clang-format on */
