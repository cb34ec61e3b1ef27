/* Levels by a method of choice, and the time of each step of a set-up, for a pattern on the device (Li, Table 1). */
#include <cstdlib>
#include "../../analysis/adjacency.cuh"
#include "li.h"

namespace {

using namespace sptrsv;

/* A step, its kernels included */
template <class F> SptrsvStatus timed(double *milliseconds, F step)
{
  const double start = sptrsvSeconds();

  SPTRSV_TRY(step());
  SPTRSV_CUDA(cudaStreamSynchronize(nullptr));
  *milliseconds = 1e3 * (sptrsvSeconds() - start);
  return SPTRSV_SUCCESS;
}

__global__ void identity_kernel(int n, int *row)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) row[i] = i;
}

/* jlev, which Kahn's algorithm gives and waiting does not */
SptrsvStatus sort_by_level(int n, const unsigned *level)
{
  Scratch<unsigned> sorted;
  Scratch<int>      row, jlev;

  SPTRSV_TRY(sorted.create(n));
  SPTRSV_TRY(row.create(n));
  SPTRSV_TRY(jlev.create(n));
  SPTRSV_CUDA(launch(identity_kernel, blocks_for(n), BLOCK, nullptr, n, row));
  return sort_by_key(level, (unsigned *)sorted, row, jlev, n, (unsigned)n);
}

SptrsvStatus device_levels(SptrsvLevelMethod method, const Adjacency &needs, const Adjacency &feeds, bool backwards, unsigned *missing,
                           unsigned *level)
{
  if (method == SPTRSV_LEVELS_KAHN) return levels_by_kahn(feeds, missing, level);
  SPTRSV_TRY(levels_by_rows(needs, backwards, level));
  return sort_by_level(needs.n, level);
}

template <class T> SptrsvStatus download(const T *d, size_t count, T **host)
{
  SPTRSV_TRY(sptrsvNew(count, host));
  return read_back(d, *host, count);
}

/* Lists on the host.  From A itself its rows with both triangles, else the entries of one side. */
SptrsvStatus download_lists(const Adjacency &adjacency, const SptrsvAnalysis_s *analysis, SptrsvTriangle side, SptrsvPattern *pattern)
{
  const bool whole = adjacency.idx == analysis->device.col_idx;

  pattern->n = adjacency.n;
  SPTRSV_TRY(download(whole ? analysis->device.row_ptr : adjacency.begin, (size_t)adjacency.n + 1, &pattern->row_ptr));
  pattern->nnz = pattern->row_ptr[adjacency.n];
  SPTRSV_TRY(download(adjacency.idx, pattern->nnz, &pattern->col_idx));
  if (whole) return download(analysis->device.split, adjacency.n, &pattern->split);
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
  int                  levels, *ilev = nullptr, *jlev = nullptr;
  SptrsvStatus         status = timed(&times->pattern_to_host, [&] { return download_lists(lists, analysis, columns ? other : side, &p); });

  if (!status)
    status = timed(&times->levels, [&] {
      (columns ? sptrsvHostLevelsByColumns : sptrsvHostLevels)(&p, side, level);
      return sptrsvLevelLists(p.n, nullptr, level, &levels, &ilev, &jlev);
    });
  if (!status) status = timed(&times->levels_to_device, [&] { return d_jlev.upload(jlev, p.n); });
  sptrsvPatternFree(&p);
  free(ilev);
  free(jlev);
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
  SPTRSV_TRY(missing.create(n));
  SPTRSV_TRY(d_level.create(n));
  SPTRSV_TRY(timed(&times->transpose, [&] {
    SPTRSV_TRY(ptr.create((size_t)n + 1));
    SPTRSV_TRY(idx.create(analysis->a.nnz));
    return transpose(stored, ptr, idx);
  }));
  const Adjacency turned = lists(n, ptr, idx);
  const Adjacency needs = op == SPTRSV_NON_TRANSPOSE ? stored : turned, feeds = op == SPTRSV_NON_TRANSPOSE ? turned : stored;

  SPTRSV_TRY(timed(&times->dependencies, [&] { return count_lengths(needs, 1, missing); }));
  if (on_host) return host_levels(analysis, columns ? feeds : needs, columns, side, level, times);
  SPTRSV_TRY(timed(&times->levels, [&] { return device_levels(method, needs, feeds, side == SPTRSV_UPPER, missing, d_level); }));
  SPTRSV_CUDA(cudaMemcpy(level, d_level, (size_t)n * sizeof(int), cudaMemcpyDeviceToHost));
  return SPTRSV_SUCCESS;
}
