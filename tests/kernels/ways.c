/* What the ways to factor take and refuse: the longest rows that lanes hold, plans that do not suit, zeros that meet NaN or Inf. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "factor_ways.h"

enum { GRID2D = 6 }; /* of the zoo */
static const SptrsvPivoting    no_shift = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};
static const SptrsvTaskOptions tasks    = {.policy = SPTRSV_TASKS_LOCALITY, .size = 20};

static const FactorWay automatic = {"auto", NULL, NULL}, rows = {"rows", "rows", NULL};

/* All rows are coupled with the last one, which has n entries.  With neighbours, too: as many levels as rows, and products that meet
   entries; without: a pattern for a sweep */
static void create_long(int n, bool neighbours, ZooMatrix *A)
{
  *A         = (ZooMatrix){.name = "long", .n = n, .diagonal = true};
  A->row_ptr = place_new(SPTRSV_HOST, (size_t)(n + 1) * sizeof(int32_t), NULL);
  A->col_idx = place_new(SPTRSV_HOST, (size_t)(5 * n) * sizeof(int32_t), NULL);
  A->values  = place_new(SPTRSV_HOST, (size_t)(5 * n) * sizeof(double), NULL);
  for (int i = 0; i < n; i++) {
    A->row_ptr[i] = A->nnz;
    for (int j = 0; j < n; j++) {
      if (abs(i - j) <= neighbours || i == n - 1 || j == n - 1) A->col_idx[A->nnz++] = j;
    }
  }
  A->row_ptr[n] = A->nnz;
  zoo_randomize(A, 5);
}

static SptrsvFactor create_factor(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, SptrsvLocation location)
{
  const SptrsvCsr csr    = zoo_csr(A);
  SptrsvFactor    factor = NULL;

  expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, NULL, type, location, NULL, &factor));
  return factor;
}

static SptrsvStatus factor_numeric(SptrsvFactor factor, const ZooMatrix *A, SptrsvValueType type, SptrsvLocation location)
{
  void              *values = zoo_values(A, type, false, location);
  const SptrsvStatus status = sptrsvFactorNumeric(factor, values, &no_shift, NULL, NULL);

  place_free(location, values);
  return status;
}

static void judge(SptrsvFactor factor, const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, const char *method)
{
  char   text[256] = "";
  Target t;

  target_create(A, kind, NULL, NULL, type, &t);
  factor_judge(factor, &t, type, SPTRSV_DEVICE, 0);
  target_destroy(&t);
  expect_success(sptrsvFactorDescribe(factor, text, sizeof(text)));
  expect(!strncmp(text, method, strlen(method)), "it describes itself as \"%s\", not %s", text, method);
}

/* By rows if they are asked for, and auto goes by rows, if and only if lanes hold the longest one */
static void test_longest(void)
{
  for (int k = 0; k < 2 * 2 * VALUE_TYPES; k++) {
    const SptrsvFactorKind kind  = k % 2 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const SptrsvValueType  type  = value_type(k / 2);
    const bool             fits  = k >= 2 * VALUE_TYPES;
    SptrsvPlan             lower = NULL;
    SptrsvFactor           factor;
    ZooMatrix              A;

    create_long(fits ? MOST_OF_ROW : MOST_OF_ROW + 1, true, &A);
    case_begin("%s of a row of %d entries, %s", k % 2 ? "ICC(0)" : "ILU(0)", A.n, value_types[type].name);
    factor = create_factor(&A, kind, type, SPTRSV_DEVICE);
    expect_success(factor_go(factor, &rows, &tasks, NULL, type, &lower));
    expect_status(factor_numeric(factor, &A, type, SPTRSV_DEVICE), fits ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED, "by rows");
    if (fits) judge(factor, &A, kind, type, "rows");
    expect_success(factor_go(factor, &automatic, &tasks, NULL, type, &lower));
    expect_success(factor_numeric(factor, &A, type, SPTRSV_DEVICE));
    judge(factor, &A, kind, type, fits ? "rows" : "entries");
    expect_success(sptrsvFactorDestroy(&factor));
    case_end();
    zoo_destroy(&A);
  }
}

/* A plan that was refused may be destroyed at once: auto does not use it, even where it could have */
static void test_refused(void)
{
  static const char *const asked[] = {"sweep", "rows"};
  ZooMatrix                A;

  for (int k = 0; k < 2; k++) {
    SptrsvPlan   lower = NULL;
    SptrsvFactor factor;

    create_long(MOST_OF_ROW + 1, is_named(asked[k], "sweep"), &A);
    factor = create_factor(&A, SPTRSV_ILU0, SPTRSV_DOUBLE, SPTRSV_DEVICE);
    case_begin("a plan that is refused, %s", k ? "with rows asked for" : "with a sweep asked for");
    expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = asked[k]}));
    expect_status(factor_lend(factor, "levelorder", NULL, SPTRSV_DOUBLE, &lower), SPTRSV_NOT_SUPPORTED, "the plan is lent");
    expect_success(sptrsvPlanDestroy(&lower));
    expect_status(factor_numeric(factor, &A, SPTRSV_DOUBLE, SPTRSV_DEVICE), SPTRSV_NOT_SUPPORTED, "after the plan");
    expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = NULL}));
    expect_success(factor_numeric(factor, &A, SPTRSV_DOUBLE, SPTRSV_DEVICE));
    judge(factor, &A, SPTRSV_ILU0, SPTRSV_DOUBLE, "entries");
    expect_success(sptrsvFactorDestroy(&factor));
    case_end();
    zoo_destroy(&A);
  }
}

