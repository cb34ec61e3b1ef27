/*
   Thousands of solves while another stream takes the GPU away: blocks of random number, size and duration, so that warps of a solve start
   late, few at a time, and in odd orders.  Every solve gives the same bits.

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
  const int       blocks = 1 + (int)(randomUnit(seed) * 400), threads = 32 << (int)(randomUnit(seed) * 6);
  const int       shared = randomUnit(seed) < 0.5 ? 0 : (int)(randomUnit(seed) * SHARED);
  const long long cycles = (long long)(randomUnit(seed) * 50000);

  occupy_kernel<<<blocks, threads, shared, stream>>>(cycles);
}

void solves(const ZooMatrix *A, const char *algorithm, int count)
{
  const SptrsvCsr   csr      = zooCsr(A);
  const size_t      bytes    = (size_t)A->n * sizeof(double);
  SptrsvPlanOptions o        = {};
  SptrsvAnalysis    analysis = nullptr;
  SptrsvPlan        plan     = nullptr;
  cudaStream_t      stream, other;
  uint64_t          seed  = 71;
  int               wrong = 0;
  double *values = (double *)zooValues(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE), *host = (double *)placeNew(SPTRSV_HOST, bytes, nullptr),
         *first = (double *)placeNew(SPTRSV_HOST, bytes, nullptr), *x = (double *)placeNew(SPTRSV_DEVICE, bytes, nullptr);

  caseBegin("%s, %s: %d solves beside another stream", algorithm, A->name, count);
  for (int i = 0; i < A->n; i++) host[i] = randomUnit(&seed);
  double *b   = (double *)placeNew(SPTRSV_DEVICE, bytes, host);
  o.algorithm = algorithm;
  o.location  = SPTRSV_DEVICE;
  o.diagonal  = SPTRSV_DIAG_STORED;
  o.type      = SPTRSV_DOUBLE;
  expect(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess, "no stream");
  expect(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess, "no stream");
  expectSuccess(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, stream, &analysis));
  expectSuccess(sptrsvPlanCreate(analysis, &o, &plan));
  expectSuccess(sptrsvPlanUpdate(plan, values, stream));
  for (int k = 0; k < count && !wrong; k++) {
    if (k) occupy(other, &seed);
    if (k % 64 == 63) expect(cudaStreamSynchronize(other) == cudaSuccess, "the other stream failed");
    expectSuccess(sptrsvSolve(plan, b, x, stream));
    expect(cudaMemcpyAsync(k ? host : first, x, bytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess, "no copy");
    expect(cudaMemsetAsync(x, 0xff, bytes, stream) == cudaSuccess, "no memset");
    expect(cudaStreamSynchronize(stream) == cudaSuccess, "solve %d failed", k + 1);
    wrong += k && !sameSolution(&o, host, first, A->n);
    expect(!wrong, "solve %d gives another solution", k + 1);
  }
  expectSuccess(sptrsvPlanGetStatus(plan));
  expect(cudaStreamSynchronize(other) == cudaSuccess, "the other stream failed");
  expectSuccess(sptrsvPlanDestroy(&plan));
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
  (void)cudaStreamDestroy(stream);
  (void)cudaStreamDestroy(other);
  for (double *p : {values, x, b}) placeFree(SPTRSV_DEVICE, p);
  for (double *p : {host, first}) placeFree(SPTRSV_HOST, p);
  caseEnd();
}

} // namespace

int main(int argc, char **argv)
{
  const int              next = testBegin("stress", argc, argv), count = next < argc ? atoi(argv[next]) : testQuick() ? 20 : 1000;
  const SptrsvAlgorithm *algorithm;

  if (!sptrsvDeviceCount()) {
    caseSkip("there is no GPU");
    return testEnd();
  }
  (void)cudaFuncSetAttribute((const void *)occupy_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
  for (int matrix : {GRID, POWER_LAW, LONG_ROWS}) {
    ZooMatrix A;

    zooCreate(matrix, testQuick(), &A);
    for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)) != nullptr; k++) {
      if (algorithm->location == SPTRSV_DEVICE) solves(&A, algorithm->name, count);
    }
    zooDestroy(&A);
  }
  return testEnd();
}
