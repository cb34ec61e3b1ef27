/* Incomplete factorizations on the host and on the GPU: patterns, permutations, values, refactorization, and input that must be
   refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "factor_ways.h"
#include "zoo.h"

static const SptrsvPivoting    no_shift    = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};
static const SptrsvTaskOptions ata_tasks[] = {{SPTRSV_TASKS_CONCURRENCY, 0, 0},
                                              {SPTRSV_TASKS_CONCURRENCY, 1, 0},
                                              {SPTRSV_TASKS_CONCURRENCY, 20, 0},
                                              {SPTRSV_TASKS_LOCALITY, 20, 0}};

typedef struct {
  const char *name;
  int32_t    *row_perm, *col_iperm;
} Ordering;

typedef struct { /* a matrix, and what its factor is judged by */
  const ZooMatrix *A;
  SptrsvValueType  type;
  SptrsvLocation   location;
  void            *values; /* in `location` */
  Target           target;
} Input;

static Input input_create(const ZooMatrix *A, SptrsvFactorKind kind, const Ordering *ordering, SptrsvValueType type,
                          SptrsvLocation location)
{
  Input input = {A, type, location, zoo_values(A, type, false, location), {0}};

  target_create(A, kind, ordering->row_perm, ordering->col_iperm, type, &input.target);
  return input;
}

static void input_destroy(Input *input)
{
  target_destroy(&input->target);
  place_free(input->location, input->values);
}

static void factor_input(SptrsvFactor factor, const Input *input)
{
  factor_test(factor, &input->target, input->values, input->type, input->location);
}

/* A way is refused if and only if the pattern is not for it */
static const FactorWay ways[] = {{"entries", "entries", NULL},     {"rows", "rows", NULL},         {"sweep", "sweep", "strips"},
                                 {"sweep", "sweep", "levelorder"}, {"sweep", "sweep", "levelset"}, {"rows", "rows", "levelorder"},
                                 {"auto", NULL, "capellini"}};

static void test_way(SptrsvFactor factor, const FactorWay *way, const Input *input, const Ordering *ordering)
{
  const SptrsvAlgorithm *algorithm = NULL;
  const bool             suits = target_suits(&input->target, way->algorithm), empty = !input->A->n;
  char                   text[256] = "";
  SptrsvPlan             lower;
  SptrsvStatus           status = factor_go(factor, way, &ata_tasks[0], ordering->row_perm, input->type, &lower);

  /* without a plan the pattern is looked at by the first factorization */
  if (status == SPTRSV_SUCCESS && !lower) status = sptrsvFactorNumeric(factor, input->values, &no_shift, NULL, NULL);
  expect(status == (suits ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED), "%s beside %s: %s", way->name, way->lower ? way->lower : "no sweep",
         sptrsvGetErrorString(status));
  if (status == SPTRSV_SUCCESS) {
    factor_input(factor, input);
    expect_success(sptrsvFactorGetAlgorithm(factor, &algorithm));
    expect(empty || (algorithm && (!way->algorithm || algorithm == sptrsvFactorAlgorithmFind(way->algorithm))), "%s is not in use",
           way->name);
    expect_success(sptrsvFactorDescribe(factor, text, sizeof(text)));
    expect(!way->algorithm || empty || !strncmp(text, way->name, strlen(way->name)), "%s describes itself as \"%s\"", way->name, text);
  }
  expect_success(sptrsvFactorSetSweep(factor, NULL));
  expect_success(sptrsvPlanDestroy(&lower));
}

static void test_tasks(SptrsvFactor factor, const SptrsvTaskOptions *tasks, bool empty)
{
  char text[256] = "", size[32];

  expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = "ata", .ata = *tasks}));
  expect_success(sptrsvFactorDescribe(factor, text, sizeof(text)));
  expect(!strncmp(text, "ata, ", 5), "by tasks it describes itself as \"%s\"", text);
  (void)snprintf(size, sizeof(size), "of %d rows", tasks->size);
  expect(!tasks->size || strstr(text, size), "tasks %s describe themselves as \"%s\"", size, text);
  expect(tasks->size != 1 || empty || strstr(text, ", 100 % of rows in tasks without"), "no 100 %% in \"%s\"", text);
}

