/* Set-up of ILU(0) by rows, on the device. */
#include <cstdlib>
#include "ilu0_rows.cuh"

namespace {

using namespace sptrsv;

constexpr int KEYS = MOST_LANES * MOST_PER_LANE; /* numbers of entries left of the diagonal */

/* By level, and in a level those with most entries left of the diagonal first, so that the rows of a chunk are about alike */
__global__ void key_kernel(FactorPattern f, const int *level, unsigned *key, int *row)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < f.n; i += gridDim.x * blockDim.x) {
    key[i] = (unsigned)level[i] * KEYS + (KEYS - 1 - (f.split[i] - f.row_ptr[i]));
    row[i] = i;
  }
}

/* Everything but where the map begins; candidates [n + 1]: of each row, in bytes */
__global__ void row_kernel(FactorPattern f, const int *order, FactorRow *row, size_t *candidates)
{
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r <= f.n; r += gridDim.x * blockDim.x) {
    if (r == f.n) {
      candidates[r] = 0;
      continue;
    }
    const int i = order[r], first = f.row_ptr[i], lower = f.split[i] - first, length = f.row_ptr[i + 1] - first;

    row[r]        = {first, (short)lower, (short)length, 0};
    candidates[r] = (size_t)candidate(length, lower, lower + 1);
  }
}

/* A warp per row */
__global__ void map_kernel(FactorPattern f, const size_t *begin, FactorRow *row, unsigned char *map)
{
  const int lane = threadIdx.x % WARP;

  for (int r = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; r < f.n; r += gridDim.x * blockDim.x / WARP) {
    const FactorRow own = row[r];

    for (int m = 0; m < own.lower; m++) {
      const int k = f.col_idx[own.first + m];

      for (int p = m + 1 + lane; p < own.length; p += WARP) {
        const int q = find_upper(f, k, f.col_idx[own.first + p]);

        map[begin[r] + candidate(own.length, m, p)] = (unsigned char)(q < 0 ? 0 : q - f.split[k]);
      }
    }
    if (!lane) row[r].map = begin[r];
  }
}

/* first, first_chunk [levels + 1]: rows and chunks before each level */
__global__ void chunk_kernel(int levels, int most, const int *first, const int *first_chunk, const FactorRow *row, RowChunk *chunk)
{
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < first_chunk[levels]; c += gridDim.x * blockDim.x) {
    int l = 0, end = levels; /* the last level whose first chunk is not behind c */

    while (end - l > 1) {
      const int middle = l + (end - l) / 2;
      if (first_chunk[middle] <= c) l = middle;
      else end = middle;
    }
    const int r = first[l] + (c - first_chunk[l]) * most;

    chunk[c] = {r, min(most, first[l + 1] - r), row[r].lower};
  }
}

SptrsvStatus sort_rows(const FactorPattern &f, const int *level, int levels, Scratch<int> &order)
{
  Scratch<unsigned> key, sorted;
  Scratch<int>      row;

  if ((double)levels * KEYS > 4e9) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(key.create(f.n));
  SPTRSV_TRY(sorted.create(f.n));
  SPTRSV_TRY(row.create(f.n));
  SPTRSV_TRY(order.create(f.n));
  SPTRSV_CUDA(launch(key_kernel, blocks_for(f.n), BLOCK, nullptr, f, level, key, row));
  return sort_by_key((unsigned *)key, (unsigned *)sorted, row, order, f.n, (unsigned)levels * KEYS);
}

SptrsvStatus make_map(SptrsvFactor factor, const FactorPattern &f, const int *order, Ilu0Rows *rows)
{
  Scratch<size_t> candidates, begin;
  size_t          all;

  SPTRSV_TRY(candidates.create((size_t)f.n + 1));
  SPTRSV_TRY(begin.create((size_t)f.n + 1));
  SPTRSV_TRY(sptrsvDeviceNew(&factor->memory, f.n, &rows->row));
  SPTRSV_CUDA(launch(row_kernel, blocks_for((size_t)f.n + 1), BLOCK, nullptr, f, order, rows->row, candidates));
  SPTRSV_TRY(exclusive_sum((size_t *)candidates, (size_t *)begin, f.n + 1));
  SPTRSV_TRY(read_back((size_t *)begin + f.n, &all));
  SPTRSV_TRY(sptrsvDeviceNew(&factor->memory, all, &rows->map));
  SPTRSV_CUDA(launch(map_kernel, blocks_for((size_t)f.n * WARP), BLOCK, nullptr, f, begin, rows->row, rows->map));
  return SPTRSV_SUCCESS;
}

SptrsvStatus cut_chunks(SptrsvFactor factor, const int *level_ptr, Ilu0Rows *rows)
{
  const int    most = WARP / rows->lanes;
  int         *first;
  Scratch<int> d_first, d_first_chunk;

  SPTRSV_TRY(sptrsvNew(rows->levels + 1, &first));
  for (int l = 0; l < rows->levels; l++) first[l + 1] = first[l] + (level_ptr[l + 1] - level_ptr[l] + most - 1) / most;
  rows->chunks              = first[rows->levels];
  const SptrsvStatus status = d_first_chunk.upload(first, (size_t)rows->levels + 1);
  free(first);
  SPTRSV_TRY(status);
  SPTRSV_TRY(d_first.upload(level_ptr, (size_t)rows->levels + 1));
  SPTRSV_TRY(sptrsvDeviceNew(&factor->memory, rows->chunks, &rows->chunk));
  SPTRSV_CUDA(launch(chunk_kernel, blocks_for(rows->chunks), BLOCK, nullptr, rows->levels, most, d_first, d_first_chunk, rows->row,
                     rows->chunk));
  SPTRSV_CUDA(cudaDeviceSynchronize()); /* the first factorization may come in another stream, and the scratch arrays go */
  return SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsv::rows_arrange(SptrsvFactor factor, const FactorPattern &f, Ilu0Rows *rows)
{
  const SptrsvSweep *sweep;
  const int         *level;
  Scratch<int>       copy, order;

  SPTRSV_TRY(sptrsvAnalysisSweep(factor->analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &sweep));
  SPTRSV_TRY(levels_on_device(*sweep, f.n, copy, &level));
  rows->levels = (int)sweep->statistics.levels;
  SPTRSV_TRY(sort_rows(f, level, rows->levels, order));
  SPTRSV_TRY(make_map(factor, f, order, rows));
  return cut_chunks(factor, sweep->level_ptr, rows);
}
