/* Cases of the sweeps: each algorithm with its variants, captured and replayed, and set up anew. */
#include "cases_parts.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime_api.h>

extern "C" {
#include "../kernels/complex_check.h"
}

namespace simt {

namespace {

struct Variant {
  const char *name, *algorithm;
  int         lanes, warps;
  double      threshold;

  SptrsvTaskOptions   tasks     = {};
  const char         *split     = nullptr;
  SptrsvStripsOptions strips    = {};
  SptrsvPrecision     precision = SPTRSV_PRECISION_OWN;
};
constexpr SptrsvPrecision SINGLE = SPTRSV_PRECISION_SINGLE;
constexpr Variant variants[] = {
    {"levelorder", "levelorder", 0, 0, 0},
    {"blockorder", "blockorder", 0, 0, 0},
    {"blockorder.2", "blockorder", 2, 4, 0},
    {"levelset", "levelset", 0, 0, 0},
    {"levelset.4", "levelset", 4, 0, 0},
    {"levelorder.1", "levelorder", 1, 3, 0},
    {"levelorder.4", "levelorder", 4, 4, 0},
    {"levelorder.32", "levelorder", 32, 4, 0},
#if SPTRSV_WARP == 64
    {"levelorder.64", "levelorder", 64, 4, 0},
#endif
    {"strips.8", "strips", 0, 0, 0, {}, nullptr, {8, 2, SPTRSV_STRIPS_NATURAL, SPTRSV_STRIPS_LEVEL, 0}},
    {"strips.20", "strips", 0, 0, 0, {}, nullptr, {20, 3, SPTRSV_STRIPS_DEPTH_FIRST, SPTRSV_STRIPS_LEVEL, 0}},
    {"strips.64", "strips", 0, 0, 0, {}, nullptr, {64, 2, SPTRSV_STRIPS_NATURAL, SPTRSV_STRIPS_LEVEL, 0}},
    {"strips.list", "strips", 0, 0, 0, {}, nullptr, {20, 2, SPTRSV_STRIPS_NATURAL, SPTRSV_STRIPS_LIST, 0}},
    {"strips.cut", "strips", 0, 0, 0, {}, nullptr, {20, 2, SPTRSV_STRIPS_NATURAL, SPTRSV_STRIPS_LIST, 2}},
    {"strips.bricks", "strips", 0, 0, 0, {}, nullptr, {12, 2, SPTRSV_STRIPS_BRICKS, SPTRSV_STRIPS_LEVEL, 0}},
    {"levelorder.single", "levelorder", 2, 3, 0, {}, nullptr, {}, SINGLE},
    {"levelset.single", "levelset", 0, 0, 0, {}, nullptr, {}, SINGLE},
    {"strips.single", "strips", 0, 0, 0, {}, nullptr, {20, 3, SPTRSV_STRIPS_NATURAL, SPTRSV_STRIPS_LEVEL, 0}, SINGLE},
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
    {"split", "split", 0, 4, 0},
    {"split.cpu", "split", 0, 4, 0, {}, "policy=cpu"},
    {"split.gpu", "split", 0, 4, 0, {}, "policy=gpu"},
    {"split.cpu-cpu", "split", 0, 4, 0, {}, "policy=cpu-cpu"},
    {"split.gpu-gpu", "split", 0, 4, 0, {}, "policy=gpu-gpu"},
    {"split.cpu-gpu", "split", 0, 4, 0, {}, "policy=cpu-gpu"},
    {"split.gpu-cpu", "split", 0, 4, 0, {}, "policy=gpu-cpu"},
};

/* What a sweep is made for, beside its algorithm */
struct Setting {
  int             sweep; /* L, U, LT, UT */
  SptrsvValueType type;
  SptrsvDiagonal  diagonal;
  bool            permuted; /* in and out, each by a permutation of its own */
};

/* Every variant has all sweeps on all matrices.  Types, diagonals and permutations take turns: in the sweeps of one matrix, and in the
   matrices of one sweep, any two of their kinds come together.  All combinations would take twelve times as long. */
Setting setting_of(int matrix, int variant, int sweep)
{
  const bool wide = (matrix + sweep) % 2 || variants[variant].precision == SINGLE;

  return {sweep, wide ? SPTRSV_DOUBLE : SPTRSV_FLOAT, (SptrsvDiagonal)((matrix + 2 * sweep + variant) % 3),
          (matrix / 2 + sweep / 2 + variant) % 2 == 1};
}

/* The same with complex values: half of the sweeps of variants that take them */
Setting with_complex(Setting s)
{
  s.type = s.type == SPTRSV_DOUBLE ? SPTRSV_COMPLEX_DOUBLE : SPTRSV_COMPLEX_FLOAT;
  return s;
}
bool has_complex(int matrix, int variant, int sweep)
{
  const SptrsvAlgorithm *const a = sptrsvAlgorithmFind(variants[variant].algorithm, SPTRSV_DEVICE);

  return a->values >> SPTRSV_COMPLEX_DOUBLE & 1 && (matrix / 2 + sweep / 2 + variant) % 2;
}

std::string name_of(const Setting &s)
{
  static const char *const sweeps[] = {"L", "U", "LT", "UT"}, *const diagonals[] = {"unit", "stored", "inverted"};

  return std::string(sweeps[s.sweep]) + "/" + type_name(s.type) + "/" + diagonals[s.diagonal] + (s.permuted ? ".permuted/" : "/");
}

/* A plan's options, inputs and first results, for two right-hand sides with each of two sets of values */
class SweepCase : public Case {
public:
  SweepCase(int matrix, const Variant &variant, const Setting &setting) : A(matrix)
  {
    options.algorithm                  = variant.algorithm;
    options.location                   = SPTRSV_DEVICE;
    options.triangle                   = setting.sweep & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
    options.op                         = setting.sweep & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    options.diagonal                   = setting.diagonal;
    options.type                       = setting.type;
    options.tuning.levelorder.lanes    = variant.lanes;
    options.tuning.levelorder.warps    = variant.warps;
    options.tuning.yuenyeung.threshold = variant.threshold;
    options.tuning.ata                 = variant.tasks;
    options.tuning.split.parameters    = variant.split;
    options.tuning.strips              = variant.strips;
    options.tuning.sweep.precision     = variant.precision;
    if (setting.permuted) {
      options.in_perm = in_perm = random_permutation(A.n, 21);
      options.out_perm = out_perm = random_permutation(A.n, 22);
    }
  }
  ~SweepCase() override
  {
    close();
    free(in_perm);
    free(out_perm);
  }

