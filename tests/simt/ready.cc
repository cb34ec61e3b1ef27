/* The threads that can run: sets of them as bits. */
#include "ready.h"

namespace simt {

void Ready::begin(size_t most)
{
  lanes.clear();
  keys.clear();
  for (Set *set : {&present, &pleases, &tired}) set->assign((most + BITS - 1) / BITS, 0);
  best_known = false;
}

void Ready::add(Lane *lane, uint64_t key, bool does_please)
{
  lane->slot = (unsigned)lanes.size();
  lanes.push_back(lane);
  keys.push_back(key);
  put(present, lane->slot, true);
  put(pleases, lane->slot, does_please);
  put(tired, lane->slot, false);
  best_known = false;
}

/* The last one takes its slot */
void Ready::remove(const Lane *lane)
{
  const unsigned slot = lane->slot, last = (unsigned)lanes.size() - 1;

  lanes[slot]       = lanes[last];
  lanes[slot]->slot = slot;
  keys[slot]        = keys[last];
  put(pleases, slot, has(pleases, last));
  put(tired, slot, has(tired, last));
  put(present, last, false);
  put(pleases, last, false);
  lanes.pop_back();
  keys.pop_back();
  best_known = false;
}

void Ready::set_key(const Lane *lane, uint64_t key)
{
  keys[lane->slot] = key;
  best_known       = false;
}

void Ready::please(const Lane *lane, bool does_please)
{
  put(pleases, lane->slot, does_please);
}

void Ready::tire(const Lane *lane)
{
  if (!are_tired()) std::fill(tired.begin(), tired.end(), 0);
  tired_at = changes;
  put(tired, lane->slot, true);
}

uint64_t Ready::wanted(size_t word, bool pleasing) const
{
  return (pleasing ? pleases : present)[word] & (are_tired() ? ~tired[word] : ~(uint64_t)0);
}

/* A few random ones are tried first, so that not always the same one is taken */
Lane *Ready::someone(bool pleasing) const
{
  constexpr int TRIES = 16;
  size_t        first = 0;

  while (first < present.size() && !wanted(first, pleasing)) first++;
  if (first == present.size()) return nullptr;
  for (int k = 0; k < TRIES; k++) {
    const size_t slot = random_number() % lanes.size();

    if (wanted(slot / BITS, pleasing) >> slot % BITS & 1) return lanes[slot];
  }
  return lanes[first * BITS + (size_t)__builtin_ctzll(wanted(first, pleasing))];
}

Lane *Ready::best()
{
  size_t   found = lanes.size();
  uint64_t key   = 0;

  if (best_known && !are_tired()) return lanes[best_slot];
  for (size_t word = 0; word < present.size(); word++) {
    for (uint64_t left = wanted(word, false); left; left &= left - 1) {
      const size_t slot = word * BITS + (size_t)__builtin_ctzll(left);

      if (found < lanes.size() && keys[slot] <= key) continue;
      found = slot;
      key   = keys[slot];
    }
  }
  best_known = !are_tired();
  best_slot  = found;
  return found == lanes.size() ? nullptr : lanes[found];
}

} // namespace simt
