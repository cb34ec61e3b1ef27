/*
   Device memory of set-ups under way, and pinned memory.

   cudaMalloc() and cudaFree() take 50 us each, and a set-up would call each some hundred times.  So its scratch comes from a few slabs,
   and a plan that auto tries may have the memory of one that it gave up.  All goes back when the set-up ends, or the last of several.
*/
#define _DEFAULT_SOURCE /* for MAP_ANONYMOUS */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include "cuda_calls.h"
#include "setup_memory.h"

static _Thread_local int setups; /* begun and not ended: a set-up can be part of another */
static _Thread_local int keeps;  /* sptrsvMemoryKeep() without sptrsvMemoryRelease() */

/* Least bytes of a slab, and how finely it is cut.  On the emulator, which knows the ends of blocks, each piece is a slab. */
#if defined(SPTRSV_APART)
enum { SLAB = 0, GRANULE = 1, CUTS = 0 };
#else
enum { SLAB = 32 << 20, GRANULE = SPTRSV_ALIGNED, CUTS = 1 };
#endif
enum { RANGES = 256, SPARES = 64, NONE = -1, LEAST_REUSED = 64 << 10 };

/* Part of a slab; those of a slab are in a row, in order */
typedef struct {
  char  *p;
  size_t bytes;
  bool   taken, first; /* first: of a slab */
} Range;

static _Thread_local struct {
  int   ranges, spares;
  Range range[RANGES], spare[SPARES]; /* spare: blocks that were given up */
} kept;

/* ----------------------------------------------------------- slabs -------------------------------------------------------------- */

/* Puts a range before range k */
static void insert(int k, Range range)
{
  memmove(kept.range + k + 1, kept.range + k, (size_t)(kept.ranges - k) * sizeof(Range));
  kept.range[k] = range;
  kept.ranges++;
}

static void erase(int k)
{
  kept.ranges--;
  memmove(kept.range + k, kept.range + k + 1, (size_t)(kept.ranges - k) * sizeof(Range));
}

static int smallest_free(size_t bytes)
{
  int best = NONE;

  for (int k = 0; k < kept.ranges; k++) {
    const Range *range = kept.range + k;

    if (!range->taken && range->bytes >= bytes && (best == NONE || range->bytes < kept.range[best].bytes)) best = k;
  }
  return best;
}

/* Returns the new slab's range.  Where memory is short, a slab of the bytes that are needed may still be had. */
static int add_slab(size_t bytes)
{
  size_t size = bytes > SLAB ? bytes : SLAB;
  void  *p    = NULL;

  if (kept.ranges == RANGES) return NONE;
  if (size > bytes && sptrsvCudaStatus(cudaMalloc(&p, size))) size = bytes;
  if (!p && sptrsvCudaStatus(cudaMalloc(&p, size))) return NONE;
  insert(kept.ranges, (Range){p, size, false, true});
  return kept.ranges - 1;
}

void *sptrsvSlabTake(size_t bytes, size_t *held)
{
  const size_t whole = bytes ? (bytes + GRANULE - 1) / GRANULE * GRANULE : GRANULE;
  int          k;
  Range        rest;

  if (!setups) return NULL;
  k = smallest_free(whole);
  if (k == NONE) k = add_slab(whole);
  if (k == NONE) return NULL;
  rest = (Range){kept.range[k].p + whole, kept.range[k].bytes - whole, false, false};
  if (CUTS && rest.bytes && kept.ranges < RANGES) {
    insert(k + 1, rest);
    kept.range[k].bytes = whole;
  }
  kept.range[k].taken = true;
  *held               = kept.range[k].bytes;
  return kept.range[k].p;
}

void sptrsvSlabGive(const void *p)
{
  int k = 0;

  while (kept.range[k].p != p) k++;
  kept.range[k].taken = false;
  for (k = kept.ranges - 1; k > 0; k--) { /* free neighbours in a slab are one range */
    if (kept.range[k].first || kept.range[k].taken || kept.range[k - 1].taken) continue;
    kept.range[k - 1].bytes += kept.range[k].bytes;
    erase(k);
  }
  if (!setups && !keeps) (void)sptrsvKeptFree(); /* what a set-up that failed had left behind */
}

/* ----------------------------------------------------------- spares ------------------------------------------------------------- */

/* What stays may be a little larger than asked for, unless it is small: a plan that auto tries is often about as large as the one before */
void *sptrsvSpareTake(size_t bytes, size_t *held)
{
  const size_t most = bytes + (bytes / 8 < LEAST_REUSED ? bytes / 8 : LEAST_REUSED);
  int          best = NONE;
  Range        block;

  for (int k = 0; k < kept.spares && bytes >= LEAST_REUSED; k++) {
    const size_t size = kept.spare[k].bytes;

    if (size >= bytes && size <= most && (best == NONE || size < kept.spare[best].bytes)) best = k;
  }
  if (best == NONE) return NULL;
  block            = kept.spare[best];
  kept.spare[best] = kept.spare[--kept.spares];
  *held            = block.bytes;
  return block.p;
}

