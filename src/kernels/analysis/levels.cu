/* Levels on the GPU, in one launch: the sweep's own dependencies, with max in place of multiply and add. */
#include <algorithm>
#include "../tickets.cuh"

namespace {

using namespace sptrsv;

constexpr unsigned UNKNOWN = ~0u; /* no level yet */
constexpr int      AHEAD   = 8;   /* loads of one row in flight */

/* A thread per row, writing first: a row that lacks a level goes round the loop, in which the other rows of its warp can finish.  Rows of
   other warps have earlier tickets.  So every wait ends. */
__global__ void levels_kernel(Tickets tickets, int n, bool upper, const int *row_ptr, const int *col_idx, const int *split, unsigned *level)
{
  const int lane = threadIdx.x % WARP;
  Turn      turn(tickets, lane);

  for (unsigned g = turn.start; g < tickets.work; g = turn.share(turn.take())) {
    const int k = (int)g * WARP + lane, i = upper ? n - 1 - k : k;
    bool      mine = k < n;
    int       j    = !mine ? 0 : upper ? split[i] : row_ptr[i];
    const int end  = !mine ? 0 : upper ? row_ptr[i + 1] : split[i];
    unsigned  l = 0, rounds = 0;

    if (upper && j < end && col_idx[j] == i) j++;
    while (goes_on(mine)) {
      unsigned needed[AHEAD];
      bool     ready = mine;

      if (!mine) continue;
#pragma unroll
      for (int q = 0; q < AHEAD; q++) needed[q] = j + q < end ? load_relaxed(level + col_idx[j + q]) : UNKNOWN;
#pragma unroll
      for (int q = 0; q < AHEAD; q++) {
        ready = ready && needed[q] != UNKNOWN;
        if (ready) {
          l = max(l, needed[q] + 1);
          j++;
        }
      }
      if (j == end) {
        store_relaxed(level + i, l);
        mine = false;
      } else if (++rounds >= turn.limit && turn.gives_up(rounds)) j = end;
    }
    __syncwarp();
  }
}

SptrsvStatus compute(SptrsvAnalysis a, SptrsvTriangle side, int *level, unsigned *d_level, Tickets *tickets)
{
  const int    n = a->a.n, groups = (n + WARP - 1) / WARP, warps_per_block = 4;
  const size_t bytes   = (size_t)n * sizeof(int);
  size_t       ignored = 0;
  int          processors;

  SPTRSV_TRY(count_processors(&processors));
  const int blocks = std::max(1, std::min(2 * processors, (groups + warps_per_block - 1) / warps_per_block)); /* few poll at a time */

  SPTRSV_TRY(tickets_create(groups, (size_t)blocks * warps_per_block, tickets, &ignored));
  SPTRSV_CUDA(cudaMemsetAsync(d_level, 0xff, bytes));
  SPTRSV_CUDA(launch(levels_kernel, blocks, WARP * warps_per_block, nullptr, *tickets, n, side == SPTRSV_UPPER, a->d_row_ptr, a->d_col_idx,
                     a->d_split, d_level));
  SPTRSV_CUDA(cudaMemcpy(level, d_level, bytes, cudaMemcpyDeviceToHost));
  return *tickets->stalled ? SPTRSV_STALLED : SPTRSV_SUCCESS;
}

} // namespace

SptrsvStatus sptrsvDeviceLevels(SptrsvAnalysis a, SptrsvTriangle side, int *level)
{
  unsigned    *d_level   = nullptr;
  Tickets      tickets   = {};
  size_t       temporary = 0;
  SptrsvStatus status    = SPTRSV_SUCCESS;

  if (!a->a.n) return SPTRSV_SUCCESS;
  status = sptrsvDeviceAllocate((size_t)a->a.n * sizeof(int), (void **)&d_level, &temporary);
  if (!status) status = compute(a, side, level, d_level, &tickets);
  sptrsvDeviceFree(d_level);
  tickets_destroy(&tickets);
  return status;
}
