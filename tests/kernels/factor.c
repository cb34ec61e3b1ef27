/* Incomplete factorizations on the host and on the GPU: patterns, permutations, values, refactorization, and input that must be
   refused. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "factor_check.h"
#include "zoo.h"

static const SptrsvPivoting    NoShift = {SPTRSV_SHIFT_NONE, 0, 1e-30};
static const SptrsvTaskOptions Ata[]   = {
  {SPTRSV_TASKS_CONCURRENCY, 0, 0},
  {SPTRSV_TASKS_CONCURRENCY, 20, 0},
  {SPTRSV_TASKS_LOCALITY, 20, 0}
};

typedef struct {
  const char *name;
  int32_t    *row_perm, *col_iperm;
} Ordering;

static void Numeric(SptrsvFactor factor, const ZooMatrix *A, SptrsvFactorKind kind, const Ordering *o, SptrsvValueType type,
                    SptrsvLocation location)
{
  void              *values = zooValues(A, type, false, location);
  SptrsvFactorResult r      = {0};
  Target             t;

  targetCreate(A, kind, o->row_perm, o->col_iperm, type, &t);
  expectSuccess(sptrsvFactorNumeric(factor, values, &NoShift, NULL, &r));
  expect(r.zero_pivot_row == -1 && !r.shifts && r.shift_amount == 0, "row %lld has the pivot %g, %d shifts",
         (long long)r.zero_pivot_row, r.zero_pivot, r.shifts);
  factorJudge(factor, &t, type, location, 0);
  targetDestroy(&t);
  placeFree(location, values);
}

static void Factored(const ZooMatrix *A, SptrsvFactorKind kind, const Ordering *o, SptrsvValueType type, SptrsvLocation location)
{
  const SptrsvCsr csr      = zooCsr(A);
  SptrsvFactor    factor   = NULL;
  SptrsvAnalysis  analysis = NULL;
  int64_t         missing  = -1;
  size_t          host = 0, device = 0;
  ZooMatrix       other = *A;
  char            text[256] = "";

  if (!expectSuccess(sptrsvFactorCreate(&csr, kind, o->row_perm, o->col_iperm, type, location, &missing, &factor))) return;
  expect(missing == -1, "row %lld is said to miss its diagonal", (long long)missing);
  Numeric(factor, A, kind, o, type, location);
  other.values = placeNew(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), NULL);
  zooRandomize(&other, 99);
  Numeric(factor, &other, kind, o, type, location);
  for (size_t k = 0; location == SPTRSV_DEVICE && k < sizeof(Ata) / sizeof(*Ata); k++) {
    expectSuccess(sptrsvFactorSetAlgorithm(factor, "ata", &Ata[k]));
    expectSuccess(sptrsvFactorDescribe(factor, text, sizeof(text)));
    expect(!strncmp(text, "ata, ", 5), "by tasks it describes itself as \"%s\"", text);
    Numeric(factor, A, kind, o, type, location);
    Numeric(factor, &other, kind, o, type, location);
  }
  expectSuccess(sptrsvFactorSetAlgorithm(factor, "auto", NULL));
  expectSuccess(sptrsvFactorDescribe(factor, text, sizeof(text)));
  expect(!strncmp(text, location == SPTRSV_DEVICE ? "entries" : "row by row", 7), "it describes itself as \"%s\"", text);
  Numeric(factor, &other, kind, o, type, location);
  free(other.values);
  expectSuccess(sptrsvFactorGetAnalysis(factor, &analysis));
  expect(analysis != NULL, "it has no analysis");
  expectSuccess(sptrsvFactorGetMemory(factor, &host, &device));
  expect(host && !device == (location == SPTRSV_HOST), "%zu bytes on the host, %zu on the device", host, device);
  expectSuccess(sptrsvFactorDestroy(&factor));
}

/* The row named must be one without a diagonal entry, and without one the factor does not exist */
static void Missing(const ZooMatrix *A, SptrsvFactorKind kind, const Ordering *o, SptrsvLocation location)
{
  const SptrsvCsr csr     = zooCsr(A);
  SptrsvFactor    factor  = NULL;
  int64_t         missing = -1;
  Target          t;

  targetCreate(A, kind, o->row_perm, o->col_iperm, SPTRSV_DOUBLE, &t);
  expectStatus(sptrsvFactorCreate(&csr, kind, o->row_perm, o->col_iperm, SPTRSV_DOUBLE, location, &missing, &factor),
               SPTRSV_MISSING_DIAGONAL, "sptrsvFactorCreate");
  expect(missing == targetMissingRow(&t), "row %lld is named, not row %d", (long long)missing, targetMissingRow(&t));
  expect(!factor, "there is a factor");
  targetDestroy(&t);
}

