/* Cases of sweeps by blocks: blocks found and their form made, its values, and the product that overlaps with both sweeps; of factors by
   points and by blocks. */
#include "cases_parts.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace simt {

namespace {

struct Variant {
  const char        *name, *algorithm;
  SptrsvStripsOptions strips;
  int                 rows;   /* of all blocks, and the factorization is by rows of blocks; 0: blocks of 1, 2, 3, 4, 1, ... rows */
  bool                pivots; /* are blocks */
};
constexpr Variant variants[] = {
    {"blocks.levelorder", "levelorder", {}, 0, false},
    {"blocks.levelset", "levelset", {}, 0, false},
    {"blocks.strips", "strips", {8, 2, SPTRSV_STRIPS_NATURAL, SPTRSV_STRIPS_LEVEL, 0}, 0, false},
    {"blocks.blockorder.2", "blockorder", {}, 2, false},
    {"blocks.blockorder.3", "blockorder", {}, 3, false},
    {"blocks.blockorder.5", "blockorder", {}, 5, false},
    {"blocks.pivots.2", "levelset", {}, 2, true},
    {"blocks.pivots.3", "blockorder", {}, 3, true},
    {"blocks.pivots.7", "strips", {8, 2, SPTRSV_STRIPS_NATURAL, SPTRSV_STRIPS_LEVEL, 0}, 7, true},
};
const SptrsvTuning       blockrows = [] {
  SptrsvTuning tuning = {};

  tuning.factor.algorithm = "blockrows";
  return tuning;
}();
constexpr SptrsvPivoting no_shift = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};

enum Part { WHOLE, L_HALF, U_HALF, PARTS };

/* The first rows of a matrix of the zoo with dense blocks in the place of entries, of rows as Variant has them */
struct BlockMatrix : ZooMatrix {
  BlockMatrix(int k, int rows)
  {
    const Matrix     points(k);
    std::vector<int> first = {0};

    while ((int)first.size() <= points.n && first.back() < test_rows()) {
      const int p = (int)first.size() - 1;

      first.push_back(first[p] + (rows ? rows : p % 4 + 1));
    }
    const int count = (int)first.size() - 1;

    *(ZooMatrix *)this = {points.name, first.back(), 0, nullptr, nullptr, nullptr, true};
    row_ptr            = (int32_t *)place_new(SPTRSV_HOST, ((size_t)n + 1) * sizeof(*row_ptr), nullptr);
    col_idx            = (int32_t *)place_new(SPTRSV_HOST, (size_t)n * n * sizeof(*col_idx), nullptr);
    for (int p = 0; p < count; p++) {
      for (int i = first[p]; i < first[p + 1]; i++) {
        row_ptr[i] = nnz;
        for (int e = points.row_ptr[p]; e < points.row_ptr[p + 1] && points.col_idx[e] < count; e++) {
          for (int j = first[points.col_idx[e]]; j < first[points.col_idx[e] + 1]; j++) col_idx[nnz++] = j;
        }
      }
    }
    row_ptr[n] = nnz;
    values     = (double *)place_new(SPTRSV_HOST, (size_t)nnz * sizeof(*values), nullptr);
    zoo_randomize(this, 71);
  }
  BlockMatrix(const BlockMatrix &) = delete;
  ~BlockMatrix() { zoo_destroy(this); }
};

/* A factor with its block form, both sweeps, and the first results for two sets of values */
class BlockCase : public Case {
public:
  BlockCase(int matrix, const Variant &variant, SptrsvValueType type, SptrsvOperation op)
      : A(matrix, variant.rows), rows(variant.rows), pivots(variant.pivots), type(type), op(op)
  {
    options.algorithm     = variant.algorithm;
    options.location      = SPTRSV_DEVICE;
    options.op            = op;
    options.diagonal      = SPTRSV_DIAG_UNIT;
    options.type          = type;
    options.tuning.strips = variant.strips;
  }
  ~BlockCase() override { close(); }

