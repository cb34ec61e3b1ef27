/* Factors with blocks and of blocks, call by call: what comes too early, what is refused, and zero pivots. */
#include <math.h>
#include <stdlib.h>
#include "block_check.h"

static const BlockKind      fours    = {"blocks of 4", 4, 0, WHOLE};
static const SptrsvPivoting no_shift = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};

/* What comes too early, what is no block form's any more, and blocks that are found again */
static void test_order(void)
{
  ZooMatrix      A;
  SptrsvCsr      csr;
  SptrsvFactor   factor   = NULL;
  SptrsvAnalysis analysis = NULL;
  SptrsvBlocks   found = {-1, -1, -1, -1}, again = {-1, -1, -1, -1};
  const void    *values = NULL;
  size_t         host, device, before;

  create_block_matrix(&fours, &A);
  csr = zoo_csr(&A);
  case_begin("the order of calls");
  if (expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &factor))) {
    void *a = zoo_values(&A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE), *vector = place_new(SPTRSV_DEVICE, (size_t)A.n * sizeof(double), NULL);

    expect_success(sptrsvFactorNumeric(factor, a, &no_shift, NULL, NULL));
    expect_success(sptrsvFactorGetMemory(factor, &host, &before));
    expect_status(sptrsvFactorGetBlockAnalysis(factor, &analysis), SPTRSV_NOT_READY, "an analysis before blocks");
    expect_success(sptrsvFactorFindBlocks(factor, 0, &found));
    expect_status(sptrsvFactorGetBlockValues(factor, NULL, &values), SPTRSV_NOT_READY, "values before an analysis");
    expect_success(sptrsvFactorGetBlockAnalysis(factor, &analysis));
    expect_status(sptrsvFactorSolveBlocks(factor, SPTRSV_BLOCKS_L, SPTRSV_NON_TRANSPOSE, vector, vector, NULL), SPTRSV_NOT_READY,
                  "a product before values");
    expect_success(sptrsvFactorGetBlockValues(factor, NULL, &values));
    expect_refusal(sptrsvFactorSolveBlocks(factor, (SptrsvBlockPart)3, SPTRSV_NON_TRANSPOSE, vector, vector, NULL));
    expect_refusal(sptrsvFactorSolveBlocks(factor, SPTRSV_BLOCKS_L, (SptrsvOperation)2, vector, vector, NULL));
    expect_refusal(sptrsvFactorSolveBlocks(factor, SPTRSV_BLOCKS_L, SPTRSV_TRANSPOSE, NULL, vector, NULL));
    expect_refusal(sptrsvFactorSolveBlocks(factor, SPTRSV_BLOCKS_L, SPTRSV_TRANSPOSE, vector, NULL, NULL));
    expect_success(sptrsvFactorFindBlocks(factor, 2, &again));
    expect(found.most == 4 && again.most == 2, "blocks of %d, then of %d", found.most, again.most);
    expect_status(sptrsvFactorGetBlockValues(factor, NULL, &values), SPTRSV_NOT_READY, "values of another form");
    expect_success(sptrsvFactorGetBlockAnalysis(factor, &analysis));
    expect_success(sptrsvFactorFindBlocks(factor, 1, &again));
    expect(!again.rows && !again.most && !again.worth, "rows of their own in blocks of %d", again.most);
    expect_success(sptrsvFactorGetMemory(factor, &host, &device));
    expect(device == before, "%zu bytes with no blocks, %zu before", device, before);
    place_free(SPTRSV_DEVICE, a);
    place_free(SPTRSV_DEVICE, vector);
  }
  expect_success(sptrsvFactorDestroy(&factor));
  case_end();
  zoo_destroy(&A);
}

