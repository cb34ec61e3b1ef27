/*
   block_factor.c - ILU(k) and ICC(k) of matrices of blocks, stored as such or entry by entry: L D U equals the matrix on the pattern of its
   blocks, with fill by levels; solves, halves and transposed ones, with permutations, are judged by their products with L D U.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "block_matrix.h"
#include "factor_check.h"

static double dense[3][SIZE][SIZE], product[SIZE][SIZE]; /* L, D, U */

/* --------------------------------------------------- the factor, as dense matrices -------------------------------------------------- */

/* Block m of block row i in the form, which has `blocks` there and `before` above: block by block on the host, row by row on the device */
static void put_block(Blocks *a, int i, int j, const void *values, int before, int m, int blocks)
{
  const int rows = a->rows;

  for (int c = 0; c < rows; c++) {
    for (int r = 0; r < rows; r++) {
      const int at = a->location == SPTRSV_HOST ? m * rows * rows + c * rows + r : (r * blocks + m) * rows + c;

      dense[j < i ? 0 : 2][i * rows + r][j * rows + c] = value_at(a->type, values, (int64_t)before * rows * rows + at);
    }
  }
}

/* D from its inverse, by Gauss-Jordan elimination with all pivots of a column */
static void invert(int n, double (*a)[SIZE], double (*inverse)[SIZE])
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) inverse[i][j] = i == j;
  }
  for (int k = 0; k < n; k++) {
    int p = k;

    for (int i = k + 1; i < n; i++) p = fabs(a[i][k]) > fabs(a[p][k]) ? i : p;
    for (int j = 0; j < n; j++) {
      const double x = a[k][j], y = inverse[k][j];

      a[k][j]       = a[p][j];
      a[p][j]       = x;
      inverse[k][j] = inverse[p][j];
      inverse[p][j] = y;
    }
    for (int i = 0; i < n; i++) {
      const double multiple = i == k ? 1 - 1 / a[k][k] : a[i][k] / a[k][k];

      for (int j = 0; j < n; j++) {
        const double x = a[k][j], y = inverse[k][j];

        a[i][j] -= multiple * x;
        inverse[i][j] -= multiple * y;
      }
    }
  }
}

static void multiply(int n, double (*a)[SIZE], double (*b)[SIZE], double (*c)[SIZE])
{
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      c[i][j] = 0;
      for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];
    }
  }
}

/* L, D, U and their product, of the factor's values and its products with unit vectors */
static void read_factor(Blocks *m, SptrsvFactor factor, const Target *target)
{
  static double inverse[SIZE][SIZE], half[SIZE][SIZE];
  const int     n = N * m->rows, size = m->rows * m->rows;
  const size_t  bytes  = (size_t)((target->row_ptr[N] - N) * size) * value_size(m->type);
  const void   *values = NULL;
  void         *form   = place_new(SPTRSV_HOST, bytes, NULL);
  void         *unit   = place_new(SPTRSV_HOST, (size_t)n * value_size(m->type), NULL),
       *placed         = place_new(m->location, (size_t)n * value_size(m->type), NULL);

  memset(dense, 0, sizeof(dense));
  expect_success(sptrsvFactorGetBlockValues(factor, NULL, &values));
  place_get(m->location, form, values, bytes);
  for (int i = 0; i < N; i++) {
    for (int e = target->row_ptr[i], b = 0; e < target->row_ptr[i + 1]; e++) {
      const int j = target->col_idx[e];

      if (j != i) put_block(m, i, j, form, target->row_ptr[i] - i, b++, target->row_ptr[i + 1] - target->row_ptr[i] - 1);
    }
  }
  memset(inverse, 0, sizeof(inverse));
  for (int c = 0; c < m->rows; c++) {
    for (int i = 0; i < n; i++) set_value(m->type, unit, i, i % m->rows == c);
    place_put(m->location, placed, unit, (size_t)n * value_size(m->type));
    expect_success(sptrsvFactorSolveBlocks(factor, SPTRSV_BLOCKS_LU, SPTRSV_NON_TRANSPOSE, placed, placed, NULL));
    place_get(m->location, unit, placed, (size_t)n * value_size(m->type));
    for (int i = 0; i < n; i++) inverse[i][i / m->rows * m->rows + c] = value_at(m->type, unit, i);
  }
  free(form);
  free(unit);
  place_free(m->location, placed);
  invert(n, inverse, dense[1]);
  for (int i = 0; i < n; i++) dense[0][i][i] = dense[2][i][i] = 1;
  multiply(n, dense[0], dense[1], half);
  multiply(n, half, dense[2], product);
}

