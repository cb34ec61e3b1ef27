/* Functions for both value types: includes the file FUNCTIONS, which writes REAL for the type and NAME(function) for the name, twice. */
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
