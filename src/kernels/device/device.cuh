/*
   The GPU's memory model under names, for nvcc, hipcc and the emulator (tests/simt).  Beside these, kernels use votes, shuffles and
   __syncwarp() of whole warps, __ffs() and __clzll(), which all three have by the same names, and no inline PTX.
*/
#pragma once
#include <type_traits>
#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>
#include "../impl.h"

#if !defined(SPTRSV_LOCKSTEP)
  #if defined(__HIPCC__)
    #define SPTRSV_LOCKSTEP 1 /* lanes of a warp cannot run on their own */
  #else
    #define SPTRSV_LOCKSTEP 0
  #endif
#endif

/* SPTRSV_BOUNDS: of a kernel: threads of a block, and blocks that a multiprocessor is to hold.  AMD's compiler counts warps instead.

   SPTRSV_LEAVE: leaves an unrolled loop in which lanes shuffle.  AMD's compiler does not unroll one that ends early, so there what is left
   is skipped, round by round, which takes a fifth longer on an H200. */
#if defined(__HIPCC__)
  #define SPTRSV_BOUNDS(threads, blocks) __launch_bounds__(threads)
  #define SPTRSV_LEAVE                   continue
#else
  #define SPTRSV_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
  #define SPTRSV_LEAVE                   break
#endif

