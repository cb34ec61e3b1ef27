/*
   check.h - Test cases of the kernel library's tests.  A case passes if all its expectations held.  Each program ends with
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
int  test_begin(const char *program, int argc, char **argv);
bool test_quick(void);
int  test_rows(void);
int  test_end(void); /* prints the last line, returns the exit status */

double test_seconds(void); /* of a clock */

void case_begin(const char *format, ...) FORMAT(1); /* names the case, without judging it */
bool case_end(void); /* whether the case passed */
void case_skip(const char *format, ...) FORMAT(1); /* a whole case that cannot run on this machine */

/* For cases by turns: case_leave keeps the case at hand, case_resume goes on with one */
typedef struct {
  char name[256];
  int  wrong; /* expectations that did not hold */
} CaseState;
void case_leave(CaseState *state);
void case_resume(const CaseState *state);

bool test_emulated(void); /* whether the GPU is the emulator */

/* Returns the condition.  If it does not hold, the case fails; the first few messages of a case are printed. */
bool expect(bool condition, const char *format, ...) FORMAT(2);
bool expect_status(SptrsvStatus status, SptrsvStatus expected, const char *what);
#define expect_success(call) expect_status(call, SPTRSV_SUCCESS, #call)
#define expect_refusal(call) expect_status(call, SPTRSV_INVALID_ARGUMENT, #call)
bool expect_cuda(int error, const char *what); /* that a call of CUDA succeeds */

/* The same bits (of a NaN: another NaN) or, from an algorithm that `varies`, the same up to rounding.
   x, y: host [n], of the plan's type */
bool same_solution(const SptrsvPlanOptions *o, const void *x, const void *y, int n);

/* Writes parameters of `split` for a policy, with the level if it is one of two parts; returns text */
const char *split_parameters(SptrsvSplitPolicy policy, int level, char text[64]);

/* Memory of the host or of the GPU, with a first content or NULL; exits if there is none. */
void *place_new(SptrsvLocation location, size_t bytes, const void *content);
void  place_put(SptrsvLocation location, void *to, const void *content, size_t bytes);
void  place_get(SptrsvLocation location, void *content, const void *from, size_t bytes); /* waits for the GPU */
void  place_free(SptrsvLocation location, void *p);

/* What tests know of a type of values, [SptrsvValueType].  A complex value is set to one of this modulus, turned by an angle that follows
   from it, and got as its modulus; the other numbers are those of its parts.  VALUE_TYPES of them are real. */
typedef struct {
  const char *name;
  size_t      size;
  double      epsilon, largest, least, subnormal; /* least: above zero; subnormal: a larger one */
  double      other_order; /* bound of the relative difference of sums in another order */
  int         least_exponent, most_exponent; /* of normal numbers: DBL_MIN_EXP, DBL_MAX_EXP */
  const void *sentinel; /* the NaN that stands for "not ready" in the library's kernels (Word<V>::NOT_READY) */
  double (*get)(const void *values, int64_t e);
  void (*set)(void *values, int64_t e, double value);
  double (*round)(double value); /* to the type */
} ValueType;
enum { VALUE_TYPES = 2, ALL_VALUE_TYPES = 4 };
extern const ValueType value_types[ALL_VALUE_TYPES];
bool            is_complex(SptrsvValueType type);
SptrsvValueType part_type(SptrsvValueType type); /* of the parts of a complex type, which are two; of a real one itself */

/* value_type - The k-th type, k modulo their number: doubles first. */
SptrsvValueType value_type(int k);

/* set_sweep - Sets the k-th of all sweeps: triangle before operation before type before diagonal, doubles first.  The first
   SWEEPS_OF_PATTERN are all that a pattern has. */
enum {
  SWEEPS_OF_PATTERN  = 4,
  SWEEPS_OF_DIAGONAL = SWEEPS_OF_PATTERN * VALUE_TYPES,
  ALL_SWEEPS         = 3 * SWEEPS_OF_DIAGONAL
};
void set_sweep(int k, SptrsvPlanOptions *options);

/* Bytes of a value, entry e as a double, entry e set */
size_t value_size(SptrsvValueType type);
double value_at(SptrsvValueType type, const void *values, int64_t e);
void   set_value(SptrsvValueType type, void *values, int64_t e, double value);

/* Entry e becomes the type's sentinel; here it comes from the user. */
void put_sentinel(SptrsvValueType type, void *values, int64_t e);

/* Next of a sequence of numbers in [0, 1), the same on every machine. */
double   random_unit(uint64_t *state);
int32_t *random_permutation(int n, uint64_t seed); /* malloc'ed */
int32_t *inverse_permutation(int n, const int32_t *perm);

#endif
