/*
   Shared by all of the kernel library: memory, the handles of an analysis and a plan, the table of algorithms.
   Host arrays are owned by the struct that holds them; names that begin with d_ are device arrays.
*/
#pragma once
#include <limits.h>
#include <stdbool.h>
#include "../../include/sptrsv.h"

/* Around functions and tables that C and C++ share */
#ifdef __cplusplus
  #define SPTRSV_BEGIN_C extern "C" {
  #define SPTRSV_END_C   }
#else
  #define SPTRSV_BEGIN_C
  #define SPTRSV_END_C
#endif

SPTRSV_BEGIN_C

#define SPTRSV_TRY(call)                                                                                                                   \
  do {                                                                                                                                     \
    const SptrsvStatus status_ = (call);                                                                                                   \
    if (status_ != SPTRSV_SUCCESS) return status_;                                                                                         \
  } while (0)

#if !defined(SPTRSV_WARP)
  #define SPTRSV_WARP 32 /* lanes; 64 on AMD's GPUs of the CDNA family */
#endif

/* ------------------------------------------------------- memory (memory.c) ----------------------------------------------------- */

/* Zeroed host array of count items of the pointer's type. */
#define sptrsvNew(count, p) sptrsvAllocate((size_t)(count), sizeof(**(p)), (void **)(p))
SptrsvStatus sptrsvAllocate(size_t count, size_t size, void **p);

/* Status of a cudaError_t, which is cleared */
SptrsvStatus sptrsvCudaStatus(int error);

/* Memory that belongs to a handle.  All of it is freed together, by sptrsvMemoryFree(). */
typedef struct {
  struct SptrsvBlock *block;
  int                 blocks;
  size_t              bytes[2]; /* in each location; with those of parts that have a list of their own */
} SptrsvMemory;

typedef enum {
  SPTRSV_HEAP,    /* zeroed */
  SPTRSV_PINNED,  /* of the host, for kernels, too */
  SPTRSV_LASTING, /* of the device; within a set-up also a block that was freed before, at most an eighth larger */
  SPTRSV_SCRATCH  /* of the device, a piece of a slab (setup_memory.c) */
} SptrsvMemoryKind;

/* Takes memory for bytes, or for count items of the pointer's type; zero also gives a valid pointer.  *p is set on success only. */
SptrsvStatus sptrsvMemoryTake(SptrsvMemory *memory, SptrsvMemoryKind kind, size_t bytes, void **p);
#define sptrsvHostAllocate(memory, count, size, p) sptrsvMemoryTake(memory, SPTRSV_HEAP, (size_t)(count) * (size), p)
#define sptrsvPinnedAllocate(memory, bytes, p)     sptrsvMemoryTake(memory, SPTRSV_PINNED, bytes, p)
#define sptrsvDeviceAllocate(memory, bytes, d)     sptrsvMemoryTake(memory, SPTRSV_LASTING, bytes, d)
#define sptrsvScratchAllocate(memory, bytes, d)    sptrsvMemoryTake(memory, SPTRSV_SCRATCH, bytes, d)
#define sptrsvHostNew(memory, count, p)            sptrsvHostAllocate(memory, count, sizeof(**(p)), (void **)(p))
#define sptrsvDeviceNew(memory, count, d)          sptrsvDeviceAllocate(memory, (size_t)(count) * sizeof(**(d)), (void **)(d))
#define sptrsvScratchNew(memory, count, d)         sptrsvScratchAllocate(memory, (size_t)(count) * sizeof(**(d)), (void **)(d))
#define sptrsvUpload(memory, host, count, d)       sptrsvDeviceCopy(memory, host, (size_t)(count) * sizeof(**(d)), (void **)(d))
/* Several arrays in one block, since each call of cudaMalloc() takes its time */
typedef struct {
  size_t bytes;
  void **d;
} SptrsvArray;
SptrsvStatus sptrsvDeviceArrays(SptrsvMemory *memory, int count, const SptrsvArray *array);
SptrsvStatus sptrsvDeviceAllocateZeroed(SptrsvMemory *memory, size_t bytes, void **d);
SptrsvStatus sptrsvDeviceCopy(SptrsvMemory *memory, const void *host, size_t bytes, void **d);
void         sptrsvMemoryCut(SptrsvMemory *memory, int blocks); /* frees those behind the first so many */
void         sptrsvMemoryFree(SptrsvMemory *memory);
/* A set-up is between these calls, a part of it between further ones.  Its work on the device is in the legacy stream, and the thread keeps
   device memory for it.  sptrsvSetupEnd() waits for the work, which is of a set-up for this location, and frees that; it returns the
   status that it was given or, if that is a success, the work's. */
