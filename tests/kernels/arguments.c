/* What every function of sptrsv.h must refuse of its arguments. */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "check.h"

static const int32_t RowPtr[] = {0, 2, 4}, ColIdx[] = {0, 1, 0, 1};
static const double  Values[] = {2, 1, 1, 2};

static SptrsvCsr TwoByTwo(void)
{
  return (SptrsvCsr){2, 4, RowPtr, ColIdx, SPTRSV_INT32, SPTRSV_HOST};
}

static void AnalysisArguments(void)
{
  const SptrsvCsr  good = TwoByTwo();
  SptrsvCsr        csr;
  SptrsvAnalysis   analysis = NULL;
  SptrsvStatistics s;
  const int32_t   *level;

  caseBegin("arguments of an analysis");
  expectRefusal(sptrsvAnalysisCreate(&good, (SptrsvLocation)2, NULL, &analysis));
  csr = good, csr.index_type = (SptrsvIndexType)2;
  expectRefusal(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  csr = good, csr.location = (SptrsvLocation)2;
  expectRefusal(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  csr = good, csr.nnz = -1;
  expectRefusal(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  expect(!analysis, "there is an analysis");
  expectSuccess(sptrsvAnalysisCreate(&good, SPTRSV_HOST, NULL, &analysis));
  expectRefusal(sptrsvAnalysisGetStatistics(NULL, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &s));
  expectRefusal(sptrsvAnalysisGetStatistics(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, NULL));
  expectRefusal(sptrsvAnalysisGetStatistics(analysis, (SptrsvTriangle)2, SPTRSV_NON_TRANSPOSE, &s));
  expectRefusal(sptrsvAnalysisGetStatistics(analysis, SPTRSV_LOWER, (SptrsvOperation)-1, &s));
  expectRefusal(sptrsvAnalysisGetLevels(NULL, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &level));
  expectRefusal(sptrsvAnalysisGetLevels(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, NULL));
  expectRefusal(sptrsvAnalysisGetLevels(analysis, (SptrsvTriangle)-1, SPTRSV_NON_TRANSPOSE, &level));
  expectRefusal(sptrsvAnalysisGetLevels(analysis, SPTRSV_LOWER, (SptrsvOperation)2, &level));
  expectRefusal(sptrsvAnalysisDestroy(NULL));
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
  caseEnd();
}

static void FactorArguments(void)
{
  const SptrsvCsr    good = TwoByTwo();
  SptrsvCsr          csr;
  SptrsvFactor       f        = NULL;
  SptrsvAnalysis     analysis = NULL;
  SptrsvPivoting     pivoting = {SPTRSV_SHIFT_NONE, 0, 0};
  SptrsvFactorResult r;
  const void        *values;
  const int32_t     *row_ptr, *col_idx;
  int64_t            rows, nnz;
  size_t             host, device;
  char               text[8];

  const SptrsvTaskOptions negative = {.size = -1};

  caseBegin("arguments of a factor");
  expectRefusal(sptrsvFactorCreate(&good, (SptrsvFactorKind)2, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  expectRefusal(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, (SptrsvValueType)2, SPTRSV_HOST, NULL, &f));
  expectRefusal(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, (SptrsvLocation)2, NULL, &f));
  csr = good, csr.index_type = (SptrsvIndexType)-1;
  expectRefusal(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  csr = good, csr.location = SPTRSV_DEVICE;
  expectRefusal(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  csr = good, csr.rows = -1;
  expectRefusal(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  csr = good, csr.row_ptr = NULL;
  expectRefusal(sptrsvFactorCreate(&csr, SPTRSV_ICC0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  csr = good, csr.col_idx = NULL;
  expectRefusal(sptrsvFactorCreate(&csr, SPTRSV_ICC0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  expect(!f, "there is a factor");
  expectSuccess(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  pivoting.shift = (SptrsvShift)4;
  expectRefusal(sptrsvFactorNumeric(f, Values, &pivoting, NULL, &r));
  pivoting.shift = (SptrsvShift)-1;
  expectRefusal(sptrsvFactorNumeric(f, Values, &pivoting, NULL, &r));
  expectRefusal(sptrsvFactorSetAlgorithm(NULL, "auto", NULL));
  expectRefusal(sptrsvFactorSetAlgorithm(f, NULL, NULL));
  expectRefusal(sptrsvFactorSetAlgorithm(f, "cholesky", NULL));
  expectRefusal(sptrsvFactorSetAlgorithm(f, "auto", &negative));
  expectStatus(sptrsvFactorSetAlgorithm(f, "ata", NULL), SPTRSV_NOT_SUPPORTED, "tasks on the host");
  expectStatus(sptrsvFactorSetAlgorithm(f, "entries", NULL), SPTRSV_NOT_SUPPORTED, "entry by entry on the host");
  expectSuccess(sptrsvFactorSetAlgorithm(f, "auto", NULL));
  expectRefusal(sptrsvFactorDescribe(NULL, text, sizeof(text)));
  expectRefusal(sptrsvFactorDescribe(f, NULL, sizeof(text)));
  expectRefusal(sptrsvFactorDescribe(f, text, 0));
  expectRefusal(sptrsvFactorGetAnalysis(NULL, &analysis));
  expectRefusal(sptrsvFactorGetAnalysis(f, NULL));
  expectRefusal(sptrsvFactorGetValues(NULL, &values));
  expectRefusal(sptrsvFactorGetValues(f, NULL));
  expectRefusal(sptrsvFactorGetPattern(NULL, &rows, &nnz, &row_ptr, &col_idx));
  expectRefusal(sptrsvFactorGetPattern(f, NULL, &nnz, &row_ptr, &col_idx));
  expectRefusal(sptrsvFactorGetPattern(f, &rows, NULL, &row_ptr, &col_idx));
  expectRefusal(sptrsvFactorGetPattern(f, &rows, &nnz, NULL, &col_idx));
  expectRefusal(sptrsvFactorGetPattern(f, &rows, &nnz, &row_ptr, NULL));
  expectRefusal(sptrsvFactorGetMemory(NULL, &host, &device));
  expectRefusal(sptrsvFactorGetMemory(f, NULL, &device));
  expectRefusal(sptrsvFactorGetMemory(f, &host, NULL));
  expectRefusal(sptrsvFactorDestroy(NULL));
  expectSuccess(sptrsvFactorDestroy(&f));
  caseEnd();
}

static SptrsvStatus TryPlan(SptrsvAnalysis analysis, SptrsvPlanOptions o)
{
  SptrsvPlan         plan   = NULL;
  const SptrsvStatus status = sptrsvPlanCreate(analysis, &o, &plan);

  expect(!plan == (status != SPTRSV_SUCCESS), "status and plan do not agree");
  expectSuccess(sptrsvPlanDestroy(&plan));
  return status;
}

static void PlanOptions(const SptrsvAlgorithm *algorithm, SptrsvAnalysis analysis)
{
  static const int32_t    twice[] = {1, 1}, beyond[] = {0, 2}, before[] = {0, -1};
  const SptrsvPlanOptions good = {.algorithm = algorithm->name, .location = algorithm->location, .type = SPTRSV_DOUBLE};
  SptrsvPlanOptions       o;

  o = good, o.location = (SptrsvLocation)2;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.diagonal = (SptrsvDiagonal)3;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.tuning.yuenyeung.threshold = NAN;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.tuning.levelorder.lanes = INT_MIN;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.tuning.ata.policy = (SptrsvTaskPolicy)2;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.tuning.ata.size = INT_MIN;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.tuning.ata.ratio = NAN;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.in_perm = twice;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.out_perm = twice;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.in_perm = before;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.out_perm = beyond;
  expectRefusal(TryPlan(analysis, o));
  o = good, o.tuning.yuenyeung.threshold = INFINITY, o.tuning.levelorder.warps = INT_MAX, o.tuning.levelorder.lanes = sptrsvWarpSize();
  expectSuccess(TryPlan(analysis, o));
  o = good, o.tuning.ata.size = INT_MAX;
  expectSuccess(TryPlan(analysis, o));
  o = good, o.tuning.ata.ratio = INFINITY;
  expectSuccess(TryPlan(analysis, o));
}

static void PlanArguments(const SptrsvAlgorithm *algorithm)
{
  const SptrsvCsr         csr = TwoByTwo();
  const SptrsvPlanOptions o   = {.algorithm = algorithm->name, .location = algorithm->location, .type = SPTRSV_DOUBLE};
  const SptrsvAlgorithm  *said;
  SptrsvAnalysis          analysis = NULL, elsewhere = NULL;
  SptrsvPlan              plan = NULL;
  char                    text[8];
  size_t                  host, device;
  void                   *values = placeNew(o.location, sizeof(Values), Values), *x = placeNew(o.location, sizeof(Values), NULL);

  caseBegin("arguments of a plan, %s", algorithm->name);
  expectSuccess(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis));
  PlanOptions(algorithm, analysis);
  if (algorithm->location == SPTRSV_DEVICE) {
    expectSuccess(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &elsewhere));
    expectRefusal(TryPlan(elsewhere, o));
    expectSuccess(sptrsvAnalysisDestroy(&elsewhere));
  }
  expectSuccess(sptrsvPlanCreate(analysis, &o, &plan));
  expectSuccess(sptrsvPlanUpdate(plan, values, NULL));
  expectRefusal(sptrsvSolve(plan, NULL, x, NULL));
  expectRefusal(sptrsvSolve(plan, values, NULL, NULL));
  expectSuccess(sptrsvSolve(plan, values, x, NULL));
  expectRefusal(sptrsvPlanUpdate(plan, NULL, NULL));
  expectSuccess(sptrsvSolve(plan, values, x, NULL)); /* it still has the values of before */
  expectRefusal(sptrsvPlanDescribe(NULL, text, sizeof(text)));
  expectRefusal(sptrsvPlanDescribe(plan, NULL, sizeof(text)));
  expectRefusal(sptrsvPlanDescribe(plan, text, 0));
  memset(text, 'x', sizeof(text));
  expectSuccess(sptrsvPlanDescribe(plan, text, 1));
  expect(!text[0] && text[1] == 'x', "a description of no characters goes beyond its end");
  expectRefusal(sptrsvPlanGetAlgorithm(NULL, &said));
  expectRefusal(sptrsvPlanGetAlgorithm(plan, NULL));
  expectRefusal(sptrsvPlanGetMemory(NULL, &host, &device));
  expectRefusal(sptrsvPlanGetMemory(plan, NULL, &device));
  expectRefusal(sptrsvPlanGetMemory(plan, &host, NULL));
  expectRefusal(sptrsvPlanDestroy(NULL));
  expectSuccess(sptrsvPlanDestroy(&plan));
  expectSuccess(sptrsvPlanDestroy(&plan));
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
  placeFree(o.location, values);
  placeFree(o.location, x);
  caseEnd();
}

static void Table(void)
{
  int count = 0;

  caseBegin("ends of the table of algorithms");
  while (sptrsvAlgorithmGet(count)) count++;
  expect(count > 0, "it is empty");
  for (int k = 0; k < 3; k++) {
    const int beyond = (const int[]){-1, INT_MIN, INT_MAX}[k];

    expect(!sptrsvAlgorithmGet(beyond), "it has a row %d", beyond);
  }
  expect(sptrsvGetErrorString((SptrsvStatus)-1) != NULL, "a status that is none has no text");
  caseEnd();
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;

  (void)testBegin("arguments", argc, argv);
  AnalysisArguments();
  FactorArguments();
  Table();
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_HOST || sptrsvDeviceCount()) PlanArguments(algorithm);
    else caseSkip("%s, arguments: there is no GPU", algorithm->name);
  }
  return testEnd();
}
