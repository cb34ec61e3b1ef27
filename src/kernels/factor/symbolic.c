/* The pattern of a factor: A's, or that of its blocks, permuted, for ICC0 mirrored, and with fill; on the device where it can. */
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

/* Rows of P A Q, for ICC0 cut to the upper triangle, each sorted by column.  source: of A's entries, NULL: their own */
static SptrsvStatus permuted(const SptrsvPattern *matrix, const int *source, bool upper, const int32_t *row_perm, const int32_t *col_iperm,
                             SptrsvPattern *factor, SptrsvMemory *scratch, Entry **entries)
{
  SPTRSV_TRY(sptrsvNew(matrix->n + 1, &factor->row_ptr));
  SPTRSV_TRY(sptrsvHostNew(scratch, matrix->nnz, entries));
  for (int i = 0; i < matrix->n; i++) {
    const int from = row_perm ? row_perm[i] : i;
    int       nz = factor->row_ptr[i], last = -1;
    bool      sorted = true;

    for (int e = matrix->row_ptr[from]; e < matrix->row_ptr[from + 1]; e++) {
      const int j = matrix->col_idx[e];

      if (j < 0 || j >= matrix->n) return SPTRSV_INVALID_ARGUMENT;
      (*entries)[nz] = (Entry){col_iperm ? col_iperm[j] : j, source ? source[e] : e};
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
static SptrsvStatus mirror(SptrsvPattern *factor, SptrsvMemory *scratch, Entry **entries)
{
  const Entry *u   = *entries;
  int64_t      nnz = 0;
  int         *next; /* [n + 1] place of the next entry of each row */

  SPTRSV_TRY(sptrsvHostNew(scratch, factor->n + 1, &next));
  for (int i = 0; i < factor->n; i++) {
    for (int e = factor->row_ptr[i]; e < factor->row_ptr[i + 1]; e++) {
      next[i + 1]++;
      if (u[e].column != i) next[u[e].column + 1]++;
      nnz += u[e].column == i ? 1 : 2;
    }
  }
  if (nnz >= SPTRSV_MOST) return SPTRSV_TOO_LARGE;
  SPTRSV_TRY(sptrsvHostNew(scratch, nnz, entries));
  for (int i = 0; i < factor->n; i++) next[i + 1] += next[i];
  for (int i = 0; i < factor->n; i++) { /* the rows above have put their mirrored entries into row i, in ascending order */
    for (int e = factor->row_ptr[i]; e < factor->row_ptr[i + 1]; e++) {
      (*entries)[next[i]++] = u[e];
      if (u[e].column != i) (*entries)[next[u[e].column]++] = (Entry){i, u[e].source};
    }
  }
  memcpy(factor->row_ptr + 1, next, (size_t)factor->n * sizeof(*next)); /* each has become its row's end */
  factor->nnz = (int)nnz;
  return SPTRSV_SUCCESS;
}

/* Whether a pattern is its own mirror image */
static SptrsvStatus is_symmetric(const SptrsvPattern *matrix, bool *symmetric)
{
  SptrsvMemory scratch = {0};
  int         *next; /* [n] first entry of each row that no row above has been matched with */
  SptrsvStatus status = sptrsvHostNew(&scratch, matrix->n, &next);

  *symmetric = !status;
  if (!status) memcpy(next, matrix->row_ptr, (size_t)matrix->n * sizeof(*next));
  for (int i = 0; *symmetric && i < matrix->n; i++) {
    *symmetric = next[i] == matrix->split[i]; /* else there is (i, j) without (j, i) above it */
    for (int e = sptrsvRowBegin(matrix, SPTRSV_UPPER, i); *symmetric && e < matrix->row_ptr[i + 1]; e++) {
      const int j = matrix->col_idx[e], mirrored = next[j]++;

      *symmetric = mirrored < matrix->split[j] && matrix->col_idx[mirrored] == i;
    }
  }
  sptrsvMemoryFree(&scratch);
  return status;
}

/* P A Q, of ICC0 its upper triangle and the mirror image of that.  To be destroyed after a failure, too. */
static SptrsvStatus rearrange(SptrsvAnalysis matrix, bool upper, const int32_t *row_perm, const int32_t *col_iperm, SptrsvAnalysis *factor)
{
  SptrsvMemory   scratch = {0};
  SptrsvPattern *p;
  Entry         *entries;
  SptrsvStatus   status;

  SPTRSV_TRY(sptrsvNew(1, factor));
  p      = &(*factor)->a;
  p->n   = matrix->a.n;
  status = permuted(&matrix->a, matrix->source, upper, row_perm, col_iperm, p, &scratch, &entries);
  if (!status && upper) status = mirror(p, &scratch, &entries);
  if (!status) status = sptrsvNew(p->nnz, &p->col_idx);
  if (!status) status = sptrsvNew(p->nnz, &(*factor)->source);
  for (int e = 0; !status && e < p->nnz; e++) {
    p->col_idx[e]        = entries[e].column;
    (*factor)->source[e] = entries[e].source;
  }
  sptrsvMemoryFree(&scratch);
  return status;
}

/* Pattern of the factor from A's: permuted, for ICC0 its upper part mirrored.  If A's will do as it is, *factor is that, and *matrix is
   NULL. */
static SptrsvStatus arrange(SptrsvAnalysis *matrix, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                            SptrsvAnalysis *factor)
{
  bool natural = false; /* and rows ascend */

  if (!row_perm && !col_iperm) {
    const SptrsvStatus status = sptrsvPatternSplit(&(*matrix)->a);

    if (status && status != SPTRSV_UNSORTED) return status;
    natural = !status;
  }
  if (natural && kind == SPTRSV_ICC0) SPTRSV_TRY(is_symmetric(&(*matrix)->a, &natural));
  if (!natural) return rearrange(*matrix, kind == SPTRSV_ICC0, row_perm, col_iperm, factor);
  *factor = *matrix;
  *matrix = NULL;
  return SPTRSV_SUCCESS;
}

/* Finds diagonal entries of A, whose rows may be in any order: the positive definite shift is measured on A itself, not on the permuted or
   mirrored pattern */
static SptrsvStatus find_diagonal(SptrsvPattern *matrix)
{
  if (!matrix->split) SPTRSV_TRY(sptrsvNew(matrix->n, &matrix->split));
  for (int i = 0; i < matrix->n; i++) {
    matrix->split[i] = matrix->row_ptr[i + 1];
    for (int e = matrix->row_ptr[i]; e < matrix->row_ptr[i + 1]; e++) {
      if (matrix->col_idx[e] == i) matrix->split[i] = e;
    }
  }
  return SPTRSV_SUCCESS;
}

/* Fill for the factor's pattern; if that was A's own, it returns to *matrix */
static SptrsvStatus add_fill(const SptrsvFill *fill, SptrsvAnalysis *matrix, SptrsvAnalysis *pattern)
{
  SptrsvAnalysis     plain  = *pattern;
  const SptrsvStatus status = sptrsvFactorFill(plain, fill, pattern);

  if (*matrix) (void)sptrsvAnalysisDestroy(&plain);
  else *matrix = plain;
  return status;
}

static bool filled(const SptrsvFill *fill)
{
  return fill->levels || fill->diagonal;
}

/* Whether the device adds the fill to a pattern whose first row without a diagonal entry this is */
static bool fills_on_device(SptrsvFactor factor, const SptrsvFill *fill, int missing)
{
  return factor->location == SPTRSV_DEVICE && missing < 0 && filled(fill) && fill->levels <= SPTRSV_DEVICE_LEVELS;
}

/* If A's own pattern will do: ILU's, or ICC's if it is symmetric.  NOT_SUPPORTED: it goes by the host. */
static SptrsvStatus symbolic_on_device(SptrsvFactor factor, const SptrsvCsr *A, const SptrsvFill *fill)
{
  bool         symmetric = true;
  SptrsvStatus status    = sptrsvAnalysisOfDevice(A, factor->location, &factor->analysis);

#if defined(SPTRSV_HAVE_CUDA)
  if (!status && factor->kind == SPTRSV_ICC0 && factor->analysis->missing < 0) status = sptrsvDeviceSymmetric(factor->analysis, &symmetric);
  if (!status && symmetric && fills_on_device(factor, fill, factor->analysis->missing)) return sptrsvDeviceFill(factor, (int)fill->levels);
#endif
  if (status ? status != SPTRSV_UNSORTED : symmetric && !filled(fill)) return status; /* rows that do not ascend are sorted on the host */
  (void)sptrsvAnalysisDestroy(&factor->analysis);
  return SPTRSV_NOT_SUPPORTED;
}

/* The factor's pattern without fill.  As in arrange() it may be A's. */
static SptrsvStatus make_pattern(SptrsvFactor factor, SptrsvAnalysis *a, const int32_t *row_perm, const int32_t *col_iperm,
                                 SptrsvAnalysis *pattern)
{
  SptrsvAnalysis whole = NULL;
  SptrsvStatus   status;

  if (!factor->storage.upper) return arrange(a, factor->kind, row_perm, col_iperm, pattern);
  status = rearrange(*a, true, NULL, NULL, &whole);
  for (int i = 0; !status && i < whole->a.n; i++) {
    for (int e = whole->a.row_ptr[i]; e < whole->a.row_ptr[i + 1] && whole->a.col_idx[e] < i; e++) whole->source[e] = ~whole->source[e];
  }
  if (!status) status = arrange(&whole, factor->kind, row_perm, col_iperm, pattern);
  (void)sptrsvAnalysisDestroy(&whole);
  return status;
}

static SptrsvStatus symbolic_on_host(SptrsvFactor factor, const SptrsvCsr *A, const int32_t *row_perm, const int32_t *col_iperm,
                                     const SptrsvFill *fill)
{
  SptrsvAnalysis a, *pattern = &factor->analysis;
  bool           device = false;
  SptrsvStatus   status;

  SPTRSV_TRY(sptrsvNew(1, &a));
  status = sptrsvPatternCopy(A, &a->a);
  if (!status) status = make_pattern(factor, &a, row_perm, col_iperm, pattern);
  if (!status) status = sptrsvPatternSplit(&(*pattern)->a);
  if (!status && filled(fill)) {
    device = fills_on_device(factor, fill, sptrsvPatternMissing(&(*pattern)->a));
    if (!device) status = add_fill(fill, &a, pattern);
  }
  if (!status && a && !factor->storage.points) {
    factor->matrix = a;
    a              = NULL;
    status         = find_diagonal(&factor->matrix->a);
    if (!status) status = sptrsvAnalysisFinish(factor->matrix, SPTRSV_HOST);
  }
  if (!status) status = sptrsvAnalysisFinish(*pattern, factor->location);
#if defined(SPTRSV_HAVE_CUDA)
  if (!status && device) status = sptrsvDeviceFill(factor, (int)fill->levels);
#endif
  (void)sptrsvAnalysisDestroy(&a);
  return status;
}

SptrsvStatus sptrsvFactorSymbolic(SptrsvFactor factor, const SptrsvCsr *A, const int32_t *row_perm, const int32_t *col_iperm,
                                  const SptrsvFill *fill)
{
  static const SptrsvFill none   = {0, 0};
  const bool              plain  = !row_perm && !col_iperm && !factor->storage.upper;
  SptrsvMemory            memory = {0};
  SptrsvCsr               blocks;
  SptrsvStatus            status = SPTRSV_SUCCESS;

  if (!fill) fill = &none;
  if (factor->storage.points) {
    status = sptrsvFactorTake(factor, A, &memory, &blocks);
    A      = &blocks;
  }
  if (!status) status = plain ? symbolic_on_device(factor, A, fill) : SPTRSV_NOT_SUPPORTED;
  if (status == SPTRSV_NOT_SUPPORTED) status = symbolic_on_host(factor, A, row_perm, col_iperm, fill);
  sptrsvMemoryFree(&memory);
  return status;
}
