/*
   sptrsv.h - sparse triangular solves, and the incomplete factorizations ILU(k) and ICC(k), on the host and on GPUs.

   This C library does not depend on PETSc.  Use:

     sptrsvFactorCreate()      pattern of A  -> pattern of its ILU(k) or ICC(k) factor, analysed     new pattern
     sptrsvPlanCreate()        analysis      -> one sweep by one algorithm                           new pattern
     sptrsvFactorNumeric()     values of A   -> values of the factor                                 new values
     sptrsvPlanUpdate()        values        -> the sweep's own storage                              new values
     sptrsvSolve()             b -> x                                                                each solve

   or, for an existing triangular matrix, sptrsvAnalysisCreate() in place of sptrsvFactorCreate().

   Conventions.  Matrices are square, in CSR with zero-based, sorted columns, and have fewer than 2^31 - 2^25 rows and entries.  Every
   function returns a status, prints nothing and never exits; it leaves its output arguments untouched when it fails.  "Host" and "device"
   say in which memory an array lives.  A library built without CUDA returns SPTRSV_NO_DEVICE where it would need a GPU.

   Pointers.  NULL is allowed where this file says so, and for arrays of length zero.  Patterns and permutations are copied: the caller may
   free them when the function returns.  Values are borrowed by plans of the host, until the next update; those of the device are copied.

   Handles.  The only global state is the limit of threads, and the choices that `auto` remembers.  A factor or plan uses its analysis, and
   the analysis computes levels and transposes at their first use.  Handles that share an analysis must therefore be used by one thread at
   a time; other handles are independent.  A handle with device memory belongs to the CUDA device that was current at its creation; that
   device must be current in later calls.

   Streams.  A stream is a cudaStream_t, or a hipStream_t in a library built for AMD (doc/amd.md).  NULL is CUDA's legacy default stream.
   Host work ignores the stream.  Functions that create handles, and the first request for statistics or levels, work in the legacy stream
   and are complete when they return; they must not be called during stream capture.  Numeric factorization, update and solve run in the
   stream given to them; if these streams differ, the caller must order them, for example by an SptrsvUses.
*/
#ifndef SPTRSV_H
#define SPTRSV_H
#include <stddef.h>
#include <stdint.h>
#include "sptrsv_options.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
  #define SPTRSV_API __attribute__((visibility("default")))
#else
  #define SPTRSV_API
#endif

#if defined(__HIP_PLATFORM_AMD__)
typedef struct ihipStream_t *SptrsvStream; /* a hipStream_t */
#else
typedef struct CUstream_st *SptrsvStream; /* a cudaStream_t, or a hipStream_t in a library built for AMD's GPUs; NULL: the legacy stream */
#endif

/* What a function returns; sptrsvGetErrorString() has a text for each. */
typedef enum {
  SPTRSV_SUCCESS = 0,
  SPTRSV_INVALID_ARGUMENT, /* NULL where this file does not allow it, a negative size, a column or option out of range, … */
  SPTRSV_UNSORTED,         /* a row's columns are not strictly ascending: unsorted, or an entry stored twice */
  SPTRSV_MISSING_DIAGONAL, /* a factorization, or a sweep that divides, needs an entry that the pattern lacks */
  SPTRSV_TOO_LARGE,        /* more rows or entries than 32-bit indices hold */
  SPTRSV_NOT_SUPPORTED,    /* this algorithm cannot do this sweep */
  SPTRSV_NOT_READY,        /* a solve before the first update with values */
  SPTRSV_OUT_OF_MEMORY,    /* on the host or the device; nothing leaks, and handles can still be destroyed */
  SPTRSV_NO_DEVICE,        /* the library was built without CUDA, or there is no GPU */
  SPTRSV_CUDA_ERROR,       /* a CUDA call or kernel failed */
  SPTRSV_CUSPARSE_ERROR,   /* a cuSPARSE call failed */
  SPTRSV_STALLED,          /* a kernel gave up waiting for a value that never came; memory of its plan was overwritten */
  SPTRSV_UNKNOWN_NAME,     /* no algorithm, option or choice has this name */
  SPTRSV_WRONG_MEMORY      /* a pattern, an analysis or an algorithm is of the host where one of the GPU is needed, or the other way */
} SptrsvStatus;

