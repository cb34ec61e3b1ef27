/* sweep_case.c - The test case of one sweep: right-hand sides, values, and the old contents of x. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sweep_check.h"

typedef struct {
  const ZooMatrix         *A;
  const SptrsvPlanOptions *o;
  SptrsvLocation           location;
  size_t                   size, bytes; /* of a number, of a vector */
  SptrsvPlan               plan, other; /* other: the opposite triangle of the same analysis, solved in between */
  void                    *values, *host_values;
  void                    *b, *x, *spare; /* where the algorithm runs */
  void                    *host_b, *host_x, *first_x;
} Case;

static void randomize_right_side(Case *test, uint64_t seed)
{
  for (int i = 0; i < test->A->n; i++) set_value(test->o->type, test->host_b, i, 2 * random_unit(&seed) - 1);
}

/* The old contents of x must not matter, neither an old solution nor the sentinel */
static void poison_x(Case *test, int kind)
{
  for (int i = 0; i < test->A->n; i++) {
    if (kind == 0) put_sentinel(test->o->type, test->host_x, i);
    else set_value(test->o->type, test->host_x, i, kind == 1 ? 1e30 : kind == 2 ? 0 : -INFINITY);
  }
  place_put(test->location, test->x, test->host_x, test->bytes);
}

static void solve(Case *test, int poison)
{
  place_put(test->location, test->b, test->host_b, test->bytes);
  poison_x(test, poison);
  expect_success(sptrsvSolve(test->plan, test->b, test->x, NULL));
  place_get(test->location, test->host_x, test->x, test->bytes);
}

static void solve_and_judge(Case *test, int poison, const char *what)
{
  Triangular T;
  int        wrong;

  solve(test, poison);
  triangular_create(test->A, test->o, test->host_values, &T);
  wrong = triangular_wrong_rows(&T, test->o, test->host_b, test->host_x);
  expect(!wrong, "%s: %d of %d rows do not hold", what, wrong, test->A->n);
  triangular_destroy(&T);
}

/* The judge is tested too: it must see a single wrong digit */
static void check_judge(Case *test)
{
  const int  i = test->A->n / 2;
  Triangular T;

  if (!test->A->n) return;
  triangular_create(test->A, test->o, test->host_values, &T);
  set_value(test->o->type, test->host_x, i,
            (test->o->type == SPTRSV_DOUBLE ? ((double *)test->host_x)[i] : (double)((float *)test->host_x)[i]) * 1.01 + 1e-3);
  expect(triangular_wrong_rows(&T, test->o, test->host_b, test->host_x) > 0, "the test does not see a wrong x[%d]", i);
  triangular_destroy(&T);
}

static void expect_same_bits(Case *test, const char *what)
{
  expect(same_solution(test->o, test->host_x, test->first_x, test->A->n), "%s: other bits than the first time", what);
}

/* A sweep leaves nothing behind that disturbs the next one: repeated, over old solutions, with another sweep in between */
static void repeat_solve(Case *test)
{
  memcpy(test->first_x, test->host_x, test->bytes);
  for (int k = 0; k < 3; k++) {
    solve(test, k);
    expect_same_bits(test, "again");
  }
  if (!test->other) return;
  for (int k = 0; k < 2; k++) expect_success(sptrsvSolve(test->other, test->b, test->spare, NULL));
  solve(test, 1);
  expect_same_bits(test, "after another sweep");
  for (int k = 0; k < 2; k++)
    expect_success(sptrsvSolve(test->plan, test->x, test->spare, NULL)); /* with other data; its result is not judged */
  solve(test, 0);
  expect_same_bits(test, "after other data");
}

/* Device algorithms have copied the values: later changes of the caller's array have no effect until the next update */
static void forget_values(Case *test)
{
  void *junk;

  if (test->location == SPTRSV_HOST) return;
  junk = place_new(SPTRSV_HOST, (size_t)test->A->nnz * test->size, NULL);
  memset(junk, 0x3f, (size_t)test->A->nnz * test->size);
  place_put(test->location, test->values, junk, (size_t)test->A->nnz * test->size);
  solve(test, 0);
  expect_same_bits(test, "without the caller's values");
  free(junk);
}

static void update_plan(Case *test)
{
  place_put(test->location, test->values, test->host_values, (size_t)test->A->nnz * test->size);
  expect_success(sptrsvPlanUpdate(test->plan, test->values, NULL));
}