  bool open() override
  {
    uint64_t    seed = 5;
    std::string right(bytes(), 0);

    for (int i = 0; i < A.n; i++) set_value(type, &right[0], i, 2 * random_unit(&seed) - 1);
    for (Vector *v : {&b, &w, &x}) v->create(bytes(), right.data());
    if (!expect_success(create())) return false;
    for (int k = 0; k < 2; k++) {
      const std::string values = values_of(A, type, false);

      d_values[k].create(values.size(), values.data());
      if (!expect_success(give_values(k, nullptr))) return false;
      for (int part = 0; part < PARTS; part++) {
        if (!expect_success(solve((Part)part, nullptr))) return false;
        first[k][part] = x.bits();
        if (!judge_by_rows((Part)part, values, right)) return false;
      }
      zoo_randomize(&A, 99);
    }
    return true;
  }

protected:
  SptrsvStatus create()
  {
    const SptrsvBlockStorage entries = {rows, 0, 1};
    const SptrsvCsr csr   = zoo_csr(&A);
    SptrsvBlocks    found = {};
    SptrsvAnalysis  form  = nullptr;
    SptrsvStatus    status =
        pivots ? sptrsvFactorCreateBlocks(&csr, &entries, SPTRSV_ILU0, nullptr, nullptr, nullptr, type, SPTRSV_DEVICE, nullptr, &factor)
               : sptrsvFactorCreate(&csr, SPTRSV_ILU0, nullptr, nullptr, nullptr, type, SPTRSV_DEVICE, nullptr, &factor);

    if (!status) status = sptrsvFactorFindBlocks(factor, rows, &found);
    if (!status) status = sptrsvFactorGetBlockAnalysis(factor, &form);
    for (const SptrsvTriangle triangle : {SPTRSV_LOWER, SPTRSV_UPPER}) {
      options.triangle = triangle;
      if (!status) status = sptrsvPlanCreate(form, &options, &plan[triangle]);
    }
    if (!status && rows && !pivots) status = sptrsvFactorTune(factor, &blockrows);
    return !status && !found.worth ? SPTRSV_NOT_SUPPORTED : status;
  }
  void close()
  {
    for (SptrsvPlan &p : plan) (void)sptrsvPlanDestroy(&p);
    (void)sptrsvFactorDestroy(&factor);
  }

  SptrsvStatus give_values(int k, cudaStream_t stream)
  {
    return sptrsvFactorNumericPlans(factor, d_values[k].p, &no_shift, 2, plan, stream, nullptr);
  }

  /* x becomes the solution.  A launch may begin before the one in front of it ends, but the first one. */
  SptrsvStatus solve(Part part, cudaStream_t stream)
  {
    const SptrsvTriangle  begin = op == SPTRSV_NON_TRANSPOSE ? SPTRSV_LOWER : SPTRSV_UPPER;
    const SptrsvTriangle  half  = part == L_HALF ? SPTRSV_LOWER : SPTRSV_UPPER;
    const SptrsvBlockPart block = part == WHOLE ? SPTRSV_BLOCKS_LU : part == L_HALF ? SPTRSV_BLOCKS_L : SPTRSV_BLOCKS_U;
    const bool            last  = part != WHOLE && half == begin; /* the product comes last */
    SptrsvStatus          status;

    (void)cudaMemsetAsync(x.p, 0xff, x.size, stream);
    if (part != WHOLE && half != begin) {
      status = sptrsvFactorSolveBlocks(factor, block, op, b.p, w.p, stream);
      return status ? status : sptrsvSolveNext(plan[half], w.p, x.p, stream);
    }
    status = sptrsvSolve(plan[begin], b.p, w.p, stream);
    if (!status) status = sptrsvFactorSolveBlocks(factor, block, op, w.p, last ? x.p : w.p, stream);
    return status || last ? status : sptrsvSolveNext(plan[1 - begin], w.p, x.p, stream);
  }

  /* All solves again with these values */
  std::string run_values(int k)
  {
    const Stream stream(k == A.n % 2);
    SptrsvStatus status = give_values(k, stream);

    for (int part = 0; part < PARTS && !status; part++) {
      status = solve((Part)part, stream);
      if (!status && x.bits() != first[k][part]) return "solve " + std::to_string(part + 1) + " gives other bits than at first";
    }
    return said(status);
  }

private:
  size_t bytes() const { return (size_t)A.n * value_size(type); }

