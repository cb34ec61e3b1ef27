static char help[] = "Supersonic flow over a bump in a channel: compressible Euler equations, 4 unknowns a cell, until steady state.\n\
Every step solves a system with new values on a fixed pattern.\n\
  ./bump -n 64 -mach 1.65 -pc_type ilu -field bump\n\
  mpiexec -n 4 ./bump -n 64 -sub_pc_type ilu\n\n";

/*
  3 n x n cells of the channel [-1,2] x [0,1], whose floor has a circular arc from x = 0 to x = 1.  A cell holds U: density, momentum
  and energy, relative to density and sound speed in front.  The flow comes in at the left and leaves at the right faster than sound; floor
  and ceiling are walls.  A face with the normal n, as long as the face is, lets through

    (A(U) U + A(V) V) / 2 + |A((U + V) / 2)| (U - V) / 2,    A(U) = dF/dU of the flux F(U) n, which is A(U) U,

  from a cell with U to one with V: first order, with the upwind term of Roe.  All of it is a matrix times the unknowns.  A step is one of
  backward Euler, linearized, where each cell has the time step in which sound crosses it cfl times; cfl grows as the residual falls:

    (volume / dt + A) (U^{n+1} - U^n) = b - A U^n

  bump_faces.c has what passes a face, bump_output.c the clock, the field and the report.
*/
#include "bump.h"

#define HEIGHT 0.06 /* of the arc */

/* ------------------------------------------------------------- the system ---------------------------------------------------------- */

void Place(const Channel *ch, PetscReal i, PetscReal j, PetscReal p[2])
{
  const PetscReal radius = (0.25 + HEIGHT * HEIGHT) / (2 * HEIGHT), x = i / ch->n - 1;
  const PetscReal floor = x > 0 && x < 1 ? PetscSqrtReal(radius * radius - PetscSqr(x - 0.5)) - (radius - HEIGHT) : 0;

  p[0] = x;
  p[1] = floor + (1 - floor) * j / ch->n;
}

/* Rows of cell (i,j), its own block in front of those of its neighbours, and its residual */
static void CellRows(const Channel *ch, PetscScalar ***state, PetscInt i, PetscInt j, PetscScalar v[4][20], MatStencil col[5],
                     PetscScalar residual[4])
{
  static const PetscInt right[] = {0, 1, 0, -1}, up[] = {-1, 0, 1, 0}; /* to the neighbour beyond the floor, right, ceiling, left */
  const PetscScalar    *here = state[j][i];
  PetscReal             speed = 0, p[2], q[2], n[2];
  Block                 own, other;

  (void)memset(v, 0, 80 * sizeof(PetscScalar));
  (void)memset(residual, 0, 4 * sizeof(PetscScalar));
  col[0] = (MatStencil){.i = i, .j = j};
  for (PetscInt k = 0; k < 4; k++) {
    const PetscInt     x = i + right[k], y = j + up[k];
    const PetscBool    wall = (PetscBool)(y < 0 || y >= ch->n), inside = (PetscBool)(!wall && x >= 0 && x < 3 * ch->n);
    const PetscScalar *beyond = inside ? state[y][x] : !wall && x < 0 ? ch->front : NULL;
    Gas                g;

    col[k + 1] = inside ? (MatStencil){.i = x, .j = y} : (MatStencil){.i = -1, .j = -1}; /* which is left out */
    Place(ch, i + (k == 1 || k == 2), j + (k >= 2), p);
    Place(ch, i + (k < 2), j + (k == 1 || k == 2), q);
    n[0] = q[1] - p[1];
    n[1] = p[0] - q[0];
    g    = GasAt(here, n);
    speed += PetscAbsReal(g.through) + g.sound;
    if (beyond) Face(here, beyond, n, own, other);
    else if (wall) Wall(&g, n, own);
    else Derivative(&g, n, own);
    for (PetscInt r = 0; r < 4; r++) {
      for (PetscInt s = 0; s < 4; s++) {
        v[r][s] += own[r][s];
        residual[r] -= own[r][s] * here[s] + (beyond ? other[r][s] * beyond[s] : 0);
        if (inside) v[r][4 * k + 4 + s] = other[r][s];
      }
    }
  }
  for (PetscInt r = 0; r < 4; r++) v[r][r] += speed / (2 * ch->cfl);
}

