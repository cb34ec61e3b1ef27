/* Between the parts of `levelorder`: rows as they come, and as they are packed. */
#pragma once
#include "../../device/device.cuh"

namespace sptrsv {

/* Rows of a sweep on the device, in an order in which they can be solved (or the reverse of it) */
struct LevelOrderRows {
  int        n, rows;       /* unknowns; rows of the matrix, fewer if long rows were cut */
  const int *begin, *end;   /* [n] entries of row i are at begin[i] … end[i] - 1 */
  bool       skip_diagonal; /* the first of them may be the diagonal */
  bool       backwards;     /* rows need later rows */
  const int *col_idx;
  const int *source;   /* where each entry's value is in the matrix; NULL: at the entry's own place */
  const int *diagonal; /* [n] where the diagonal's value is; NULL: unit diagonal */
  const int *row;      /* [n] row of the matrix, -1 for a partial sum; NULL: i */
  const int *level;    /* [n] */
};

/* What a warp takes at once: up to WARP / lanes unknowns of one level.  Entry k of lane l is at first + WARP k + l. */
struct alignas(16) LevelOrderChunk {
  int first, row, rows, per_lane; /* entries, first unknown, number of unknowns, entries per lane */
};

struct LevelOrderPack { /* device arrays */
  LevelOrderChunk *chunk;
  int             *col_idx, *value_source;            /* [slots] */
  int             *diagonal_source, *source, *target; /* [n] */
  size_t           slots;
  int              chunks;
};

/* level_ptr: host [levels + 1], rows up to each level; permutations: host [u.rows] or NULL */
SptrsvStatus levelorder_pack(const LevelOrderRows &u, const int *level_ptr, int levels, int lanes, int per_lane, const int32_t *in_perm,
                             const int32_t *out_perm, LevelOrderPack *p, size_t *total);

} // namespace sptrsv
