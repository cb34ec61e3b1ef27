/* The host's fast sweeps against host: the same bits for any number of threads, any windows and any division of the levels. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/solve/host/host_windows.h"
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

  for (int i = 0; i < A->n; i++) set_value(options.type, b, i, 2 * random_unit(&seed) - 1);
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

  for (int k = 0; k < ALL_SWEEPS; k++) {
    SptrsvPlanOptions o = {.location = SPTRSV_HOST, .in_perm = k % 5 ? NULL : in, .out_perm = k % 7 ? NULL : out};

    set_sweep(k, &o);
    if (!A->diagonal) o.diagonal = SPTRSV_DIAG_UNIT;
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

/* Three threads of the program, each with handles of its own, whose plans share the teams */
enum { CALLERS = 3, SOLVES_EACH = 200, CALLERS_N = 400 };

typedef struct {
  double values[2 * CALLERS_N]; /* its own */
  int    wrong;
} Caller;

static SptrsvPlan plan_of(SptrsvAnalysis analysis, const char *algorithm, const double *values)
{
  const SptrsvPlanOptions o    = {.algorithm   = algorithm,
                                  .location    = SPTRSV_HOST,
                                  .diagonal    = SPTRSV_DIAG_STORED,
                                  .type        = SPTRSV_DOUBLE,
                                  .tuning.host = {.threads = 2, .window = 16, .threads_entries = 1}};
  SptrsvPlan              plan = NULL;

  if (!sptrsvPlanCreate(analysis, &o, &plan)) (void)sptrsvPlanUpdate(plan, values, NULL);
  return plan;
}

static void *call(void *context)
{
  static const char *const algorithms[] = {"host", "host-windows", "host-threads"};
  Caller                  *caller       = (Caller *)context;
  int32_t                  row_ptr[CALLERS_N + 1], col_idx[2 * CALLERS_N], nnz = 0;
  double                   b[CALLERS_N], right[CALLERS_N], x[CALLERS_N];
  SptrsvAnalysis           analysis = NULL;
  SptrsvPlan               plan[3];

  for (int i = 0; i < CALLERS_N; i++) { /* row i needs row i - 20 */
    row_ptr[i] = nnz;
    if (i >= 20) col_idx[nnz++] = i - 20;
    col_idx[nnz++] = i;
    b[i]           = 1 + i % 3;
  }
  row_ptr[CALLERS_N] = nnz;
  caller->wrong      = sptrsvAnalysisCreate(&(SptrsvCsr){CALLERS_N, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_HOST, NULL,
                                            &analysis);
  for (int k = 0; k < 3; k++) plan[k] = plan_of(analysis, algorithms[k], caller->values);
  caller->wrong += sptrsvSolve(plan[0], b, right, NULL) != SPTRSV_SUCCESS;
  for (int solve = 0; solve < SOLVES_EACH; solve++) {
    memset(x, 0xff, sizeof(x));
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits */
    caller->wrong += sptrsvSolve(plan[1 + solve % 2], b, x, NULL) || memcmp(x, right, sizeof(x));
    if (solve % 50) continue;
    (void)sptrsvPlanDestroy(&plan[1]); /* the team of one caller comes and goes, too */
    plan[1] = plan_of(analysis, algorithms[1], caller->values);
  }
  for (int k = 0; k < 3; k++) (void)sptrsvPlanDestroy(&plan[k]);
  (void)sptrsvAnalysisDestroy(&analysis);
  return NULL;
}

static void test_callers(void)
{
  static Caller caller[CALLERS];
  pthread_t     thread[CALLERS];

  case_begin("three callers at once");
  for (int c = 0; c < CALLERS; c++) {
    for (int e = 0; e < 2 * CALLERS_N; e++) caller[c].values[e] = 1. / (1 + c + e % 5);
    expect(!pthread_create(&thread[c], NULL, call, &caller[c]), "no thread");
  }
  for (int c = 0; c < CALLERS; c++) {
    (void)pthread_join(thread[c], NULL);
    expect(!caller[c].wrong, "caller %d: %d of %d solves are wrong", c, caller[c].wrong, SOLVES_EACH);
  }
  case_end();
}

/* A trial of one thread begins, which gains, if there are several */
static void begin_trial(SptrsvPlan plan)
{
  SptrsvWindows *data = (SptrsvWindows *)plan->data;

  if (data->team) data->pace = (SptrsvPace){.away = true, .runs = {SOLVES}, .seconds = {1}};
}

/* auto's sweeps go on with the bits of host whichever way is tried, with new values in between and during a trial */
static void test_both_ways(void)
{
  enum { LINE = 300, ROWS = LINE * LINE };
  const size_t   most    = (size_t)3 * ROWS; /* entries */
  int32_t       *row_ptr = (int32_t *)malloc((ROWS + 1) * sizeof(*row_ptr)), *col_idx = (int32_t *)malloc(most * sizeof(*col_idx));
  int32_t       *in = random_permutation(ROWS, 31), *out = random_permutation(ROWS, 32), nnz = 0;
  double        *values = (double *)malloc(most * sizeof(*values)), *b = (double *)malloc(most * sizeof(*b)), *x = b + ROWS;
  SptrsvAnalysis analysis = NULL;

  for (int i = 0; i < ROWS; i++) {
    row_ptr[i] = nnz;
    if (i >= LINE) col_idx[nnz++] = i - LINE;
    if (i % LINE) col_idx[nnz++] = i - 1;
    col_idx[nnz++] = i;
    b[i]           = 1 + i % 7;
  }
  row_ptr[ROWS] = nnz;
  case_begin("auto by all threads and by one");
  expect_success(sptrsvAnalysisCreate(&(SptrsvCsr){ROWS, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_HOST, NULL, &analysis));
  for (int permuted = 0; permuted < 2; permuted++) {
    SptrsvPlanOptions o    = {.location = SPTRSV_HOST, .diagonal = SPTRSV_DIAG_INVERTED, .type = SPTRSV_DOUBLE};
    SptrsvPlan        host = NULL, plan = NULL;

    if (permuted) o.in_perm = in, o.out_perm = out;
    o.algorithm = "host";
    expect_success(sptrsvPlanCreate(analysis, &o, &host));
    o.algorithm = "auto";
    expect_success(sptrsvPlanCreate(analysis, &o, &plan));
    for (int k = 0; k < 40; k++) {
      if (k % 9 == 0) {
        for (int e = 0; e < nnz; e++) values[e] = 0.3 / (1 + (e + k) % 5);
        expect_success(sptrsvPlanUpdate(host, values, NULL));
        expect_success(sptrsvPlanUpdate(plan, values, NULL));
        expect_success(sptrsvSolve(host, b, x, NULL));
      }
      if (k % 9 == 6) begin_trial(plan);
      memset(x + ROWS, 0xff, ROWS * sizeof(*x));
      expect_success(sptrsvSolve(plan, b, x + ROWS, NULL));
      /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits */
      expect(!memcmp(x, x + ROWS, ROWS * sizeof(*x)), "other bits than host in solve %d", k);
    }
    expect_success(sptrsvPlanDestroy(&plan));
    expect_success(sptrsvPlanDestroy(&host));
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
  free(row_ptr);
  free(col_idx);
  free(in);
  free(out);
  free(values);
  free(b);
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
  test_callers();
  test_both_ways();
  return test_end();
}
