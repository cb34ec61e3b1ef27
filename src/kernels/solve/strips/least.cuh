/* A set of small numbers in shared memory, whose least ones are taken, WARP at a time. */
#pragma once
#include "../../device/device.cuh"

namespace sptrsv {

/* Sum over the lanes before this one; every lane of the warp takes part */
__device__ __forceinline__ int sum_before(int lane, int v)
{
  int sum = v;

  for (int step = 1; step < WARP; step *= 2) {
    const int before = __shfl_sync(ALL_LANES, sum, max(lane - step, 0));

    if (lane >= step) sum += before;
  }
  return sum - v;
}

/* Of the numbers 0 … MOST - 1, at most BITS^3 */
template <int MOST> class LeastFirst {
public:
  /* By all of the block's threads */
  __device__ __forceinline__ void clear()
  {
    for (int w = threadIdx.x; w < WORDS; w += blockDim.x) has[w] = 0;
    for (int w = threadIdx.x; w < BITS; w += blockDim.x) some[w] = 0;
  }

  __device__ __forceinline__ void add(int number)
  {
    atomicOr(has + number / BITS, 1u << number % BITS);
    atomicOr(some + number / BITS / BITS, 1u << number / BITS % BITS);
  }

  /* Takes the least ones, up to WARP, to `list` [WARP] in shared memory; by one warp.  Returns their number. */
  __device__ __forceinline__ int take(int lane, int *list)
  {
    const unsigned not_empty = lane < BITS ? some[lane] : 0;
    const int      at        = sum_before(lane, count_lanes(not_empty));

    (void)list_bits(not_empty, lane * BITS, at, words);
    const int filled = __shfl_sync(ALL_LANES, at + count_lanes(not_empty), WARP - 1);
    __syncwarp();
    const int      word  = lane < filled ? words[lane] : 0;
    const unsigned bits  = lane < filled ? has[word] : 0;
    const int      slot  = sum_before(lane, count_lanes(bits));
    const unsigned left  = list_bits(bits, word * BITS, slot, list);
    const int      count = __shfl_sync(ALL_LANES, slot + count_lanes(bits), WARP - 1);

    if (bits != left) has[word] = left;
    if (bits && !left) atomicSub(some + word / BITS, 1u << word % BITS);
    __syncwarp();
    return min(WARP, count);
  }

private:
  static constexpr int BITS = 32, WORDS = (MOST + BITS - 1) / BITS;
  static_assert(WORDS <= BITS * BITS);

  /* Puts base + k for each bit k to `list` from `at` on, as far as it has room; returns the bits that are left */
  static __device__ __forceinline__ unsigned list_bits(unsigned bits, int base, int at, int *list)
  {
    for (; bits && at < WARP; bits &= bits - 1) list[at++] = base + __ffs((int)bits) - 1;
    return bits;
  }

  unsigned has[WORDS], some[BITS]; /* a bit for each number; and for each word that is not 0 */
  int      words[WARP];
};

} // namespace sptrsv
