/*
   One factor and its plans in several streams, ordered by an SptrsvUses alone: values change in one stream while another one solves, plans
   are made at their first use, streams are destroyed with work left, and a solve is captured.  Vectors are copied in the legacy stream.
   The host waits only at the end.
*/
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "zoo.h"
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>

enum { GRID = 7, SETS = 2, ROUNDS = 12, STREAMS = 3 };
enum { L, U, UT, LT, SWEEPS };

/* The library's handles, as a solver has them */
typedef struct {
  SptrsvFactor      factor;
  SptrsvPlan        plan[SWEEPS]; /* NULL until first needed */
  SptrsvUses        uses;
  SptrsvPlanOptions options;
  double           *between; /* the two sweeps of a solve */
  double           *pivots;  /* inverted */
  const double     *values;  /* of A, given last */
} Engine;

typedef struct {
  int          n;
  size_t       bytes;
  SptrsvCsr    csr;
  double      *values[SETS], *b[SETS]; /* on the device */
  double      *now, *x;                /* of the solve under way: b, and x */
  double      *right[SETS][SETS][2];   /* on the host: x of these values and this b, of A and of its transpose */
  double      *pivots[SETS];           /* and the inverted pivots */
  cudaStream_t stream[STREAMS];        /* the first one is the legacy stream */
} Problem;

static void create_stream(cudaStream_t *stream)
{
  expect_cuda(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "stream");
}

static void create_problem(ZooMatrix *A, Problem *p)
{
  uint64_t seed = 61;
  double  *b;

  zoo_create(GRID, test_quick(), A);
  *p = (Problem){.n = A->n, .bytes = (size_t)A->n * sizeof(double), .csr = zoo_csr(A)};
  b  = place_new(SPTRSV_HOST, p->bytes, NULL);
  for (int k = 0; k < SETS; k++) {
    if (k) zoo_randomize(A, 99);
    for (int i = 0; i < A->n; i++) b[i] = random_unit(&seed);
    p->values[k] = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);
    p->b[k]      = place_new(SPTRSV_DEVICE, p->bytes, b);
  }
  p->now = place_new(SPTRSV_DEVICE, p->bytes, NULL);
  p->x   = place_new(SPTRSV_DEVICE, p->bytes, NULL);
  for (int s = 1; s < STREAMS; s++) create_stream(&p->stream[s]);
  place_free(SPTRSV_HOST, b);
}

static void destroy_problem(ZooMatrix *A, Problem *p)
{
  for (int k = 0; k < SETS; k++) {
    place_free(SPTRSV_DEVICE, p->values[k]);
    place_free(SPTRSV_DEVICE, p->b[k]);
  }
  place_free(SPTRSV_DEVICE, p->now);
  place_free(SPTRSV_DEVICE, p->x);
  for (int s = 1; s < STREAMS; s++) expect_cuda(cudaStreamDestroy(p->stream[s]), "cudaStreamDestroy");
  zoo_destroy(A);
}

static void create_engine(const Problem *p, const SptrsvPlanOptions *options, Engine *e)
{
  *e = (Engine){.options = *options};
  e->between = place_new(SPTRSV_DEVICE, p->bytes, NULL);
  e->pivots  = place_new(SPTRSV_DEVICE, p->bytes, NULL);
  expect_success(sptrsvUsesCreate(&e->uses));
  expect_success(sptrsvFactorCreate(&p->csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &e->factor));
}

static void destroy_engine(Engine *e)
{
  expect_success(sptrsvFactorSetSweep(e->factor, NULL));
  for (int k = 0; k < SWEEPS; k++) expect_success(sptrsvPlanDestroy(&e->plan[k]));
  expect_success(sptrsvFactorDestroy(&e->factor));
  expect_success(sptrsvUsesDestroy(&e->uses));
  place_free(SPTRSV_DEVICE, e->between);
  place_free(SPTRSV_DEVICE, e->pivots);
}

static void update(Engine *e, int sweep, cudaStream_t stream)
{
  const void *values;

  expect_success(sptrsvFactorGetValues(e->factor, &values));
  expect_success(sptrsvPlanUpdate(e->plan[sweep], values, stream));
}

