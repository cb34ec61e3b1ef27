/* The pattern of a factor: A's, permuted and, for ICC0, mirrored. */
#include <stdlib.h>
#include <string.h>
#include "factor.h"

typedef struct {
  int column, source;
} Entry;

static int compare_entries(const void *x, const void *y)
{
  const Entry *a = (const Entry *)x, *b = (const Entry *)y;

  return (a->column > b->column) - (a->column < b->column);
}

static bool rows_ascend(const SptrsvPattern *pattern)
{
  for (int i = 0; i < pattern->n; i++) {
    for (int e = pattern->row_ptr[i] + 1; e < pattern->row_ptr[i + 1]; e++) {
      if (pattern->col_idx[e - 1] >= pattern->col_idx[e]) return false;
    }
  }
  return true;
}

/* Rows of P A Q, for ICC0 cut to the upper triangle, each sorted by column */
static SptrsvStatus permuted(const SptrsvPattern *matrix, bool upper, const int32_t *row_perm, const int32_t *col_iperm,
                             SptrsvPattern *factor, Entry **entries)
{
  SPTRSV_TRY(sptrsvNew(matrix->n + 1, &factor->row_ptr));
  SPTRSV_TRY(sptrsvNew(matrix->nnz, entries));
  for (int i = 0; i < matrix->n; i++) {
    const int from = row_perm ? row_perm[i] : i;
    int       nz = factor->row_ptr[i], last = -1;
    bool      sorted = true;

    for (int e = matrix->row_ptr[from]; e < matrix->row_ptr[from + 1]; e++) {
      const int j = matrix->col_idx[e];

      if (j < 0 || j >= matrix->n) return SPTRSV_INVALID_ARGUMENT;
      (*entries)[nz] = (Entry){col_iperm ? col_iperm[j] : j, e};
      if (upper && (*entries)[nz].column < i) continue;
      sorted = sorted && (*entries)[nz].column > last;
      last   = (*entries)[nz++].column;
    }
    factor->row_ptr[i + 1] = nz;
    if (!sorted) qsort(*entries + factor->row_ptr[i], (size_t)(nz - factor->row_ptr[i]), sizeof(Entry), compare_entries);
  }
  factor->nnz = factor->row_ptr[factor->n];
  return SPTRSV_SUCCESS;
}

