/*
   A wait that cannot end, because memory of a plan was overwritten, ends all the same: within seconds, with a status, and what comes
   after is not touched.

   What is overwritten is the counter of tickets, or the first of several, which is the last array that a plan allocates on the device:
   one ticket is lost, and with it the rows that it stands for.  The linker tells where it is (--wrap, see tests/rules.mk).
*/
#include "check.h"
#include "zoo.h"
#include <math.h>
#include <string.h>
#include <time.h>
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>

enum { CHAIN = 4, SECONDS = 60 };

static void *counter;

/* cuSPARSE's waits are its own; a launch per level waits for nobody */
static const char *const WithoutTickets[] = {"cusparse", "levr", "levc"};

static bool HasTickets(const char *algorithm)
{
  for (size_t k = 0; k < sizeof(WithoutTickets) / sizeof(*WithoutTickets); k++) {
    if (!strcmp(algorithm, WithoutTickets[k])) return false;
  }
  return true;
}

cudaError_t __real_cudaMalloc(void **p, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **p, size_t bytes);

cudaError_t __wrap_cudaMalloc(void **p, size_t bytes)
{
  const cudaError_t error = __real_cudaMalloc(p, bytes);

  if (error == cudaSuccess) counter = *p;
  return error;
}

static void LoseTicket(void)
{
  uint64_t tickets = 0;

  placeGet(SPTRSV_DEVICE, &tickets, counter, sizeof(tickets));
  tickets++;
  placePut(SPTRSV_DEVICE, counter, &tickets, sizeof(tickets));
}

/* A solve from x full of zeros; returns the number of NaN in x */
static int Solve(SptrsvPlan plan, const ZooMatrix *A, const double *b, double *x, double *host)
{
  int nans = 0;

  memset(host, 0, (size_t)A->n * sizeof(*host));
  placePut(SPTRSV_DEVICE, x, host, (size_t)A->n * sizeof(*host));
  expectSuccess(sptrsvSolve(plan, b, x, NULL));
  placeGet(SPTRSV_DEVICE, host, x, (size_t)A->n * sizeof(*host));
  for (int i = 0; i < A->n; i++) nans += isnan(host[i]) != 0;
  return nans;
}

/* Tasks of ata have several chunks, or none of their rows would wait for the lost ones */
static void Sweep(const ZooMatrix *A, const char *algorithm)
{
  const SptrsvCsr         csr      = zooCsr(A);
  const SptrsvPlanOptions o        = {.algorithm = algorithm,
                                      .location  = SPTRSV_DEVICE,
                                      .diagonal  = SPTRSV_DIAG_STORED,
                                      .type      = SPTRSV_DOUBLE,
                                      .tuning.levelorder.lanes     = 1,
                                      .tuning.levelorder.warps     = 1,
                                      .tuning.ata     = {.policy = SPTRSV_TASKS_LOCALITY, .size = 40},
                                      .tuning.split     = {.policy = SPTRSV_SPLIT_GPU_GPU}};
  SptrsvAnalysis          analysis = NULL;
  SptrsvPlan              plan     = NULL;
  double *values = zooValues(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE), *host = placeNew(SPTRSV_HOST, (size_t)A->n * sizeof(double), NULL);
  double *x = placeNew(SPTRSV_DEVICE, (size_t)A->n * sizeof(double), NULL), *b;
  time_t  start;

  caseBegin("%s with a ticket lost", algorithm);
  for (int i = 0; i < A->n; i++) host[i] = 1;
  b = placeNew(SPTRSV_DEVICE, (size_t)A->n * sizeof(double), host);
  expectSuccess(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  expectSuccess(sptrsvPlanCreate(analysis, &o, &plan));
  expectSuccess(sptrsvPlanUpdate(plan, values, NULL));
  expect(Solve(plan, A, b, x, host) == 0, "NaN in a sound solve");
  expectSuccess(sptrsvPlanGetStatus(plan));
  LoseTicket();
  start = time(NULL);
  expect(Solve(plan, A, b, x, host) > 0, "no NaN although rows were lost");
  expect(difftime(time(NULL), start) < SECONDS, "it took %g s", difftime(time(NULL), start));
  expectStatus(sptrsvPlanGetStatus(plan), SPTRSV_STALLED, "status of the plan");
  expectStatus(sptrsvSolve(plan, b, x, NULL), SPTRSV_STALLED, "the next solve");
  expectSuccess(sptrsvPlanUpdate(plan, values, NULL));
  expectSuccess(sptrsvPlanGetStatus(plan));
  expectSuccess(sptrsvPlanDestroy(&plan));
  expectSuccess(sptrsvPlanCreate(analysis, &o, &plan));
  expectSuccess(sptrsvPlanUpdate(plan, values, NULL));
  expect(Solve(plan, A, b, x, host) == 0, "NaN in a sound solve after it");
  expectSuccess(sptrsvPlanDestroy(&plan));
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
  placeFree(SPTRSV_DEVICE, values);
  placeFree(SPTRSV_DEVICE, b);
  placeFree(SPTRSV_DEVICE, x);
  placeFree(SPTRSV_HOST, host);
  caseEnd();
}

static void Factorization(const ZooMatrix *A, const char *algorithm)
{
  const SptrsvCsr         csr      = zooCsr(A);
  const SptrsvPivoting    pivoting = {SPTRSV_SHIFT_NONE, 0, 1e-30};
  const SptrsvTaskOptions tasks    = {.policy = SPTRSV_TASKS_LOCALITY, .size = 40};
  SptrsvFactor            factor   = NULL;
  SptrsvFactorResult      result;
  double                 *values = zooValues(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);

  caseBegin("factorization, %s, with a ticket lost", algorithm);
  expectSuccess(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &factor));
  expectSuccess(sptrsvFactorSetAlgorithm(factor, algorithm, &tasks));
  expectSuccess(sptrsvFactorNumeric(factor, values, &pivoting, NULL, &result));
  LoseTicket();
  expectStatus(sptrsvFactorNumeric(factor, values, &pivoting, NULL, &result), SPTRSV_STALLED, "sptrsvFactorNumeric()");
  expectSuccess(sptrsvFactorDestroy(&factor));
  placeFree(SPTRSV_DEVICE, values);
  caseEnd();
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;
  ZooMatrix              A;

  (void)testBegin("watchdog", argc, argv);
  if (!sptrsvDeviceCount()) {
    caseSkip("there is no GPU");
    return testEnd();
  }
  zooCreate(CHAIN, true, &A);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE && HasTickets(algorithm->name)) Sweep(&A, algorithm->name);
  }
  Factorization(&A, "auto");
  Factorization(&A, "ata");
  zooDestroy(&A);
  return testEnd();
}
#else
int main(int argc, char **argv)
{
  (void)testBegin("watchdog", argc, argv);
  caseSkip("built without CUDA");
  return testEnd();
}
#endif
