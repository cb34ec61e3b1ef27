/*
   sptrsv_measure.h - The measurements of bench_sptrsv for one matrix and one algorithm.
*/
#ifndef BENCH_SPTRSV_MEASURE_H
#define BENCH_SPTRSV_MEASURE_H
#include "sptrsv_problem.h"

typedef struct { /* the algorithms to be measured */
  SptrsvPlanOptions plan;   /* of the sweeps */
  const char       *factor; /* algorithm of the factorization, with the plan's tasks */
} Candidate;

extern const char *const split_policies[]; /* names of SptrsvSplitPolicy, NULL after the last */

typedef struct { /* seconds */
  double       analysis, plans; /* parts of the first set-up: pattern to analysis; analysis to plans of both sweeps */
  double       first_setup, refactor, factor, lower, upper, apply; /* factor: the numeric factorization within a refactorization */
  int          repetitions; /* the fewest of lower, upper, apply */
  size_t       plan_bytes;  /* of both sweeps, in the machine's memory */
  double       error;       /* of the apply, relative to the oracle's, in the 2-norm: before or after the timing, the larger */
  char         description[512], factor_description[256]; /* of the lower sweep's plan, as in views; of the factorization */
  const char  *split_policy;                              /* policy of split for the lower sweep; "": another algorithm */
  double       split_level, split_setup, transfer;        /* levels of its first part; set-up; the copies of a solve without its work */
  SptrsvStatus status;                                    /* of the library's call that failed */
} Measurement;

/* measure - Fills `m`; false on failure, with a sentence in machine->error. */
bool measure(Problem *problem, const Candidate *candidate, Measurement *measured);

#endif
