/* Set-up on the device: temporary arrays that go with their scope, sums and sorts, CUB's two-step calls, and times. */
#pragma once
#include <initializer_list>
#include "launch.cuh"

namespace sptrsv {

/* Memory of a set-up step, freed at the end of the scope: work that is under way in the legacy stream comes before all that may have the
   memory next, which is in that stream, too, and cudaFree() waits */
struct ScopedMemory : SptrsvMemory {
  ScopedMemory() : SptrsvMemory() {}
  ScopedMemory(const ScopedMemory &)            = delete;
  ScopedMemory &operator=(const ScopedMemory &) = delete;
  ~ScopedMemory() { sptrsvMemoryFree(this); }
};

/* Device array in such memory */
template <class T> class Scratch {
public:
  SptrsvStatus create(size_t count) { return sptrsvScratchAllocate(&memory, count * sizeof(T), (void **)&p); }
  SptrsvStatus upload(const T *host, size_t count)
  {
    SPTRSV_TRY(create(count));
    return sptrsvCudaStatus(cudaMemcpy(p, host, count * sizeof(T), cudaMemcpyHostToDevice));
  }
  operator T *() const { return p; }

private:
  T           *p = nullptr;
  ScopedMemory memory;
};

/* Creates arrays of `count` items each */
template <class... T> SptrsvStatus create_all(size_t count, Scratch<T> &...array)
{
  SptrsvStatus status = SPTRSV_SUCCESS;

  (void)(... && !(status = array.create(count)));
  return status;
}

/* Several arrays in one block, each array_of() count items */
template <class T> SptrsvArray array_of(size_t count, T **d)
{
  return {count * sizeof(T), (void **)d};
}
inline SptrsvStatus device_arrays(SptrsvMemory *memory, std::initializer_list<SptrsvArray> arrays)
{
  return sptrsvDeviceArrays(memory, (int)arrays.size(), arrays.begin());
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

/* sums[k] = sum of the values before k, which are not negative: integers of 32 or 64 bits; *total (NULL: not asked for): the last one, for
   which it waits */
template <class T> SptrsvStatus exclusive_sum(const T *values, std::common_type_t<T> *sums, int n, std::common_type_t<T> *total = nullptr);

/* order [n]: the numbers 0 ... n - 1 in the order of their keys, which are below `keys`; stable */
SptrsvStatus sort_numbers(const unsigned *key, int n, unsigned keys, int *order);
/* The same of items, by keys of 32 or 64 bits without a sign */
template <class K> SptrsvStatus sort_by_key(const K *key, std::common_type_t<K> *sorted_key, const int *item, int *sorted_item, int n,
                                            std::common_type_t<K> keys);

/* Values from the device; waits for them */
template <class T> SptrsvStatus read_back(const T *d, T *host, size_t count = 1)
{
  SPTRSV_CUDA(cudaMemcpy(host, d, count * sizeof(T), cudaMemcpyDeviceToHost));
  return SPTRSV_SUCCESS;
}

/* Takes *value to the device, where run(its address there) works on it in the legacy stream, and back.  First it waits for launches before,
   so behind a long one a cudaMemset() is better. */
template <class T, class F> SptrsvStatus run_on(T *value, F run)
{
  Scratch<T> d;

  SPTRSV_TRY(d.upload(value, 1));
  SPTRSV_TRY(run((T *)d));
  return read_back((T *)d, value);
}

/* Milliseconds of the GPU's time that run() takes the last one of so many times; in the legacy stream */
template <class F> SptrsvStatus measure(const F &run, float *ms, int times = 2)
{
  cudaEvent_t  event[2] = {};
  SptrsvStatus status   = SPTRSV_SUCCESS;

  for (cudaEvent_t &e : event) {
    if (!status) status = sptrsvCudaStatus(cudaEventCreateWithFlags(&e, cudaEventDefault));
  }
  for (int k = 0; !status && k < times; k++) {
    status = sptrsvCudaStatus(cudaEventRecord(event[0], nullptr));
    if (!status) status = run();
    if (!status) status = sptrsvCudaStatus(cudaEventRecord(event[1], nullptr));
    if (!status) status = sptrsvCudaStatus(cudaEventSynchronize(event[1]));
  }
  if (!status) status = sptrsvCudaStatus(cudaEventElapsedTime(ms, event[0], event[1]));
  for (cudaEvent_t e : event) {
    if (e) (void)cudaEventDestroy(e);
  }
  return status;
}

} // namespace sptrsv
