/* The host's factorization, in both precisions. */
#include <math.h>
#include <stdlib.h>
#include "factor.h"

#define FUNCTIONS "factor/ilu0_host.inc"
#include "../both_types.h"

SptrsvStatus sptrsvFactorPassHost(SptrsvFactor factor, const void *a, const SptrsvPivoting *pivoting, double shift, SptrsvPivots *pivots)
{
  if (factor->type == SPTRSV_DOUBLE) pass_double(factor, (const double *)a, pivoting, shift, pivots);
  else pass_float(factor, (const float *)a, pivoting, (float)shift, pivots);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorDominanceHost(SptrsvFactor factor, const void *a, double *gap)
{
  *gap = factor->type == SPTRSV_DOUBLE ? dominance_double(factor, (const double *)a) : dominance_float(factor, (const float *)a);
  return SPTRSV_SUCCESS;
}
