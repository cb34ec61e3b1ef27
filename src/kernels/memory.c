/* Host and device memory; every failure is returned as a status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_calls.h"
#include "setup_memory.h"

/* A block of `held` bytes is used again for so many.  The emulator has its own, after which nothing of it was written, and arrays apart. */
#if !defined(SPTRSV_REUSE)
  #define SPTRSV_REUSE(p, bytes, held) (void)0
  #define SPTRSV_APART                 0
#endif

SptrsvStatus sptrsvAllocate(size_t count, size_t size, void **p)
{
  *p = calloc(count ? count : 1, size);
  return *p ? SPTRSV_SUCCESS : SPTRSV_OUT_OF_MEMORY;
}

int sptrsvWarpSize(void)
{
  return SPTRSV_WARP;
}

struct SptrsvBlock {
  void            *p;
  size_t           bytes;
  SptrsvMemoryKind kind;
};

static SptrsvLocation location_of(SptrsvMemoryKind kind)
{
  return kind == SPTRSV_HEAP || kind == SPTRSV_PINNED ? SPTRSV_HOST : SPTRSV_DEVICE;
}

SptrsvStatus sptrsvCudaStatus(int error)
{
  if (error == cudaSuccess) return SPTRSV_SUCCESS;
  (void)cudaGetLastError(); /* clears the error; otherwise the next check, in any code, would report it */
  if (error == cudaErrorMemoryAllocation) return SPTRSV_OUT_OF_MEMORY;
  return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? SPTRSV_NO_DEVICE : SPTRSV_CUDA_ERROR;
}

int sptrsvDeviceCount(void)
{
  int count;

  return sptrsvCudaStatus(cudaGetDeviceCount(&count)) ? 0 : count;
}

SptrsvStatus sptrsvDeviceName(char *name, size_t size)
{
  struct cudaDeviceProp properties;
  int                   device;

  if (!name || !size) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvCudaStatus(cudaGetDevice(&device)));
  SPTRSV_TRY(sptrsvCudaStatus(cudaGetDeviceProperties(&properties, device)));
  (void)snprintf(name, size, "%s", properties.name);
  return SPTRSV_SUCCESS;
}

/* Bytes of an array with what brings the next one into line */
static size_t whole(size_t bytes)
{
  return (bytes + SPTRSV_ALIGNED - 1) / SPTRSV_ALIGNED * SPTRSV_ALIGNED;
}

/* Takes memory that is not of the heap, without a slab for scratch lasting memory */
static SptrsvStatus take(struct SptrsvBlock *block)
{
  const size_t bytes = block->bytes;
  SptrsvStatus status;

  if (block->kind == SPTRSV_PINNED) return sptrsvPinnedTake(bytes, &block->p);
  block->p = (block->kind == SPTRSV_SCRATCH ? sptrsvSlabTake : sptrsvSpareTake)(bytes, &block->bytes);
  if (block->p) {
    SPTRSV_REUSE(block->p, bytes, block->bytes);
    return SPTRSV_SUCCESS;
  }
  block->kind = SPTRSV_LASTING;
  status      = sptrsvCudaStatus(cudaMalloc(&block->p, bytes ? bytes : 1));
  if (status != SPTRSV_OUT_OF_MEMORY || !sptrsvKeptFree()) return status;
  return sptrsvCudaStatus(cudaMalloc(&block->p, bytes ? bytes : 1)); /* where the set-up under way kept some */
}

/* On the emulator, which knows the ends of blocks, each has its own */
SptrsvStatus sptrsvDeviceArrays(SptrsvMemory *memory, int count, const SptrsvArray *array)
{
  size_t bytes = 0;
  char  *block;

  for (int k = 0; k < count && SPTRSV_APART; k++) SPTRSV_TRY(sptrsvDeviceAllocate(memory, array[k].bytes, array[k].d));
  if (SPTRSV_APART) return SPTRSV_SUCCESS;
  for (int k = 0; k < count; k++) bytes += whole(array[k].bytes);
  SPTRSV_TRY(sptrsvDeviceAllocate(memory, bytes, (void **)&block));
  for (int k = 0; k < count; k++) {
    *array[k].d = block;
    block += whole(array[k].bytes);
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvDeviceAllocateZeroed(SptrsvMemory *memory, size_t bytes, void **d)
{
  SPTRSV_TRY(sptrsvDeviceAllocate(memory, bytes, d));
  return sptrsvCudaStatus(cudaMemset(*d, 0, bytes));
}

SptrsvStatus sptrsvWait(SptrsvStream stream)
{
  return sptrsvCudaStatus(cudaStreamSynchronize(stream));
}

SptrsvStatus sptrsvMemoryTake(SptrsvMemory *memory, SptrsvMemoryKind kind, size_t bytes, void **p)
{
  struct SptrsvBlock block = {NULL, bytes, kind};

  if (memory->blocks % 16 == 0) { /* room to note the block and the next ones, before it is taken */
    struct SptrsvBlock *const more = realloc(memory->block, (size_t)(memory->blocks + 16) * sizeof(*more));

    if (!more) return SPTRSV_OUT_OF_MEMORY;
    memory->block = more;
  }
  SPTRSV_TRY(kind == SPTRSV_HEAP ? sptrsvAllocate(bytes, 1, &block.p) : take(&block));
  memory->block[memory->blocks++] = block;
  memory->bytes[location_of(block.kind)] += block.bytes;
  *p = block.p;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvDeviceCopy(SptrsvMemory *memory, const void *host, size_t bytes, void **d)
{
  void *p;

  SPTRSV_TRY(sptrsvDeviceAllocate(memory, bytes, &p));
  if (bytes) SPTRSV_TRY(sptrsvCudaStatus(cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice)));
  *d = p;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFetch(SptrsvLocation location, const void *source, size_t bytes, void *host)
{
  if (!bytes) return SPTRSV_SUCCESS;
  if (location == SPTRSV_DEVICE) return sptrsvCudaStatus(cudaMemcpy(host, source, bytes, cudaMemcpyDeviceToHost));
  memcpy(host, source, bytes);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvHostCopy(const void *d, size_t count, size_t size, void **p)
{
  SptrsvStatus status;
  void        *copy;

  SPTRSV_TRY(sptrsvAllocate(count, size, &copy));
  status = sptrsvFetch(SPTRSV_DEVICE, d, count * size, copy);
  if (status) free(copy);
  else *p = copy;
  return status;
}

void sptrsvMemoryCut(SptrsvMemory *memory, int blocks)
{
  while (memory->blocks > blocks) {
    const struct SptrsvBlock last = memory->block[--memory->blocks];

    memory->bytes[location_of(last.kind)] -= last.bytes;
    if (last.kind == SPTRSV_HEAP) free(last.p);
    else if (last.kind == SPTRSV_PINNED) sptrsvPinnedGive(last.p);
    else if (last.kind == SPTRSV_SCRATCH) sptrsvSlabGive(last.p);
    else if (!sptrsvSpareKeep(last.p, last.bytes)) (void)cudaFree(last.p);
  }
}

void sptrsvMemoryFree(SptrsvMemory *memory)
{
  sptrsvMemoryCut(memory, 0);
  free(memory->block);
  *memory = (SptrsvMemory){0};
}
