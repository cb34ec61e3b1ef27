/* cavity_equations.c - The grid and the discrete equations of cavity.c: their matrices and right-hand sides. */
#include "cavity.h"

/* The five-point star: centre, west, east, south, north */
static const PetscInt DI[5] = {0, -1, 1, 0, 0}, DJ[5] = {0, 0, 0, -1, 1};

static PetscBool IsUnknown(const Cavity *cav, Component c, PetscInt i, PetscInt j)
{
  return (PetscBool)(i >= (c == U) && i < cav->n && j >= (c == V) && j < cav->n);
}

PetscErrorCode CreateGrid(const Cavity *cav, PetscInt dof, DM *dm)
{
  const PetscReal a = cav->h / 2, b = 1 - a;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED, DMDA_STENCIL_BOX, cav->n, cav->n,
                         PETSC_DECIDE, PETSC_DECIDE, dof, 1, NULL, NULL, dm));
  PetscCall(DMSetFromOptions(*dm));
  PetscCall(DMSetUp(*dm));
  PetscCall(DMSetMatrixPreallocateSkip(*dm, PETSC_TRUE)); /* CreateMatrix() gives the pattern */
  PetscCall(DMDASetUniformCoordinates(*dm, a, b, a, b, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fixes the pattern once: five entries per row in the order of DI and DJ; entries outside the grid get column -1, which PETSc skips */
PetscErrorCode CreateMatrix(const Cavity *cav, DM dm, Mat *A)
{
  PetscInt  dof, xs, ys, xm, ym, gxs, gys, gxm, k = 0;
  PetscInt *row, *col;

  PetscFunctionBeginUser;
  PetscCall(DMDAGetDof(dm, &dof));
  PetscCall(DMDAGetCorners(dm, &xs, &ys, NULL, &xm, &ym, NULL));
  PetscCall(DMDAGetGhostCorners(dm, &gxs, &gys, NULL, &gxm, NULL, NULL));
  PetscCall(PetscMalloc2(5 * dof * xm * ym, &row, 5 * dof * xm * ym, &col));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      for (PetscInt c = 0; c < dof; c++) {
        const Component comp = dof == 1 ? P : (Component)c;

        for (PetscInt d = 0; d < 5; d++, k++) {
          const PetscInt ni = i + DI[d], nj = j + DJ[d];

          row[k] = ((j - gys) * gxm + i - gxs) * dof + c;
          if (d == 0 || (IsUnknown(cav, comp, i, j) && IsUnknown(cav, comp, ni, nj))) {
            col[k] = ((nj - gys) * gxm + ni - gxs) * dof + c;
          } else col[k] = -1;
        }
      }
    }
  }
  PetscCall(DMCreateMatrix(dm, A));
  PetscCall(MatSetPreallocationCOOLocal(*A, k, row, col));
  PetscCall(PetscFree2(row, col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AssembleLaplace(Cavity *cav)
{
  PetscScalar *a = cav->coo;
  PetscInt     xs, ys, xm, ym;

  PetscFunctionBeginUser;
  PetscCall(DMDAGetCorners(cav->cells, &xs, &ys, NULL, &xm, &ym, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++, a += 5) {
      a[0] = 1e-4 * cav->h * cav->h;
      for (PetscInt d = 1; d < 5; d++) {
        a[d] = -1;
        if (IsUnknown(cav, P, i + DI[d], j + DJ[d])) a[0] += 1;
      }
    }
  }
  PetscCall(MatSetValuesCOO(cav->laplace, cav->coo, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AssembleMomentum(Cavity *cav, Vec velocity, Vec pressure, Vec rhs)
{
  const PetscReal     h = cav->h, dt = cav->dt, diffusion = 1 / (cav->reynolds * h * h);
  const PetscScalar ***w, **p;
  PetscScalar       ***b, *a = cav->coo;
  PetscInt            xs, ys, xm, ym;

  PetscFunctionBeginUser;
  PetscCall(DMGlobalToLocal(cav->faces, velocity, INSERT_VALUES, cav->faces_l));
  PetscCall(DMGlobalToLocal(cav->cells, pressure, INSERT_VALUES, cav->cells_l));
  PetscCall(DMDAVecGetArrayDOFRead(cav->faces, cav->faces_l, (void *)&w));
  PetscCall(DMDAVecGetArrayRead(cav->cells, cav->cells_l, (void *)&p));
  PetscCall(DMDAVecGetArrayDOFWrite(cav->faces, rhs, &b));
  PetscCall(DMDAGetCorners(cav->faces, &xs, &ys, NULL, &xm, &ym, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      for (PetscInt c = U; c <= V; c++, a += 5) {
        const PetscInt im = i - (c == U), jm = j - (c == V); /* the control volume lies between cells (im,jm) and (i,j) */
        PetscScalar    flux[5];                            /* outflow through each side, per volume */

        a[0] = 1;
        if (!IsUnknown(cav, (Component)c, i, j)) {
          b[j][i][c] = 0;
          continue;
        }
        b[j][i][c] = w[j][i][c] - dt * (p[j][i] - p[jm][im]) / h;
        flux[1]    = -(w[j][i][U] + w[jm][im][U]) / (2 * h);
        flux[2]    = (w[j][i + 1][U] + w[jm][im + 1][U]) / (2 * h);
        flux[3]    = -(w[j][i][V] + w[jm][im][V]) / (2 * h);
        flux[4]    = (w[j + 1][i][V] + w[jm + 1][im][V]) / (2 * h);
        for (PetscInt d = 1; d < 5; d++) {
          const PetscScalar up    = cav->upwind * PetscAbsScalar(flux[d]);
          const PetscBool   along = (PetscBool)(c == U ? DJ[d] != 0 : DI[d] != 0); /* a wall on that side is parallel to c */

          a[d] = dt * ((flux[d] - up) / 2 - diffusion);
          a[0] += dt * ((flux[d] + up) / 2 + diffusion);
          if (along && !IsUnknown(cav, P, i + DI[d], j + DJ[d])) { /* the ghost value is 2 u_wall - u */
            a[0] -= a[d];
            if (c == U && d == 4) b[j][i][c] -= 2 * a[d]; /* the lid: u_wall = 1 */
          }
        }
      }
    }
  }
  PetscCall(DMDAVecRestoreArrayDOFWrite(cav->faces, rhs, &b));
  PetscCall(DMDAVecRestoreArrayRead(cav->cells, cav->cells_l, (void *)&p));
  PetscCall(DMDAVecRestoreArrayDOFRead(cav->faces, cav->faces_l, (void *)&w));
  PetscCall(MatSetValuesCOO(cav->momentum, cav->coo, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Divergence(Cavity *cav, Vec velocity, Vec rhs)
{
  const PetscScalar ***w;
  PetscScalar        **b;
  PetscInt             xs, ys, xm, ym;

  PetscFunctionBeginUser;
  PetscCall(DMGlobalToLocal(cav->faces, velocity, INSERT_VALUES, cav->faces_l));
  PetscCall(DMDAVecGetArrayDOFRead(cav->faces, cav->faces_l, (void *)&w));
  PetscCall(DMDAVecGetArrayWrite(cav->cells, rhs, &b));
  PetscCall(DMDAGetCorners(cav->cells, &xs, &ys, NULL, &xm, &ym, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      b[j][i] = -cav->h / cav->dt * (w[j][i + 1][U] - w[j][i][U] + w[j + 1][i][V] - w[j][i][V]);
    }
  }
  PetscCall(DMDAVecRestoreArrayWrite(cav->cells, rhs, &b));
  PetscCall(DMDAVecRestoreArrayDOFRead(cav->faces, cav->faces_l, (void *)&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Project(Cavity *cav, Vec phi, Vec velocity)
{
  const PetscScalar **f;
  PetscScalar      ***w;
  PetscInt            xs, ys, xm, ym;

  PetscFunctionBeginUser;
  PetscCall(DMGlobalToLocal(cav->cells, phi, INSERT_VALUES, cav->cells_l));
  PetscCall(DMDAVecGetArrayRead(cav->cells, cav->cells_l, (void *)&f));
  PetscCall(DMDAVecGetArrayDOF(cav->faces, velocity, &w));
  PetscCall(DMDAGetCorners(cav->faces, &xs, &ys, NULL, &xm, &ym, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      if (IsUnknown(cav, U, i, j)) w[j][i][U] -= cav->dt / cav->h * (f[j][i] - f[j][i - 1]);
      if (IsUnknown(cav, V, i, j)) w[j][i][V] -= cav->dt / cav->h * (f[j][i] - f[j - 1][i]);
    }
  }
  PetscCall(DMDAVecRestoreArrayDOF(cav->faces, velocity, &w));
  PetscCall(DMDAVecRestoreArrayRead(cav->cells, cav->cells_l, (void *)&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
