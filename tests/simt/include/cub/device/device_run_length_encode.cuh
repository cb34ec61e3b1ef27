/* cub::DeviceRunLengthEncode, serial. */
#pragma once
#include <cuda_runtime.h>

namespace cub {
struct DeviceRunLengthEncode {
  template <class T> static cudaError_t Encode(void *workspace, size_t &bytes, const T *in, T *unique, int *length, int *runs, int n,
                                               cudaStream_t stream = nullptr)
  {
    bytes = 1;
    if (!workspace) return cudaSuccess;
    return simt::enqueue(stream, [=] {
      *runs = 0;
      for (int k = 0; k < n; k++) {
        if (!k || in[k] != in[k - 1]) {
          unique[*runs]     = in[k];
          length[(*runs)++] = 0;
        }
        length[*runs - 1]++;
      }
    });
  }
};
} // namespace cub
