/*
   complex_factor.c - Factorizations of complex values, on the host and on the GPU in all ways: L U = A on the pattern for ILU(k) and
   ICC(k), of matrices that are symmetric and not Hermitian; what real values give where no imaginary part is there, with all shifts.  Ways
   for real values, and blocks on the GPU, are refused.
*/
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "complex_check.h"
#include "factor_ways.h"

#define ROW(NAME, ctype, f) SPTRSV_##NAME,
static const SptrsvValueType types[] = {SPTRSV_COMPLEX_TYPES(ROW, )};
enum { TYPES = sizeof(types) / sizeof(*types) };

/* A's value at (i, j), with the upper triangle mirrored for ICC */
static Number value_of(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, const void *values, int i, int j)
{
  const int row = kind == SPTRSV_ICC0 && j < i ? j : i, col = kind == SPTRSV_ICC0 && j < i ? i : j;

  for (int e = A->row_ptr[row]; e < A->row_ptr[row + 1]; e++) {
    if (A->col_idx[e] == col) return complex_at(type, values, e);
  }
  return 0;
}

/* A factor's pattern, and its values on the host */
typedef struct {
  int64_t        n, nnz;
  const int32_t *row_ptr, *col_idx;
  void          *values;
} Made;

static Made take_factor(SptrsvFactor factor, SptrsvValueType type, SptrsvLocation location)
{
  Made        f = {0};
  const void *v = NULL;

  expect_success(sptrsvFactorGetPattern(factor, &f.n, &f.nnz, &f.row_ptr, &f.col_idx));
  expect_success(sptrsvFactorGetValues(factor, &v));
  f.values = place_new(SPTRSV_HOST, (size_t)f.nnz * value_size(type), NULL);
  place_get(location, f.values, v, (size_t)f.nnz * value_size(type));
  return f;
}

/* Expects (L U)(i,j) = a(i,j) in row i; dense [n]: scratch of zeros, for sums and their sizes */
static int wrong_in_row(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, const void *values, const Made *f, int i,
                        Number *sum, double *size)
{
  int wrong = 0;

  for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
    const int    k = f->col_idx[e];
    const Number l = k < i ? complex_at(type, f->values, e) : 1;

    for (int q = f->row_ptr[k]; k <= i && q < f->row_ptr[k + 1]; q++) {
      const Number v = complex_at(type, f->values, q), u = f->col_idx[q] < k ? 0 : f->col_idx[q] == k ? 1 / v : v;

      sum[f->col_idx[q]] += l * u;
      size[f->col_idx[q]] += cabs(l) * cabs(u);
    }
  }
  for (int e = f->row_ptr[i]; e < f->row_ptr[i + 1]; e++) {
    const int    j = f->col_idx[e];
    const Number a = value_of(A, kind, type, values, i, j);

    wrong += !(cabs(sum[j] - a) <= 200 * value_types[type].epsilon * (size[j] + cabs(a)));
  }
  for (int j = 0; j < A->n; j++) sum[j] = size[j] = 0;
  return wrong;
}

static void judge_factor(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, const void *values, SptrsvFactor factor,
                         SptrsvLocation location)
{
  const Made f     = take_factor(factor, type, location);
  Number    *sum   = calloc((size_t)A->n + 1, sizeof(*sum));
  double    *size  = calloc((size_t)A->n + 1, sizeof(*size));
  int        wrong = 0;

  if (!sum || !size) abort();
  for (int i = 0; i < A->n; i++) wrong += wrong_in_row(A, kind, type, values, &f, i, sum, size);
  expect(!wrong, "%d entries of L U are not those of A", wrong);
  free(sum);
  free(size);
  free(f.values);
}

