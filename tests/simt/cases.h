/* cases.h - Cases for the emulator's schedules: the library's work on a small matrix, set up once and run many times. */
#pragma once
#include "simt.h"
#include <functional>
#include <memory>
#include <string>

extern "C" {
#include "../kernels/check.h"
#include "../kernels/zoo.h"
}

namespace simt {

class Case {
public:
  virtual ~Case() = default;
  /* Sets up, and judges the first results; false: expect() has printed why */
  virtual bool open() = 0;
  /* Does the work again, and compares every bit with the first results; returns an error or an empty string */
  virtual std::string run() = 0;

  std::string name;      /* algorithm/…/matrix */
  std::string algorithm; /* with its variant */
  int         depth = 1; /* seeds for each one of --seeds: more where an error needs several events in one order */
};

using NewCase = std::function<std::unique_ptr<Case>()>;

/* Visits every case with its name, before the case is created */
void for_each_case(const std::function<void(const std::string &name, const NewCase &create)> &visit);

/* The first algorithm of the library's table that waits and has no case; NULL: all have one */
const char *algorithm_without_case();

} // namespace simt
