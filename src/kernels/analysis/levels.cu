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

struct Measured {
  unsigned long long nnz;
  int                longest, last; /* of the rows and of the levels */
};

__global__ void measure_kernel(Adjacency needs, const int *level, Measured *sum)
{
  Measured own = {};

  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < needs.n; i += gridDim.x * blockDim.x) {
    const int length = needs.end[i] - first_of(needs, i);

    own.nnz += (unsigned long long)length;
    own.longest = max(own.longest, length);
    own.last    = max(own.last, level[i]);
  }
  add_relaxed(&sum->nnz, own.nnz);
  atomicMax(&sum->longest, own.longest);
  atomicMax(&sum->last, own.last);
}

__global__ void count_kernel(int n, const int *level, int *count)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) add_relaxed(count + level[i], 1);
}

constexpr size_t FEW_ROWS = 1 << 16; /* threads of a reduction, each of which ends with atomics on one place */

SptrsvStatus measure_rows(const Adjacency &needs, const int *level, SptrsvStatistics *statistics)
{
  Scratch<Measured> d_sum;
  Measured          sum;

  SPTRSV_TRY(d_sum.create(1));
  SPTRSV_CUDA(cudaMemsetAsync(d_sum, 0, sizeof(sum), nullptr));
  SPTRSV_CUDA(launch(measure_kernel, blocks_for(std::min((size_t)needs.n, FEW_ROWS)), BLOCK, nullptr, needs, level, d_sum));
  SPTRSV_TRY(read_back((Measured *)d_sum, &sum));
  statistics->nnz     = (int64_t)sum.nnz;
  statistics->longest = sum.longest;
  statistics->levels  = sum.last + 1;
  return SPTRSV_SUCCESS;
}

SptrsvStatus point_to_levels(int n, const int *level, int levels, int **level_ptr)
{
  Scratch<int> count;

  SPTRSV_TRY(count.create(levels));
  SPTRSV_CUDA(cudaMemsetAsync(count, 0, (size_t)levels * sizeof(int), nullptr));
  SPTRSV_CUDA(launch(count_kernel, blocks_for(n), BLOCK, nullptr, n, level, count));
  SPTRSV_TRY(sptrsvNew(levels + 1, level_ptr));
  SPTRSV_TRY(read_back((int *)count, *level_ptr + 1, levels));
  for (int l = 0; l < levels; l++) (*level_ptr)[l + 1] += (*level_ptr)[l];
  return SPTRSV_SUCCESS;
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

SptrsvStatus sptrsv::levels_and_counts(const Adjacency &needs, bool backwards, int *level, SptrsvStatistics *statistics, int **level_ptr)
{
  SPTRSV_TRY(levels_by_rows(needs, backwards, (unsigned *)level));
  SPTRSV_TRY(measure_rows(needs, level, statistics));
  return point_to_levels(needs.n, level, (int)statistics->levels, level_ptr);
}

SptrsvStatus sptrsvDeviceLevels(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, SptrsvSweep *sweep)
{
  const int n = analysis->a.n;

  if (!n) return sptrsvNew(1, &sweep->level_ptr);
  if (op == SPTRSV_TRANSPOSE) SPTRSV_TRY(sptrsvDeviceTranspose(analysis));
  if (!sweep->d_level) SPTRSV_TRY(sptrsvDeviceNew(&analysis->memory, n, &sweep->d_level));
  return levels_and_counts(sweep_rows(analysis, triangle, op), sptrsvSide(triangle, op) == SPTRSV_UPPER, sweep->d_level, &sweep->statistics,
                           &sweep->level_ptr);
}
