/*
   csr_matrix.h - A square matrix as CSR in host memory.

   Plain C without PETSc.  Functions that can fail return false and leave a sentence in `error`, cut at size - 1 characters.  Nothing is
   printed, and nothing has to be destroyed after a failure.
*/
#ifndef BENCH_CSR_MATRIX_H
#define BENCH_CSR_MATRIX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t  rows, nnz; /* both fit in 32 bits */
  int32_t *row_ptr;   /* [rows + 1] */
  int32_t *col_idx;   /* [nnz], strictly ascending within a row */
  double  *values;    /* [nnz] */
  bool     pattern;   /* the file held no values: its entries were given -1 */
  int64_t  dof;       /* unknowns of a point, in consecutive rows, as the name says; 0: it says nothing */
} CsrMatrix;

typedef struct {
  int32_t row, col;
  double  value;
} CsrEntry;

/* csr_matrix_allocate - Memory for the matrix, not filled. */
bool csr_matrix_allocate(int64_t rows, int64_t nnz, CsrMatrix *A, char *error, size_t size);

void csr_matrix_destroy(CsrMatrix *A);

/* csr_matrix_assemble - From entries in any order, which are sorted in place; values of equal entries are summed.  False: out of memory. */
bool csr_matrix_assemble(int64_t rows, CsrEntry *entries, int64_t count, CsrMatrix *A);

/*
   csr_matrix_make_dominant - Sets each diagonal entry to the larger of its absolute value and 1.05 times the absolute sum of the rest of
   its row plus 1e-3, so that any file, even a pattern or one with zeros on the diagonal, has an ILU(0) worth timing.
*/
bool csr_matrix_make_dominant(CsrMatrix *A, char *error, size_t size);

bool csr_matrix_is_symmetric(const CsrMatrix *A);

/* csr_matrix_fail - Formats the message; a macro, so that a compiler sees that the result is false. */
#define csr_matrix_fail(...) (csr_matrix_message(__VA_ARGS__), false)
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void csr_matrix_message(char *error, size_t size, const char *format, ...);

#endif
