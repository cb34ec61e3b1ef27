/* One factor for many factorizations: wide and narrow gaps, zero pivots, NaN, the kernels' own NaN, under the four kinds of shift. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "pivot_case.h"

enum { GRID2D = 6, RANDOM = 18 }; /* of the zoo */

/* Rows far from diagonally dominant, and less so: the shift positive definite follows the gap */
static void set_off_diagonal(ZooMatrix *A, double value)
{
  for (int e = 0; e < A->nnz; e++) A->values[e] = value;
  for (int i = 0; i < A->n; i++) A->values[find_diagonal(A, i)] = 1;
}

static void make_wide_gap(ZooMatrix *A)
{
  set_off_diagonal(A, -10);
}

static void make_narrow_gap(ZooMatrix *A)
{
  set_off_diagonal(A, -1);
}

/* A NaN is like any other */
static bool is_same_number(SptrsvValueType type, const void *x, const void *y, int64_t e)
{
  const double a = value_at(type, x, e), b = value_at(type, y, e);

  return a == b || (isnan(a) && isnan(b));
}

/* Two factorizations of the same numbers: results and values */
static void expect_same_factor(SptrsvFactor factor, const SptrsvFactorResult *r, SptrsvFactor other, const SptrsvFactorResult *other_r,
                               SptrsvValueType type, SptrsvLocation location, const char *what)
{
  int64_t nnz, wrong = 0;
  void   *values = copy_factor(factor, type, location, &nnz), *others = copy_factor(other, type, location, &nnz);

  for (int64_t e = 0; e < nnz; e++) wrong += !is_same_number(type, values, others, e);
  expect(!wrong, "%s: %lld other values", what, (long long)wrong);
  expect(r->shifts == other_r->shifts && r->shift_amount == other_r->shift_amount, "%s: %d shifts, by %g, and not %d, by %g", what,
         r->shifts, r->shift_amount, other_r->shifts, other_r->shift_amount);
  expect(r->zero_pivot_row == other_r->zero_pivot_row, "%s: zero pivot in row %lld, not %lld", what, (long long)r->zero_pivot_row,
         (long long)other_r->zero_pivot_row);
  free(values);
  free(others);
}

/* Values that leave different things behind, in this order */
static const struct {
  const char *name;
  void (*spoil)(ZooMatrix *A);
  bool gap; /* the shift positive definite is needed */
} in_turn[] = {
  {"a wide gap",       make_wide_gap,   true },
  {"a narrow gap",     make_narrow_gap, true },
  {"good values",      keep_values,     false},
  {"zero pivots",      zero_diagonal,   false},
  {"good after zeros", keep_values,     false},
  {"NaN",              put_nan_inside,  false},
  {"good after NaN",   keep_values,     false}
};

/* A factor that has had other values gives what a new one does */
static void judge_again(SptrsvFactorKind kind, SptrsvValueType type, SptrsvLocation location, const SptrsvPivoting *pivoting)
{
  SptrsvFactor used = NULL, fresh;

  for (size_t k = 0; k < sizeof(in_turn) / sizeof(*in_turn); k++) {
    SptrsvFactorResult r, right;
    ZooMatrix          A;

    zoo_create(GRID2D, true, &A);
    in_turn[k].spoil(&A);
    if (!used) used = create_factor(&A, kind, NULL, type, location);
    r     = factor_values(used, type, zoo_values(&A, type, false, location), location, pivoting);
    right = factor_matrix(&A, kind, NULL, type, location, pivoting, &fresh);
    if (used && fresh) expect_same_factor(used, &r, fresh, &right, type, location, in_turn[k].name);
    if (in_turn[k].gap && pivoting->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE) expect(right.shifts > 0, "%s: no shift", in_turn[k].name);
    expect_success(sptrsvFactorDestroy(&fresh));
    zoo_destroy(&A);
  }
  expect_success(sptrsvFactorDestroy(&used));
}

