/* Rows sorted by level and packed into chunks, on the device: the set-up of levelorder.cu. */
#include <algorithm>
#include <cstdlib>
#include "../../device/scratch.cuh"
#include "levelorder.cuh"

namespace {

using namespace sptrsv;

__device__ int first_entry(const LevelOrderRows &u, int i)
{
  const int begin = u.begin[i];
  return begin + (u.skip_diagonal && begin < u.end[i] && u.col_idx[begin] == i);
}

__device__ int entries_per_lane(const LevelOrderRows &u, int lanes, int i)
{
  return (u.end[i] - first_entry(u, i) + lanes - 1) / lanes;
}

/* By level and, so that a chunk's rows are about equally long, by length; otherwise rows stay as they were, for the caches' sake */
__global__ void key_kernel(LevelOrderRows u, int lanes, int per_lane, unsigned *key, int *row)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < u.n; k += gridDim.x * blockDim.x) {
    const int i = u.backwards ? u.n - 1 - k : k;

    key[k] = (unsigned)u.level[i] * (per_lane + 1) + per_lane - entries_per_lane(u, lanes, i);
    row[k] = i;
  }
}

__global__ void place_kernel(int n, const int *order, int *place)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) place[order[k]] = k;
}

/* The first row of a chunk is its longest */
__global__ void length_kernel(LevelOrderRows u, int lanes, int chunks, const int *order, LevelOrderChunk *chunk, long long *slots)
{
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < chunks; c += gridDim.x * blockDim.x) {
    chunk[c].per_lane = entries_per_lane(u, lanes, order[chunk[c].row]);
    slots[c]          = WARP * chunk[c].per_lane;
  }
}

/* A warp per chunk: entry e of a row is entry e / lanes of the row's lane e % lanes */
__global__ void fill_kernel(LevelOrderRows u, int lanes, int chunks, const int *order, const int *place, const long long *first,
                            LevelOrderChunk *chunk, int *col_idx, int *source)
{
  const int lane = threadIdx.x % WARP;

  for (int c = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; c < chunks; c += gridDim.x * blockDim.x / WARP) {
    const bool mine  = lane / lanes < chunk[c].rows;
    const int  i     = mine ? order[chunk[c].row + lane / lanes] : 0;
    const int  begin = mine ? first_entry(u, i) : 0, end = mine ? u.end[i] : 0;

    for (int k = 0; k < chunk[c].per_lane; k++) {
      const int e = begin + k * lanes + lane % lanes, slot = (int)first[c] + WARP * k + lane;

      col_idx[slot] = e < end ? place[u.col_idx[e]] : -1;
      source[slot]  = e >= end ? SPTRSV_PADDING : u.source ? u.source[e] : e;
    }
    if (!lane) chunk[c].first = (int)first[c];
  }
}

/* Where each unknown's diagonal, input and output are */
__global__ void places_kernel(LevelOrderRows u, const int *order, const int *in_perm, const int *out_perm, int *diagonal, int *source,
                              int *target)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < u.n; k += gridDim.x * blockDim.x) {
    const int i = order[k], row = u.row ? u.row[i] : i;

    diagonal[k] = u.diagonal ? u.diagonal[i] : SPTRSV_ONE;
    source[k]   = row < 0 ? -1 : in_perm ? in_perm[row] : row;
    target[k]   = row < 0 ? -1 : out_perm ? out_perm[row] : row;
  }
}

SptrsvStatus sort_rows(const LevelOrderRows &u, int lanes, int per_lane, int levels, Scratch<int> &order)
{
  Scratch<unsigned> key, sorted;
  Scratch<int>      row;

  if ((double)levels * (per_lane + 1) > 4e9) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(key.create(u.n));
  SPTRSV_TRY(sorted.create(u.n));
  SPTRSV_TRY(row.create(u.n));
  SPTRSV_TRY(order.create(u.n));
  SPTRSV_CUDA(launch(key_kernel, blocks_for(u.n), BLOCK, nullptr, u, lanes, per_lane, key, row));
  return with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(workspace, bytes, (unsigned *)key, (unsigned *)sorted, (int *)row, (int *)order, u.n, 0,
                                           bits_for((unsigned)levels * (per_lane + 1)));
  });
}

