/*
   sptrsv_problem.h - One matrix for bench_sptrsv, its vectors, and the oracle: the kernel library's serial sweeps on the host.

   Functions return false on failure and leave a sentence in machine->error.
*/
#ifndef BENCH_SPTRSV_PROBLEM_H
#define BENCH_SPTRSV_PROBLEM_H
#include "machine.h"

typedef enum {
  PROBLEM_ILU,
  PROBLEM_ICC,
  PROBLEM_NONE /* no factorization: (L + D) y = b and (U + D) x = y for A = L + D + U */
} ProblemKind;

extern const char *const problem_kinds[]; /* names, NULL after the last */

typedef struct {
  Machine       *machine;
  CsrMatrix      A;
  ProblemKind    kind;
  void          *values, *b, *y, *x; /* in the machine's memory and type; y is L^-1 b, x is U^-1 y */
  void          *host_b, *host_y, *host_x, *reference, *factor_values; /* of the machine's type */
  int64_t        factor_nnz;                                           /* of A without a factorization */
  SptrsvAnalysis oracle;
  SptrsvPlan     oracle_lower, oracle_upper;
  int64_t        levels_lower, levels_upper;
  int64_t        nnz_lower;   /* of the lower sweep's triangle, with its diagonal */
  double         granularity; /* parallel granularity of the lower sweep */
  double         spmv; /* seconds */
} Problem;

bool problemCreate(Machine *machine, const char *spec, ProblemKind kind, Problem *problem);
void problemDestroy(Problem *problem);

/* problemBytes - What one apply has to move at least: the factor once, and two vectors in and two out. */
double problemBytes(const Problem *problem);

/* problemPattern - Of A, in host memory. */
SptrsvCsr problemPattern(const Problem *problem);

/* problemPlans - Both sweeps of this kind of problem, by the algorithm that `options` names. */
SptrsvStatus problemPlans(const Problem *problem, SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *lower,
                          SptrsvPlan *upper);

/* problemAskOracle - Computes what an apply with the values of this factor should give; NULL: with those of A. */
bool problemAskOracle(Problem *problem, SptrsvFactor factor);

/* problemError - Relative difference of x from the oracle's, in the 2-norm. */
bool problemError(Problem *problem, double *error);

/* problemCheck - False, with the sentence for the status, unless it is SPTRSV_SUCCESS. */
bool problemCheck(const Problem *problem, SptrsvStatus status, const char *what);

#endif
