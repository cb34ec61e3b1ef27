/*
   complex.c - Complex values on the host: residuals of all sweeps, and the same bits from all algorithms; L U = A on the pattern for ILU(k)
   and ICC(k), of matrices that are symmetric and not Hermitian; the bits of real values where no imaginary part is there, with all shifts.
*/
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "zoo.h"

typedef double _Complex Number;

/* [SptrsvValueType] */
#define ACCESS(NAME, type, f) \
  static Number get_##type(const void *values, int e) { return (Number)((const type *)values)[e]; } \
  static void   set_##type(void *values, int e, Number value) { ((type *)values)[e] = (type)value; }
SPTRSV_COMPLEX_TYPES(ACCESS, )

typedef struct {
  const char     *name;
  SptrsvValueType type;
  size_t          size;
  Number (*get)(const void *values, int e);
  void (*set)(void *values, int e, Number value);
  SptrsvValueType real; /* of its parts */
  double          epsilon;
} ComplexType;

#define ROW(NAME, ctype, f) {.name = #NAME, .type = SPTRSV_##NAME, .size = sizeof(ctype), .get = get_##ctype, .set = set_##ctype},
static ComplexType types[] = {SPTRSV_COMPLEX_TYPES(ROW, )};
enum { TYPES = sizeof(types) / sizeof(*types) };

/* The real value times a number of modulus one that depends on i + j, so that what is symmetric stays so */
static Number turned(double value, int i, int j)
{
  return value * cexp(0.7 * ((i + j) % 9) * I);
}

static void *new_values(const ComplexType *t, const ZooMatrix *A, bool turns)
{
  void *values = place_new(SPTRSV_HOST, (size_t)A->nnz * t->size, NULL);

  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++)
      t->set(values, e, turns ? turned(A->values[e], i, A->col_idx[e]) : (Number)value_types[t->real].round(A->values[e]));
  }
  return values;
}

static void *new_vector(const ComplexType *t, int n)
{
  void    *v    = place_new(SPTRSV_HOST, (size_t)n * t->size, NULL);
  uint64_t seed = 5;

  for (int i = 0; i < n; i++) {
    const double re = random_unit(&seed) - 0.5;

    t->set(v, i, re + (random_unit(&seed) - 0.5) * I);
  }
  return v;
}

/* --------------------------------------------------------- sweeps ----------------------------------------------------------- */

/* The entry of the sweep's matrix that is entry e of row i here: nothing, or its row, column and value */
static bool entry_of(const SptrsvPlanOptions *o, const ComplexType *t, const void *values, int i, int j, int e, int *row, int *col,
                     Number *v)
{
  *v   = t->get(values, e);
  *row = o->op == SPTRSV_TRANSPOSE ? j : i;
  *col = o->op == SPTRSV_TRANSPOSE ? i : j;
  if (i == j && o->diagonal == SPTRSV_DIAG_INVERTED) *v = 1 / *v;
  return i == j ? o->diagonal != SPTRSV_DIAG_UNIT : o->triangle == SPTRSV_LOWER ? j < i : j > i;
}

/* Expects |b - T x| within a rounding bound of |b| + |T| |x|, row by row */
static void judge_sweep(const ZooMatrix *A, const SptrsvPlanOptions *o, const ComplexType *t, const void *values, const void *b,
                        const void *x)
{
  Number *residual = calloc((size_t)A->n + 1, sizeof(*residual));
  double *scale    = calloc((size_t)A->n + 1, sizeof(*scale));
  int     wrong    = 0;

  if (!residual || !scale) abort();
  for (int i = 0; i < A->n; i++) {
    residual[i] = t->get(b, i) - (o->diagonal == SPTRSV_DIAG_UNIT ? t->get(x, i) : 0);
    scale[i]    = cabs(t->get(b, i)) + cabs(t->get(x, i));
  }
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      int    row, col;
      Number v;

      if (!entry_of(o, t, values, i, A->col_idx[e], e, &row, &col, &v)) continue;
      residual[row] -= v * t->get(x, col);
      scale[row] += cabs(v) * cabs(t->get(x, col));
    }
  }
  for (int i = 0; i < A->n; i++) wrong += !(cabs(residual[i]) <= (20 + 8 * sqrt(A->n)) * t->epsilon * scale[i]);
  expect(!wrong, "%d rows do not hold", wrong);
  free(residual);
  free(scale);
}