/* Two matrices of one pattern in turn, by every way on the GPU */
static void test_numeric(SptrsvFactor factor, const Input input[2], const Ordering *ordering)
{
  const bool gpu = input->location == SPTRSV_DEVICE, empty = !input->A->n;
  char       text[256] = "";

  for (int m = 0; m < 2; m++) factor_input(factor, &input[m]);
  for (size_t k = 0; gpu && sptrsvFactorAlgorithmFind("ata") && k < sizeof(ata_tasks) / sizeof(*ata_tasks); k++) {
    test_tasks(factor, &ata_tasks[k], empty);
    for (int m = 0; m < 2; m++) factor_input(factor, &input[m]);
  }
  for (size_t k = 0; gpu && k < sizeof(ways) / sizeof(*ways); k++) {
    if (way_is_there(&ways[k])) test_way(factor, &ways[k], &input[1], ordering);
  }
  expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = NULL}));
  factor_input(factor, &input[1]);
  expect_success(sptrsvFactorDescribe(factor, text, sizeof(text)));
  expect(gpu ? empty || !strncmp(text, "entries", 7) || !strncmp(text, "rows", 4) : !strcmp(text, "row by row"),
         "it describes itself as \"%s\"", text);
}

static void test_factor(const ZooMatrix *A, SptrsvFactorKind kind, const Ordering *ordering, SptrsvValueType type, SptrsvLocation location)
{
  const SptrsvCsr csr      = zoo_csr(A);
  SptrsvFactor    factor   = NULL;
  SptrsvAnalysis  analysis = NULL;
  int64_t         missing  = -1;
  size_t          host = 0, device = 0;
  ZooMatrix       other = *A;
  Input           input[2];

  if (!expect_success(sptrsvFactorCreate(&csr, kind, ordering->row_perm, ordering->col_iperm, NULL, type, location, &missing, &factor)))
    return;
  expect(missing == -1, "row %lld is said to miss its diagonal", (long long)missing);
  other.values = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), NULL);
  zoo_randomize(&other, 99);
  for (int m = 0; m < 2; m++) input[m] = input_create(m ? &other : A, kind, ordering, type, location);
  test_numeric(factor, input, ordering);
  for (int m = 0; m < 2; m++) input_destroy(&input[m]);
  free(other.values);
  expect_success(sptrsvFactorGetAnalysis(factor, &analysis));
  expect(analysis != NULL, "it has no analysis");
  expect_success(sptrsvFactorGetMemory(factor, &host, &device));
  expect(host && !device == (location == SPTRSV_HOST), "%zu bytes on the host, %zu on the device", host, device);
  expect_success(sptrsvFactorDestroy(&factor));
}

/* The row returned has no diagonal entry, and the factor is not created */
static void test_missing(const ZooMatrix *A, SptrsvFactorKind kind, const Ordering *ordering, SptrsvLocation location)
{
  const SptrsvCsr csr     = zoo_csr(A);
  SptrsvFactor    factor  = NULL;
  int64_t         missing = -1;
  Target          t;

  target_create(A, kind, ordering->row_perm, ordering->col_iperm, SPTRSV_DOUBLE, &t);
  expect_status(sptrsvFactorCreate(&csr, kind, ordering->row_perm, ordering->col_iperm, NULL, SPTRSV_DOUBLE, location, &missing, &factor),
                SPTRSV_MISSING_DIAGONAL, "sptrsvFactorCreate");
  expect(missing == target_missing_row(&t), "row %lld is named, not row %d", (long long)missing, target_missing_row(&t));
  expect(!factor, "there is a factor");
  target_destroy(&t);
}

static void test_orderings(const ZooMatrix *A, SptrsvLocation location)
{
  int32_t       *perm = random_permutation(A->n, 31), *inverse = inverse_permutation(A->n, perm), *reversed = random_permutation(A->n, 31);
  const Ordering orderings[] = {{"natural", NULL, NULL}, {"permuted", perm, inverse}, {"reversed", reversed, reversed}};

  for (int i = 0; i < A->n; i++) reversed[i] = A->n - 1 - i;
  for (int k = 0; k < 3 * 2 * VALUE_TYPES; k++) {
    const Ordering        *o    = &orderings[k / (2 * VALUE_TYPES)];
    const SptrsvFactorKind kind = k % 2 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const SptrsvValueType  type = value_type(k / 2);

    case_begin("%s of %s, %s, %s, on the %s", k % 2 ? "ICC(0)" : "ILU(0)", A->name, o->name, value_types[type].name,
               location == SPTRSV_DEVICE ? "GPU" : "host");
    if (A->diagonal) test_factor(A, kind, o, type, location);
    else test_missing(A, kind, o, location);
    case_end();
  }
  free(perm);
  free(inverse);
  free(reversed);
}

