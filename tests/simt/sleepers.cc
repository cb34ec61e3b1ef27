/*
   Threads that poll in vain.

   A thread that comes back to a strong load, with nothing but strong loads, votes and shuffles in between, waits for something to change.
   Where all those loads would return what they returned, the next round changes nothing for anybody: a schedule without it has the same
   outcomes.  So the thread sleeps there until one of the words changes, or another lane of its warp wants it for a vote, and no step is
   spent on it.  What follows is left to the mode: the thread may be the next to run, or the last.  When no other thread can run all
   sleepers go on, so a loop that counts its rounds still ends.

   In lockstep a lane that spins keeps its warp from running, so there nobody sleeps; nor in programs that watch kernels give up.
*/
#include "internal.h"
#include <algorithm>
#include <iterator>

namespace simt {

namespace {

std::vector<Lane *> sleepers;
unsigned            words[256]; /* that they wait for, by address */

unsigned &words_at(const void *p)
{
  return words[(uintptr_t)p / 8 % std::size(words)];
}

void wake_sleeper(Lane *lane)
{
  for (size_t k = 0; k < lane->looks.count; k++) words_at(lane->looks.at[k].p)--;
  lane->looks.count = 0;
  wake(lane);
}

template <class F> void wake_if(F is_wanted)
{
  const auto rest = std::stable_partition(sleepers.begin(), sleepers.end(), [&](const Lane *lane) { return !is_wanted(lane); });

  std::for_each(rest, sleepers.end(), wake_sleeper);
  sleepers.erase(rest, sleepers.end());
}

} // namespace

void sleepers_begin()
{
  sleepers.clear();
  std::fill(std::begin(words), std::end(words), 0);
}

void sleep_if_in_vain(const void *p, const void *pc)
{
  Looks      &looks = current->looks;
  const Look *first = std::find_if(looks.at, looks.at + looks.count, [=](const Look &look) { return look.p == p && look.pc == pc; });
  const bool  again = first != looks.at + looks.count;

  if (!again || mode == Mode::LOCKSTEP || patient) return;
  looks.count = (size_t)(std::copy(first, (const Look *)looks.at + looks.count, looks.at) - looks.at);
  if (std::all_of(looks.at, looks.at + looks.count, [](const Look &look) { return look.value == newest_at(look.p, look.size); })) {
    for (size_t k = 0; k < looks.count; k++) words_at(looks.at[k].p)++;
    sleepers.push_back(current);
    current->state = Lane::ASLEEP;
    yield();
  } else looks.count = 0;
}

void looked(const void *p, size_t size, const void *pc, uint64_t value)
{
  Looks &looks = current->looks;

  if (looks.count == std::size(looks.at)) looks.count = 0;
  looks.at[looks.count++] = {p, pc, size, value};
}

void changed(const void *p)
{
  changes++;
  if (!words_at(p)) return;
  wake_if([=](const Lane *lane) {
    return std::any_of(lane->looks.at, lane->looks.at + lane->looks.count,
                       [=](const Look &look) { return &words_at(look.p) == &words_at(p); });
  });
}

void wake_warp(const Warp *warp)
{
  if (!sleepers.empty()) wake_if([=](const Lane *lane) { return lane->warp == warp; });
}

bool wake_sleepers()
{
  const bool some = !sleepers.empty();

  wake_if([](const Lane *) { return true; });
  return some;
}

} // namespace simt
