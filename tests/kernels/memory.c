/* Memory runs out at each allocation in the lives of analyses, factors and plans in turn.  The call returns SPTRSV_OUT_OF_MEMORY, changes
   no output argument and leaks nothing.  Repeated, it succeeds, with the result of a life without failures. */
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "failing.h"
#include "zoo.h"

enum { GRID2D = 6, BLOCKS = 8, DENSE_MIDDLE = 11, RANDOM = 18 }; /* of the zoo */

typedef struct { /* results of calls */
  SptrsvAnalysis     analysis;
  SptrsvFactor       factor;
  SptrsvAnalysis     form; /* the factor's */
  SptrsvBlocks       blocks;
  SptrsvPlan         plan[2];
  SptrsvStatistics   statistics[4];
  const int32_t     *level[4];
  SptrsvFactorResult result;
  int64_t            missing;
  int                columns;
} Outputs;

typedef struct {
  SptrsvCsr          csr;
  SptrsvLocation     location;
  SptrsvPlanOptions  options;              /* of a sweep */
  SptrsvFactorKind   kind;                 /* of a factor */
  const int32_t     *row_perm, *col_iperm; /* likewise */
  const SptrsvFill  *fill;                 /* likewise */
  SptrsvPivoting     pivoting;
  SptrsvBlockStorage storage;        /* of a factor by blocks; of no rows: by points */
  size_t             bytes;          /* of a vector */
  void              *values, *b, *x; /* in the memory of `location` */
  double            *host_x;
  size_t             memory[4]; /* as reported by the handles */
  Outputs            out, before;
  long               fatal;         /* the number of the allocation that fails */
  bool               again, struck; /* again: a failed call is repeated, else the life ends; struck: a call has failed */
} Life;

static void begin_failing(const Life *life)
{
  failing_arm(life->fatal, !life->again);
}

static void save_outputs(Life *life)
{
  memcpy(&life->before, &life->out, sizeof(life->out));
}

/* Whether memory ran out in this call.  A set-up gets over a single failure if it has spare blocks to free. */
static bool has_failed(Life *life, SptrsvStatus status, const char *call)
{
  const bool first = !life->struck && failing_struck();

  life->struck = failing_struck();
  if (!first || (life->again && !status)) {
    expect_status(status, SPTRSV_SUCCESS, call);
    return false;
  }
  expect_status(status, SPTRSV_OUT_OF_MEMORY, call);
  /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bit by bit is meant */
  expect(!memcmp(&life->before, &life->out, sizeof(life->out)), "%s changed an output argument when it failed", call);
  return true;
}

