/* cases_parts.h - What the cases are made of: matrices, device memory, and the lists of cases by their kinds. */
#pragma once
#include "cases.h"
#include <cuda_runtime_api.h>

namespace simt {

/* A matrix of the zoo or, after these, one with rows so long that a lane has more than one batch of pairs in an ILU(0).  The last one,
   whose number is matrix_count(), is for ILU(0) by rows only: it has the longest rows that lanes hold. */
struct Matrix : ZooMatrix {
  explicit Matrix(int k);
  Matrix(const Matrix &) = delete;
  ~Matrix() { zoo_destroy(this); }
};
int matrix_count();

/* Device memory */
class Vector {
public:
  Vector()               = default;
  Vector(const Vector &) = delete;
  ~Vector() { free(); }
  void        create(size_t bytes, const void *content);
  std::string bits() const;

  void  *p    = nullptr;
  size_t size = 0;

private:
  void free();
};

/* The legacy stream, or one that waits for no other.  Its work goes on when it is gone. */
class Stream {
public:
  explicit Stream(bool legacy)
  {
    if (!legacy) (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  }
  Stream(const Stream &) = delete;
  ~Stream()
  {
    if (stream) (void)cudaStreamDestroy(stream);
  }
  operator cudaStream_t() const { return stream; }

private:
  cudaStream_t stream = nullptr;
};

/* A stream, and a solve captured in it: a graph, whose nodes run in any order that its edges allow.  The right-hand side comes from what
   is in front, and the sweep may begin before it is there. */
struct Capture {
  Capture() { (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); }
  Capture(const Capture &) = delete;
  ~Capture()
  {
    if (exec) (void)cudaGraphExecDestroy(exec);
    if (graph) (void)cudaGraphDestroy(graph);
    (void)cudaStreamDestroy(stream);
  }
  SptrsvStatus solve(SptrsvPlan plan, const Vector &from, const Vector &b, void *x)
  {
    (void)cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    (void)cudaMemcpyAsync(b.p, from.p, b.size, cudaMemcpyDeviceToDevice, stream);
    const SptrsvStatus status = sptrsvSolveNext(plan, b.p, x, stream);
    const cudaError_t  ended  = cudaStreamEndCapture(stream, &graph);

    return status ? status : ended || cudaGraphInstantiateWithFlags(&exec, graph, 0) ? SPTRSV_CUDA_ERROR : SPTRSV_SUCCESS;
  }
  SptrsvStatus replay() { return cudaGraphLaunch(exec, stream) || cudaStreamSynchronize(stream) ? SPTRSV_CUDA_ERROR : SPTRSV_SUCCESS; }

  cudaStream_t    stream = nullptr;
  cudaGraph_t     graph  = nullptr;
  cudaGraphExec_t exec   = nullptr;
};

/* The pattern on the device, so that an analysis of it is computed there */
class DevicePattern {
public:
  void         create(const ZooMatrix &A);
  SptrsvStatus analyse(SptrsvAnalysis *analysis) const;

private:
  int    n = 0, nnz = 0;
  Vector row_ptr, col_idx;
};

/* `bytes` from device memory */
std::string device_bits(const void *p, size_t bytes);

std::string values_of(const ZooMatrix &A, SptrsvValueType type, bool inverted); /* inverted: reciprocals on the diagonal */

/* The emulator's error or the library's, or an empty string */
std::string said(SptrsvStatus status);

/* The four sweeps */
constexpr SptrsvTriangle  triangles[]  = {SPTRSV_LOWER, SPTRSV_UPPER, SPTRSV_LOWER, SPTRSV_UPPER};
constexpr SptrsvOperation operations[] = {SPTRSV_NON_TRANSPOSE, SPTRSV_NON_TRANSPOSE, SPTRSV_TRANSPOSE, SPTRSV_TRANSPOSE};

/* An analysis on the device of a pattern there, so that all of it is computed there */
class AnalysisCase : public Case {
public:
  explicit AnalysisCase(int matrix) : A(matrix) {}
  ~AnalysisCase() override { close(); }

  bool open() override
  {
    pattern.create(A);
    return expect_success(create());
  }

protected:
  SptrsvStatus create() { return pattern.analyse(&analysis); }
  void close() { (void)sptrsvAnalysisDestroy(&analysis); }

  Matrix         A;
  SptrsvAnalysis analysis = nullptr;

private:
  DevicePattern pattern;
};

/* Lists the cases of the k-th matrix: add(algorithm, rest of the name with its last slash, the case) */
using AddCase = std::function<void(const std::string &algorithm, const std::string &rest, const std::function<Case *()> &make)>;
void        add_sweeps(int k, const AddCase &add);
void        add_factorizations(int k, const AddCase &add);
void        add_set_ups(int k, const AddCase &add);
void        add_strips(int k, const AddCase &add);
void        add_blocks(int k, const AddCase &add);
bool        has_sweep(const char *algorithm);
const char *type_name(SptrsvValueType type);

} // namespace simt
