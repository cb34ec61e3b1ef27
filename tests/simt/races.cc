/*
   Races: two accesses of the same bytes in one launch, at least one of them a store, of which neither happened before the other, unless
   both are strong: relaxed, releasing, acquiring or atomic, at a scope that holds both threads.

   Every schedule of every mode looks for them.  A word keeps all accesses that a later one can be in a race with, so a pair that nothing
   orders is found in whichever order the schedule runs it, and whatever values the two have seen.
*/
#include "../../src/kernels/device/device.cuh"
#include "internal.h"
#include "table.h"
#include <algorithm>

namespace simt {

namespace {

/* In one word, since bit fields are put together in memory, a byte at a time, and then wait for themselves */
class Kind {
public:
  Kind() = default;
  Kind(const void *pc, Order order, uint32_t bytes, bool store)
      : word((uint64_t)(uintptr_t)pc | (uint64_t)order << 48 | (uint64_t)bytes << 55 | (uint64_t)store << 63)
  {}
  const void *pc() const { return (const void *)(uintptr_t)(word & (((uint64_t)1 << 48) - 1)); }
  Order       order() const { return (Order)(word >> 48 & 127); }
  uint32_t    bytes() const { return word >> 55 & 255; } /* of eight, a bit each */
  bool        store() const { return word >> 63; }
  bool        operator==(Kind other) const { return word >> 48 == other.word >> 48; } /* in whatever place of the code */

private:
  uint64_t word;
};
struct Access {
  uint32_t thread, time;
  Kind     kind;
};

/* The latest accesses of one kind by threads of neighbouring numbers: most words that several threads access are read by whole warps */
struct Group {
  Kind     kind;
  uint32_t number, next; /* number: of its first thread, by WARP_SIZE; 0: none comes next */
  uint64_t lanes;        /* those with an access, a bit each */
  uint32_t time[WARP_SIZE];
  Kind     last[WARP_SIZE]; /* with the place of the access */
};

/* Accesses to four or eight bytes */
struct alignas(64) Word {
  static constexpr uint32_t FEW = 3;

