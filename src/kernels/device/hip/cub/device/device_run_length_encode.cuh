#pragma once
#include <rocprim/device/device_run_length_encode.hpp>

namespace cub {
struct DeviceRunLengthEncode {
  template <class T> static hipError_t Encode(void *workspace, size_t &bytes, const T *in, T *unique, int *length, int *runs, int n)
  {
    return rocprim::run_length_encode(workspace, bytes, in, (unsigned)n, unique, length, runs);
  }
};
} // namespace cub
