/*
   Thousands of solves while another stream occupies the GPU with blocks of random number, size and duration, so that warps of a solve
   start late, few at a time, and in unusual orders.  Every solve gives the same bits.

     stress [--quick] [SOLVES]
*/
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

extern "C" {
#include "check.h"
#include "zoo.h"
}

namespace {

constexpr int GRID = 6, POWER_LAW = 19, LONG_ROWS = 13;
constexpr int SHARED = 96 << 10; /* bytes of shared memory, so that two blocks fill a multiprocessor */

__global__ void occupy_kernel(long long cycles)
{
  const long long start = clock64();

  while (clock64() - start < cycles) {}
}

/* Some blocks for some time, none or more than fit */
void occupy(cudaStream_t stream, uint64_t *seed)
{
  const int       blocks = 1 + (int)(random_unit(seed) * 400), threads = 32 << (int)(random_unit(seed) * 6);
  const int       shared = random_unit(seed) < 0.5 ? 0 : (int)(random_unit(seed) * SHARED);
  const long long cycles = (long long)(random_unit(seed) * 50000);

  occupy_kernel<<<blocks, threads, shared, stream>>>(cycles);
}

void solves(const ZooMatrix *A, const char *algorithm, int count)
{
  const SptrsvCsr   csr      = zoo_csr(A);
  const size_t      bytes    = (size_t)A->n * sizeof(double);
  SptrsvPlanOptions o        = {};
  SptrsvAnalysis    analysis = nullptr;
  SptrsvPlan        plan     = nullptr;
  cudaStream_t      stream, other;
  uint64_t          seed  = 71;
  int               wrong = 0;
  double *values = (double *)zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE), *host = (double *)place_new(SPTRSV_HOST, bytes, nullptr),
         *first = (double *)place_new(SPTRSV_HOST, bytes, nullptr), *x = (double *)place_new(SPTRSV_DEVICE, bytes, nullptr);

  case_begin("%s, %s: %d solves beside another stream", algorithm, A->name, count);
  for (int i = 0; i < A->n; i++) host[i] = random_unit(&seed);
  double *b   = (double *)place_new(SPTRSV_DEVICE, bytes, host);
  o.algorithm = algorithm;
  o.location  = SPTRSV_DEVICE;
  o.diagonal  = SPTRSV_DIAG_STORED;
  o.type      = SPTRSV_DOUBLE;
  expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "no stream");
  expect(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess, "no stream");
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, stream, &analysis));
  expect_success(sptrsvPlanCreate(analysis, &o, &plan));
  expect_success(sptrsvPlanUpdate(plan, values, stream));
  for (int k = 0; k < count && !wrong; k++) {
    if (k) occupy(other, &seed);
    if (k % 64 == 63) expect(cudaStreamSynchronize(other) == cudaSuccess, "the other stream failed");
    expect_success(sptrsvSolve(plan, b, x, stream));
    expect(cudaMemcpyAsync(k ? host : first, x, bytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess, "no copy");
    expect(cudaMemsetAsync(x, 0xff, bytes, stream) == cudaSuccess, "no memset");
    expect(cudaStreamSynchronize(stream) == cudaSuccess, "solve %d failed", k + 1);
    wrong += k && !same_solution(&o, host, first, A->n);
    expect(!wrong, "solve %d gives another solution", k + 1);
  }
  expect_success(sptrsvPlanGetStatus(plan));
  expect(cudaStreamSynchronize(other) == cudaSuccess, "the other stream failed");
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  (void)cudaStreamDestroy(stream);
  (void)cudaStreamDestroy(other);
  for (double *p : {values, x, b}) place_free(SPTRSV_DEVICE, p);
  for (double *p : {host, first}) place_free(SPTRSV_HOST, p);
  case_end();
}

} // namespace

int main(int argc, char **argv)
{
  const int              next = test_begin("stress", argc, argv), count = next < argc ? atoi(argv[next]) : test_quick() ? 20 : 1000;
  const SptrsvAlgorithm *algorithm;

  if (!sptrsvDeviceCount()) {
    case_skip("there is no GPU");
    return test_end();
  }
  (void)cudaFuncSetAttribute((const void *)occupy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
  for (int matrix : {GRID, POWER_LAW, LONG_ROWS}) {
    ZooMatrix A;

    zoo_create(matrix, test_quick(), &A);
    for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)) != nullptr; k++) {
      if (algorithm->location == SPTRSV_DEVICE) solves(&A, algorithm->name, count);
    }
    zoo_destroy(&A);
  }
  return test_end();
}
