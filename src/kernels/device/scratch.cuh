/* Set-up on the device: temporary arrays that go with their scope, sums and sorts, and CUB's two-step calls. */
#pragma once
#include "launch.cuh"

namespace sptrsv {

/* Device array of a set-up step, freed at the end of the scope: work that is under way in the legacy stream comes before all that may have
   the memory next, which is in that stream, too, and cudaFree() waits */
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
    return sptrsvCudaStatus(cudaMemcpy(p, host, count * sizeof(T), cudaMemcpyHostToDevice));
  }
  operator T *() const { return p; }

private:
  T           *p      = nullptr;
  SptrsvMemory memory = {};
};

/* Creates arrays of `count` items each */
template <class... T> SptrsvStatus create_all(size_t count, Scratch<T> &...array)
{
  SptrsvStatus status = SPTRSV_SUCCESS;

  (void)(... && !(status = array.create(count)));
  return status;
}

/* *d: count items, for sptrsvDeviceArrays() */
template <class T> SptrsvArray array_of(size_t count, T **d)
{
  return {count * sizeof(T), (void **)d};
}

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

/* sums[k] = sum of the values before k, which are not negative */
SptrsvStatus                    exclusive_sum(const int *values, int *sums, int n);
SptrsvStatus                    exclusive_sum(const unsigned long long *values, unsigned long long *sums, int n);
template <class T> SptrsvStatus exclusive_sum(const T *values, T *sums, int n)
{
  static_assert(sizeof(T) == sizeof(unsigned long long));
  return exclusive_sum((const unsigned long long *)values, (unsigned long long *)sums, n);
}

/* order [n]: the numbers 0 ... n - 1 in the order of their keys, which are below `keys`; stable */
SptrsvStatus sort_numbers(const unsigned *key, int n, unsigned keys, int *order);
/* The same of items */
SptrsvStatus sort_by_key(const unsigned *key, unsigned *sorted_key, const int *item, int *sorted_item, int n, unsigned keys);
SptrsvStatus sort_by_key(const unsigned long long *key, unsigned long long *sorted_key, const int *item, int *sorted_item, int n,
                         unsigned long long keys);

/* Values from the device; waits for them */
template <class T> SptrsvStatus read_back(const T *d, T *host, size_t count = 1)
{
  SPTRSV_CUDA(cudaMemcpy(host, d, count * sizeof(T), cudaMemcpyDeviceToHost));
  return SPTRSV_SUCCESS;
}

/* Takes *value to the device, where run(its address there) works on it in the legacy stream, and back */
template <class T, class F> SptrsvStatus run_on(T *value, F run)
{
  Scratch<T> d;

  SPTRSV_TRY(d.upload(value, 1));
  SPTRSV_TRY(run((T *)d));
  return read_back((T *)d, value);
}

} // namespace sptrsv
