/* The memory that factors and plans report is all they hold: what they hold beside it, handles and the like, does not grow with the
   matrix. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "failing.h"
#include "zoo.h"

enum { GRID2D = 6, DENSE_MIDDLE = 11, RANDOM = 18 }; /* of the zoo */
enum { EMPTY = 64 };              /* an array of nothing is a byte long */

typedef struct {
  SptrsvFactorKind  kind;
  SptrsvFill        fill;
  SptrsvLocation    location;
  const char       *algorithm;
  SptrsvOperation   op;
  SptrsvSplitPolicy policy; /* of split; each has its own number of handles */
  bool              permuted, in_tasks, long_rows;
} AccountCase;

/* Adds what a handle reports */
static void add_report(SptrsvStatus status, const size_t part[2], size_t reported[2])
{
  if (!expect_status(status, SPTRSV_SUCCESS, "a report of memory")) return;
  for (int k = 0; k < 2; k++) reported[k] += part[k];
}

/* Bytes that a factor and the plans of its sweeps hold on the host [0] and on the device [1], and do not report */
static void unreported(const AccountCase *c, const ZooMatrix *A, int64_t extra[2])
{
  const SptrsvCsr    csr      = zoo_csr(A);
  const SptrsvTuning ata      = {.factor.algorithm = "ata"};
  SptrsvPlanOptions  o        = {.algorithm = c->algorithm, .location = c->location, .type = SPTRSV_DOUBLE, .op = c->op};
  int32_t           *perm     = c->permuted ? random_permutation(A->n, 31) : NULL;
  int32_t           *inverse  = c->permuted ? inverse_permutation(A->n, perm) : NULL;
  size_t             before[2], held[2], part[2] = {0}, reported[2] = {0};
  SptrsvAnalysis     analysis = NULL;
  SptrsvFactor       factor   = NULL;
  SptrsvPlan         plan[2]  = {NULL};
  char               parameters[64];

  o.tuning.host.threads         = 2;
  o.tuning.host.threads_entries = 1;
  o.tuning.split.parameters     = split_parameters(c->policy, 3, parameters);
  failing_held(before);
  expect_success(sptrsvFactorCreate(&csr, c->kind, perm, inverse, &c->fill, o.type, c->location, NULL, &factor));
  if (c->in_tasks) expect_success(sptrsvFactorTune(factor, &ata));
  expect_success(sptrsvFactorGetAnalysis(factor, &analysis));
  o.in_perm = perm;
  for (int k = 0; k < 2; k++) {
    o.out_perm = k ? perm : NULL;
    o.triangle = k ? SPTRSV_UPPER : SPTRSV_LOWER;
    o.diagonal = k ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_UNIT;
    expect_success(sptrsvPlanCreate(analysis, &o, &plan[k]));
    if (!k && !o.op) expect_success(sptrsvFactorSetSweep(factor, plan[k]));
    add_report(sptrsvPlanGetMemory(plan[k], &part[0], &part[1]), part, reported);
  }
  add_report(sptrsvFactorGetMemory(factor, &part[0], &part[1]), part, reported);
  failing_held(held);
  for (int k = 0; k < 2; k++) extra[k] = (int64_t)(held[k] - before[k] - reported[k]);
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanDestroy(&plan[k]));
  expect_success(sptrsvFactorDestroy(&factor));
  failing_held(held);
  expect(held[0] == before[0] && held[1] == before[1], "not all is given back");
  free(perm);
  free(inverse);
}

static void test_account(const AccountCase *c)
{
  int64_t extra[2][2];
  int     rows[2];

  case_begin("memory of %s(%d)%s, sweeps%s by %s%s%s, policy %d", c->kind == SPTRSV_ICC0 ? "ICC" : "ILU", (int)c->fill.levels,
             c->in_tasks ? " in tasks" : "", c->op ? " transposed" : "", c->algorithm, c->permuted ? ", permuted" : "",
             c->long_rows ? ", long rows" : "", c->policy);
  for (int large = 0; large < 2; large++) {
    ZooMatrix A;

    zoo_create(c->long_rows ? DENSE_MIDDLE : c->permuted ? RANDOM : GRID2D, !large, &A);
    rows[large] = A.n;
    unreported(c, &A, extra[large]);
    zoo_destroy(&A);
  }
  expect(rows[0] < rows[1], "both matrices have %d rows", rows[0]);
  for (int k = 0; k < 2; k++)
    expect(llabs(extra[0][k] - extra[1][k]) < EMPTY, "%s: %lld bytes of a small matrix are not reported, %lld of a large one",
           k ? "device" : "host", (long long)extra[0][k], (long long)extra[1][k]);
  case_end();
}

static void test_algorithm(const SptrsvAlgorithm *algorithm, SptrsvSplitPolicy policy)
{
  for (int variant = 0; variant < 5; variant++) {
    const AccountCase c = {.kind      = variant & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0,
                           .fill      = {variant & 1, 0},
                           .location  = algorithm->location,
                           .algorithm = algorithm->name,
                           .op        = variant > 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE,
                           .policy    = policy,
                           .permuted  = variant > 1,
                           .in_tasks  = algorithm->location == SPTRSV_DEVICE && variant > 1 && sptrsvFactorAlgorithmFind("ata"),
                           .long_rows = variant == 4};

    test_account(&c);
  }
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;

  (void)test_begin("accounts", argc, argv);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    const bool splits = !strcmp(algorithm->name, "split");

    if (algorithm->location == SPTRSV_DEVICE && !sptrsvDeviceCount()) case_skip("memory of %s: there is no GPU", algorithm->name);
    else if (!splits) test_algorithm(algorithm, SPTRSV_SPLIT_AUTO);
    else {
      for (int p = SPTRSV_SPLIT_CPU; p <= SPTRSV_SPLIT_GPU_GPU; p++) {
        if (algorithm->location == SPTRSV_DEVICE || p == SPTRSV_SPLIT_CPU || p == SPTRSV_SPLIT_CPU_CPU)
          test_algorithm(algorithm, (SptrsvSplitPolicy)p);
      }
    }
  }
  return test_end();
}