static void need_plan(Engine *e, int sweep, cudaStream_t stream)
{
  const bool     lower = sweep == L || sweep == LT;
  SptrsvAnalysis analysis;

  if (e->plan[sweep]) return;
  e->options.triangle = lower ? SPTRSV_LOWER : SPTRSV_UPPER;
  e->options.diagonal = lower ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_INVERTED;
  e->options.op       = sweep == L || sweep == U ? SPTRSV_NON_TRANSPOSE : SPTRSV_TRANSPOSE;
  expect_success(sptrsvFactorGetAnalysis(e->factor, &analysis));
  expect_success(sptrsvPlanCreate(analysis, &e->options, &e->plan[sweep]));
  if (!e->values) return;
  expect_success(sptrsvUsesBegin(e->uses, stream));
  update(e, sweep, stream);
  expect_success(sptrsvUsesEnd(e->uses, stream));
}

static void factor(Engine *e, const double *values, cudaStream_t stream)
{
  need_plan(e, L, stream);
  need_plan(e, U, stream);
  expect_success(sptrsvFactorSetSweep(e->factor, e->plan[L]));
  expect_success(sptrsvUsesBegin(e->uses, stream));
  expect_success(sptrsvFactorNumeric(e->factor, values, NULL, stream, NULL));
  for (int k = 0; k < SWEEPS; k++) {
    if (e->plan[k]) update(e, k, stream);
  }
  expect_success(sptrsvUsesEnd(e->uses, stream));
  e->values = values;
}

static void get_pivots(Engine *e, cudaStream_t stream)
{
  expect_success(sptrsvUsesBegin(e->uses, stream));
  expect_success(sptrsvFactorGetInvertedPivots(e->factor, e->pivots, stream));
  expect_success(sptrsvUsesEnd(e->uses, stream));
}

static void solve(Engine *e, bool transposed, const double *b, double *x, cudaStream_t stream)
{
  const int first = transposed ? UT : L, second = transposed ? LT : U;

  need_plan(e, first, stream);
  need_plan(e, second, stream);
  expect_success(sptrsvUsesBegin(e->uses, stream));
  expect_success(sptrsvSolve(e->plan[first], b, e->between, stream));
  expect_success(sptrsvSolveNext(e->plan[second], e->between, x, stream));
  expect_success(sptrsvUsesEnd(e->uses, stream));
}

static double *on_host(const Problem *p, const double *x)
{
  double *host = place_new(SPTRSV_HOST, p->bytes, NULL);

  place_get(SPTRSV_DEVICE, host, x, p->bytes);
  return host;
}

/* One at a time, in one stream */
static void find_right(Problem *p, const SptrsvPlanOptions *options)
{
  Engine e;

  create_engine(p, options, &e);
  for (int v = 0; v < SETS; v++) {
    factor(&e, p->values[v], NULL);
    for (int k = 0; k < 2 * SETS; k++) {
      solve(&e, k % 2, p->b[k / 2], p->x, NULL);
      p->right[v][k / 2][k % 2] = on_host(p, p->x);
    }
    get_pivots(&e, NULL);
    p->pivots[v] = on_host(p, e.pivots);
  }
  destroy_engine(&e);
}

static void forget_right(Problem *p)
{
  for (int k = 0; k < 2 * SETS * SETS; k++) free(p->right[k / 4][k / 2 % 2][k % 2]);
  for (int v = 0; v < SETS; v++) free(p->pivots[v]);
}

static void expect_right(const Problem *p, const Engine *e, int v, int b, bool transposed, const double *x, const char *what, int round)
{
  double *host = on_host(p, x);

  expect(same_solution(&e->options, host, p->right[v][b][transposed], p->n), "%s, round %d: another solution", what, round);
  free(host);
}

static void expect_right_pivots(const Problem *p, int v, const double *pivots, int round)
{
  double *host = on_host(p, pivots);

  expect(!memcmp(host, p->pivots[v], p->bytes), "round %d: other pivots", round);
  free(host);
}

