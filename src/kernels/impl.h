/*
   Inside the kernel library: the handles, the table of algorithms, and the functions that its files share.
   Host arrays are owned by the struct that holds them; names that begin with d_ are device arrays.
*/
#ifndef SPTRSV_IMPL_H
#define SPTRSV_IMPL_H
#include <limits.h>
#include <stdbool.h>
#include "../../include/sptrsv_study.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Status of a cudaError_t; clears it */
SptrsvStatus sptrsvCudaStatus(int error);

/* Device memory; `total` is raised by what was taken.  Zero bytes give a valid pointer too.  After a failure *d may be freed or is NULL. */
SptrsvStatus sptrsvDeviceAllocate(size_t bytes, void **d, size_t *total);
SptrsvStatus sptrsvDeviceAllocateZeroed(size_t bytes, void **d, size_t *total);
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

/* Where a row's entries left or right of the diagonal begin and end */
static inline int sptrsvRowBegin(const SptrsvPattern *p, SptrsvTriangle side, int row)
{
  return side == SPTRSV_LOWER ? p->row_ptr[row] : p->split[row] + sptrsvHasDiagonal(p, row);
}
static inline int sptrsvRowEnd(const SptrsvPattern *p, SptrsvTriangle side, int row)
{
  return side == SPTRSV_LOWER ? p->split[row] : p->row_ptr[row + 1];
}

/* Rows and entries on one process stay below this, so that index arithmetic may step past the last by a grid of threads */
#define SPTRSV_MOST (INT_MAX - (1 << 25) + 1)

typedef struct {          /* one of the four sweeps; level == NULL: not asked for yet */
  int             *level; /* [n] */
  SptrsvStatistics statistics;
  SptrsvLevel     *graph; /* [levels]; NULL: not asked for yet */
} SptrsvSweep;

struct SptrsvAnalysis_s {
  SptrsvLocation location;
  SptrsvPattern  a, t;     /* the pattern and, once asked for, its transpose */
  int           *t_source; /* [nnz] position in `a` of each entry of `t` */
  SptrsvSweep    sweep[2][2];
  int           *d_row_ptr, *d_col_idx, *d_split; /* `a` on the device */
  bool           device_levels;                   /* levels are computed on the device */
  size_t         host_bytes, device_bytes;
};

/* The triangle that a sweep runs over, in rows: of the transpose for a transposed sweep, which thereby turns its direction. */
static inline SptrsvTriangle sptrsvSide(SptrsvTriangle triangle, SptrsvOperation op)
{
  return op == SPTRSV_NON_TRANSPOSE ? triangle : triangle == SPTRSV_LOWER ? SPTRSV_UPPER : SPTRSV_LOWER;
}

/* Enums come from callers who may have got them from anywhere */
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
  return type == SPTRSV_FLOAT || type == SPTRSV_DOUBLE;
}

SptrsvStatus sptrsvCsrCheck(const SptrsvCsr *A);                      /* all that can be said before an array is read */
SptrsvStatus sptrsvPermutationCheck(int64_t n, const int32_t *perm);  /* names every row once; NULL is natural */
SptrsvStatus sptrsvPatternCopy(const SptrsvCsr *A, SptrsvPattern *p); /* of a checked A, narrowed to 32 bits; host or device */
SptrsvStatus sptrsvPatternSplit(SptrsvPattern *p);                    /* computes `split`, checks that columns ascend */
void         sptrsvPatternFree(SptrsvPattern *p);
SptrsvStatus sptrsvAnalysisAdopt(SptrsvPattern *p, SptrsvLocation location, SptrsvAnalysis *analysis); /* takes p's arrays */
SptrsvStatus sptrsvPatternTranspose(const SptrsvPattern *p, SptrsvPattern *t, int **source); /* source: position in p of each entry of t */
SptrsvStatus sptrsvAnalysisTranspose(SptrsvAnalysis analysis);                               /* makes `t` */
SptrsvStatus sptrsvAnalysisSweep(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, const SptrsvSweep **sweep);
int          sptrsvHostLevels(const SptrsvPattern *p, SptrsvTriangle side, int *level);          /* returns the number of levels */
int          sptrsvHostLevelsByColumns(const SptrsvPattern *p, SptrsvTriangle side, int *level); /* p: the transpose of the other's */
int          sptrsvHostRanks(const SptrsvPattern *p, int *rank);
SptrsvStatus sptrsvDeviceLevels(SptrsvAnalysis analysis, SptrsvTriangle side, int *level);
/* level_ptr [*levels + 1]: rows before each level */
SptrsvStatus sptrsvLevelPointers(int n, const int *level, int *levels, int **level_ptr);
/* The same of an order in which place r has row row[r] (NULL: row r), and the places level by level, ascending in each: Li's ilev and jlev.
   To be freed after a failure, too. */
