/*
   failing.h - An allocator that fails on demand, put under the library by the linker (--wrap, see tests/rules.mk): malloc() and its kin,
   cudaMalloc() and cudaHostAlloc().  Allocations inside CUDA and cuSPARSE are not counted.  cudaStreamWaitEvent() fails likewise.
*/
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H
#include <stdbool.h>
#include <stddef.h>

/* The k-th allocation from now on fails, k = 1, 2, …; lasting: all later ones too; k = 0: none fails */
void failing_arm(long k, bool lasting);
long failing_count(void);  /* allocations since then, with failed ones */
bool failing_strikes(void); /* counts an allocation of another allocator, which has to fail if this is true */
bool failing_struck(void); /* whether one has failed since then */
void failing_arm_wait(long k); /* the k-th call of cudaStreamWaitEvent() from now on fails; failing_struck() tells */
long failing_blocks(void); /* blocks of all memories that are not freed yet */
void failing_held(size_t held[2]); /* their bytes on the host, with pinned ones, and on the device */

#endif
