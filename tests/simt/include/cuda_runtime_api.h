/*
   What the kernel library and its tests use of the CUDA runtime, served by the emulator (tests/simt/runtime.cc).  Streams are in order and
   done at once.
*/
#pragma once
#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum {
  cudaSuccess                 = 0,
  cudaErrorInvalidValue       = 1,
  cudaErrorMemoryAllocation   = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice           = 100,
  cudaErrorLaunchFailure      = 719
} cudaError_t;
typedef enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice } cudaMemcpyKind;
typedef enum { cudaDevAttrMultiProcessorCount = 16 } cudaDeviceAttr;
typedef struct CUstream_st *cudaStream_t;
enum { cudaHostAllocMapped = 2 };

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMemset(void *p, int byte, size_t bytes);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
#if defined(__cplusplus)
cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
}
#endif
