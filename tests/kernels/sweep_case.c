/* sweep_case.c - The test case of one sweep: right-hand sides, values, and the old contents of x. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sweep_check.h"

/* A solve of a batch, and how its x is judged: by its residual, and bits of SAME ones are those of the FIRST */
typedef enum { FIRST, SAME, RIGHT } Verdict;
typedef enum { NOTHING, OTHER_SWEEP, OTHER_DATA } Between;
typedef struct {
  char        what[80];
  Verdict     verdict;
  Between     before; /* what is solved before */
  int         update; /* which values of the batch the plan takes first; -1: none */
  const char *values; /* that it has then, on the host */
} Step;

/*
   Solves run in batches: all b, x and values go to the GPU, updates and solves follow each other in the stream, and all x come back.  A
   wait of the host for the GPU takes longer than most solves here.  A batch is one solve, with arrays that end where their memory does, on
   the host, which waits for nothing, and under checkers of memory.  Plans of the host borrow values: those of a batch stay until another
   batch has brought new ones, hence two sides.
*/
enum { ROOM = 64, LEAST_ROOM = 4, BATCH_BYTES = 4 << 20, ALIGNMENT = 256 };
typedef struct {
  const ZooMatrix         *A;
  const SptrsvPlanOptions *o;
  SptrsvLocation           location;
  size_t                   size, vector, matrix; /* bytes of a number, of a vector, of the matrix's values */
  SptrsvPlan               plan, other; /* other: the opposite triangle of the same analysis, solved in between */
  Triangular               T;
  Step                     step[ROOM];
  int                      room, steps, updates, side; /* room: for steps, and for updates of a side */
  bool                     changed; /* now_values since the last update */
  char                    *b, *x, *values[2], *spare, *data; /* where the algorithm runs: [room], one of spare and data */
  char                    *host_b, *host_x, *host_values[2];
  char                    *now_b, *now_values, *first_x; /* now: of the next step */
  const char              *placed, *taken; /* the plan's values, where the algorithm runs and on the host after the batch */
} Case;

static void randomize_right_side(Case *test, uint64_t seed)
{
  for (int i = 0; i < test->A->n; i++) set_value(test->o->type, test->now_b, i, 2 * random_unit(&seed) - 1);
}

/* The old contents of x must not matter, neither an old solution nor the sentinel */
static void poison(const Case *test, void *x, int kind)
{
  for (int i = 0; i < test->A->n; i++) {
    if (kind == 0) put_sentinel(test->o->type, x, i);
    else set_value(test->o->type, x, i, kind == 1 ? 1e30 : 0);
  }
}

static void judge(Case *test, int k)
{
  const Step *const step = &test->step[k];
  const char *const x = test->host_x + (size_t)k * test->vector, *const b = test->host_b + (size_t)k * test->vector;
  int               wrong;

  if (step->verdict == SAME) {
    expect(same_solution(test->o, x, test->first_x, test->A->n), "%s: other bits than the first time", step->what);
    return;
  }
  triangular_take(test->o, step->values, &test->T);
  wrong = triangular_wrong_rows(&test->T, test->o, b, x);
  expect(!wrong, "%s: %d of %d rows do not hold", step->what, wrong, test->A->n);
  if (step->verdict == FIRST) memcpy(test->first_x, x, (size_t)test->A->n * test->size);
}

/* What comes of it is not judged */
static void solve_between(Case *test, Between what, const void *b)
{
  if (what == NOTHING || (what == OTHER_SWEEP && !test->other)) return;
  if (what == OTHER_SWEEP) expect_success(sptrsvPlanUpdate(test->other, test->placed, NULL));
  for (int k = 0; k < 2; k++) {
    if (what == OTHER_SWEEP) expect_success(sptrsvSolve(test->other, b, test->spare, NULL));
    else expect_success(sptrsvSolve(test->plan, test->data, test->spare, NULL));
  }
}

