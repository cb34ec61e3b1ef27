/* pivot_case.h - Matrices whose pivots are spoiled, and factors of them: on the host, and on the GPU by each of its algorithms. */
#ifndef TESTS_PIVOT_CASE_H
#define TESTS_PIVOT_CASE_H
#include "factor_ways.h"

int  find_diagonal(const ZooMatrix *A, int i); /* position of the entry */
void keep_values(ZooMatrix *A);
void zero_diagonal(ZooMatrix *A); /* every third entry */
void put_nan_inside(ZooMatrix *A);

/* Both kinds and precisions, under every shift */
enum { PIVOT_CASES = 2 * 4 * VALUE_TYPES };
typedef struct {
  SptrsvFactorKind kind;
  SptrsvValueType  type;
  SptrsvPivoting   pivoting;
  char             name[64];
} PivotCase;
PivotCase pivot_case(int k);

const char  *location_name(SptrsvLocation location); /* and the algorithm there */
bool         location_takes(SptrsvLocation location, int k); /* whether the algorithm there is for the k-th case */
/* whether it is for the pattern; fill: or NULL */
bool         location_suits(SptrsvLocation location, const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill);
SptrsvFactor create_factor(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvValueType type,
                           SptrsvLocation location); /* fill: or NULL */

/* values: in the factor's memory, freed here */
SptrsvFactorResult factor_values(SptrsvFactor factor, SptrsvValueType type, void *values, SptrsvLocation location,
                                 const SptrsvPivoting *pivoting);

/* A new factor of A */
SptrsvFactorResult factor_matrix(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvValueType type,
                                 SptrsvLocation location, const SptrsvPivoting *pivoting, SptrsvFactor *factor);

/* The factor's values on the host; malloc'ed */
void *copy_factor(SptrsvFactor factor, SptrsvValueType type, SptrsvLocation location, int64_t *nnz);

/* The program: test() for the host, and for the GPU once by each algorithm */
int pivot_main(const char *program, int argc, char **argv, void (*test)(SptrsvLocation));

#endif
