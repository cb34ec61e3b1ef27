/* Solves and updates in a stream, captured in graphs and replayed on other numbers, and two sets of plans at once, by every algorithm. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "zoo.h"
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>

enum { WARP_EDGES = 21, SOLVES = 20, SETS = 2 };

/* L x = b, then U y = x, where b and y are in another order */
typedef struct {
  int               n;
  size_t            bytes, value_bytes;
  SptrsvAnalysis    analysis;
  SptrsvPlan        plan[2]; /* lower, upper */
  SptrsvPlanOptions options;
  double           *values, *b, *x, *y; /* on the device, as is what values and b are copied from */
  double           *value_set[SETS], *b_set[SETS];
  double           *host, *right[SETS][SETS]; /* on the host; right: y of a set of values and one of b */
  cudaStream_t      stream;
} Sweeps;

static int solves(void)
{
  return test_quick() ? 4 : SOLVES;
}

static void create_sets(ZooMatrix *A, Sweeps *sweeps)
{
  uint64_t seed = 61;

  for (int k = 0; k < SETS; k++) {
    if (k) zoo_randomize(A, 99);
    for (int i = 0; i < A->n; i++) sweeps->host[i] = random_unit(&seed);
    sweeps->value_set[k] = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);
    sweeps->b_set[k]     = place_new(SPTRSV_DEVICE, sweeps->bytes, sweeps->host);
  }
}

/* New content in the same places, so that a graph reads it, too; in stream order */
static void put_values(Sweeps *sweeps, int set)
{
  expect_cuda(cudaMemcpyAsync(sweeps->values, sweeps->value_set[set], sweeps->value_bytes, cudaMemcpyDeviceToDevice, sweeps->stream),
              "values");
}

static void put_b(Sweeps *sweeps, int set)
{
  expect_cuda(cudaMemcpyAsync(sweeps->b, sweeps->b_set[set], sweeps->bytes, cudaMemcpyDeviceToDevice, sweeps->stream), "b");
}

static void update_sweeps(Sweeps *sweeps)
{
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanUpdate(sweeps->plan[k], sweeps->values, sweeps->stream));
}

static void apply_sweeps(Sweeps *sweeps)
{
  expect_success(sptrsvSolve(sweeps->plan[0], sweeps->b, sweeps->x, sweeps->stream));
  expect_success(sptrsvSolveNext(sweeps->plan[1], sweeps->x, sweeps->y, sweeps->stream));
}

/* Nothing that a solve left behind can pass for the result of the next one */
static void poison_sweeps(Sweeps *sweeps)
{
  expect_cuda(cudaMemsetAsync(sweeps->x, 0xff, sweeps->bytes, sweeps->stream), "cudaMemsetAsync");
  expect_cuda(cudaMemsetAsync(sweeps->y, 0xff, sweeps->bytes, sweeps->stream), "cudaMemsetAsync");
}

static void find_right(Sweeps *sweeps)
{
  for (int v = SETS - 1; v >= 0; v--) {
    put_values(sweeps, v);
    update_sweeps(sweeps);
    for (int b = SETS - 1; b >= 0; b--) {
      put_b(sweeps, b);
      apply_sweeps(sweeps);
      expect_cuda(cudaStreamSynchronize(sweeps->stream), "first apply");
      sweeps->right[v][b] = place_new(SPTRSV_HOST, sweeps->bytes, NULL);
      place_get(SPTRSV_DEVICE, sweeps->right[v][b], sweeps->y, sweeps->bytes);
    }
  }
  poison_sweeps(sweeps);
}

