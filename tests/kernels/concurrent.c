/*
   Two streams at work on one matrix: two plans of one analysis, and two factors of one pattern.  b and the values change from solve to
   solve, the host waits only at the end, and every result is judged by its residual.
*/
#include "check.h"
#include "factor_ways.h"
#include "sweep_check.h"
#include "zoo.h"
#include <stdlib.h>
#include <string.h>
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>

enum { GRID = 7, ISLANDS = 16, FULL = 20, ROUNDS = 6 }; /* matrices of the zoo; ata uses several streams for ISLANDS; FULL has long rows */

/* Two of everything; arrays on the device also have a copy on the host */
typedef struct {
  ZooMatrix         A;
  size_t            bytes, value_bytes; /* of a vector, of the values */
  SptrsvPlanOptions options[2];         /* of the sweeps, lower and upper */
  SptrsvAnalysis    analysis;
  SptrsvPlan        plan[2];
  double           *values[2], *host_values[2], *b[2], *host_b[2];
  double           *current, *x, *y; /* values and x pass from one stream to the other */
  double           *kept[ROUNDS][2];
  cudaStream_t      stream[2];
  cudaEvent_t       event[2];
} Pair;

static void create_data(int matrix, Pair *p)
{
  uint64_t seed = 61;

  zoo_create(matrix, test_quick(), &p->A);
  p->bytes       = (size_t)p->A.n * sizeof(double);
  p->value_bytes = (size_t)p->A.nnz * sizeof(double);
  for (int k = 0; k < 2; k++) {
    p->host_values[k] = zoo_values(&p->A, SPTRSV_DOUBLE, false, SPTRSV_HOST);
    p->values[k]      = place_new(SPTRSV_DEVICE, p->value_bytes, p->host_values[k]);
    p->host_b[k]      = place_new(SPTRSV_HOST, p->bytes, NULL);
    for (int i = 0; i < p->A.n; i++) p->host_b[k][i] = random_unit(&seed);
    p->b[k] = place_new(SPTRSV_DEVICE, p->bytes, p->host_b[k]);
    for (int r = 0; r < ROUNDS; r++) p->kept[r][k] = place_new(SPTRSV_DEVICE, p->bytes, NULL);
    expect_cuda(cudaStreamCreateWithFlags(&p->stream[k], cudaStreamNonBlocking), "stream");
    expect_cuda(cudaEventCreateWithFlags(&p->event[k], cudaEventDisableTiming), "event");
    zoo_randomize(&p->A, 99);
  }
  p->current = place_new(SPTRSV_DEVICE, p->value_bytes, NULL);
  p->x       = place_new(SPTRSV_DEVICE, p->bytes, NULL);
  p->y       = place_new(SPTRSV_DEVICE, p->bytes, NULL);
}

/* A copy on the device, which the stream may still have to make */
static void *copied_late(const void *host, size_t bytes, cudaStream_t stream)
{
  void *copy = place_new(SPTRSV_DEVICE, bytes, NULL);

  expect_cuda(cudaMemsetAsync(copy, 0, bytes, stream), "cudaMemsetAsync");
  expect_cuda(cudaMemcpyAsync(copy, host, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  return copy;
}

static void create_plans(Pair *p, const char *algorithm, SptrsvSplitPolicy policy)
{
  SptrsvCsr csr = zoo_csr(&p->A);
  char      parameters[64];

  csr.row_ptr  = copied_late(csr.row_ptr, ((size_t)p->A.n + 1) * sizeof(int32_t), p->stream[0]);
  csr.col_idx  = copied_late(csr.col_idx, (size_t)p->A.nnz * sizeof(int32_t), p->stream[0]);
  csr.location = SPTRSV_DEVICE;
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, p->stream[0], &p->analysis));
  place_free(SPTRSV_DEVICE, (void *)csr.row_ptr);
  place_free(SPTRSV_DEVICE, (void *)csr.col_idx);
  for (int k = 0; k < 2; k++) {
    p->options[k] = (SptrsvPlanOptions){.algorithm    = algorithm,
                                        .location     = SPTRSV_DEVICE,
                                        .triangle     = k ? SPTRSV_UPPER : SPTRSV_LOWER,
                                        .diagonal     = SPTRSV_DIAG_STORED,
                                        .type         = SPTRSV_DOUBLE,
                                        .tuning.ata   = {SPTRSV_TASKS_LOCALITY, p->A.n / 10 + 1, 0},
                                        .tuning.split = {split_parameters(policy, 0, parameters)}};
    expect_success(sptrsvPlanCreate(p->analysis, &p->options[k], &p->plan[k]));
  }
}

