/* `split`: all policies on the zoo, any algorithm in either part.  How it decides: graph.c; in streams and captured graphs: streams.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

static const struct {
  SptrsvSplitPolicy policy;
  int               level;
  const char       *first, *second;
} policies[] = {{SPTRSV_SPLIT_AUTO, 0, NULL, NULL},
                {SPTRSV_SPLIT_CPU, 0, "host-threads", NULL},
                {SPTRSV_SPLIT_CPU_CPU, 0, NULL, NULL},
                {SPTRSV_SPLIT_CPU_CPU, 1, "host", "host-threads"},
                {SPTRSV_SPLIT_CPU_CPU, 1000000, NULL, NULL},
                {SPTRSV_SPLIT_GPU, 0, "capellini", NULL},
                {SPTRSV_SPLIT_CPU, 0, NULL, NULL},
                {SPTRSV_SPLIT_CPU_GPU, 0, NULL, NULL},
                {SPTRSV_SPLIT_CPU_GPU, 2, "host-threads", "twophase"},
                {SPTRSV_SPLIT_GPU_CPU, 0, NULL, NULL},
                {SPTRSV_SPLIT_GPU_CPU, 1, "yuenyeung", NULL},
                {SPTRSV_SPLIT_GPU_GPU, 0, NULL, NULL},
                {SPTRSV_SPLIT_GPU_GPU, 3, "levelorder", "capellini"}};

static bool is_on_host(SptrsvSplitPolicy policy)
{
  return policy == SPTRSV_SPLIT_AUTO || policy == SPTRSV_SPLIT_CPU || policy == SPTRSV_SPLIT_CPU_CPU;
}

static int64_t rows_of_cpu(const SptrsvSplit *split)
{
  switch (split->policy) {
  case SPTRSV_SPLIT_CPU:
  case SPTRSV_SPLIT_CPU_CPU:
    return split->rows[0] + split->rows[1];
  case SPTRSV_SPLIT_CPU_GPU:
    return split->rows[0];
  case SPTRSV_SPLIT_GPU_CPU:
    return split->rows[1];
  default:
    return 0;
  }
}

/* The parts add up to the whole sweep, and the transfers can be run alone */
static void check_pieces(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options)
{
  const size_t size = value_size(options->type);
  SptrsvPlan   plan = NULL;
  SptrsvSplit  s;
  void        *values = zoo_values(A, options->type, options->diagonal == SPTRSV_DIAG_INVERTED, options->location),
       *b             = place_new(options->location, (size_t)A->n * size, NULL);
  void *x             = place_new(options->location, (size_t)A->n * size, NULL);
  char *zero          = place_new(SPTRSV_HOST, (size_t)A->n * size, NULL);

  case_begin("pieces of policy %d, level %d on %s", options->tuning.split.policy, options->tuning.split.level, A->name);
  memset(zero, 0, (size_t)A->n * size);
  place_put(options->location, b, zero, (size_t)A->n * size);
  if (expect_success(sptrsvPlanCreate(analysis, options, &plan)) && expect_success(sptrsvPlanGetSplit(plan, &s))) {
    const bool unit = options->diagonal == SPTRSV_DIAG_UNIT && s.policy != SPTRSV_SPLIT_CPU && s.policy != SPTRSV_SPLIT_GPU;

    expect(s.policy && (!options->tuning.split.policy || s.policy == options->tuning.split.policy), "policy %d", s.policy);
    expect(s.rows[0] + s.rows[1] == A->n, "%d + %d rows", (int)s.rows[0], (int)s.rows[1]);
    expect(s.nnz[0] + s.nnz[1] + s.nnz[2] + (unit ? A->n : 0) == s.graph.nnz, "%d + %d + %d entries of %d", (int)s.nnz[0], (int)s.nnz[1],
           (int)s.nnz[2], (int)s.graph.nnz);
    for (int k = 0; k < 2; k++) expect(!s.rows[k] == !s.algorithm[k], "part %d has no algorithm, or no rows", k);
    expect(s.transfer == (options->location == SPTRSV_DEVICE ? 2 * (int64_t)size * rows_of_cpu(&s) : 0), "%d bytes are moved",
           (int)s.transfer);
    for (int k = 0; k < 4; k++) expect(s.setup[k] >= 0, "set-up, step %d", k);
    expect_status(sptrsvPlanSplitTransfer(plan, b, x, NULL), SPTRSV_NOT_READY, "moving before there are values");
    expect_success(sptrsvPlanUpdate(plan, values, NULL));
    expect_success(sptrsvSolve(plan, b, x, NULL));
    expect_success(sptrsvPlanSplitTransfer(plan, b, x, NULL));
    expect_success(sptrsvSolve(plan, b, x, NULL));
    place_get(options->location, zero, x, (size_t)A->n * size);
    for (size_t k = 0; k < (size_t)A->n * size; k++) expect(!(zero[k] & 0x7f), "x of b = 0 is not 0");
  }
  expect_success(sptrsvPlanDestroy(&plan));
  place_free(options->location, values);
  place_free(options->location, b);
  place_free(options->location, x);
  free(zero);
  case_end();
}

