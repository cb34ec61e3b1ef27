/* `strips`: teams of two warps, which have many chunks of a strip each, beside larger ones: right, and the same bits; orders and bricks */
#include "../../src/kernels/analysis/cut.h"
#include "../../src/kernels/solve/strips/strips.h"
#include "sweep_check.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLANS = 8, TEXT = 1024 };

/* Pairs with the same strips: of as many rows as by rule, of all rows, and of a part of them, by level and by list */
static const SptrsvStripsOptions options[PLANS] = {{0},
                                                   {.warps = 2},
                                                   {.rows = 4096},
                                                   {.rows = 4096, .warps = 2},
                                                   {.rows = 160},
                                                   {.rows = 160, .warps = 2},
                                                   {.rows = 320, .schedule = SPTRSV_STRIPS_LIST},
                                                   {.rows = 320, .warps = 2, .schedule = SPTRSV_STRIPS_LIST}};

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

/* A depth-first order that is kept for the next plan of a set-up is for the same sweep: of two in a row one of two things is another */
static void test_kept_order(const ZooMatrix *A)
{
  static const int  sweep[SWEEPS_OF_PATTERN] = {0, 2, 3, 1};
  const SptrsvCsr   csr                      = zoo_csr(A);
  SptrsvAnalysis    analysis                 = NULL;
  SptrsvPlan        plan[SWEEPS_OF_PATTERN]  = {NULL};
  SptrsvPlanOptions o                        = {.algorithm           = "strips",
                                                .location            = SPTRSV_DEVICE,
                                                .tuning.strips.rows  = 32,
                                                .tuning.strips.order = SPTRSV_STRIPS_DEPTH_FIRST};

  case_begin("depth-first orders of all sweeps in one set-up, %s", A->name);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  sptrsvSetupBegin();
  for (int k = 0; k < SWEEPS_OF_PATTERN; k++) {
    set_sweep(sweep[k], &o);
    expect_success(sptrsvPlanBuild(analysis, &o, &plan[k]));
    expect(analysis->depth_first.triangle == o.triangle && analysis->depth_first.op == o.op, "sweep %d has the order of another", sweep[k]);
  }
  sptrsvCutFree(&analysis->cut);
  sptrsvDepthFirstFree(&analysis->depth_first);
  expect_success(sptrsvSetupEnd(SPTRSV_DEVICE, SPTRSV_SUCCESS));
  for (int k = 0; k < SWEEPS_OF_PATTERN; k++) expect_success(sptrsvPlanDestroy(&plan[k]));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

/* Lines and planes of a grid are found in its pattern, for both sweeps and their transposes */
static void test_bricks(void)
{
  ZooMatrix         A;
  SptrsvCsr         csr;
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlan        plan     = NULL;
  SptrsvPlanOptions o        = {.algorithm = "strips", .location = SPTRSV_DEVICE, .tuning.strips.order = SPTRSV_STRIPS_BRICKS};
  char              text[TEXT], right[TEXT];

  for (int k = 0; k < zoo_count(); k++) {
    zoo_create(k, true, &A);
    const int m = (int)cbrt(A.n + 0.5); /* points of a line */

    if (!strcmp(A.name, "grid3d") && m < 5) case_skip("bricks: %d rows are too few", A.n);
    else if (!strcmp(A.name, "grid3d")) {
      csr                  = zoo_csr(&A);
      o.tuning.strips.rows = 4 * m;
      (void)snprintf(right, TEXT, "strips, %d bricks of 2 x 2 lines,", (m + 1) / 2 * ((m + 1) / 2));
      case_begin("bricks of a grid of %d x %d x %d", m, m, m);
      expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
      for (int s = 0; s < SWEEPS_OF_PATTERN; s++) {
        set_sweep(s, &o);
        expect_success(sptrsvPlanCreate(analysis, &o, &plan));
        expect_success(sptrsvPlanDescribe(plan, text, TEXT));
        expect(!strncmp(text, right, strlen(right)), "\"%s\" is not \"%s\"", text, right);
        expect_success(sptrsvPlanDestroy(&plan));
      }
      expect_success(sptrsvAnalysisDestroy(&analysis));
      case_end();
    }
    zoo_destroy(&A);
  }
}

/* Distances from the diagonal in a box of points: within lines, from line to line, from plane to plane */
static void test_distances(int line, int lines, int planes)
{
  enum { MOST_POINTS = 400, NEEDED = 4 };
  static int32_t row_ptr[MOST_POINTS + 1], col_idx[NEEDED * MOST_POINTS];
  const int      n = line * lines * planes, step[] = {line * lines, line, 1, 0}, size[] = {planes, lines, line, 1};
  SptrsvAnalysis analysis = NULL;
  int            bound[2], gaps;
  double         beside;

  for (int i = 0; i < n; i++) {
    row_ptr[i + 1] = row_ptr[i];
    for (int k = 0; k < NEEDED; k++) {
      if (k == NEEDED - 1 || i / step[k] % size[k]) col_idx[row_ptr[i + 1]++] = i - step[k];
    }
  }
  case_begin("distances in a box of %d x %d x %d points", line, lines, planes);
  expect_success(
    sptrsvAnalysisCreate(&(SptrsvCsr){n, row_ptr[n], row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST}, SPTRSV_DEVICE, NULL, &analysis));
  expect_success(sptrsvDistanceClasses(analysis, SPTRSV_LOWER, bound, &gaps, &beside));
  expect(gaps == 2 && bound[0] == line && bound[1] == line * lines, "%d gaps, from %d and %d on", gaps, bound[0], bound[1]);
  expect_success(sptrsvAnalysisDestroy(&analysis));
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
    if (!strcmp(A.name, "unsymmetric")) test_kept_order(&A);
    zoo_destroy(&A);
  }
  if (sptrsvDeviceCount()) {
    test_bricks();
    test_distances(4, 32, 3);
    test_distances(32, 4, 3);
  }
  return test_end();
}
