/* The factor handle, and what factor.c asks of the host (host.c) and of the device (methods.cu). */
#pragma once
#include "../analysis/analysis.h"

SPTRSV_BEGIN_C

/*
   The block form of a factor (doc/algorithms/blocks.md).  For a block row i with the diagonal blocks L_ii and U_ii it has

     Lb_ij = L_ij L_jj^-1 for j < i,   Ub_ij = U_ii^-1 U_ij for j > i,   L_ii^-1 and U_ii^-1,

   so that L^-1 b is a sweep with the unit triangle Lb and a product with all L_ii^-1, and U^-1 c a product with all U_ii^-1 and a sweep
   with the unit triangle Ub.

   Of a factor on the device, with device arrays; of a factor of blocks on the host.  All zero: blocks were not looked for.
*/
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

/* What a method of the device made for the factor's pattern, once (methods.cuh) */
typedef struct {
  void              *data;    /* one block of host memory */
  volatile unsigned *stalled; /* set when a pass gave up (tickets.cuh); NULL: the lent plan's is, if there is one */
  SptrsvMemory       memory;
} SptrsvFactorWork;

struct SptrsvFactor_s {
  SptrsvFactorKind kind;
  SptrsvValueType  type;
  SptrsvLocation   location;

  const struct SptrsvFactorPlace *place; /* of the location */

  SptrsvBlockStorage storage; /* of A.  More rows than one: patterns, and positions in A's values, are of blocks */

  SptrsvAnalysis analysis;
  /* A's, if its pattern is not the factor's.  On the host, `split` has the position of each diagonal entry or the row's end, if entries did
     not become blocks.  NULL: it is the factor's */
  SptrsvAnalysis matrix;
  void          *row;  /* host [n], of blocks [longest row] scratch of the host's passes: the row under way */
  int           *next; /* host [n] scratch of the host's ICC0 */
  int           *at;   /* host [n] scratch of its passes by blocks */
  /* [blocks of A][rows * rows] their entries' positions in A's values, or SPTRSV_FILL, where the work is done, on the device until create()
     has used it; NULL: they are stored as blocks */
  int             *entry;
  SptrsvMemory     entry_memory; /* of that */
  void            *values;       /* [nnz of the factor], where the work is done; of blocks those of the block form */
  void            *inverse;      /* [n][rows * rows] of pivot blocks; NULL: of points */
  void            *device;       /* of methods.cu */
  SptrsvFactorWork work;         /* of the method there */

  SptrsvFactorBlocks blocks;
  SptrsvMemory       memory;
};

/* A's pattern, of blocks if it is stored by blocks */
static inline SptrsvAnalysis sptrsvFactorMatrix(SptrsvFactor factor)
{
  return factor->matrix ? factor->matrix : factor->analysis;
}

/* PETSc's pivot tests (MatPivotCheck()) of a pivot with this real part and modulus; sum: moduli of the finished row's other entries.  A NaN
   is never small. */
static inline bool sptrsvSmallPivot(const SptrsvPivoting *pivoting, double real, double modulus, double sum)
{
  if (pivoting->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE) return real <= pivoting->zero_pivot * sum && modulus >= 0;
  return modulus <= (pivoting->shift == SPTRSV_SHIFT_NONZERO ? pivoting->zero_pivot * sum : pivoting->zero_pivot);
}

/* What a numeric factorization is given */
typedef struct {
  const void           *a; /* A's values */
  const SptrsvPivoting *pivoting;
  SptrsvStream          stream;
  int                   plans;
  const SptrsvPlan     *plan; /* [plans], which get the factor's values; NULL among them: none */
} SptrsvNumeric;

/* Gives the plans the values that the pass before in the stream leaves */
SptrsvStatus sptrsvFactorFillPlans(SptrsvFactor factor, const SptrsvNumeric *numeric);

void sptrsvFactorBlocksFree(SptrsvFactorBlocks *blocks); /* which are then empty */

