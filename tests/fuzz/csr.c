/*
   Fuzz target: a small pattern with values, valid or not, through all of sptrsv.h on the host.

   Every status is compared with what the definition of the input asks for, levels and statistics with a relaxation, and solutions and
   factors with the residuals of ../kernels; factors only where nothing can overflow.  Else it is asked that every shift ends.

   Bytes: see csr_input.c and the calls of Byte() here.
*/
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../kernels/check.h"
#include "../kernels/factor_check.h"
#include "../kernels/sweep_check.h"
#include "csr_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---------------------------------------------------------- numbers --------------------------------------------------------- */

static double Value(SptrsvValueType type, const void *values, int k)
{
  return type == SPTRSV_DOUBLE ? ((const double *)values)[k] : (double)((const float *)values)[k];
}

/* So far from overflow and underflow that products of two, and sums of them, are too: then rounding is all that can be wrong */
static bool Ordinary(SptrsvValueType type, const void *values, int count)
{
  const double largest = type == SPTRSV_DOUBLE ? 1e75 : 1e9;

  for (int k = 0; k < count; k++) {
    const double size = fabs(Value(type, values, k));

    if (size != 0 && !(size >= 1 / largest && size <= largest)) return false;
  }
  return true;
}

/* 0: none; odd: some permutation; other: one with a row that does not exist */
static int32_t *TakePermutation(Bytes *b, int n, bool *valid)
{
  const int how  = Byte(b);
  int32_t  *perm = how ? randomPermutation(n, (uint64_t)how) : NULL;

  *valid = !how || how % 2 || !n;
  if (!*valid) perm[how / 4 % n] = how & 2 ? n : -1;
  return perm;
}

/* ---------------------------------------------------------- analysis -------------------------------------------------------- */

static int Widest(int n, const int32_t *level)
{
  int widest = 0;

  for (int i = 0; i < n; i++) {
    int width = 0;

    for (int k = 0; k < n; k++) width += level[k] == level[i];
    if (width > widest) widest = width;
  }
  return widest;
}

/* Levels of one sweep: T with ones on its diagonal says who needs whom */
static void Levels(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *o)
{
  const int32_t    *level = NULL;
  SptrsvStatistics  s     = {0};
  Triangular        T;
  SptrsvPlanOptions unit   = *o;
  int               levels = 0, longest = 0, wrong = 0;

  unit.type     = SPTRSV_DOUBLE;
  unit.diagonal = SPTRSV_DIAG_UNIT;
  triangularCreate(A, &unit, A->values, &T);
  if (expectSuccess(sptrsvAnalysisGetStatistics(analysis, o->triangle, o->op, &s)) &&
      expectSuccess(sptrsvAnalysisGetLevels(analysis, o->triangle, o->op, &level))) {
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
    expect(s.rows == A->n && s.nnz == T.row_ptr[A->n] && s.levels == levels && s.longest == longest && s.widest == Widest(A->n, level),
           "statistics: %lld rows, %lld entries, %lld levels, longest row %lld, widest level %lld", (long long)s.rows, (long long)s.nnz,
           (long long)s.levels, (long long)s.longest, (long long)s.widest);
  }
  triangularDestroy(&T);
}

/* ----------------------------------------------------------- sweeps --------------------------------------------------------- */

/* b from bytes; x twice, with the same bits */
static void SolveTwice(Bytes *b, const ZooMatrix *A, SptrsvPlan plan, const SptrsvPlanOptions *o, const void *values)
{
  const size_t size  = o->type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float);
  char        *right = New((size_t)A->n, size), *x = New((size_t)A->n, size), *again = New((size_t)A->n, size);
  Triangular   T;
  int          wrong;

  for (int i = 0; i < A->n; i++) {
    const double number = Number(Byte(b));

    if (o->type == SPTRSV_DOUBLE) ((double *)right)[i] = number;
    else ((float *)right)[i] = (float)number;
  }
  expectSuccess(sptrsvSolve(plan, right, x, NULL));
  expectSuccess(sptrsvSolve(plan, right, again, NULL));
  expect(!memcmp(x, again, (size_t)A->n * size), "other bits when solved again");
  triangularCreate(A, o, values, &T);
  wrong = triangularWrongRows(&T, o, right, x);
  expect(!wrong, "%d of %d rows do not hold", wrong, A->n);
  triangularDestroy(&T);
  free(right);
  free(x);
  free(again);
}

