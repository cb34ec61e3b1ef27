/* cub::DeviceSelect, serial. */
#pragma once
#include <cuda_runtime.h>

namespace cub {
struct DeviceSelect {
  template <class I, class T, class P>
  static cudaError_t If(void *workspace, size_t &bytes, I in, T *out, int *selected, int n, P predicate, cudaStream_t stream = nullptr)
  {
    bytes = 1;
    if (!workspace) return cudaSuccess;
    return simt::enqueue(stream, [=] {
      *selected = 0;
      for (int k = 0; k < n; k++) {
        if (predicate(in[k])) out[(*selected)++] = in[k];
      }
    });
  }
};
} // namespace cub