void         sptrsvSetupBegin(void);
SptrsvStatus sptrsvSetupEnd(SptrsvLocation location, SptrsvStatus status);

/* *p: a new host array with count items from the device */
#define sptrsvDownload(d, count, p) sptrsvHostCopy(d, (size_t)(count), sizeof(**(p)), (void **)(p))
SptrsvStatus sptrsvHostCopy(const void *d, size_t count, size_t size, void **p);
SptrsvStatus sptrsvFetch(SptrsvLocation location, const void *source, size_t bytes, void *host); /* copies to the host */
SptrsvStatus sptrsvWait(SptrsvStream stream);                                                    /* for what is in it */

static inline size_t sptrsvValueSize(SptrsvValueType type)
{
#define SPTRSV_SIZE(NAME, type, f) sizeof(type),
  static const size_t size[] = {SPTRSV_VALUE_TYPES(SPTRSV_SIZE, )};

  return size[type];
}

/* ---------------------------------------------------------- analysis ----------------------------------------------------------- */

typedef struct {
  int  n, nnz;
  int *row_ptr, *col_idx; /* [n + 1], [nnz], columns ascending */
  int *split;             /* [n] first position of the row with column >= row: the diagonal's, if it is stored */
} SptrsvPattern;

static inline bool sptrsvHasDiagonal(const SptrsvPattern *pattern, int row)
{
  return pattern->split[row] < pattern->row_ptr[row + 1] && pattern->col_idx[pattern->split[row]] == row;
}

/* Begin and end of a row's entries left or right of the diagonal */
static inline int sptrsvRowBegin(const SptrsvPattern *pattern, SptrsvTriangle side, int row)
{
  return side == SPTRSV_LOWER ? pattern->row_ptr[row] : pattern->split[row] + sptrsvHasDiagonal(pattern, row);
}
static inline int sptrsvRowEnd(const SptrsvPattern *pattern, SptrsvTriangle side, int row)
{
  return side == SPTRSV_LOWER ? pattern->split[row] : pattern->row_ptr[row + 1];
}

/* Rows and entries stay below this, so that index arithmetic can step past the last by a grid of threads */
#define SPTRSV_MOST (INT_MAX - (1 << 25) + 1)

typedef struct {              /* one of the four sweeps; level_ptr == NULL: not asked for yet */
  int             *level_ptr; /* [levels + 1] rows before each level */
  int             *level;     /* [n]; NULL: on the device only, so far */
  int             *d_level;   /* device [n]; NULL: on the host only */
  SptrsvStatistics statistics;
  void            *graph; /* of sptrsvAnalysisGetGraph(); NULL: not asked for yet */
} SptrsvSweep;

/* Rows of a sweep on the device, long ones cut into trees (analysis/cut.cu).  Device arrays but level_ptr */
typedef struct {
  SptrsvTriangle  triangle;
  SptrsvOperation op;
  int             most; /* entries of an unknown; 0: there are none */
  int             n, nnz;
  int            *row_ptr, *col_idx, *source, *row; /* as in SptrsvOrdered */
  int            *level;                            /* [n] */
  int             levels, *level_ptr;               /* [levels + 1] unknowns before each level */
  SptrsvMemory    memory;
} SptrsvCut;

/* Orders of a sweep's unknowns, which take their time to find.  Device arrays [unknowns]; NULL: not found yet */
typedef struct {
  int              *depth_first;   /* unknowns in this order */
  int              *strip, *chunk; /* of each unknown by a list schedule; chunks are counted in their strip, and pauses with them */
  SptrsvStripsOrder of;            /* what the schedule's strips are cut from, into so many rows; 0: there is no schedule */
  int               rows, strips, chunks, steps; /* chunks: of a strip, at most; steps: of all */
} SptrsvOrder;

