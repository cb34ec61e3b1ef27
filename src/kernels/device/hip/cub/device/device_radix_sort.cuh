/* AMD: the calls of CUB that the library makes, in rocPRIM's */
#pragma once
#include <rocprim/device/device_radix_sort.hpp>

namespace cub {
struct DeviceRadixSort {
  template <class K, class T>
  static hipError_t SortPairs(void *workspace, size_t &bytes, const K *key, K *sorted, const T *value, T *out, int n, int first, int end)
  {
    return rocprim::radix_sort_pairs(workspace, bytes, key, sorted, value, out, n, (unsigned)first, (unsigned)end);
  }
};
} // namespace cub
