/* The host's side of kernels: their grids and launches */
#pragma once
#include <algorithm>
#include <utility>
#include "complex.cuh"

#if !defined(SPTRSV_MOST_BLOCKS)
  #define SPTRSV_BLOCK       256
  #define SPTRSV_MOST_BLOCKS (1 << 16)
#endif

#define SPTRSV_CUDA(call) SPTRSV_TRY(sptrsvCudaStatus(call))

namespace sptrsv {

/* A plan's data, of its method's type */
template <class T> T *data_of(SptrsvPlan plan)
{
  return (T *)plan->data;
}

/* call(v) with a v of the kernels' type for the value type, whose decltype() the call uses.  Kernels of methods for real values alone are
   made by by_type(), the others by by_any_type(). */
#define SPTRSV_CASE(NAME, T, f) type == SPTRSV_##NAME ? f(typename KernelValue<T>::type()):
template <class F> auto by_type(SptrsvValueType type, F call)
{
  return SPTRSV_REAL_TYPES(SPTRSV_CASE, call) decltype(call(float()))(); /* other types are refused before */
}
template <class F> auto by_any_type(SptrsvValueType type, F call)
{
  return SPTRSV_VALUE_TYPES(SPTRSV_CASE, call) decltype(call(float()))();
}

/* call(v, s), with an s of the type in which the plan stores the values of its sweep */
template <class F> auto by_stored_type(const SptrsvPlanOptions &options, F call)
{
  return by_any_type(options.type, [&](auto v) {
    using S = std::conditional_t<IS_COMPLEX<decltype(v)>, Complex<float>, float>;

    if (options.tuning.sweep.precision == SPTRSV_PRECISION_SINGLE) return call(v, S());
    return call(v, v);
  });
}
inline size_t stored_size(const SptrsvPlanOptions &options)
{
  return by_stored_type(options, [](auto, auto s) { return sizeof(s); });
}

/* call(n) with the rows n of a block as a constant, LEAST to SPTRSV_BLOCK_ROWS */
template <int LEAST, class F> auto with_block(int block, F call)
{
  if constexpr (LEAST < SPTRSV_BLOCK_ROWS) {
    if (block > LEAST) return with_block<LEAST + 1>(block, call);
  }
  return call(std::integral_constant<int, LEAST>());
}

/* Kernels without waits: threads of a block, and the most blocks.  Kernels go in strides of the grid, and SPTRSV_MOST leaves room for the
   last stride.  The emulator's grids are so small that small matrices take several strides. */
constexpr int    BLOCK       = SPTRSV_BLOCK;
constexpr size_t MOST_BLOCKS = SPTRSV_MOST_BLOCKS;

/* Number of blocks for these threads */
inline int blocks_for(size_t threads)
{
  return (int)std::min(MOST_BLOCKS, std::max(size_t(1), (threads + BLOCK - 1) / BLOCK));
}

/* Threads of a launch whose warps end with atomics on one place, at most */
constexpr size_t MOST_ENDING = 1 << 16;

/* block_memory() in bytes; whether the launch may begin before the one in front of it in the stream ends, which its kernel then awaits */
struct LaunchOptions {
  size_t memory;
  bool   follows;
};

/* In a stream; an error of the launch, not of the kernel */
template <class... P, class... A>
cudaError_t launch_with(const LaunchOptions &options, void (*kernel)(P...), int blocks, int threads, cudaStream_t stream, A &&...arguments)
{
  cudaLaunchConfig_t config = {};

  config.gridDim          = dim3((unsigned)blocks);
  config.blockDim         = dim3((unsigned)threads);
  config.dynamicSmemBytes = options.memory;
  config.stream           = stream;
#if CUDART_VERSION >= 12030 /* otherwise none follows (overlap.cu) */
  cudaLaunchAttribute early = {};

  early.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;

  config.attrs    = &early;
  config.numAttrs = options.follows;
#endif
  return cudaLaunchKernelEx(&config, kernel, std::forward<A>(arguments)...);
}
template <class... P, class... A> cudaError_t launch(void (*kernel)(P...), int blocks, int threads, cudaStream_t stream, A &&...arguments)
{
  return launch_with({}, kernel, blocks, threads, stream, std::forward<A>(arguments)...);
}

/* With blocks for so many threads */
template <class... P, class... A> SptrsvStatus launch_for(void (*kernel)(P...), size_t threads, cudaStream_t stream, A &&...arguments)
{
  return sptrsvCudaStatus(launch(kernel, blocks_for(threads), BLOCK, stream, std::forward<A>(arguments)...));
}

/* A step of a set-up, in the legacy stream: work(k) of each k below n, by a thread or so many lanes.  work: a lambda of the device, which
   copies what it uses */
template <int LANES, class F> __global__ void each_kernel(int n, F work)
{
  for (int k = (blockIdx.x * blockDim.x + threadIdx.x) / LANES; k < n; k += gridDim.x * blockDim.x / LANES) work(k);
}
template <int LANES = 1, class F> SptrsvStatus for_each(int n, F work)
{
  return launch_for(each_kernel<LANES, F>, (size_t)n * LANES, nullptr, n, work);
}

inline SptrsvStatus count_processors(int *processors)
{
  int device;

  SPTRSV_CUDA(cudaGetDevice(&device));
  SPTRSV_CUDA(cudaDeviceGetAttribute(processors, cudaDevAttrMultiProcessorCount, device));
  return SPTRSV_SUCCESS;
}

/* Allows the kernel as much block_memory() as any launch may need, also one of another plan */
template <class K> cudaError_t allow_memory(K *kernel)
{
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)MOST_MEMORY);
}

/* Number of blocks of `threads` threads, with so many bytes of block_memory(), that fit on the GPU at once; allows the kernel any */
template <class K> SptrsvStatus count_resident_blocks(K *kernel, int threads, int *blocks, size_t memory = 0)
{
  int processors, per_processor;

  SPTRSV_TRY(count_processors(&processors));
  if (memory) SPTRSV_CUDA(allow_memory(kernel));
  SPTRSV_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, threads, memory));
  *blocks = processors * per_processor;
  return SPTRSV_SUCCESS;
}

} // namespace sptrsv
