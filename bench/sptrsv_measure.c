/* sptrsv_measure.c - One matrix, one algorithm: set-up, refactorization, sweeps, and the comparison with the oracle. */
#include "sptrsv_measure.h"
#include <math.h>
#include <string.h>

typedef struct {
  Problem       *problem;
  SptrsvFactor   factor;   /* NULL: the triangles of A itself */
  SptrsvAnalysis analysis; /* the factor's own, if there is one */
  SptrsvPlan     lower, upper;
  SptrsvStatus   status;
} Solver;

/* ---------------------------------------------------------- set-up ---------------------------------------------------------- */

static SptrsvStatus create_analysis(Solver *solver, const SptrsvPlanOptions *options)
{
  const Problem         *problem = solver->problem;
  const Machine         *machine = problem->machine;
  const SptrsvCsr        A       = problem_pattern(problem);
  const SptrsvFactorKind kind    = problem->kind == PROBLEM_ICC ? SPTRSV_ICC0 : SPTRSV_ILU0;
  int64_t                missing;
  SptrsvStatus           status;

  if (problem->kind == PROBLEM_NONE) return sptrsvAnalysisCreate(&A, machine->location, NULL, &solver->analysis);
  status = sptrsvFactorCreate(&A, kind, NULL, NULL, machine->type, machine->location, &missing, &solver->factor);
  if (!status) status = sptrsvFactorTune(solver->factor, &options->tuning);
  return status ? status : sptrsvFactorGetAnalysis(solver->factor, &solver->analysis);
}

static SptrsvStatus factorize(Solver *solver, SptrsvFactorResult *result)
{
  const SptrsvPivoting pivoting = {.shift = SPTRSV_SHIFT_NONE};

  return sptrsvFactorNumeric(solver->factor, solver->problem->values, &pivoting, NULL, result);
}

static SptrsvStatus refactor(Solver *solver, SptrsvFactorResult *result)
{
  const void  *values = solver->problem->values;
  SptrsvStatus status = SPTRSV_SUCCESS;

  if (solver->factor) {
    status = factorize(solver, result);
    if (!status) status = sptrsvFactorGetValues(solver->factor, &values);
  }
  if (!status) status = sptrsvPlanUpdate(solver->lower, values, NULL);
  if (!status) status = sptrsvPlanUpdate(solver->upper, values, NULL);
  return status;
}

static void solver_destroy(Solver *solver)
{
  (void)sptrsvPlanDestroy(&solver->lower);
  (void)sptrsvPlanDestroy(&solver->upper);
  if (!solver->factor) (void)sptrsvAnalysisDestroy(&solver->analysis);
  (void)sptrsvFactorDestroy(&solver->factor);
}

/* Records the status and, on success, the time. */
static bool step_done(Solver *solver, SptrsvStatus status, double *now)
{
  solver->status = status;
  return problem_check(solver->problem, status, "set-up") && machine_wall(solver->problem->machine, now);
}

static bool time_set_up(Solver *solver, const SptrsvPlanOptions *options, Measurement *m)
{
  Problem           *problem = solver->problem;
  Machine           *machine = problem->machine;
  SptrsvFactorResult result  = {.zero_pivot_row = -1};
  double             start, analysed, planned, stop;

  if (!machine_wall(machine, &start)) return false;
  if (!step_done(solver, create_analysis(solver, options), &analysed)) return false;
  if (!step_done(solver, problem_plans(problem, solver->analysis, options, &solver->lower, &solver->upper), &planned)) {
    return false;
  }
  if (!step_done(solver, refactor(solver, &result), &stop)) return false;
  m->analysis    = analysed - start;
  m->plans       = planned - analysed;
  m->first_setup = stop - start;
  if (result.zero_pivot_row < 0) return true;
  return csr_matrix_fail(machine->error, sizeof machine->error, "zero pivot in row %lld", (long long)result.zero_pivot_row);
}

static size_t bytes_of_plans(const Solver *solver)
{
  size_t host[2] = {0, 0}, device[2] = {0, 0};

  (void)sptrsvPlanGetMemory(solver->lower, &host[0], &device[0]);
  (void)sptrsvPlanGetMemory(solver->upper, &host[1], &device[1]);
  return solver->problem->machine->location == SPTRSV_DEVICE ? device[0] + device[1] : host[0] + host[1];
}

/* -------------------------------------------------- what is timed repeatedly ------------------------------------------------ */

