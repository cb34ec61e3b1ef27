/* Every algorithm, sweep, diagonal, precision and permutation on the zoo, and options that must be refused. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

enum { TEXT = 1024, MOST_ALGORITHMS = 64 };

static double spent[MOST_ALGORITHMS]; /* seconds of the cases of each */

/* All sweeps in natural order, and as many with permuted b or x.  The plans of both triangles in natural order serve four cases, one after
   the other: L, L permuted, U, U permuted. */
static void test_sweeps(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvAlgorithm *algorithm)
{
  int32_t *in = random_permutation(A->n, 21), *out = random_permutation(A->n, 22);

  for (int first = 0; first < ALL_SWEEPS; first += 2 * SWEEPS_TOGETHER) {
    SptrsvPlan plans[SWEEPS_TOGETHER][2] = {{NULL}};

    for (int part = 0; part < 4; part++) {
      SweepCase cases[SWEEPS_TOGETHER];
      int       count = 0;

      for (int k = first + part / 2; count < SWEEPS_TOGETHER && k < ALL_SWEEPS; k += 2) {
        SweepCase *const c = &cases[count];

        *c = (SweepCase){{.algorithm = algorithm->name, .location = algorithm->location}, plans[count++], part % 2 == 0};
        set_sweep(k, &c->options);
        if (part % 2 && k % 3 != 1) c->options.in_perm = in;
        if (part % 2 && k % 3 != 0) c->options.out_perm = out;
      }
      sweep_cases(A, analysis, cases, count);
    }
    for (int k = 0; k < 2 * SWEEPS_TOGETHER; k++) (void)sptrsvPlanDestroy(&plans[k / 2][k % 2]);
  }
  free(in);
  free(out);
}

/* Options that tune an algorithm must not change the result */
static void test_tuning(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvAlgorithm *algorithm)
{
  const struct {
    const char  *algorithm;
    SptrsvTuning tuning;
  } tunings[] = {
    {"levelorder", {.levelorder = {.warps = 1}}},
    {"levelorder", {.levelorder = {.warps = 3, .lanes = 1}}},
    {"levelorder", {.levelorder = {.lanes = 2}}},
    {"levelorder", {.levelorder = {.lanes = 4}}},
    {"levelorder", {.levelorder = {.warps = 2, .lanes = 8}}},
    {"levelorder", {.levelorder = {.lanes = 16}}},
    {"levelorder", {.levelorder = {.warps = 64, .lanes = 32}}},
    {"levelorder", {.levelorder = {.warps = 64, .lanes = sptrsvWarpSize()}}},
    {"levelset", {.levelorder = {.lanes = 1}}},
    {"levelset", {.levelorder = {.lanes = 8}}},
    {"levelset", {.levelorder = {.lanes = sptrsvWarpSize()}}},
    {"strips", {.strips = {1, 2, SPTRSV_STRIPS_NATURAL}}},
    {"strips", {.strips = {50, 3, SPTRSV_STRIPS_NATURAL}}},
    {"strips", {.strips = {100, 100, SPTRSV_STRIPS_DEPTH_FIRST}}},
    {"strips", {.strips = {INT_MAX, 1, SPTRSV_STRIPS_DEPTH_FIRST}}},
    {"strips", {.strips = {50, 3, SPTRSV_STRIPS_BRICKS}}},
    {"strips", {.strips = {50, 3, SPTRSV_STRIPS_BRICKS, SPTRSV_STRIPS_LIST}}},
    {"strips", {.strips = {100, 2, SPTRSV_STRIPS_NATURAL, SPTRSV_STRIPS_LIST}}},
    {"strips", {.strips = {.order = SPTRSV_STRIPS_BRICKS}}},
    {"strips", {.strips = {.entries = 1}}},
    {"strips", {.strips = {.rows = 50, .schedule = SPTRSV_STRIPS_LIST, .entries = 4}}},
    {"yuenyeung", {.yuenyeung = {.threshold = 1e-9}}},
    {"yuenyeung", {.yuenyeung = {.threshold = 3}}},
    {"yuenyeung", {.yuenyeung = {.threshold = 1e9}}},
    {"ata", {.ata = {SPTRSV_TASKS_CONCURRENCY, 1, 0}}},
    {"ata", {.ata = {SPTRSV_TASKS_CONCURRENCY, 20, 0}}},
    {"ata", {.ata = {SPTRSV_TASKS_LOCALITY, 20, 0}}},
    {"ata", {.ata = {SPTRSV_TASKS_LOCALITY, 7, 0}}},
    {"ata", {.ata = {SPTRSV_TASKS_LOCALITY, 0, 1e-9}}},
    {"ata-push", {.ata = {SPTRSV_TASKS_CONCURRENCY, 20, 0}}},
    {"ata-push", {.ata = {SPTRSV_TASKS_LOCALITY, 20, 0}}},
    {"ata-push", {.ata = {SPTRSV_TASKS_LOCALITY, 7, 0}}}
  };

  for (size_t t = 0; t < sizeof(tunings) / sizeof(*tunings); t++) {
    const SptrsvPlanOptions o = {.algorithm = algorithm->name,
                                 .location  = algorithm->location,
                                 .triangle  = t % 2 ? SPTRSV_UPPER : SPTRSV_LOWER,
                                 .diagonal  = SPTRSV_DIAG_INVERTED,
                                 .type      = SPTRSV_DOUBLE,
                                 .tuning    = tunings[t].tuning};

    if (A->diagonal && !strcmp(tunings[t].algorithm, algorithm->name)) sweep_case(A, analysis, &o);
  }
}

