/* Host and device memory, with every failure as a status. */
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

#if defined(SPTRSV_HAVE_CUDA)
int sptrsvDeviceCount(void)
{
  int count;

  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  (void)cudaGetLastError(); /* or the next check of anybody would report it */
  return 0;
}

SptrsvStatus sptrsvDeviceAllocate(size_t bytes, void **d, size_t *total)
{
  const cudaError_t error = cudaMalloc(d, bytes ? bytes : 1);

  if (error == cudaSuccess) {
    *total += bytes;
    return SPTRSV_SUCCESS;
  }
  *d = NULL;
  (void)cudaGetLastError();
  if (error == cudaErrorMemoryAllocation) return SPTRSV_OUT_OF_MEMORY;
  return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? SPTRSV_NO_DEVICE : SPTRSV_CUDA_ERROR;
}

SptrsvStatus sptrsvUpload(const void *host, size_t bytes, void **d, size_t *total)
{
  SPTRSV_TRY(sptrsvDeviceAllocate(bytes, d, total));
  return !bytes || cudaMemcpy(*d, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess ? SPTRSV_SUCCESS : SPTRSV_CUDA_ERROR;
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
#endif
