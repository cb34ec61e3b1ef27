/* Several right-hand sides at once, each apart or by rows: a column has the bits of a solve of its own, and nothing else is written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "zoo.h"

/* A dense array of columns, with values below them and one more column, in both memories */
enum { RIGHT_SIDES = 17, FEW = 3 };
typedef struct {
  size_t ld, column, bytes; /* column: its bytes with those below it */
  char  *host, *place;
} Columns;

static Columns new_columns(const SptrsvPlanOptions *o, int ld)
{
  const size_t column = (size_t)ld * value_size(o->type);
  const size_t bytes  = (RIGHT_SIDES + 1) * column;
  Columns      c      = {(size_t)ld, column, bytes, place_new(SPTRSV_HOST, bytes, NULL), NULL};

  for (size_t e = 0; e < (RIGHT_SIDES + 1) * c.ld; e++) put_sentinel(o->type, c.host, (int64_t)e);
  c.place = place_new(o->location, c.bytes, c.host);
  return c;
}

static void free_columns(const SptrsvPlanOptions *o, Columns *c)
{
  free(c->host);
  place_free(o->location, c->place);
}

/* Columns have the bits of solves of their own, whatever is beside them, and nothing else is written */
static void compare_columns(const SptrsvPlanOptions *o, SptrsvPlan plan, int first, int count, const Columns *b, const Columns *alone,
                            int n)
{
  const size_t used = (size_t)n * value_size(o->type);
  Columns      x    = new_columns(o, n + 3);
  char *const from = b->place + first * b->column, *const to = x.place + first * x.column;

  expect_success(sptrsvSolveMany(plan, count, from, (int64_t)b->ld, to, (int64_t)x.ld, NULL));
  place_get(o->location, x.host, x.place, x.bytes);
  for (int k = 0; k < RIGHT_SIDES; k++) {
    const bool        solved = k >= first && k < first + count;
    char *const       one    = x.host + k * x.column;
    const char *const other  = alone->host + (solved ? k : RIGHT_SIDES) * alone->column; /* the last one has no solution */

    if (solved) expect(same_solution(o, one, other, n), "column %d of %d has other bits than alone", k - first, count);
    expect(!memcmp(one + solved * used, other + solved * used, x.column - solved * used), "beside %d columns something is written", count);
  }
  free_columns(o, &x);
}

/* The first columns by rows as long as is allowed, of b, of x, or of both */
static void compare_rows(const SptrsvPlanOptions *o, SptrsvPlan plan, int count, int together, const Columns *b, const Columns *alone,
                         int n)
{
  const int64_t row  = (count + together - 1) / together * (int64_t)together;
  const size_t  size = value_size(o->type), bytes = (size_t)(n * row) * size;

  for (int by_rows = 1; by_rows < 4; by_rows++) {
    const bool  from = by_rows & 1, to = by_rows & 2;
    Columns     x    = new_columns(o, n + 3);
    char *const host = place_new(SPTRSV_HOST, bytes, NULL), *in, *out;

    for (int64_t e = 0; e < n * row; e++) {
      if (e % row < count) memcpy(host + (size_t)e * size, b->host + e % row * (int64_t)b->column + e / row * (int64_t)size, size);
      else set_value(o->type, host, e, 0);
    }
    in  = place_new(o->location, bytes, host);
    out = place_new(o->location, bytes, host);
    expect_success(sptrsvSolveMany(plan, count, from ? in : b->place, from ? -row : (int64_t)b->ld, to ? out : x.place,
                                   to ? -row : (int64_t)x.ld, NULL));
    place_get(o->location, host, out, bytes);
    place_get(o->location, x.host, x.place, x.bytes);
    for (int64_t e = 0; to && e < n * row; e++) {
      if (e % row < count) memcpy(x.host + e % row * (int64_t)x.column + e / row * (int64_t)size, host + (size_t)e * size, size);
    }
    for (int k = 0; k < count; k++) {
      expect(same_solution(o, x.host + k * x.column, alone->host + k * alone->column, n), "column %d of %d by rows, %d, has other bits", k,
             count, by_rows);
    }
    free(host);
    place_free(o->location, in);
    place_free(o->location, out);
    free_columns(o, &x);
  }
  expect_refusal(sptrsvSolveMany(plan, count, b->place, 1 - row, alone->place, n, NULL));
  expect_refusal(sptrsvSolveMany(plan, row + 1, b->place, n, alone->place, -row, NULL));
}

