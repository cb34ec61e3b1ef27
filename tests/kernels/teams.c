/* `strips`: teams of two warps, which have many chunks of a strip each, beside larger ones: right, and the same bits; orders and bricks */
#include "../../src/kernels/solve/strips/strips.h"
#include "sweep_check.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A sweep by a plan that is made for it: x, and the plan's description */
static void solve_once(SptrsvAnalysis analysis, const SptrsvPlanOptions *o, const void *values, const void *b, void *x, char text[TEXT])
{
  SptrsvPlan plan = NULL;

  expect_success(sptrsvPlanCreate(analysis, o, &plan));
  expect_success(sptrsvPlanUpdate(plan, values, NULL));
  expect_success(sptrsvSolve(plan, b, x, NULL));
  expect_success(sptrsvPlanDescribe(plan, text, TEXT));
  expect_success(sptrsvPlanDestroy(&plan));
}

/* A binary tree, in which one sweep has a much shorter schedule than the other */
static void draw_tree(ZooMatrix *A)
{
  enum { N = 400 };

  *A         = (ZooMatrix){.name = "tree", .n = N, .diagonal = true};
  A->row_ptr = place_new(SPTRSV_HOST, (N + 1) * sizeof(int32_t), NULL);
  A->col_idx = place_new(SPTRSV_HOST, sizeof(int32_t) * 4 * N, NULL);
  for (int i = 0; i < N; i++) {
    A->row_ptr[i] = A->nnz;
    if (i) A->col_idx[A->nnz++] = (i - 1) / 2;
    A->col_idx[A->nnz++] = i;
    for (int child = 2 * i + 1; child <= 2 * i + 2 && child < N; child++) A->col_idx[A->nnz++] = child;
  }
  A->row_ptr[N] = A->nnz;
  A->values     = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(double), NULL);
  zoo_randomize(A, 5);
}

/* Orders are kept for the next plan, and that has no effect: x has the same bits whatever plan comes first.  Of a symmetric pattern, sweeps
   one way take the schedule of those the other way if it is much shorter. */
static void test_orders(const ZooMatrix *A, bool symmetric, const SptrsvStripsOptions *strips)
{
  const size_t      bytes  = (size_t)A->n * sizeof(double);
  const SptrsvCsr   csr    = zoo_csr(A);
  SptrsvAnalysis    shared = NULL, own = NULL;
  SptrsvPlanOptions o      = {.algorithm     = "strips",
                              .type          = SPTRSV_DOUBLE,
                              .diagonal      = SPTRSV_DIAG_STORED,
                              .location      = SPTRSV_DEVICE,
                              .tuning.strips = *strips};
  void *const       values = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE), *b = place_new(SPTRSV_DEVICE, bytes, A->values),
             *x = place_new(SPTRSV_DEVICE, bytes, NULL), *first = place_new(SPTRSV_HOST, bytes, NULL),
             *alone = place_new(SPTRSV_HOST, bytes, NULL);
  char              text[2][TEXT];
  int               steps[SWEEPS_OF_PATTERN] = {0};

  case_begin("orders that sweeps share, %s, order %d, schedule %d", A->name, strips->order, strips->schedule);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &shared));
  for (int s = 0; s < SWEEPS_OF_PATTERN; s++) {
    const char *list;

    set_sweep(s, &o);
    expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &own));
    solve_once(shared, &o, values, b, x, text[0]);
    place_get(SPTRSV_DEVICE, first, x, bytes);
    solve_once(own, &o, values, b, x, text[1]);
    place_get(SPTRSV_DEVICE, alone, x, bytes);
    expect(!memcmp(first, alone, bytes), "sweep %d: other bits after other sweeps", s);
    expect(!strcmp(text[0], text[1]), "sweep %d: \"%s\" after other sweeps, else \"%s\"", s, text[0], text[1]);
    list = strstr(text[0], "schedule of ");
    if (list) steps[s] = atoi(list + strlen("schedule of "));
    expect(!list == !strips->schedule, "sweep %d: \"%s\"", s, text[0]);
    expect_success(sptrsvAnalysisDestroy(&own));
  }
  for (int s = 1; s < SWEEPS_OF_PATTERN && symmetric; s++)
    expect(steps[s] <= 1.06 * steps[0] && steps[0] <= 1.06 * steps[s], "sweep %d takes %d steps, and sweep 0 %d", s, steps[s], steps[0]);
  expect_success(sptrsvAnalysisDestroy(&shared));
  place_free(SPTRSV_DEVICE, values);
  place_free(SPTRSV_DEVICE, b);
  place_free(SPTRSV_DEVICE, x);
  place_free(SPTRSV_HOST, first);
  place_free(SPTRSV_HOST, alone);
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
  static const SptrsvStripsOptions orders[] = {{.rows = 32, .order = SPTRSV_STRIPS_DEPTH_FIRST},
                                               {.rows = 32, .schedule = SPTRSV_STRIPS_LIST},
                                               {.rows = 32, .order = SPTRSV_STRIPS_DEPTH_FIRST, .schedule = SPTRSV_STRIPS_LIST}};
  enum { ORDERS = sizeof(orders) / sizeof(*orders) };
  ZooMatrix A;

  (void)test_begin("teams", argc, argv);
  if (!sptrsvDeviceCount()) case_skip("there is no GPU");
  for (int k = 0; sptrsvDeviceCount() && k < zoo_count(); k++) {
    zoo_create(k, false, &A); /* strips of several rounds of a warp, many for a team */
    if (A.diagonal && A.nnz >= A.n && A.n >= 100 && (!test_quick() || A.nnz <= 10000)) test_matrix(&A);
    zoo_destroy(&A);
    zoo_create(k, true, &A);
    if (A.diagonal && A.nnz >= A.n && A.n >= 30) {
      for (int o = 0; o < ORDERS; o++) test_orders(&A, !strncmp(A.name, "grid", 4), &orders[o]);
    }
    zoo_destroy(&A);
  }
  if (sptrsvDeviceCount()) {
    draw_tree(&A);
    for (int o = 0; o < ORDERS; o++) test_orders(&A, true, &orders[o]);
    zoo_destroy(&A);
    test_bricks();
    test_distances(4, 32, 3);
    test_distances(32, 4, 3);
  }
  return test_end();
}
