/*
   The graph of dependencies of an ILU(0), found on the device: entry (i, j) needs v(i, k), v(k, j) and the pivot of k for all k < min(i, j)
   where both are stored.

   Order: let rank(i) = 1 + the largest rank of the rows before i that i is coupled with in either triangle.  Entry (i, j) has the rank of
   min(i, j).  The entries it needs belong to rows or columns k < min(i, j) that both i and j are coupled with, so their ranks are smaller.
   In a symmetric pattern the ranks are the levels of the lower triangle.
*/
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include "entries.cuh"

namespace {

using namespace sptrsv;

constexpr int CLASSES = WARP == 64 ? 7 : 6; /* WARP, WARP / 2, …, 1 lanes */

/* A warp per entry, its lanes over the entries p left of it in its row; pairs come out in the order of p.  Without `pair` they are counted
   for all entries, into count [nnz]; with it, those of unknown u go to pair + pair_ptr[u]. */
__global__ void pairs_kernel(FactorPattern pattern, int entries, const int *row, const int *entry, const size_t *pair_ptr, int2 *pair,
                             int *count)
{
  const int lane = threadIdx.x % WARP;

  for (size_t u = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / WARP; u < (size_t)entries; u += (size_t)gridDim.x * blockDim.x / WARP) {
    const int code = entry ? entry[u] : (int)u, e = entry_of(code);
    const int i = row[e], j = pattern.col_idx[e], least = min(i, j), end = pattern.split[i];
    int       found = 0;

    for (int first = pattern.row_ptr[i]; first < end && pattern.col_idx[first] < least; first += WARP) {
      const int      p = first + lane, k = p < end ? pattern.col_idx[p] : INT_MAX, q = k < least ? find_upper(pattern, k, j) : -1;
      const LaneMask hits = __ballot_sync(ALL_LANES, q >= 0);

      if (pair && q >= 0) pair[pair_ptr[u] + found + count_lanes_before(hits, lane)] = make_int2(p, q);
      found += count_lanes(hits);
    }
    if (!pair && !lane) count[e] = found;
  }
}

struct IsUnknown {
  const int      *row, *col_idx, *count;
  __device__ bool operator()(int e) const { return count[e] > 0 || row[e] == col_idx[e]; }
};

/* *rank: device [n], in `memory` or the analysis's own */
SptrsvStatus find_ranks(SptrsvAnalysis analysis, const FactorPattern &pattern, Scratch<int> &memory, const int **rank, int *ranks)
{
  const SptrsvSweep *lower;
  bool               symmetric;
  int               *found;

  SPTRSV_TRY(sptrsvAnalysisSweep(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &lower));
  SPTRSV_TRY(sptrsvDeviceSymmetric(analysis, &symmetric));
  if (symmetric && lower->d_level) {
    *rank  = lower->d_level;
    *ranks = (int)lower->statistics.levels;
    return SPTRSV_SUCCESS;
  }
  SPTRSV_TRY(sptrsvAnalysisOnHost(analysis));
  SPTRSV_TRY(sptrsvNew(pattern.n, &found));
  *ranks                    = sptrsvHostRanks(&analysis->a, found);
  const SptrsvStatus status = memory.upload(found, pattern.n);
  free(found);
  *rank = memory;
  return status;
}

/* Runs of equal keys become chunks of up to WARP / lanes unknowns */
SptrsvStatus cut_chunks(SptrsvMemory *memory, int runs, const unsigned *key, const int *length, Operands *operands)
{
  EntryChunk *chunk;

  for (int r = 0; r < runs; r++) operands->chunks += ((length[r] - 1) >> key[r] % CLASSES) + 1;
  SPTRSV_TRY(sptrsvNew(operands->chunks, &chunk));
  for (int r = 0, first = 0, c = 0; r < runs; first += length[r++]) {
    const int most = 1 << key[r] % CLASSES;

    for (int u = 0; u < length[r]; u += most) chunk[c++] = {first + u, std::min(most, length[r] - u), WARP / most};
  }
  const SptrsvStatus status = sptrsvUpload(memory, chunk, operands->chunks, &operands->chunk);
  free(chunk);
  return status;
}

SptrsvStatus find_chunks(SptrsvMemory *memory, const unsigned *sorted, Operands *operands)
{
  const int         unknowns = operands->unknowns;
  const int         most     = std::min(unknowns, (int)std::min<long long>(INT_MAX, (long long)operands->ranks * CLASSES));
  Scratch<unsigned> d_key;
  Scratch<int>      d_length, d_runs;
  unsigned         *key    = nullptr;
  int              *length = nullptr, runs;

  SPTRSV_TRY(create_all(most, d_key, d_length));
  SPTRSV_TRY(d_runs.create(1));
  SPTRSV_TRY(with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceRunLengthEncode::Encode(workspace, bytes, sorted, (unsigned *)d_key, (int *)d_length, (int *)d_runs, unknowns);
  }));
  SPTRSV_TRY(read_back((int *)d_runs, &runs));
  SptrsvStatus status = sptrsvDownload(d_key, runs, &key);
  if (!status) status = sptrsvDownload(d_length, runs, &length);
  if (!status) status = cut_chunks(memory, runs, key, length, operands);
  free(key);
  free(length);
  return status;
}

} // namespace

