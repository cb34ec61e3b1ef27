/* Levels by a method of choice, and the time of each step of a set-up, for a pattern on the device (Li, Table 1). */
#include "../../analysis/adjacency.cuh"
#include "li.h"

namespace {

using namespace sptrsv;

/* Kahn's algorithm (Li, 4.4.1): roots, which have no unmet dependency, leave the graph with their edges, which makes new roots.  As
   published: a launch for each level, and a copy that tells the number of roots.  feeds: those that need each unknown; missing: how many
   each unknown needs, zero in the end. */
SptrsvStatus levels_by_kahn(const Adjacency &feeds, unsigned *missing, unsigned *level)
{
  Scratch<int> jlev, last;
  int          first = 0, end = 0;

  SPTRSV_TRY(jlev.create(feeds.n));
  SPTRSV_TRY(last.create(1));
  SPTRSV_CUDA(cudaMemsetAsync(last, 0, sizeof(int)));
  SPTRSV_TRY(for_each(feeds.n, [=, jlev = (int *)jlev, last = (int *)last] __device__(int i) { /* FIND_LEVEL0 */
                                                                                               if (missing[i]) return;
                                                                                               level[i]                 = 0;
                                                                                               jlev[atomicAdd(last, 1)] = i;
  }));
  SPTRSV_TRY(read_back((int *)last, &end));
  for (unsigned next_level = 1; end < feeds.n; next_level++) {
    /* FIND_LEVEL: a warp for each root of the level, which is jlev[first], ..., jlev[end - 1] */
    SPTRSV_TRY(for_each<WARP>(end - first, [=, jlev = (int *)jlev, last = (int *)last] __device__(int root) {
      const int i = jlev[first + root];

      for (int e = first_of(feeds, i) + threadIdx.x % WARP; e < feeds.end[i]; e += WARP) {
        const int j = feeds.idx[e];

        if (atomicSub(missing + j, 1u) != 1) continue;
        level[j]                 = next_level;
        jlev[atomicAdd(last, 1)] = j;
      }
    }));
    first = end;
    SPTRSV_TRY(read_back((int *)last, &end));
  }
  return SPTRSV_SUCCESS;
}

/* A step, its kernels included */
template <class F> SptrsvStatus timed(double *milliseconds, F step)
{
  const double start = sptrsvSeconds();

  SPTRSV_TRY(step());
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr));
  *milliseconds = 1e3 * (sptrsvSeconds() - start);
  return SPTRSV_SUCCESS;
}

SptrsvStatus device_levels(SptrsvLevelMethod method, const Adjacency &needs, const Adjacency &feeds, bool backwards, unsigned *missing,
                           unsigned *level)
{
  Scratch<int> jlev;

  if (method == SPTRSV_LEVELS_KAHN) return levels_by_kahn(feeds, missing, level);
  SPTRSV_TRY(levels_by_rows(needs, backwards, level));
  SPTRSV_TRY(jlev.create(needs.n)); /* which Kahn's algorithm gives and waiting does not */
  return sort_numbers(level, needs.n, (unsigned)needs.n, jlev);
}

/* Lists on the host.  From A itself its rows with both triangles, else the entries of one side. */
SptrsvStatus download_lists(const Adjacency &adjacency, const SptrsvAnalysis_s *analysis, SptrsvTriangle side, SptrsvPattern *pattern)
{
  const bool whole = adjacency.idx == analysis->device.col_idx;

  pattern->n = adjacency.n;
  SPTRSV_TRY(sptrsvDownload(whole ? analysis->device.row_ptr : adjacency.begin, adjacency.n + 1, &pattern->row_ptr));
  pattern->nnz = pattern->row_ptr[adjacency.n];
  SPTRSV_TRY(sptrsvDownload(adjacency.idx, pattern->nnz, &pattern->col_idx));
  if (whole) return sptrsvDownload(analysis->device.split, adjacency.n, &pattern->split);
  SPTRSV_TRY(sptrsvNew(adjacency.n, &pattern->split));
  for (int i = 0; i < adjacency.n; i++) pattern->split[i] = pattern->row_ptr[side == SPTRSV_LOWER ? i + 1 : i];
  return SPTRSV_SUCCESS;
}

/* needs: lists on `side`; feeds: lists on the other */
SptrsvStatus host_levels(SptrsvAnalysis analysis, const Adjacency &lists, bool columns, SptrsvTriangle side, int *level,
                         SptrsvSetupTimes *times)
{
  const SptrsvTriangle other = side == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
  SptrsvPattern        p     = {};
  Scratch<int>         d_jlev;
  ScopedMemory         memory;
  int                 *jlev;
  SptrsvStatus         status = timed(&times->pattern_to_host, [&] { return download_lists(lists, analysis, columns ? other : side, &p); });

  if (!status) status = timed(&times->levels, [&] { return sptrsvHostLevelMethod(&p, side, columns, &memory, level, &jlev); });
  if (!status) status = timed(&times->levels_to_device, [&] { return d_jlev.upload(jlev, p.n); });
  sptrsvPatternFree(&p);
  return status;
}

} // namespace

SptrsvStatus sptrsvDeviceLevelMethod(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, SptrsvLevelMethod method,
                                     int *level, SptrsvSetupTimes *times)
{
  const int            n       = analysis->a.n;
  const SptrsvTriangle side    = sptrsvSide(triangle, op);
  const bool           columns = method == SPTRSV_LEVELS_HOST_COLUMNS, on_host = columns || method == SPTRSV_LEVELS_HOST_ROWS;
  const Adjacency      stored = one_side(analysis->device, triangle);
  Scratch<int>         ptr, idx;
  Scratch<unsigned>    missing, d_level;

  if (!n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(create_all(n, missing, d_level));
  SPTRSV_TRY(timed(&times->transpose, [&] { return transpose(stored, ptr, idx); }));
  const Adjacency turned = lists(n, ptr, idx);
  const Adjacency needs = op == SPTRSV_NON_TRANSPOSE ? stored : turned, feeds = op == SPTRSV_NON_TRANSPOSE ? turned : stored;

  SPTRSV_TRY(timed(&times->dependencies, [&] { return count_lengths(needs, 1, missing); }));
  if (on_host) return host_levels(analysis, columns ? feeds : needs, columns, side, level, times);
  SPTRSV_TRY(timed(&times->levels, [&] { return device_levels(method, needs, feeds, side == SPTRSV_UPPER, missing, d_level); }));
  SPTRSV_CUDA(cudaMemcpy(level, d_level, (size_t)n * sizeof(int), cudaMemcpyDeviceToHost));
  return SPTRSV_SUCCESS;
}
