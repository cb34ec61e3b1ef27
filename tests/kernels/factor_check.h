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
int  target_longest_row(const Target *target); /* its entries */
int  target_missing_row(const Target *target); /* the first row without a diagonal entry, -1: none */

bool expect_pattern(SptrsvFactor factor, const Target *target);
/* Expects pattern and values of a factor of target + shift I. */
void factor_judge(SptrsvFactor factor, const Target *target, SptrsvValueType type, SptrsvLocation location, double shift);

/* Result of the shifts of a dense factorization: amount and number of attempts by PETSc's rules, and whether a pivot stays zero. */
SptrsvFactorResult naive_shifts(const ZooMatrix *A, const Target *target, SptrsvFactorKind kind, const SptrsvPivoting *pivoting);

enum { MOST_OF_ROW = 128 }; /* entries of a row that is factored by lanes which hold it */

/* Ways to factor on the device; lower: algorithm of the lower sweep whose plan is lent, NULL: none */
typedef struct {
  const char           *name;
  SptrsvFactorAlgorithm algorithm;
  const char           *lower;
} FactorWay;

/* Makes the factor go this way; *lower: the plan that it uses, which the caller destroys after the factor was used, or NULL.
   NOT_SUPPORTED if the pattern is not for it. */
SptrsvStatus factor_go(SptrsvFactor factor, const FactorWay *way, const SptrsvTaskOptions *tasks, const int32_t *row_perm,
                       SptrsvValueType type, SptrsvPlan *lower);

/* Whether a product a(i,k) a(k,j) meets an entry beside the diagonal, i.e. the sweep is not for the pattern */
bool target_products_meet(const Target *target);

#endif
