/* Blocks of a factor on the GPU: found by their definition, and solves by blocks against substitution with the point factor's values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "block_check.h"
#include "pivot_case.h"

enum { MIXED = 0 };
static const SptrsvPivoting no_shift = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};

/* ----------------------------------------------------------- matrices ---------------------------------------------------------- */

static const BlockKind kinds[] = {{"blocks of 1", 1, 0, WHOLE},            {"blocks of 2", 2, 0, WHOLE},
                                  {"blocks of 3", 3, 3, WHOLE},            {"blocks of 4", 4, 0, WHOLE},
                                  {"blocks of 5", 5, 5, WHOLE},            {"blocks of 6", 6, 0, WHOLE},
                                  {"blocks of 7", 7, 100, WHOLE},          {"blocks of 8", 8, 8, WHOLE},
                                  {"blocks of 6, halved", 6, 3, WHOLE},    {"mixed blocks", MIXED, 0, WHOLE},
                                  {"mixed blocks, cut", MIXED, 3, WHOLE},  {"mixed blocks, partial", MIXED, 0, PARTIAL},
                                  {"blocks of 4, partial", 4, 4, PARTIAL}, {"one block", 4, 0, COUPLED},
                                  {"one block, cut", 4, 5, COUPLED},       {"a row below blocks of 7", 7, 0, BELOW}};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* ------------------------------------------------------------ solves ----------------------------------------------------------- */

/* x becomes T^-1 x or T^-T x, T = L or U of the point factor */
static void substitute(const Factored *f, SptrsvTriangle triangle, SptrsvOperation op, double *x)
{
  const bool lower = triangle == SPTRSV_LOWER, transposed = op == SPTRSV_TRANSPOSE;

  for (int k = 0; k < f->n; k++) {
    const int i       = lower != transposed ? k : f->n - 1 - k;
    double    inverse = 1;

    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      const int j = f->col_idx[e];

      if (j == i && !lower) inverse = value_at(f->type, f->values, e);
      if (!transposed && j != i && (j < i) == lower) x[i] -= value_at(f->type, f->values, e) * x[j];
    }
    x[i] *= inverse;
    for (int e = f->row_ptr[i]; transposed && e < f->row_ptr[i + 1]; e++) {
      const int j = f->col_idx[e];

      if (j != i && (j < i) == lower) x[j] -= value_at(f->type, f->values, e) * x[i];
    }
  }
}

typedef struct {
  SptrsvFactor factor;
  SptrsvPlan   plan[2][2]; /* of a triangle and an operation */
  void        *b, *w, *x;  /* on the GPU */
} Solver;

/* The solve with one triangle */
static void solve_half(Solver *s, SptrsvTriangle triangle, SptrsvOperation op)
{
  const SptrsvBlockPart part = triangle == SPTRSV_LOWER ? SPTRSV_BLOCKS_L : SPTRSV_BLOCKS_U;

  if ((triangle == SPTRSV_LOWER) == (op == SPTRSV_NON_TRANSPOSE)) {
    expect_success(sptrsvSolve(s->plan[triangle][op], s->b, s->w, NULL));
    expect_success(sptrsvFactorSolveBlocks(s->factor, part, op, s->w, s->x, NULL));
  } else {
    expect_success(sptrsvFactorSolveBlocks(s->factor, part, op, s->b, s->w, NULL));
    expect_success(sptrsvSolve(s->plan[triangle][op], s->w, s->x, NULL));
  }
}

/* The solve with both, the product in place */
static void solve_whole(Solver *s, SptrsvOperation op)
{
  const SptrsvTriangle first = op == SPTRSV_NON_TRANSPOSE ? SPTRSV_LOWER : SPTRSV_UPPER;

  expect_success(sptrsvSolve(s->plan[first][op], s->b, s->w, NULL));
  expect_success(sptrsvFactorSolveBlocks(s->factor, SPTRSV_BLOCKS_LU, op, s->w, s->w, NULL));
  expect_success(sptrsvSolveNext(s->plan[1 - first][op], s->w, s->x, NULL));
}