/* The product is the matrix on the factor's pattern; of ICC the upper triangle is judged, and L is the transpose of U */
static void judge_product(const Blocks *m, const Target *target, SptrsvFactorKind kind)
{
  const double tolerance = 1000 * value_types[m->type].epsilon;

  for (int i = 0; i < N; i++) {
    for (int e = target->row_ptr[i]; e < target->row_ptr[i + 1]; e++) {
      const int     j = target->col_idx[e], b = (int)target->values[e] - 1; /* -1: fill */
      const double *v = m->values + (ptrdiff_t)(b < 0 ? 0 : b) * m->rows * m->rows;

      for (int k = 0; k < m->rows * m->rows; k++) {
        const int    r = i * m->rows + k % m->rows, c = j * m->rows + k / m->rows;
        const double right = b < 0 ? 0 : v[k];

        if (kind == SPTRSV_ILU0 || j >= i)
          expect(fabs(product[r][c] - right) < tolerance, "(%d,%d) is %g, not %g", r, c, product[r][c], right);
        if (kind == SPTRSV_ICC0 && j > i)
          expect(fabs(dense[0][c][r] - dense[2][r][c]) <= (m->location == SPTRSV_HOST ? 0 : tolerance), "L(%d,%d) is not U(%d,%d)", c, r, r,
                 c);
      }
    }
  }
}

/* ---------------------------------------------------------------- solves -------------------------------------------------------------- */

/* x = M b or M^T b */
static void apply(int n, double (*a)[SIZE], bool transposed, const double *b, double *x)
{
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    for (int j = 0; j < n; j++) x[i] += (transposed ? a[j][i] : a[i][j]) * b[j];
  }
}

/* A solve with both sweeps, whose vectors are permuted on the way in and out, in the steps that PETSc's layer makes: the whole, or the two
   halves one after the other */
static void solve(SptrsvFactor factor, SptrsvPlan *plan, SptrsvOperation op, bool halves, const void *b, void *w, void *x)
{
  const SptrsvBlockPart parts[] = {SPTRSV_BLOCKS_L, SPTRSV_BLOCKS_U};
  const int             first   = op == SPTRSV_TRANSPOSE;

  expect_success(sptrsvSolve(plan[0], b, w, NULL));
  if (halves) {
    expect_success(sptrsvFactorSolveBlocks(factor, parts[first], op, w, w, NULL));
    expect_success(sptrsvFactorSolveBlocks(factor, parts[1 - first], op, w, w, NULL));
  } else expect_success(sptrsvFactorSolveBlocks(factor, SPTRSV_BLOCKS_LU, op, w, w, NULL));
  expect_success(sptrsvSolveNext(plan[1], w, x, NULL));
}

static void judge_solve(Blocks *m, SptrsvFactor factor, SptrsvPlan *plan, SptrsvOperation op, bool halves, const int32_t *in,
                        const int32_t *out)
{
  const int    n     = N * m->rows;
  const size_t bytes = (size_t)n * value_size(m->type);
  void        *b = place_new(SPTRSV_HOST, bytes, NULL), *x = place_new(SPTRSV_HOST, bytes, NULL);
  double       solution[SIZE], back[SIZE];

  for (int i = 0; i < n; i++) set_value(m->type, b, i, 1 + i % 5);
  void *const d_b = place_new(m->location, bytes, b), *const w = place_new(m->location, bytes, NULL),
              *const d_x = place_new(m->location, bytes, NULL);
  solve(factor, plan, op, halves, d_b, w, d_x);
  place_get(m->location, x, d_x, bytes);
  for (int i = 0; i < n; i++) solution[i] = value_at(m->type, x, out ? out[i] : i);
  apply(n, product, op == SPTRSV_TRANSPOSE, solution, back);
  for (int i = 0; i < n; i++) {
    const double right = value_at(m->type, b, in ? in[i] : i);

    expect(fabs(back[i] - right) < 1e4 * value_types[m->type].epsilon, "%s%s: row %d comes back as %g, not %g",
           op == SPTRSV_TRANSPOSE ? "transposed" : "solve", halves ? ", by halves" : "", i, back[i], right);
  }
  free(b);
  free(x);
  place_free(m->location, d_b);
  place_free(m->location, d_x);
  place_free(m->location, w);
}