namespace sptrsv {

constexpr int WARP           = SPTRSV_WARP;
using LaneMask               = std::conditional_t<WARP == 64, unsigned long long, unsigned>;
constexpr LaneMask ALL_LANES = ~LaneMask(0);
#if defined(__HIP_DEVICE_COMPILE__)
static_assert(WARP == __AMDGCN_WAVEFRONT_SIZE, "SPTRSV_WARP is not the width of a warp of this GPU");
#endif

/* For memory that other warps write or read in the same launch: relaxed, at gpu scope, past the L1 cache */
#if defined(__CUDACC__)
template <class W> __device__ __forceinline__ W load_relaxed(const W *p)
{
  W v;
  if constexpr (sizeof(W) == 8) asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  else asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
template <class W> __device__ __forceinline__ void store_relaxed(W *p, std::common_type_t<W> v)
{
  if constexpr (sizeof(W) == 8) asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" : : "l"(p), "l"(v) : "memory");
  else asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" : : "l"(p), "r"(v) : "memory");
}
/* Two neighbouring words, aligned like one of their size: each as above, in no order */
template <class W> __device__ __forceinline__ void load_relaxed_pair(const W *p, W (&v)[2])
{
  if constexpr (sizeof(W) == 8) asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];" : "=l"(v[0]), "=l"(v[1]) : "l"(p) : "memory");
  else asm volatile("ld.relaxed.gpu.global.v2.b32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "l"(p) : "memory");
}
template <class W> __device__ __forceinline__ void store_relaxed_pair(W *p, const W (&v)[2])
{
  if constexpr (sizeof(W) == 8) asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" : : "l"(p), "l"(v[0]), "l"(v[1]) : "memory");
  else asm volatile("st.relaxed.gpu.global.v2.b32 [%0], {%1, %2};" : : "l"(p), "r"(v[0]), "r"(v[1]) : "memory");
}

/* Counters, at gpu scope and for threads of one block.  An acquire that reads a released count also makes visible everything that the
   releasing thread wrote before. */
__device__ __forceinline__ unsigned load_acquire(const unsigned *p)
{
  unsigned v;
  asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ void subtract_release(unsigned *p, unsigned v)
{
  asm volatile("red.release.gpu.add.u32 [%0], %1;" : : "l"(p), "r"(0u - v) : "memory");
}
__device__ __forceinline__ unsigned load_acquire_block(const unsigned *p)
{
  unsigned v;
  asm volatile("ld.acquire.cta.b32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ __forceinline__ void subtract_release_block(unsigned *p, unsigned v)
{
  asm volatile("red.release.cta.add.u32 [%0], %1;" : : "l"(p), "r"(0u - v) : "memory");
}
#elif defined(__HIPCC__)
template <class W> __device__ __forceinline__ W load_relaxed(const W *p)
{
  return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class W> __device__ __forceinline__ void store_relaxed(W *p, std::common_type_t<W> v)
{
  __hip_atomic_store(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
/* Fences, since up to LLVM 19 an atomic of HIP orders accesses to its own address space only: a count in shared memory could be seen before
   what was written to global memory. */
__device__ __forceinline__ unsigned load_acquire(const unsigned *p)
{
  const unsigned v = __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  return v;
}
__device__ __forceinline__ void subtract_release(unsigned *p, unsigned v)
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  (void)__hip_atomic_fetch_add(p, 0u - v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ __forceinline__ unsigned load_acquire_block(const unsigned *p)
{
  const unsigned v = __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  return v;
}
__device__ __forceinline__ void subtract_release_block(unsigned *p, unsigned v)
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  (void)__hip_atomic_fetch_add(p, 0u - v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}
#else /* tests/simt */
unsigned           load_acquire(const unsigned *p);
void               subtract_release(unsigned *p, unsigned v);
unsigned           load_acquire_block(const unsigned *p);
void               subtract_release_block(unsigned *p, unsigned v);
unsigned long long load_relaxed(const unsigned long long *p);
unsigned           load_relaxed(const unsigned *p);
void               store_relaxed(unsigned long long *p, unsigned long long v);
void               store_relaxed(unsigned *p, unsigned v);
#endif

#if !defined(__CUDACC__)
template <class W> __device__ __forceinline__ void load_relaxed_pair(const W *p, W (&v)[2])
{
  v[0] = load_relaxed(p);
  v[1] = load_relaxed(p + 1);
}
template <class W> __device__ __forceinline__ void store_relaxed_pair(W *p, const W (&v)[2])
{
  store_relaxed(p, v[0]);
  store_relaxed(p + 1, v[1]);
}
#endif

/*
   Warps of a block take turns with shared memory: turn t is of warp t modulo `warps`.  All lanes of a warp await its turn, and acquire; all
   pass it, and release.  Each turn that is passed is to be awaited.

   On NVIDIA's GPUs a named barrier for each warp passes its turns, and wakes the warp that waits.  Elsewhere there is a number to poll:
   minus that of the turns so far.
*/
#if defined(__CUDACC__)
struct RelayCount {};
#else
using RelayCount = unsigned;
#endif
class Relay {
public:
  static constexpr int MOST_WARPS = 15; /* barrier 0 is that of __syncthreads() */

#if defined(__CUDACC__)
  static_assert(WARP == 32);
  /* The numbers of barriers are computed here and not at each use */
  __device__ __forceinline__ Relay(RelayCount *, int warp, int warps) : own(warp + 1), previous(warp ? warp : warps)
  {
    asm volatile("" : "+r"(own), "+r"(previous) : : "memory");
  }
  __device__ __forceinline__ void await_turn(unsigned turn) const
  {
    if (turn) asm volatile("barrier.cta.sync.aligned %0, 64;" : : "r"(previous) : "memory");
  }
  __device__ __forceinline__ void pass_turn() const
  {
    asm volatile("barrier.cta.arrive.aligned %0, 64;" : : "r"(own) : "memory");
  }

private:
  int own, previous;
#else
  __device__ __forceinline__ Relay(RelayCount *passed, int, int) : passed(passed)
  {
    if (!threadIdx.x) *passed = 0;
  }
  __device__ __forceinline__ void await_turn(unsigned turn) const
  {
    while (load_acquire_block(passed) != 0u - turn)
      ;
  }
  __device__ __forceinline__ void pass_turn() const
  {
    __syncwarp();
    if (threadIdx.x % WARP == 0) subtract_release_block(passed, 1);
  }

private:
  RelayCount *passed;
#endif
};

/*
   A launch that follows another one closely (launch.cuh) may begin before that one ends: once all its blocks have let it, or have ended.
   Until a thread has awaited the other launch, it reads only what was there before that one began, and writes nothing that any other
   launch under way may use.  What that one writes is not read through a restricted pointer: nvcc could do so before the wait.
*/
__device__ __forceinline__ void let_next_launch_begin()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}
#if !defined(__CUDACC__) && !defined(__HIPCC__)
void await_previous_launch(); /* the emulator's */
#else
__device__ __forceinline__ void await_previous_launch()
{
  #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" : : : "memory");
  #endif
}
#endif

/* Shared memory of a block, of a size that the launch gives: at most BYTES, and this at most MOST_MEMORY */
#if defined(__HIPCC__)
constexpr size_t MOST_MEMORY = 63 << 10;
#else
constexpr size_t MOST_MEMORY = 96 << 10; /* of 99 KB on the smallest GPUs */
#endif
template <size_t BYTES> __device__ __forceinline__ void *block_memory()
{
  static_assert(BYTES <= MOST_MEMORY);
#if defined(__CUDACC__) || defined(__HIPCC__)
  alignas(16) extern __shared__ char memory[];
#else
  alignas(16) __shared__ char memory[BYTES];
#endif
  return memory;
}

/* Copies 16 bytes from global to shared memory while the thread goes on.  commit_copies() ends a group of such copies, await_copies() waits
   for all groups of the thread but the last `LEFT`. */
template <class T> __device__ __forceinline__ void copy_async(T *shared, const T *global)
{
  static_assert(sizeof(T) == 16);
  __pipeline_memcpy_async(shared, global, sizeof(T));
}
__device__ __forceinline__ void commit_copies()
{
  __pipeline_commit();
}
template <int LEFT> __device__ __forceinline__ void await_copies()
{
  __pipeline_wait_prior(LEFT);
}

/* The pointer, to shared or to global memory, in a register.  nvcc would form it anew at each use, from a special register or from
   constants, which takes as long as a read of shared memory. */
template <class T> __device__ __forceinline__ T *keep_shared(T *p)
{
#if defined(__CUDACC__)
  size_t address = __cvta_generic_to_shared(p);
  asm volatile("" : "+l"(address) : : "memory");
  p = static_cast<T *>(__cvta_shared_to_generic(address));
#endif
  return p;
}
template <class T> __device__ __forceinline__ T *keep_global(T *p)
{
#if defined(__CUDACC__)
  size_t address = __cvta_generic_to_global(p);
  asm volatile("" : "+l"(address) : : "memory");
  p = static_cast<T *>(__cvta_global_to_generic(address));
#endif
  return p;
}

/* While one of these lives, the values that launches compute do not matter, so accesses of theirs may be in a race.  For the emulator,
   which looks for races. */
struct RacesIntended {
#if defined(__CUDACC__) || defined(__HIPCC__)
  RacesIntended()
  {}
#else
  RacesIntended();
  ~RacesIntended();
#endif
};

/* Number of lanes in the result of a __ballot_sync(), and of those below this lane */
__device__ __forceinline__ int count_lanes(LaneMask votes)
{
  return __popcll(votes);
}
__device__ __forceinline__ int count_lanes_before(LaneMask votes, int lane)
{
  return __popcll(votes & ~(ALL_LANES << lane));
}

/* Condition of loops in which lanes of one warp wait for each other; every lane of the warp asks.  In lockstep lanes stay until all are
   done: otherwise a compiler may move a lane's last store behind the loop, where the lanes that wait for it cannot reach it. */
__device__ __forceinline__ bool goes_on(bool open)
{
  return SPTRSV_LOCKSTEP ? __any_sync(ALL_LANES, open) : open;
}

/* Next number of a counter; by one lane */
__device__ __forceinline__ unsigned long long take_ticket(unsigned long long *counter)
{
  return atomicAdd(counter, 1ull);
}

/* Adds to a sum to which other threads add too; in any order */
template <class V> __device__ __forceinline__ void add_relaxed(V *sum, V v)
{
  atomicAdd(sum, v);
}

/* Sum over the `lanes` lanes of a row, each STEP behind the one before, in a fixed order; every lane of the warp takes part */
template <int STEP = 1, class V> __device__ __forceinline__ V sum_over(int lanes, V v)
{
  for (int step = lanes >> 1; step; step >>= 1) v += __shfl_xor_sync(ALL_LANES, v, step * STEP);
  return v;
}

/* All lanes of a warp come to what follows: their largest value; and sums and largest values of many warps, with one atomic for each */
template <class V> __device__ __forceinline__ V most_of_warp(V v)
{
  for (int step = WARP >> 1; step; step >>= 1) v = max(v, __shfl_xor_sync(ALL_LANES, v, step));
  return v;
}
__device__ __forceinline__ void add_by_warp(unsigned long long *sum, unsigned long long v)
{
  v = sum_over(WARP, v);
  if (!(threadIdx.x % WARP)) add_relaxed(sum, v);
}
__device__ __forceinline__ void raise_by_warp(int *most, int v)
{
  v = most_of_warp(v);
  if (!(threadIdx.x % WARP)) atomicMax(most, v);
}

} // namespace sptrsv
