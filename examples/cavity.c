static char help[] = "Lid-driven cavity: incompressible flow in a unit square under a lid of speed 1, until steady state.\n\
Every step solves a convection-diffusion system for the velocity (prefix momentum_; new values on a fixed pattern)\n\
and a Poisson equation for the pressure (prefix pressure_; symmetric positive definite, set up once).\n\
The velocities on the centrelines are compared with those of Ghia, Ghia and Shin (1982) at Re 100, 400 and 1000.\n\
  ./cavity -n 128 -reynolds 400 -momentum_pc_type ilu -pressure_pc_type icc -field cavity\n\
  mpiexec -n 4 ./cavity -n 128 -momentum_sub_pc_type ilu -pressure_sub_pc_type icc\n\n";

/*
  Marker-and-cell grid of n x n cells of side h.  Cell (i,j) holds p in its middle, u in the middle of its left face and v in
  the middle of its lower face:

          +----v[j+1][i]----+            u[j][0] and v[0][i] lie on walls: they are kept as trivial rows (1 u = 0), so that
          |                 |            both components share one n x n DMDA.  u[j][n] and v[n][i] lie on the opposite
       u[j][i]  p[j][i]  u[j][i+1]       walls: they are ghost points of the local vector, zeroed once and never
          |                 |            communicated.  Walls parallel to a component (the lid for u) are half a cell
          +-----v[j][i]-----+            beyond the last unknown: the ghost value is 2 u_wall - u.

  One time step, an incremental projection, whose steady state does not depend on dt:

    u* + dt (div(u^n u*) - nu laplace u*) = u^n - dt grad p^n       momentum, convection linearised about u^n
    -laplace phi = -div u* / dt                                     pressure correction, no flux through walls
    u^{n+1} = u* - dt grad phi,   p^{n+1} = p^n + phi

  Each process has a rectangle of cells, and PETSc's preconditioners of one process, such as ilu, serve as its block of block Jacobi.
  cavity_equations.c holds the grid and the matrices, cavity_ghia.c the comparison, cavity_output.c the field and the report.
*/
#include "cavity.h"
#include <petscdevice.h>