static void take_new_values(Case *test, uint64_t seed)
{
  ZooMatrix other = *test->A;

  other.values = place_new(SPTRSV_HOST, (size_t)test->A->nnz * sizeof(double), NULL);
  zoo_randomize(&other, seed);
  free(test->host_values);
  test->host_values = zoo_values(&other, test->o->type, test->o->diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  free(other.values);
  update_plan(test);
  solve_and_judge(test, 1, "new values");
}

static void put_nan_and_inf(Case *test)
{
  const int n = test->A->n, nnz = test->A->nnz, *const row = test->A->row_ptr + n / 2; /* the middle row */

  if (!n) return;
  set_value(test->o->type, test->host_b, n / 3, NAN);
  solve_and_judge(test, 1, "NaN in b");
  set_value(test->o->type, test->host_b, n / 3, INFINITY);
  solve_and_judge(test, 0, "Inf in b");
  put_sentinel(test->o->type, test->host_b, 2 * n / 3);
  solve_and_judge(test, 2, "Inf and the sentinel in b");
  for (int i = 0; i < n; i++) put_sentinel(test->o->type, test->host_b, i);
  solve_and_judge(test, 0, "nothing but sentinels in b");
  randomize_right_side(test, 3);
  solve_and_judge(test, 1, "numbers again");
  if (!nnz) return;
  for (int e = row[0]; e < row[1]; e++) put_sentinel(test->o->type, test->host_values, e);
  put_sentinel(test->o->type, test->host_values, nnz - 1);
  update_plan(test);
  solve_and_judge(test, 0, "sentinels in the values");
  for (int e = row[0]; e < row[1]; e++) set_value(test->o->type, test->host_values, e, NAN);
  set_value(test->o->type, test->host_values, nnz - 1, 1);
  update_plan(test);
  solve_and_judge(test, 1, "NaN in the values");
}

/* Replaces one number for one solve */
static void put_number(Case *test, void *numbers, int e, double number, const char *where)
{
  char what[80], *const place = (char *)numbers + (size_t)e * test->size;
  char before[sizeof(double)];

  (void)snprintf(what, sizeof(what), "%g %s", number, where);
  memcpy(before, place, test->size);
  set_value(test->o->type, numbers, e, number);
  if (numbers == test->host_values) update_plan(test);
  solve_and_judge(test, 1, what);
  memcpy(place, before, test->size);
  if (numbers == test->host_values) update_plan(test);
}

/* Position of an entry, or -1 */
static int find_entry(const ZooMatrix *A, int i, int j)
{
  for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
    if (A->col_idx[e] == j) return e;
  }
  return -1;
}

static void put_numbers_in_row(Case *test, const Triangular *T, int i, const double *numbers, int count)
{
  const bool transposed = test->o->op == SPTRSV_TRANSPOSE;
  const int  j          = T->row_ptr[i] < T->row_ptr[i + 1] ? T->col_idx[T->row_ptr[i]] : -1;
  const int  entry = j < 0 ? -1 : transposed ? find_entry(test->A, j, i) : find_entry(test->A, i, j), diagonal = find_entry(test->A, i, i);
  const int  other = j < 0 ? -1 : transposed ? find_entry(test->A, i, j) : find_entry(test->A, j, i);

  for (int k = 0; k < count; k++) {
    put_number(test, test->host_b, test->o->in_perm ? test->o->in_perm[i] : i, numbers[k], "in b");
    if (entry >= 0) put_number(test, test->host_values, entry, numbers[k], "in the triangle");
    if (diagonal >= 0) put_number(test, test->host_values, diagonal, numbers[k], "on the diagonal");
  }
  if (other >= 0) put_number(test, test->host_values, other, NAN, "in the other triangle");
}

static void put_numbers(Case *test)
{
  const bool   wide      = test->o->type == SPTRSV_DOUBLE;
  const double largest   = wide ? DBL_MAX : (double)FLT_MAX, least = wide ? DBL_TRUE_MIN : (double)FLT_TRUE_MIN;
  const double numbers[] = {NAN, INFINITY, -INFINITY, largest, -largest, largest / 8, wide ? 1e-308 : 1e-38, least, 0, -0.0};
  int          longest   = 0;
  Triangular   T;

  triangular_create(test->A, test->o, test->host_values, &T);
  for (int i = 0; i < T.n; i++) {
    if (T.row_ptr[i + 1] - T.row_ptr[i] > T.row_ptr[longest + 1] - T.row_ptr[longest]) longest = i;
  }
  put_numbers_in_row(test, &T, 0, numbers, sizeof(numbers) / sizeof(*numbers));
  put_numbers_in_row(test, &T, T.n / 2, numbers, sizeof(numbers) / sizeof(*numbers));
  put_numbers_in_row(test, &T, T.n - 1, numbers, sizeof(numbers) / sizeof(*numbers));
  put_numbers_in_row(test, &T, longest, numbers, sizeof(numbers) / sizeof(*numbers));
  triangular_destroy(&T);
}

