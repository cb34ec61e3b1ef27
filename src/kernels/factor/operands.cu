/*
   Who needs whom in an ILU(0), found on the device: entry (i, j) needs v(i, k), v(k, j) and the pivot of k for all k < min(i, j) where
   both are stored.

   Order: let rank(i) = 1 + the largest rank of the rows before i that i is coupled with in either triangle.  What entry (i, j) needs
   belongs to rows or columns k that both i and j are coupled with, so it has a smaller rank of its own, rank(min(i, j)).
*/
#include <algorithm>
#include <cstdlib>
#include <thrust/iterator/counting_iterator.h>
#include "../device/scratch.cuh"
#include "ilu0.cuh"

namespace {

using namespace sptrsv;

constexpr int CLASSES = WARP == 64 ? 7 : 6; /* WARP, WARP / 2, …, 1 lanes */

struct Pattern {
  int        n, nnz;
  const int *row_ptr, *col_idx, *split;
};

/* A warp per row: the row of each entry, and where the pivot of its column is */
__global__ void entries_kernel(Pattern f, int *row, int *pivot)
{
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; i < f.n; i += gridDim.x * blockDim.x / WARP) {
    for (int e = f.row_ptr[i] + threadIdx.x % WARP; e < f.row_ptr[i + 1]; e += WARP) {
      row[e]   = i;
      pivot[e] = e < f.split[i] ? f.split[f.col_idx[e]] : -1;
    }
  }
}

