/* Calls for which memory runs out, and what comes after: auto goes on with what fits, and a call that fails leaves levels, and the solves
   after it, as they were.  And memory that set-ups keep. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/impl.h"
#include "check.h"
#include "failing.h"
#include "zoo.h"
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>
#endif

enum { GRID2D = 6, FULL = 20 }; /* of the zoo */

#if defined(SPTRSV_HAVE_CUDA)
typedef struct {
  SptrsvPlanOptions options;
  SptrsvPlan        plan;
  cudaStream_t      stream; /* waits for no other */
  int               n;
  void             *b, *x;          /* on the GPU */
  double           *host_x, *right; /* likewise on the host: the last solution, the one before anything failed */
} Torn;

/* Each wait of the stream fails in turn, until a solve has none left that could */
static void tear(Torn *t)
{
  enum { AFTER = 3 };
  const size_t bytes = (size_t)t->n * sizeof(double);
  long         fatal = 0;
  SptrsvStatus status;

  do {
    failing_arm_wait(++fatal);
    status = sptrsvSolve(t->plan, t->b, t->x, t->stream);
    expect_status(status, failing_struck() ? SPTRSV_OUT_OF_MEMORY : SPTRSV_SUCCESS, "sptrsvSolve");
    failing_arm_wait(0);
    for (int k = 0; status && k < AFTER; k++) {
      expect_success(sptrsvSolve(t->plan, t->b, t->x, t->stream));
      expect_cuda(cudaStreamSynchronize(t->stream), "solve");
      place_get(SPTRSV_DEVICE, t->host_x, t->x, bytes);
      expect(same_solution(&t->options, t->host_x, t->right, t->n), "wait %ld failed: solve %d after it is wrong", fatal, k);
    }
  } while (status && fatal < 1000);
  expect(fatal > 5, "only %ld waits of streams have failed", fatal - 1);
}

