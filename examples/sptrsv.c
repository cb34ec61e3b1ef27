/* sptrsv.c - The kernel library without PETSc.  ILU(0) of a tridiagonal matrix has no error, so both sweeps solve A x = b. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sptrsv.h>

#define CHECK(call) \
  do { \
    const SptrsvStatus status = (call); \
    if (status) { \
      (void)fprintf(stderr, "%s: %s\n", #call, sptrsvGetErrorString(status)); \
      exit(1); \
    } \
  } while (0)

enum { ROWS = 4096 };
static int32_t row_ptr[ROWS + 1], col_idx[3 * ROWS];
static double  values[3 * ROWS], b[ROWS], x[ROWS], y[ROWS];

static SptrsvPlan plan_sweep(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvDiagonal diagonal)
{
  const SptrsvPlanOptions options = {"auto", SPTRSV_HOST, triangle, .diagonal = diagonal, .type = SPTRSV_DOUBLE};
  SptrsvPlan              plan;

  CHECK(sptrsvPlanCreate(analysis, &options, &plan));
  return plan;
}

int main(void)
{
  const SptrsvPivoting pivoting = {SPTRSV_SHIFT_NONE, 0, 0, 0};
  SptrsvFactor         factor;
  SptrsvAnalysis       analysis;
  SptrsvFactorResult   result;
  double               largest = 0;

  for (int32_t i = 0, nnz = 0; i < ROWS; row_ptr[++i] = nnz) { /* rows -1 3 -1 */
    for (int32_t j = i ? i - 1 : 0; j <= i + 1 && j < ROWS; j++) col_idx[nnz] = j, values[nnz++] = j == i ? 3 : -1;
    b[i] = 1;
  }
  const SptrsvCsr A = {ROWS, row_ptr[ROWS], row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};

  /* once for a pattern */
  CHECK(sptrsvFactorCreate(&A, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &factor));
  CHECK(sptrsvFactorGetAnalysis(factor, &analysis));
  SptrsvPlan lower = plan_sweep(analysis, SPTRSV_LOWER, SPTRSV_DIAG_UNIT), upper = plan_sweep(analysis, SPTRSV_UPPER, SPTRSV_DIAG_INVERTED);
  const SptrsvPlan plans[] = {lower, upper};

  /* again for new values; result.zero_pivot_row would name the row of a zero pivot */
  CHECK(sptrsvFactorNumericPlans(factor, values, &pivoting, 2, plans, NULL, &result));

  /* again for each right-hand side: L y = b, U x = y */
  CHECK(sptrsvSolve(lower, b, y, NULL));
  CHECK(sptrsvSolve(upper, y, x, NULL));

  for (int i = 0; i < ROWS; i++) {
    double r = b[i];

    for (int32_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) r -= values[k] * x[col_idx[k]];
    largest = fmax(largest, fabs(r));
  }
  (void)printf("ILU(0) of %d rows, largest entry of b - A x: %.1e\n", ROWS, largest);
  CHECK(sptrsvPlanDestroy(&upper));
  CHECK(sptrsvPlanDestroy(&lower));
  CHECK(sptrsvFactorDestroy(&factor));
  return largest < 1e-12 ? 0 : 1;
}
