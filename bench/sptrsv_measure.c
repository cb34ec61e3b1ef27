/* sptrsv_measure.c - One matrix, one algorithm: set-up, refactorization, sweeps, and the comparison with the oracle. */
#include "sptrsv_measure.h"
#include "report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  Problem       *problem;
  SptrsvFactor   factor;
  SptrsvAnalysis analysis;
  SptrsvPlan     lower, upper;
  SptrsvStatus   status;
} Solver;

static bool checkStatus(Machine *machine, SptrsvStatus status, const char *what)
{
  return !status || csrMatrixFail(machine->error, sizeof machine->error, "%s: %s", what, sptrsvGetErrorString(status));
}

static SptrsvCsr csrView(int64_t rows, int64_t nnz, const int32_t *row_ptr, const int32_t *col_idx)
{
  return (SptrsvCsr){rows, nnz, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
}

static double getValue(const Machine *machine, const void *values, int64_t k)
{
  return machine->type == SPTRSV_FLOAT ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

static void setValue(const Machine *machine, void *values, int64_t k, double value)
{
  if (machine->type == SPTRSV_FLOAT) ((float *)values)[k] = (float)value;
  else ((double *)values)[k] = value;
}

/* ---------------------------------------------------------- set-up ---------------------------------------------------------- */

/* The lower factor has ones on its diagonal, the upper one the inverted pivots. */
static SptrsvStatus createPlans(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *lower, SptrsvPlan *upper)
{
  SptrsvPlanOptions o = *options;
  SptrsvStatus      status;

  o.op       = SPTRSV_NON_TRANSPOSE;
  o.triangle = SPTRSV_LOWER;
  o.diagonal = SPTRSV_DIAG_UNIT;
  status     = sptrsvPlanCreate(analysis, &o, lower);
  if (status) return status;
  o.triangle = SPTRSV_UPPER;
  o.diagonal = SPTRSV_DIAG_INVERTED;
  return sptrsvPlanCreate(analysis, &o, upper);
}

static SptrsvStatus refactor(Solver *solver, SptrsvFactorResult *result)
{
  const SptrsvPivoting pivoting = {.shift = SPTRSV_SHIFT_NONE};
  const void          *values;
  SptrsvStatus         status = sptrsvFactorNumeric(solver->factor, solver->problem->values, &pivoting, NULL, result);

  if (!status) status = sptrsvFactorGetValues(solver->factor, &values);
  if (!status) status = sptrsvPlanUpdate(solver->lower, values, NULL);
  if (!status) status = sptrsvPlanUpdate(solver->upper, values, NULL);
  return status;
}

static SptrsvStatus setUp(Solver *solver, const SptrsvPlanOptions *options, SptrsvFactorResult *result)
{
  const Problem  *problem = solver->problem;
  const Machine  *machine = problem->machine;
  const SptrsvCsr A       = csrView(problem->A.rows, problem->A.nnz, problem->A.row_ptr, problem->A.col_idx);
  int64_t         missing;
  SptrsvStatus    status;

  status = sptrsvFactorCreate(&A, problem->kind, NULL, NULL, machine->type, machine->location, &missing, &solver->factor);
  if (!status) status = sptrsvFactorGetAnalysis(solver->factor, &solver->analysis);
  if (!status) status = createPlans(solver->analysis, options, &solver->lower, &solver->upper);
  if (!status) status = refactor(solver, result);
  return status;
}

static void solverDestroy(Solver *solver)
{
  (void)sptrsvPlanDestroy(&solver->lower);
  (void)sptrsvPlanDestroy(&solver->upper);
  (void)sptrsvFactorDestroy(&solver->factor);
}

static bool timeSetUp(Solver *solver, const SptrsvPlanOptions *options, double *seconds)
{
  Machine           *machine = solver->problem->machine;
  SptrsvFactorResult result  = {.zero_pivot_row = -1};
  double             start, stop;

  if (!machineWall(machine, &start)) return false;
  solver->status = setUp(solver, options, &result);
  if (!checkStatus(machine, solver->status, "set-up") || !machineWall(machine, &stop)) return false;
  *seconds = stop - start;
  if (result.zero_pivot_row < 0) return true;
  return csrMatrixFail(machine->error, sizeof machine->error, "zero pivot in row %lld", (long long)result.zero_pivot_row);
}

static size_t planBytes(const Solver *solver)
{
  size_t host[2] = {0, 0}, device[2] = {0, 0};

  (void)sptrsvPlanGetMemory(solver->lower, &host[0], &device[0]);
  (void)sptrsvPlanGetMemory(solver->upper, &host[1], &device[1]);
  return solver->problem->machine->location == SPTRSV_DEVICE ? device[0] + device[1] : host[0] + host[1];
}

/* -------------------------------------------------- what is timed repeatedly ------------------------------------------------ */

static bool workRefactor(void *context)
{
  Solver            *solver = context;
  SptrsvFactorResult result;

  solver->status = refactor(solver, &result);
  return checkStatus(solver->problem->machine, solver->status, "refactorization");
}

static bool workLower(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvSolve(solver->lower, solver->problem->b, solver->problem->y, NULL);
  return checkStatus(solver->problem->machine, solver->status, "lower sweep");
}

static bool workUpper(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvSolve(solver->upper, solver->problem->y, solver->problem->x, NULL);
  return checkStatus(solver->problem->machine, solver->status, "upper sweep");
}

static bool workApply(void *context) { return workLower(context) && workUpper(context); }

static bool workSpmv(void *context)
{
  MachineSpmv *spmv = context;

  return spmv->machine->ops->spmv(spmv);
}

/* ---------------------------------------------------------- oracle ---------------------------------------------------------- */

/* The factor's pattern is the same for all algorithms, so the first one's serves for all. */
static SptrsvStatus createOracle(Problem *problem, SptrsvFactor factor)
{
  const SptrsvPlanOptions options = {.algorithm = "host", .location = SPTRSV_HOST, .type = problem->machine->type};
  SptrsvStatistics        lower, upper;
  const int32_t          *row_ptr, *col_idx;
  int64_t                 rows;
  SptrsvStatus            status = sptrsvFactorGetPattern(factor, &rows, &problem->factor_nnz, &row_ptr, &col_idx);
  const SptrsvCsr         pattern = status ? (SptrsvCsr){0} : csrView(rows, problem->factor_nnz, row_ptr, col_idx);

  if (!status) status = sptrsvAnalysisCreate(&pattern, SPTRSV_HOST, NULL, &problem->oracle);
  if (!status) status = createPlans(problem->oracle, &options, &problem->oracle_lower, &problem->oracle_upper);
  if (!status) status = sptrsvAnalysisGetStatistics(problem->oracle, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &lower);
  if (!status) status = sptrsvAnalysisGetStatistics(problem->oracle, SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE, &upper);
  if (status) return status;
  problem->levels_lower  = lower.levels;
  problem->levels_upper  = upper.levels;
  problem->factor_values = malloc(((size_t)problem->factor_nnz + 1) * problem->machine->value_size);
  return problem->factor_values ? SPTRSV_SUCCESS : SPTRSV_OUT_OF_MEMORY;
}

static SptrsvStatus solveOracle(Problem *problem)
{
  SptrsvStatus status = sptrsvPlanUpdate(problem->oracle_lower, problem->factor_values, NULL);

  if (!status) status = sptrsvPlanUpdate(problem->oracle_upper, problem->factor_values, NULL);
  if (!status) status = sptrsvSolve(problem->oracle_lower, problem->host_b, problem->host_y, NULL);
  if (!status) status = sptrsvSolve(problem->oracle_upper, problem->host_y, problem->reference, NULL);
  return status;
}

static bool copyAndWait(Machine *machine, void *to, const void *from, size_t bytes)
{
  return machine->ops->copy(machine, to, from, bytes) && machine->ops->synchronize(machine);
}

/* problem->reference: what the apply of this factor should give. */
static bool askOracle(Solver *solver)
{
  Problem    *problem = solver->problem;
  Machine    *machine = problem->machine;
  const void *values;

  if (!problem->oracle && !checkStatus(machine, createOracle(problem, solver->factor), "oracle")) return false;
  if (!checkStatus(machine, sptrsvFactorGetValues(solver->factor, &values), "values")) return false;
  if (!copyAndWait(machine, problem->factor_values, values, (size_t)problem->factor_nnz * machine->value_size)) return false;
  return checkStatus(machine, solveOracle(problem), "oracle");
}

/* One apply into spoilt memory; the larger of its error and the given one. */
static bool compare(Solver *solver, double *error)
{
  Problem     *problem = solver->problem;
  Machine     *machine = problem->machine;
  const size_t bytes   = (size_t)problem->A.rows * machine->value_size;
  double       sum = 0, norm = 0;

  if (!machine->ops->spoil(machine, problem->y, bytes) || !machine->ops->spoil(machine, problem->x, bytes)) return false;
  if (!workApply(solver) || !copyAndWait(machine, problem->host_x, problem->x, bytes)) return false;
  for (int64_t i = 0; i < problem->A.rows; i++) {
    const double right = getValue(machine, problem->reference, i), difference = getValue(machine, problem->host_x, i) - right;

    sum += difference * difference;
    norm += right * right;
  }
  sum = norm > 0 ? sqrt(sum / norm) : sqrt(sum);
  if (!(*error >= sum)) *error = sum; /* a NaN too */
  return true;
}

/* ------------------------------------------------------- measurement -------------------------------------------------------- */

static bool measureSolver(Solver *solver, const SptrsvPlanOptions *options, Measurement *m)
{
  Machine *machine = solver->problem->machine;

  if (!timeSetUp(solver, options, &m->first_setup)) return false;
  m->plan_bytes = planBytes(solver);
  m->error      = 0;
  return askOracle(solver) && compare(solver, &m->error)
      && machineTimeWall(machine, workRefactor, solver, &m->refactor)
      && machineTime(machine, workLower, solver, &m->lower)
      && machineTime(machine, workUpper, solver, &m->upper)
      && machineTime(machine, workApply, solver, &m->apply)
      && compare(solver, &m->error);
}

bool measure(Problem *problem, const SptrsvPlanOptions *options, Measurement *m)
{
  Solver solver = {.problem = problem};
  bool   ok;

  *m        = (Measurement){NAN, NAN, NAN, NAN, NAN, 0, NAN, SPTRSV_SUCCESS};
  ok        = measureSolver(&solver, options, m);
  m->status = solver.status;
  solverDestroy(&solver);
  return ok;
}

/* ---------------------------------------------------------- problem --------------------------------------------------------- */

double problemBytes(const Problem *problem)
{
  const double value = (double)problem->machine->value_size, index = sizeof(int32_t);
  const double rows = (double)problem->A.rows, nnz = (double)problem->factor_nnz;

  return nnz * (value + index) + 2.0 * (rows + 1) * index + 4.0 * rows * value;
}

static bool timeSpmv(Problem *problem)
{
  Machine    *machine = problem->machine;
  MachineSpmv spmv    = {.A = &problem->A, .values = problem->values, .x = problem->b, .y = problem->y, .machine = machine};
  bool        ok      = machine->ops->spmv_create(&spmv) && machineTime(machine, workSpmv, &spmv, &problem->spmv);

  machine->ops->spmv_destroy(&spmv);
  return ok;
}

static bool uploadValues(Problem *problem)
{
  Machine     *machine = problem->machine;
  const size_t bytes   = (size_t)problem->A.nnz * machine->value_size;
  void        *host    = malloc(bytes + 1);
  bool         ok      = host != NULL;

  for (int64_t k = 0; ok && k < problem->A.nnz; k++) setValue(machine, host, k, problem->A.values[k]);
  if (!ok) (void)csrMatrixFail(machine->error, sizeof machine->error, "out of memory for %zu bytes", bytes);
  ok = ok && machine->ops->allocate(machine, bytes, &problem->values) && copyAndWait(machine, problem->values, host, bytes);
  free(host);
  return ok;
}

static bool createVectors(Problem *problem)
{
  Machine     *machine   = problem->machine;
  const size_t bytes     = (size_t)problem->A.rows * machine->value_size;
  void       **vectors[] = {&problem->host_b, &problem->host_y, &problem->host_x, &problem->reference};
  uint64_t     seed      = 20240229;

  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
    *vectors[k] = malloc(bytes + 1);
    if (!*vectors[k]) return csrMatrixFail(machine->error, sizeof machine->error, "out of memory for %zu bytes", bytes);
  }
  for (int64_t i = 0; i < problem->A.rows; i++) setValue(machine, problem->host_b, i, reportRandom(&seed));
  return machine->ops->allocate(machine, bytes, &problem->b) && machine->ops->allocate(machine, bytes, &problem->y)
      && machine->ops->allocate(machine, bytes, &problem->x) && copyAndWait(machine, problem->b, problem->host_b, bytes);
}

bool problemCreate(Machine *machine, const char *spec, SptrsvFactorKind kind, Problem *problem)
{
  memset(problem, 0, sizeof *problem);
  problem->machine = machine;
  problem->kind    = kind;
  if (!csrMatrixCreate(spec, kind == SPTRSV_ICC0, &problem->A, machine->error, sizeof machine->error)) return false;
  if (uploadValues(problem) && createVectors(problem) && timeSpmv(problem)) return true;
  problemDestroy(problem);
  return false;
}

void problemDestroy(Problem *problem)
{
  Machine *machine = problem->machine;

  (void)sptrsvPlanDestroy(&problem->oracle_lower);
  (void)sptrsvPlanDestroy(&problem->oracle_upper);
  (void)sptrsvAnalysisDestroy(&problem->oracle);
  machine->ops->release(problem->values);
  machine->ops->release(problem->b);
  machine->ops->release(problem->y);
  machine->ops->release(problem->x);
  free(problem->host_b);
  free(problem->host_y);
  free(problem->host_x);
  free(problem->reference);
  free(problem->factor_values);
  csrMatrixDestroy(&problem->A);
}