/* A solve of which some tasks were launched and others could not be leaves nothing behind: the next ones are right */
static void test_torn_solve(const char *name)
{
  ZooMatrix      A;
  SptrsvCsr      csr;
  SptrsvAnalysis analysis = NULL;
  uint64_t       seed     = 71;
  Torn           t        = {.options = {.algorithm  = name,
                                         .location   = SPTRSV_DEVICE,
                                         .diagonal   = SPTRSV_DIAG_STORED,
                                         .type       = SPTRSV_DOUBLE,
                                         .tuning.ata = {SPTRSV_TASKS_LOCALITY, 2, 0}}};
  void          *values;

  zoo_create(GRID2D, true, &A);
  const size_t bytes = (size_t)A.n * sizeof(double);

  csr      = zoo_csr(&A);
  values   = zoo_values(&A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);
  t.n      = A.n;
  t.host_x = place_new(SPTRSV_HOST, bytes, NULL);
  t.right  = place_new(SPTRSV_HOST, bytes, NULL);
  for (int i = 0; i < A.n; i++) t.host_x[i] = random_unit(&seed);
  t.b = place_new(SPTRSV_DEVICE, bytes, t.host_x);
  t.x = place_new(SPTRSV_DEVICE, bytes, NULL);
  case_begin("%s with tasks that cannot be launched", name);
  expect_cuda(cudaStreamCreateWithFlags(&t.stream, cudaStreamNonBlocking), "stream");
  if (expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis)) &&
      expect_success(sptrsvPlanCreate(analysis, &t.options, &t.plan)) && expect_success(sptrsvPlanUpdate(t.plan, values, t.stream)) &&
      expect_success(sptrsvSolve(t.plan, t.b, t.x, t.stream))) {
    expect_cuda(cudaStreamSynchronize(t.stream), "first solve");
    place_get(SPTRSV_DEVICE, t.right, t.x, bytes);
    tear(&t);
  }
  expect_success(sptrsvPlanDestroy(&t.plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  expect_cuda(cudaStreamDestroy(t.stream), "stream");
  case_end();
  free(t.host_x);
  free(t.right);
  place_free(SPTRSV_DEVICE, values);
  place_free(SPTRSV_DEVICE, t.b);
  place_free(SPTRSV_DEVICE, t.x);
  zoo_destroy(&A);
}
#endif

/* auto goes on with the plans that fit.  Each budget is a choice of its own, so none is remembered. */
static void test_auto(void)
{
  ZooMatrix         A;
  SptrsvCsr         csr;
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlanOptions o        = {.algorithm = "auto", .location = SPTRSV_DEVICE, .diagonal = SPTRSV_DIAG_STORED, .type = SPTRSV_DOUBLE};
  long              blocks, fatal = 0, fits = 0, attempts = 0;
  bool              struck;

  zoo_create(GRID2D, true, &A);
  csr                  = zoo_csr(&A);
  o.tuning.strips.rows = 16;
  blocks               = failing_blocks();
  case_begin("auto, out of memory");
  do {
    ++fatal;
    for (int lasting = 0; lasting < 2; lasting++) {
      SptrsvPlan   plan = NULL;
      SptrsvStatus status;

      o.tuning.choice.budget = (int)(INT_MAX - 2 * fatal - lasting);
      expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
      failing_arm(fatal, lasting);
      status = sptrsvPlanCreate(analysis, &o, &plan);
      struck = failing_struck();
      failing_arm(0, false);
      attempts += struck;
      fits += struck && !status;
      expect_status(status, status && lasting ? SPTRSV_OUT_OF_MEMORY : SPTRSV_SUCCESS, "sptrsvPlanCreate");
      expect(!status == (plan != NULL), "a plan is left by a failure, or missing");
      expect_success(sptrsvPlanDestroy(&plan));
      expect_success(sptrsvAnalysisDestroy(&analysis));
    }
  } while (struck);
  expect(failing_blocks() == blocks, "%ld blocks are left", failing_blocks() - blocks);
  /* All in which one block only was refused; where sweeps take long, as on the emulator, several plans are made, and some remain, too */
  expect(fits >= fatal + (test_emulated() ? 1 : -1) && attempts > fits, "of %ld attempts %ld succeeded", attempts, fits);
  case_end();
  zoo_destroy(&A);
}

/* Where what auto chose before does not fit any more, levelorder takes its place, and the choice is still remembered. */
static void test_remembered_choice(void)
{
  const SptrsvPlanOptions o = {.algorithm = "auto", .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE, .tuning.strips.rows = 16};
  ZooMatrix               A;
  SptrsvCsr               csr;
  SptrsvAnalysis          analysis   = NULL;
  char                    first[512] = "", text[512] = "";
  long                    replaced = 0;
  bool                    struck   = true;

  zoo_create(GRID2D, true, &A);
  csr = zoo_csr(&A);
  case_begin("what auto remembers, out of memory");
  for (long fatal = 0; struck; fatal++) { /* 0: none fails, and it chooses */
    SptrsvPlan plan = NULL;

    expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
    failing_arm(fatal, false);
    expect_success(sptrsvPlanCreate(analysis, &o, &plan));
    struck = !fatal || failing_struck();
    failing_arm(0, false);
    expect_success(sptrsvPlanDescribe(plan, fatal ? text : first, sizeof(text)));
    if (strstr(text, "auto: levelorder") && strstr(text, "could not be found or made")) replaced++;
    else if (fatal) { /* the same, but for the times of trials */ const size_t length = strcspn(first, ";");
      expect(!strncmp(text, first, length + 1), "\"%s\" after \"%s\"", text, first);
    }
    expect_success(sptrsvPlanDestroy(&plan));
    expect_success(sptrsvAnalysisDestroy(&analysis));
  }
  expect(replaced > 0, "it was never replaced");
  case_end();
  zoo_destroy(&A);
}

/* Rows that were cut for a plan and the order that was found for it go with it, also if it cannot be made.  Only an order that the upper
   sweep shares is left by the plan of the lower one, for the next. */
static void test_left(int shape, bool shared)
{
  SptrsvPlanOptions o = {.algorithm = "strips", .location = SPTRSV_DEVICE, .tuning.strips.order = SPTRSV_STRIPS_DEPTH_FIRST};
  ZooMatrix         A;
  SptrsvCsr         csr;
  SptrsvAnalysis    analysis = NULL;
  SptrsvStatus      status;

  zoo_create(shape, true, &A);
  csr = zoo_csr(&A);
  case_begin("what a plan leaves in its analysis, out of memory, %s", A.name);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  for (int k = 0; k < 2; k++) {
    SptrsvPlan plan  = NULL;
    long       fatal = 0;

    o.triangle = k ? SPTRSV_UPPER : SPTRSV_LOWER;
    do {
      failing_arm(++fatal, true);
      status = sptrsvPlanCreate(analysis, &o, &plan);
      expect_status(status, failing_struck() ? SPTRSV_OUT_OF_MEMORY : SPTRSV_SUCCESS, "sptrsvPlanCreate");
      failing_arm(0, false);
      const bool kept = analysis->orders.memory.bytes[SPTRSV_DEVICE];
      expect(!analysis->cut.memory.bytes[SPTRSV_DEVICE] && kept == (shared && !k && !status), "allocation %ld failed: %s", fatal,
             kept ? "an order is left" : "rows are left, or there is no order for the upper sweep");
    } while (status);
    expect(fatal > 3, "only %ld allocations have failed", fatal - 1);
    expect_success(sptrsvPlanDestroy(&plan));
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
  zoo_destroy(&A);
}

static void test_levels(SptrsvLocation location)
{
  ZooMatrix      A;
  SptrsvCsr      csr;
  SptrsvAnalysis analysis = NULL;
  int32_t       *level;

  zoo_create(GRID2D, true, &A);
  csr   = zoo_csr(&A);
  level = place_new(SPTRSV_HOST, (size_t)A.n * sizeof(*level), NULL);
  case_begin("levels of an analysis for the %s, out of memory", location == SPTRSV_HOST ? "host" : "GPU");
  expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &analysis));
  for (int method = SPTRSV_LEVELS_HOST_ROWS; method <= (location == SPTRSV_HOST ? SPTRSV_LEVELS_HOST_COLUMNS : SPTRSV_LEVELS_KAHN);
       method++) {
    long         fatal = 0;
    SptrsvStatus status;

    do {
      for (int i = 0; i < A.n; i++) level[i] = -7;
      failing_arm(++fatal, true);
      status = sptrsvAnalysisComputeLevels(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, (SptrsvLevelMethod)method, level, NULL);
      expect_status(status, failing_struck() ? SPTRSV_OUT_OF_MEMORY : SPTRSV_SUCCESS, "sptrsvAnalysisComputeLevels");
      failing_arm(0, false);
      for (int i = 0; status && i < A.n; i++) expect(level[i] == -7, "allocation %ld failed, but row %d got level %d", fatal, i, level[i]);
    } while (status);
    expect(fatal > 3, "only %ld allocations have failed", fatal - 1);
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
  free(level);
  zoo_destroy(&A);
}

/* Allocations of a plan's set-up */
static long plan_allocations(SptrsvAnalysis analysis)
{
  const SptrsvPlanOptions options = {.algorithm = "strips", .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE};
  SptrsvPlan              plan    = NULL;
  const long              before  = failing_count();
  long                    count;

  expect_success(sptrsvPlanCreate(analysis, &options, &plan));
  count = failing_count() - before;
  expect_success(sptrsvPlanDestroy(&plan));
  return count;
}

/* A set-up on the device finds the scratch of the one before, if that is kept, and nothing is left when it goes */
static void test_kept(void)
{
  ZooMatrix      A;
  SptrsvAnalysis analysis = NULL;
  SptrsvCsr      csr;
  long           apart, blocks;

  case_begin("memory that set-ups keep");
  zoo_create(GRID2D, true, &A);
  csr = zoo_csr(&A);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  (void)plan_allocations(analysis); /* the first one finds the levels */
  failing_arm(0, false);
  apart  = plan_allocations(analysis);
  blocks = failing_blocks();
  sptrsvMemoryKeep();
  expect(plan_allocations(analysis) == apart, "the first set-up does not allocate as if it were alone");
  expect(plan_allocations(analysis) < apart, "the second set-up allocates its scratch anew");
  expect(failing_blocks() > blocks, "nothing is kept");
  sptrsvMemoryRelease();
  expect(failing_blocks() == blocks, "%ld blocks are left", failing_blocks() - blocks);
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("shortage", argc, argv);
  test_levels(SPTRSV_HOST);
  if (sptrsvDeviceCount()) {
    test_levels(SPTRSV_DEVICE);
    test_auto();
    test_remembered_choice();
    test_left(FULL, false); /* with rows that are cut */
    test_left(GRID2D, true);
    test_kept();
#if defined(SPTRSV_HAVE_CUDA)
    test_torn_solve("ata");
    test_torn_solve("ata-push");
#endif
  } else case_skip("levels, choices and tasks on the GPU, out of memory: there is no GPU");
  return test_end();
}
