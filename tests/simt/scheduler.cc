/* Launches: threads as fibers, each of which runs to its next stop when it is chosen, and there changes to the next one by itself. */
#include "internal.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace simt {

Lane      *current;
uint64_t   changes;
Mode       mode = Mode::RANDOM;
bool       failed;
const bool patient = getenv("SIMT_PATIENT") != nullptr;

namespace {

constexpr unsigned RESIDENT_LANES = 1024;
constexpr size_t   STACK          = 64 << 10;
/* Steps of each thread without a change after which the launch is a deadlock.  A warp that computes alone, a long row of ILU(0) say, while
   all others poll, is drawn rarely in lockstep. */
constexpr unsigned HOPELESS = 8192;
/* Such steps after which sleepers go on: not every thread that comes back to a load waits there, and one that looks ahead may be what
   others wait for, which need not sleep themselves */
constexpr unsigned RESTLESS = 64;

uint64_t older = 1, newer = 2; /* random numbers: apart, since a pair is stored as a vector, of which no half can be loaded at once */

struct {
  std::string failure;
  Counts      counts = {0, 0};
  uint64_t    hash   = 0; /* of the schedule */
} setting;

struct {
  const std::function<void()> *body;
  unsigned                     blocks, threads, resident; /* resident threads */
  uint64_t                     idle;                      /* steps since the last change */
} now;

using boost::context::detail::jump_fcontext;
using boost::context::detail::transfer_t;

boost::context::detail::fcontext_t scheduler; /* of launch(), which goes on when a thread has ended, or none may go on */

/* The k-th stack, kept for the next launch.  Threads of a failed launch are abandoned: kernels own nothing that has to be freed.  Their
   ends are in different sets of a processor's caches. */
char *stack_end(size_t k)
{
  constexpr size_t           LINE = 64, LINES = 64, SPREAD = LINE * LINES;
  static std::vector<char *> stacks;

  while (stacks.size() <= k) {
    void *p = mmap(nullptr, STACK + SPREAD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) abort();
    stacks.push_back((char *)p + STACK + LINE * (7 * stacks.size() % LINES));
  }
  return stacks[k];
}

/* Who comes back finds in `data` where the context of the one before belongs */
void come_from(transfer_t other)
{
  *(boost::context::detail::fcontext_t *)other.data = other.fctx;
}

void run_thread(transfer_t other)
{
  come_from(other);
  (*now.body)();
  commit();
  current->state = Lane::DONE;
  (void)jump_fcontext(scheduler, &current->context);
}

void start_block(Block *block, unsigned index)
{
  block->index   = index;
  block->waiting = 0;
  block->alive   = now.threads;
  for (unsigned t = 0; t < now.threads; t++) {
    Lane *lane = block->lanes[t];

    lane->id = index * now.threads + t;
    lane->pc = lane->jumped = nullptr;
    lane->writes = lane->met = false;
    lane->quiet              = 0;
    lane->seen               = changes;
    lane->idle               = 0;
    lane->time               = 0;
    lane->stale              = 0;
    lane->known = lane->released = lane->observed = lane->released_in_block = lane->observed_in_block = nullptr;
    lane->observed_last = lane->acquired_last = nullptr;
    lane->newest.clear();
    lane->buffer.clear();
    lane->copy_group    = 0;
    lane->looks.count   = 0;
    lane->awaited       = !begins_early();
    lane->context       = boost::context::detail::make_fcontext((void *)lane->stack_end, STACK, run_thread);
    lane->warp->waiting = 0;
    if (!lane->lane) lane->warp->alive = (unsigned)lane->warp->lanes.size();
    choice_adds(lane);
  }
  changes++;
}

void look_for_deadlock()
{
  if (now.idle && now.idle % ((uint64_t)RESTLESS * now.resident) == 0) (void)wake_sleepers();
  if (patient || !ready_threads() || now.idle < (uint64_t)HOPELESS * now.resident) return;
  fail("deadlock: %zu threads run, and none can change anything", ready_threads());
}

/* NULL: the launch has failed */
Lane *next_thread()
{
  if (!in_trouble() && !ready_threads() && !wake_sleepers())
    fail("deadlock: all threads wait in votes, shuffles or barriers that others do not reach");
  return in_trouble() ? nullptr : choose();
}

void begin_step(Lane *lane)
{
  lane->idle  = lane->seen == changes ? lane->idle + 1 : 0;
  lane->seen  = changes;
  lane->quiet = 0;
  setting.counts.steps++;
  setting.hash = (setting.hash ^ lane->id ^ (uint64_t)lane->pc << 16) * 0x9e3779b97f4a7c15ull;
  setting.hash ^= setting.hash >> 32;
  current = lane;
}

void end_step(Lane *lane)
{
  choice_ran(lane);
  if (mode == Mode::WEAK && !in_trouble()) drift(lane); /* which may wake it */
  current  = nullptr;
  now.idle = changes == lane->seen ? now.idle + 1 : 0;
}

} // namespace

const char *mode_name(Mode which)
{
  static const char *const names[MODES] = {"random",   "pollers", "newest", "starve", "lockstep",
                                           "resident", "weak",    "lag",    "rush",   "priority"};

  return names[(int)which];
}

bool mode_named(const char *name, Mode *found)
{
  for (int k = 0; k < MODES; k++) {
    *found = (Mode)k;
    if (!strcmp(name, mode_name(*found))) return true;
  }
  return false;
}

/* xorshift128+ (Vigna) */
uint64_t random_number()
{
  uint64_t       a = older;
  const uint64_t b = newer;

  older = b;
  a ^= a << 23;
  newer = a ^ b ^ a >> 17 ^ b >> 26;
  return (newer + b) >> 7;
}

