/* Rows of a sweep on the device, as the set-ups of levelorder and strips take them. */
#pragma once
#include "adjacency.cuh"

namespace sptrsv {

/* Unknowns in an order in which they can be solved, or the reverse of it: rows of the matrix and, where long ones were cut, partial sums.
   Device arrays [needs.n] */
struct Rows {
  Adjacency  needs;     /* of each unknown */
  bool       backwards; /* unknowns need later ones */
  const int *source;    /* position of each entry's value in the matrix; NULL: the entry's own */
  const int *row;       /* row of the matrix, -1 for a partial sum; NULL: the unknown's number */
  const int *level;
  const int *diagonal;           /* [rows of the matrix] position of the diagonal's value; NULL: unit diagonal */
  const int *in_perm, *out_perm; /* [rows of the matrix] NULL: natural */
};

/* The k-th unknown in the order in which they can be solved, and the place in it of the unknown k */
__device__ __forceinline__ int in_order(const Rows &rows, int k)
{
  return rows.backwards ? rows.needs.n - 1 - k : k;
}

__device__ __forceinline__ int source_of(const Rows &rows, int entry)
{
  return rows.source ? rows.source[entry] : entry;
}
__device__ __forceinline__ int diagonal_of(const Rows &rows, int i)
{
  const int row = rows.row ? rows.row[i] : i;

  return row < 0 ? SPTRSV_MINUS_ONE : rows.diagonal ? rows.diagonal[row] : SPTRSV_ONE;
}
/* Position of the unknown in b or x; -1 for a partial sum */
__device__ __forceinline__ int position_of(const Rows &rows, const int *perm, int i)
{
  const int row = rows.row ? rows.row[i] : i;

  return row < 0 || !perm ? row : perm[row];
}

/* Rows and the memory that they are in */
class DeviceRows {
public:
  /* Those of the plan's sweep, cut if they have more than `most` entries.  blocks: of the form's unit triangle blocks in place of rows and
     of their entries, which are not cut; permutations remain those of rows */
  SptrsvStatus create(SptrsvPlan plan, bool blocks, int most);

  /* Those of a sweep as they are, without what comes with a plan: diagonal and permutations */
  SptrsvStatus take_analysis(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op);

  Rows       rows      = {};
  int        levels    = 0;
  const int *level_ptr = nullptr; /* host [levels + 1]: rows before each level */

private:
  Scratch<int> d_level, in_perm, out_perm;
};

} // namespace sptrsv