static void Orderings(const ZooMatrix *A, SptrsvLocation location)
{
  int32_t *perm = randomPermutation(A->n, 31), *inverse = inversePermutation(A->n, perm), *reversed = randomPermutation(A->n, 31);
  const Ordering orderings[] = {
    {"natural",  NULL,     NULL    },
    {"permuted", perm,     inverse },
    {"reversed", reversed, reversed}
  };

  for (int i = 0; i < A->n; i++) reversed[i] = A->n - 1 - i;
  for (int k = 0; k < 12; k++) {
    const Ordering        *o    = &orderings[k / 4];
    const SptrsvFactorKind kind = k & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const SptrsvValueType  type = k & 2 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;

    caseBegin("%s of %s, %s, %s, on the %s", k & 1 ? "ICC(0)" : "ILU(0)", A->name, o->name, k & 2 ? "float" : "double",
              location == SPTRSV_DEVICE ? "GPU" : "host");
    if (A->diagonal) Factored(A, kind, o, type, location);
    else Missing(A, kind, o, location);
    caseEnd();
  }
  free(perm);
  free(inverse);
  free(reversed);
}

/* Rows and columns in orders of their own: ILU only, and only where the diagonal is still there afterwards */
static void TwoOrderings(SptrsvLocation location)
{
  enum { FULL = 20, GRID = 6 };
  ZooMatrix A;

  zooCreate(FULL, true, &A);
  {
    const Ordering o    = {"rows and columns apart", randomPermutation(A.n, 41), randomPermutation(A.n, 42)};
    const Ordering rows = {"rows only", o.row_perm, NULL};

    caseBegin("ILU(0) of %s, %s", A.name, o.name);
    Factored(&A, SPTRSV_ILU0, &o, SPTRSV_DOUBLE, location);
    Factored(&A, SPTRSV_ILU0, &rows, SPTRSV_DOUBLE, location);
    caseEnd();
    free(o.row_perm);
    free(o.col_iperm);
  }
  zooDestroy(&A);
  zooCreate(GRID, true, &A);
  {
    const Ordering rows = {"rows only", randomPermutation(A.n, 43), NULL};

    caseBegin("ILU(0) of %s, %s", A.name, rows.name);
    Missing(&A, SPTRSV_ILU0, &rows, location);
    caseEnd();
    free(rows.row_perm);
  }
  zooDestroy(&A);
}

/* The entries of each row backwards: the same factor, bit for bit */
static void Unsorted(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvLocation location)
{
  const SptrsvCsr csr       = zooCsr(A);
  ZooMatrix       back      = *A;
  SptrsvFactor    factor[2] = {NULL, NULL};
  double         *result[2];

  back.col_idx = placeNew(SPTRSV_HOST, (size_t)A->nnz * sizeof(int32_t), NULL);
  back.values  = placeNew(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), NULL);
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i], q = A->row_ptr[i + 1] - 1; e < A->row_ptr[i + 1]; e++, q--) {
      back.col_idx[q] = A->col_idx[e];
      back.values[q]  = A->values[e];
    }
  }
  caseBegin("%s of unsorted rows, %s, on the %s", kind == SPTRSV_ICC0 ? "ICC(0)" : "ILU(0)", A->name,
            location == SPTRSV_DEVICE ? "GPU" : "host");
  for (int k = 0; k < 2; k++) {
    const SptrsvCsr    taken  = k ? zooCsr(&back) : csr;
    void              *values = placeNew(location, (size_t)A->nnz * sizeof(double), k ? back.values : A->values);
    const void        *v      = NULL;
    int64_t            rows, nnz = 0;
    const int32_t     *row_ptr, *col_idx;
    SptrsvFactorResult r;

    result[k] = NULL;
    expectSuccess(sptrsvFactorCreate(&taken, kind, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor[k]));
    expectSuccess(sptrsvFactorNumeric(factor[k], values, &NoShift, NULL, &r));
    expectSuccess(sptrsvFactorGetPattern(factor[k], &rows, &nnz, &row_ptr, &col_idx));
    expectSuccess(sptrsvFactorGetValues(factor[k], &v));
    result[k] = placeNew(SPTRSV_HOST, (size_t)nnz * sizeof(double), NULL);
    placeGet(location, result[k], v, (size_t)nnz * sizeof(double));
    if (k) expect(!memcmp(result[0], result[1], (size_t)nnz * sizeof(double)), "other values than from sorted rows");
    expectSuccess(sptrsvFactorDestroy(&factor[k]));
    placeFree(location, values);
  }
  caseEnd();
  free(result[0]);
  free(result[1]);
  free(back.col_idx);
  free(back.values);
}