/* Those of the last sweep that had any, for the next plans (solve/strips/orders.cu) */
typedef struct {
  SptrsvTriangle  triangle;
  SptrsvOperation op;
  int             cut;      /* rows of more entries are cut */
  bool            shared;   /* by all sweeps: the pattern is symmetric, and no row is cut */
  SptrsvOrder     order[2]; /* of the lower and the upper sweep if they are shared, else the first */
  SptrsvMemory    memory;
} SptrsvOrders;

/* Runs of rows with equal patterns (analysis/groups.c) */
typedef struct {
  bool          sought;
  int          *begin;             /* [pattern.n + 1] first row of each group, many of them of one row; NULL: few rows are in larger ones */
  int           rows, least, most; /* in groups of two rows or more; rows of such a group */
  SptrsvPattern pattern;           /* with groups in the place of rows and columns */
} SptrsvGroups;

/* How threads of the host share a sweep, as the model of solve/host/windows.c says of the last one */
typedef struct {
  int    rows, most;      /* its rows, and the threads that there may be, or must be; 0: nothing is known */
  bool   forced;          /* must be */
  int    threads, window; /* numbers of threads and of rows of a window that were best, if not good enough; for which: */
  double speedup;
} SptrsvShare;

typedef enum { SPTRSV_SYMMETRY_UNKNOWN, SPTRSV_SYMMETRIC, SPTRSV_UNSYMMETRIC } SptrsvSymmetry;

struct SptrsvAnalysis_s {
  SptrsvLocation location;
  bool           icc0;  /* of the factor of an ICC0: the lower triangle's values follow from the upper's */
  int            block; /* rows of its blocks, which are what rows and entries below stand for; 0: there are none */
  SptrsvPattern  a, t;  /* the pattern, whose arrays may be on the device only (sptrsvAnalysisOnHost()), and its transpose, if asked for */
  int           *t_source; /* [nnz] position in `a` of each entry of `t` */
  int            missing;  /* first row without a diagonal entry, -1: none */
  /* Of a factor's pattern [nnz]: position of each entry in the matrix's values, its complement: transposed, or SPTRSV_FILL; of ICC from the
     diagonal on.  NULL: the entry's own.  d_source: on the device, where that added fill, of all entries */
  int                 *source, *d_source;
  SptrsvSweep          sweep[2][2];
  SptrsvGroups         groups[2];        /* of `a` and `t`, on the host */
  SptrsvPattern        device, device_t; /* `a` and `t` on the device, the latter if asked for */
  int                 *d_t_source;       /* t_source there; NULL: not asked for yet */
  bool                 device_levels;    /* levels are computed on the device */
  struct SptrsvPair_s *pair;             /* of the sweeps of an ICC factor: solve/host/stored_once.c; NULL: none has joined */
  SptrsvCut            cut;              /* of the plan under way, for the next one that auto tries */
  SptrsvOrders         orders;           /* likewise; or for the plan of the sweep the other way */
  SptrsvSymmetry       symmetry;         /* of the pattern and its diagonal, if asked for (analysis/pattern.cu) */
  uint64_t             hash;             /* of the pattern on the device (solve/auto/key.cu); 0: not asked for yet */
  SptrsvShare          share;            /* of the last plan for several threads, for the next one */
  SptrsvAnalysis blocks; /* of the same pattern's blocks, where all are dense and of equal size (factor/blocks.cu); NULL: they are not */
  SptrsvMemory   memory;
};

/* Rows of x and b for each row of the pattern */
static inline int sptrsvBlockRows(SptrsvAnalysis analysis)
{
  return analysis->block ? analysis->block : 1;
}

/* The triangle whose rows a sweep takes: a transposed sweep takes those of the transpose, on the other side of the diagonal. */
static inline SptrsvTriangle sptrsvSide(SptrsvTriangle triangle, SptrsvOperation op)
{
  return op == SPTRSV_NON_TRANSPOSE ? triangle : triangle == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
}

