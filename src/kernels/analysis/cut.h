/* Rows of a sweep on the device, long ones cut into trees of partial sums (cut.cu). */
#pragma once
#include "analysis.h"

SPTRSV_BEGIN_C

/* A row of more than `most` entries becomes a tree of partial sums, each an unknown of its own, so that no unknown has more; most >= 2.
   Entries that are ready early go together: they are sorted by the levels that rows have before any is cut, so that a row's tree does not
   depend on those of other rows.  The row of a partial sum is -1, and the source of the entry that adds one SPTRSV_ONE.  Into
   analysis->cut, unless it is there already.  An analysis for the device, with rows.  OUT_OF_MEMORY, TOO_LARGE, CUDA_ERROR;
   analysis->cut.most is 0 then. */
SptrsvStatus sptrsvDeviceCut(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, int most);
void         sptrsvCutFree(SptrsvCut *cut); /* which is then empty */
void         sptrsvOrdersFree(SptrsvOrders *orders);
/* After a plan for these options was made (NULL: it failed): frees its cut rows, and orders unless the sweep the other way shares them */
void sptrsvPlanMade(SptrsvAnalysis analysis, const SptrsvPlanOptions *made);

SPTRSV_END_C
