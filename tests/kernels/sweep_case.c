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

static void set_value(SptrsvValueType type, void *values, int e, double value)
{
  if (type == SPTRSV_DOUBLE) ((double *)values)[e] = value;
  else ((float *)values)[e] = (float)value;
}

/* The NaN that stands for "not ready" in algorithms that poll x.  In these tests it comes from the user. */
static void set_sentinel(SptrsvValueType type, void *values, int e)
{
  const uint64_t wide   = UINT64_C(0x7ff8dead0000beef);
  const uint32_t narrow = UINT32_C(0x7fc0beef);

  if (type == SPTRSV_DOUBLE) memcpy((double *)values + e, &wide, sizeof(wide));
  else memcpy((float *)values + e, &narrow, sizeof(narrow));
}

static void randomize_right_side(Case *c, uint64_t seed)
{
  for (int i = 0; i < c->A->n; i++) set_value(c->o->type, c->host_b, i, 2 * random_unit(&seed) - 1);
}

/* The old contents of x must not matter, neither an old solution nor the sentinel */
static void poison_x(Case *c, int kind)
{
  for (int i = 0; i < c->A->n; i++) {
    if (kind == 0) set_sentinel(c->o->type, c->host_x, i);
    else set_value(c->o->type, c->host_x, i, kind == 1 ? 1e30 : kind == 2 ? 0 : -INFINITY);
  }
  place_put(c->location, c->x, c->host_x, c->bytes);
}

static void solve(Case *c, int poison)
{
  place_put(c->location, c->b, c->host_b, c->bytes);
  poison_x(c, poison);
  expect_success(sptrsvSolve(c->plan, c->b, c->x, NULL));
  place_get(c->location, c->host_x, c->x, c->bytes);
}

static void solve_and_judge(Case *c, int poison, const char *what)
{
  Triangular T;
  int        wrong;

  solve(c, poison);
  triangular_create(c->A, c->o, c->host_values, &T);
  wrong = triangular_wrong_rows(&T, c->o, c->host_b, c->host_x);
  expect(!wrong, "%s: %d of %d rows do not hold", what, wrong, c->A->n);
  triangular_destroy(&T);
}

/* The judge is tested too: it must see a single wrong digit */
static void check_judge(Case *c)
{
  const int  i = c->A->n / 2;
  Triangular T;

  if (!c->A->n) return;
  triangular_create(c->A, c->o, c->host_values, &T);
  set_value(c->o->type, c->host_x, i,
            (c->o->type == SPTRSV_DOUBLE ? ((double *)c->host_x)[i] : (double)((float *)c->host_x)[i]) * 1.01 + 1e-3);
  expect(triangular_wrong_rows(&T, c->o, c->host_b, c->host_x) > 0, "the test does not see a wrong x[%d]", i);
  triangular_destroy(&T);
}

static void expect_same_bits(Case *c, const char *what)
{
  expect(same_solution(c->o, c->host_x, c->first_x, c->A->n), "%s: other bits than the first time", what);
}

/* A sweep leaves nothing behind that disturbs the next one: repeated, over old solutions, with another sweep in between */
static void repeat_solve(Case *c)
{
  memcpy(c->first_x, c->host_x, c->bytes);
  for (int k = 0; k < 3; k++) {
    solve(c, k);
    expect_same_bits(c, "again");
  }
  if (!c->other) return;
  for (int k = 0; k < 2; k++) expect_success(sptrsvSolve(c->other, c->b, c->spare, NULL));
  solve(c, 1);
  expect_same_bits(c, "after another sweep");
  for (int k = 0; k < 2; k++) expect_success(sptrsvSolve(c->plan, c->x, c->spare, NULL)); /* with other data; its result is not judged */
  solve(c, 0);
  expect_same_bits(c, "after other data");
}

/* Device algorithms have copied the values: later changes of the caller's array have no effect until the next update */
static void forget_values(Case *c)
{
  void *junk;

  if (c->location == SPTRSV_HOST) return;
  junk = place_new(SPTRSV_HOST, (size_t)c->A->nnz * c->size, NULL);
  memset(junk, 0x3f, (size_t)c->A->nnz * c->size);
  place_put(c->location, c->values, junk, (size_t)c->A->nnz * c->size);
  solve(c, 0);
  expect_same_bits(c, "without the caller's values");
  free(junk);
}

static void update_plan(Case *c)
{
  place_put(c->location, c->values, c->host_values, (size_t)c->A->nnz * c->size);
  expect_success(sptrsvPlanUpdate(c->plan, c->values, NULL));
}

