#pragma once
#include <iostream> /* which the header of ROCm 5.2 uses without including it */
#include <rocprim/device/device_reduce.hpp>

namespace cub {
struct DeviceReduce {
  template <class T, class F> static hipError_t Reduce(void *workspace, size_t &bytes, const T *in, T *out, int n, F reduce, T first)
  {
    return rocprim::reduce(workspace, bytes, in, out, first, (size_t)n, reduce);
  }
};
} // namespace cub
