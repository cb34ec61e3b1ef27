/* The rows of a sweep on the host, in an order of execution. */
#pragma once
#include "windows.h"

enum { SPTRSV_AHEAD = 512 }; /* values between the one that is multiplied and the one that is fetched, of rows in groups or blocks */

/* Belongs to a plan.  Sums are formed in the order of `host`, so all orders of execution give the same bits. */
typedef struct {
  SptrsvRows          rows, units;  /* units: what an order is of, rows or groups of them */
  const SptrsvGroups *groups;       /* of equal patterns, the analysis's; NULL: each row is a unit */
  int                 nnz, columns; /* entries of rows; columns of units */
  int                 block;        /* rows of x and b for each row; entries are blocks of as many rows */
  SptrsvValueType     type;
  int                *row_ptr;        /* [units.n + 1] columns of each unit in the order of execution */
  int                *col_idx;        /* [columns] positions in x, of blocks of their first rows; of a group its first row's */
  int                *first, *packed; /* [units.n + 1] of groups, first row in that order and first value; NULL: there are none */
  int                *from, *to;      /* [n] positions in b and x, the same array if equal; NULL: rows as they are, without permutations */
  int                *start;          /* [n] first entry of each row in the pattern; with `source`: in the transpose */
  int                 stride;         /* -1: an upper row is taken from its last entry to its first: the nearest rows are known last */
  int                *diagonal;       /* [n] position of the diagonal in the pattern; NULL: it is one */
  bool                inverted;       /* the diagonal is given as reciprocals */
  const int          *source;         /* the analysis's, of a transpose; NULL: as they are */
  void               *values;         /* [nnz][block * block], blocks column by column, and one more; of groups: host_groups.inc */
  void               *reciprocal;     /* [n] of the diagonal; NULL: it is one */
  const void         *given;          /* the caller's values, which the next solve packs into these two; NULL: they are packed */
  const void         *b;              /* of the solve under way */
  void               *x;
} SptrsvHostRows;

/* Finds the rows of the plan's sweep, from which an order can be made */
SptrsvStatus sptrsvHostRowsFind(SptrsvPlan plan, SptrsvHostRows *h);

/* Makes groups of them the units, where that is asked for and worth it: rows of a group are solved together */
SptrsvStatus sptrsvHostRowsGroup(SptrsvPlan plan, SptrsvHostRows *h);

/* Puts the units into this order.  natural: it is that of the sweep */
SptrsvStatus sptrsvHostRowsOrder(SptrsvPlan plan, const int *order, bool natural, SptrsvHostRows *h);

/* Solves units begin to end of the order, of b for x, and packs their values if they are given.  After the last ones of a solve the caller
   sets `given` to NULL. */
void sptrsvHostRowsSolve(SptrsvHostRows *h, int begin, int end);

/* Solves all rows of a lower sweep, of b for x, by those of an upper one, which have no order of their own and, of blocks, unit blocks on
   the diagonal: L = U^T, of single rows with those of L divided by U's diagonal.  Packs the upper sweep's values if they are given */
void sptrsvHostRowsScatter(const SptrsvHostRows *lower, SptrsvHostRows *upper);

/* Makes a copy that belongs to the plan, of a permutation that may be NULL */
SptrsvStatus sptrsvHostPermutation(SptrsvPlan plan, const int32_t *perm, int **copy);
