/* solve_measure.c - Times are of the fastest of several runs, so that what else a machine does counts less. */
#include <petsctime.h>
#include "solve.h"

enum { RUNS = 5 };                           /* of a solve at most, of applies at least */
static const PetscLogDouble SOLVES  = 3.0;   /* seconds that all repeated solves may take */
static const PetscLogDouble APPLIES = 0.2;   /* seconds of applies */
static const PetscLogDouble ROUND   = 0.002; /* seconds of those that are timed together: short, so that some are not disturbed */

/* Seconds from start until the work on v is done, of the process that took longest */
static PetscErrorCode Since(PetscLogDouble start, Vec v, PetscLogDouble *seconds)
{
  PetscLogDouble now;
  PetscReal      norm;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(v, NORM_2, &norm)); /* waits for the GPU */
  PetscCall(PetscTime(&now));
  now -= start;
  PetscCallMPI(MPIU_Allreduce(&now, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimeApplies(PC pc, Vec b, Vec z, PetscInt count, PetscLogDouble *seconds)
{
  PetscLogDouble start;

  PetscFunctionBeginUser;
  PetscCall(PetscTime(&start));
  for (PetscInt k = 0; k < count; k++) PetscCall(PCApply(pc, b, z));
  PetscCall(Since(start, z, seconds));
  *seconds /= count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimeApply(KSP ksp, Vec b, PetscLogDouble *fastest)
{
  PC             pc;
  Vec            z;
  PetscInt       count;
  PetscLogDouble seconds, total = 0.0;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(VecDuplicate(b, &z));
  PetscCall(TimeApplies(pc, b, z, 1, fastest));
  count = 1 + (PetscInt)PetscMin(1000.0, ROUND / PetscMax(*fastest, 1e-6));
  for (PetscInt run = 0; run < RUNS || total < APPLIES; run++) {
    PetscCall(TimeApplies(pc, b, z, count, &seconds));
    *fastest = PetscMin(*fastest, seconds);
    total += (PetscLogDouble)count * seconds;
  }
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the options ask to be printed belongs to the first solve: without options there is nothing to print. */
static PetscErrorCode Silence(KSP ksp)
{
  PetscOptions none;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsCreate(&none));
  PetscCall(PetscOptionsPush(none));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPMonitorCancel(ksp));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TimeSolve(KSP ksp, Vec b, Vec x, PetscLogDouble *fastest)
{
  PetscLogDouble start, seconds, total = *fastest;

  PetscFunctionBeginUser;
  for (PetscInt run = 1; run < RUNS && total + *fastest < SOLVES; run++) {
    PetscCall(PetscTime(&start));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Since(start, x, &seconds));
    *fastest = PetscMin(*fastest, seconds);
    total += seconds;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Measure(KSP ksp, Vec b, Outcome *outcome)
{
  KSPConvergedReason reason;
  PetscLogStage      stage;
  Vec                again;

  PetscFunctionBeginUser;
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason == KSP_DIVERGED_PC_FAILED) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogStageGetId("Repeated", &stage)); /* -log_view keeps it apart */
  if (stage < 0) PetscCall(PetscLogStageRegister("Repeated", &stage));
  PetscCall(PetscLogStagePush(stage));
  PetscCall(Silence(ksp));
  PetscCall(TimeApply(ksp, b, &outcome->apply));
  PetscCall(VecDuplicate(b, &again));
  if (reason > 0) PetscCall(TimeSolve(ksp, b, again, &outcome->solve));
  PetscCall(VecDestroy(&again));
  PetscCall(PetscLogStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}
