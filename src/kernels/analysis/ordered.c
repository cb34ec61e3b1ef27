/* The four sweeps as lower ones: rows in the order of execution, or level by level. */
#include <stdlib.h>
#include <string.h>
#include "analysis.h"

SptrsvStatus sptrsvOrderedAllocate(int n, int nnz, SptrsvOrdered *ordered)
{
  *ordered = (SptrsvOrdered){.n = n, .nnz = nnz};
  SPTRSV_TRY(sptrsvNew(n + 1, &ordered->row_ptr));
  SPTRSV_TRY(sptrsvNew(nnz, &ordered->col_idx));
  SPTRSV_TRY(sptrsvNew(nnz, &ordered->source));
  SPTRSV_TRY(sptrsvNew(n, &ordered->row));
  return sptrsvNew(n, &ordered->diagonal);
}

SptrsvStatus sptrsvOrderedCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvOrdered *ordered)
{
  const bool           transpose = options->op == SPTRSV_TRANSPOSE, unit = options->diagonal == SPTRSV_DIAG_UNIT;
  const SptrsvPattern *p;
  const SptrsvTriangle side = sptrsvSide(options->triangle, options->op);
  const int            n    = analysis->a.n;
  int                  nz   = 0;
  SptrsvStatus         status;

  SPTRSV_TRY(sptrsvAnalysisRows(analysis, options->op, &p));
  for (int i = 0; i < n; i++) nz += sptrsvRowEnd(p, side, i) - sptrsvRowBegin(p, side, i);
  status = sptrsvOrderedAllocate(n, nz, ordered);
  if (status) {
    sptrsvOrderedFree(ordered);
    return status;
  }
  nz = 0;
  for (int r = 0; r < n; r++) {
    const int i = side == SPTRSV_LOWER ? r : n - 1 - r, begin = sptrsvRowBegin(p, side, i), end = sptrsvRowEnd(p, side, i);

    for (int q = begin; q < end; q++) { /* an upper row from its end: its reversed columns ascend */
      const int e = side == SPTRSV_LOWER ? q : end - 1 - (q - begin);

      ordered->col_idx[nz]  = side == SPTRSV_LOWER ? p->col_idx[e] : n - 1 - p->col_idx[e];
      ordered->source[nz++] = transpose ? analysis->t_source[e] : e;
    }
    ordered->row[r]         = i;
    ordered->row_ptr[r + 1] = nz;
    ordered->diagonal[r]    = unit ? SPTRSV_ONE : transpose ? analysis->t_source[p->split[i]] : p->split[i];
  }
  return SPTRSV_SUCCESS;
}

/* Row r of `to` was row old[r]; renumbered: the new number of each old row */
static void copy_rows(const SptrsvOrdered *from, const int *old, const int *renumbered, SptrsvOrdered *to)
{
  int nz = 0;

  for (int r = 0; r < from->n; r++) {
    for (int e = from->row_ptr[old[r]]; e < from->row_ptr[old[r] + 1]; e++) {
      to->col_idx[nz]  = renumbered[from->col_idx[e]];
      to->source[nz++] = from->source[e];
    }
    to->row_ptr[r + 1] = nz;
    to->row[r]         = from->row[old[r]];
    to->diagonal[r]    = from->diagonal[old[r]];
  }
}

SptrsvStatus sptrsvOrderedByLevel(SptrsvOrdered *ordered, const int *level, int *levels, int **level_ptr)
{
  SptrsvOrdered by_level = {0};
  int          *old, *renumbered = NULL;
  SptrsvStatus  status = sptrsvLevelLists(ordered->n, ordered->row, level, levels, level_ptr, &old);

  if (!status) status = sptrsvNew(ordered->n, &renumbered);
  if (!status) status = sptrsvOrderedAllocate(ordered->n, ordered->nnz, &by_level);
  if (!status) {
    for (int k = 0; k < ordered->n; k++) renumbered[old[k]] = k;
    copy_rows(ordered, old, renumbered, &by_level);
  }
  free(old);
  free(renumbered);
  sptrsvOrderedFree(status ? &by_level : ordered);
  if (status) free(*level_ptr);
  else *ordered = by_level;
  return status;
}

void sptrsvOrderedFree(SptrsvOrdered *ordered)
{
  free(ordered->row_ptr);
  free(ordered->col_idx);
  free(ordered->source);
  free(ordered->row);
  free(ordered->diagonal);
  memset(ordered, 0, sizeof(*ordered));
}
