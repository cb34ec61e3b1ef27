/* CUDA C++ for a C++ compiler: the part of the language that the kernels use, on the emulator (tests/simt/README.md). */
#pragma once
#include "cuda_runtime_api.h"
#if defined(__cplusplus)
  #include <cmath>
  #include <cstdint>
  #include <cstring>
  #include <functional>
  #include <map>
  #include <tuple>
  #include <type_traits>

  #define __global__
  #define __launch_bounds__(...)
  #define __host__
  #define __device__ __attribute__((always_inline)) /* so that the whole kernel is one function */
  #define __forceinline__ inline
  #define __noinline__
  #define __shared__ static /* the emulator keeps a value for each block (tests/simt/history.cc) */

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3() = default;
  dim3(unsigned x) : x(x) {}
};
struct alignas(8) int2 {
  int x, y;
};
struct int3 {
  int x, y, z;
};
__device__ __forceinline__ int2 make_int2(int x, int y)
{
  return {x, y};
}
__device__ __forceinline__ int3 make_int3(int x, int y, int z)
{
  return {x, y, z};
}

namespace simt {

/* threadIdx and its kin: their values are those of the running thread */
unsigned thread_index();
unsigned thread_count();
unsigned block_index();
unsigned block_count();
template <unsigned WHICH()> struct Index {
  struct {
    __device__ operator unsigned() const { return WHICH(); }
  } x;
};

  #if !defined(SPTRSV_WARP)
    #define SPTRSV_WARP 32
  #endif
constexpr unsigned WARP_SIZE = SPTRSV_WARP;
using Mask                   = std::conditional_t<WARP_SIZE == 64, uint64_t, uint32_t>;
constexpr Mask ALL           = ~Mask(0);

/* Place in the source: lanes meet in the same vote or shuffle */
  #define SIMT_SITE     (__FILE__ ":" SIMT_TEXT(__LINE__))
  #define SIMT_TEXT(x)  SIMT_TEXT_(x)
  #define SIMT_TEXT_(x) #x
enum class Meeting { BALLOT, ANY, SHUFFLE, SHUFFLE_XOR, SYNCWARP, SYNCTHREADS };
uint64_t meet(Meeting kind, const char *site, uint64_t mask, uint64_t value, int operand = 0);

template <class T> __device__ __forceinline__ uint64_t bits(T v)
{
  uint64_t word = 0;
  static_assert(sizeof(T) <= sizeof(word), "shuffles take up to 8 bytes");
  std::memcpy(&word, &v, sizeof(T));
  return word;
}
template <class T> __device__ __forceinline__ T from_bits(uint64_t word)
{
  T v;
  std::memcpy(&v, &word, sizeof(T));
  return v;
}
template <class T> __device__ __forceinline__ T shuffle(Meeting kind, const char *site, Mask mask, T v, int operand)
{
  return from_bits<T>(meet(kind, site, mask, bits(v), operand));
}

void fence(bool at_block_scope);
int  launch(unsigned blocks, unsigned threads, const std::function<void()> &body);

/* For later, in the order of the stream (streams.cc); an error of the work shows in later calls.  follows: a kernel that may begin before
   the work in front of it ends */
cudaError_t enqueue(cudaStream_t stream, const std::function<void()> &work, bool follows = false);

} // namespace simt

