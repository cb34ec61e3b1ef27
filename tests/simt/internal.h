/* Declarations shared by the parts of the emulator. */
#pragma once
#include "include/cuda_runtime.h"
#include "simt.h"
#include <boost/context/detail/fcontext.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace simt {

/* Order of an access: plain; relaxed; acquire and release at the scope of the block, of the GPU */
enum class Order { PLAIN, RELAXED, BLOCK, GPU };

using Clock = std::shared_ptr<const std::vector<uint32_t>>; /* number of known writes of each thread of the launch */

struct Store {
  void    *p;
  size_t   size;
  uint64_t value;
  uint32_t number; /* of the thread's writes */
};

struct Warp;
struct Block;

struct Lane {
  enum State { READY, MEETING, DONE }; /* can run; in a vote, shuffle or barrier; ended */

  boost::context::detail::fcontext_t context;
  Block                             *block;
  Warp                              *warp;
  unsigned                           thread, lane, id; /* in its block, in its warp, in the launch */
  State                              state;
  size_t                             slot; /* in the list of threads that can run */
  const char                        *stack, *stack_end;
  const void                        *pc;     /* where it stopped last */
  const void                        *jumped; /* from here back to a new round of a loop; NULL: no jump back */
  bool                               writes;
  unsigned                           quiet; /* accesses since it stopped last */
  uint64_t                           seen;  /* changes of memory when it last ran, */
  unsigned                           idle;  /* and how often it ran since */

  Meeting     kind; /* vote, shuffle or barrier in which it waits */
  const char *site;
  int         operand;
  uint64_t    value, result;

  /* weak memory */
  uint32_t                                     writes_done;
  Clock                                        known, released, observed; /* happened before; goes with later stores; came with loads */
  std::vector<Store>                           buffer;                    /* plain stores that no other thread sees yet */
  std::vector<std::pair<const void *, size_t>> newest; /* per location, the oldest write that a relaxed load may still see */
  unsigned                                     stale;
};

struct Warp {
  std::vector<Lane *> lanes;
  unsigned            waiting, alive;
};

struct Block {
  unsigned            index, waiting, alive; /* waiting in __syncthreads */
  std::vector<Lane *> lanes;
  std::vector<Warp>   warps;
};

extern Lane    *current; /* the thread that runs; NULL: the host */
extern uint64_t changes; /* of memory that other threads can see */
extern Mode     mode;

uint64_t    random_number();
inline bool one_in(unsigned n)
{
  return random_number() % n == 0;
}
unsigned threads_in_launch();

/* The thread stops at this place of its code, before a write or not, and others may run */
void point(const void *pc, bool writes);
void step(const void *pc); /* in lockstep: a thread comes to this place */
void yield();
void wake(Lane *lane);
bool in_trouble(); /* a launch has failed: later work is skipped */

void lane_ends(Lane *lane); /* warp.cc */

/* access.cc */
void     launch_begins();
void     commit(); /* records the store that the running thread has just made */
uint64_t word_at(const void *p, size_t size);

/* history.cc.  Only weak memory and shared memory need more than memory itself. */
bool     needs_history(const void *p);
void     show(const void *p, size_t size, Order order); /* puts the value that the running thread sees to p */
void     prepare_store(void *p, size_t size);           /* called while memory still has the value from before the first store */
void     store_plainly(Store store);
void     store_relaxedly(void *p, size_t size, uint64_t value);
uint64_t load_newest(const void *p, size_t size); /* both parts of a read-modify-write */
void     replace_newest(void *p, size_t size, uint64_t value, Order order);
void     drift(Lane *lane); /* a step of time, which may make a buffered store visible */
void     synchronize(const std::vector<Lane *> &lanes);
void     history_begins();
void     history_ends();

cudaError_t outcome(cudaError_t error); /* runtime.cc: of a call */

/* streams.cc */
bool        in_capture(cudaStream_t stream);
cudaError_t wait(cudaStream_t stream);
void        finish_work(); /* of all streams */
uint32_t    running_node();
bool        comes_before(uint32_t node); /* the running one */

/* arena.cc: device memory; other addresses than its own pass */
bool      arena_holds(const void *p);
bool      arena_check(const void *p, size_t size, bool store);        /* bounds, alignment and, for loads, whether it was written */
bool      arena_check_range(const void *p, size_t bytes, bool store); /* of a copy or clear: not whether it was written */
bool      arena_is_written(const void *p);
void      arena_written(const void *p, size_t bytes);
uint32_t *arena_location(const void *p); /* for history.cc: 1 + index in this launch, 0: none */
void     *arena_allocate(size_t bytes);
bool      arena_free(void *p);

} // namespace simt
