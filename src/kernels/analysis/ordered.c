#include <stdlib.h>
#include <string.h>
#include "../impl.h"

SptrsvStatus sptrsvOrderedCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvOrdered *o)
{
  const bool           transpose = options->op == SPTRSV_TRANSPOSE, unit = options->diagonal == SPTRSV_DIAG_UNIT;
  const SptrsvPattern *p    = transpose ? &analysis->t : &analysis->a;
  const SptrsvTriangle side = sptrsvSide(options->triangle, options->op);
  const int            n    = analysis->a.n;
  int                  nz   = 0;
  SptrsvStatus         status;

  *o = (SptrsvOrdered){.n = n};
  if (transpose) SPTRSV_TRY(sptrsvAnalysisTranspose(analysis));
  for (int i = 0; i < n; i++) o->nnz += sptrsvRowEnd(p, side, i) - sptrsvRowBegin(p, side, i);
  if ((status = sptrsvNew(n + 1, &o->row_ptr)) || (status = sptrsvNew(o->nnz, &o->col_idx)) || (status = sptrsvNew(o->nnz, &o->source)) ||
      (status = sptrsvNew(n, &o->row)) || (status = sptrsvNew(n, &o->diagonal))) {
    sptrsvOrderedFree(o);
    return status;
  }
  for (int r = 0; r < n; r++) {
    const int i = side == SPTRSV_LOWER ? r : n - 1 - r, begin = sptrsvRowBegin(p, side, i), end = sptrsvRowEnd(p, side, i);

    for (int q = begin; q < end; q++) { /* an upper row from its end, so that reversed rows come out sorted */
      const int e = side == SPTRSV_LOWER ? q : end - 1 - (q - begin);

      o->col_idx[nz]  = side == SPTRSV_LOWER ? p->col_idx[e] : n - 1 - p->col_idx[e];
      o->source[nz++] = transpose ? analysis->t_source[e] : e;
    }
    o->row[r]         = i;
    o->row_ptr[r + 1] = nz;
    o->diagonal[r]    = unit ? SPTRSV_ONE : transpose ? analysis->t_source[p->split[i]] : p->split[i];
  }
  return SPTRSV_SUCCESS;
}

/* Copies of o's arrays with row r, which was row old[r], and its columns renumbered */
static SptrsvStatus renumber(const SptrsvOrdered *o, const int *old, const int *place, SptrsvOrdered *to)
{
  int nz = 0;

  SPTRSV_TRY(sptrsvNew(o->n + 1, &to->row_ptr));
  SPTRSV_TRY(sptrsvNew(o->nnz, &to->col_idx));
  SPTRSV_TRY(sptrsvNew(o->nnz, &to->source));
  SPTRSV_TRY(sptrsvNew(o->n, &to->row));
  SPTRSV_TRY(sptrsvNew(o->n, &to->diagonal));
  for (int r = 0; r < o->n; r++) {
    for (int e = o->row_ptr[old[r]]; e < o->row_ptr[old[r] + 1]; e++) {
      to->col_idx[nz]  = place[o->col_idx[e]];
      to->source[nz++] = o->source[e];
    }
    to->row_ptr[r + 1] = nz;
    to->row[r]         = o->row[old[r]];
    to->diagonal[r]    = o->diagonal[old[r]];
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvOrderedByLevel(SptrsvOrdered *o, const int *level, int *levels, int **level_ptr)
{
  SptrsvOrdered ordered = {.n = o->n, .nnz = o->nnz};
  int          *old, *place = NULL;
  SptrsvStatus  status = sptrsvLevelLists(o->n, o->row, level, levels, level_ptr, &old);

  if (!status && !(status = sptrsvNew(o->n, &place))) {
    for (int k = 0; k < o->n; k++) place[old[k]] = k;
    status = renumber(o, old, place, &ordered);
  }
  free(old);
  free(place);
  sptrsvOrderedFree(status ? &ordered : o);
  if (status) free(*level_ptr);
  else *o = ordered;
  return status;
}

void sptrsvOrderedFree(SptrsvOrdered *o)
{
  free(o->row_ptr);
  free(o->col_idx);
  free(o->source);
  free(o->row);
  free(o->diagonal);
  memset(o, 0, sizeof(*o));
}