/* x = A^-1 b by the factor, twice, as the second solve is of packed values; the caller frees x */
static void *solve_with(SptrsvFactor factor, SptrsvValueType type, int n, const char *algorithm, SptrsvStorage storage)
{
  SptrsvPlanOptions o = {.algorithm = algorithm, .location = SPTRSV_HOST, .type = type, .tuning.host.storage = storage};
  SptrsvPlan        l = NULL, u = NULL;
  SptrsvAnalysis    a = NULL;
  const void       *f = NULL;
  void             *b = complex_vector(type, n), *x = place_new(SPTRSV_HOST, (size_t)n * value_size(type), NULL),
       *y = place_new(SPTRSV_HOST, (size_t)n * value_size(type), NULL);

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
static void store_once(SptrsvFactor factor, SptrsvValueType type, int n)
{
  void *twice = solve_with(factor, type, n, "host", SPTRSV_STORED_TWICE);
  void *once  = solve_with(factor, type, n, "host-windows", SPTRSV_STORED_ONCE);

  expect(!memcmp(once, twice, (size_t)n * value_size(type)), "stored once, it gives other bits");
  place_free(SPTRSV_HOST, once);
  place_free(SPTRSV_HOST, twice);
}

static void factorize(const ZooMatrix *A, SptrsvFactorKind kind, int levels, SptrsvValueType type)
{
  const SptrsvCsr  csr    = zoo_csr(A);
  const SptrsvFill fill   = {levels, 0};
  void            *values = complex_values(A, type, true);
  SptrsvFactor     factor = NULL;

  case_begin("%s(%d) %s %s", kind == SPTRSV_ICC0 ? "icc" : "ilu", levels, value_types[type].name, A->name);
  if (expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, &fill, type, SPTRSV_HOST, NULL, &factor)) &&
      expect_success(sptrsvFactorNumeric(factor, values, NULL, NULL, NULL))) {
    judge_factor(A, kind, type, values, factor, SPTRSV_HOST);
    if (kind == SPTRSV_ICC0) store_once(factor, type, A->n);
  }
  expect_success(sptrsvFactorDestroy(&factor));
  place_free(SPTRSV_HOST, values);
  case_end();
}

/* Studies are for real values */
static bool takes_complex(const FactorWay *way)
{
  const SptrsvAlgorithm *a = sptrsvFactorAlgorithmFind(way->algorithm);

  return !a || a->values >> SPTRSV_COMPLEX_DOUBLE & 1;
}

/* The k-th way, behind the last the library's own choice; NULL: the library lacks it */
static const FactorWay *way_at(int k)
{
  static const FactorWay any = {"auto", NULL, NULL};
  const FactorWay *const way = k < FACTOR_WAYS ? &factor_ways[k] : &any;

  return way_is_there(way) ? way : NULL;
}

static bool suits(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, const FactorWay *way)
{
  Target target;
  bool   suits;

  target_create(A, kind, NULL, NULL, SPTRSV_DOUBLE, &target);
  target_fill(&target, fill);
  suits = takes_complex(way) && target_suits(&target, way->algorithm);
  target_destroy(&target);
  return suits;
}

/* A factor on the GPU that goes a way, with the plan that it is lent, and its values' bytes */
typedef struct {
  SptrsvFactor factor;
  SptrsvPlan   lower;
  void        *values;
  size_t       bytes;
} There;

static SptrsvStatus create_there(const ZooMatrix *A, SptrsvFactorKind kind, const SptrsvFill *fill, SptrsvValueType type,
                                 const FactorWay *way, There *t)
{
  const SptrsvTaskOptions tasks = {SPTRSV_TASKS_CONCURRENCY, 20, 0};
  const SptrsvCsr         csr   = zoo_csr(A);

  *t        = (There){.bytes = (size_t)A->nnz * value_size(type)};
  t->values = place_new(SPTRSV_DEVICE, t->bytes, NULL);
  expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, fill, type, SPTRSV_DEVICE, NULL, &t->factor));
  return factor_go(t->factor, way, &tasks, NULL, type, &t->lower);
}

static SptrsvStatus factor_there(There *t, const void *values)
{
  place_put(SPTRSV_DEVICE, t->values, values, t->bytes);
  return sptrsvFactorNumeric(t->factor, t->values, NULL, NULL, NULL);
}

static void destroy_there(There *t)
{
  (void)sptrsvFactorSetSweep(t->factor, NULL);
  expect_success(sptrsvPlanDestroy(&t->lower));
  expect_success(sptrsvFactorDestroy(&t->factor));
  place_free(SPTRSV_DEVICE, t->values);
}

