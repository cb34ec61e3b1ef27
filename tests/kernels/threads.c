/* host-threads against host: the same bits, however many threads there are and however the levels are shared among them. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

enum { SOLVES = 3 };

static const struct {
  int threads, entries;
} Teams[] = {{1, 1}, {2, 1}, {5, 7}, {0, 0}};

static void SolveWith(SptrsvAnalysis analysis, const SptrsvPlanOptions *o, const void *values, const void *b, void *x, int solves)
{
  SptrsvPlan plan = NULL;

  if (!expectSuccess(sptrsvPlanCreate(analysis, o, &plan))) return;
  expectSuccess(sptrsvPlanUpdate(plan, values, NULL));
  for (int k = 0; k < solves; k++) expectSuccess(sptrsvSolve(plan, b, x, NULL));
  expectSuccess(sptrsvPlanDestroy(&plan));
}

static void SameBits(const ZooMatrix *A, SptrsvAnalysis analysis, SptrsvPlanOptions o)
{
  const size_t bytes  = (size_t)A->n * (o.type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float));
  void *const  values = zooValues(A, o.type, o.diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  void *const b = placeNew(SPTRSV_HOST, bytes, NULL), *const x = placeNew(SPTRSV_HOST, bytes, NULL),
              *const y    = placeNew(SPTRSV_HOST, bytes, NULL);
  uint64_t           seed = 5;

  for (int i = 0; i < A->n; i++) {
    if (o.type == SPTRSV_DOUBLE) ((double *)b)[i] = 2 * randomUnit(&seed) - 1;
    else ((float *)b)[i] = (float)(2 * randomUnit(&seed) - 1);
  }
  o.algorithm = "host";
  SolveWith(analysis, &o, values, b, x, 1);
  o.algorithm = "host-threads";
  for (size_t k = 0; k < sizeof(Teams) / sizeof(*Teams); k++) {
    o.tuning.host.threads        = Teams[k].threads;
    o.tuning.host.threads_entries = Teams[k].entries;
    SolveWith(analysis, &o, values, b, y, SOLVES);
    expect(!memcmp(x, y, bytes), "%d threads, a thread for %d entries: other bits than host", o.tuning.host.threads, o.tuning.host.threads_entries);
  }
  free(values);
  free(b);
  free(x);
  free(y);
}

static void Sweeps(const ZooMatrix *A, SptrsvAnalysis analysis)
{
  int32_t *in = randomPermutation(A->n, 21), *out = randomPermutation(A->n, 22);

  for (int k = 0; k < 24; k++) {
    SptrsvPlanOptions o = {.location = SPTRSV_HOST, .in_perm = k % 5 ? NULL : in, .out_perm = k % 7 ? NULL : out};

    o.triangle = k & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
    o.op       = k & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    o.type     = k & 4 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
    o.diagonal = A->diagonal ? (SptrsvDiagonal)(k / 8) : SPTRSV_DIAG_UNIT;
    SameBits(A, analysis, o);
  }
  free(in);
  free(out);
}

/* Two plans at work in turns, whose threads fall asleep in between, and many teams made and undone */
static void Turns(void)
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
  caseBegin("host-threads, two teams in turns");
  expectSuccess(sptrsvAnalysisCreate(&(SptrsvCsr){N, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_HOST, NULL, &analysis));
  for (int k = 0; k < 100; k++) {
    const SptrsvPlanOptions o = {.algorithm      = "host-threads",
                                 .location       = SPTRSV_HOST,
                                 .diagonal       = SPTRSV_DIAG_STORED,
                                 .type           = SPTRSV_DOUBLE,
                                 .tuning.host.threads        = 2 + k % 3,
                                 .tuning.host.threads_entries = 1};

    expectSuccess(sptrsvPlanDestroy(&plan[k % 2]));
    expectSuccess(sptrsvPlanCreate(analysis, &o, &plan[k % 2]));
    expectSuccess(sptrsvPlanUpdate(plan[k % 2], values, NULL));
    for (int p = 0; p < 2; p++) {
      if (!plan[p]) continue;
      memset(x, 0xff, sizeof(x));
      expectSuccess(sptrsvSolve(plan[p], b, x, NULL));
      for (int i = 0; i < N; i++) {
        const int level = i / 30;

        expect(x[i] == 1 + level, "x[%d] is %g", i, x[i]);
      }
    }
  }
  for (int p = 0; p < 2; p++) expectSuccess(sptrsvPlanDestroy(&plan[p]));
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
  caseEnd();
}

int main(int argc, char **argv)
{
  (void)testBegin("threads", argc, argv);

  for (int k = 0; k < zooCount(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;

    zooCreate(k, testQuick(), &A);
    csr = zooCsr(&A);
    caseBegin("host-threads as host on %s", A.name);
    if (expectSuccess(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis))) Sweeps(&A, analysis);
    expectSuccess(sptrsvAnalysisDestroy(&analysis));
    caseEnd();
    zooDestroy(&A);
  }
  Turns();
  return testEnd();
}