static void test_host(void)
{
  ZooMatrix      A;
  SptrsvCsr      csr;
  SptrsvFactor   factor   = NULL;
  SptrsvAnalysis analysis = NULL;
  SptrsvBlocks   found    = {-1, -1, -1, -1};
  const void    *values   = NULL;
  double         x        = 1;

  create_block_matrix(&fours, &A);
  csr = zoo_csr(&A);
  case_begin("blocks on the host");
  expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_HOST, NULL, &factor));
  expect_refusal(sptrsvFactorFindBlocks(NULL, 0, &found));
  expect_refusal(sptrsvFactorFindBlocks(factor, -1, &found));
  expect_refusal(sptrsvFactorFindBlocks(factor, 0, NULL));
  expect_refusal(sptrsvFactorGetBlockAnalysis(NULL, &analysis));
  expect_refusal(sptrsvFactorGetBlockAnalysis(factor, NULL));
  expect_refusal(sptrsvFactorGetBlockValues(NULL, NULL, &values));
  expect_refusal(sptrsvFactorGetBlockValues(factor, NULL, NULL));
  expect_refusal(sptrsvFactorSolveBlocks(NULL, SPTRSV_BLOCKS_L, SPTRSV_NON_TRANSPOSE, &x, &x, NULL));
  expect_status(sptrsvFactorFindBlocks(factor, 0, &found), SPTRSV_NOT_SUPPORTED, "blocks");
  expect_status(sptrsvFactorGetBlockAnalysis(factor, &analysis), SPTRSV_NOT_SUPPORTED, "their analysis");
  expect_status(sptrsvFactorGetBlockValues(factor, NULL, &values), SPTRSV_NOT_SUPPORTED, "their values");
  expect_status(sptrsvFactorSolveBlocks(factor, SPTRSV_BLOCKS_L, SPTRSV_NON_TRANSPOSE, &x, &x, NULL), SPTRSV_NOT_SUPPORTED, "a product");
  expect(found.rows == -1 && !analysis && !values && x == 1, "a refusal changes its output");
  expect_success(sptrsvFactorDestroy(&factor));
  case_end();
  zoo_destroy(&A);
}

