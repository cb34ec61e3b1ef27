/*
   What a load may see.

   The kernels are compiled with -fsanitize=thread, and what that calls before each load and store is here in place of the
   sanitizer's run time.  A fiber is never interrupted between the call and the access, so memory itself is only the port through which
   a value passes: before a load, the value that this thread may see is put there; a store is read back at the thread's next access.

   Weak memory, after the PTX model.  Each location that is written in a launch has a history of writes.  A thread may read any of them that
   is not older than one that happened before, in the sense of vector clocks: what it wrote itself, what was written before the launch,
   and what it learned of in __syncwarp(), __syncthreads(), or by a relaxed load between fences on both sides.  Votes and shuffles order
   nothing.  Relaxed accesses by one thread see one location in one order, and see the newest write after a while; plain loads may
   read the oldest for ever.  Plain stores wait in the thread's buffer and are seen by others in any order, at the latest when the launch ends; a relaxed load
   that sees one of another thread, without having learned of it, is a race.

   Other modes: the newest value always.  Shared memory, and any other static variable, has a value for each block.
*/
#include "internal.h"
#include <sys/mman.h>
#include <unordered_map>

namespace simt {

namespace {

constexpr size_t   ARENA = 256 << 20, GRANULE = 4;
constexpr size_t   RED_ZONE = 256; /* between allocations */
constexpr uint32_t NOBODY   = ~0u;
enum : uint8_t { OUTSIDE, UNWRITTEN, WRITTEN };

struct Write {
  uint64_t value;
  uint32_t writer, number;
  bool     written; /* false: what was there before anybody wrote */
  bool     plain;
  Clock    released;
};
struct Location {
  void              *p;
  size_t             size;
  std::vector<Write> history;
};

template <class T> T *map_memory(size_t bytes)
{
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) abort();
  return (T *)p;
}

struct Arena {
  char     *bytes    = map_memory<char>(ARENA);
  uint8_t  *state    = map_memory<uint8_t>(ARENA / GRANULE);
  uint32_t *location = map_memory<uint32_t>(ARENA / GRANULE * sizeof(uint32_t)); /* 1 + index, in this launch */
  size_t    used     = 0;                                                        /* nothing was ever allocated beyond */
  std::vector<std::pair<size_t, size_t>> allocations;                            /* sorted by offset; end */