/* Two sweeps and their product, plain or transposed; threads: 1 stores an ICC factor once */
static void test_solves(Blocks *m, SptrsvFactor factor, const char *algorithm, int threads, SptrsvOperation op, bool halves,
                        const int32_t *row, const int32_t *col)
{
  const bool     transposed = op == SPTRSV_TRANSPOSE;
  SptrsvAnalysis analysis   = NULL;
  SptrsvPlan     plan[2]    = {NULL, NULL};
  const void    *values     = NULL;

  expect_success(sptrsvFactorGetBlockAnalysis(factor, &analysis));
  expect_success(sptrsvFactorGetBlockValues(factor, NULL, &values));
  for (int k = 0; k < 2; k++) {
    const SptrsvPlanOptions o = {.algorithm = algorithm,
                                 .location  = m->location,
                                 .triangle  = (k == 0) != transposed ? SPTRSV_LOWER : SPTRSV_UPPER,
                                 .op        = op,
                                 .diagonal  = SPTRSV_DIAG_UNIT,
                                 .type      = m->type,
                                 .in_perm   = k            ? NULL
                                              : transposed ? col
                                                           : row,
                                 .out_perm  = k ? (transposed ? row : col) : NULL,
                                 .tuning    = {.host = {.threads         = threads,
                                                        .window          = threads == 1 ? 0 : 4,
                                                        .threads_entries = 1,
                                                        .storage         = threads == 1 ? SPTRSV_STORED_ONCE : SPTRSV_STORED_MEASURED}}};

    if (expect_success(sptrsvPlanCreate(analysis, &o, &plan[k]))) expect_success(sptrsvPlanUpdate(plan[k], values, NULL));
  }
  for (int again = 0; again < 2 && plan[0] && plan[1]; again++) /* the first solve packs the values */
    judge_solve(m, factor, plan, op, halves, transposed ? col : row, transposed ? row : col);
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanDestroy(&plan[k]));
}

/* ---------------------------------------------------------------- cases --------------------------------------------------------------- */

/* The permutation of rows that a permutation of blocks is */
static int32_t *rows_of(const int32_t *perm, int rows)
{
  int32_t *expanded = perm ? place_new(SPTRSV_HOST, (size_t)(N * rows) * sizeof(*expanded), NULL) : NULL;

  for (int i = 0; expanded && i < N * rows; i++) expanded[i] = perm[i / rows] * rows + i % rows;
  return expanded;
}

/* The factor of the values as they are now, and some of the solves k < 8, a `step` apart: with two sweeps by one of four algorithms */
static void test_values(Blocks *m, SptrsvFactor factor, const Stored *stored, const Target *target, SptrsvFactorKind kind, bool halves,
                        const int32_t *row, int first, int step)
{
  static const char *const algorithms[2][4] = {
      [SPTRSV_HOST] = {"host", "host-windows", "host-threads", "auto"}, [SPTRSV_DEVICE] = {"levelorder", "strips", "blockorder", "auto"}};
  const SptrsvPivoting pivoting = {.shift = SPTRSV_SHIFT_NONE};
  SptrsvFactorResult   result   = {.zero_pivot_row = -2};

  for (int again = 0; again < 2; again++) expect_success(sptrsvFactorNumeric(factor, stored->values, &pivoting, NULL, &result));
  expect(result.zero_pivot_row == -1, "a zero pivot in row %d", (int)result.zero_pivot_row);
  read_factor(m, factor, target);
  judge_product(m, target, kind);
  for (int k = first; k < 8; k += step)
    test_solves(m, factor, algorithms[m->location][k / 2], k / 2 == 3 ? 1 : 2, k & 1 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE,
                halves && k / 2 == m->rows % 4, row, row);
}