SptrsvStatus sptrsv::operands_create(SptrsvFactor factor, SptrsvMemory *memory, Operands *operands)
{
  const FactorPattern &f = device_of(factor).f;
  Operands            &o = *operands;
  Scratch<int>         row, count, own_rank, unsorted, selected;
  Scratch<unsigned>    key, sorted;
  Scratch<size_t>      lengths;
  size_t               pairs;
  const int           *rank = nullptr;

  if (!f.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(create_all(f.nnz, row, count, unsorted));
  SPTRSV_TRY(selected.create(1));
  const SptrsvArray all[] = {array_of(f.nnz, &o.pivot), array_of(f.nnz, &o.unknown)};
  SPTRSV_TRY(sptrsvDeviceArrays(memory, (int)std::size(all), all));
  SPTRSV_CUDA(cudaMemsetAsync(o.unknown, 0, f.nnz, nullptr));
  SPTRSV_TRY(for_each_entry(lists(f.n, f.row_ptr, f.col_idx), [f, row = (int *)row, pivot = o.pivot] __device__(int i, int e) {
    row[e]   = i;
    pivot[e] = e < f.split[i] ? f.split[f.col_idx[e]] : -1; /* where the pivot of its column is */
  }));
  SPTRSV_TRY(launch_for(pairs_kernel, (size_t)f.nnz * WARP, nullptr, f, f.nnz, row, nullptr, nullptr, nullptr, count));
  SPTRSV_TRY(find_ranks(factor->analysis, f, own_rank, &rank, &o.ranks));
  if ((double)o.ranks * CLASSES > 4e9) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceSelect::If(workspace, bytes, thrust::counting_iterator<int>(0), (int *)unsorted, (int *)selected, f.nnz,
                                 IsUnknown{row, f.col_idx, count});
  }));
  SPTRSV_TRY(read_back((int *)selected, &o.unknowns));
  const SptrsvArray own[] = {array_of(o.unknowns, &o.entry), array_of((size_t)o.unknowns + 1, &o.pair_ptr)};
  SPTRSV_TRY(sptrsvDeviceArrays(memory, (int)std::size(own), own));
  SPTRSV_TRY(create_all(o.unknowns, key, sorted));
  /* By rank, then by lanes, most first; a lane has about BATCH pairs */
  SPTRSV_TRY(
      for_each(o.unknowns, [=, entry = (int *)unsorted, row = (int *)row, count = (int *)count, key = (unsigned *)key] __device__(int u) {
        const int e     = entry[u];
        int       lanes = 0; /* log2 */

        while (lanes < CLASSES - 1 && count[e] > BATCH << lanes) lanes++;
        key[u] = (unsigned)rank[min(row[e], f.col_idx[e])] * CLASSES + (CLASSES - 1 - lanes);
      }));
  SPTRSV_TRY(sort_by_key((unsigned *)key, sorted, unsorted, o.entry, o.unknowns, (unsigned)o.ranks * CLASSES));
  SPTRSV_TRY(find_chunks(memory, sorted, operands));
  SPTRSV_TRY(lengths.create((size_t)o.unknowns + 1));
  SPTRSV_TRY(for_each(o.unknowns + 1, [f, o, row = (int *)row, count = (int *)count, lengths = (size_t *)lengths] __device__(int u) {
    if (u == o.unknowns) {
      lengths[u] = 0;
      return;
    }
    const int e = o.entry[u];

    lengths[u]   = (size_t)count[e];
    o.unknown[e] = 1;
    if (row[e] == f.col_idx[e]) o.entry[u] = ~e;
  }));
  SPTRSV_TRY(exclusive_sum((size_t *)lengths, o.pair_ptr, o.unknowns + 1, &pairs));
  SPTRSV_TRY(sptrsvDeviceNew(memory, pairs, &o.pair));
  return launch_for(pairs_kernel, (size_t)o.unknowns * WARP, nullptr, f, o.unknowns, row, o.entry, o.pair_ptr, o.pair, nullptr);
}