static void run_batch(Case *test)
{
  const size_t used = (size_t)test->steps * test->vector;

  if (!test->steps) return;
  place_put(test->location, test->b, test->host_b, used);
  place_put(test->location, test->x, test->host_x, used);
  place_put(test->location, test->values[test->side], test->host_values[test->side], (size_t)test->updates * test->matrix);
  for (int k = 0; k < test->steps; k++) {
    const Step *const step = &test->step[k];
    char *const       b    = test->b + (size_t)k * test->vector;

    if (step->update >= 0) {
      test->placed = test->values[test->side] + (size_t)step->update * test->matrix;
      expect_success(sptrsvPlanUpdate(test->plan, test->placed, NULL));
    }
    solve_between(test, step->before, b);
    expect_success(sptrsvSolve(test->plan, b, test->x + (size_t)k * test->vector, NULL));
  }
  place_get(test->location, test->host_x, test->x, used);
  for (int k = 0; k < test->steps; k++) judge(test, k);
  if (test->updates) test->side = !test->side;
  test->steps = test->updates = 0;
}

/* The next solve is with new values */
static int add_update(Case *test)
{
  char *const values = test->host_values[test->side] + (size_t)test->updates * test->matrix;

  memcpy(values, test->now_values, (size_t)test->A->nnz * test->size);
  test->taken   = values;
  test->changed = false;
  return test->updates++;
}

static void add_step(Case *test, int kind, Verdict verdict, Between before, const char *what)
{
  Step *step;

  if (test->steps == test->room) run_batch(test);
  step          = &test->step[test->steps];
  step->verdict = verdict;
  step->before  = before;
  step->update  = test->changed ? add_update(test) : -1;
  step->values  = test->taken;
  (void)snprintf(step->what, sizeof(step->what), "%s", what);
  memcpy(test->host_b + (size_t)test->steps * test->vector, test->now_b, (size_t)test->A->n * test->size);
  poison(test, test->host_x + (size_t)test->steps * test->vector, kind);
  test->steps++;
}

static void solve_and_judge(Case *test, int kind, const char *what)
{
  add_step(test, kind, RIGHT, NOTHING, what);
}

/* The judge is tested too: it must see a single wrong digit */
static void check_judge(Case *test)
{
  const int i = test->A->n / 2;

  run_batch(test);
  if (!test->A->n) return;
  triangular_take(test->o, test->taken, &test->T);
  set_value(test->o->type, test->host_x, i, value_at(test->o->type, test->host_x, i) * 1.01 + 1e-3);
  expect(triangular_wrong_rows(&test->T, test->o, test->host_b, test->host_x) > 0, "the test does not see a wrong x[%d]", i);
}

/* A sweep leaves nothing behind that disturbs the next one: repeated, over old solutions, with another sweep in between */
static void repeat_solve(Case *test)
{
  for (int k = 0; k < 3; k++) add_step(test, k, SAME, NOTHING, "again");
  add_step(test, 1, SAME, OTHER_SWEEP, "after another sweep");
  add_step(test, 0, SAME, OTHER_DATA, "after other data");
}

/* Device algorithms have copied the values: later changes of the caller's array have no effect until the next update */
static void forget_values(Case *test)
{
  char *junk;

  run_batch(test);
  if (test->location == SPTRSV_HOST) return;
  junk = place_new(SPTRSV_HOST, test->matrix, NULL);
  memset(junk, 0x3f, test->matrix);
  place_put(test->location, test->values[!test->side], junk, test->matrix);
  add_step(test, 0, SAME, NOTHING, "without the caller's values");
  free(junk);
}

