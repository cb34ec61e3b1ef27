/* Numbers of every size in factorizations: a matrix times a power of two has the factor times powers of two, to the last bit, as long as
   all numbers are normal; and penalties, which make entries of one matrix differ. */
#include <math.h>
#include <stdlib.h>
#include "exponents.h"
#include "factor_ways.h"
#include "pivot_case.h"
#include "zoo.h"

enum { GRID2D = 6, GRID3D = 7, BLOCKS = 8, ARROW = 14, STAR = 15, UNSYMMETRIC = 17 }; /* of the zoo */

static void hide_diagonal(ZooMatrix *A) /* as in saddle points; the pivots come from the row above */
{
  for (int i = 1; i < A->n; i += 3) A->values[find_diagonal(A, i)] = 0;
}

static void shrink_diagonal(ZooMatrix *A) /* a zero but for rounding */
{
  for (int i = 1; i < A->n; i += 3) A->values[find_diagonal(A, i)] *= 1e-20;
}

static const struct {
  const char *name;
  int         zoo;
  void (*spoil)(ZooMatrix *A);
  SptrsvFill fill;
} scaled[] = {{"grid2d", GRID2D, keep_values, {0, 0}},
              {"grid2d with fill", GRID2D, keep_values, {1, 0}},
              {"grid2d with zeros", GRID2D, hide_diagonal, {0, 0}},
              {"grid3d with almost zeros", GRID3D, shrink_diagonal, {0, 0}},
              {"grid3d with zero pivots", GRID3D, zero_diagonal, {0, 0}},
              {"blocks", BLOCKS, keep_values, {0, 0}},
              {"arrow", ARROW, keep_values, {0, 0}},
              {"unsymmetric", UNSYMMETRIC, keep_values, {0, 0}}};

/* All of them, a host's first */
enum { WAYS = 1 + FACTOR_WAYS };

static SptrsvLocation location_of(int way)
{
  return way ? SPTRSV_DEVICE : SPTRSV_HOST;
}

static const char *name_of(int way)
{
  return way ? factor_ways[way - 1].name : "host";
}

/* A factor that goes the given way, and the plan that it is lent; NULL if the pattern is not for it */
static SptrsvFactor create(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvValueType type, int way,
                           SptrsvPlan *lower)
{
  const SptrsvCsr         csr    = zoo_csr(A);
  const SptrsvTaskOptions tasks  = {SPTRSV_TASKS_CONCURRENCY, 20, 0};
  SptrsvFactor            factor = NULL;

  *lower = NULL;
  expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, fill, type, location_of(way), NULL, &factor));
  if (factor && way) expect_success(factor_go(factor, &factor_ways[way - 1], &tasks, NULL, type, lower));
  return factor;
}

static void destroy(SptrsvFactor factor, SptrsvPlan lower)
{
  if (lower) expect_success(sptrsvFactorSetSweep(factor, NULL));
  expect_success(sptrsvPlanDestroy(&lower));
  expect_success(sptrsvFactorDestroy(&factor));
}

static bool suits(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, int way)
{
  Target t;
  bool   suits;

  if (!way) return true;
  if (!way_is_there(&factor_ways[way - 1])) return false;
  target_create(A, kind, NULL, NULL, SPTRSV_DOUBLE, &t);
  target_fill(&t, fill);
  suits = target_suits(&t, factor_ways[way - 1].algorithm);
  target_destroy(&t);
  return suits;
}

/* The factor of 2^e A on the host, malloc'ed.  What tests and shifts compare with A grows with it. */
static void *numeric(SptrsvFactor factor, const ZooMatrix *A, SptrsvValueType type, SptrsvLocation location, SptrsvPivoting pivoting, int e,
                     SptrsvFactorResult *result)
{
  ZooMatrix times = *A;
  int64_t   nnz;
  void     *values;

  times.values = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), NULL);
  for (int k = 0; k < A->nnz; k++) times.values[k] = ldexp(value_types[type].round(A->values[k]), e);
  pivoting.shift_amount = ldexp(pivoting.shift_amount, e);
  if (pivoting.shift == SPTRSV_SHIFT_NONE || pivoting.shift == SPTRSV_SHIFT_INBLOCKS) pivoting.zero_pivot = ldexp(pivoting.zero_pivot, e);
  values = zoo_values(&times, type, false, location);
  expect_success(sptrsvFactorNumeric(factor, values, &pivoting, NULL, result));
  place_free(location, values);
  free(times.values);
  return copy_factor(factor, type, location, &nnz);
}

typedef struct {
  const int32_t *row_ptr, *col_idx;
  int64_t        n, nnz;
} Pattern;

static Pattern pattern_of(SptrsvFactor factor)
{
  Pattern p = {0};

  expect_success(sptrsvFactorGetPattern(factor, &p.n, &p.nnz, &p.row_ptr, &p.col_idx));
  return p;
}

