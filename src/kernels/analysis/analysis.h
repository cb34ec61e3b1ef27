/* The parts of an analysis that factorizations and plans use: patterns, levels, and the rows of a sweep. */
#pragma once
#include "../impl.h"

SPTRSV_BEGIN_C

SptrsvStatus sptrsvCsrCheck(const SptrsvCsr *A);                            /* checks that read no array */
SptrsvStatus sptrsvPatternCopy(const SptrsvCsr *A, SptrsvPattern *pattern); /* of a checked A, narrowed to 32 bits; host or device */
SptrsvStatus sptrsvPatternSplit(SptrsvPattern *pattern);                    /* computes `split`, once, if columns ascend */
/* *source (host [nnz]): position in the pattern of each entry of the transpose */
SptrsvStatus sptrsvPatternTranspose(const SptrsvPattern *pattern, SptrsvMemory *memory, SptrsvPattern *transpose, int **source);
int          sptrsvPatternMissing(const SptrsvPattern *pattern); /* first row without a diagonal entry, -1: none */
void         sptrsvPatternFree(SptrsvPattern *pattern);

SptrsvStatus sptrsvAnalysisFinish(SptrsvAnalysis analysis, SptrsvLocation location); /* that has a new pattern on the host, split */
size_t       sptrsvAnalysisBytes(SptrsvAnalysis analysis, SptrsvLocation location);  /* of all its memory; NULL: 0 */
SptrsvStatus sptrsvAnalysisOnHost(SptrsvAnalysis analysis); /* brings the arrays of `a` to the host, if they are on the device only */
/* *pattern, on the host: that of whose rows the operation takes one side, `a` or `t`, which is made */
SptrsvStatus sptrsvAnalysisRows(SptrsvAnalysis analysis, SptrsvOperation op, const SptrsvPattern **pattern);
/* Groups of those rows, on the host */
SptrsvStatus sptrsvAnalysisGroups(SptrsvAnalysis analysis, SptrsvOperation op, const SptrsvGroups **groups);
/* An analysis of A's own pattern, large and for work on the device, that has not been on the host: the pattern is checked there.
   NOT_SUPPORTED: it is not of this kind, and goes by the host.  To be destroyed after other failures. */
SptrsvStatus sptrsvAnalysisOfDevice(const SptrsvCsr *A, SptrsvLocation location, SptrsvAnalysis *analysis);
SptrsvStatus sptrsvDevicePattern(const SptrsvCsr *A, SptrsvAnalysis analysis); /* `device`, sizes and `missing` */
SptrsvStatus sptrsvDeviceTranspose(SptrsvAnalysis analysis); /* makes `t` on the device, with the entries and the order of the host's */
SptrsvStatus sptrsvAnalysisMatches(SptrsvAnalysis analysis, const SptrsvCsr *A, bool *same);      /* a checked A; either memory */
SptrsvStatus sptrsvDevicePatternMatches(SptrsvAnalysis analysis, const SptrsvCsr *A, bool *same); /* an A of equal sizes on the device */
/* Whether a pattern on the device has all diagonal entries, and each entry its mirror image */
SptrsvStatus sptrsvDeviceSymmetric(SptrsvAnalysis analysis, bool *symmetric);
/* A sweep with its levels, on the host or on the device; and certainly on the host, too */
SptrsvStatus sptrsvAnalysisSweep(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, const SptrsvSweep **sweep);
SptrsvStatus sptrsvAnalysisLevels(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, const SptrsvSweep **sweep);

void sptrsvHostLevels(const SptrsvPattern *pattern, SptrsvTriangle side, int *level);
int  sptrsvHostRanks(const SptrsvPattern *pattern, int *rank); /* returns their number */
/* Makes both sweeps of the operation, mostly in the time of the one that is asked for; a factor needs both.  There are rows. */
SptrsvStatus sptrsvDeviceLevels(SptrsvAnalysis analysis, SptrsvTriangle asked, SptrsvOperation op);
/* What follows from level_ptr and, of the statistics, nnz, longest and levels; the sweep is complete then */
void sptrsvSweepFinish(SptrsvAnalysis analysis, SptrsvSweep *s);

/* *level_ptr (host [*levels + 1]): rows before each level */
SptrsvStatus sptrsvLevelPointers(int n, const int *level, SptrsvMemory *memory, int *levels, int **level_ptr);
/* *order (host [n]): numbers r of rows level by level, ascending in each, where the r-th row is row[r] (NULL: r): Li's jlev */
SptrsvStatus sptrsvLevelOrder(const SptrsvSweep *sweep, const int *row, SptrsvMemory *memory, int **order);

/* Strict triangle of a sweep as a lower one: an upper one is taken backwards, so that every row needs earlier rows only. */
typedef struct {
  int  n, nnz;
  int *row_ptr, *col_idx; /* col_idx < row, ascending in a row */
  int *source;            /* [nnz] position of each entry in the analysed pattern */
  int *row;               /* [n] row of the analysed pattern */
  int *diagonal;          /* [n] position of the diagonal entry in the analysed pattern, or one of the first two below */
} SptrsvOrdered;
enum {
  SPTRSV_ONE       = -1, /* the constant 1 in place of a stored value */
  SPTRSV_MINUS_ONE = -2,
  SPTRSV_PADDING   = -3 /* no entry */
};
/* In the place of a position in A's values: an entry that A lacks, whose value there is zero.  Not negative, since device code marks
   positions by ~; no position is so large. */
enum { SPTRSV_FILL = INT_MAX };

SptrsvStatus sptrsvOrderedCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvMemory *memory, SptrsvOrdered *ordered);
SptrsvStatus sptrsvOrderedAllocate(int n, int nnz, SptrsvMemory *memory, SptrsvOrdered *ordered); /* zeroed */

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
