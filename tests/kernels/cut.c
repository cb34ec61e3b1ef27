/* Rows that are cut because they are long: on the host against their definition, on the GPU with the host's results. */
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/analysis/analysis.h"
#include "analysis_check.h"
#include "check.h"
#include "cut_rows.h"
#include "sweep_check.h"
#include "zoo.h"

static const int most[] = {2, 3, 16, 70};

/* ---------------------------------------------------- the definition, on the host ------------------------------------------------- */

/* Row of each stored entry */
static int *rows_of_entries(const ZooMatrix *A)
{
  int *row = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(*row), NULL);

  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) row[e] = i;
  }
  return row;
}

/* Unknowns need at most so many earlier ones, and have the levels that follow; returns the number of those that do not */
static int count_misplaced(const SptrsvOrdered *u, const int *level, int longest)
{
  int wrong = 0;

  for (int k = 0; k < u->n; k++) {
    int right = 0;

    for (int e = u->row_ptr[k]; e < u->row_ptr[k + 1]; e++) {
      if (u->col_idx[e] < 0 || u->col_idx[e] >= k) return u->n;
      if (level[u->col_idx[e]] >= right) right = level[u->col_idx[e]] + 1;
    }
    wrong += level[k] != right || u->row_ptr[k + 1] - u->row_ptr[k] > longest;
  }
  return wrong;
}

/* The entry is a leaf of the row's tree: it is the matrix's entry there */
static bool is_leaf(const ZooMatrix *A, const int *row_of, int sweep, int row, int col, int source)
{
  return sweep & 2 ? A->col_idx[source] == row && row_of[source] == col : row_of[source] == row && A->col_idx[source] == col;
}

/* Returns the number of entries that a tree should not have, or not there.  uncut: levels of rows; used [nnz]: how often each of A is */
static int count_wrong_entries(const ZooMatrix *A, int sweep, const SptrsvOrdered *u, const int *uncut, int longest, int *used)
{
  int *row_of = rows_of_entries(A), wrong = 0;

  for (int end = 0, begin = 0; end < u->n; end++) {
    const int row  = u->row[end];
    int       last = -1, added = begin; /* level of the leaf before; the next partial sum to be added */

    if (row < 0) continue;
    for (int e = u->row_ptr[begin]; e < u->row_ptr[end + 1]; e++) {
      const int source = u->source[e], col = u->row[u->col_idx[e]];

      if (source < 0) wrong += source != SPTRSV_ONE || u->col_idx[e] != added++;
      else {
        wrong += col < 0 || !is_leaf(A, row_of, sweep, row, col, source);
        wrong += begin < end && (uncut[col] < last || added > begin);
        last = uncut[col];
        used[source]++;
      }
    }
    wrong += added != end || (begin < end) != (u->row_ptr[end + 1] - u->row_ptr[begin] - (end - begin) > longest);
    wrong += begin < end && u->row_ptr[end + 1] - u->row_ptr[end] != longest; /* a cut row keeps all that it can */
    begin = end + 1;
  }
  free(row_of);
  return wrong;
}

static void check_definition(const ZooMatrix *A, int sweep, const SptrsvOrdered *u, const int *level, const int *uncut, int longest)
{
  int *used = place_new(SPTRSV_HOST, (size_t)A->nnz * sizeof(*used), NULL), wrong;

  memset(used, 0, (size_t)A->nnz * sizeof(*used));
  wrong = count_misplaced(u, level, longest);
  expect(!wrong, "%s, at most %d: %d unknowns are too long, too early or on another level", sweep_names[sweep], longest, wrong);
  wrong = count_wrong_entries(A, sweep, u, uncut, longest, used);
  expect(!wrong, "%s, at most %d: %d entries are wrong", sweep_names[sweep], longest, wrong);
  wrong = 0;
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) wrong += used[e] != (sweep & 1 ? A->col_idx[e] > i : A->col_idx[e] < i);
  }
  expect(!wrong, "%s, at most %d: %d entries of the matrix are missing, or there twice", sweep_names[sweep], longest, wrong);
  free(used);
}

/* ------------------------------------------------------------ on the GPU ---------------------------------------------------------- */

#if defined(SPTRSV_HAVE_CUDA)
/* What was cut is there for the next plan that asks for the same, and for no other */
static void check_kept(SptrsvAnalysis analysis)
{
  static const int wanted[][2] = {{0, 2}, {0, 3}, {1, 3}, {3, 3}}; /* sweep, most: one of three numbers is another each time */
  SptrsvCut       *cut         = &analysis->cut;

  for (size_t k = 0; k < sizeof(wanted) / sizeof(*wanted); k++) {
    const SptrsvPlanOptions o = options_of(wanted[k][0]);

    expect_success(sptrsvDeviceCut(analysis, o.triangle, o.op, wanted[k][1]));
    expect(cut->levels > 0, "%s: rows are not cut anew", sweep_names[wanted[k][0]]);
    cut->levels = -1; /* a mark */
    expect_success(sptrsvDeviceCut(analysis, o.triangle, o.op, wanted[k][1]));
    expect(cut->levels == -1, "%s: rows are cut twice for the same plan", sweep_names[wanted[k][0]]);
  }
}
#endif

/* ---------------------------------------------------------------- cases ----------------------------------------------------------- */