static void take_new_values(Case *c, uint64_t seed)
{
  ZooMatrix other = *c->A;

  other.values = place_new(SPTRSV_HOST, (size_t)c->A->nnz * sizeof(double), NULL);
  zoo_randomize(&other, seed);
  free(c->host_values);
  c->host_values = zoo_values(&other, c->o->type, c->o->diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  free(other.values);
  update_plan(c);
  solve_and_judge(c, 1, "new values");
}

static void put_nan_and_inf(Case *c)
{
  const int n = c->A->n, nnz = c->A->nnz;

  if (!n) return;
  set_value(c->o->type, c->host_b, n / 3, NAN);
  solve_and_judge(c, 1, "NaN in b");
  set_value(c->o->type, c->host_b, n / 3, INFINITY);
  solve_and_judge(c, 0, "Inf in b");
  set_sentinel(c->o->type, c->host_b, 2 * n / 3);
  solve_and_judge(c, 2, "Inf and the sentinel in b");
  for (int i = 0; i < n; i++) set_sentinel(c->o->type, c->host_b, i);
  solve_and_judge(c, 0, "nothing but sentinels in b");
  randomize_right_side(c, 3);
  solve_and_judge(c, 1, "numbers again");
  if (!nnz) return;
  set_sentinel(c->o->type, c->host_values, nnz / 2);
  set_sentinel(c->o->type, c->host_values, nnz - 1);
  update_plan(c);
  solve_and_judge(c, 0, "sentinels in the values");
  set_value(c->o->type, c->host_values, nnz / 2, NAN);
  set_value(c->o->type, c->host_values, nnz - 1, 1);
  update_plan(c);
  solve_and_judge(c, 1, "NaN in the values");
}

/* Replaces one number for one solve */
static void put_number(Case *c, void *numbers, int e, double number, const char *where)
{
  char what[80], *const place = (char *)numbers + (size_t)e * c->size;
  char before[sizeof(double)];

  (void)snprintf(what, sizeof(what), "%g %s", number, where);
  memcpy(before, place, c->size);
  set_value(c->o->type, numbers, e, number);
  if (numbers == c->host_values) update_plan(c);
  solve_and_judge(c, 1, what);
  memcpy(place, before, c->size);
  if (numbers == c->host_values) update_plan(c);
}

/* Position of an entry, or -1 */
static int find_entry(const ZooMatrix *A, int i, int j)
{
  for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
    if (A->col_idx[e] == j) return e;
  }
  return -1;
}

static void put_numbers_in_row(Case *c, const Triangular *T, int i, const double *numbers, int count)
{
  const bool transposed = c->o->op == SPTRSV_TRANSPOSE;
  const int  j     = T->row_ptr[i] < T->row_ptr[i + 1] ? T->col_idx[T->row_ptr[i]] : -1;
  const int  entry = j < 0 ? -1 : transposed ? find_entry(c->A, j, i) : find_entry(c->A, i, j), diagonal = find_entry(c->A, i, i);
  const int  other = j < 0 ? -1 : transposed ? find_entry(c->A, i, j) : find_entry(c->A, j, i);

  for (int k = 0; k < count; k++) {
    put_number(c, c->host_b, c->o->in_perm ? c->o->in_perm[i] : i, numbers[k], "in b");
    if (entry >= 0) put_number(c, c->host_values, entry, numbers[k], "in the triangle");
    if (diagonal >= 0) put_number(c, c->host_values, diagonal, numbers[k], "on the diagonal");
  }
  if (other >= 0) put_number(c, c->host_values, other, NAN, "in the other triangle");
}

static void put_numbers(Case *c)
{
  const bool   wide      = c->o->type == SPTRSV_DOUBLE;
  const double largest   = wide ? DBL_MAX : (double)FLT_MAX, least = wide ? DBL_TRUE_MIN : (double)FLT_TRUE_MIN;
  const double numbers[] = {NAN, INFINITY, -INFINITY, largest, -largest, largest / 8, wide ? 1e-308 : 1e-38, least, 0, -0.0};
  int          longest   = 0;
  Triangular   T;

  triangular_create(c->A, c->o, c->host_values, &T);
  for (int i = 0; i < T.n; i++) {
    if (T.row_ptr[i + 1] - T.row_ptr[i] > T.row_ptr[longest + 1] - T.row_ptr[longest]) longest = i;
  }
  put_numbers_in_row(c, &T, 0, numbers, sizeof(numbers) / sizeof(*numbers));
  put_numbers_in_row(c, &T, T.n / 2, numbers, sizeof(numbers) / sizeof(*numbers));
  put_numbers_in_row(c, &T, T.n - 1, numbers, sizeof(numbers) / sizeof(*numbers));
  put_numbers_in_row(c, &T, longest, numbers, sizeof(numbers) / sizeof(*numbers));
  triangular_destroy(&T);
}

