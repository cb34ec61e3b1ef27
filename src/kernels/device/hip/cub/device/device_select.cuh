#pragma once
#include <rocprim/device/device_select.hpp>

namespace cub {
struct DeviceSelect {
  template <class I, class T, class P> static hipError_t If(void *workspace, size_t &bytes, I in, T *out, int *selected, int n, P predicate)
  {
    return rocprim::select(workspace, bytes, in, out, selected, (size_t)n, predicate);
  }
};
} // namespace cub
