/*
   The emulator's own tests: programs of a few lines with a known answer, some of them broken in ways that it must see.  Each runs under
   many seeds; every allowed outcome must appear at least once, and no forbidden one.  Streams have theirs in litmus_streams.cu.
*/
#include "../../src/kernels/device/tickets.cuh"
#include "litmus_run.h"

namespace {

using namespace sptrsv;

/* ----------------------------------------------------------- programs ------------------------------------------------------ */

/* Message passing: data, then a flag, from block 0 to block 1.  out: the values that the reader saw.  It looks for the flag once, or a few
   times, so that it comes to the data in every mode. */
template <bool FENCES, bool PLAIN, int LOOKS = 1> __global__ void message_kernel(unsigned *data, unsigned *flag, unsigned *out)
{
  if (threadIdx.x) return;
  if (!blockIdx.x) {
    if (PLAIN) *data = 1;
    else store_relaxed(data, 1);
    if (FENCES) __threadfence();
    store_relaxed(flag, 1);
  } else {
    unsigned seen = 0;

    for (int k = 0; k < LOOKS && !seen; k++) seen = load_relaxed(flag);
    if (FENCES) __threadfence();
    if (!PLAIN) out[1] = load_relaxed(data);
    else if (seen) out[1] = *data;
    out[0] = seen;
  }
}

/* The same between two warps of block 0 or, wrongly, between blocks, with fences and a flag at block scope */
template <bool BLOCKS> __global__ void block_message_kernel(unsigned *data, unsigned *flag, unsigned *out)
{
  const unsigned reader = BLOCKS ? blockIdx.x : threadIdx.x / WARP;

  if (threadIdx.x % WARP || (BLOCKS ? threadIdx.x : blockIdx.x)) return;
  if (!reader) {
    *data = 1;
    __threadfence_block();
    (void)atomicAdd_block(flag, 1u);
  } else {
    out[0] = atomicAdd_block(flag, 0u);
    __threadfence_block();
    if (out[0]) out[1] = *data;
  }
}

/* With a counter in place of the flag, between blocks or, inside block 0, between warps.  A third thread counts too: its
   read-modify-write keeps the release of the first one. */
enum class Counter { RELAXED, ACQUIRED, RELEASED, BOTH, IN_BLOCK };
template <Counter HOW, bool BLOCKS, int LOOKS = 1> __global__ void counter_kernel(unsigned *data, unsigned *count, unsigned *out)
{
  const unsigned reader = BLOCKS ? blockIdx.x : threadIdx.x / WARP;

  if (threadIdx.x % WARP || (BLOCKS ? !blockIdx.x && threadIdx.x : blockIdx.x > 0)) return;
  if (!reader) {
    *data = 1;
    if (HOW == Counter::IN_BLOCK) subtract_release_block(count, 1);
    else if (HOW == Counter::RELEASED || HOW == Counter::BOTH) subtract_release(count, 1);
    else (void)atomicSub(count, 1u);
  } else if (threadIdx.x / WARP == 1) {
    unsigned seen = 0;

    for (int k = 0; k < LOOKS && !(seen & 1); k++) { /* the third thread counts by two */
      seen = HOW == Counter::IN_BLOCK                           ? load_acquire_block(count)
             : HOW == Counter::ACQUIRED || HOW == Counter::BOTH ? load_acquire(count)
                                                                : load_relaxed(count);
    }
    out[0] = seen & 1;
    if (seen & 1) out[1] = *data;
  } else (void)atomicAdd(count, 2u);
}

/* All threads add to a sum and count; a thread that sees the full count sees the full sum */
template <bool SHARED> __global__ void sum_kernel(unsigned *data, unsigned *count, unsigned *out)
{
  __shared__ float    sum;
  __shared__ unsigned missing;
  float *const        total = SHARED ? &sum : (float *)data;
  const unsigned      all   = SHARED ? blockDim.x : gridDim.x * blockDim.x;

  if (SHARED && !threadIdx.x) {
    sum     = 0;
    missing = 0;
  }
  __syncthreads();
  add_relaxed(total, 1.0f);
  if (SHARED) subtract_release_block(&missing, 1);
  else subtract_release(count, 1);
  if (threadIdx.x || (!SHARED && blockIdx.x)) return;
  while ((SHARED ? load_acquire_block(&missing) : load_acquire(count)) != 0u - all) {}
  out[blockIdx.x] = *total == (float)all;
}

/* Both blocks take five tickets together, and one each past the last: seven in out's two words */
__global__ void block_turn_kernel(unsigned *signs, unsigned *stalled, unsigned *out)
{
  BlockTurn turn({(unsigned long long *)out, 5, 2, stalled, signs});

  for (unsigned t = turn.start; t < 5; t = turn.next()) {}
}

/* Store buffering: each thread writes its own flag and reads the other's */
__global__ void buffering_kernel(unsigned *data, unsigned *flag, unsigned *out)
{
  unsigned *mine = blockIdx.x ? flag : data, *other = blockIdx.x ? data : flag;

  if (threadIdx.x) return;
  store_relaxed(mine, 1);
  out[blockIdx.x] = load_relaxed(other);
}

/* Coherence: two relaxed loads of one location by one thread never go back in time */
__global__ void coherence_kernel(unsigned *data, unsigned *, unsigned *out)
{
  if (threadIdx.x) return;
  if (!blockIdx.x) store_relaxed(data, 1);
  else {
    out[0] = load_relaxed(data);
    out[1] = load_relaxed(data);
  }
}

/* Lane 0 passes a value to lane 1 by a plain store */
template <bool SYNC> __global__ void neighbours_kernel(unsigned *data, unsigned *, unsigned *out)
{
  if (blockIdx.x) return;
  if (!threadIdx.x) *data = 1;
  if (SYNC) __syncwarp();
  else (void)__ballot_sync(ALL_LANES, 1);
  if (threadIdx.x == 1) out[0] = *data;
}

/* Shared memory belongs to a block, and stores are seen after the barrier */
template <bool BARRIER> __global__ void shared_kernel(unsigned *, unsigned *, unsigned *out)
{
  __shared__ unsigned word[2 * WARP];

  word[threadIdx.x] = threadIdx.x + 100 * blockIdx.x;
  if (BARRIER) __syncthreads();
  if (!threadIdx.x) out[blockIdx.x] = word[2 * WARP - 1];
}

/* Block 0 looks at the flag with its first step, block 1 sets it with its last one */
__global__ void far_behind_kernel(unsigned *data, unsigned *flag, unsigned *out)
{
  if (threadIdx.x) return;
  if (!blockIdx.x) out[0] = load_relaxed(flag);
  else {
    for (int k = 0; k < 200; k++) (void)atomicAdd(data, 1u);
    store_relaxed(flag, 1);
  }
}

/* Of a thread's stores to one place the last remains, also if it ends before they are visible */
__global__ void twice_kernel(unsigned *data, unsigned *, unsigned *out)
{
  if (threadIdx.x) return;
  for (unsigned k = 2; !blockIdx.x && k--;) *(volatile unsigned *)out = k;
  for (int k = 0; blockIdx.x && k < 200; k++) (void)atomicAdd(data, 1u);
}

__global__ void halves_kernel(unsigned *, unsigned *, unsigned *out)
{
  for (int k = 0; !blockIdx.x && !threadIdx.x && k < 2; k++) ((volatile unsigned short *)out)[k] = !k;
}

__global__ void out_of_bounds_kernel(unsigned *data, unsigned *, unsigned *)
{
  if (!blockIdx.x && !threadIdx.x) data[1] = 1;
}

__global__ void never_written_kernel(unsigned *, unsigned *flag, unsigned *out)
{
  unsigned *fresh = flag + 1;
  if (!blockIdx.x && !threadIdx.x) out[0] = *fresh;
}

__global__ void plain_poll_kernel(unsigned *, unsigned *flag, unsigned *)
{
  if (threadIdx.x) return;
  if (!blockIdx.x) store_relaxed(flag, 1);
  else
    while (!*(volatile unsigned *)flag) {}
}

/* Block 0 looks for the flag a few times, then goes on without it; block 1 waits for block 0 before it sets the flag */
__global__ void counted_looks_kernel(unsigned *data, unsigned *flag, unsigned *out)
{
  if (threadIdx.x) return;
  if (!blockIdx.x) {
    unsigned seen = 0;

    for (int k = 0; k < 9 && !seen; k++) seen = load_relaxed(flag);
    out[0] = seen;
    store_relaxed(data, 1);
  } else {
    while (!load_relaxed(data)) {}
    store_relaxed(flag, 1);
    out[1] = 1;
  }
}

/* A lane waits for the next one of its warp */
__global__ void own_warp_kernel(unsigned *, unsigned *flag, unsigned *)
{
  if (blockIdx.x || threadIdx.x > 1) return;
  if (!threadIdx.x)
    while (!load_relaxed(flag)) {}
  if (threadIdx.x == 1) store_relaxed(flag, 1);
}

/* The first block waits for the last one */
__global__ void last_block_kernel(unsigned *, unsigned *flag, unsigned *)
{
  if (threadIdx.x) return;
  if (blockIdx.x + 1 == gridDim.x) store_relaxed(flag, 1);
  else
    while (!load_relaxed(flag)) {}
}

/* Two threads wait for each other */
__global__ void circle_kernel(unsigned *data, unsigned *flag, unsigned *)
{
  unsigned *mine = blockIdx.x ? flag : data, *other = blockIdx.x ? data : flag;

  if (threadIdx.x) return;
  while (!load_relaxed(other)) {}
  store_relaxed(mine, 1);
}

/* A vote that not all lanes reach: C's && */
__global__ void lazy_vote_kernel(unsigned *, unsigned *, unsigned *out)
{
  const bool vote = threadIdx.x && __any_sync(ALL_LANES, threadIdx.x == 5);

  if (__ballot_sync(ALL_LANES, vote) && !threadIdx.x) out[0] = 1;
}

__global__ void ended_kernel(unsigned *, unsigned *, unsigned *)
{
  if (threadIdx.x == 3) return;
  (void)__any_sync(ALL_LANES, 1);
}

__global__ void divergent_barrier_kernel(unsigned *, unsigned *, unsigned *)
{
  if (threadIdx.x < WARP) __syncthreads();
}

void in_every_mode(Mode mode)
{
  caught("message passing with plain data", message_kernel<false, true, 9999>, mode, "race");
  caught("message passing in a block between blocks", block_message_kernel<true>, mode, "block scope");
  caught("a relaxed counter", counter_kernel<Counter::RELAXED, true, 9999>, mode, "race", 2 * WARP);
  caught("a counter, acquired only", counter_kernel<Counter::ACQUIRED, true, 9999>, mode, "race", 2 * WARP);
  caught("a counter, released only", counter_kernel<Counter::RELEASED, true, 9999>, mode, "race", 2 * WARP);
  caught("a counter at block scope between blocks", counter_kernel<Counter::IN_BLOCK, true, 9999>, mode, "block scope", 2 * WARP);
  caught("a plain store and a vote", neighbours_kernel<false>, mode, "race");
  caught("shared memory without a barrier", shared_kernel<false>, mode, "", 2 * WARP); /* race, or not written yet */
  caught("polling by plain loads", plain_poll_kernel, mode, "race");
  caught("two that wait for each other", circle_kernel, mode, "deadlock");
  caught("a store out of bounds", out_of_bounds_kernel, mode, "out of bounds");
  caught("memory never written", never_written_kernel, mode, "never written");
  caught("a vote behind &&", lazy_vote_kernel, mode, "lanes meet in different places");
  caught("a vote that an ended lane misses", ended_kernel, mode, "a thread ended without");
  caught("__syncthreads in divergent code", divergent_barrier_kernel, mode, "", 2 * WARP);
}

} // namespace

