/* matrices.h - Matrices for the benchmark and the tests, by name: grids, graphs and files. */
#ifndef BENCH_MATRICES_H
#define BENCH_MATRICES_H
#include "csr_matrix.h"

/*
   matrix_create - A matrix for an incomplete factorization.

   Input:
     spec      - a grid (grid.h), the lower triangle of a Graph500 graph (kronecker.h), or the path of a MatrixMarket file, perhaps with
                 ,dof=N: so many rows belong to a point
     symmetric - grids: diffusion alone instead of diffusion and convection; others: an error if the matrix is not symmetric

   The diagonal of files and graphs is made dominant.
*/
bool matrix_create(const char *spec, bool symmetric, CsrMatrix *A, char *error, size_t size);

/* matrix_name - A name for tables: the spec; of a file the last part of its path, without .mtx or .mtx.gz in front of ,dof=N. */
void matrix_name(const char *spec, char *name, size_t size);

#endif
