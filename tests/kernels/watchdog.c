/*
   A wait that cannot end, because memory of a plan was overwritten, is given up within seconds: the solve returns a status, and later
   work is not affected.  One that is long but alive is not given up.

   For the first the test overwrites the counter of tickets, or the first of several.  One ticket is lost, and its rows are never solved.
   For the second it has a chain of rows, and a row of many entries.  On the emulator it gives the kernels less patience than
   the waits for them take; on a GPU these are short.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "check.h"
#include "counter.h"
#include "zoo.h"

enum { CHAIN = 4, SECONDS = 60, CHAIN_ROWS = 6000, LONG = 6000 };

/* Of the emulator: rounds of polling, a multiple of 256 */
void simt_set_patience(unsigned rounds) __attribute__((weak));

static void set_patience(unsigned rounds)
{
  if (simt_set_patience) simt_set_patience(rounds);
}

static void lose_ticket_of(uint64_t *counter)
{
  uint64_t tickets = 0;

  place_get(SPTRSV_DEVICE, &tickets, counter, sizeof(tickets));
  tickets++;
  place_put(SPTRSV_DEVICE, counter, &tickets, sizeof(tickets));
}

static void lose_ticket(void)
{
  size_t count;

  lose_ticket_of(last_counter(&count));
}

/* Of the clock; of the processor on the emulator, which takes longer on a busy machine */
static double seconds_now(void)
{
  return test_emulated() ? (double)clock() / CLOCKS_PER_SEC : (double)time(NULL);
}

/* A plan of the lower sweep, and what a solve needs */
typedef struct {
  const ZooMatrix *A;
  SptrsvAnalysis   analysis;
  SptrsvPlan       plan;
  double          *values, *b, *x; /* on the device */
  double          *host;           /* [n] x */
} Sweep;

static void plan_again(Sweep *s, const char *algorithm, const SptrsvTuning *tuning)
{
  const SptrsvPlanOptions o = {
      .algorithm = algorithm, .location = SPTRSV_DEVICE, .diagonal = SPTRSV_DIAG_STORED, .type = SPTRSV_DOUBLE, .tuning = *tuning};

  expect_success(sptrsvPlanDestroy(&s->plan));
  if (expect_success(sptrsvPlanCreate(s->analysis, &o, &s->plan))) expect_success(sptrsvPlanUpdate(s->plan, s->values, NULL));
}

static void sweep_create(const ZooMatrix *A, const char *algorithm, const SptrsvTuning *tuning, Sweep *s)
{
  const SptrsvCsr csr   = zoo_csr(A);
  const size_t    bytes = (size_t)A->n * sizeof(double);

  *s        = (Sweep){.A = A};
  s->values = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);
  s->host   = place_new(SPTRSV_HOST, bytes, NULL);
  for (int i = 0; i < A->n; i++) s->host[i] = 1;
  s->b = place_new(SPTRSV_DEVICE, bytes, s->host);
  s->x = place_new(SPTRSV_DEVICE, bytes, NULL);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &s->analysis));
  plan_again(s, algorithm, tuning);
}

static void sweep_destroy(Sweep *s)
{
  expect_success(sptrsvPlanDestroy(&s->plan));
  expect_success(sptrsvAnalysisDestroy(&s->analysis));
  place_free(SPTRSV_DEVICE, s->values);
  place_free(SPTRSV_DEVICE, s->b);
  place_free(SPTRSV_DEVICE, s->x);
  place_free(SPTRSV_HOST, s->host);
}

/* A solve from x full of zeros; returns the number of NaN in x */
static int solve_and_count(Sweep *s)
{
  const size_t bytes = (size_t)s->A->n * sizeof(double);
  int          nans  = 0;

  memset(s->host, 0, bytes);
  place_put(SPTRSV_DEVICE, s->x, s->host, bytes);
  expect_success(sptrsvSolve(s->plan, s->b, s->x, NULL));
  place_get(SPTRSV_DEVICE, s->host, s->x, bytes);
  for (int i = 0; i < s->A->n; i++) nans += isnan(s->host[i]) != 0;
  return nans;
}

static void expect_sound(Sweep *s, const char *when)
{
  expect(solve_and_count(s) == 0, "NaN in a sound solve %s", when);
  expect_success(sptrsvPlanGetStatus(s->plan));
}

