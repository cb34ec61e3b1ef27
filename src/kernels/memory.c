/* Host and device memory; every failure is returned as a status. */
#include <stdio.h>
#include <stdlib.h>
#include "impl.h"
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

SptrsvStatus sptrsvAllocate(size_t count, size_t size, void **p)
{
  *p = calloc(count ? count : 1, size);
  return *p ? SPTRSV_SUCCESS : SPTRSV_OUT_OF_MEMORY;
}

int sptrsvWarpSize(void)
{
  return SPTRSV_WARP;
}

#if defined(SPTRSV_HAVE_CUDA)
SptrsvStatus sptrsvCudaStatus(int error)
{
  if (error == cudaSuccess) return SPTRSV_SUCCESS;
  (void)cudaGetLastError(); /* clears the error; otherwise the next check, in any code, would report it */
  if (error == cudaErrorMemoryAllocation) return SPTRSV_OUT_OF_MEMORY;
  return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? SPTRSV_NO_DEVICE : SPTRSV_CUDA_ERROR;
}

int sptrsvDeviceCount(void)
{
  int count;

  return sptrsvCudaStatus(cudaGetDeviceCount(&count)) ? 0 : count;
}

SptrsvStatus sptrsvDeviceName(char *name, size_t size)
{
  struct cudaDeviceProp properties;
  int                   device;

  if (!name || !size) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvCudaStatus(cudaGetDevice(&device)));
  SPTRSV_TRY(sptrsvCudaStatus(cudaGetDeviceProperties(&properties, device)));
  (void)snprintf(name, size, "%s", properties.name);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvDeviceAllocate(size_t bytes, void **d, size_t *total)
{
  *d = NULL;
  SPTRSV_TRY(sptrsvCudaStatus(cudaMalloc(d, bytes ? bytes : 1)));
  *total += bytes;
  return SPTRSV_SUCCESS;
}

/* These two functions return after the copy or clear is complete, so the array can then be used in any stream */
SptrsvStatus sptrsvUpload(const void *host, size_t bytes, void **d, size_t *total)
{
  SPTRSV_TRY(sptrsvDeviceAllocate(bytes, d, total));
  if (bytes) SPTRSV_TRY(sptrsvCudaStatus(cudaMemcpy(*d, host, bytes, cudaMemcpyHostToDevice)));
  return sptrsvCudaStatus(cudaStreamSynchronize(NULL));
}

SptrsvStatus sptrsvDeviceAllocateZeroed(size_t bytes, void **d, size_t *total)
{
  SPTRSV_TRY(sptrsvDeviceAllocate(bytes, d, total));
  SPTRSV_TRY(sptrsvCudaStatus(cudaMemset(*d, 0, bytes)));
  return sptrsvCudaStatus(cudaStreamSynchronize(NULL));
}

void sptrsvDeviceFree(void *d)
{
  (void)cudaFree(d);
}
#else
int sptrsvDeviceCount(void)
{
  return 0;
}

SptrsvStatus sptrsvDeviceName(char *name, size_t size)
{
  return name && size ? SPTRSV_NO_DEVICE : SPTRSV_INVALID_ARGUMENT;
}
#endif