/* Two factorizations of A with entry e replaced, by the sentinel and by another NaN.  e < 0: of A as it is */
static void compare_nans(const ZooMatrix *A, SptrsvFactor factor[2], SptrsvValueType type, SptrsvLocation location,
                         const SptrsvPivoting *pivoting, int e)
{
  SptrsvFactorResult r[2];
  char               what[32];

  for (int k = 0; k < 2; k++) {
    void *values = zoo_values(A, type, false, SPTRSV_HOST);

    if (e >= 0 && k) set_value(type, values, e, NAN);
    if (e >= 0 && !k) put_sentinel(type, values, e);
    r[k] = factor_values(factor[k], type, place_new(location, (size_t)A->nnz * value_size(type), values), location, pivoting);
    free(values);
  }
  (void)snprintf(what, sizeof(what), "the sentinel in entry %d", e);
  expect_same_factor(factor[0], &r[0], factor[1], &r[1], type, location, what);
}

/* The sentinel is a NaN like any other: in copies of A's entries and in entries that are computed, on the diagonal and beside it */
static void judge_sentinels(SptrsvFactorKind kind, SptrsvValueType type, SptrsvLocation location, const SptrsvPivoting *pivoting)
{
  ZooMatrix    A;
  SptrsvFactor factor[2];

  zoo_create(RANDOM, true, &A);
  if (!location_suits(location, &A, kind, NULL)) {
    zoo_destroy(&A);
    zoo_create(GRID2D, true, &A);
  }
  for (int k = 0; k < 2; k++) factor[k] = create_factor(&A, kind, NULL, type, location);
  if (factor[0] && factor[1]) {
    for (int e = A.row_ptr[A.n / 2]; e < A.row_ptr[A.n / 2 + 1]; e++) compare_nans(&A, factor, type, location, pivoting, e);
    for (int e = A.row_ptr[A.n - 1]; e < A.row_ptr[A.n]; e++) compare_nans(&A, factor, type, location, pivoting, e);
    compare_nans(&A, factor, type, location, pivoting, -1);
  }
  for (int k = 0; k < 2; k++) expect_success(sptrsvFactorDestroy(&factor[k]));
  zoo_destroy(&A);
}

/* The shift's amount can be the sentinel, too */
static void judge_sentinel_shift(SptrsvFactorKind kind, SptrsvValueType type, SptrsvLocation location, SptrsvPivoting pivoting)
{
  SptrsvFactorResult r[2];
  SptrsvFactor       factor[2];
  ZooMatrix          A;
  double             sentinel[1] = {0};

  put_sentinel(type, sentinel, 0);
  zoo_create(GRID2D, true, &A);
  zero_diagonal(&A);
  for (int k = 0; k < 2; k++) {
    pivoting.shift_amount = k ? NAN : value_at(type, sentinel, 0);
    r[k]                  = factor_matrix(&A, kind, NULL, type, location, &pivoting, &factor[k]);
  }
  if (factor[0] && factor[1]) expect_same_factor(factor[0], &r[0], factor[1], &r[1], type, location, "a shift by the sentinel");
  for (int k = 0; k < 2; k++) expect_success(sptrsvFactorDestroy(&factor[k]));
  zoo_destroy(&A);
}

static void test_location(SptrsvLocation location)
{
  for (int c = 0; c < PIVOT_CASES; c++) {
    const PivotCase p = pivot_case(c);

    if (!location_takes(location, c)) continue;
    case_begin("%s with a used factor, on the %s", p.name, location_name(location));
    judge_again(p.kind, p.type, location, &p.pivoting);
    case_end();
    case_begin("%s with the sentinel in A, on the %s", p.name, location_name(location));
    judge_sentinels(p.kind, p.type, location, &p.pivoting);
    judge_sentinel_shift(p.kind, p.type, location, p.pivoting);
    case_end();
  }
}

int main(int argc, char **argv)
{
  return pivot_main("reuse", argc, argv, test_location);
}
