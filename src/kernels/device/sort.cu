/*
   Sums and sorts of set-up steps, by CUB.

   A process loads the kernels of a file all at once, before the first of them runs, and CUB has many for each call.  So they are in this
   file once, and not in each that sums or sorts (doc/performance.md).
*/
#include <cub/cub.cuh>
#include "scratch.cuh"

namespace sptrsv {

template <class T> SptrsvStatus exclusive_sum(const T *values, std::common_type_t<T> *sums, int n, std::common_type_t<T> *total)
{
  using W = std::conditional_t<sizeof(T) == sizeof(int), int, unsigned long long>;

  SPTRSV_TRY(with_workspace(
      [&](void *workspace, size_t &bytes) { return cub::DeviceScan::ExclusiveSum(workspace, bytes, (const W *)values, (W *)sums, n); }));
  return total ? read_back(sums + n - 1, total) : SPTRSV_SUCCESS;
}
template SptrsvStatus exclusive_sum(const int *, int *, int, int *);
template SptrsvStatus exclusive_sum(const size_t *, size_t *, int, size_t *);
template SptrsvStatus exclusive_sum(const unsigned long long *, unsigned long long *, int, unsigned long long *);

template <class K> SptrsvStatus sort_by_key(const K *key, std::common_type_t<K> *sorted_key, const int *item, int *sorted_item, int n,
                                            std::common_type_t<K> keys)
{
  int bits = 1; /* of a key */

  while (bits < 64 && (unsigned long long)keys >> bits) bits++;
  return with_workspace([&](void *workspace, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(workspace, bytes, key, sorted_key, item, sorted_item, n, 0, bits);
  });
}
template SptrsvStatus sort_by_key(const unsigned *, unsigned *, const int *, int *, int, unsigned);
template SptrsvStatus sort_by_key(const unsigned long long *, unsigned long long *, const int *, int *, int, unsigned long long);

SptrsvStatus sort_numbers(const unsigned *key, int n, unsigned keys, int *order)
{
  Scratch<unsigned> sorted_key;
  Scratch<int>      number;

  SPTRSV_TRY(create_all(n, sorted_key, number));
  SPTRSV_TRY(for_each(n, [number = (int *)number] __device__(int k) { number[k] = k; }));
  return sort_by_key(key, sorted_key, number, order, n, keys);
}

} // namespace sptrsv
