/* Declarations shared by the parts of the emulator. */
#pragma once
#include "arena.h"
#include "include/cuda_runtime.h"
#include "simt.h"
#include <boost/context/detail/fcontext.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace simt {

/* Order of an access: plain; relaxed at the scope of the block, of the GPU; acquire and release at either scope */
enum class Order : uint8_t { PLAIN, RELAXED_BLOCK, RELAXED, BLOCK, GPU };
inline bool at_block_scope(Order order)
{
  return order == Order::RELAXED_BLOCK || order == Order::BLOCK;
}

/* Of each thread of the launch, the number of its accesses that happened before */
using Clock = std::shared_ptr<const std::vector<uint32_t>>;

/* Clocks that a store passes on: to threads of all blocks, and to those of the writer's block */
struct Released {
  Clock to_all, in_block;
};
constexpr uint32_t HOST = ~0u; /* in place of a thread: before the launch */

struct Store {
  void    *p;
  size_t   size;
  uint64_t value;
  uint32_t time; /* of the thread that wrote */
};

/* Strong loads since the last access of another kind, at most: a round of a loop that polls */
struct Look {
  const void *p, *pc;
  size_t      size;
  uint64_t    value;
};
struct Looks {
  size_t count;
  Look   at[4];
};

struct Warp;
struct Block;

/* In the order of their use, as caches hold few threads: what each step, then what each access, then what some accesses look at */
struct alignas(64) Lane {
  enum State { READY, MEETING, ASLEEP, DONE }; /* can run; in a vote, shuffle or barrier; until a word changes; ended */

  boost::context::detail::fcontext_t context;
  const void                        *pc;     /* where it stopped last */
  const void                        *jumped; /* from here back to a new round of a loop; NULL: no jump back */
  Warp                              *warp;
  uint64_t                           seen; /* changes of memory when it last ran, */
  unsigned                           idle; /* and how often it ran since */
  State                              state;
  unsigned                           id;    /* in the launch */
  unsigned                           slot;  /* in the list of threads that can run */
  unsigned                           quiet; /* accesses since it stopped last */
  uint32_t                           time;  /* number of its accesses so far */

  const char *stack, *stack_end;
  Block      *block;
  Clock       known;        /* happened before */
  unsigned    thread, lane; /* in its block, in its warp */
  unsigned    copy_group;   /* of its next asynchronous copies */
  bool        awaited;      /* the launch in front */
  bool        writes;
  bool        met; /* in this round of a loop it has come to a strong access, vote, shuffle or barrier */
  Looks       looks;

  Meeting     kind; /* vote, shuffle or barrier in which it waits */
  const char *site;
  int         operand;
  uint64_t    value, result;

  uint64_t priority; /* in the mode of that name */

  Clock released, observed;                   /* by a fence, for later stores to pass on; by loads, for a later fence to learn */
  Clock released_in_block, observed_in_block; /* the same for and from the threads of its block */
  Clock observed_last, acquired_last;         /* the last ones learned */

  /* weak memory */
  std::vector<Store>                           buffer; /* plain stores that no other thread sees yet */
  std::vector<std::pair<const void *, size_t>> newest; /* per location, the oldest write that a relaxed load may still see */
  unsigned                                     stale;
};

struct Warp {
  std::vector<Lane *> lanes;
  unsigned            waiting, alive;

  /* in lockstep */
  size_t      hindmost; /* the lane chosen last; NONE: others have become ready since */
  const void *place;    /* where it was then */
  const void *end;      /* the highest place from which ready lanes have jumped back; NULL: none has */

  static constexpr size_t NONE = ~(size_t)0;
};

struct Block {
  unsigned            index, waiting, alive; /* waiting in __syncthreads */
  std::vector<Lane *> lanes;
  std::vector<Warp>   warps;
};

extern Lane      *current; /* the thread that runs; NULL: the host */
extern uint64_t   changes; /* of memory that other threads can see */
extern Mode       mode;
extern bool       failed;
extern const bool patient; /* for watchdog.c: the kernels notice a wait without end by themselves, and go on without the values they lack */

