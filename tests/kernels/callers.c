/*
   Threads of the application with handles of their own, which are independent: analyses, factors by every way, sweeps by every algorithm,
   options, the limit of threads and choices of auto.  Each thread's numbers are those of the same work alone.
*/
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/solve/auto/choices.h"
#include "check.h"
#include "zoo.h"

enum { CALLERS = 4, ROUNDS = 3, MATRICES = 3, LIMIT = 64 };
static const int matrices[MATRICES] = {6, 8, 17}; /* of the zoo: grid2d, blocks, unsymmetric */

/* The work of a thread, and a number that follows from all that it was told */
typedef struct {
  int          who;
  bool         device;
  ZooMatrix    A[MATRICES];
  uint64_t     sum;
  SptrsvStatus status; /* the first that was not as expected */
} Caller;

static void add(Caller *c, const void *data, size_t bytes)
{
  for (size_t k = 0; k < bytes; k++) c->sum = (c->sum ^ ((const unsigned char *)data)[k]) * UINT64_C(0x100000001b3); /* FNV-1a */
}

static void keep(Caller *c, SptrsvStatus status)
{
  if (!c->status) c->status = status;
}

static void ask_analysis(Caller *c, SptrsvAnalysis analysis, int n)
{
  for (int sweep = 0; sweep < 4; sweep++) {
    const SptrsvTriangle  triangle = sweep & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
    const SptrsvOperation op       = sweep & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    SptrsvStatistics      s        = {0};
    const int32_t        *level    = NULL;

    keep(c, sptrsvAnalysisGetLevels(analysis, triangle, op, &level));
    keep(c, sptrsvAnalysisGetStatistics(analysis, triangle, op, &s));
    if (level) add(c, level, (size_t)n * sizeof(*level));
    add(c, &s.levels, sizeof(s.levels));
  }
}

/* A sweep by each algorithm; those that VARY have other bits each time */
static void sweep_by_all(Caller *c, SptrsvAnalysis analysis, SptrsvLocation location, const void *values, int n)
{
  const SptrsvAlgorithm *algorithm;
  double                *host = malloc((size_t)(n + 1) * sizeof(*host));
  void                  *b, *x;

  for (int i = 0; i < n; i++) host[i] = 1 + i % 3;
  b = place_new(location, (size_t)n * sizeof(double), host);
  x = place_new(location, (size_t)n * sizeof(double), NULL);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    SptrsvPlanOptions o         = {.algorithm           = algorithm->name,
                                   .location            = location,
                                   .triangle            = k % 2 ? SPTRSV_UPPER : SPTRSV_LOWER,
                                   .diagonal            = k % 2 ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_UNIT,
                                   .op                  = k / 2 % 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE,
                                   .type                = SPTRSV_DOUBLE,
                                   .tuning.host.threads = 1};
    SptrsvPlan        plan      = NULL;
    char              text[512] = "";

    if (algorithm->location != location) continue;
    keep(c, sptrsvPlanCreate(analysis, &o, &plan));
    if (!plan) break;
    keep(c, sptrsvPlanUpdate(plan, values, NULL));
    keep(c, sptrsvSolve(plan, b, x, NULL));
    keep(c, sptrsvPlanGetStatus(plan));
    keep(c, sptrsvPlanDescribe(plan, text, sizeof(text)));
    place_get(location, host, x, (size_t)n * sizeof(double));
    if (!(algorithm->traits & (SPTRSV_VARIES | SPTRSV_SPLITS))) add(c, host, (size_t)n * sizeof(double));
    keep(c, sptrsvPlanDestroy(&plan));
  }
  place_free(location, b);
  place_free(location, x);
  free(host);
}