/* Enums come from callers and can hold any number */
static inline bool sptrsvIsLocation(SptrsvLocation location)
{
  return location == SPTRSV_HOST || location == SPTRSV_DEVICE;
}
static inline bool sptrsvIsSweep(SptrsvTriangle triangle, SptrsvOperation op)
{
  return (triangle == SPTRSV_LOWER || triangle == SPTRSV_UPPER) && (op == SPTRSV_NON_TRANSPOSE || op == SPTRSV_TRANSPOSE);
}
static inline bool sptrsvIsValueType(SptrsvValueType type)
{
  return (unsigned)type < 8 * sizeof(int) && SPTRSV_ALL_VALUES >> type & 1;
}
/* Kernels for blocks are for real values */
static inline bool sptrsvTakesBlocks(SptrsvLocation location, SptrsvValueType type)
{
  return location == SPTRSV_HOST || SPTRSV_REALS >> type & 1;
}

SptrsvStatus sptrsvPermutationCheck(int64_t n, const int32_t *perm); /* every row once; NULL is natural */
double       sptrsvSeconds(void);                                    /* of a monotonic clock */

/* ----------------------------------------------------------- sweeps ------------------------------------------------------------ */

enum { SPTRSV_TRIED = 512 }; /* length of the text */

/*
   Inverse pivots by the plan of a lower sweep with unit diagonal, whose values are lost:
     x(i) = 1 / (s(i) (diagonal(i) - sum over k < i of (a(i,k) / s(i)) a(k,i) x(k))),   s(i) = 2^scale(i), or 1,
   by PETSc's rules for small pivots.  Arrays are on the device; diagonal, scale, inverse [n], in the order of the rows.
*/
typedef struct {
  const void    *a, *diagonal;
  const int     *source;   /* position of each entry of the pattern in a, or SPTRSV_FILL; NULL: the entry's own */
  const int     *mirrored; /* position in the pattern of the mirror image of each entry left of the diagonal, negative: none */
  const int     *col_idx;  /* of the pattern */
  const short   *scale;    /* or NULL */
  unsigned      *extreme;  /* pinned host [1], becomes 1 if scale is NULL and a product overflows or vanishes */
  void          *inverse;
  SptrsvPivoting pivoting;
  int           *bad_row; /* [1] last row with a small pivot */
} SptrsvPivotSweep;

/* A solve, whose vectors are in the memory of the algorithm.  A method gets one column at a time (registry.c) */
typedef struct {
  int64_t      columns;
  const void  *b;
  int64_t      ldb;
  void        *x;
  int64_t      ldx;
  SptrsvStream stream;
  bool         follows; /* its first launch may begin before the one in front of it in the stream ends, whose work it then awaits */
} SptrsvSolve;

/* An algorithm: a row of the table */
typedef struct {
  SptrsvAlgorithm info;
  size_t          size; /* of plan->data, zero before build() */

  SptrsvStatus (*build)(SptrsvPlan plan); /* complete when it returns; may leave a half-made plan behind: destroy() follows a failure */
  SptrsvStatus (*update)(SptrsvPlan plan, const void *values, SptrsvStream stream); /* NULL: solve() reads plan->values */
  SptrsvStatus (*solve)(SptrsvPlan plan, const SptrsvSolve *s);
  void (*describe)(SptrsvPlan plan, char *text, size_t size);
  void (*destroy)(SptrsvPlan plan); /* frees what plan->data refers to beside plan->memory; NULL: nothing */
  SptrsvStatus (*invert)(SptrsvPlan plan, const SptrsvPivotSweep *pivots, SptrsvStream stream); /* NULL: there is no such function */
  /* Whether its options go together; *error: why not, as of sptrsvOptionSet(); NULL: they always do */
  SptrsvStatus (*check)(const SptrsvPlanOptions *options, char *error, size_t size);
  /* Microseconds that a solve is likely to take on the plan's device, the same for the same plan; NULL: auto does not choose it */
  SptrsvStatus (*forecast)(SptrsvPlan plan, double *us);
} SptrsvMethod;

/* What a method that can solve for several columns at once sets in its plans, beside the row above */
typedef struct {
  SptrsvStatus (*prepare)(SptrsvPlan plan);                     /* allocates, and sets plan->together */
  SptrsvStatus (*solve)(SptrsvPlan plan, const SptrsvSolve *s); /* the same bits as one by one; at most plan->together columns */
} SptrsvTogether;

