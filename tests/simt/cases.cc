/* cases.cc - The cases of the campaign: sweeps and factorizations by each algorithm that waits, with its variants. */
#include "cases.h"
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>
#include <vector>

extern "C" {
#include "../kernels/factor_check.h"
#include "../kernels/sweep_check.h"
}

namespace simt {

namespace {

struct Matrix : ZooMatrix {
  explicit Matrix(int k) { zoo_create(k, true, this); }
  Matrix(const Matrix &) = delete;
  ~Matrix() { zoo_destroy(this); }
};

/* Device memory, or a host copy of it */
class Vector {
public:
  void create(size_t bytes, const void *content)
  {
    free();
    size = bytes;
    p    = place_new(SPTRSV_DEVICE, bytes, content);
  }
  ~Vector() { free(); }
  void poison()
  {
    (void)cudaMemset(p, 0xff, size);
    (void)cudaDeviceSynchronize(); /* the next use may be in another stream */
  }
  std::string bits() const
  {
    std::string copy(size, 0);
    if (size) place_get(SPTRSV_DEVICE, &copy[0], p, size);
    return copy;
  }
  void *p = nullptr;

private:
  void free()
  {
    if (p) place_free(SPTRSV_DEVICE, p);
  }
  size_t size = 0;
};

std::string said(SptrsvStatus status)
{
  return status ? failure().empty() ? sptrsvGetErrorString(status) : failure() : "";
}

/* ------------------------------------------------------------ sweeps --------------------------------------------------------- */

struct Variant {
  const char *name, *algorithm;
  int         lanes, warps;
  double      threshold;

  SptrsvTaskOptions tasks = {};
  SptrsvSplitPolicy split = SPTRSV_SPLIT_AUTO;
};
constexpr Variant variants[] = {
    {"levelorder", "levelorder", 0, 0, 0},
    {"levelorder.1", "levelorder", 1, 3, 0},
    {"levelorder.4", "levelorder", 4, 4, 0},
    {"levelorder.32", "levelorder", 32, 4, 0},
#if SPTRSV_WARP == 64
    {"levelorder.64", "levelorder", 64, 4, 0},
#endif
    {"capellini", "capellini", 0, 0, 0},
    {"twophase", "twophase", 0, 0, 0},
    {"yuenyeung", "yuenyeung", 0, 0, 3},
    {"yuenyeung.warp", "yuenyeung", 0, 0, 1e-9},
    {"levr", "levr", 0, 0, 0},
    {"levc", "levc", 0, 0, 0},
    {"slfr", "slfr", 0, 0, 0},
    {"slfc", "slfc", 0, 0, 0},
    {"syncfree-csc", "syncfree-csc", 0, 0, 0},
    {"syncfree-csr", "syncfree-csr", 0, 0, 0},
    {"ata", "ata", 0, 0, 0, {}},
    {"ata.ca", "ata", 0, 0, 0, {SPTRSV_TASKS_CONCURRENCY, 12, 0}},
    {"ata.la", "ata", 0, 0, 0, {SPTRSV_TASKS_LOCALITY, 20, 0}},
    {"ata.la5", "ata", 0, 0, 0, {SPTRSV_TASKS_LOCALITY, 5, 0}},
    {"ata-push.ca", "ata-push", 0, 0, 0, {SPTRSV_TASKS_CONCURRENCY, 12, 0}},
    {"ata-push.la", "ata-push", 0, 0, 0, {SPTRSV_TASKS_LOCALITY, 20, 0}},
    {"ata-push.la5", "ata-push", 0, 0, 0, {SPTRSV_TASKS_LOCALITY, 5, 0}},
    {"split.gpu-gpu", "split", 0, 4, 0, {}, SPTRSV_SPLIT_GPU_GPU},
    {"split.cpu-gpu", "split", 0, 4, 0, {}, SPTRSV_SPLIT_CPU_GPU},
    {"split.gpu-cpu", "split", 0, 4, 0, {}, SPTRSV_SPLIT_GPU_CPU},
};

class Sweep : public Case {
public:
  Sweep(int matrix, const Variant &variant, int sweep, SptrsvValueType type) : A(matrix)
  {
    options.algorithm = variant.algorithm;
    options.location  = SPTRSV_DEVICE;
    options.triangle  = sweep & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
    options.op        = sweep & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    options.diagonal  = SPTRSV_DIAG_INVERTED;
    options.type      = type;
    options.tuning.levelorder.lanes     = variant.lanes;
    options.tuning.levelorder.warps     = variant.warps;
    options.tuning.yuenyeung.threshold = variant.threshold;
    options.tuning.ata     = variant.tasks;

    options.tuning.split.policy = variant.split;
    if (type == SPTRSV_DOUBLE) { /* the others are in natural order */
      options.in_perm = in_perm = random_permutation(A.n, 21);
      options.out_perm = out_perm = random_permutation(A.n, 22);
    }
    launches = SOLVES;
  }
  ~Sweep() override
  {
    (void)sptrsvPlanDestroy(&plan);
    (void)sptrsvAnalysisDestroy(&analysis);
    free(in_perm);
    free(out_perm);
  }

