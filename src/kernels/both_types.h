/* Functions for both value types: includes the file FUNCTIONS twice, with REAL for the type and NAME(function) for the function's name. */
#define REAL    double
#define NAME(x) x##_double
#include FUNCTIONS
#undef REAL
#undef NAME
#define REAL    float
#define NAME(x) x##_float
#include FUNCTIONS
#undef REAL
#undef NAME
#undef FUNCTIONS