/* The matrix and the right-hand side of a step */
static PetscErrorCode Assemble(Channel *ch)
{
  PetscScalar ***state, ***residual, v[4][20];
  PetscInt       xs, ys, xm, ym;
  MatStencil     col[5];

  PetscFunctionBeginUser;
  PetscCall(DMGlobalToLocal(ch->dm, ch->state, INSERT_VALUES, ch->local));
  PetscCall(DMDAVecGetArrayDOFRead(ch->dm, ch->local, (void *)&state));
  PetscCall(DMDAVecGetArrayDOFWrite(ch->dm, ch->residual, &residual));
  PetscCall(DMDAGetCorners(ch->dm, &xs, &ys, NULL, &xm, &ym, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      CellRows(ch, state, i, j, v, col, residual[j][i]);
      PetscCall(MatSetValuesBlockedStencil(ch->A, 1, col, 5, col, v[0], INSERT_VALUES));
    }
  }
  PetscCall(DMDAVecRestoreArrayDOFWrite(ch->dm, ch->residual, &residual));
  PetscCall(DMDAVecRestoreArrayDOFRead(ch->dm, ch->local, (void *)&state));
  PetscCall(MatAssemblyBegin(ch->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(ch->A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---------------------------------------------------------------- run -------------------------------------------------------------- */

static PetscErrorCode Create(Channel *ch, PetscReal mach, KSP *ksp)
{
  PetscFunctionBeginUser;
  ch->front[0] = 1;
  ch->front[1] = mach;
  ch->front[3] = 1 / (GAMMA * (GAMMA - 1)) + mach * mach / 2;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 3 * ch->n, ch->n, PETSC_DECIDE,
                         PETSC_DECIDE, 4, 1, NULL, NULL, &ch->dm));
  PetscCall(DMSetFromOptions(ch->dm));
  PetscCall(DMSetUp(ch->dm));
  PetscCall(DMCreateMatrix(ch->dm, &ch->A));
  PetscCall(DMCreateGlobalVector(ch->dm, &ch->state));
  PetscCall(DMCreateLocalVector(ch->dm, &ch->local));
  PetscCall(VecDuplicate(ch->state, &ch->residual));
  for (PetscInt k = 0; k < 4; k++) PetscCall(VecStrideSet(ch->state, k, ch->front[k]));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, ch->A, ch->A));
  PetscCall(KSPSetTolerances(*ksp, 1e-3, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetErrorIfNotConverged(*ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Channel        ch    = {.n = 64, .cfl = 10};
  PetscReal      mach = 1.65, steady = 1e-6, norm = 0, before = 0, first = 0;
  PetscInt       steps = 200, step, its = 0;
  char           field[PETSC_MAX_PATH_LEN - 4] = "", summary[PETSC_MAX_PATH_LEN] = "";
  Vec            change;
  KSP            ksp;
  PetscLogDouble clock[4], seconds[3] = {0, 0, 0};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Supersonic flow over a bump", NULL);
  PetscCall(PetscOptionsBoundedInt("-n", "Cells between the walls", NULL, ch.n, &ch.n, NULL, 2));
  PetscCall(PetscOptionsReal("-mach", "Speed in front over that of sound", NULL, mach, &mach, NULL));
  PetscCall(PetscOptionsBoundedInt("-steps", "Time steps at most", NULL, steps, &steps, NULL, 1));
  PetscCall(PetscOptionsReal("-steady_tol", "Stop when the residual has fallen so far", NULL, steady, &steady, NULL));
  PetscCall(PetscOptionsString("-field", "Write NAME.vts", NULL, field, field, sizeof(field), NULL));
  PetscCall(PetscOptionsString("-summary", "Write counts and times to this file", NULL, summary, summary, sizeof(summary), NULL));
  PetscOptionsEnd();
  PetscCheck(mach > 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "The Mach number must be above 1");
  PetscCall(Create(&ch, mach, &ksp));
  PetscCall(VecDuplicate(ch.state, &change));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Bump in a channel, %" PetscInt_FMT " x %" PetscInt_FMT " cells, Mach %g\n", 3 * ch.n, ch.n,
                        (double)mach));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "    step        cfl  residual  iterations\n"));
  for (step = 0; step < steps; step++) {
    PetscCall(Clock(&clock[0]));
    PetscCall(Assemble(&ch));
    PetscCall(VecNorm(ch.residual, NORM_2, &norm));
    if (!step) first = before = norm;
    if (norm <= steady * first) break;
    if (step) ch.cfl *= PetscMin(PetscMax(before / norm, 0.5), 2);
    before = norm;
    PetscCall(Clock(&clock[1]));
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPSetUpOnBlocks(ksp));
    PetscCall(Clock(&clock[2]));
    PetscCall(KSPSolve(ksp, ch.residual, change));
    PetscCall(Clock(&clock[3]));
    PetscCall(VecAXPY(ch.state, 1, change));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    for (PetscInt k = 0; k < 3; k++) seconds[k] += clock[k + 1] - clock[k];
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%8" PetscInt_FMT " %10.1f %9.1e %11" PetscInt_FMT "\n", step + 1, (double)ch.cfl,
                          (double)(norm / first), its));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, norm <= steady * first ? "  steady\n" : "  not steady yet\n"));
  if (field[0]) PetscCall(WriteField(&ch, field));
  PetscCall(Report(&ch, ksp, step, seconds, summary));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&ch.A));
  PetscCall(VecDestroy(&ch.state));
  PetscCall(VecDestroy(&ch.local));
  PetscCall(VecDestroy(&ch.residual));
  PetscCall(VecDestroy(&change));
  PetscCall(DMDestroy(&ch.dm));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset: # PETSc's own factorizations take the same iterations
    args: -n 8 -dll_append ${SYNCFREE_LIB} -sub_pc_type ilu
    filter: sed "/^steps/,\$d"
    test:
      suffix: 1
      args: -pc_type {{syncfree ilu}}
    test:
      suffix: 2
      nsize: 2
      args: -pc_type {{syncfree bjacobi}}

  test: # by blocks and by rows
    suffix: gpu
    requires: cuda
    args: -n 8 -dll_append ${SYNCFREE_LIB} -dm_mat_type aijcusparse -dm_vec_type cuda -pc_type syncfree
    args: -pc_syncfree_sweep_blocks {{auto no}}
    filter: sed "/^steps/,\$d"
    output_file: output/bump_1.out

TEST*/
