/* The sweeps of an ICC factor on the host that read its upper triangle for both: the same bits as each by its own rows, whatever
   comes between them, and a choice by time. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "zoo.h"

enum { LOWER, UPPER, SWEEPS };
/* What is permuted: nothing, b of the forward sweep, or x of one of them, which then has rows of its own */
enum { NOTHING, FIRST_B, FORWARD_X, BACKWARD_X, ORDERS };
static const SptrsvPivoting shift = {SPTRSV_SHIFT_POSITIVE_DEFINITE, 0, 1e-12, 0};

/* A factor with values, its sweeps by `host`, which are the reference, and those under test */
typedef struct {
  const ZooMatrix *A;
  SptrsvValueType  type;
  SptrsvFactor     factor;
  SptrsvAnalysis   analysis;
  int              order; /* what is permuted */
  const int32_t   *perm;
  SptrsvPlan       reference[SWEEPS], plan[SWEEPS];
  void            *b, *x, *right;
} Case;

static SptrsvPlanOptions sweep_options(const Case *c, int sweep, const char *algorithm, SptrsvStorage storage)
{
  return (SptrsvPlanOptions){.algorithm           = algorithm,
                             .location            = SPTRSV_HOST,
                             .triangle            = sweep == LOWER ? SPTRSV_LOWER : SPTRSV_UPPER,
                             .diagonal            = sweep == LOWER ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_INVERTED,
                             .type                = c->type,
                             .in_perm             = sweep == LOWER && c->order == FIRST_B ? c->perm : NULL,
                             .out_perm            = c->order == (sweep == LOWER ? FORWARD_X : BACKWARD_X) ? c->perm : NULL,
                             .tuning.host.storage = storage,
                             .tuning.host.threads = storage == SPTRSV_STORED_ONCE ? 0 : 1};
}

static void create_plan(Case *c, int sweep, SptrsvStorage storage)
{
  const SptrsvPlanOptions o = sweep_options(c, sweep, "host-windows", storage);

  expect_success(sptrsvPlanCreate(c->analysis, &o, &c->plan[sweep]));
}

static void update(SptrsvPlan plan[SWEEPS], const void *values)
{
  for (int s = 0; s < SWEEPS; s++) {
    if (plan[s]) expect_success(sptrsvPlanUpdate(plan[s], values, NULL));
  }
}

/* Factors A with the values of this seed; 0: its own */
static void factor_values(Case *c, uint64_t seed)
{
  ZooMatrix   other = *c->A;
  const void *values;
  void       *a;

  other.values = place_new(SPTRSV_HOST, (size_t)other.nnz * sizeof(double), c->A->values);
  if (seed) zoo_randomize(&other, seed);
  a = zoo_values(&other, c->type, false, SPTRSV_HOST);
  expect_success(sptrsvFactorNumeric(c->factor, a, &shift, NULL, NULL));
  expect_success(sptrsvFactorGetValues(c->factor, &values));
  update(c->reference, values);
  update(c->plan, values);
  free(a);
  free(other.values);
}

static void solve(Case *c, int sweep)
{
  const SptrsvPlanOptions o = sweep_options(c, sweep, "host", SPTRSV_STORED_TWICE);

  memset(c->x, 0xff, (size_t)c->A->n * value_size(c->type));
  expect_success(sptrsvSolve(c->reference[sweep], c->b, c->right, NULL));
  expect_success(sptrsvSolve(c->plan[sweep], c->b, c->x, NULL));
  expect(same_solution(&o, c->x, c->right, c->A->n), "other bits from the %s sweep", sweep == LOWER ? "forward" : "backward");
}