uint64_t    random_number();
inline bool one_in(unsigned n)
{
  return random_number() % n == 0;
}
unsigned threads_in_launch();

/* The thread stops at this place of its code, before a write or not, and others may run */
void        point(const void *pc, bool writes);
void        step(const void *pc); /* in lockstep: a thread comes to this place */
void        yield();
inline bool in_trouble() /* a launch has failed: later work is skipped */
{
  return failed;
}

void lane_ends(Lane *lane); /* warp.cc */

/* choice.cc: the threads that can run, and which of them does */
void   choice_begins(size_t most); /* threads of the launch at a time */
void   choice_adds(Lane *lane);    /* one that begins */
void   choose_unit();              /* that lags, rushes or starves, once the first threads are there */
Lane  *choose();
void   choice_ran(Lane *lane); /* to its next stop */
void   wake(Lane *lane);       /* it can run again */
size_t ready_threads();

/* sleepers.cc: threads that poll in vain */
void sleepers_begin();
void sleep_if_in_vain(const void *p, const void *pc);                    /* before a strong load */
void looked(const void *p, size_t size, const void *pc, uint64_t value); /* after it */
void changed(const void *p);                                             /* up to 8 aligned bytes, as other threads can see */
void wake_warp(const Warp *warp);
bool wake_sleepers(); /* false: there are none */

/* access.cc */
void     launch_begins();
void     commit(); /* records the store that the running thread has just made */
uint64_t word_at(const void *p, size_t size);

/* happens_before.cc */
inline bool happened_before(uint32_t thread, uint32_t time, const Lane *lane)
{
  return thread == HOST || thread == lane->id || (lane->known && (*lane->known)[thread] >= time);
}
bool     in_own_block(uint32_t thread);
Released released_with(Order order, const Released &old, uint32_t old_writer); /* by a strong store; a read-modify-write keeps the old */
void     learn(const Released &released, uint32_t writer, Order order);        /* by a strong load */
void     synchronize(const std::vector<Lane *> &lanes);

/* copies.cc */
extern size_t copies_left; /* that are not complete */
void          copies_begin();
void          look_for_copies(const void *p, size_t size, bool store);
void          move_plainly(char *to, const char *from, size_t size, const void *pc); /* access.cc */

/* races.cc: the running thread accesses the bytes; a launch has ended */
void look_for_race(const void *p, size_t size, bool store, Order order, const void *pc);
void races_end();

std::string place_of(const void *pc); /* places.cc: file and line of a return address */

/* history.cc */
bool     has_history(const void *p);                    /* else the value in memory is the only one */
void     show(const void *p, size_t size, Order order); /* puts the value that the running thread sees to p */
void     prepare_store(void *p, size_t size);           /* called while memory still has the value from before the first store */
void     store_plainly(const Store &store);
void     store_relaxedly(void *p, size_t size, uint64_t value, Order order);
uint64_t newest_at(const void *p, size_t size);
uint64_t load_newest(const void *p, size_t size); /* both parts of a read-modify-write */
void     replace_newest(void *p, size_t size, uint64_t value, Order order);
void     show_stores(Lane *lane); /* its buffered ones become visible */
void     drift(Lane *lane);       /* a step of time, which may make a buffered store visible */
void     history_begins();
void     history_ends();

cudaError_t outcome(cudaError_t error); /* runtime.cc: of a call */

/* calls.cc: calls of the library with the stream that they were given, and set-ups, also inside of them */
void call_begins(const char *name, cudaStream_t stream);
void call_ends();
void set_up_begins();
void set_up_ends();
void expect_no_call(const char *what); /* that was given a stream of its own; else what it uses is an error, but in a set-up */

/* streams.cc */
bool        in_capture(cudaStream_t stream);
cudaError_t wait(cudaStream_t stream);

/* nodes.cc */
void            finish_work(); /* of all streams */
extern uint32_t running_node;
bool            comes_before(uint32_t node); /* the running one, or what its running thread has awaited */
bool            begins_early();              /* the running one may have begun before the one in front of it ended */

} // namespace simt