bool sptrsvSpareKeep(void *p, size_t bytes)
{
  if (!setups || kept.spares == SPARES) return false;
  kept.spare[kept.spares++] = (Range){p, bytes, false, true};
  return true;
}

bool sptrsvKeptFree(void)
{
  bool some = kept.spares > 0;

  while (kept.spares) (void)cudaFree(kept.spare[--kept.spares].p);
  for (int k = kept.ranges - 1; k >= 0; k--) { /* a slab of which nothing is taken is one range */
    if (!kept.range[k].first || kept.range[k].taken || (k + 1 < kept.ranges && !kept.range[k + 1].first)) continue;
    (void)cudaFree(kept.range[k].p);
    erase(k);
    some = true;
  }
  return some;
}

/* -------------------------------------------------------- pinned memory --------------------------------------------------------- */

/* A page of words that the host and kernels share, since each plan needs one.  A child of fork() shares it, too: a page of its own might
   be the one that kernels use.  Registering it takes a tenth of the millisecond of cudaHostAlloc(). */
enum { APART = 64, WORDS = 64, PAGE = APART * WORDS }; /* APART: bytes from word to word, in cache lines of their own */
static struct {
  pthread_mutex_t mutex;
  char           *page;       /* [PAGE]; NULL: there is none */
  bool            registered; /* else it is cudaHostAlloc()'s */
  uint64_t        taken;      /* bit k: word k */
} words = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static SptrsvStatus allocate_pinned(size_t bytes, void **p)
{
  return sptrsvCudaStatus(cudaHostAlloc(p, bytes ? bytes : 1, cudaHostAllocMapped));
}

/* Maps and registers the page, if kernels use it by the host's address then */
static bool register_page(void)
{
  void *const page      = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  void       *on_device = NULL;

  if (page == MAP_FAILED) return false;
  if (!sptrsvCudaStatus(cudaHostRegister(page, PAGE, cudaHostRegisterMapped))) {
    words.page = page;
    if (!sptrsvCudaStatus(cudaHostGetDevicePointer(&on_device, page, 0)) && on_device == page) return true;
    (void)cudaHostUnregister(page);
    words.page = NULL;
  }
  (void)munmap(page, PAGE);
  return false;
}

/* NULL: all are taken */
static SptrsvStatus take_word(void **p)
{
  SptrsvStatus status = SPTRSV_SUCCESS;
  int          k      = 0;

  *p = NULL;
  (void)pthread_mutex_lock(&words.mutex);
  if (!words.page) {
    words.registered = register_page();
    if (!words.registered) status = allocate_pinned(PAGE, (void **)&words.page);
  }
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
  if (!words.page || words.taken || setups || keeps) return;
  if (!words.registered) (void)cudaFreeHost(words.page);
  else {
    (void)cudaHostUnregister(words.page);
    (void)munmap(words.page, PAGE);
  }
  words.page = NULL;
}

SptrsvStatus sptrsvPinnedTake(size_t bytes, void **p)
{
  *p = NULL;
  if (bytes <= sizeof(uint64_t)) SPTRSV_TRY(take_word(p));
  return *p ? SPTRSV_SUCCESS : allocate_pinned(bytes, p);
}

void sptrsvPinnedGive(void *p)
{
  (void)pthread_mutex_lock(&words.mutex);
  if (!words.page || (char *)p < words.page || (char *)p >= words.page + PAGE) (void)cudaFreeHost(p);
  else {
    words.taken &= ~((uint64_t)1 << ((char *)p - words.page) / APART);
    free_words();
  }
  (void)pthread_mutex_unlock(&words.mutex);
}

static void free_all(void)
{
  if (setups || keeps) return;
  (void)sptrsvKeptFree();
  (void)pthread_mutex_lock(&words.mutex);
  free_words();
  (void)pthread_mutex_unlock(&words.mutex);
}

/* ------------------------------------------------------------ set-ups ----------------------------------------------------------- */

void sptrsvSetupBegin(void)
{
  setups++;
}

SptrsvStatus sptrsvSetupEnd(SptrsvLocation location, SptrsvStatus status)
{
  if (--setups) return status;
  if (!status && location == SPTRSV_DEVICE) status = sptrsvWait(NULL); /* what follows may be in another stream */
  free_all();
  return status;
}

void sptrsvMemoryKeep(void)
{
  keeps++;
}

void sptrsvMemoryRelease(void)
{
  keeps--;
  free_all();
}
