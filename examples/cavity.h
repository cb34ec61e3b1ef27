/* cavity.h - What the files of the example cavity share; cavity.c describes the grid and the scheme. */
#ifndef CAVITY_H
#define CAVITY_H
#include "older_petsc.h"
#include <petscdmda.h>

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
  PetscBool     points;             /* print the velocities at Ghia's points */
} Cavity;

/* CreateGrid - n x n points, drawn at the middles of the cells, with dof unknowns each. */
PetscErrorCode CreateGrid(const Cavity *cav, PetscInt dof, DM *dm);

/* CreateMatrix - Fixes the pattern of cav->momentum (dm is cav->faces) or cav->laplace (cav->cells). */
PetscErrorCode CreateMatrix(const Cavity *cav, DM dm, Mat *A);

/*
   AssembleLaplace - Fills cav->laplace: no flux through the walls, so a row sums p - p_neighbour over the neighbours inside.  As
   the level of p is free, a little compressibility, 1e-4 h^2 p, makes the matrix positive definite; the steady state, where
   phi = 0, does not feel it.  (To fix p in one cell instead costs CG half as many iterations again.)
*/
PetscErrorCode AssembleLaplace(Cavity *cav);

/* AssembleMomentum - Fills cav->momentum: I + dt (div(w .) - nu laplace) about the velocity w; rhs = w - dt grad p + lid. */
PetscErrorCode AssembleMomentum(Cavity *cav, Vec velocity, Vec pressure, Vec rhs);

/* Divergence - rhs = -h^2 div(velocity) / dt, for the matrix -h^2 laplace. */
PetscErrorCode Divergence(Cavity *cav, Vec velocity, Vec rhs);

/* Project - velocity -= dt grad(phi). */
PetscErrorCode Project(Cavity *cav, Vec phi, Vec velocity);

/* CompareWithGhia - Prints the velocities on the centrelines beside the published ones; both go to NAME.csv if name is not "". */
PetscErrorCode CompareWithGhia(const Cavity *cav, Vec velocity, const char name[]);

/* CheckField - Fails at once if NAME.csv cannot be written. */
PetscErrorCode CheckField(const char name[]);

/* WriteField - NAME.vts: velocity and pressure at the middles of the cells, for ParaView and cavity_plot.py. */
PetscErrorCode WriteField(Cavity *cav, Vec velocity, Vec pressure, const char name[]);

/* PrintProcesses - How many there are along x and y. */
PetscErrorCode PrintProcesses(const Cavity *cav);

/* WriteReport - Prints what the run and its solvers cost, and adds it to cav->summary; overwrites the solvers' solutions. */
PetscErrorCode WriteReport(const Cavity *cav, KSP momentum, KSP poisson, PetscInt steps, PetscLogDouble total_s);

#endif
