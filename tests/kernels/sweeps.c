/* Every algorithm, sweep, diagonal, precision and permutation on the zoo, and what must be refused. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

/* The 24 sweeps in natural order, and a few with rows renumbered on the way in or out */
static void Sweeps(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvAlgorithm *algorithm)
{
  int32_t *in = randomPermutation(A->n, 21), *out = randomPermutation(A->n, 22);

  for (int k = 0; k < 24; k++) {
    SptrsvPlanOptions o = {.algorithm = algorithm->name, .location = algorithm->location};

    o.triangle = k & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
    o.op       = k & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    o.type     = k & 4 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
    o.diagonal = (SptrsvDiagonal)(k / 8);
    sweepCase(A, analysis, &o);
    if (k % 3 != 1) o.in_perm = in;
    if (k % 3 != 0) o.out_perm = out;
    sweepCase(A, analysis, &o);
  }
  free(in);
  free(out);
}

static void Zoo(const SptrsvAlgorithm *algorithm)
{
  for (int k = 0; k < zooCount(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;

    zooCreate(k, testQuick(), &A);
    csr = zooCsr(&A);
    caseBegin("analysis of %s", A.name);
    if (expectSuccess(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis))) Sweeps(&A, analysis, algorithm);
    else caseEnd();
    (void)sptrsvAnalysisDestroy(&analysis);
    zooDestroy(&A);
  }
}

/* Options that choose inside an algorithm must not choose the result */
static void Tuning(const SptrsvAlgorithm *algorithm)
{
  const struct {
    const char *algorithm;
    double      threshold;
    int         warps, lanes;

    SptrsvTaskOptions tasks;
  } tunings[] = {
    {"levelorder", 0,    1,  0,  {0}},
    {"levelorder", 0,    3,  1,  {0}},
    {"levelorder", 0,    0,  2,  {0}},
    {"levelorder", 0,    0,  4,  {0}},
    {"levelorder", 0,    2,  8,  {0}},
    {"levelorder", 0,    0,  16, {0}},
    {"levelorder", 0,    64, 32, {0}},
    {"levelorder", 0,    64, sptrsvWarpSize(), {0}},
    {"yuenyeung",  1e-9, 0,  0,  {0}},
    {"yuenyeung",  3,    0,  0,  {0}},
    {"yuenyeung",  1e9,  0,  0,  {0}},
    {"ata",        0,    0,  0,  {SPTRSV_TASKS_CONCURRENCY, 1, 0}},
    {"ata",        0,    0,  0,  {SPTRSV_TASKS_CONCURRENCY, 20, 0}},
    {"ata",        0,    0,  0,  {SPTRSV_TASKS_LOCALITY, 20, 0}},
    {"ata",        0,    0,  0,  {SPTRSV_TASKS_LOCALITY, 7, 0}},
    {"ata",        0,    0,  0,  {SPTRSV_TASKS_LOCALITY, 0, 1e-9}},
    {"ata-push",   0,    0,  0,  {SPTRSV_TASKS_CONCURRENCY, 20, 0}},
    {"ata-push",   0,    0,  0,  {SPTRSV_TASKS_LOCALITY, 20, 0}},
    {"ata-push",   0,    0,  0,  {SPTRSV_TASKS_LOCALITY, 7, 0}}
  };

  for (int k = 0; k < zooCount(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;

    zooCreate(k, true, &A);
    csr = zooCsr(&A);
    if (A.diagonal && sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis) == SPTRSV_SUCCESS) {
      for (size_t t = 0; t < sizeof(tunings) / sizeof(*tunings); t++) {
        SptrsvPlanOptions o = {.algorithm = algorithm->name,
                               .location  = algorithm->location,
                               .triangle  = t % 2 ? SPTRSV_UPPER : SPTRSV_LOWER,
                               .diagonal  = SPTRSV_DIAG_INVERTED,
                               .type      = SPTRSV_DOUBLE,
                               .tuning.yuenyeung.threshold = tunings[t].threshold,
                               .tuning.levelorder.warps     = tunings[t].warps,
                               .tuning.levelorder.lanes     = tunings[t].lanes,
                               .tuning.ata     = tunings[t].tasks};

        if (!strcmp(tunings[t].algorithm, algorithm->name)) sweepCase(&A, analysis, &o);
      }
    }
    (void)sptrsvAnalysisDestroy(&analysis);
    zooDestroy(&A);
  }
}

static SptrsvStatus TryPlan(SptrsvAnalysis analysis, SptrsvPlanOptions o)
{
  SptrsvPlan         plan   = NULL;
  const SptrsvStatus status = sptrsvPlanCreate(analysis, &o, &plan);

  expect((status == SPTRSV_SUCCESS) == (plan != NULL), "status and plan do not agree");
  expectSuccess(sptrsvPlanDestroy(&plan));
  return status;
}

static bool IsThere(const char *name, SptrsvLocation location)
{
  const SptrsvAlgorithm *a;

  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    if (a->location == location && !strcmp(a->name, name)) return true;
  }
  return false;
}

