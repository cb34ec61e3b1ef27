/* Levels on the GPU, in one launch: the sweep's own dependencies, with max in place of multiply and add. */
#include <algorithm>
#include "../device/tickets.cuh"
#include "adjacency.cuh"

namespace {

using namespace sptrsv;

constexpr unsigned UNKNOWN = ~0u; /* no level yet */
constexpr int      AHEAD   = 8;   /* loads of one row in flight */

/* A thread per row, writing first: a row that lacks a level stays in the loop, in which the other rows of its warp can finish, and rows of
   other warps have earlier tickets.  So every wait ends. */
__global__ void levels_kernel(Tickets tickets, Adjacency needs, bool backwards, unsigned *level)
{
  const int lane = threadIdx.x % WARP;
  Turn      turn(tickets, lane);

  for (unsigned g = turn.start; g < tickets.work; g = turn.share(turn.take())) {
    const int k = (int)g * WARP + lane, i = backwards ? needs.n - 1 - k : k;
    bool      mine = k < needs.n;
    int       j    = mine ? first_of(needs, i) : 0;
    const int end  = mine ? needs.end[i] : 0;
    unsigned  l = 0, rounds = 0;

    while (goes_on(mine)) {
      unsigned needed[AHEAD];
      bool     ready = mine;

      if (!mine) continue;
#pragma unroll
      for (int q = 0; q < AHEAD; q++) needed[q] = j + q < end ? load_relaxed(level + needs.idx[j + q]) : UNKNOWN;
#pragma unroll
      for (int q = 0; q < AHEAD; q++) {
        ready = ready && needed[q] != UNKNOWN;
        if (ready) {
          l      = max(l, needed[q] + 1);
          rounds = 0; /* this row goes on: a long row that does is not waiting */
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

} // namespace

SptrsvStatus sptrsv::levels_by_rows(const Adjacency &needs, bool backwards, unsigned *level)
{
  const int    groups = (needs.n + WARP - 1) / WARP, warps = 4; /* of a block */
  SptrsvMemory memory = {};
  Tickets      tickets;
  int          processors;

  SPTRSV_CUDA(cudaMemsetAsync(level, 0xff, (size_t)needs.n * sizeof(unsigned)));
  SPTRSV_TRY(count_processors(&processors));
  const int    blocks = std::max(1, std::min(2 * processors, (groups + warps - 1) / warps)); /* few: warps that poll slow down the others */
  SptrsvStatus status = tickets_create(&memory, groups, (size_t)blocks * warps, &tickets);
  if (!status) status = sptrsvCudaStatus(launch(levels_kernel, blocks, WARP * warps, nullptr, tickets, needs, backwards, level));
  if (!status) status = sptrsvCudaStatus(cudaStreamSynchronize(nullptr));
  if (!status && *tickets.stalled) status = SPTRSV_STALLED;
  sptrsvMemoryFree(&memory);
  return status;
}

SptrsvStatus sptrsvDeviceLevels(SptrsvAnalysis analysis, SptrsvTriangle side, int *level)
{
  Scratch<unsigned> d_level;

  if (!analysis->a.n) return SPTRSV_SUCCESS;
  SPTRSV_TRY(d_level.create(analysis->a.n));
  SPTRSV_TRY(levels_by_rows(triangle_rows(analysis, side), side == SPTRSV_UPPER, d_level));
  SPTRSV_CUDA(cudaMemcpy(level, d_level, (size_t)analysis->a.n * sizeof(int), cudaMemcpyDeviceToHost));
  return SPTRSV_SUCCESS;
}
