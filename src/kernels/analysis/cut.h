/* Rows of a sweep by way of the host (cut.c): for transposed sweeps, and those with rows that are too long. */
#ifndef SPTRSV_CUT_H
#define SPTRSV_CUT_H
#include "analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row of more than `most` entries becomes a tree of partial sums, each an unknown of its own, so that no unknown has more.  In *unknowns
   the row of a partial sum is -1, and the source of the entry that adds one SPTRSV_ONE.  *level: of each unknown.  Both to be freed after a
   failure, too. */
SptrsvStatus sptrsvCutRows(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, int most, SptrsvOrdered *unknowns, int **level);

#ifdef __cplusplus
}
#endif
#endif
