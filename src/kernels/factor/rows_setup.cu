/* Set-up of ILU(0) by rows, on the device. */
#include "../analysis/rows.cuh"
#include "rows.cuh"

namespace {

using namespace sptrsv;

__global__ void longest_kernel(FactorPattern f, int *longest)
{
  int own = 0;

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < f.n; i += gridDim.x * blockDim.x) own = max(own, f.row_ptr[i + 1] - f.row_ptr[i]);
  raise_by_warp(longest, own);
}

/* The byte of entries m, p of a row that begins with entry `first` */
__device__ unsigned number_of(const FactorPattern &f, int first, int m, int p)
{
  const int k = f.col_idx[first + m], q = find_upper(f, k, f.col_idx[first + p]);

  return q < 0 ? 0 : (unsigned)(q - f.split[k]);
}

/* Chunks before each level, on the device; rows->chunks becomes the number of all */
SptrsvStatus count_chunks(const int *level_ptr, Ilu0Rows *rows, Scratch<int> &first_chunk)
{
  const int    most = WARP / rows->lanes;
  ScopedMemory scratch;
  int         *first;

  SPTRSV_TRY(sptrsvHostNew(&scratch, rows->levels + 1, &first));
  for (int l = 0; l < rows->levels; l++) first[l + 1] = first[l] + (level_ptr[l + 1] - level_ptr[l] + most - 1) / most;
  rows->chunks = first[rows->levels];
  return first_chunk.upload(first, (size_t)rows->levels + 1);
}

SptrsvStatus make_slots(SptrsvMemory *memory, const FactorPattern &f, const int *level_ptr, const int *order, Ilu0Rows *rows)
{
  const int       per_chunk = WARP / rows->lanes;
  Scratch<int>    first, first_chunk; /* [levels + 1] rows and chunks before each level */
  Scratch<size_t> words, begin;
  size_t          all;

  SPTRSV_TRY(first.upload(level_ptr, (size_t)rows->levels + 1));
  SPTRSV_TRY(count_chunks(level_ptr, rows, first_chunk));
  const int slots = rows->chunks * per_chunk;

  SPTRSV_TRY(create_all((size_t)slots + 1, words, begin));
  SPTRSV_TRY(sptrsvDeviceNew(memory, slots, &rows->row));
  SPTRSV_TRY(for_each(slots + 1, [=, levels = rows->levels, first = (int *)first, first_chunk = (int *)first_chunk, row = rows->row,
                                  words = (size_t *)words] __device__(int s) {
    words[s] = 0;
    if (s == slots) return;
    const int l = first_at_least(first_chunk, 0, levels, s / per_chunk + 1) - 1, r = first[l] + (s - first_chunk[l] * per_chunk);
    RowSlot   own = {};

    if (r < first[l + 1]) { /* else the last chunk of the level is not full */
      const int i = order[r], begin = f.row_ptr[i];

      own      = {begin, (short)(f.split[i] - begin), (short)(f.row_ptr[i + 1] - begin), 0};
      words[s] = (size_t)words_of_row(own.lower, own.length);
    }
    row[s] = own;
  }));
  SPTRSV_TRY(exclusive_sum((size_t *)words, begin, slots + 1, &all));
  SPTRSV_TRY(sptrsvDeviceNew(memory, all, &rows->map));
  return for_each<WARP>(slots, [=, begin = (size_t *)begin, row = rows->row, map = rows->map] __device__(int s) {
    const int       lane  = threadIdx.x % WARP;
    const RowSlot   own   = row[s];
    unsigned *const words = map + begin[s] + own.lower;

    for (int m = lane; m < own.lower; m += WARP) map[begin[s] + m] = (unsigned)f.split[f.col_idx[own.first + m]];
    for (int g = 0; g * GROUP < own.lower; g++) {
      for (int p = g * GROUP + 1 + lane; p < own.length; p += WARP) {
        unsigned word = 0;

        for (int m = g * GROUP; m < min(min(own.lower, p), (g + 1) * GROUP); m++) word |= number_of(f, own.first, m, p) << 8 * (m % GROUP);
        words[word_of(own.length, g, p)] = word;
      }
    }
    if (!lane) row[s].map = begin[s];
  });
}

} // namespace

SptrsvStatus sptrsv::longest_row(const FactorPattern &f, int *longest)
{
  *longest = 0;
  return run_on(longest, [&](int *d) { return launch_for(longest_kernel, std::min((size_t)f.n, MOST_ENDING), nullptr, f, d); });
}

SptrsvStatus sptrsv::rows_arrange(SptrsvFactor factor, SptrsvMemory *memory, Ilu0Rows *rows)
{
  const FactorPattern &f = device_of(factor).f;
  DeviceRows           lower;
  Scratch<unsigned>    key;
  Scratch<int>         order;

  SPTRSV_TRY(lower.take_analysis(factor->analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE));
  rows->levels = lower.levels;
  SPTRSV_TRY(create_all(f.n, key, order));
  /* By level, and in a level those with most entries left of the diagonal first, so that the rows of a chunk are about alike */
  SPTRSV_TRY(for_each(f.n, [f, level = lower.rows.level, key = (unsigned *)key] __device__(int i) {
    key[i] = (unsigned)level[i] * KEYS + (KEYS - 1 - (f.split[i] - f.row_ptr[i]));
  }));
  SPTRSV_TRY(sort_numbers(key, f.n, (unsigned)rows->levels * KEYS, order));
  return make_slots(memory, f, lower.level_ptr, order, rows);
}