/* U -> U + (strict part of U)^T; both places of a pair take the same value */
static SptrsvStatus mirror(SptrsvPattern *factor, Entry **entries)
{
  Entry       *u = *entries, *full = NULL;
  int         *end = NULL, *row_ptr = NULL;
  int64_t      nnz = 0;
  SptrsvStatus status;

  for (int i = 0; i < factor->n; i++) {
    for (int e = factor->row_ptr[i]; e < factor->row_ptr[i + 1]; e++) nnz += u[e].column == i ? 1 : 2;
  }
  if (nnz >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  if ((status = sptrsvNew(factor->n + 1, &row_ptr)) || (status = sptrsvNew(factor->n, &end)) || (status = sptrsvNew(nnz, &full))) goto done;
  for (int i = 0; i < factor->n; i++) {
    row_ptr[i + 1] += factor->row_ptr[i + 1] - factor->row_ptr[i];
    for (int e = factor->row_ptr[i]; e < factor->row_ptr[i + 1]; e++) {
      if (u[e].column != i) row_ptr[u[e].column + 1]++;
    }
  }
  for (int i = 0; i < factor->n; i++) row_ptr[i + 1] += row_ptr[i];
  for (int i = 0; i < factor->n; i++) end[i] = row_ptr[i];
  for (int i = 0; i < factor->n; i++) { /* the rows above have put their mirrored entries into row i, in ascending order */
    for (int e = factor->row_ptr[i]; e < factor->row_ptr[i + 1]; e++) {
      full[end[i]++] = u[e];
      if (u[e].column != i) full[end[u[e].column]++] = (Entry){i, u[e].source};
    }
  }
  free(factor->row_ptr);
  free(u);
  factor->row_ptr = row_ptr;
  factor->nnz     = (int)nnz;
  *entries        = full;
  row_ptr         = NULL;
  full            = NULL;
done:
  free(row_ptr);
  free(full);
  free(end);
  return status;
}

/* For a symmetric pattern, which is its own mirror image: *source of both entries of a pair is the one above the diagonal.  It stays NULL
   if the pattern is not symmetric. */
static SptrsvStatus mirrored_source(const SptrsvPattern *matrix, int **source)
{
  int *next, *from = NULL; /* next [n]: first entry of each row that no row above has been matched with */
  bool symmetric = true;

  SPTRSV_TRY(sptrsvNew(matrix->n, &next));
  if (sptrsvNew(matrix->nnz, &from)) {
    free(next);
    return SPTRSV_OUT_OF_MEMORY;
  }
  memcpy(next, matrix->row_ptr, (size_t)matrix->n * sizeof(*next));
  for (int i = 0; symmetric && i < matrix->n; i++) {
    if (next[i] < matrix->row_ptr[i + 1] && matrix->col_idx[next[i]] < i) symmetric = false; /* (i, j) without (j, i) above it */
    for (int e = next[i]; symmetric && e < matrix->row_ptr[i + 1]; e++) {
      const int j = matrix->col_idx[e], mirrored = j > i && j < matrix->n ? next[j]++ : e;

      symmetric = j < matrix->n && mirrored < matrix->row_ptr[j + 1] && (mirrored == e || matrix->col_idx[mirrored] == i);
      if (symmetric) from[e] = from[mirrored] = e;
    }
  }
  free(next);
  if (symmetric) *source = from;
  else free(from);
  return SPTRSV_SUCCESS;
}

/* Columns and sources, in arrays of their own */
static SptrsvStatus separate(const Entry *entries, SptrsvPattern *pattern, int **source)
{
  SPTRSV_TRY(sptrsvNew(pattern->nnz, &pattern->col_idx));
  SPTRSV_TRY(sptrsvNew(pattern->nnz, source));
  for (int e = 0; e < pattern->nnz; e++) {
    pattern->col_idx[e] = entries[e].column;
    (*source)[e]        = entries[e].source;
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorWhole(const SptrsvPattern *upper, SptrsvPattern *whole, int **source)
{
  Entry       *entries = NULL;
  SptrsvStatus status;

  whole->n = upper->n;
  status   = permuted(upper, true, NULL, NULL, whole, &entries);
  if (!status) status = mirror(whole, &entries);
  if (!status) status = separate(entries, whole, source);
  for (int i = 0; !status && i < whole->n; i++) {
    for (int e = whole->row_ptr[i]; e < whole->row_ptr[i + 1] && whole->col_idx[e] < i; e++) (*source)[e] = ~(*source)[e];
  }
  free(entries);
  return status;
}

SptrsvStatus sptrsvFactorPattern(SptrsvPattern *matrix, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                                 SptrsvPattern *factor, int **source)
{
  const bool   natural = !row_perm && !col_iperm && rows_ascend(matrix);
  Entry       *entries = NULL;
  SptrsvStatus status;

  *source = NULL;
  if (natural && kind == SPTRSV_ICC0) SPTRSV_TRY(mirrored_source(matrix, source));
  if (natural && (kind == SPTRSV_ILU0 || *source)) { /* the pattern of A itself */
    *factor = *matrix;
    memset(matrix, 0, sizeof(*matrix));
    return SPTRSV_SUCCESS;
  }
  factor->n = matrix->n;
  status    = permuted(matrix, kind == SPTRSV_ICC0, row_perm, col_iperm, factor, &entries);
  if (!status && kind == SPTRSV_ICC0) status = mirror(factor, &entries);
  if (!status) status = separate(entries, factor, source);
  free(entries);
  return status;
}
