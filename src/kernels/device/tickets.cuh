/*
   Work of a launch, handed out by tickets in the order of execution.  Whoever runs has a ticket, and what it waits for has an earlier
   one, so it is finished or belongs to a warp that runs too: waits end whatever the order in which the hardware starts blocks, and
   however few fit on the GPU.

   The counter is never reset.  Each of the `warps` warps of a launch ends with one ticket past the last, so a launch takes exactly
   work + warps tickets, and the quotient tells how many launches went before: from it comes which of two buffers of unknowns this
   launch fills and which it re-arms for the next one.  Nothing has to be cleared between launches, and all of it can be captured.
   A launch of as many blocks as there is work, one ticket to each, has `warps` 0.
*/
#pragma once
#include "device.cuh"

namespace sptrsv {

struct Tickets {
  unsigned long long *counter;
  unsigned            work, warps;
  unsigned           *stalled; /* in pinned host memory: somebody gave up */
};

/* An honest wait takes a few rounds of polling for each chunk in the hands of a warp that runs: some ten thousand on the largest GPU. */
constexpr unsigned PATIENCE = 1u << 22; /* rounds of one wait, some seconds */
constexpr unsigned GLANCE   = 1u << 16; /* rounds after which a warp looks whether another one gave up */

/* A place in that order, and the end of waits that would have none */
class Place {
public:
  /*
     For loops that poll.  They count their rounds in an inner loop that ends at the limit, so that it stays short, and then ask here
     whether to give up.

     Only a plan whose memory was overwritten makes a wait longer than PATIENCE.  Then the warp tells the host, goes on without what it
     lacks, a NaN, and does not wait again.  So every row still gets a value and is re-armed, every ticket is taken, and the launch ends.
  */
  __device__ __forceinline__ bool gives_up(unsigned rounds)
  {
    if (rounds >= PATIENCE) store_relaxed(stalled, 1);
    const bool over = load_relaxed(stalled);
    limit           = over ? 0 : rounds + GLANCE;
    return over;
  }

  unsigned start;          /* the first ticket */
  int      parity;         /* of the launches so far */
  unsigned limit = GLANCE; /* rounds of a wait after which to ask again */

protected:
  explicit __device__ __forceinline__ Place(const Tickets &t) : counter(t.counter), stalled(t.stalled) {}
  __device__ __forceinline__ void begin(const Tickets &t, unsigned long long first)
  {
    const unsigned           per_launch = t.work + t.warps;
    const unsigned long long launch     = first / per_launch;

    base   = launch * per_launch;
    parity = (int)(launch & 1);
    start  = (unsigned)(first - base);
  }

  unsigned long long *counter, base;

private:
  unsigned *stalled;
};

/* Spins until the unknown has its value; for unknowns of earlier tickets.  A NaN if it gives up. */
template <class V> __device__ __forceinline__ V await(const V *x, Place &place)
{
  using W         = Word<V>;
  unsigned rounds = 0;

  typename W::type v;
  do {
    do v = poll(x);
    while (v == W::NOT_READY && ++rounds < place.limit);
  } while (v == W::NOT_READY && !place.gives_up(rounds));
  return W::value(v);
}

/* Spins until left(), which acquires, is zero, and then sees what was done before; for what earlier tickets bring to zero.  False: it gave
   up. */
template <class F> __device__ __forceinline__ bool await_nothing(F left, Place &place)
{
  unsigned rounds = 0, some;

  do {
    do some = left();
    while (some && ++rounds < place.limit);
  } while (some && !place.gives_up(rounds));
  return !some;
}
__device__ __forceinline__ bool await_zero(const unsigned *counter, Place &place)
{
  return await_nothing([=] { return load_acquire(counter); }, place);
}

/* A warp's.  `take` is for lane 0; what it returns counts on lane 0 only, until `share` gives it to all lanes. */
class Turn : public Place {
public:
  __device__ __forceinline__ Turn(const Tickets &t, int lane) : Place(t), lane(lane)
  {
    begin(t, __shfl_sync(ALL_LANES, lane ? 0 : take_ticket(counter), 0));
  }
  __device__ __forceinline__ unsigned take() const { return lane ? 0 : (unsigned)(take_ticket(counter) - base); }
  __device__ __forceinline__ unsigned share(unsigned ticket) const { return __shfl_sync(ALL_LANES, ticket, 0); }

private:
  int lane;
};

/* A block's, which counts as one of the launch's `warps`.  All its threads call `next` together; what the block wrote before is seen by all
   its threads after. */
class BlockTurn : public Place {
public:
  explicit __device__ __forceinline__ BlockTurn(const Tickets &t) : Place(t) { begin(t, take()); }
  __device__ __forceinline__ unsigned next() const { return (unsigned)(take() - base); }

private:
  __device__ __forceinline__ unsigned long long take() const
  {
    __shared__ unsigned long long ticket;

    __syncthreads(); /* all have read the one before */
    if (!threadIdx.x) ticket = take_ticket(counter);
    __syncthreads();
    return ticket;
  }
};

/* Bytes on the device are added to *total; counters: one for each launch that is on its way at the same time */
inline SptrsvStatus tickets_create(size_t work, size_t warps, Tickets *t, size_t *total, size_t counters = 1)
{
  t->work  = (unsigned)work;
  t->warps = (unsigned)warps;
  SPTRSV_CUDA(cudaHostAlloc((void **)&t->stalled, sizeof(*t->stalled), cudaHostAllocMapped));
  *t->stalled = 0;
  return sptrsvDeviceAllocateZeroed(counters * sizeof(*t->counter), (void **)&t->counter, total);
}

inline void tickets_destroy(Tickets *t)
{
  sptrsvDeviceFree(t->counter);
  (void)cudaFreeHost(t->stalled);
}

} // namespace sptrsv