int main(int argc, char **argv)
{
  (void)test_begin("litmus", argc, argv);
  (void)sptrsvDeviceCount(); /* the emulator reads its environment */

  outcomes("message passing, all relaxed", message_kernel<false, false>, Mode::WEAK, "1111");
  outcomes("message passing with fences", message_kernel<true, true>, Mode::WEAK, "1001");
  outcomes("message passing with fences, all relaxed", message_kernel<true, false>, Mode::WEAK, "1101");
  outcomes("message passing, all relaxed", message_kernel<false, false>, Mode::RANDOM, "1101");
  outcomes("message passing in a block", block_message_kernel<false>, Mode::WEAK, "1001", 2 * WARP);
  outcomes("a counter, released and acquired", counter_kernel<Counter::BOTH, true>, Mode::WEAK, "1001", 2 * WARP);
  outcomes("a counter between warps", counter_kernel<Counter::BOTH, false>, Mode::WEAK, "1001", 3 * WARP);
  outcomes("a counter at block scope", counter_kernel<Counter::IN_BLOCK, false>, Mode::WEAK, "1001", 3 * WARP);
  outcomes("stores to halves of a word", halves_kernel, Mode::WEAK, "0010");
  outcomes("two stores to one place", twice_kernel, Mode::WEAK, "1000");
  outcomes("a sum and its count", sum_kernel<false>, Mode::WEAK, "0010");
  outcomes("a sum and its count in shared memory", sum_kernel<true>, Mode::WEAK, "0001");
  outcomes("tickets of blocks", block_turn_kernel, Mode::WEAK, "0010", 2 * WARP);
  outcomes("tickets of blocks", block_turn_kernel, Mode::LOCKSTEP, "0010", 2 * WARP);
  outcomes("store buffering", buffering_kernel, Mode::WEAK, "1111");
  outcomes("coherence", coherence_kernel, Mode::WEAK, "1101");
  outcomes("a plain store and __syncwarp", neighbours_kernel<true>, Mode::WEAK, "0010");
  outcomes("shared memory", shared_kernel<true>, Mode::WEAK, "0001", 2 * WARP);
  outcomes("waiting for one's own warp", own_warp_kernel, Mode::STARVE, "1000");
  caught("waiting for one's own warp", own_warp_kernel, Mode::LOCKSTEP, "deadlock");
  outcomes("waiting for the last block", last_block_kernel, Mode::POLLERS, "1000");
  caught("waiting for the last block", last_block_kernel, Mode::RESIDENT, "deadlock");
  outcomes("a thread far behind", far_behind_kernel, Mode::RANDOM, "1000");
  for (Mode mode : {Mode::LAG, Mode::RUSH, Mode::PRIORITY}) {
    outcomes("a thread far behind", far_behind_kernel, mode, "1010");
    outcomes("store buffering", buffering_kernel, mode, "0111");
  }
  for (int m = 0; m < simt::MODES; m++) {
    if ((Mode)m != Mode::RESIDENT) outcomes("looks that are counted end", counted_looks_kernel, (Mode)m, "0100");
    in_every_mode((Mode)m);
  }
  return test_end();
}