static void create_sweeps(const SptrsvPlanOptions *options, Sweeps *sweeps)
{
  ZooMatrix A;
  SptrsvCsr csr;
  int32_t  *perm;

  *sweeps = (Sweeps){.options = *options};
  zoo_create(WARP_EDGES, test_quick(), &A);
  csr                 = zoo_csr(&A);
  perm                = random_permutation(A.n, 5);
  sweeps->n           = A.n;
  sweeps->bytes       = (size_t)A.n * sizeof(double);
  sweeps->value_bytes = (size_t)A.nnz * sizeof(double);
  sweeps->host        = place_new(SPTRSV_HOST, sweeps->bytes, NULL);
  create_sets(&A, sweeps);
  sweeps->values = place_new(SPTRSV_DEVICE, sweeps->value_bytes, NULL);
  sweeps->b      = place_new(SPTRSV_DEVICE, sweeps->bytes, NULL);
  sweeps->x      = place_new(SPTRSV_DEVICE, sweeps->bytes, NULL);
  sweeps->y      = place_new(SPTRSV_DEVICE, sweeps->bytes, NULL);
  expect_cuda(cudaStreamCreateWithFlags(&sweeps->stream, cudaStreamNonBlocking), "stream");
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, sweeps->stream, &sweeps->analysis));
  sweeps->options.tuning.ata = (SptrsvTaskOptions){SPTRSV_TASKS_LOCALITY, A.n / 40 + 1, 0};
  sptrsvMemoryKeep(); /* a set-up has ended when it returns, also if it frees nothing */
  for (int k = 0; k < 2; k++) {
    sweeps->options.triangle = k ? SPTRSV_UPPER : SPTRSV_LOWER;
    sweeps->options.in_perm  = k ? NULL : perm;
    sweeps->options.out_perm = k ? perm : NULL;
    expect_success(sptrsvPlanCreate(sweeps->analysis, &sweeps->options, &sweeps->plan[k]));
  }
  find_right(sweeps);
  free(perm);
  zoo_destroy(&A);
}

static void expect_right(Sweeps *sweeps, int value_set, int b_set, const char *what)
{
  expect_cuda(cudaStreamSynchronize(sweeps->stream), what);
  place_get(SPTRSV_DEVICE, sweeps->host, sweeps->y, sweeps->bytes);
  expect(same_solution(&sweeps->options, sweeps->host, sweeps->right[value_set][b_set], sweeps->n), "%s: another solution", what);
  poison_sweeps(sweeps);
}

static void destroy_sweeps(Sweeps *sweeps)
{
  double *const device[] = {sweeps->values, sweeps->b, sweeps->x, sweeps->y};

  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanDestroy(&sweeps->plan[k]));
  expect_success(sptrsvAnalysisDestroy(&sweeps->analysis));
  for (size_t k = 0; k < sizeof(device) / sizeof(*device); k++) place_free(SPTRSV_DEVICE, device[k]);
  for (int v = 0; v < SETS; v++) {
    place_free(SPTRSV_DEVICE, sweeps->value_set[v]);
    place_free(SPTRSV_DEVICE, sweeps->b_set[v]);
    for (int b = 0; b < SETS; b++) free(sweeps->right[v][b]);
  }
  free(sweeps->host);
  sptrsvMemoryRelease();
  expect_cuda(cudaStreamDestroy(sweeps->stream), "cudaStreamDestroy");
}

/* Captures an apply, and an update before it or not; NULL after a failure */
static cudaGraphExec_t capture(Sweeps *sweeps, bool with_update)
{
  cudaGraph_t     graph = NULL;
  cudaGraphExec_t exec  = NULL;

  if (!expect_cuda(cudaStreamBeginCapture(sweeps->stream, cudaStreamCaptureModeRelaxed), "capture")) return NULL;
  if (with_update) update_sweeps(sweeps);
  apply_sweeps(sweeps);
  if (expect_cuda(cudaStreamEndCapture(sweeps->stream, &graph), "end of capture"))
    expect_cuda(cudaGraphInstantiateWithFlags(&exec, graph, 0), "instantiation");
  if (graph) expect_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
  return exec;
}