static void Sweep(Bytes *b, const ZooMatrix *A, SptrsvAnalysis analysis)
{
  SptrsvPlanOptions o    = {.algorithm = "auto", .location = SPTRSV_HOST};
  SptrsvPlan        plan = NULL;
  bool              valid_in, valid_out;
  int32_t          *in, *out;
  SptrsvStatus      status, expected = SPTRSV_SUCCESS;

  o.triangle = Byte(b) % 2 ? SPTRSV_UPPER : SPTRSV_LOWER;
  o.op       = Byte(b) % 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;
  o.type     = Byte(b) % 2 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
  o.diagonal = (SptrsvDiagonal)(Byte(b) % 3);
  o.in_perm = in = TakePermutation(b, A->n, &valid_in);
  o.out_perm = out = TakePermutation(b, A->n, &valid_out);
  status = sptrsvPlanCreate(analysis, &o, &plan);
  if (!valid_in || !valid_out) expected = SPTRSV_INVALID_ARGUMENT;
  if (!A->diagonal && o.diagonal != SPTRSV_DIAG_UNIT) { /* of two errors either may be named */
    if (!expected || status == SPTRSV_MISSING_DIAGONAL) expected = SPTRSV_MISSING_DIAGONAL;
  }
  expectStatus(status, expected, "sptrsvPlanCreate");
  expect((plan != NULL) == !status, "a plan comes with a failure, or none with success");
  if (plan && !expected) {
    void *values = zooValues(A, o.type, false, SPTRSV_HOST);

    Levels(A, analysis, &o);
    expectSuccess(sptrsvPlanUpdate(plan, values, NULL));
    SolveTwice(b, A, plan, &o, values);
    free(values);
  }
  expectSuccess(sptrsvPlanDestroy(&plan));
  free(in);
  free(out);
}

static void Analysis(Bytes *b, const Input *in)
{
  SptrsvAnalysis     analysis = NULL;
  const SptrsvStatus status   = sptrsvAnalysisCreate(&in->csr, SPTRSV_HOST, NULL, &analysis);

  if (in->inside) expectStatus(status, in->ascending ? SPTRSV_SUCCESS : SPTRSV_UNSORTED, "sptrsvAnalysisCreate");
  else expect(status != SPTRSV_SUCCESS, "an invalid pattern is taken");
  expect((analysis != NULL) == !status, "an analysis comes with a failure, or none with success");
  for (int k = 0; k < 2 && analysis && in->ascending; k++) Sweep(b, &in->A, analysis); /* the second one finds what the first one made */
  expectSuccess(sptrsvAnalysisDestroy(&analysis));
}

/* ------------------------------------------------------- factorization ------------------------------------------------------ */

static bool StoredTwice(const Target *t)
{
  for (int i = 0; i < t->n; i++) {
    for (int e = t->row_ptr[i] + 1; e < t->row_ptr[i + 1]; e++) {
      if (t->col_idx[e - 1] == t->col_idx[e]) return true;
    }
  }
  return false;
}

/* Both sweeps of a factor, which may hold Inf and NaN */
static void FactorSweeps(Bytes *b, SptrsvFactor factor, SptrsvValueType type)
{
  SptrsvAnalysis analysis = NULL;
  const void    *values   = NULL;
  const int32_t *row_ptr, *col_idx;
  int64_t        rows, nnz;

  expectSuccess(sptrsvFactorGetAnalysis(factor, &analysis));
  expectSuccess(sptrsvFactorGetValues(factor, &values));
  expectSuccess(sptrsvFactorGetPattern(factor, &rows, &nnz, &row_ptr, &col_idx));
  for (int k = 0; k < 2; k++) {
    const SptrsvPlanOptions o    = {.algorithm = "host",
                                    .triangle  = k ? SPTRSV_UPPER : SPTRSV_LOWER,
                                    .diagonal  = k ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_UNIT,
                                    .type      = type};
    const ZooMatrix         F    = {"factor", (int)rows, (int)nnz, (int32_t *)row_ptr, (int32_t *)col_idx, NULL, true};
    SptrsvPlan              plan = NULL;

    if (!expectSuccess(sptrsvPlanCreate(analysis, &o, &plan))) return;
    expectSuccess(sptrsvPlanUpdate(plan, values, NULL));
    SolveTwice(b, &F, plan, &o, values);
    expectSuccess(sptrsvPlanDestroy(&plan));
  }
}