  bool open() override
  {
    const SptrsvCsr csr    = zoo_csr(&A);
    const size_t    bytes  = (size_t)A.n * (options.type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float));
    void           *values = zoo_values(&A, options.type, true, SPTRSV_HOST);
    Triangular      T;

    d_values.create((size_t)A.nnz * (options.type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float)), values);
    x.create(bytes, nullptr);
    bool good = expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis)) &&
                expect_success(sptrsvPlanCreate(analysis, &options, &plan)) && expect_success(sptrsvPlanUpdate(plan, d_values.p, NULL));
    triangular_create(&A, &options, values, &T);
    for (int k = 0; good && k < 2; k++) {
      const std::string right = right_side((uint64_t)k + 1, bytes);

      b[k].create(bytes, right.data());
      good = expect_success(sptrsvSolve(plan, b[k].p, x.p, NULL));
      if (!good) break;
      first[k] = x.bits();
      good     = expect(!triangular_wrong_rows(&T, &options, right.data(), first[k].data()), "the first result is wrong");
    }
    triangular_destroy(&T);
    place_free(SPTRSV_HOST, values);
    return good;
  }

  /* Each solve overwrites the solution of another right-hand side */
  std::string run() override
  {
    for (int k = 0; k < SOLVES; k++) {
      x.poison();
      const int          which  = (k + 1) % 2;
      const SptrsvStatus status = solve_captured(b[which].p);
      if (status) return said(status);
      if (!same_solution(&options, x.bits().data(), first[which].data(), A.n))
        return "solve " + std::to_string(k + 1) + " gives other bits";
    }
    return "";
  }

private:
  static constexpr int SOLVES = 3;

  /* As a graph, whose nodes run in any order that its edges allow */
  SptrsvStatus solve_captured(const void *right)
  {
    cudaStream_t    stream;
    cudaGraph_t     graph;
    cudaGraphExec_t exec = nullptr;

    (void)cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    (void)cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    SptrsvStatus      status = sptrsvSolve(plan, right, x.p, stream);
    const cudaError_t ended  = cudaStreamEndCapture(stream, &graph);
    if (!status && (ended || cudaGraphInstantiate(&exec, graph, 0))) status = SPTRSV_CUDA_ERROR;
    if (!status && cudaGraphLaunch(exec, stream)) status = SPTRSV_CUDA_ERROR;
    if (exec) (void)cudaGraphExecDestroy(exec);
    (void)cudaGraphDestroy(graph);
    (void)cudaStreamDestroy(stream);
    return status;
  }

  std::string right_side(uint64_t seed, size_t bytes) const
  {
    std::string right(bytes, 0);

    for (int i = 0; i < A.n; i++) {
      const double v = 2 * random_unit(&seed) - 1;
      if (options.type == SPTRSV_DOUBLE) ((double *)&right[0])[i] = v;
      else ((float *)&right[0])[i] = (float)v;
    }
    return right;
  }

  Matrix            A;
  SptrsvPlanOptions options = {};
  int32_t          *in_perm = nullptr, *out_perm = nullptr;
  SptrsvAnalysis    analysis = nullptr;
  SptrsvPlan        plan     = nullptr;
  Vector            d_values, b[2], x;
  std::string       first[2];
};