static size_t bytes_of_plan(SptrsvAnalysis analysis, SptrsvPlanOptions o, SptrsvPrecision precision)
{
  SptrsvPlan plan = NULL;
  size_t     host = 0, device = 0;

  o.tuning.sweep.precision = precision;
  expect_success(sptrsvPlanCreate(analysis, &o, &plan));
  if (plan) expect_success(sptrsvPlanGetMemory(plan, &host, &device));
  expect_success(sptrsvPlanDestroy(&plan));
  return device;
}

/* Values that are stored in single precision: a third of the sweeps, by turns, and what does not store them */
static void test_precision(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvAlgorithm *algorithm)
{
  SptrsvPlanOptions o = {.algorithm = algorithm->name, .location = algorithm->location, .tuning.sweep.precision = SPTRSV_PRECISION_SINGLE};
  static int        turn;
  SptrsvPlan        plan = NULL;

  turn++;
  o.type = SPTRSV_DOUBLE;
  case_begin("single precision by %s on %s", algorithm->name, A->name);
  if (algorithm->traits & SPTRSV_STORES_SINGLE) {
    expect(A->nnz <= 8 * A->n || bytes_of_plan(analysis, o, SPTRSV_PRECISION_SINGLE) < bytes_of_plan(analysis, o, SPTRSV_PRECISION_OWN),
           "the plan is not smaller");
    case_end();
    for (int k = 0; k < ALL_SWEEPS; k++) {
      set_sweep(k, &o);
      if (o.type == SPTRSV_DOUBLE && (k / SWEEPS_OF_DIAGONAL + k + turn) % 3 == 0) sweep_case(A, analysis, &o);
    }
    return;
  }
  expect_status(sptrsvPlanOptionsCheck(&o, NULL, 0), SPTRSV_NOT_SUPPORTED, "sptrsvPlanOptionsCheck");
  expect_status(sptrsvPlanCreate(analysis, &o, &plan), SPTRSV_NOT_SUPPORTED, "sptrsvPlanCreate");
  case_end();
}

/* The algorithms that can run here, one after the other: *k is where to go on */
static const SptrsvAlgorithm *next_algorithm(int *k)
{
  const SptrsvAlgorithm *a;

  while ((a = sptrsvAlgorithmGet((*k)++))) {
    if (a->location == SPTRSV_HOST || sptrsvDeviceCount()) return a;
  }
  return NULL;
}

