static char help[] = "Lid-driven cavity: incompressible flow in a unit square under a lid of speed 1, up to steady state.\n\
Every step solves a convection-diffusion system for the velocity (prefix momentum_; new values on a fixed pattern)\n\
and a Poisson equation for the pressure (prefix pressure_; symmetric positive definite, set up once).\n\
The velocities on the centrelines are printed beside those of Ghia, Ghia and Shin (1982) at Re 100, 400 and 1000.\n\
  ./cavity -n 128 -reynolds 400 -momentum_pc_type ilu -pressure_pc_type icc -field cavity\n\n";

/*
  Marker-and-cell grid of n x n cells of side h.  Cell (i,j) holds p in its middle, u in the middle of its left face and v in
  the middle of its lower face:

          +----v[j+1][i]----+            u[j][0] and v[0][i] lie on walls: they are kept as trivial rows (1 u = 0), so that
          |                 |            both components share one n x n DMDA.  u[j][n] and v[n][i] lie on the opposite
       u[j][i]  p[j][i]  u[j][i+1]       walls: they are ghost points of the local vector, zeroed once, which no
          |                 |            communication touches.  The walls that a component runs along (the lid for u) are
          +-----v[j][i]-----+            half a cell beyond the first unknown: the ghost value is 2 u_wall - u.

  One time step, an incremental projection, whose steady state does not depend on dt:

    u* + dt (div(u^n u*) - nu laplace u*) = u^n - dt grad p^n       momentum, convection linearised about u^n
    -laplace phi = -div u* / dt                                     pressure correction, no flux through walls
    u^{n+1} = u* - dt grad phi,   p^{n+1} = p^n + phi
*/
#include <petscdevice.h>
#include <petscdmda.h>
#include <petscksp.h>

typedef enum { /* where they live: on the left faces of cells, on the lower faces, in the middle */
  U,
  V,
  P
} Component;

typedef enum { /* of the run, each timed as a log stage; a solve follows its set-up */
  ASSEMBLY,
  MOMENTUM_SETUP,
  MOMENTUM_SOLVE,
  PRESSURE_SETUP,
  PRESSURE_SOLVE,
  NPHASES
} Phase;

typedef struct {
  PetscInt      n;                  /* cells per side */
  PetscReal     reynolds, h, dt;    /* h: side of a cell */
  PetscReal     upwind;             /* share of upwind in the convection: 0 is central (second order), 1 is upwind */
  DM            faces, cells;       /* velocity, 2 unknowns per point; pressure, 1 */
  Vec           faces_l, cells_l;   /* local vectors with ghost points */
  Mat           momentum, laplace;  /* I + dt (convection - diffusion); -h^2 laplace */
  PetscScalar  *coo;                /* values of the matrix being assembled, 5 per row */
  PetscLogStage stage[NPHASES];
  FILE         *summary;            /* key=value lines, or NULL */
} Cavity;

/* The five-point star: centre, west, east, south, north */
static const PetscInt DI[5] = {0, -1, 1, 0, 0}, DJ[5] = {0, 0, 0, -1, 1};

/* Tables I and II of Ghia, Ghia and Shin, J. Comput. Phys. 48 (1982) 387-411, at the points k/128 of their 129 x 129 grid.
   v(0.9063) at Re 400 is out of line with its neighbours, a misprint: this program converges to -0.3898 there.  So may be
   u(0.0703) at Re 100 (-0.0466).  Elsewhere the tables are up to 0.009 off at Re 100 and 0.018 at Re 1000, more than this
   program is at n = 128.  (At the centre, for Re 1000, they have -0.0608 and 0.0253; n = 64 and 128 extrapolated give -0.0620
   and 0.0258, as does the spectral solution of Botella and Peyret, Comput. Fluids 27 (1998) 421-433.) */