  bool   holds(const void *p) const { return (const char *)p >= bytes && (const char *)p < bytes + ARENA; }
  size_t granule(const void *p) const { return (size_t)((const char *)p - bytes) / GRANULE; }
} arena;

std::vector<Location>                                   locations;
std::unordered_map<const void *, std::vector<uint32_t>> shared; /* 1 + index of the location, of each block */
std::vector<Lane *>                                     buffering;
std::vector<Store>                                      left_over; /* of threads that have ended */
std::vector<uint32_t>                                   left_over_writer;
bool                                                    oldest;
const char                                             *parameters;
struct {
  void  *p;
  size_t size;
} pending;

uint64_t get(const void *p, size_t size)
{
  uint64_t v = 0;
  std::memcpy(&v, p, size);
  return v;
}

bool on_stack(const void *p)
{
  const char *c = (const char *)p;
  return (c >= current->stack && c < current->stack_end) || (c >= parameters && c < parameters + (64 << 10));
}

bool known(const Write &w, const Lane *lane)
{
  return w.writer == NOBODY || w.writer == lane->id || (lane->known && (*lane->known)[w.writer] >= w.number);
}

Clock merged(const Clock &a, const Clock &b)
{
  if (!a || !b || a == b) return a ? a : b;
  auto sum = std::make_shared<std::vector<uint32_t>>(*a);
  for (size_t k = 0; k < sum->size(); k++) (*sum)[k] = std::max((*sum)[k], (*b)[k]);
  return sum;
}

Clock with_own(const Lane *lane)
{
  auto clock         = std::make_shared<std::vector<uint32_t>>(lane->known ? *lane->known : std::vector<uint32_t>(threads_in_launch()));
  (*clock)[lane->id] = lane->writes_done;
  return clock;
}

/* Of this block, for shared memory; a new one begins with what is there now */
Location *find_location(const void *p, size_t size, bool create)
{
  const bool global = arena.holds(p);
  uint32_t  *slot;

  if (global) slot = &arena.location[arena.granule(p)];
  else {
    std::vector<uint32_t> &slots = shared[p];
    if (slots.size() <= current->block->index) slots.resize(current->block->index + 1);
    slot = &slots[current->block->index];
  }
  if (!*slot) {
    if (!create) return nullptr;
    locations.push_back({(void *)p, size, {}});
    *slot = (uint32_t)locations.size();
    if (global) locations.back().history.push_back({get(p, size), NOBODY, 0, arena.state[arena.granule(p)] == WRITTEN, false, nullptr});
  }
  if (locations[*slot - 1].size != size) fail("%p is accessed with %zu and with %zu bytes", p, size, locations[*slot - 1].size);
  return &locations[*slot - 1];
}

void append(const Store &store, uint32_t writer, bool plain, const Clock &released)
{
  Location   *location = find_location(store.p, store.size, true);
  const Write write    = {store.value, writer, store.number, true, plain, released};

  if (mode == Mode::WEAK) location->history.push_back(write);
  else location->history.assign(1, write);
  changes++;
}

void flush(Lane *lane)
{
  for (const Store &store : lane->buffer) append(store, lane->id, true, nullptr);
  lane->buffer.clear();
}

void flush(Lane *lane, const void *p)
{
  for (size_t k = 0; k < lane->buffer.size(); k++) {
    if (lane->buffer[k].p != p) continue;
    append(lane->buffer[k], lane->id, true, nullptr);
    lane->buffer.erase(lane->buffer.begin() + (long)k--);
  }
}

size_t *newest_seen(Lane *lane, const void *p)
{
  for (auto &seen : lane->newest) {
    if (seen.first == p) return &seen.second;
  }
  lane->newest.push_back({p, 0});
  return &lane->newest.back().second;
}

const Write &choose(const Location &location, Lane *lane, bool relaxed)
{
  const std::vector<Write> &history = location.history;
  size_t                   *seen = relaxed ? newest_seen(lane, location.p) : nullptr, first = history.size() - 1, chosen;

  while (first && !known(history[first], lane)) first--;
  if (relaxed) first = std::max(first, *seen);
  chosen = history.size() - 1;
  if (!relaxed) chosen = oldest ? first : first + random_number() % (history.size() - first);
  else if (chosen > first && one_in(2) && lane->stale++ < 8) chosen = first + random_number() % (chosen - first);
  else lane->stale = 0;
  if (relaxed) *seen = chosen;
  return history[chosen];
}

bool check(const void *p, size_t size, bool store)
{
  if (!arena.holds(p)) return true;
  if ((uintptr_t)p % (size < 8 ? size : 8)) {
    fail("%s of %zu bytes at %p, which is not aligned", store ? "store" : "load", size, p);
    return false;
  }
  for (size_t g = arena.granule(p); g <= arena.granule((const char *)p + size - 1); g++) {
    if (arena.state[g] == OUTSIDE) {
      fail("%s of %zu bytes out of bounds of device memory", store ? "store" : "load", size);
      return false;
    }
    if (!store && arena.state[g] == UNWRITTEN) {
      fail("load of %zu bytes of device memory that nobody wrote", size);
      return false;
    }
  }
  return true;
}

void mark_written(const void *p, size_t size)
{
  for (size_t g = arena.granule(p); g <= arena.granule((const char *)p + size - 1); g++) arena.state[g] = WRITTEN;
}

/* Before a store, while memory still has the value from before the launch, if nobody else has stored yet */
void prepare_store(void *p, size_t size)
{
  if (mode == Mode::WEAK) (void)find_location(p, size, true);
  if (arena.holds(p)) mark_written(p, size);
}

/* The value that the running thread sees at p goes there */
void show(const void *p, size_t size, bool relaxed)
{
  const Location *location;

  if (mode == Mode::WEAK) {
    if (relaxed) flush(current, p);
    for (size_t k = current->buffer.size(); k-- > 0;) {
      if (current->buffer[k].p == p) {
        std::memcpy((void *)p, &current->buffer[k].value, size);
        return;
      }
    }
  }
  location = find_location(p, size, false);
  if (!location || location->history.empty()) {
    if (!arena.holds(p)) fail("load of shared memory that its block has not written");
    return;
  }
  if (in_trouble()) return;

  const Write &write = mode == Mode::WEAK ? choose(*location, current, relaxed) : location->history.back();
  if (relaxed && write.plain && !known(write, current)) fail("race: a relaxed load sees a plain store of another thread");
  if (!write.written) fail("load of device memory whose first store may not be seen yet");
  if (relaxed) current->observed = merged(current->observed, write.released);
  std::memcpy((void *)p, &write.value, size);
}

/* Only weak memory and shared memory need more than memory itself */
bool needs_history(const void *p)
{
  return mode == Mode::WEAK || !arena.holds(p);
}

void plain_load(const void *p, size_t size)
{
  if (!current || on_stack(p)) return;
  commit();
  if (++current->quiet > 64) yield(); /* it spins on a plain load */
  if (!check(p, size, false)) return yield();
  if (needs_history(p)) show(p, size, false);
  if (in_trouble()) yield();
}

void plain_store(void *p, size_t size)
{
  if (!current) return arena_written(p, size);
  if (on_stack(p)) return;
  commit();
  if (!check(p, size, true)) return yield();
  prepare_store(p, size);
  pending = {p, size};
}

/* By pieces of at most 8 bytes; commit() takes care of the last */
void plain_stores(char *p, size_t size)
{
  if (size > 8 && current && !on_stack(p) && needs_history(p)) fail("stores of more than 8 bytes are not known to this emulator");
  for (size_t k = 0; k < size; k += 8) plain_store(p + k, std::min<size_t>(8, size - k));
}

/* By pieces of at most 8 bytes */
void plain_loads(const char *p, size_t size)
{
  for (size_t k = 0; k < size; k += 8) plain_load(p + k, std::min<size_t>(8, size - k));
}

} // namespace

