/* sweep_case.c - The test case of one sweep: right-hand sides, values, and the old contents of x. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sweep_batch.h"

enum { SOLVES = 15 }; /* of a case of sweeps, at most */

static void solve_and_judge(Batch *test, int kind, const char *what)
{
  batch_add(test, kind, RIGHT, NOTHING, what);
}

/* A sweep leaves nothing behind that disturbs the next one: repeated, over old solutions, with another sweep in between */
static void repeat_solve(Batch *test)
{
  for (int k = 0; k < 3; k++) batch_add(test, k, SAME, NOTHING, "again");
  batch_add(test, 1, SAME, OTHER_SWEEP, "after another sweep");
  batch_add(test, 0, SAME, OTHER_DATA, "after other data");
  if (test->location == SPTRSV_DEVICE) batch_add(test, 0, SAME, VALUES_SPOILT, "without the caller's values");
}

static void take_new_values(Batch *test, uint64_t seed)
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

static void put_nan_and_inf(Batch *test)
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
  batch_right_side(test, 3);
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
static void put_number(Batch *test, void *numbers, int e, double number, const char *where)
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

static void put_numbers_in_row(Batch *test, int i, const double *numbers, int count)
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

static void put_numbers(Batch *test)
{
  const ValueType *const type      = &value_types[test->o->type];
  const double           numbers[] = {NAN,           INFINITY, -INFINITY, type->largest, -type->largest, type->largest / 8, type->subnormal,
                                      type->least, 0,        -0.0};
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

static void describe_case(Batch *test)
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
             options->op == SPTRSV_TRANSPOSE ? "^T" : "", diagonals[options->diagonal], value_types[options->type].name,
             options->in_perm ? " in_perm" : "", options->out_perm ? " out_perm" : "", A->name, split ? ", " : "",
             split ? split : "", what);
}

void sweep_numbers_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options)
{
  Batch c = {.A = A, .o = options, .location = options->location};

  begin_case(A, options, ", numbers");
  if (expect_success(sptrsvPlanCreate(analysis, options, &c.plan))) {
    batch_create(&c);
    batch_add(&c, 0, FIRST, NOTHING, "first solve");
    put_numbers(&c);
    batch_add(&c, 0, SAME, NOTHING, "afterwards");
    batch_run(&c);
    batch_destroy(&c);
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

struct Part;
typedef struct {
  SptrsvPlanOptions opposite;
  SptrsvPlan        own;
  Batch             batch;
  CaseState         state; /* of the test case, while others go on */
  struct Part      *part; /* that a thread runs */
} Together;

static void open_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SweepCase *c, Together *t)
{
  SptrsvPlan *const plan = c->with_own ? &c->plans[c->options.triangle] : &t->own;

  *t = (Together){.opposite = c->options, .batch = {.A = A, .o = &c->options, .location = c->options.location}};
  t->opposite.triangle = c->options.triangle == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
  t->opposite.in_perm = t->opposite.out_perm = NULL;
  begin_case(A, &c->options, "");
  make_plan(A, analysis, &c->options, plan);
  make_plan(A, analysis, &t->opposite, &c->plans[t->opposite.triangle]);
  t->batch.plan  = *plan;
  t->batch.other = c->plans[t->opposite.triangle];
  if (*plan) batch_create(&t->batch);
}

static void fill_batch(Batch *test)
{
  batch_add(test, 0, FIRST, NOTHING, "first solve");
  repeat_solve(test);
  take_new_values(test, 77);
  put_nan_and_inf(test);
}

static void close_case(Together *t)
{
  if (t->batch.plan) {
    describe_case(&t->batch);
    batch_destroy(&t->batch);
  }
  (void)sptrsvPlanDestroy(&t->own);
  case_end();
}

/* What is done with all cases, and its time.  Threads do what calls neither the library nor the GPU, if a batch has room for all solves of
   its case. */
static struct Part {
  const char *name;
  void (*run)(Batch *test);
  bool   threads;
  double seconds;
} parts[] = {{"right sides", fill_batch, true, 0},
             {"to the GPU", batch_put, false, 0},
             {"launches", batch_solve, false, 0},
             {"from the GPU", batch_get, false, 0},
             {"judgement", batch_judge, true, 0}};
enum { PARTS = sizeof(parts) / sizeof(*parts) };
static double all_seconds;

void sweep_print_times(void)
{
  double plans = all_seconds;

  for (int p = 0; p < PARTS; p++) {
    plans -= parts[p].seconds;
    printf("%s %.1f s, ", parts[p].name, parts[p].seconds);
  }
  printf("plans %.1f s\n", plans);
}

static void *run_part(void *together)
{
  Together *const t = together;

  case_resume(&t->state);
  t->part->run(&t->batch);
  case_leave(&t->state);
  return NULL;
}

static void run_part_of_all(struct Part *part, Together *together, int count)
{
  const double begin                   = test_seconds();
  bool         apart[SWEEPS_TOGETHER] = {false};
  pthread_t    thread[SWEEPS_TOGETHER];

  for (int k = 0; k < count; k++) {
    Together *const t = &together[k];

    t->part = part;
    if (!t->batch.plan) continue;
    apart[k] = part->threads && t->batch.room >= SOLVES && !pthread_create(&thread[k], NULL, run_part, t);
    if (!apart[k]) (void)run_part(t);
  }
  for (int k = 0; k < count; k++) {
    if (apart[k]) (void)pthread_join(thread[k], NULL);
  }
  part->seconds += test_seconds() - begin;
}

void sweep_cases(const ZooMatrix *A, SptrsvAnalysis analysis, const SweepCase *cases, int count)
{
  Together together[SWEEPS_TOGETHER];

  all_seconds -= test_seconds();
  for (int k = 0; k < count; k++) {
    open_case(A, analysis, &cases[k], &together[k]);
    case_leave(&together[k].state);
  }
  for (int p = 0; p < PARTS; p++) run_part_of_all(&parts[p], together, count);
  for (int k = 0; k < count; k++) {
    case_resume(&together[k].state);
    close_case(&together[k]);
  }
  all_seconds += test_seconds();
}

void sweep_case(const ZooMatrix *A, SptrsvAnalysis analysis, const SptrsvPlanOptions *options)
{
  SptrsvPlan      plans[2] = {NULL, NULL};
  const SweepCase c        = {*options, plans, true};

  sweep_cases(A, analysis, &c, 1);
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanDestroy(&plans[k]));
}
