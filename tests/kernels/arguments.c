/* What every function of sptrsv.h must refuse of its arguments. */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "check.h"

static const int32_t two_row_ptr[] = {0, 2, 4}, two_col_idx[] = {0, 1, 0, 1};
static const double  two_values[] = {2, 1, 1, 2};

static SptrsvCsr two_by_two(void)
{
  return (SptrsvCsr){2, 4, two_row_ptr, two_col_idx, SPTRSV_INT32, SPTRSV_HOST};
}

static void test_analysis(void)
{
  const SptrsvCsr  good = two_by_two();
  SptrsvCsr        csr;
  SptrsvAnalysis   analysis = NULL;
  SptrsvStatistics s;
  const int32_t   *level;

  case_begin("arguments of an analysis");
  expect_refusal(sptrsvAnalysisCreate(&good, (SptrsvLocation)2, NULL, &analysis));
  csr = good, csr.index_type = (SptrsvIndexType)2;
  expect_refusal(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  csr = good, csr.location = (SptrsvLocation)2;
  expect_refusal(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  csr = good, csr.nnz = -1;
  expect_refusal(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  expect(!analysis, "there is an analysis");
  expect_success(sptrsvAnalysisCreate(&good, SPTRSV_HOST, NULL, &analysis));
  expect_refusal(sptrsvAnalysisGetStatistics(NULL, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &s));
  expect_refusal(sptrsvAnalysisGetStatistics(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, NULL));
  expect_refusal(sptrsvAnalysisGetStatistics(analysis, (SptrsvTriangle)2, SPTRSV_NON_TRANSPOSE, &s));
  expect_refusal(sptrsvAnalysisGetStatistics(analysis, SPTRSV_LOWER, (SptrsvOperation)-1, &s));
  expect_refusal(sptrsvAnalysisGetLevels(NULL, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &level));
  expect_refusal(sptrsvAnalysisGetLevels(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, NULL));
  expect_refusal(sptrsvAnalysisGetLevels(analysis, (SptrsvTriangle)-1, SPTRSV_NON_TRANSPOSE, &level));
  expect_refusal(sptrsvAnalysisGetLevels(analysis, SPTRSV_LOWER, (SptrsvOperation)2, &level));
  expect_refusal(sptrsvAnalysisDestroy(NULL));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

static void test_factor(void)
{
  const SptrsvCsr    good = two_by_two();
  SptrsvCsr          csr;
  SptrsvFactor       f        = NULL;
  SptrsvAnalysis     analysis = NULL;
  SptrsvPivoting     pivoting = {SPTRSV_SHIFT_NONE, 0, 0, 0};
  SptrsvFactorResult r;
  SptrsvFactorCounts counts;
  int                matches;
  const void        *values;
  const int32_t     *row_ptr, *col_idx;
  int64_t            rows, nnz;
  size_t             host, device;
  char               text[8];

  SptrsvTuning tuning = {.factor.algorithm = NULL};
  const SptrsvAlgorithm *algorithm;

  case_begin("arguments of a factor");
  expect_refusal(sptrsvFactorCreate(&good, (SptrsvFactorKind)2, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  expect_refusal(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, NULL, (SptrsvValueType)99, SPTRSV_HOST, NULL, &f));
  expect_refusal(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, (SptrsvLocation)2, NULL, &f));
  csr = good, csr.index_type = (SptrsvIndexType)-1;
  expect_refusal(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  csr = good, csr.location = SPTRSV_DEVICE;
  expect_status(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f), SPTRSV_WRONG_MEMORY,
                "a pattern on the GPU");
  csr = good, csr.rows = -1;
  expect_refusal(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  csr = good, csr.row_ptr = NULL;
  expect_refusal(sptrsvFactorCreate(&csr, SPTRSV_ICC0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  csr = good, csr.col_idx = NULL;
  expect_refusal(sptrsvFactorCreate(&csr, SPTRSV_ICC0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  expect(!f, "there is a factor");
  expect_success(sptrsvFactorCreate(&good, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &f));
  pivoting.shift = (SptrsvShift)4;
  expect_refusal(sptrsvFactorNumeric(f, two_values, &pivoting, NULL, &r));
  pivoting.shift = (SptrsvShift)-1;
  expect_refusal(sptrsvFactorNumeric(f, two_values, &pivoting, NULL, &r));
  expect_success(sptrsvFactorNumeric(f, two_values, NULL, NULL, NULL));
  expect_refusal(sptrsvFactorTune(NULL, &tuning));
  expect_refusal(sptrsvFactorTune(f, NULL));
  tuning.ata.size = -1;
  expect_refusal(sptrsvFactorTune(f, &tuning));
  tuning = (SptrsvTuning){.factor.algorithm = "no such name"};
  expect_status(sptrsvFactorTune(f, &tuning), SPTRSV_NOT_SUPPORTED, "any name on the host");
  tuning.factor.algorithm = "ata";
  expect_status(sptrsvFactorTune(f, &tuning), SPTRSV_NOT_SUPPORTED, "tasks on the host");
  tuning.factor.algorithm = "entries";
  expect_status(sptrsvFactorTune(f, &tuning), SPTRSV_NOT_SUPPORTED, "entry by entry on the host");
  tuning.factor.algorithm = NULL;
  expect_success(sptrsvFactorTune(f, &tuning));
  expect_refusal(sptrsvFactorSetSweep(NULL, NULL));
  expect_success(sptrsvFactorSetSweep(f, NULL));
  expect_refusal(sptrsvFactorGetAlgorithm(NULL, &algorithm));
  expect_refusal(sptrsvFactorGetAlgorithm(f, NULL));
  expect(!sptrsvFactorGetAlgorithm(f, &algorithm) && !algorithm, "the host has a row of the table");
  expect_refusal(sptrsvFactorDescribe(NULL, text, sizeof(text)));
  expect_refusal(sptrsvFactorDescribe(f, NULL, sizeof(text)));
  expect_refusal(sptrsvFactorDescribe(f, text, 0));
  expect_refusal(sptrsvFactorGetAnalysis(NULL, &analysis));
  expect_refusal(sptrsvFactorGetAnalysis(f, NULL));
  expect_refusal(sptrsvFactorGetValues(NULL, &values));
  expect_refusal(sptrsvFactorGetValues(f, NULL));
  expect_refusal(sptrsvFactorGetPattern(NULL, &rows, &nnz, &row_ptr, &col_idx));
  expect_refusal(sptrsvFactorGetPattern(f, NULL, &nnz, &row_ptr, &col_idx));
  expect_refusal(sptrsvFactorGetPattern(f, &rows, NULL, &row_ptr, &col_idx));
  expect_refusal(sptrsvFactorGetPattern(f, &rows, &nnz, NULL, &col_idx));
  expect_refusal(sptrsvFactorGetPattern(f, &rows, &nnz, &row_ptr, NULL));
  expect_refusal(sptrsvFactorGetCounts(NULL, &counts));
  expect_refusal(sptrsvFactorGetCounts(f, NULL));
  expect_refusal(sptrsvFactorMatches(NULL, &good, &matches));
  expect_refusal(sptrsvFactorMatches(f, NULL, &matches));
  expect_refusal(sptrsvFactorMatches(f, &good, NULL));
  expect_refusal(sptrsvFactorGetMemory(NULL, &host, &device));
  expect_refusal(sptrsvFactorGetMemory(f, NULL, &device));
  expect_refusal(sptrsvFactorGetMemory(f, &host, NULL));
  expect_refusal(sptrsvFactorDestroy(NULL));
  expect_success(sptrsvFactorDestroy(&f));
  case_end();
}

static void refuse_sweep(SptrsvFactor factor, SptrsvAnalysis analysis, SptrsvPlanOptions options, const char *what)
{
  SptrsvPlan plan = NULL;

  if (!expect_success(sptrsvPlanCreate(analysis, &options, &plan))) return;
  expect_status(sptrsvFactorSetSweep(factor, plan), SPTRSV_INVALID_ARGUMENT, what);
  expect_success(sptrsvPlanDestroy(&plan));
}

/* Plans that do not solve with the factor's L */
static void test_sweep(SptrsvLocation location)
{
  static const int32_t    swapped[] = {1, 0};
  const SptrsvCsr         csr       = two_by_two();
  const SptrsvPlanOptions good      = {.location = location, .triangle = SPTRSV_LOWER, .diagonal = SPTRSV_DIAG_UNIT, .type = SPTRSV_DOUBLE};
  SptrsvPlanOptions       o;
  SptrsvFactor            factor   = NULL;
  static const double     values[] = {4, 1, 1, 4};
  const SptrsvTuning      tuning   = {.factor.algorithm = "sweep"};
  void *const             a        = place_new(location, sizeof(values), values);
  SptrsvFactorResult      result;
  SptrsvAnalysis          analysis = NULL, other = NULL;
  SptrsvPlan              plan     = NULL;

  case_begin("plans that are lent to a factor on the %s", location == SPTRSV_HOST ? "host" : "GPU");
  expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor));
  expect_success(sptrsvFactorGetAnalysis(factor, &analysis));
  expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &other));
  o = good, o.algorithm = "split";
  expect_success(sptrsvPlanOptionsCheck(&o, NULL, 0));
  o.tuning.split.parameters = "policy=cpu-cpu,first=no such name";
  expect_status(sptrsvPlanOptionsCheck(&o, NULL, 0), SPTRSV_UNKNOWN_NAME, "an algorithm that there is not");
  expect_refusal(sptrsvPlanOptionsCheck(NULL, NULL, 0));
  expect_refusal(sptrsvPlanOptionsCheck(&o, NULL, 1));
  o = good, o.triangle = SPTRSV_UPPER;
  refuse_sweep(factor, analysis, o, "the upper triangle");
  o = good, o.op = SPTRSV_TRANSPOSE;
  refuse_sweep(factor, analysis, o, "the transposed sweep");
  o = good, o.diagonal = SPTRSV_DIAG_STORED;
  refuse_sweep(factor, analysis, o, "a stored diagonal");
  o = good, o.diagonal = SPTRSV_DIAG_INVERTED;
  refuse_sweep(factor, analysis, o, "an inverted diagonal");
  o = good, o.type = SPTRSV_FLOAT;
  refuse_sweep(factor, analysis, o, "another type");
  o = good, o.out_perm = swapped;
  refuse_sweep(factor, analysis, o, "x in another order");
  refuse_sweep(factor, other, good, "another analysis");
  o = good, o.in_perm = swapped;
  if (expect_success(sptrsvPlanCreate(analysis, &o, &plan))) expect_success(sptrsvFactorSetSweep(factor, plan));
  if (location == SPTRSV_DEVICE) {
    expect_success(sptrsvFactorTune(factor, &tuning));
    expect_success(sptrsvFactorNumeric(factor, a, NULL, NULL, &result));
    refuse_sweep(factor, other, good, "another analysis, after a good one");
    expect_status(sptrsvFactorNumeric(factor, a, NULL, NULL, &result), SPTRSV_NOT_SUPPORTED, "the good one is not lent any more");
  }
  expect_success(sptrsvFactorSetSweep(factor, NULL));
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&other));
  expect_success(sptrsvFactorDestroy(&factor));
  place_free(location, a);
  case_end();
}

static SptrsvStatus try_plan(SptrsvAnalysis analysis, SptrsvPlanOptions options)
{
  SptrsvPlan         plan   = NULL;
  const SptrsvStatus status = sptrsvPlanCreate(analysis, &options, &plan);

  expect(!plan == (status != SPTRSV_SUCCESS), "status and plan do not agree");
  expect_success(sptrsvPlanDestroy(&plan));
  return status;
}

static void test_plan_options(const SptrsvAlgorithm *algorithm, SptrsvAnalysis analysis)
{
  static const int32_t    twice[] = {1, 1}, beyond[] = {0, 2}, before[] = {0, -1};
  const SptrsvPlanOptions good = {.algorithm = algorithm->name, .location = algorithm->location, .type = SPTRSV_DOUBLE};
  SptrsvPlanOptions       o;

  o = good, o.location = (SptrsvLocation)2;
  expect_refusal(try_plan(analysis, o));
  o = good, o.diagonal = (SptrsvDiagonal)3;
  expect_refusal(try_plan(analysis, o));
  o = good, o.tuning.yuenyeung.threshold = NAN;
  expect_refusal(try_plan(analysis, o));
  o = good, o.tuning.levelorder.lanes = INT_MIN;
  expect_refusal(try_plan(analysis, o));
  o = good, o.tuning.ata.policy = (SptrsvTaskPolicy)2;
  expect_refusal(try_plan(analysis, o));
  o = good, o.tuning.ata.size = INT_MIN;
  expect_refusal(try_plan(analysis, o));
  o = good, o.tuning.ata.ratio = NAN;
  expect_refusal(try_plan(analysis, o));
  o = good, o.in_perm = twice;
  expect_refusal(try_plan(analysis, o));
  o = good, o.out_perm = twice;
  expect_refusal(try_plan(analysis, o));
  o = good, o.in_perm = before;
  expect_refusal(try_plan(analysis, o));
  o = good, o.out_perm = beyond;
  expect_refusal(try_plan(analysis, o));
  o = good, o.tuning.yuenyeung.threshold = INFINITY, o.tuning.levelorder.warps = INT_MAX, o.tuning.levelorder.lanes = sptrsvWarpSize();
  expect_success(try_plan(analysis, o));
  o = good, o.tuning.ata.size = INT_MAX;
  expect_success(try_plan(analysis, o));
  o = good, o.tuning.ata.ratio = INFINITY;
  expect_success(try_plan(analysis, o));
}

static void test_plan(const SptrsvAlgorithm *algorithm)
{
  const SptrsvCsr         csr = two_by_two();
  const SptrsvPlanOptions o   = {.algorithm = algorithm->name, .location = algorithm->location, .type = SPTRSV_DOUBLE};
  const SptrsvAlgorithm  *said[SPTRSV_PLAN_ALGORITHMS];
  SptrsvAnalysis          analysis = NULL, elsewhere = NULL;
  SptrsvPlan              plan = NULL;
  char                    text[8];
  int                     columns;
  size_t                  host, device;
  void *values = place_new(o.location, sizeof(two_values), two_values), *x = place_new(o.location, sizeof(two_values), NULL);

  case_begin("arguments of a plan, %s", algorithm->name);
  expect_success(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis));
  test_plan_options(algorithm, analysis);
  if (algorithm->location == SPTRSV_DEVICE) {
    expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &elsewhere));
    expect_status(try_plan(elsewhere, o), SPTRSV_WRONG_MEMORY, "a plan of the GPU for an analysis of the host");
    expect_success(sptrsvAnalysisDestroy(&elsewhere));
  }
  expect_success(sptrsvPlanCreate(analysis, &o, &plan));
  expect_success(sptrsvPlanUpdate(plan, values, NULL));
  expect_refusal(sptrsvSolve(plan, NULL, x, NULL));
  expect_refusal(sptrsvSolve(plan, values, NULL, NULL));
  expect_refusal(sptrsvSolve(plan, x, x, NULL));
  expect_success(sptrsvSolve(plan, values, x, NULL));
  expect_refusal(sptrsvPlanUpdate(plan, NULL, NULL));
  expect_success(sptrsvSolve(plan, values, x, NULL)); /* it still has the values of before */
  expect_refusal(sptrsvPlanPrepareMany(NULL, &columns));
  expect_refusal(sptrsvPlanPrepareMany(plan, NULL));
  expect_refusal(sptrsvPlanDescribe(NULL, text, sizeof(text)));
  expect_refusal(sptrsvPlanDescribe(plan, NULL, sizeof(text)));
  expect_refusal(sptrsvPlanDescribe(plan, text, 0));
  memset(text, 'x', sizeof(text));
  expect_success(sptrsvPlanDescribe(plan, text, 1));
  expect(!text[0] && text[1] == 'x', "a description of no characters goes beyond its end");
  expect_refusal(sptrsvPlanGetAlgorithms(NULL, said));
  expect_refusal(sptrsvPlanGetAlgorithms(plan, NULL));
  expect_refusal(sptrsvPlanGetMemory(NULL, &host, &device));
  expect_refusal(sptrsvPlanGetMemory(plan, NULL, &device));
  expect_refusal(sptrsvPlanGetMemory(plan, &host, NULL));
  expect_refusal(sptrsvPlanDestroy(NULL));
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  place_free(o.location, values);
  place_free(o.location, x);
  case_end();
}

