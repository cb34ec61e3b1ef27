/* Zero, tiny, NaN and infinite pivots under the four kinds of shift, on the host and on the GPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "factor_check.h"
#include "zoo.h"

static const char *const kind_names[] = {"ILU(0)", "ICC(0)"}, *const shift_names[] = {"none", "nonzero", "positive definite", "in blocks"};

enum { CHAIN = 4, GRID2D = 6, GRID3D = 7, BLOCKS = 8, ARROW = 14, RANDOM = 18, FULL = 20 }; /* of the zoo */

static int find_diagonal(const ZooMatrix *A, int i)
{
  int e = A->row_ptr[i];

  while (A->col_idx[e] != i) e++;
  return e;
}

/* ---------------------------------------------------- matrices that break --------------------------------------------------- */

static void keep_values(ZooMatrix *A)
{
  (void)A;
}

static void weaken_diagonal(ZooMatrix *A) /* indefinite: some pivots change their sign */
{
  for (int i = 0; i < A->n; i++) A->values[find_diagonal(A, i)] *= 0.05;
}

static void make_diagonal_negative(ZooMatrix *A)
{
  for (int i = 0; i < A->n; i++) A->values[find_diagonal(A, i)] = -fabs(A->values[find_diagonal(A, i)]);
}

static void zero_diagonal(ZooMatrix *A) /* every third entry */
{
  for (int i = 0; i < A->n; i += 3) A->values[find_diagonal(A, i)] = 0;
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

static void put_nan_inside(ZooMatrix *A)
{
  A->values[find_diagonal(A, A->n / 2)] = NAN;
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
  bool finite;
} broken[] = {
  {"a good grid",                 GRID2D, keep_values,        true },
  {"a grid with weak diagonal",   GRID2D, weaken_diagonal,     true },
  {"blocks with weak diagonal",   BLOCKS, weaken_diagonal,     true },
  {"a negative definite grid",    GRID3D, make_diagonal_negative, true },
  {"a grid with zeros",           GRID3D, zero_diagonal,     true },
  {"an arrow with zeros",         ARROW,  zero_diagonal,     true },
  {"a full matrix with zeros",    FULL,   zero_diagonal,     true },
  {"random with a tiny pivot",    RANDOM, make_diagonal_tiny,     true },
  {"a grid without its last row", GRID2D, zero_last_row,      true },
  {"a zero chain",                CHAIN,  make_all_zero,          true },
  {"a singular chain",            CHAIN,  make_laplacian,        true },
  {"NaN in a grid",               GRID2D, put_nan_inside,        false},
  {"Inf in a grid",               GRID2D, put_inf_inside,        false}
};

static SptrsvFactorAlgorithm factor_algorithm = SPTRSV_FACTOR_AUTO;

static const char *location_name(SptrsvLocation location)
{
  if (location == SPTRSV_HOST) return "host";
  return factor_algorithm == SPTRSV_FACTOR_ATA ? "GPU by tasks" : "GPU";
}

static SptrsvFactor create_factor(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, SptrsvLocation location)
{
  const SptrsvCsr csr    = zoo_csr(A);
  SptrsvFactor    factor = NULL;

  if (expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, type, location, NULL, &factor)))
    expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = factor_algorithm}));
  return factor;
}

/* values: in the factor's memory, freed here */
static SptrsvFactorResult factor_values(SptrsvFactor factor, void *values, SptrsvLocation location, const SptrsvPivoting *pivoting)
{
  SptrsvFactorResult r = {.zero_pivot_row = -99};

  if (factor) expect_success(sptrsvFactorNumeric(factor, values, pivoting, NULL, &r));
  place_free(location, values);
  return r;
}

static SptrsvFactorResult factor_matrix(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, SptrsvLocation location,
                                        const SptrsvPivoting *pivoting, SptrsvFactor *factor)
{
  *factor = create_factor(A, kind, type, location);
  return factor_values(*factor, zoo_values(A, type, false, location), location, pivoting);
}

static size_t size_of(SptrsvValueType type)
{
  return type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float);
}

static double number_at(SptrsvValueType type, const void *values, int64_t e)
{
  return type == SPTRSV_DOUBLE ? ((const double *)values)[e] : (double)((const float *)values)[e];
}