void commit()
{
  const Store store = {pending.p, pending.size, pending.p ? get(pending.p, pending.size) : 0, 0};

  if (!store.p) return;
  pending.p = nullptr;
  if (!needs_history(store.p)) {
    changes++;
    return;
  }
  if (mode != Mode::WEAK) return append(store, current->id, true, nullptr);
  if (current->buffer.size() == 64) flush(current, current->buffer[0].p);
  current->buffer.push_back(store);
  current->buffer.back().number = ++current->writes_done;
}

void drift(Lane *lane)
{
  if (lane->state == Lane::DONE) {
    for (const Store &store : lane->buffer) {
      if (!arena.holds(store.p)) continue;
      left_over.push_back(store);
      left_over_writer.push_back(lane->id);
    }
    lane->buffer.clear();
  }
  if (!lane->buffer.empty() && one_in(8)) flush(lane, lane->buffer[random_number() % lane->buffer.size()].p);
  if (!left_over.empty() && one_in(64)) {
    append(left_over.back(), left_over_writer.back(), true, nullptr);
    left_over.pop_back();
    left_over_writer.pop_back();
  }
}

void synchronize(const std::vector<Lane *> &lanes)
{
  std::shared_ptr<std::vector<uint32_t>> all;
  Clock                                  clock;

  if (mode != Mode::WEAK) return;
  for (Lane *lane : lanes) {
    flush(lane);
    clock = merged(clock, lane->known);
  }
  all = clock ? std::make_shared<std::vector<uint32_t>>(*clock) : std::make_shared<std::vector<uint32_t>>(threads_in_launch());
  for (const Lane *lane : lanes) (*all)[lane->id] = lane->writes_done;
  for (Lane *lane : lanes) lane->known = all;
}

void fence()
{
  commit();
  if (mode != Mode::WEAK) return;
  flush(current);
  current->known    = merged(current->known, current->observed);
  current->released = with_own(current);
}

void launch_begins()
{
  oldest     = one_in(2);
  parameters = (const char *)__builtin_frame_address(0);
  pending.p  = nullptr;
}

/* Everything is seen now */
void launch_ends()
{
  for (size_t k = 0; k < left_over.size() && !in_trouble(); k++) append(left_over[k], left_over_writer[k], true, nullptr);
  left_over.clear();
  left_over_writer.clear();
  for (const Location &location : locations) {
    if (!arena.holds(location.p)) continue;
    arena.location[arena.granule(location.p)] = 0;
    std::memcpy(location.p, &location.history.back().value, location.size);
  }
  locations.clear();
  shared.clear();
}

void *arena_allocate(size_t bytes)
{
  const size_t size = (bytes + GRANULE - 1) / GRANULE * GRANULE, step = (size + 2 * RED_ZONE - 1) / RED_ZONE * RED_ZONE;
  size_t       offset = RED_ZONE;
  auto         place  = arena.allocations.begin();

  while (place != arena.allocations.end() && place->first < offset + step) offset = (place++)->second;
  if (size > ARENA || offset + step > ARENA) return nullptr;
  arena.allocations.insert(place, {offset, offset + step});
  arena.used = std::max(arena.used, offset + step);
  std::memset(arena.state + offset / GRANULE, UNWRITTEN, size / GRANULE);
  std::memset(arena.bytes + offset, 0xa5, size);
  return arena.bytes + offset;
}

bool arena_free(void *p)
{
  const size_t offset = (size_t)((char *)p - arena.bytes);

  for (auto place = arena.allocations.begin(); place != arena.allocations.end(); place++) {
    if (place->first != offset) continue;
    std::memset(arena.state + offset / GRANULE, OUTSIDE, (place->second - offset) / GRANULE);
    arena.allocations.erase(place);
    return true;
  }
  return false;
}

void arena_written(const void *p, size_t bytes)
{
  if (arena.holds(p) && bytes) std::memset(arena.state + arena.granule(p), WRITTEN, (bytes + GRANULE - 1) / GRANULE);
}