/* A call in a function of type void life(Life *) */
#define CALL(l, call)                                                                                                                      \
  do {                                                                                                                                     \
    save_outputs(l);                                                                                                                       \
    if (has_failed(l, call, #call)) {                                                                                                      \
      if (!(l)->again) return;                                                                                                             \
      expect_success(call);                                                                                                                \
    }                                                                                                                                      \
  } while (0)

/* For calls that promise to allocate nothing */
#define CALL_WITHOUT_MEMORY(call)                                                                                                          \
  do {                                                                                                                                     \
    const long count_ = failing_count();                                                                                                   \
    expect_success(call);                                                                                                                  \
    expect(failing_count() == count_, "%s allocates", #call);                                                                              \
  } while (0)

/* -------------------------------------------------------- what is lived ------------------------------------------------------- */

static void live_solve(Life *l, SptrsvPlan plan)
{
  char   text[256];
  size_t host = 0, device = 0;

  CALL_WITHOUT_MEMORY(sptrsvSolve(plan, l->b, l->x, NULL));
  CALL_WITHOUT_MEMORY(sptrsvPlanDescribe(plan, text, sizeof(text)));
  CALL_WITHOUT_MEMORY(sptrsvPlanGetMemory(plan, &host, &device));
  l->memory[0] += host;
  l->memory[1] += device;
}

static void live_analysis(Life *life)
{
  begin_failing(life);
  CALL(life, sptrsvAnalysisCreate(&life->csr, life->location, NULL, &life->out.analysis));
  for (int k = 0; k < 4; k++) {
    const SptrsvTriangle  triangle = k & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
    const SptrsvOperation op       = k & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;

    CALL(life, sptrsvAnalysisGetLevels(life->out.analysis, triangle, op, &life->out.level[k]));
    CALL_WITHOUT_MEMORY(sptrsvAnalysisGetStatistics(life->out.analysis, triangle, op, &life->out.statistics[k]));
  }
}

/* The analysis, which is the same for all sweeps, fails in lives of its own */
static void live_sweep(Life *life)
{
  expect_success(sptrsvAnalysisCreate(&life->csr, life->location, NULL, &life->out.analysis));
  begin_failing(life);
  CALL(life, sptrsvPlanCreate(life->out.analysis, &life->options, &life->out.plan[0]));
  if (!strcmp(life->options.algorithm, "cusparse")) CALL(life, sptrsvPlanUpdate(life->out.plan[0], life->values, NULL));
  else CALL_WITHOUT_MEMORY(sptrsvPlanUpdate(life->out.plan[0], life->values, NULL));
  CALL(life, sptrsvPlanPrepareMany(life->out.plan[0], &life->out.columns));
  CALL_WITHOUT_MEMORY(sptrsvSolveMany(life->out.plan[0], 1, life->b, life->csr.rows, life->x, life->csr.rows, NULL));
  live_solve(life, life->out.plan[0]);
}

static void live_factor(Life *life)
{
  SptrsvAnalysis analysis = NULL;
  const void    *values   = NULL;

  const SptrsvTuning ata = {.factor.algorithm = "ata"};

  begin_failing(life);
  CALL(life, sptrsvFactorCreate(&life->csr, life->kind, life->row_perm, life->col_iperm, life->fill, SPTRSV_DOUBLE, life->location,
                                &life->out.missing, &life->out.factor));
  if (life->location == SPTRSV_DEVICE && life->row_perm) CALL(life, sptrsvFactorTune(life->out.factor, &ata));
  if (life->location == SPTRSV_DEVICE) /* the first one sets up its method */
    CALL(life, sptrsvFactorNumeric(life->out.factor, life->values, &life->pivoting, NULL, &life->out.result));
  CALL_WITHOUT_MEMORY(sptrsvFactorNumeric(life->out.factor, life->values, &life->pivoting, NULL, &life->out.result));
  CALL_WITHOUT_MEMORY(sptrsvFactorGetAnalysis(life->out.factor, &analysis));
  CALL_WITHOUT_MEMORY(sptrsvFactorGetValues(life->out.factor, &values));
  for (int k = 0; k < 2; k++) {
    life->options.triangle = k ? SPTRSV_UPPER : SPTRSV_LOWER;
    life->options.diagonal = k ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_UNIT;
    CALL(life, sptrsvPlanCreate(analysis, &life->options, &life->out.plan[k]));
    if (!k && !life->options.out_perm) {
      CALL(life, sptrsvFactorSetSweep(life->out.factor, life->out.plan[0]));
      CALL_WITHOUT_MEMORY(sptrsvFactorNumeric(life->out.factor, life->values, &life->pivoting, NULL, &life->out.result));
    }
    CALL_WITHOUT_MEMORY(sptrsvPlanUpdate(life->out.plan[k], values, NULL));
    live_solve(life, life->out.plan[k]);
  }
  CALL_WITHOUT_MEMORY(sptrsvFactorGetMemory(life->out.factor, &life->memory[2], &life->memory[3]));
}

static void live_blocks(Life *life)
{
  const void *values = NULL;

  begin_failing(life);
  if (life->storage.rows)
    CALL(life, sptrsvFactorCreateBlocks(&life->csr, &life->storage, life->kind, life->row_perm, life->col_iperm, life->fill, SPTRSV_DOUBLE,
                                        life->location, NULL, &life->out.factor));
  else CALL(life, sptrsvFactorCreate(&life->csr, life->kind, NULL, NULL, NULL, SPTRSV_DOUBLE, life->location, NULL, &life->out.factor));
  CALL(life, sptrsvFactorFindBlocks(life->out.factor, 0, &life->out.blocks));
  CALL(life, sptrsvFactorGetBlockAnalysis(life->out.factor, &life->out.form));
  for (int k = 0; k < 2; k++) {
    life->options.triangle = k ? SPTRSV_UPPER : SPTRSV_LOWER;
    CALL(life, sptrsvPlanCreate(life->out.form, &life->options, &life->out.plan[k]));
  }
  CALL(life, sptrsvFactorSetSweep(life->out.factor, life->out.plan[0]));
  CALL_WITHOUT_MEMORY(sptrsvFactorNumeric(life->out.factor, life->values, &life->pivoting, NULL, &life->out.result));
  CALL_WITHOUT_MEMORY(sptrsvFactorGetBlockValues(life->out.factor, NULL, &values));
  for (int k = 0; k < 2; k++) CALL_WITHOUT_MEMORY(sptrsvPlanUpdate(life->out.plan[k], values, NULL));
  live_solve(life, life->out.plan[0]);
  CALL_WITHOUT_MEMORY(sptrsvFactorSolveBlocks(life->out.factor, SPTRSV_BLOCKS_LU, SPTRSV_NON_TRANSPOSE, life->x, life->x, NULL));
  CALL_WITHOUT_MEMORY(sptrsvFactorGetMemory(life->out.factor, &life->memory[2], &life->memory[3]));
}

/* ------------------------------------------------------- lives and deaths ----------------------------------------------------- */

static void live(Life *life, void (*course)(Life *), long fatal, bool again)
{
  const long blocks = failing_blocks();

  memset(&life->out, 0, sizeof(life->out));
  memset(life->memory, 0, sizeof(life->memory));
  life->fatal  = fatal;
  life->again  = again;
  life->struck = false;
  course(life);
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanDestroy(&life->out.plan[k]));
  expect_success(sptrsvFactorDestroy(&life->out.factor));
  expect_success(sptrsvAnalysisDestroy(&life->out.analysis));
  failing_arm(0, false);
  expect(failing_blocks() == blocks, "allocation %ld failed%s: %ld blocks are left", fatal, again ? "" : " with all after it",
         failing_blocks() - blocks);
}

/* Ends with the first life that has fewer allocations than the failing one's number */
static void fail_everywhere(Life *life, void (*course)(Life *))
{
  double          *first_x = place_new(SPTRSV_HOST, life->bytes, NULL);
  SptrsvStatistics statistics[4];
  size_t           memory[4];
  long             fatal = 0;

  live(life, course, 0, true);
  place_get(life->location, first_x, life->x, life->bytes);
  memcpy(statistics, life->out.statistics, sizeof(statistics));
  memcpy(memory, life->memory, sizeof(memory));
  do {
    live(life, course, ++fatal, true);
    place_get(life->location, life->host_x, life->x, life->bytes);
    expect(same_solution(&life->options, life->host_x, first_x, (int)(life->bytes / sizeof(double))),
           "allocation %ld failed: another solution afterwards", fatal);
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bit by bit is meant */
    expect(!memcmp(life->out.statistics, statistics, sizeof(statistics)), "allocation %ld failed: other statistics afterwards", fatal);
    expect(!memcmp(life->memory, memory, sizeof(memory)), "allocation %ld failed: another amount of memory afterwards", fatal);
    if (life->struck) live(life, course, fatal, false);
  } while (life->struck);
  expect(fatal > 1, "no allocation has failed");
  free(first_x);
}

static void place_life(Life *life, const ZooMatrix *A)
{
  uint64_t seed = 71;

  life->bytes  = (size_t)A->n * sizeof(double);
  life->host_x = place_new(SPTRSV_HOST, life->bytes, NULL);
  for (int i = 0; i < A->n; i++) life->host_x[i] = random_unit(&seed);
  life->values = zoo_values(A, SPTRSV_DOUBLE, false, life->location);
  life->b      = place_new(life->location, life->bytes, life->host_x);
  life->x      = place_new(life->location, life->bytes, NULL);
}

static void remove_life(Life *life)
{
  place_free(life->location, life->values);
  place_free(life->location, life->b);
  place_free(life->location, life->x);
  free(life->host_x);
}

/* With permutations the pattern has 64-bit indices in host memory, and rows that level order has to cut; without, it is where the work is
   done, so that a GPU computes the levels.  An analysis is of all sweeps. */
static void test_sweeps(const SptrsvAlgorithm *algorithm, void (*course)(Life *))
{
  for (int k = 0; k < 8; k += course == live_analysis ? 4 : test_quick() ? 7 : 1) {
    const bool permuted = k & 4;
    ZooMatrix  A;
    Life       l  = {.location = algorithm->location};
    int32_t   *in = NULL, *out = NULL;
    int64_t   *wide = NULL;

    zoo_create(permuted ? DENSE_MIDDLE : GRID2D, true, &A);
    place_life(&l, &A);
    l.csr              = zoo_csr(&A);
    l.options          = (SptrsvPlanOptions){.algorithm = algorithm->name, .location = algorithm->location, .type = SPTRSV_DOUBLE};
    l.options.triangle = k & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
    l.options.op       = k & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    l.options.diagonal = SPTRSV_DIAG_STORED;
    if (permuted) {
      l.options.in_perm = in = random_permutation(A.n, 21);
      l.options.out_perm = out          = random_permutation(A.n, 22);
      l.options.tuning.levelorder.lanes = 1;
      l.options.tuning.strips.order     = SPTRSV_STRIPS_DEPTH_FIRST;
      wide                              = place_new(SPTRSV_HOST, (size_t)(A.n + 1 + A.nnz) * sizeof(*wide), NULL);
      for (int i = 0; i <= A.n; i++) wide[i] = A.row_ptr[i];
      for (int e = 0; e < A.nnz; e++) wide[A.n + 1 + e] = A.col_idx[e];
      l.csr = (SptrsvCsr){A.n, A.nnz, wide, wide + A.n + 1, SPTRSV_INT64, SPTRSV_HOST};
    } else {
      l.csr.row_ptr  = place_new(l.location, (size_t)(A.n + 1) * sizeof(int32_t), A.row_ptr);
      l.csr.col_idx  = place_new(l.location, (size_t)A.nnz * sizeof(int32_t), A.col_idx);
      l.csr.location = l.location;
    }
    if (course == live_analysis) case_begin("analysis for %s on %s, out of memory", algorithm->name, A.name);
    else
      case_begin("%s %s%s%s on %s, out of memory", algorithm->name, k & 1 ? "U" : "L", k & 2 ? "^T" : "", permuted ? " permuted" : "",
                 A.name);
    fail_everywhere(&l, course);
    case_end();
    if (!permuted) {
      place_free(l.location, (void *)l.csr.row_ptr);
      place_free(l.location, (void *)l.csr.col_idx);
    }
    free(in);
    free(out);
    free(wide);
    remove_life(&l);
    zoo_destroy(&A);
  }
}

/* Weak diagonals, so that there is something to shift.  ICC of the grid, in natural order, takes the pattern as it is; of the random matrix
   it has to mirror a triangle. */
static void test_factors(SptrsvLocation location)
{
  static const char *const shifts[] = {"none", "nonzero", "positive definite", "in blocks"};
  static const SptrsvFill  fill     = {2, 1};

  for (int k = 0; k < 16; k += test_quick() ? 5 : 1) {
    const bool permuted = k & 2, filled = k % 3 == 0;
    ZooMatrix  A;
    Life       l    = {.location = location, .kind = k & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0, .fill = filled ? &fill : NULL};
    int32_t   *perm = NULL, *inverse = NULL;

    l.pivoting = (SptrsvPivoting){(SptrsvShift)(k / 4), 0.25, 1e-7, 0};
    zoo_create(l.pivoting.shift & 1 ? RANDOM : GRID2D, true, &A);
    for (int i = 0; i < A.n; i++) {
      for (int e = A.row_ptr[i]; e < A.row_ptr[i + 1]; e++) A.values[e] *= A.col_idx[e] == i ? 0.05 : 1;
    }
    place_life(&l, &A);
    l.csr     = zoo_csr(&A);
    l.options = (SptrsvPlanOptions){.algorithm = "auto", .location = location, .type = SPTRSV_DOUBLE};
    if (location == SPTRSV_DEVICE) l.options.algorithm = "levelorder"; /* auto takes another amount once it has made its choice */
    if (permuted) {
      l.row_perm = perm = random_permutation(A.n, 31);
      l.col_iperm = inverse = inverse_permutation(A.n, perm);
    }
    case_begin("%s(%d) of %s%s, shift %s, on the %s, out of memory", l.kind == SPTRSV_ICC0 ? "ICC" : "ILU", filled ? 2 : 0, A.name,
               permuted ? ", permuted" : "", shifts[l.pivoting.shift], location == SPTRSV_DEVICE ? "GPU" : "host");
    fail_everywhere(&l, live_factor);
    case_end();
    free(perm);
    free(inverse);
    remove_life(&l);
    zoo_destroy(&A);
  }
}

/* k: bit 0 ICC, others: sweeps by blocks of a factor of points on the GPU; a factor by blocks; that permuted, with fill */
static void test_blocks(SptrsvLocation location)
{
  static const SptrsvFill  fill    = {1, 0};
  static const char *const names[] = {"sweeps by blocks", "by blocks", "by blocks, permuted, with fill"};

  for (int k = location == SPTRSV_DEVICE ? 0 : 2; k < 6; k++) {
    ZooMatrix A;
    Life      l    = {.location = location, .kind = k & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0, .pivoting = {SPTRSV_SHIFT_NONE, 0, 1e-7, 0}};
    int32_t  *perm = NULL, *inverse = NULL;

    zoo_create(BLOCKS, true, &A);
    place_life(&l, &A);
    l.csr     = zoo_csr(&A);
    l.options = (SptrsvPlanOptions){.algorithm = "levelorder", .location = location, .type = SPTRSV_DOUBLE};
    if (location == SPTRSV_HOST) l.options.algorithm = "host";
    if (k / 2) l.storage = (SptrsvBlockStorage){.rows = A.n % 3 ? 2 : 3, .points = 1};
    if (k / 2 == 2) {
      l.fill     = &fill;
      l.row_perm = perm = random_permutation(A.n / l.storage.rows, 31);
      l.col_iperm = inverse = inverse_permutation(A.n / l.storage.rows, perm);
    }
    case_begin("%s of %s, %s, on the %s, out of memory", k & 1 ? "ICC" : "ILU", A.name, names[k / 2],
               location == SPTRSV_DEVICE ? "GPU" : "host");
    fail_everywhere(&l, live_blocks);
    case_end();
    free(perm);
    free(inverse);
    remove_life(&l);
    zoo_destroy(&A);
  }
}

int main(int argc, char **argv)
{
  const SptrsvAlgorithm *algorithm;

  (void)test_begin("memory", argc, argv);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_HOST || sptrsvDeviceCount()) test_sweeps(algorithm, live_sweep);
    else case_skip("%s, out of memory: there is no GPU", algorithm->name);
  }
  test_sweeps(sptrsvAlgorithmFind("host", SPTRSV_HOST), live_analysis);
  test_factors(SPTRSV_HOST);
  test_blocks(SPTRSV_HOST);
  if (sptrsvDeviceCount()) {
    test_sweeps(sptrsvAlgorithmFind("levelorder", SPTRSV_DEVICE), live_analysis);
    test_factors(SPTRSV_DEVICE);
    test_blocks(SPTRSV_DEVICE);
  } else case_skip("analyses and factorizations on the GPU, out of memory: there is no GPU");
  return test_end();
}
