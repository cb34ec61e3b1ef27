/* setup_phases.c - Times the steps of a first set-up, and counts the bytes that each must move. */
#include "setup_phases.h"
#include "report.h"
#include "sptrsv_problem.h"
#include <stdlib.h>
#include <string.h>

typedef enum { SYMBOLIC, LEVELS, LOWER_PLAN, UPPER_PLAN, FACTOR, NUMERIC, UPDATES } PhaseNumber;
static const char *const names[PHASES] = {"symbolic", "levels", "lower plan", "upper plan", "factor", "numeric", "updates"};

typedef struct {
  Problem       *problem;
  SptrsvCsr      A; /* in the machine's memory */
  SptrsvFactor   factor;
  SptrsvAnalysis analysis;  /* the factor's */
  SptrsvPlan     plan[2];   /* lower, upper */
  const char    *algorithm; /* of both */
  double         seconds[PHASES], last; /* last: the end of the phase before */
  size_t         factor_bytes;          /* before its set-up */
} Setup;

/* ------------------------------------------------------------ phases ------------------------------------------------------- */

static SptrsvStatus create_plan(Setup *setup, SptrsvTriangle triangle)
{
  const Machine    *machine = setup->problem->machine;
  SptrsvPlanOptions o       = {.algorithm = setup->algorithm, .location = machine->location, .triangle = triangle, .type = machine->type};

  o.diagonal = triangle == SPTRSV_LOWER ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_INVERTED;
  return sptrsvPlanCreate(setup->analysis, &o, &setup->plan[triangle == SPTRSV_UPPER]);
}

static SptrsvStatus find_levels(const Setup *setup)
{
  SptrsvStatistics   statistics;
  const SptrsvStatus status = sptrsvAnalysisGetStatistics(setup->analysis, SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &statistics);

  return status ? status : sptrsvAnalysisGetStatistics(setup->analysis, SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE, &statistics);
}

static SptrsvStatus update_plans(const Setup *setup)
{
  const void  *values;
  SptrsvStatus status = sptrsvFactorGetValues(setup->factor, &values);

  for (int k = 0; !status && k < 2; k++) status = sptrsvPlanUpdate(setup->plan[k], values, NULL);
  return status;
}

static size_t factor_bytes(const Setup *setup)
{
  size_t host, device;

  (void)sptrsvFactorGetMemory(setup->factor, &host, &device);
  return setup->A.location == SPTRSV_DEVICE ? device : host;
}

static SptrsvStatus do_phase(Setup *setup, PhaseNumber phase)
{
  const Machine         *machine  = setup->problem->machine;
  const SptrsvFactorKind kind     = setup->problem->kind == PROBLEM_ICC ? SPTRSV_ICC0 : SPTRSV_ILU0;
  const SptrsvPivoting   pivoting = {.shift = SPTRSV_SHIFT_NONE};
  SptrsvStatus           status;

  switch (phase) {
  case SYMBOLIC:
    status = sptrsvFactorCreate(&setup->A, kind, NULL, NULL, NULL, machine->type, machine->location, NULL, &setup->factor);
    return status ? status : sptrsvFactorGetAnalysis(setup->factor, &setup->analysis);
  case LEVELS: return find_levels(setup);
  case LOWER_PLAN: return create_plan(setup, SPTRSV_LOWER);
  case UPPER_PLAN: return create_plan(setup, SPTRSV_UPPER);
  case FACTOR: setup->factor_bytes = factor_bytes(setup); return sptrsvFactorSetSweep(setup->factor, setup->plan[0]);
  case NUMERIC: return sptrsvFactorNumeric(setup->factor, setup->problem->values, &pivoting, NULL, NULL);
  default: return update_plans(setup);
  }
}

static void setup_destroy(Setup *setup)
{
  for (int k = 0; k < 2; k++) (void)sptrsvPlanDestroy(&setup->plan[k]);
  (void)sptrsvFactorDestroy(&setup->factor);
}

/* From an idle machine to an idle machine, phase by phase */
static bool set_up(Setup *setup)
{
  Machine *machine = setup->problem->machine;
  double   now;

  if (!machine_wall(machine, &setup->last)) return false;
  for (int k = 0; k < PHASES; k++) {
    if (!problem_check(setup->problem, do_phase(setup, (PhaseNumber)k), names[k]) || !machine_wall(machine, &now)) return false;
    setup->seconds[k] = now - setup->last;
    setup->last       = now;
  }
  return true;
}

/* ------------------------------------------------------------ bytes -------------------------------------------------------- */

static double plan_bytes(const Setup *setup, int k)
{
  size_t host, device;

  (void)sptrsvPlanGetMemory(setup->plan[k], &host, &device);
  return (double)(setup->A.location == SPTRSV_DEVICE ? device : host);
}

