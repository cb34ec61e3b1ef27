/* The rows of a sweep on the host, in an order of execution. */
#ifndef SPTRSV_HOST_ROWS_H
#define SPTRSV_HOST_ROWS_H
#include "windows.h"

/* Belongs to a plan.  Sums are formed in the order of `host`, so all orders of execution give the same bits. */
typedef struct {
  SptrsvRows      rows;
  int             nnz, block; /* block: rows of x and b for each row; entries are blocks of as many rows */
  SptrsvValueType type;
  int            *row_ptr;    /* [n + 1] rows in the order of execution */
  int            *col_idx;    /* [nnz] positions in x, of blocks of their first rows */
  int            *from, *to;  /* [n] such positions in b and x, the same array if equal; NULL: rows as they are, without permutations */
  int            *start;      /* [n] first entry of each row in the pattern; with `source`: in the transpose */
  int             stride;     /* -1: an upper row is taken from its last entry to its first: the nearest rows are known last */
  int            *diagonal;   /* [n] position of the diagonal in the pattern; NULL: it is one */
  bool            inverted;   /* the diagonal is given as reciprocals */
  const int      *source;     /* the analysis's, of a transpose; NULL: as they are */
  void           *values;     /* [nnz][block * block], blocks column by column */
  void           *reciprocal; /* [n] of the diagonal; NULL: it is one */
  const void     *given;      /* the caller's values, which the next solve packs into these two; NULL: they are packed */
  const void     *b;          /* of the solve under way */
  void           *x;
} SptrsvHostRows;

/* Finds the rows of the plan's sweep, from which an order can be made */
SptrsvStatus sptrsvHostRowsFind(SptrsvPlan plan, SptrsvHostRows *h);

/* Puts them into this order.  natural: it is that of the sweep */
SptrsvStatus sptrsvHostRowsOrder(SptrsvPlan plan, const int *order, bool natural, SptrsvHostRows *h);

/* Solves rows begin to end of the order, of b for x, and packs their values if they are given.  After the last ones of a solve the caller
   sets `given` to NULL. */
void sptrsvHostRowsSolve(SptrsvHostRows *h, int begin, int end);

/* x = U^-T x for the rows of blocks of an upper sweep as they are, which have no order of their own and unit blocks on the diagonal; packs
   their values if they are given */
void sptrsvHostRowsScatter(SptrsvHostRows *upper, void *x);

/* Makes a copy that belongs to the plan, of a permutation that may be NULL */
SptrsvStatus sptrsvHostPermutation(SptrsvPlan plan, const int32_t *perm, int **copy);

#endif
