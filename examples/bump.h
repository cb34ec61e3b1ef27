/* bump.h - What the files of the example bump share; bump.c describes the grid and the scheme. */
#ifndef BUMP_H
#define BUMP_H
#include "older_petsc.h"
#include <petscdmda.h>

#define GAMMA 1.4

typedef PetscReal Block[4][4];

typedef struct {
  PetscInt    n; /* cells between floor and ceiling; 3 n along them */
  PetscReal   cfl;
  PetscScalar front[4]; /* the cells' unknowns in front of the channel */
  DM          dm;
  Mat         A;
  Vec         state, local, residual; /* local: with neighbours of other processes */
} Channel;

typedef struct {
  PetscReal u, v, p, h;     /* velocity, pressure, enthalpy */
  PetscReal through, sound; /* speeds through a face times its length */
} Gas;

/* GasAt - The gas of a cell at a face with the normal n, as long as the face is. */
Gas GasAt(const PetscScalar unknowns[4], const PetscReal n[2]);

/* Derivative - Of the flux through a face by the unknowns; times the unknowns it is the flux. */
void Derivative(const Gas *g, const PetscReal n[2], Block A);

/* Face - What passes from here is `own` times the unknowns here plus `other` times those beyond. */
void Face(const PetscScalar here[4], const PetscScalar beyond[4], const PetscReal n[2], Block own, Block other);

/* Wall - The same at a wall, where only the pressure acts. */
void Wall(const Gas *g, const PetscReal n[2], Block own);

/* Place - Where corner (i,j) of the grid is, or a place between corners. */
void Place(const Channel *ch, PetscReal i, PetscReal j, PetscReal p[2]);

/* Clock - Seconds, after the GPU's work. */
PetscErrorCode Clock(PetscLogDouble *now);

/* WriteField - NAME.vts: unknowns at the middles of the cells, for ParaView and bump_plot.py. */
PetscErrorCode WriteField(const Channel *ch, const char name[]);

/* Report - A line with counts and times, printed or, with a name, in a file; seconds: of assembly, set-ups, solves. */
PetscErrorCode Report(const Channel *ch, KSP ksp, PetscInt steps, const PetscLogDouble seconds[3], const char summary[]);

#endif
