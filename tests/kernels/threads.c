/* host-threads against host: the same bits for any number of threads and any division of the levels. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

enum { SOLVES = 3 };

static const struct {
  int threads, entries;
} teams[] = {{1, 1}, {2, 1}, {5, 7}, {0, 0}};

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
  options.algorithm = "host-threads";
  for (size_t k = 0; k < sizeof(teams) / sizeof(*teams); k++) {
    options.tuning.host.threads         = teams[k].threads;
    options.tuning.host.threads_entries = teams[k].entries;
    solve_with(analysis, &options, values, b, y, SOLVES);
    expect(!memcmp(x, y, bytes), "%d threads, a thread for %d entries: other bits than host", options.tuning.host.threads,
           options.tuning.host.threads_entries);
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
static void test_turns(void)
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
  case_begin("host-threads, two teams in turns");
  expect_success(sptrsvAnalysisCreate(&(SptrsvCsr){N, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_HOST, NULL, &analysis));
  for (int k = 0; k < 100; k++) {
    const SptrsvPlanOptions o = {.algorithm      = "host-threads",
                                 .location       = SPTRSV_HOST,
                                 .diagonal       = SPTRSV_DIAG_STORED,
                                 .type           = SPTRSV_DOUBLE,
                                 .tuning.host.threads        = 2 + k % 3,
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

int main(int argc, char **argv)
{
  (void)test_begin("threads", argc, argv);

  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;

    zoo_create(k, test_quick(), &A);
    csr = zoo_csr(&A);
    case_begin("host-threads as host on %s", A.name);
    if (expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis))) test_sweeps(&A, analysis);
    expect_success(sptrsvAnalysisDestroy(&analysis));
    case_end();
    zoo_destroy(&A);
  }
  test_turns();
  return test_end();
}