  bool open() override
  {
    pattern.create(A);
    x.create((size_t)A.n * value_size(options.type), nullptr);
    for (int k = 0; k < 2; k++) {
      const std::string right = right_side(k);

      b[k].create(right.size(), right.data());
    }
    return expect_success(create()) && open_with_values(0) && open_with_values(1);
  }

protected:
  SptrsvStatus create()
  {
    const SptrsvStatus status = pattern.analyse(&analysis);

    return status ? status : sptrsvPlanCreate(analysis, &options, &plan);
  }
  void close()
  {
    (void)sptrsvPlanDestroy(&plan);
    (void)sptrsvAnalysisDestroy(&analysis);
  }

  const char *first_of(int values, int right) const { return first[values][right].data(); }

  /* The first result of these values and this right-hand side? */
  std::string judge(int values, int right)
  {
    return same_solution(&options, x.bits().data(), first_of(values, right), A.n) ? "" : "other bits than at first";
  }

  Matrix            A;
  SptrsvPlanOptions options  = {};
  SptrsvAnalysis    analysis = nullptr;
  SptrsvPlan        plan     = nullptr;
  DevicePattern     pattern;
  Vector            d_values[2], b[2], x;

private:
  bool open_with_values(int which)
  {
    const std::string values = values_of(A, options.type, options.diagonal == SPTRSV_DIAG_INVERTED);

    d_values[which].create(values.size(), values.data());
    bool good = expect_success(sptrsvPlanUpdate(plan, d_values[which].p, Stream(which))) && cudaDeviceSynchronize() == cudaSuccess;
    for (int k = 0; good && k < 2; k++) {
      good = expect_success(sptrsvSolve(plan, b[k].p, x.p, Stream(k)));
      if (!good) break;
      first[which][k] = x.bits();
      good = expect(!any_wrong_rows(&A, &options, values.data(), right_side(k).data(), first_of(which, k)), "the first result is wrong");
    }
    zoo_randomize(&A, 99);
    return good;
  }

