/*
   Level scheduling: a launch for each level, a warp for each of its rows or columns.
     levr   by rows                        Li, Algorithm 1, listing LEVR
     levc   by columns, with atomics       Li, Algorithm 2, listing LEVC

   Launches of one stream come one after the other, so nobody waits inside of one.
*/
#include <algorithm>
#include <cstdio>
#include "li.cuh"

namespace {

using namespace sptrsv;

/* l1, l2: the level's first place in jlev, and the next level's */
template <class V> __global__ void levr_kernel(const Substitution<V> p, int l1, int l2, const V *__restrict__ b, V *x)
{
  const int lane = threadIdx.x % WARP, k = l1 + (int)(blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP);

  if (k >= l2) return;
  const int i   = p.jlev[k];
  const V   sum = dot_row(p, p.row_ptr[i], p.row_ptr[i + 1], lane, x);
  if (!lane) x[p.target[i]] = (b[p.source[i]] - sum) * p.reciprocal[i];
}

/* The listing adds to x itself, which must be b before the first launch; here the left sum is apart, and cleared for the next solve when
   its row is done: what comes to it comes from earlier levels. */
template <class V> __global__ void levc_kernel(const Substitution<V> p, int l1, int l2, const V *__restrict__ b, V *__restrict__ out)
{
  const int lane = threadIdx.x % WARP, k = l1 + (int)(blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP);
  V         x = 0;

  if (k >= l2) return;
  const int j = p.jlev[k];
  if (!lane) {
    x                = (b[p.source[j]] - p.left_sum[j]) * p.reciprocal[j];
    p.left_sum[j]    = 0;
    out[p.target[j]] = x;
  }
  x = __shfl_sync(ALL_LANES, x, 0);
  for (int e = p.col_ptr[j] + lane; e < p.col_ptr[j + 1]; e += WARP) add_relaxed(p.left_sum + p.row_idx[e], p.values[e] * x);
}

template <class V> cudaError_t launch_levels(void (*kernel)(Substitution<V>, int, int, const V *, V *), const SubstitutionPlan &d,
                                             const void *b, void *out, cudaStream_t stream)
{
  for (int m = 0; m < d.levels; m++) {
    const int         l1 = d.ilev[m], l2 = d.ilev[m + 1], warps = std::min(WARPS_PER_BLOCK, l2 - l1);
    const cudaError_t error =
        launch(kernel, (l2 - l1 + warps - 1) / warps, WARP * warps, stream, arguments<V>(d), l1, l2, (const V *)b, (V *)out);

    if (error == cudaSuccess) continue;
    if (d.left_sum) (void)cudaMemsetAsync(d.left_sum, 0, (size_t)d.rows * sizeof(V), stream); /* of levels that will not come */
    return error;
  }
  return cudaSuccess;
}

SptrsvStatus solve_levr(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  const SubstitutionPlan &d = *substitution_of(plan);

  SPTRSV_CUDA(plan->options.type == SPTRSV_DOUBLE ? launch_levels(levr_kernel<double>, d, b, out, stream)
                                                  : launch_levels(levr_kernel<float>, d, b, out, stream));
  return SPTRSV_SUCCESS;
}

SptrsvStatus solve_levc(SptrsvPlan plan, const void *b, void *out, SptrsvStream stream)
{
  const SubstitutionPlan &d = *substitution_of(plan);

  SPTRSV_CUDA(plan->options.type == SPTRSV_DOUBLE ? launch_levels(levc_kernel<double>, d, b, out, stream)
                                                  : launch_levels(levc_kernel<float>, d, b, out, stream));
  return SPTRSV_SUCCESS;
}

SptrsvStatus build_levr(SptrsvPlan plan)
{
  return substitution_build(plan, BY_ROWS | IN_LEVELS);
}

SptrsvStatus build_levc(SptrsvPlan plan)
{
  return substitution_build(plan, BY_COLUMNS | IN_LEVELS | SUMMED);
}

void describe(SptrsvPlan plan, char *text, size_t size)
{
  const SubstitutionPlan &d = *substitution_of(plan);

  (void)snprintf(text, size, "%d levels of %.1f rows on average, a launch each", d.levels, d.levels ? (double)d.rows / d.levels : 0);
}

} // namespace

const SptrsvMethod sptrsvLevr = {{"levr", "Li, Algorithm 1", "a launch per level, a warp per row", SPTRSV_DEVICE, 0},
                                 build_levr,
                                 substitution_update,
                                 solve_levr,
                                 describe,
                                 substitution_destroy};
const SptrsvMethod sptrsvLevc = {{"levc", "Li, Algorithm 2", "a launch per level, a warp per column, atomics", SPTRSV_DEVICE,
                                  SPTRSV_VARIES},
                                 build_levc,
                                 substitution_update,
                                 solve_levc,
                                 describe,
                                 substitution_destroy};
