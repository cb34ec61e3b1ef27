/* The methods of Zhang et al., and yuenyeung's map of rows (roworder.cu). */
#pragma once
#include "../../impl.h"

SPTRSV_BEGIN_C

SPTRSV_TABLE SptrsvMethod sptrsvCapellini, sptrsvTwoPhase, sptrsvYuenyeungMethod, sptrsvSyncFreeCsr;

/* Zhang et al., Algorithm 6, ALGCHOOSE: *d_execute_row_id [*groups + 1] is the first row of each group, then n.  A sub-matrix of as many
   rows as a warp has lanes becomes one group, or a group for each row if its rows have `threshold` entries on average, diagonal included.
   d_row_ptr [n + 1] is of the strict triangle. */
SptrsvStatus sptrsvRowGroups(int n, const int *d_row_ptr, double threshold, SptrsvMemory *memory, int **d_execute_row_id, int *groups);

SPTRSV_END_C