static void take_new_values(Case *test, uint64_t seed)
{
  ZooMatrix other = *test->A;

  other.values = place_new(SPTRSV_HOST, (size_t)test->A->nnz * sizeof(double), NULL);
  zoo_randomize(&other, seed);
  free(test->now_values);
  test->now_values = zoo_values(&other, test->o->type, test->o->diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  free(other.values);
  test->changed = true;
  solve_and_judge(test, 1, "new values");
}

static void put_nan_and_inf(Case *test)
{
  const int n = test->A->n, nnz = test->A->nnz, *const row = test->A->row_ptr + n / 2; /* the middle row */

  if (!n) return;
  set_value(test->o->type, test->now_b, n / 3, NAN);
  solve_and_judge(test, 1, "NaN in b");
  set_value(test->o->type, test->now_b, n / 3, INFINITY);
  solve_and_judge(test, 0, "Inf in b");
  put_sentinel(test->o->type, test->now_b, 2 * n / 3);
  solve_and_judge(test, 2, "Inf and the sentinel in b");
  for (int i = 0; i < n; i++) put_sentinel(test->o->type, test->now_b, i);
  solve_and_judge(test, 0, "nothing but sentinels in b");
  randomize_right_side(test, 3);
  solve_and_judge(test, 1, "numbers again");
  if (!nnz) return;
  test->changed = true;
  for (int e = row[0]; e < row[1]; e++) put_sentinel(test->o->type, test->now_values, e);
  put_sentinel(test->o->type, test->now_values, nnz - 1);
  solve_and_judge(test, 0, "sentinels in the values");
  test->changed = true;
  for (int e = row[0]; e < row[1]; e++) set_value(test->o->type, test->now_values, e, NAN);
  set_value(test->o->type, test->now_values, nnz - 1, 1);
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
  test->changed |= numbers == test->now_values;
  solve_and_judge(test, 1, what);
  test->changed |= numbers == test->now_values;
  memcpy(place, before, test->size);
}

/* Position of an entry, or -1 */
static int find_entry(const ZooMatrix *A, int i, int j)
{
  for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
    if (A->col_idx[e] == j) return e;
  }
  return -1;
}

static void put_numbers_in_row(Case *test, int i, const double *numbers, int count)
{
  const Triangular *const T = &test->T;
  const bool transposed = test->o->op == SPTRSV_TRANSPOSE;
  const int  j          = T->row_ptr[i] < T->row_ptr[i + 1] ? T->col_idx[T->row_ptr[i]] : -1;
  const int  entry = j < 0 ? -1 : transposed ? find_entry(test->A, j, i) : find_entry(test->A, i, j), diagonal = find_entry(test->A, i, i);
  const int  other = j < 0 ? -1 : transposed ? find_entry(test->A, i, j) : find_entry(test->A, j, i);

  for (int k = 0; k < count; k++) {
    put_number(test, test->now_b, test->o->in_perm ? test->o->in_perm[i] : i, numbers[k], "in b");
    if (entry >= 0) put_number(test, test->now_values, entry, numbers[k], "in the triangle");
    if (diagonal >= 0) put_number(test, test->now_values, diagonal, numbers[k], "on the diagonal");
  }
  if (other >= 0) put_number(test, test->now_values, other, NAN, "in the other triangle");
}

static void put_numbers(Case *test)
{
  const bool   wide      = test->o->type == SPTRSV_DOUBLE;
  const double largest   = wide ? DBL_MAX : (double)FLT_MAX, least = wide ? DBL_TRUE_MIN : (double)FLT_TRUE_MIN;
  const double numbers[] = {NAN, INFINITY, -INFINITY, largest, -largest, largest / 8, wide ? 1e-308 : 1e-38, least, 0, -0.0};
  const int   *row_ptr   = test->T.row_ptr;
  int          longest   = 0;

  for (int i = 0; i < test->T.n; i++) {
    if (row_ptr[i + 1] - row_ptr[i] > row_ptr[longest + 1] - row_ptr[longest]) longest = i;
  }
  put_numbers_in_row(test, 0, numbers, sizeof(numbers) / sizeof(*numbers));
  put_numbers_in_row(test, test->T.n / 2, numbers, sizeof(numbers) / sizeof(*numbers));
  put_numbers_in_row(test, test->T.n - 1, numbers, sizeof(numbers) / sizeof(*numbers));
  put_numbers_in_row(test, longest, numbers, sizeof(numbers) / sizeof(*numbers));
}