SptrsvStatus sptrsvLevelLists(int n, const int *row, const int *level, int *levels, int **ilev, int **jlev);

/* sptrsvAnalysisComputeLevels() on the device; for methods of the host, too */
SptrsvStatus sptrsvDeviceSetup(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, SptrsvLevelMethod method, int *level,
                               SptrsvSetupTimes *times);
double       sptrsvSeconds(void); /* of a clock that never goes back */

/* Strict triangle of a sweep as a lower one: an upper one is taken backwards, so that row by row every need comes before. */
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
  SPTRSV_PADDING   = -3 /* no entry */
};

SptrsvStatus sptrsvOrderedCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvOrdered *o);
void         sptrsvOrderedFree(SptrsvOrdered *o);
/* Puts the rows into level order, those of a level as they were; entries keep their order in a row, so col_idx ascends no more.
   level: of rows of the analysed pattern; level_ptr [*levels + 1], the caller's: rows before each level. */
SptrsvStatus sptrsvOrderedByLevel(SptrsvOrdered *o, const int *level, int *levels, int **level_ptr);

/* ------------------------------------------------------- factorization --------------------------------------------------------- */

struct SptrsvFactor_s {
  SptrsvFactorKind kind;
  SptrsvValueType  type;
  SptrsvLocation   location;
  SptrsvAnalysis   analysis;
  int             *source;                 /* host [nnz of the factor] position in A's values; NULL: the same position */
  int             *where;                  /* host [n] scratch of the host's passes, -1 between rows */
  int             *a_row_ptr, *a_diagonal; /* host, rows of A: [n + 1]; [n] position of the diagonal entry or -1; NULL: as the factor's */
  void            *values;                 /* [nnz of the factor], where the work is done */
  void            *device;                 /* of ilu0.cu */
  size_t           host_bytes, device_bytes;
};