#define GHIA_POINTS   15
#define GHIA_MISPRINT 10 /* index of that v */
static const PetscInt GhiaAt[2][GHIA_POINTS] = {
  {7, 8, 9, 13, 22, 36, 58, 64, 79, 94, 109, 122, 123, 124, 125},   /* y of u on the line x = 1/2 */
  {8, 9, 10, 12, 20, 29, 30, 64, 103, 110, 116, 121, 122, 123, 124} /* x of v on the line y = 1/2 */
};
static const struct {
  PetscReal reynolds, velocity[2][GHIA_POINTS];
} Ghia[] = {
  {100,
   {
    {-0.03717, -0.04192, -0.04775, -0.06434, -0.10150, -0.15662, -0.21090, -0.20581, -0.13641, 0.00332, 0.23151, 0.68717,
     0.73722, 0.78871, 0.84123},
    {0.09233, 0.10091, 0.10890, 0.12317, 0.16077, 0.17507, 0.17527, 0.05454, -0.24533, -0.22445, -0.16914, -0.10313, -0.08864,
     -0.07391, -0.05906}
   }},
  {400,
   {
    {-0.08186, -0.09266, -0.10338, -0.14612, -0.24299, -0.32726, -0.17119, -0.11477, 0.02135, 0.16256, 0.29093, 0.55892,
     0.61756, 0.68439, 0.75837},
    {0.18360, 0.19713, 0.20920, 0.22965, 0.28124, 0.30203, 0.30174, 0.05186, -0.38598, -0.44993, -0.23827, -0.22847, -0.19254,
     -0.15663, -0.12146}
   }},
  {1000,
   {
    {-0.18109, -0.20196, -0.22220, -0.29730, -0.38289, -0.27805, -0.10648, -0.06080, 0.05702, 0.18719, 0.33304, 0.46604,
     0.51117, 0.57492, 0.65928},
    {0.27485, 0.29012, 0.30353, 0.32627, 0.37095, 0.33075, 0.32235, 0.02526, -0.31966, -0.42665, -0.51550, -0.39188, -0.33714,
     -0.27669, -0.21388}
   }}
};

