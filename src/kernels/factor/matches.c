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

/* A has the sizes of the matrix */
static SptrsvStatus same_on_host(SptrsvAnalysis matrix, const SptrsvCsr *A, bool *same)
{
  const SptrsvPattern *given  = &matrix->a;
  SptrsvPattern        copy   = {0};
  SptrsvCsr            host   = *A;
  SptrsvStatus         status = sptrsvAnalysisOnHost(matrix);

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
  SptrsvAnalysis matrix;
  bool           same = false;

  if (!factor || !matches) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvCsrCheck(A));
  matrix = sptrsvFactorMatrix(factor);
  if (A->rows == matrix->a.n && A->nnz == matrix->a.nnz) {
#if defined(SPTRSV_HAVE_CUDA)
    const bool on_device = matrix->location == SPTRSV_DEVICE && A->location == SPTRSV_DEVICE;

    if (on_device && A->index_type == SPTRSV_INT32) SPTRSV_TRY(sptrsvDevicePatternMatches(matrix, A, &same));
    else
#endif
      SPTRSV_TRY(same_on_host(matrix, A, &same));
  }
  *matches = same;
  return SPTRSV_SUCCESS;
}
