/* Rows of a sweep on the device, as the set-ups of levelorder and strips take them. */
#pragma once
#include "adjacency.cuh"
#include "cut.h"

namespace sptrsv {

/* Unknowns in an order in which they can be solved, or the reverse of it: rows of the matrix and, where long ones were cut, partial sums.
   Device arrays [needs.n] */
struct Rows {
  Adjacency  needs;     /* of each unknown */
  bool       backwards; /* unknowns need later ones */
  const int *source;    /* position of each entry's value in the matrix; NULL: the entry's own */
  const int *diagonal;  /* position of the diagonal's value; NULL: unit diagonal */
  const int *row;       /* row of the matrix, -1 for a partial sum; NULL: the unknown's number */
  const int *level;
  const int *in_perm, *out_perm; /* [rows of the matrix] NULL: natural */
};

__device__ __forceinline__ int source_of(const Rows &rows, int entry)
{
  return rows.source ? rows.source[entry] : entry;
}
__device__ __forceinline__ int diagonal_of(const Rows &rows, int i)
{
  return rows.diagonal ? rows.diagonal[i] : SPTRSV_ONE;
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
  DeviceRows()                              = default;
  DeviceRows(const DeviceRows &)            = delete;
  DeviceRows &operator=(const DeviceRows &) = delete;
  ~DeviceRows();

  /* Those of the plan's sweep, rows of more than `most` entries cut.  They come from the analysis as it is on the device if nothing is to
     be cut or transposed, and otherwise, or if by_host, from `unknowns`. */
  SptrsvStatus create(SptrsvPlan plan, int most, bool by_host);

  Rows          rows      = {};
  int           levels    = 0;
  const int    *level_ptr = nullptr; /* host [levels + 1]: rows before each level */
  SptrsvOrdered unknowns  = {};

private:
  SptrsvStatus take_analysis(SptrsvPlan plan, const SptrsvSweep &sweep);
  SptrsvStatus take_unknowns(const int *level);

  int         *own_level_ptr = nullptr;
  Scratch<int> row_ptr, col_idx, source, diagonal, row, d_level, in_perm, out_perm;
};

} // namespace sptrsv
