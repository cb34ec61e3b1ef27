/* Functions for both value types: includes the file FUNCTIONS twice.  That file writes REAL for the type and NAME(f) for a function f. */
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