  /* By substitution on the host with a factor of points, whose halves are not those of one by blocks */
  bool judge_by_rows(Part part, const std::string &matrix, const std::string &right)
  {
    const SptrsvTriangle begin = op == SPTRSV_NON_TRANSPOSE ? SPTRSV_LOWER : SPTRSV_UPPER;
    const SptrsvCsr      csr   = zoo_csr(&A);
    SptrsvFactor         points = nullptr;
    const void          *lu = nullptr;
    SptrsvAnalysis       analysis = nullptr;
    std::string          from = right, to(right.size(), 0);

    if (pivots && part != WHOLE) return true;
    bool good = expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, nullptr, nullptr, nullptr, type, SPTRSV_HOST, nullptr, &points)) &&
                expect_success(sptrsvFactorNumeric(points, matrix.data(), &no_shift, nullptr, nullptr)) &&
                expect_success(sptrsvFactorGetAnalysis(points, &analysis)) && expect_success(sptrsvFactorGetValues(points, &lu));

    for (const SptrsvTriangle triangle : {begin, (SptrsvTriangle)(1 - begin)}) {
      SptrsvPlanOptions o      = {};
      SptrsvPlan        by_row = nullptr;

      if (!good || (part == L_HALF && triangle != SPTRSV_LOWER) || (part == U_HALF && triangle != SPTRSV_UPPER)) continue;
      o.algorithm = "host";
      o.location  = SPTRSV_HOST;
      o.triangle  = triangle;
      o.op        = op;
      o.diagonal  = triangle == SPTRSV_LOWER ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_INVERTED;
      o.type      = type;
      good        = expect_success(sptrsvPlanCreate(analysis, &o, &by_row)) &&
             expect_success(sptrsvPlanUpdate(by_row, lu, nullptr)) &&
             expect_success(sptrsvSolve(by_row, from.data(), &to[0], nullptr));
      (void)sptrsvPlanDestroy(&by_row);
      from = to;
    }
    (void)sptrsvFactorDestroy(&points);
    return good && is_near(x.bits(), to);
  }

  bool is_near(const std::string &now, const std::string &right) const
  {
    double off = 0, most = 0;

    for (int i = 0; i < A.n; i++) {
      const double difference = std::abs(value_at(type, now.data(), i) - value_at(type, right.data(), i));

      off  = difference <= off ? off : difference; /* a NaN, too */
      most = std::max(most, std::abs(value_at(type, right.data(), i)));
    }
    return expect(off <= 100 * value_types[type].epsilon * most, "the first result is off by %g of %g", off, most);
  }

protected:
  BlockMatrix A;

private:
  const int         rows;
  const bool        pivots;
  SptrsvPlanOptions options = {};
  SptrsvValueType   type;
  SptrsvOperation   op;
  SptrsvFactor      factor  = nullptr;
  SptrsvPlan        plan[2] = {};
  Vector            d_values[2], b, w, x;
  std::string       first[2][PARTS];
};

/* One factor, with either values in turn */
class Blocks : public BlockCase {
public:
  using BlockCase::BlockCase;

  std::string run() override
  {
    const std::string wrong = run_values(0);

    return wrong.empty() ? run_values(1) : wrong;
  }
};

/* Blocks, form and plans made anew in each run */
class BlocksSetUp : public BlockCase {
public:
  using BlockCase::BlockCase;

  bool open() override
  {
    const bool good = BlockCase::open();

    close();
    return good;
  }

  std::string run() override
  {
    const SptrsvStatus status = create();
    const std::string  wrong  = status ? said(status) : run_values(0);

    close();
    return wrong;
  }
};

} // namespace

void add_blocks(int k, const AddCase &add)
{
  const std::string matrix = Matrix(k).name;
  const bool        wide   = matrix == "full"; /* a row of blocks has more entries in another's columns than a warp has lanes */
  int               number = 0;

  if (matrix != "chain" && matrix != "grid2d" && matrix != "random" && !wide) return;
  for (const Variant &v : variants) { /* types and operations take turns */
    if (wide && (v.rows != 5 || v.pivots)) continue;
    const SptrsvValueType type = (k + number) % 2 ? SPTRSV_DOUBLE : SPTRSV_FLOAT;
    const SptrsvOperation op   = (k / 2 + number) % 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    const std::string     rest = std::string(type_name(type)) + (op == SPTRSV_TRANSPOSE ? "/transposed/" : "/");

    add(v.name, rest, [=] { return new Blocks(k, v, type, op); });
    if ((k + number) % 2) add(std::string(v.name) + ".set-up", rest, [=] { return new BlocksSetUp(k, v, type, op); });
    number++;
  }
}

} // namespace simt
