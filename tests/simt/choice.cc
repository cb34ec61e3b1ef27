/* The thread that runs next, by the mode. */
#include "ready.h"
#include <algorithm>

namespace simt {
namespace {

constexpr uint64_t NEVER   = ~0ull;
constexpr unsigned TIRED   = 4;  /* steps without a change after which other threads are preferred */
constexpr uint64_t INITIAL = 8;  /* priorities begin here, above those given later */
constexpr unsigned RANGES  = 10; /* 1, 2, 4, ... 512 steps of each thread */

enum class Unit { LANE, WARP, BLOCK }; /* what lags, rushes or has a priority */
struct Change {
  uint64_t step, priority; /* of the unit that runs then */
};

struct {
  Ready               ready;
  Unit                unit;
  Lane               *chosen;     /* its unit lags or rushes, its warp starves */
  std::vector<Change> changes;    /* the last one first */
  Lane               *best;       /* NULL: all threads are tired */
  uint64_t            best_since; /* changes of memory when best() looked for it; NEVER: it must look again */
  uint64_t            steps;      /* since the launch */
} now;

bool together(const Lane *a, const Lane *b)
{
  return now.unit == Unit::LANE ? a == b : now.unit == Unit::WARP ? a->warp == b->warp : a->block == b->block;
}

bool tired(const Lane *lane)
{
  return lane->seen == changes && lane->idle >= TIRED;
}

/* Whether the mode prefers the thread */
bool pleases(const Lane *lane)
{
  switch (mode) {
  case Mode::POLLERS:
    return !lane->writes;
  case Mode::STARVE:
    return now.chosen && lane->warp != now.chosen->warp;
  case Mode::LAG:
    return now.chosen && !together(lane, now.chosen);
  case Mode::RUSH:
    return now.chosen && together(lane, now.chosen);
  default:
    return true;
  }
}

/* The best thread that can run; any thread when all are tired.  Until memory changes or a thread becomes ready, it stays the best one until
   it is tired. */
Lane *best()
{
  const bool fresh = now.best_since == changes;

  if (!fresh || (now.best && (now.best->state != Lane::READY || tired(now.best)))) {
    now.best       = now.ready.best();
    now.best_since = changes;
  }
  return now.best ? now.best : now.ready.anyone();
}

Lane *someone_pleasing()
{
  Lane *lane = now.ready.someone(true);

  if (!lane) lane = now.ready.someone(false);
  return lane ? lane : now.ready.anyone();
}

bool has_not_jumped(const Lane *lane)
{
  return lane->state == Lane::READY && !lane->jumped;
}

/* The first of the lowest place */
void look_for_hindmost(Warp *warp)
{
  warp->hindmost = Warp::NONE;
  warp->place = warp->end = nullptr;
  for (Lane *lane : warp->lanes) {
    if (lane->state == Lane::READY) warp->end = std::max(warp->end, lane->jumped);
    if (!has_not_jumped(lane) || (warp->hindmost != Warp::NONE && lane->pc >= warp->place)) continue;
    warp->hindmost = lane->lane;
    warp->place    = lane->pc;
  }
}

/* As no other lane has run since, it is mostly the next one at the same place */
bool next_at_place(Warp *warp)
{
  const Lane *ran = warp->lanes[warp->hindmost];

  if (ran->state == Lane::READY) warp->end = std::max(warp->end, ran->jumped);
  for (size_t k = warp->hindmost; k < warp->lanes.size(); k++) {
    if (!has_not_jumped(warp->lanes[k]) || warp->lanes[k]->pc != warp->place) continue;
    warp->hindmost = k;
    return true;
  }
  return false;
}

/* Without independent thread scheduling, lanes that diverge wait for each other where their paths join: lanes that begin a new round of a
   loop for those still in this round, and lanes that have left the loop for those still in it.  Places in the compiled kernel stand for
   places in the program. */
Lane *hindmost(Warp *warp)
{
  if (warp->hindmost == Warp::NONE || !next_at_place(warp)) look_for_hindmost(warp);
  if (warp->hindmost != Warp::NONE && (!warp->end || warp->place <= warp->end)) return warp->lanes[warp->hindmost];
  for (Lane *lane : warp->lanes) lane->jumped = nullptr;
  warp->hindmost = Warp::NONE;
  return hindmost(warp);
}

/* Probabilistic concurrency testing (Burckhardt et al., ASPLOS 2010): the highest priority runs, and at each of d - 1 random steps the unit
   that runs gets one lower than all initial ones.  A thread that polls in vain waits, as if it were blocked.  README.md gives the bound. */
Lane *highest()
{
  if (!now.changes.empty() && now.steps >= now.changes.back().step) {
    for (Lane *lane : now.chosen->block->lanes) {
      if (!together(lane, now.chosen)) continue;
      lane->priority = now.changes.back().priority;
      if (lane->state == Lane::READY) now.ready.set_key(lane, lane->priority);
    }
    now.changes.pop_back();
    now.best_since = NEVER;
  }
  now.chosen = best();
  return now.chosen;
}

/* The length of a launch is not known before, so the range of the random numbers is drawn, too */
void draw_changes(uint64_t threads)
{
  const uint64_t depth = 2 + random_number() % 4, range = threads << random_number() % RANGES;

  now.changes.clear();
  for (uint64_t k = 1; k < depth; k++) now.changes.push_back({random_number() % range, k});
  std::sort(now.changes.begin(), now.changes.end(), [](const Change &a, const Change &b) { return a.step > b.step; });
}

} // namespace

void choice_begins(size_t most)
{
  now.ready.begin(most);
  now.chosen = nullptr;
  now.steps  = 0;
  now.unit   = (Unit)(random_number() % 3);
  if (mode == Mode::PRIORITY) draw_changes(most);
}

void wake(Lane *lane)
{
  now.best_since       = NEVER;
  lane->state          = Lane::READY;
  lane->warp->hindmost = Warp::NONE;
  now.ready.add(lane, mode == Mode::PRIORITY ? lane->priority : lane->id, pleases(lane));
  if (tired(lane)) now.ready.tire(lane);
}

void choice_adds(Lane *lane)
{
  if (mode == Mode::PRIORITY) lane->priority = lane->thread && together(lane, lane - 1) ? lane[-1].priority : INITIAL + random_number();
  wake(lane);
}

void choose_unit()
{
  now.chosen = now.ready.anyone();
  for (size_t k = 0; k < now.ready.size(); k++) now.ready.please(now.ready.at(k), pleases(now.ready.at(k)));
}

Lane *choose()
{
  switch (mode) {
  case Mode::NEWEST:
    return best();
  case Mode::STARVE:
    if (one_in(512)) choose_unit();
    return someone_pleasing();
  case Mode::POLLERS:
  case Mode::LAG:
  case Mode::RUSH:
    return someone_pleasing();
  case Mode::LOCKSTEP:
    return hindmost(now.ready.anyone()->warp);
  case Mode::PRIORITY:
    return highest();
  default:
    return now.ready.anyone();
  }
}

void choice_ran(Lane *lane)
{
  now.steps++;
  if (lane->state != Lane::READY) now.ready.remove(lane);
  else {
    if (mode == Mode::POLLERS) now.ready.please(lane, pleases(lane));
    if (tired(lane)) now.ready.tire(lane);
  }
}

size_t ready_threads()
{
  return now.ready.size();
}

} // namespace simt