static void Refusals(void)
{
  static const int32_t row_ptr[] = {0, 2, 4}, columns[] = {0, 1, 0, 1}, twice[] = {0, 0, 0, 1}, perm[] = {1, 0}, same[] = {0, 0},
                       beyond[] = {0, 2};
  static const double values[]  = {2, 1, 1, 2};
  const SptrsvCsr     good      = {2, 4, row_ptr, columns, SPTRSV_INT32, SPTRSV_HOST},
                  doubled       = {2, 4, row_ptr, twice, SPTRSV_INT32, SPTRSV_HOST};
  SptrsvFactor       f          = NULL;
  SptrsvFactorResult r;

  caseBegin("what factorizations refuse");
  expectStatus(sptrsvFactorCreate(NULL, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f),
               SPTRSV_INVALID_ARGUMENT, "no matrix");
  expectStatus(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, NULL),
               SPTRSV_INVALID_ARGUMENT, "nowhere to put the factor");
  expectStatus(sptrsvFactorCreate(&good, SPTRSV_ICC0, perm, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f),
               SPTRSV_INVALID_ARGUMENT, "ICC(0) with half an ordering");
  for (int kind = SPTRSV_ILU0; kind <= SPTRSV_ICC0; kind++) {
    const SptrsvFactorKind k = (SptrsvFactorKind)kind;

    expectStatus(sptrsvFactorCreate(&doubled, k, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_UNSORTED,
                 "an entry stored twice");
    expectStatus(sptrsvFactorCreate(&good, k, beyond, perm, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_INVALID_ARGUMENT,
                 "a row beyond the last");
    expectStatus(sptrsvFactorCreate(&good, k, perm, beyond, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_INVALID_ARGUMENT,
                 "a column beyond the last");
    expect(sptrsvFactorCreate(&good, k, perm, same, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f) != SPTRSV_SUCCESS,
           "two columns in one place are taken");
    expectStatus(sptrsvFactorCreate(&good, k, same, perm, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_INVALID_ARGUMENT,
                 "a row named twice");
    if (!sptrsvDeviceCount()) {
      expectStatus(sptrsvFactorCreate(&good, k, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &f), SPTRSV_NO_DEVICE,
                   "a GPU that is not there");
    }
  }
  expect(!f, "there is a factor");
  expectSuccess(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  expectStatus(sptrsvFactorNumeric(f, NULL, &NoShift, NULL, &r), SPTRSV_INVALID_ARGUMENT, "no values");
  expectStatus(sptrsvFactorNumeric(f, values, NULL, NULL, &r), SPTRSV_INVALID_ARGUMENT, "no pivoting");
  expectStatus(sptrsvFactorNumeric(f, values, &NoShift, NULL, NULL), SPTRSV_INVALID_ARGUMENT, "nowhere to put the result");
  expectStatus(sptrsvFactorNumeric(NULL, values, &NoShift, NULL, &r), SPTRSV_INVALID_ARGUMENT, "no factor");
  expectSuccess(sptrsvFactorDestroy(&f));
  expect(!f, "the handle is still there");
  expectSuccess(sptrsvFactorDestroy(&f));
  caseEnd();
}

static void Location(SptrsvLocation location)
{
  for (int k = 0; k < zooCount(); k++) {
    ZooMatrix A;

    zooCreate(k, testQuick(), &A);
    Orderings(&A, location);
    if (A.diagonal) {
      Unsorted(&A, SPTRSV_ILU0, location);
      Unsorted(&A, SPTRSV_ICC0, location);
    }
    zooDestroy(&A);
  }
  TwoOrderings(location);
}

int main(int argc, char **argv)
{
  (void)testBegin("factor", argc, argv);
  Location(SPTRSV_HOST);
  if (sptrsvDeviceCount()) Location(SPTRSV_DEVICE);
  else caseSkip("factorizations on the GPU: there is no GPU");
  Refusals();
  return testEnd();
}
