/* Whether a matrix has the pattern that a factor was made for. */
#include <stdlib.h>
#include <string.h>
#include "factor.h"

/* Whether `indices`, of either width, on the host, are those of `own` */
static bool same_indices(SptrsvIndexType type, const void *indices, const int *own, int count)
{
  const int64_t *wide = (const int64_t *)indices;

  if (type == SPTRSV_INT32) return !memcmp(indices, own, (size_t)count * sizeof(*own));
  for (int k = 0; k < count; k++) {
    if (wide[k] != own[k]) return false;
  }
  return true;
}

/* A is on the host */
static bool same_on_host(SptrsvFactor factor, const SptrsvCsr *A)
{
  const SptrsvPattern *given = sptrsvFactorGiven(factor);

  return same_indices(A->index_type, A->row_ptr, given->row_ptr, given->n + 1) &&
         same_indices(A->index_type, A->col_idx, given->col_idx, given->nnz);
}

static SptrsvStatus same_by_host(SptrsvFactor factor, const SptrsvCsr *A, bool *same)
{
  SptrsvPattern copy   = {0};
  SptrsvCsr     host   = *A;
  SptrsvStatus  status = SPTRSV_SUCCESS;

  if (!factor->given.row_ptr) SPTRSV_TRY(sptrsvAnalysisOnHost(sptrsvFactorMatrix(factor)));
  if (A->location == SPTRSV_DEVICE) {
    status = sptrsvPatternCopy(A, &copy);
    host   = (SptrsvCsr){A->rows, A->nnz, copy.row_ptr, copy.col_idx, SPTRSV_INT32, SPTRSV_HOST};
  }
  if (!status) *same = same_on_host(factor, &host);
  sptrsvPatternFree(&copy);
  return status;
}

/* A has the sizes of the factor's matrix */
static SptrsvStatus same_pattern(SptrsvFactor factor, const SptrsvCsr *A, bool *same)
{
#if defined(SPTRSV_HAVE_CUDA)
  const bool on_device = !factor->given.row_ptr && factor->location == SPTRSV_DEVICE;

  if (on_device && A->location == SPTRSV_DEVICE && A->index_type == SPTRSV_INT32)
    return sptrsvDevicePatternMatches(sptrsvFactorMatrix(factor), A, same);
#endif
  return same_by_host(factor, A, same);
}

SptrsvStatus sptrsvFactorMatches(SptrsvFactor factor, const SptrsvCsr *A, int *matches)
{
  bool same = false;

  if (!factor || !matches) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvCsrCheck(A));
  if (A->rows == sptrsvFactorGiven(factor)->n && A->nnz == sptrsvFactorGiven(factor)->nnz) SPTRSV_TRY(same_pattern(factor, A, &same));
  *matches = same;
  return SPTRSV_SUCCESS;
}