typedef struct {  /* what one pass over all rows finds */
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
SptrsvStatus sptrsvFactorPassDevice(SptrsvFactor factor, const void *a, const SptrsvPivoting *pivoting, double shift, SptrsvStream stream,
                                    SptrsvPivots *pivots);
SptrsvStatus sptrsvFactorDominanceDevice(SptrsvFactor factor, const void *a, SptrsvStream stream, double *gap);
SptrsvStatus sptrsvFactorDeviceCreate(SptrsvFactor factor);
void         sptrsvFactorDeviceDestroy(SptrsvFactor factor);
SptrsvStatus sptrsvFactorDeviceTasks(SptrsvFactor factor, const SptrsvTaskOptions *options); /* NULL: entry by entry */
void         sptrsvFactorDeviceDescribe(SptrsvFactor factor, char *text, size_t size);

/* Pattern of the factor from A's: permuted, for ICC0 its upper part mirrored; *source as in SptrsvFactor_s, on the host.  Takes A's arrays
   over, which leaves `a` empty, if they will do as they are. */
SptrsvStatus sptrsvFactorPattern(SptrsvPattern *a, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                                 SptrsvPattern *f, int **source);

/* ----------------------------------------------------------- sweeps ------------------------------------------------------------ */

typedef struct { /* a row of the table of algorithms */
  SptrsvAlgorithm info;
  SptrsvStatus (*build)(
      SptrsvPlan plan); /* complete when it returns; may leave a half-made plan->data behind: destroy() follows a failure */
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
  volatile unsigned  *stalled; /* set by a solve that gave up waiting (tickets.cuh); NULL: its algorithm does not wait */
  SptrsvPlan          part[2]; /* plans that do parts of this one's work; NULL: none */
  size_t              host_bytes, device_bytes;
  void               *data;
};

/* clang takes constants of the host into device code, too, unless they are nobody else's, and misses the functions that these name */
#if defined(__HIP_DEVICE_COMPILE__)
  #define SPTRSV_TABLE __attribute__((internal_linkage, unused)) extern const
#else
  #define SPTRSV_TABLE extern const
#endif
SPTRSV_TABLE SptrsvMethod sptrsvHost, sptrsvHostThreads, sptrsvSplitHost;
#if defined(SPTRSV_HAVE_CUDA)
SPTRSV_TABLE SptrsvMethod sptrsvLevelOrder, sptrsvCapellini, sptrsvTwoPhase, sptrsvYuenyeung, sptrsvCusparse;
SPTRSV_TABLE SptrsvMethod sptrsvSyncFreeCsr, sptrsvSplitDevice;
SPTRSV_TABLE SptrsvMethod sptrsvAta, sptrsvAtaPush;
SPTRSV_TABLE SptrsvMethod sptrsvLevr, sptrsvLevc, sptrsvSlfr, sptrsvSlfc, sptrsvSyncFreeCsc;
#endif

/* Zhang et al., Algorithm 6, ALGCHOOSE: *d_execute_row_id [*groups + 1] is the first row of each group, then n.  Sub-matrices of as many
   rows as a warp has lanes become one group, or as many as they have rows if those have `threshold` entries on average, diagonal
   included.  d_row_ptr [n + 1] is of the strict triangle; bytes on the device are added to *total. */
SptrsvStatus sptrsvRowGroups(int n, const int *d_row_ptr, double threshold, int **d_execute_row_id, int *groups, size_t *total);

/* The threshold for this GPU, and in words where it comes from (solve/yuenyeung/threshold.c) */
double sptrsvThresholdBuiltIn(const char *gpu, const char **origin);
/* The method of this name, or former name, for this memory, or NULL */
const SptrsvMethod *sptrsvMethodFind(const char *name, SptrsvLocation location);
bool                sptrsvIsAuto(const char *name);

/* Options (options.c) */
SptrsvStatus sptrsvTuningCheck(const SptrsvTuning *tuning); /* ranges of all members */
void         sptrsvTuningFill(SptrsvTuning *tuning);        /* zeros replaced by the numbers they stand for */
/* Members of an algorithm that have a symbol and are not the default, each after a comma; `tuning` was filled */
void sptrsvTuningDescribe(const SptrsvTuning *tuning, const char *algorithm, char *text, size_t size);

/* sptrsvPlanCreate() for a part of a sweep: in_perm and out_perm are any places, different ones, in vectors that may be longer */
SptrsvStatus sptrsvPlanBuild(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan);

/* Level order (solve/levelorder/cut.c): rows by way of the host, for sweeps that need more than the pattern on the device.  A row of more than
   `most` entries becomes a tree of partial sums, each an unknown of its own, so that no unknown has more. */
typedef struct {
  int  n, nnz;
  int *row_ptr, *col_idx, *source; /* as in SptrsvOrdered; source SPTRSV_ONE: the entry that adds a partial sum */
  int *row, *diagonal;             /* row -1: partial sum */
  int *level;
} SptrsvUnknowns;
/* To be freed after a failure, too */
SptrsvStatus sptrsvUnknownsCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, int most, SptrsvUnknowns *u);
void         sptrsvUnknownsFree(SptrsvUnknowns *u);

/* Tasks (tasks/aggregate.c): rows of a lower triangle put together, tasks in an order in which each needs earlier ones only.  Every task has
   one of a few queues, which take their tasks one after the other. */
enum { SPTRSV_QUEUES = 4 };
typedef int SptrsvQueues[SPTRSV_QUEUES]; /* a task of each queue, -1: none */
typedef struct {
  int           rows, tasks;
  int           depth;     /* tasks on the longest chain of tasks that need each other */
  int           untracked; /* rows in tasks whose rows do not need each other */
  int          *row;       /* [rows] row at each place: by task, then level inside it, then as in the matrix */
  int          *first;     /* [tasks + 1] place of each task's first row */
  bool         *tracked;   /* [tasks] some of its rows need others of its rows */
  int          *queue;     /* [tasks] */
  SptrsvQueues *after;     /* [tasks] the last task of each queue to wait for; of its own queue the one before it */
} SptrsvTasks;
/* Columns of a row come before it; size: rows a task.  To be freed after a failure, too. */
SptrsvStatus sptrsvTasksCreate(int rows, const int *row_ptr, const int *col_idx, SptrsvTaskPolicy policy, int size, SptrsvTasks *t);
void         sptrsvTasksFree(SptrsvTasks *t);

/* The first rows of a sweep, as many as have tasks, in the tasks' order: entries by row, or by column */
typedef struct {
  int      *ptr, *idx, *source; /* places of rows for row and column numbers; source, row, diagonal: as in SptrsvOrdered */
  int      *row, *diagonal;
  unsigned *needs; /* [rows] rows of its own task that a row needs */
} SptrsvTaskEntries;
/* To be freed after a failure, too */
SptrsvStatus sptrsvTaskEntriesCreate(const SptrsvOrdered *o, const SptrsvTasks *t, bool columns, SptrsvTaskEntries *n);
void         sptrsvTaskEntriesFree(SptrsvTaskEntries *n);

#ifdef __cplusplus
}
#endif
#endif
