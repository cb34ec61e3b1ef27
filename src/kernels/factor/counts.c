/* Entries and products of a factorization. */
#include "factor.h"

static void count_on_host(const SptrsvPattern *f, SptrsvFactorCounts *counts)
{
  for (int i = 0; i < f->n; i++) {
    counts->lower += f->split[i] - f->row_ptr[i];
    counts->upper += f->row_ptr[i + 1] - f->split[i] - 1;
    for (int e = f->row_ptr[i]; e < f->split[i]; e++) {
      const int k = f->col_idx[e];

      counts->products += f->row_ptr[k + 1] - f->split[k] - 1;
    }
  }
}

SptrsvStatus sptrsvFactorGetCounts(SptrsvFactor factor, SptrsvFactorCounts *counts)
{
  SptrsvFactorCounts found = {0};
  int64_t            rows;

  if (!factor || !counts) return SPTRSV_INVALID_ARGUMENT;
  rows = factor->storage.rows;
#if defined(SPTRSV_HAVE_CUDA)
  if (factor->location == SPTRSV_DEVICE) SPTRSV_TRY(sptrsvFactorDeviceCounts(factor, &found));
  else
#endif
    count_on_host(&factor->analysis->a, &found);
  *counts = (SptrsvFactorCounts){rows * rows * found.lower, rows * rows * found.upper, rows * rows * rows * found.products};
  return SPTRSV_SUCCESS;
}