/* Rows and columns in different orders: ILU only, and only where the permuted matrix has a diagonal */
static void test_two_orderings(SptrsvLocation location)
{
  enum { FULL = 20, GRID = 6 };
  ZooMatrix A;

  zoo_create(FULL, true, &A);
  {
    const Ordering o    = {"rows and columns apart", random_permutation(A.n, 41), random_permutation(A.n, 42)};
    const Ordering rows = {"rows only", o.row_perm, NULL};

    case_begin("ILU(0) of %s, %s", A.name, o.name);
    test_factor(&A, SPTRSV_ILU0, &o, SPTRSV_DOUBLE, location);
    test_factor(&A, SPTRSV_ILU0, &rows, SPTRSV_DOUBLE, location);
    case_end();
    free(o.row_perm);
    free(o.col_iperm);
  }
  zoo_destroy(&A);
  zoo_create(GRID, true, &A);
  {
    const Ordering rows = {"rows only", random_permutation(A.n, 43), NULL};

    case_begin("ILU(0) of %s, %s", A.name, rows.name);
    test_missing(&A, SPTRSV_ILU0, &rows, location);
    case_end();
    free(rows.row_perm);
  }
  zoo_destroy(&A);
}

/* The entries of each row in descending order: the same factor, bit for bit */
static void test_unsorted(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvLocation location)
{
  const SptrsvCsr csr       = zoo_csr(A);
  ZooMatrix       back      = *A;
  SptrsvFactor    factor[2] = {NULL, NULL};
  double         *result[2];

  back.col_idx = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(int32_t), NULL);
  back.values  = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), NULL);
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i], q = A->row_ptr[i + 1] - 1; e < A->row_ptr[i + 1]; e++, q--) {
      back.col_idx[q] = A->col_idx[e];
      back.values[q]  = A->values[e];
    }
  }
  case_begin("%s of unsorted rows, %s, on the %s", kind == SPTRSV_ICC0 ? "ICC(0)" : "ILU(0)", A->name,
             location == SPTRSV_DEVICE ? "GPU" : "host");
  for (int k = 0; k < 2; k++) {
    const SptrsvCsr    taken  = k ? zoo_csr(&back) : csr;
    void              *values = place_new(location, (size_t)A->nnz * sizeof(double), k ? back.values : A->values);
    const void        *v      = NULL;
    int64_t            rows, nnz = 0;
    const int32_t     *row_ptr, *col_idx;
    SptrsvFactorResult r;

    result[k] = NULL;
    expect_success(sptrsvFactorCreate(&taken, kind, NULL, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor[k]));
    expect_success(sptrsvFactorNumeric(factor[k], values, &no_shift, NULL, &r));
    expect_success(sptrsvFactorGetPattern(factor[k], &rows, &nnz, &row_ptr, &col_idx));
    expect_success(sptrsvFactorGetValues(factor[k], &v));
    result[k] = place_new(SPTRSV_HOST, (size_t)nnz * sizeof(double), NULL);
    place_get(location, result[k], v, (size_t)nnz * sizeof(double));
    if (k) expect(!memcmp(result[0], result[1], (size_t)nnz * sizeof(double)), "other values than from sorted rows");
    expect_success(sptrsvFactorDestroy(&factor[k]));
    place_free(location, values);
  }
  case_end();
  free(result[0]);
  free(result[1]);
  free(back.col_idx);
  free(back.values);
}

/* Each row needs the one before and is coupled with the second after it: as many entries on either side, none of which has a mirror
   image */
