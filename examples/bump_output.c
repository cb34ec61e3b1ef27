/* bump_output.c - The output of bump.c: times, the field and the report. */
#include "bump.h"
#include <petscdevice.h>

PetscErrorCode Clock(PetscLogDouble *now)
{
  PetscFunctionBeginUser;
  if (PetscDeviceInitialized(PETSC_DEVICE_DEFAULT())) { /* false for a CUDA build of PETSc on a machine without a GPU */
    PetscDeviceContext dctx;

    PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
    PetscCall(PetscDeviceContextSynchronize(dctx));
  }
  PetscCall(PetscTime(now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteField(const Channel *ch, const char name[])
{
  char          path[PETSC_MAX_PATH_LEN];
  DM            places;
  Vec           coordinates;
  PetscScalar ***at;
  PetscReal     p[2];
  PetscInt      xs, ys, xm, ym;
  PetscViewer   viewer;

  PetscFunctionBeginUser;
  PetscCall(DMDASetUniformCoordinates(ch->dm, 0, 1, 0, 1, 0, 0));
  PetscCall(DMGetCoordinateDM(ch->dm, &places));
  PetscCall(DMGetCoordinates(ch->dm, &coordinates));
  PetscCall(DMDAVecGetArrayDOF(places, coordinates, &at));
  PetscCall(DMDAGetCorners(ch->dm, &xs, &ys, NULL, &xm, &ym, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      Place(ch, i + 0.5, j + 0.5, p);
      at[j][i][0] = p[0], at[j][i][1] = p[1];
    }
  }
  PetscCall(DMDAVecRestoreArrayDOF(places, coordinates, &at));
  PetscCall(PetscObjectSetName((PetscObject)ch->state, "state"));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s.vts", name));
  PetscCall(PetscViewerVTKOpen(PETSC_COMM_WORLD, path, FILE_MODE_WRITE, &viewer));
  PetscCall(VecView(ch->state, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Report(const Channel *ch, KSP ksp, PetscInt steps, const PetscLogDouble seconds[3], const char summary[])
{
  const PetscInt repeat = 100;
  PC             pc;
  Vec            x;
  PetscInt       its;
  PetscLogDouble begin, end;
  FILE          *file = PETSC_STDOUT;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetTotalIterations(ksp, &its));
  PetscCall(VecDuplicate(ch->residual, &x));
  PetscCall(Clock(&begin));
  for (PetscInt k = 0; k < repeat; k++) PetscCall(PCApply(pc, ch->residual, x));
  PetscCall(Clock(&end));
  PetscCall(VecDestroy(&x));
  if (summary[0]) PetscCall(PetscFOpen(PETSC_COMM_WORLD, summary, "w", &file));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "steps %" PetscInt_FMT ", iterations %" PetscInt_FMT ", apply [us] %.1f, ", steps, its,
                         1e6 * (end - begin) / repeat));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "assembly [s] %.3g, set-ups [s] %.3g, solves [s] %.3g\n", seconds[0], seconds[1],
                         seconds[2]));
  if (summary[0]) PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}
