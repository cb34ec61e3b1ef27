/* Whether a matrix has the pattern that a factor was made for. */
#include <stdlib.h>
#include <string.h>
#include "factor.h"

/* A has the sizes of the matrix */
static SptrsvStatus same_on_host(SptrsvAnalysis matrix, const SptrsvCsr *A, bool *same)
{
  const SptrsvPattern *given  = &matrix->a;
  SptrsvPattern        copy   = {0};
  SptrsvCsr            host   = *A;
  SptrsvStatus         status = sptrsvAnalysisOnHost(matrix);

  if (!status && (A->location == SPTRSV_DEVICE || A->index_type != SPTRSV_INT32)) {
    status = sptrsvPatternCopy(A, &copy);
    host   = (SptrsvCsr){A->rows, A->nnz, copy.row_ptr, copy.col_idx, SPTRSV_INT32, SPTRSV_HOST};
  }
  if (!status)
    *same = !memcmp(host.row_ptr, given->row_ptr, ((size_t)given->n + 1) * sizeof(int)) &&
            !memcmp(host.col_idx, given->col_idx, (size_t)given->nnz * sizeof(int));
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
