/*
   simt.h - An emulator of a GPU's warps.  Kernels run as they are, each CUDA thread as a fiber, under a scheduler driven by a seed, so that
   an order of events that a GPU shows once in a million runs appears here in minutes, and can be repeated.

   The table in README.md says what each file holds.
*/
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace simt {

enum class Mode {
  RANDOM,   /* any thread that can run */
  POLLERS,  /* a thread about to write waits until no other one makes progress: threads spin as long as they can */
  NEWEST,   /* the last block, warp and lane first */
  STARVE,   /* one warp, which changes at times, runs only when no other one makes progress */
  LOCKSTEP, /* lanes of a warp run together, as without independent thread scheduling: the one farthest behind runs */
  RESIDENT, /* few blocks fit at a time, perhaps one, and they start in any order */
  WEAK,     /* loads may see old values, plain stores are seen late */
  LAG,      /* a lane, warp or block runs only when all others wait */
  RUSH,     /* a lane, warp or block runs until it has to wait */
  PRIORITY  /* the highest of random priorities, which change at a few random moments */
};
constexpr int MODES = 10;
const char   *mode_name(Mode mode);
bool          mode_named(const char *name, Mode *mode);

/* Mode and seed of later launches, which share one sequence of random numbers.  Work that streams still have is done first. */
void schedule(Mode mode, uint64_t seed);

/* Whether work of streams in no order may use the same device memory, which is an error otherwise: for litmus tests of the order */
void allow_conflicts(bool allowed);

/* The first error in a launch since then, or an empty string */
const std::string &failure();
void               fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct Counts {
  uint64_t launches, steps; /* steps: how often a thread was chosen */
};
Counts counts();

/* Of the threads chosen since schedule(), in their order, and the places where they went on: equal for equal schedules in this process */
uint64_t schedule_hash();

/* A copy of device memory, to be restored: for many runs of a plan that was created once */
struct Snapshot {
  std::string device, pinned;
};
Snapshot memory_save();
void     memory_restore(const Snapshot &snapshot);

} // namespace simt