/* In the legacy stream, as an application's vectors */
static void copy(const Problem *p, double *to, const double *from)
{
  expect_cuda(cudaMemcpyAsync(to, from, p->bytes, cudaMemcpyDeviceToDevice, NULL), "cudaMemcpyAsync");
}

/* Each round solves in one stream, and some factor before in another.  From the middle on there are transposed solves, too.  Streams are
   destroyed with work left, and new ones, perhaps at the same address, take their places. */
static void test_streams(Problem *p, const SptrsvPlanOptions *options)
{
  int      v[ROUNDS];
  double  *x[ROUNDS], *pivots[ROUNDS];
  uint64_t seed = 7;
  Engine   e;

  create_engine(p, options, &e);
  for (int r = 0; r < ROUNDS; r++) {
    const int s = (int)(random_unit(&seed) * STREAMS), other = (s + 1 + (int)(random_unit(&seed) * (STREAMS - 1))) % STREAMS;

    v[r]      = r && random_unit(&seed) < 0.5 ? v[r - 1] : r / 2 % SETS;
    x[r]      = place_new(SPTRSV_DEVICE, p->bytes, NULL);
    pivots[r] = place_new(SPTRSV_DEVICE, p->bytes, NULL);
    if (!r || v[r] != v[r - 1]) factor(&e, p->values[v[r]], p->stream[other]);
    copy(p, p->now, p->b[r % SETS]);
    solve(&e, r >= ROUNDS / 2 && r % 2, p->now, p->x, p->stream[s]);
    copy(p, x[r], p->x);
    get_pivots(&e, p->stream[other]);
    copy(p, pivots[r], e.pivots);
    if (s && r % 4 == 3) {
      expect_cuda(cudaStreamDestroy(p->stream[s]), "cudaStreamDestroy");
      create_stream(&p->stream[s]);
    }
  }
  expect_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (int r = 0; r < ROUNDS; r++) {
    expect_right(p, &e, v[r], r % SETS, r >= ROUNDS / 2 && r % 2, x[r], "in streams", r);
    expect_right_pivots(p, v[r], pivots[r], r);
    place_free(SPTRSV_DEVICE, x[r]);
    place_free(SPTRSV_DEVICE, pivots[r]);
  }
  destroy_engine(&e);
}

/* Set-up in one stream, a solve captured in another: nothing is waited for that the graph cannot hold, so the host waits before */
static void test_capture(Problem *p, const SptrsvPlanOptions *options)
{
  cudaStream_t    stream = p->stream[1];
  double         *x      = place_new(SPTRSV_DEVICE, p->bytes, NULL);
  cudaGraph_t     graph;
  cudaGraphExec_t exec;
  Engine          e;

  create_engine(p, options, &e);
  for (int v = 0; v < SETS; v++) {
    factor(&e, p->values[v], p->stream[2]);
    expect_cuda(cudaStreamSynchronize(p->stream[2]), "cudaStreamSynchronize");
    if (!v) {
      expect_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "capture");
      solve(&e, false, p->b[0], x, stream);
      expect_cuda(cudaStreamEndCapture(stream, &graph), "end of capture");
      expect_cuda(cudaGraphInstantiateWithFlags(&exec, graph, 0), "instantiation");
    }
    expect_cuda(cudaGraphLaunch(exec, stream), "launch of the graph");
    expect_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    expect_right(p, &e, v, 0, false, x, "captured", v);
  }
  expect_cuda(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
  expect_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
  destroy_engine(&e);
  place_free(SPTRSV_DEVICE, x);
}

static void test_algorithm(const SptrsvAlgorithm *algorithm)
{
  const SptrsvPlanOptions options = {.algorithm = algorithm->name, .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE};
  ZooMatrix               A;
  Problem                 p;

  case_begin("%s in streams that uses order", algorithm->name);
  create_problem(&A, &p);
  find_right(&p, &options);
  for (int k = 0; k < (test_emulated() ? 1 : 20); k++) test_streams(&p, &options);
  test_capture(&p, &options);
  forget_right(&p);
  destroy_problem(&A, &p);
  case_end();
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
  (void)test_begin("uses", argc, argv);
  if (sptrsvDeviceCount()) test_devices();
  else case_skip("uses in streams: there is no GPU");
  return test_end();
}