/* Another plan in the place of the one that was lent is another choice, by whatever it can do; the one before may be gone */
static void test_replaced(void)
{
  static const char *const lent[] = {"levelorder", "blockorder", "levelset", "levelorder"};
  enum { LENT = sizeof(lent) / sizeof(*lent) };
  SptrsvPlan   lower[LENT] = {NULL};
  SptrsvFactor factor;
  ZooMatrix    A;

  create_long(MOST_OF_ROW + 1, false, &A);
  factor = create_factor(&A, SPTRSV_ILU0, SPTRSV_DOUBLE, SPTRSV_DEVICE);
  case_begin("plans that are lent in the place of others");
  for (int k = 0; k < LENT; k++) {
    expect_success(factor_lend(factor, lent[k], NULL, SPTRSV_DOUBLE, &lower[k]));
    if (k) expect_success(sptrsvPlanDestroy(&lower[k - 1]));
    expect_success(factor_numeric(factor, &A, SPTRSV_DOUBLE, SPTRSV_DEVICE));
    judge(factor, &A, SPTRSV_ILU0, SPTRSV_DOUBLE, is_named(lent[k], "blockorder") ? "entries" : "sweep");
  }
  expect_success(sptrsvPlanDestroy(&lower[LENT - 1]));
  expect_success(sptrsvFactorDestroy(&factor));
  case_end();
  zoo_destroy(&A);
}

static int find_entry(const ZooMatrix *A, int i, int j)
{
  int e = A->row_ptr[i];

  while (A->col_idx[e] != j) e++;
  return e;
}

static bool is_near(double a, double b, SptrsvValueType type)
{
  if (!isfinite(a) || !isfinite(b)) return isnan(a) ? isnan(b) : a == b;
  return fabs(a - b) <= value_types[type].other_order * (1 + fabs(b));
}

/* Values of a factor of A [nnz]; malloc'ed */
static void *factor_values(SptrsvFactor factor, const ZooMatrix *A, SptrsvValueType type, SptrsvLocation location)
{
  void       *copy   = place_new(SPTRSV_HOST, (size_t)A->nnz * value_size(type), NULL);
  const void *values = NULL;

  expect_success(factor_numeric(factor, A, type, location));
  expect_success(sptrsvFactorGetValues(factor, &values));
  place_get(location, copy, values, (size_t)A->nnz * value_size(type));
  return copy;
}

static void compare_ways(const ZooMatrix *A, SptrsvValueType type)
{
  SptrsvFactor host = create_factor(A, SPTRSV_ILU0, type, SPTRSV_HOST), factor = create_factor(A, SPTRSV_ILU0, type, SPTRSV_DEVICE);
  void        *right = factor_values(host, A, type, SPTRSV_HOST);

  for (int k = 0; k < FACTOR_WAYS; k++) {
    SptrsvPlan lower = NULL;
    void      *values;
    int        wrong = 0;

    if (!way_is_there(&factor_ways[k])) continue;
    expect_success(factor_go(factor, &factor_ways[k], &tasks, NULL, type, &lower));
    values = factor_values(factor, A, type, SPTRSV_DEVICE);
    for (int e = 0; e < A->nnz; e++) wrong += !is_near(value_at(type, values, e), value_at(type, right, e), type);
    expect(!wrong, "%s: %d values differ from the host's", factor_ways[k].name, wrong);
    free(values);
    expect_success(sptrsvFactorSetSweep(factor, NULL));
    expect_success(sptrsvPlanDestroy(&lower));
  }
  free(right);
  expect_success(sptrsvFactorDestroy(&host));
  expect_success(sptrsvFactorDestroy(&factor));
}

/* A zero left of the diagonal multiplies nothing, whatever its mirror image is */
static void test_zeros(void)
{
  static const double images[] = {NAN, INFINITY, -INFINITY};

  for (int k = 0; k < 3 * VALUE_TYPES; k++) {
    const SptrsvValueType type  = value_type(k);
    const double          image = images[k / VALUE_TYPES];
    ZooMatrix             A;

    zoo_create(GRID2D, true, &A);
    for (int i = 1; i < A.n; i += 5) {
      const int left = A.row_ptr[i]; /* the first entry of the row, for which there is a row above or to the left */

      A.values[find_entry(&A, A.col_idx[left], i)] = image;
      A.values[left]                               = 0;
    }
    case_begin("zeros whose mirror images are %g, %s", image, value_types[type].name);
    compare_ways(&A, type);
    case_end();
    zoo_destroy(&A);
  }
}

int main(int argc, char **argv)
{
  (void)test_begin("ways", argc, argv);
  if (sptrsvDeviceCount()) {
    test_longest();
    test_refused();
    test_replaced();
    test_zeros();
  } else case_skip("ways to factor: there is no GPU");
  return test_end();
}