/* Position of (k, j) in the strict upper triangle, or -1 */
__device__ int find_upper(const Pattern &f, int k, int j)
{
  int low = f.split[k] + 1, high = f.row_ptr[k + 1];

  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (f.col_idx[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low < f.row_ptr[k + 1] && f.col_idx[low] == j ? low : -1;
}

/* A warp per entry, its lanes over the entries p left of it in its row; pairs come out in the order of p.  Without `pair` they are counted:
   entry [count] is then 0, 1, …, and count [nnz] the result; with it, entry and pair_ptr say whose pairs go where. */
__global__ void pairs_kernel(Pattern f, int entries, const int *row, const int *entry, const size_t *pair_ptr, int2 *pair, int *count)
{
  const int lane = threadIdx.x % WARP;

  for (size_t u = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / WARP; u < (size_t)entries; u += (size_t)gridDim.x * blockDim.x / WARP) {
    const int code = entry ? entry[u] : (int)u, e = code < 0 ? ~code : code;
    const int i = row[e], j = f.col_idx[e], least = min(i, j), end = f.split[i];
    int       found = 0;

    for (int first = f.row_ptr[i]; first < end && f.col_idx[first] < least; first += WARP) {
      const int      p = first + lane, k = p < end ? f.col_idx[p] : INT_MAX, q = k < least ? find_upper(f, k, j) : -1;
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

/* By rank, then the most lanes first: as many as leave each about BATCH pairs */
__global__ void key_kernel(int unknowns, const int *entry, const int *row, const int *col_idx, const int *rank, const int *count,
                           unsigned *key)
{
  for (int u = blockIdx.x * blockDim.x + threadIdx.x; u < unknowns; u += gridDim.x * blockDim.x) {
    const int e     = entry[u];
    int       lanes = 0; /* log2 */

    while (lanes < CLASSES - 1 && count[e] > BATCH << lanes) lanes++;
    key[u] = (unsigned)rank[min(row[e], col_idx[e])] * CLASSES + (CLASSES - 1 - lanes);
  }
}

/* Pivots are marked, unknowns are marked in source, and lengths [unknowns + 1] gets the number of pairs of each */
__global__ void mark_kernel(int unknowns, const int *row, const int *col_idx, const int *count, int *entry, int *source, size_t *lengths)
{
  for (int u = blockIdx.x * blockDim.x + threadIdx.x; u <= unknowns; u += gridDim.x * blockDim.x) {
    if (u == unknowns) {
      lengths[u] = 0;
      continue;
    }
    const int e = entry[u];

    lengths[u] = (size_t)count[e];
    source[e]  = ~source[e];
    if (row[e] == col_idx[e]) entry[u] = ~e;
  }
}

__global__ void identity_kernel(int nnz, int *source)
{
  for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < nnz; e += gridDim.x * blockDim.x) source[e] = e;
}

/* rank: host [n] -> device; returns the number of ranks */
SptrsvStatus upload_ranks(const SptrsvPattern &p, Scratch<int> &d_rank, int *ranks)
{
  int *rank;

  SPTRSV_TRY(sptrsvNew(p.n, &rank));
  *ranks                    = sptrsvHostRanks(&p, rank);
  const SptrsvStatus status = d_rank.upload(rank, p.n);
  free(rank);
  return status;
}

/* Runs of equal keys become chunks of up to WARP / lanes unknowns */
SptrsvStatus cut_chunks(int runs, const unsigned *key, const int *length, Scratch<EntryChunk> &d_chunk, int *chunks)
{
  EntryChunk *chunk;

  *chunks = 0;
  for (int r = 0; r < runs; r++) *chunks += ((length[r] - 1) >> key[r] % CLASSES) + 1;
  SPTRSV_TRY(sptrsvNew(*chunks, &chunk));
  for (int r = 0, first = 0, c = 0; r < runs; first += length[r++]) {
    const int most = 1 << key[r] % CLASSES;

    for (int u = 0; u < length[r]; u += most) chunk[c++] = {first + u, std::min(most, length[r] - u), WARP / most};
  }
  const SptrsvStatus status = d_chunk.upload(chunk, *chunks);
  free(chunk);
  return status;
}

SptrsvStatus find_chunks(int unknowns, int ranks, const unsigned *sorted, Scratch<EntryChunk> &chunk, int *chunks)
{
  const int         most = std::min(unknowns, (int)std::min<long long>(INT_MAX, (long long)ranks * CLASSES));
  Scratch<unsigned> d_key;
  Scratch<int>      d_length, d_runs;
  unsigned         *key    = nullptr;
  int              *length = nullptr, runs;

  SPTRSV_TRY(d_key.create(most));
  SPTRSV_TRY(d_length.create(most));
  SPTRSV_TRY(d_runs.create(1));
  SPTRSV_TRY(with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceRunLengthEncode::Encode(workspace, bytes, sorted, (unsigned *)d_key, (int *)d_length, (int *)d_runs, unknowns);
  }));
  SPTRSV_TRY(read_back((int *)d_runs, &runs));
  SptrsvStatus status = sptrsvNew(runs, &key);
  if (!status) status = sptrsvNew(runs, &length);
  if (!status) status = read_back((unsigned *)d_key, key, runs);
  if (!status) status = read_back((int *)d_length, length, runs);
  if (!status) status = cut_chunks(runs, key, length, chunk, chunks);
  free(key);
  free(length);
  return status;
}

} // namespace

SptrsvStatus sptrsv::operands_create(SptrsvFactor factor, Operands *o, size_t *total)
{
  const SptrsvAnalysis a = factor->analysis;
  const Pattern        f = {a->a.n, a->a.nnz, a->d_row_ptr, a->d_col_idx, a->d_split};
  Scratch<int>         row, pivot, source, count, rank, unsorted, entry, selected;
  Scratch<unsigned>    key, sorted;
  Scratch<size_t>      lengths, pair_ptr;
  Scratch<EntryChunk>  chunk;
  Scratch<int2>        pair;
  size_t               pairs;

  if (!f.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(row.create(f.nnz));
  SPTRSV_TRY(pivot.create(f.nnz));
  SPTRSV_TRY(count.create(f.nnz));
  SPTRSV_TRY(unsorted.create(f.nnz));
  SPTRSV_TRY(selected.create(1));
  if (factor->source) SPTRSV_TRY(source.upload(factor->source, f.nnz));
  else {
    SPTRSV_TRY(source.create(f.nnz));
    SPTRSV_CUDA(launch(identity_kernel, blocks_for(f.nnz), BLOCK, nullptr, f.nnz, source));
  }
  SPTRSV_CUDA(launch(entries_kernel, blocks_for((size_t)f.n * WARP), BLOCK, nullptr, f, row, pivot));
  SPTRSV_CUDA(launch(pairs_kernel, blocks_for((size_t)f.nnz * WARP), BLOCK, nullptr, f, f.nnz, row, nullptr, nullptr, nullptr, count));
  SPTRSV_TRY(upload_ranks(a->a, rank, &o->ranks)); /* the host's part, while the device counts */
  if ((double)o->ranks * CLASSES > 4e9) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceSelect::If(workspace, bytes, thrust::counting_iterator<int>(0), (int *)unsorted, (int *)selected, f.nnz,
                                 IsUnknown{row, f.col_idx, count});
  }));
  SPTRSV_TRY(read_back((int *)selected, &o->unknowns));
  SPTRSV_TRY(entry.create(o->unknowns));
  SPTRSV_TRY(key.create(o->unknowns));
  SPTRSV_TRY(sorted.create(o->unknowns));
  SPTRSV_CUDA(launch(key_kernel, blocks_for(o->unknowns), BLOCK, nullptr, o->unknowns, unsorted, row, f.col_idx, rank, count, key));
  SPTRSV_TRY(with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(workspace, bytes, (unsigned *)key, (unsigned *)sorted, (int *)unsorted, (int *)entry,
                                           o->unknowns, 0, bits_for((unsigned)o->ranks * CLASSES));
  }));
  SPTRSV_TRY(find_chunks(o->unknowns, o->ranks, sorted, chunk, &o->chunks));
  SPTRSV_TRY(lengths.create((size_t)o->unknowns + 1));
  SPTRSV_TRY(pair_ptr.create((size_t)o->unknowns + 1));
  SPTRSV_CUDA(
      launch(mark_kernel, blocks_for((size_t)o->unknowns + 1), BLOCK, nullptr, o->unknowns, row, f.col_idx, count, entry, source, lengths));
  SPTRSV_TRY(with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceScan::ExclusiveSum(workspace, bytes, (size_t *)lengths, (size_t *)pair_ptr, o->unknowns + 1);
  }));
  SPTRSV_TRY(read_back((size_t *)pair_ptr + o->unknowns, &pairs));
  SPTRSV_TRY(pair.create(pairs));
  SPTRSV_CUDA(
      launch(pairs_kernel, blocks_for((size_t)o->unknowns * WARP), BLOCK, nullptr, f, o->unknowns, row, entry, pair_ptr, pair, nullptr));
  SPTRSV_CUDA(cudaDeviceSynchronize()); /* the first factorization may come in another stream, and the scratch arrays go */
  chunk.release(&o->chunk, total);
  entry.release(&o->entry, total);
  pair_ptr.release(&o->pair_ptr, total);
  pair.release(&o->pair, total);
  pivot.release(&o->pivot, total);
  source.release(&o->source, total);
  return SPTRSV_SUCCESS;
}

void sptrsv::operands_destroy(Operands *o)
{
  for (void *p : {(void *)o->chunk, (void *)o->entry, (void *)o->pair_ptr, (void *)o->pair, (void *)o->pivot, (void *)o->source})
    sptrsvDeviceFree(p);
}