#if defined(__cplusplus)
/* SptrsvComplexFloat - A complex value of single precision, one of SPTRSV_COMPLEX_TYPES: the real part, then the imaginary one, as in C
   and C++. */
typedef struct {
  float part[2];
} SptrsvComplexFloat;

/* SptrsvComplexDouble - A complex value of double precision, one of SPTRSV_COMPLEX_TYPES: the real part, then the imaginary one, as in C
   and C++. */
typedef struct {
  double part[2];
} SptrsvComplexDouble;
#else
typedef float _Complex SptrsvComplexFloat;
typedef double _Complex SptrsvComplexDouble;
#endif

/* X(NAME, type, f) for each type of values; f is handed on */
#define SPTRSV_REAL_TYPES(X, f)    X(FLOAT, float, f) X(DOUBLE, double, f)
#define SPTRSV_COMPLEX_TYPES(X, f) X(COMPLEX_FLOAT, SptrsvComplexFloat, f) X(COMPLEX_DOUBLE, SptrsvComplexDouble, f)
#define SPTRSV_VALUE_TYPES(X, f)   SPTRSV_REAL_TYPES(X, f) SPTRSV_COMPLEX_TYPES(X, f)

#define SPTRSV_ENUMERATOR(NAME, type, f) SPTRSV_##NAME,
#define SPTRSV_BIT(NAME, type, f)        | 1 << SPTRSV_##NAME

/* SptrsvValueType - Type of matrix values, right-hand sides and solutions: SPTRSV_FLOAT, SPTRSV_DOUBLE, SPTRSV_COMPLEX_FLOAT or
   SPTRSV_COMPLEX_DOUBLE.  SptrsvAlgorithm.values says which algorithms take them.  Nothing is conjugated: transposes are plain, and ICC
   is of complex symmetric matrices.  Complex values on the device are aligned to their size. */
typedef enum { SPTRSV_VALUE_TYPES(SPTRSV_ENUMERATOR, ) } SptrsvValueType;

typedef enum { SPTRSV_HOST, SPTRSV_DEVICE } SptrsvLocation;              /* memory of an array, and where work on it runs */
typedef enum { SPTRSV_INT32, SPTRSV_INT64 } SptrsvIndexType;             /* type of row pointers and column indices */
typedef enum { SPTRSV_LOWER, SPTRSV_UPPER } SptrsvTriangle;              /* part of a matrix that a sweep reads, with its diagonal */
typedef enum { SPTRSV_NON_TRANSPOSE, SPTRSV_TRANSPOSE } SptrsvOperation; /* whether a sweep solves with a triangle or its transpose */

/* The diagonal of a sweep */
typedef enum {
  SPTRSV_DIAG_UNIT,    /* the diagonal is all ones; stored entries are ignored */
  SPTRSV_DIAG_STORED,  /* the stored entries are the diagonal */
  SPTRSV_DIAG_INVERTED /* the stored entries are the diagonal's reciprocals, as in this library's factors */
} SptrsvDiagonal;

/* Facts about an algorithm */
typedef enum {
  SPTRSV_VARIES        = 1,  /* atomics decide the order of sums, so bits differ from solve to solve */
  SPTRSV_SPLITS        = 2,  /* other algorithms do parts of the sweep: sptrsvPlanGetSplit() */
  SPTRSV_STUDY         = 4,  /* a published method, for comparison; "auto" never picks it */
  SPTRSV_FOREIGN       = 8,  /* of another library, for comparison; "auto" never picks it */
  SPTRSV_BLOCKS        = 16, /* for the block form of a factor, too: sptrsvFactorFindBlocks() */
  SPTRSV_STORES_SINGLE = 32  /* takes SPTRSV_PRECISION_SINGLE */
} SptrsvTrait;

enum { SPTRSV_BLOCK_ROWS = 8 /* rows of a block of unknowns, at most */ };