static void test_sweeps(const ZooMatrix *A, SptrsvAnalysis analysis, SptrsvLocation location)
{
  int32_t *in = random_permutation(A->n, 21), *out = random_permutation(A->n, 22);

  for (size_t p = 0; p < sizeof(policies) / sizeof(*policies); p++) {
    if (location == SPTRSV_HOST && !is_on_host(policies[p].policy)) continue;
    for (int k = test_quick() ? (int)(p % 2) : 0; k < 4; k += test_quick() ? 2 : 1) {
      SptrsvPlanOptions o = {.algorithm = "split", .location = location, .tuning.host.threads = 2, .tuning.host.threads_entries = 1};

      o.triangle                   = k & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
      o.op                         = k & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
      o.type                       = (p + (size_t)k) % 3 ? SPTRSV_DOUBLE : SPTRSV_FLOAT;
      o.diagonal                   = A->diagonal ? (SptrsvDiagonal)((p + (size_t)k) % 3) : SPTRSV_DIAG_UNIT;
      o.in_perm                    = (p + (size_t)k) % 2 ? in : NULL;
      o.out_perm                   = (p + (size_t)k) % 4 < 2 ? out : NULL;
      o.tuning.split.policy        = policies[p].policy;
      o.tuning.split.level         = policies[p].level;
      o.tuning.split.first         = policies[p].first;
      o.tuning.split.second        = policies[p].second;
      o.tuning.split.parallel_rows = 3;
      sweep_case(A, analysis, &o);
      check_pieces(A, analysis, &o);
    }
  }
  free(in);
  free(out);
}

/* Any algorithm of this memory works for either part.  The first part reads b, and both write x at positions of the whole vector. */
static void test_either_part(SptrsvLocation location)
{
  enum { GRID = 7 };
  const SptrsvAlgorithm *a;
  ZooMatrix              A;
  SptrsvCsr              csr;
  SptrsvAnalysis         analysis = NULL;
  int32_t               *in, *out;

  zoo_create(GRID, true, &A);
  csr = zoo_csr(&A);
  in  = random_permutation(A.n, 21);
  out = random_permutation(A.n, 22);
  if (sptrsvAnalysisCreate(&csr, location, NULL, &analysis) == SPTRSV_SUCCESS) {
    for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
      SptrsvPlanOptions o = {.algorithm = "split", .location = location, .in_perm = in, .out_perm = out};

      if (a->location != location || !strcmp(a->name, "split")) continue;
      o.triangle            = k % 2 ? SPTRSV_UPPER : SPTRSV_LOWER;
      o.diagonal            = (SptrsvDiagonal)(k % 3);
      o.type                = k % 4 ? SPTRSV_DOUBLE : SPTRSV_FLOAT;
      o.tuning.split.policy = location == SPTRSV_HOST ? SPTRSV_SPLIT_CPU_CPU : SPTRSV_SPLIT_GPU_GPU;
      o.tuning.split.first  = o.tuning.split.second = a->name;
      sweep_case(&A, analysis, &o);
    }
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  free(in);
  free(out);
  zoo_destroy(&A);
}

