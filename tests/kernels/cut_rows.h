/* cut_rows.h - Rows of a sweep, the long ones cut, on the host: what cut.cu must find on the GPU. */
#ifndef TESTS_CUT_ROWS_H
#define TESTS_CUT_ROWS_H
#include "../../src/kernels/analysis/analysis.h"

/* A row of more than `most` entries becomes a tree of partial sums, each an unknown of its own, so that no unknown has more; most >= 2.
   Entries that are ready early go together: they are sorted by the levels that rows have before any is cut, so that a row's tree does not
   depend on those of other rows.  In *unknowns the row of a partial sum is -1, and the source of the entry that adds one SPTRSV_ONE.
   *level: of each unknown.  Host arrays, all in `memory`, also after a failure. */
SptrsvStatus cut_rows_on_host(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, int most, SptrsvMemory *memory,
                              SptrsvOrdered *unknowns, int **level);

#endif