enum {
  SPTRSV_REALS      = 0 SPTRSV_REAL_TYPES(SPTRSV_BIT, ), /* the real types, for SptrsvAlgorithm.values */
  SPTRSV_ALL_VALUES = 0 SPTRSV_VALUE_TYPES(SPTRSV_BIT, ) /* all types, for SptrsvAlgorithm.values */
};

/* One row of the table of algorithms of the sweeps, or of the factorization */
typedef struct {
  const char    *name;     /* as in options */
  const char    *source;   /* paper and number of the algorithm */
  const char    *summary;  /* one line */
  SptrsvLocation location; /* memory of its vectors, and where it runs, at least in part; a name can have a row for each memory */
  unsigned       traits;   /* a sum of SptrsvTrait */
  const char    *citation; /* BibTeX of its paper; "": `source` is all there is to cite; NULL: nothing */
  unsigned       values;   /* types of values that it takes, a sum of 1 << SptrsvValueType */
} SptrsvAlgorithm;

/* Pattern of a square sparse matrix in CSR: row_ptr [rows + 1] and col_idx [nnz], both in `location`.  Values are passed separately. */
typedef struct {
  int64_t         rows, nnz;
  const void     *row_ptr, *col_idx; /* of index_type */
  SptrsvIndexType index_type;
  SptrsvLocation  location;
} SptrsvCsr;

typedef struct SptrsvAnalysis_s *SptrsvAnalysis; /* a pattern, and what sweeps need to know of it: sptrsvAnalysisCreate() */
typedef struct SptrsvFactor_s   *SptrsvFactor;   /* an incomplete factorization and its values: sptrsvFactorCreate() */
typedef struct SptrsvPlan_s     *SptrsvPlan;     /* one sweep by one algorithm: sptrsvPlanCreate() */

/* sptrsvGetErrorString - Describes a status; never returns NULL. */
SPTRSV_API const char *sptrsvGetErrorString(SptrsvStatus status);

/* sptrsvDeviceCount - Number of usable GPUs; 0 without CUDA, driver or GPU. */
SPTRSV_API int sptrsvDeviceCount(void);

/* sptrsvProcessors - Number of processors that this process may run on, or the quota of its control group (Linux), or the limit of
   sptrsvLimitThreads(), whichever is least.  Sweeps on the host start at most so many threads unless an option says how many. */
SPTRSV_API int sptrsvProcessors(void);

/* sptrsvLimitThreads - Sets that limit for the whole process and all later plans, for processes that share a machine; 0: none. */
SPTRSV_API void sptrsvLimitThreads(int most);

/* sptrsvWarpSize - Lanes of a warp in this library's kernels: 32, or 64 if it was built for AMD's GPUs. */
SPTRSV_API int sptrsvWarpSize(void);

/* sptrsvDeviceName - Model of the current GPU, cut at size - 1 characters.  Errors: INVALID_ARGUMENT, NO_DEVICE, CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvDeviceName(char *name, size_t size);

/* ------------------------------------------------------- analysis ------------------------------------------------------- */

/* Dependency statistics of one sweep.  Rows of the same level do not depend on each other. */
typedef struct {
  int64_t rows, nnz;   /* nnz: off-diagonal entries of the triangle */
  int64_t levels;      /* length of the longest chain of dependent rows */
  int64_t widest;      /* rows in the largest level */
  int64_t longest;     /* entries in the longest row, without the diagonal */
  double  n_level;     /* rows / levels */
  double  nnz_row;     /* entries per row, with the diagonal */
  double  granularity; /* parallel granularity, Zhang et al. (YuenyeungSpTRSV), Equation 1: lg(lg n_level / lg(nnz_row + 0.01) + 0.01) */
} SptrsvStatistics;

/*
   sptrsvAnalysisCreate - Copies a pattern and prepares sweeps with its lower and upper triangle.

   Input:
     A        - the pattern, host or device, 32- or 64-bit indices
     location - where the sweeps will run; levels are computed there too if the pattern is already there or is large
     stream   - the stream that wrote a pattern on the device; the function waits for it

   Errors: INVALID_ARGUMENT, UNSORTED, TOO_LARGE, OUT_OF_MEMORY, NO_DEVICE, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvAnalysisCreate(const SptrsvCsr *A, SptrsvLocation location, SptrsvStream stream, SptrsvAnalysis *analysis);

/* sptrsvAnalysisGetStatistics - Statistics of one of the four sweeps; computed at the first request. */
SPTRSV_API SptrsvStatus sptrsvAnalysisGetStatistics(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op,
                                                    SptrsvStatistics *statistics);