/* One sweep by each algorithm of the host; x is the same to the bit */
static void sweep(const ZooMatrix *A, SptrsvAnalysis analysis, SptrsvPlanOptions *o, const ComplexType *t, const void *values,
                  const void *b)
{
  void *first = place_new(SPTRSV_HOST, (size_t)A->n * t->size, NULL), *x = place_new(SPTRSV_HOST, (size_t)A->n * t->size, NULL);

  for (int k = 0, solved = 0; sptrsvAlgorithmGet(k); k++) {
    const SptrsvAlgorithm *a    = sptrsvAlgorithmGet(k);
    SptrsvPlan             plan = NULL;

    if (a->location != SPTRSV_HOST) continue;
    o->algorithm = a->name;
    if (!(a->values >> t->type & 1)) {
      expect_status(sptrsvPlanCreate(analysis, o, &plan), SPTRSV_NOT_SUPPORTED, a->name);
      continue;
    }
    if (!expect_success(sptrsvPlanCreate(analysis, o, &plan))) continue;
    expect_success(sptrsvPlanUpdate(plan, values, NULL));
    for (int again = 0; again < 2; again++, solved++) { /* the first solve packs the values */
      expect_success(sptrsvSolve(plan, b, x, NULL));
      if (!solved) {
        memcpy(first, x, (size_t)A->n * t->size);
        judge_sweep(A, o, t, values, b, x);
      } else expect(!memcmp(first, x, (size_t)A->n * t->size), "%s gives other bits", a->name);
    }
    expect_success(sptrsvPlanDestroy(&plan));
  }
  place_free(SPTRSV_HOST, first);
  place_free(SPTRSV_HOST, x);
}