/* The factor's values on the host; malloc'ed */
static void *copy_factor(SptrsvFactor factor, SptrsvValueType type, SptrsvLocation location, int64_t *nnz)
{
  const void    *values = NULL;
  const int32_t *row_ptr, *col_idx;
  int64_t        rows;
  void          *copy;

  *nnz = 0;
  expect_success(sptrsvFactorGetPattern(factor, &rows, nnz, &row_ptr, &col_idx));
  expect_success(sptrsvFactorGetValues(factor, &values));
  copy = place_new(SPTRSV_HOST, (size_t)*nnz * size_of(type), NULL);
  place_get(location, copy, values, (size_t)*nnz * size_of(type));
  return copy;
}

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
    pivot = 1 / number_at(type, raw, e);
    if (fabs(pivot - pivoting->shift_amount) <= 2 * pivoting->zero_pivot) target->values[e] += pivoting->shift_amount;
  }
  free(raw);
}

static void judge_shift(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, SptrsvLocation location,
                        const SptrsvPivoting *pivoting)
{
  SptrsvFactor             factor;
  const SptrsvFactorResult r = factor_matrix(A, kind, type, location, pivoting, &factor);
  SptrsvFactorResult       naive;
  Target                   t;

  if (!factor) return;
  target_create(A, kind, NULL, NULL, type, &t);
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
  const SptrsvFactorResult r = factor_matrix(A, kind, type, location, pivoting, &factor);
  void                    *raw;
  int64_t                  nnz;
  bool                     visible = r.zero_pivot_row >= 0;

  if (!factor) return;
  raw = copy_factor(factor, type, location, &nnz);
  for (int64_t e = 0; e < nnz; e++) {
    const double value = number_at(type, raw, e);

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
  for (int c = 0; c < 16; c++) {
    const SptrsvFactorKind kind = c & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const SptrsvValueType  type = c & 2 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
    const SptrsvPivoting   p    = {(SptrsvShift)(c / 4), 1e-3, c & 2 ? 1e-5 : 1e-7};

    case_begin("%s of %s, %s, shift %s, on the %s", kind_names[kind], broken[k].name, c & 2 ? "float" : "double", shift_names[p.shift],
               location_name(location));
    if (broken[k].finite) judge_shift(&A, kind, type, location, &p);
    else judge_broken(&A, kind, type, location, &p);
    case_end();
  }
  zoo_destroy(&A);
}

/* --------------------------------------------- many factorizations with one factor ------------------------------------------ */

/* A NaN is like any other */
static bool is_same_number(SptrsvValueType type, const void *x, const void *y, int64_t e)
{
  const double a = number_at(type, x, e), b = number_at(type, y, e);

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
    if (!used) used = create_factor(&A, kind, type, location);
    r     = factor_values(used, zoo_values(&A, type, false, location), location, pivoting);
    right = factor_matrix(&A, kind, type, location, pivoting, &fresh);
    if (used && fresh) expect_same_factor(used, &r, fresh, &right, type, location, in_turn[k].name);
    if (in_turn[k].gap && pivoting->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE) expect(right.shifts > 0, "%s: no shift", in_turn[k].name);
    expect_success(sptrsvFactorDestroy(&fresh));
    zoo_destroy(&A);
  }
  expect_success(sptrsvFactorDestroy(&used));
}

static void put_nan(SptrsvValueType type, void *values, int e)
{
  if (type == SPTRSV_DOUBLE) ((double *)values)[e] = NAN;
  else ((float *)values)[e] = NAN;
}

/* Two factorizations of A with entry e replaced, by the sentinel and by another NaN.  e < 0: of A as it is */
static void compare_nans(const ZooMatrix *A, SptrsvFactor factor[2], SptrsvValueType type, SptrsvLocation location,
                         const SptrsvPivoting *pivoting, int e)
{
  SptrsvFactorResult r[2];
  char               what[32];

  for (int k = 0; k < 2; k++) {
    void *values = zoo_values(A, type, false, SPTRSV_HOST);

    if (e >= 0) (k ? put_nan : put_sentinel)(type, values, e);
    r[k] = factor_values(factor[k], place_new(location, (size_t)A->nnz * size_of(type), values), location, pivoting);
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
  for (int k = 0; k < 2; k++) factor[k] = create_factor(&A, kind, type, location);
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
    pivoting.shift_amount = k ? NAN : number_at(type, sentinel, 0);
    r[k]                  = factor_matrix(&A, kind, type, location, &pivoting, &factor[k]);
  }
  if (factor[0] && factor[1]) expect_same_factor(factor[0], &r[0], factor[1], &r[1], type, location, "a shift by the sentinel");
  for (int k = 0; k < 2; k++) expect_success(sptrsvFactorDestroy(&factor[k]));
  zoo_destroy(&A);
}