static void judge_solution(const Factored *f, const void *x, const double *right, const char *what)
{
  const size_t size = value_size(f->type);
  void        *host = place_new(SPTRSV_HOST, (size_t)f->n * size, NULL);
  double       off = 0, most = 0;

  place_get(SPTRSV_DEVICE, host, x, (size_t)f->n * size);
  for (int i = 0; i < f->n; i++) {
    off  = fmax(off, fabs(value_at(f->type, host, i) - right[i]));
    most = fmax(most, fabs(right[i]));
    expect(isfinite(value_at(f->type, host, i)), "%s: row %d is no number", what, i);
  }
  expect(off <= 100 * value_types[f->type].epsilon * most, "%s: off by %g of %g", what, off, most);
  free(host);
}

static void test_solves(Solver *s, const Factored *f)
{
  static const char *const names[] = {"L", "L^T", "U", "U^T"};
  double                  *right   = place_new(SPTRSV_HOST, (size_t)f->n * sizeof(*right), NULL);
  void                    *host    = place_new(SPTRSV_HOST, (size_t)f->n * value_size(f->type), NULL);

  for (int k = 0; k < 6; k++) { /* the halves, then the whole ones */
    const SptrsvTriangle  triangle = k & 2 ? SPTRSV_UPPER : SPTRSV_LOWER;
    const SptrsvOperation op       = k & 1 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
    uint64_t              seed     = 5 + (uint64_t)k;

    for (int i = 0; i < f->n; i++) set_value(f->type, host, i, random_unit(&seed) - 0.3);
    for (int i = 0; i < f->n; i++) right[i] = value_at(f->type, host, i);
    place_put(SPTRSV_DEVICE, s->b, host, (size_t)f->n * value_size(f->type));
    if (k < 4) {
      solve_half(s, triangle, op);
      substitute(f, triangle, op, right);
    } else {
      solve_whole(s, op);
      substitute(f, op == SPTRSV_TRANSPOSE ? SPTRSV_UPPER : SPTRSV_LOWER, op, right);
      substitute(f, op == SPTRSV_TRANSPOSE ? SPTRSV_LOWER : SPTRSV_UPPER, op, right);
    }
    judge_solution(f, s->x, right, k < 4 ? names[k] : k & 1 ? "the transposed apply" : "the apply");
  }
  free(right);
  free(host);
}

static bool goes_by_rows_of_blocks(SptrsvFactor factor)
{
  const SptrsvAlgorithm *method = NULL;

  expect_success(sptrsvFactorGetAlgorithm(factor, &method));
  return method && !strcmp(method->name, "blockrows");
}

/* By rows of blocks each entry is computed as by rows, which take those of up to 128 entries, but for NaN that comes of infinite pivots,
   which can hide further zero pivots.  zero: the last row with one, or -1 */
static void judge_factor(const Factored *f, const ZooMatrix *A, SptrsvFactorKind kind, int64_t levels, const void *a, int64_t zero)
{
  const SptrsvCsr    csr    = zoo_csr(A);
  const SptrsvFill   fill   = {levels, 0};
  const SptrsvTuning tuning = {.factor.algorithm = "rows"};
  const size_t       bytes  = (size_t)f->nnz * value_size(f->type);
  SptrsvFactorResult result = {.zero_pivot_row = -2};
  SptrsvFactor       factor = NULL;
  SptrsvStatus       status;
  const void        *values;
  void              *host = place_new(SPTRSV_HOST, bytes, NULL);

  expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, &fill, f->type, SPTRSV_DEVICE, NULL, &factor));
  expect_success(sptrsvFactorTune(factor, &tuning));
  status = sptrsvFactorNumeric(factor, a, &no_shift, NULL, &result);
  if (status != SPTRSV_NOT_SUPPORTED && expect_success(status) && expect_success(sptrsvFactorGetValues(factor, &values))) {
    const size_t size = value_size(f->type);
    bool         same = true;

    place_get(SPTRSV_DEVICE, host, values, bytes);
    for (int64_t e = 0; e < f->nnz; e++) {
      same = same && (isnan(value_at(f->type, host, e)) || !memcmp((char *)host + e * size, (char *)f->values + e * size, size));
    }
    expect(same, "the factor differs from that by rows");
    expect(result.zero_pivot_row <= zero, "the last zero pivot: row %lld, not %lld", (long long)zero, (long long)result.zero_pivot_row);
  }
  expect_success(sptrsvFactorDestroy(&factor));
  free(host);
}

