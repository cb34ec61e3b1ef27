/*
   sweep_check.h - One sweep judged by its residual alone.  No other solver takes part, so an error that solvers share is seen.

   Whatever the order of its sums, a substitution gives x with |T x - b| <= gamma |T| |x|, row by row (Higham, Accuracy and
   Stability of Numerical Algorithms, Theorem 8.5), and a little more where numbers become subnormal.  NaN and Inf spread along the
   dependencies.  Any result is accepted where sums may overflow.
*/
#ifndef TESTS_SWEEP_CHECK_H
#define TESTS_SWEEP_CHECK_H
#include "check.h"
#include "zoo.h"

typedef struct { /* T of one sweep, in rows, made entry by entry from the matrix */
  int     n;
  int    *row_ptr, *col_idx; /* off-diagonal entries */
  int    *entry, *diagonal; /* where the matrix has each of them, and each diagonal entry, -1: nowhere */
  double *values; /* as the plan is to store them */
  double *reciprocal; /* of the diagonal */
  const ValueType *type;
} Triangular;

void triangular_create(const ZooMatrix *A, const SptrsvPlanOptions *options, const void *values,
                       Triangular *T); /* values: on the host */
void triangular_take(const SptrsvPlanOptions *options, const void *values, Triangular *T); /* other values of the same matrix */
void triangular_destroy(Triangular *T);

/* A real number as an entry of T: what a plan with this precision stores.  Where it stores what it can only be judged by a bound, an entry
   over its diagonal entry, the number stays, and stored_epsilon() is the bound of the relative difference. */
double stored_number(const SptrsvPlanOptions *options, double number);
double stored_epsilon(const SptrsvPlanOptions *options);

/* Number of rows in which x is not a solution.  b, x: [n] in the precision of the options, before in_perm and after out_perm. */
int triangular_wrong_rows(const Triangular *T, const SptrsvPlanOptions *options, const void *b, const void *x);

/*
   sweep_case - One sweep of one algorithm on one matrix, as one test case: its residual, the same bits whatever x contained and
   whatever was solved before, new values, NaN and Inf in b and in the values.
*/
void sweep_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options);
/* sweep_cases - Several such cases, each between solves of a plan of the opposite triangle: [triangle] of `plans`, of which no two cases
   have the same.  What is NULL there is made, and destroyed by the caller.  On the GPU the cases run at the same time, and are judged by
   threads. */
enum { SWEEPS_TOGETHER = 12 };
typedef struct {
  SptrsvPlanOptions options;
  SptrsvPlan       *plans; /* [2] */
  bool              with_own; /* its own plan is there, too */
} SweepCase;
void sweep_cases(const ZooMatrix *A, SptrsvAnalysis analysis, const SweepCase *cases, int count);
void sweep_print_times(void); /* of what these cases consist of */

/* sweep_numbers_case - Numbers from the ends of the range, Inf and NaN, one at a time: in b, in T and outside T, in the first, the middle,
   the last and the longest row. */
void sweep_numbers_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options);

#endif
