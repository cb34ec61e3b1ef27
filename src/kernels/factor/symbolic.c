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

/* Rows of P A Q, for ICC0 cut to the upper triangle, each sorted by column */
static SptrsvStatus permuted(const SptrsvPattern *matrix, bool upper, const int32_t *row_perm, const int32_t *col_iperm,
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

/* For a symmetric pattern, which is its own mirror image: *source of both entries of a pair is the one above the diagonal.  It stays NULL
   if the pattern is not symmetric. */
static SptrsvStatus mirrored_source(const SptrsvPattern *matrix, int **source)
{
  SptrsvMemory scratch   = {0};
  bool         symmetric = true;
  int         *next, *from = NULL; /* next [n]: first entry of each row that no row above has been matched with */
  SptrsvStatus status = sptrsvHostNew(&scratch, matrix->n, &next);

  if (!status) status = sptrsvNew(matrix->nnz, &from);
  if (!status) memcpy(next, matrix->row_ptr, (size_t)matrix->n * sizeof(*next));
  for (int i = 0; !status && symmetric && i < matrix->n; i++) {
    symmetric = next[i] == matrix->split[i]; /* else there is (i, j) without (j, i) above it */
    for (int e = next[i]; symmetric && e < matrix->row_ptr[i + 1]; e++) {
      const int j = matrix->col_idx[e], mirrored = j > i ? next[j]++ : e;

      symmetric = j == i || (mirrored < matrix->split[j] && matrix->col_idx[mirrored] == i);
      if (symmetric) from[e] = from[mirrored] = e;
    }
  }
  sptrsvMemoryFree(&scratch);
  if (symmetric) *source = from;
  else free(from);
  return status;
}

/* P A Q, of ICC0 its upper triangle and the mirror image of that, with columns and sources in arrays of their own.  To be freed after a
   failure, too. */
static SptrsvStatus rearrange(const SptrsvPattern *matrix, bool upper, const int32_t *row_perm, const int32_t *col_iperm,
                              SptrsvPattern *factor, int **source)
{
  SptrsvMemory scratch = {0};
  Entry       *entries;
  SptrsvStatus status;

  factor->n = matrix->n;
  status    = permuted(matrix, upper, row_perm, col_iperm, factor, &scratch, &entries);
  if (!status && upper) status = mirror(factor, &scratch, &entries);
  if (!status) status = sptrsvNew(factor->nnz, &factor->col_idx);
  if (!status) status = sptrsvNew(factor->nnz, source);
  for (int e = 0; !status && e < factor->nnz; e++) {
    factor->col_idx[e] = entries[e].column;
    (*source)[e]       = entries[e].source;
  }
  sptrsvMemoryFree(&scratch);
  return status;
}

/* Pattern of the factor from A's: permuted, for ICC0 its upper part mirrored; *source as in SptrsvFactor_s.  If A's arrays will do as they
   are, they move to the factor and `matrix` is left empty. */
static SptrsvStatus arrange(SptrsvPattern *matrix, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                            SptrsvPattern *factor, int **source)
{
  bool natural = false; /* and rows ascend */

  *source = NULL;
  if (!row_perm && !col_iperm) {
    const SptrsvStatus status = sptrsvPatternSplit(matrix);

    if (status && status != SPTRSV_UNSORTED) return status;
    natural = !status;
  }
  if (natural && kind == SPTRSV_ICC0) SPTRSV_TRY(mirrored_source(matrix, source));
  if (natural && (kind == SPTRSV_ILU0 || *source)) { /* the pattern of A itself */
    *factor = *matrix;
    memset(matrix, 0, sizeof(*matrix));
    return SPTRSV_SUCCESS;
  }
  return rearrange(matrix, kind == SPTRSV_ICC0, row_perm, col_iperm, factor, source);
}

/* Keeps A's pattern and diagonal entries: the positive definite shift is measured on A itself, not on the permuted or mirrored pattern */
static SptrsvStatus keep_matrix(SptrsvFactor factor, SptrsvPattern *matrix)
{
  if (!matrix->row_ptr) return SPTRSV_SUCCESS; /* they are the factor's */
  free(matrix->split);
  SPTRSV_TRY(sptrsvNew(matrix->n, &matrix->split));
  for (int i = 0; i < matrix->n; i++) {
    matrix->split[i] = -1;
    for (int e = matrix->row_ptr[i]; e < matrix->row_ptr[i + 1]; e++) {
      if (matrix->col_idx[e] == i) matrix->split[i] = e;
    }
  }
  factor->given = *matrix;
  factor->memory.bytes[SPTRSV_HOST] += ((size_t)2 * matrix->n + 1 + (size_t)matrix->nnz) * sizeof(int);
  memset(matrix, 0, sizeof(*matrix));
  return SPTRSV_SUCCESS;
}

/* Fill for the factor's pattern; if that was A's own, its arrays return to *matrix */
static SptrsvStatus add_fill(SptrsvFactor factor, const SptrsvFill *fill, SptrsvPattern *matrix, SptrsvPattern *pattern)
{
  SptrsvPattern filled;
  int          *source;

  SPTRSV_TRY(sptrsvFactorFill(pattern, factor->source, fill, &filled, &source));
  if (matrix->row_ptr) sptrsvPatternFree(pattern);
  else *matrix = *pattern;
  *pattern = filled;
  free(factor->source);
  factor->source = source;
  return SPTRSV_SUCCESS;
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

  if (status == SPTRSV_UNSORTED) return SPTRSV_NOT_SUPPORTED; /* rows that do not ascend are sorted on the host */
#if defined(SPTRSV_HAVE_CUDA)
  if (!status && factor->kind == SPTRSV_ICC0 && factor->analysis->missing < 0) status = sptrsvDeviceSymmetric(factor->analysis, &symmetric);
  if (!status && symmetric && fills_on_device(factor, fill, factor->analysis->missing)) return sptrsvDeviceFill(factor, (int)fill->levels);
#endif
  if (status || (symmetric && !filled(fill))) return status;
  (void)sptrsvAnalysisDestroy(&factor->analysis);
  return SPTRSV_NOT_SUPPORTED;
}

/* The factor's pattern without fill.  As in arrange() it may take A's arrays. */
static SptrsvStatus make_pattern(SptrsvFactor factor, SptrsvPattern *a, const int32_t *row_perm, const int32_t *col_iperm,
                                 SptrsvPattern *pattern)
{
  SptrsvPattern whole  = {0};
  int          *source = NULL;
  SptrsvStatus  status;

  if (!factor->storage.upper) return arrange(a, factor->kind, row_perm, col_iperm, pattern, &factor->source);
  status = rearrange(a, true, NULL, NULL, &whole, &source);
  for (int i = 0; !status && i < whole.n; i++) {
    for (int e = whole.row_ptr[i]; e < whole.row_ptr[i + 1] && whole.col_idx[e] < i; e++) source[e] = ~source[e];
  }
  if (!status) status = arrange(&whole, factor->kind, row_perm, col_iperm, pattern, &factor->source);
  for (int e = 0; !status && factor->source && e < pattern->nnz; e++) factor->source[e] = source[factor->source[e]];
  if (!status && !factor->source) {
    factor->source = source;
    source         = NULL;
  }
  free(source);
  sptrsvPatternFree(&whole);
  return status;
}

static SptrsvStatus symbolic_on_host(SptrsvFactor factor, const SptrsvCsr *A, const int32_t *row_perm, const int32_t *col_iperm,
                                     const SptrsvFill *fill)
{
  SptrsvPattern a = {0}, pattern = {0};
  bool          device = false;
  SptrsvStatus  status = sptrsvPatternCopy(A, &a);

  if (!status) status = make_pattern(factor, &a, row_perm, col_iperm, &pattern);
  if (!status) status = sptrsvPatternSplit(&pattern);
  if (!status && filled(fill)) {
    device = fills_on_device(factor, fill, sptrsvPatternMissing(&pattern));
    if (!device) status = add_fill(factor, fill, &a, &pattern);
  }
  if (!status && !factor->storage.points) status = keep_matrix(factor, &a);
  if (!status) status = sptrsvAnalysisAdopt(&pattern, factor->location, &factor->analysis);
#if defined(SPTRSV_HAVE_CUDA)
  if (!status && device) status = sptrsvDeviceFill(factor, (int)fill->levels);
#endif
  sptrsvPatternFree(&a);
  sptrsvPatternFree(&pattern);
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