static void factor(Caller *c, const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvLocation location)
{
  const SptrsvPivoting pivoting = {SPTRSV_SHIFT_POSITIVE_DEFINITE, 0, 1e-12, 0};
  const SptrsvCsr      csr      = zoo_csr(A);
  int32_t             *perm = random_permutation(A->n, (uint64_t)c->who + 1), *inverse = inverse_permutation(A->n, perm);
  void                *a        = zoo_values(A, SPTRSV_DOUBLE, false, location);
  SptrsvFactor         f        = NULL;
  SptrsvAnalysis       analysis = NULL;
  SptrsvFactorResult   result   = {0};
  const void          *values   = NULL;
  int                  matches  = 0;

  keep(c,
       sptrsvFactorCreate(&csr, kind, fill->levels ? perm : NULL, fill->levels ? inverse : NULL, fill, SPTRSV_DOUBLE, location, NULL, &f));
  keep(c, sptrsvFactorMatches(f, &csr, &matches));
  keep(c, matches ? SPTRSV_SUCCESS : SPTRSV_INVALID_ARGUMENT);
  keep(c, sptrsvFactorNumeric(f, a, &pivoting, NULL, &result));
  add(c, &result.shift_amount, sizeof(result.shift_amount));
  keep(c, sptrsvFactorGetAnalysis(f, &analysis));
  keep(c, sptrsvFactorGetValues(f, &values));
  if (!c->status) ask_analysis(c, analysis, A->n);
  if (!c->status) sweep_by_all(c, analysis, location, values, A->n);
  keep(c, sptrsvFactorDestroy(&f));
  place_free(location, a);
  free(perm);
  free(inverse);
}

/* What the process keeps: the table of options, the limit, choices, of which each thread has its own keys */
static void ask_process(Caller *c, int round)
{
  SptrsvTuning tuning   = {0};
  char         text[64] = "", error[256];
  SptrsvChoice choice = {.key = (uint64_t)(100 * c->who + round + 1), .algorithm = "levelorder", .strips.rows = c->who}, found = choice;

  sptrsvLimitThreads(LIMIT + c->who);
  keep(c, sptrsvProcessors() > 0 ? SPTRSV_SUCCESS : SPTRSV_INVALID_ARGUMENT);
  keep(c, sptrsvOptionSet(&tuning, "strips_rows", "128", error, sizeof(error)));
  keep(c, sptrsvOptionPrint(&tuning, "strips_rows", text, sizeof(text)));
  add(c, text, sizeof(text));
  found.strips.rows = -1;
  sptrsvChoiceKeep(&choice);
  keep(c, sptrsvChoiceFind(&found) && found.strips.rows == c->who ? SPTRSV_SUCCESS : SPTRSV_INVALID_ARGUMENT);
}

static void *call(void *argument)
{
  Caller *c = (Caller *)argument;

  for (int round = 0; round < ROUNDS; round++) {
    const ZooMatrix *A    = &c->A[(c->who + round) % MATRICES];
    const SptrsvFill fill = {.levels = (c->who + round) % 2};

    for (int kind = SPTRSV_ILU0; kind <= SPTRSV_ICC0; kind++) {
      factor(c, A, (SptrsvFactorKind)kind, &fill, SPTRSV_HOST);
      if (c->device) factor(c, A, (SptrsvFactorKind)kind, &fill, SPTRSV_DEVICE);
    }
    ask_process(c, round);
  }
  return NULL;
}

static Caller caller(int who, bool device)
{
  Caller c = {.who = who, .device = device, .sum = UINT64_C(0xcbf29ce484222325)};

  for (int m = 0; m < MATRICES; m++) {
    zoo_create(matrices[m], true, &c.A[m]);
    zoo_randomize(&c.A[m], (uint64_t)who + 1);
  }
  return c;
}

static void end_caller(Caller *c)
{
  for (int m = 0; m < MATRICES; m++) zoo_destroy(&c->A[m]);
}

static void test_together(bool device)
{
  Caller    alone, together[CALLERS];
  pthread_t thread[CALLERS];

  case_begin("%d threads with handles of their own, on the %s", CALLERS, device ? "host and the GPU" : "host");
  for (int k = 0; k < CALLERS; k++) {
    together[k] = caller(k, device);
    expect(!pthread_create(&thread[k], NULL, call, &together[k]), "no thread");
  }
  for (int k = 0; k < CALLERS; k++) (void)pthread_join(thread[k], NULL);
  for (int k = 0; k < CALLERS; k++) {
    alone = caller(k, device);
    (void)call(&alone);
    expect_status(alone.status, SPTRSV_SUCCESS, "alone");
    expect_status(together[k].status, SPTRSV_SUCCESS, "together");
    expect(alone.sum == together[k].sum, "thread %d has other numbers than alone", k);
    end_caller(&alone);
    end_caller(&together[k]);
  }
  sptrsvLimitThreads(0);
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("callers", argc, argv);
  test_together(false);
  if (sptrsvDeviceCount() && !test_emulated()) test_together(true);
  else case_skip("threads on the GPU: there is no GPU");
  return test_end();
}
