/* The numbers of the dependency graph (Ahmad et al., Table 1), and the decision and the cut of `split` that follow from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

enum { M = 3 }; /* rows of a parallel-friendly level */

/* By definition, entry by entry: row i of T needs column j of T */
static void sum_by_definition(const ZooMatrix *A, SptrsvTriangle triangle, SptrsvOperation op, const int32_t *level, SptrsvLevel *numbers)
{
  int *row    = place_new(SPTRSV_HOST, (size_t)A->n * sizeof(*row), NULL),
      *column = place_new(SPTRSV_HOST, (size_t)A->n * sizeof(*column), NULL);

  for (int i = 0; i < A->n; i++) row[i] = column[i] = 1;
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      const int j = A->col_idx[e];

      if (triangle == SPTRSV_LOWER ? j >= i : j <= i) continue;
      row[op == SPTRSV_TRANSPOSE ? j : i]++;
      column[op == SPTRSV_TRANSPOSE ? i : j]++;
    }
  }
  for (int i = 0; i < A->n; i++) {
    SptrsvLevel *to = &numbers[level[i]];

    to->rows++;
    to->nnz += row[i];
    if (row[i] > to->longest_row) to->longest_row = row[i];
    if (column[i] > to->longest_column) to->longest_column = column[i];
  }
  free(row);
  free(column);
}

static void test_numbers(const ZooMatrix *A, SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op)
{
  SptrsvLevel   *levels = place_new(SPTRSV_HOST, ((size_t)A->n + 1) * sizeof(*levels), NULL);
  const int32_t *level  = NULL;
  int64_t        nnz    = 0, rows = 0, count = 0, longest_row = 0, longest_column = 0;
  SptrsvGraph    g;

  memset(levels, 0, ((size_t)A->n + 1) * sizeof(*levels));
  if (expect_success(sptrsvAnalysisGetLevels(analysis, triangle, op, &level)) &&
      expect_success(sptrsvAnalysisGetGraph(analysis, triangle, op, M, &g))) {
    sum_by_definition(A, triangle, op, level, levels);
    for (int64_t l = 0; l < g.levels; l++) {
      expect(g.level[l].rows == levels[l].rows && g.level[l].nnz == levels[l].nnz, "level %d: %d rows, %d entries", (int)l, g.level[l].rows,
             (int)g.level[l].nnz);
      expect(g.level[l].longest_row == levels[l].longest_row && g.level[l].longest_column == levels[l].longest_column,
             "level %d: longest row %d, longest column %d", (int)l, g.level[l].longest_row, g.level[l].longest_column);
      nnz += levels[l].nnz;
      if (levels[l].longest_row > longest_row) longest_row = levels[l].longest_row;
      if (levels[l].longest_column > longest_column) longest_column = levels[l].longest_column;
      if (levels[l].rows >= M) rows += levels[l].rows, count++;
    }
    expect(!levels[g.levels].rows, "there are more than %d levels", (int)g.levels);
    expect(g.rows == A->n && g.nnz == nnz && g.longest_row == longest_row && g.longest_column == longest_column, "sums and maxima");
    if (A->n) {
      expect(fabs(g.parallel_levels - 100.0 * (double)count / (double)g.levels) < 1e-9, "PFL is %g", g.parallel_levels);
      expect(fabs(g.parallel_rows - 100.0 * (double)rows / A->n) < 1e-9, "PFR is %g", g.parallel_rows);
      expect(g.parallelism == (double)A->n / (double)g.levels && g.mean_row == (double)nnz / A->n, "AP, ARL");
    }
  }
  free(levels);
}

enum { PIECES = 4, MOST = 4000 };

/* A lower triangle with levels of two sizes.  Each row needs one row of the level before, or its first row. */
typedef struct {
  const char *name;
  struct {
    int levels, rows;
  } piece[PIECES];
  bool              star; /* all rows need the first row of the level before */
  SptrsvSplitPolicy host, device;
  int               level; /* expected on the device */
} Dag;

/* With m = 10, s = 100, c = 2, d = 3 (rows of 96 entries); t, u, v, a, b as published */
static const Dag dags[] = {
    {"wide levels first", {{20, 50}, {60, 2}}, false, SPTRSV_SPLIT_CPU, SPTRSV_SPLIT_GPU_CPU, 20},
    {"wide levels last", {{60, 2}, {20, 50}}, false, SPTRSV_SPLIT_CPU, SPTRSV_SPLIT_CPU_GPU, 60},
    {"wide levels first, and few thin ones between", {{20, 50}, {5, 2}, {50, 1}}, false, SPTRSV_SPLIT_CPU, SPTRSV_SPLIT_GPU_CPU, 20},
    {"wide levels in the middle", {{30, 2}, {20, 50}, {30, 2}}, false, SPTRSV_SPLIT_CPU, SPTRSV_SPLIT_GPU, 0},
    {"one of ten thin levels among the wide ones", {{18, 50}, {1, 1}, {18, 50}, {9, 1}}, false, SPTRSV_SPLIT_CPU, SPTRSV_SPLIT_GPU_CPU, 37},
    {"a tenth of the levels thin", {{99, 20}, {11, 1}}, false, SPTRSV_SPLIT_CPU_CPU, SPTRSV_SPLIT_GPU_CPU, 99},
    {"thin levels only", {{100, 1}}, false, SPTRSV_SPLIT_CPU, SPTRSV_SPLIT_CPU, 100},
    {"few levels, wide", {{5, 100}}, false, SPTRSV_SPLIT_CPU, SPTRSV_SPLIT_GPU, 5},
    {"few levels, a long column", {{1, 10}, {1, 90}, {2, 5}}, true, SPTRSV_SPLIT_CPU, SPTRSV_SPLIT_GPU_GPU, 1},
    {"one level", {{1, 50}}, false, SPTRSV_SPLIT_CPU, SPTRSV_SPLIT_GPU, 1}};