static bool work_refactor(void *context)
{
  Solver            *solver = context;
  SptrsvFactorResult result;

  solver->status = refactor(solver, &result);
  return problem_check(solver->problem, solver->status, "refactorization");
}

static bool work_factor(void *context)
{
  Solver            *solver = context;
  SptrsvFactorResult result;

  solver->status = factorize(solver, &result);
  return problem_check(solver->problem, solver->status, "factorization");
}

static bool work_lower(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvSolve(solver->lower, solver->problem->b, solver->problem->y, NULL);
  return problem_check(solver->problem, solver->status, "lower sweep");
}

static bool work_upper(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvSolve(solver->upper, solver->problem->y, solver->problem->x, NULL);
  return problem_check(solver->problem, solver->status, "upper sweep");
}

static bool work_transfer(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvPlanSplitTransfer(solver->lower, solver->problem->b, solver->problem->y, NULL);
  return problem_check(solver->problem, solver->status, "transfer");
}

static bool work_apply(void *context) { return work_lower(context) && work_upper(context); }

/* ------------------------------------------------------- measurement -------------------------------------------------------- */

/* One apply into spoilt memory; *error becomes the larger of its error and the old value. */
static bool compare(Solver *solver, double *error)
{
  Problem     *problem = solver->problem;
  Machine     *machine = problem->machine;
  const size_t bytes   = (size_t)problem->A.rows * machine->value_size;
  double       now;

  if (!machine->ops->spoil(machine, problem->y, bytes) || !machine->ops->spoil(machine, problem->x, bytes)) return false;
  if (!work_apply(solver) || !problem_error(problem, &now)) return false;
  if (!(*error >= now)) *error = now; /* a NaN too */
  return true;
}

static bool time_sweep(Solver *solver, MachineWork work, double *seconds, int *repetitions)
{
  Machine *machine = solver->problem->machine;

  if (!machine_time(machine, work, solver, seconds)) return false;
  if (machine->repetitions < *repetitions) *repetitions = machine->repetitions;
  return true;
}

/* Measures nothing if the algorithm is not split. */
static bool measure_split(Solver *solver, Measurement *m)
{
  SptrsvSplit split;

  if (sptrsvPlanGetSplit(solver->lower, &split)) return true;
  (void)sptrsvOptionPrint(&(SptrsvTuning){.split.policy = split.policy}, "split_policy", m->split_policy, sizeof m->split_policy);
  m->split_level  = (double)split.level;
  m->split_setup  = split.setup[0] + split.setup[1] + split.setup[2] + split.setup[3];
  m->transfer     = 0;
  return !split.transfer || machine_time(solver->problem->machine, work_transfer, solver, &m->transfer);
}

static bool measure_factor(Solver *solver, Measurement *m)
{
  if (!solver->factor) return true;
  (void)sptrsvFactorDescribe(solver->factor, m->factor_description, sizeof m->factor_description);
  return machine_time_wall(solver->problem->machine, work_factor, solver, &m->factor);
}

static bool measure_solver(Solver *solver, const SptrsvPlanOptions *options, Measurement *m)
{
  Machine *machine = solver->problem->machine;

  if (!time_set_up(solver, options, m)) return false;
  m->plan_bytes  = bytes_of_plans(solver);
  m->repetitions = machine->repeat;
  m->error       = 0;
  (void)sptrsvPlanDescribe(solver->lower, m->description, sizeof m->description);
  return problem_ask_oracle(solver->problem, solver->factor) && compare(solver, &m->error)
      && machine_time_wall(machine, work_refactor, solver, &m->refactor)
      && measure_factor(solver, m) && measure_split(solver, m)
      && time_sweep(solver, work_lower, &m->lower, &m->repetitions)
      && time_sweep(solver, work_upper, &m->upper, &m->repetitions)
      && time_sweep(solver, work_apply, &m->apply, &m->repetitions)
      && compare(solver, &m->error);
}

bool measure(Problem *problem, const SptrsvPlanOptions *options, Measurement *m)
{
  Solver solver = {.problem = problem};
  bool   ok;

  memset(m, 0, sizeof *m);
  m->analysis = m->plans = m->first_setup = m->refactor = m->factor = m->lower = m->upper = m->apply = m->error = NAN;
  m->split_level = m->split_setup = m->transfer = NAN;
  m->split_policy[0] = 0;
  ok        = measure_solver(&solver, options, m);
  m->status = solver.status;
  solver_destroy(&solver);
  return ok;
}