  /* In the second one a late row has the NaN that stands for a value to come */
  std::string right_side(int which) const
  {
    const bool  forward = (options.triangle == SPTRSV_LOWER) == (options.op == SPTRSV_NON_TRANSPOSE);
    const int   late    = forward ? A.n - 1 - A.n / 8 : A.n / 8;
    uint64_t    seed    = (uint64_t)which + 1;
    std::string right((size_t)A.n * value_size(options.type), 0);

    for (int i = 0; i < A.n; i++) set_value(options.type, &right[0], i, 2 * random_unit(&seed) - 1);
    if (which) put_sentinel(options.type, &right[0], in_perm ? in_perm[late] : late);
    return right;
  }

  int32_t    *in_perm = nullptr, *out_perm = nullptr;
  std::string first[2][2];
};

/* One plan, captured once.  Every replay has another right-hand side or other values than the one before, and finds x overwritten, so that
   neither work done while capturing nor a value left by another replay passes for the solution. */
class Sweep : public SweepCase {
public:
  using SweepCase::SweepCase;

  bool open() override
  {
    for (Vector *v : {&right, &given}) v->create((size_t)A.n * value_size(options.type), nullptr);
    return SweepCase::open();
  }

  std::string run() override
  {
    static const int replays[][2] = {{0, 1}, {0, 0}, {1, 1}}; /* values, right-hand side */
    Capture          capture;
    SptrsvStatus     status = capture.solve(plan, right, given, x.p);

    for (int k = 0; !status && k < 3; k++) {
      const int values = replays[k][0], side = replays[k][1];

      if (!k || values != replays[k - 1][0]) status = sptrsvPlanUpdate(plan, d_values[values].p, capture.stream);
      (void)cudaMemcpyAsync(right.p, b[side].p, right.size, cudaMemcpyDeviceToDevice, capture.stream);
      (void)cudaMemsetAsync(x.p, 0xff, x.size, capture.stream);
      if (!status) status = capture.replay();
      const std::string wrong = status ? "" : judge(values, side);
      if (!wrong.empty()) return "replay " + std::to_string(k + 1) + ": " + wrong;
    }
    return said(status);
  }

private:
  Vector right, given;
};

/* The same plan, for several right-hand sides at once: more than it takes together, and fewer.  Both right-hand sides are among them. */
class ManySweep : public SweepCase {
public:
  using SweepCase::SweepCase;

  bool open() override
  {
    bool good = SweepCase::open() && expect_success(sptrsvPlanPrepareMany(plan, &together));

    good = good && expect(together > 1 && together < MOST, "columns are taken %d by %d", together, together);
    many.create(ldb() * MOST, nullptr);
    solutions.create(ldx() * MOST, nullptr);
    for (int k = 0; good && k < MOST; k++) {
      good = cudaMemcpy((char *)many.p + k * ldb(), b[side_of(k)].p, b[0].size, cudaMemcpyDeviceToDevice) == cudaSuccess;
    }
    return good;
  }

