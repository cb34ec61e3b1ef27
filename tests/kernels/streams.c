/* What only a GPU can show: solves in a stream of their own, captured into a graph and replayed, and two plans at once. */
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

static bool Ok(cudaError_t error, const char *what)
{
  return expect(error == cudaSuccess, "%s: %s", what, cudaGetErrorString(error));
}

static void Create(const char *algorithm, Sweeps *s)
{
  ZooMatrix A;
  SptrsvCsr csr;
  uint64_t  seed = 61;

  *s = (Sweeps){0};
  zooCreate(GRID, testQuick(), &A);
  csr       = zooCsr(&A);
  s->n      = A.n;
  s->bytes  = (size_t)A.n * sizeof(double);
  s->values = zooValues(&A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);
  s->host   = placeNew(SPTRSV_HOST, s->bytes, NULL);
  s->right  = placeNew(SPTRSV_HOST, s->bytes, NULL);
  for (int i = 0; i < A.n; i++) s->host[i] = randomUnit(&seed);
  s->b = placeNew(SPTRSV_DEVICE, s->bytes, s->host);
  s->x = placeNew(SPTRSV_DEVICE, s->bytes, NULL);
  s->y = placeNew(SPTRSV_DEVICE, s->bytes, NULL);
  Ok(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "stream");
  expectSuccess(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, s->stream, &s->analysis));
  for (int k = 0; k < 2; k++) {
    s->options = (SptrsvPlanOptions){.algorithm = algorithm,
                                     .location  = SPTRSV_DEVICE,
                                     .triangle  = k ? SPTRSV_UPPER : SPTRSV_LOWER,
                                     .diagonal  = SPTRSV_DIAG_STORED,
                                     .type      = SPTRSV_DOUBLE,
                                     .tuning.ata     = {SPTRSV_TASKS_LOCALITY, A.n / 40 + 1, 0}};
    expectSuccess(sptrsvPlanCreate(s->analysis, &s->options, &s->plan[k]));
    expectSuccess(sptrsvPlanUpdate(s->plan[k], s->values, s->stream));
  }
  zooDestroy(&A);
}

static void Apply(Sweeps *s)
{
  expectSuccess(sptrsvSolve(s->plan[0], s->b, s->x, s->stream));
  expectSuccess(sptrsvSolve(s->plan[1], s->x, s->y, s->stream));
}

static void Compare(Sweeps *s, const char *what)
{
  Ok(cudaStreamSynchronize(s->stream), what);
  placeGet(SPTRSV_DEVICE, s->host, s->y, s->bytes);
  expect(sameSolution(&s->options, s->host, s->right, s->n), "%s: another solution", what);
  Ok(cudaMemsetAsync(s->y, 0xff, s->bytes, s->stream), "cudaMemsetAsync");
}

static void Destroy(Sweeps *s)
{
  for (int k = 0; k < 2; k++) expectSuccess(sptrsvPlanDestroy(&s->plan[k]));
  expectSuccess(sptrsvAnalysisDestroy(&s->analysis));
  placeFree(SPTRSV_DEVICE, s->values);
  placeFree(SPTRSV_DEVICE, s->b);
  placeFree(SPTRSV_DEVICE, s->x);
  placeFree(SPTRSV_DEVICE, s->y);
  placeFree(SPTRSV_HOST, s->host);
  placeFree(SPTRSV_HOST, s->right);
  Ok(cudaStreamDestroy(s->stream), "cudaStreamDestroy");
}

static void Streams(const char *algorithm)
{
  Sweeps          s;
  cudaGraph_t     graph = NULL;
  cudaGraphExec_t exec  = NULL;

  caseBegin("%s in a stream and in a graph", algorithm);
  Create(algorithm, &s);
  Apply(&s);
  Ok(cudaStreamSynchronize(s.stream), "first apply");
  placeGet(SPTRSV_DEVICE, s.right, s.y, s.bytes);
  for (int k = 0; k < SOLVES; k++) Apply(&s); /* nothing waits in between */
  Compare(&s, "many applies in a row");
  if (Ok(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeRelaxed), "capture")) {
    Apply(&s);
    if (Ok(cudaStreamEndCapture(s.stream, &graph), "end of capture") &&
        Ok(cudaGraphInstantiateWithFlags(&exec, graph, 0), "instantiation")) {
      for (int k = 0; k < SOLVES; k++) Ok(cudaGraphLaunch(exec, s.stream), "launch of the graph");
      Compare(&s, "a graph, replayed");
      Apply(&s);
      Compare(&s, "without the graph again");
    }
  }
  if (exec) Ok(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
  if (graph) Ok(cudaGraphDestroy(graph), "cudaGraphDestroy");
  Destroy(&s);
  caseEnd();
}

/* Handles are independent: two sets of plans in two streams, their solves interleaved */
static void Together(const char *algorithm)
{
  Sweeps s[2];

  caseBegin("%s in two streams at once", algorithm);
  for (int k = 0; k < 2; k++) {
    Create(algorithm, &s[k]);
    Apply(&s[k]);
    Ok(cudaStreamSynchronize(s[k].stream), "first apply");
    placeGet(SPTRSV_DEVICE, s[k].right, s[k].y, s[k].bytes);
  }
  for (int k = 0; k < 4 * SOLVES; k++) Apply(&s[k % 2]);
  for (int k = 0; k < 2; k++) {
    Compare(&s[k], "interleaved");
    Destroy(&s[k]);
  }
  caseEnd();
}

static void Devices(void)
{
  const SptrsvAlgorithm *algorithm;

  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_HOST) continue;
    Streams(algorithm->name);
    Together(algorithm->name);
  }
}
#else
static void Devices(void)
{
}
#endif

int main(int argc, char **argv)
{
  (void)testBegin("streams", argc, argv);
  if (sptrsvDeviceCount()) Devices();
  else caseSkip("streams and graphs: there is no GPU");
  return testEnd();
}
