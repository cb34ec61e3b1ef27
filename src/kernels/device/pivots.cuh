/* Pivots of factorizations on the device, which are kept inverted. */
#pragma once
#include <cmath>
#include "device.cuh"

namespace sptrsv {

/* 1 / pivot.  A small one is shifted or reported; the tests that compare with a finished row come later (ilu0.cu). */
struct Inversion {
  SptrsvPivoting pivoting;
  int           *bad_row; /* device [1]: last row with a small pivot */

  /* row(): the pivot's row.  Small pivots are rare, and everything else is done without waiting for the test. */
  template <class V, class F> __device__ __forceinline__ V operator()(V pivot, F row) const
  {
    const bool absolute = pivoting.shift == SPTRSV_SHIFT_NONE || pivoting.shift == SPTRSV_SHIFT_INBLOCKS;
    V          inverse  = 1 / pivot;

    if (absolute && fabs((double)pivot) <= pivoting.zero_pivot) {
      if (pivoting.shift == SPTRSV_SHIFT_INBLOCKS) inverse = 1 / (pivot + (V)pivoting.shift_amount);
      else atomicMax(bad_row, row());
    }
    return inverse;
  }
};

} // namespace sptrsv