static void sweeps(const ZooMatrix *A, const ComplexType *t)
{
  const SptrsvCsr csr      = zoo_csr(A);
  void           *values   = new_values(t, A, true), *b = new_vector(t, A->n);
  SptrsvAnalysis  analysis = NULL;

  case_begin("sweeps %s %s", t->name, A->name);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  for (int k = 0; analysis && k < 24; k++) {
    SptrsvPlanOptions o = {.location            = SPTRSV_HOST,
                           .triangle            = (SptrsvTriangle)(k % 2),
                           .op                  = (SptrsvOperation)(k / 2 % 2),
                           .type                = t->type,
                           .diagonal            = (SptrsvDiagonal)(k / 4 % 3),
                           .tuning.host.threads = k / 12 ? 3 : 0,
                           .tuning.sweep.blocks = k % 5 ? SPTRSV_BY_BLOCKS : SPTRSV_BY_ROWS};

    if (A->diagonal || o.diagonal == SPTRSV_DIAG_UNIT) sweep(A, analysis, &o, t, values, b);
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  place_free(SPTRSV_HOST, values);
  place_free(SPTRSV_HOST, b);
  case_end();
}

/* ------------------------------------------------------ factorizations ------------------------------------------------------ */

/* A's value at (i, j), with the upper triangle mirrored for ICC */
static Number value_of(const ZooMatrix *A, SptrsvFactorKind kind, const ComplexType *t, const void *values, int i, int j)
{
  const int row = kind == SPTRSV_ICC0 && j < i ? j : i, col = kind == SPTRSV_ICC0 && j < i ? i : j;

  for (int e = A->row_ptr[row]; e < A->row_ptr[row + 1]; e++) {
    if (A->col_idx[e] == col) return t->get(values, e);
  }
  return 0;
}

/* Expects (L U)(i,j) = a(i,j) in row i; dense [n]: scratch of zeros, for sums and their sizes */
static int wrong_in_row(const ZooMatrix *A, SptrsvFactorKind kind, const ComplexType *t, const void *values, SptrsvFactor factor, int i,
                        Number *sum, double *size)
{
  int64_t        n, nnz;
  const int32_t *row_ptr, *col_idx;
  const void    *f;
  int            wrong = 0;

  (void)sptrsvFactorGetPattern(factor, &n, &nnz, &row_ptr, &col_idx);
  (void)sptrsvFactorGetValues(factor, &f);
  for (int e = row_ptr[i]; e < row_ptr[i + 1]; e++) {
    const int    k = col_idx[e];
    const Number l = k < i ? t->get(f, e) : 1;

    for (int q = row_ptr[k]; k <= i && q < row_ptr[k + 1]; q++) {
      const Number u = col_idx[q] < k ? 0 : col_idx[q] == k ? 1 / t->get(f, q) : t->get(f, q);

      sum[col_idx[q]] += l * u;
      size[col_idx[q]] += cabs(l) * cabs(u);
    }
  }
  for (int e = row_ptr[i]; e < row_ptr[i + 1]; e++) {
    const Number a = value_of(A, kind, t, values, i, col_idx[e]);

    wrong += !(cabs(sum[col_idx[e]] - a) <= 200 * t->epsilon * (size[col_idx[e]] + cabs(a)));
  }
  for (int j = 0; j < A->n; j++) sum[j] = size[j] = 0;
  return wrong;
}

/* x = A^-1 b by the factor, twice, as the second solve is of packed values; the caller frees x */
static void *solve_with(SptrsvFactor factor, const ComplexType *t, int n, const char *algorithm, SptrsvStorage storage)
{
  SptrsvPlanOptions o    = {.algorithm = algorithm, .location = SPTRSV_HOST, .type = t->type, .tuning.host.storage = storage};
  SptrsvPlan        l    = NULL, u = NULL;
  SptrsvAnalysis    a    = NULL;
  const void       *f    = NULL;
  void             *b    = new_vector(t, n), *x = place_new(SPTRSV_HOST, (size_t)n * t->size, NULL),
                   *y = place_new(SPTRSV_HOST, (size_t)n * t->size, NULL);

  expect_success(sptrsvFactorGetAnalysis(factor, &a));
  expect_success(sptrsvFactorGetValues(factor, &f));
  expect_success(sptrsvPlanCreate(a, &o, &l));
  o.triangle = SPTRSV_UPPER;
  o.diagonal = SPTRSV_DIAG_INVERTED;
  expect_success(sptrsvPlanCreate(a, &o, &u));
  expect_success(sptrsvPlanUpdate(l, f, NULL));
  expect_success(sptrsvPlanUpdate(u, f, NULL));
  for (int k = 0; k < 2; k++) {
    expect_success(sptrsvSolve(l, b, y, NULL));
    expect_success(sptrsvSolve(u, y, x, NULL));
  }
  expect_success(sptrsvPlanDestroy(&l));
  expect_success(sptrsvPlanDestroy(&u));
  place_free(SPTRSV_HOST, b);
  place_free(SPTRSV_HOST, y);
  return x;
}

/* A factor of ICC that is stored once gives the bits of one that is stored twice */
static void store_once(SptrsvFactor factor, const ComplexType *t, int n)
{
  void *twice = solve_with(factor, t, n, "host", SPTRSV_STORED_TWICE);
  void *once  = solve_with(factor, t, n, "host-windows", SPTRSV_STORED_ONCE);

  expect(!memcmp(once, twice, (size_t)n * t->size), "stored once, it gives other bits");
  place_free(SPTRSV_HOST, once);
  place_free(SPTRSV_HOST, twice);
}

static void factorize(const ZooMatrix *A, SptrsvFactorKind kind, int levels, const ComplexType *t)
{
  const SptrsvCsr  csr    = zoo_csr(A);
  const SptrsvFill fill   = {levels, 0};
  void            *values = new_values(t, A, true);
  Number          *sum    = calloc((size_t)A->n + 1, sizeof(*sum));
  double          *size   = calloc((size_t)A->n + 1, sizeof(*size));
  SptrsvFactor     factor = NULL;
  int              wrong  = 0;

  case_begin("%s(%d) %s %s", kind == SPTRSV_ICC0 ? "icc" : "ilu", levels, t->name, A->name);
  if (!sum || !size) abort();
  if (expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, &fill, t->type, SPTRSV_HOST, NULL, &factor)) &&
      expect_success(sptrsvFactorNumeric(factor, values, NULL, NULL, NULL))) {
    for (int i = 0; i < A->n; i++) wrong += wrong_in_row(A, kind, t, values, factor, i, sum, size);
    if (kind == SPTRSV_ICC0) store_once(factor, t, A->n);
  }
  expect(!wrong, "%d entries of L U are not those of A", wrong);
  expect_success(sptrsvFactorDestroy(&factor));
  free(sum);
  free(size);
  place_free(SPTRSV_HOST, values);
  case_end();
}

