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

static bool rows_ascend(const SptrsvPattern *p)
{
  for (int i = 0; i < p->n; i++) {
    for (int e = p->row_ptr[i] + 1; e < p->row_ptr[i + 1]; e++) {
      if (p->col_idx[e - 1] >= p->col_idx[e]) return false;
    }
  }
  return true;
}

/* Rows of P A Q, for ICC0 cut to the upper triangle, each sorted by column */
static SptrsvStatus permuted(const SptrsvPattern *a, bool upper, const int32_t *row_perm, const int32_t *col_iperm, SptrsvPattern *f,
                             Entry **entries)
{
  SPTRSV_TRY(sptrsvNew(a->n + 1, &f->row_ptr));
  SPTRSV_TRY(sptrsvNew(a->nnz, entries));
  for (int i = 0; i < a->n; i++) {
    const int from = row_perm ? row_perm[i] : i;
    int       nz = f->row_ptr[i], last = -1;
    bool      sorted = true;

    for (int e = a->row_ptr[from]; e < a->row_ptr[from + 1]; e++) {
      const int j = a->col_idx[e];

      if (j < 0 || j >= a->n) return SPTRSV_INVALID_ARGUMENT;
      (*entries)[nz] = (Entry){col_iperm ? col_iperm[j] : j, e};
      if (upper && (*entries)[nz].column < i) continue;
      sorted = sorted && (*entries)[nz].column > last;
      last   = (*entries)[nz++].column;
    }
    f->row_ptr[i + 1] = nz;
    if (!sorted) qsort(*entries + f->row_ptr[i], (size_t)(nz - f->row_ptr[i]), sizeof(Entry), compare_entries);
  }
  f->nnz = f->row_ptr[f->n];
  return SPTRSV_SUCCESS;
}

/* U -> U + (strict part of U)^T; both places of a pair take the same value */
static SptrsvStatus mirror(SptrsvPattern *f, Entry **entries)
{
  Entry       *u = *entries, *full = NULL;
  int         *end = NULL, *row_ptr = NULL;
  int64_t      nnz = 0;
  SptrsvStatus status;

  for (int i = 0; i < f->n; i++) {
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) nnz += u[e].column == i ? 1 : 2;
  }
  if (nnz >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  if ((status = sptrsvNew(f->n + 1, &row_ptr)) || (status = sptrsvNew(f->n, &end)) || (status = sptrsvNew(nnz, &full))) goto done;
  for (int i = 0; i < f->n; i++) {
    row_ptr[i + 1] += f->row_ptr[i + 1] - f->row_ptr[i];
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      if (u[e].column != i) row_ptr[u[e].column + 1]++;
    }
  }
  for (int i = 0; i < f->n; i++) row_ptr[i + 1] += row_ptr[i];
  for (int i = 0; i < f->n; i++) end[i] = row_ptr[i];
  for (int i = 0; i < f->n; i++) { /* the rows above have put their mirrored entries into row i, in ascending order */
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      full[end[i]++] = u[e];
      if (u[e].column != i) full[end[u[e].column]++] = (Entry){i, u[e].source};
    }
  }
  free(f->row_ptr);
  free(u);
  f->row_ptr = row_ptr;
  f->nnz     = (int)nnz;
  *entries   = full;
  row_ptr    = NULL;
  full       = NULL;
done:
  free(row_ptr);
  free(full);
  free(end);
  return status;
}

/* For a symmetric pattern, which is its own mirror image: *source of both entries of a pair is the one above the diagonal.  It stays NULL
   if the pattern is not symmetric. */
static SptrsvStatus mirrored_source(const SptrsvPattern *a, int **source)
{
  int *next, *from = NULL; /* next [n]: first entry of each row that no row above has been matched with */
  bool symmetric = true;

  SPTRSV_TRY(sptrsvNew(a->n, &next));
  if (sptrsvNew(a->nnz, &from)) {
    free(next);
    return SPTRSV_OUT_OF_MEMORY;
  }
  memcpy(next, a->row_ptr, (size_t)a->n * sizeof(*next));
  for (int i = 0; symmetric && i < a->n; i++) {
    if (next[i] < a->row_ptr[i + 1] && a->col_idx[next[i]] < i) symmetric = false; /* (i, j) without (j, i) above it */
    for (int e = next[i]; symmetric && e < a->row_ptr[i + 1]; e++) {
      const int j = a->col_idx[e], mirrored = j > i && j < a->n ? next[j]++ : e;

      symmetric = j < a->n && mirrored < a->row_ptr[j + 1] && (mirrored == e || a->col_idx[mirrored] == i);
      if (symmetric) from[e] = from[mirrored] = e;
    }
  }
  free(next);
  if (symmetric) *source = from;
  else free(from);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorPattern(SptrsvPattern *a, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                                 SptrsvPattern *f, int **source)
{
  const bool   natural = !row_perm && !col_iperm && rows_ascend(a);
  Entry       *entries = NULL;
  SptrsvStatus status;

  *source = NULL;
  if (natural && kind == SPTRSV_ICC0) SPTRSV_TRY(mirrored_source(a, source));
  if (natural && (kind == SPTRSV_ILU0 || *source)) { /* the pattern of A itself */
    *f = *a;
    memset(a, 0, sizeof(*a));
    return SPTRSV_SUCCESS;
  }
  f->n   = a->n;
  status = permuted(a, kind == SPTRSV_ICC0, row_perm, col_iperm, f, &entries);
  if (!status && kind == SPTRSV_ICC0) status = mirror(f, &entries);
  if (!status) status = sptrsvNew(f->nnz, &f->col_idx);
  if (!status) status = sptrsvNew(f->nnz, source);
  for (int e = 0; !status && e < f->nnz; e++) {
    f->col_idx[e] = entries[e].column;
    (*source)[e]  = entries[e].source;
  }
  free(entries);
  return status;
}
