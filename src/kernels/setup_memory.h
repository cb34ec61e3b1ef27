/* Device memory that set-ups keep while they are under way, and pinned memory.  For memory.c */
#pragma once
#include "impl.h"

enum { SPTRSV_ALIGNED = 256 }; /* bytes, as cudaMalloc() does */

/* A piece of a slab for scratch of the thread's set-up under way, of *held bytes, at least so many; NULL: there is no set-up, or no memory
   for another slab.  Whoever gives a piece back has put all work with it in the legacy stream. */
void *sptrsvSlabTake(size_t bytes, size_t *held);
void  sptrsvSlabGive(const void *p);

/* A block that was given up in the set-up under way, of *held bytes, at least so many; NULL: there is none that fits */
void *sptrsvSpareTake(size_t bytes, size_t *held);
/* Keeps a block for that; false: it is still the caller's to free */
bool sptrsvSpareKeep(void *p, size_t bytes);

/* Frees what the set-up under way keeps without using it; false: that is nothing */
bool sptrsvKeptFree(void);

/* Host memory that kernels can use by the same address */
SptrsvStatus sptrsvPinnedTake(size_t bytes, void **p);
void         sptrsvPinnedGive(void *p);