static int make_dag(const Dag *dag, int32_t *row_ptr, int32_t *col_idx)
{
  int n = 0, nnz = 0, before = 0, level = 0;

  row_ptr[0] = 0;
  for (int p = 0; p < PIECES; p++) {
    for (int l = 0; l < dag->piece[p].levels; l++, level++) {
      const int start = n, wide = start - before;

      for (int i = 0; i < dag->piece[p].rows; i++) {
        if (level) col_idx[nnz++] = dag->star ? before : before + (wide ? i % wide : 0);
        col_idx[nnz++] = n++;
        row_ptr[n]     = nnz;
      }
      before = start;
    }
  }
  return n;
}

static void test_decision(const Dag *dag, SptrsvLocation location)
{
  const SptrsvSplitPolicy expected = location == SPTRSV_HOST ? dag->host : dag->device;
  SptrsvPlanOptions       o        = {.algorithm = "split", .location = location, .type = SPTRSV_DOUBLE};
  int32_t                *row_ptr  = place_new(SPTRSV_HOST, (MOST + 1) * sizeof(*row_ptr), NULL);
  int32_t                *col_idx  = place_new(SPTRSV_HOST, (size_t)2 * MOST * sizeof(*col_idx), NULL);
  const int               n        = make_dag(dag, row_ptr, col_idx);
  const SptrsvCsr         csr      = {n, row_ptr[n], row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
  SptrsvAnalysis          analysis = NULL;
  SptrsvPlan              plan     = NULL;
  SptrsvSplit             s;

  case_begin("decision for %s on the %s", dag->name, location == SPTRSV_HOST ? "host" : "GPU");
  o.tuning.split.parameters = "parallel_rows=10,min_rows=100,column_rounds=2,row_rounds=3";
  if (expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &analysis)) && expect_success(sptrsvPlanCreate(analysis, &o, &plan)) &&
      expect_success(sptrsvPlanGetSplit(plan, &s))) {
    expect(s.policy == expected, "policy %d because of \"%s\", expected %d", s.policy, s.reason, expected);
    if (location == SPTRSV_DEVICE && dag->level) expect(s.level == dag->level, "level %d, expected %d", (int)s.level, dag->level);
  }
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  free(row_ptr);
  free(col_idx);
  case_end();
}

static void test_refusals(SptrsvAnalysis analysis)
{
  SptrsvGraph graph;

  expect_status(sptrsvAnalysisGetGraph(analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, -1, &graph), SPTRSV_INVALID_ARGUMENT, "-1 rows");
  expect_status(sptrsvAnalysisGetGraph(analysis, SPTRSV_LOWER, (SptrsvOperation)2, 1, &graph), SPTRSV_INVALID_ARGUMENT,
                "a third operation");
  expect_status(sptrsvAnalysisGetGraph(NULL, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, 1, &graph), SPTRSV_INVALID_ARGUMENT, "no analysis");
}

static void test_location(SptrsvLocation location)
{
  for (int k = 0; k < zoo_count(); k++) {
    ZooMatrix      A;
    SptrsvCsr      csr;
    SptrsvAnalysis analysis = NULL;

    zoo_create(k, true, &A);
    csr = zoo_csr(&A);
    case_begin("graph of %s, analysed on the %s", A.name, location == SPTRSV_HOST ? "host" : "GPU");
    if (expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &analysis))) {
      for (int s = 0; s < 4; s++) test_numbers(&A, analysis, (SptrsvTriangle)(s & 1), (SptrsvOperation)(s >> 1));
      test_refusals(analysis);
    }
    expect_success(sptrsvAnalysisDestroy(&analysis));
    case_end();
    zoo_destroy(&A);
  }
  for (size_t k = 0; k < sizeof(dags) / sizeof(*dags); k++) test_decision(&dags[k], location);
}

int main(int argc, char **argv)
{
  (void)test_begin("graph", argc, argv);
  test_location(SPTRSV_HOST);
  if (sptrsvDeviceCount()) test_location(SPTRSV_DEVICE);
  else case_skip("analysis and decision on the GPU: there is no GPU");
  return test_end();
}
