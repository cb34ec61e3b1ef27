/* train_times.c - One graph's lower triangle, solved at both levels and by yuenyeung. */
#include "train_times.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* one lower triangle on the GPU */
  Machine         *machine;
  const CsrMatrix *A;
  SptrsvAnalysis   analysis;
  SptrsvPlan       plan;
  void            *values, *b, *x;
  void            *result[2]; /* host, of the warp level and of another one */
} Triangle;

static bool check(const Triangle *t, SptrsvStatus status, const char *what)
{
  Machine *machine = t->machine;

  return !status || csr_matrix_fail(machine->error, sizeof machine->error, "%s: %s", what, sptrsvGetErrorString(status));
}

static bool upload(Triangle *t, const double *host, int64_t count, void **device)
{
  Machine     *machine = t->machine;
  const size_t bytes   = (size_t)count * machine->value_size;
  void        *copy    = malloc(bytes + 1);
  bool         ok      = copy != NULL;

  for (int64_t k = 0; ok && k < count; k++) {
    if (machine->type == SPTRSV_FLOAT) ((float *)copy)[k] = (float)host[k];
    else ((double *)copy)[k] = host[k];
  }
  if (!ok) (void)csr_matrix_fail(machine->error, sizeof machine->error, "out of memory for %zu bytes", bytes);
  ok = ok && machine->ops->allocate(machine, bytes, device) && machine->ops->copy(machine, *device, copy, bytes)
    && machine->ops->synchronize(machine);
  free(copy);
  return ok;
}

/* The right-hand side is the diagonal: its numbers have a reasonable size. */
static bool triangle_create(Machine *machine, const CsrMatrix *A, Triangle *t)
{
  const SptrsvCsr csr = {A->rows, A->nnz, A->row_ptr, A->col_idx, SPTRSV_INT32, SPTRSV_HOST};
  double         *b;
  bool            ok;

  *t = (Triangle){.machine = machine, .A = A};
  for (int k = 0; k < 2; k++) t->result[k] = malloc((size_t)csr.rows * machine->value_size);
  b = malloc((size_t)csr.rows * sizeof *b);
  ok = b && t->result[0] && t->result[1];
  if (!ok) (void)csr_matrix_fail(machine->error, sizeof machine->error, "out of memory for %lld rows", (long long)csr.rows);
  for (int64_t i = 0; ok && i < csr.rows; i++) b[i] = A->values[A->row_ptr[i + 1] - 1];
  ok = ok && upload(t, A->values, csr.nnz, &t->values) && upload(t, b, csr.rows, &t->b) && upload(t, b, csr.rows, &t->x)
    && check(t, sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &t->analysis), "analysis");
  free(b);
  return ok;
}

static void triangle_destroy(Triangle *t)
{
  (void)sptrsvPlanDestroy(&t->plan);
  (void)sptrsvAnalysisDestroy(&t->analysis);
  t->machine->ops->release(t->values);
  t->machine->ops->release(t->b);
  t->machine->ops->release(t->x);
  free(t->result[0]);
  free(t->result[1]);
}

static bool work_solve(void *context)
{
  Triangle *t = context;

  return check(t, sptrsvSolve(t->plan, t->b, t->x, NULL), "solve");
}

static bool triangle_time(Triangle *t, const char *algorithm, double threshold, void *result, double *seconds)
{
  Machine                *machine = t->machine;
  const size_t            bytes   = (size_t)t->A->rows * machine->value_size;
  const SptrsvPlanOptions options = {.algorithm = algorithm, .location = SPTRSV_DEVICE, .triangle = SPTRSV_LOWER,
                                     .diagonal = SPTRSV_DIAG_STORED, .type = machine->type, .tuning.yuenyeung.threshold = threshold};

  (void)sptrsvPlanDestroy(&t->plan);
  return check(t, sptrsvPlanCreate(t->analysis, &options, &t->plan), "plan")
      && check(t, sptrsvPlanUpdate(t->plan, t->values, NULL), "values") && machine->ops->spoil(machine, t->x, bytes)
      && machine_time(machine, work_solve, t, seconds) && machine->ops->copy(machine, result, t->x, bytes)
      && machine->ops->synchronize(machine);
}

/* Sums are formed in different orders, so results are equal up to rounding.  A wrong result must not win by its time. */
static bool same_results(const Triangle *t, const char *algorithm)
{
  const bool single = t->machine->type == SPTRSV_FLOAT;
  double     sum = 0, norm = 0;

  for (int64_t i = 0; i < t->A->rows; i++) {
    const double x = single ? ((float *)t->result[0])[i] : ((double *)t->result[0])[i];
    const double y = single ? ((float *)t->result[1])[i] : ((double *)t->result[1])[i];

    sum += (x - y) * (x - y);
    norm += x * x;
  }
  if (sqrt(sum) <= (single ? 1e-4 : 1e-10) * sqrt(norm)) return true; /* false for NaN */
  return csr_matrix_fail(t->machine->error, sizeof t->machine->error, "%s and the warp level give different results", algorithm);
}

static bool triangle_compare(Triangle *t, const char *algorithm, double threshold, double *seconds)
{
  return triangle_time(t, algorithm, threshold, t->result[1], seconds) && same_results(t, algorithm);
}

bool train_times(Machine *machine, const Kronecker *graph, const CsrMatrix *A, SptrsvStatistics *statistics, TrainSample *sample)
{
  Triangle t;
  char     why[sizeof machine->error];
  bool     ok = triangle_create(machine, A, &t);

  ok = ok && check(&t, sptrsvAnalysisGetStatistics(t.analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, statistics), "statistics")
    && triangle_time(&t, "syncfree-csr", 0, t.result[0], &sample->warp) && triangle_compare(&t, "capellini", 0, &sample->thread);
  for (int k = 0; ok && k < TRAIN_THRESHOLDS; k++) ok = triangle_compare(&t, "yuenyeung", train_thresholds[k], &sample->fused[k]);
  triangle_destroy(&t);
  if (ok) {
    sample->row_length  = statistics->nnz_row;
    sample->granularity = statistics->granularity;
    return true;
  }
  (void)memcpy(why, machine->error, sizeof why);
  return csr_matrix_fail(machine->error, sizeof machine->error, "kron:%d,ef=%g,seed=%llu: %s", graph->scale, graph->edge_factor,
                         (unsigned long long)graph->seed, why);
}
