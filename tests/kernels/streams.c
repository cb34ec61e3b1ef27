/* On a GPU or the emulator: solves in a stream, captured in a graph and replayed, and two sets of plans at once. */
#include "check.h"
#include "zoo.h"
#include <stdlib.h>
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>

enum { GRID = 7, SOLVES = 20 };

typedef struct {
  int            n;
  size_t         bytes;
  SptrsvAnalysis analysis;
  SptrsvPlan     plan[2]; /* lower, upper */

  SptrsvPlanOptions options;
  double        *values, *b, *x, *y, *host, *right;
  cudaStream_t   stream;
} Sweeps;

static bool is_ok(cudaError_t error, const char *what)
{
  return expect(error == cudaSuccess, "%s: %s", what, cudaGetErrorString(error));
}

static void create_sweeps(const char *algorithm, Sweeps *sweeps)
{
  ZooMatrix A;
  SptrsvCsr csr;
  uint64_t  seed = 61;

  *sweeps = (Sweeps){0};
  zoo_create(GRID, test_quick(), &A);
  csr            = zoo_csr(&A);
  sweeps->n      = A.n;
  sweeps->bytes  = (size_t)A.n * sizeof(double);
  sweeps->values = zoo_values(&A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);
  sweeps->host   = place_new(SPTRSV_HOST, sweeps->bytes, NULL);
  sweeps->right  = place_new(SPTRSV_HOST, sweeps->bytes, NULL);
  for (int i = 0; i < A.n; i++) sweeps->host[i] = random_unit(&seed);
  sweeps->b = place_new(SPTRSV_DEVICE, sweeps->bytes, sweeps->host);
  sweeps->x = place_new(SPTRSV_DEVICE, sweeps->bytes, NULL);
  sweeps->y = place_new(SPTRSV_DEVICE, sweeps->bytes, NULL);
  is_ok(cudaStreamCreateWithFlags(&sweeps->stream, cudaStreamNonBlocking), "stream");
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, sweeps->stream, &sweeps->analysis));
  for (int k = 0; k < 2; k++) {
    sweeps->options = (SptrsvPlanOptions){.algorithm = algorithm,
                                          .location  = SPTRSV_DEVICE,
                                          .triangle  = k ? SPTRSV_UPPER : SPTRSV_LOWER,
                                          .diagonal  = SPTRSV_DIAG_STORED,
                                          .type      = SPTRSV_DOUBLE,
                                          .tuning.ata     = {SPTRSV_TASKS_LOCALITY, A.n / 40 + 1, 0}};
    expect_success(sptrsvPlanCreate(sweeps->analysis, &sweeps->options, &sweeps->plan[k]));
    expect_success(sptrsvPlanUpdate(sweeps->plan[k], sweeps->values, sweeps->stream));
  }
  zoo_destroy(&A);
}

static void apply_sweeps(Sweeps *sweeps)
{
  expect_success(sptrsvSolve(sweeps->plan[0], sweeps->b, sweeps->x, sweeps->stream));
  expect_success(sptrsvSolve(sweeps->plan[1], sweeps->x, sweeps->y, sweeps->stream));
}

static void compare_sweeps(Sweeps *sweeps, const char *what)
{
  is_ok(cudaStreamSynchronize(sweeps->stream), what);
  place_get(SPTRSV_DEVICE, sweeps->host, sweeps->y, sweeps->bytes);
  expect(same_solution(&sweeps->options, sweeps->host, sweeps->right, sweeps->n), "%s: another solution", what);
  is_ok(cudaMemsetAsync(sweeps->y, 0xff, sweeps->bytes, sweeps->stream), "cudaMemsetAsync");
}

static void destroy_sweeps(Sweeps *sweeps)
{
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanDestroy(&sweeps->plan[k]));
  expect_success(sptrsvAnalysisDestroy(&sweeps->analysis));
  place_free(SPTRSV_DEVICE, sweeps->values);
  place_free(SPTRSV_DEVICE, sweeps->b);
  place_free(SPTRSV_DEVICE, sweeps->x);
  place_free(SPTRSV_DEVICE, sweeps->y);
  place_free(SPTRSV_HOST, sweeps->host);
  place_free(SPTRSV_HOST, sweeps->right);
  is_ok(cudaStreamDestroy(sweeps->stream), "cudaStreamDestroy");
}

static void test_stream(const char *algorithm)
{
  Sweeps          s;
  cudaGraph_t     graph = NULL;
  cudaGraphExec_t exec  = NULL;

  case_begin("%s in a stream and in a graph", algorithm);
  create_sweeps(algorithm, &s);
  apply_sweeps(&s);
  is_ok(cudaStreamSynchronize(s.stream), "first apply");
  place_get(SPTRSV_DEVICE, s.right, s.y, s.bytes);
  for (int k = 0; k < SOLVES; k++) apply_sweeps(&s); /* nothing waits in between */
  compare_sweeps(&s, "many applies in a row");
  if (is_ok(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeRelaxed), "capture")) {
    apply_sweeps(&s);
    if (is_ok(cudaStreamEndCapture(s.stream, &graph), "end of capture") &&
        is_ok(cudaGraphInstantiateWithFlags(&exec, graph, 0), "instantiation")) {
      for (int k = 0; k < SOLVES; k++) is_ok(cudaGraphLaunch(exec, s.stream), "launch of the graph");
      compare_sweeps(&s, "a graph, replayed");
      apply_sweeps(&s);
      compare_sweeps(&s, "without the graph again");
    }
  }
  if (exec) is_ok(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
  if (graph) is_ok(cudaGraphDestroy(graph), "cudaGraphDestroy");
  destroy_sweeps(&s);
  case_end();
}

/* Handles are independent: two sets of plans in two streams, their solves interleaved */
static void test_together(const char *algorithm)
{
  Sweeps s[2];

  case_begin("%s in two streams at once", algorithm);
  for (int k = 0; k < 2; k++) {
    create_sweeps(algorithm, &s[k]);
    apply_sweeps(&s[k]);
    is_ok(cudaStreamSynchronize(s[k].stream), "first apply");
    place_get(SPTRSV_DEVICE, s[k].right, s[k].y, s[k].bytes);
  }
  for (int k = 0; k < 4 * SOLVES; k++) apply_sweeps(&s[k % 2]);
  for (int k = 0; k < 2; k++) {
    compare_sweeps(&s[k], "interleaved");
    destroy_sweeps(&s[k]);
  }
  case_end();
}

static void test_devices(void)
{
  const SptrsvAlgorithm *algorithm;

  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_HOST) continue;
    test_stream(algorithm->name);
    test_together(algorithm->name);
  }
}
#else
static void test_devices(void)
{
}
#endif

int main(int argc, char **argv)
{
  (void)test_begin("streams", argc, argv);
  if (sptrsvDeviceCount()) test_devices();
  else case_skip("streams and graphs: there is no GPU");
  return test_end();
}
