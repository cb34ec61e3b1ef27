/*
   The emulator's own tests of races, in every mode: programs of a few lines with a race that their values do not show, asynchronous copies
   used too early, and programs that are right.
*/
#include <cuda_pipeline_primitives.h>
#include "../../src/kernels/device/values.cuh"
#include "litmus_run.h"

namespace {

using namespace sptrsv;

/* The ticket of BlockTurn without the barrier before it: a warp that lags reads the next one */
template <bool BARRIER> __global__ void ticket_kernel(unsigned *data, unsigned *, unsigned *out)
{
  __shared__ unsigned ticket;

  for (int k = 0; k < 2; k++) {
    if (BARRIER) __syncthreads();
    if (!threadIdx.x) ticket = atomicAdd(data, 1u);
    __syncthreads();
    if (threadIdx.x == WARP) out[blockIdx.x] += ticket;
  }
}

/* Races whose values are the right ones: a load before the store, two stores of one value, an atomic beside a plain load */
enum class Pair { LOAD_STORE, STORES, ATOMIC_LOAD };
template <Pair WHICH> __global__ void pair_kernel(unsigned *data, unsigned *, unsigned *out)
{
  if (threadIdx.x) return;
  if (!blockIdx.x) {
    if (WHICH == Pair::ATOMIC_LOAD) (void)atomicAdd(data, 0u);
    else *data = 0;
  } else if (WHICH == Pair::STORES) *data = 0;
  else out[0] = *data;
}

/* Not a race: each thread has a byte of its own */
__global__ void bytes_kernel(unsigned *data, unsigned *, unsigned *out)
{
  if (blockIdx.x) return;
  if (threadIdx.x < 4) ((unsigned char *)data)[threadIdx.x] = 1;
  __syncwarp();
  if (!threadIdx.x) out[0] = ((unsigned char *)data)[3];
}

/* An asynchronous copy to shared memory, read by another warp; without the wait, without the barrier, with its source stored to */
enum class Copy { RIGHT, NO_WAIT, NO_BARRIER, LATE_GROUP, SOURCE };
template <Copy HOW> __global__ void copy_kernel(unsigned *data, unsigned *, unsigned *out)
{
  __shared__ unsigned word[2];

  if (threadIdx.x == WARP) {
    __pipeline_memcpy_async(word, data, sizeof(unsigned));
    __pipeline_commit();
    if (HOW == Copy::SOURCE) *data = 1;
    __pipeline_memcpy_async(word + 1, data, sizeof(unsigned));
    __pipeline_commit();
    if (HOW != Copy::NO_WAIT) __pipeline_wait_prior(HOW == Copy::LATE_GROUP);
  }
  if (HOW != Copy::NO_BARRIER) __syncthreads();
  if (!threadIdx.x) out[blockIdx.x] = word[1] == 0;
  if (HOW == Copy::LATE_GROUP) __syncthreads();
}

struct alignas(16) Quad {
  unsigned w[4];
};

/* Sixteen bytes in shared memory at a time, loaded so often that the emulator takes it for a spin and lets other blocks run */
__global__ void quads_kernel(unsigned *, unsigned *, unsigned *out)
{
  __shared__ Quad place[WARP];
  Quad            own  = {{blockIdx.x, 0, 0, blockIdx.x}};
  bool            same = true;

  asm volatile("" : "+m"(own)); /* as a whole */
  place[threadIdx.x] = own;
  for (int k = 0; k < 200; k++) {
    Quad quad = place[threadIdx.x];

    asm volatile("" : "+m"(quad));
    same = same && quad.w[0] == blockIdx.x && quad.w[3] == blockIdx.x;
  }
  if (!same) out[blockIdx.x] = 1;
}

/* Two warps count in one place by turns, sixteen bytes a lane; without awaiting the turn, or passing it before the place is written */
enum class Hand { RIGHT, NOT_AWAITED, EARLY };
template <Hand HOW> __global__ void hand_kernel(unsigned *, unsigned *, unsigned *out)
{
  __shared__ Quad       place[WARP];
  __shared__ RelayCount passed;
  const int             lane = threadIdx.x % WARP;
  const Relay           relay(&passed, threadIdx.x / WARP, 2);
  unsigned              turn = threadIdx.x / WARP;

  __syncthreads();
  for (; turn < 5; turn += 2) {
    if (HOW != Hand::NOT_AWAITED) relay.await_turn(turn);
    const Quad quad = turn ? place[lane] : Quad{};

    if (quad.w[0] != turn || quad.w[3] != 2 * turn) out[0] = 1;
    if (HOW == Hand::EARLY) relay.pass_turn();
    place[lane] = {{turn + 1, 0, 0, 2 * turn + 2}};
    if (HOW != Hand::EARLY) relay.pass_turn();
  }
  if (turn == 5) relay.await_turn(5);
  if (!blockIdx.x && turn == 5 && !lane) out[1] = place[0].w[0] == 5;
}

void in_every_mode(Mode mode)
{
  outcomes("shared memory by turns", hand_kernel<Hand::RIGHT>, mode, "0100", 2 * WARP);
  caught("shared memory by turns, not awaited", hand_kernel<Hand::NOT_AWAITED>, mode, "", 2 * WARP);
  caught("shared memory by turns, passed early", hand_kernel<Hand::EARLY>, mode, "race", 2 * WARP);
  outcomes("sixteen bytes, loaded again and again", quads_kernel, mode, "1000");
  outcomes("tickets in shared memory", ticket_kernel<true>, mode, "0001", 2 * WARP);
  outcomes("bytes of a word", bytes_kernel, mode, "0010");
  outcomes("an asynchronous copy", copy_kernel<Copy::RIGHT>, mode, "0001", 2 * WARP);
  caught("tickets in shared memory without a barrier", ticket_kernel<false>, mode, "race", 2 * WARP);
  caught("a load and a store", pair_kernel<Pair::LOAD_STORE>, mode, "race");
  caught("two stores of one value", pair_kernel<Pair::STORES>, mode, "race");
  caught("an atomic and a load", pair_kernel<Pair::ATOMIC_LOAD>, mode, "race");
  caught("an asynchronous copy without a wait", copy_kernel<Copy::NO_WAIT>, mode, "not complete", 2 * WARP);
  caught("an asynchronous copy without a barrier", copy_kernel<Copy::NO_BARRIER>, mode, "", 2 * WARP);
  caught("an asynchronous copy, another group waited for", copy_kernel<Copy::LATE_GROUP>, mode, "not complete", 2 * WARP);
  caught("an asynchronous copy, its source stored to", copy_kernel<Copy::SOURCE>, mode, "source", 2 * WARP);
}

/* Once, without a judgement of the values */
bool is_failure(Kernel *kernel)
{
  const Seen seen = run(kernel, Mode::RANDOM, WARP, "race");

  return seen.failures > 0;
}

void intended_races()
{
  case_begin("races that are intended");
  {
    const RacesIntended here;
    expect(!is_failure(pair_kernel<Pair::STORES>), "they are reported");
  }
  expect(is_failure(pair_kernel<Pair::STORES>), "others after them are not");
  case_end();
}

/* The tests' NaN is the one that kernels mean (put_sentinel(), Word<V>::NOT_READY) */
void sentinels()
{
  unsigned long long wide   = 0;
  unsigned           narrow = 0;

  put_sentinel(SPTRSV_DOUBLE, &wide, 0);
  put_sentinel(SPTRSV_FLOAT, &narrow, 0);
  case_begin("the sentinel");
  expect(wide == Word<double>::NOT_READY && narrow == Word<float>::NOT_READY, "the kernels' is another one");
  case_end();
}

} // namespace

int main(int argc, char **argv)
{
  (void)test_begin("litmus of races", argc, argv);
  (void)sptrsvDeviceCount(); /* the emulator reads its environment */

  for (int m = 0; m < simt::MODES; m++) in_every_mode((Mode)m);
  intended_races();
  sentinels();
  return test_end();
}
