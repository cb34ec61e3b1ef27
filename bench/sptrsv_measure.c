/* sptrsv_measure.c - One matrix, one algorithm: set-up, refactorization, sweeps, and the comparison with the oracle. */
#include "sptrsv_measure.h"
#include <math.h>
#include <string.h>

const char *const split_policies[] = {
  [SPTRSV_SPLIT_AUTO] = "auto",
  [SPTRSV_SPLIT_CPU] = "cpu",
  [SPTRSV_SPLIT_GPU] = "gpu",
  [SPTRSV_SPLIT_CPU_GPU] = "cpu-gpu",
  [SPTRSV_SPLIT_GPU_CPU] = "gpu-cpu",
  [SPTRSV_SPLIT_CPU_CPU] = "cpu-cpu",
  [SPTRSV_SPLIT_GPU_GPU] = "gpu-gpu",
  NULL};

typedef struct {
  Problem       *problem;
  SptrsvFactor   factor;   /* NULL: the triangles of A itself */
  SptrsvAnalysis analysis; /* the factor's own, if there is one */
  SptrsvPlan     lower, upper;
  SptrsvStatus   status;
} Solver;

/* ---------------------------------------------------------- set-up ---------------------------------------------------------- */

static SptrsvStatus createAnalysis(Solver *solver, const Candidate *candidate)
{
  const Problem         *problem = solver->problem;
  const Machine         *machine = problem->machine;
  const SptrsvCsr        A       = problemPattern(problem);
  const SptrsvFactorKind kind    = problem->kind == PROBLEM_ICC ? SPTRSV_ICC0 : SPTRSV_ILU0;
  int64_t                missing;
  SptrsvStatus           status;

  if (problem->kind == PROBLEM_NONE) return sptrsvAnalysisCreate(&A, machine->location, NULL, &solver->analysis);
  status = sptrsvFactorCreate(&A, kind, NULL, NULL, machine->type, machine->location, &missing, &solver->factor);
  if (!status) status = sptrsvFactorSetAlgorithm(solver->factor, candidate->factor, &candidate->plan.tuning.ata);
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

static void solverDestroy(Solver *solver)
{
  (void)sptrsvPlanDestroy(&solver->lower);
  (void)sptrsvPlanDestroy(&solver->upper);
  if (!solver->factor) (void)sptrsvAnalysisDestroy(&solver->analysis);
  (void)sptrsvFactorDestroy(&solver->factor);
}

/* Notes the status, and the time if all is well. */
static bool stepDone(Solver *solver, SptrsvStatus status, double *now)
{
  solver->status = status;
  return problemCheck(solver->problem, status, "set-up") && machineWall(solver->problem->machine, now);
}

static bool timeSetUp(Solver *solver, const Candidate *candidate, Measurement *m)
{
  Problem           *problem = solver->problem;
  Machine           *machine = problem->machine;
  SptrsvFactorResult result  = {.zero_pivot_row = -1};
  double             start, analysed, planned, stop;

  if (!machineWall(machine, &start)) return false;
  if (!stepDone(solver, createAnalysis(solver, candidate), &analysed)) return false;
  if (!stepDone(solver, problemPlans(problem, solver->analysis, &candidate->plan, &solver->lower, &solver->upper), &planned)) {
    return false;
  }
  if (!stepDone(solver, refactor(solver, &result), &stop)) return false;
  m->analysis    = analysed - start;
  m->plans       = planned - analysed;
  m->first_setup = stop - start;
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
  return problemCheck(solver->problem, solver->status, "refactorization");
}

static bool workFactor(void *context)
{
  Solver            *solver = context;
  SptrsvFactorResult result;

  solver->status = factorize(solver, &result);
  return problemCheck(solver->problem, solver->status, "factorization");
}

static bool workLower(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvSolve(solver->lower, solver->problem->b, solver->problem->y, NULL);
  return problemCheck(solver->problem, solver->status, "lower sweep");
}

static bool workUpper(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvSolve(solver->upper, solver->problem->y, solver->problem->x, NULL);
  return problemCheck(solver->problem, solver->status, "upper sweep");
}

static bool workTransfer(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvPlanSplitTransfer(solver->lower, solver->problem->b, solver->problem->y, NULL);
  return problemCheck(solver->problem, solver->status, "transfer");
}

static bool workApply(void *context) { return workLower(context) && workUpper(context); }

/* ------------------------------------------------------- measurement -------------------------------------------------------- */

/* One apply into spoilt memory; the larger of its error and the given one. */
static bool compare(Solver *solver, double *error)
{
  Problem     *problem = solver->problem;
  Machine     *machine = problem->machine;
  const size_t bytes   = (size_t)problem->A.rows * machine->value_size;
  double       now;

  if (!machine->ops->spoil(machine, problem->y, bytes) || !machine->ops->spoil(machine, problem->x, bytes)) return false;
  if (!workApply(solver) || !problemError(problem, &now)) return false;
  if (!(*error >= now)) *error = now; /* a NaN too */
  return true;
}

static bool timeSweep(Solver *solver, MachineWork work, double *seconds, int *repetitions)
{
  Machine *machine = solver->problem->machine;

  if (!machineTime(machine, work, solver, seconds)) return false;
  if (machine->repetitions < *repetitions) *repetitions = machine->repetitions;
  return true;
}

/* Nothing, if the algorithm is another one. */
static bool measureSplit(Solver *solver, Measurement *m)
{
  SptrsvSplit split;

  if (sptrsvPlanGetSplit(solver->lower, &split)) return true;
  m->split_policy = split_policies[split.policy];
  m->split_level  = (double)split.level;
  m->split_setup  = split.setup[0] + split.setup[1] + split.setup[2] + split.setup[3];
  m->transfer     = 0;
  return !split.transfer || machineTime(solver->problem->machine, workTransfer, solver, &m->transfer);
}

static bool measureFactor(Solver *solver, Measurement *m)
{
  if (!solver->factor) return true;
  (void)sptrsvFactorDescribe(solver->factor, m->factor_description, sizeof m->factor_description);
  return machineTimeWall(solver->problem->machine, workFactor, solver, &m->factor);
}

static bool measureSolver(Solver *solver, const Candidate *candidate, Measurement *m)
{
  Machine *machine = solver->problem->machine;

  if (!timeSetUp(solver, candidate, m)) return false;
  m->plan_bytes  = planBytes(solver);
  m->repetitions = machine->repeat;
  m->error       = 0;
  (void)sptrsvPlanDescribe(solver->lower, m->description, sizeof m->description);
  return problemAskOracle(solver->problem, solver->factor) && compare(solver, &m->error)
      && machineTimeWall(machine, workRefactor, solver, &m->refactor)
      && measureFactor(solver, m) && measureSplit(solver, m)
      && timeSweep(solver, workLower, &m->lower, &m->repetitions)
      && timeSweep(solver, workUpper, &m->upper, &m->repetitions)
      && timeSweep(solver, workApply, &m->apply, &m->repetitions)
      && compare(solver, &m->error);
}

bool measure(Problem *problem, const Candidate *candidate, Measurement *m)
{
  Solver solver = {.problem = problem};
  bool   ok;

  memset(m, 0, sizeof *m);
  m->analysis = m->plans = m->first_setup = m->refactor = m->factor = m->lower = m->upper = m->apply = m->error = NAN;
  m->split_level = m->split_setup = m->transfer = NAN;
  m->split_policy                               = "";
  ok        = measureSolver(&solver, candidate, m);
  m->status = solver.status;
  solverDestroy(&solver);
  return ok;
}