/* -------------------------------------------------------- factorizations ----------------------------------------------------- */

struct TaskVariant {
  const char       *name;
  SptrsvFactorKind  kind;
  SptrsvTaskOptions tasks;
};
constexpr TaskVariant task_variants[] = {
    {"ilu0-ata.ca", SPTRSV_ILU0, {SPTRSV_TASKS_CONCURRENCY, 12, 0}},
    {"ilu0-ata.la", SPTRSV_ILU0, {SPTRSV_TASKS_LOCALITY, 20, 0}},
    {"icc0-ata.la", SPTRSV_ICC0, {SPTRSV_TASKS_LOCALITY, 20, 0}},
};

class Factorization : public Case {
public:
  Factorization(int matrix, SptrsvFactorKind kind, SptrsvValueType type, const SptrsvTaskOptions *tasks = nullptr)
      : A(matrix), kind(kind), type(type), tasks(tasks)
  {
    launches = 2;
  }
  ~Factorization() override { (void)sptrsvFactorDestroy(&factor); }

  bool open() override
  {
    const SptrsvCsr csr = zoo_csr(&A);

    if (!expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, type, SPTRSV_DEVICE, NULL, &factor))) return false;
    SptrsvTuning tuning = {};

    tuning.factor.algorithm = tasks ? SPTRSV_FACTOR_ATA : SPTRSV_FACTOR_AUTO;
    if (tasks) tuning.ata = *tasks;
    if (!expect_success(sptrsvFactorTune(factor, &tuning))) return false;
    for (int k = 0; k < 2; k++) {
      void              *values = zoo_values(&A, type, false, SPTRSV_HOST);
      SptrsvFactorResult result;
      Target             target;

      d_values[k].create((size_t)A.nnz * (type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float)), values);
      place_free(SPTRSV_HOST, values);
      if (!expect_success(sptrsvFactorNumeric(factor, d_values[k].p, &no_shift, NULL, &result))) return false;
      target_create(&A, kind, NULL, NULL, type, &target);
      factor_judge(factor, &target, type, SPTRSV_DEVICE, 0);
      target_destroy(&target);
      first[k] = bits();
      zoo_randomize(&A, 99);
    }
    return true;
  }

  std::string run() override
  {
    for (int k = 0; k < 2; k++) { /* new values, twice */
      SptrsvFactorResult result;
      const SptrsvStatus status = sptrsvFactorNumeric(factor, d_values[k].p, &no_shift, NULL, &result);

      if (status) return said(status);
      if (result.zero_pivot_row >= 0) return "a zero pivot in row " + std::to_string(result.zero_pivot_row);
      if (bits() != first[k]) return "factorization " + std::to_string(k + 1) + " gives other bits";
    }
    return "";
  }

private:
  static constexpr SptrsvPivoting no_shift = {SPTRSV_SHIFT_NONE, 0, 1e-30};

  std::string bits() const
  {
    int64_t        rows, nnz;
    const int32_t *row_ptr, *col_idx;
    const void    *values;

    if (sptrsvFactorGetPattern(factor, &rows, &nnz, &row_ptr, &col_idx) || sptrsvFactorGetValues(factor, &values)) return "";
    std::string copy((size_t)nnz * (type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float)), 0);
    place_get(SPTRSV_DEVICE, &copy[0], values, copy.size());
    return copy;
  }

  Matrix                   A;
  SptrsvFactorKind         kind;
  SptrsvValueType          type;
  const SptrsvTaskOptions *tasks; /* NULL: entry by entry */
  SptrsvFactor             factor = nullptr;
  Vector                   d_values[2];
  std::string              first[2];
};