static void test_refusals(SptrsvLocation location)
{
  const SptrsvPlanOptions good = {.algorithm = "split", .location = location, .type = SPTRSV_DOUBLE};
  const SptrsvStatus      memory = sptrsvAlgorithmFind("levelorder", SPTRSV_DEVICE) ? SPTRSV_WRONG_MEMORY : SPTRSV_UNKNOWN_NAME;
  SptrsvStatus            expected[11];
  char                    error[256];
  SptrsvPlanOptions       bad[11];
  ZooMatrix               A;
  SptrsvCsr               csr;
  SptrsvAnalysis          analysis = NULL;
  SptrsvPlan              plan     = NULL;
  SptrsvSplit             split;

  for (int k = 0; k < 11; k++) {
    bad[k]      = good;
    expected[k] = SPTRSV_INVALID_ARGUMENT;
  }
  bad[0].tuning.split.policy         = (SptrsvSplitPolicy)7;
  bad[1].tuning.split.level          = 1; /* without a policy */
  bad[2].tuning.split.policy         = SPTRSV_SPLIT_CPU;
  bad[2].tuning.split.level          = 1;
  bad[3].tuning.split.first          = "split";
  bad[4].tuning.split.policy         = SPTRSV_SPLIT_CPU;
  bad[4].tuning.split.first          = "levelorder"; /* of the other memory */
  expected[4]                        = memory;
  bad[5].tuning.split.policy         = SPTRSV_SPLIT_CPU_CPU;
  bad[5].tuning.split.level          = 1;
  bad[5].tuning.split.second         = "cholesky";
  expected[5]                        = SPTRSV_UNKNOWN_NAME;
  bad[6].tuning.split.min_levels     = -1;
  bad[7].tuning.split.bad_share      = 101;
  bad[8].tuning.split.parallel_share = NAN;
  bad[9].tuning.split.level          = -1;
  bad[9].tuning.split.policy         = SPTRSV_SPLIT_CPU_CPU;
  bad[10].tuning.split.policy        = location == SPTRSV_HOST ? SPTRSV_SPLIT_GPU_CPU : (SptrsvSplitPolicy)-1;
  if (location == SPTRSV_HOST) expected[10] = SPTRSV_WRONG_MEMORY;
  zoo_create(6, true, &A);
  csr = zoo_csr(&A);
  case_begin("what split refuses on the %s", location == SPTRSV_HOST ? "host" : "GPU");
  expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &analysis));
  for (int k = 0; k < 11; k++) {
    const SptrsvStatus status = sptrsvPlanCreate(analysis, &bad[k], &plan);

    expect(status == expected[k] && !plan, "%d: %s", k, sptrsvGetErrorString(status));
  }
  for (int k = 1; k <= 5; k++) { /* each sentence begins with the option */
    static const char *const option[] = {"", "split_level", "split_level", "split_first", "split_first", "split_second"};

    error[0] = 0;
    expect_status(sptrsvSplitOptionsCheck(&bad[k].tuning.split, location, error, sizeof(error)), expected[k], error);
    expect(!strncmp(error, option[k], strlen(option[k])), "%d: %s", k, error);
  }
  expect_refusal(sptrsvSplitOptionsCheck(NULL, location, error, sizeof(error)));
  expect_success(sptrsvPlanCreate(analysis, &good, &plan));
  expect_status(sptrsvPlanGetSplit(plan, NULL), SPTRSV_INVALID_ARGUMENT, "nowhere to put the split");
  expect_success(sptrsvPlanDestroy(&plan));
  bad[1].algorithm = "auto"; /* which takes no options of split */
  expect_success(sptrsvPlanCreate(analysis, &bad[1], &plan));
  expect_status(sptrsvPlanGetSplit(plan, &split), SPTRSV_INVALID_ARGUMENT, "the split of another algorithm");
  expect_status(sptrsvPlanSplitTransfer(plan, NULL, NULL, NULL), SPTRSV_INVALID_ARGUMENT, "the transfer of another algorithm");
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
  case_end();
}

static void test_location(SptrsvLocation location)
{
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;

    zoo_create(k, true, &A);
    csr = zoo_csr(&A);
    case_begin("analysis of %s", A.name);
    expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &analysis));
    case_end();
    if (analysis) test_sweeps(&A, analysis, location);
    expect_success(sptrsvAnalysisDestroy(&analysis));
    zoo_destroy(&A);
  }
  test_either_part(location);
  test_refusals(location);
}

int main(int argc, char **argv)
{
  (void)test_begin("split", argc, argv);
  test_location(SPTRSV_HOST);
  if (sptrsvDeviceCount()) test_location(SPTRSV_DEVICE);
  else case_skip("split on the GPU: there is no GPU");
  return test_end();
}
