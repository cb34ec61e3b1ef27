/* The order of uses in several streams. */
#include <stdlib.h>
#include "cuda_calls.h"
#include "impl.h"

struct SptrsvUses_s {
  cudaEvent_t reached;
};

/* `later` goes on when `earlier` has done what is in it.  A use in the legacy stream is in order as it is, and nothing can be waited for in
   a capture. */
static SptrsvStatus follow(SptrsvUses u, SptrsvStream own, SptrsvStream later, SptrsvStream earlier)
{
  enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;

  if (!u) return SPTRSV_INVALID_ARGUMENT;
  if (!own) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvCudaStatus(cudaStreamIsCapturing(own, &capture)));
  if (capture != cudaStreamCaptureStatusNone) return SPTRSV_SUCCESS;
  SPTRSV_TRY(sptrsvCudaStatus(cudaEventRecord(u->reached, earlier)));
  return sptrsvCudaStatus(cudaStreamWaitEvent(later, u->reached, 0));
}

SptrsvStatus sptrsvUsesCreate(SptrsvUses *uses)
{
  SptrsvUses   u;
  SptrsvStatus status;

  if (!uses) return SPTRSV_INVALID_ARGUMENT;
  if (!sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  SPTRSV_TRY(sptrsvNew(1, &u));
  status = sptrsvCudaStatus(cudaEventCreateWithFlags(&u->reached, cudaEventDisableTiming));
  if (status) free(u);
  else *uses = u;
  return status;
}

SptrsvStatus sptrsvUsesDestroy(SptrsvUses *uses)
{
  if (!uses) return SPTRSV_INVALID_ARGUMENT;
  if (*uses) (void)cudaEventDestroy((*uses)->reached);
  free(*uses);
  *uses = NULL;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvUsesBegin(SptrsvUses u, SptrsvStream stream)
{
  return follow(u, stream, stream, NULL);
}

SptrsvStatus sptrsvUsesEnd(SptrsvUses u, SptrsvStream stream)
{
  return follow(u, stream, NULL, stream);
}
