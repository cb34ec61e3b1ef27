/* solve_report.c - The table, and what helps a solver that failed. */
#include "solve.h"

PetscErrorCode OneMessage(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type,
                          const char *message, void *ctx)
{
  const char *general;
  PetscMPIInt rank = 0;

  switch (code) {
  case PETSC_ERR_SIG:
  case PETSC_ERR_LIB:
  case PETSC_ERR_PLIB:
  case PETSC_ERR_GPU:
  case PETSC_ERR_MPI:
  case PETSC_ERR_MEMC:
    return PetscTraceBackErrorHandler(comm, line, function, file, code, type, message, ctx);
  default:
    break;
  }
  if (type != PETSC_ERROR_INITIAL) return code;
  (void)PetscErrorMessage(code, &general, NULL);
  (void)MPI_Comm_rank(comm, &rank);
  if (rank) return code; /* the first one says it */
  (void)fprintf(stderr, "solve: %s\n", message && message[0] ? message : general);
  if (code == PETSC_ERR_MISSING_FACTOR)
    (void)fprintf(stderr, "solve: on several processes, a block for each: -pc_type bjacobi -sub_pc_type ilu\n");
  return code;
}

/* Why the PC failed, in which row, and what helps */
static PetscErrorCode ReportFailure(PC pc)
{
  PCFailedReason reason;
  PetscBool      factors, shifts;
  PetscReal      pivot;
  PetscInt       row;
  Mat            F;
  const char    *cure = "";

  PetscFunctionBeginUser;
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "the preconditioner failed, %s", PCFailedReasons[reason]));
  PetscCall(PetscObjectHasFunction((PetscObject)pc, "PCFactorSetUpMatSolverType_C", &factors));
  PetscCall(PetscObjectHasFunction((PetscObject)pc, "PCFactorSetShiftType_C", &shifts));
  if (factors) {
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatFactorGetErrorZeroPivot(F, &pivot, &row));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " in row %" PetscInt_FMT, row));
  }
  if (reason == PC_FACTOR_STRUCT_ZEROPIVOT)
    cure = ": a diagonal entry is not stored; -pc_factor_diagonal_fill adds it, or store a zero there, or -dominant";
  if (reason == PC_FACTOR_NUMERIC_ZEROPIVOT && shifts) cure = ": try -pc_factor_shift_type nonzero";
  if (reason == PC_SUBPC_ERROR) cure = ": a block could not be factored; try -sub_pc_factor_shift_type nonzero";
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", cure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const choosing = "doc/using/choosing.md has more";

static const struct {
  KSPConvergedReason reason;
  const char        *hint;
} hints[] = {
    {KSP_DIVERGED_ITS, "more iterations: -ksp_max_it; fewer needed: -pc_factor_levels 1, 2 or 3, or another -ksp_type"},
    {KSP_DIVERGED_DTOL, "the residual grows: a weak factor; try -pc_factor_levels 1, -scale, or -pc_factor_shift_type nonzero"},
    {KSP_DIVERGED_BREAKDOWN, "the method broke down: try -ksp_type gmres"},
    {KSP_DIVERGED_BREAKDOWN_BICG, "the method broke down: try -ksp_type gmres"},
    {KSP_DIVERGED_INDEFINITE_PC, "the method needs a positive definite preconditioner: -ksp_type gmres, or -pc_syncfree_factor icc"},
    {KSP_DIVERGED_INDEFINITE_MAT, "the method needs a positive definite matrix: try -ksp_type gmres"},
    {KSP_DIVERGED_NANORINF, "NaN or Inf: in the file, or a factor that overflowed; try -scale or -pc_factor_shift_type nonzero"},
};

/* What helps a solver that did not converge, and one whose own norm was misled */
static PetscErrorCode Advise(KSPConvergedReason reason, PetscReal rtol, PetscReal residual)
{
  PetscFunctionBeginUser;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(hints); i++) {
    if (hints[i].reason == reason) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s; %s\n", hints[i].hint, choosing));
  }
  if (reason > 0 && !(residual <= MISLED * rtol))
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD,
                    "WARNING: the true residual is %.1e times -ksp_rtol. The method saw the preconditioned one, which a bad factor makes "
                    "small: -ksp_pc_side right, -pc_factor_shift_type or another ordering; %s\n",
                    (double)(residual / rtol), choosing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportHead(PetscBool exact)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-10s %-8s %7s %10s  %11s  %10s  %10s  %13s%s  %s\n", "pc", "ksp", "rtol", "iterations",
                        "set-up [ms]", "apply [us]", "solve [ms]", "true residual", exact ? "     error" : "", "ended by"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportSolve(KSP ksp, const Outcome *outcome)
{
  PC                 pc;
  PCType             type;
  KSPType            ksp_type;
  PetscReal          rtol;
  PetscInt           iterations;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-10s %-8s %7g %10" PetscInt_FMT, type, ksp_type, (double)rtol, iterations));
  if (reason == KSP_DIVERGED_PC_FAILED) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %s\n", KSPConvergedReasons[reason]));
    PetscCall(ReportFailure(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %11.2f  %10.1f  %10.2f  %13.2e", 1e3 * outcome->setup, 1e6 * outcome->apply,
                        1e3 * outcome->solve, (double)outcome->residual));
  if (outcome->wrong >= 0.0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %8.2e", (double)outcome->wrong));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %s\n", KSPConvergedReasons[reason]));
  PetscCall(Advise(reason, rtol, outcome->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportRatios(const Outcome *first, const Outcome *second)
{
  PetscFunctionBeginUser;
  if (first->apply <= 0.0 || second->apply <= 0.0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "the second takes %.2f times as long for its set-up, %.2f for an apply, %.2f for its solve\n",
                        second->setup / first->setup, second->apply / first->apply, second->solve / first->solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}
