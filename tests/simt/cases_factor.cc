/* Cases of the factorizations by all their methods, again and again with other values, pivots and shifts, and set up anew. */
#include "cases_parts.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include "../kernels/factor_ways.h"
}

namespace simt {

namespace {

/* lower: of the sweep whose plan is lent */
struct Variant {
  const char       *name;
  SptrsvFactorKind  kind;
  const char       *algorithm; /* NULL: auto */
  SptrsvTaskOptions tasks;
  SptrsvFill        fill;
  const char       *lower;
};
constexpr uint64_t          SEED        = 23; /* of permutations */
constexpr SptrsvTaskOptions concurrency = {SPTRSV_TASKS_CONCURRENCY, 12, 0}, locality = {SPTRSV_TASKS_LOCALITY, 20, 0};

constexpr Variant variants[] = {
    {"ilu0", SPTRSV_ILU0, nullptr, {}, {}, nullptr}, /* entry by entry, but by rows from 64 levels on */
    {"icc0", SPTRSV_ICC0, nullptr, {}, {}, nullptr},
    {"ilu0-entries", SPTRSV_ILU0, "entries", {}, {}, nullptr},
    {"icc0-entries", SPTRSV_ICC0, "entries", {}, {}, nullptr},
    {"ilu0-ata.ca", SPTRSV_ILU0, "ata", concurrency, {}, nullptr},
    {"ilu0-ata.la", SPTRSV_ILU0, "ata", locality, {}, nullptr},
    {"icc0-ata.la", SPTRSV_ICC0, "ata", locality, {}, nullptr},
    {"ilu2", SPTRSV_ILU0, nullptr, {}, {2, 0}, nullptr},
    {"ilu1-ata.la", SPTRSV_ILU0, "ata", locality, {1, 0}, nullptr},
    {"icc1", SPTRSV_ICC0, nullptr, {}, {1, 0}, nullptr},
    {"ilu0-sweep.strips", SPTRSV_ILU0, "sweep", {}, {}, "strips"},
    {"icc0-sweep.strips", SPTRSV_ICC0, "sweep", {}, {}, "strips"},
    {"ilu0-sweep.levelorder", SPTRSV_ILU0, "sweep", {}, {}, "levelorder"},
    {"ilu0-sweep.levelset", SPTRSV_ILU0, "sweep", {}, {}, "levelset"},
    {"ilu0-rows", SPTRSV_ILU0, "rows", {}, {}, nullptr},
    {"icc0-rows", SPTRSV_ICC0, "rows", {}, {}, nullptr},
    {"ilu2-rows", SPTRSV_ILU0, "rows", {}, {2, 0}, nullptr},
};

/* What becomes of a good matrix */
enum Spoiling {
  GOOD,
  NOT_READY, /* two entries are the NaN that stands for a value to come */
  ZERO,      /* every third diagonal entry; for half of these what is right of it and below, too, which an infinite pivot then meets */
  SMALL,     /* the same entries count as zero */
  NAN_INSIDE /* one diagonal entry is NaN, and the first is zero */
};

/* One factorization of a sequence; scale: of the entries beside the diagonal, and so of the gap to a dominant diagonal */
struct Step {
  Spoiling    spoiling;
  uint64_t    seed;
  double      scale;
  SptrsvShift shift;
};
const std::vector<Step> plain = {{GOOD, 71, 1, SPTRSV_SHIFT_NONE}, {GOOD, 99, 1, SPTRSV_SHIFT_NONE}, {NOT_READY, 71, 1, SPTRSV_SHIFT_NONE}};

/* Every shift, a smaller gap after a greater one, and a good matrix after bad ones */
std::vector<Step> pivots(Spoiling spoiling)
{
  return {{spoiling, 71, 3, SPTRSV_SHIFT_POSITIVE_DEFINITE},
          {spoiling, 99, 1, SPTRSV_SHIFT_POSITIVE_DEFINITE},
          {spoiling, 71, 1, SPTRSV_SHIFT_NONE},
          {spoiling, 99, 3, SPTRSV_SHIFT_NONZERO},
          {spoiling, 71, 1, SPTRSV_SHIFT_INBLOCKS},
          {GOOD, 99, 1, SPTRSV_SHIFT_NONE}};
}

SptrsvPivoting pivoting_of(const Step &step, SptrsvValueType type)
{
  return {step.shift, 0.25, part_type(type) == SPTRSV_DOUBLE ? 1e-7 : 1e-3, 0};
}

void spoil(ZooMatrix *A, const Step &step, double zero_pivot)
{
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      double &value = A->values[e];

      if (A->col_idx[e] != i) value *= step.spoiling == ZERO && std::min(i, A->col_idx[e]) % 6 == 0 ? 0 : step.scale;
      else if (step.spoiling == ZERO && i % 3 == 0) value = 0;
      else if (step.spoiling == SMALL && i % 3 == 0) value = zero_pivot / 2;
      else if (step.spoiling == NAN_INSIDE && (i == 0 || i == A->n / 2)) value = i ? NAN : 0;
    }
  }
}

