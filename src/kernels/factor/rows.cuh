/* ILU(0) by rows: its data, between set-up (rows_setup.cu) and kernel (rows.cu). */
#pragma once
#include "methods.cuh"

namespace sptrsv {

/*
   A row has a slot, and a warp takes the slots of a chunk at once: rows of one level, those with most entries left of the diagonal first.
   Slots that a level leaves over have no entries.

   first: the row's first entry.  lower, length: entries left of the diagonal, and all.  map: the first word of its part of the map.
*/
struct alignas(16) RowSlot {
  int    first;
  short  lower, length;
  size_t map;
};

/*
   A row's part of the map: the position of the pivot of each entry m left of the diagonal, and words of four bytes.  Byte m % 4 of
   word m / 4, p, for p > m: whether row k of U, k the column of entry m, has an entry in the column of entry p.  The byte is that
   entry's number, counted from the diagonal; 0: there is none.
*/
constexpr int                           GROUP = 4; /* entries of a word */
__host__ __device__ __forceinline__ int word_of(int length, int group, int p)
{
  return group * (length - 1) - GROUP * (group * (group - 1) / 2) + p - GROUP * group - 1;
}
/* Words of a row's part */
__host__ __device__ __forceinline__ int words_of_row(int lower, int length)
{
  const int groups = (lower + GROUP - 1) / GROUP;

  return lower + word_of(length, groups, GROUP * groups + 1);
}

struct Ilu0Rows {
  RowSlot  *row;                             /* device [chunks * (WARP / lanes)] */
  unsigned *map;                             /* device */
  int       chunks, levels, lanes, per_lane; /* lanes of a row, entries of a lane */
  Tickets   tickets;
};

constexpr int MOST_PER_LANE = 4, MOST_LANES = 32, MOST_LENGTH = MOST_LANES * MOST_PER_LANE; /* of a row */
constexpr int KEYS = MOST_LENGTH;                                                           /* numbers of entries left of the diagonal */

/* chunks, levels, row, map; lanes and per_lane are set */
SptrsvStatus rows_arrange(SptrsvFactor factor, SptrsvMemory *memory, Ilu0Rows *rows);

} // namespace sptrsv