Snapshot memory_save()
{
  return {std::string(arena.bytes, arena.used)};
}

void memory_restore(const Snapshot &snapshot)
{
  std::memcpy(arena.bytes, snapshot.bytes.data(), snapshot.bytes.size());
}

/* A read-modify-write in one step, and of the newest value always; returns the old one */
template <class T, class F> static T atomic(T *p, const void *pc, F change)
{
  T old = 0;

  commit();
  point(pc, true);
  if (!check(p, sizeof(T), false)) yield();
  if (mode == Mode::WEAK) flush(current, p);
  if (needs_history(p)) {
    Location *location = find_location(p, sizeof(T), true);

    if (location->history.empty()) fail("atomic on shared memory that its block has not written");
    if (in_trouble()) yield();
    const Write newest = location->history.back();

    old               = from_bits<T>(newest.value);
    current->observed = merged(current->observed, newest.released);
    append({p, sizeof(T), bits(change(old)), ++current->writes_done}, current->id, false, merged(newest.released, current->released));
    if (mode == Mode::WEAK) *newest_seen(current, p) = location->history.size() - 1;
  } else old = *p;
  *p = change(old);
  changes++;
  return old;
}

} // namespace simt

namespace sptrsv {

using namespace simt;

template <class W> static W relaxed_load(const W *p, const void *pc)
{
  commit();
  point(pc, false);
  if (!check(p, sizeof(W), false)) yield();
  if (needs_history(p)) show(p, sizeof(W), true);
  if (in_trouble()) yield();
  return *p;
}

template <class W> static void relaxed_store(W *p, W v, const void *pc)
{
  commit();
  point(pc, true);
  if (!check(p, sizeof(W), true)) yield();
  prepare_store(p, sizeof(W));
  if (mode == Mode::WEAK) flush(current, p);
  if (needs_history(p)) append({p, sizeof(W), v, ++current->writes_done}, current->id, false, current->released);
  *p = v;
  changes++;
}

unsigned long long load_relaxed(const unsigned long long *p)
{
  return relaxed_load(p, __builtin_return_address(0));
}
unsigned load_relaxed(const unsigned *p)
{
  return relaxed_load(p, __builtin_return_address(0));
}
void store_relaxed(unsigned long long *p, unsigned long long v)
{
  relaxed_store(p, v, __builtin_return_address(0));
}
void store_relaxed(unsigned *p, unsigned v)
{
  relaxed_store(p, v, __builtin_return_address(0));
}

} // namespace sptrsv

unsigned long long atomicAdd(unsigned long long *p, unsigned long long v)
{
  return simt::atomic(p, __builtin_return_address(0), [v](unsigned long long old) { return old + v; });
}
unsigned long long atomicMax(unsigned long long *p, unsigned long long v)
{
  return simt::atomic(p, __builtin_return_address(0), [v](unsigned long long old) { return std::max(old, v); });
}
int atomicMax(int *p, int v)
{
  return simt::atomic(p, __builtin_return_address(0), [v](int old) { return std::max(old, v); });
}

/* What -fsanitize=thread and -fsanitize-coverage=trace-pc call */
#define SIMT_ACCESS(size)                                                                                                                  \
  void __tsan_read##size(const void *p)                                                                                                    \
  {                                                                                                                                        \
    simt::plain_loads((const char *)p, size);                                                                                              \
  }                                                                                                                                        \
  void __tsan_unaligned_read##size(const void *p)                                                                                          \
  {                                                                                                                                        \
    simt::plain_loads((const char *)p, size);                                                                                              \
  }                                                                                                                                        \
  void __tsan_write##size(void *p)                                                                                                         \
  {                                                                                                                                        \
    simt::plain_stores((char *)p, size);                                                                                                   \
  }                                                                                                                                        \
  void __tsan_unaligned_write##size(void *p)                                                                                               \
  {                                                                                                                                        \
    simt::plain_stores((char *)p, size);                                                                                                   \
  }

extern "C" {
SIMT_ACCESS(1)
SIMT_ACCESS(2)
SIMT_ACCESS(4)
SIMT_ACCESS(8)
SIMT_ACCESS(16)
void __tsan_read_range(const void *p, size_t size)
{
  simt::plain_loads((const char *)p, size);
}
void __tsan_write_range(void *p, size_t size)
{
  simt::plain_stores((char *)p, size);
}
void __sanitizer_cov_trace_pc(void)
{
  if (simt::current && simt::mode == simt::Mode::LOCKSTEP) simt::step(__builtin_return_address(0));
}
void __tsan_vptr_update(void **, void *)
{}
void __tsan_init(void)
{}
void __tsan_func_entry(void *)
{}
void __tsan_func_exit(void)
{}
}
