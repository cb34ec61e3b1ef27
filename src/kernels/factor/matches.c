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

/* A has the sizes of the factor's matrix */
static SptrsvStatus same_on_host(SptrsvFactor factor, const SptrsvCsr *A, bool *same)
{
  const SptrsvPattern *given  = sptrsvFactorGiven(factor);
  SptrsvPattern        copy   = {0};
  SptrsvCsr            host   = *A;
  SptrsvStatus         status = factor->given.row_ptr ? SPTRSV_SUCCESS : sptrsvAnalysisOnHost(sptrsvFactorMatrix(factor));

  if (!status && A->location == SPTRSV_DEVICE) {
    status = sptrsvPatternCopy(A, &copy);
    host   = (SptrsvCsr){A->rows, A->nnz, copy.row_ptr, copy.col_idx, SPTRSV_INT32, SPTRSV_HOST};
  }
  if (!status)
    *same = same_indices(host.index_type, host.row_ptr, given->row_ptr, given->n + 1) &&
            same_indices(host.index_type, host.col_idx, given->col_idx, given->nnz);
  sptrsvPatternFree(&copy);
  return status;
}

SptrsvStatus sptrsvFactorMatches(SptrsvFactor factor, const SptrsvCsr *A, int *matches)
{
  bool same = false;

  if (!factor || !matches) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvCsrCheck(A));
  if (A->rows == sptrsvFactorGiven(factor)->n && A->nnz == sptrsvFactorGiven(factor)->nnz) {
#if defined(SPTRSV_HAVE_CUDA)
    const bool on_device = !factor->given.row_ptr && factor->location == SPTRSV_DEVICE && A->location == SPTRSV_DEVICE;

    if (on_device && A->index_type == SPTRSV_INT32) SPTRSV_TRY(sptrsvDevicePatternMatches(sptrsvFactorMatrix(factor), A, &same));
    else
#endif
      SPTRSV_TRY(same_on_host(factor, A, &same));
  }
  *matches = same;
  return SPTRSV_SUCCESS;
}
