#include <stdlib.h>
#include <string.h>
#include "../impl.h"

static int CompareFirst(const void *x, const void *y)
{
  const int a = *(const int *)x, b = *(const int *)y;

  return (a > b) - (a < b);
}

/* Rows of (column, source) pairs, mostly almost sorted and short */
static void SortRow(int length, int *col_idx, int *source, int *pairs)
{
  bool sorted = true;

  for (int k = 1; k < length; k++) sorted = sorted && col_idx[k - 1] < col_idx[k];
  if (sorted) return;
  for (int k = 0; k < length; k++) {
    pairs[2 * k]     = col_idx[k];
    pairs[2 * k + 1] = source[k];
  }
  qsort(pairs, (size_t)length, 2 * sizeof(int), CompareFirst);
  for (int k = 0; k < length; k++) {
    col_idx[k] = pairs[2 * k];
    source[k]  = pairs[2 * k + 1];
  }
}

SptrsvStatus sptrsvOrderedCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, const int *order, SptrsvOrdered *o)
{
  const bool           transpose = options->op == SPTRSV_TRANSPOSE;
  const SptrsvPattern *p         = transpose ? &analysis->t : &analysis->a;
  const SptrsvTriangle side      = sptrsvSide(options->triangle, options->op);
  const int            n         = analysis->a.n;
  int                 *place = NULL, *pairs = NULL, longest = 0, e = 0;
  SptrsvStatus         status;

  *o = (SptrsvOrdered){.n = n};
  if (transpose) SPTRSV_TRY(sptrsvAnalysisTranspose(analysis));
  for (int i = 0; i < n; i++) {
    const int length = side == SPTRSV_LOWER ? p->split[i] - p->row_ptr[i] : p->row_ptr[i + 1] - p->split[i] - sptrsvHasDiagonal(p, i);

    if (options->diagonal != SPTRSV_DIAG_UNIT && !sptrsvHasDiagonal(p, i)) return SPTRSV_MISSING_DIAGONAL;
    o->nnz += length;
    if (length > longest) longest = length;
  }
  if ((status = sptrsvNew(n + 1, &o->row_ptr)) || (status = sptrsvNew(o->nnz, &o->col_idx)) || (status = sptrsvNew(o->nnz, &o->source)) ||
      (status = sptrsvNew(n, &o->row)) || (status = sptrsvNew(n, &o->diagonal)) || (status = sptrsvNew(n, &place)) ||
      (status = sptrsvNew(2 * (size_t)longest, &pairs))) {
    free(place);
    sptrsvOrderedFree(o);
    return status;
  }
  for (int r = 0; r < n; r++) o->row[r] = order ? order[r] : side == SPTRSV_LOWER ? r : n - 1 - r;
  for (int r = 0; r < n; r++) place[o->row[r]] = r;
  for (int r = 0; r < n; r++) {
    const int i     = o->row[r];
    const int begin = side == SPTRSV_LOWER ? p->row_ptr[i] : p->split[i] + sptrsvHasDiagonal(p, i);
    const int end   = side == SPTRSV_LOWER ? p->split[i] : p->row_ptr[i + 1];

    for (int q = begin; q < end; q++) { /* an upper row from its end, so that reversed rows come out sorted */
      const int at = side == SPTRSV_LOWER ? q : begin + end - 1 - q;

      o->col_idx[e]  = place[p->col_idx[at]];
      o->source[e++] = transpose ? analysis->t_source[at] : at;
    }
    o->row_ptr[r + 1] = e;
    SortRow(end - begin, o->col_idx + o->row_ptr[r], o->source + o->row_ptr[r], pairs);
    if (options->diagonal == SPTRSV_DIAG_UNIT) o->diagonal[r] = SPTRSV_ONE;
    else o->diagonal[r] = transpose ? analysis->t_source[p->split[i]] : p->split[i];
  }
  free(place);
  free(pairs);
  return SPTRSV_SUCCESS;
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