/* Bytes of an array among others of a batch */
static size_t pad(const Case *test, size_t bytes)
{
  return test->room == 1 ? bytes : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void allocate_case(Case *test)
{
  const size_t size = value_size(test->o->type), n = (size_t)test->A->n, nnz = (size_t)test->A->nnz;
  const int    room = (int)(BATCH_BYTES / (nnz * size + 1));

  test->size        = size;
  test->room        = test_quick() || test->location == SPTRSV_HOST ? 1 : room < LEAST_ROOM ? LEAST_ROOM : room < ROOM ? room : ROOM;
  test->vector      = pad(test, n * size);
  test->matrix      = pad(test, nnz * size);
  test->now_values  = zoo_values(test->A, test->o->type, test->o->diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  test->now_b       = place_new(SPTRSV_HOST, n * size, NULL);
  test->first_x     = place_new(SPTRSV_HOST, n * size, NULL);
  test->host_b      = place_new(SPTRSV_HOST, (size_t)test->room * test->vector, NULL);
  test->host_x      = place_new(SPTRSV_HOST, (size_t)test->room * test->vector, NULL);
  test->b           = place_new(test->location, (size_t)test->room * test->vector, NULL);
  test->x           = place_new(test->location, (size_t)test->room * test->vector, NULL);
  test->spare       = place_new(test->location, n * size, NULL);
  test->changed     = true;
  randomize_right_side(test, 2);
  test->data = place_new(test->location, n * size, test->now_b);
  for (int k = 0; k < 2; k++) {
    test->host_values[k] = place_new(SPTRSV_HOST, (size_t)test->room * test->matrix, NULL);
    test->values[k]      = place_new(test->location, (size_t)test->room * test->matrix, NULL);
  }
  triangular_create(test->A, test->o, test->now_values, &test->T);
  randomize_right_side(test, 1);
}

static void free_case(Case *test)
{
  void *const placed[] = {test->b, test->x, test->spare, test->data, test->values[0], test->values[1]};
  void *const host[]   = {test->now_values, test->now_b, test->first_x, test->host_b, test->host_x, test->host_values[0],
                          test->host_values[1]};

  triangular_destroy(&test->T);
  for (size_t k = 0; k < sizeof(placed) / sizeof(*placed); k++) place_free(test->location, placed[k]);
  for (size_t k = 0; k < sizeof(host) / sizeof(*host); k++) free(host[k]);
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
    add_step(&c, 0, FIRST, NOTHING, "first solve");
    put_numbers(&c);
    add_step(&c, 0, SAME, NOTHING, "afterwards");
    run_batch(&c);
    free_case(&c);
  }
  expect_success(sptrsvPlanDestroy(&c.plan));
  case_end();
}

/* A plan that has no values yet, unless it is there */
static void make_plan(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan)
{
  const bool possible = A->diagonal || options->diagonal == SPTRSV_DIAG_UNIT;

  if (*plan) return;
  expect_status(sptrsvPlanCreate(analysis, options, plan), possible ? SPTRSV_SUCCESS : SPTRSV_MISSING_DIAGONAL, "sptrsvPlanCreate");
  if (*plan) expect_status(sptrsvSolve(*plan, NULL, NULL, NULL), SPTRSV_NOT_READY, "solving before there are values");
}

void sweep_case_beside(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan plans[2], bool with_own)
{
  SptrsvPlanOptions opposite = *options;
  Case              c        = {.A = A, .o = options, .location = options->location};
  SptrsvPlan        own      = NULL, *const plan = with_own ? &plans[options->triangle] : &own;

  opposite.triangle = options->triangle == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
  opposite.in_perm = opposite.out_perm = NULL;
  begin_case(A, options, "");
  make_plan(A, analysis, options, plan);
  make_plan(A, analysis, &opposite, &plans[opposite.triangle]);
  if (*plan) {
    c.plan  = *plan;
    c.other = plans[opposite.triangle];
    allocate_case(&c);
    add_step(&c, 0, FIRST, NOTHING, "first solve");
    repeat_solve(&c);
    check_judge(&c);
    forget_values(&c);
    describe_case(&c);
    take_new_values(&c, 77);
    put_nan_and_inf(&c);
    run_batch(&c);
    free_case(&c);
  }
  (void)sptrsvPlanDestroy(&own);
  case_end();
}

void sweep_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options)
{
  SptrsvPlan plans[2] = {NULL, NULL};

  sweep_case_beside(A, analysis, options, plans, true);
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanDestroy(&plans[k]));
}
