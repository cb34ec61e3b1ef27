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
  void          *w;                  /* likewise, within an upper sweep by blocks */
  void          *host_b, *host_y, *host_x, *reference, *factor_values; /* of the machine's type */
  int64_t        factor_nnz;                                           /* of A without a factorization */
  SptrsvAnalysis oracle;
  SptrsvPlan     oracle_lower, oracle_upper;
  int64_t        levels_lower, levels_upper;
  int64_t        nnz_lower;   /* of the lower sweep's triangle, with its diagonal */
  double         granularity; /* parallel granularity of the lower sweep */
  double         spmv; /* seconds */
} Problem;

bool problem_create(Machine *machine, const char *spec, ProblemKind kind, Problem *problem);
void problem_destroy(Problem *problem);

/* problem_bytes - The fewest bytes that an apply moves: the factor once, two vectors in and two out. */
double problem_bytes(const Problem *problem);

/* problem_pattern - Of A, in host memory. */
SptrsvCsr problem_pattern(const Problem *problem);

/* problem_plans - Both sweeps of this kind of problem, by the algorithm that `options` names; blocks: of a factor's block form. */
SptrsvStatus problem_plans(const Problem *problem, SptrsvAnalysis analysis, bool blocks, const SptrsvPlanOptions *options,
                           SptrsvPlan *lower, SptrsvPlan *upper);

/* problem_ask_oracle - Computes the right result of an apply with the values of this factor; NULL: with those of A. */
bool problem_ask_oracle(Problem *problem, SptrsvFactor factor);

/* problem_error - Relative difference of x from the oracle's, in the 2-norm. */
bool problem_error(Problem *problem, double *error);

/* problem_check - True for SPTRSV_SUCCESS; else false, with the status as a sentence. */
bool problem_check(const Problem *problem, SptrsvStatus status, const char *what);

#endif
