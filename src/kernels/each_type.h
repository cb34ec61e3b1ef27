/* Functions for each type of values: includes the file FUNCTIONS once for each of SPTRSV_VALUE_TYPES.  That file writes VALUE for the type,
   which may be complex, NAME(f) for a function f, and PARTS for the numbers in a value: its real and imaginary part, or one. */
#define JOIN(f, type)   f##_##type
#define JOINED(f, type) JOIN(f, type)
#define NAME(f)         JOINED(f, VALUE)
#define PARTS           1
#define VALUE           float
#include FUNCTIONS
#undef VALUE
#define VALUE double
#include FUNCTIONS
#undef VALUE
#undef PARTS
#define PARTS 2
#define VALUE SptrsvComplexFloat
#include FUNCTIONS
#undef VALUE
#define VALUE SptrsvComplexDouble
#include FUNCTIONS
#undef VALUE
#undef PARTS
#undef FUNCTIONS

/* The functions of all types, to be chosen from by SptrsvValueType */
#if !defined(EACH_TYPE)
  #define FUNCTION(NAME, type, f) f##_##type,
  #define EACH_TYPE(f)            SPTRSV_VALUE_TYPES(FUNCTION, f)
#endif