/* What a factorization gives */
struct Outcome {
  SptrsvFactorResult result;
  std::string        values;
};

/* A factor, its inputs and first results */
class FactorCase : public Case {
public:
  FactorCase(int matrix, const Variant &variant, SptrsvValueType type, bool permuted, std::vector<Step> steps)
      : A(matrix), variant(variant), type(type), steps(std::move(steps)), d_values(this->steps.size())
  {
    if (!permuted) return;
    row_perm  = random_permutation(A.n, SEED);
    col_iperm = inverse_permutation(A.n, row_perm);
  }
  ~FactorCase() override
  {
    close();
    free(row_perm);
    free(col_iperm);
  }

  bool open() override
  {
    bool good = expect_success(create());

    for (size_t k = 0; good && k < steps.size(); k++) good = open_step(k);
    return good;
  }

protected:
  SptrsvStatus create()
  {
    const FactorWay    way    = {variant.name, variant.algorithm, variant.lower};
    const SptrsvStatus status = create_in(SPTRSV_DEVICE, &factor);

    return status ? status : factor_go(factor, &way, &variant.tasks, row_perm, type, &lower);
  }
  void close()
  {
    (void)sptrsvPlanDestroy(&lower);
    (void)sptrsvFactorDestroy(&factor);
  }

  /* The first result of this step? */
  std::string run_step(size_t k)
  {
    Outcome            now;
    const SptrsvStatus status = numeric(k, &now);

    if (status) return said(status);
    if (!same_result(now.result, first[k].result)) return "factorization " + std::to_string(k + 1) + " gives another result";
    return now.values == first[k].values ? "" : "factorization " + std::to_string(k + 1) + " gives other bits";
  }

  size_t step_count() const { return steps.size(); }

private:
  SptrsvStatus create_in(SptrsvLocation location, SptrsvFactor *made) const
  {
    const SptrsvCsr csr = zoo_csr(&A);

    return sptrsvFactorCreate(&csr, variant.kind, row_perm, col_iperm, &variant.fill, type, location, nullptr, made);
  }

  /* Every other step in the legacy stream, of all shifts and spoilings in turn */
  SptrsvStatus numeric(size_t k, Outcome *outcome)
  {
    const Stream         stream((k + (size_t)A.n + (part_type(type) == SPTRSV_DOUBLE)) % 2);
    const SptrsvPivoting pivoting = pivoting_of(steps[k], type);
    const SptrsvStatus   status   = sptrsvFactorNumericPlans(factor, d_values[k].p, &pivoting, 1, &lower, stream, &outcome->result);

    if (!status) outcome->values = device_bits(values_in(factor), bytes());
    return status;
  }

  static bool same_result(const SptrsvFactorResult &a, const SptrsvFactorResult &b)
  {
    return a.zero_pivot_row == b.zero_pivot_row && !memcmp(&a.zero_pivot, &b.zero_pivot, sizeof(double)) &&
           a.shift_amount == b.shift_amount && a.shifts == b.shifts;
  }

  const void *values_in(SptrsvFactor f) const
  {
    const void *values = nullptr;

    (void)sptrsvFactorGetValues(f, &values);
    return values;
  }
  size_t bytes() const
  {
    const int32_t *row_ptr, *col_idx;
    int64_t        rows, nnz = 0;

    (void)sptrsvFactorGetPattern(factor, &rows, &nnz, &row_ptr, &col_idx);
    return (size_t)nnz * value_size(type);
  }

  bool open_step(size_t k)
  {
    zoo_randomize(&A, steps[k].seed);
    spoil(&A, steps[k], pivoting_of(steps[k], type).zero_pivot);
    std::string values = values_of(A, type, false);

    if (steps[k].spoiling == NOT_READY) {
      put_sentinel(type, &values[0], std::min(1, A.nnz - 1));
      put_sentinel(type, &values[0], A.row_ptr[A.n / 2]);
    }
    first.emplace_back();
    d_values[k].create(values.size(), values.data());
    return expect_success(numeric(k, &first[k])) && judge_by_host(k, values) && judge_by_definition(k);
  }

