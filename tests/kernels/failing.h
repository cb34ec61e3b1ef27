/*
   failing.h - An allocator that fails when it is told to, put under the library by the linker (--wrap, see tests/rules.mk): malloc() and
   its kin, cudaMalloc() and cudaHostAlloc().  What CUDA and cuSPARSE take for themselves is not seen.  cudaStreamWaitEvent() fails
   likewise.
*/
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H
#include <stdbool.h>

/* The k-th allocation from now on fails, k = 1, 2, …, and if it is lasting, all that come after it; 0: none does */
void failing_arm(long k, bool lasting);
long failing_count(void);  /* allocations since then, those that failed included */
bool failing_struck(void); /* has one failed since then? */
void failing_arm_wait(long k); /* the k-th call of cudaStreamWaitEvent() from now on fails; failing_struck() tells */
long failing_blocks(void); /* allocated and not freed so far, of all memories */

#endif
