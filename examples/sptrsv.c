/* sptrsv.c - The kernel library without PETSc: ILU(0) of a 2-D Laplacian on the host, and a solve with both of its triangles. */
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

enum { GRID = 64, ROWS = GRID * GRID };
static int32_t row_ptr[ROWS + 1], col_idx[5 * ROWS];
static double  values[5 * ROWS], b[ROWS], x[ROWS], y[ROWS];

static void assemble_laplacian(void)
{
  for (int32_t i = 0, nnz = 0; i < ROWS; row_ptr[++i] = nnz) {
    const int32_t column[] = {i - GRID, i - 1, i, i + 1, i + GRID};
    const int     inside[] = {i >= GRID, i % GRID > 0, 1, i % GRID < GRID - 1, i < ROWS - GRID};

    for (int k = 0; k < 5; k++) {
      if (!inside[k]) continue;
      col_idx[nnz]  = column[k];
      values[nnz++] = k == 2 ? 4 : -1;
    }
  }
}

static SptrsvPlan plan_sweep(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvDiagonal diagonal)
{
  const SptrsvPlanOptions options = {.algorithm = "auto", .location = SPTRSV_HOST, .type = SPTRSV_DOUBLE, .triangle = triangle,
                                     .diagonal = diagonal};
  SptrsvPlan              plan;

  CHECK(sptrsvPlanCreate(analysis, &options, &plan));
  return plan;
}

/* Largest entry of b - L U x.  `lu` holds the multipliers of L, the reciprocal of each pivot, and the rest of U. */
static double residual(const int32_t *ptr, const int32_t *idx, const double *lu)
{
  double largest = 0;

  for (int32_t i = 0; i < ROWS; i++) { /* y = U x */
    y[i] = 0;
    for (int32_t k = ptr[i]; k < ptr[i + 1]; k++) {
      if (idx[k] >= i) y[i] += (idx[k] == i ? 1 / lu[k] : lu[k]) * x[idx[k]];
    }
  }
  for (int32_t i = 0; i < ROWS; i++) { /* b - L y */
    double r = b[i] - y[i];

    for (int32_t k = ptr[i]; k < ptr[i + 1] && idx[k] < i; k++) r -= lu[k] * y[idx[k]];
    largest = fmax(largest, fabs(r));
  }
  return largest;
}

int main(void)
{
  const SptrsvPivoting pivoting = {.shift = SPTRSV_SHIFT_NONE};
  SptrsvFactor         factor;
  SptrsvAnalysis       analysis;
  SptrsvFactorResult   result;
  const int32_t       *ptr, *idx;
  const void          *lu;
  int64_t              rows, nnz;
  double               error;

  assemble_laplacian();
  for (int i = 0; i < ROWS; i++) b[i] = 1;

  /* once for each pattern */
  const SptrsvCsr A = {ROWS, row_ptr[ROWS], row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
  CHECK(sptrsvFactorCreate(&A, SPTRSV_ILU0, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &factor));
  CHECK(sptrsvFactorGetAnalysis(factor, &analysis));
  SptrsvPlan lower = plan_sweep(analysis, SPTRSV_LOWER, SPTRSV_DIAG_UNIT);
  SptrsvPlan upper = plan_sweep(analysis, SPTRSV_UPPER, SPTRSV_DIAG_INVERTED);

  /* again for new values; result.zero_pivot_row is the row of a zero pivot, or -1 */
  CHECK(sptrsvFactorNumeric(factor, values, &pivoting, NULL, &result));
  CHECK(sptrsvFactorGetValues(factor, &lu));
  CHECK(sptrsvPlanUpdate(lower, lu, NULL));
  CHECK(sptrsvPlanUpdate(upper, lu, NULL));

  /* again for each right-hand side: L y = b, U x = y */
  CHECK(sptrsvSolve(lower, b, y, NULL));
  CHECK(sptrsvSolve(upper, y, x, NULL));

  CHECK(sptrsvFactorGetPattern(factor, &rows, &nnz, &ptr, &idx));
  error = residual(ptr, idx, lu);
  (void)printf("ILU(0) of %d rows, largest entry of b - L U x: %.1e\n", ROWS, error);

  CHECK(sptrsvPlanDestroy(&upper));
  CHECK(sptrsvPlanDestroy(&lower));
  CHECK(sptrsvFactorDestroy(&factor));
  return error < 1e-12 ? 0 : 1;
}
