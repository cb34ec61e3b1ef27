/* Plans that a factorization fills: as those that are updated after it, and without values after an error. */
#include <stdlib.h>
#include <string.h>
#include "factor_ways.h"

enum { NONE = 0, GRID2D = 6 };     /* of the zoo */
static const int place[] = {0, 2}; /* of the plans of L and U; between them is none */

typedef struct {
  ZooMatrix       A;
  SptrsvValueType type;
  SptrsvLocation  location;
  SptrsvFactor    factor;
  SptrsvPlan      plan[2][3]; /* filled, updated */
  void           *b, *x[2];
} Solver;

/* The lower plan of the first pair is lent, so that a factorization by it overwrites what it has */
static void solver_create(Solver *s, SptrsvFactorKind kind)
{
  const SptrsvCsr csr      = zoo_csr(&s->A);
  SptrsvAnalysis  analysis = NULL;

  expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, NULL, s->type, s->location, NULL, &s->factor));
  expect_success(sptrsvFactorGetAnalysis(s->factor, &analysis));
  for (int k = 0; k < 4; k++) {
    const bool              upper = k % 2;
    const SptrsvPlanOptions o     = {.algorithm = s->location == SPTRSV_DEVICE ? "levelorder" : "host",
                                     .location  = s->location,
                                     .triangle  = upper ? SPTRSV_UPPER : SPTRSV_LOWER,
                                     .diagonal  = upper ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_UNIT,
                                     .type      = s->type};

    expect_success(sptrsvPlanCreate(analysis, &o, &s->plan[k / 2][place[upper]]));
  }
  expect_success(sptrsvFactorSetSweep(s->factor, s->plan[0][0]));
  s->b = zoo_values(&s->A, s->type, false, s->location); /* has more than n */
  for (int k = 0; k < 2; k++) s->x[k] = place_new(s->location, (size_t)s->A.n * value_size(s->type), NULL);
}

static void solver_destroy(Solver *s)
{
  for (int k = 0; k < 2; k++) place_free(s->location, s->x[k]);
  place_free(s->location, s->b);
  expect_success(sptrsvFactorSetSweep(s->factor, NULL));
  for (int k = 0; k < 4; k++) expect_success(sptrsvPlanDestroy(&s->plan[k / 2][place[k % 2]]));
  expect_success(sptrsvFactorDestroy(&s->factor));
}

/* Both sweeps of a pair: x on the host, malloc'ed */
static void *solved(Solver *s, int pair)
{
  const size_t bytes = (size_t)s->A.n * value_size(s->type);
  void        *x     = place_new(SPTRSV_HOST, bytes, NULL);

  expect_success(sptrsvSolve(s->plan[pair][place[0]], s->b, s->x[0], NULL));
  expect_success(sptrsvSolve(s->plan[pair][place[1]], s->x[0], s->x[1], NULL));
  place_get(s->location, x, s->x[1], bytes);
  return x;
}

static void compare_pairs(Solver *s, const SptrsvPivoting *pivoting, bool zero)
{
  void              *a      = zoo_values(&s->A, s->type, false, s->location), *x[2];
  const void        *values = NULL;
  SptrsvFactorResult result = {.zero_pivot_row = -2};

  expect_success(sptrsvFactorNumericPlans(s->factor, a, pivoting, 3, s->plan[0], NULL, &result));
  expect((result.zero_pivot_row >= 0) == zero, "row %lld has a zero pivot", (long long)result.zero_pivot_row);
  expect(pivoting->shift == SPTRSV_SHIFT_NONE || result.shifts, "no shift");
  expect_success(sptrsvFactorGetValues(s->factor, &values));
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanUpdate(s->plan[1][place[k]], values, NULL));
  for (int k = 0; k < 2; k++) x[k] = solved(s, k);
  expect(!memcmp(x[0], x[1], (size_t)s->A.n * value_size(s->type)), "plans that were filled have other values");
  for (int k = 0; k < 2; k++) free(x[k]);
  place_free(s->location, a);
}