static void destroy(Pair *p)
{
  for (int k = 0; k < 2; k++) {
    expect_success(sptrsvPlanDestroy(&p->plan[k]));
    place_free(SPTRSV_DEVICE, p->values[k]);
    place_free(SPTRSV_HOST, p->host_values[k]);
    place_free(SPTRSV_DEVICE, p->b[k]);
    place_free(SPTRSV_HOST, p->host_b[k]);
    for (int r = 0; r < ROUNDS; r++) place_free(SPTRSV_DEVICE, p->kept[r][k]);
    expect_cuda(cudaStreamDestroy(p->stream[k]), "cudaStreamDestroy");
    expect_cuda(cudaEventDestroy(p->event[k]), "cudaEventDestroy");
  }
  expect_success(sptrsvAnalysisDestroy(&p->analysis));
  place_free(SPTRSV_DEVICE, p->current);
  place_free(SPTRSV_DEVICE, p->x);
  place_free(SPTRSV_DEVICE, p->y);
  zoo_destroy(&p->A);
}

/* Stream k goes on after what the other one has enqueued so far */
static void follow(const Pair *p, int k)
{
  expect_cuda(cudaEventRecord(p->event[!k], p->stream[!k]), "cudaEventRecord");
  expect_cuda(cudaStreamWaitEvent(p->stream[k], p->event[!k], 0), "cudaStreamWaitEvent");
}

