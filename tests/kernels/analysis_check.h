/* An analysis on the GPU beside one on the host. */
#ifndef TESTS_ANALYSIS_CHECK_H
#define TESTS_ANALYSIS_CHECK_H
#include "../../src/kernels/analysis/analysis.h"
#include "zoo.h"

extern const char *const sweep_names[4]; /* of sweeps 0 to 3 */
SptrsvPlanOptions        options_of(int sweep);

/* The GPU's cut rows are those of the host: the unknowns u, and their levels */
void compare_cut_rows(SptrsvAnalysis analysis, int sweep, const SptrsvOrdered *u, const int *level, int longest);

/* Levels, statistics and cut rows of all sweeps are the same, from a pattern in host memory; within a case */
void compare_analyses(const ZooMatrix *A);

#endif
