/* Set-up on the device: temporary arrays that go with their scope, and CUB's two-step calls. */
#pragma once
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include "launch.cuh"

namespace sptrsv {

/* Device array of a set-up step, freed at the end of the scope */
template <class T> class Scratch {
public:
  Scratch()                           = default;
  Scratch(const Scratch &)            = delete;
  Scratch &operator=(const Scratch &) = delete;
  ~Scratch() { sptrsvMemoryFree(&memory); }

  SptrsvStatus create(size_t count) { return sptrsvScratchAllocate(&memory, count * sizeof(T), (void **)&p); }
  SptrsvStatus upload(const T *host, size_t count)
  {
    SPTRSV_TRY(create(count));
    SPTRSV_CUDA(cudaMemcpy(p, host, count * sizeof(T), cudaMemcpyHostToDevice));
    SPTRSV_CUDA(cudaStreamSynchronize(nullptr));
    return SPTRSV_SUCCESS;
  }
               operator T *() const { return p; }

private:
  T           *p      = nullptr;
  SptrsvMemory memory = {};
};

/* Calls a CUB device function twice: for the size of its workspace, and with it */
template <class F> SptrsvStatus with_workspace(F call)
{
  Scratch<char> workspace;
  size_t        bytes = 0;

  SPTRSV_CUDA(call((void *)nullptr, bytes));
  SPTRSV_TRY(workspace.create(bytes));
  SPTRSV_CUDA(call((void *)(char *)workspace, bytes));
  return SPTRSV_SUCCESS;
}

/* sums[k] = sum of the values before k */
template <class T> SptrsvStatus exclusive_sum(const T *values, T *sums, int n)
{
  return with_workspace([&](void *workspace, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(workspace, bytes, values, sums, n); });
}

inline int bits_for(unsigned long long keys)
{
  int bits = 1;

  while (bits < 64 && keys >> bits) bits++;
  return bits;
}

/* Items in the order of their keys, which are below `keys`; stable */
template <class K>
SptrsvStatus sort_by_key(const K *key, K *sorted_key, const int *item, int *sorted_item, int n, std::common_type_t<K> keys)
{
  return with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(workspace, bytes, key, sorted_key, item, sorted_item, n, 0, bits_for(keys));
  });
}

/* Values from the device; waits for them */
template <class T> SptrsvStatus read_back(const T *d, T *host, size_t count = 1)
{
  SPTRSV_CUDA(cudaMemcpy(host, d, count * sizeof(T), cudaMemcpyDeviceToHost));
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