/* Each replay reads another b, every other one other values, and x and y hold NaN before it */
static void test_graph(Sweeps *sweeps, bool with_update)
{
  cudaGraphExec_t exec = capture(sweeps, with_update);

  if (!exec) return;
  poison_sweeps(sweeps);
  for (int k = 0; k < solves(); k++) {
    const int v = (k / 2 + 1) % SETS, b = (k + 1) % SETS;

    put_values(sweeps, v);
    put_b(sweeps, b);
    if (!with_update) update_sweeps(sweeps);
    expect_cuda(cudaGraphLaunch(exec, sweeps->stream), "launch of the graph");
    expect_right(sweeps, v, b, with_update ? "a graph with an update" : "a graph");
  }
  for (int k = 0; k < solves(); k++) expect_cuda(cudaGraphLaunch(exec, sweeps->stream), "launch in a row"); /* nothing waits in between */
  apply_sweeps(sweeps);
  expect_right(sweeps, solves() / 2 % SETS, solves() % SETS, "without the graph, after it");
  expect_cuda(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
}

static void test_stream(const SptrsvPlanOptions *options, const char *what)
{
  Sweeps s;

  case_begin("%s in a stream and in a graph", what);
  create_sweeps(options, &s);
  for (int k = 0; k < solves(); k++) apply_sweeps(&s); /* nothing waits in between */
  expect_right(&s, 0, 0, "many applies in a row");
  for (int k = 0; k < solves(); k++) {
    put_values(&s, (k + 1) % SETS);
    update_sweeps(&s);
    apply_sweeps(&s);
  }
  expect_right(&s, solves() % SETS, 0, "many updates and applies in a row");
  test_graph(&s, false);
  if (strcmp(options->algorithm, "cusparse")) test_graph(&s, true); /* its updates are NVIDIA's */
  destroy_sweeps(&s);
  case_end();
}

/* A transfer moves what the last solve left on the host: x of the rows that the CPU solves */
static void test_transfer(const SptrsvPlanOptions *options, const char *what)
{
  Sweeps s;

  case_begin("%s transfers in a stream", what);
  create_sweeps(options, &s);
  if (!strcmp(options->tuning.split.parameters, "policy=cpu")) {
    apply_sweeps(&s);
    expect_cuda(cudaMemsetAsync(s.y, 0xff, s.bytes, s.stream), "cudaMemsetAsync");
    expect_success(sptrsvPlanSplitTransfer(s.plan[1], s.x, s.y, s.stream));
    expect_right(&s, 0, 0, "an apply and a transfer");
  } else {
    expect_success(sptrsvPlanSplitTransfer(s.plan[1], s.x, s.y, s.stream));
    apply_sweeps(&s);
    expect_right(&s, 0, 0, "a transfer and an apply");
  }
  destroy_sweeps(&s);
  case_end();
}

/* Handles are independent: two sets of plans in two streams, their solves interleaved */
static void test_together(const SptrsvPlanOptions *options, const char *what)
{
  Sweeps s[2];

  case_begin("%s in two streams at once", what);
  for (int k = 0; k < 2; k++) create_sweeps(options, &s[k]);
  for (int k = 0; k < 4 * solves(); k++) apply_sweeps(&s[k % 2]);
  for (int k = 0; k < 2; k++) {
    expect_right(&s[k], 0, 0, "interleaved");
    destroy_sweeps(&s[k]);
  }
  case_end();
}

/* An algorithm, and split under each of its policies */
static void test_algorithm(const SptrsvAlgorithm *algorithm)
{
  SptrsvPlanOptions options = {.algorithm = algorithm->name, .location = SPTRSV_DEVICE, .diagonal = SPTRSV_DIAG_STORED};

  options.type                        = SPTRSV_DOUBLE;
  options.tuning.levelorder.lanes     = sptrsvWarpSize(); /* a chunk to each row: enough of them for strides of the grid */
  options.tuning.host.threads         = 2;                /* for parts on the CPU */
  options.tuning.host.threads_entries = 1;
  for (int policy = 0; policy <= (algorithm->traits & SPTRSV_SPLITS ? SPTRSV_SPLIT_GPU_GPU : 0); policy++) {
    char what[64], parameters[64];

    options.tuning.split.parameters = split_parameters((SptrsvSplitPolicy)policy, 5, parameters); /* so that both parts have rows */
    (void)snprintf(what, sizeof(what), policy ? "%s, policy %d," : "%s", algorithm->name, policy);
    test_stream(&options, what);
    test_together(&options, what);
    if (policy) test_transfer(&options, what);
  }
}

static void test_devices(void)
{
  const SptrsvAlgorithm *algorithm;

  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE) test_algorithm(algorithm);
  }
}
#else
static void test_devices(void)
{}
#endif

int main(int argc, char **argv)
{
  (void)test_begin("streams", argc, argv);
  if (sptrsvDeviceCount()) test_devices();
  else case_skip("streams and graphs: there is no GPU");
  return test_end();
}