static void create_slanted(ZooMatrix *A)
{
  enum { ROWS = 64 };

  *A         = (ZooMatrix){.name = "slanted", .n = ROWS, .nnz = 3 * ROWS - 4, .diagonal = true};
  A->row_ptr = place_new(SPTRSV_HOST, (ROWS + 1) * sizeof(int32_t), NULL);
  A->col_idx = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(int32_t), NULL);
  A->values  = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), NULL);
  for (int i = 0, e = 0; i < ROWS; i++) {
    A->row_ptr[i] = e;
    if (i > 1) A->col_idx[e++] = i - 1;
    A->col_idx[e++] = i;
    if (i + 2 < ROWS) A->col_idx[e++] = i + 2;
    A->row_ptr[i + 1] = e;
  }
  zoo_randomize(A, 7);
}

static void test_refusals(void)
{
  static const int32_t row_ptr[] = {0, 2, 4}, columns[] = {0, 1, 0, 1}, twice[] = {0, 0, 0, 1}, perm[] = {1, 0}, same[] = {0, 0},
                       beyond[] = {0, 2};
  static const double values[]  = {2, 1, 1, 2};
  const SptrsvCsr good = {2, 4, row_ptr, columns, SPTRSV_INT32, SPTRSV_HOST}, doubled = {2, 4, row_ptr, twice, SPTRSV_INT32, SPTRSV_HOST};
  SptrsvFactor    f = NULL;
  SptrsvFactorResult r;

  case_begin("what factorizations refuse");
  expect_status(sptrsvFactorCreate(NULL, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_INVALID_ARGUMENT,
                "no matrix");
  expect_status(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, NULL), SPTRSV_INVALID_ARGUMENT,
                "nowhere to put the factor");
  expect_status(sptrsvFactorCreate(&good, SPTRSV_ICC0, perm, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_INVALID_ARGUMENT,
                "ICC(0) with half an ordering");
  for (int kind = SPTRSV_ILU0; kind <= SPTRSV_ICC0; kind++) {
    const SptrsvFactorKind k = (SptrsvFactorKind)kind;

    expect_status(sptrsvFactorCreate(&doubled, k, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_UNSORTED,
                  "an entry stored twice");
    expect_status(sptrsvFactorCreate(&good, k, beyond, perm, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_INVALID_ARGUMENT,
                  "a row beyond the last");
    expect_status(sptrsvFactorCreate(&good, k, perm, beyond, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_INVALID_ARGUMENT,
                  "a column beyond the last");
    expect(sptrsvFactorCreate(&good, k, perm, same, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f) != SPTRSV_SUCCESS,
           "two columns in one place are taken");
    expect_status(sptrsvFactorCreate(&good, k, same, perm, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_INVALID_ARGUMENT,
                  "a row named twice");
    if (!sptrsvDeviceCount()) {
      expect_status(sptrsvFactorCreate(&good, k, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &f), SPTRSV_NO_DEVICE,
                    "a GPU that is not there");
    }
  }
  expect(!f, "there is a factor");
  expect_success(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  expect_status(sptrsvFactorNumeric(f, NULL, &no_shift, NULL, &r), SPTRSV_INVALID_ARGUMENT, "no values");
  expect_status(sptrsvFactorNumeric(NULL, values, &no_shift, NULL, &r), SPTRSV_INVALID_ARGUMENT, "no factor");
  expect_success(sptrsvFactorDestroy(&f));
  expect(!f, "the handle is still there");
  expect_success(sptrsvFactorDestroy(&f));
  case_end();
}

static void test_location(SptrsvLocation location)
{
  ZooMatrix slanted;

  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix A;

    zoo_create(k, test_quick(), &A);
    test_orderings(&A, location);
    if (A.diagonal) {
      test_unsorted(&A, SPTRSV_ILU0, location);
      test_unsorted(&A, SPTRSV_ICC0, location);
    }
    zoo_destroy(&A);
  }
  test_two_orderings(location);
  create_slanted(&slanted);
  test_orderings(&slanted, location);
  zoo_destroy(&slanted);
}

int main(int argc, char **argv)
{
  (void)test_begin("factor", argc, argv);
  test_location(SPTRSV_HOST);
  if (sptrsvDeviceCount()) test_location(SPTRSV_DEVICE);
  else case_skip("factorizations on the GPU: there is no GPU");
  test_refusals();
  return test_end();
}
