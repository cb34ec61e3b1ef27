/* `split`: all policies on the zoo, any algorithm in either part.  How it decides: graph.c; in streams and captured graphs: streams.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

static const struct {
  SptrsvSplitPolicy policy;
  const char       *parameters;
} policies[] = {{SPTRSV_SPLIT_AUTO, "parallel_rows=3"},
                {SPTRSV_SPLIT_CPU, "policy=cpu,first=host-threads,parallel_rows=3"},
                {SPTRSV_SPLIT_CPU_CPU, "policy=cpu-cpu,parallel_rows=3"},
                {SPTRSV_SPLIT_CPU_CPU, "policy=cpu-cpu,level=1,first=host,second=host-threads,parallel_rows=3"},
                {SPTRSV_SPLIT_CPU_CPU, "policy=cpu-cpu/level=1000000/parallel_rows=3"},
                {SPTRSV_SPLIT_GPU, "policy=gpu,first=capellini,parallel_rows=3"},
                {SPTRSV_SPLIT_CPU, "policy=cpu,parallel_rows=3"},
                {SPTRSV_SPLIT_CPU_GPU, "policy=cpu-gpu,parallel_rows=3"},
                {SPTRSV_SPLIT_CPU_GPU, "policy=cpu-gpu,level=2,first=host-threads,second=twophase,parallel_rows=3"},
                {SPTRSV_SPLIT_GPU_CPU, "policy=gpu-cpu,parallel_rows=3"},
                {SPTRSV_SPLIT_GPU_CPU, "policy=gpu-cpu,level=1,first=yuenyeung,parallel_rows=3"},
                {SPTRSV_SPLIT_GPU_GPU, "policy=gpu-gpu,parallel_rows=3"},
                {SPTRSV_SPLIT_GPU_GPU, "policy=gpu-gpu,level=3,first=levelorder,second=capellini,parallel_rows=3"}};

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
static void check_pieces(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvSplitPolicy policy)
{
  const size_t size = value_size(options->type);
  SptrsvPlan   plan = NULL;
  SptrsvSplit  s;
  void        *values = zoo_values(A, options->type, options->diagonal == SPTRSV_DIAG_INVERTED, options->location),
       *b             = place_new(options->location, (size_t)A->n * size, NULL);
  void *x             = place_new(options->location, (size_t)A->n * size, NULL);
  char *zero          = place_new(SPTRSV_HOST, (size_t)A->n * size, NULL);

  case_begin("pieces of %s on %s", options->tuning.split.parameters, A->name);
  memset(zero, 0, (size_t)A->n * size);
  place_put(options->location, b, zero, (size_t)A->n * size);
  if (expect_success(sptrsvPlanCreate(analysis, options, &plan)) && expect_success(sptrsvPlanGetSplit(plan, &s))) {
    const bool unit = options->diagonal == SPTRSV_DIAG_UNIT && s.policy != SPTRSV_SPLIT_CPU && s.policy != SPTRSV_SPLIT_GPU;

    expect(s.policy && (!policy || s.policy == policy), "policy %d", s.policy);
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
    for (int k = test_quick() ? (int)(p % 2) : 0; k < SWEEPS_OF_PATTERN; k += test_quick() ? 2 : 1) {
      SptrsvPlanOptions o = {.algorithm = "split", .location = location, .tuning.host.threads = 2, .tuning.host.threads_entries = 1};

      set_sweep(k, &o);
      o.type                       = (p + (size_t)k) % 3 ? SPTRSV_DOUBLE : SPTRSV_FLOAT;
      o.diagonal                   = A->diagonal ? (SptrsvDiagonal)((p + (size_t)k) % 3) : SPTRSV_DIAG_UNIT;
      o.in_perm                    = (p + (size_t)k) % 2 ? in : NULL;
      o.out_perm                   = (p + (size_t)k) % 4 < 2 ? out : NULL;
      o.tuning.split.parameters = policies[p].parameters;
      sweep_case(A, analysis, &o);
      check_pieces(A, analysis, &o, policies[p].policy);
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
      char              parameters[128];

      if (a->location != location || !strcmp(a->name, "split")) continue;
      o.triangle            = k % 2 ? SPTRSV_UPPER : SPTRSV_LOWER;
      o.diagonal            = (SptrsvDiagonal)(k % 3);
      o.type                = k % 4 ? SPTRSV_DOUBLE : SPTRSV_FLOAT;
      (void)snprintf(parameters, sizeof(parameters), "policy=%s,first=%s,second=%s", location == SPTRSV_HOST ? "cpu-cpu" : "gpu-gpu",
                     a->name, a->name);
      o.tuning.split.parameters = parameters;
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
  const SptrsvStatus memory = sptrsvAlgorithmFind("levelorder", SPTRSV_DEVICE) ? SPTRSV_WRONG_MEMORY : SPTRSV_UNKNOWN_NAME;
  const struct {
    SptrsvStatus status;
    const char  *parameters;
  } bad[] = {{SPTRSV_INVALID_ARGUMENT, "level=1"},
             {SPTRSV_INVALID_ARGUMENT, "policy=cpu,level=1"},
             {SPTRSV_INVALID_ARGUMENT, "first=split"},
             {memory, "policy=cpu,first=levelorder"},
             {SPTRSV_UNKNOWN_NAME, "policy=cpu-cpu,level=1,second=cholesky"},
             {SPTRSV_UNKNOWN_NAME, "policy=seven"},
             {SPTRSV_UNKNOWN_NAME, "threshold=1"},
             {SPTRSV_INVALID_ARGUMENT, "min_levels=-1"},
             {SPTRSV_INVALID_ARGUMENT, "bad_share=101"},
             {SPTRSV_INVALID_ARGUMENT, "parallel_share=nan"},
             {SPTRSV_INVALID_ARGUMENT, "policy=cpu-cpu,level=-1"},
             {SPTRSV_INVALID_ARGUMENT, "level"},
             {SPTRSV_WRONG_MEMORY, "policy=gpu-cpu"}}; /* the last one on the host only */
  const int         count = (int)(sizeof(bad) / sizeof(*bad)) - (location == SPTRSV_DEVICE);
  SptrsvPlanOptions good  = {.algorithm = "split", .location = location, .type = SPTRSV_DOUBLE}, o = good;
  char              error[512];
  ZooMatrix         A;
  SptrsvCsr         csr;
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlan        plan     = NULL;
  SptrsvSplit       split;

  zoo_create(6, true, &A);
  csr = zoo_csr(&A);
  case_begin("what split refuses on the %s", location == SPTRSV_HOST ? "host" : "GPU");
  expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &analysis));
  for (int k = 0; k < count; k++) {
    o.tuning.split.parameters = bad[k].parameters;
    const SptrsvStatus status = sptrsvPlanCreate(analysis, &o, &plan);

    expect(status == bad[k].status && !plan, "%s: %s", bad[k].parameters, sptrsvGetErrorString(status));
    error[0] = 0;
    expect_status(sptrsvPlanOptionsCheck(&o, error, sizeof(error)), bad[k].status, error);
    expect(!strncmp(error, "split_parameters: ", strlen("split_parameters: ")), "%s: \"%s\"", bad[k].parameters, error);
  }
  expect_success(sptrsvPlanOptionsCheck(&good, NULL, 0));
  expect(!sptrsvSplitPolicyName((SptrsvSplitPolicy)7), "there is an eighth policy");
  expect_success(sptrsvPlanCreate(analysis, &good, &plan));
  expect_status(sptrsvPlanGetSplit(plan, NULL), SPTRSV_INVALID_ARGUMENT, "nowhere to put the split");
  expect_success(sptrsvPlanDestroy(&plan));
  o.algorithm               = "auto"; /* which takes no options of split, though they must be well formed */
  o.tuning.split.parameters = bad[0].parameters;
  expect_success(sptrsvPlanCreate(analysis, &o, &plan));
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
