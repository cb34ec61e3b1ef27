/* Functions for each type of values: includes the file FUNCTIONS once for each of SPTRSV_VALUE_TYPES.  That file writes REAL for the type
   and NAME(f) for a function f. */
#define REAL    float
#define NAME(x) x##_float
#include FUNCTIONS
#undef REAL
#undef NAME
#define REAL    double
#define NAME(x) x##_double
#include FUNCTIONS
#undef REAL
#undef NAME
#undef FUNCTIONS

/* The functions of all types, to be chosen from by SptrsvValueType */
#if !defined(EACH_TYPE)
  #define FUNCTION(NAME, type, f) f##_##type,
  #define EACH_TYPE(f)            SPTRSV_VALUE_TYPES(FUNCTION, f)
#endif
