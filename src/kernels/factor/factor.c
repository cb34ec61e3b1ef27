/* The factor handle, and PETSc's rules for shifting the diagonal around passes of the host or the device. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "factor.h"

/* Keeps A's rows and diagonal entries: the positive definite shift is measured on A itself, not on the permuted or mirrored pattern */
static SptrsvStatus keep_rows(SptrsvFactor f, SptrsvPattern *a)
{
  if (!a->row_ptr) return SPTRSV_SUCCESS; /* they are the factor's */
  SPTRSV_TRY(sptrsvNew(a->n, &f->a_diagonal));
  for (int i = 0; i < a->n; i++) {
    f->a_diagonal[i] = -1;
    for (int e = a->row_ptr[i]; e < a->row_ptr[i + 1]; e++) {
      if (a->col_idx[e] == i) f->a_diagonal[i] = e;
    }
  }
  f->a_row_ptr = a->row_ptr;
  a->row_ptr   = NULL;
  f->host_bytes += ((size_t)2 * a->n + 1) * sizeof(int);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus symbolic(SptrsvFactor f, const SptrsvCsr *A, const int32_t *row_perm, const int32_t *col_iperm, int64_t *missing)
{
  SptrsvPattern a = {0}, pattern = {0};
  SptrsvStatus  status = sptrsvPatternCopy(A, &a);

  if (!status) status = sptrsvFactorPattern(&a, f->kind, row_perm, col_iperm, &pattern, &f->source);
  if (!status) status = sptrsvPatternSplit(&pattern);
  for (int i = 0; !status && i < pattern.n; i++) {
    if (sptrsvHasDiagonal(&pattern, i)) continue;
    status = SPTRSV_MISSING_DIAGONAL;
    if (missing) *missing = i;
  }
  if (!status) status = keep_rows(f, &a);
  if (!status) status = sptrsvAnalysisAdopt(&pattern, f->location, &f->analysis);
  sptrsvPatternFree(&a);
  sptrsvPatternFree(&pattern);
  return status;
}

static SptrsvStatus storage(SptrsvFactor f)
{
  const size_t nnz = (size_t)f->analysis->a.nnz, n = (size_t)f->analysis->a.n, size = sptrsvValueSize(f->type);

  if (f->location == SPTRSV_HOST) {
    SPTRSV_TRY(sptrsvAllocate(nnz, size, &f->values));
    SPTRSV_TRY(sptrsvNew(n, &f->where));
    for (size_t i = 0; i < n; i++) f->where[i] = -1;
    f->host_bytes += nnz * size + (n + (f->source ? nnz : 0)) * sizeof(int);
    return SPTRSV_SUCCESS;
  }
#if defined(SPTRSV_HAVE_CUDA)
  SPTRSV_TRY(sptrsvFactorDeviceCreate(f));
  free(f->source); /* the device has it */
  f->source = NULL;
  return SPTRSV_SUCCESS;
#else
  return SPTRSV_NO_DEVICE;
#endif
}

/* Each is a permutation or natural, and ICC0's are inverse to each other */
static SptrsvStatus check_permutations(int64_t n, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm)
{
  if (kind == SPTRSV_ICC0 && (!row_perm) != (!col_iperm)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvPermutationCheck(n, row_perm));
  SPTRSV_TRY(sptrsvPermutationCheck(n, col_iperm));
  for (int64_t i = 0; kind == SPTRSV_ICC0 && row_perm && i < n; i++) {
    if (col_iperm[row_perm[i]] != i) return SPTRSV_INVALID_ARGUMENT;
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorCreate(const SptrsvCsr *A, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                                SptrsvValueType type, SptrsvLocation location, int64_t *missing, SptrsvFactor *factor)
{
  SptrsvFactor f;
  SptrsvStatus status;

  if (!factor || (kind != SPTRSV_ILU0 && kind != SPTRSV_ICC0)) return SPTRSV_INVALID_ARGUMENT;
  if (!sptrsvIsValueType(type) || !sptrsvIsLocation(location)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvCsrCheck(A)); /* before permutations of A->rows numbers are read */
  if (A->location != SPTRSV_HOST) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(check_permutations(A->rows, kind, row_perm, col_iperm));
  if (location == SPTRSV_DEVICE && !sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  SPTRSV_TRY(sptrsvNew(1, &f));
  f->kind     = kind;
  f->type     = type;
  f->location = location;
  status      = symbolic(f, A, row_perm, col_iperm, missing);
  if (!status) status = storage(f);
  if (status) (void)sptrsvFactorDestroy(&f);
  else *factor = f;
  return status;
}

SptrsvStatus sptrsvFactorTune(SptrsvFactor f, const SptrsvTuning *tuning)
{
  if (!f || !tuning) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvTuningCheck(tuning));
#if defined(SPTRSV_HAVE_CUDA)
  if (f->location == SPTRSV_DEVICE) return sptrsvFactorDeviceTasks(f, tuning->factor.algorithm == SPTRSV_FACTOR_ATA ? &tuning->ata : NULL);
#endif
  return tuning->factor.algorithm == SPTRSV_FACTOR_AUTO ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED;
}

SptrsvStatus sptrsvFactorDescribe(SptrsvFactor f, char *text, size_t size)
{
  if (!f || !text || !size) return SPTRSV_INVALID_ARGUMENT;
#if defined(SPTRSV_HAVE_CUDA)
  if (f->location == SPTRSV_DEVICE) sptrsvFactorDeviceDescribe(f, text, size);
  else
#endif
    (void)snprintf(text, size, "row by row");
  return SPTRSV_SUCCESS;
}

static SptrsvStatus pass(SptrsvFactor f, const void *a, const SptrsvPivoting *pivoting, double shift, SptrsvStream stream,
                         SptrsvPivots *pivots)
{
#if defined(SPTRSV_HAVE_CUDA)
  if (f->location == SPTRSV_DEVICE) return sptrsvFactorPassDevice(f, a, pivoting, shift, stream, pivots);
#else
  (void)stream;
#endif
  return sptrsvFactorPassHost(f, a, pivoting, shift, pivots);
}

static SptrsvStatus dominance(SptrsvFactor f, const void *a, SptrsvStream stream, double *gap)
{
#if defined(SPTRSV_HAVE_CUDA)
  if (f->location == SPTRSV_DEVICE) return sptrsvFactorDominanceDevice(f, a, stream, gap);
#else
  (void)stream;
#endif
  return sptrsvFactorDominanceHost(f, a, gap);
}

/* A larger shift is infinite in the factor's own type, and so is every pivot: none would be small, and the factor worthless */
static double largest_shift(SptrsvFactor f)
{
  return f->type == SPTRSV_DOUBLE ? DBL_MAX : (double)FLT_MAX;
}

/* Doubling shifts from the first one on.  The loop ends for broken data, too: after 1100 doublings the shift has left the doubles. */
static SptrsvStatus shift_nonzero(SptrsvFactor f, const void *a, const SptrsvPivoting *pivoting, SptrsvStream stream, SptrsvPivots *pivots,
                                  SptrsvFactorResult *r)
{
  while (pivots->bad_row >= 0 && r->shifts < 1100) {
    const double shift = r->shifts ? 2 * r->shift_amount : pivoting->shift_amount;

    if (!shift || !(fabs(shift) <= largest_shift(f))) break;
    r->shift_amount = shift;
    r->shifts++;
    SPTRSV_TRY(pass(f, a, pivoting, r->shift_amount, stream, pivots));
  }
  return SPTRSV_SUCCESS;
}

/* Fractions of the shift that makes A diagonally dominant: 1/2, 3/4, …, 1; ILU then tries smaller ones again (Manteuffel; PETSc:
   MatPivotCheck_pd(), MatPivotRefine()).  At most six shifts. */
static SptrsvStatus shift_positive_definite(SptrsvFactor f, const void *a, const SptrsvPivoting *pivoting, SptrsvStream stream,
                                            SptrsvPivots *pivots, SptrsvFactorResult *r)
{
  const int most = 5;
  double    low = 0, high = 1, fraction = 0, top = 0;

  if (pivots->bad_row < 0) return SPTRSV_SUCCESS;
  SPTRSV_TRY(dominance(f, a, stream, &top));
  top = 1.1 * (top > pivoting->zero_pivot ? top : pivoting->zero_pivot);
  if (isfinite(top)) top = fmin(top, largest_shift(f)); /* else A holds an Inf or NaN, which flows through */
  while (r->shifts <= most) {
    if (pivots->bad_row >= 0) {
      if (r->shifts == most) fraction = high;
      else {
        low      = fraction;
        fraction = (high + low) / 2;
      }
    } else if (f->kind == SPTRSV_ILU0 && r->shifts < most) {
      high     = fraction;
      fraction = (high + low) / 2;
    } else break;
    r->shifts++;
    r->shift_amount = fraction * top;
    SPTRSV_TRY(pass(f, a, pivoting, r->shift_amount, stream, pivots));
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorNumeric(SptrsvFactor f, const void *values, const SptrsvPivoting *pivoting, SptrsvStream stream,
                                 SptrsvFactorResult *result)
{
  SptrsvFactorResult r      = {.zero_pivot_row = -1};
  SptrsvPivots       pivots = {.bad_row = -1};

  if (!f || !pivoting || !result || (!values && f->analysis->a.nnz)) return SPTRSV_INVALID_ARGUMENT;
  if ((unsigned)pivoting->shift > SPTRSV_SHIFT_INBLOCKS) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(pass(f, values, pivoting, 0, stream, &pivots));
  if (pivoting->shift == SPTRSV_SHIFT_NONZERO) SPTRSV_TRY(shift_nonzero(f, values, pivoting, stream, &pivots, &r));
  if (pivoting->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE) SPTRSV_TRY(shift_positive_definite(f, values, pivoting, stream, &pivots, &r));
  r.zero_pivot_row = pivots.bad_row;
  if (pivots.bad_row >= 0) r.zero_pivot = pivots.bad_pivot;
  *result = r;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorGetAnalysis(SptrsvFactor f, SptrsvAnalysis *analysis)
{
  if (!f || !analysis) return SPTRSV_INVALID_ARGUMENT;
  *analysis = f->analysis;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorGetValues(SptrsvFactor f, const void **values)
{
  if (!f || !values) return SPTRSV_INVALID_ARGUMENT;
  *values = f->values;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorGetPattern(SptrsvFactor f, int64_t *rows, int64_t *nnz, const int32_t **row_ptr, const int32_t **col_idx)
{
  if (!f || !rows || !nnz || !row_ptr || !col_idx) return SPTRSV_INVALID_ARGUMENT;
  *rows    = f->analysis->a.n;
  *nnz     = f->analysis->a.nnz;
  *row_ptr = f->analysis->a.row_ptr;
  *col_idx = f->analysis->a.col_idx;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorGetMemory(SptrsvFactor f, size_t *host, size_t *device)
{
  if (!f || !host || !device) return SPTRSV_INVALID_ARGUMENT;
  *host   = f->host_bytes + f->analysis->host_bytes;
  *device = f->memory.bytes + f->analysis->memory.bytes;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorDestroy(SptrsvFactor *factor)
{
  SptrsvFactor f;

  if (!factor) return SPTRSV_INVALID_ARGUMENT;
  f       = *factor;
  *factor = NULL;
  if (!f) return SPTRSV_SUCCESS;
#if defined(SPTRSV_HAVE_CUDA)
  if (f->location == SPTRSV_DEVICE) sptrsvFactorDeviceDestroy(f);
#endif
  if (f->location == SPTRSV_HOST) free(f->values);
  sptrsvMemoryFree(&f->memory);
  (void)sptrsvAnalysisDestroy(&f->analysis);
  free(f->source);
  free(f->where);
  free(f->a_row_ptr);
  free(f->a_diagonal);
  free(f);
  return SPTRSV_SUCCESS;
}