/* All matrices and algorithms.  An analysis, which costs as much as a few plans, serves all algorithms of its memory. */
static void test_zoo(bool quick, void (*test)(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvAlgorithm *algorithm))
{
  for (int k = 0; k < zoo_count(); k++) {
    SptrsvAnalysis         analysis[2] = {NULL, NULL}; /* by location */
    const SptrsvAlgorithm *algorithm;
    ZooMatrix              A;
    SptrsvCsr              csr;

    zoo_create(k, quick, &A);
    csr = zoo_csr(&A);
    for (int a = 0; (algorithm = next_algorithm(&a));) {
      SptrsvAnalysis *const own = &analysis[algorithm->location == SPTRSV_DEVICE];

      if (!*own) {
        case_begin("analysis of %s", A.name);
        if (!expect_success(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, own))) {
          case_end();
          break;
        }
      }
      spent[a - 1] -= test_seconds();
      test(&A, *own, algorithm);
      spent[a - 1] += test_seconds();
    }
    for (int l = 0; l < 2; l++) (void)sptrsvAnalysisDestroy(&analysis[l]);
    zoo_destroy(&A);
  }
}

/* Where the time went, which is minutes on a GPU */
static void print_times(void)
{
  const SptrsvAlgorithm *algorithm;

  sweep_print_times();
  for (int a = 0; (algorithm = next_algorithm(&a));) printf("%s %.1f s\n", algorithm->name, spent[a - 1]);
}

static SptrsvStatus try_plan(SptrsvAnalysis analysis, SptrsvPlanOptions options)
{
  SptrsvPlan         plan   = NULL;
  const SptrsvStatus status = sptrsvPlanCreate(analysis, &options, &plan);

  expect((status == SPTRSV_SUCCESS) == (plan != NULL), "status and plan do not agree");
  expect_success(sptrsvPlanDestroy(&plan));
  return status;
}

static void test_refusals(const SptrsvAlgorithm *algorithm)
{
  const SptrsvPlanOptions  good     = {.algorithm = algorithm->name, .location = algorithm->location, .type = SPTRSV_DOUBLE};
  static const int32_t     beyond[] = {INT32_MAX}, before[] = {-1}; /* refused at the first look */
  SptrsvPlanOptions        bad[] = {good, good, good, good, good, good, good, good, good, good, good, good};
  static const char *const why[] = {
    "an unknown algorithm", "the other memory", "-1 warps", "3 lanes", "more lanes than a warp has", "-1 lanes", "a window of -1 rows",
    "an input beyond the last", "an output before the first", "a third triangle", "a third operation", "a third type"};
  ZooMatrix      A;
  SptrsvCsr      csr;
  SptrsvAnalysis analysis = NULL;
  SptrsvPlan     plan     = NULL;

  bad[0].algorithm                  = "cholesky";
  bad[1].location                   = algorithm->location == SPTRSV_HOST ? SPTRSV_DEVICE : SPTRSV_HOST;
  bad[2].tuning.levelorder.warps    = -1;
  bad[3].tuning.levelorder.lanes    = 3;
  bad[4].tuning.levelorder.lanes    = 2 * sptrsvWarpSize();
  bad[5].tuning.levelorder.lanes    = -1;
  bad[6].tuning.host.window         = -1;
  bad[7].in_perm                    = beyond;
  bad[8].out_perm                   = before;
  bad[9].triangle                  = (SptrsvTriangle)2;
  bad[10].op                        = (SptrsvOperation)2;
  bad[11].type                      = (SptrsvValueType)99;
  zoo_create(4, true, &A);
  csr = zoo_csr(&A);
  case_begin("%s, what it refuses", algorithm->name);
  expect_success(sptrsvAnalysisCreate(&csr, algorithm->location, NULL, &analysis));
  expect_success(try_plan(analysis, good));
  for (int k = 0; k < 12; k++) {
    const SptrsvStatus expected = k == 0 ? SPTRSV_UNKNOWN_NAME : k == 1 ? SPTRSV_WRONG_MEMORY : SPTRSV_INVALID_ARGUMENT;

    if (k == 1 && sptrsvAlgorithmFind(algorithm->name, bad[1].location)) continue; /* there is no other memory then */
    expect_status(try_plan(analysis, bad[k]), expected, why[k]);
  }
  expect_status(sptrsvPlanCreate(NULL, &good, &plan), SPTRSV_INVALID_ARGUMENT, "no analysis");
  expect_status(sptrsvPlanCreate(analysis, NULL, &plan), SPTRSV_INVALID_ARGUMENT, "no options");
  expect_status(sptrsvPlanCreate(analysis, &good, NULL), SPTRSV_INVALID_ARGUMENT, "nowhere to put the plan");
  expect_status(sptrsvSolve(NULL, NULL, NULL, NULL), SPTRSV_INVALID_ARGUMENT, "solve without a plan");
  expect_status(sptrsvSolveNext(NULL, NULL, NULL, NULL), SPTRSV_INVALID_ARGUMENT, "solve next without a plan");
  expect_refusal(sptrsvSolveMany(NULL, 0, NULL, 0, NULL, 0, NULL));
  expect_status(sptrsvPlanUpdate(NULL, A.values, NULL), SPTRSV_INVALID_ARGUMENT, "update without a plan");
  expect_success(sptrsvPlanCreate(analysis, &good, &plan));
  expect_status(sptrsvPlanUpdate(plan, NULL, NULL), SPTRSV_INVALID_ARGUMENT, "update without values");
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
  case_end();
}

