/*
   Inside the kernel library: the handles, the table of algorithms, and the functions that its files share.
   Host arrays are owned by the struct that holds them; names that begin with d_ are device arrays.
*/
#ifndef SPTRSV_IMPL_H
#define SPTRSV_IMPL_H
#include <limits.h>
#include <stdbool.h>
#include "../../include/sptrsv.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPTRSV_TRY(call) \
  do { \
    const SptrsvStatus status_ = (call); \
    if (status_ != SPTRSV_SUCCESS) return status_; \
  } while (0)

/* ------------------------------------------------------- memory (memory.c) ----------------------------------------------------- */

/* Zeroed host array of count items of the pointer's type. */
#define sptrsvNew(count, p) sptrsvAllocate((size_t)(count), sizeof(**(p)), (void **)(p))
SptrsvStatus sptrsvAllocate(size_t count, size_t size, void **p);

/* Device memory; `total` is raised by what was taken.  Zero bytes give a valid pointer too. */
SptrsvStatus sptrsvDeviceAllocate(size_t bytes, void **d, size_t *total);
SptrsvStatus sptrsvUpload(const void *host, size_t bytes, void **d, size_t *total);
void         sptrsvDeviceFree(void *d);

/* ---------------------------------------------------------- analysis ----------------------------------------------------------- */

typedef struct {
  int  n, nnz;
  int *row_ptr, *col_idx; /* [n + 1], [nnz], columns ascending */
  int *split;             /* [n] first position of the row with column >= row: the diagonal's, if it is stored */
} SptrsvPattern;

static inline bool sptrsvHasDiagonal(const SptrsvPattern *p, int row)
{
  return p->split[row] < p->row_ptr[row + 1] && p->col_idx[p->split[row]] == row;
}

typedef struct { /* one of the four sweeps; level == NULL: not asked for yet */
  int             *level; /* [n] */
  SptrsvStatistics statistics;
} SptrsvSweep;

struct SptrsvAnalysis_s {
  SptrsvLocation location;
  SptrsvPattern  a, t;     /* the pattern and, once asked for, its transpose */
  int           *t_source; /* [nnz] position in `a` of each entry of `t` */
  SptrsvSweep    sweep[2][2];
  int           *d_row_ptr, *d_col_idx, *d_split; /* `a` on the device */
  bool           device_levels; /* the pattern came from the device, so levels are computed there */
  size_t         host_bytes, device_bytes;
};

/* The triangle that a sweep runs over, in rows: of the transpose for a transposed sweep, which thereby turns its direction. */
static inline SptrsvTriangle sptrsvSide(SptrsvTriangle triangle, SptrsvOperation op)
{
  return op == SPTRSV_NON_TRANSPOSE ? triangle : triangle == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
}

SptrsvStatus sptrsvPatternCopy(const SptrsvCsr *A, SptrsvPattern *p); /* checked and narrowed to 32 bits; host or device */
SptrsvStatus sptrsvPatternSplit(SptrsvPattern *p);                   /* computes `split`, checks that columns ascend */
void         sptrsvPatternFree(SptrsvPattern *p);
SptrsvStatus sptrsvAnalysisAdopt(SptrsvPattern *p, SptrsvLocation location, SptrsvStream stream, SptrsvAnalysis *analysis); /* takes p's arrays */
SptrsvStatus sptrsvAnalysisTranspose(SptrsvAnalysis analysis);                                                           /* makes `t` */
SptrsvStatus sptrsvAnalysisSweep(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, const SptrsvSweep **sweep);
int          sptrsvHostLevels(const SptrsvPattern *p, SptrsvTriangle side, int *level); /* returns the number of levels */
int          sptrsvHostRanks(const SptrsvPattern *p, int *rank);
SptrsvStatus sptrsvDeviceLevels(SptrsvAnalysis analysis, SptrsvTriangle side, int *level, SptrsvStream stream);

/* Strict triangle of a sweep, its rows renumbered into an order in which they can be solved one after the other. */
typedef struct {
  int  n, nnz;
  int *row_ptr, *col_idx; /* col_idx < row, ascending in a row */
  int *source;            /* [nnz] position of each entry in the analysed pattern */
  int *row;               /* [n] row of the analysed pattern */
  int *diagonal;          /* [n] position of the diagonal entry in the analysed pattern, or one of the two below */
} SptrsvOrdered;
enum {
  SPTRSV_ONE       = -1, /* the constant 1 in place of a stored value */
  SPTRSV_MINUS_ONE = -2,
  SPTRSV_PADDING   = -3  /* no entry */
};

/* order [n]: row that comes k-th, every row after those it needs; NULL: the rows as they are, backwards for an upper side */
SptrsvStatus sptrsvOrderedCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, const int *order, SptrsvOrdered *o);
void         sptrsvOrderedFree(SptrsvOrdered *o);

