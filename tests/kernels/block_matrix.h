/* block_matrix.h - Small matrices of dense blocks, and the ways in which the library takes them. */
#ifndef TESTS_BLOCK_MATRIX_H
#define TESTS_BLOCK_MATRIX_H
#include "check.h"
#include "zoo.h"

enum { N = 14, SIZE = N * SPTRSV_BLOCK_ROWS }; /* blocks in a row, rows at most */

/* A matrix of blocks; entries of `pattern` are numbers of blocks, from 1 on */
typedef struct {
  int             rows;
  bool            upper, points; /* the library gets one triangle; or entries, without zeros */
  SptrsvLocation  location;
  SptrsvValueType type;
  ZooMatrix       pattern;
  double         *values; /* [nnz][rows * rows], column by column */
} Blocks;

/* crossed: pivot blocks have zeros on their diagonals, and large entries on the other one.  symmetric: the matrix is, else not even its
   pattern */
void create_blocks(Blocks *m, int rows, bool symmetric, bool crossed, uint64_t seed);
void destroy_blocks(Blocks *m);

typedef struct {
  int32_t   row_ptr[SIZE + 1], col_idx[SIZE * SIZE];
  SptrsvCsr csr;
  void     *values; /* in the matrix's location */
} Stored;

/* What the library gets: all blocks, those on and above the diagonal, or their entries that are not zero */
void store_blocks(const Blocks *m, Stored *s);

#endif