/* Twice: the second factorization finds the first one's values. */
static void factorize_there(const ZooMatrix *A, SptrsvFactorKind kind, int levels, SptrsvValueType type, const FactorWay *way)
{
  const SptrsvFill   fill     = {levels, 0};
  const SptrsvStatus expected = suits(A, kind, &fill, way) ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED;
  void              *values   = complex_values(A, type, true);
  There              t;
  SptrsvStatus       status;

  case_begin("%s(%d) %s %s on the GPU, %s", kind == SPTRSV_ICC0 ? "icc" : "ilu", levels, value_types[type].name, A->name, way->name);
  status = create_there(A, kind, &fill, type, way, &t);
  for (int again = 0; again < 2 && !status; again++) status = factor_there(&t, values);
  if (expect_status(status, expected, "the factorization") && !status) judge_factor(A, kind, type, values, t.factor, SPTRSV_DEVICE);
  destroy_there(&t);
  place_free(SPTRSV_HOST, values);
  case_end();
}

/* A times 2^e has U times 2^e, inverse pivots over 2^e and the same L, to the last bit, also where products of two values are no numbers */
static void scale_there(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, const FactorWay *way)
{
  const SptrsvValueType part   = part_type(type);
  const SptrsvFill      fill   = {0};
  void                 *values = complex_values(A, type, true);
  int                   most   = value_types[type].most_exponent * 17 / 32, wrong = 0; /* parts that rounding left are normal, too */
  Made                  first  = {0};
  There                 t;

  if (suits(A, kind, &fill, way)) {
    case_begin("%s %s 2^e %s on the GPU, %s", kind == SPTRSV_ICC0 ? "icc" : "ilu", value_types[type].name, A->name, way->name);
    expect_success(create_there(A, kind, &fill, type, way, &t));
    expect_success(factor_there(&t, values));
    first = take_factor(t.factor, type, SPTRSV_DEVICE);
    for (int e = -most; e <= most; e += most) {
      void *times = place_new(SPTRSV_HOST, t.bytes, NULL);
      Made  f;

      for (int k = 0; k < 2 * A->nnz; k++) set_value(part, times, k, ldexp(value_at(part, values, k), e));
      expect_success(factor_there(&t, times));
      f = take_factor(t.factor, type, SPTRSV_DEVICE);
      for (int i = 0; i < f.n; i++) {
        for (int k = 2 * f.row_ptr[i]; k < 2 * f.row_ptr[i + 1]; k++) {
          const int j = f.col_idx[k / 2];

          wrong += value_at(part, f.values, k) != ldexp(value_at(part, first.values, k), j < i ? 0 : j == i ? -e : e);
        }
      }
      free(f.values);
      free(times);
    }
    expect(!wrong, "%d numbers are others", wrong);
    free(first.values);
    destroy_there(&t);
    case_end();
  }
  place_free(SPTRSV_HOST, values);
}

/* A factor's values on the host, and its result; the values are the caller's to free */
static void *factor_copy(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvValueType type, SptrsvLocation location, void *values,
                         const SptrsvPivoting *pivoting, SptrsvFactorResult *r, int64_t *nnz)
{
  const SptrsvCsr csr    = zoo_csr(A);
  void           *placed = place_new(location, (size_t)A->nnz * value_size(type), values), *copy = NULL;
  SptrsvFactor    factor = NULL;

  *nnz = 0;
  if (expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, NULL, type, location, NULL, &factor)) &&
      expect_success(sptrsvFactorNumeric(factor, placed, pivoting, NULL, r))) {
    const Made f = take_factor(factor, type, location);

    copy = f.values;
    *nnz = f.nnz;
  }
  expect_success(sptrsvFactorDestroy(&factor));
  place_free(location, placed);
  free(values);
  return copy;
}