static void test_matrix(const ZooMatrix *A, SptrsvAnalysis analysis, SptrsvAnalysis on_host)
{
  for (int k = 0; k < 4 * (int)(sizeof(most) / sizeof(*most)); k++) {
    const int               sweep = k % 4, longest = most[k / 4];
    const SptrsvPlanOptions o     = options_of(sweep);
    const int32_t          *uncut = NULL;
    SptrsvMemory            memory = {0};
    SptrsvOrdered           unknowns;
    int                    *level;

    expect_success(sptrsvAnalysisGetLevels(on_host, o.triangle, o.op, &uncut));
    if (expect_success(cut_rows_on_host(on_host, &o, longest, &memory, &unknowns, &level))) {
      check_definition(A, sweep, &unknowns, level, uncut, longest);
#if defined(SPTRSV_HAVE_CUDA)
      if (analysis) compare_cut_rows(analysis, sweep, &unknowns, level, longest);
#else
      (void)analysis;
#endif
    }
    sptrsvMemoryFree(&memory);
  }
}

static void test_host(const ZooMatrix *A, SptrsvAnalysis on_host)
{
  case_begin("%s, cut on the host", A->name);
  test_matrix(A, NULL, on_host);
  case_end();
}

#if defined(SPTRSV_HAVE_CUDA)
/* The analysis on the device takes in a pattern on the host or there, and so gets its levels from either */
static void test_device(const ZooMatrix *A, SptrsvAnalysis on_host, SptrsvLocation location)
{
  SptrsvCsr      csr      = zoo_csr(A);
  SptrsvAnalysis analysis = NULL;
  int32_t       *row_ptr  = place_new(location, (size_t)(A->n + 1) * sizeof(*row_ptr), A->row_ptr);
  int32_t       *col_idx  = place_new(location, (size_t)A->nnz * sizeof(*col_idx), A->col_idx);

  csr.row_ptr  = row_ptr;
  csr.col_idx  = col_idx;
  csr.location = location;
  case_begin("%s in %s memory, cut on the GPU", A->name, location == SPTRSV_DEVICE ? "device" : "host");
  if (expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis))) {
    test_matrix(A, analysis, on_host);
    check_kept(analysis);
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  place_free(location, row_ptr);
  place_free(location, col_idx);
  case_end();
}

/* A plan leaves nothing of it in its analysis */
static void test_plan(const ZooMatrix *A, const char *algorithm)
{
  const SptrsvCsr   csr      = zoo_csr(A);
  SptrsvPlanOptions o        = options_of(0);
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlan        plan     = NULL;

  o.algorithm               = algorithm;
  o.location                = SPTRSV_DEVICE;
  o.tuning.levelorder.lanes = 1;
  case_begin("%s, a plan of %s", A->name, algorithm);
  if (expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis))) {
    expect_success(sptrsvPlanCreate(analysis, &o, &plan));
    expect(!analysis->cut.most && !analysis->cut.memory.bytes[SPTRSV_DEVICE] && !analysis->cut.level_ptr, "cut rows are kept");
  }
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

/* The order of a plan, kept as in auto's trials, is not taken by one whose rows are cut in other places */
static void test_orders(const ZooMatrix *A)
{
  const size_t      bytes    = (size_t)A->n * sizeof(double);
  const SptrsvCsr   csr      = zoo_csr(A);
  SptrsvPlanOptions o        = options_of(0);
  SptrsvAnalysis    analysis = NULL;
  void *const values = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE), *b = place_new(SPTRSV_DEVICE, bytes, A->values),
             *x = place_new(SPTRSV_DEVICE, bytes, NULL), *result = place_new(SPTRSV_HOST, bytes, NULL);
  Triangular T;

  o.algorithm              = "strips";
  o.location               = SPTRSV_DEVICE;
  o.tuning.strips.rows     = 32;
  o.tuning.strips.schedule = SPTRSV_STRIPS_LIST;
  case_begin("%s, orders of rows cut in several places", A->name);
  triangular_create(A, &o, A->values, &T);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  for (int k = 0; k < 3; k++) {
    SptrsvPlan plan = NULL;

    o.tuning.strips.entries = k % 2 ? 4 : 16;
    if (expect_success(sptrsvPlanBuild(analysis, &o, &plan)) && expect_success(sptrsvPlanUpdate(plan, values, NULL)) &&
        expect_success(sptrsvSolve(plan, b, x, NULL))) {
      place_get(SPTRSV_DEVICE, result, x, bytes);
      expect(!triangular_wrong_rows(&T, &o, A->values, result), "plan %d of the analysis is wrong", k);
    }
    expect_success(sptrsvPlanDestroy(&plan));
  }
  triangular_destroy(&T);
  expect_success(sptrsvAnalysisDestroy(&analysis));
  place_free(SPTRSV_DEVICE, values);
  place_free(SPTRSV_DEVICE, b);
  place_free(SPTRSV_DEVICE, x);
  place_free(SPTRSV_HOST, result);
  case_end();
}
#endif

int main(int argc, char **argv)
{
  (void)test_begin("cut", argc, argv);
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis on_host = NULL;

    zoo_create(k, test_quick(), &A);
    csr = zoo_csr(&A);
    if (A.n && expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &on_host))) {
      test_host(&A, on_host);
#if defined(SPTRSV_HAVE_CUDA)
      if (sptrsvDeviceCount()) {
        test_device(&A, on_host, SPTRSV_HOST);
        test_device(&A, on_host, SPTRSV_DEVICE);
        test_plan(&A, "auto");
        test_plan(&A, "levelorder");
        if (A.nnz >= A.n) test_orders(&A);
      }
#endif
    }
    expect_success(sptrsvAnalysisDestroy(&on_host));
    zoo_destroy(&A);
  }
  if (!sptrsvDeviceCount()) case_skip("rows cut on the GPU: there is no GPU");
  return test_end();
}