  /* The host's factorization of the same values, by a new factor */
  bool judge_by_host(size_t k, const std::string &values)
  {
    const SptrsvPivoting pivoting = pivoting_of(steps[k], type);
    SptrsvFactor         host     = nullptr;
    Outcome              right;
    bool                 good = expect_success(create_in(SPTRSV_HOST, &host)) &&
                expect_success(sptrsvFactorNumeric(host, values.data(), &pivoting, nullptr, &right.result));

    if (good) {
      right.values.assign((const char *)values_in(host), bytes());
      good = judge_result(k, right.result) && judge_values(k, right);
    }
    (void)sptrsvFactorDestroy(&host);
    return good;
  }

  bool is_near(double a, double b, bool lax = false) const
  {
    if (!std::isfinite(a) || !std::isfinite(b)) return lax || (std::isnan(a) ? std::isnan(b) : a == b);
    return std::fabs(a - b) <= (part_type(type) == SPTRSV_DOUBLE ? 1e-9 : 1e-3) * std::max(1., std::max(std::fabs(a), std::fabs(b)));
  }

  /* Of complex values both parts; what is infinite or NaN is so in any part */
  bool is_near_at(const std::string &a, const std::string &b, int64_t e, bool lax) const
  {
    const auto part = [&](const std::string &v, int k) { return value_at(part_type(type), v.data(), 2 * e + k); };

    if (!is_complex(type)) return is_near(value_at(type, a.data(), e), value_at(type, b.data(), e), lax);
    if (!std::isfinite(value_at(type, a.data(), e))) return lax || !std::isfinite(value_at(type, b.data(), e));
    return is_near(part(a, 0), part(b, 0), lax) && is_near(part(a, 1), part(b, 1), lax);
  }

  /* A pass with a shift may name any of the rows with small pivots; behind one, ICC has others than on the host, with its one triangle */
  bool judge_result(size_t k, const SptrsvFactorResult &right)
  {
    const SptrsvFactorResult &r      = first[k].result;
    const bool                same   = r.zero_pivot_row == right.zero_pivot_row && is_near(r.zero_pivot, right.zero_pivot);
    const bool                may    = steps[k].shift != SPTRSV_SHIFT_NONE || variant.kind == SPTRSV_ICC0;
    const bool                failed = may && r.zero_pivot_row >= 0 && right.zero_pivot_row >= 0;

    return expect(r.shifts == right.shifts && is_near(r.shift_amount, right.shift_amount), "step %zu: %d shifts up to %g, not %d up to %g",
                  k + 1, r.shifts, r.shift_amount, right.shifts, right.shift_amount) &&
           expect(same || failed, "step %zu: zero pivot %g in row %lld, not %g in row %lld", k + 1, r.zero_pivot,
                  (long long)r.zero_pivot_row, right.zero_pivot, (long long)right.zero_pivot_row);
  }

  /* The host's last pass ends at a small pivot if there are shifts to try.  With fill, rounding errors behind a small pivot grow until no
     digit is left, and until one side has an infinity where the other has a number; with ICC(0) at once. */
  bool judge_values(size_t k, const Outcome &right)
  {
    const bool failed = right.result.zero_pivot_row >= 0, lax = failed && variant.kind == SPTRSV_ICC0;
    int        wrong  = 0;

    if (failed && (variant.fill.levels || steps[k].shift != SPTRSV_SHIFT_NONE)) return true;
    for (size_t e = 0; e < bytes() / value_size(type); e++) wrong += !is_near_at(first[k].values, right.values, (int64_t)e, lax);
    return expect(!wrong, "step %zu: %d values differ from the host's", k + 1, wrong);
  }

  /* L U is the matrix, where no pivot was zero or shifted alone; of complex values kernels/complex_factor says so */
  bool judge_by_definition(size_t k)
  {
    const Step &step = steps[k];
    Target      target;

    if (is_complex(type) || step.spoiling == NOT_READY || step.spoiling == NAN_INSIDE || step.shift == SPTRSV_SHIFT_INBLOCKS) return true;
    if (first[k].result.zero_pivot_row >= 0) return true;
    target_create(&A, variant.kind, row_perm, col_iperm, type, &target);
    target_fill(&target, &variant.fill);
    factor_judge(factor, &target, type, SPTRSV_DEVICE, first[k].result.shift_amount);
    target_destroy(&target);
    return true;
  }

