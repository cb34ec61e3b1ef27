/* sweep_batch.c - Arrays of a batch, its solves, and their judgement. */
#include "sweep_batch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(SPTRSV_HAVE_CUDA)
  #include <cuda_runtime_api.h>
#endif

enum { LEAST_ROOM = 4, BATCH_BYTES = 8 << 20, ALIGNMENT = 256 };

void batch_right_side(Batch *test, uint64_t seed)
{
  for (int i = 0; i < test->A->n; i++) set_value(test->o->type, test->now_b, i, 2 * random_unit(&seed) - 1);
}

/* The old contents of x must not matter, neither an old solution nor the sentinel */
static void poison(const Batch *test, void *x, int kind)
{
  for (int i = 0; i < test->A->n; i++) {
    if (kind == 0) put_sentinel(test->o->type, x, i);
    else set_value(test->o->type, x, i, kind == 1 ? 1e30 : 0);
  }
}

/* The judge is tested too: it must see a single wrong digit */
static void check_judge(const Batch *test, const char *b, char *x)
{
  const int i = test->A->n / 2;

  if (!test->A->n) return;
  set_value(test->o->type, x, i, value_at(test->o->type, x, i) * 1.01 + 1e-3);
  expect(triangular_wrong_rows(&test->T, test->o, b, x) > 0, "the test does not see a wrong x[%d]", i);
}

static void judge(Batch *test, int k)
{
  const Step *const step = &test->step[k];
  const char *const b    = test->host_b + (size_t)k * test->vector;
  char *const       x    = test->host_x + (size_t)k * test->vector;
  int               wrong;

  if (step->verdict == SAME) {
    expect(same_solution(test->o, x, test->first_x, test->A->n), "%s: other bits than the first time", step->what);
    return;
  }
  triangular_take(test->o, step->values, &test->T);
  wrong = triangular_wrong_rows(&test->T, test->o, b, x);
  expect(!wrong, "%s: %d of %d rows do not hold", step->what, wrong, test->A->n);
  if (step->verdict != FIRST) return;
  memcpy(test->first_x, x, (size_t)test->A->n * test->size);
  check_judge(test, b, x);
}

/* Device algorithms have copied the values: later changes of the caller's array have no effect until the next update */
static void spoil_values(const Batch *test)
{
#if defined(SPTRSV_HAVE_CUDA)
  if (test->placed) expect_cuda(cudaMemsetAsync((void *)test->placed, 0x3f, test->matrix, test->stream), "other values");
#else
  (void)test;
#endif
}

/* What comes of the solves is not judged */
static void do_between(const Batch *test, Between what, const void *b)
{
  if (what == VALUES_SPOILT) spoil_values(test);
  if (what == OTHER_SWEEP && test->other) {
    expect_success(sptrsvPlanUpdate(test->other, test->placed, test->stream));
    for (int k = 0; k < 2; k++) expect_success(sptrsvSolve(test->other, b, test->spare, test->stream));
  }
  for (int k = 0; k < 2 && what == OTHER_DATA; k++) expect_success(sptrsvSolve(test->plan, test->data, test->spare, test->stream));
}

void batch_put(Batch *test)
{
  const size_t used = (size_t)test->steps * test->vector;

  place_put(test->location, test->b, test->host_b, used);
  place_put(test->location, test->x, test->host_x, used);
  place_put(test->location, test->values[test->side], test->host_values[test->side], (size_t)test->updates * test->matrix);
}

void batch_solve(Batch *test)
{
  for (int k = 0; k < test->steps; k++) {
    const Step *const step = &test->step[k];
    char *const       b    = test->b + (size_t)k * test->vector;

    if (step->update >= 0) {
      test->placed = test->values[test->side] + (size_t)step->update * test->matrix;
      expect_success(sptrsvPlanUpdate(test->plan, test->placed, test->stream));
    }
    do_between(test, step->before, b);
    expect_success(sptrsvSolve(test->plan, b, test->x + (size_t)k * test->vector, test->stream));
  }
}

void batch_get(Batch *test)
{
  place_get(test->location, test->host_x, test->x, (size_t)test->steps * test->vector);
}

void batch_judge(Batch *test)
{
  for (int k = 0; k < test->steps; k++) judge(test, k);
  if (test->updates) test->side = !test->side;
  test->steps = test->updates = 0;
}

void batch_run(Batch *test)
{
  batch_put(test);
  batch_solve(test);
  batch_get(test);
  batch_judge(test);
}

/* The next solve is with new values */
static int add_update(Batch *test)
{
  char *const values = test->host_values[test->side] + (size_t)test->updates * test->matrix;

  memcpy(values, test->now_values, (size_t)test->A->nnz * test->size);
  test->taken   = values;
  test->changed = false;
  return test->updates++;
}