/* What entry e of row i is multiplied with if the matrix is: L by nothing, U by the power itself, inverse pivots by its inverse */
static int power_of(const Pattern *p, int i, int e)
{
  return p->col_idx[e] < i ? 0 : p->col_idx[e] > i ? 1 : -1;
}

/* The exponents for which A, the factor, and the products l(i,k) u(k,j) are normal */
static Exponents fitting(const ZooMatrix *A, const Pattern *p, SptrsvValueType type, const void *v, double shift)
{
  Exponents fit = any_exponent(type);

  for (int e = 0; e < A->nnz; e++) must_fit(&fit, A->values[e], 1);
  must_fit(&fit, shift, 1);
  for (int i = 0; i < p->n; i++) {
    for (int e = p->row_ptr[i]; e < p->row_ptr[i + 1]; e++) {
      const int k = p->col_idx[e];

      if (k >= i) must_fit(&fit, value_at(type, v, e), power_of(p, i, e));
      for (int q = p->row_ptr[k]; k < i && q < p->row_ptr[k + 1]; q++) {
        if (p->col_idx[q] > k) must_fit(&fit, value_at(type, v, e) * value_at(type, v, q), 1);
      }
    }
  }
  return fit;
}

static void expect_scaled(const Pattern *p, SptrsvValueType type, const void *v, const void *times, int e)
{
  int wrong = 0;

  for (int i = 0; i < p->n; i++) {
    for (int k = p->row_ptr[i]; k < p->row_ptr[i + 1]; k++)
      wrong += value_at(type, times, k) != ldexp(value_at(type, v, k), e * power_of(p, i, k));
  }
  expect(!wrong, "times 2^%d: %d of %d entries differ", e, wrong, (int)p->nnz);
}

static void test_powers(SptrsvFactor factor, const ZooMatrix *A, SptrsvValueType type, SptrsvLocation location, SptrsvPivoting pivoting)
{
  const Pattern      p = pattern_of(factor);
  SptrsvFactorResult first, r;
  void *const        v   = numeric(factor, A, type, location, pivoting, 0, &first);
  const Exponents    fit = fitting(A, &p, type, v, first.shift_amount);
  const int          e[] = {fit.low, fit.high / 2, fit.high};

  expect(first.zero_pivot_row < 0, "row %lld has the pivot %g", (long long)first.zero_pivot_row, first.zero_pivot);
  expect_most(&fit, type);
  for (size_t k = 0; k < sizeof(e) / sizeof(*e); k++) {
    void *const times = numeric(factor, A, type, location, pivoting, e[k], &r);

    expect(r.zero_pivot_row < 0 && r.shifts == first.shifts && r.shift_amount == ldexp(first.shift_amount, e[k]),
           "times 2^%d: zero pivot in row %lld, %d shifts by %g, not %d by %g", e[k], (long long)r.zero_pivot_row, r.shifts, r.shift_amount,
           first.shifts, ldexp(first.shift_amount, e[k]));
    expect_scaled(&p, type, v, times, e[k]);
    free(times);
  }
  free(v);
}

static void test_scaled(size_t matrix, int way)
{
  ZooMatrix A;

  zoo_create(scaled[matrix].zoo, true, &A);
  scaled[matrix].spoil(&A);
  for (int k = 0; k < 2 * VALUE_TYPES; k++) {
    const SptrsvFactorKind kind = k % 2 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const SptrsvValueType  type = value_type(k / 2);
    SptrsvFactor           factor;
    SptrsvPlan             lower;

    if (!suits(&A, kind, &scaled[matrix].fill, way)) continue;
    case_begin("%s of 2^e times %s, %s, %s", k % 2 ? "ICC" : "ILU", scaled[matrix].name, value_types[type].name, name_of(way));
    factor = create(&A, kind, &scaled[matrix].fill, type, way, &lower);
    for (int s = 0; factor && s < 4; s++) {
      if ((scaled[matrix].spoil == zero_diagonal) == (s != SPTRSV_SHIFT_NONE))
        test_powers(factor, &A, type, location_of(way), (SptrsvPivoting){(SptrsvShift)s, 1e-3, 0, 0});
    }
    destroy(factor, lower);
    case_end();
  }
  zoo_destroy(&A);
}

/* -------------------------------------------------------- penalties ---------------------------------------------------------- */

/* Each changes row i, and row j, which it is coupled with, or the columns */
static void hold(ZooMatrix *A, int i, double penalty)
{
  A->values[find_diagonal(A, i)] = penalty;
}

static void multiply_row(ZooMatrix *A, int i, double penalty)
{
  for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) A->values[e] *= penalty;
}

static void multiply_column(ZooMatrix *A, int i, double penalty)
{
  for (int e = 0; e < A->nnz; e++) A->values[e] *= A->col_idx[e] == i ? penalty : 1;
}

