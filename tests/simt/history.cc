/*
   The values that a load may see.

   Weak memory, after the PTX model.  Each location written in a launch has a history of writes.  A thread may read any write that is not
   older than one that happened before, in the sense of vector clocks.  Its own writes and those before the launch happened before; others
   do once it learns of them: in __syncwarp(), in __syncthreads(), by a relaxed load between fences on both sides, or by an acquire that
   sees a release or a read-modify-write of the released value.  Votes and shuffles order nothing.

   Relaxed accesses of a thread see one location in one order, and see the newest write after a while; plain loads may read the oldest one
   forever.  Plain stores wait in the thread's buffer.  Other threads see them in any order, at the latest when the launch ends.

   Two accesses are races if the thread has not learned of the write that it sees: an access that is not plain to a plain store of another
   thread, and accesses at block scope by threads of two blocks.

   In the other modes a load sees the newest value.  Shared memory, and any other static variable, has a value for each block.
*/
#include "internal.h"
#include <algorithm>
#include <unordered_map>

namespace simt {

namespace {

constexpr uint32_t NOBODY = ~0u;

struct Write {
  uint64_t value;
  uint32_t writer, number;
  bool     written; /* false: the value from before the first write */
  Order    order;
  Clock    released, in_block; /* passed on with it to all threads, and to threads of the writer's block */
};
struct Location {
  void              *p;
  size_t             size;
  std::vector<Write> history;
};

std::vector<Location>                                   locations;
std::unordered_map<const void *, std::vector<uint32_t>> shared;    /* 1 + index of the location, of each block */
std::vector<std::pair<uint32_t, Store>>                 left_over; /* by threads that have ended */
bool                                                    oldest;    /* plain loads see the oldest value */

bool known(const Write &w, const Lane *lane)
{
  return w.writer == NOBODY || w.writer == lane->id || (lane->known && (*lane->known)[w.writer] >= w.number);
}

Clock merged(const Clock &a, const Clock &b)
{
  if (!a || !b || a == b) return a ? a : b;
  if (std::equal(b->begin(), b->end(), a->begin(), [](uint32_t of_b, uint32_t of_a) { return of_b <= of_a; })) return a;
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

bool from_own_block(const Write &w)
{
  return w.writer != NOBODY && w.writer / thread_count() == current->block->index;
}

/* An access that is not plain, to a write that did not happen before */
void look_for_race(const Write &w, Order order)
{
  if (mode != Mode::WEAK || known(w, current)) return;
  if (w.order == Order::PLAIN) fail("race: an access that is not plain sees a plain store of another thread");
  else if ((w.order == Order::BLOCK || order == Order::BLOCK) && !from_own_block(w))
    fail("race: an access at block scope meets one of another block");
}

/* The writes that an acquire learns of when it sees this one */
Clock learned(const Write &w, Order order)
{
  const bool own = from_own_block(w);

  return merged(order == Order::GPU || own ? w.released : nullptr, own ? w.in_block : nullptr);
}

/* Shared memory: the location of this block; a new one begins with the current value */
Location *find_location(const void *p, size_t size, bool create)
{
  const bool global = arena_holds(p);
  uint32_t  *slot;

  if (global) slot = arena_location(p);
  else {
    std::vector<uint32_t> &slots = shared[p];
    if (slots.size() <= current->block->index) slots.resize(current->block->index + 1);
    slot = &slots[current->block->index];
  }
  if (!*slot) {
    if (!create) return nullptr;
    locations.push_back({(void *)p, size, {}});
    *slot = (uint32_t)locations.size();
    if (global) locations.back().history.push_back({word_at(p, size), NOBODY, 0, arena_is_written(p), Order::RELAXED, nullptr, nullptr});
  }
  if (locations[*slot - 1].size != size) fail("%p is accessed with %zu and with %zu bytes", p, size, locations[*slot - 1].size);
  return &locations[*slot - 1];
}

void append(const Store &store, uint32_t writer, Order order, const Clock &released = nullptr, const Clock &in_block = nullptr)
{
  Location   *location = find_location(store.p, store.size, true);
  const Write write    = {store.value, writer, store.number, true, order, released, in_block};

  if (mode == Mode::WEAK) location->history.push_back(write);
  else location->history.assign(1, write);
  changes++;
}

void flush(Lane *lane)
{
  for (const Store &store : lane->buffer) append(store, lane->id, Order::PLAIN);
  lane->buffer.clear();
}

void flush(Lane *lane, const void *p)
{
  for (size_t k = 0; k < lane->buffer.size(); k++) {
    if (lane->buffer[k].p != p) continue;
    append(lane->buffer[k], lane->id, Order::PLAIN);
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

} // namespace

bool needs_history(const void *p)
{
  return mode == Mode::WEAK || !arena_holds(p);
}

void prepare_store(void *p, size_t size)
{
  if (mode == Mode::WEAK) (void)find_location(p, size, true);
  arena_written(p, size);
}

void show(const void *p, size_t size, Order order)
{
  const bool      relaxed = order != Order::PLAIN;
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
    if (!arena_holds(p)) fail("load of shared memory that its block has not written");
    return;
  }
  if (in_trouble()) return;

  const Write &write = mode == Mode::WEAK ? choose(*location, current, relaxed) : location->history.back();
  if (relaxed) look_for_race(write, order);
  if (!write.written) fail("load of device memory whose first store may not be seen yet");
  if (relaxed) current->observed = merged(current->observed, write.released);
  if (order > Order::RELAXED) current->known = merged(current->known, learned(write, order));
  std::memcpy((void *)p, &write.value, size);
}

void store_plainly(Store store)
{
  if (mode != Mode::WEAK) return append(store, current->id, Order::PLAIN);
  if (current->buffer.size() == 64) flush(current, current->buffer[0].p);
  store.number = ++current->writes_done;
  current->buffer.push_back(store);
}

void store_relaxedly(void *p, size_t size, uint64_t value)
{
  if (mode == Mode::WEAK) flush(current, p);
  append({p, size, value, ++current->writes_done}, current->id, Order::RELAXED, current->released);
}

uint64_t load_newest(const void *p, size_t size)
{
  if (mode == Mode::WEAK) flush(current, p);
  const Location *location = find_location(p, size, true);

  if (location->history.empty()) fail("atomic on shared memory that its block has not written");
  return in_trouble() ? 0 : location->history.back().value;
}

void replace_newest(void *p, size_t size, uint64_t value, Order order)
{
  const bool  release = mode == Mode::WEAK && order > Order::RELAXED;
  const Write old     = find_location(p, size, true)->history.back();
  /* The new value also releases what was released with the old one */
  Clock released = merged(old.released, current->released), in_block = from_own_block(old) ? old.in_block : nullptr;

  look_for_race(old, order);
  if (release) {
    flush(current);
    Clock &more = order == Order::GPU ? released : in_block;
    more        = merged(more, with_own(current));
  }
  current->observed = merged(current->observed, old.released);
  append({p, size, value, ++current->writes_done}, current->id, order, released, in_block);
  if (mode == Mode::WEAK) *newest_seen(current, p) = find_location(p, size, true)->history.size() - 1;
}

void drift(Lane *lane)
{
  if (lane->state == Lane::DONE) {
    for (const Store &store : lane->buffer) {
      if (arena_holds(store.p)) left_over.push_back({lane->id, store}); /* shared memory ends with its block */
    }
    lane->buffer.clear();
  }
  if (!lane->buffer.empty() && one_in(8)) flush(lane, lane->buffer[random_number() % lane->buffer.size()].p);
  if (!left_over.empty() && one_in(64)) {
    append(left_over.back().second, left_over.back().first, Order::PLAIN);
    left_over.pop_back();
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

void history_begins()
{
  oldest = one_in(2);
}

/* All stores become visible */
void history_ends()
{
  for (size_t k = 0; k < left_over.size() && !in_trouble(); k++) append(left_over[k].second, left_over[k].first, Order::PLAIN);
  left_over.clear();
  for (const Location &location : locations) {
    if (!arena_holds(location.p)) continue;
    *arena_location(location.p) = 0;
    std::memcpy(location.p, &location.history.back().value, location.size);
  }
  locations.clear();
  shared.clear();
}

} // namespace simt
