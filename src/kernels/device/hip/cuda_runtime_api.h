/*
   AMD: the CUDA runtime's names, as far as the kernel library and its tests use them, in HIP's.  This folder stands in place of CUDA's
   headers when hipcc compiles the library (doc/amd.md).
*/
#pragma once
#include <hip/hip_runtime_api.h>

#define cudaSuccess                 hipSuccess
#define cudaError_t                 hipError_t
#define cudaErrorMemoryAllocation   hipErrorOutOfMemory
#define cudaErrorNoDevice           hipErrorNoDevice
#define cudaErrorInsufficientDriver hipErrorInsufficientDriver
#define cudaGetErrorString          hipGetErrorString
#define cudaGetLastError            hipGetLastError

#define cudaGetDevice                                 hipGetDevice
#define cudaGetDeviceCount                            hipGetDeviceCount
#define cudaGetDeviceProperties                       hipGetDeviceProperties
#define cudaDeviceProp                                hipDeviceProp_t
#define cudaDeviceGetAttribute                        hipDeviceGetAttribute
#define cudaDevAttrMultiProcessorCount                hipDeviceAttributeMultiprocessorCount
#define cudaDevAttrMemoryClockRate                    hipDeviceAttributeMemoryClockRate
#define cudaDevAttrGlobalMemoryBusWidth               hipDeviceAttributeMemoryBusWidth
#define cudaDevAttrL2CacheSize                        hipDeviceAttributeL2CacheSize
#define cudaDeviceReset                               hipDeviceReset
#define cudaFuncAttributeMaxDynamicSharedMemorySize   hipFuncAttributeMaxDynamicSharedMemorySize
#define cudaOccupancyMaxActiveBlocksPerMultiprocessor hipOccupancyMaxActiveBlocksPerMultiprocessor
#define cudaDeviceSynchronize                         hipDeviceSynchronize

#define cudaMalloc               hipMalloc
#define cudaFree                 hipFree
#define cudaHostAlloc            hipHostMalloc
#define cudaHostAllocMapped      hipHostMallocMapped
#define cudaFreeHost             hipHostFree
#define cudaHostRegister         hipHostRegister
#define cudaHostRegisterMapped   hipHostRegisterMapped
#define cudaHostUnregister       hipHostUnregister
#define cudaHostGetDevicePointer hipHostGetDevicePointer
#define cudaMemset               hipMemset
#define cudaMemsetAsync          hipMemsetAsync
#define cudaMemcpy               hipMemcpy
#define cudaMemcpyAsync          hipMemcpyAsync
#define cudaMemcpyHostToDevice   hipMemcpyHostToDevice
#define cudaMemcpyDeviceToHost   hipMemcpyDeviceToHost
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice

#define cudaStream_t              hipStream_t
#define cudaStreamNonBlocking     hipStreamNonBlocking
#define cudaStreamCreateWithFlags hipStreamCreateWithFlags
#define cudaStreamDestroy         hipStreamDestroy
#define cudaStreamSynchronize     hipStreamSynchronize
#define cudaStreamWaitEvent       hipStreamWaitEvent
#define cudaLaunchHostFunc        hipLaunchHostFunc

#define cudaEvent_t              hipEvent_t
#define cudaEventDefault         hipEventDefault
#define cudaEventDisableTiming   hipEventDisableTiming
#define cudaEventCreateWithFlags hipEventCreateWithFlags
#define cudaEventDestroy         hipEventDestroy
#define cudaEventRecord          hipEventRecord
#define cudaEventSynchronize     hipEventSynchronize
#define cudaEventElapsedTime     hipEventElapsedTime

#define cudaGraph_t                   hipGraph_t
#define cudaGraphExec_t               hipGraphExec_t
#define cudaStreamCaptureModeRelaxed  hipStreamCaptureModeRelaxed
#define cudaStreamBeginCapture        hipStreamBeginCapture
#define cudaStreamIsCapturing         hipStreamIsCapturing
#define cudaStreamCaptureStatus       hipStreamCaptureStatus
#define cudaStreamCaptureStatusNone   hipStreamCaptureStatusNone
#define cudaStreamEndCapture          hipStreamEndCapture
#define cudaGraphInstantiateWithFlags hipGraphInstantiateWithFlags
#define cudaGraphLaunch               hipGraphLaunch
#define cudaGraphExecDestroy          hipGraphExecDestroy
#define cudaGraphDestroy              hipGraphDestroy