/* Tasks of ata have several chunks, and there are several strips; otherwise no row would wait for the lost ones */
static void test_lost(const ZooMatrix *A, const char *algorithm)
{
  const SptrsvTuning tuning = {.levelorder = {.lanes = 1, .warps = 1},
                               .strips     = {.rows = 35},
                               .ata        = {.policy = SPTRSV_TASKS_LOCALITY, .size = 40},
                               .split      = {"policy=gpu-gpu"}};
  Sweep              s;
  double             start;

  case_begin("%s with a ticket lost", algorithm);
  sweep_create(A, algorithm, &tuning, &s);
  expect_sound(&s, "before");
  lose_ticket();
  start = seconds_now();
  expect(solve_and_count(&s) > 0, "no NaN although rows were lost");
  expect(seconds_now() - start < SECONDS, "it took longer than %d s", (int)SECONDS);
  expect_status(sptrsvPlanGetStatus(s.plan), SPTRSV_STALLED, "status of the plan");
  expect_status(sptrsvSolve(s.plan, s.b, s.x, NULL), SPTRSV_STALLED, "the next solve");
  expect_success(sptrsvPlanUpdate(s.plan, s.values, NULL));
  expect_success(sptrsvPlanGetStatus(s.plan));
  plan_again(&s, algorithm, &tuning);
  expect_sound(&s, "after it");
  sweep_destroy(&s);
  case_end();
}

/* A plan for several columns has two counters, of solves for one column and for several: of both it tells that a solve gave up */
static void test_lost_of_columns(const ZooMatrix *A, const char *algorithm)
{
  enum { COLUMNS = 3 };
  const SptrsvTuning tuning = {.levelorder = {.lanes = 1, .warps = 1}, .strips = {.rows = 35}};
  const size_t       count  = (size_t)COLUMNS * (size_t)A->n;
  double *const      b = place_new(SPTRSV_DEVICE, count * sizeof(*b), NULL), *const x = place_new(SPTRSV_DEVICE, count * sizeof(*x), NULL);
  Sweep              s;

  case_begin("%s for several columns, with a ticket lost", algorithm);
  sweep_create(A, algorithm, &tuning, &s);
  for (int k = 0; k < COLUMNS; k++) place_put(SPTRSV_DEVICE, b + (size_t)k * (size_t)A->n, s.host, (size_t)A->n * sizeof(*b));
  for (int several = 0; several < 2; several++) {
    size_t          counters;
    uint64_t *const one = last_counter(&counters);
    int             columns;

    expect_success(sptrsvPlanPrepareMany(s.plan, &columns));
    expect(columns >= COLUMNS && last_counter(&counters) != one, "there is no counter for several columns");
    expect_success(sptrsvSolveMany(s.plan, COLUMNS, b, A->n, x, A->n, NULL));
    expect_sound(&s, "before");
    lose_ticket_of(several ? last_counter(&counters) : one);
    if (several) expect_success(sptrsvSolveMany(s.plan, COLUMNS, b, A->n, x, A->n, NULL));
    else expect(solve_and_count(&s) > 0, "no NaN although rows were lost");
    place_get(SPTRSV_DEVICE, s.host, x, (size_t)A->n * sizeof(*x)); /* waits */
    expect_status(sptrsvPlanGetStatus(s.plan), SPTRSV_STALLED, several ? "status after several columns" : "status after one column");
    plan_again(&s, algorithm, &tuning);
  }
  expect_sound(&s, "after it");
  sweep_destroy(&s);
  case_end();
  place_free(SPTRSV_DEVICE, b);
  place_free(SPTRSV_DEVICE, x);
}

static const SptrsvTaskOptions tasks = {.policy = SPTRSV_TASKS_LOCALITY, .size = 40};

static void test_factorization(const ZooMatrix *A, const FactorWay *way)
{
  const SptrsvCsr      csr      = zoo_csr(A);
  const SptrsvPivoting pivoting = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};
  SptrsvFactor         factor   = NULL;
  SptrsvPlan           lower    = NULL;
  SptrsvFactorResult   result;
  double              *values = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);

  case_begin("factorization by %s, with a ticket lost", way->name);
  expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &factor));
  expect_success(factor_go(factor, way, &tasks, NULL, SPTRSV_DOUBLE, &lower));
  expect_success(sptrsvFactorNumeric(factor, values, &pivoting, NULL, &result));
  lose_ticket();
  expect_status(sptrsvFactorNumeric(factor, values, &pivoting, NULL, &result), SPTRSV_STALLED, "sptrsvFactorNumeric()");
  expect_success(sptrsvPlanDestroy(&lower));
  expect_success(sptrsvFactorDestroy(&factor));
  place_free(SPTRSV_DEVICE, values);
  case_end();
}