  std::string run() override
  {
    const int    solves[][2] = {{0, together + 1}, {0, 3}, {1, 5}}; /* values, columns */
    const Stream stream(A.n % 2);
    const size_t size   = value_size(options.type);
    SptrsvStatus status = SPTRSV_SUCCESS;

    for (int k = 0; !status && k < 3; k++) {
      if (!k || solves[k][0] != solves[k - 1][0]) status = sptrsvPlanUpdate(plan, d_values[solves[k][0]].p, stream);
      (void)cudaMemsetAsync(solutions.p, 0xff, solutions.size, stream);
      if (!status) {
        status = sptrsvSolveMany(plan, solves[k][1], many.p, (int64_t)(ldb() / size), solutions.p, (int64_t)(ldx() / size), stream);
      }
      if (!status && cudaStreamSynchronize(stream)) status = SPTRSV_CUDA_ERROR;
      const std::string wrong = status ? "" : judge_columns(solves[k][0], solves[k][1]);
      if (!wrong.empty()) return "solve " + std::to_string(k + 1) + ", " + wrong;
    }
    return said(status);
  }

private:
  static constexpr int MOST = 17;

  static int side_of(int column) { return column % 3 == 1; }
  size_t     ldb() const { return (size_t)(A.n + 1) * value_size(options.type); } /* in bytes */
  size_t     ldx() const { return (size_t)(A.n + 3) * value_size(options.type); }

  std::string judge_columns(int values, int columns)
  {
    const std::string found = solutions.bits();

    for (int k = 0; k < columns; k++) {
      if (!same_solution(&options, found.data() + k * ldx(), first_of(values, side_of(k)), A.n))
        return "column " + std::to_string(k) + " of " + std::to_string(columns) + ": other bits than alone";
    }
    return "";
  }

  int    together = 0;
  Vector many, solutions;
};

/* The same plan, made anew in each run */
class SweepSetUp : public SweepCase {
public:
  using SweepCase::SweepCase;

  bool open() override
  {
    const bool good = SweepCase::open() && expect_success(sptrsvPlanDescribe(plan, first, sizeof(first)));

    close();
    return good;
  }

  std::string run() override
  {
    const std::string wrong = set_up_and_solve();

    close();
    return wrong;
  }

private:
  std::string set_up_and_solve()
  {
    const Stream stream(A.n % 2);
    char         now[sizeof(first)];
    SptrsvStatus status = create();

    if (!status) status = sptrsvPlanDescribe(plan, now, sizeof(now));
    if (!status && strcmp(now, first)) return std::string("the plan is \"") + now + "\", not \"" + first + "\"";
    if (!status) status = sptrsvPlanUpdate(plan, d_values[0].p, stream);
    if (!status) status = sptrsvSolve(plan, b[0].p, x.p, stream);
    return status ? said(status) : judge(0, 0);
  }

  char first[512]; /* its description: counts and sizes */
};

} // namespace

static void add_sweep(int k, const Variant &v, const Setting &setting, const AddCase &add)
{
  add(v.name, name_of(setting), [=] { return new Sweep(k, v, setting); });
  if (strcmp(v.algorithm, "levelorder") && strcmp(v.name, "strips.8") && strcmp(v.name, "strips.64")) return;
  add(std::string(v.name) + ".columns", name_of(setting), [=] { return new ManySweep(k, v, setting); });
}

void add_sweeps(int k, const AddCase &add)
{
  int number = 0;

  for (const Variant &v : variants) {
    for (int s = 0; s < 4; s++) {
      const Setting setting = setting_of(k, number, s);

      add_sweep(k, v, setting, add);
      if (has_complex(k, number, s)) add_sweep(k, v, with_complex(setting), add);
      if ((k + number + s) % 8 == 0) add(std::string(v.name) + ".set-up", name_of(setting), [=] { return new SweepSetUp(k, v, setting); });
    }
    number++;
  }
}

bool has_sweep(const char *algorithm)
{
  for (const Variant &v : variants) {
    if (!strcmp(algorithm, v.algorithm)) return true;
  }
  return false;
}

} // namespace simt
