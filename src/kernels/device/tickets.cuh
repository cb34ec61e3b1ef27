/*
   Work of a launch, handed out by tickets in the order of execution.  Work that a warp waits for has an earlier ticket than its own, so it
   is finished or belongs to a warp that runs too.  So waits end, whatever the order in which the hardware starts blocks, and however few
   fit on the GPU.

   The counter is never reset.  Each of the `warps` warps of a launch ends with one ticket past the last, so a launch takes exactly
   work + warps tickets, and the quotient tells the number of launches before.  From its parity follows which of two buffers of unknowns
   this launch fills, and which it re-arms for the next one.  Nothing has to be cleared between launches, and all of it can be captured.
   A launch in which each block takes one ticket, and no more, has `warps` 0.
*/
#pragma once
#include "values.cuh"

namespace sptrsv {

struct Tickets {
  unsigned long long *counter;
  unsigned            work, warps;
  unsigned           *stalled; /* in pinned host memory: a warp gave up */
  unsigned           *signs;   /* of life, beside the tickets; never reset */
};

/*
   A wait is given up when nothing is done any more, and not when it is long.  A sign of life is a ticket that is taken and, within the work
   of a ticket, every SPTRSV_SIGN entries or so (work_goes_on()).  The patience of a warp begins anew at each sign.  doc/reliability.md
   says why a sound wait is never given up.
*/
#if !defined(SPTRSV_PATIENCE)
  #define SPTRSV_PATIENCE (1u << 22) /* rounds of polling without a sign: a second, more or less */
  #define SPTRSV_GLANCE   (1u << 16) /* rounds after which a warp looks for signs, and whether another one gave up; divides the patience */
  #define SPTRSV_SIGN     (1u << 12)
#endif

/* A warp or block that takes tickets and waits; it ends waits that would not end */
class Waiter {
public:
  /*
     For loops that poll.  In each round they ask stays(), best behind the loads, which take longer; and if a wait goes on when that is
     false gives_up(), outside of an inner loop, so that the loop stays short.  The inner loop is not to be unrolled.

     Only a plan whose memory was overwritten makes a wait without signs.  Then the warp tells the host, takes a NaN for each value it
     lacks, and does not wait again.  So every row still gets a value and is re-armed, every ticket is taken, and the launch ends.
  */
  __device__ __forceinline__ bool stays() { return --left % SPTRSV_GLANCE; }
  __device__ __forceinline__ bool gives_up() { return look(counter, signs, stalled, seen, left); }
  /* The same by a call, for kernels with so many waits that their code would be too long */
  __device__ __forceinline__ bool gives_up_by_call()
  {
    const Look now = look_by_call(counter, signs, stalled, seen, left);

    seen = now.seen;
    left = now.left;
    return left == 1;
  }

  /* For loops of work that the size of a ticket does not bound.  place: an entry's, or an unknown's; lanes and rounds leave out none, or
     each lane goes `step` further with each round. */
  __device__ __forceinline__ void work_goes_on(unsigned place, unsigned step = 1) const
  {
    if (place % SPTRSV_SIGN < step) add_relaxed(signs, 1u);
  }

  unsigned start;  /* the first ticket */
  int      parity; /* of the launches so far */

protected:
  explicit __device__ __forceinline__ Waiter(const Tickets &tickets)
      : counter(tickets.counter), stalled(tickets.stalled), signs(tickets.signs)
  {}
  __device__ __forceinline__ void begin(const Tickets &tickets, unsigned long long first)
  {
    const unsigned           per_launch = tickets.work + tickets.warps;
    const unsigned long long launch     = first / per_launch;

    base   = launch * per_launch;
    parity = (int)(launch & 1);
    start  = (unsigned)(first - base);
  }

  unsigned long long *counter, base;

private:
  struct Look {
    unsigned seen, left;
  };

  static __device__ __forceinline__ bool look(const unsigned long long *counter, const unsigned *signs, unsigned *stalled, unsigned &seen,
                                              unsigned &left)
  {
    const unsigned now = (unsigned)load_relaxed(counter) + load_relaxed(signs);

    if (now != seen) {
      seen = now;
      left = SPTRSV_PATIENCE;
    } else if ((int)left <= 0) store_relaxed(stalled, 1);
    const bool over = load_relaxed(stalled);
    if (over) left = 1;
    return over;
  }
  static __device__ __noinline__ Look look_by_call(const unsigned long long *counter, const unsigned *signs, unsigned *stalled,
                                                   unsigned seen, unsigned left)
  {
    (void)look(counter, signs, stalled, seen, left);
    return {seen, left};
  }

  unsigned *stalled, *signs;
  unsigned  left = SPTRSV_PATIENCE; /* rounds before it gives up, fewer if waits ended; 1 if it did */
  unsigned  seen = 0;               /* the sum of tickets and signs */
};

/* Spins until the unknown has its value; for unknowns of earlier tickets.  A NaN if it gives up. */
template <class V> __device__ __forceinline__ V await(const V *x, Waiter &waiter)
{
  Unknown<V> v;

  do {
#pragma unroll 1
    do v = poll(x);
    while (!v.is_ready() && waiter.stays());
  } while (!v.is_ready() && !waiter.gives_up());
  return v.value();
}

/* Spins until left(), which acquires, is zero; for counts that earlier tickets bring to zero.  False: it gave up. */
template <class F> __device__ __forceinline__ bool await_nothing(F left, Waiter &waiter)
{
  unsigned some;

  do {
#pragma unroll 1
    do some = left();
    while (some && waiter.stays());
  } while (some && !waiter.gives_up());
  return !some;
}
__device__ __forceinline__ bool await_zero(const unsigned *counter, Waiter &waiter)
{
  return await_nothing([=] { return load_acquire(counter); }, waiter);
}

/* A warp.  `take` takes a ticket on lane 0, `share` gives it to all lanes. */
class Turn : public Waiter {
public:
  __device__ __forceinline__ Turn(const Tickets &tickets, int lane) : Waiter(tickets), lane(lane)
  {
    begin(tickets, __shfl_sync(ALL_LANES, lane ? 0 : take_ticket(counter), 0));
  }
  __device__ __forceinline__ unsigned take() const { return lane ? 0 : (unsigned)(take_ticket(counter) - base); }
  __device__ __forceinline__ unsigned share(unsigned ticket) const { return __shfl_sync(ALL_LANES, ticket, 0); }

private:
  int lane;
};

/* A block, which counts as one of the launch's `warps`.  All its threads call `next` together, and see after it what the block wrote
   before. */
class BlockTurn : public Waiter {
public:
  explicit __device__ __forceinline__ BlockTurn(const Tickets &tickets) : Waiter(tickets) { begin(tickets, take()); }
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

/* counters: one for each launch that is under way at the same time; these share their signs of life, whose word follows */
inline SptrsvStatus tickets_create(SptrsvMemory *memory, size_t work, size_t warps, Tickets *tickets, size_t counters = 1)
{
  tickets->work  = (unsigned)work;
  tickets->warps = (unsigned)warps;
  SPTRSV_TRY(sptrsvPinnedAllocate(memory, sizeof(*tickets->stalled), (void **)&tickets->stalled));
  *tickets->stalled = 0;
  SPTRSV_TRY(sptrsvDeviceAllocateZeroed(memory, (counters + 1) * sizeof(*tickets->counter), (void **)&tickets->counter));
  tickets->signs = (unsigned *)(tickets->counter + counters);
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
