/* Levels and ranks on the host, and rows level by level. */
#include "analysis.h"

/* level(i) = 1 + max { level(j) : row i needs row j }, 0 where it needs none. */
void sptrsvHostLevels(const SptrsvPattern *pattern, SptrsvTriangle side, int *level)
{
  for (int k = 0; k < pattern->n; k++) {
    const int i = side == SPTRSV_LOWER ? k : pattern->n - 1 - k;
    int       l = 0;

    for (int e = sptrsvRowBegin(pattern, side, i); e < sptrsvRowEnd(pattern, side, i); e++) {
      if (level[pattern->col_idx[e]] >= l) l = level[pattern->col_idx[e]] + 1;
    }
    level[i] = l;
  }
}

/* rank(i) = 1 + max { rank(j) : j < i, entry (i, j) or (j, i) is stored }: levels of the symmetrized pattern, which is never formed.
   Returns the number of ranks. */
int sptrsvHostRanks(const SptrsvPattern *pattern, int *rank)
{
  int ranks = 0;

  for (int i = 0; i < pattern->n; i++) rank[i] = 0;
  for (int i = 0; i < pattern->n; i++) {
    for (int e = pattern->row_ptr[i]; e < pattern->split[i]; e++) {
      if (rank[pattern->col_idx[e]] >= rank[i]) rank[i] = rank[pattern->col_idx[e]] + 1;
    }
    for (int e = sptrsvRowBegin(pattern, SPTRSV_UPPER, i); e < pattern->row_ptr[i + 1]; e++) { /* it is final: raise those of later rows */
      if (rank[i] >= rank[pattern->col_idx[e]]) rank[pattern->col_idx[e]] = rank[i] + 1;
    }
    if (rank[i] >= ranks) ranks = rank[i] + 1;
  }
  return ranks;
}

SptrsvStatus sptrsvLevelPointers(int n, const int *level, SptrsvMemory *memory, int *levels, int **level_ptr)
{
  *levels = 0;
  for (int i = 0; i < n; i++) {
    if (level[i] >= *levels) *levels = level[i] + 1;
  }
  SPTRSV_TRY(sptrsvHostNew(memory, *levels + 1, level_ptr));
  for (int i = 0; i < n; i++) (*level_ptr)[level[i] + 1]++;
  for (int l = 0; l < *levels; l++) (*level_ptr)[l + 1] += (*level_ptr)[l];
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvLevelOrder(const SptrsvSweep *sweep, const int *row, SptrsvMemory *memory, int **order)
{
  const int n = (int)sweep->statistics.rows, levels = (int)sweep->statistics.levels;
  int      *next;

  SPTRSV_TRY(sptrsvHostNew(memory, levels, &next));
  SPTRSV_TRY(sptrsvHostNew(memory, n, order));
  for (int l = 0; l < levels; l++) next[l] = sweep->level_ptr[l];
  for (int r = 0; r < n; r++) (*order)[next[sweep->level[row ? row[r] : r]]++] = r;
  return SPTRSV_SUCCESS;
}
