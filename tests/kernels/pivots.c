/* Zero, tiny, NaN and infinite pivots under the four kinds of shift, on the host and on the GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "pivot_case.h"

enum { CHAIN = 4, GRID2D = 6, GRID3D = 7, BLOCKS = 8, ARROW = 14, STAR = 15, RANDOM = 18, FULL = 20, NO_DIAGONAL = 22 }; /* of the zoo */

/* ---------------------------------------------------- matrices that break --------------------------------------------------- */

static void weaken_diagonal(ZooMatrix *A) /* indefinite: some pivots change their sign */
{
  for (int i = 0; i < A->n; i++) A->values[find_diagonal(A, i)] *= 0.05;
}

static void make_diagonal_negative(ZooMatrix *A)
{
  for (int i = 0; i < A->n; i++) A->values[find_diagonal(A, i)] = -fabs(A->values[find_diagonal(A, i)]);
}

static void make_diagonal_tiny(ZooMatrix *A) /* above zero, below all tolerances of these tests */
{
  A->values[find_diagonal(A, 0)] = 1e-30;
}

static void zero_last_row(ZooMatrix *A) /* PETSc's ICC with a positive definite shift does not end for this matrix */
{
  for (int e = A->row_ptr[A->n - 1]; e < A->row_ptr[A->n]; e++) A->values[e] = 0;
}

static void make_all_zero(ZooMatrix *A)
{
  memset(A->values, 0, (size_t)A->nnz * sizeof(double));
}

/* Singular, its last pivot a rounding error if it is not zero: ILU(0) of the chain is exact */
static void make_laplacian(ZooMatrix *A)
{
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      A->values[e] = A->col_idx[e] == i ? A->row_ptr[i + 1] - A->row_ptr[i] - 1 : -1;
    }
  }
}

static void put_inf_inside(ZooMatrix *A)
{
  A->values[find_diagonal(A, A->n / 2)] = -INFINITY;
  A->values[find_diagonal(A, A->n - 1)] = 0;
}

/* ------------------------------------------------------- shifts judged ------------------------------------------------------ */

static const struct {
  const char *name;
  int         zoo;
  void (*spoil)(ZooMatrix *A);
  bool       finite;
  SptrsvFill fill;
} broken[] = {
  {"a good grid",                  GRID2D,      keep_values,            true,  {0, 0}},
  {"a grid with weak diagonal",    GRID2D,      weaken_diagonal,        true,  {0, 0}},
  {"blocks with weak diagonal",    BLOCKS,      weaken_diagonal,        true,  {0, 0}},
  {"a negative definite grid",     GRID3D,      make_diagonal_negative, true,  {0, 0}},
  {"a grid with zeros",            GRID3D,      zero_diagonal,          true,  {0, 0}},
  {"an arrow with zeros",          ARROW,       zero_diagonal,          true,  {0, 0}},
  {"a full matrix with zeros",     FULL,        zero_diagonal,          true,  {0, 0}},
  {"random with a tiny pivot",     RANDOM,      make_diagonal_tiny,     true,  {0, 0}},
  {"a grid without its last row",  GRID2D,      zero_last_row,          true,  {0, 0}},
  {"a zero chain",                 CHAIN,       make_all_zero,          true,  {0, 0}},
  {"a singular chain",             CHAIN,       make_laplacian,         true,  {0, 0}},
  {"a weak grid with fill",        GRID2D,      weaken_diagonal,        true,  {2, 0}},
  {"a grid with zeros and fill",   GRID3D,      zero_diagonal,          true,  {1, 0}},
  {"a grid without a diagonal",    NO_DIAGONAL, keep_values,            true,  {1, 1}},
  {"NaN in a grid",                GRID2D,      put_nan_inside,         false, {0, 0}},
  {"Inf in a grid",                GRID2D,      put_inf_inside,         false, {0, 0}}
};

static bool is_near(double a, double b, SptrsvValueType type)
{
  return fabs(a - b) <= (type == SPTRSV_DOUBLE ? 1e-10 : 1e-4) * (fabs(a) + fabs(b));
}

/* A shift in blocks raises small pivots only.  No single shift of the matrix describes that, so the target's diagonal is raised
   there */
static void test_raised_pivots(SptrsvFactor factor, Target *target, SptrsvValueType type, SptrsvLocation location,
                               const SptrsvPivoting *pivoting)
{
  int64_t nnz;
  void   *raw = copy_factor(factor, type, location, &nnz);

  for (int i = 0; i < target->n; i++) {
    int    e = target->row_ptr[i];
    double pivot;

    while (target->col_idx[e] != i) e++;
    pivot = 1 / value_at(type, raw, e);
    if (fabs(pivot - pivoting->shift_amount) <= 2 * pivoting->zero_pivot) target->values[e] += pivoting->shift_amount;
  }
  free(raw);
}