/* One pivot block, given by columns: the row with a zero pivot, and the largest entry of its inverse */
static int zero_pivot_of(SptrsvLocation location, const double *block, const SptrsvPivoting *pivoting, double *largest)
{
  enum { ROWS = 2 };

  const int32_t            row_ptr[] = {0, 1}, col_idx[] = {0};
  const SptrsvCsr          csr     = {1, 1, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
  const SptrsvBlockStorage storage = {ROWS, 0, 0};
  SptrsvFactor             factor  = NULL;
  SptrsvFactorResult       result  = {.zero_pivot_row = -2};
  SptrsvBlocks             found;
  SptrsvAnalysis           analysis;
  const void              *values;
  double                   x[ROWS] = {1, 1};
  void                    *d_x = place_new(location, sizeof(x), x), *a = place_new(location, sizeof(*block) * ROWS * ROWS, block);

  expect_success(sptrsvFactorCreateBlocks(&csr, &storage, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor));
  expect_success(sptrsvFactorFindBlocks(factor, 0, &found));
  expect_success(sptrsvFactorGetBlockAnalysis(factor, &analysis));
  expect_success(sptrsvFactorNumeric(factor, a, pivoting, NULL, &result));
  expect_success(sptrsvFactorGetBlockValues(factor, NULL, &values));
  expect_success(sptrsvFactorSolveBlocks(factor, SPTRSV_BLOCKS_LU, SPTRSV_NON_TRANSPOSE, d_x, d_x, NULL));
  place_get(location, x, d_x, sizeof(x));
  *largest = fmax(fabs(x[0]), fabs(x[1]));
  place_free(location, d_x);
  place_free(location, a);
  expect_success(sptrsvFactorDestroy(&factor));
  return (int)result.zero_pivot_row;
}

static void test_pivots(SptrsvLocation location)
{
  static const double  crossed[] = {0, 1, 1, 0}, first[] = {0, 0, 0, 4}, last[] = {4, 0, 0, 0}, regular[] = {2, 0, 0, 4},
                       tiny[] = {1e-12, 0, 0, 1e-12};
  const SptrsvPivoting none = {.shift = SPTRSV_SHIFT_NONE}, in_order = {.in_order = 1},
                       shift = {.shift = SPTRSV_SHIFT_INBLOCKS, .shift_amount = 0.5}, large = {.zero_pivot = 3},
                       small = {.zero_pivot = 1e-8, .in_order = 1};
  double x;

  case_begin("zero pivots on the %s", location == SPTRSV_HOST ? "host" : "GPU");
  expect(zero_pivot_of(location, crossed, &none, &x) == -1 && x == 1, "rows are not exchanged");
  expect(zero_pivot_of(location, crossed, &in_order, &x) == 0, "rows are exchanged");
  expect(zero_pivot_of(location, first, &none, &x) == 0, "the first pivot is no zero");
  expect(zero_pivot_of(location, last, &none, &x) == 1, "the last pivot is no zero");
  expect(zero_pivot_of(location, first, &shift, &x) == -1 && fabs(x - 2) < 1e-10, "the shift makes it %g", x); /* 1 / (0.25 0.5 4) */
  expect(zero_pivot_of(location, last, &shift, &x) == 1, "the last pivot is shifted");
  expect(zero_pivot_of(location, regular, &large, &x) == 0, "2 is no zero beside 3");
  expect(zero_pivot_of(location, tiny, &small, &x) == 0, "the second of two tiny pivots is told");
  case_end();
}

/* Two blocks with ones on the other diagonal, which make a matrix that is not positive definite */
static void test_refusals(SptrsvLocation location)
{
  enum { ROWS = 3, N = 2 * ROWS };

  static const int32_t     row_ptr[] = {0, 1, 2}, col_idx[] = {0, 1}, cut[] = {5, 4, 3, 2, 1, 0};
  static const double      crossed[] = {0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0}, zeros[N] = {0};
  const SptrsvBlockStorage storage[] = {{1, 0, 0}, {SPTRSV_BLOCK_ROWS + 1, 0, 0}, {ROWS, 1, 1}, {5, 0, 1}, {ROWS, 0, 0}};
  const SptrsvPivoting     pivoting  = {.shift = SPTRSV_SHIFT_NONZERO, .shift_amount = 1};
  const SptrsvCsr          csr       = {2, 2, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
  const SptrsvPlanOptions  o         = {
               .location = SPTRSV_HOST, .triangle = SPTRSV_LOWER, .diagonal = SPTRSV_DIAG_UNIT, .type = SPTRSV_DOUBLE, .in_perm = cut};
  void          *a = place_new(location, sizeof(crossed), crossed), *x = place_new(location, sizeof(zeros), zeros);
  SptrsvFactor   factor = NULL;
  SptrsvAnalysis analysis;
  SptrsvBlocks   found;
  SptrsvPlan     plan = NULL;
  const void    *got;

  case_begin("what is refused on the %s", location == SPTRSV_HOST ? "host" : "GPU");
  for (int k = 0; k < 4; k++)
    expect_refusal(sptrsvFactorCreateBlocks(&csr, &storage[k], SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor));
  expect_refusal(sptrsvFactorCreateBlocks(&csr, NULL, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor));
  if (expect_success(sptrsvFactorCreateBlocks(&csr, &storage[4], SPTRSV_ICC0, NULL, NULL, NULL, SPTRSV_DOUBLE, location, NULL, &factor))) {
    expect_status(sptrsvFactorNumeric(factor, a, &pivoting, NULL, NULL), SPTRSV_NOT_SUPPORTED, "shifts of points");
    expect_status(sptrsvFactorGetAnalysis(factor, &analysis), SPTRSV_NOT_SUPPORTED, "an analysis of points");
    expect_status(sptrsvFactorGetValues(factor, &got), SPTRSV_NOT_SUPPORTED, "values of points");
    expect_status(sptrsvFactorGetInvertedPivots(factor, x, NULL), SPTRSV_NOT_SUPPORTED, "pivots");
    expect_status(sptrsvFactorGetBlockAnalysis(factor, &analysis), SPTRSV_NOT_READY, "an analysis before blocks");
    expect_success(sptrsvFactorFindBlocks(factor, 1, &found));
    expect_success(sptrsvFactorGetBlockAnalysis(factor, &analysis));
    expect_success(sptrsvFactorNumeric(factor, a, NULL, NULL, NULL));
    expect_success(sptrsvFactorGetBlockValues(factor, NULL, &got));
    for (int again = 0; again < 2; again++)
      expect_status(sptrsvFactorSolveBlocks(factor, SPTRSV_BLOCKS_L, SPTRSV_NON_TRANSPOSE, x, x, NULL), SPTRSV_NOT_SUPPORTED,
                    "halves of a matrix that is not positive definite");
    if (location == SPTRSV_HOST) expect_refusal(sptrsvPlanCreate(analysis, &o, &plan)); /* elsewhere plans are of rows */
  }
  expect_success(sptrsvFactorDestroy(&factor));
  place_free(location, a);
  place_free(location, x);
  case_end();
}

int main(int argc, char **argv)
{
  const SptrsvLocation last = sptrsvDeviceCount() ? SPTRSV_DEVICE : SPTRSV_HOST;

  (void)test_begin("block_calls", argc, argv);
  test_host();
  if (last == SPTRSV_DEVICE) test_order();
  else case_skip("blocks on the GPU: there is no GPU");
  for (SptrsvLocation location = SPTRSV_HOST; location <= last; location++) {
    test_pivots(location);
    test_refusals(location);
  }
  return test_end();
}
