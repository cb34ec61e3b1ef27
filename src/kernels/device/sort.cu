/*
   Sums and sorts of set-up steps, by CUB.

   A process loads the kernels of a file all at once, before the first of them runs, and CUB has many for each call.  So they are in this
   file once, and not in each that sums or sorts (doc/performance.md).
*/
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include "scratch.cuh"

namespace {

using namespace sptrsv;

template <class T> SptrsvStatus sum(const T *values, T *sums, int n)
{
  return with_workspace([&](void *workspace, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(workspace, bytes, values, sums, n); });
}

__global__ void number_kernel(int n, int *number)
{
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) number[k] = k;
}

int bits_for(unsigned long long keys)
{
  int bits = 1;

  while (bits < 64 && keys >> bits) bits++;
  return bits;
}

template <class K> SptrsvStatus sort(const K *key, K *sorted_key, const int *item, int *sorted_item, int n, K keys)
{
  return with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(workspace, bytes, key, sorted_key, item, sorted_item, n, 0, bits_for(keys));
  });
}

} // namespace

namespace sptrsv {

SptrsvStatus exclusive_sum(const int *values, int *sums, int n)
{
  return sum(values, sums, n);
}
SptrsvStatus exclusive_sum(const unsigned long long *values, unsigned long long *sums, int n)
{
  return sum(values, sums, n);
}

SptrsvStatus sort_numbers(const unsigned *key, int n, unsigned keys, int *order)
{
  Scratch<unsigned> sorted_key;
  Scratch<int>      number;

  SPTRSV_TRY(create_all(n, sorted_key, number));
  SPTRSV_TRY(launch_for(number_kernel, n, nullptr, n, number));
  return sort(key, (unsigned *)sorted_key, number, order, n, keys);
}
SptrsvStatus sort_by_key(const unsigned *key, unsigned *sorted_key, const int *item, int *sorted_item, int n, unsigned keys)
{
  return sort(key, sorted_key, item, sorted_item, n, keys);
}
SptrsvStatus sort_by_key(const unsigned long long *key, unsigned long long *sorted_key, const int *item, int *sorted_item, int n,
                         unsigned long long keys)
{
  return sort(key, sorted_key, item, sorted_item, n, keys);
}

} // namespace sptrsv
