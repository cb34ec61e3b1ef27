/* The blocks of a matrix of entries on the device, as points.c finds them on the host. */
#include <climits>
#include "../device/scratch.cuh"
#include "../device/values.cuh"
#include "factor.h"

namespace {

using namespace sptrsv;

constexpr int TEAM = SPTRSV_BLOCK_ROWS; /* lanes of a row of blocks, one for each of its rows */

/* Goes through the blocks of each row of blocks, which has so many rows, the lanes of a team side by side.  at = work(i, r, k, j, at, end)
   of row r in its k-th block, which is in column j: that row's entries from position `at` on are in it, or in one behind. */
template <class F> __global__ void blocks_kernel(SptrsvPattern p, int rows, F work)
{
  const int lane = threadIdx.x % WARP, r = lane % TEAM, blocks = p.n / rows;

  for (int first = (blockIdx.x * blockDim.x + threadIdx.x) / WARP * (WARP / TEAM); first < blocks; first += gridDim.x * blockDim.x / TEAM) {
    const int  i    = first + lane / TEAM;
    const bool mine = i < blocks && r < rows;
    const int  end  = mine ? p.row_ptr[i * rows + r + 1] : 0;

    for (int k = 0, at = mine ? p.row_ptr[i * rows + r] : 0;; k++) {
      int j = at < end ? p.col_idx[at] / rows : INT_MAX;

      for (int step = TEAM / 2; step; step /= 2) j = min(j, from_lane(j, lane ^ step));
      if (!__any_sync(ALL_LANES, j < INT_MAX)) break;
      if (mine && j < INT_MAX) at = work(i, r, k, j, at, end);
    }
  }
}

} // namespace

SptrsvStatus sptrsvDeviceBlocks(SptrsvFactor factor, SptrsvMemory *memory, SptrsvPattern *blocks)
{
  const SptrsvPattern &p    = factor->matrix->device;
  const int            rows = factor->storage.rows, n = p.n / rows;
  Scratch<int>         length;
  const auto for_blocks = [&](auto work) { return launch_for(blocks_kernel<decltype(work)>, (size_t)n * TEAM, nullptr, p, rows, work); };

  blocks->n = n;
  SPTRSV_TRY(length.create((size_t)n + 1));
  SPTRSV_TRY(sptrsvDeviceNew(memory, (size_t)n + 1, &blocks->row_ptr));
  SPTRSV_CUDA(cudaMemsetAsync(length, 0, ((size_t)n + 1) * sizeof(int), nullptr));
  SPTRSV_TRY(for_blocks([=, length = (int *)length] __device__(int i, int r, int k, int j, int at, int end) {
    if (!r) length[i] = k + 1; /* the last block of a row of blocks tells their number */
    while (at < end && p.col_idx[at] / rows == j) at++;
    return at;
  }));
  SPTRSV_TRY(exclusive_sum((const int *)length, blocks->row_ptr, n + 1, &blocks->nnz));
  if ((int64_t)blocks->nnz * rows * rows >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(sptrsvDeviceNew(memory, blocks->nnz, &blocks->col_idx));
  SPTRSV_TRY(sptrsvDeviceNew(&factor->entry_memory, (size_t)blocks->nnz * (size_t)(rows * rows), &factor->entry));
  return for_blocks([=, row_ptr = blocks->row_ptr, col_idx = blocks->col_idx, entry = factor->entry] __device__(int i, int r, int k, int j,
                                                                                                                int at, int end) {
    const int block = row_ptr[i] + k;

    if (!r) col_idx[block] = j;
    for (int c = 0; c < rows; c++) {
      const bool stored = at < end && p.col_idx[at] == j * rows + c;

      entry[(block * rows + c) * rows + r] = stored ? at : (int)SPTRSV_FILL;
      at += stored;
    }
    return at;
  });
}
