/* sptrsv_measure.c - One matrix, one algorithm: set-up, refactorization, sweeps, and the comparison with the oracle. */
#include "sptrsv_measure.h"
#include <math.h>
#include <string.h>

typedef struct {
  Problem       *problem;
  SptrsvFactor   factor;   /* NULL: the triangles of A itself */
  SptrsvAnalysis analysis; /* the factor's own, if there is one, or of its block form */
  SptrsvBlocks   blocks;   /* if the sweeps go by them; else zero */
  SptrsvPlan     lower, upper;
  SptrsvStatus   status;
} Solver;

/* ---------------------------------------------------------- set-up ---------------------------------------------------------- */

/* By blocks where PCSYNCFREE's sweeps go by them */
static SptrsvStatus find_blocks(Solver *solver, const SptrsvPlanOptions *options)
{
  const SptrsvAlgorithm *a     = sptrsvAlgorithmFind(options->algorithm, options->location); /* NULL: auto */
  const bool             takes = options->tuning.sweep.blocks == SPTRSV_BY_BLOCKS && (!a || a->traits & SPTRSV_BLOCKS);
  SptrsvBlocks           found = {.rows = 0};
  SptrsvStatus           status;

  if (!takes || options->location != SPTRSV_DEVICE) return SPTRSV_SUCCESS;
  status = sptrsvFactorFindBlocks(solver->factor, (int)solver->problem->A.dof, &found);
  if (found.worth) solver->blocks = found;
  return status;
}

static SptrsvStatus create_analysis(Solver *solver, const SptrsvPlanOptions *options)
{
  const Problem         *problem = solver->problem;
  const Machine         *machine = problem->machine;
  const SptrsvCsr        A       = problem_pattern(problem);
  const SptrsvFactorKind kind    = problem->kind == PROBLEM_ICC ? SPTRSV_ICC0 : SPTRSV_ILU0;
  int64_t                missing;
  SptrsvStatus           status;

  if (problem->kind == PROBLEM_NONE) return sptrsvAnalysisCreate(&A, machine->location, NULL, &solver->analysis);
  status = sptrsvFactorCreate(&A, kind, NULL, NULL, NULL, machine->type, machine->location, &missing, &solver->factor);
  if (!status) status = sptrsvFactorTune(solver->factor, &options->tuning);
  if (!status) status = find_blocks(solver, options);
  if (status) return status;
  return solver->blocks.worth ? sptrsvFactorGetBlockAnalysis(solver->factor, &solver->analysis)
                              : sptrsvFactorGetAnalysis(solver->factor, &solver->analysis);
}

static const SptrsvPivoting no_shift = {.shift = SPTRSV_SHIFT_NONE};

