/*
   factor_check.h - ILU(k) and ICC(k) judged by their definition: L U equals the matrix on its pattern.  No second factorization takes part,
   except for shifts: their amounts follow from failed attempts, which are repeated here on dense matrices.
*/
#ifndef TESTS_FACTOR_CHECK_H
#define TESTS_FACTOR_CHECK_H
#include "check.h"
#include "zoo.h"

typedef struct { /* the matrix that is factored: permuted, for ICC0 its upper triangle mirrored, with zeros where there is fill */
  int     n, nnz;
  int    *row_ptr, *col_idx;
  double *values;
} Target;

void target_create(const ZooMatrix *A, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                   SptrsvValueType type, Target *target);
void target_fill(Target *target, const SptrsvFill *fill); /* adds them, by levels on a dense matrix */
void target_destroy(Target *target);
int  target_missing_row(const Target *target); /* the first row without a diagonal entry, -1: none */

bool expect_pattern(SptrsvFactor factor, const Target *target);
/* Expects pattern and values of a factor of target + shift I. */
void factor_judge(SptrsvFactor factor, const Target *target, SptrsvValueType type, SptrsvLocation location, double shift);
/* Factors values (in the factor's memory) of the target without a shift, and judges the result */
void factor_test(SptrsvFactor factor, const Target *target, const void *values, SptrsvValueType type, SptrsvLocation location);

/* Result of the shifts of a dense factorization: amount and number of attempts by PETSc's rules, and whether a pivot stays zero. */
SptrsvFactorResult naive_shifts(const ZooMatrix *A, const Target *target, SptrsvFactorKind kind, const SptrsvPivoting *pivoting);

#endif