void schedule(Mode wanted, uint64_t seed)
{
  finish_work();
  mode         = wanted;
  setting.hash = 0;
  setting.failure.clear();
  failed = false;
  for (uint64_t *word : {&older, &newer}) { /* splitmix64 */
    uint64_t z = seed += 0x9e3779b97f4a7c15ull;

    z     = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z     = (z ^ z >> 27) * 0x94d049bb133111ebull;
    *word = z ^ z >> 31;
  }
}

Counts counts()
{
  return setting.counts;
}

uint64_t schedule_hash()
{
  return setting.hash;
}

const std::string &failure()
{
  return setting.failure;
}

void fail(const char *format, ...)
{
  char    text[512];
  va_list arguments;

  if (in_trouble()) return;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  failed          = true;
  setting.failure = text;
  if (current) setting.failure += " (block " + std::to_string(current->block->index) + ", thread " + std::to_string(current->thread) + ")";
  (void)fprintf(stderr, "simt, mode %s: %s\n", mode_name(mode), setting.failure.c_str());
}

unsigned thread_index()
{
  return current->thread;
}

unsigned thread_count()
{
  return now.threads;
}

unsigned block_index()
{
  return current->block->index;
}

unsigned block_count()
{
  return now.blocks;
}

unsigned threads_in_launch()
{
  return now.blocks * now.threads;
}

/* To other threads and back; a failed launch is not continued */
void yield()
{
  Lane *self = current;

  end_step(self);
  look_for_deadlock();
  Lane *next = next_thread();
  if (next) begin_step(next);
  if (next != self) come_from(jump_fcontext(next ? next->context : scheduler, &self->context));
}

/* A round of a loop with plain accesses only is no stop: in whatever order threads do those, other threads see no difference but in a race,
   which is reported in any order */
void step(const void *pc)
{
  const void *last = current->pc;

  current->pc = pc;
  if (pc > last || (!current->met && ++current->quiet <= 64)) return;
  current->jumped = last;
  current->met    = false;
  commit(); /* while this thread is the one that runs */
  yield();
}

void point(const void *pc, bool writes)
{
  const bool each = mode == Mode::LOCKSTEP || mode == Mode::LAG || mode == Mode::RUSH || mode == Mode::PRIORITY;
  const bool stop = each || in_trouble() || (mode == Mode::POLLERS && writes) || one_in(writes ? 2 : 4);

  if (pc <= current->pc) current->jumped = current->pc;
  current->pc     = pc;
  current->writes = writes;
  current->met    = true;
  if (stop || ++current->quiet > 64) yield();
}

/* The blocks that fit, each with its warps and threads, which are kept for the next launch: to make them takes longer than to start them */
static void make_residents(std::vector<Block> &residents)
{
  static std::vector<Lane> lanes;

  if (lanes.size() < now.resident) lanes = std::vector<Lane>(now.resident);
  for (size_t k = 0; k < now.resident; k++) {
    Lane          *lane = &lanes[k];
    const unsigned t    = (unsigned)(k % now.threads);

    lane->block = &residents[k / now.threads];
    if (!t) {
      lane->block->lanes.reserve(now.threads);
      lane->block->warps.resize((now.threads + WARP_SIZE - 1) / WARP_SIZE);
    }
    lane->warp      = &lane->block->warps[t / WARP_SIZE];
    lane->thread    = t;
    lane->lane      = t % WARP_SIZE;
    lane->stack_end = stack_end(k);
    lane->stack     = lane->stack_end - STACK;
    lane->block->lanes.push_back(lane);
    lane->warp->lanes.push_back(lane);
  }
}

/* Runs threads until one has ended, which is returned; NULL: the launch has failed */
static Lane *run_threads()
{
  Lane *lane = next_thread();

  if (!lane) return nullptr;
  begin_step(lane);
  come_from(jump_fcontext(lane->context, &scheduler));
  lane = current;
  if (!lane) return nullptr;
  changes++;
  lane_ends(lane);
  end_step(lane);
  return lane;
}

int launch(unsigned blocks, unsigned threads, const std::function<void()> &body)
{
  const unsigned        fit = std::min(blocks, std::max(1u, RESIDENT_LANES / threads));
  std::vector<unsigned> order(blocks);
  unsigned              started = 0, alive = 0;

  if (in_trouble()) return cudaErrorLaunchFailure;
  if (threads > 1 && threads % SPTRSV_WARP) {
    fail("a launch of blocks that are no whole number of warps");
    return cudaErrorLaunchFailure;
  }
  setting.counts.launches++;
  now.body    = &body;
  now.blocks  = blocks;
  now.threads = threads;
  now.idle    = 0;
  for (unsigned b = 0; b < blocks; b++) order[b] = b;
  if (mode == Mode::RESIDENT) {
    for (unsigned b = blocks; b > 1; b--) std::swap(order[b - 1], order[random_number() % b]);
  }
  std::vector<Block> residents(mode == Mode::RESIDENT ? 1 + (unsigned)random_number() % fit : fit);

  now.resident = (unsigned)residents.size() * threads;
  make_residents(residents);
  launch_begins();
  sleepers_begin();
  choice_begins(now.resident);
  for (; started < residents.size(); started++, alive++) start_block(&residents[started], order[started]);
  choose_unit();
  for (const Lane *lane; alive && (lane = run_threads());) {
    if (!--lane->block->alive) {
      if (started < blocks) start_block(lane->block, order[started++]);
      else alive--;
    }
    look_for_deadlock();
  }
  history_ends();
  races_end();
  return in_trouble() ? cudaErrorLaunchFailure : cudaSuccess;
}

} // namespace simt

static unsigned patience = 1u << 18;

unsigned simt_patience(void)
{
  return patience;
}
void simt_set_patience(unsigned rounds)
{
  patience = rounds;
}