static SptrsvStatus refactor(Solver *solver, SptrsvFactorResult *result)
{
  const SptrsvPlan plan[] = {solver->lower, solver->upper};
  const void      *values = solver->problem->values;
  SptrsvStatus     status;

  if (solver->factor) return sptrsvFactorNumericPlans(solver->factor, values, &no_shift, 2, plan, NULL, result);
  status = sptrsvPlanUpdate(solver->lower, values, NULL);
  return status ? status : sptrsvPlanUpdate(solver->upper, values, NULL);
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

static bool time_set_up(Solver *solver, const SptrsvPlanOptions *options, Measurement *measured)
{
  Problem           *problem = solver->problem;
  Machine           *machine = problem->machine;
  SptrsvFactorResult result  = {.zero_pivot_row = -1};
  double             start, analysed, planned, stop;

  if (!machine_wall(machine, &start)) return false;
  if (!step_done(solver, create_analysis(solver, options), &analysed)) return false;
  solver->status = problem_plans(problem, solver->analysis, solver->blocks.worth, options, &solver->lower, &solver->upper);
  if (!step_done(solver, solver->status, &planned)) return false;
  if (solver->factor && !step_done(solver, sptrsvFactorSetSweep(solver->factor, solver->lower), &planned)) return false;
  if (!step_done(solver, refactor(solver, &result), &stop)) return false;
  measured->analysis    = analysed - start;
  measured->plans       = planned - analysed;
  measured->first_setup = stop - start;
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

  solver->status = sptrsvFactorNumeric(solver->factor, solver->problem->values, &no_shift, NULL, &result);
  return problem_check(solver->problem, solver->status, "factorization");
}

/* The inverses of diagonal blocks, if the sweeps go by blocks */
static bool multiply(Solver *solver, SptrsvBlockPart part, const void *from, void *to)
{
  if (!solver->blocks.worth) return true;
  solver->status = sptrsvFactorSolveBlocks(solver->factor, part, SPTRSV_NON_TRANSPOSE, from, to, NULL);
  return problem_check(solver->problem, solver->status, "product by blocks");
}

static bool sweep_lower(Solver *solver)
{
  solver->status = sptrsvSolve(solver->lower, solver->problem->b, solver->problem->y, NULL);
  return problem_check(solver->problem, solver->status, "lower sweep");
}

static bool work_lower(void *context)
{
  Solver *solver = context;

  return sweep_lower(solver) && multiply(solver, SPTRSV_BLOCKS_L, solver->problem->y, solver->problem->y);
}

static bool work_upper(void *context)
{
  Solver        *solver  = context;
  const Problem *problem = solver->problem;

  if (!multiply(solver, SPTRSV_BLOCKS_U, problem->y, problem->w)) return false;
  solver->status = sptrsvSolve(solver->upper, solver->blocks.worth ? problem->w : problem->y, problem->x, NULL);
  return problem_check(problem, solver->status, "upper sweep");
}

/* The upper sweep as it comes in an apply */
static bool work_next(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvSolveNext(solver->upper, solver->problem->y, solver->problem->x, NULL);
  return problem_check(solver->problem, solver->status, "upper sweep");
}

static bool work_transfer(void *context)
{
  Solver *solver = context;

  solver->status = sptrsvPlanSplitTransfer(solver->lower, solver->problem->b, solver->problem->y, NULL);
  return problem_check(solver->problem, solver->status, "transfer");
}

static bool work_apply(void *context)
{
  Solver *solver = context;

  return sweep_lower(solver) && multiply(solver, SPTRSV_BLOCKS_LU, solver->problem->y, solver->problem->y) && work_next(solver);
}

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

/* A library without studies lacks them */
#pragma weak sptrsvPlanGetSplit
#pragma weak sptrsvPlanSplitTransfer
#pragma weak sptrsvSplitPolicyName

/* Measures nothing if the algorithm is not split. */
static bool measure_split(Solver *solver, Measurement *measured)
{
  SptrsvSplit split;

  if (!sptrsvPlanGetSplit || sptrsvPlanGetSplit(solver->lower, &split)) return true;
  (void)snprintf(measured->split_policy, sizeof measured->split_policy, "%s", sptrsvSplitPolicyName(split.policy));
  measured->split_level  = (double)split.level;
  measured->split_setup  = split.setup[0] + split.setup[1] + split.setup[2] + split.setup[3];
  measured->transfer     = 0;
  return !split.transfer || machine_time(solver->problem->machine, work_transfer, solver, &measured->transfer);
}

/* A factorization leaves plans behind whose values are still to come */
static bool measure_factor(Solver *solver, Measurement *measured)
{
  if (!solver->factor) return true;
  (void)sptrsvFactorDescribe(solver->factor, measured->factor_description, sizeof measured->factor_description);
  return machine_time_wall(solver->problem->machine, work_factor, solver, &measured->factor) && work_refactor(solver);
}

static void describe(const Solver *solver, Measurement *measured)
{
  const size_t size = sizeof measured->description;
  size_t       length;

  (void)sptrsvPlanDescribe(solver->lower, measured->description, size);
  length = strlen(measured->description);
  if (solver->blocks.worth) (void)snprintf(measured->description + length, size - length, "; by blocks of %d to %d", solver->blocks.least,
                                           solver->blocks.most);
}

static bool measure_solver(Solver *solver, const SptrsvPlanOptions *options, Measurement *measured)
{
  Machine *machine = solver->problem->machine;

  if (!time_set_up(solver, options, measured)) return false;
  measured->plan_bytes  = bytes_of_plans(solver);
  measured->repetitions = machine->repeat;
  measured->error       = 0;
  describe(solver, measured);
  return problem_ask_oracle(solver->problem, solver->factor) && compare(solver, &measured->error)
      && machine_time_wall(machine, work_refactor, solver, &measured->refactor)
      && measure_factor(solver, measured) && measure_split(solver, measured)
      && time_sweep(solver, work_lower, &measured->lower, &measured->repetitions)
      && time_sweep(solver, work_upper, &measured->upper, &measured->repetitions)
      && time_sweep(solver, work_apply, &measured->apply, &measured->repetitions)
      && compare(solver, &measured->error);
}

bool measure(Problem *problem, const SptrsvPlanOptions *options, Measurement *measured)
{
  Solver solver = {.problem = problem};
  bool   ok;

  memset(measured, 0, sizeof *measured);
  measured->analysis = measured->plans = measured->first_setup = measured->refactor = measured->factor = measured->lower = measured->upper =
      measured->apply = measured->error = NAN;
  measured->split_level     = measured->split_setup = measured->transfer = NAN;
  measured->split_policy[0] = 0;
  ok                        = measure_solver(&solver, options, measured);
  measured->status          = solver.status;
  solver_destroy(&solver);
  return ok;
}
