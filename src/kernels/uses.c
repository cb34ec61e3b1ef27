/* The order of uses in several streams: see sptrsv.h. */
#include <stdlib.h>
#include "impl.h"
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime.h>

struct SptrsvUses_s {
  cudaEvent_t  end;  /* of the last use; not recorded yet if that was in the legacy stream */
  SptrsvStream last; /* its stream */
  bool         any;  /* there was one */
};

/* A stream of the program's may be gone when a later use is to wait for it, so each use in it leaves its event behind.  The legacy stream
   is always there: its event is recorded when another stream has to wait, so that a program without streams pays for none. */
static bool is_legacy(SptrsvStream stream)
{
  return !stream;
}

static SptrsvStatus is_captured(SptrsvStream stream, bool *captured)
{
  enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

  if (!is_legacy(stream)) SPTRSV_TRY(sptrsvCudaStatus(cudaStreamIsCapturing(stream, &status)));
  *captured = status != cudaStreamCaptureStatusNone;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvUsesCreate(SptrsvUses *uses)
{
  SptrsvUses   u;
  SptrsvStatus status;

  if (!uses) return SPTRSV_INVALID_ARGUMENT;
  if (!sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  SPTRSV_TRY(sptrsvNew(1, &u));
  status = sptrsvCudaStatus(cudaEventCreateWithFlags(&u->end, cudaEventDisableTiming));
  if (status) free(u);
  else *uses = u;
  return status;
}

SptrsvStatus sptrsvUsesBegin(SptrsvUses u, SptrsvStream stream)
{
  bool captured;

  if (!u) return SPTRSV_INVALID_ARGUMENT;
  if (!u->any || (is_legacy(stream) && is_legacy(u->last))) return SPTRSV_SUCCESS;
  SPTRSV_TRY(is_captured(stream, &captured));
  if (captured) return SPTRSV_SUCCESS;
  if (is_legacy(u->last)) SPTRSV_TRY(sptrsvCudaStatus(cudaEventRecord(u->end, u->last)));
  return sptrsvCudaStatus(cudaStreamWaitEvent(stream, u->end, 0));
}

SptrsvStatus sptrsvUsesEnd(SptrsvUses u, SptrsvStream stream)
{
  bool captured;

  if (!u) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(is_captured(stream, &captured));
  if (captured) return SPTRSV_SUCCESS;
  if (!is_legacy(stream)) SPTRSV_TRY(sptrsvCudaStatus(cudaEventRecord(u->end, stream)));
  u->last = stream;
  u->any  = true;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvUsesDestroy(SptrsvUses *uses)
{
  SptrsvUses u;

  if (!uses) return SPTRSV_INVALID_ARGUMENT;
  u     = *uses;
  *uses = NULL;
  if (!u) return SPTRSV_SUCCESS;
  (void)cudaEventDestroy(u->end);
  free(u);
  return SPTRSV_SUCCESS;
}
#else
SptrsvStatus sptrsvUsesCreate(SptrsvUses *uses)
{
  return uses ? SPTRSV_NO_DEVICE : SPTRSV_INVALID_ARGUMENT;
}

SptrsvStatus sptrsvUsesBegin(SptrsvUses u, SptrsvStream stream)
{
  (void)u, (void)stream; /* there are none */
  return SPTRSV_INVALID_ARGUMENT;
}

SptrsvStatus sptrsvUsesEnd(SptrsvUses u, SptrsvStream stream)
{
  (void)u, (void)stream;
  return SPTRSV_INVALID_ARGUMENT;
}

SptrsvStatus sptrsvUsesDestroy(SptrsvUses *uses)
{
  return uses ? SPTRSV_SUCCESS : SPTRSV_INVALID_ARGUMENT;
}
#endif
