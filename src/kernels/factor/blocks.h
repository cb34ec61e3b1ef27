/*
   The block form of a factor (doc/algorithms/blocks.md).  For a block row i with the diagonal blocks L_ii and U_ii it has

     Lb_ij = L_ij L_jj^-1 for j < i,   Ub_ij = U_ii^-1 U_ij for j > i,   L_ii^-1 and U_ii^-1,

   so that L^-1 b is a sweep with the unit triangle Lb and a product with all L_ii^-1, and U^-1 c a product with all U_ii^-1 and a sweep
   with the unit triangle Ub.
*/
#pragma once
#include "../analysis/analysis.h"

SPTRSV_BEGIN_C

/* Of a factor on the device, with device arrays; of a factor of blocks on the host.  All zero: blocks were not looked for. */
typedef struct {
  SptrsvBlocks   found;
  unsigned char *place;    /* [n] where each row is in its block: blocks.cu */
  int            stride;   /* rows of the largest block, at least 1; 0: blocks were not looked for */
  SptrsvAnalysis analysis; /* of the form's pattern: the factor's without diagonal blocks; NULL: the form is not made */
  void          *values;   /* [nnz of that] */
  void          *inverse;  /* [n][stride] for each row of a block its row of L_ii^-1 left of the diagonal, and of U_ii^-1 from there on */
  bool           overlaps; /* launches may */
  bool           ready;    /* there are values */
  SptrsvMemory   memory;
} SptrsvFactorBlocks;

void sptrsvFactorBlocksFree(SptrsvFactorBlocks *blocks); /* which are then empty */

/* The work on blocks in one memory: blocks.cu; of a factor of blocks: host_blocks.c, device_blocks.cu */
typedef struct SptrsvBlockWork {
  /* Of at most `size` rows; to be freed after a failure, too.  NULL: all rows are in blocks */
  SptrsvStatus (*find)(SptrsvFactor factor, int size, SptrsvFactorBlocks *blocks);
  SptrsvStatus (*form)(SptrsvFactor factor);                        /* pattern with analysis, and arrays, unless they are there */
  SptrsvStatus (*values)(SptrsvFactor factor, SptrsvStream stream); /* NULL: a pass makes them */
  SptrsvStatus (*product)(SptrsvFactor factor, SptrsvBlockPart part, SptrsvOperation op, const void *b, void *x, SptrsvStream stream);
} SptrsvBlockWork;
#if defined(SPTRSV_HAVE_CUDA)
SPTRSV_TABLE SptrsvBlockWork sptrsvBlocksDevice, sptrsvFormDevice;
#endif

SPTRSV_END_C
