/* Levels and potentials on the GPU, in one launch: the sweep's own dependencies, with max in place of multiply and add. */
#include <algorithm>
#include "../device/launch.cuh"
#include "../device/tickets.cuh"
#include "paths.cuh"

namespace {

using namespace sptrsv;

constexpr int AHEAD = 8; /* loads of one row in flight */

/* What a path is at its end, given what it is one entry before; and of two paths the longer one */
struct Levels {
  using Length                    = unsigned;
  static constexpr Length UNKNOWN = ~0u; /* not found yet */

  __device__ __forceinline__ Length after(Length before, int) const { return before + 1; }
  __device__ __forceinline__ Length longer(Length a, Length b) const { return max(a, b); }
};

struct Potentials {
  using Length                    = unsigned long long;
  static constexpr Length UNKNOWN = ~0ull;
  int                     bound[2];

  __device__ __forceinline__ Length after(Length before, int distance) const
  {
    return before + (distance >= bound[1] ? 1ull << 32 : distance >= bound[0] ? 1 : 0);
  }
  __device__ __forceinline__ Length longer(Length a, Length b) const { return larger_halves(a, b); }
};

/* A thread per row, writing first: a row that lacks a level stays in the loop, in which the other rows of its warp can finish, and rows of
   other warps have earlier tickets.  So every wait ends. */
template <class Paths>
__global__ void paths_kernel(Tickets tickets, Adjacency needs, bool backwards, Paths paths, typename Paths::Length *length)
{
  using Length   = typename Paths::Length;
  const int lane = threadIdx.x % WARP;
  Turn      turn(tickets, lane);

  for (unsigned g = turn.start; g < tickets.work; g = turn.share(turn.take())) {
    const int k = (int)g * WARP + lane, i = backwards ? needs.n - 1 - k : k;
    bool      mine   = k < needs.n;
    int       j      = mine ? first_of(needs, i) : 0;
    const int end    = mine ? needs.end[i] : 0;
    Length    l      = 0;
    unsigned  rounds = 0;

    while (goes_on(mine)) {
      Length needed[AHEAD];
      bool   ready = mine;

      if (!mine) continue;
#pragma unroll
      for (int q = 0; q < AHEAD; q++) needed[q] = j + q < end ? load_relaxed(length + needs.idx[j + q]) : Paths::UNKNOWN;
#pragma unroll
      for (int q = 0; q < AHEAD; q++) {
        ready = ready && needed[q] != Paths::UNKNOWN;
        if (ready) {
          l      = paths.longer(l, paths.after(needed[q], abs(i - needs.idx[j])));
          rounds = 0; /* this row goes on: a long row that does is not waiting */
          j++;
        }
      }
      if (j == end) {
        store_relaxed(length + i, l);
        mine = false;
      } else if (++rounds >= turn.limit && turn.gives_up(rounds)) j = end;
    }
    __syncwarp();
  }
}

template <class Paths> SptrsvStatus find_paths(const Adjacency &needs, bool backwards, const Paths &paths, typename Paths::Length *length)
{
  const int    groups = (needs.n + WARP - 1) / WARP, warps = 4; /* of a block */
  SptrsvMemory memory = {};
  Tickets      tickets;
  int          processors;

  SPTRSV_CUDA(cudaMemsetAsync(length, 0xff, (size_t)needs.n * sizeof(*length)));
  SPTRSV_TRY(count_processors(&processors));
  const int    blocks = std::max(1, std::min(2 * processors, (groups + warps - 1) / warps)); /* few: warps that poll slow down the others */
  SptrsvStatus status = tickets_create(&memory, groups, (size_t)blocks * warps, &tickets);
  if (!status)
    status = sptrsvCudaStatus(launch(paths_kernel<Paths>, blocks, WARP * warps, nullptr, tickets, needs, backwards, paths, length));
  if (!status) status = sptrsvCudaStatus(cudaStreamSynchronize(nullptr));
  if (!status && *tickets.stalled) status = SPTRSV_STALLED;
  sptrsvMemoryFree(&memory);
  return status;
}

} // namespace

SptrsvStatus sptrsv::levels_by_rows(const Adjacency &needs, bool backwards, unsigned *level)
{
  return find_paths(needs, backwards, Levels(), level);
}

SptrsvStatus sptrsv::potentials_by_rows(const Adjacency &needs, bool backwards, const int bound[2], unsigned long long *potential)
{
  return find_paths(needs, backwards, Potentials{{bound[0], bound[1]}}, potential);
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
