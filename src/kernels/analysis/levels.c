#include "../impl.h"

/* level(i) = 1 + max { level(j) : row i needs row j }, 0 where it needs none.  Returns the number of levels. */
int sptrsvHostLevels(const SptrsvPattern *p, SptrsvTriangle side, int *level)
{
  int levels = 0;

  for (int k = 0; k < p->n; k++) {
    const int i     = side == SPTRSV_LOWER ? k : p->n - 1 - k;
    const int begin = side == SPTRSV_LOWER ? p->row_ptr[i] : p->split[i] + sptrsvHasDiagonal(p, i);
    const int end   = side == SPTRSV_LOWER ? p->split[i] : p->row_ptr[i + 1];
    int       l     = 0;

    for (int e = begin; e < end; e++) {
      if (level[p->col_idx[e]] >= l) l = level[p->col_idx[e]] + 1;
    }
    level[i] = l;
    if (l >= levels) levels = l + 1;
  }
  return levels;
}