static void allocate_case(Case *test)
{
  test->size        = value_size(test->o->type);
  test->bytes       = (size_t)test->A->n * test->size;
  test->host_values = zoo_values(test->A, test->o->type, test->o->diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  test->values      = place_new(test->location, (size_t)test->A->nnz * test->size, test->host_values);
  test->b           = place_new(test->location, test->bytes, NULL);
  test->x           = place_new(test->location, test->bytes, NULL);
  test->spare       = place_new(test->location, test->bytes, NULL);
  test->host_b      = place_new(SPTRSV_HOST, test->bytes, NULL);
  test->host_x      = place_new(SPTRSV_HOST, test->bytes, NULL);
  test->first_x     = place_new(SPTRSV_HOST, test->bytes, NULL);
}

static void free_case(Case *test)
{
  void *const placed[] = {test->values, test->b, test->x, test->spare}, *const host[] = {test->host_values, test->host_b, test->host_x,
                                                                                         test->first_x};

  expect_success(sptrsvPlanDestroy(&test->plan));
  for (int k = 0; k < 4; k++) {
    place_free(test->location, placed[k]);
    free(host[k]);
  }
}

/* The opposite triangle, if the algorithm can solve it: its diagonal may be missing */
static void prepare_other(Case *test, SptrsvAnalysis analysis, SptrsvPlan *other)
{
  SptrsvPlanOptions opposite = *test->o;

  opposite.triangle = test->o->triangle == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
  opposite.in_perm = opposite.out_perm = NULL;
  if (!*other && sptrsvPlanCreate(analysis, &opposite, other)) return;
  test->other = *other;
  expect_success(sptrsvPlanUpdate(test->other, test->values, NULL));
}

static void describe_case(Case *test)
{
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS] = {NULL};
  char                   text[512] = "", cut[8];
  size_t                 host = 0, device = 0;

  expect_success(sptrsvPlanDescribe(test->plan, text, sizeof(text)));
  expect(strlen(text) > 4, "its description is \"%s\"", text);
  expect_success(sptrsvPlanDescribe(test->plan, cut, sizeof(cut)));
  expect(strlen(cut) < sizeof(cut) && !strncmp(cut, text, strlen(cut)), "cut to 7 characters its description is \"%s\"", cut);
  expect_success(sptrsvPlanGetAlgorithms(test->plan, algorithms));
  expect(algorithms[0] && (!strcmp(test->o->algorithm, "auto") || !strcmp(algorithms[0]->name, test->o->algorithm)),
         "it says that it is %s", algorithms[0] ? algorithms[0]->name : "none");
  expect_success(sptrsvPlanGetMemory(test->plan, &host, &device));
}

static void begin_case(const ZooMatrix *A, const SptrsvPlanOptions *options, const char *what)
{
  static const char *const diagonals[] = {"unit", "stored", "inverted"};
  const char              *split       = options->tuning.split.parameters;

  case_begin("%s %s%s %s %s%s%s on %s%s%s%s", options->algorithm, options->triangle == SPTRSV_LOWER ? "L" : "U",
             options->op == SPTRSV_TRANSPOSE ? "^T" : "", diagonals[options->diagonal], options->type == SPTRSV_DOUBLE ? "double" : "float",
             options->in_perm ? " in_perm" : "", options->out_perm ? " out_perm" : "", A->name, split ? ", " : "",
             split ? split : "", what);
}

void sweep_numbers_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options)
{
  Case c = {.A = A, .o = options, .location = options->location};

  begin_case(A, options, ", numbers");
  if (expect_success(sptrsvPlanCreate(analysis, options, &c.plan))) {
    allocate_case(&c);
    randomize_right_side(&c, 1);
    update_plan(&c);
    solve_and_judge(&c, 0, "first solve");
    memcpy(c.first_x, c.host_x, c.bytes);
    put_numbers(&c);
    solve(&c, 0);
    expect_same_bits(&c, "afterwards");
    free_case(&c);
  }
  case_end();
}

void sweep_case_beside(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *other)
{
  const bool   possible = A->diagonal || options->diagonal == SPTRSV_DIAG_UNIT;
  Case         c        = {.A = A, .o = options, .location = options->location};
  SptrsvStatus status;

  begin_case(A, options, "");
  status = sptrsvPlanCreate(analysis, options, &c.plan);
  expect_status(status, possible ? SPTRSV_SUCCESS : SPTRSV_MISSING_DIAGONAL, "sptrsvPlanCreate");
  if (!status) {
    allocate_case(&c);
    randomize_right_side(&c, 1);
    expect_status(sptrsvSolve(c.plan, c.b, c.x, NULL), SPTRSV_NOT_READY, "solving before there are values");
    update_plan(&c);
    solve_and_judge(&c, 0, "first solve");
    prepare_other(&c, analysis, other);
    repeat_solve(&c);
    forget_values(&c);
    describe_case(&c);
    check_judge(&c);
    take_new_values(&c, 77);
    put_nan_and_inf(&c);
    free_case(&c);
  }
  case_end();
}

void sweep_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options)
{
  SptrsvPlan other = NULL;

  sweep_case_beside(A, analysis, options, &other);
  expect_success(sptrsvPlanDestroy(&other));
}