/* All numbers of columns, once the plan is prepared for several, if its algorithm takes many at once */
static void compare_all_columns(const SptrsvPlanOptions *o, SptrsvPlan plan, const Columns *b, int n)
{
  static const int counts[]   = {1, 2, 3, 4, 5, 8, 16, RIGHT_SIDES};
  static const int turns[][2] = {{1, 16}, {0, FEW}, {0, 16}}; /* places of two turns ago get other values; FEW leave the rest empty */
  const bool       many       = n && (!strcmp(o->algorithm, "levelorder") || !strcmp(o->algorithm, "strips"));
  const int        first      = many ? 0 : RIGHT_SIDES - FEW; /* those before are not looked at */
  Columns          alone      = new_columns(o, n + 3);
  int              together   = 0;

  expect_success(sptrsvSolveMany(plan, 0, NULL, (int64_t)b->ld, NULL, (int64_t)alone.ld, NULL));
  for (int k = first; k < RIGHT_SIDES; k++) {
    expect_success(sptrsvSolve(plan, b->place + k * b->column, alone.place + k * alone.column, NULL));
  }
  place_get(o->location, alone.host, alone.place, alone.bytes);
  compare_columns(o, plan, RIGHT_SIDES - FEW, FEW, b, &alone, n);
  expect_success(sptrsvPlanPrepareMany(plan, &together));
  expect((together > 1) == many, "%d columns at once", together);
  for (size_t c = 0; many && c < sizeof(counts) / sizeof(*counts); c++) {
    compare_columns(o, plan, RIGHT_SIDES - counts[c], counts[c], b, &alone, n);
    compare_rows(o, plan, counts[c], together, b, &alone, n);
  }
  for (size_t t = 0; many && t < sizeof(turns) / sizeof(*turns); t++) compare_columns(o, plan, turns[t][0], turns[t][1], b, &alone, n);
  free_columns(o, &alone);
}

/* Several right-hand sides, of which some have a NaN */
static void test_columns(const ZooMatrix *A, const SptrsvAlgorithm *algorithm)
{
  SptrsvPlanOptions o        = {.algorithm     = algorithm->name,
                                .location      = algorithm->location,
                                .tuning.strips = {.rows = A->nnz % 2 ? 32 : 128, .warps = A->nnz % 3 ? 2 : 0}}; /* few: long windows */
  const SptrsvCsr   csr      = zoo_csr(A);
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlan        plan     = NULL;
  uint64_t          seed     = 5;
  const int         n        = A->n;

  set_sweep((A->nnz + (int)strlen(o.algorithm)) % ALL_SWEEPS, &o);
  if (!A->diagonal) o.diagonal = SPTRSV_DIAG_UNIT;

  void *const values = zoo_values(A, o.type, o.diagonal == SPTRSV_DIAG_INVERTED, o.location);
  Columns     b      = new_columns(&o, n + 2);

  case_begin("columns of %s on %s", o.algorithm, A->name);
  for (int e = 0; e < RIGHT_SIDES * (n + 2); e++) set_value(o.type, b.host, e, random_unit(&seed));
  for (int k = 0; k < RIGHT_SIDES; k += 7) set_value(o.type, b.host, k * (n + 2) + n / 2, NAN);
  place_put(o.location, b.place, b.host, b.bytes);
  expect_success(sptrsvAnalysisCreate(&csr, o.location, NULL, &analysis));
  expect_success(sptrsvPlanCreate(analysis, &o, &plan));
  expect_success(sptrsvPlanUpdate(plan, values, NULL));
  expect_refusal(sptrsvSolveMany(plan, -1, b.place, n, b.place + b.column, n, NULL));
  expect_refusal(sptrsvSolveMany(plan, 1, b.place, n - 1, b.place + b.column, n, NULL));
  expect_refusal(sptrsvSolveMany(plan, 1, b.place, n, b.place + b.column, n - 1, NULL));
  expect_refusal(sptrsvSolveMany(plan, 1, b.place, -16, b.place + b.column, n, NULL)); /* not prepared */
  compare_all_columns(&o, plan, &b, n);
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
  free_columns(&o, &b);
  place_free(o.location, values);
}

int main(int argc, char **argv)
{
  (void)test_begin("columns", argc, argv);
  for (int k = 0; k < zoo_count(); k++) {
    const SptrsvAlgorithm *algorithm;
    ZooMatrix              A;

    zoo_create(k, true, &A);
    for (int a = 0; (algorithm = sptrsvAlgorithmGet(a)); a++) {
      if (algorithm->location == SPTRSV_HOST || sptrsvDeviceCount()) test_columns(&A, algorithm);
      else case_skip("columns of %s on %s: there is no GPU", algorithm->name, A.name);
    }
    zoo_destroy(&A);
  }
  return test_end();
}