static void keep(const Pair *p, int round, int k, const double *x, cudaStream_t stream)
{
  expect_cuda(cudaMemcpyAsync(p->kept[round][k], x, p->bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
}

/* Of sweep k with these values */
static void judge(const Pair *p, int k, const void *values, const double *host_b, const double *x, const char *what, int round)
{
  double    *host_x = place_new(SPTRSV_HOST, p->bytes, NULL);
  Triangular T;
  int        wrong;

  place_get(SPTRSV_DEVICE, host_x, x, p->bytes);
  triangular_create(&p->A, &p->options[k], values, &T);
  wrong = triangular_wrong_rows(&T, &p->options[k], host_b, host_x);
  expect(!wrong, "%s, round %d, sweep %d: %d wrong rows", what, round, k, wrong);
  triangular_destroy(&T);
  place_free(SPTRSV_HOST, host_x);
}

/* Each plan in a stream of its own, beside the other one */
static void test_beside(const Pair *p)
{
  for (int r = 0; r < ROUNDS; r++) {
    for (int k = 0; k < 2; k++) {
      expect_success(sptrsvPlanUpdate(p->plan[k], p->values[r % 2], p->stream[k]));
      expect_success(sptrsvSolve(p->plan[k], p->b[(r + k) / 2 % 2], p->kept[r][k], p->stream[k]));
    }
  }
  for (int k = 0; k < 2; k++) expect_cuda(cudaStreamSynchronize(p->stream[k]), "side by side");
  for (int r = 0; r < ROUNDS; r++) {
    for (int k = 0; k < 2; k++) judge(p, k, p->host_values[r % 2], p->host_b[(r + k) / 2 % 2], p->kept[r][k], "side by side", r);
  }
}

/* One stream brings the values, updates both plans and solves with L; the other one solves with U.  Events order what they share. */
static void test_pipeline(const Pair *p)
{
  double *middle = place_new(SPTRSV_HOST, p->bytes, NULL);

  for (int r = 0; r < ROUNDS; r++) {
    expect_cuda(cudaMemcpyAsync(p->current, p->values[r % 2], p->value_bytes, cudaMemcpyDeviceToDevice, p->stream[0]), "cudaMemcpyAsync");
    for (int k = 0; k < 2; k++) expect_success(sptrsvPlanUpdate(p->plan[k], p->current, p->stream[0]));
    expect_success(sptrsvSolve(p->plan[0], p->b[r / 2 % 2], p->x, p->stream[0]));
    follow(p, 1);
    keep(p, r, 0, p->x, p->stream[1]);
    expect_success(sptrsvSolve(p->plan[1], p->x, p->y, p->stream[1]));
    keep(p, r, 1, p->y, p->stream[1]);
    follow(p, 0); /* the next round overwrites values and x */
  }
  expect_cuda(cudaStreamSynchronize(p->stream[1]), "pipeline");
  for (int r = 0; r < ROUNDS; r++) {
    judge(p, 0, p->host_values[r % 2], p->host_b[r / 2 % 2], p->kept[r][0], "pipeline", r);
    place_get(SPTRSV_DEVICE, middle, p->kept[r][0], p->bytes);
    judge(p, 1, p->host_values[r % 2], middle, p->kept[r][1], "pipeline", r);
  }
  place_free(SPTRSV_HOST, middle);
}

/* Plans destroyed with work left, which goes on */
static void test_destruction(Pair *p)
{
  for (int k = 0; k < 2; k++) {
    expect_success(sptrsvPlanUpdate(p->plan[k], p->values[k], p->stream[k]));
    expect_success(sptrsvSolve(p->plan[k], p->b[k], p->kept[0][k], p->stream[k]));
  }
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanDestroy(&p->plan[k]));
  expect_cuda(cudaDeviceSynchronize(), "destruction");
  for (int k = 0; k < 2; k++) judge(p, k, p->host_values[k], p->host_b[k], p->kept[0][k], "destruction", 0);
}

static void test_plans(int matrix, const char *algorithm, SptrsvSplitPolicy policy)
{
  Pair p = {0};

  create_data(matrix, &p);
  case_begin("two plans of %s, policy %d, on %s", algorithm, policy, p.A.name);
  create_plans(&p, algorithm, policy);
  test_beside(&p);
  test_pipeline(&p);
  test_destruction(&p);
  destroy(&p);
  case_end();
}

/* A factorization waits for its own stream only, so the update and the solve of the other one are still to come */
static void test_factors(const FactorWay *way)
{
  const SptrsvPivoting pivoting  = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};
  Pair                 p         = {0};
  SptrsvFactor         factor[2] = {NULL, NULL};
  SptrsvPlan           lent[2]   = {NULL, NULL};
  SptrsvFactorResult   result;
  Target               target;

  case_begin("two factorizations by %s", way->name);
  create_data(GRID, &p);
  const SptrsvCsr         csr   = zoo_csr(&p.A);
  const SptrsvTaskOptions tasks = {SPTRSV_TASKS_LOCALITY, p.A.n / 10 + 1, 0};
  for (int k = 0; k < 2; k++) {
    SptrsvAnalysis analysis = NULL;

    p.options[k] = (SptrsvPlanOptions){.algorithm = "levelorder",
                                       .location  = SPTRSV_DEVICE,
                                       .triangle  = k ? SPTRSV_UPPER : SPTRSV_LOWER,
                                       .diagonal  = k ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_UNIT,
                                       .type      = SPTRSV_DOUBLE};
    expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &factor[k]));
    expect_success(factor_go(factor[k], way, &tasks, NULL, SPTRSV_DOUBLE, &lent[k]));
    expect_success(sptrsvFactorGetAnalysis(factor[k], &analysis));
    expect_success(sptrsvPlanCreate(analysis, &p.options[k], &p.plan[k]));
  }
  for (int r = 0; r < ROUNDS; r++) {
    for (int k = 0; k < 2; k++) {
      expect_success(sptrsvFactorNumericPlans(factor[k], p.values[(r + k) % 2], &pivoting, 1, &p.plan[k], p.stream[k], &result));
      expect_success(sptrsvSolve(p.plan[k], p.b[r / 2 % 2], p.kept[r][k], p.stream[k]));
    }
  }
  expect_cuda(cudaDeviceSynchronize(), "factorizations");
  for (int k = 0; k < 2; k++) {
    double     *host = place_new(SPTRSV_HOST, p.value_bytes, NULL);
    const void *values;

    memcpy(p.A.values, p.host_values[(ROUNDS - 1 + k) % 2], p.value_bytes);
    target_create(&p.A, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, &target);
    factor_judge(factor[k], &target, SPTRSV_DOUBLE, SPTRSV_DEVICE, 0);
    target_destroy(&target);
    expect_success(sptrsvFactorGetValues(factor[k], &values));
    place_get(SPTRSV_DEVICE, host, values, p.value_bytes);
    judge(&p, k, host, p.host_b[(ROUNDS - 1) / 2 % 2], p.kept[ROUNDS - 1][k], "factor", ROUNDS - 1);
    place_free(SPTRSV_HOST, host);
  }
  destroy(&p);
  for (int k = 0; k < 2; k++) {
    expect_success(sptrsvPlanDestroy(&lent[k]));
    expect_success(sptrsvFactorDestroy(&factor[k]));
  }
  case_end();
}

static void test_matrix(int matrix)
{
  const SptrsvAlgorithm *algorithm;

  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location != SPTRSV_HOST) test_plans(matrix, algorithm->name, SPTRSV_SPLIT_AUTO);
  }
  if (!sptrsvAlgorithmFind("split", SPTRSV_DEVICE)) return;
  for (int policy = SPTRSV_SPLIT_CPU; policy <= SPTRSV_SPLIT_GPU_GPU; policy++) test_plans(matrix, "split", (SptrsvSplitPolicy)policy);
}

static void test_devices(void)
{
  test_matrix(ISLANDS);
  test_matrix(FULL);
  for (int k = 0; k < FACTOR_WAYS; k++) {
    if (way_is_there(&factor_ways[k])) test_factors(&factor_ways[k]);
  }
}
#else
static void test_devices(void)
{}
#endif

int main(int argc, char **argv)
{
  (void)test_begin("concurrent", argc, argv);
  if (sptrsvDeviceCount()) test_devices();
  else case_skip("two streams on one matrix: there is no GPU");
  return test_end();
}