/* -------------------------------------------------------------- levels ------------------------------------------------------- */

/* Of all four sweeps */
class Levels : public Case {
public:
  Levels(int matrix, SptrsvLevelMethod method) : A(matrix), method(method) { launches = 4; }
  ~Levels() override { (void)sptrsvAnalysisDestroy(&analysis); }

  bool open() override
  {
    const SptrsvCsr csr = zoo_csr(&A);

    return expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis)) &&
           expect(levels(SPTRSV_LEVELS_HOST_ROWS, first).empty(), "no levels on the host");
  }

  std::string run() override
  {
    std::vector<int32_t> now;
    const std::string    what = levels(method, now);

    return !what.empty() ? what : now == first ? "" : "other levels than on the host";
  }

private:
  std::string levels(SptrsvLevelMethod by, std::vector<int32_t> &level) const
  {
    SptrsvStatus status = SPTRSV_SUCCESS;

    level.assign((size_t)A.n * 4, -1);
    for (int k = 0; k < 4 && !status; k++) {
      status = sptrsvAnalysisComputeLevels(analysis, k & 1 ? SPTRSV_UPPER : SPTRSV_LOWER, k & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE,
                                           by, level.data() + (size_t)A.n * k, NULL);
    }
    return said(status);
  }

  Matrix               A;
  SptrsvLevelMethod    method;
  SptrsvAnalysis       analysis = nullptr;
  std::vector<int32_t> first;
};

} // namespace

void for_each_case(const std::function<void(const std::string &name, const NewCase &create)> &visit)
{
  static const char *const sweeps[] = {"L", "U", "LT", "UT"}, *const types[] = {"float", "double"};

  for (int k = 0; k < zoo_count(); k++) {
    const Matrix      A(k);
    const std::string matrix = A.name;
    const auto        named  = [&](const std::string &algorithm, const std::string &rest, const std::function<Case *()> &make) {
      const std::string name = algorithm + "/" + rest + matrix;

      visit(name, [=] {
        std::unique_ptr<Case> made(make());
        made->name      = name;
        made->algorithm = algorithm;
        return made;
      });
    };

    if (!A.n || !A.diagonal) continue;
    for (int type = 0; type < 2; type++) {
      const SptrsvValueType t = type ? SPTRSV_DOUBLE : SPTRSV_FLOAT;

      for (const Variant &v : variants) {
        for (int s = 0; s < 4; s++) {
          named(v.name, std::string(sweeps[s]) + "/" + types[type] + "/", [=] { return new Sweep(k, v, s, t); });
        }
      }
      named("ilu0", std::string(types[type]) + "/", [=] { return new Factorization(k, SPTRSV_ILU0, t); });
      named("icc0", std::string(types[type]) + "/", [=] { return new Factorization(k, SPTRSV_ICC0, t); });
      for (const TaskVariant &v : task_variants) {
        named(v.name, std::string(types[type]) + "/", [=] { return new Factorization(k, v.kind, t, &v.tasks); });
      }
    }
    named("levels", "", [=] { return new Levels(k, SPTRSV_LEVELS_ROWS); });
    named("kahn", "", [=] { return new Levels(k, SPTRSV_LEVELS_KAHN); });
  }
}

const char *algorithm_without_case()
{
  const SptrsvAlgorithm *algorithm;

  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)) != nullptr; k++) {
    bool found = algorithm->location == SPTRSV_HOST || !strcmp(algorithm->name, "cusparse"); /* its kernels are not in the library */

    for (const Variant &v : variants) found = found || !strcmp(algorithm->name, v.algorithm);
    if (!found) return algorithm->name;
  }
  return nullptr;
}

} // namespace simt
