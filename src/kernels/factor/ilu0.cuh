/* Between the parts of the factorization on the device. */
#pragma once
#include "../device.h"

namespace sptrsv {

constexpr int BATCH = 4; /* pairs of one lane whose operands are in flight together */

/* Unknowns of one rank (operands.cu) that a warp takes at once, each with so many lanes */
struct alignas(16) EntryChunk {
  int first, unknowns, lanes;
};

/*
   Who needs whom (device arrays).  Unknown u, entry e of the factor, is a(e) - sum over its pairs (p, q), in their order, of
   v(p) v(q) / v(pivot(p)).  Entries that have pairs, and all pivots, are unknowns; others are copies of A's.  Every unknown comes after
   those it needs, and those of one chunk do not need each other.
*/
struct Operands {
  EntryChunk *chunk;    /* [chunks] */
  int        *entry;    /* [unknowns] e, or ~e for a pivot */
  size_t     *pair_ptr; /* [unknowns + 1] */
  int2       *pair;     /* [pair_ptr[unknowns]] p, q */
  int        *pivot;    /* [nnz] entry of the pivot of an entry's column; -1 on and above the diagonal */
  int        *source;   /* [nnz] position in A, or ~ that for unknowns */
  int         unknowns, chunks, ranks;
};

/* From the factor's pattern on the device; bytes are added to *total */
SptrsvStatus operands_create(SptrsvFactor f, Operands *o, size_t *total);
void         operands_destroy(Operands *o);

} // namespace sptrsv