static void test_values(SptrsvLocation location, SptrsvFactorKind kind, SptrsvValueType type)
{
  const SptrsvPivoting plain = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0}, shifted = {SPTRSV_SHIFT_POSITIVE_DEFINITE, 0, 1e-10, 0};
  Solver               s = {.type = type, .location = location};

  zoo_create(GRID2D, true, &s.A);
  case_begin("values of %s, %s, on the %s", kind == SPTRSV_ICC0 ? "ICC(0)" : "ILU(0)", value_types[type].name,
             location == SPTRSV_DEVICE ? "GPU" : "host");
  solver_create(&s, kind);
  compare_pairs(&s, &plain, false);
  zoo_randomize(&s.A, 7);
  compare_pairs(&s, &plain, false);
  for (int i = 0; i < s.A.n; i++) {
    for (int e = s.A.row_ptr[i]; e < s.A.row_ptr[i + 1]; e++) s.A.values[e] = s.A.col_idx[e] == i ? 1 : -1;
  }
  compare_pairs(&s, &shifted, false);
  memset(s.A.values, 0, (size_t)s.A.nnz * sizeof(*s.A.values));
  compare_pairs(&s, &plain, true);
  solver_destroy(&s);
  case_end();
  zoo_destroy(&s.A);
}

/* Of a process without rows: plans take part as all do */
static void test_no_rows(SptrsvLocation location)
{
  const SptrsvPivoting plain = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};
  Solver               s     = {.type = SPTRSV_DOUBLE, .location = location};

  zoo_create(NONE, true, &s.A);
  case_begin("no rows, on the %s", location == SPTRSV_DEVICE ? "GPU" : "host");
  solver_create(&s, SPTRSV_ILU0);
  compare_pairs(&s, &plain, false);
  solver_destroy(&s);
  case_end();
  zoo_destroy(&s.A);
}

/* Refused calls leave plans as they are; after others that fail they have no values */
static void test_errors(SptrsvLocation location)
{
  const SptrsvTuning tuning = {.factor.algorithm = "blockrows"}; /* not for this pattern */
  Solver             s = {.type = SPTRSV_DOUBLE, .location = location}, other = {.type = SPTRSV_DOUBLE, .location = location};
  void              *a;

  zoo_create(GRID2D, true, &s.A);
  other.A = s.A;
  case_begin("plans that a factorization may not fill, on the %s", location == SPTRSV_DEVICE ? "GPU" : "host");
  solver_create(&s, SPTRSV_ILU0);
  solver_create(&other, SPTRSV_ILU0);
  a = zoo_values(&s.A, s.type, false, location);
  expect_success(sptrsvFactorNumericPlans(s.factor, a, NULL, 3, s.plan[0], NULL, NULL));
  expect_refusal(sptrsvFactorNumericPlans(s.factor, a, NULL, 3, other.plan[0], NULL, NULL));
  expect_refusal(sptrsvFactorNumericPlans(s.factor, a, NULL, -1, s.plan[0], NULL, NULL));
  expect_refusal(sptrsvFactorNumericPlans(s.factor, a, NULL, 1, NULL, NULL, NULL));
  expect_refusal(sptrsvFactorNumericPlans(s.factor, NULL, NULL, 3, s.plan[0], NULL, NULL));
  free(solved(&s, 0));
  if (location == SPTRSV_DEVICE) {
    expect_success(sptrsvFactorSetSweep(s.factor, NULL));
    expect_success(sptrsvFactorTune(s.factor, &tuning));
    expect_status(sptrsvFactorNumericPlans(s.factor, a, NULL, 3, s.plan[0], NULL, NULL), SPTRSV_NOT_SUPPORTED, "by rows of blocks");
    for (int k = 0; k < 2; k++) expect_status(sptrsvSolve(s.plan[0][place[k]], s.b, s.x[0], NULL), SPTRSV_NOT_READY, "a solve after that");
  }
  place_free(location, a);
  solver_destroy(&s);
  solver_destroy(&other);
  case_end();
  zoo_destroy(&s.A);
}

int main(int argc, char **argv)
{
  (void)test_begin("numeric", argc, argv);
  for (SptrsvLocation location = SPTRSV_HOST; location <= SPTRSV_DEVICE; location++) {
    if (location == SPTRSV_DEVICE && !sptrsvDeviceCount()) {
      case_skip("on the GPU: there is none");
      continue;
    }
    for (int k = 0; k < 2 * VALUE_TYPES; k++) test_values(location, k % 2 ? SPTRSV_ICC0 : SPTRSV_ILU0, value_type(k / 2));
    test_no_rows(location);
    test_errors(location);
  }
  return test_end();
}