  Matrix               A;
  Variant              variant;
  SptrsvValueType      type;
  std::vector<Step>    steps;
  int32_t             *row_perm = nullptr, *col_iperm = nullptr;
  SptrsvPlan           lower  = nullptr;
  SptrsvFactor         factor = nullptr;
  std::vector<Vector>  d_values;
  std::vector<Outcome> first;
};

/* One factor, all steps in their order */
class Factorization : public FactorCase {
public:
  using FactorCase::FactorCase;

  std::string run() override
  {
    std::string wrong;

    for (size_t k = 0; wrong.empty() && k < step_count(); k++) wrong = run_step(k);
    return wrong;
  }
};

/* The first step with a factor made anew in each run */
class FactorSetUp : public FactorCase {
public:
  using FactorCase::FactorCase;

  bool open() override
  {
    const bool good = FactorCase::open();

    close();
    return good;
  }
  std::string run() override
  {
    const SptrsvStatus status = create();
    const std::string  wrong  = status ? said(status) : run_step(0);
    close();
    return wrong;
  }
};

/* Fill makes a full matrix of 140 rows of the two arms, which takes as long as all other cases of a variant together */
bool has_fill(const std::string &matrix)
{
  return matrix != "two-arms";
}

/* Matrices on which pivots are spoiled: many zeros beside each other, and two kinds of chains */
bool has_pivots(const std::string &matrix)
{
  return matrix == "diagonal" || matrix == "grid2d" || matrix == "random";
}

/* Whether the matrix that is factored is for the algorithm */
bool suits(const Matrix &A, const Variant &variant, bool permuted)
{
  int32_t *row_perm  = permuted ? random_permutation(A.n, SEED) : nullptr;
  int32_t *col_iperm = permuted ? inverse_permutation(A.n, row_perm) : nullptr;
  Target   target;

  target_create(&A, variant.kind, row_perm, col_iperm, SPTRSV_DOUBLE, &target);
  target_fill(&target, &variant.fill);
  const bool is = target_suits(&target, variant.algorithm);
  target_destroy(&target);
  free(row_perm);
  free(col_iperm);
  return is;
}

bool takes(const Variant &v, SptrsvValueType type)
{
  const SptrsvAlgorithm *const a = sptrsvFactorAlgorithmFind(v.algorithm), *const lower = sptrsvAlgorithmFind(v.lower, SPTRSV_DEVICE);

  return (!a || a->values >> type & 1) && (!lower || lower->values >> type & 1);
}

} // namespace

static void add_variant(int k, const Variant &v, SptrsvValueType type, bool permuted, bool set_up, bool spoiled, const AddCase &add)
{
  static const struct {
    const char *name;
    Spoiling    spoiling;
  } spoilings[]          = {{".zero", ZERO}, {".small", SMALL}, {".nan", NAN_INSIDE}};
  const std::string rest = std::string(type_name(type)) + (permuted ? "/permuted/" : "/natural/");

  add(v.name, rest, [=] { return new Factorization(k, v, type, permuted, plain); });
  if (set_up) add(std::string(v.name) + ".set-up", rest, [=] { return new FactorSetUp(k, v, type, permuted, plain); });
  for (const auto &s : spoilings) {
    /* behind spoiled pivots ICC(k) has other zero pivots, and other NaN, than on the host, which computes one triangle only */
    if (!spoiled || (v.kind == SPTRSV_ICC0 && v.fill.levels)) continue;
    add(std::string(v.name) + s.name, rest, [=] { return new Factorization(k, v, type, permuted, pivots(s.spoiling)); });
  }
}

void add_factorizations(int k, const AddCase &add)
{
  const Matrix A(k);
  int          number = 0;

  for (const Variant &v : variants) { /* types and permutations take turns, as in the sweeps */
    const bool permuted = (k / 4 + number) % 2, wide = (k + number) % 2;
    if ((v.fill.levels && !has_fill(A.name)) || !suits(A, v, permuted)) continue;
    if (!is_named(v.algorithm, "rows") && k >= matrix_count()) continue;
    for (const SptrsvValueType type : {wide ? SPTRSV_DOUBLE : SPTRSV_FLOAT, wide ? SPTRSV_COMPLEX_DOUBLE : SPTRSV_COMPLEX_FLOAT})
      if (takes(v, type)) add_variant(k, v, type, permuted, (k + number) % 4 == 0, has_pivots(A.name), add);
    number++;
  }
}

} // namespace simt
