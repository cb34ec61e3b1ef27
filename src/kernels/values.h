/* What code of the host knows of the types of values.  <tgmath.h> takes real and complex values alike: fabs() is the modulus, creal() the
   real part. */
#pragma once
#include <float.h>
#include <tgmath.h>
#include "impl.h"

/* The largest number that a value, or its part, can be */
static inline double sptrsvLargest(SptrsvValueType type)
{
#define SPTRSV_LARGEST(NAME, type, f) sizeof(creal((type)0)) == sizeof(double) ? DBL_MAX : (double)FLT_MAX,
  static const double largest[] = {SPTRSV_VALUE_TYPES(SPTRSV_LARGEST, )};

  return largest[type];
}
