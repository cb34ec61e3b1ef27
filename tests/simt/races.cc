/*
   Races: two accesses of the same bytes in one launch, at least one of them a store, of which neither happened before the other, unless
   both are strong: relaxed, releasing, acquiring or atomic, at a scope that holds both threads.

   Every schedule of every mode looks for them.  A word keeps all accesses that a later one can be in a race with, so a pair that nothing
   orders is found in whichever order the schedule runs it, and whatever values the two have seen.
*/
#include "../../src/kernels/device/device.cuh"
#include "internal.h"
#include <algorithm>
#include <unordered_map>

namespace simt {

namespace {

struct Access {
  uint32_t    thread, time;
  Order       order;
  bool        store;
  uint8_t     bytes; /* of the word, a bit each */
  const void *pc;
};
struct Word {                        /* four bytes */
  std::vector<Access> stores, loads; /* loads by their keys */
};
constexpr size_t WORD = 4;

std::vector<Word>                      words; /* the first `used` are in use */
size_t                                 used;
std::unordered_map<uint64_t, uint32_t> shared;   /* (address, block) -> 1 + index of the word */
std::vector<uint32_t *>                slots;    /* to be cleared at the end of the launch */
int                                    intended; /* RacesIntended that live */
bool                                   silent;   /* races of this access are not reported */

Word &word_of(const char *p)
{
  uint32_t *slot = arena_holds(p) ? arena_word(p) : &shared[(uint64_t)p << 16 | current->block->index];

  if (!*slot) {
    if (used == words.size()) words.emplace_back();
    *slot = (uint32_t)++used;
    if (arena_holds(p)) slots.push_back(slot);
  }
  return words[*slot - 1];
}

bool both_strong(const Access &a, const Access &b)
{
  if (a.order == Order::PLAIN || b.order == Order::PLAIN) return false;
  return (!at_block_scope(a.order) && !at_block_scope(b.order)) || in_own_block(a.thread);
}

const char *name_of(const Access &access)
{
  static const char *const names[][2] = {{"plain load", "plain store"},
                                         {"relaxed load at block scope", "relaxed store at block scope"},
                                         {"relaxed load", "relaxed store"},
                                         {"acquire at block scope", "release at block scope"},
                                         {"acquire", "release"}};

  return names[(int)access.order][access.store];
}

void report(const Access &first, const Access &second)
{
  if (silent) return;
  fail("race: %s at %s (block %u, thread %u) and %s at %s", name_of(first), place_of(first.pc).c_str(), first.thread / thread_count(),
       first.thread % thread_count(), name_of(second), place_of(second.pc).c_str());
}

void compare(const std::vector<Access> &others, const Access &now)
{
  for (const Access &old : others) {
    if ((old.bytes & now.bytes) && !both_strong(old, now) && !happened_before(old.thread, old.time, current)) report(old, now);
  }
}

/* Whatever is in a race with an old access is in one with this later store, too */
void drop(std::vector<Access> &others, const Access &now)
{
  const auto superseded = [&](const Access &old) {
    return now.order <= old.order && !(old.bytes & ~now.bytes) && happened_before(old.thread, old.time, current);
  };

  others.erase(std::remove_if(others.begin(), others.end(), superseded), others.end());
}

/* A thread's last load stands for its earlier ones of the same kind */
uint64_t key_of(const Access &access)
{
  return ((uint64_t)access.thread << 8 | (unsigned)access.order) << 8 | access.bytes;
}

void record(Word &word, const Access &now)
{
  compare(word.stores, now);
  if (now.store) {
    compare(word.loads, now);
    drop(word.stores, now);
    drop(word.loads, now);
    word.stores.push_back(now);
    return;
  }
  const auto place =
      std::lower_bound(word.loads.begin(), word.loads.end(), now, [](const Access &a, const Access &b) { return key_of(a) < key_of(b); });

  if (place != word.loads.end() && key_of(*place) == key_of(now)) *place = now;
  else word.loads.insert(place, now);
}

} // namespace

void look_for_race(const void *p, size_t size, bool store, Order order, const void *pc)
{
  const char *const first = (const char *)p, *const end = first + size;

  current->time++;
  silent = intended || (is_patient() && !arena_is_pinned(p));
  look_for_copies(p, size, store);
  for (const char *word = (const char *)((uintptr_t)p / WORD * WORD); word < end && !in_trouble(); word += WORD) {
    uint8_t bytes = 0;

    for (size_t k = 0; k < WORD; k++) bytes |= (uint8_t)((word + k >= first && word + k < end) << k);
    record(word_of(word), {current->id, current->time, order, store, bytes, pc});
  }
}

void races_end()
{
  for (uint32_t *slot : slots) *slot = 0;
  slots.clear();
  shared.clear();
  for (; used; used--) {
    words[used - 1].stores.clear();
    words[used - 1].loads.clear();
  }
}

} // namespace simt

namespace sptrsv {

RacesIntended::RacesIntended()
{
  simt::intended++;
}
RacesIntended::~RacesIntended()
{
  simt::intended--;
}

} // namespace sptrsv
