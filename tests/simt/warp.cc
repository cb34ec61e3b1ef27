/* Votes, shuffles and barriers.  All lanes of the mask must come to the same place, and none may be missing. */
#include "internal.h"

namespace simt {

namespace {

const char *name_of(Meeting kind)
{
  static const char *const names[] = {"__ballot_sync", "__any_sync", "__shfl_sync", "__shfl_xor_sync", "__syncwarp", "__syncthreads"};

  return names[(int)kind];
}

uint64_t votes_of(const std::vector<Lane *> &lanes)
{
  uint64_t votes = 0;

  for (const Lane *lane : lanes) votes |= (uint64_t)(lane->value != 0) << lane->lane;
  return votes;
}

uint64_t result_of(const Lane *lane, uint64_t votes)
{
  switch (lane->kind) {
  case Meeting::BALLOT:
    return votes;
  case Meeting::ANY:
    return votes != 0;
  case Meeting::SHUFFLE:
    return lane->warp->lanes[(unsigned)lane->operand % WARP_SIZE]->value;
  case Meeting::SHUFFLE_XOR:
    return lane->warp->lanes[(lane->lane ^ (unsigned)lane->operand) % WARP_SIZE]->value;
  default:
    return 0;
  }
}

/* The last lane has come */
void finish(Lane *last, const std::vector<Lane *> &lanes)
{
  for (const Lane *lane : lanes) {
    if (lane->kind != last->kind || (lane->site != last->site && strcmp(lane->site, last->site))) {
      fail("lanes meet in different places: %s at %s and %s at %s", name_of(last->kind), last->site, name_of(lane->kind), lane->site);
      return;
    }
  }
  if (last->kind == Meeting::SYNCWARP || last->kind == Meeting::SYNCTHREADS) synchronize(lanes);
  const uint64_t votes = last->kind == Meeting::BALLOT || last->kind == Meeting::ANY ? votes_of(lanes) : 0;
  for (Lane *lane : lanes) lane->result = result_of(lane, votes);
  for (Lane *lane : lanes) {
    if (lane != last) wake(lane);
  }
  last->state = Lane::READY;
}

/* All remaining threads have come, but some have ended before */
void look_for_missing(const Lane *lane)
{
  if (lane->kind != Meeting::SYNCTHREADS && lane->warp->waiting == lane->warp->alive)
    fail("a thread ended without %s at %s, where the rest of its warp waits", name_of(lane->kind), lane->site);
}

} // namespace

uint64_t meet(Meeting kind, const char *site, uint64_t mask, uint64_t value, int operand)
{
  Lane *lane = current;

  commit();
  if (mask != ALL) fail("%s of part of a warp, at %s: not known to this emulator", name_of(kind), site);
  lane->kind    = kind;
  lane->site    = site;
  lane->value   = value;
  lane->operand = operand;
  lane->state   = Lane::MEETING;
  lane->pc = lane->jumped = nullptr;
  lane->writes            = false;
  lane->met               = true;
  if (kind == Meeting::SYNCTHREADS) {
    if (++lane->block->waiting == lane->block->lanes.size()) {
      lane->block->waiting = 0;
      finish(lane, lane->block->lanes);
    }
  } else if (++lane->warp->waiting == WARP_SIZE) {
    lane->warp->waiting = 0;
    finish(lane, lane->warp->lanes);
  } else look_for_missing(lane);
  if (lane->state == Lane::MEETING) wake_warp(lane->warp);
  if (lane->state == Lane::MEETING || in_trouble()) yield();
  return lane->result;
}

void lane_ends(Lane *lane)
{
  if (--lane->warp->alive != lane->warp->waiting) return;
  for (const Lane *other : lane->warp->lanes) {
    if (other->state == Lane::MEETING) look_for_missing(other);
  }
}

} // namespace simt
