/* AMD: the calls of CUB that the library makes, in rocPRIM's */
#pragma once
#include <rocprim/device/device_radix_sort.hpp>
#include <rocprim/device/device_scan.hpp>

namespace cub {
struct DeviceRadixSort {
  template <class K, class T>
  static hipError_t SortPairs(void *workspace, size_t &bytes, const K *key, K *sorted, const T *value, T *out, int n, int first, int end)
  {
    return rocprim::radix_sort_pairs(workspace, bytes, key, sorted, value, out, n, (unsigned)first, (unsigned)end);
  }
};

struct DeviceScan {
  template <class T> static hipError_t ExclusiveSum(void *workspace, size_t &bytes, const T *in, T *out, int n)
  {
    return rocprim::exclusive_scan(workspace, bytes, in, out, T(0), (size_t)n);
  }
};
} // namespace cub
