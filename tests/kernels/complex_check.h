/* complex_check.h - Matrices and vectors of complex values, and sweeps judged by their residuals. */
#ifndef TESTS_COMPLEX_CHECK_H
#define TESTS_COMPLEX_CHECK_H
#include "check.h"
#include "zoo.h"

/* Number of rows in which x is not a solution of the sweep.  values [nnz], b, x [n]: on the host, before in_perm and after out_perm */
int complex_wrong_rows(const ZooMatrix *A, const SptrsvPlanOptions *options, const void *values, const void *b, const void *x);
/* ... of a sweep with values of any type */
int any_wrong_rows(const ZooMatrix *A, const SptrsvPlanOptions *options, const void *values, const void *b, const void *x);

/* The values of A on the host, in new memory; turned: by angles that keep a symmetric matrix symmetric */
void *complex_values(const ZooMatrix *A, SptrsvValueType type, bool turned);
void *complex_vector(SptrsvValueType type, int n); /* on the host, in new memory */

#if !defined(__cplusplus)
typedef double _Complex Number;

Number complex_at(SptrsvValueType type, const void *values, int64_t e);
void   set_complex(SptrsvValueType type, void *values, int64_t e, Number value);
#endif

#endif
