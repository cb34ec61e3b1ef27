/*
   sptrsv_measure.h - The measurements of bench_sptrsv for one matrix and one algorithm.
*/
#ifndef BENCH_SPTRSV_MEASURE_H
#define BENCH_SPTRSV_MEASURE_H
#include "sptrsv_problem.h"

typedef struct { /* seconds */
  double       analysis, plans; /* parts of the first set-up: pattern to analysis; analysis to plans of both sweeps */
  double       first_setup, refactor, factor, lower, upper, apply; /* factor: the numeric factorization within a refactorization */
  int          repetitions; /* the fewest of lower, upper, apply */
  size_t       plan_bytes;  /* of both sweeps, in the machine's memory */
  double       error;       /* of the apply, relative to the oracle's, in the 2-norm: before or after the timing, the larger */
  char         description[512], factor_description[256]; /* of the lower sweep's plan, as in views; of the factorization */
  char         split_policy[16];                          /* policy of split for the lower sweep; "": another algorithm */
  double       split_level, split_setup, transfer;        /* levels of its first part; set-up; the copies of a solve without its work */
  SptrsvStatus status;                                    /* of the library's call that failed */
} Measurement;

/* measure - Times sweeps and a factorization with these options; false on failure, with a sentence in machine->error. */
bool measure(Problem *problem, const SptrsvPlanOptions *options, Measurement *measured);

#endif