static void judge_shift(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvValueType type, SptrsvLocation location,
                        const SptrsvPivoting *pivoting)
{
  SptrsvFactor             factor;
  const SptrsvFactorResult r = factor_matrix(A, kind, fill, type, location, pivoting, &factor);
  SptrsvFactorResult       naive;
  Target                   t;

  if (!factor) return;
  target_create(A, kind, NULL, NULL, type, &t);
  target_fill(&t, fill);
  naive = naive_shifts(A, &t, kind, pivoting);
  expect(r.shifts == naive.shifts, "%d shifts, not %d", r.shifts, naive.shifts);
  expect(is_near(r.shift_amount, naive.shift_amount, type), "shifted by %g, not %g", r.shift_amount, naive.shift_amount);
  expect(r.zero_pivot_row == naive.zero_pivot_row, "zero pivot in row %lld, not %lld", (long long)r.zero_pivot_row,
         (long long)naive.zero_pivot_row);
  expect(fabs(r.zero_pivot - naive.zero_pivot) <= pivoting->zero_pivot * 10, "zero pivot %g, not %g", r.zero_pivot, naive.zero_pivot);
  if (r.zero_pivot_row < 0) {
    if (pivoting->shift == SPTRSV_SHIFT_INBLOCKS) test_raised_pivots(factor, &t, type, location, pivoting);
    factor_judge(factor, &t, type, location, pivoting->shift == SPTRSV_SHIFT_INBLOCKS ? 0 : r.shift_amount);
  }
  target_destroy(&t);
  expect_success(sptrsvFactorDestroy(&factor));
}

/* Broken data: the factorization ends under every shift, and never with a factor that looks good */
static void judge_broken(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, SptrsvLocation location,
                         const SptrsvPivoting *pivoting)
{
  SptrsvFactor             factor;
  const SptrsvFactorResult r = factor_matrix(A, kind, NULL, type, location, pivoting, &factor);
  void                    *raw;
  int64_t                  nnz;
  bool                     visible = r.zero_pivot_row >= 0;

  if (!factor) return;
  raw = copy_factor(factor, type, location, &nnz);
  for (int64_t e = 0; e < nnz; e++) {
    const double value = value_at(type, raw, e);

    visible = visible || !isfinite(value) || value == 0; /* an infinite pivot is stored as its inverse */
  }
  expect(visible, "NaN or Inf went in, and a factor like any other came out");
  free(raw);
  expect_success(sptrsvFactorDestroy(&factor));
}

static void test_shifts(size_t k, SptrsvLocation location)
{
  ZooMatrix A;

  zoo_create(broken[k].zoo, true, &A);
  broken[k].spoil(&A);
  for (int c = 0; c < PIVOT_CASES; c++) {
    const PivotCase p = pivot_case(c);

    if (!location_takes(location, c) || !location_suits(location, &A, p.kind, &broken[k].fill)) continue;
    case_begin("%s of %s on the %s", p.name, broken[k].name, location_name(location));
    if (broken[k].finite) judge_shift(&A, p.kind, &broken[k].fill, p.type, location, &p.pivoting);
    else judge_broken(&A, p.kind, p.type, location, &p.pivoting);
    case_end();
  }
  zoo_destroy(&A);
}

/* ---------------------------------------------------- cases worked by hand -------------------------------------------------- */

/* [ 1 2; 1/2 d ] has the pivots 1 and d - 1 */
static SptrsvFactorResult factor_two_by_two(double d, const SptrsvPivoting *pivoting, SptrsvLocation location, double *inverted)
{
  int32_t            row_ptr[] = {0, 2, 4}, col_idx[] = {0, 1, 0, 1};
  double             values[]  = {1, 2, 0.5, d}, factored[4];
  const ZooMatrix    A         = {"2 x 2", 2, 4, row_ptr, col_idx, values, true};
  const void        *v         = NULL;
  SptrsvFactor       factor;
  SptrsvFactorResult r = factor_matrix(&A, SPTRSV_ILU0, NULL, SPTRSV_DOUBLE, location, pivoting, &factor);

  expect_success(sptrsvFactorGetValues(factor, &v));
  place_get(location, factored, v, sizeof(factored));
  *inverted = factored[3];
  expect_success(sptrsvFactorDestroy(&factor));
  return r;
}