static void Numeric(Bytes *b, const ZooMatrix *A, const Target *t, SptrsvFactor factor, SptrsvValueType type)
{
  const SptrsvShift    shift  = (SptrsvShift)(Byte(b) % 4);
  const double         amount = Number(Byte(b)), zero = Number(Byte(b));
  const SptrsvPivoting p      = {shift, amount, zero};
  void                *values = zooValues(A, type, false, SPTRSV_HOST);
  SptrsvFactorResult   r      = {.zero_pivot_row = -2};
  const void          *f      = NULL;

  if (expectSuccess(sptrsvFactorNumeric(factor, values, &p, NULL, &r))) {
    expect(r.zero_pivot_row >= -1 && r.zero_pivot_row < A->n, "zero pivot in row %lld of %d", (long long)r.zero_pivot_row, A->n);
    expect(r.shifts >= 0 && r.shifts <= 1100, "%d shifts", r.shifts);
    expect(r.shifts || r.shift_amount == 0, "a shift of %g in 0 attempts", r.shift_amount);
    expectSuccess(sptrsvFactorGetValues(factor, &f));
    if (type == SPTRSV_FLOAT && isfinite(r.shift_amount)) {
      expect(fabs(r.shift_amount) <= FLT_MAX, "a shift of %g, beyond the largest float", r.shift_amount);
    }
    if (r.zero_pivot_row == -1 && p.shift != SPTRSV_SHIFT_INBLOCKS && Ordinary(SPTRSV_DOUBLE, &r.shift_amount, 1) &&
        Ordinary(type, values, A->nnz) && Ordinary(type, f, t->nnz)) {
      factorJudge(factor, t, type, SPTRSV_HOST, type == SPTRSV_DOUBLE ? r.shift_amount : (double)(float)r.shift_amount);
    }
    FactorSweeps(b, factor, type);
  }
  free(values);
}

static void Factorization(Bytes *b, const Input *in)
{
  const SptrsvFactorKind kind = Byte(b) % 2 ? SPTRSV_ICC0 : SPTRSV_ILU0;
  const SptrsvValueType  type = Byte(b) % 2 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
  const int              seed = Byte(b), n = in->csr.rows < 0 ? 0 : (int)in->csr.rows;
  int32_t               *perm    = seed ? randomPermutation(n, (uint64_t)seed) : NULL;
  int32_t               *inverse = seed ? inversePermutation(n, perm) : NULL;
  SptrsvFactor           factor  = NULL;
  SptrsvStatus           status, expected = SPTRSV_SUCCESS;
  int64_t                missing = -1;
  Target                 t;

  status = sptrsvFactorCreate(&in->csr, kind, perm, inverse, type, SPTRSV_HOST, &missing, &factor);
  targetCreate(&in->A, kind, perm, inverse, type, &t);
  if (targetMissingRow(&t) >= 0) expected = SPTRSV_MISSING_DIAGONAL;
  if (StoredTwice(&t)) expected = SPTRSV_UNSORTED;
  if (in->inside) expectStatus(status, expected, "sptrsvFactorCreate");
  else expect(status != SPTRSV_SUCCESS, "an invalid pattern is taken");
  expect(status != SPTRSV_MISSING_DIAGONAL || missing == targetMissingRow(&t), "row %lld is named, not row %d", (long long)missing,
         targetMissingRow(&t));
  expect((factor != NULL) == !status, "a factor comes with a failure, or none with success");
  for (int k = 0; k < 2 && factor && in->inside && !expected; k++) Numeric(b, &in->A, &t, factor, type);
  expectSuccess(sptrsvFactorDestroy(&factor));
  targetDestroy(&t);
  free(perm);
  free(inverse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Bytes b = {data, data + size};
  Input in;

  TakePattern(&b, &in);
  caseBegin("%d rows, %d entries", in.A.n, in.A.nnz);
  Analysis(&b, &in);
  Factorization(&b, &in);
  FreeInput(&in);
  if (!caseEnd()) abort();
  return 0;
}