/* ------------------------------------------------------- factorization --------------------------------------------------------- */

struct SptrsvFactor_s {
  SptrsvFactorKind kind;
  SptrsvValueType  type;
  SptrsvLocation   location;
  SptrsvAnalysis   analysis;
  int             *source; /* host [nnz of the factor] position in A's values; NULL: the same position */
  int             *where;  /* host [n] scratch of the host's passes, -1 between rows */
  int             *a_row_ptr, *a_diagonal; /* host, rows of A: [n + 1]; [n] position of the diagonal entry or -1; NULL: as the factor's */
  void            *values; /* [nnz of the factor], where the work is done */
  void            *device; /* of ilu0.cu */
  size_t           host_bytes, device_bytes;
};

typedef struct { /* what one pass over all rows finds */
  int    bad_row; /* last row with a small pivot, -1: none */
  double bad_pivot;
} SptrsvPivots;

/* PETSc's pivot tests (MatPivotCheck()); sum: absolute values of the finished row's other entries.  A NaN is never small. */
static inline bool sptrsvSmallPivot(const SptrsvPivoting *p, double pivot, double sum)
{
  if (p->shift == SPTRSV_SHIFT_POSITIVE_DEFINITE) return pivot <= p->zero_pivot * sum;
  return (pivot < 0 ? -pivot : pivot) <= (p->shift == SPTRSV_SHIFT_NONZERO ? p->zero_pivot * sum : p->zero_pivot);
}

/* One attempt with a given shift, and the largest value that Manteuffel's rule asks for; for the host and for the device */
SptrsvStatus sptrsvFactorPassHost(SptrsvFactor factor, const void *a, const SptrsvPivoting *pivoting, double shift, SptrsvPivots *pivots);
SptrsvStatus sptrsvFactorDominanceHost(SptrsvFactor factor, const void *a, double *gap);
SptrsvStatus sptrsvFactorPassDevice(SptrsvFactor factor, const void *a, const SptrsvPivoting *pivoting, double shift, SptrsvStream stream, SptrsvPivots *pivots);
SptrsvStatus sptrsvFactorDominanceDevice(SptrsvFactor factor, const void *a, SptrsvStream stream, double *gap);
SptrsvStatus sptrsvFactorDeviceCreate(SptrsvFactor factor, SptrsvStream stream);
void         sptrsvFactorDeviceDestroy(SptrsvFactor factor);

/* Pattern of the factor from A's: permuted, for ICC0 its upper part mirrored; *source as in SptrsvFactor_s, on the host.  Takes A's arrays
   over, which leaves `a` empty, if they will do as they are. */
SptrsvStatus sptrsvFactorPattern(SptrsvPattern *a, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm, SptrsvPattern *f, int **source);

/* ----------------------------------------------------------- sweeps ------------------------------------------------------------ */

typedef struct { /* a row of the table of algorithms */
  SptrsvAlgorithm info;
  SptrsvStatus (*build)(SptrsvPlan plan, SptrsvStream stream); /* may leave a half-made plan->data behind: destroy() follows a failure */
  SptrsvStatus (*update)(SptrsvPlan plan, const void *values, SptrsvStream stream);
  SptrsvStatus (*solve)(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream);
  void (*describe)(SptrsvPlan plan, char *text, size_t size);
  void (*destroy)(SptrsvPlan plan);
} SptrsvMethod;

struct SptrsvPlan_s {
  const SptrsvMethod *method;
  SptrsvAnalysis      analysis;
  SptrsvPlanOptions   options; /* in_perm and out_perm only during build() */
  bool                automatic, ready;
  size_t              host_bytes, device_bytes;
  void               *data;
};

extern const SptrsvMethod sptrsvHost;
#if defined(SPTRSV_HAVE_CUDA)
extern const SptrsvMethod sptrsvLevelOrder, sptrsvCapellini, sptrsvTwoPhase, sptrsvYuenyeung, sptrsvCusparse;
#endif

/* Level order: levels of how many rows, and rows on the host (levelorder.c) for those sweeps that need more than the pattern on the
   device: a row of more than `most` entries becomes a tree of partial sums, each an unknown of its own, so that no unknown has more. */
typedef struct {
  int  n, nnz;
  int *row_ptr, *col_idx, *source; /* as in SptrsvOrdered; source SPTRSV_ONE: the entry that adds a partial sum */
  int *row, *diagonal;             /* row -1: partial sum */
  int *level;
} SptrsvUnknowns;
SptrsvStatus sptrsvUnknownsCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, int most, SptrsvUnknowns *u); /* destroy after failure, too */
void         sptrsvUnknownsFree(SptrsvUnknowns *u);
SptrsvStatus sptrsvLevelPointers(int n, const int *level, int *levels, int **level_ptr); /* level_ptr [*levels + 1]: rows before each level */

#ifdef __cplusplus
}
#endif
#endif