static void case_create(Case *c, const ZooMatrix *A, SptrsvValueType type, int order, const int32_t *perm)
{
  const SptrsvCsr  csr  = zoo_csr(A);
  const SptrsvFill fill = {.levels = type != SPTRSV_DOUBLE};
  uint64_t         seed = 7;

  *c = (Case){.A = A, .type = type, .order = order, .perm = perm};
  c->b     = place_new(SPTRSV_HOST, (size_t)A->n * value_size(type), NULL);
  c->x     = place_new(SPTRSV_HOST, (size_t)A->n * value_size(type), NULL);
  c->right = place_new(SPTRSV_HOST, (size_t)A->n * value_size(type), NULL);
  for (int i = 0; i < A->n; i++) set_value(type, c->b, i, 2 * random_unit(&seed) - 1);
  expect_success(sptrsvFactorCreate(&csr, SPTRSV_ICC0, NULL, NULL, &fill, type, SPTRSV_HOST, NULL, &c->factor));
  expect_success(sptrsvFactorGetAnalysis(c->factor, &c->analysis));
  for (int s = 0; s < SWEEPS; s++) {
    const SptrsvPlanOptions o = sweep_options(c, s, "host", SPTRSV_STORED_TWICE);

    expect_success(sptrsvPlanCreate(c->analysis, &o, &c->reference[s]));
  }
}

static void case_destroy(Case *c)
{
  for (int s = 0; s < SWEEPS; s++) {
    expect_success(sptrsvPlanDestroy(&c->reference[s]));
    expect_success(sptrsvPlanDestroy(&c->plan[s]));
  }
  expect_success(sptrsvFactorDestroy(&c->factor));
  free(c->b);
  free(c->x);
  free(c->right);
}

static void expect_text(const Case *c, const char *part, bool there)
{
  char text[512] = "";

  expect_success(sptrsvPlanDescribe(c->plan[LOWER], text, sizeof(text)));
  expect(!strstr(text, part) == !there, "\"%s\" %s \"%s\"", text, there ? "lacks" : "has", part);
}

/* Sweeps in every sequence, before and after new values, and when one plan is gone */
static void test_once(const ZooMatrix *A, SptrsvValueType type, int order, const int32_t *perm)
{
  static const char *const names[] = {"", ", b permuted", ", x of the forward sweep permuted", ", x permuted"};
  static const int sequence[] = {LOWER, UPPER, LOWER, LOWER, UPPER, UPPER, LOWER};
  Case             c;

  case_begin("stored once: %s%s, %s%s", A->name, names[order], value_types[type].name,
             type == SPTRSV_DOUBLE ? "" : ", a level of fill");
  case_create(&c, A, type, order, perm);
  for (int s = 0; s < SWEEPS; s++) create_plan(&c, s, SPTRSV_STORED_ONCE);
  expect_text(&c, ", stored once", order < FORWARD_X);
  for (int first = 0; first < 2; first++) {
    factor_values(&c, (uint64_t)first);
    for (size_t k = (size_t)first; k < sizeof(sequence) / sizeof(*sequence); k++) solve(&c, sequence[k]);
  }
  expect_success(sptrsvPlanDestroy(&c.plan[UPPER]));
  expect_text(&c, "stored", false);
  solve(&c, LOWER);
  create_plan(&c, UPPER, SPTRSV_STORED_ONCE);
  factor_values(&c, 5);
  solve(&c, UPPER);
  solve(&c, LOWER);
  expect_success(sptrsvPlanDestroy(&c.plan[LOWER]));
  factor_values(&c, 6);
  solve(&c, UPPER);
  case_destroy(&c);
  case_end();
}

/* The two plans have values from different arrays: each must use its own */
static void test_apart(const ZooMatrix *A)
{
  Case        c;
  const void *values;
  void       *copy;

  case_begin("stored once: %s, other values for the other sweep", A->name);
  case_create(&c, A, SPTRSV_DOUBLE, NOTHING, NULL);
  for (int s = 0; s < SWEEPS; s++) create_plan(&c, s, SPTRSV_STORED_ONCE);
  factor_values(&c, 0);
  expect_success(sptrsvFactorGetValues(c.factor, &values));
  copy = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), values);
  for (int e = 0; e < A->nnz; e++) ((double *)copy)[e] *= 2;
  expect_success(sptrsvPlanUpdate(c.plan[UPPER], copy, NULL));
  expect_success(sptrsvPlanUpdate(c.reference[UPPER], copy, NULL));
  for (int k = 0; k < 4; k++) solve(&c, k % 2);
  case_destroy(&c);
  free(copy);
  case_end();
}

