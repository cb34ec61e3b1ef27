/*
   grid.h - Model matrices on a grid, dominant as they are.

   "2d5:NXxNY", "2d9:NXxNY", "3d7:NXxNYxNZ" or "3d27:NXxNYxNZ": a stencil of 5, 9, 7 or 27 points; with ",dof=N" there are N densely
   coupled unknowns at each point.
*/
#ifndef BENCH_GRID_H
#define BENCH_GRID_H
#include "csr_matrix.h"

/* is_grid - Whether the spec begins as the name of a grid. */
bool is_grid(const char *spec);

/* grid_create - symmetric: diffusion alone; else diffusion and convection. */
bool grid_create(const char *spec, bool symmetric, CsrMatrix *A, char *error, size_t size);

#endif