/* sptrsvAnalysisGetLevels - Level of each row, counted from 0: host array [rows], owned by the analysis. */
SPTRSV_API SptrsvStatus sptrsvAnalysisGetLevels(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op,
                                                const int32_t **level);

/* sptrsvAnalysisDestroy - Frees an analysis and sets the handle to NULL; NULL is allowed.  No plan may use it any more.
   Errors: INVALID_ARGUMENT (the address is NULL). */
SPTRSV_API SptrsvStatus sptrsvAnalysisDestroy(SptrsvAnalysis *analysis);

#include "sptrsv_factor.h"

/* --------------------------------------------------------- sweeps -------------------------------------------------------- */

/* sptrsvAlgorithmGet - The k-th algorithm, k = 0, 1, …, or NULL past the last.  sptrsvPlanCreate() accepts all of them. */
SPTRSV_API const SptrsvAlgorithm *sptrsvAlgorithmGet(int k);

/* sptrsvAlgorithmFind - The algorithm of this name for this memory, or NULL. */
SPTRSV_API const SptrsvAlgorithm *sptrsvAlgorithmFind(const char *name, SptrsvLocation location);

/* The sweep that sptrsvPlanCreate() prepares */
typedef struct {
  const char     *algorithm; /* a name of the table; NULL or "auto": the fastest, by a model */
  SptrsvLocation  location;  /* "auto" chooses among the algorithms of this memory; others must match it */
  SptrsvTriangle  triangle;
  SptrsvOperation op;
  SptrsvDiagonal  diagonal; /* of this library's factors: UNIT for LOWER, INVERTED for UPPER */
  SptrsvValueType type;
  const int32_t  *in_perm;  /* host [rows], a permutation, or NULL: row i of the system reads b[in_perm[i]] */
  const int32_t  *out_perm; /* host [rows], a permutation, or NULL: unknown i is written to x[out_perm[i]] */
  SptrsvTuning    tuning;   /* options of the algorithms; all zero: the defaults */
} SptrsvPlanOptions;

/* sptrsvPlanOptionsCheck - Whether the options of the algorithm that is named go together; `error` as for sptrsvOptionSet(): it names
   option and cure.  Errors: INVALID_ARGUMENT; NOT_SUPPORTED, of the precision; UNKNOWN_NAME and WRONG_MEMORY, of the algorithm of a
   part. */
SPTRSV_API SptrsvStatus sptrsvPlanOptionsCheck(const SptrsvPlanOptions *options, char *error, size_t size);

/*
   sptrsvPlanCreate - Prepares one sweep: T x = b, where T is a triangle of the analysed pattern or its transpose.

   A plan for the device needs an analysis for the device.  The plan refers to the analysis, which must outlive it.  "auto" on the device
   makes several plans in the legacy stream and keeps the one with the best forecast or, with a tuning.choice.budget, the fastest; the
   choice is remembered for the life of the process.
   Errors: INVALID_ARGUMENT (a wrong option, an array that is not a permutation, …), UNKNOWN_NAME (of the algorithm), WRONG_MEMORY (the
   algorithm is of the other memory, or the analysis is of the host and the plan of the device), NOT_SUPPORTED, MISSING_DIAGONAL,
   TOO_LARGE (also: because of the padding of levelorder and levelset), OUT_OF_MEMORY, NO_DEVICE, CUDA_ERROR, CUSPARSE_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvPlanCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan);

/*
   sptrsvPlanUpdate - Gives the plan new values: [nnz] in the order of the analysed pattern, in the memory of the algorithm.

   Device algorithms copy the values in stream order, without synchronization or allocation; only the first update of a plan of cusparse
   allocates.  Host algorithms keep the pointer and may read from it in any later solve, so the values must stay unchanged until the next
   update.
   Errors: INVALID_ARGUMENT; OUT_OF_MEMORY, CUDA_ERROR, CUSPARSE_ERROR, after which the plan has no values until an update succeeds.
*/
SPTRSV_API SptrsvStatus sptrsvPlanUpdate(SptrsvPlan plan, const void *values, SptrsvStream stream);

