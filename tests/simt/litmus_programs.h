/* litmus_programs.h - How litmus_streams.cu and litmus_memory.cu run their programs: under many seeds, in both kinds of streams. */
#pragma once
#include <functional>
#include <set>
#include "litmus_world.h"

namespace {

using Program  = std::function<int(World &)>;
using Outcomes = std::set<int>;

Outcomes run(unsigned flags, const Program &program)
{
  Outcomes seen;

  simt::allow_conflicts(true);
  for (int seed = 1; seed <= SEEDS; seed++) {
    World world(flags);

    simt::schedule(simt::Mode::RANDOM, (uint64_t)seed);
    seen.insert(program(world));
  }
  simt::allow_conflicts(false);
  return seen;
}

/* In both kinds of streams, unless one kind is named */
void outcomes(const char *what, const Outcomes &expected, const Program &program, int only = -1)
{
  for (int flags : {0, (int)cudaStreamNonBlocking}) {
    if (only >= 0 && only != flags) continue;
    case_begin("%s, %s streams", what, flags ? "non-blocking" : "blocking");
    const Outcomes seen = run((unsigned)flags, program);
    for (int v : seen) expect(expected.count(v), "%d was seen", v);
    for (int v : expected) expect(seen.count(v), "%d was not seen", v);
    case_end();
  }
}

/* Ends in a failure with these words, under some seed */
void caught(const char *what, const char *words, const Program &program)
{
  bool found = false;

  case_begin("%s", what);
  for (int seed = 1; seed <= SEEDS && !found; seed++) {
    World world(cudaStreamNonBlocking);

    simt::schedule(simt::Mode::RANDOM, (uint64_t)seed);
    (void)program(world);
    (void)cudaDeviceSynchronize();
    found = simt::failure().find(words) != std::string::npos;
    simt::schedule(simt::Mode::RANDOM, 1);
  }
  expect(found, "not caught as \"%s\"", words);
  case_end();
}

} // namespace