/* The same bits on the host, with and without imaginary parts of zero, where pivots are small; on the GPU sums may be rounded elsewhere */
static void like_reals(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvShift shift, SptrsvValueType type, SptrsvLocation location)
{
  const SptrsvValueType real     = part_type(type);
  const double          off      = location == SPTRSV_HOST ? 0 : 1000 * value_types[type].epsilon;
  const SptrsvPivoting  pivoting = {shift, 0.3, shift == SPTRSV_SHIFT_NONE ? 1e-12 : 0.4, 0};
  SptrsvFactorResult    r[2];
  int64_t               nnz[2];
  void                 *f[2];
  int                   wrong = 0;

  case_begin("%s %s %s on the %s, shift %d, without imaginary parts", kind == SPTRSV_ICC0 ? "icc" : "ilu", value_types[type].name, A->name,
             location == SPTRSV_HOST ? "host" : "GPU", (int)shift);
  f[0] = factor_copy(A, kind, real, location, zoo_values(A, real, false, SPTRSV_HOST), &pivoting, &r[0], &nnz[0]);
  f[1] = factor_copy(A, kind, type, location, complex_values(A, type, false), &pivoting, &r[1], &nnz[1]);
  if (f[0] && f[1]) {
    for (int e = 0; e < nnz[0]; e++) {
      const double right = value_at(real, f[0], e);
      const Number v     = complex_at(type, f[1], e);

      wrong += !(fabs(creal(v) - right) <= off * (1 + fabs(right))) || cimag(v) != 0;
    }
    expect(nnz[0] == nnz[1] && !wrong, "%d entries differ", wrong);
    expect(r[0].shifts == r[1].shifts && fabs(r[0].shift_amount - r[1].shift_amount) <= off * r[0].shift_amount &&
               r[0].zero_pivot_row == r[1].zero_pivot_row &&
               (r[0].zero_pivot_row < 0 || fabs(r[0].zero_pivot - r[1].zero_pivot) <= off * fabs(r[0].zero_pivot)),
           "%d shifts to %g in place of %d to %g", r[1].shifts, r[1].shift_amount, r[0].shifts, r[0].shift_amount);
  }
  for (int k = 0; k < 2; k++) free(f[k]);
  case_end();
}

/* On the GPU there are no blocks of them */
static void refusals(const ZooMatrix *A, SptrsvValueType type)
{
  const SptrsvCsr          csr      = zoo_csr(A);
  const SptrsvStatus       expected = sptrsvDeviceCount() ? SPTRSV_NOT_SUPPORTED : SPTRSV_NO_DEVICE;
  const SptrsvBlockStorage storage  = {.rows = 2};
  SptrsvFactor             factor   = NULL;
  SptrsvBlocks             blocks   = {0};

  case_begin("blocks of %s on the GPU", value_types[type].name);
  expect_status(sptrsvFactorCreateBlocks(&csr, &storage, SPTRSV_ILU0, NULL, NULL, NULL, type, SPTRSV_DEVICE, NULL, &factor), expected,
                "the factor");
  if (sptrsvDeviceCount() && expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, type, SPTRSV_DEVICE, NULL, &factor))) {
    expect_success(sptrsvFactorFindBlocks(factor, 0, &blocks));
    expect(!blocks.rows && !blocks.worth, "%d rows are in blocks", (int)blocks.rows);
  }
  expect_success(sptrsvFactorDestroy(&factor));
  case_end();
}

static void test_matrix(const ZooMatrix *A, SptrsvValueType type)
{
  const int places = sptrsvDeviceCount() ? 2 : 1;

  for (int kind = 0; kind < 2; kind++) {
    for (int levels = 0; levels < 2; levels++) {
      factorize(A, (SptrsvFactorKind)kind, levels, type);
      for (int way = 0; places == 2 && way <= FACTOR_WAYS; way++) {
        if (way_at(way)) factorize_there(A, (SptrsvFactorKind)kind, levels, type, way_at(way));
        if (way_at(way) && !levels) scale_there(A, (SptrsvFactorKind)kind, type, way_at(way));
      }
    }
    for (int k = 0; k < places * ((int)SPTRSV_SHIFT_INBLOCKS + 1); k++)
      like_reals(A, (SptrsvFactorKind)kind, (SptrsvShift)(k / places), type, (SptrsvLocation)(k % places));
  }
}

int main(int argc, char **argv)
{
  (void)test_begin("complex_factor", argc, argv);
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix A;

    zoo_create(k, true, &A);
    for (int type = 0; type < TYPES; type++) {
      if (A.diagonal && A.n <= test_rows()) test_matrix(&A, types[type]);
      if (!k) refusals(&A, types[type]);
    }
    zoo_destroy(&A);
  }
  return test_end();
}
