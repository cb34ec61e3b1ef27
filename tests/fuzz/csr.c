/*
   Fuzz target: a small pattern with values, valid or not, through all of sptrsv.h on the host.

   Every status is compared with the one that the input defines, levels and statistics with a relaxation, and solutions and factors with
   the residuals of ../kernels.  Factors are compared only where nothing can overflow; otherwise every shift must end.

   Bytes: see csr_input.c and the calls of take_byte() here.
*/
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include "../kernels/check.h"
#include "../kernels/factor_check.h"
#include "../kernels/sweep_check.h"
#include "csr_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---------------------------------------------------------- numbers --------------------------------------------------------- */

static double get_value(SptrsvValueType type, const void *values, int k)
{
  return type == SPTRSV_DOUBLE ? ((const double *)values)[k] : (double)((const float *)values)[k];
}

/* Whether products of two values, and sums of them, neither overflow nor underflow, so that rounding is the only error */
static bool is_ordinary(SptrsvValueType type, const void *values, int count)
{
  const double largest = type == SPTRSV_DOUBLE ? 1e75 : 1e9;

  for (int k = 0; k < count; k++) {
    const double size = fabs(get_value(type, values, k));

    if (size != 0 && !(size >= 1 / largest && size <= largest)) return false;
  }
  return true;
}

/* Byte 0: none; odd: a permutation; else a permutation with a row that does not exist */
static int32_t *take_permutation(Bytes *bytes, int n, bool *valid)
{
  const int how  = take_byte(bytes);
  int32_t  *perm = how ? random_permutation(n, (uint64_t)how) : NULL;

  *valid = !how || how % 2 || !n;
  if (!*valid) perm[how / 4 % n] = how & 2 ? n : -1;
  return perm;
}

/* ---------------------------------------------------------- analysis -------------------------------------------------------- */

static int widest_level(int n, const int32_t *level)
{
  int widest = 0;

  for (int i = 0; i < n; i++) {
    int width = 0;

    for (int k = 0; k < n; k++) width += level[k] == level[i];
    if (width > widest) widest = width;
  }
  return widest;
}

/* Levels of one sweep: T, with ones on its diagonal, gives the dependencies */
static void check_levels(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options)
{
  const int32_t    *level = NULL;
  SptrsvStatistics  s     = {0};
  Triangular        T;
  SptrsvPlanOptions unit   = *options;
  int               levels = 0, longest = 0, wrong = 0;

  unit.type     = SPTRSV_DOUBLE;
  unit.diagonal = SPTRSV_DIAG_UNIT;
  triangular_create(A, &unit, A->values, &T);
  if (expect_success(sptrsvAnalysisGetStatistics(analysis, options->triangle, options->op, &s)) &&
      expect_success(sptrsvAnalysisGetLevels(analysis, options->triangle, options->op, &level))) {
    for (int i = 0; i < A->n; i++) {
      int own = 0;

      for (int e = T.row_ptr[i]; e < T.row_ptr[i + 1]; e++) {
        if (level[T.col_idx[e]] >= own) own = level[T.col_idx[e]] + 1;
      }
      wrong += level[i] != own;
      if (own >= levels) levels = own + 1;
      if (T.row_ptr[i + 1] - T.row_ptr[i] > longest) longest = T.row_ptr[i + 1] - T.row_ptr[i];
    }
    expect(!wrong, "%d rows are in a wrong level", wrong);
    expect(s.rows == A->n && s.nnz == T.row_ptr[A->n] && s.levels == levels && s.longest == longest
             && s.widest == widest_level(A->n, level),
           "statistics: %lld rows, %lld entries, %lld levels, longest row %lld, widest level %lld", (long long)s.rows, (long long)s.nnz,
           (long long)s.levels, (long long)s.longest, (long long)s.widest);
  }
  triangular_destroy(&T);
}

/* ----------------------------------------------------------- sweeps --------------------------------------------------------- */

/* b from bytes; x twice, with the same bits */
static void solve_twice(Bytes *bytes, const ZooMatrix *A, SptrsvPlan plan, const SptrsvPlanOptions *options, const void *values)
{
  const size_t size  = value_size(options->type);
  char        *right = new_array((size_t)A->n, size), *x = new_array((size_t)A->n, size), *again = new_array((size_t)A->n, size);
  Triangular   T;
  int          wrong;

  for (int i = 0; i < A->n; i++) set_value(options->type, right, i, number_of_byte(take_byte(bytes)));
  expect_success(sptrsvSolve(plan, right, x, NULL));
  expect_success(sptrsvSolve(plan, right, again, NULL));
  expect(same_solution(options, x, again, A->n), "other bits when solved again");
  triangular_create(A, options, values, &T);
  wrong = triangular_wrong_rows(&T, options, right, x);
  expect(!wrong, "%d of %d rows do not hold", wrong, A->n);
  triangular_destroy(&T);
  free(right);
  free(x);
  free(again);
}