  Access   few[FEW];
  uint32_t count;     /* of these */
  uint32_t groups[2]; /* the first group of loads and of stores */
};
constexpr size_t UNIT = 8; /* no word has bytes of two units */

std::vector<Word>       words;     /* of this launch the first `used`, */
std::vector<Group>      groups(1); /* and all groups; the first one is no group */
size_t                  used;
Table                   shared;   /* 1 + index of the word */
std::vector<uint32_t *> slots;    /* to be cleared at the end of the launch */
int                     intended; /* RacesIntended that live */
bool                    silent;   /* races of this access are not reported */

uint32_t &slot_of(const char *p)
{
  return arena_holds(p) ? arena_cell(p)->word : shared.at(p, current->block->index);
}

uint32_t new_word()
{
  if (used == words.size()) words.emplace_back();
  return (uint32_t)++used;
}

/* The word that holds four bytes.  One is made for all `size` bytes that are accessed together, so that a double has one. */
uint32_t word_of(const char *p, size_t size)
{
  const uint32_t known = slot_of(p), word = known ? known : new_word();

  for (size_t k = 0; !known && k < size; k += GRANULE) {
    uint32_t &slot = slot_of(p + k);

    if (slot) break;
    slot = word;
    if (arena_holds(p)) slots.push_back(&slot);
  }
  return word;
}

bool both_strong(const Access &a, const Access &b)
{
  const Order of_a = a.kind.order(), of_b = b.kind.order();

  if (of_a == Order::PLAIN || of_b == Order::PLAIN) return false;
  return (!at_block_scope(of_a) && !at_block_scope(of_b)) || in_own_block(a.thread);
}

const char *name_of(const Access &access)
{
  static const char *const names[][2] = {{"plain load", "plain store"},
                                         {"relaxed load at block scope", "relaxed store at block scope"},
                                         {"relaxed load", "relaxed store"},
                                         {"acquire at block scope", "release at block scope"},
                                         {"acquire", "release"}};

  return names[(int)access.kind.order()][access.kind.store()];
}

std::string place_in_code(const Access &access)
{
  return place_of(access.kind.pc());
}

void report(const Access &first, const Access &second)
{
  if (silent) return;
  fail("race: %s at %s (block %u, thread %u) and %s at %s", name_of(first), place_in_code(first).c_str(), first.thread / thread_count(),
       first.thread % thread_count(), name_of(second), place_in_code(second).c_str());
}

bool happened(const Access &old)
{
  return happened_before(old.thread, old.time, current);
}

void compare(const Access &old, const Access &now)
{
  if (!happened(old) && !both_strong(old, now)) report(old, now);
}

bool may_race(Kind a, Kind b)
{
  return (a.store() || b.store()) && (a.bytes() & b.bytes());
}

template <class Visit> void for_each_in(const Group &group, Visit visit)
{
  for (uint64_t left = group.lanes; left; left &= left - 1) {
    const uint32_t k = (uint32_t)__builtin_ctzll(left);

    visit(k, Access{group.number * WARP_SIZE + k, group.time[k], group.last[k]});
  }
}

void compare_all(const Word &word, const Access &now)
{
  for (uint32_t k = 0; k < word.count; k++) {
    if (may_race(word.few[k].kind, now.kind)) compare(word.few[k], now);
  }
  for (bool stores : {true, false}) {
    for (uint32_t g = stores || now.kind.store() ? word.groups[stores] : 0; g; g = groups[g].next) {
      if (may_race(groups[g].kind, now.kind)) for_each_in(groups[g], [&](uint32_t, const Access &old) { compare(old, now); });
    }
  }
}

/* Whatever is in a race with an old access is in one with this later store, too */
bool supersedes(Kind now, Kind old)
{
  return now.order() <= old.order() && !(old.bytes() & ~now.bytes());
}

void drop_superseded(Word &word, const Access &now)
{
  const auto superseded = [&](const Access &old) { return supersedes(now.kind, old.kind) && happened(old); };

  word.count = (uint32_t)(std::remove_if(word.few, word.few + word.count, superseded) - word.few);
  for (uint32_t &first : word.groups) {
    for (uint32_t *link = &first; *link;) {
      Group &group = groups[*link];

      if (supersedes(now.kind, group.kind)) {
        for_each_in(group, [&](uint32_t k, const Access &old) { group.lanes &= ~((uint64_t)happened(old) << k); });
      }
      if (group.lanes) link = &group.next;
      else *link = group.next;
    }
  }
}

/* The group of an access, which becomes the first one */
Group &group_of(Word &word, const Access &now)
{
  uint32_t      &first = word.groups[now.kind.store()], *link = &first;
  const uint32_t number = now.thread / WARP_SIZE;

  while (*link && !(groups[*link].number == number && groups[*link].kind == now.kind)) link = &groups[*link].next;
  uint32_t found = *link;
  if (found) *link = groups[found].next;
  else {
    found = (uint32_t)groups.size();
    groups.push_back({now.kind, number, 0, 0, {}, {}});
  }
  groups[found].next = first;
  first              = found;
  return groups[found];
}

/* A thread's last access stands for its earlier ones of the same kind */
void record(Word &word, const Access &now)
{
  compare_all(word, now);
  if (now.kind.store()) drop_superseded(word, now);
  for (uint32_t k = 0; k < word.count; k++) {
    if (word.few[k].thread != now.thread || !(word.few[k].kind == now.kind)) continue;
    word.few[k] = now;
    return;
  }
  if (word.count < Word::FEW) word.few[word.count++] = now;
  else {
    Group         &group = group_of(word, now);
    const unsigned k     = now.thread % WARP_SIZE;

    group.lanes  |= uint64_t(1) << k;
    group.time[k] = now.time;
    group.last[k] = now.kind;
  }
}

const char *unit_end(const char *p)
{
  return p - (uintptr_t)p % UNIT + UNIT;
}

/* In one unit */
uint32_t bytes_of(const char *from, const char *to)
{
  const size_t first = (uintptr_t)from % UNIT;

  return (1u << (first + (size_t)(to - from))) - (1u << first);
}

} // namespace

void look_for_race(const void *p, size_t size, bool store, Order order, const void *pc)
{
  const char *const end = (const char *)p + size;

  current->time++;
  silent = intended || (patient && !arena_is_pinned(p));
  if (copies_left) look_for_copies(p, size, store);
  for (const char *from = (const char *)p, *to; from < end && !in_trouble(); from = to) {
    const char    *granule = from - (uintptr_t)from % GRANULE;
    const uint32_t word    = word_of(granule, (size_t)(std::min(end, unit_end(from)) - granule));

    to = granule + GRANULE;
    while (to < end && to < unit_end(from) && slot_of(to) == word) to += GRANULE;
    to = std::min(to, end);
    record(words[word - 1], {current->id, current->time, {pc, order, bytes_of(from, to), store}});
  }
}

void races_end()
{
  for (uint32_t *slot : slots) *slot = 0;
  slots.clear();
  shared.clear();
  std::fill_n(words.begin(), used, Word{});
  used = 0;
  groups.resize(1);
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
