/*
   check.h - Test cases of the kernel library's tests.  A case passes if all that was expected in it held; each program ends with
   "name: N passed, N failed, N skipped", and with exit status 1 if a case failed.
*/
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H
#include <stdbool.h>
#include <stddef.h>
#include "../../include/sptrsv_study.h"

#if defined(__GNUC__)
  #define FORMAT(k) __attribute__((format(printf, k, k + 1)))
#else
  #define FORMAT(k)
#endif

/* Reads --quick (small sizes, for compute-sanitizer) and --rows N (none larger, for the emulator); returns the index of the first other
   argument. */
int  testBegin(const char *program, int argc, char **argv);
bool testQuick(void);
int  testRows(void);
int  testEnd(void); /* prints the last line, returns the exit status */

void caseBegin(const char *format, ...) FORMAT(1); /* names the case, without judging it */
bool caseEnd(void); /* whether the case passed */
void caseSkip(const char *format, ...) FORMAT(1); /* a whole case that cannot run on this machine */

/* Returns the condition; if it does not hold, the case fails and the message is printed, of the first few failures of a case. */
bool expect(bool condition, const char *format, ...) FORMAT(2);
bool expectStatus(SptrsvStatus status, SptrsvStatus expected, const char *what);
#define expectSuccess(call) expectStatus(call, SPTRSV_SUCCESS, #call)
#define expectRefusal(call) expectStatus(call, SPTRSV_INVALID_ARGUMENT, #call)

/* The same bits or, from an algorithm that `varies`, the same up to rounding.  x, y: host [n], of o's
   type */
bool sameSolution(const SptrsvPlanOptions *o, const void *x, const void *y, int n);

/* Memory of the host or of the GPU, with a first content or NULL; exits if there is none. */
void *placeNew(SptrsvLocation location, size_t bytes, const void *content);
void  placePut(SptrsvLocation location, void *to, const void *content, size_t bytes);
void  placeGet(SptrsvLocation location, void *content, const void *from, size_t bytes); /* waits for the GPU */
void  placeFree(SptrsvLocation location, void *p);

/* Next of a sequence of numbers in [0, 1), the same on every machine. */
double   randomUnit(uint64_t *state);
int32_t *randomPermutation(int n, uint64_t seed); /* malloc'ed */
int32_t *inversePermutation(int n, const int32_t *perm);

#endif
