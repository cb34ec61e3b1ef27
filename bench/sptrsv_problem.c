/* sptrsv_problem.c - One matrix for bench_sptrsv, its vectors, and the oracle. */
#include "sptrsv_problem.h"
#include "matrices/matrices.h"
#include "report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const problem_kinds[] = {"ilu", "icc", "none", NULL};

bool problem_check(const Problem *problem, SptrsvStatus status, const char *what)
{
  Machine *machine = problem->machine;

  return !status || csr_matrix_fail(machine->error, sizeof machine->error, "%s: %s", what, sptrsvGetErrorString(status));
}

static SptrsvCsr csr_view(int64_t rows, int64_t nnz, const int32_t *row_ptr, const int32_t *col_idx)
{
  return (SptrsvCsr){rows, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
}

SptrsvCsr problem_pattern(const Problem *problem)
{
  return csr_view(problem->A.rows, problem->A.nnz, problem->A.row_ptr, problem->A.col_idx);
}

/* The lower factor has ones on its diagonal, the upper one the inverted pivots; a block form has ones on both. */
SptrsvStatus problem_plans(const Problem *problem, SptrsvAnalysis analysis, bool blocks, const SptrsvPlanOptions *options,
                           SptrsvPlan *lower, SptrsvPlan *upper)
{
  const bool        factored = problem->kind != PROBLEM_NONE;
  SptrsvPlanOptions o        = *options;
  SptrsvStatus      status;

  o.op       = SPTRSV_NON_TRANSPOSE;
  o.triangle = SPTRSV_LOWER;
  o.diagonal = factored ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_STORED;
  status     = sptrsvPlanCreate(analysis, &o, lower);
  if (status) return status;
  o.triangle = SPTRSV_UPPER;
  if (!blocks) o.diagonal = factored ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_STORED;
  return sptrsvPlanCreate(analysis, &o, upper);
}

static double get_value(const Machine *machine, const void *values, int64_t k)
{
  return machine->type == SPTRSV_FLOAT ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

static void set_value(const Machine *machine, void *values, int64_t k, double value)
{
  if (machine->type == SPTRSV_FLOAT) ((float *)values)[k] = (float)value;
  else ((double *)values)[k] = value;
}

static bool copy_and_wait(Machine *machine, void *to, const void *from, size_t bytes)
{
  return machine->ops->copy(machine, to, from, bytes) && machine->ops->synchronize(machine);
}

/* ---------------------------------------------------------- oracle ---------------------------------------------------------- */

/* All algorithms have the same factor pattern, so the oracle takes that of the first one. */
static SptrsvStatus create_oracle(Problem *problem, SptrsvFactor factor)
{
  const SptrsvPlanOptions options = {.algorithm = "host", .location = SPTRSV_HOST, .type = problem->machine->type};
  SptrsvCsr               pattern = problem_pattern(problem);
  SptrsvStatistics        lower, upper;
  const int32_t          *row_ptr, *col_idx;
  SptrsvStatus            status = SPTRSV_SUCCESS;

  if (factor) {
    status = sptrsvFactorGetPattern(factor, &pattern.rows, &pattern.nnz, &row_ptr, &col_idx);
    if (!status) pattern = csr_view(pattern.rows, pattern.nnz, row_ptr, col_idx);
  }
  if (!status) status = sptrsvAnalysisCreate(&pattern, SPTRSV_HOST, NULL, &problem->oracle);
  if (!status) status = problem_plans(problem, problem->oracle, false, &options, &problem->oracle_lower, &problem->oracle_upper);
  if (!status) status = sptrsvAnalysisGetStatistics(problem->oracle, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &lower);
  if (!status) status = sptrsvAnalysisGetStatistics(problem->oracle, SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE, &upper);
  if (status) return status;
  problem->factor_nnz    = pattern.nnz;
  problem->levels_lower  = lower.levels;
  problem->levels_upper  = upper.levels;
  problem->nnz_lower     = lower.nnz + lower.rows;
  problem->granularity   = lower.granularity;
  problem->factor_values = malloc(((size_t)pattern.nnz + 1) * problem->machine->value_size);
  return problem->factor_values ? SPTRSV_SUCCESS : SPTRSV_OUT_OF_MEMORY;
}

static SptrsvStatus solve_oracle(Problem *problem)
{
  SptrsvStatus status = sptrsvPlanUpdate(problem->oracle_lower, problem->factor_values, NULL);

  if (!status) status = sptrsvPlanUpdate(problem->oracle_upper, problem->factor_values, NULL);
  if (!status) status = sptrsvSolve(problem->oracle_lower, problem->host_b, problem->host_y, NULL);
  if (!status) status = sptrsvSolve(problem->oracle_upper, problem->host_y, problem->reference, NULL);
  return status;
}

bool problem_ask_oracle(Problem *problem, SptrsvFactor factor)
{
  Machine    *machine = problem->machine;
  const void *values  = problem->values;

  if (!factor && problem->oracle) return true;
  if (!problem->oracle && !problem_check(problem, create_oracle(problem, factor), "oracle")) return false;
  if (factor && !problem_check(problem, sptrsvFactorGetValues(factor, &values), "values")) return false;
  if (!copy_and_wait(machine, problem->factor_values, values, (size_t)problem->factor_nnz * machine->value_size)) return false;
  return problem_check(problem, solve_oracle(problem), "oracle");
}

bool problem_error(Problem *problem, double *error)
{
  Machine     *machine = problem->machine;
  const size_t bytes   = (size_t)problem->A.rows * machine->value_size;
  double       sum = 0, norm = 0;

  if (!copy_and_wait(machine, problem->host_x, problem->x, bytes)) return false;
  for (int64_t i = 0; i < problem->A.rows; i++) {
    const double right = get_value(machine, problem->reference, i), difference = get_value(machine, problem->host_x, i) - right;

    sum += difference * difference;
    norm += right * right;
  }
  *error = norm > 0 ? sqrt(sum / norm) : sqrt(sum);
  return true;
}

/* ---------------------------------------------------------- problem --------------------------------------------------------- */

double problem_bytes(const Problem *problem)
{
  const double value = (double)problem->machine->value_size, index = sizeof(int32_t);
  const double rows = (double)problem->A.rows, nnz = (double)problem->factor_nnz;

  return nnz * (value + index) + 2.0 * (rows + 1) * index + 4.0 * rows * value;
}

static bool work_spmv(void *context)
{
  MachineSpmv *spmv = context;

  return spmv->machine->ops->spmv(spmv);
}

static bool time_spmv(Problem *problem)
{
  Machine    *machine = problem->machine;
  MachineSpmv spmv    = {.A = &problem->A, .values = problem->values, .x = problem->b, .y = problem->y, .machine = machine};
  bool        ok      = machine->ops->spmv_create(&spmv) && machine_time(machine, work_spmv, &spmv, &problem->spmv);

  machine->ops->spmv_destroy(&spmv);
  return ok;
}

static bool upload_values(Problem *problem)
{
  Machine     *machine = problem->machine;
  const size_t bytes   = (size_t)problem->A.nnz * machine->value_size;
  void        *host    = malloc(bytes + 1);
  bool         ok      = host != NULL;

  for (int64_t k = 0; ok && k < problem->A.nnz; k++) set_value(machine, host, k, problem->A.values[k]);
  if (!ok) (void)csr_matrix_fail(machine->error, sizeof machine->error, "out of memory for %zu bytes", bytes);
  ok = ok && machine->ops->allocate(machine, bytes, &problem->values) && copy_and_wait(machine, problem->values, host, bytes);
  free(host);
  return ok;
}

static bool create_vectors(Problem *problem)
{
  Machine     *machine   = problem->machine;
  const size_t bytes     = (size_t)problem->A.rows * machine->value_size;
  void       **vectors[] = {&problem->host_b, &problem->host_y, &problem->host_x, &problem->reference};
  uint64_t     seed      = 20240229;

  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
    *vectors[k] = malloc(bytes + 1);
    if (!*vectors[k]) return csr_matrix_fail(machine->error, sizeof machine->error, "out of memory for %zu bytes", bytes);
  }
  for (int64_t i = 0; i < problem->A.rows; i++) set_value(machine, problem->host_b, i, report_random(&seed));
  return machine->ops->allocate(machine, bytes, &problem->b) && machine->ops->allocate(machine, bytes, &problem->y)
      && machine->ops->allocate(machine, bytes, &problem->x) && machine->ops->allocate(machine, bytes, &problem->w)
      && copy_and_wait(machine, problem->b, problem->host_b, bytes);
}

bool problem_create(Machine *machine, const char *spec, ProblemKind kind, Problem *problem)
{
  memset(problem, 0, sizeof *problem);
  problem->machine = machine;
  problem->kind    = kind;
  if (!matrix_create(spec, kind == PROBLEM_ICC, &problem->A, machine->error, sizeof machine->error)) return false;
  if (upload_values(problem) && create_vectors(problem) && time_spmv(problem)) return true;
  problem_destroy(problem);
  return false;
}

void problem_destroy(Problem *problem)
{
  Machine *machine = problem->machine;

  (void)sptrsvPlanDestroy(&problem->oracle_lower);
  (void)sptrsvPlanDestroy(&problem->oracle_upper);
  (void)sptrsvAnalysisDestroy(&problem->oracle);
  machine->ops->release(problem->values);
  machine->ops->release(problem->b);
  machine->ops->release(problem->y);
  machine->ops->release(problem->x);
  machine->ops->release(problem->w);
  free(problem->host_b);
  free(problem->host_y);
  free(problem->host_x);
  free(problem->reference);
  free(problem->factor_values);
  csr_matrix_destroy(&problem->A);
}