inline constexpr simt::Index<simt::thread_index> threadIdx = {};
inline constexpr simt::Index<simt::thread_count> blockDim  = {};
inline constexpr simt::Index<simt::block_index>  blockIdx  = {};
inline constexpr simt::Index<simt::block_count>  gridDim   = {};

  #define __ballot_sync(mask, predicate) ((simt::Mask)simt::meet(simt::Meeting::BALLOT, SIMT_SITE, mask, (predicate) != 0))
  #define __any_sync(mask, predicate)    ((int)simt::meet(simt::Meeting::ANY, SIMT_SITE, mask, (predicate) != 0))
  #define __shfl_sync(mask, v, lane)     simt::shuffle(simt::Meeting::SHUFFLE, SIMT_SITE, mask, v, lane)
  #define __shfl_xor_sync(mask, v, step) simt::shuffle(simt::Meeting::SHUFFLE_XOR, SIMT_SITE, mask, v, step)
  #define __syncwarp()                   ((void)simt::meet(simt::Meeting::SYNCWARP, SIMT_SITE, simt::ALL, 0))
  #define __syncthreads()                ((void)simt::meet(simt::Meeting::SYNCTHREADS, SIMT_SITE, simt::ALL, 0))
  #define __threadfence()                simt::fence(false)
  #define __threadfence_block()          simt::fence(true)

  #define SIMT_ATOMICS(EACH)                                                                                                               \
    EACH(atomicAdd, int, old + v)                                                                                                          \
    EACH(atomicAdd, unsigned, old + v)                                                                                                     \
    EACH(atomicAdd, unsigned long long, old + v)                                                                                           \
    EACH(atomicAdd, float, old + v)                                                                                                        \
    EACH(atomicAdd, double, old + v)                                                                                                       \
    EACH(atomicSub, unsigned, old - v)                                                                                                     \
    EACH(atomicMin, int, std::min(old, v))                                                                                                 \
    EACH(atomicMin, unsigned, std::min(old, v))                                                                                            \
    EACH(atomicMax, int, std::max(old, v))                                                                                                 \
    EACH(atomicMax, unsigned, std::max(old, v))                                                                                            \
    EACH(atomicMax, unsigned long long, std::max(old, v))                                                                                  \
    EACH(atomicOr, unsigned, old | v)                                                                                                      \
    EACH(atomicOr, unsigned long long, old | v)
  #define SIMT_ATOMIC(name, T, result) T name(T *p, T v);
SIMT_ATOMICS(SIMT_ATOMIC)
  #undef SIMT_ATOMIC
unsigned atomicAdd_block(unsigned *p, unsigned v);

__device__ __forceinline__ int __popcll(unsigned long long v)
{
  return __builtin_popcountll(v);
}
__device__ __forceinline__ int __ffs(int v)
{
  return __builtin_ffs(v);
}
__device__ __forceinline__ int __clzll(long long v)
{
  return v ? __builtin_clzll((unsigned long long)v) : 64;
}
__device__ __forceinline__ int min(int a, int b)
{
  return b < a ? b : a;
}
__device__ __forceinline__ unsigned min(unsigned a, unsigned b)
{
  return b < a ? b : a;
}
__device__ __forceinline__ int max(int a, int b)
{
  return a < b ? b : a;
}
__device__ __forceinline__ unsigned max(unsigned a, unsigned b)
{
  return a < b ? b : a;
}
__device__ __forceinline__ unsigned long long max(unsigned long long a, unsigned long long b)
{
  return a < b ? b : a;
}

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
enum cudaLaunchAttributeID { cudaLaunchAttributeIgnore, cudaLaunchAttributeProgrammaticStreamSerialization };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3                 gridDim, blockDim;
  size_t               dynamicSmemBytes = 0;
  cudaStream_t         stream = nullptr;
  cudaLaunchAttribute *attrs = nullptr;
  unsigned             numAttrs = 0;
};
struct cudaFuncAttributes {
  int ptxVersion;
};
template <class K> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *code, K *)
{
  code->ptxVersion = 90;
  return cudaSuccess;
}
/* The most that a launch of a kernel may ask for; unless it is set, 48 KB */
inline std::map<const void *, size_t> most_dynamic_memory;
template <class K> cudaError_t        cudaFuncSetAttribute(K *kernel, cudaFuncAttribute, int value)
{
  most_dynamic_memory[(const void *)kernel] = (size_t)value;
  return cudaSuccess;
}
template <class... P, class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments)
{
  const auto     call   = std::make_tuple(kernel, std::tuple<P...>(static_cast<P>(arguments)...));
  const unsigned blocks = config->gridDim.x, threads = config->blockDim.x;

  if (!blocks || !threads || threads > 1024) return cudaErrorInvalidConfiguration;
  const size_t most = most_dynamic_memory.try_emplace((const void *)kernel, 48 << 10).first->second;
  if (config->dynamicSmemBytes > most) return cudaErrorInvalidValue;
  const bool follows = config->numAttrs && config->attrs->val.programmaticStreamSerializationAllowed;
  const auto work    = [=] {
    const auto here = call; /* on the stack, where access.cc recognizes parameters */
    (void)simt::launch(blocks, threads, [&] { std::apply(std::get<0>(here), std::get<1>(here)); });
  };
  return simt::enqueue(config->stream, work, follows);
}
/* A quarter of a small GPU, so that plans of small matrices have more warps than fit at a time */
template <class K> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, K *, int, size_t)
{
  *blocks = 4;
  return cudaSuccess;
}
#endif
