/*
   sptrsv_measure.h - What bench_sptrsv measures for one matrix and one algorithm.

   Functions return false on failure and leave a sentence in machine->error.
*/
#ifndef BENCH_SPTRSV_MEASURE_H
#define BENCH_SPTRSV_MEASURE_H
#include "machine.h"

/* One matrix, and the oracle: the kernel library's serial sweeps on the host, on the values of the factor that is tested. */
typedef struct {
  Machine         *machine;
  CsrMatrix        A;
  SptrsvFactorKind kind;
  void            *values, *b, *y, *x; /* in the machine's memory and type; y is L^-1 b, x is U^-1 y */
  void            *host_b, *host_y, *host_x, *reference, *factor_values; /* of the machine's type */
  int64_t          factor_nnz;
  SptrsvAnalysis   oracle;
  SptrsvPlan       oracle_lower, oracle_upper;
  int64_t          levels_lower, levels_upper;
  double           spmv; /* seconds */
} Problem;

bool problemCreate(Machine *machine, const char *spec, SptrsvFactorKind kind, Problem *problem);
void problemDestroy(Problem *problem);

/* problemBytes - What one apply has to move at least: the factor once, and two vectors in and two out. */
double problemBytes(const Problem *problem);

typedef struct { /* seconds */
  double       first_setup, refactor, lower, upper, apply;
  size_t       plan_bytes; /* of both sweeps, in the machine's memory */
  double       error;      /* of the apply, relative to the oracle's, in the 2-norm; the larger of before and after the timing */
  SptrsvStatus status;     /* of the library's call that failed */
} Measurement;

/* measure - Fills `m` for the algorithm that `options` names, with its warps, lanes and threshold. */
bool measure(Problem *problem, const SptrsvPlanOptions *options, Measurement *m);

#endif