void batch_add(Batch *test, int kind, Verdict verdict, Between before, const char *what)
{
  Step *step;

  if (test->steps == test->room) batch_run(test);
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

/* Bytes of an array among others of a batch */
static size_t pad(const Batch *test, size_t bytes)
{
  return test->room == 1 ? bytes : (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* What a batch of many solves leaves to the next one, since to get it takes as long as many solves */
static struct Kept {
  char        *place[2]; /* by location */
  size_t       bytes[2];
  SptrsvStream stream;
  bool         lent;
} kept[SWEEPS_TOGETHER];

void batch_forget(void)
{
  for (int k = 0; k < SWEEPS_TOGETHER; k++) {
    for (int l = 0; l < 2; l++) {
      if (kept[k].place[l]) place_free((SptrsvLocation)l, kept[k].place[l]);
    }
#if defined(SPTRSV_HAVE_CUDA)
    if (kept[k].stream) expect_cuda(cudaStreamDestroy(kept[k].stream), "cudaStreamDestroy");
#endif
    kept[k] = (struct Kept){.lent = false};
  }
}

static struct Kept *borrow(const size_t bytes[2])
{
  int k = 0;

  while (kept[k].lent) k++;
  kept[k].lent = true;
  for (int l = 0; l < 2; l++) {
    if (kept[k].place[l] && kept[k].bytes[l] >= bytes[l]) continue;
    if (kept[k].place[l]) place_free((SptrsvLocation)l, kept[k].place[l]);
    kept[k].place[l] = place_new((SptrsvLocation)l, kept[k].bytes[l] = bytes[l], NULL);
  }
  return &kept[k];
}

typedef struct {
  char         **array;
  size_t         bytes;
  SptrsvLocation location;
} Array;
enum { ARRAYS = 10 };

static void list_arrays(Batch *test, Array list[ARRAYS])
{
  const size_t         vectors = (size_t)test->room * test->vector, matrices = (size_t)test->room * test->matrix;
  const SptrsvLocation l           = test->location;
  const Array          all[ARRAYS] = {{&test->b, vectors, l},
                                      {&test->x, vectors, l},
                                      {&test->values[0], matrices, l},
                                      {&test->values[1], matrices, l},
                                      {&test->spare, test->vector, l},
                                      {&test->data, test->vector, l},
                                      {&test->host_b, vectors, SPTRSV_HOST},
                                      {&test->host_x, vectors, SPTRSV_HOST},
                                      {&test->host_values[0], matrices, SPTRSV_HOST},
                                      {&test->host_values[1], matrices, SPTRSV_HOST}};

  memcpy(list, all, sizeof(all));
}

static void place_arrays(Batch *test)
{
  Array  list[ARRAYS];
  size_t bytes[2] = {0, 0};

  list_arrays(test, list);
  for (int k = 0; k < ARRAYS; k++) bytes[list[k].location] += list[k].bytes;
  if (test->room > 1) test->kept = borrow(bytes);
  bytes[0] = bytes[1] = 0;
  for (int k = 0; k < ARRAYS; k++) {
    const SptrsvLocation l = list[k].location;

    *list[k].array = test->kept ? test->kept->place[l] + bytes[l] : place_new(l, list[k].bytes, NULL);
    bytes[l] += list[k].bytes;
  }
}

static void create_stream(Batch *test)
{
#if defined(SPTRSV_HAVE_CUDA)
  SptrsvStream *const stream = test->kept ? &test->kept->stream : &test->stream;

  if (test->location == SPTRSV_DEVICE && !*stream) expect_cuda(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "stream");
  test->stream = *stream;
#else
  (void)test;
#endif
}

void batch_create(Batch *test)
{
  const size_t size = value_size(test->o->type), n = (size_t)test->A->n, nnz = (size_t)test->A->nnz;
  const int    room = (int)(BATCH_BYTES / (nnz * size + 1));

  test->size       = size;
  test->room       = test_quick() || test->location == SPTRSV_HOST ? 1 : room < LEAST_ROOM ? LEAST_ROOM : room < ROOM ? room : ROOM;
  test->vector     = pad(test, n * size);
  test->matrix     = pad(test, nnz * size);
  test->now_values = zoo_values(test->A, test->o->type, test->o->diagonal == SPTRSV_DIAG_INVERTED, SPTRSV_HOST);
  test->now_b      = place_new(SPTRSV_HOST, n * size, NULL);
  test->first_x    = place_new(SPTRSV_HOST, n * size, NULL);
  test->changed    = true;
  triangular_create(test->A, test->o, test->now_values, &test->T);
  place_arrays(test);
  create_stream(test);
  batch_right_side(test, 2);
  place_put(test->location, test->data, test->now_b, n * size);
  batch_right_side(test, 1);
}

void batch_destroy(Batch *test)
{
  Array list[ARRAYS];

  triangular_destroy(&test->T);
  free(test->now_values);
  free(test->now_b);
  free(test->first_x);
  if (test->kept) {
    test->kept->lent = false;
    return;
  }
#if defined(SPTRSV_HAVE_CUDA)
  if (test->stream) expect_cuda(cudaStreamDestroy(test->stream), "cudaStreamDestroy");
#endif
  list_arrays(test, list);
  for (int k = 0; k < ARRAYS; k++) place_free(list[k].location, *list[k].array);
}
