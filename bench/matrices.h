/*
   matrices.h - Matrices for the benchmark and the examples, as CSR in host memory: model grids and MatrixMarket files.

   Plain C without PETSc.  Every function that can fail returns false and leaves a sentence in `error`, cut at size - 1
   characters; nothing is printed, and nothing has to be destroyed after a failure.
*/
#ifndef BENCH_MATRICES_H
#define BENCH_MATRICES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t  rows, nnz; /* square; both fit in 32 bits */
  int32_t *row_ptr;   /* [rows + 1] */
  int32_t *col_idx;   /* [nnz], strictly ascending within a row */
  double  *values;    /* [nnz] */
  bool     pattern;   /* the file held no values: its entries were given -1 */
} CsrMatrix;

/*
   csr_matrix_create - A matrix for an incomplete factorization, by name.

   Input:
     spec      - "2d5:NXxNY", "2d9:NXxNY", "3d7:NXxNYxNZ" or "3d27:NXxNYxNZ", each with an optional ",dof=N", for a grid of
                 so many points, a stencil of 5, 9, 7 or 27 points and N densely coupled unknowns per point; or "kron:SCALE,ef=F",
                 with an optional ",seed=S", for the lower triangle of a Graph500 graph, see kronecker.h; else a file's path
     symmetric - grids: diffusion alone instead of diffusion and convection; others: an error if the matrix is not symmetric

   The diagonal of files and graphs is made dominant, see csr_matrix_make_dominant(); grids are dominant as they are.
*/
bool csr_matrix_create(const char *spec, bool symmetric, CsrMatrix *A, char *error, size_t size);

/*
   csr_matrix_read - A MatrixMarket file as it is: coordinate, real, integer or pattern, general, symmetric or skew-symmetric;
   gzipped or not, by content.  Both triangles are stored, zeros in the file are kept, entries given twice are summed.
*/
bool csr_matrix_read(const char *path, CsrMatrix *A, char *error, size_t size);

/*
   csr_matrix_make_dominant - Sets each diagonal entry to the larger of the given one's size and 1.05 times the absolute sum of the
   rest of its row plus 1e-3, so that any file, even a pattern or one with zeros on the diagonal, has an ILU(0) worth timing.
*/
bool csr_matrix_make_dominant(CsrMatrix *A, char *error, size_t size);

typedef struct {
  int32_t row, col;
  double  value;
} CsrEntry;

/* csr_matrix_assemble - From entries in any order, which are sorted on the way; those given twice are summed.  False: out of memory. */
bool csr_matrix_assemble(int64_t rows, CsrEntry *entries, int64_t count, CsrMatrix *A);

/* csr_matrix_name - A name for tables: the spec itself, of a file the last part of its path without .mtx or .mtx.gz. */
void csr_matrix_name(const char *spec, char *name, size_t size);

void csr_matrix_destroy(CsrMatrix *A);

/* csr_matrix_fail - Formats the message and is false, which a compiler does not know of a function elsewhere; shared by the files
   behind this header. */
#define csr_matrix_fail(...) (csr_matrix_message(__VA_ARGS__), false)
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void csr_matrix_message(char *error, size_t size, const char *format, ...);

#endif
