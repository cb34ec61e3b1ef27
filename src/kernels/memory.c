/* Host and device memory; every failure is returned as a status. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "impl.h"
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

/* A block of `held` bytes is used again for so many.  The emulator has its own, after which nothing of it was written. */
#if !defined(SPTRSV_REUSE)
  #define SPTRSV_REUSE(p, bytes, held) (void)0
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
  void          *p;
  size_t         bytes;
  SptrsvLocation location;
  bool           pinned;
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
  note(memory, (struct SptrsvBlock){new, count *size, SPTRSV_HOST, false}, p);
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

/* Device blocks that were freed during the thread's set-up under way.  cudaMalloc() and cudaFree() take 50 us each, and a set-up would call
   each some two hundred times. */
static _Thread_local struct {
  int                setups; /* begun and not ended: a set-up can be part of another */
  int                blocks;
  struct SptrsvBlock block[64];
} spare;

/* A page of words that the host and kernels share: cudaHostAlloc() takes a millisecond, and each plan needs a word */
enum { APART = 64, WORDS = 64, PAGE = APART * WORDS }; /* APART: bytes from word to word, in cache lines of their own */
static struct {
  pthread_mutex_t mutex;
  char           *page;  /* [PAGE]; NULL: there is none */
  uint64_t        taken; /* bit k: word k */
} words = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static SptrsvStatus allocate_pinned(size_t bytes, void **p)
{
  return sptrsvCudaStatus(cudaHostAlloc(p, bytes ? bytes : 1, cudaHostAllocMapped));
}

/* NULL: all are taken */
static SptrsvStatus take_word(void **p)
{
  SptrsvStatus status = SPTRSV_SUCCESS;
  int          k      = 0;

  *p = NULL;
  (void)pthread_mutex_lock(&words.mutex);
  if (!words.page) status = allocate_pinned(PAGE, (void **)&words.page);
  while (k < WORDS && words.taken >> k & 1) k++;
  if (!status && k < WORDS) {
    words.taken |= (uint64_t)1 << k;
    *p = words.page + (size_t)k * APART;
  }
  (void)pthread_mutex_unlock(&words.mutex);
  return status;
}

/* Frees the page, if none of its words is taken and no set-up of the thread is under way, which may take some */
static void free_words(void)
{
  if (!words.page || words.taken || spare.setups) return;
  (void)cudaFreeHost(words.page);
  words.page = NULL;
}

static void free_pinned(char *p)
{
  (void)pthread_mutex_lock(&words.mutex);
  if (!words.page || p < words.page || p >= words.page + PAGE) (void)cudaFreeHost(p);
  else {
    words.taken &= ~((uint64_t)1 << (p - words.page) / APART);
    free_words();
  }
  (void)pthread_mutex_unlock(&words.mutex);
}

static void free_spare(void)
{
  while (spare.blocks) (void)cudaFree(spare.block[--spare.blocks].p);
}

void sptrsvSetupBegin(void)
{
  spare.setups++;
}

SptrsvStatus sptrsvSetupEnd(SptrsvLocation location, SptrsvStatus status)
{
  if (--spare.setups) return status;
  if (!status && location == SPTRSV_DEVICE) status = sptrsvWait(NULL); /* what follows may be in another stream */
  free_spare();
  (void)pthread_mutex_lock(&words.mutex);
  free_words();
  (void)pthread_mutex_unlock(&words.mutex);
  return status;
}

/* If memory has run out, spare blocks may be what is missing */
static SptrsvStatus allocate(size_t bytes, void **p)
{
  const SptrsvStatus status = sptrsvCudaStatus(cudaMalloc(p, bytes));

  if (status != SPTRSV_OUT_OF_MEMORY || !spare.blocks) return status;
  free_spare();
  return sptrsvCudaStatus(cudaMalloc(p, bytes));
}

enum { NO_SPARE = -1, LEAST_REUSED = 64 << 10 };

/* The smallest spare block that holds so many bytes, and at most `more` beside */
static int find_spare(size_t bytes, size_t more)
{
  int best = NO_SPARE;

  for (int k = 0; k < spare.blocks; k++) {
    const size_t size = spare.block[k].bytes;

    if (size >= bytes && size - bytes <= more && (best < 0 || size < spare.block[best].bytes)) best = k;
  }
  return best;
}

/* Spare block k, or another */
static SptrsvStatus take(SptrsvMemory *memory, int k, size_t bytes, void **d)
{
  void *p;

  SPTRSV_TRY(reserve(memory));
  if (k == NO_SPARE) {
    SPTRSV_TRY(allocate(bytes ? bytes : 1, &p));
    note(memory, (struct SptrsvBlock){p, bytes, SPTRSV_DEVICE, false}, d);
  } else {
    SPTRSV_REUSE(spare.block[k].p, bytes, spare.block[k].bytes);
    note(memory, spare.block[k], d);
    spare.block[k] = spare.block[--spare.blocks];
  }
  return SPTRSV_SUCCESS;
}

/* What stays may be a little larger than asked for, unless it is small: a plan that auto tries is often about as large as the one before */
SptrsvStatus sptrsvDeviceAllocate(SptrsvMemory *memory, size_t bytes, void **d)
{
  const size_t more = bytes / 8 < LEAST_REUSED ? bytes / 8 : LEAST_REUSED;

  return take(memory, bytes < LEAST_REUSED ? NO_SPARE : find_spare(bytes, more), bytes, d);
}

SptrsvStatus sptrsvScratchAllocate(SptrsvMemory *memory, size_t bytes, void **d)
{
  return take(memory, find_spare(bytes ? bytes : 1, bytes + LEAST_REUSED), bytes, d);
}

SptrsvStatus sptrsvPinnedAllocate(SptrsvMemory *memory, size_t bytes, void **p)
{
  SPTRSV_TRY(reserve(memory));
  *p = NULL;
  if (bytes <= sizeof(uint64_t)) SPTRSV_TRY(take_word(p));
  if (!*p) SPTRSV_TRY(allocate_pinned(bytes, p));
  note(memory, (struct SptrsvBlock){*p, bytes, SPTRSV_HOST, true}, p);
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
  if (block.pinned) free_pinned(block.p);
  else if (block.location == SPTRSV_HOST) free(block.p);
  else if (spare.setups && spare.blocks < (int)(sizeof(spare.block) / sizeof(*spare.block))) spare.block[spare.blocks++] = block;
  else (void)cudaFree(block.p);
}
#else
static void give_back(struct SptrsvBlock block)
{
  free(block.p);
}

void sptrsvSetupBegin(void)
{}

SptrsvStatus sptrsvSetupEnd(SptrsvLocation location, SptrsvStatus status)
{
  (void)location;
  return status;
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