static void fuzz_sweep(Bytes *bytes, const ZooMatrix *A, SptrsvAnalysis analysis)
{
  SptrsvPlanOptions o    = {.algorithm = "auto", .location = SPTRSV_HOST};
  SptrsvPlan        plan = NULL;
  bool              valid_in, valid_out;
  int32_t          *in, *out;
  SptrsvStatus      status, expected = SPTRSV_SUCCESS;

  o.triangle = take_byte(bytes) % 2 ? SPTRSV_UPPER : SPTRSV_LOWER;
  o.op       = take_byte(bytes) % 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
  o.type     = take_byte(bytes) % 2 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
  o.diagonal = (SptrsvDiagonal)(take_byte(bytes) % 3);
  o.in_perm  = in = take_permutation(bytes, A->n, &valid_in);
  o.out_perm = out = take_permutation(bytes, A->n, &valid_out);
  status     = sptrsvPlanCreate(analysis, &o, &plan);
  if (!valid_in || !valid_out) expected = SPTRSV_INVALID_ARGUMENT;
  if (!A->diagonal && o.diagonal != SPTRSV_DIAG_UNIT) { /* either of the two errors may be returned */
    if (!expected || status == SPTRSV_MISSING_DIAGONAL) expected = SPTRSV_MISSING_DIAGONAL;
  }
  expect_status(status, expected, "sptrsvPlanCreate");
  expect((plan != NULL) == !status, "a plan comes with a failure, or none with success");
  if (plan && !expected) {
    void *values = zoo_values(A, o.type, false, SPTRSV_HOST);

    check_levels(A, analysis, &o);
    expect_success(sptrsvPlanUpdate(plan, values, NULL));
    solve_twice(bytes, A, plan, &o, values);
    free(values);
  }
  expect_success(sptrsvPlanDestroy(&plan));
  free(in);
  free(out);
}

static void fuzz_analysis(Bytes *bytes, const Input *in)
{
  SptrsvAnalysis     analysis = NULL;
  const SptrsvStatus status   = sptrsvAnalysisCreate(&in->csr, SPTRSV_HOST, NULL, &analysis);

  if (in->inside) expect_status(status, in->ascending ? SPTRSV_SUCCESS : SPTRSV_UNSORTED, "sptrsvAnalysisCreate");
  else expect(status != SPTRSV_SUCCESS, "an invalid pattern is taken");
  expect((analysis != NULL) == !status, "an analysis comes with a failure, or none with success");
  /* the second sweep finds what the first one made */
  for (int k = 0; k < 2 && analysis && in->ascending; k++) fuzz_sweep(bytes, &in->A, analysis);
  expect_success(sptrsvAnalysisDestroy(&analysis));
}

/* ------------------------------------------------------- factorization ------------------------------------------------------ */

static bool is_stored_twice(const Target *target)
{
  for (int i = 0; i < target->n; i++) {
    for (int e = target->row_ptr[i] + 1; e < target->row_ptr[i + 1]; e++) {
      if (target->col_idx[e - 1] == target->col_idx[e]) return true;
    }
  }
  return false;
}

/* Both sweeps of a factor, which may hold Inf and NaN */
static void fuzz_factor_sweeps(Bytes *bytes, SptrsvFactor factor, SptrsvValueType type)
{
  SptrsvAnalysis analysis = NULL;
  const void    *values   = NULL;
  const int32_t *row_ptr, *col_idx;
  int64_t        rows, nnz;

  expect_success(sptrsvFactorGetAnalysis(factor, &analysis));
  expect_success(sptrsvFactorGetValues(factor, &values));
  expect_success(sptrsvFactorGetPattern(factor, &rows, &nnz, &row_ptr, &col_idx));
  for (int k = 0; k < 2; k++) {
    const SptrsvPlanOptions o    = {.algorithm = "host",
                                    .triangle  = k ? SPTRSV_UPPER : SPTRSV_LOWER,
                                    .diagonal  = k ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_UNIT,
                                    .type      = type};
    const ZooMatrix         F    = {"factor", (int)rows, (int)nnz, (int32_t *)row_ptr, (int32_t *)col_idx, NULL, true};
    SptrsvPlan              plan = NULL;

    if (!expect_success(sptrsvPlanCreate(analysis, &o, &plan))) return;
    expect_success(sptrsvPlanUpdate(plan, values, NULL));
    solve_twice(bytes, &F, plan, &o, values);
    expect_success(sptrsvPlanDestroy(&plan));
  }
}