/* A GPU works behind the host's back: wait for it, so that each phase pays for its own work */
static PetscErrorCode PhaseEnd(void)
{
  PetscFunctionBeginUser;
  if (PetscDeviceInitialized(PETSC_DEVICE_DEFAULT())) { /* a CUDA build of PETSc on a machine without a GPU has none */
    PetscDeviceContext dctx;

    PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
    PetscCall(PetscDeviceContextSynchronize(dctx));
  }
  PetscCall(PetscLogStagePop());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool IsUnknown(const Cavity *cav, Component c, PetscInt i, PetscInt j)
{
  return (PetscBool)(i >= (c == U) && i < cav->n && j >= (c == V) && j < cav->n);
}

/* An n x n grid with dof unknowns per cell; its points are drawn at the middles of the cells */
static PetscErrorCode CreateGrid(const Cavity *cav, PetscInt dof, DM *dm)
{
  const PetscReal a = cav->h / 2, b = 1 - cav->h / 2;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED, DMDA_STENCIL_BOX, cav->n, cav->n,
                         PETSC_DECIDE, PETSC_DECIDE, dof, 1, NULL, NULL, dm));
  PetscCall(DMSetFromOptions(*dm));
  PetscCall(DMSetUp(*dm));
  PetscCall(DMSetMatrixPreallocateSkip(*dm, PETSC_TRUE)); /* CreateMatrix() gives the pattern */
  PetscCall(DMDASetUniformCoordinates(*dm, a, b, a, b, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern, fixed once: five entries per row in the order of DI and DJ; those that do not exist are -1, which PETSc skips */
static PetscErrorCode CreateMatrix(const Cavity *cav, DM dm, Mat *A)
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

/* -h^2 laplace p with no flux through the walls: the sum of p - p_neighbour over the neighbours inside.  As the level of p is
   free, a little compressibility, 1e-4 h^2 p, makes the matrix positive definite; the steady state, where phi = 0, does not feel
   it.  (To fix p in one cell instead costs CG half as many iterations again.) */
static PetscErrorCode AssembleLaplace(Cavity *cav)
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

/* I + dt (div(w .) - nu laplace) for both components about the velocity w, and the right-hand side w - dt grad p */
static PetscErrorCode AssembleMomentum(Cavity *cav, Vec velocity, Vec pressure, Vec rhs)
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
          const PetscBool   along = (PetscBool)(c == U ? DJ[d] != 0 : DI[d] != 0); /* a wall on that side runs along c */

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

/* rhs = -h^2 div(velocity) / dt, for the matrix -h^2 laplace */
static PetscErrorCode Divergence(Cavity *cav, Vec velocity, Vec rhs)
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

/* velocity -= dt grad(phi) */
static PetscErrorCode Project(Cavity *cav, Vec phi, Vec velocity)
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

/* One linear system: set-up and solve in their own phases */
static PetscErrorCode Solve(Cavity *cav, KSP ksp, Phase setup, Vec b, Vec x)
{
  PetscFunctionBeginUser;
  PetscCall(PetscLogStagePush(cav->stage[setup]));
  PetscCall(KSPSetUp(ksp));
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
  PetscCall(KSPSetType(*ksp, type)); /* and PETSc's default PC: ICC(0) if the matrix is known SPD, else ILU(0); per process */
  PetscCall(KSPSetTolerances(*ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetErrorIfNotConverged(*ksp, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cubic through the four points around x */
static PetscReal Interpolate(PetscInt n, const PetscReal s[], const PetscReal f[], PetscReal x)
{
  PetscInt  k   = 0;
  PetscReal sum = 0;

  while (k + 4 < n && s[k + 2] < x) k++;
  for (PetscInt a = k; a < k + 4; a++) {
    PetscReal t = f[a];

    for (PetscInt b = k; b < k + 4; b++) t *= a == b ? 1 : (x - s[b]) / (s[a] - s[b]);
    sum += t;
  }
  return sum;
}

/* Prints u on x = 1/2 (c = U) or v on y = 1/2 (c = V) beside Ghia's, and adds it to the profile file if there is one */
static PetscErrorCode CompareCentreline(const Cavity *cav, Vec velocity, Component c, FILE *profile)
{
  const MPI_Comm       comm = PETSC_COMM_WORLD;
  const char           name = c == U ? 'u' : 'v';
  const PetscInt       n    = cav->n;
  const PetscReal     *ghia = NULL;
  const PetscScalar ***w;
  PetscInt             xs, ys, xm, ym, compared = 0;
  PetscReal           *s, *f, max = 0, sum2 = 0; /* the line: f at s, on the two walls and at the middles of the cells */

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc2(n + 2, &s, n + 2, &f));
  for (PetscInt k = 0; k < n + 2; k++) s[k] = PetscClipInterval((k - 0.5) * cav->h, 0, 1);
  PetscCall(DMDAVecGetArrayDOFRead(cav->faces, velocity, (void *)&w));
  PetscCall(DMDAGetCorners(cav->faces, &xs, &ys, NULL, &xm, &ym, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      const PetscInt across = c == U ? i : j, along = c == U ? j : i;

      /* the face on the line if n is even, else the mean of those on either side */
      if (across == n / 2) f[along + 1] += PetscRealPart(w[j][i][c]) / 2;
      if (across == (n + 1) / 2) f[along + 1] += PetscRealPart(w[j][i][c]) / 2;
    }
  }
  PetscCall(DMDAVecRestoreArrayDOFRead(cav->faces, velocity, (void *)&w));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, f, n + 2, MPIU_REAL, MPIU_SUM, comm));
  if (c == U) f[n + 1] = 1; /* the lid */
  if (profile) {
    for (PetscInt k = 0; k < n + 2; k++) {
      PetscCall(PetscFPrintf(comm, profile, "%c,%.6f,%.6f\n", name, (double)s[k], (double)f[k]));
    }
  }

  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(Ghia); t++) {
    if (Ghia[t].reynolds == cav->reynolds) ghia = Ghia[t].velocity[c];
  }
  PetscCall(PetscPrintf(comm, "\n        %c        %c%s\n", c == U ? 'y' : 'x', name, ghia ? "     Ghia     diff" : ""));
  for (PetscInt k = 0; k < GHIA_POINTS; k++) {
    const PetscBool misprint = (PetscBool)(c == V && cav->reynolds == 400 && k == GHIA_MISPRINT);
    const PetscReal at       = GhiaAt[c][k] / 128.0, here = Interpolate(n + 2, s, f, at), diff = ghia ? here - ghia[k] : 0;

    PetscCall(PetscPrintf(comm, "  %7.5f %8.5f", (double)at, (double)here));
    if (ghia) PetscCall(PetscPrintf(comm, " %8.5f %8.5f", (double)ghia[k], (double)diff));
    PetscCall(PetscPrintf(comm, misprint ? "  misprint, not counted\n" : "\n"));
    if (ghia && profile) {
      const char *curve = misprint ? "misprint" : "ghia";

      PetscCall(PetscFPrintf(comm, profile, "%s_%c,%.6f,%.6f\n", curve, name, (double)at, (double)ghia[k]));
    }
    if (misprint) continue;
    max = PetscMax(max, PetscAbsReal(diff));
    sum2 += PetscSqr(diff);
    compared++;
  }
  PetscCall(PetscFree2(s, f));
  if (ghia) {
    const double rms = (double)PetscSqrtReal(sum2 / compared);

    PetscCall(PetscPrintf(comm, "  %c less Ghia, Ghia and Shin's: max %.5f, rms %.5f\n", name, (double)max, rms));
    if (cav->summary) PetscCall(PetscFPrintf(comm, cav->summary, "%c_max=%.5f\n%c_rms=%.5f\n", name, (double)max, name, rms));
  } else PetscCall(PetscPrintf(comm, "  Ghia, Ghia and Shin give no %c for this Reynolds number\n", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Velocity and pressure at the middles of the cells, for ParaView and cavity_plot.py */
static PetscErrorCode WriteField(Cavity *cav, Vec velocity, Vec pressure, const char file[])
{
  DM                   points;
  Vec                  out;
  PetscViewer          viewer;
  const PetscScalar ***w;
  PetscScalar       ***o, level;
  PetscInt             xs, ys, xm, ym;

  PetscFunctionBeginUser;
  PetscCall(VecMean(pressure, &level));
  PetscCall(VecShift(pressure, -level)); /* it is free: rounding moves it */
  PetscCall(CreateGrid(cav, 3, &points)); /* three components, as VTK wants vectors */
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
  PetscCall(PetscViewerVTKOpen(PETSC_COMM_WORLD, file, FILE_MODE_WRITE, &viewer));
  PetscCall(VecView(out, viewer));
  PetscCall(VecView(pressure, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&out));
  PetscCall(DMDestroy(&points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line of the report; the same as key=value in the summary file */
static PetscErrorCode Report(const Cavity *cav, const char what[], const char item[], double value)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %-9s %-14s %12.6g\n", what, item, value));
  if (cav->summary) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, cav->summary, "%s_%s=%.9g\n", what, item, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What one solver cost; its set-up and solve seconds are taken off the time that is left for "other" */
static PetscErrorCode ReportSolver(const Cavity *cav, const char name[], KSP ksp, Phase setup, PetscLogDouble *other)
{
  const PetscInt     repeat = 100;
  PC                 pc;
  Vec                b, x;
  KSPType            ksptype;
  PCType             pctype;
  PetscInt           its;
  PetscReal          norm;
  PetscLogEvent      apply;
  PetscEventPerfInfo applied, setting_up, solving;
  PetscLogDouble     t0, t1;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetType(ksp, &ksptype));
  PetscCall(PCGetType(pc, &pctype));
  PetscCall(KSPGetTotalIterations(ksp, &its));
  PetscCall(PetscLogEventGetId("PCApply", &apply));
  PetscCall(PetscLogEventGetPerfInfo(cav->stage[setup + 1], apply, &applied));
  PetscCall(PetscLogStageGetPerfInfo(cav->stage[setup], &setting_up));
  PetscCall(PetscLogStageGetPerfInfo(cav->stage[setup + 1], &solving));
  /* timed in a row, for on a GPU the event sees no more than the launches; the norm waits for the result */
  PetscCall(KSPGetRhs(ksp, &b));
  PetscCall(KSPGetSolution(ksp, &x));
  PetscCall(PetscTime(&t0));
  for (PetscInt k = 0; k < repeat; k++) PetscCall(PCApply(pc, b, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(PetscTime(&t1));
  *other -= setting_up.time + solving.time;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %s by %s with %s\n", name, ksptype, pctype));
  if (cav->summary) PetscCall(PetscFPrintf(PETSC_COMM_WORLD, cav->summary, "%s_ksp=%s\n%s_pc=%s\n", name, ksptype, name, pctype));
  PetscCall(Report(cav, name, "setup_s", setting_up.time));
  PetscCall(Report(cav, name, "solve_s", solving.time));
  PetscCall(Report(cav, name, "iterations", (double)its));
  PetscCall(Report(cav, name, "applies", applied.count));
  PetscCall(Report(cav, name, "apply_us", 1e6 * (t1 - t0) / repeat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const  phases[NPHASES] = {"Assembly", "Momentum set-up", "Momentum solve", "Pressure set-up", "Pressure solve"};
  Cavity             cav             = {.n = 64, .reynolds = 400};
  PetscReal          cfl = 8, steady_tol = 1e-4, change = PETSC_MAX_REAL;
  PetscInt           steps = 10000, print_every = 50, step = 0, rows;
  char               field[PETSC_MAX_PATH_LEN - 4] = "", path[PETSC_MAX_PATH_LEN], summary[PETSC_MAX_PATH_LEN] = "";
  Vec                velocity, next, b, pressure, phi, divergence;
  KSP                momentum, poisson;
  PetscLogDouble     start, end, other;
  PetscEventPerfInfo assembly;
  FILE              *profile = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Lid-driven cavity", NULL);
  PetscCall(PetscOptionsBoundedInt("-n", "Cells per side", NULL, cav.n, &cav.n, NULL, 4));
  PetscCall(PetscOptionsReal("-reynolds", "Lid speed x side / viscosity", NULL, cav.reynolds, &cav.reynolds, NULL));
  PetscCall(PetscOptionsReal("-upwind", "Convection: 0 central, 1 upwind, between a blend", NULL, cav.upwind, &cav.upwind, NULL));
  PetscCall(PetscOptionsReal("-cfl", "Time step, in cells that the lid passes", NULL, cfl, &cfl, NULL));
  PetscCall(PetscOptionsReal("-dt", "Time step, instead of -cfl", NULL, cav.dt, &cav.dt, NULL));
  PetscCall(PetscOptionsBoundedInt("-steps", "Time steps at most", NULL, steps, &steps, NULL, 1));
  PetscCall(PetscOptionsReal("-steady_tol", "Stop when no velocity changes faster", NULL, steady_tol, &steady_tol, NULL));
  PetscCall(PetscOptionsBoundedInt("-print_every", "Steps per line of progress", NULL, print_every, &print_every, NULL, 1));
  PetscCall(PetscOptionsString("-field", "Write NAME.vts and NAME.csv (centrelines)", NULL, field, field, sizeof(field), NULL));
  PetscCall(PetscOptionsString("-summary", "Counts and times: key=value lines", NULL, summary, summary, sizeof(summary), NULL));
  PetscOptionsEnd();
  cav.h = 1.0 / cav.n;
  if (cav.dt == 0) cav.dt = cfl * cav.h;
  PetscCheck(cav.dt > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "The time step must be positive");
  PetscCheck(cav.reynolds > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "The Reynolds number must be positive");

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
  PetscCall(KSPConvergedDefaultSetUIRNorm(momentum)); /* the change of a step shrinks: reduce the residual it starts with */
  PetscCall(CreateSolver("pressure_", KSPCG, cav.laplace, 1e-5, &poisson));

  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Lid-driven cavity, %" PetscInt_FMT " x %" PetscInt_FMT " cells, Re %g, dt %g\n", cav.n,
                        cav.n, (double)cav.reynolds, (double)cav.dt));
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
  other = end - start;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, change <= steady_tol ? "  steady\n" : "  not steady yet\n"));

  if (summary[0]) PetscCall(PetscFOpen(PETSC_COMM_WORLD, summary, "w", &cav.summary));
  if (field[0]) {
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s.vts", field));
    PetscCall(WriteField(&cav, velocity, pressure, path));
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s.csv", field));
    PetscCall(PetscFOpen(PETSC_COMM_WORLD, path, "w", &profile));
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, profile, "# Re %g; curve,position,velocity\n", (double)cav.reynolds));
  }
  PetscCall(CompareCentreline(&cav, velocity, U, profile));
  PetscCall(CompareCentreline(&cav, velocity, V, profile));
  if (profile) PetscCall(PetscFClose(PETSC_COMM_WORLD, profile));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscCall(ReportSolver(&cav, "momentum", momentum, MOMENTUM_SETUP, &other));
  PetscCall(ReportSolver(&cav, "pressure", poisson, PRESSURE_SETUP, &other));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  the whole run\n"));
  PetscCall(PetscLogStageGetPerfInfo(cav.stage[ASSEMBLY], &assembly));
  PetscCall(Report(&cav, "run", "n", (double)cav.n));
  PetscCall(Report(&cav, "run", "reynolds", (double)cav.reynolds));
  PetscCall(Report(&cav, "run", "steps", (double)step));
  PetscCall(Report(&cav, "run", "assembly_s", assembly.time));
  PetscCall(Report(&cav, "run", "other_s", other - assembly.time));
  PetscCall(Report(&cav, "run", "total_s", end - start));
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