/* A grid of 27-point stencils: 13 entries in a row of the upper triangle, of more than a megabyte, which is timed */
static void grid(int m, ZooMatrix *A)
{
  *A         = (ZooMatrix){.name = "a grid of 27-point stencils", .n = m * m * m, .diagonal = true};
  A->row_ptr = place_new(SPTRSV_HOST, ((size_t)A->n + 1) * sizeof(int32_t), NULL);
  A->col_idx = place_new(SPTRSV_HOST, (size_t)A->n * 27 * sizeof(int32_t), NULL);
  A->values  = place_new(SPTRSV_HOST, (size_t)A->n * 27 * sizeof(double), NULL);

  A->row_ptr[0] = 0;
  for (int i = 0; i < A->n; i++) {
    for (int k = 0; k < 27; k++) {
      const int x = i % m + k % 3 - 1, y = i / m % m + k / 3 % 3 - 1, z = i / m / m + k / 9 - 1;

      if (x < 0 || x >= m || y < 0 || y >= m || z < 0 || z >= m) continue;
      A->col_idx[A->nnz]  = (z * m + y) * m + x;
      A->values[A->nnz++] = k == 13 ? 27 : -1;
    }
    A->row_ptr[i + 1] = A->nnz;
  }
}

/* Times of a plan that is gone are not those of the one in its place */
static void measure_anew(Case *c, int sweep, SptrsvStorage storage)
{
  expect_success(sptrsvPlanDestroy(&c->plan[sweep]));
  create_plan(c, sweep, storage);
  expect_text(c, "stored twice until 16 applies are timed", storage == SPTRSV_STORED_MEASURED);
  factor_values(c, 0);
  for (int k = 0; k < 17; k++) { /* the first apply packs values */
    for (int s = 0; s < SWEEPS; s++) solve(c, s);
  }
  expect_text(c, ": an apply takes ", storage == SPTRSV_STORED_MEASURED);
}

static void test_measured(SptrsvStorage storage)
{
  ZooMatrix A;
  Case      c;

  grid(24, &A);
  case_begin("%s, stored %s", A.name, storage == SPTRSV_STORED_TWICE ? "twice" : "as measured");
  case_create(&c, &A, SPTRSV_DOUBLE, NOTHING, NULL);
  for (int s = 0; s < SWEEPS; s++) create_plan(&c, s, storage);
  expect_text(&c, "stored twice until 16 applies are timed", storage == SPTRSV_STORED_MEASURED);
  factor_values(&c, 0);
  for (int k = 0; k < 16; k++) { /* the first apply packs values, and is not timed */
    for (int s = 0; s < SWEEPS; s++) solve(&c, s);
  }
  expect_text(&c, "until", storage == SPTRSV_STORED_MEASURED);
  for (int k = 0; k < 2; k++) { /* nor is that which packs the upper triangle again */
    factor_values(&c, (uint64_t)k);
    for (int s = 0; s < SWEEPS; s++) solve(&c, s);
  }
  expect_text(&c, "until", storage == SPTRSV_STORED_MEASURED);
  for (int s = 0; s < SWEEPS; s++) solve(&c, s);
  expect_text(&c, ": an apply takes ", storage == SPTRSV_STORED_MEASURED);
  for (int k = 0; k < 3; k++) {
    for (int s = 0; s < SWEEPS; s++) solve(&c, s);
  }
  for (int s = 0; s < SWEEPS; s++) measure_anew(&c, s, storage);
  case_destroy(&c);
  case_end();
  free(A.row_ptr);
  free(A.col_idx);
  free(A.values);
}

int main(int argc, char **argv)
{
  (void)test_begin("stored_once", argc, argv);
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix A;
    int32_t  *perm;

    zoo_create(k, true, &A);
    perm = random_permutation(A.n, 3);
    for (int variant = 0; A.diagonal && variant < ORDERS * VALUE_TYPES; variant++)
      test_once(&A, value_type(variant), variant / VALUE_TYPES, perm);
    free(perm);
    zoo_destroy(&A);
  }
  {
    ZooMatrix A;

    grid(5, &A);
    test_apart(&A);
    free(A.row_ptr);
    free(A.col_idx);
    free(A.values);
  }
  test_measured(SPTRSV_STORED_MEASURED);
  test_measured(SPTRSV_STORED_TWICE);
  return test_end();
}