static void Refusals(const SptrsvAlgorithm *algorithm)
{
  const SptrsvPlanOptions  good  = {.algorithm = algorithm->name, .location = algorithm->location, .type = SPTRSV_DOUBLE};
  static const int32_t     beyond[] = {INT32_MAX}, before[] = {-1}; /* refused at the first look */
  SptrsvPlanOptions        bad[] = {good, good, good, good, good, good, good, good, good, good, good, good, good};
  static const char *const why[] = {
    "an unknown algorithm", "no algorithm", "the other memory", "-1 warps", "3 lanes", "more lanes than a warp has",
    "-1 lanes", "threshold -1",
    "an input beyond the last", "an output before the first", "a third triangle", "a third operation", "a third type"};
  ZooMatrix      A;
  SptrsvCsr      csr;
  SptrsvAnalysis analysis = NULL;
  SptrsvPlan     plan     = NULL;

  bad[0].algorithm = "cholesky";
  bad[1].algorithm = NULL;
  bad[2].location  = algorithm->location == SPTRSV_HOST ? SPTRSV_DEVICE : SPTRSV_HOST;
  bad[3].tuning.levelorder.warps     = -1;
  bad[4].tuning.levelorder.lanes     = 3;
  bad[5].tuning.levelorder.lanes     = 2 * sptrsvWarpSize();
  bad[6].tuning.levelorder.lanes     = -1;
  bad[7].tuning.yuenyeung.threshold = -1;
  bad[8].in_perm   = beyond;
  bad[9].out_perm  = before;
  bad[10].triangle = (SptrsvTriangle)2;
  bad[11].op       = (SptrsvOperation)2;
  bad[12].type     = (SptrsvValueType)2;
  zooCreate(4, true, &A);
  csr = zooCsr(&A);
  caseBegin("%s, what it refuses", algorithm->name);
  expectSuccess(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis));
  expectSuccess(TryPlan(analysis, good));
  for (int k = 0; k < 13; k++) {
    if (k == 2 && IsThere(algorithm->name, bad[2].location)) continue; /* no other memory then */
    expectStatus(TryPlan(analysis, bad[k]), SPTRSV_INVALID_ARGUMENT, why[k]);
  }
  expectStatus(sptrsvPlanCreate(NULL, &good, &plan), SPTRSV_INVALID_ARGUMENT, "no analysis");
  expectStatus(sptrsvPlanCreate(analysis, NULL, &plan), SPTRSV_INVALID_ARGUMENT, "no options");
  expectStatus(sptrsvPlanCreate(analysis, &good, NULL), SPTRSV_INVALID_ARGUMENT, "nowhere to put the plan");
  expectStatus(sptrsvSolve(NULL, NULL, NULL, NULL), SPTRSV_INVALID_ARGUMENT, "solve without a plan");
  expectStatus(sptrsvPlanUpdate(NULL, A.values, NULL), SPTRSV_INVALID_ARGUMENT, "update without a plan");
  expectSuccess(sptrsvPlanCreate(analysis, &good, &plan));
  expectStatus(sptrsvPlanUpdate(plan, NULL, NULL), SPTRSV_INVALID_ARGUMENT, "update without values");
  expectSuccess(sptrsvPlanDestroy(&plan));
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
  zooDestroy(&A);
  caseEnd();
}

/* "auto" chooses one of the table, and says which */
static void Automatic(SptrsvLocation location)
{
  ZooMatrix              A;
  SptrsvCsr              csr;
  SptrsvAnalysis         analysis  = NULL;
  SptrsvPlan             plan      = NULL;
  SptrsvPlanOptions      o         = {.algorithm = "auto", .location = location, .type = SPTRSV_DOUBLE};
  const SptrsvAlgorithm *chosen    = NULL;
  char                   text[256] = "";

  zooCreate(6, true, &A);
  csr = zooCsr(&A);
  caseBegin("auto on the %s", location == SPTRSV_HOST ? "host" : "GPU");
  expectSuccess(sptrsvAnalysisCreate(&csr, location, NULL, &analysis));
  expectSuccess(sptrsvPlanCreate(analysis, &o, &plan));
  expectSuccess(sptrsvPlanGetAlgorithm(plan, &chosen));
  expect(chosen && chosen->location == location && strcmp(chosen->name, "auto"), "it chose %s",
         chosen ? chosen->name : "nothing");
  expectSuccess(sptrsvPlanDescribe(plan, text, sizeof(text)));
  expect(!strncmp(text, "auto", 4) && chosen && strstr(text, chosen->name), "its description is \"%s\"", text);
  expectSuccess(sptrsvPlanDestroy(&plan));
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
  zooDestroy(&A);
  caseEnd();
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;

  (void)testBegin("sweeps", argc, argv);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE && !sptrsvDeviceCount()) {
      caseSkip("%s: there is no GPU", algorithm->name);
      continue;
    }
    Zoo(algorithm);
    Tuning(algorithm);
    Refusals(algorithm);
  }
  Automatic(SPTRSV_HOST);
  if (sptrsvDeviceCount()) Automatic(SPTRSV_DEVICE);
  else caseSkip("auto on the GPU: there is no GPU");
  return testEnd();
}
