/* The calls of CUDA that sources in C make.  In a library without CUDA each of them finds no GPU. */
#pragma once
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime.h>
#else
typedef void *cudaEvent_t;
struct cudaDeviceProp {
  char name[1];
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone };
enum { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorNoDevice, cudaErrorInsufficientDriver };
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaHostAllocMapped, cudaHostRegisterMapped, cudaEventDisableTiming };

/* Takes the arguments of any call */
static inline int sptrsvNoDevice(int call, ...)
{
  (void)call;
  return cudaErrorNoDevice;
}

  #define cudaGetLastError()            sptrsvNoDevice(0)
  #define cudaGetDeviceCount(...)       sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaGetDevice(...)            sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaGetDeviceProperties(...)  sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaMalloc(...)               sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaFree(...)                 sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaMemset(...)               sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaMemcpy(...)               sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaHostAlloc(...)            sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaFreeHost(...)             sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaHostRegister(...)         sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaHostUnregister(...)       sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaHostGetDevicePointer(...) sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaStreamSynchronize(...)    sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaStreamIsCapturing(...)    sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaStreamWaitEvent(...)      sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaEventCreateWithFlags(...) sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaEventRecord(...)          sptrsvNoDevice(0, __VA_ARGS__)
  #define cudaEventDestroy(...)         sptrsvNoDevice(0, __VA_ARGS__)
#endif