/*
   sptrsvSolve - x = T^-1 b; b and x [rows] in the memory of the algorithm, not overlapping; b == x is an INVALID_ARGUMENT.

   A solve on the device is asynchronous in the stream, allocates, synchronizes and copies nothing, and may be captured into a graph (with
   cusparse if its version allows).  Split runs its CPU part as a host function in the stream, with copies before and after it.  A plan
   runs one solve at a time.  The same plan and input give the same bits, except with algorithms of the trait SPTRSV_VARIES, and split with
   such parts.

   No solve hangs.  If memory of the plan was overwritten, so that a wait cannot end, the solve gives up after some seconds and writes NaN
   for the values that never came.  The solve has returned by then, so sptrsvPlanGetStatus() reports it, and so do later solves until the
   next update.
   Errors: INVALID_ARGUMENT, NOT_READY, STALLED (an earlier solve), CUDA_ERROR, CUSPARSE_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvSolve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream);

/*
   sptrsvSolveNext - The same right after a solve of another plan in the same stream, as in x = U^-1 L^-1 b; b may be the other one's x.
   sptrsvFactorSolveBlocks() may come between the two.

   On NVIDIA's GPUs of compute capability 9.0 and later, levelorder, levelset and strips begin while that solve ends, and wait for it
   before they read b, so that a pair of solves takes some 2 us less.  Neither an update of this plan nor anything that writes its memory
   may come between the two.  Elsewhere this is sptrsvSolve().
   Errors: those of sptrsvSolve().
*/
SPTRSV_API SptrsvStatus sptrsvSolveNext(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream);

/* sptrsvMemoryKeep - Lets set-ups of the thread, from here to as many calls of sptrsvMemoryRelease(), use the same device memory for their
   scratch.  Without it each set-up has its own, and frees it. */
SPTRSV_API void sptrsvMemoryKeep(void);
/* sptrsvMemoryRelease - Ends that, and frees what is kept. */
SPTRSV_API void sptrsvMemoryRelease(void);

/*
   sptrsvPlanPrepareMany - Lets sptrsvSolveMany() take several columns at once, which then share what is read of the matrix.

   Output:
     columns - how many, at most; 1: the algorithm takes one after the other

   Allocates at the first call for a plan, a buffer of 2 * columns * rows values and 8 bytes a row, and does nothing in later ones.
   Errors: INVALID_ARGUMENT; TOO_LARGE, OUT_OF_MEMORY, NO_DEVICE, CUDA_ERROR, after which columns are still taken one after the other.
*/
SPTRSV_API SptrsvStatus sptrsvPlanPrepareMany(SptrsvPlan plan, int *columns);

/*
   sptrsvSolveMany - The same as sptrsvSolve() for several right-hand sides: column k is b[k ldb], …, and its solution x[k ldx], ….

   The bits of a column are those of sptrsvSolve(), whatever is beside it.  Without columns b and x may be NULL.  Values below the rows of
   a column are neither read nor written.

   By rows, for a plan that takes several columns at once: if ldb < 0 row i is b[-ldb i], b[-ldb i + 1], …, and b is aligned to 16 bytes;
   ldx and x likewise.  -ldb is a multiple of sptrsvPlanPrepareMany()'s columns, as far as which a row may be read and written beyond its
   columns.  Between two sweeps this saves time.
   Errors: INVALID_ARGUMENT, also if columns < 0, 0 <= ldb < rows, or -ldb is less than columns or no such multiple, likewise ldx; those of
   sptrsvSolve().
*/
SPTRSV_API SptrsvStatus sptrsvSolveMany(SptrsvPlan plan, int64_t columns, const void *b, int64_t ldb, void *x, int64_t ldx,
                                        SptrsvStream stream);

