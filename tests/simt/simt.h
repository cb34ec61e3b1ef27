/*
   simt.h - An emulator of a GPU's warps.  Kernels run as they are, each CUDA thread as a fiber, under a scheduler that a seed
   drives, so that what may happen on a GPU once in a million runs happens here in minutes, and can be run again.

   scheduler.cc  who runs next
   warp.cc       votes, shuffles and barriers
   access.cc     how loads and stores come to the emulator
   history.cc    what a load may see
   arena.cc      device memory: bounds, and what nobody wrote
   runtime.cc    the part of the CUDA runtime that the kernel library uses
   streams.cc    its streams, events and graphs
*/
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace simt {

enum class Mode {
  RANDOM,   /* any thread that can run */
  POLLERS,  /* who is about to write waits until nobody else gets anywhere: threads spin as long as they can */
  NEWEST,   /* the last block, warp and lane first */
  STARVE,   /* one warp, at times another one, runs only when nobody else gets anywhere */
  LOCKSTEP, /* lanes of a warp go through the code together, as without independent thread scheduling: the hindmost runs */
  RESIDENT, /* few blocks fit at a time, one perhaps, and they start in any order */
  WEAK      /* loads may see old values, plain stores are seen late */
};
constexpr int MODES = 7;
const char   *mode_name(Mode mode);
bool          mode_named(const char *name, Mode *mode);

/* How later launches run; launches after the first go on with the same random numbers */
void schedule(Mode mode, uint64_t seed);

/* What went wrong in a launch since then, or nothing */
const std::string &failure();
void               fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct Counts {
  uint64_t launches, steps; /* steps: how often a thread was chosen */
};
Counts counts();

/* Device memory as it is, to be put back: for many runs of a plan that was made once */
struct Snapshot {
  std::string bytes;
};
Snapshot memory_save();
void     memory_restore(const Snapshot &snapshot);

} // namespace simt
