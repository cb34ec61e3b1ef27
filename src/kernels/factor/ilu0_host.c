/* The host's factorization, in both precisions. */
#include <math.h>
#include <stdlib.h>
#include "../impl.h"

#define FUNCTIONS "factor/ilu0_host.inc"
#include "../both_types.h"

SptrsvStatus sptrsvFactorPassHost(SptrsvFactor factor, const void *a, const SptrsvPivoting *pivoting, double shift, SptrsvPivots *pivots)
{
  if (factor->type == SPTRSV_DOUBLE) PassDouble(factor, (const double *)a, pivoting, shift, factor->where, pivots);
  else PassFloat(factor, (const float *)a, pivoting, (float)shift, factor->where, pivots);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorDominanceHost(SptrsvFactor factor, const void *a, double *gap)
{
  *gap = factor->type == SPTRSV_DOUBLE ? DominanceDouble(factor, (const double *)a) : DominanceFloat(factor, (const float *)a);
  return SPTRSV_SUCCESS;
}
