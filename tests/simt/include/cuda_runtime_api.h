/*
   The part of the CUDA runtime that the kernel library and its tests use, on the emulator (tests/simt/runtime.cc, streams.cc).
*/
#pragma once
#include <stddef.h>

#define CUDART_VERSION 13000

#if defined(__cplusplus)
extern "C" {
  #define SIMT_DEFAULT(v) = v
#else
  #define SIMT_DEFAULT(v)
#endif

typedef enum {
  cudaSuccess                   = 0,
  cudaErrorInvalidValue         = 1,
  cudaErrorMemoryAllocation     = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInsufficientDriver   = 35,
  cudaErrorNoDevice             = 100,
  cudaErrorIllegalState         = 401, /* any misuse of captures */
  cudaErrorNotReady             = 600,
  cudaErrorLaunchFailure        = 719,
  cudaErrorNotPermitted         = 800,
  cudaErrorNotSupported         = 801
} cudaError_t;
typedef enum { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice } cudaMemcpyKind;
typedef enum {
  cudaDevAttrMultiProcessorCount  = 16,
  cudaDevAttrMemoryClockRate      = 36,
  cudaDevAttrGlobalMemoryBusWidth = 37,
  cudaDevAttrL2CacheSize          = 38
} cudaDeviceAttr;
typedef struct CUstream_st    *cudaStream_t;
typedef struct CUevent_st     *cudaEvent_t;
typedef struct CUgraph_st     *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef void (*cudaHostFn_t)(void *data);
typedef enum { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed } cudaStreamCaptureMode;
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated };
enum { cudaHostAllocDefault = 0, cudaHostAllocMapped = 2, cudaHostRegisterMapped = 2 };
enum { cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaEventDisableTiming = 2 };
struct cudaDeviceProp {
  char name[256];
};

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags);
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags); /* not supported */
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaHostGetDevicePointer(void **on_device, void *p, unsigned flags);
void        simt_reuse(void *p, size_t bytes, size_t held); /* for memory.c, in the legacy stream: as if newly allocated, and so large */
unsigned    simt_patience(void); /* for tickets.cuh, in rounds */
void        simt_set_patience(unsigned rounds); /* a multiple of SPTRSV_GLANCE */
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMemset(void *p, int byte, size_t bytes);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags SIMT_DEFAULT(0));
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags SIMT_DEFAULT(0));
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t stream SIMT_DEFAULT(0));
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream SIMT_DEFAULT(0));
#if defined(__cplusplus)
}
#endif