static void test_factor(Blocks *m, SptrsvFactorKind kind, int levels, bool crossed, const int32_t *perm)
{
  static Stored            stored;
  const SptrsvBlockStorage storage = {m->rows, m->upper, m->points};
  const SptrsvFill         fill    = {levels, 0};
  const bool               halves = kind == SPTRSV_ILU0 || !crossed, on_host = m->location == SPTRSV_HOST;
  int32_t                 *inverse = perm ? inverse_permutation(N, perm) : NULL, *row = rows_of(perm, m->rows);
  SptrsvFactor             factor  = NULL;
  int                      matches = 0;
  SptrsvBlocks             found;
  SptrsvAnalysis           analysis;
  Target                   target;

  store_blocks(m, &stored);
  target_create(&m->pattern, kind, perm, inverse, SPTRSV_DOUBLE, &target);
  target_fill(&target, &fill);
  if (expect_success(sptrsvFactorCreateBlocks(&stored.csr, &storage, kind, perm, inverse, &fill, m->type, m->location, NULL, &factor))) {
    expect_pattern(factor, &target);
    expect_success(sptrsvFactorMatches(factor, &stored.csr, &matches));
    expect(matches, "another pattern than its own");
    expect_success(sptrsvFactorFindBlocks(factor, 0, &found));
    expect(found.rows == (int64_t)N * m->rows && found.least == m->rows && found.most == m->rows && found.worth, "blocks of %d to %d",
           found.least, found.most);
    expect_success(sptrsvFactorGetBlockAnalysis(factor, &analysis));
    test_values(m, factor, &stored, &target, kind, halves, row, on_host ? 0 : m->rows % 3, on_host ? 1 : 3);
    for (int e = 0; e < m->pattern.nnz * m->rows * m->rows; e++) m->values[e] *= 2; /* nothing of the first values is left */
    place_free(m->location, stored.values);
    store_blocks(m, &stored);
    test_values(m, factor, &stored, &target, kind, halves, row, 2 * (m->rows % 4) + (levels & 1), 8);
  }
  expect_success(sptrsvFactorDestroy(&factor));
  target_destroy(&target);
  free(inverse);
  free(row);
  place_free(m->location, stored.values);
}

static void test_factors(Blocks *m)
{
  for (int k = 0; k < 7 * 3 * 4; k++) {
    const int              rows = 2 + k % 7, levels = k / 7 % 3, variant = k / 21;
    const SptrsvFactorKind kind    = variant & 1 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    const bool             crossed = (k & 1) != 0, symmetric = kind == SPTRSV_ICC0 || variant == 2;
    int32_t               *perm = (rows + levels + variant / 2) & 1 ? random_permutation(N, (uint64_t)k) : NULL;

    m->type   = value_type(k / 2);
    m->upper  = symmetric && variant >= 2;
    m->points = !m->upper && (k / 3 + (int)m->location) % 2;
    case_begin("%s(%d), blocks of %d, %s%s%s, %s, on the %s", variant & 1 ? "ICC" : "ILU", levels, rows,
               m->upper    ? "upper triangle"
               : m->points ? "by entries"
                           : "all blocks",
               crossed ? ", zeros on the diagonal" : "", perm ? ", permuted" : "", value_types[m->type].name,
               m->location == SPTRSV_HOST ? "host" : "GPU");
    create_blocks(m, rows, symmetric, crossed, (uint64_t)k + 1);
    test_factor(m, kind, levels, crossed, perm);
    destroy_blocks(m);
    free(perm);
    case_end();
  }
}

int main(int argc, char **argv)
{
  static Blocks m;

  (void)test_begin("block_factor", argc, argv);
  for (m.location = SPTRSV_HOST; m.location <= (sptrsvDeviceCount() ? SPTRSV_DEVICE : SPTRSV_HOST); m.location++) {
    test_factors(&m);
  }
  if (!sptrsvDeviceCount()) case_skip("factorizations by blocks on the GPU: there is no GPU");
  return test_end();
}
