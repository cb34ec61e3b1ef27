#include "../impl.h"

/* level(i) = 1 + max { level(j) : row i needs row j }, 0 where it needs none.  Returns the number of levels. */
int sptrsvHostLevels(const SptrsvPattern *p, SptrsvTriangle side, int *level)
{
  int levels = 0;

  for (int k = 0; k < p->n; k++) {
    const int i = side == SPTRSV_LOWER ? k : p->n - 1 - k;
    int       l = 0;

    for (int e = sptrsvRowBegin(p, side, i); e < sptrsvRowEnd(p, side, i); e++) {
      if (level[p->col_idx[e]] >= l) l = level[p->col_idx[e]] + 1;
    }
    level[i] = l;
    if (l >= levels) levels = l + 1;
  }
  return levels;
}

/* rank(i) = 1 + max { rank(j) : j < i, entry (i, j) or (j, i) is stored }: levels of the symmetrized pattern, which is never formed.
   Returns the number of ranks. */
int sptrsvHostRanks(const SptrsvPattern *p, int *rank)
{
  int ranks = 0;

  for (int i = 0; i < p->n; i++) rank[i] = 0;
  for (int i = 0; i < p->n; i++) {
    for (int e = p->row_ptr[i]; e < p->split[i]; e++) {
      if (rank[p->col_idx[e]] >= rank[i]) rank[i] = rank[p->col_idx[e]] + 1;
    }
    for (int e = p->split[i] + sptrsvHasDiagonal(p, i); e < p->row_ptr[i + 1]; e++) { /* row i is done: tell the rows that come */
      if (rank[i] >= rank[p->col_idx[e]]) rank[p->col_idx[e]] = rank[i] + 1;
    }
    if (rank[i] >= ranks) ranks = rank[i] + 1;
  }
  return ranks;
}
