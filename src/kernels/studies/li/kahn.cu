/*
   Levels on the GPU by Kahn's algorithm (Li, 4.4.1): roots, which have no unmet dependency, leave the graph with their edges, which makes
   new roots.  As published: a launch for each level, and a copy that tells the number of roots.
*/
#include "../../analysis/adjacency.cuh"
#include "li.h"

namespace sptrsv {

namespace {

/* FIND_LEVEL0 */
__global__ void find_level0_kernel(int n, const unsigned *missing, unsigned *level, int *jlev, int *last)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (missing[i]) continue;
    level[i]                 = 0;
    jlev[atomicAdd(last, 1)] = i;
  }
}

/* FIND_LEVEL: a warp for each root of the level, which is jlev[first], ..., jlev[end - 1] */
__global__ void find_level_kernel(Adjacency feeds, int first, int end, unsigned next_level, unsigned *missing, unsigned *level, int *jlev,
                                  int *last)
{
  const int lane = threadIdx.x % WARP;

  for (int k = first + (blockIdx.x * blockDim.x + threadIdx.x) / WARP; k < end; k += gridDim.x * blockDim.x / WARP) {
    const int i = jlev[k];

    for (int e = first_of(feeds, i) + lane; e < feeds.end[i]; e += WARP) {
      const int j = feeds.idx[e];

      if (atomicSub(missing + j, 1u) != 1) continue;
      level[j]                 = next_level;
      jlev[atomicAdd(last, 1)] = j;
    }
  }
}

} // namespace

SptrsvStatus levels_by_kahn(const Adjacency &feeds, unsigned *missing, unsigned *level)
{
  Scratch<int> jlev, last;
  int          first = 0, end = 0;

  SPTRSV_TRY(jlev.create(feeds.n));
  SPTRSV_TRY(last.create(1));
  SPTRSV_CUDA(cudaMemsetAsync(last, 0, sizeof(int)));
  SPTRSV_TRY(launch_for(find_level0_kernel, feeds.n, nullptr, feeds.n, missing, level, jlev, last));
  SPTRSV_TRY(read_back((int *)last, &end));
  for (unsigned next_level = 1; end < feeds.n; next_level++) {
    SPTRSV_TRY(
        launch_for(find_level_kernel, (size_t)(end - first) * WARP, nullptr, feeds, first, end, next_level, missing, level, jlev, last));
    first = end;
    SPTRSV_TRY(read_back((int *)last, &end));
  }
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
