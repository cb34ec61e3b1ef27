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

static bool check(const Triangle *triangle, SptrsvStatus status, const char *what)
{
  Machine *machine = triangle->machine;

  return !status || csr_matrix_fail(machine->error, sizeof machine->error, "%s: %s", what, sptrsvGetErrorString(status));
}

static bool upload(Triangle *triangle, const double *host, int64_t count, void **device)
{
  Machine     *machine = triangle->machine;
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
static bool triangle_create(Machine *machine, const CsrMatrix *A, Triangle *triangle)
{
  const SptrsvCsr csr = {A->rows, A->nnz, A->row_ptr, A->col_idx, SPTRSV_INT32, SPTRSV_HOST};
  double         *b;
  bool            ok;

  *triangle = (Triangle){.machine = machine, .A = A};
  for (int k = 0; k < 2; k++) triangle->result[k] = malloc((size_t)csr.rows * machine->value_size);
  b = malloc((size_t)csr.rows * sizeof *b);
  ok = b && triangle->result[0] && triangle->result[1];
  if (!ok) (void)csr_matrix_fail(machine->error, sizeof machine->error, "out of memory for %lld rows", (long long)csr.rows);
  for (int64_t i = 0; ok && i < csr.rows; i++) b[i] = A->values[A->row_ptr[i + 1] - 1];
  ok = ok && upload(triangle, A->values, csr.nnz, &triangle->values) && upload(triangle, b, csr.rows, &triangle->b) &&
       upload(triangle, b, csr.rows, &triangle->x) &&
       check(triangle, sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &triangle->analysis), "analysis");
  free(b);
  return ok;
}

static void triangle_destroy(Triangle *triangle)
{
  (void)sptrsvPlanDestroy(&triangle->plan);
  (void)sptrsvAnalysisDestroy(&triangle->analysis);
  triangle->machine->ops->release(triangle->values);
  triangle->machine->ops->release(triangle->b);
  triangle->machine->ops->release(triangle->x);
  free(triangle->result[0]);
  free(triangle->result[1]);
}

static bool work_solve(void *context)
{
  Triangle *t = context;

  return check(t, sptrsvSolve(t->plan, t->b, t->x, NULL), "solve");
}

static bool triangle_time(Triangle *triangle, const char *algorithm, double threshold, void *result, double *seconds)
{
  Machine                *machine = triangle->machine;
  const size_t            bytes   = (size_t)triangle->A->rows * machine->value_size;
  const SptrsvPlanOptions options = {.algorithm = algorithm, .location = SPTRSV_DEVICE, .triangle = SPTRSV_LOWER,
                                     .diagonal = SPTRSV_DIAG_STORED, .type = machine->type, .tuning.yuenyeung.threshold = threshold};

  (void)sptrsvPlanDestroy(&triangle->plan);
  return check(triangle, sptrsvPlanCreate(triangle->analysis, &options, &triangle->plan), "plan") &&
         check(triangle, sptrsvPlanUpdate(triangle->plan, triangle->values, NULL), "values") &&
         machine->ops->spoil(machine, triangle->x, bytes) && machine_time(machine, work_solve, triangle, seconds) &&
         machine->ops->copy(machine, result, triangle->x, bytes) && machine->ops->synchronize(machine);
}

/* Sums are formed in different orders, so results are equal up to rounding.  A wrong result must not win by its time. */
static bool same_results(const Triangle *triangle, const char *algorithm)
{
  const bool single = triangle->machine->type == SPTRSV_FLOAT;
  double     sum = 0, norm = 0;

  for (int64_t i = 0; i < triangle->A->rows; i++) {
    const double x = single ? ((float *)triangle->result[0])[i] : ((double *)triangle->result[0])[i];
    const double y = single ? ((float *)triangle->result[1])[i] : ((double *)triangle->result[1])[i];

    sum += (x - y) * (x - y);
    norm += x * x;
  }
  if (sqrt(sum) <= (single ? 1e-4 : 1e-10) * sqrt(norm)) return true; /* false for NaN */
  return csr_matrix_fail(triangle->machine->error, sizeof triangle->machine->error, "%s and the warp level give different results",
                         algorithm);
}

static bool triangle_compare(Triangle *triangle, const char *algorithm, double threshold, double *seconds)
{
  return triangle_time(triangle, algorithm, threshold, triangle->result[1], seconds) && same_results(triangle, algorithm);
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