/* The pattern is read once, by each phase that needs it; of a plan and of the factor's set-up all that they keep is written.  A diagonal
   entry belongs to no triangle's pattern.  On the host the last set-up does nothing, and updates keep a pointer. */
static bool count_bytes(const Setup *setup, PhasesOfSetup *measured)
{
  const double     n = (double)setup->A.rows, nnz = (double)setup->A.nnz, index = sizeof(int32_t);
  const double     value = (double)setup->problem->machine->value_size, pattern = (n + 1 + nnz) * index;
  const bool       copies = setup->A.location == SPTRSV_DEVICE;
  SptrsvStatistics s[2];
  SptrsvStatus     status = SPTRSV_SUCCESS;

  for (int k = 0; !status && k < 2; k++) {
    status = sptrsvAnalysisGetStatistics(setup->analysis, k ? SPTRSV_UPPER : SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE, &s[k]);
  }
  if (!problem_check(setup->problem, status, "statistics")) return false;
  for (int k = 0; k < 2; k++) {
    measured->levels[k]                   = s[k].levels;
    measured->phase[LOWER_PLAN + k].bytes = (2 * n + 1 + (double)s[k].nnz) * index + plan_bytes(setup, k);
  }
  measured->phase[SYMBOLIC].bytes = 2 * pattern;
  measured->phase[LEVELS].bytes   = pattern + 2 * n * index;
  measured->phase[FACTOR].bytes   = copies ? pattern + (double)(factor_bytes(setup) - setup->factor_bytes) : 0;
  measured->phase[NUMERIC].bytes  = pattern + 2 * nnz * value;
  measured->phase[UPDATES].bytes  = copies ? 2 * nnz * value : 0;
  return true;
}

static bool name_algorithms(const Setup *setup, PhasesOfSetup *measured)
{
  for (int k = 0; k < 2; k++) {
    const SptrsvAlgorithm *parts[SPTRSV_PLAN_ALGORITHMS];

    if (!problem_check(setup->problem, sptrsvPlanGetAlgorithms(setup->plan[k], parts), "algorithms")) return false;
    (void)snprintf(measured->algorithm[k], sizeof measured->algorithm[k], "%s", parts[0]->name);
  }
  return true;
}

/* --------------------------------------------------------- measurement ----------------------------------------------------- */

static bool upload(Machine *machine, const void *from, size_t bytes, const void **to)
{
  void *p = NULL;

  if (!machine->ops->allocate(machine, bytes, &p)) return false;
  *to = p;
  return machine->ops->copy(machine, p, from, bytes) && machine->ops->synchronize(machine);
}

static bool measure(Setup *setup, double *times, PhasesOfSetup *measured)
{
  const int repeat = setup->problem->machine->repeat;

  for (int k = 0; k <= repeat; k++) {
    bool ok = set_up(setup);

    for (int p = 0; ok && p < PHASES; p++) {
      if (k) times[p * repeat + k - 1] = setup->seconds[p];
      else measured->phase[p] = (Phase){.name = names[p], .first = setup->seconds[p]};
    }
    ok = ok && (k < repeat || (count_bytes(setup, measured) && name_algorithms(setup, measured)));
    setup_destroy(setup);
    if (!ok) return false;
  }
  for (int p = 0; p < PHASES; p++) measured->phase[p].again = report_median(times + (ptrdiff_t)p * repeat, repeat);
  return true;
}

bool phases_measure(Machine *machine, const char *spec, SptrsvFactorKind kind, const char *algorithm, PhasesOfSetup *measured)
{
  Problem problem;
  Setup   setup = {.problem = &problem, .algorithm = algorithm};
  double *times = malloc((size_t)PHASES * (size_t)machine->repeat * sizeof *times);
  bool    ok;

  if (!times) return csr_matrix_fail(machine->error, sizeof machine->error, "out of memory");
  ok = problem_create(machine, spec, kind == SPTRSV_ICC0 ? PROBLEM_ICC : PROBLEM_ILU, &problem);
  if (ok) {
    setup.A          = problem_pattern(&problem);
    setup.A.location = machine->location;
    setup.A.row_ptr  = setup.A.col_idx = NULL;
    measured->rows   = problem.A.rows;
    measured->nnz    = problem.A.nnz;
    ok = upload(machine, problem.A.row_ptr, (size_t)(problem.A.rows + 1) * sizeof(int32_t), &setup.A.row_ptr)
      && upload(machine, problem.A.col_idx, (size_t)problem.A.nnz * sizeof(int32_t), &setup.A.col_idx)
      && measure(&setup, times, measured);
    machine->ops->release((void *)setup.A.row_ptr);
    machine->ops->release((void *)setup.A.col_idx);
    problem_destroy(&problem);
  }
  free(times);
  return ok;
}