static void add_spring(ZooMatrix *A, int i, double penalty) /* from row i to the next one, if it is coupled with it */
{
  for (int k = 0; k < 2; k++) {
    const int own = find_diagonal(A, i + k), other = k ? own - 1 : own + 1;

    if (i + 1 == A->n || A->col_idx[other] != i + 1 - k) return;
    A->values[own]   = 2 * penalty;
    A->values[other] = -penalty;
  }
}

static const struct {
  const char *name;
  void (*apply)(ZooMatrix *A, int i, double penalty);
  bool icc; /* whether the mirrored upper triangle is still a matrix with penalties */
} penalties[] = {{"diagonal entries", hold, true},
                 {"rows", multiply_row, false},
                 {"columns", multiply_column, false},
                 {"springs", add_spring, true}};

/* L U = A with all of them: nothing overflows, and nothing vanishes that counts */
static void test_penalty(size_t penalty, int zoo, int way)
{
  static const double sizes[] = {[SPTRSV_FLOAT] = 1e30, [SPTRSV_DOUBLE] = 1e200};
  const SptrsvFill    none    = {0, 0};

  for (int k = 0; k < 2 * VALUE_TYPES; k++) {
    const SptrsvFactorKind kind = k % 2 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const SptrsvValueType  type = value_type(k / 2);
    const double           size = sizes[type];
    SptrsvFactor           factor;
    SptrsvFactorResult     r = {0};
    SptrsvPlan             lower;
    ZooMatrix              A;
    Target                 t;

    zoo_create(zoo, true, &A);
    for (int i = 3; i < A.n; i += 4) penalties[penalty].apply(&A, i, size);
    if ((penalties[penalty].icc || kind == SPTRSV_ILU0) && suits(&A, kind, &none, way)) {
      case_begin("%s of %s with %s of %g, %s", k % 2 ? "ICC(0)" : "ILU(0)", A.name, penalties[penalty].name, size, name_of(way));
      factor = create(&A, kind, NULL, type, way, &lower);
      if (factor) free(numeric(factor, &A, type, location_of(way), (SptrsvPivoting){SPTRSV_SHIFT_NONE, 0, 0, 0}, 0, &r));
      expect(r.zero_pivot_row < 0, "row %lld has the pivot %g", (long long)r.zero_pivot_row, r.zero_pivot);
      target_create(&A, kind, NULL, NULL, type, &t);
      if (factor) factor_judge(factor, &t, type, location_of(way), 0);
      target_destroy(&t);
      destroy(factor, lower);
      case_end();
    }
    zoo_destroy(&A);
  }
}

/* The sum of row 0, which tests of its pivot compare with, is beyond the largest float, and its entries are not */
static void test_sum_of_row(SptrsvShift shift, int way)
{
  const SptrsvFill   none = {0, 0};
  ZooMatrix          A;
  SptrsvFactor       factor;
  SptrsvFactorResult r = {0};
  SptrsvPlan         lower;

  zoo_create(STAR, true, &A);
  for (int i = 0; i < A.n; i++) {
    for (int e = A.row_ptr[i]; e < A.row_ptr[i + 1]; e++) A.values[e] = A.col_idx[e] != i ? i ? 4 : 0x1p124 : i ? 1000 : 0x1p127;
  }
  if (suits(&A, SPTRSV_ILU0, &none, way)) {
    case_begin("shift %d of a row with a large sum, float, %s", (int)shift, name_of(way));
    factor = create(&A, SPTRSV_ILU0, NULL, SPTRSV_FLOAT, way, &lower);
    if (factor) free(numeric(factor, &A, SPTRSV_FLOAT, location_of(way), (SptrsvPivoting){shift, 1, 1e-5, 0}, 0, &r));
    expect(r.zero_pivot_row < 0 && !r.shifts, "row %lld has the pivot %g, %d shifts", (long long)r.zero_pivot_row, r.zero_pivot, r.shifts);
    destroy(factor, lower);
    case_end();
  }
  zoo_destroy(&A);
}

int main(int argc, char **argv)
{
  const bool device = sptrsvDeviceCount() > 0;

  (void)test_begin("ranges", argc, argv);
  for (int way = 0; way < (device ? WAYS : 1); way++) {
    for (size_t k = 0; k < sizeof(scaled) / sizeof(*scaled); k++) test_scaled(k, way);
    test_sum_of_row(SPTRSV_SHIFT_NONZERO, way);
    test_sum_of_row(SPTRSV_SHIFT_POSITIVE_DEFINITE, way);
    for (size_t k = 0; k < sizeof(penalties) / sizeof(*penalties); k++) {
      test_penalty(k, GRID2D, way);
      test_penalty(k, BLOCKS, way);
    }
  }
  if (!device) case_skip("factors on the GPU: there is no GPU");
  return test_end();
}
