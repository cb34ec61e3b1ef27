/* ILU(0) by rows: its data, between set-up (ilu0_rows_setup.cu) and kernel (ilu0_rows.cu). */
#pragma once
#include "ilu0.cuh"

namespace sptrsv {

/* Rows of one level that a warp takes at once, the ones with most entries left of the diagonal first */
struct alignas(16) RowChunk {
  int first, rows, lower; /* first row; their number; most entries left of the diagonal */
};

/* first: its first entry.  lower, length: entries left of the diagonal, and all.  map: where its part of the map begins. */
struct alignas(16) FactorRow {
  int    first;
  short  lower, length;
  size_t map;
};

/* Candidate m, p of a row: whether and where row k of U, k the column of the row's entry m, has an entry in the column of its entry p > m.
   The map has a byte for each, the number of the entry in row k, counted from the diagonal; 0: none. */
__host__ __device__ __forceinline__ int candidate(int length, int m, int p)
{
  return m * (length - 1) - m * (m - 1) / 2 + p - m - 1;
}

struct Ilu0Rows {
  RowChunk      *chunk; /* device [chunks] */
  FactorRow     *row;   /* device [n] in level order */
  unsigned char *map;
  int            chunks, levels, lanes, per_lane; /* lanes of a row, entries of a lane */
  Tickets        tickets;
};

constexpr int MOST_PER_LANE = 4, MOST_LANES = 32; /* of a row */

/* chunk, row, map; lanes and per_lane are set */
SptrsvStatus rows_arrange(SptrsvFactor factor, const FactorPattern &f, Ilu0Rows *rows);

} // namespace sptrsv
