/* CUB is not emulated but trusted: the results of its device functions, computed serially, in the order of the stream. */
#pragma once
#include <algorithm>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

namespace cub {
struct DeviceRadixSort {
  template <class K, class T> static cudaError_t SortPairs(void *workspace, size_t &bytes, const K *key, K *sorted, const T *value, T *out,
                                                           int n, int first = 0, int end = 8 * sizeof(K), cudaStream_t stream = nullptr)
  {
    bytes = 1;
    if (!workspace) return cudaSuccess;
    return simt::enqueue(stream, [=] {
      std::vector<int> order((size_t)n);
      const auto       digits = [&](int k) { return (uint64_t)key[k] >> first & (~(uint64_t)0 >> (64 - (end - first))); };

      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return digits(a) < digits(b); });
      for (size_t k = 0; k < order.size(); k++) {
        sorted[k] = key[order[k]];
        out[k]    = value[order[k]];
      }
    });
  }
};

struct DeviceScan {
  template <class I, class T>
  static cudaError_t ExclusiveSum(void *workspace, size_t &bytes, I in, T *out, int n, cudaStream_t stream = nullptr)
  {
    bytes = 1;
    if (!workspace) return cudaSuccess;
    return simt::enqueue(stream, [=] {
      T sum = 0;

      for (int k = 0; k < n; k++) {
        const T v = (T)in[k];
        out[k]    = sum;
        sum += v;
      }
    });
  }
};
} // namespace cub