static bool in_chain(int low, int high)
{
  return high - low <= 1;
}

/* Row and column LONG are full.  The last row, of another warp, needs row LONG. */
static bool in_long_rows(int low, int high)
{
  return low == high || high == LONG || (low == LONG && high == LONG + 99);
}

/* Matrices whose waits are longer than the patience that the emulator's kernels have with them, and the methods of which that holds.  The
   levels of each are found by waiting, too. */
static const struct {
  const char *name;
  int         n;
  bool (*has)(int low, int high);
  unsigned    patience;
  const char *algorithms[4];
} long_waits[] = {{"a chain", CHAIN_ROWS, in_chain, 1U << 13, {"levelorder", "syncfree-csr"}},
                  {"a chain in strips", CHAIN_ROWS, in_chain, 1U << 14, {"strips"}},
                  {"a long row", LONG + 100, in_long_rows, 1U << 10, {"levelorder", "capellini", "twophase"}}};
enum { LONG_WAITS = sizeof(long_waits) / sizeof(*long_waits) };

/* A symmetric pattern, with a dominant diagonal */
static void create(int which, ZooMatrix *A)
{
  const int    n    = long_waits[which].n;
  const size_t most = 4 * (size_t)n;

  *A         = (ZooMatrix){.name = long_waits[which].name, .n = n, .diagonal = true};
  A->row_ptr = place_new(SPTRSV_HOST, ((size_t)n + 1) * sizeof(int32_t), NULL);
  A->col_idx = place_new(SPTRSV_HOST, most * sizeof(int32_t), NULL);
  A->values  = place_new(SPTRSV_HOST, most * sizeof(double), NULL);
  for (int i = 0; i < n; i++) {
    A->row_ptr[i] = A->nnz;
    for (int j = 0; j < n; j++) {
      if (!long_waits[which].has(i < j ? i : j, i < j ? j : i)) continue;
      A->col_idx[A->nnz]  = j;
      A->values[A->nnz++] = i == j ? 2 : -1.0 / n;
    }
  }
  A->row_ptr[n] = A->nnz;
}

/* Strips as long as they may be, so that each waits as long as the one before takes; half of the chain is more than that in the emulator */
static void test_long_wait(const ZooMatrix *A, const char *algorithm)
{
  const SptrsvTuning tuning = {.levelorder = {.lanes = 1, .warps = 3}, .strips = {.rows = CHAIN_ROWS / 2, .warps = 2}};
  Sweep              s;

  case_begin("%s of %s", algorithm, A->name);
  sweep_create(A, algorithm, &tuning, &s);
  expect_sound(&s, "with long waits");
  sweep_destroy(&s);
  case_end();
}

static void test_long_waits(int which)
{
  ZooMatrix A;

  create(which, &A);
  set_patience(long_waits[which].patience);
  for (int k = 0; long_waits[which].algorithms[k]; k++) {
    if (sptrsvAlgorithmFind(long_waits[which].algorithms[k], SPTRSV_DEVICE)) test_long_wait(&A, long_waits[which].algorithms[k]);
  }
  zoo_destroy(&A);
}

static void test_lost_tickets(void)
{
  const SptrsvAlgorithm *algorithm;
  ZooMatrix              A;

  zoo_create(CHAIN, true, &A);
  set_patience(1U << 13);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE && has_tickets(algorithm->name)) test_lost(&A, algorithm->name);
  }
  test_lost_of_columns(&A, "levelorder");
  test_lost_of_columns(&A, "strips");
  for (int k = 0; k < COUNTED_WAYS; k++) {
    if (way_is_there(&counted_ways[k])) test_factorization(&A, &counted_ways[k]);
  }
  zoo_destroy(&A);
}

int main(int argc, char **argv)
{
  (void)test_begin("watchdog", argc, argv);
  if (!sptrsvDeviceCount()) {
    case_skip("there is no GPU");
    return test_end();
  }
  test_lost_tickets();
  for (int which = 0; which < LONG_WAITS; which++) test_long_waits(which);
  return test_end();
}