/* A factorization of A, and the plans' values; spoiled: with zero pivots */
static void give_values(Solver *s, Factored *f, const ZooMatrix *A, SptrsvFactorKind kind, int64_t levels, bool spoiled)
{
  void              *a      = zoo_values(A, f->type, false, SPTRSV_DEVICE);
  const void        *values = NULL;
  SptrsvFactorResult result = {.zero_pivot_row = -2};

  expect_success(sptrsvFactorNumericPlans(s->factor, a, &no_shift, 4, s->plan[0], NULL, &result));
  expect(spoiled || result.zero_pivot_row == -1, "row %lld has a zero pivot", (long long)result.zero_pivot_row);
  expect_success(sptrsvFactorGetValues(s->factor, &values));
  place_get(SPTRSV_DEVICE, f->values, values, (size_t)f->nnz * value_size(f->type));
  if (goes_by_rows_of_blocks(s->factor)) judge_factor(f, A, kind, levels, a, result.zero_pivot_row);
  place_free(SPTRSV_DEVICE, a);
}

static bool create_plans(Solver *s, SptrsvAnalysis form, const char *algorithm, SptrsvValueType type)
{
  const int lanes[4] = {0, 1, 4, sptrsvWarpSize()};
  bool      made     = true;

  for (int k = 0; made && k < 4; k++) {
    const SptrsvPlanOptions o = {.algorithm = algorithm,
                                 .location  = SPTRSV_DEVICE,
                                 .triangle  = k & 2 ? SPTRSV_UPPER : SPTRSV_LOWER,
                                 .op        = k & 1 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE,
                                 .diagonal  = SPTRSV_DIAG_UNIT,
                                 .type      = type,
                                 .tuning    = {.strips.rows = 16, .levelorder.lanes = lanes[k]}};

    made = expect_success(sptrsvPlanCreate(form, &o, &s->plan[k / 2][k % 2]));
  }
  return made;
}

/* Zeros in every third column: its diagonal, and its entries in odd rows.  The first pivot is zero, then. */
static void spoil(ZooMatrix *A)
{
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      if (A->col_idx[e] % 3 == 0 && (A->col_idx[e] == i || i % 2)) A->values[e] = 0;
    }
  }
}

/* Judges the first sweep, whether blockorder takes the blocks, and auto tries it: others may take that choice without trials */
static void judge_plan(SptrsvPlan plan, const char *algorithm, int rows)
{
  char text[1024], blocks[32];

  (void)snprintf(blocks, sizeof(blocks), "blocks of %d rows", rows);
  expect_success(sptrsvPlanDescribe(plan, text, sizeof(text)));
  if (!strcmp(algorithm, "blockorder")) expect(strstr(text, blocks) != NULL, "%s, not %s", text, blocks);
  if (!strcmp(algorithm, "auto")) expect((strstr(text, "blockorder") != NULL) == (rows > 1), "%s", text);
}

/* Factors by rows of blocks where these are dense and of equal size, and else by what auto takes */
static void choose_method(const Solver *s, const Factored *f, const char *algorithm)
{
  static const SptrsvTuning blockrows = {.factor.algorithm = "blockrows"}, automatic = {.factor.algorithm = NULL};
  bool                      equal = !f->n || f->rows[0] > 1; /* no rows suit any method */

  for (int i = 0; i < f->n; i++) equal = equal && f->rows[i] == f->rows[0];
  for (int i = 0; equal && i < f->n; i += f->rows[0]) {
    for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
      const int first = f->first[f->col_idx[e]];

      equal = equal && has_entry(f, i, first) && has_entry(f, i, first + f->rows[0] - 1);
    }
  }
  judge_plan(s->plan[SPTRSV_LOWER][SPTRSV_NON_TRANSPOSE], algorithm, equal && f->n ? f->rows[0] : 1);
  expect_success(sptrsvFactorTune(s->factor, &blockrows));
  expect_status(sptrsvFactorSetSweep(s->factor, s->plan[SPTRSV_LOWER][SPTRSV_NON_TRANSPOSE]), equal ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED,
                "rows of blocks");
  if (equal) return;
  expect_success(sptrsvFactorTune(s->factor, &automatic));
  expect_success(sptrsvFactorSetSweep(s->factor, s->plan[SPTRSV_LOWER][SPTRSV_NON_TRANSPOSE]));
}

