#pragma once
#include <algorithm>
#include <cuda_runtime.h>

namespace cub {
struct DeviceReduce {
  template <class I, class T> static cudaError_t Sum(void *workspace, size_t &bytes, I in, T *out, int n, cudaStream_t = nullptr)
  {
    bytes = 1;
    if (workspace) *out = T(0);
    for (int k = 0; workspace && k < n; k++) *out = *out + in[k];
    return cudaSuccess;
  }
  template <class I, class T> static cudaError_t Max(void *workspace, size_t &bytes, I in, T *out, int n, cudaStream_t = nullptr)
  {
    bytes = 1;
    if (workspace && n) *out = in[0];
    for (int k = 1; workspace && k < n; k++) *out = std::max<T>(*out, in[k]);
    return cudaSuccess;
  }
};
} // namespace cub
