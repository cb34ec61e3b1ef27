/* Levels of fill: pattern and values of ILU(k) and ICC(k) on the host and on the GPU, with new values, and with diagonal entries that the
   matrix lacks.  The pattern is judged by levels on a dense matrix. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "pivot_case.h"

enum { CHAIN = 4, RANDOM = 18 }; /* of the zoo */
static const SptrsvPivoting no_shift = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};
static const int64_t        levels[] = {1, 2, 5, INT64_MAX / 4}; /* the last one: a complete factorization */
enum { LEVELS = sizeof(levels) / sizeof(*levels) };

typedef struct {
  SptrsvFactorKind kind;
  SptrsvValueType  type;
  int32_t         *row_perm, *col_iperm; /* NULL: natural */
  SptrsvFill       fill;
  SptrsvLocation   location;
} FillCase;

static Target filled_target(const FillCase *c, const ZooMatrix *A)
{
  Target t;

  target_create(A, c->kind, c->row_perm, c->col_iperm, c->type, &t);
  target_fill(&t, &c->fill);
  return t;
}

static SptrsvStatus create(const FillCase *c, const ZooMatrix *A, int64_t *missing, SptrsvFactor *factor)
{
  const SptrsvCsr csr = zoo_csr(A);

  return sptrsvFactorCreate(&csr, c->kind, c->row_perm, c->col_iperm, &c->fill, c->type, c->location, missing, factor);
}

static void judge_numeric(const FillCase *c, const ZooMatrix *A, const Target *t, SptrsvFactor factor)
{
  const SptrsvFactorResult r = factor_values(factor, c->type, zoo_values(A, c->type, false, c->location), c->location, &no_shift);

  expect(r.zero_pivot_row == -1 && !r.shifts, "row %lld has the pivot %g, %d shifts", (long long)r.zero_pivot_row, r.zero_pivot, r.shifts);
  factor_judge(factor, t, c->type, c->location, 0);
}

/* A factor of A, twice, then of other values, then of these by tasks */
static void test_fill(const FillCase *c, const ZooMatrix *A, const Target *t)
{
  SptrsvFactor factor  = NULL;
  int64_t      missing = -1;
  ZooMatrix    other   = *A;
  Target       other_t;

  if (!expect_success(create(c, A, &missing, &factor))) return;
  expect(missing == -1, "row %lld is said to miss its diagonal", (long long)missing);
  for (int k = 0; k < 2; k++) judge_numeric(c, A, t, factor);
  other.values = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), NULL);
  zoo_randomize(&other, 99);
  other_t = filled_target(c, &other);
  judge_numeric(c, &other, &other_t, factor);
  if (c->location == SPTRSV_DEVICE && sptrsvFactorAlgorithmFind("ata")) {
    expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = "ata"}));
    judge_numeric(c, &other, &other_t, factor);
  }
  target_destroy(&other_t);
  free(other.values);
  expect_success(sptrsvFactorDestroy(&factor));
}

static void test_missing(const FillCase *c, const ZooMatrix *A, int row)
{
  SptrsvFactor factor  = NULL;
  int64_t      missing = -1;

  expect_status(create(c, A, &missing, &factor), SPTRSV_MISSING_DIAGONAL, "sptrsvFactorCreate");
  expect(missing == row, "row %lld is named, not row %d", (long long)missing, row);
  expect(!factor, "there is a factor");
}

static void test_either(const FillCase *c, const ZooMatrix *A)
{
  Target    t   = filled_target(c, A);
  const int row = target_missing_row(&t);

  if (row < 0) test_fill(c, A, &t);
  else test_missing(c, A, row);
  target_destroy(&t);
}

static void test_matrix(int k, SptrsvLocation location)
{
  ZooMatrix A;
  int32_t  *perm, *inverse;

  zoo_create(k, true, &A);
  perm    = random_permutation(A.n, 31);
  inverse = inverse_permutation(A.n, perm);
  for (int l = 0; l < LEVELS; l++) {
    for (int variant = 0; variant < 4; variant++) {
      const bool     permuted = variant & 2;
      const bool     narrow   = l < LEVELS - 1 && (k + l + variant) % 3 == 0; /* floats underflow in complete factorizations */
      const FillCase c        = {variant & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0,
                                 value_type(narrow),
                                 permuted ? perm : NULL,
                                 permuted ? inverse : NULL,
                                 {levels[l], 0},
                                 location};

      if (location == SPTRSV_DEVICE && (k + l + variant) % 4) continue; /* the emulator takes long */
      case_begin("%s of %s, %lld levels, %s, on the %s", variant & 1 ? "ICC" : "ILU", A.name, (long long)levels[l],
                 permuted ? "permuted" : "natural", location_name(location));
      test_either(&c, &A);
      case_end();
    }
  }
  free(perm);
  free(inverse);
  zoo_destroy(&A);
}

