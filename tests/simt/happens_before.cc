/*
   What a thread knows of the accesses of others, after the PTX model.

   A thread numbers its accesses; the number is the access's time.  Clocks hold a time of each thread: its accesses up to there happened
   before.  A thread learns clocks in __syncwarp() and __syncthreads(), by an acquire that sees a release or a read-modify-write of the
   released value, and by a relaxed load between fences on both sides.  At block scope only threads of one block learn from each other.
   Votes and shuffles order nothing.
*/
#include "internal.h"
#include <algorithm>

namespace simt {

bool in_own_block(uint32_t thread)
{
  return thread != HOST && thread / thread_count() == current->block->index;
}

#if defined(__x86_64__)
  #define LONG_VECTORS __attribute__((target_clones("avx2", "default"))) /* SSE2 has no maximum of these */
#else
  #define LONG_VECTORS
#endif

LONG_VECTORS static void include(uint32_t *sum, const uint32_t *clock, size_t n)
{
  for (size_t k = 0; k < n; k++) sum[k] = std::max(sum[k], clock[k]);
}

/* Whether no time of a is later */
LONG_VECTORS static bool is_within(const uint32_t *a, const uint32_t *b, size_t n)
{
  uint32_t later = 0;

  for (size_t k = 0; k < n; k++) later |= std::max(a[k], b[k]) ^ b[k];
  return !later;
}

static Clock merged(const Clock &a, const Clock &b)
{
  if (!a || !b || a == b) return a ? a : b;
  if (is_within(b->data(), a->data(), a->size())) return a;
  if (is_within(a->data(), b->data(), a->size())) return b;
  auto sum = std::make_shared<std::vector<uint32_t>>(*a);
  include(sum->data(), b->data(), sum->size());
  return sum;
}

/* All that the thread knows, and its own accesses */
static Clock with_own(const Lane *lane)
{
  auto clock         = std::make_shared<std::vector<uint32_t>>(lane->known ? *lane->known : std::vector<uint32_t>(threads_in_launch()));
  (*clock)[lane->id] = lane->time;
  return clock;
}

Released released_with(Order order, const Released &old, uint32_t old_writer)
{
  const Clock own = order > Order::RELAXED ? with_own(current) : nullptr;
  Released    now;

  now.in_block = merged(merged(in_own_block(old_writer) ? old.in_block : nullptr, own), current->released_in_block);
  now.to_all   = at_block_scope(order) ? old.to_all : merged(merged(old.to_all, own), current->released);
  return now;
}

void learn(const Released &released, uint32_t writer, Order order)
{
  const bool  own      = in_own_block(writer);
  const Clock all      = own ? merged(released.to_all, released.in_block) : released.to_all;
  Clock      &observed = own ? current->observed_in_block : current->observed;

  if (!all || (!own && at_block_scope(order))) return;
  if (all != current->observed_last) observed = merged(observed, all);
  if (order > Order::RELAXED && all != current->acquired_last) current->known = merged(current->known, all);
  (order > Order::RELAXED ? current->acquired_last : current->observed_last) = all; /* polls see the same one again and again */
}

void synchronize(const std::vector<Lane *> &lanes)
{
  const auto   all  = std::make_shared<std::vector<uint32_t>>(threads_in_launch());
  const Clock *last = nullptr; /* most lanes know the same */

  for (const Lane *lane : lanes) {
    if (!lane->known || (last && lane->known == *last)) continue;
    include(all->data(), lane->known->data(), all->size());
    last = &lane->known;
  }
  for (const Lane *lane : lanes) (*all)[lane->id] = lane->time;
  for (Lane *lane : lanes) {
    show_stores(lane);
    lane->known = all;
  }
}

/* released_in_block holds what a fence at either scope has released */
void fence(bool at_block_scope)
{
  commit();
  show_stores(current);
  current->known = merged(current->known, current->observed_in_block);
  if (!at_block_scope) current->known = merged(current->known, current->observed);
  current->released_in_block = with_own(current);
  if (!at_block_scope) current->released = current->released_in_block;
}

} // namespace simt
