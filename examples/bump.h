/* bump.h - What passes a face of the example bump, whose unknowns are those of cells. */
#ifndef BUMP_H
#define BUMP_H
#include "older_petsc.h"

#define GAMMA 1.4

typedef PetscReal Block[4][4];

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

#endif
