/* ILU by blocks, whose pivots are blocks: the kernel (blockpivots.cu), for the factor on the device (device_blocks.cu). */
#pragma once
#include "blockrows.cuh"

namespace sptrsv {

/* What the plan lacks, for the kernel's warps */
SptrsvStatus blockpivots_tickets(SptrsvValueType type, BlockRows *plan, SptrsvFactorWork *work);

/*
   One pass, in the stream.  The factor's device_of() has the pattern of blocks, with a source for each entry: row by row those of each row
   of blocks.  factor->values [(nnz - n) * rows * rows] becomes Lb and Ub, also row by row; factor->inverse [n][rows * rows], right behind
   it, the inverses of pivot blocks; bad_row the first row with a zero pivot that no shift cured, or -1.
*/
SptrsvStatus blockpivots_factor(const BlockRows &plan, SptrsvFactor factor, const void *a, const SptrsvPivoting &pivoting,
                                cudaStream_t stream);

} // namespace sptrsv