static void test_table(void)
{
  int count = 0;

  case_begin("ends of the table of algorithms");
  while (sptrsvAlgorithmGet(count)) count++;
  expect(count > 0, "it is empty");
  for (int k = 0; k < 3; k++) {
    const int beyond = (const int[]){-1, INT_MIN, INT_MAX}[k];

    expect(!sptrsvAlgorithmGet(beyond), "it has a row %d", beyond);
  }
  for (int k = 0; k < 2; k++) {
    const SptrsvStatus none = (SptrsvStatus)(k ? SPTRSV_WRONG_MEMORY + 1 : -1); /* WRONG_MEMORY is the last */

    expect(!strcmp(sptrsvGetErrorString(none), "unknown status"), "status %d has the text \"%s\"", none, sptrsvGetErrorString(none));
  }
  case_end();
}

/* Names: none, one that does not exist, one of the other memory */
static void test_names(void)
{
  const SptrsvCsr   csr      = two_by_two();
  SptrsvPlanOptions o        = {.location = SPTRSV_HOST, .type = SPTRSV_DOUBLE};
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlan        plan     = NULL;
  char              text[64] = "";

  case_begin("names of algorithms");
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  expect_success(sptrsvPlanCreate(analysis, &o, &plan));
  expect_success(sptrsvPlanDescribe(plan, text, sizeof(text)));
  expect(!strncmp(text, "auto: ", 6), "no name is \"%s\", not auto", text);
  expect_success(sptrsvPlanDestroy(&plan));
  o.algorithm = "cholesky";
  expect_status(try_plan(analysis, o), SPTRSV_UNKNOWN_NAME, "a name that does not exist");
  o.algorithm = "levelorder";
  expect_status(try_plan(analysis, o), sptrsvAlgorithmFind(o.algorithm, SPTRSV_DEVICE) ? SPTRSV_WRONG_MEMORY : SPTRSV_UNKNOWN_NAME,
                "an algorithm of the GPU on the host");
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;

  (void)test_begin("arguments", argc, argv);
  test_analysis();
  test_factor();
  test_sweep(SPTRSV_HOST);
  if (sptrsvDeviceCount()) test_sweep(SPTRSV_DEVICE);
  else case_skip("plans that are lent to a factor on the GPU: there is no GPU");
  test_table();
  test_names();
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_HOST || sptrsvDeviceCount()) test_plan(algorithm);
    else case_skip("%s, arguments: there is no GPU", algorithm->name);
  }
  return test_end();
}
