/*
   The values that a load may see.

   Weak memory, after the PTX model.  Each location written in a launch has a history of writes.  A thread may read any write that is not
   older than one that happened before (happens_before.cc).  Its own writes and those before the launch happened before.

   Relaxed accesses of a thread see one location in one order, and see the newest write after a while; plain loads may read the oldest one
   forever.  Plain stores wait in the thread's buffer.  Other threads see them in any order, at the latest when the launch ends.

   In the other modes a load sees the newest value.  There only locations of strong stores have a history, of one write, for what it
   releases.  Shared memory, and any other static variable, has a value for each block.
*/
#include "internal.h"
#include "table.h"
#include <algorithm>

namespace simt {

namespace {

struct Write {
  uint64_t value;
  uint32_t writer, time;
  bool     written; /* false: the value from before the first write */
  Released released;
};
struct Location {
  void              *p;
  size_t             size;
  std::vector<Write> history;
};

std::vector<Location>                   locations;
Table                                   shared;    /* 1 + index of the location; also of parts of words, as of block 0 */
std::vector<std::pair<uint32_t, Store>> left_over; /* by threads that have ended */
bool                                    oldest;    /* plain loads see the oldest value */

/* Shared memory: the location of this block.  Device memory has one for each word, and for each part of a word that is accessed as such.  A
   new one begins with the current value. */
Location *find_location(const void *p, size_t size, bool create)
{
  const bool global = arena_holds(p);
  uint32_t  *slot   = global && size >= 4 ? &arena_cell(p)->location : &shared.at(p, global ? 0 : current->block->index);

  if (!*slot) {
    if (!create) return nullptr;
    locations.push_back({(void *)p, size, {}});
    *slot = (uint32_t)locations.size();
    if (global) locations.back().history.push_back({word_at(p, size), HOST, 0, arena_cell(p)->state == Cell::WRITTEN, {}});
  }
  if (locations[*slot - 1].size != size) fail("%p is accessed with %zu and with %zu bytes", p, size, locations[*slot - 1].size);
  return &locations[*slot - 1];
}

/* A store of the same value changes nothing for others: it may be a poll */
void append(const Store &store, uint32_t writer, const Released &released = {})
{
  std::vector<Write> &history = find_location(store.p, store.size, true)->history;
  const Write         write   = {store.value, writer, store.time, true, released};
  const bool          differs = history.empty() || history.back().value != store.value;

  if (mode == Mode::WEAK) history.push_back(write);
  else history.assign(1, write);
  if (differs) changed(store.p);
}

void flush(Lane *lane, const void *p)
{
  for (size_t k = 0; k < lane->buffer.size(); k++) {
    if (lane->buffer[k].p != p) continue;
    append(lane->buffer[k], lane->id);
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

  while (first && !happened_before(history[first].writer, history[first].time, lane)) first--;
  if (relaxed) first = std::max(first, *seen);
  chosen = history.size() - 1;
  if (!relaxed) chosen = oldest ? first : first + random_number() % (history.size() - first);
  else if (chosen > first && one_in(2) && lane->stale++ < 8) chosen = first + random_number() % (chosen - first);
  else lane->stale = 0;
  if (relaxed) *seen = chosen;
  return history[chosen];
}

} // namespace

bool has_history(const void *p)
{
  return mode == Mode::WEAK || !arena_holds(p) || arena_cell(p)->location;
}

void prepare_store(void *p, size_t size)
{
  if (mode == Mode::WEAK) (void)find_location(p, size, true);
  arena_written(p, size);
}

void show_stores(Lane *lane)
{
  for (const Store &store : lane->buffer) append(store, lane->id);
  lane->buffer.clear();
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
  if (!write.written) fail("load of device memory whose first store may not be seen yet");
  if (relaxed) learn(write.released, write.writer, order);
  std::memcpy((void *)p, &write.value, size);
}

void store_plainly(const Store &store)
{
  if (mode != Mode::WEAK) return append(store, current->id);
  if (current->buffer.size() == 64) flush(current, current->buffer[0].p);
  current->buffer.push_back(store);
}

void store_relaxedly(void *p, size_t size, uint64_t value, Order order)
{
  flush(current, p);
  append({p, size, value, current->time}, current->id, released_with(order, {}, HOST));
}

uint64_t newest_at(const void *p, size_t size)
{
  const Location *location = has_history(p) ? find_location(p, size, false) : nullptr;

  return location && !location->history.empty() ? location->history.back().value : word_at(p, size);
}

uint64_t load_newest(const void *p, size_t size)
{
  flush(current, p);
  const Location *location = find_location(p, size, true);

  if (location->history.empty()) fail("atomic on shared memory that its block has not written");
  return in_trouble() ? 0 : location->history.back().value;
}

void replace_newest(void *p, size_t size, uint64_t value, Order order)
{
  const Write old = find_location(p, size, true)->history.back();

  if (order > Order::RELAXED) show_stores(current);
  learn(old.released, old.writer, at_block_scope(order) ? Order::RELAXED_BLOCK : Order::RELAXED);
  append({p, size, value, current->time}, current->id, released_with(order, old.released, old.writer));
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
  if (!left_over.empty() && one_in(64)) { /* a thread's stores to a location stay in order */
    const auto same = [last = left_over.back()](const auto &other) { return other.first == last.first && other.second.p == last.second.p; };
    const auto oldest_of_same = std::find_if(left_over.begin(), left_over.end(), same);

    append(oldest_of_same->second, oldest_of_same->first);
    left_over.erase(oldest_of_same);
  }
}

void history_begins()
{
  oldest = one_in(2);
}

/* All stores become visible */
void history_ends()
{
  for (size_t k = 0; k < left_over.size() && !in_trouble(); k++) append(left_over[k].second, left_over[k].first);
  left_over.clear();
  for (const Location &location : locations) {
    if (!arena_holds(location.p)) continue;
    arena_cell(location.p)->location = 0;
    std::memcpy(location.p, &location.history.back().value, location.size);
  }
  locations.clear();
  shared.clear();
}

} // namespace simt
