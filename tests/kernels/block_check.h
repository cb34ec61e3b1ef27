/* block_check.h - Matrices with blocks of rows, and the blocks of a factor by their definition on its pattern. */
#ifndef TESTS_BLOCK_CHECK_H
#define TESTS_BLOCK_CHECK_H
#include "check.h"
#include "zoo.h"

typedef enum {
  WHOLE,
  PARTIAL, /* block rows lack the first column of some blocks left of them */
  COUPLED, /* every block is coupled with every other, so that there is one run of equal rows */
  BELOW    /* no row needs those of the last block, which may have fewer */
} BlockShape;

typedef struct {
  const char *name;
  int         rows; /* of a block; 0: 1 to 8 and then again */
  int         size; /* that is given */
  BlockShape  shape;
} BlockKind;

void create_block_matrix(const BlockKind *kind, ZooMatrix *A);

typedef struct { /* a factor on the host, and its blocks */
  int             n, nnz;
  const int32_t  *row_ptr, *col_idx;
  int            *first, *rows; /* [n] first row and rows of each row's block */
  SptrsvValueType type;
  void           *values;
} Factored;

bool has_entry(const Factored *f, int i, int j);
void find_blocks(Factored *f, int size); /* first and rows */
void judge_blocks(const Factored *f, const SptrsvBlocks *found);
/* Entries and levels of one sweep: those of the factor without its blocks */
void judge_form(const Factored *f, SptrsvAnalysis form, SptrsvTriangle triangle);

#endif
