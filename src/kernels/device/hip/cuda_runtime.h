/* AMD: what CUDA C++ has and HIP spells otherwise; only what the kernels use.  Memory order and masks are in device.cuh. */
#pragma once
#include "cuda_runtime_api.h"
#if defined(__HIPCC__)
  #include <hip/hip_runtime.h>
  #include <tuple>
  #include <utility>

  /* Whole warps only: lanes go together, and a fence for the compiler makes a barrier of that */
  #define __ballot_sync(mask, predicate) __ballot(predicate)
  #define __any_sync(mask, predicate)    __any(predicate)
  #define __shfl_sync(mask, v, lane)     __shfl(v, lane)
  #define __shfl_xor_sync(mask, v, step) __shfl_xor(v, step)
__device__ __forceinline__ void __syncwarp()
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

struct cudaLaunchConfig_t {
  dim3         gridDim, blockDim;
  size_t       dynamicSmemBytes;
  cudaStream_t stream;
};
template <class K> cudaError_t cudaFuncSetAttribute(K *kernel, hipFuncAttribute attribute, int value)
{
  return hipFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments)
{
  std::tuple<P...> parameters(static_cast<P>(arguments)...);

  return std::apply(
      [&](P &...p) {
        void *pointers[] = {(void *)&p...};
        return hipLaunchKernel((const void *)kernel, config->gridDim, config->blockDim, pointers, config->dynamicSmemBytes, config->stream);
      },
      parameters);
}
#endif
