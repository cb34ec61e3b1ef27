/* litmus_run.h - How litmus.cu and litmus_races.cu run their kernels: under many seeds, which all or none must end in a certain way. */
#pragma once
#include <cuda_runtime.h>
#include <string>
#include "../../src/kernels/device/launch.cuh"
#include "simt.h"

extern "C" {
#include "../kernels/check.h"
}

namespace {

using simt::Mode;
using sptrsv::launch;
using sptrsv::WARP;

constexpr int SEEDS = 400;

using Kernel = void(unsigned *, unsigned *, unsigned *);

struct Seen {
  int  pairs[2][2] = {}; /* how often out was (i, j), each cut to 0 or 1 */
  int  failures    = 0;
  bool said        = false; /* the expected failure has been reported */
};

/* Under many seeds, or until a failure with the given words, if any */
Seen run(Kernel *kernel, Mode mode, int threads, const char *words)
{
  const unsigned none[2] = {0, 0};
  Seen           seen;

  for (int seed = 1; seed <= SEEDS && !seen.said; seed++) {
    unsigned *data = (unsigned *)place_new(SPTRSV_DEVICE, sizeof(unsigned), none),
             *flag = (unsigned *)place_new(SPTRSV_DEVICE, sizeof(none), NULL),
             *out = (unsigned *)place_new(SPTRSV_DEVICE, sizeof(none), none), result[2] = {0, 0};

    place_put(SPTRSV_DEVICE, flag, none, sizeof(unsigned)); /* its second word stays unwritten */
    simt::schedule(mode, (uint64_t)seed);
    if (launch(kernel, 2, threads, nullptr, data, flag, out) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
      seen.failures++;
      seen.said = words && simt::failure().find(words) != std::string::npos;
    }
    simt::schedule(Mode::RANDOM, 1);
    place_get(SPTRSV_DEVICE, result, out, sizeof(result));
    seen.pairs[result[0] != 0][result[1] != 0]++;
    for (unsigned *p : {data, flag, out}) place_free(SPTRSV_DEVICE, p);
  }
  return seen;
}

/* Outcomes (0,0) (0,1) (1,0) (1,1) of programs without errors: '1' must appear, '0' must not */
void outcomes(const char *what, Kernel *kernel, Mode mode, const char *expected, int threads = WARP)
{
  case_begin("%s, mode %s", what, simt::mode_name(mode));
  const Seen seen = run(kernel, mode, threads, nullptr);
  expect(!seen.failures, "%d of %d runs failed", seen.failures, SEEDS);
  for (int k = 0; k < 4; k++) {
    const int times = seen.pairs[k / 2][k % 2];
    if (expected[k] != '?') expect((times > 0) == (expected[k] == '1'), "(%d, %d) was seen %d times", k / 2, k % 2, times);
  }
  case_end();
}

void caught(const char *what, Kernel *kernel, Mode mode, const char *words, int threads = WARP)
{
  case_begin("%s, mode %s", what, simt::mode_name(mode));
  const Seen seen = run(kernel, mode, threads, words);
  expect(seen.said, "not caught as \"%s\"", words);
  case_end();
}

} // namespace
