/* Time of work on the GPU, at set-up. */
#pragma once
#include "launch.cuh"

namespace sptrsv {

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
