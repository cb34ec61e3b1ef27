/* `strips` with teams of two warps, which have many chunks of a strip each, beside larger ones: right, and the same bits */
#include "sweep_check.h"
#include <string.h>

enum { PLANS = 6 };

/* Pairs with the same strips: of as many rows as by rule, of all rows, and of a part of them */
static const SptrsvStripsOptions options[PLANS] = {{0},           {.warps = 2}, {.rows = 4096}, {.rows = 4096, .warps = 2},
                                                   {.rows = 160}, {.rows = 160, .warps = 2}};

static void test_matrix(const ZooMatrix *A)
{
  const size_t      bytes    = (size_t)A->n * sizeof(double);
  const SptrsvCsr   csr      = zoo_csr(A);
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlan        plan[PLANS];
  SptrsvPlanOptions o = {.algorithm = "strips", .type = SPTRSV_DOUBLE, .diagonal = SPTRSV_DIAG_STORED, .location = SPTRSV_DEVICE};
  void *const       values = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE), *b = place_new(SPTRSV_DEVICE, bytes, A->values),
             *x = place_new(SPTRSV_DEVICE, bytes, NULL), *first = place_new(SPTRSV_HOST, bytes, NULL),
             *other = place_new(SPTRSV_HOST, bytes, NULL);
  Triangular        T;

  case_begin("teams of two warps, %s, %d rows", A->name, A->n);
  triangular_create(A, &o, A->values, &T);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  for (int k = 0; k < PLANS; k++) {
    o.tuning.strips = options[k];
    expect_success(sptrsvPlanCreate(analysis, &o, &plan[k]));
    expect_success(sptrsvPlanUpdate(plan[k], values, NULL));
  }
  for (int k = 0; k < PLANS; k++) {
    expect_success(sptrsvSolve(plan[k], b, x, NULL));
    place_get(SPTRSV_DEVICE, k % 2 ? other : first, x, bytes);
    expect(!triangular_wrong_rows(&T, &o, A->values, k % 2 ? other : first), "wrong rows with strips of %d rows", options[k].rows);
    if (k % 2) expect(!memcmp(first, other, bytes), "other bits with two warps, strips of %d rows", options[k].rows);
  }
  for (int k = 0; k < PLANS; k++) expect_success(sptrsvPlanDestroy(&plan[k]));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  triangular_destroy(&T);
  place_free(SPTRSV_DEVICE, values);
  place_free(SPTRSV_DEVICE, b);
  place_free(SPTRSV_DEVICE, x);
  place_free(SPTRSV_HOST, first);
  place_free(SPTRSV_HOST, other);
  case_end();
}

int main(int argc, char **argv)
{
  ZooMatrix A;

  (void)test_begin("teams", argc, argv);
  if (!sptrsvDeviceCount()) case_skip("there is no GPU");
  for (int k = 0; sptrsvDeviceCount() && k < zoo_count(); k++) {
    zoo_create(k, false, &A); /* strips of several rounds of a warp, many for a team */
    if (A.diagonal && A.nnz >= A.n && A.n >= 100 && (!test_quick() || A.nnz <= 10000)) test_matrix(&A);
    zoo_destroy(&A);
  }
  return test_end();
}