static void test_in_turn(SptrsvLocation location)
{
  for (int c = 0; c < 16; c++) {
    const SptrsvFactorKind kind = c & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const SptrsvValueType  type = c & 2 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
    const SptrsvPivoting   p    = {(SptrsvShift)(c / 4), 1e-3, c & 2 ? 1e-5 : 1e-7};

    case_begin("%s with a used factor, %s, shift %s, on the %s", kind_names[kind], c & 2 ? "float" : "double", shift_names[p.shift],
               location_name(location));
    judge_again(kind, type, location, &p);
    case_end();
    case_begin("%s with the sentinel in A, %s, shift %s, on the %s", kind_names[kind], c & 2 ? "float" : "double", shift_names[p.shift],
               location_name(location));
    judge_sentinels(kind, type, location, &p);
    judge_sentinel_shift(kind, type, location, p);
    case_end();
  }
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
  SptrsvFactorResult r = factor_matrix(&A, SPTRSV_ILU0, SPTRSV_DOUBLE, location, pivoting, &factor);

  expect_success(sptrsvFactorGetValues(factor, &v));
  place_get(location, factored, v, sizeof(factored));
  *inverted = factored[3];
  expect_success(sptrsvFactorDestroy(&factor));
  return r;
}

static void test_by_hand(SptrsvLocation location)
{
  SptrsvPivoting     p = {SPTRSV_SHIFT_NONE, 0.25, 1e-14};
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
  p = (SptrsvPivoting){SPTRSV_SHIFT_INBLOCKS, 0.25, 1e-14};
  r = factor_two_by_two(1, &p, location, &inverted);
  expect(r.zero_pivot_row == -1 && inverted == 4 && !r.shifts, "in blocks: inverted pivot %g", inverted);
  p.shift = SPTRSV_SHIFT_NONZERO; /* (1 + s)(1 + s) - 1 with s = 1/4 is 9/16, over 5/4 */
  r       = factor_two_by_two(1, &p, location, &inverted);
  expect(r.zero_pivot_row == -1 && r.shifts == 1 && r.shift_amount == 0.25 && fabs(inverted - 20.0 / 9) < 1e-14,
         "nonzero: %d shifts, inverted %g", r.shifts, inverted);
  case_end();
}

/* Of several zero pivots the last is reported, as in PETSc */
static void test_last_is_named(SptrsvLocation location)
{
  const SptrsvPivoting p = {SPTRSV_SHIFT_NONE, 0, 1e-14};
  ZooMatrix            A;
  SptrsvFactor         factor;
  SptrsvFactorResult   r;

  zoo_create(3, true, &A); /* diagonal */
  A.values[7] = A.values[40] = 0;
  case_begin("two zero pivots on the %s", location_name(location));
  r = factor_matrix(&A, SPTRSV_ILU0, SPTRSV_DOUBLE, location, &p, &factor);
  expect(r.zero_pivot_row == 40, "row %lld is named", (long long)r.zero_pivot_row);
  expect_success(sptrsvFactorDestroy(&factor));
  case_end();
  zoo_destroy(&A);
}

static void test_location(SptrsvLocation location)
{
  for (size_t k = 0; k < sizeof(broken) / sizeof(*broken); k++) test_shifts(k, location);
  test_in_turn(location);
  test_by_hand(location);
  test_last_is_named(location);
}

int main(int argc, char **argv)
{
  (void)test_begin("pivots", argc, argv);
  test_location(SPTRSV_HOST);
  if (sptrsvDeviceCount()) {
    test_location(SPTRSV_DEVICE);
    factor_algorithm = SPTRSV_FACTOR_ATA;
    test_location(SPTRSV_DEVICE);
  } else case_skip("pivots on the GPU: there is no GPU");
  return test_end();
}