/* syncfree-csc tells which part of a triangle's entries stays in a block, of 16 columns */
static void test_share_in_block(void)
{
  enum { COLUMNS = 16 };
  const SptrsvPlanOptions o        = {.algorithm = "syncfree-csc", .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE};
  SptrsvAnalysis          analysis = NULL;
  SptrsvPlan              plan     = NULL;
  ZooMatrix               A;
  SptrsvCsr               csr;
  char                    text[TEXT], right[TEXT];
  int                     entries = 0, here = 0;

  zoo_create(6, true, &A);
  csr = zoo_csr(&A);
  case_begin("description of syncfree-csc on %s", A.name);
  for (int i = 0; i < A.n; i++) {
    for (int e = A.row_ptr[i]; e < A.row_ptr[i + 1] && A.col_idx[e] < i; e++) {
      entries++;
      here += A.col_idx[e] / COLUMNS == i / COLUMNS;
    }
  }
  (void)snprintf(right, sizeof(right), "%d columns, %.0f %% of the sums", COLUMNS, 100.0 * here / entries);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  expect_success(sptrsvPlanCreate(analysis, &o, &plan));
  expect_success(sptrsvPlanDescribe(plan, text, sizeof(text)));
  expect(strstr(text, right) != NULL, "\"%s\", not \"%s\"", text, right);
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
  zoo_destroy(&A);
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;

  (void)test_begin("sweeps", argc, argv);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE && !sptrsvDeviceCount()) case_skip("%s: there is no GPU", algorithm->name);
  }
  sptrsvMemoryKeep(); /* as a PCSetUp() does; a slab of its own for each of ten thousands of plans takes seconds */
  test_zoo(test_quick(), test_sweeps);
  sptrsvMemoryRelease();
  test_zoo(true, test_tuning);
  test_zoo(true, test_precision);
  for (int k = 0; (algorithm = next_algorithm(&k));) test_refusals(algorithm);
  if (sptrsvDeviceCount()) {
    print_times();
    if (sptrsvAlgorithmFind("syncfree-csc", SPTRSV_DEVICE)) test_share_in_block();
  } else case_skip("descriptions on the GPU: there is no GPU");
  return test_end();
}