static void allocate_case(Case *c)
{
  c->size        = c->o->type == SPTRSV_DOUBLE ? sizeof(double) : sizeof(float);
  c->bytes       = (size_t)c->A->n * c->size;
  c->host_values = zoo_values(c->A, c->o->type, c->o->diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  c->values      = place_new(c->location, (size_t)c->A->nnz * c->size, c->host_values);
  c->b           = place_new(c->location, c->bytes, NULL);
  c->x           = place_new(c->location, c->bytes, NULL);
  c->spare       = place_new(c->location, c->bytes, NULL);
  c->host_b      = place_new(SPTRSV_HOST, c->bytes, NULL);
  c->host_x      = place_new(SPTRSV_HOST, c->bytes, NULL);
  c->first_x     = place_new(SPTRSV_HOST, c->bytes, NULL);
}

static void free_case(Case *c)
{
  void *const placed[] = {c->values, c->b, c->x, c->spare}, *const host[] = {c->host_values, c->host_b, c->host_x, c->first_x};

  expect_success(sptrsvPlanDestroy(&c->plan));
  expect_success(sptrsvPlanDestroy(&c->other));
  for (int k = 0; k < 4; k++) {
    place_free(c->location, placed[k]);
    free(host[k]);
  }
}

/* The opposite triangle, if the algorithm can solve it: its diagonal may be missing */
static void create_other(Case *c, SptrsvAnalysis analysis)
{
  SptrsvPlanOptions opposite = *c->o;

  opposite.triangle = c->o->triangle == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
  opposite.in_perm = opposite.out_perm = NULL;
  if (sptrsvPlanCreate(analysis, &opposite, &c->other)) c->other = NULL;
  else expect_success(sptrsvPlanUpdate(c->other, c->values, NULL));
}

static void describe_case(Case *c)
{
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS] = {NULL};
  char                   text[512] = "", cut[8];
  size_t                 host = 0, device = 0;

  expect_success(sptrsvPlanDescribe(c->plan, text, sizeof(text)));
  expect(strlen(text) > 4, "its description is \"%s\"", text);
  expect_success(sptrsvPlanDescribe(c->plan, cut, sizeof(cut)));
  expect(strlen(cut) < sizeof(cut) && !strncmp(cut, text, strlen(cut)), "cut to 7 characters its description is \"%s\"", cut);
  expect_success(sptrsvPlanGetAlgorithms(c->plan, algorithms));
  expect(algorithms[0] && !strcmp(algorithms[0]->name, c->o->algorithm), "it says that it is %s",
         algorithms[0] ? algorithms[0]->name : "none");
  expect_success(sptrsvPlanGetMemory(c->plan, &host, &device));
}

static void begin_case(const ZooMatrix *A, const SptrsvPlanOptions *o, const char *what)
{
  static const char *const diagonals[] = {"unit", "stored", "inverted"};
  char                     policy[64]  = "";

  if (o->tuning.split.policy)
    (void)snprintf(policy, sizeof(policy), ", policy %d, level %d", o->tuning.split.policy, o->tuning.split.level);
  case_begin("%s %s%s %s %s%s%s on %s%s%s", o->algorithm, o->triangle == SPTRSV_LOWER ? "L" : "U",
             o->op == SPTRSV_TRANSPOSE ? "^T" : "", diagonals[o->diagonal], o->type == SPTRSV_DOUBLE ? "double" : "float",
             o->in_perm ? " in_perm" : "", o->out_perm ? " out_perm" : "", A->name, policy, what);
}

void sweep_numbers_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *o)
{
  Case c = {.A = A, .o = o, .location = o->location};

  begin_case(A, o, ", numbers");
  if (expect_success(sptrsvPlanCreate(analysis, o, &c.plan))) {
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

void sweep_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *o)
{
  const bool   possible = A->diagonal || o->diagonal == SPTRSV_DIAG_UNIT;
  Case         c        = {.A = A, .o = o, .location = o->location};
  SptrsvStatus status;

  begin_case(A, o, "");
  status = sptrsvPlanCreate(analysis, o, &c.plan);
  expect_status(status, possible ? SPTRSV_SUCCESS : SPTRSV_MISSING_DIAGONAL, "sptrsvPlanCreate");
  if (!status) {
    allocate_case(&c);
    randomize_right_side(&c, 1);
    expect_status(sptrsvSolve(c.plan, c.b, c.x, NULL), SPTRSV_NOT_READY, "solving before there are values");
    update_plan(&c);
    solve_and_judge(&c, 0, "first solve");
    create_other(&c, analysis);
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
