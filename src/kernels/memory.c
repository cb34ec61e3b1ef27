/* Host and device memory; every failure is returned as a status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "setup_memory.h"
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

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

/* HEAP: of the C library; LASTING: of cudaMalloc(); SCRATCH: of a slab; PINNED: of the host, for kernels, too */
struct SptrsvBlock {
  void          *p;
  size_t         bytes;
  SptrsvLocation location;
  enum { HEAP, LASTING, SCRATCH, PINNED } kind;
};

/* Room to note a block, before it is allocated */
static SptrsvStatus reserve(SptrsvMemory *memory)
{
  const int           capacity = memory->capacity + 16;
  struct SptrsvBlock *block;

  if (memory->blocks < memory->capacity) return SPTRSV_SUCCESS;
  block = realloc(memory->block, (size_t)capacity * sizeof(*block));
  if (!block) return SPTRSV_OUT_OF_MEMORY;
  memory->block    = block;
  memory->capacity = capacity;
  return SPTRSV_SUCCESS;
}

static void note(SptrsvMemory *memory, struct SptrsvBlock block, void **p)
{
  memory->block[memory->blocks++] = block;
  memory->bytes[block.location] += block.bytes;
  *p = block.p;
}

SptrsvStatus sptrsvHostAllocate(SptrsvMemory *memory, size_t count, size_t size, void **p)
{
  void *new;

  SPTRSV_TRY(reserve(memory));
  SPTRSV_TRY(sptrsvAllocate(count, size, &new));
  note(memory, (struct SptrsvBlock){new, count *size, SPTRSV_HOST, HEAP}, p);
  return SPTRSV_SUCCESS;
}

#if defined(SPTRSV_HAVE_CUDA)
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

/* Room is made by freeing what the set-up under way keeps */
static SptrsvStatus allocate(size_t bytes, void **p)
{
  const SptrsvStatus status = sptrsvCudaStatus(cudaMalloc(p, bytes ? bytes : 1));

  if (status != SPTRSV_OUT_OF_MEMORY || !sptrsvKeptFree()) return status;
  return sptrsvCudaStatus(cudaMalloc(p, bytes ? bytes : 1));
}

SptrsvStatus sptrsvDeviceAllocate(SptrsvMemory *memory, size_t bytes, void **d)
{
  struct SptrsvBlock block = {NULL, bytes, SPTRSV_DEVICE, LASTING};

  SPTRSV_TRY(reserve(memory));
  if (sptrsvSpareTake(bytes, &block.p, &block.bytes)) SPTRSV_REUSE(block.p, bytes, block.bytes);
  else SPTRSV_TRY(allocate(bytes, &block.p));
  note(memory, block, d);
  return SPTRSV_SUCCESS;
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

SptrsvStatus sptrsvScratchAllocate(SptrsvMemory *memory, size_t bytes, void **d)
{
  struct SptrsvBlock block = {NULL, bytes, SPTRSV_DEVICE, SCRATCH};
  size_t             held  = 0;

  SPTRSV_TRY(reserve(memory));
  block.p = sptrsvSlabTake(bytes, &held);
  if (block.p) SPTRSV_REUSE(block.p, bytes, held);
  else {
    block.kind = LASTING;
    SPTRSV_TRY(allocate(bytes, &block.p));
  }
  note(memory, block, d);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPinnedAllocate(SptrsvMemory *memory, size_t bytes, void **p)
{
  void *new;

  SPTRSV_TRY(reserve(memory));
  SPTRSV_TRY(sptrsvPinnedTake(bytes, &new));
  note(memory, (struct SptrsvBlock){new, bytes, SPTRSV_HOST, PINNED}, p);
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

SptrsvStatus sptrsvDeviceAllocateZeroed(SptrsvMemory *memory, size_t bytes, void **d)
{
  SPTRSV_TRY(sptrsvDeviceAllocate(memory, bytes, d));
  return sptrsvCudaStatus(cudaMemset(*d, 0, bytes));
}

static SptrsvStatus copy_back(const void *d, size_t bytes, void *host)
{
  return sptrsvCudaStatus(cudaMemcpy(host, d, bytes, cudaMemcpyDeviceToHost));
}

SptrsvStatus sptrsvWait(SptrsvStream stream)
{
  return sptrsvCudaStatus(cudaStreamSynchronize(stream));
}

static void give_back(struct SptrsvBlock block)
{
  if (block.kind == HEAP) free(block.p);
  else if (block.kind == PINNED) sptrsvPinnedGive(block.p);
  else if (block.kind == SCRATCH) sptrsvSlabGive(block.p);
  else if (!sptrsvSpareKeep(block.p, block.bytes)) (void)cudaFree(block.p);
}
#else
static void give_back(struct SptrsvBlock block)
{
  free(block.p);
}

SptrsvStatus sptrsvDeviceCopy(SptrsvMemory *memory, const void *host, size_t bytes, void **d)
{
  (void)memory, (void)host, (void)bytes, (void)d;
  return SPTRSV_NO_DEVICE;
}

static SptrsvStatus copy_back(const void *d, size_t bytes, void *host)
{
  (void)d, (void)bytes, (void)host;
  return SPTRSV_NO_DEVICE;
}

SptrsvStatus sptrsvWait(SptrsvStream stream)
{
  (void)stream;
  return SPTRSV_NO_DEVICE;
}

int sptrsvDeviceCount(void)
{
  return 0;
}

SptrsvStatus sptrsvDeviceName(char *name, size_t size)
{
  return name && size ? SPTRSV_NO_DEVICE : SPTRSV_INVALID_ARGUMENT;
}
#endif

SptrsvStatus sptrsvFetch(SptrsvLocation location, const void *source, size_t bytes, void *host)
{
  if (!bytes) return SPTRSV_SUCCESS;
  if (location == SPTRSV_DEVICE) return copy_back(source, bytes, host);
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

    memory->bytes[last.location] -= last.bytes;
    give_back(last);
  }
}

void sptrsvMemoryFree(SptrsvMemory *memory)
{
  sptrsvMemoryCut(memory, 0);
  free(memory->block);
  *memory = (SptrsvMemory){0};
}