/* The work on blocks in one memory: blocks.cu; of a factor of blocks: host_blocks.c, device_blocks.cu */
typedef struct SptrsvBlockWork {
  /* Of at most `size` rows; to be freed after a failure, too.  NULL: all rows are in blocks */
  SptrsvStatus (*find)(SptrsvFactor factor, int size, SptrsvFactorBlocks *blocks);
  SptrsvStatus (*form)(SptrsvFactor factor);                        /* pattern with analysis, and arrays */
  SptrsvStatus (*values)(SptrsvFactor factor, SptrsvStream stream); /* NULL: a pass makes them */
  SptrsvStatus (*product)(SptrsvFactor factor, SptrsvBlockPart part, SptrsvOperation op, const void *b, void *x, SptrsvStream stream);
} SptrsvBlockWork;
SPTRSV_TABLE SptrsvBlockWork sptrsvBlocksDevice, sptrsvFormDevice;

/* The work of a factor in one memory: host.c, methods.cu */
typedef struct SptrsvFactorPlace {
  SptrsvStatus (*create)(SptrsvFactor factor); /* of a factor with its analysis; destroy() follows a failure */
  void (*destroy)(SptrsvFactor factor);        /* NULL: factor->memory has all */
  /* NULL where there is one algorithm only */
  SptrsvStatus (*tune)(SptrsvFactor factor, const char *algorithm, const SptrsvTuning *tuning); /* algorithm NULL: auto */
  SptrsvStatus (*lend)(SptrsvFactor factor, SptrsvPlan lower);
  const SptrsvAlgorithm *(*algorithm)(SptrsvFactor factor);

  void (*describe)(SptrsvFactor factor, char *text, size_t size);
  /* One attempt with a given shift, whose zero pivot is in `result`, and after which the device fills the plans; the largest value that
     Manteuffel's rule asks for; the inverted pivots */
  SptrsvStatus (*pass)(SptrsvFactor factor, const SptrsvNumeric *numeric, double shift, SptrsvFactorResult *result);
  SptrsvStatus (*dominance)(SptrsvFactor factor, const void *a, SptrsvStream stream, double *gap);
  SptrsvStatus (*pivots)(SptrsvFactor factor, void *inverted, SptrsvStream stream);
  const SptrsvBlockWork *blocks; /* NULL: there is no block form */
} SptrsvFactorPlace;             /* of blocks: no dominance() and pivots(), and always a block form */
SPTRSV_TABLE SptrsvFactorPlace sptrsvFactorHost, sptrsvFactorHostBlocks, sptrsvFactorDevice, sptrsvFactorDeviceBlocks;

SptrsvStatus sptrsvFactorDeviceCounts(SptrsvFactor factor, SptrsvFactorCounts *counts); /* `lower` and `products` */
/* Adds fill to the pattern of a factor on the device that has all diagonal entries, in a round for each level, of which there are a few
   (fill.cu) */
enum { SPTRSV_DEVICE_LEVELS = 16 };
SptrsvStatus sptrsvDeviceFill(SptrsvFactor factor, int levels);

/* The factor's pattern, and where its values come from */
SptrsvStatus sptrsvFactorSymbolic(SptrsvFactor factor, const SptrsvCsr *A, const int32_t *row_perm, const int32_t *col_iperm,
                                  const SptrsvFill *fill);
/* Takes in A of entries that is factored by blocks, and gives the pattern of its blocks, in `memory` on the host or on the device */
SptrsvStatus sptrsvFactorTake(SptrsvFactor factor, const SptrsvCsr *A, SptrsvMemory *memory, SptrsvCsr *blocks);
SptrsvStatus sptrsvDeviceBlocks(SptrsvFactor factor, SptrsvMemory *memory, SptrsvPattern *blocks); /* of factor->matrix; and `entry` */
/* Adds fill to a pattern, which is split, with its source (fill.c).  *factor: to be destroyed after a failure, too */
SptrsvStatus sptrsvFactorFill(SptrsvAnalysis matrix, const SptrsvFill *fill, SptrsvAnalysis *factor);

SPTRSV_END_C