/* A factor and its result; the values are the caller's to free */
static void *factor_copy(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, size_t size, const void *values,
                         const SptrsvPivoting *pivoting, SptrsvFactorResult *r, int64_t *nnz)
{
  const SptrsvCsr csr    = zoo_csr(A);
  SptrsvFactor    factor = NULL;
  const int32_t  *row_ptr, *col_idx;
  const void     *v    = NULL;
  void           *copy = NULL;
  int64_t         n;

  *nnz = 0;
  if (expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, NULL, type, SPTRSV_HOST, NULL, &factor)) &&
      expect_success(sptrsvFactorNumeric(factor, values, pivoting, NULL, r)) && expect_success(sptrsvFactorGetValues(factor, &v)) &&
      expect_success(sptrsvFactorGetPattern(factor, &n, nnz, &row_ptr, &col_idx)))
    copy = place_new(SPTRSV_HOST, (size_t)*nnz * size, v);
  expect_success(sptrsvFactorDestroy(&factor));
  return copy;
}

/* The same bits, with and without imaginary parts of zero, where pivots are small */
static void like_reals(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvShift shift, const ComplexType *t)
{
  const ValueType     *real     = &value_types[t->real];
  const SptrsvPivoting pivoting = {shift, 0.3, shift == SPTRSV_SHIFT_NONE ? 1e-12 : 0.4, 0};
  SptrsvFactorResult   r[2];
  int64_t              nnz[2];
  void *values[2] = {zoo_values(A, t->real, false, SPTRSV_HOST), new_values(t, A, false)}, *f[2];
  int   wrong     = 0;

  case_begin("%s %s %s, shift %d, without imaginary parts", kind == SPTRSV_ICC0 ? "icc" : "ilu", t->name, A->name, (int)shift);
  f[0] = factor_copy(A, kind, t->real, real->size, values[0], &pivoting, &r[0], &nnz[0]);
  f[1] = factor_copy(A, kind, t->type, t->size, values[1], &pivoting, &r[1], &nnz[1]);
  if (f[0] && f[1]) {
    for (int e = 0; e < nnz[0]; e++) wrong += real->get(f[0], e) != creal(t->get(f[1], e)) || cimag(t->get(f[1], e)) != 0;
    expect(nnz[0] == nnz[1] && !wrong, "%d entries differ", wrong);
    expect(r[0].shifts == r[1].shifts && r[0].shift_amount == r[1].shift_amount && r[0].zero_pivot_row == r[1].zero_pivot_row &&
             r[0].zero_pivot == r[1].zero_pivot,
           "%d shifts to %g in place of %d to %g", r[1].shifts, r[1].shift_amount, r[0].shifts, r[0].shift_amount);
  }
  for (int k = 0; k < 2; k++) {
    free(f[k]);
    free(values[k]);
  }
  case_end();
}

/* On the GPU there are none */
static void refusals(const ZooMatrix *A, const ComplexType *t)
{
  const SptrsvCsr    csr      = zoo_csr(A);
  const SptrsvStatus expected = sptrsvDeviceCount() ? SPTRSV_NOT_SUPPORTED : SPTRSV_NO_DEVICE;
  SptrsvPlanOptions  o        = {.algorithm = "auto", .location = SPTRSV_DEVICE, .type = t->type};
  SptrsvAnalysis     analysis = NULL;
  SptrsvFactor       factor   = NULL;
  SptrsvPlan         plan     = NULL;

  case_begin("%s on the GPU", t->name);
  expect_status(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, t->type, SPTRSV_DEVICE, NULL, &factor), expected, "the factor");
  if (expect_success(sptrsvAnalysisCreate(&csr, sptrsvDeviceCount() ? SPTRSV_DEVICE : SPTRSV_HOST, NULL, &analysis)))
    expect_status(sptrsvPlanCreate(analysis, &o, &plan), expected, "the plan");
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("complex", argc, argv);
  for (int k = 0; k < TYPES; k++) {
    types[k].real    = types[k].size == 2 * sizeof(float) ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
    types[k].epsilon = value_types[types[k].real].epsilon;
  }
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix A;

    zoo_create(k, true, &A);
    for (int type = 0; type < TYPES; type++) {
      const ComplexType *t = &types[type];

      sweeps(&A, t);
      if (!k) refusals(&A, t);
      for (int kind = 0; A.diagonal && kind < 2; kind++) {
        for (int levels = 0; levels < 2; levels++) factorize(&A, (SptrsvFactorKind)kind, levels, t);
        for (int shift = 0; shift <= (int)SPTRSV_SHIFT_INBLOCKS; shift++) like_reals(&A, (SptrsvFactorKind)kind, (SptrsvShift)shift, t);
      }
    }
    zoo_destroy(&A);
  }
  return test_end();
}