static void fuzz_numeric(Bytes *bytes, const ZooMatrix *A, const Target *target, SptrsvFactor factor, SptrsvValueType type)
{
  const SptrsvShift    shift  = (SptrsvShift)(take_byte(bytes) % 4);
  const double         amount = number_of_byte(take_byte(bytes)), zero = number_of_byte(take_byte(bytes));
  const SptrsvPivoting p      = {shift, amount, zero, 0};
  void                *values = zoo_values(A, type, false, SPTRSV_HOST);
  SptrsvFactorResult   r      = {.zero_pivot_row = -2};
  const void          *f      = NULL;

  if (expect_success(sptrsvFactorNumeric(factor, values, &p, NULL, &r))) {
    expect(r.zero_pivot_row >= -1 && r.zero_pivot_row < A->n, "zero pivot in row %lld of %d", (long long)r.zero_pivot_row, A->n);
    expect(r.shifts >= 0 && r.shifts <= 1100, "%d shifts", r.shifts);
    expect(r.shifts || r.shift_amount == 0, "a shift of %g in 0 attempts", r.shift_amount);
    expect_success(sptrsvFactorGetValues(factor, &f));
    if (type == SPTRSV_FLOAT && isfinite(r.shift_amount)) {
      expect(fabs(r.shift_amount) <= FLT_MAX, "a shift of %g, beyond the largest float", r.shift_amount);
    }
    if (r.zero_pivot_row == -1 && p.shift != SPTRSV_SHIFT_INBLOCKS && is_ordinary(SPTRSV_DOUBLE, &r.shift_amount, 1) &&
        is_ordinary(type, values, A->nnz) && is_ordinary(type, f, target->nnz)) {
      factor_judge(factor, target, type, SPTRSV_HOST, type == SPTRSV_DOUBLE ? r.shift_amount : (double)(float)r.shift_amount);
    }
    fuzz_factor_sweeps(bytes, factor, type);
  }
  free(values);
}

static void fuzz_factorization(Bytes *bytes, const Input *in)
{
  const int              code = take_byte(bytes);
  const SptrsvFactorKind kind = code % 2 ? SPTRSV_ICC0 : SPTRSV_ILU0;
  const SptrsvFill       fill = {code / 2 % 8, code / 16 % 2};
  const SptrsvValueType  type = take_byte(bytes) % 2 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
  const int              seed = take_byte(bytes), n = in->csr.rows < 0 ? 0 : (int)in->csr.rows;
  int32_t               *perm    = seed ? random_permutation(n, (uint64_t)seed) : NULL;
  int32_t               *inverse = seed ? inverse_permutation(n, perm) : NULL;
  SptrsvFactor           factor  = NULL;
  SptrsvStatus           status, expected = SPTRSV_SUCCESS;
  int64_t                missing = -1;
  Target                 t;

  status = sptrsvFactorCreate(&in->csr, kind, perm, inverse, &fill, type, SPTRSV_HOST, &missing, &factor);
  target_create(&in->A, kind, perm, inverse, type, &t);
  if (is_stored_twice(&t)) expected = SPTRSV_UNSORTED;
  else target_fill(&t, &fill);
  if (!expected && target_missing_row(&t) >= 0) expected = SPTRSV_MISSING_DIAGONAL;
  if (in->inside) expect_status(status, expected, "sptrsvFactorCreate");
  else expect(status != SPTRSV_SUCCESS, "an invalid pattern is taken");
  expect(status != SPTRSV_MISSING_DIAGONAL || missing == target_missing_row(&t), "row %lld is named, not row %d", (long long)missing,
         target_missing_row(&t));
  expect((factor != NULL) == !status, "a factor comes with a failure, or none with success");
  for (int k = 0; k < 2 && factor && in->inside && !expected; k++) fuzz_numeric(bytes, &in->A, &t, factor, type);
  expect_success(sptrsvFactorDestroy(&factor));
  target_destroy(&t);
  free(perm);
  free(inverse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Bytes b = {data, data + size};
  Input in;

  take_pattern(&b, &in);
  case_begin("%d rows, %d entries", in.A.n, in.A.nnz);
  fuzz_analysis(&b, &in);
  fuzz_factorization(&b, &in);
  free_input(&in);
  if (!case_end()) abort();
  return 0;
}