static void test_plans(Solver *s, Factored *f, const ZooMatrix *A, SptrsvFactorKind kind, int64_t levels, const char *algorithm)
{
  const size_t   bytes = (size_t)f->n * value_size(f->type);
  SptrsvAnalysis form  = NULL;
  ZooMatrix      other = *A;

  s->b = place_new(SPTRSV_DEVICE, bytes, NULL);
  s->w = place_new(SPTRSV_DEVICE, bytes, NULL);
  s->x = place_new(SPTRSV_DEVICE, bytes, NULL);
  if (expect_success(sptrsvFactorGetBlockAnalysis(s->factor, &form)) && create_plans(s, form, algorithm, f->type)) {
    judge_form(f, form, SPTRSV_LOWER);
    judge_form(f, form, SPTRSV_UPPER);
    choose_method(s, f, algorithm);
    give_values(s, f, A, kind, levels, false);
    test_solves(s, f);
    other.values = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), NULL);
    zoo_randomize(&other, 99);
    give_values(s, f, &other, kind, levels, false);
    test_solves(s, f);
    spoil(&other);
    give_values(s, f, &other, kind, levels, true);
    free(other.values);
  }
  for (int k = 0; k < 4; k++) expect_success(sptrsvPlanDestroy(&s->plan[k / 2][k % 2]));
  place_free(SPTRSV_DEVICE, s->b);
  place_free(SPTRSV_DEVICE, s->w);
  place_free(SPTRSV_DEVICE, s->x);
}

static void test_case(const ZooMatrix *A, int size, SptrsvFactorKind kind, int64_t levels, SptrsvValueType type, const char *algorithm)
{
  const SptrsvCsr  csr   = zoo_csr(A);
  const SptrsvFill fill  = {levels, 0};
  Solver           s     = {.factor = NULL};
  Factored         f     = {.type = type};
  SptrsvBlocks     found = {-1, -1, -1, -1};
  int64_t          n, nnz;

  case_begin("%s(%d) of %s, cut at %d, %s, %s", kind == SPTRSV_ICC0 ? "ICC" : "ILU", (int)levels, A->name, size, value_types[type].name,
             algorithm);
  if (expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, &fill, type, SPTRSV_DEVICE, NULL, &s.factor)) &&
      expect_success(sptrsvFactorFindBlocks(s.factor, size, &found)) &&
      expect_success(sptrsvFactorGetPattern(s.factor, &n, &nnz, &f.row_ptr, &f.col_idx))) {
    f.n      = (int)n;
    f.nnz    = (int)nnz;
    f.values = place_new(SPTRSV_HOST, (size_t)nnz * value_size(type), NULL);
    f.first  = place_new(SPTRSV_HOST, (size_t)n * sizeof(int), NULL);
    f.rows   = place_new(SPTRSV_HOST, (size_t)n * sizeof(int), NULL);
    find_blocks(&f, size);
    judge_blocks(&f, &found);
    test_plans(&s, &f, A, kind, levels, algorithm);
    free(f.values);
    free(f.first);
    free(f.rows);
  }
  expect_success(sptrsvFactorDestroy(&s.factor));
  case_end();
}