/* sptrsvPlanGetStatus - SPTRSV_STALLED if a solve since the last update gave up waiting; certain once the stream is synchronized. */
SPTRSV_API SptrsvStatus sptrsvPlanGetStatus(SptrsvPlan plan);

/* sptrsvPlanDescribe - The algorithm in use, "auto: " if that chose it, counts and sizes in one line, cut at size - 1 characters. */
SPTRSV_API SptrsvStatus sptrsvPlanDescribe(SptrsvPlan plan, char *text, size_t size);

enum { SPTRSV_PLAN_ALGORITHMS = 3 /* length of the array of sptrsvPlanGetAlgorithms() */ };

/* sptrsvPlanGetAlgorithms - The table's rows for the algorithm in use (for auto: the one it chose) and for the algorithms of its parts;
   NULL: there is no such part. */
SPTRSV_API SptrsvStatus sptrsvPlanGetAlgorithms(SptrsvPlan plan, const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS]);

/* sptrsvPlanGetMemory - Bytes that the plan holds on the host and on the device. */
SPTRSV_API SptrsvStatus sptrsvPlanGetMemory(SptrsvPlan plan, size_t *host, size_t *device);

/* sptrsvPlanDestroy - Frees a plan and sets the handle to NULL; NULL is allowed.  Errors: INVALID_ARGUMENT (the address is NULL). */
SPTRSV_API SptrsvStatus sptrsvPlanDestroy(SptrsvPlan *plan);

/* ---------------------------------------------------- several streams --------------------------------------------------- */

/*
   Uses of things on the device in streams of the program's own: of a factor, its plans, and vectors.

     sptrsvUsesBegin(uses, stream)    what follows in the stream comes after all that is in the legacy stream
     …                                factorization, updates, solves, copies, in this stream
     sptrsvUsesEnd(uses, stream)      what follows in the legacy stream comes after these

   So uses come one after the other, in whatever streams they are, and in order with work in the legacy stream.  Nothing waits on the host.
   Uses in the legacy stream enqueue nothing.  While the stream is captured into a graph both functions do nothing, since a graph can wait
   only for what is in it: the caller orders its launches.
*/
typedef struct SptrsvUses_s *SptrsvUses;

/* sptrsvUsesCreate - For uses on the current device.  Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, NO_DEVICE, CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvUsesCreate(SptrsvUses *uses);

/* sptrsvUsesBegin - Lets the stream wait for the legacy stream.  Errors: INVALID_ARGUMENT (`uses` is NULL), CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvUsesBegin(SptrsvUses uses, SptrsvStream stream);

/* sptrsvUsesEnd - Lets the legacy stream wait for the stream.  Errors: INVALID_ARGUMENT (`uses` is NULL), CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvUsesEnd(SptrsvUses uses, SptrsvStream stream);

/* sptrsvUsesDestroy - Frees it and sets the handle to NULL; NULL is allowed.  Errors: INVALID_ARGUMENT (the address is NULL). */
SPTRSV_API SptrsvStatus sptrsvUsesDestroy(SptrsvUses *uses);

/* ---------------------------------------------------- options by name --------------------------------------------------- */

/* sptrsvOptionGet - The k-th option, k = 0, 1, …, or NULL past the last. */
SPTRSV_API const SptrsvOption *sptrsvOptionGet(int k);

/*
   sptrsvOptionSet - Sets the option of this name from text; an error leaves `tuning` unchanged.  Of a path or of
   parameters it keeps the address.

   Input:
     text - a number, the name of a choice, a path or parameters; "0", the first choice or "" for the default
     size - size of `error`

   Output:
     error - after a failure, a sentence that names the option and its values; may be NULL if size is 0

   Errors: UNKNOWN_NAME (of an option, a choice or an algorithm); INVALID_ARGUMENT (not a number, or out of range).
*/
SPTRSV_API SptrsvStatus sptrsvOptionSet(SptrsvTuning *tuning, const char *name, const char *text, char *error, size_t size);

/* sptrsvOptionPrint - The option's value as sptrsvOptionSet() takes it, cut at size - 1 characters.  Errors are those of that function. */
SPTRSV_API SptrsvStatus sptrsvOptionPrint(const SptrsvTuning *tuning, const char *name, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
