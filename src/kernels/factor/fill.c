/*
   Levels of fill.  Entries of A have level 0.  Elimination of row i subtracts multiples of the rows k < i, so that (i,k) and (k,j) give an
   entry (i,j):
     lev(i,j) = min over k < min(i,j) of  lev(i,k) + lev(k,j) + 1,
   over those (i,k) and (k,j) that are kept.  Entries with lev(i,j) <= levels are kept.  The levels of a symmetric pattern are symmetric, so
   the mirrored upper triangle of ICC gets the fill of both triangles by the same rule.
*/
#include <stdlib.h>
#include "factor.h"

enum { ABSENT = INT_MAX }; /* level of columns that the row lacks; others have at most n */

/* The row under way */
typedef struct {
  int  n, levels, entries;
  int *next;           /* [n + 1] its columns as an ascending list: next[n] is the first one, and n follows the last one */
  int *level, *source; /* [n] of the columns */
} Row;

/* The factor's rows so far */
typedef struct {
  SptrsvPattern pattern;
  int          *level, *source; /* [capacity], like pattern.col_idx */
  int           capacity;
} Filled;

static SptrsvStatus resize(int **array, int capacity)
{
  int *const moved = realloc(*array, (size_t)(capacity ? capacity : 1) * sizeof(*moved));

  if (!moved) return SPTRSV_OUT_OF_MEMORY;
  *array = moved;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus reserve(Filled *filled, int64_t entries)
{
  const int64_t doubled = 2 * (int64_t)filled->capacity, most = SPTRSV_MOST - 1;
  const int     capacity = (int)(doubled > most ? most : doubled > entries ? doubled : entries);

  if (entries > most) return SPTRSV_TOO_LARGE;
  if (entries <= filled->capacity) return SPTRSV_SUCCESS;
  SPTRSV_TRY(resize(&filled->pattern.col_idx, capacity));
  SPTRSV_TRY(resize(&filled->level, capacity));
  SPTRSV_TRY(resize(&filled->source, capacity));
  filled->capacity = capacity;
  return SPTRSV_SUCCESS;
}

/* Adds column j to the list, behind column `at` or later */
static void insert(Row *row, int at, int j, int level, int source)
{
  while (row->next[at] < j) at = row->next[at];
  row->next[j]   = row->next[at];
  row->next[at]  = j;
  row->level[j]  = level;
  row->source[j] = source;
  row->entries++;
}

static void start_row(const SptrsvPattern *matrix, const int *source, int i, Row *row)
{
  row->next[row->n] = row->n;
  row->entries      = 0;
  for (int e = matrix->row_ptr[i], at = row->n; e < matrix->row_ptr[i + 1]; at = matrix->col_idx[e++])
    insert(row, at, matrix->col_idx[e], 0, source ? source[e] : e);
}

/* Entries by way of (i,k) */
static void merge_row(const Filled *filled, int k, Row *row)
{
  const SptrsvPattern *f    = &filled->pattern;
  const int            most = row->levels - row->level[k] - 1; /* lev(k,j), for lev(i,k) + lev(k,j) + 1 <= levels */

  for (int q = sptrsvRowBegin(f, SPTRSV_UPPER, k), at = k; most >= 0 && q < f->row_ptr[k + 1]; q++) {
    const int j = f->col_idx[q], level = row->level[k] + filled->level[q] + 1;

    if (filled->level[q] > most) continue;
    if (row->level[j] == ABSENT) {
      insert(row, at, j, level, SPTRSV_FILL);
      at = j;
    } else if (level < row->level[j]) row->level[j] = level;
  }
}

static SptrsvStatus finish_row(Filled *filled, int i, Row *row)
{
  SptrsvPattern *f = &filled->pattern;

  SPTRSV_TRY(reserve(filled, (int64_t)f->nnz + row->entries));
  f->split[i] = f->nnz;
  for (int j = row->next[row->n]; j < row->n; j = row->next[j]) {
    if (j < i) f->split[i]++;
    f->col_idx[f->nnz]       = j;
    filled->level[f->nnz]    = row->level[j];
    filled->source[f->nnz++] = row->source[j];
    row->level[j]            = ABSENT;
  }
  f->row_ptr[i + 1] = f->nnz;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus fill_rows(SptrsvAnalysis matrix, bool diagonal, Filled *filled, Row *row)
{
  for (int j = 0; j < row->n; j++) row->level[j] = ABSENT;
  for (int i = 0; i < row->n; i++) {
    start_row(&matrix->a, matrix->source, i, row);
    if (diagonal && row->level[i] == ABSENT) insert(row, row->n, i, 0, SPTRSV_FILL);
    for (int k = row->next[row->n]; k < i; k = row->next[k]) merge_row(filled, k, row);
    SPTRSV_TRY(finish_row(filled, i, row));
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorFill(SptrsvAnalysis matrix, const SptrsvFill *fill, SptrsvAnalysis *factor)
{
  const int    n      = matrix->a.n;
  Filled       filled = {.pattern.n = n};
  Row          row    = {.n = n, .levels = (int)(fill->levels < n ? fill->levels : n)}; /* no level is larger */
  SptrsvStatus status;

  SPTRSV_TRY(sptrsvNew(1, factor));
  if (!(status = sptrsvNew(n + 1, &row.next)) && !(status = sptrsvNew(n, &row.level)) && !(status = sptrsvNew(n, &row.source)) &&
      !(status = sptrsvNew(n + 1, &filled.pattern.row_ptr)) && !(status = sptrsvNew(n, &filled.pattern.split)) &&
      !(status = reserve(&filled, matrix->a.nnz)) && !(status = fill_rows(matrix, fill->diagonal, &filled, &row)) &&
      !(status = resize(&filled.pattern.col_idx, filled.pattern.nnz)))
    status = resize(&filled.source, filled.pattern.nnz);
  (*factor)->a      = filled.pattern;
  (*factor)->source = filled.source;
  free(filled.level);
  free(row.next);
  free(row.level);
  free(row.source);
  return status;
}