static void test_kinds(void)
{
  static const char *const algorithms[] = {"blockorder", "levelorder", "strips", "levelset"};

  for (int k = 0; k < KINDS; k++) {
    ZooMatrix A;

    create_block_matrix(&kinds[k], &A);
    for (int variant = 0; variant < 4; variant++) {
      const SptrsvFactorKind kind = variant & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0;

      test_case(&A, kinds[k].size, kind, variant == 2, (k + variant) % 3 ? SPTRSV_DOUBLE : SPTRSV_FLOAT, algorithms[(k + variant) % 4]);
    }
    zoo_destroy(&A);
  }
}

/* Matrices of other shapes, and every algorithm: it has to do without diagonal entries */
static void test_others(void)
{
  const SptrsvAlgorithm *algorithm;
  ZooMatrix              A;

  for (int k = 0; k < zoo_count(); k++) {
    zoo_create(k, true, &A);
    if (A.diagonal && A.n < 100) test_case(&A, 0, k & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0, 0, SPTRSV_DOUBLE, "levelorder");
    zoo_destroy(&A);
  }
  create_block_matrix(&kinds[KINDS - 5], &A);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE) test_case(&A, 0, SPTRSV_ILU0, 0, SPTRSV_DOUBLE, algorithm->name);
  }
  test_case(&A, 0, SPTRSV_ILU0, 0, SPTRSV_DOUBLE, "auto");
  zoo_destroy(&A);
  create_block_matrix(&kinds[3], &A);
  test_case(&A, 0, SPTRSV_ILU0, 0, SPTRSV_DOUBLE, "auto");
  zoo_destroy(&A);
}

/* The values of an ILU(0), on the host; made on the GPU by blocks of 2 */
static double *factor_arrow(const SptrsvCsr *csr, const double *values, SptrsvLocation location)
{
  const SptrsvTuning tuning = {.factor.algorithm = "blockrows"};
  void *const        a      = place_new(location, (size_t)csr->nnz * sizeof(double), values);
  double            *found;
  SptrsvFactor       factor = NULL;
  SptrsvAnalysis     form   = NULL;
  SptrsvBlocks       blocks;
  SptrsvFactorResult result;
  int64_t            nnz;

  expect_success(sptrsvFactorCreate(csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor));
  if (location == SPTRSV_DEVICE) {
    expect_success(sptrsvFactorFindBlocks(factor, 2, &blocks));
    expect_success(sptrsvFactorGetBlockAnalysis(factor, &form));
    expect_success(sptrsvFactorTune(factor, &tuning));
  }
  expect_success(sptrsvFactorNumeric(factor, a, &no_shift, NULL, &result));
  found = copy_factor(factor, SPTRSV_DOUBLE, location, &nnz);
  expect_success(sptrsvFactorDestroy(&factor));
  place_free(location, a);
  return found;
}

/* A row of more blocks than a warp has lanes: the last one of an arrow */
static void test_arrow(void)
{
  enum { BLOCKS = 70, ROWS = 2 * BLOCKS };
  static int32_t row_ptr[ROWS + 1], col_idx[ROWS * ROWS];
  static double  values[ROWS * ROWS];
  double        *found[2], off = 0;
  int            nnz = 0;

  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < ROWS; j++) {
      if (i / 2 != j / 2 && i / 2 != BLOCKS - 1 && j / 2 != BLOCKS - 1) continue;
      values[nnz]    = i == j ? 10 + i % 3 : 0.01 * (1 + (7 * i + 3 * j) % 11);
      col_idx[nnz++] = j;
    }
    row_ptr[i + 1] = nnz;
  }
  const SptrsvCsr csr = {ROWS, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
  case_begin("an arrow of %d blocks", BLOCKS);
  for (int k = 0; k < 2; k++) found[k] = factor_arrow(&csr, values, k ? SPTRSV_DEVICE : SPTRSV_HOST);
  for (int e = 0; e < nnz; e++) off = fmax(off, fabs(found[0][e] - found[1][e]));
  expect(off < 1e-12, "the factor is off by %g", off);
  for (int k = 0; k < 2; k++) place_free(SPTRSV_HOST, found[k]);
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("blocks", argc, argv);
  if (sptrsvDeviceCount()) {
    test_kinds();
    test_others();
    test_arrow();
  } else case_skip("blocks on the GPU: there is no GPU");
  return test_end();
}
