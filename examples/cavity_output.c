/* cavity_output.c - The output of cavity.c: the field and the report. */
#include "cavity.h"

PetscErrorCode CheckField(const char name[])
{
  char  path[PETSC_MAX_PATH_LEN];
  FILE *file;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s.csv", name));
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, path, "w", &file));
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteField(Cavity *cav, Vec velocity, Vec pressure, const char name[])
{
  DM                   points;
  Vec                  out;
  PetscViewer          viewer;
  const PetscScalar ***w;
  PetscScalar       ***o, level;
  PetscInt             xs, ys, xm, ym;
  char                 path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCall(VecMean(pressure, &level));
  PetscCall(VecShift(pressure, -level)); /* the mean is arbitrary and drifts by rounding: set it to zero */
  PetscCall(CreateGrid(cav, 3, &points)); /* three components, as VTK requires of vectors */
  PetscCall(DMCreateGlobalVector(points, &out));
  PetscCall(DMGlobalToLocal(cav->faces, velocity, INSERT_VALUES, cav->faces_l));
  PetscCall(DMDAVecGetArrayDOFRead(cav->faces, cav->faces_l, (void *)&w));
  PetscCall(DMDAVecGetArrayDOFWrite(points, out, &o));
  PetscCall(DMDAGetCorners(points, &xs, &ys, NULL, &xm, &ym, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      o[j][i][0] = (w[j][i][U] + w[j][i + 1][U]) / 2;
      o[j][i][1] = (w[j][i][V] + w[j + 1][i][V]) / 2;
      o[j][i][2] = 0;
    }
  }
  PetscCall(DMDAVecRestoreArrayDOFWrite(points, out, &o));
  PetscCall(DMDAVecRestoreArrayDOFRead(cav->faces, cav->faces_l, (void *)&w));
  PetscCall(PetscObjectSetName((PetscObject)out, "velocity"));
  PetscCall(PetscObjectSetName((PetscObject)pressure, "pressure"));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s.vts", name));
  PetscCall(PetscViewerVTKOpen(PETSC_COMM_WORLD, path, FILE_MODE_WRITE, &viewer));
  PetscCall(VecView(out, viewer));
  PetscCall(VecView(pressure, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&out));
  PetscCall(DMDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrintProcesses(const Cavity *cav)
{
  PetscInt px, py;

  PetscFunctionBeginUser;
  PetscCall(DMDAGetInfo(cav->cells, NULL, NULL, NULL, NULL, &px, &py, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  on %" PetscInt_FMT " x %" PetscInt_FMT " processes\n", px, py));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds that the slowest process spent in a phase */
static PetscErrorCode PhaseTime(const Cavity *cav, Phase phase, PetscLogDouble *seconds)
{
  PetscEventPerfInfo info;

  PetscFunctionBeginUser;
  PetscCall(PetscLogStageGetPerfInfo(cav->stage[phase], &info));
  *seconds = info.time;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A line of the summary file */
static PetscErrorCode Summarize(const Cavity *cav, const char what[], const char item[], double value)
{
  PetscFunctionBeginUser;
  if (cav->summary) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, cav->summary, "%s_%s=%.9g\n", what, item, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reports the costs of one solver, and subtracts its set-up and solve seconds from `other` */
static PetscErrorCode ReportSolver(const Cavity *cav, const char name[], KSP ksp, Phase setup, PetscLogDouble *other)
{
  const PetscInt     repeat = 100;
  PC                 pc;
  Vec                b, x;
  KSPType            ksptype;
  PCType             pctype;
  Mat                A;
  MatType            mattype;
  PetscInt           its;
  PetscReal          norm;
  PetscLogEvent      apply;
  PetscEventPerfInfo applied;
  PetscLogDouble     t0, t1, setting_up, solving;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetType(ksp, &ksptype));
  PetscCall(PCGetType(pc, &pctype));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatGetType(A, &mattype));
  PetscCall(KSPGetTotalIterations(ksp, &its));
  PetscCall(PetscLogEventGetId("PCApply", &apply));
  PetscCall(PetscLogEventGetPerfInfo(cav->stage[setup + 1], apply, &applied));
  PetscCall(PhaseTime(cav, setup, &setting_up));
  PetscCall(PhaseTime(cav, setup + 1, &solving));
  /* applications are timed as one series, because on a GPU the event covers only the launches; the norm waits for the result */
  PetscCall(KSPGetRhs(ksp, &b));
  PetscCall(KSPGetSolution(ksp, &x));
  PetscCall(PetscTime(&t0));
  for (PetscInt k = 0; k < repeat; k++) PetscCall(PCApply(pc, b, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(PetscTime(&t1));
  *other -= setting_up + solving;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %s by %s with %s: %" PetscInt_FMT " iterations, %d applies of %.1f us\n", name, ksptype,
                        pctype, its, applied.count, 1e6 * (t1 - t0) / repeat));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "    set-up %.3g s, solve %.3g s\n", setting_up, solving));
  if (cav->summary)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, cav->summary, "%s_ksp=%s\n%s_pc=%s\n%s_mat=%s\n", name, ksptype, name, pctype, name, mattype));
  PetscCall(Summarize(cav, name, "setup_s", setting_up));
  PetscCall(Summarize(cav, name, "solve_s", solving));
  PetscCall(Summarize(cav, name, "iterations", (double)its));
  PetscCall(Summarize(cav, name, "applies", applied.count));
  PetscCall(Summarize(cav, name, "apply_us", 1e6 * (t1 - t0) / repeat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteReport(const Cavity *cav, KSP momentum, KSP poisson, PetscInt steps, PetscLogDouble total_s)
{
  PetscLogDouble other = total_s, assembly;
  PetscMPIInt    size;

  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscCall(ReportSolver(cav, "momentum", momentum, MOMENTUM_SETUP, &other));
  PetscCall(ReportSolver(cav, "pressure", poisson, PRESSURE_SETUP, &other));
  PetscCall(PhaseTime(cav, ASSEMBLY, &assembly));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  assembly %.3g s, the rest %.3g s; the whole run %.4g s\n", assembly,
                        other - assembly, total_s));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Summarize(cav, "run", "processes", size));
  PetscCall(Summarize(cav, "run", "n", (double)cav->n));
  PetscCall(Summarize(cav, "run", "reynolds", (double)cav->reynolds));
  PetscCall(Summarize(cav, "run", "steps", (double)steps));
  PetscCall(Summarize(cav, "run", "assembly_s", assembly));
  PetscCall(Summarize(cav, "run", "other_s", other - assembly));
  PetscCall(Summarize(cav, "run", "total_s", total_s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
