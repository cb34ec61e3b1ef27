/* Rows of a sweep for levelorder.cu by way of the host (cut.c): for transposed sweeps, and those with rows too long for a warp. */
#ifndef SPTRSV_CUT_H
#define SPTRSV_CUT_H
#include "../../analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row of more than `most` entries becomes a tree of partial sums, each an unknown of its own, so that no unknown has more. */
typedef struct {
  int  n, nnz;
  int *row_ptr, *col_idx, *source; /* as in SptrsvOrdered; source SPTRSV_ONE: the entry that adds a partial sum */
  int *row, *diagonal;             /* row -1: partial sum */
  int *level;
} SptrsvUnknowns;
/* To be freed after a failure, too */
SptrsvStatus sptrsvUnknownsCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, int most, SptrsvUnknowns *unknowns);
void         sptrsvUnknownsFree(SptrsvUnknowns *unknowns);

#ifdef __cplusplus
}
#endif
#endif
