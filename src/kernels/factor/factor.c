/* The factor handle, and PETSc's rules for shifting the diagonal around passes of the host or the device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../values.h"
#include "factor.h"

static const SptrsvFactorPlace *place_of(SptrsvLocation location, bool blocks)
{
#if defined(SPTRSV_HAVE_CUDA)
  if (location == SPTRSV_DEVICE) return blocks ? &sptrsvFactorDeviceBlocks : &sptrsvFactorDevice;
#endif
  (void)location;
  return blocks ? &sptrsvFactorHostBlocks : &sptrsvFactorHost;
}

/* Each is a permutation or natural, and ICC0's are inverse to each other */
static SptrsvStatus check_permutations(int64_t n, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm)
{
  if (kind == SPTRSV_ICC0 && (!row_perm) != (!col_iperm)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvPermutationCheck(n, row_perm));
  SPTRSV_TRY(sptrsvPermutationCheck(n, col_iperm));
  for (int64_t i = 0; kind == SPTRSV_ICC0 && row_perm && i < n; i++) {
    if (col_iperm[row_perm[i]] != i) return SPTRSV_INVALID_ARGUMENT;
  }
  return SPTRSV_SUCCESS;
}

static SptrsvStatus create(const SptrsvCsr *A, SptrsvBlockStorage storage, SptrsvFactorKind kind, const int32_t *row_perm,
                           const int32_t *col_iperm, const SptrsvFill *fill, SptrsvValueType type, SptrsvLocation location,
                           int64_t *missing, SptrsvFactor *factor)
{
  SptrsvFactor f;
  SptrsvStatus status;

  if (!factor || (kind != SPTRSV_ILU0 && kind != SPTRSV_ICC0)) return SPTRSV_INVALID_ARGUMENT;
  if (!sptrsvIsValueType(type) || !sptrsvIsLocation(location) || (fill && fill->levels < 0)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvCsrCheck(A)); /* before permutations of A->rows numbers are read */
  if (A->location == SPTRSV_DEVICE && location != SPTRSV_DEVICE) return SPTRSV_WRONG_MEMORY;
  if (storage.points && (storage.upper || A->rows % storage.rows)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(check_permutations(storage.points ? A->rows / storage.rows : A->rows, kind, row_perm, col_iperm));
  if (location == SPTRSV_DEVICE && !sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  if (storage.rows > 1 && !sptrsvTakesBlocks(location, type)) return SPTRSV_NOT_SUPPORTED;
  SPTRSV_TRY(sptrsvNew(1, &f));
  f->kind     = kind;
  f->type     = type;
  f->location = location;
  f->storage  = storage;
  f->place    = place_of(location, storage.rows > 1);
  sptrsvSetupBegin();
  status = sptrsvFactorSymbolic(f, A, row_perm, col_iperm, fill);
  if (!status) {
    f->analysis->icc0 = kind == SPTRSV_ICC0;
    if (f->analysis->missing >= 0) status = SPTRSV_MISSING_DIAGONAL;
    if (status && missing) *missing = f->analysis->missing;
  }
  if (!status) status = f->place->create(f);
  status = sptrsvSetupEnd(location, status);
  if (status) (void)sptrsvFactorDestroy(&f);
  else *factor = f;
  return status;
}

SptrsvStatus sptrsvFactorCreate(const SptrsvCsr *A, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                                const SptrsvFill *fill, SptrsvValueType type, SptrsvLocation location, int64_t *missing,
                                SptrsvFactor *factor)
{
  return create(A, (SptrsvBlockStorage){.rows = 1}, kind, row_perm, col_iperm, fill, type, location, missing, factor);
}

SptrsvStatus sptrsvFactorCreateBlocks(const SptrsvCsr *A, const SptrsvBlockStorage *storage, SptrsvFactorKind kind, const int32_t *row_perm,
                                      const int32_t *col_iperm, const SptrsvFill *fill, SptrsvValueType type, SptrsvLocation location,
                                      int64_t *missing, SptrsvFactor *factor)
{
  if (!storage || storage->rows < 2 || storage->rows > SPTRSV_BLOCK_ROWS) return SPTRSV_INVALID_ARGUMENT;
  return create(A, *storage, kind, row_perm, col_iperm, fill, type, location, missing, factor);
}

#if !defined(SPTRSV_HAVE_CUDA)
const SptrsvAlgorithm *sptrsvFactorAlgorithmGet(int k)
{
  (void)k;
  return NULL;
}
#endif

const SptrsvAlgorithm *sptrsvFactorAlgorithmFind(const char *name)
{
  const SptrsvAlgorithm *a;

  for (int k = 0; name && (a = sptrsvFactorAlgorithmGet(k)); k++) {
    if (!strcmp(a->name, name)) return a;
  }
  return NULL;
}

SptrsvStatus sptrsvFactorTune(SptrsvFactor factor, const SptrsvTuning *tuning)
{
  const char *name;

  if (!factor || !tuning) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvTuningCheck(tuning));
  name = tuning->factor.algorithm && !sptrsvIsAuto(tuning->factor.algorithm) ? tuning->factor.algorithm : NULL;
  if (!factor->place->tune) return name ? SPTRSV_NOT_SUPPORTED : SPTRSV_SUCCESS;
  sptrsvSetupBegin();
  return sptrsvSetupEnd(factor->location, factor->place->tune(factor, name, tuning));
}

SptrsvStatus sptrsvFactorGetAlgorithm(SptrsvFactor factor, const SptrsvAlgorithm **algorithm)
{
  if (!factor || !algorithm) return SPTRSV_INVALID_ARGUMENT;
  *algorithm = factor->place->algorithm ? factor->place->algorithm(factor) : NULL;
  return SPTRSV_SUCCESS;
}

/* Whether the plan solves with the lower triangle of the factor, or of its block form, in the order of the factor's rows */
static bool is_lower_sweep(SptrsvFactor factor, SptrsvPlan plan)
{
  const SptrsvPlanOptions *o = &plan->options;

  if (plan->analysis != factor->analysis && plan->analysis != factor->blocks.analysis) return false;
  if (o->location != factor->location || o->type != factor->type) return false;
  return o->triangle == SPTRSV_LOWER && o->op == SPTRSV_NON_TRANSPOSE && o->diagonal == SPTRSV_DIAG_UNIT && !plan->scatters;
}

SptrsvStatus sptrsvFactorSetSweep(SptrsvFactor factor, SptrsvPlan lower)
{
  bool right;

  if (!factor) return SPTRSV_INVALID_ARGUMENT;
  right = !lower || is_lower_sweep(factor, lower);
  if (factor->place->lend) SPTRSV_TRY(factor->place->lend(factor, right ? lower : NULL)); /* nor is the plan of before lent any more */
  return right ? SPTRSV_SUCCESS : SPTRSV_INVALID_ARGUMENT;
}

SptrsvStatus sptrsvFactorDescribe(SptrsvFactor factor, char *text, size_t size)
{
  if (!factor || !text || !size) return SPTRSV_INVALID_ARGUMENT;
  factor->place->describe(factor, text, size);
  return SPTRSV_SUCCESS;
}

/* Doubling shifts from the first one on.  The loop ends for broken data, too: after 1100 doublings the shift has left the doubles. */
static SptrsvStatus shift_nonzero(SptrsvFactor factor, const SptrsvNumeric *numeric, SptrsvFactorResult *result)
{
  while (result->zero_pivot_row >= 0 && result->shifts < 1100) {
    const double shift = result->shifts ? 2 * result->shift_amount : numeric->pivoting->shift_amount;

    /* with an infinite shift none of the pivots would be small, and the factor worthless */
    if (!shift || !(fabs(shift) <= sptrsvLargest(factor->type))) break;
    result->shift_amount = shift;
    result->shifts++;
    SPTRSV_TRY(factor->place->pass(factor, numeric, result->shift_amount, result));
  }
  return SPTRSV_SUCCESS;
}

/* Fractions of the shift that makes A diagonally dominant: 1/2, 3/4, …, 1; ILU then tries smaller ones again (Manteuffel; PETSc:
   MatPivotCheck_pd(), MatPivotRefine()).  At most six shifts. */
static SptrsvStatus shift_positive_definite(SptrsvFactor factor, const SptrsvNumeric *numeric, SptrsvFactorResult *result)
{
  const int most = 5;
  double    low = 0, high = 1, fraction = 0, top = 0;

  if (result->zero_pivot_row < 0) return SPTRSV_SUCCESS;
  SPTRSV_TRY(factor->place->dominance(factor, numeric->a, numeric->stream, &top));
  top = 1.1 * fmax(top, numeric->pivoting->zero_pivot);
  if (isfinite(top)) top = fmin(top, sptrsvLargest(factor->type)); /* else A holds an Inf or NaN, which flows through */
  while (result->shifts <= most) {
    if (result->zero_pivot_row >= 0) {
      if (result->shifts == most) fraction = high;
      else {
        low      = fraction;
        fraction = (high + low) / 2;
      }
    } else if (factor->kind == SPTRSV_ILU0 && result->shifts < most) {
      high     = fraction;
      fraction = (high + low) / 2;
    } else break;
    result->shifts++;
    result->shift_amount = fraction * top;
    SPTRSV_TRY(factor->place->pass(factor, numeric, result->shift_amount, result));
  }
  return SPTRSV_SUCCESS;
}

/* Checks what a numeric factorization is given */
static SptrsvStatus check(SptrsvFactor factor, const SptrsvNumeric *numeric)
{
  const SptrsvShift shift = numeric->pivoting->shift;

  if (!factor || (!numeric->a && sptrsvFactorMatrix(factor)->a.nnz)) return SPTRSV_INVALID_ARGUMENT;
  if ((unsigned)shift > SPTRSV_SHIFT_INBLOCKS || numeric->plans < 0 || (numeric->plans && !numeric->plan)) return SPTRSV_INVALID_ARGUMENT;
  for (int k = 0; k < numeric->plans; k++) {
    SptrsvPlan plan = numeric->plan[k];

    if (plan && plan->analysis != factor->analysis && plan->analysis != factor->blocks.analysis) return SPTRSV_INVALID_ARGUMENT;
  }
  return factor->storage.rows > 1 && shift != SPTRSV_SHIFT_NONE && shift != SPTRSV_SHIFT_INBLOCKS ? SPTRSV_NOT_SUPPORTED : SPTRSV_SUCCESS;
}

/* Factors with as many shifts as it takes */
static SptrsvStatus factorize(SptrsvFactor factor, const SptrsvNumeric *numeric, SptrsvFactorResult *result)
{
  const SptrsvShift shift = numeric->pivoting->shift;

  SPTRSV_TRY(factor->place->pass(factor, numeric, 0, result));
  if (shift == SPTRSV_SHIFT_NONZERO) SPTRSV_TRY(shift_nonzero(factor, numeric, result));
  if (shift == SPTRSV_SHIFT_POSITIVE_DEFINITE) SPTRSV_TRY(shift_positive_definite(factor, numeric, result));
  if (result->zero_pivot_row < 0) result->zero_pivot = 0; /* it was an earlier pass's */
  return factor->location == SPTRSV_HOST || !factor->analysis->a.n ? sptrsvFactorFillPlans(factor, numeric) : SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorFillPlans(SptrsvFactor factor, const SptrsvNumeric *numeric)
{
  const void *of_blocks = NULL;

  for (int k = 0; k < numeric->plans; k++) {
    SptrsvPlan plan    = numeric->plan[k];
    const bool blocked = plan && plan->analysis == factor->blocks.analysis;

    if (!plan) continue;
    if (blocked && !of_blocks) SPTRSV_TRY(sptrsvFactorGetBlockValues(factor, numeric->stream, &of_blocks));
    SPTRSV_TRY(sptrsvPlanFill(plan, blocked ? of_blocks : factor->values, numeric->stream));
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorNumericPlans(SptrsvFactor factor, const void *values, const SptrsvPivoting *pivoting, int plans,
                                      const SptrsvPlan *plan, SptrsvStream stream, SptrsvFactorResult *result)
{
  static const SptrsvPivoting plain   = {.shift = SPTRSV_SHIFT_NONE};
  const SptrsvNumeric         numeric = {values, pivoting ? pivoting : &plain, stream, plans, plan};
  SptrsvFactorResult          r       = {.zero_pivot_row = -1};
  SptrsvStatus                status;

  SPTRSV_TRY(check(factor, &numeric));
  for (int k = 0; k < plans; k++) {
    if (plan[k]) sptrsvPlanEmpty(plan[k]);
  }
  status = factorize(factor, &numeric, &r);
  for (int k = 0; k < plans && status; k++) {
    if (plan[k]) plan[k]->ready = false; /* those that were filled already have no factor's values */
  }
  if (!status && result) *result = r;
  return status;
}

SptrsvStatus sptrsvFactorNumeric(SptrsvFactor factor, const void *values, const SptrsvPivoting *pivoting, SptrsvStream stream,
                                 SptrsvFactorResult *result)
{
  return sptrsvFactorNumericPlans(factor, values, pivoting, 0, NULL, stream, result);
}

SptrsvStatus sptrsvFactorGetAnalysis(SptrsvFactor factor, SptrsvAnalysis *analysis)
{
  if (!factor || !analysis) return SPTRSV_INVALID_ARGUMENT;
  if (factor->storage.rows > 1) return SPTRSV_NOT_SUPPORTED;
  *analysis = factor->analysis;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorGetValues(SptrsvFactor factor, const void **values)
{
  if (!factor || !values) return SPTRSV_INVALID_ARGUMENT;
  if (factor->storage.rows > 1) return SPTRSV_NOT_SUPPORTED;
  *values = factor->values;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorGetInvertedPivots(SptrsvFactor factor, void *inverted, SptrsvStream stream)
{
  if (!factor || (!inverted && factor->analysis->a.n)) return SPTRSV_INVALID_ARGUMENT;
  return factor->place->pivots ? factor->place->pivots(factor, inverted, stream) : SPTRSV_NOT_SUPPORTED;
}

SptrsvStatus sptrsvFactorGetPattern(SptrsvFactor factor, int64_t *rows, int64_t *nnz, const int32_t **row_ptr, const int32_t **col_idx)
{
  if (!factor || !rows || !nnz || !row_ptr || !col_idx) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvAnalysisOnHost(factor->analysis));
  *rows    = factor->analysis->a.n;
  *nnz     = factor->analysis->a.nnz;
  *row_ptr = factor->analysis->a.row_ptr;
  *col_idx = factor->analysis->a.col_idx;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorMatches(SptrsvFactor factor, const SptrsvCsr *A, int *matches)
{
  bool same;

  if (!factor || !matches) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvCsrCheck(A));
  SPTRSV_TRY(sptrsvAnalysisMatches(sptrsvFactorMatrix(factor), A, &same));
  *matches = same;
  return SPTRSV_SUCCESS;
}

static void count_on_host(const SptrsvPattern *f, SptrsvFactorCounts *counts)
{
  for (int i = 0; i < f->n; i++) {
    counts->lower += f->split[i] - f->row_ptr[i];
    for (int e = f->row_ptr[i]; e < f->split[i]; e++) {
      const int k = f->col_idx[e];

      counts->products += f->row_ptr[k + 1] - f->split[k] - 1;
    }
  }
}

SptrsvStatus sptrsvFactorGetCounts(SptrsvFactor factor, SptrsvFactorCounts *counts)
{
  SptrsvFactorCounts found = {0};
  int64_t            rows;

  if (!factor || !counts) return SPTRSV_INVALID_ARGUMENT;
#if defined(SPTRSV_HAVE_CUDA)
  if (factor->location == SPTRSV_DEVICE) SPTRSV_TRY(sptrsvFactorDeviceCounts(factor, &found));
  else
#endif
    count_on_host(&factor->analysis->a, &found);
  rows        = factor->storage.rows;
  found.upper = factor->analysis->a.nnz - factor->analysis->a.n - found.lower;
  *counts     = (SptrsvFactorCounts){rows * rows * found.lower, rows * rows * found.upper, rows * rows * rows * found.products};
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorGetMemory(SptrsvFactor factor, size_t *host, size_t *device)
{
  if (!factor || !host || !device) return SPTRSV_INVALID_ARGUMENT;
  *host   = factor->memory.bytes[SPTRSV_HOST] + factor->work.memory.bytes[SPTRSV_HOST] + factor->entry_memory.bytes[SPTRSV_HOST];
  *device = factor->memory.bytes[SPTRSV_DEVICE] + factor->work.memory.bytes[SPTRSV_DEVICE] + factor->blocks.memory.bytes[SPTRSV_DEVICE];
  for (int k = 0; k < 3; k++) {
    const SptrsvAnalysis analysis[] = {factor->analysis, factor->blocks.analysis, factor->matrix};

    *host += sptrsvAnalysisBytes(analysis[k], SPTRSV_HOST);
    *device += sptrsvAnalysisBytes(analysis[k], SPTRSV_DEVICE);
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvFactorDestroy(SptrsvFactor *factor)
{
  SptrsvFactor f;

  if (!factor) return SPTRSV_INVALID_ARGUMENT;
  f       = *factor;
  *factor = NULL;
  if (!f) return SPTRSV_SUCCESS;
  if (f->place->destroy) f->place->destroy(f);
  sptrsvFactorBlocksFree(&f->blocks);
  sptrsvMemoryFree(&f->memory);
  sptrsvMemoryFree(&f->entry_memory);
  (void)sptrsvAnalysisDestroy(&f->analysis);
  (void)sptrsvAnalysisDestroy(&f->matrix);
  free(f);
  return SPTRSV_SUCCESS;
}
