/* The host's fast sweeps against host: the same bits for any number of threads, any windows and any division of the levels. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

enum { SOLVES = 3 };

static const struct {
  const char *algorithm;
  int         threads, entries, window;
} teams[] = {{"host-threads", 1, 1, 0}, {"host-threads", 2, 1, 0},  {"host-threads", 5, 7, 0}, {"host-threads", 0, 0, 0},
             {"host-windows", 1, 0, 1}, {"host-windows", 1, 0, 16}, {"host-windows", 2, 0, 8}, {"host-windows", 5, 0, 1},
             {"host-windows", 3, 0, 0}, {"auto", 0, 0, 0}};

static void solve_with(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, const void *values, const void *b, void *x, int solves)
{
  SptrsvPlan plan = NULL;

  if (!expect_success(sptrsvPlanCreate(analysis, options, &plan))) return;
  expect_success(sptrsvPlanUpdate(plan, values, NULL));
  for (int k = 0; k < solves; k++) expect_success(sptrsvSolve(plan, b, x, NULL));
  expect_success(sptrsvPlanDestroy(&plan));
}

static void test_same_bits(const ZooMatrix *A, SptrsvAnalysis analysis, SptrsvPlanOptions options)
{
  const size_t bytes  = (size_t)A->n * value_size(options.type);
  void *const  values = zoo_values(A, options.type, options.diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  void *const b = place_new(SPTRSV_HOST, bytes, NULL), *const x = place_new(SPTRSV_HOST, bytes, NULL),
              *const y    = place_new(SPTRSV_HOST, bytes, NULL);
  uint64_t           seed = 5;

  for (int i = 0; i < A->n; i++) {
    if (options.type == SPTRSV_DOUBLE) ((double *)b)[i] = 2 * random_unit(&seed) - 1;
    else ((float *)b)[i] = (float)(2 * random_unit(&seed) - 1);
  }
  options.algorithm = "host";
  solve_with(analysis, &options, values, b, x, 1);
  for (size_t k = 0; k < sizeof(teams) / sizeof(*teams); k++) {
    options.algorithm                   = teams[k].algorithm;
    options.tuning.host.threads         = teams[k].threads;
    options.tuning.host.window          = teams[k].window;
    options.tuning.host.threads_entries = teams[k].entries;
    solve_with(analysis, &options, values, b, y, SOLVES);
    expect(!memcmp(x, y, bytes), "%s, %d threads, a thread for %d entries, windows of %d rows: other bits than host", options.algorithm,
           teams[k].threads, teams[k].entries, teams[k].window);
  }
  free(values);
  free(b);
  free(x);
  free(y);
}

static void test_sweeps(const ZooMatrix *A, SptrsvAnalysis analysis)
{
  int32_t *in = random_permutation(A->n, 21), *out = random_permutation(A->n, 22);

  for (int k = 0; k < 24; k++) {
    SptrsvPlanOptions o = {.location = SPTRSV_HOST, .in_perm = k % 5 ? NULL : in, .out_perm = k % 7 ? NULL : out};

    o.triangle = k & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
    o.op       = k & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    o.type     = k & 4 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
    o.diagonal = A->diagonal ? (SptrsvDiagonal)(k / 8) : SPTRSV_DIAG_UNIT;
    test_same_bits(A, analysis, o);
  }
  free(in);
  free(out);
}

/* Two plans solve in turns, so that threads fall asleep in between; and many teams are created and destroyed */
static void test_turns(const char *algorithm)
{
  enum { N = 300 };
  int32_t        row_ptr[N + 1], col_idx[2 * N], nnz = 0;
  double         values[2 * N], b[N], x[N];
  SptrsvAnalysis analysis = NULL;
  SptrsvPlan     plan[2]  = {NULL, NULL};

  for (int i = 0; i < N; i++) { /* 30 rows in a level: row i needs row i - 30 */
    row_ptr[i] = nnz;
    if (i >= 30) col_idx[nnz] = i - 30, values[nnz++] = -1;
    col_idx[nnz] = i, values[nnz++] = 1;
    b[i] = 1;
  }
  row_ptr[N] = nnz;
  case_begin("%s, two teams in turns", algorithm);
  expect_success(sptrsvAnalysisCreate(&(SptrsvCsr){N, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_HOST, NULL, &analysis));
  for (int k = 0; k < 100; k++) {
    const SptrsvPlanOptions o = {.algorithm      = algorithm,
                                 .location       = SPTRSV_HOST,
                                 .diagonal       = SPTRSV_DIAG_STORED,
                                 .type           = SPTRSV_DOUBLE,
                                 .tuning.host.threads        = 2 + k % 3,
                                 .tuning.host.window         = 16,
                                 .tuning.host.threads_entries = 1};

    expect_success(sptrsvPlanDestroy(&plan[k % 2]));
    expect_success(sptrsvPlanCreate(analysis, &o, &plan[k % 2]));
    expect_success(sptrsvPlanUpdate(plan[k % 2], values, NULL));
    for (int p = 0; p < 2; p++) {
      if (!plan[p]) continue;
      memset(x, 0xff, sizeof(x));
      expect_success(sptrsvSolve(plan[p], b, x, NULL));
      for (int i = 0; i < N; i++) {
        const int level = i / 30;

        expect(x[i] == 1 + level, "x[%d] is %g", i, x[i]);
      }
    }
  }
  for (int p = 0; p < 2; p++) expect_success(sptrsvPlanDestroy(&plan[p]));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

/* A plan that packs the caller's values in its first solve follows each update */
static void test_values_change(void)
{
  ZooMatrix      A;
  SptrsvAnalysis analysis = NULL;
  SptrsvPlan     plan     = NULL;
  SptrsvCsr      csr;
  double        *b, *x, *y, *values;

  zoo_create(0, true, &A);
  csr    = zoo_csr(&A);
  b      = (double *)place_new(SPTRSV_HOST, (size_t)A.n * sizeof(*b), NULL);
  x      = (double *)place_new(SPTRSV_HOST, (size_t)A.n * sizeof(*x), NULL);
  y      = (double *)place_new(SPTRSV_HOST, (size_t)A.n * sizeof(*y), NULL);
  values = (double *)zoo_values(&A, SPTRSV_DOUBLE, true, SPTRSV_HOST);
  case_begin("host-windows, new values");
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  for (int k = 0; k < 2; k++) {
    const SptrsvPlanOptions o = {
        .algorithm = k ? "host-windows" : "host", .location = SPTRSV_HOST, .diagonal = SPTRSV_DIAG_INVERTED, .type = SPTRSV_DOUBLE};
    double *out = k ? y : x;

    for (int i = 0; i < A.n; i++) b[i] = 1 + i;
    for (int e = 0; e < A.nnz; e++) values[e] = 1. / (1 + e % 7);
    expect_success(sptrsvPlanCreate(analysis, &o, &plan));
    expect_success(sptrsvPlanUpdate(plan, values, NULL));
    for (int solve = 0; solve < 2; solve++) expect_success(sptrsvSolve(plan, b, out, NULL));
    for (int e = 0; e < A.nnz; e++) values[e] = 1. / (2 + e % 5);
    expect_success(sptrsvPlanUpdate(plan, values, NULL));
    for (int solve = 0; solve < 2; solve++) expect_success(sptrsvSolve(plan, b, out, NULL));
    expect_success(sptrsvPlanDestroy(&plan));
  }
  expect(!memcmp(x, y, (size_t)A.n * sizeof(*x)), "another result than host's after an update");
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
  free(b);
  free(x);
  free(y);
  free(values);
  zoo_destroy(&A);
}

/* The plan's description for a lower sweep of n rows; row i needs row i - distance[0] and, on its own line of so many, i - distance[k] */
static void describe(int n, const int *distance, int distances, int threads, char text[256])
{
  int32_t       *row_ptr  = (int32_t *)malloc(((size_t)n + 1) * sizeof(*row_ptr));
  int32_t       *col_idx  = (int32_t *)malloc((size_t)n * ((size_t)distances + 1) * sizeof(*col_idx)), nnz = 0;
  SptrsvAnalysis analysis = NULL;
  SptrsvPlan     plan     = NULL;

  for (int i = 0; i < n; i++) {
    row_ptr[i] = nnz;
    for (int k = 0; k < distances; k++) {
      if (i >= distance[k] && (!k || i % distance[0])) col_idx[nnz++] = i - distance[k];
    }
    col_idx[nnz++] = i;
  }
  row_ptr[n] = nnz;
  *text      = 0;
  expect_success(sptrsvAnalysisCreate(&(SptrsvCsr){n, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_HOST, NULL, &analysis));
  expect_success(sptrsvPlanCreate(analysis,
                                  &(SptrsvPlanOptions){.algorithm           = "auto",
                                                       .location            = SPTRSV_HOST,
                                                       .diagonal            = SPTRSV_DIAG_UNIT,
                                                       .type                = SPTRSV_DOUBLE,
                                                       .tuning.host.threads = threads},
                                  &plan));
  expect_success(sptrsvPlanDescribe(plan, text, 256));
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  free(row_ptr);
  free(col_idx);
}

/* What the models choose where there is no doubt */
static void test_choice(void)
{
  const int grid[] = {400, 1}, far[] = {9000}, chain[] = {1};
  char      text[256];

  case_begin("windows and threads of auto on the host");
  describe(160000, grid, 2, 1, text);
  expect(strstr(text, "windows of") && strstr(text, "1 thread"), "a grid: %s", text);
  describe(160000, far, 1, 1, text);
  expect(strstr(text, "rows as they are") != NULL, "rows that need far rows: %s", text);
  describe(160000, chain, 1, 0, text);
  expect(strstr(text, "1 thread") != NULL, "a chain: %s", text);
  if (sptrsvProcessors() > 1) {
    describe(160000, grid, 2, 0, text);
    expect(strstr(text, "threads, by the model") != NULL, "a grid and several processors: %s", text);
  }
  sptrsvLimitThreads(1);
  describe(160000, grid, 2, 0, text);
  expect(strstr(text, "1 thread") != NULL, "a grid with a limit of 1: %s", text);
  sptrsvLimitThreads(0);
  case_end();
}

static void test_limit(void)
{
  const int all = sptrsvProcessors();

  case_begin("the limit of threads");
  expect(all >= 1, "%d processors", all);
  sptrsvLimitThreads(1);
  expect(sptrsvProcessors() == 1, "%d threads with a limit of 1", sptrsvProcessors());
  sptrsvLimitThreads(all + 5);
  expect(sptrsvProcessors() == all, "%d threads with a limit above the %d processors", sptrsvProcessors(), all);
  sptrsvLimitThreads(0);
  expect(sptrsvProcessors() == all, "%d threads without a limit, %d before", sptrsvProcessors(), all);
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("threads", argc, argv);

  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;

    zoo_create(k, test_quick(), &A);
    csr = zoo_csr(&A);
    case_begin("threads and windows as host on %s", A.name);
    if (expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis))) test_sweeps(&A, analysis);
    expect_success(sptrsvAnalysisDestroy(&analysis));
    case_end();
    zoo_destroy(&A);
  }
  test_turns("host-threads");
  test_turns("host-windows");
  test_values_change();
  test_limit();
  test_choice();
  return test_end();
}
