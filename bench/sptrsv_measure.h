/*
   sptrsv_measure.h - What bench_sptrsv measures for one matrix and one algorithm.
*/
#ifndef BENCH_SPTRSV_MEASURE_H
#define BENCH_SPTRSV_MEASURE_H
#include "sptrsv_problem.h"

typedef struct { /* seconds */
  double       analysis, plans; /* parts of the first set-up: pattern to analysis; analysis to plans of both sweeps */
  double       first_setup, refactor, lower, upper, apply;
  int          repetitions; /* the fewest of lower, upper, apply */
  size_t       plan_bytes;  /* of both sweeps, in the machine's memory */
  double       error;       /* of the apply, relative to the oracle's, in the 2-norm; the larger of before and after the timing */
  char         description[512]; /* of the lower sweep's plan, as in views */
  SptrsvStatus status;           /* of the library's call that failed */
} Measurement;

/* measure - Fills `m` for the algorithm that `options` names; false on failure, with a sentence in machine->error. */
bool measure(Problem *problem, const SptrsvPlanOptions *options, Measurement *m);

#endif
