/* Pivots of factorizations on the device, which are kept inverted. */
#pragma once
#include <cmath>
#include "device.cuh"

namespace sptrsv {

/* 1 / pivot.  A small one is shifted or reported; the tests that compare with a finished row come later (ilu0.cu). */
struct Inversion {
  SptrsvPivoting pivoting;
  int           *bad_row; /* device [1]: last row with a small pivot */

  /* row(): the pivot's row */
  template <class V, class F> __device__ __forceinline__ V operator()(V pivot, F row) const
  {
    const bool absolute = pivoting.shift == SPTRSV_SHIFT_NONE || pivoting.shift == SPTRSV_SHIFT_INBLOCKS;
    const bool small    = absolute && fabs((double)pivot) <= pivoting.zero_pivot;

    if (small && pivoting.shift == SPTRSV_SHIFT_INBLOCKS) pivot += (V)pivoting.shift_amount;
    else if (small) atomicMax(bad_row, row());
    return 1 / pivot;
  }
};

} // namespace sptrsv
