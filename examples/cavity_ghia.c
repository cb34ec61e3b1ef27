/* cavity_ghia.c - Compares the velocities on the centrelines of cavity.c with those published by Ghia, Ghia and Shin. */
#include "cavity.h"

/* Tables I and II of Ghia, Ghia and Shin, J. Comput. Phys. 48 (1982) 387-411, at the points k/128 of their 129 x 129 grid.
   v(0.9063) at Re 400 does not fit its neighbours and must be a misprint; this program converges to -0.3898 there.  u(0.0703)
   at Re 100 may be a misprint too (this program: -0.0466).  The tables' other errors are up to 0.009 at Re 100 and 0.018 at
   Re 1000, larger than this program's errors at n = 128.  (At the centre, for Re 1000, the tables have -0.0608 and 0.0253.
   Extrapolation from n = 64 and 128 gives -0.0620 and 0.0258, as does the spectral solution of Botella and Peyret, Comput.
   Fluids 27 (1998) 421-433.) */
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

/* Value at x of the cubic through the four points around x */
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

/* u on x = 1/2 (c = U) or v on y = 1/2 (c = V): f[n + 2] at s[n + 2], on the two walls and at the middles of the cells */
static PetscErrorCode SampleCentreline(const Cavity *cav, Vec velocity, Component c, PetscReal s[], PetscReal f[])
{
  const PetscInt       n = cav->n;
  const PetscScalar ***w;
  PetscInt             xs, ys, xm, ym;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < n + 2; k++) {
    s[k] = PetscClipInterval((k - 0.5) * cav->h, 0, 1);
    f[k] = 0;
  }
  PetscCall(DMDAVecGetArrayDOFRead(cav->faces, velocity, (void *)&w));
  PetscCall(DMDAGetCorners(cav->faces, &xs, &ys, NULL, &xm, &ym, NULL));
  for (PetscInt j = ys; j < ys + ym; j++) {
    for (PetscInt i = xs; i < xs + xm; i++) {
      const PetscInt across = c == U ? i : j, along = c == U ? j : i;

      /* the face on the line if n is even, else the mean of the faces on both sides */
      if (across == n / 2) f[along + 1] += PetscRealPart(w[j][i][c]) / 2;
      if (across == (n + 1) / 2) f[along + 1] += PetscRealPart(w[j][i][c]) / 2;
    }
  }
  PetscCall(DMDAVecRestoreArrayDOFRead(cav->faces, velocity, (void *)&w));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, f, n + 2, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  if (c == U) f[n + 1] = 1; /* the lid */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints one component beside Ghia's, and adds both to the profile file if there is one */
static PetscErrorCode CompareCentreline(const Cavity *cav, Vec velocity, Component c, FILE *profile)
{
  const MPI_Comm   comm = PETSC_COMM_WORLD;
  const char       name = c == U ? 'u' : 'v';
  const PetscInt   n    = cav->n;
  const PetscReal *ghia = NULL;
  PetscInt         compared = 0;
  PetscReal       *s, *f, max = 0, sum2 = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(n + 2, &s, n + 2, &f));
  PetscCall(SampleCentreline(cav, velocity, c, s, f));
  if (profile) {
    for (PetscInt k = 0; k < n + 2; k++) {
      PetscCall(PetscFPrintf(comm, profile, "%c,%.6f,%.6f\n", name, (double)s[k], (double)f[k]));
    }
  }

  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(Ghia); t++) {
    if (Ghia[t].reynolds == cav->reynolds) ghia = Ghia[t].velocity[c];
  }
  if (cav->points) PetscCall(PetscPrintf(comm, "\n        %c        %c%s\n", c == U ? 'y' : 'x', name, ghia ? "     Ghia     diff" : ""));
  for (PetscInt k = 0; k < GHIA_POINTS; k++) {
    const PetscBool misprint = (PetscBool)(c == V && cav->reynolds == 400 && k == GHIA_MISPRINT);
    const PetscReal at       = GhiaAt[c][k] / 128.0, here = Interpolate(n + 2, s, f, at), diff = ghia ? here - ghia[k] : 0;

    if (cav->points) {
      PetscCall(PetscPrintf(comm, "  %7.5f %8.5f", (double)at, (double)here));
      if (ghia) PetscCall(PetscPrintf(comm, " %8.5f %8.5f", (double)ghia[k], (double)diff));
      PetscCall(PetscPrintf(comm, misprint ? "  misprint, not counted\n" : "\n"));
    }
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

PetscErrorCode CompareWithGhia(const Cavity *cav, Vec velocity, const char name[])
{
  FILE *profile = NULL;
  char  path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  if (name[0]) {
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s.csv", name));
    PetscCall(PetscFOpen(PETSC_COMM_WORLD, path, "w", &profile));
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, profile, "# Re %g; curve,position,velocity\n", (double)cav->reynolds));
  }
  PetscCall(CompareCentreline(cav, velocity, U, profile));
  PetscCall(CompareCentreline(cav, velocity, V, profile));
  if (profile) PetscCall(PetscFClose(PETSC_COMM_WORLD, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}