/* Rows in another order than columns, so that diagonal entries are missing, which fill adds with diagonal set, and at some levels */
static void test_rows_only(SptrsvLocation location)
{
  int lack = 0, have = 0;

  for (int variant = 0; variant < 2 * LEVELS; variant++) {
    ZooMatrix A;
    FillCase  c = {SPTRSV_ILU0, SPTRSV_DOUBLE, NULL, NULL, {variant / 2 ? levels[variant / 2] : 0, variant & 1}, location};
    Target    t;

    zoo_create(RANDOM, true, &A);
    c.row_perm = random_permutation(A.n, 43);
    t          = filled_target(&c, &A);
    if (target_missing_row(&t) < 0) have++;
    else lack++;
    case_begin("ILU of %s, rows only, %lld levels%s, on the %s", A.name, (long long)c.fill.levels, variant & 1 ? ", diagonal" : "",
               location_name(location));
    if (target_missing_row(&t) < 0) {
      SptrsvFactor factor = NULL;

      expect_success(create(&c, &A, NULL, &factor));
      expect_pattern(factor, &t);
      expect_success(sptrsvFactorDestroy(&factor));
    } else test_missing(&c, &A, target_missing_row(&t));
    case_end();
    target_destroy(&t);
    free(c.row_perm);
    zoo_destroy(&A);
  }
  case_begin("patterns with and without a diagonal, rows only");
  expect(lack && have, "%d without, %d with", lack, have);
  case_end();
}

/* Fill that changes nothing leaves the factor of no fill, bit for bit */
static void test_none(SptrsvLocation location)
{
  static const SptrsvFill fills[] = {{0, 0}, {0, 1}, {3, 0}};
  ZooMatrix               A;

  zoo_create(CHAIN, true, &A);
  case_begin("fill that a chain does not have, on the %s", location_name(location));
  for (int k = 0; k < 3; k++) {
    SptrsvFactor factor[2];
    void        *values[2];
    int64_t      nnz[2] = {0, 0};

    for (int f = 0; f < 2; f++) {
      (void)factor_matrix(&A, SPTRSV_ILU0, f ? &fills[k] : NULL, SPTRSV_DOUBLE, location, &no_shift, &factor[f]);
      values[f] = copy_factor(factor[f], SPTRSV_DOUBLE, location, &nnz[f]);
      expect_success(sptrsvFactorDestroy(&factor[f]));
    }
    expect(nnz[0] == nnz[1] && !memcmp(values[0], values[1], (size_t)nnz[0] * sizeof(double)), "fill %d: another factor", k);
    for (int f = 0; f < 2; f++) free(values[f]);
  }
  case_end();
  zoo_destroy(&A);
}

/* A matrix without entries, whose diagonal is fill: the factor is that of the shift, and needs no values */
static void test_no_entries(SptrsvLocation location)
{
  static const int32_t row_ptr[4] = {0};
  const SptrsvCsr      csr        = {3, 0, row_ptr, NULL, SPTRSV_INT32, SPTRSV_HOST};
  const SptrsvPivoting p          = {SPTRSV_SHIFT_NONZERO, 0.25, 1e-14, 0};
  SptrsvFactor         factor     = NULL;
  SptrsvFactorResult   r          = {.zero_pivot_row = -2};

  case_begin("a diagonal of fill on the %s", location_name(location));
  if (expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, &(SptrsvFill){0, 1}, SPTRSV_DOUBLE, location, NULL, &factor))) {
    int64_t nnz = 0;
    double *values;

    expect_success(sptrsvFactorNumeric(factor, NULL, &p, NULL, &r));
    expect(r.zero_pivot_row == -1 && r.shift_amount == 0.25, "row %lld, shift %g", (long long)r.zero_pivot_row, r.shift_amount);
    values = copy_factor(factor, SPTRSV_DOUBLE, location, &nnz);
    expect(nnz == 3 && values[0] == 4 && values[1] == 4 && values[2] == 4, "%lld entries", (long long)nnz);
    free(values);
    expect_success(sptrsvFactorDestroy(&factor));
  }
  case_end();
}

static void test_refusals(void)
{
  static const int32_t row_ptr[] = {0, 2, 4}, twice[] = {0, 0, 0, 1}, columns[] = {0, 1, 0, 1};
  const SptrsvCsr      good    = {2, 4, row_ptr, columns, SPTRSV_INT32, SPTRSV_HOST};
  const SptrsvCsr      doubled = {2, 4, row_ptr, twice, SPTRSV_INT32, SPTRSV_HOST};
  SptrsvFactor         f       = NULL;

  case_begin("what fill refuses");
  expect_refusal(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, &(SptrsvFill){-1, 0}, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  expect_status(sptrsvFactorCreate(&doubled, SPTRSV_ILU0, NULL, NULL, &(SptrsvFill){1, 1}, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f),
                SPTRSV_UNSORTED, "an entry stored twice");
  expect(!f, "there is a factor");
  case_end();
}

static void test_location(SptrsvLocation location)
{
  for (int k = 0; k < zoo_count(); k++) test_matrix(k, location);
  test_rows_only(location);
  test_none(location);
  test_no_entries(location);
}

int main(int argc, char **argv)
{
  (void)test_begin("fill", argc, argv);
  test_location(SPTRSV_HOST);
  if (sptrsvDeviceCount()) test_location(SPTRSV_DEVICE);
  else case_skip("fill on the GPU: there is no GPU");
  test_refusals();
  return test_end();
}