/* Chunks of up to WARP / lanes rows of one level, in order, but for what depends on the lengths of rows */
SptrsvStatus cut_chunks(const int *level_ptr, int levels, int rows, Scratch<LevelOrderChunk> &d_chunk, int *chunks)
{
  LevelOrderChunk *chunk;

  *chunks = 0;
  for (int l = 0; l < levels; l++) *chunks += (level_ptr[l + 1] - level_ptr[l] + rows - 1) / rows;
  SPTRSV_TRY(sptrsvNew(*chunks, &chunk));
  for (int l = 0, c = 0; l < levels; l++) {
    for (int r = level_ptr[l]; r < level_ptr[l + 1]; r += rows) chunk[c++] = {0, r, std::min(rows, level_ptr[l + 1] - r), 0};
  }
  const SptrsvStatus status = d_chunk.upload(chunk, *chunks);
  free(chunk);
  return status;
}

} // namespace

SptrsvStatus sptrsv::levelorder_pack(const LevelOrderRows &u, const int *level_ptr, int levels, int lanes, int per_lane,
                                     const int32_t *in_perm, const int32_t *out_perm, LevelOrderPack *p, size_t *total)
{
  Scratch<LevelOrderChunk> chunk;
  Scratch<long long>       slots, first;
  Scratch<int>             order, place, d_in, d_out, col_idx, value_source, diagonal, source, target;
  long long                last[2] = {0, 0}; /* where the last chunk begins, its length */

  SPTRSV_TRY(sort_rows(u, lanes, per_lane, levels, order));
  SPTRSV_TRY(cut_chunks(level_ptr, levels, WARP / lanes, chunk, &p->chunks));
  SPTRSV_TRY(place.create(u.n));
  SPTRSV_TRY(slots.create(p->chunks));
  SPTRSV_TRY(first.create(p->chunks));
  SPTRSV_CUDA(launch(place_kernel, blocks_for(u.n), BLOCK, nullptr, u.n, order, place));
  SPTRSV_CUDA(launch(length_kernel, blocks_for(p->chunks), BLOCK, nullptr, u, lanes, p->chunks, order, chunk, slots));
  SPTRSV_TRY(with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceScan::ExclusiveSum(workspace, bytes, (long long *)slots, (long long *)first, p->chunks);
  }));
  if (p->chunks) {
    SPTRSV_TRY(read_back((long long *)first + p->chunks - 1, &last[0]));
    SPTRSV_TRY(read_back((long long *)slots + p->chunks - 1, &last[1]));
  }
  if (last[0] + last[1] >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  p->slots = (size_t)(last[0] + last[1]);
  SPTRSV_TRY(col_idx.create(p->slots));
  SPTRSV_TRY(value_source.create(p->slots));
  SPTRSV_CUDA(launch(fill_kernel, blocks_for((size_t)p->chunks * WARP), BLOCK, nullptr, u, lanes, p->chunks, order, place, first, chunk,
                     col_idx, value_source));
  if (in_perm) SPTRSV_TRY(d_in.upload(in_perm, u.rows));
  if (out_perm) SPTRSV_TRY(d_out.upload(out_perm, u.rows));
  SPTRSV_TRY(diagonal.create(u.n));
  SPTRSV_TRY(source.create(u.n));
  SPTRSV_TRY(target.create(u.n));
  SPTRSV_CUDA(launch(places_kernel, blocks_for(u.n), BLOCK, nullptr, u, order, d_in, d_out, diagonal, source, target));
  SPTRSV_CUDA(cudaDeviceSynchronize()); /* the first use may be in another stream, and the scratch arrays go */
  chunk.release(&p->chunk, total);
  col_idx.release(&p->col_idx, total);
  value_source.release(&p->value_source, total);
  diagonal.release(&p->diagonal_source, total);
  source.release(&p->source, total);
  target.release(&p->target, total);
  return SPTRSV_SUCCESS;
}
