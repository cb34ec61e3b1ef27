/*
   Counters of tickets, which are never reset, near 2^32, across it, and near 2^64.

   A launch takes the same number of tickets every time, so the quotient is the number of launches before, and its parity tells the buffer
   that is ready.  The counter has 64 bits and no rule for its end: the launch that crosses 2^64 would go wrong.  At a ticket a nanosecond,
   more than atomics on one address yield, that is after 584 years.  All launches that end below it are right.
*/
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "counter.h"
#include "zoo.h"

enum { GRID2D = 6, LAUNCHES = 6, TASK = 40 };

static const struct {
  const char *name;
  uint64_t    end;  /* the last whole launch before it, */
  int         room; /* and so many launches earlier, is where the counter is put */
} places[] = {
  {"2^32", UINT64_C(1) << 32, 0           },
  {"2^64", UINT64_MAX,        2 * LAUNCHES}
};

/* A plan or a factorization, and what a launch of it leaves */
typedef struct {
  SptrsvPlanOptions options; /* its type also for a factorization */
  SptrsvPlan        plan;    /* NULL: a factorization */
  SptrsvFactor      factor;
  double           *values, *b, *x; /* on the device */
  int               size;           /* of the result */
  double           *result, *right; /* on the host */
  bool              odd;            /* number of launches so far */
  uint64_t         *counter;        /* on the device */
  size_t            counters;
  uint64_t         *per_launch, *taken; /* tickets, of each counter */
} Work;

static void factor_once(Work *work)
{
  const SptrsvPivoting pivoting = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};
  SptrsvFactorResult   r;
  const void          *values = NULL;

  expect_success(sptrsvFactorNumeric(work->factor, work->values, &pivoting, NULL, &r));
  expect_success(sptrsvFactorGetValues(work->factor, &values));
  place_get(SPTRSV_DEVICE, work->result, values, (size_t)work->size * sizeof(double));
}

static void solve_once(Work *work)
{
  const size_t bytes = (size_t)work->size * sizeof(double);

  memset(work->result, 0, bytes);
  place_put(SPTRSV_DEVICE, work->x, work->result, bytes);
  expect_success(sptrsvSolve(work->plan, work->b, work->x, NULL));
  place_get(SPTRSV_DEVICE, work->result, work->x, bytes);
}

static void launch_once(Work *work)
{
  if (work->plan) solve_once(work);
  else factor_once(work);
  work->odd = !work->odd;
}

static void get_tickets(const Work *work, uint64_t *tickets)
{
  place_get(SPTRSV_DEVICE, tickets, work->counter, work->counters * sizeof(*tickets));
}

/* The first launch gives the right result and the number of tickets */
static void create_work(const ZooMatrix *A, int size, Work *work)
{
  const size_t bytes = (size_t)size * sizeof(double);
  uint64_t     seed  = 61;

  work->size       = size;
  work->result     = place_new(SPTRSV_HOST, bytes, NULL);
  work->right      = place_new(SPTRSV_HOST, bytes, NULL);
  work->counter    = last_counter(&work->counters);
  work->per_launch = place_new(SPTRSV_HOST, work->counters * sizeof(uint64_t), NULL);
  work->taken      = place_new(SPTRSV_HOST, work->counters * sizeof(uint64_t), NULL);
  work->values     = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);
  for (int i = 0; i < A->n; i++) work->result[i] = random_unit(&seed);
  work->b = place_new(SPTRSV_DEVICE, (size_t)A->n * sizeof(double), work->result);
  work->x = place_new(SPTRSV_DEVICE, (size_t)A->n * sizeof(double), NULL);
  if (work->plan) expect_success(sptrsvPlanUpdate(work->plan, work->values, NULL));
  launch_once(work);
  memcpy(work->right, work->result, bytes);
  get_tickets(work, work->per_launch);
}

static void destroy_work(Work *work)
{
  place_free(SPTRSV_DEVICE, work->values);
  place_free(SPTRSV_DEVICE, work->b);
  place_free(SPTRSV_DEVICE, work->x);
  free(work->result);
  free(work->right);
  free(work->per_launch);
  free(work->taken);
  expect_success(sptrsvPlanDestroy(&work->plan));
  expect_success(sptrsvFactorDestroy(&work->factor));
}

