/* CUB is trusted, not emulated: the results of its device functions, computed serially. */
#pragma once
#include <cuda_runtime.h>

namespace cub {
struct DeviceScan {
  template <class T> static cudaError_t ExclusiveSum(void *workspace, size_t &bytes, const T *in, T *out, int n)
  {
    T sum = 0;

    bytes = 1;
    for (int k = 0; workspace && k < n; k++) {
      const T v = in[k];
      out[k]    = sum;
      sum += v;
    }
    return cudaSuccess;
  }
};
} // namespace cub