static void test_by_hand(SptrsvLocation location)
{
  SptrsvPivoting     p = {SPTRSV_SHIFT_NONE, 0.25, 1e-14, 0};
  SptrsvFactorResult r;
  double             inverted;

  case_begin("pivots of a 2 x 2 matrix on the %s", location_name(location));
  r = factor_two_by_two(3, &p, location, &inverted);
  expect(r.zero_pivot_row == -1 && inverted == 0.5, "good: row %lld, inverted pivot %g", (long long)r.zero_pivot_row, inverted);
  r = factor_two_by_two(1, &p, location, &inverted);
  expect(r.zero_pivot_row == 1 && r.zero_pivot == 0 && !r.shifts && isinf(inverted), "zero: row %lld, pivot %g",
         (long long)r.zero_pivot_row, r.zero_pivot);
  r = factor_two_by_two(1 + 0x1p-50, &p, location, &inverted);
  expect(r.zero_pivot_row == 1 && r.zero_pivot == 0x1p-50, "below zeropivot: row %lld, pivot %g", (long long)r.zero_pivot_row,
         r.zero_pivot);
  r = factor_two_by_two(1 - 0x1p-50, &p, location, &inverted);
  expect(r.zero_pivot_row == 1, "negative and below zeropivot: row %lld", (long long)r.zero_pivot_row);
  p.zero_pivot = 0;
  r            = factor_two_by_two(1 + 0x1p-50, &p, location, &inverted);
  expect(r.zero_pivot_row == -1 && inverted == 0x1p50, "zeropivot 0: row %lld", (long long)r.zero_pivot_row);
  r = factor_two_by_two(1, &p, location, &inverted);
  expect(r.zero_pivot_row == 1, "zero is at most zeropivot 0: row %lld", (long long)r.zero_pivot_row);
  r = factor_two_by_two(NAN, &p, location, &inverted);
  expect(r.zero_pivot_row == -1 && isnan(inverted), "NaN is no zero pivot: row %lld, inverted %g", (long long)r.zero_pivot_row,
         inverted);
  p = (SptrsvPivoting){SPTRSV_SHIFT_INBLOCKS, 0.25, 1e-14, 0};
  r = factor_two_by_two(1, &p, location, &inverted);
  expect(r.zero_pivot_row == -1 && inverted == 4 && !r.shifts, "in blocks: inverted pivot %g", inverted);
  p.shift = SPTRSV_SHIFT_NONZERO; /* (1 + s)(1 + s) - 1 with s = 1/4 is 9/16, over 5/4 */
  r       = factor_two_by_two(1, &p, location, &inverted);
  expect(r.zero_pivot_row == -1 && r.shifts == 1 && r.shift_amount == 0.25 && fabs(inverted - 20.0 / 9) < 1e-14,
         "nonzero: %d shifts, inverted %g", r.shifts, inverted);
  case_end();
}

/* Row 0 has entries in all columns.  Its pivot is small beside their sum, or not quite, but large beside any of them. */
static void test_sum_of_row(SptrsvLocation location)
{
  for (int k = 0; k < 16; k++) {
    const SptrsvFactorKind kind  = k & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const double           pivot = k & 2 ? 1.1 : 0.9;
    SptrsvPivoting         p     = {(SptrsvShift)(k / 4), 0.25, 0, 0};
    ZooMatrix              A;

    zoo_create(STAR, true, &A);
    for (int i = 0; i < A.n; i++) {
      for (int e = A.row_ptr[i]; e < A.row_ptr[i + 1]; e++) A.values[e] = A.col_idx[e] != i ? 1 : i ? 1000 : pivot;
    }
    p.zero_pivot = 1.0 / (A.n - 1);
    case_begin("%s, shift %d, of a row with pivot %g on the %s", k & 1 ? "ICC(0)" : "ILU(0)", k / 4, pivot, location_name(location));
    judge_shift(&A, kind, &(SptrsvFill){0, 0}, SPTRSV_DOUBLE, location, &p);
    case_end();
    zoo_destroy(&A);
  }
}

/* Of several zero pivots the last is reported, as in PETSc */
static void test_last_is_named(SptrsvLocation location)
{
  const SptrsvPivoting p = {SPTRSV_SHIFT_NONE, 0, 1e-14, 0};
  ZooMatrix            A;
  SptrsvFactor         factor;
  SptrsvFactorResult   r;

  zoo_create(3, true, &A); /* diagonal */
  A.values[7] = A.values[40] = 0;
  case_begin("two zero pivots on the %s", location_name(location));
  r = factor_matrix(&A, SPTRSV_ILU0, NULL, SPTRSV_DOUBLE, location, &p, &factor);
  expect(r.zero_pivot_row == 40, "row %lld is named", (long long)r.zero_pivot_row);
  expect_success(sptrsvFactorDestroy(&factor));
  case_end();
  zoo_destroy(&A);
}

static void test_location(SptrsvLocation location)
{
  for (size_t k = 0; k < sizeof(broken) / sizeof(*broken); k++) test_shifts(k, location);
  test_by_hand(location);
  test_sum_of_row(location);
  test_last_is_named(location);
}

int main(int argc, char **argv)
{
  return pivot_main("pivots", argc, argv, test_location);
}