/* Ends a phase after waiting for the GPU, so that the time of each phase includes all its work */
static PetscErrorCode PhaseEnd(void)
{
  PetscFunctionBeginUser;
  if (PetscDeviceInitialized(PETSC_DEVICE_DEFAULT())) { /* false for a CUDA build of PETSc on a machine without a GPU */
    PetscDeviceContext dctx;

    PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
    PetscCall(PetscDeviceContextSynchronize(dctx));
  }
  PetscCall(PetscLogStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves one linear system, with set-up and solve in separate phases */
static PetscErrorCode Solve(Cavity *cav, KSP ksp, Phase setup, Vec b, Vec x)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PetscLogStagePush(cav->stage[setup]));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetUp(pc)); /* for new values KSPSetUp() calls it since PETSc 3.26 */
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(PhaseEnd());
  PetscCall(PetscLogStagePush(cav->stage[setup + 1]));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PhaseEnd());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSolver(const char prefix[], KSPType type, Mat A, PetscReal rtol, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, type)); /* PETSc's default PC: ICC(0) if A is known to be SPD, else ILU(0); per process */
  PetscCall(KSPSetTolerances(*ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetErrorIfNotConverged(*ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const phases[NPHASES] = {"Assembly", "Momentum set-up", "Momentum solve", "Pressure set-up", "Pressure solve"};
  Cavity            cav             = {.n = 64, .reynolds = 400};
  PetscReal         cfl = 8, steady_tol = 1e-4, change = PETSC_MAX_REAL;
  PetscInt          steps = 10000, print_every = 50, step = 0, rows;
  char              field[PETSC_MAX_PATH_LEN - 4] = "", summary[PETSC_MAX_PATH_LEN] = "";
  Vec               velocity, next, b, pressure, phi, divergence;
  KSP               momentum, poisson;
  PetscLogDouble    start, end;
  PetscMPIInt       size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Lid-driven cavity", NULL);
  PetscCall(PetscOptionsBoundedInt("-n", "Cells per side", NULL, cav.n, &cav.n, NULL, 4));
  PetscCall(PetscOptionsReal("-reynolds", "Lid speed x side / viscosity", NULL, cav.reynolds, &cav.reynolds, NULL));
  PetscCall(PetscOptionsReal("-upwind", "Convection: 0 central, 1 upwind, between a blend", NULL, cav.upwind, &cav.upwind, NULL));
  PetscCall(PetscOptionsReal("-cfl", "Time step, in cells passed by the lid", NULL, cfl, &cfl, NULL));
  PetscCall(PetscOptionsReal("-dt", "Time step, instead of -cfl", NULL, cav.dt, &cav.dt, NULL));
  PetscCall(PetscOptionsBoundedInt("-steps", "Time steps at most", NULL, steps, &steps, NULL, 1));
  PetscCall(PetscOptionsReal("-steady_tol", "Stop when no velocity changes faster", NULL, steady_tol, &steady_tol, NULL));
  PetscCall(PetscOptionsBoundedInt("-print_every", "Steps per line of progress", NULL, print_every, &print_every, NULL, 1));
  PetscCall(PetscOptionsBool("-ghia", "Print the velocities at the points of Ghia, Ghia and Shin", NULL, cav.points, &cav.points, NULL));
  PetscCall(PetscOptionsString("-field", "Write NAME.vts and NAME.csv (centrelines)", NULL, field, field, sizeof(field), NULL));
  PetscCall(PetscOptionsString("-summary", "Counts and times: key=value lines", NULL, summary, summary, sizeof(summary), NULL));
  PetscOptionsEnd();
  cav.h = 1.0 / cav.n;
  if (cav.dt == 0) cav.dt = cfl * cav.h;
  PetscCheck(cav.dt > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "The time step must be positive");
  PetscCheck(cav.reynolds > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "The Reynolds number must be positive");

  if (summary[0]) PetscCall(PetscFOpen(PETSC_COMM_WORLD, summary, "w", &cav.summary)); /* before the run, which a wrong name would waste */
  if (field[0]) PetscCall(CheckField(field));
  PetscCall(PetscLogDefaultBegin());
  for (PetscInt k = 0; k < NPHASES; k++) PetscCall(PetscLogStageRegister(phases[k], &cav.stage[k]));
  PetscCall(CreateGrid(&cav, 2, &cav.faces));
  PetscCall(CreateGrid(&cav, 1, &cav.cells));
  PetscCall(DMCreateLocalVector(cav.faces, &cav.faces_l));
  PetscCall(DMCreateLocalVector(cav.cells, &cav.cells_l));
  PetscCall(VecZeroEntries(cav.faces_l)); /* the walls */
  PetscCall(DMCreateGlobalVector(cav.faces, &velocity));
  PetscCall(VecDuplicate(velocity, &next));
  PetscCall(VecDuplicate(velocity, &b));
  PetscCall(DMCreateGlobalVector(cav.cells, &pressure));
  PetscCall(VecDuplicate(pressure, &phi));
  PetscCall(VecDuplicate(pressure, &divergence));
  PetscCall(VecZeroEntries(velocity)); /* the fluid starts at rest */
  PetscCall(VecZeroEntries(pressure));
  PetscCall(VecGetLocalSize(velocity, &rows));
  PetscCall(PetscMalloc1(5 * rows, &cav.coo));
  PetscCall(CreateMatrix(&cav, cav.faces, &cav.momentum));
  PetscCall(CreateMatrix(&cav, cav.cells, &cav.laplace));
  PetscCall(MatSetOption(cav.laplace, MAT_SPD, PETSC_TRUE));
  PetscCall(MatSetOption(cav.laplace, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscCall(CreateSolver("momentum_", KSPBCGS, cav.momentum, 1e-5, &momentum));
  PetscCall(KSPSetInitialGuessNonzero(momentum, PETSC_TRUE));
  PetscCall(KSPConvergedDefaultSetUIRNorm(momentum)); /* relative to the initial residual, which shrinks from step to step */
  PetscCall(CreateSolver("pressure_", KSPCG, cav.laplace, 1e-5, &poisson));

  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Lid-driven cavity, %" PetscInt_FMT " x %" PetscInt_FMT " cells, Re %g, dt %g\n", cav.n,
                        cav.n, (double)cav.reynolds, (double)cav.dt));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscCall(PrintProcesses(&cav));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "    step     time  max |du/dt|  iterations: momentum pressure\n"));
  PetscCall(PetscTime(&start));
  PetscCall(PetscLogStagePush(cav.stage[ASSEMBLY]));
  PetscCall(AssembleLaplace(&cav));
  PetscCall(PhaseEnd());
  while (step < steps && change > steady_tol) {
    PetscInt its_m, its_p;

    PetscCall(PetscLogStagePush(cav.stage[ASSEMBLY]));
    PetscCall(AssembleMomentum(&cav, velocity, pressure, b));
    PetscCall(PhaseEnd());
    PetscCall(VecCopy(velocity, next));
    PetscCall(Solve(&cav, momentum, MOMENTUM_SETUP, b, next));
    PetscCall(Divergence(&cav, next, divergence));
    PetscCall(Solve(&cav, poisson, PRESSURE_SETUP, divergence, phi));
    PetscCall(Project(&cav, phi, next));
    PetscCall(VecAXPY(pressure, 1, phi));
    PetscCall(VecAXPY(velocity, -1, next));
    PetscCall(VecNorm(velocity, NORM_INFINITY, &change));
    change /= cav.dt;
    PetscCall(VecCopy(next, velocity));
    step++;
    if (step % print_every == 0 || step == 1 || change <= steady_tol) {
      PetscCall(KSPGetIterationNumber(momentum, &its_m));
      PetscCall(KSPGetIterationNumber(poisson, &its_p));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%8" PetscInt_FMT " %8.3f %12.3e %21" PetscInt_FMT " %8" PetscInt_FMT "\n", step,
                            (double)(step * cav.dt), (double)change, its_m, its_p));
    }
  }
  PetscCall(PetscTime(&end));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, change <= steady_tol ? "  steady\n" : "  not steady yet\n"));

  if (field[0]) PetscCall(WriteField(&cav, velocity, pressure, field));
  PetscCall(CompareWithGhia(&cav, velocity, field));
  PetscCall(WriteReport(&cav, momentum, poisson, step, end - start));
  if (cav.summary) PetscCall(PetscFClose(PETSC_COMM_WORLD, cav.summary));

  PetscCall(KSPDestroy(&momentum));
  PetscCall(KSPDestroy(&poisson));
  PetscCall(MatDestroy(&cav.momentum));
  PetscCall(MatDestroy(&cav.laplace));
  PetscCall(VecDestroy(&velocity));
  PetscCall(VecDestroy(&next));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&pressure));
  PetscCall(VecDestroy(&phi));
  PetscCall(VecDestroy(&divergence));
  PetscCall(VecDestroy(&cav.faces_l));
  PetscCall(VecDestroy(&cav.cells_l));
  PetscCall(DMDestroy(&cav.faces));
  PetscCall(DMDestroy(&cav.cells));
  PetscCall(PetscFree(cav.coo));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset: # block Jacobi with PETSc's own factorizations takes the same iterations
    args: -n 16 -reynolds 100 -steps 3 -print_every 1 -dll_append ${SYNCFREE_LIB}
    args: -momentum_pc_type {{syncfree bjacobi}} -pressure_pc_type {{syncfree bjacobi}}
    args: -momentum_sub_pc_type ilu -pressure_sub_pc_type icc
    filter: sed "/^$/,\$d"
    test:
      suffix: 1
    test:
      suffix: 2
      nsize: 2
    test:
      suffix: 4
      nsize: 4
    test:
      suffix: 4_rows
      nsize: 4
      args: -da_processors_x 1 -da_processors_y 4

  testset: # the steady state does not depend on the processes: its distance from the published one, to three digits
    args: -n 8 -reynolds 100 -steady_tol 1e-2 -dll_append ${SYNCFREE_LIB} -momentum_pc_type syncfree -pressure_pc_type syncfree
    filter: grep -oE "not steady|steady|[uv] less .+ max 0.0[0-9][0-9]"
    diff_args: -j
    output_file: output/cavity_steady.out
    test:
      suffix: steady
      nsize: {{1 2 3}}
    test:
      suffix: steady_columns
      nsize: 4
      args: -da_processors_x 4 -da_processors_y 1
    test:
      suffix: gpu_steady
      requires: cuda
      nsize: {{1 2}}
      args: -dm_mat_type aijcusparse -dm_vec_type cuda -use_gpu_aware_mpi 0

TEST*/
