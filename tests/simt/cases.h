/* cases.h - What is run under the emulator's schedules: an algorithm on a small matrix, set up once, and then run again and again. */
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
  /* Sets up and judges a first result by its residual; false: said with expect() */
  virtual bool open() = 0;
  /* Runs kernels that wait, `launches` of them, and compares every bit with the first result; says what is wrong, or nothing */
  virtual std::string run() = 0;

  std::string name;         /* algorithm/sweep/type/matrix */
  std::string algorithm;    /* with its variant */
  int         launches = 0; /* of a run */
};

using NewCase = std::function<std::unique_ptr<Case>()>;

/* Every case there is, one after the other; each is told its name before it is made */
void for_each_case(const std::function<void(const std::string &name, const NewCase &create)> &visit);

/* The first algorithm of the library's table that waits and is in no case; NULL: all are */
const char *algorithm_without_case();

} // namespace simt