/* The parity stays: it belongs to the buffers as they are */
static void move_counters(Work *work, uint64_t end, int room)
{
  for (size_t k = 0; k < work->counters; k++) {
    uint64_t launches = end / work->per_launch[k] - (uint64_t)room;

    if ((launches % 2 == 1) != work->odd) launches--;
    work->taken[k] = launches * work->per_launch[k];
  }
  place_put(SPTRSV_DEVICE, work->counter, work->taken, work->counters * sizeof(*work->taken));
}

static void expect_tickets(const Work *work, uint64_t end, bool crossed)
{
  uint64_t *now = place_new(SPTRSV_HOST, work->counters * sizeof(*now), NULL);

  get_tickets(work, now);
  for (size_t k = 0; k < work->counters; k++) {
    expect(now[k] == work->taken[k] + LAUNCHES * work->per_launch[k], "counter %zu is not at the end of a launch", k);
    expect(now[k] > work->taken[k] && (now[k] > end) == crossed, "counter %zu is on the wrong side", k);
  }
  free(now);
}

static void test_place(Work *work, size_t place, bool odd)
{
  if (work->odd != odd) launch_once(work);
  move_counters(work, places[place].end, places[place].room);
  for (int k = 0; k < LAUNCHES; k++) {
    launch_once(work);
    expect(same_solution(&work->options, work->result, work->right, work->size), "another result at %s, launch %d after an %s number",
           places[place].name, k, odd ? "odd" : "even");
  }
  expect_tickets(work, places[place].end, !places[place].room);
}

static void test_work(const ZooMatrix *A, int size, Work *work)
{
  create_work(A, size, work);
  for (size_t k = 0; k < work->counters; k++) expect(work->per_launch[k] > 0, "counter %zu is not used", k);
  for (size_t p = 0; p < sizeof(places) / sizeof(*places); p++) {
    for (int odd = 0; odd < 2; odd++) test_place(work, p, odd);
  }
  destroy_work(work);
}

/* Of split the second part: each part counts for itself */
static void test_sweep(const ZooMatrix *A, const char *algorithm)
{
  const SptrsvCsr csr      = zoo_csr(A);
  SptrsvAnalysis  analysis = NULL;
  Work            work     = {.options = {.algorithm = algorithm, .location = SPTRSV_DEVICE, .diagonal = SPTRSV_DIAG_STORED}};

  work.options.type                    = SPTRSV_DOUBLE;
  work.options.tuning.levelorder.warps = 6; /* not a number of whole blocks, where blocks have four */
  work.options.tuning.ata              = (SptrsvTaskOptions){.policy = SPTRSV_TASKS_LOCALITY, .size = TASK};
  work.options.tuning.split.parameters = "policy=gpu-gpu";
  case_begin("tickets of %s", algorithm);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  if (expect_success(sptrsvPlanCreate(analysis, &work.options, &work.plan))) test_work(A, A->n, &work);
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
}

static const SptrsvTaskOptions tasks = {.policy = SPTRSV_TASKS_LOCALITY, .size = TASK};

static void test_factorization(const ZooMatrix *A, const FactorWay *way)
{
  const SptrsvCsr csr   = zoo_csr(A);
  SptrsvPlan      lower = NULL;
  Work            work  = {.options = {.algorithm = "", .type = SPTRSV_DOUBLE}};

  case_begin("tickets of the factorization by %s", way->name);
  if (expect_success(sptrsvFactorCreate(&csr, SPTRSV_ILU0, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &work.factor))) {
    expect_success(factor_go(work.factor, way, &tasks, NULL, SPTRSV_DOUBLE, &lower));
    test_work(A, A->nnz, &work);
    expect_success(sptrsvPlanDestroy(&lower));
  }
  case_end();
}

static void test_device(void)
{
  const SptrsvAlgorithm *algorithm;
  ZooMatrix              A;

  zoo_create(GRID2D, true, &A);
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == SPTRSV_DEVICE && has_tickets(algorithm->name)) test_sweep(&A, algorithm->name);
  }
  for (int k = 0; k < COUNTED_WAYS; k++) {
    if (way_is_there(&counted_ways[k])) test_factorization(&A, &counted_ways[k]);
  }
  zoo_destroy(&A);
}

int main(int argc, char **argv)
{
  (void)test_begin("tickets", argc, argv);
  if (sptrsvDeviceCount()) test_device();
  else case_skip("tickets: there is no GPU");
  return test_end();
}
