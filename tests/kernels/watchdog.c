/*
   A wait that cannot end, because memory of a plan was overwritten, is given up within seconds: the solve returns a status, and later
   work is not affected.

   The test overwrites the counter of tickets, or the first of several.  One ticket is lost, and its rows are never solved.
*/
#include <math.h>
#include <string.h>
#include <time.h>
#include "check.h"
#include "counter.h"
#include "zoo.h"

enum { CHAIN = 4, SECONDS = 60 };

static void lose_ticket(void)
{
  size_t          count;
  uint64_t *const counter = last_counter(&count);
  uint64_t        tickets = 0;

  place_get(SPTRSV_DEVICE, &tickets, counter, sizeof(tickets));
  tickets++;
  place_put(SPTRSV_DEVICE, counter, &tickets, sizeof(tickets));
}

/* Of the clock; of the processor on the emulator, which takes longer on a busy machine */
static double seconds_now(void)
{
  return test_emulated() ? (double)clock() / CLOCKS_PER_SEC : (double)time(NULL);
}

/* A solve from x full of zeros; returns the number of NaN in x */
static int solve_and_count(SptrsvPlan plan, const ZooMatrix *A, const double *b, double *x, double *host)
{
  int nans = 0;

  memset(host, 0, (size_t)A->n * sizeof(*host));
  place_put(SPTRSV_DEVICE, x, host, (size_t)A->n * sizeof(*host));
  expect_success(sptrsvSolve(plan, b, x, NULL));
  place_get(SPTRSV_DEVICE, host, x, (size_t)A->n * sizeof(*host));
  for (int i = 0; i < A->n; i++) nans += isnan(host[i]) != 0;
  return nans;
}

/* Tasks of ata have several chunks, and there are several strips; otherwise no row would wait for the lost ones */
static void test_sweep(const ZooMatrix *A, const char *algorithm)
{
  const SptrsvCsr         csr      = zoo_csr(A);
  const SptrsvPlanOptions o        = {.algorithm = algorithm,
                                      .location  = SPTRSV_DEVICE,
                                      .diagonal  = SPTRSV_DIAG_STORED,
                                      .type      = SPTRSV_DOUBLE,
                                      .tuning    = {.levelorder = {.lanes = 1, .warps = 1},
                                                    .strips     = {.rows = 35},
                                                    .ata        = {.policy = SPTRSV_TASKS_LOCALITY, .size = 40},
                                                    .split      = {.policy = SPTRSV_SPLIT_GPU_GPU}}};
  SptrsvAnalysis          analysis = NULL;
  SptrsvPlan              plan     = NULL;
  double *values = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE), *host = place_new(SPTRSV_HOST, (size_t)A->n * sizeof(double), NULL);
  double *x = place_new(SPTRSV_DEVICE, (size_t)A->n * sizeof(double), NULL), *b;
  double  start;

  case_begin("%s with a ticket lost", algorithm);
  for (int i = 0; i < A->n; i++) host[i] = 1;
  b = place_new(SPTRSV_DEVICE, (size_t)A->n * sizeof(double), host);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  expect_success(sptrsvPlanCreate(analysis, &o, &plan));
  expect_success(sptrsvPlanUpdate(plan, values, NULL));
  expect(solve_and_count(plan, A, b, x, host) == 0, "NaN in a sound solve");
  expect_success(sptrsvPlanGetStatus(plan));
  lose_ticket();
  start = seconds_now();
  expect(solve_and_count(plan, A, b, x, host) > 0, "no NaN although rows were lost");
  expect(seconds_now() - start < SECONDS, "it took longer than %d s", (int)SECONDS);
  expect_status(sptrsvPlanGetStatus(plan), SPTRSV_STALLED, "status of the plan");
  expect_status(sptrsvSolve(plan, b, x, NULL), SPTRSV_STALLED, "the next solve");
  expect_success(sptrsvPlanUpdate(plan, values, NULL));
  expect_success(sptrsvPlanGetStatus(plan));
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvPlanCreate(analysis, &o, &plan));
  expect_success(sptrsvPlanUpdate(plan, values, NULL));
  expect(solve_and_count(plan, A, b, x, host) == 0, "NaN in a sound solve after it");
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  place_free(SPTRSV_DEVICE, values);
  place_free(SPTRSV_DEVICE, b);
  place_free(SPTRSV_DEVICE, x);
  place_free(SPTRSV_HOST, host);
  case_end();
}

static const SptrsvTaskOptions tasks = {.policy = SPTRSV_TASKS_LOCALITY, .size = 40};

static void test_factorization(const ZooMatrix *A, const FactorWay *way)
{
  const SptrsvCsr         csr      = zoo_csr(A);
  const SptrsvPivoting    pivoting = {SPTRSV_SHIFT_NONE, 0, 1e-30};
  SptrsvFactor            factor   = NULL;
  SptrsvPlan              lower    = NULL;
  SptrsvFactorResult      result;
  double                 *values = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);

  case_begin("factorization by %s, with a ticket lost", way->name);
  expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &factor));
  expect_success(factor_go(factor, way, &tasks, NULL, SPTRSV_DOUBLE, &lower));
  expect_success(sptrsvFactorNumeric(factor, values, &pivoting, NULL, &result));
  lose_ticket();
  expect_status(sptrsvFactorNumeric(factor, values, &pivoting, NULL, &result), SPTRSV_STALLED, "sptrsvFactorNumeric()");
  expect_success(sptrsvPlanDestroy(&lower));
  expect_success(sptrsvFactorDestroy(&factor));
  place_free(SPTRSV_DEVICE, values);
  case_end();
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;
  ZooMatrix              A;

  (void)test_begin("watchdog", argc, argv);
  if (!sptrsvDeviceCount()) {
    case_skip("there is no GPU");
    return test_end();
  }
  zoo_create(CHAIN, true, &A);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE && has_tickets(algorithm->name)) test_sweep(&A, algorithm->name);
  }
  for (int k = 0; k < COUNTED_WAYS; k++) test_factorization(&A, &counted_ways[k]);
  zoo_destroy(&A);
  return test_end();
}
