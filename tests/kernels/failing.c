/* failing.c - Counts allocations and their bytes, and lets the one that is asked for fail. */
#include "failing.h"
#include <stdlib.h>
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>
#endif

enum { HOST, GPU, PLACES, BLOCKS = 1 << 16 };
typedef struct {
  void  *p;
  size_t bytes;
  int    place;
} Block;

static struct {
  long  fatal, count, blocks; /* fatal: number of the allocation that fails */
  bool  lasting, struck;
  Block block[BLOCKS];
} memory;

void failing_arm(long k, bool lasting)
{
  memory.fatal   = k;
  memory.lasting = lasting;
  memory.count   = 0;
  memory.struck  = false;
}

long failing_count(void)
{
  return memory.count;
}

bool failing_struck(void)
{
  return memory.struck;
}

long failing_blocks(void)
{
  return memory.blocks;
}

void failing_held(size_t held[2])
{
  for (int k = 0; k < PLACES; k++) held[k] = 0;
  for (long k = 0; k < memory.blocks; k++) held[memory.block[k].place] += memory.block[k].bytes;
}

static long fatal_wait, waits;

void failing_arm_wait(long k)
{
  failing_arm(0, false);
  fatal_wait = k;
  waits      = 0;
}

bool failing_strikes(void)
{
  const bool now = ++memory.count == memory.fatal || (memory.lasting && memory.struck);

  memory.struck = memory.struck || now;
  return now;
}

static void *counted(void *p, size_t bytes, int place)
{
  if (!p) return p;
  if (memory.blocks == BLOCKS) abort();
  memory.block[memory.blocks++] = (Block){p, bytes, place};
  return p;
}

/* The latest blocks are freed first, mostly */
static void uncount(void *p)
{
  for (long k = memory.blocks; k-- > 0;) {
    if (memory.block[k].p != p) continue;
    memory.block[k] = memory.block[--memory.blocks];
    return;
  }
}

/* By the linker's option --wrap=f, calls of f() go to __wrap_f(), and __real_f() is f() */
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t bytes);
void  __real_free(void *p);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t bytes);
void  __wrap_free(void *p);

void *__wrap_malloc(size_t bytes)
{
  return failing_strikes() ? NULL : counted(__real_malloc(bytes), bytes, HOST);
}

void *__wrap_calloc(size_t count, size_t size)
{
  return failing_strikes() ? NULL : counted(__real_calloc(count, size), count * size, HOST);
}

void *__wrap_realloc(void *p, size_t bytes)
{
  void *moved;

  if (failing_strikes()) return NULL;
  moved = __real_realloc(p, bytes);
  if (moved) uncount(p);
  return counted(moved, bytes, HOST);
}

void __wrap_free(void *p)
{
  uncount(p);
  __real_free(p);
}

#if defined(SPTRSV_HAVE_CUDA)
cudaError_t __real_cudaMalloc(void **p, size_t bytes);
cudaError_t __real_cudaHostAlloc(void **p, size_t bytes, unsigned flags);
cudaError_t __real_cudaFree(void *p);
cudaError_t __real_cudaFreeHost(void *p);
cudaError_t __wrap_cudaMalloc(void **p, size_t bytes);
cudaError_t __wrap_cudaHostAlloc(void **p, size_t bytes, unsigned flags);
cudaError_t __wrap_cudaFree(void *p);
cudaError_t __wrap_cudaFreeHost(void *p);
cudaError_t __real_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);

cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
  if (++waits != fatal_wait) return __real_cudaStreamWaitEvent(stream, event, flags);
  memory.struck = true;
  return cudaErrorMemoryAllocation;
}

static cudaError_t counted_by_cuda(cudaError_t error, void **p, size_t bytes, int place)
{
  if (!error) (void)counted(*p, bytes, place);
  return error;
}

cudaError_t __wrap_cudaMalloc(void **p, size_t bytes)
{
  return failing_strikes() ? cudaErrorMemoryAllocation : counted_by_cuda(__real_cudaMalloc(p, bytes), p, bytes, GPU);
}

cudaError_t __wrap_cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
  return failing_strikes() ? cudaErrorMemoryAllocation : counted_by_cuda(__real_cudaHostAlloc(p, bytes, flags), p, bytes, HOST);
}

cudaError_t __wrap_cudaFree(void *p)
{
  uncount(p);
  return __real_cudaFree(p);
}

cudaError_t __wrap_cudaFreeHost(void *p)
{
  uncount(p);
  return __real_cudaFreeHost(p);
}
#endif