/* What one folder brings to the tables */
typedef struct {
  const SptrsvMethod              *method[6]; /* rows in the order of the table, NULL after the last */
  const SptrsvOption              *options;   /* of a study, the last without a name; NULL: none but those of options.c */
  const struct SptrsvFactorMethod *factor;    /* of a study (factor/methods.cuh); NULL: none */
} SptrsvFamily;

struct SptrsvPlan_s {
  const SptrsvMethod   *method;
  SptrsvAnalysis        analysis;
  SptrsvPlanOptions     options; /* arrays and texts of the caller only during build() */
  bool                  automatic, ready;
  bool                  overlaps;            /* launches may */
  bool                  scatters;            /* x leaves in another order: out_perm was given */
  char                  tried[SPTRSV_TRIED]; /* plans that auto tried, with their forecasts */
  const char           *note;                /* what auto had to do without; NULL: nothing */
  volatile unsigned    *stalled;         /* set when a solve or factorization gave up (tickets.cuh); NULL: its algorithm does not wait */
  SptrsvPlan            part[2];         /* plans that do parts of this one's work; NULL: none */
  const SptrsvTogether *several;         /* NULL: columns are solved one by one */
  int                   together;        /* columns that several->solve() takes at most; 0: it is not prepared */
  const void           *values;          /* the caller's, of the last update; those of the host are still there */
  SptrsvMemory          memory, scratch; /* scratch: goes when build() returns */
  void                 *data;            /* one block of host memory, freed with the plan */
};

/* clang takes host constants with external linkage into device code, too, and misses the functions that these name */
#if defined(__HIP_DEVICE_COMPILE__)
  #define SPTRSV_TABLE __attribute__((internal_linkage, unused)) extern const
  #pragma clang diagnostic ignored "-Wundefined-internal" /* lists of rows of other files, which are the host's */
#else
  #define SPTRSV_TABLE extern const
#endif
SPTRSV_TABLE SptrsvFamily sptrsvHostFamily;
#if defined(SPTRSV_HAVE_CUDA)
SPTRSV_TABLE SptrsvFamily sptrsvLevelFamily, sptrsvStripsFamily, sptrsvCusparseFamily;
#endif
/* Families of published methods that auto never picks, NULL after the last: studies/studies.c, or no_studies.c in its place */
extern const SptrsvFamily *const sptrsvStudies[];

bool sptrsvIsAuto(const char *name);

/* Prints behind the text, cut at size - 1 characters in all */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void
sptrsvAppend(char *text, size_t size, const char *format, ...);

SptrsvStatus sptrsvLaunchesOverlap(bool *overlap); /* whether launches on the current device may (overlap.cu) */

/* Options (options.c) */
SptrsvStatus sptrsvTuningCheck(const SptrsvTuning *tuning); /* ranges of all members */

/* An option can have keys, rows whose members are in a struct of its own; the last row has no name.
   Sets members from KEY=VALUE,KEY=VALUE, or only checks that if they are NULL; the sentence begins with `name` */
SptrsvStatus sptrsvKeysSet(const char *name, const SptrsvOption *keys, const char *text, void *members, char *error, size_t size);
/* Replaces zeros by the numbers they stand for */
void sptrsvKeysFill(const SptrsvOption *keys, void *members);
/* Appends members that have a symbol and are not the default, each after a comma; they were filled */
void sptrsvKeysDescribe(const SptrsvOption *keys, const void *members, char *text, size_t size);

/* sptrsvPlanCreate() for a part of a sweep: in_perm and out_perm are any positions, all different, in vectors that may be longer */
SptrsvStatus sptrsvPlanBuild(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan);
/* The same for auto on the device (auto.cu) */
SptrsvStatus sptrsvPlanChoose(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan);
/* The halves of sptrsvPlanUpdate().  Work of the stream that may make the plan give up can be between them. */
void         sptrsvPlanEmpty(SptrsvPlan plan);
SptrsvStatus sptrsvPlanFill(SptrsvPlan plan, const void *values, SptrsvStream stream);
/* Appends what it tried, and the time for the sweep's bytes alone */
void sptrsvChoiceDescribe(SptrsvPlan plan, char *text, size_t size);

SPTRSV_END_C
