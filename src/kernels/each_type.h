/* Functions for each type of values: includes the file FUNCTIONS once for each of SPTRSV_VALUE_TYPES.  That file writes VALUE for the type,
   which may be complex, NAME(f) for a function f, and PARTS for the numbers in a value: its real and imaginary part, or one. */
#define VALUE   float
#define NAME(x) x##_float
#define PARTS   1
#include FUNCTIONS
#undef VALUE
#undef NAME
#define VALUE   double
#define NAME(x) x##_double
#include FUNCTIONS
#undef VALUE
#undef NAME
#undef PARTS
#define VALUE   SptrsvComplexFloat
#define NAME(x) x##_SptrsvComplexFloat
#define PARTS   2
#include FUNCTIONS
#undef VALUE
#undef NAME
#define VALUE   SptrsvComplexDouble
#define NAME(x) x##_SptrsvComplexDouble
#include FUNCTIONS
#undef VALUE
#undef NAME
#undef PARTS
#undef FUNCTIONS

/* The functions of all types, to be chosen from by SptrsvValueType */
#if !defined(EACH_TYPE)
  #define FUNCTION(NAME, type, f) f##_##type,
  #define EACH_TYPE(f)            SPTRSV_VALUE_TYPES(FUNCTION, f)
#endif
