/*
   sptrsv.h - sparse triangular solves and incomplete factorizations of pattern zero, on the host and on GPUs.

   A C library that knows nothing of PETSc.  Use:

     sptrsvFactorCreate()      pattern of A  -> pattern of its ILU(0) or ICC(0) factor, analysed     new pattern
     sptrsvPlanCreate()        analysis      -> one sweep by one algorithm                           new pattern
     sptrsvFactorNumeric()     values of A   -> values of the factor                                 new values
     sptrsvPlanUpdate()        values        -> the sweep's own storage                              new values
     sptrsvSolve()             b -> x                                                                each solve

   or, for a triangle that is at hand already, sptrsvAnalysisCreate() instead of the factor.

   Conventions.  Matrices are square, in CSR with zero-based, sorted columns, and have fewer than 2^31 - 2^25 rows and entries.  There is no
   global state.  A factor or plan uses its analysis, which computes levels and transposes when they are first asked for, so what shares an
   analysis belongs to one thread at a time; other handles are independent.  Every function returns a status, prints nothing and never
   exits; output arguments are untouched when it fails.  "Host" and "device" say in which memory an array lives.  A handle with device
   memory belongs to the CUDA device that was current when it was created, which must be current in later calls.  A library built
   without CUDA answers SPTRSV_NO_DEVICE wherever it would need a GPU.

   Streams.  A stream is a cudaStream_t, or a hipStream_t in a library built for AMD (doc/amd.md); NULL is CUDA's legacy default stream,
   and host work ignores it.  What creates handles, or asks for statistics and levels first, works in the legacy stream, is complete when
   it returns, and must not be called while a stream is being captured.  Numeric factorization, update and solve are ordered by the
   streams they are given: with different ones, ordering them is up to the caller.
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
typedef struct ihipStream_t *SptrsvStream;
#else
typedef struct CUstream_st *SptrsvStream;
#endif

typedef enum {
  SPTRSV_SUCCESS = 0,
  SPTRSV_INVALID_ARGUMENT, /* NULL handle, negative size, column or option out of range, … */
  SPTRSV_UNSORTED,         /* a row's columns are not strictly ascending: unsorted, or an entry stored twice */
  SPTRSV_MISSING_DIAGONAL, /* a factorization, or a sweep that divides, needs an entry that the pattern lacks */
  SPTRSV_TOO_LARGE,        /* more rows or entries than 32-bit indices hold */
  SPTRSV_NOT_SUPPORTED,    /* this algorithm cannot do this sweep */
  SPTRSV_NOT_READY,        /* solve before the values were given */
  SPTRSV_OUT_OF_MEMORY,    /* host or device; nothing is lost, handles stay destroyable */
  SPTRSV_NO_DEVICE,        /* built without CUDA, or no GPU */
  SPTRSV_CUDA_ERROR,       /* a CUDA call or kernel failed */
  SPTRSV_CUSPARSE_ERROR,   /* a cuSPARSE call failed */
  SPTRSV_STALLED,          /* a kernel gave up waiting for what would never have come: memory of its plan was overwritten */
  SPTRSV_FILE_ERROR,       /* a file cannot be read, or its content is not of its kind */
  SPTRSV_UNKNOWN_NAME      /* no algorithm, option or choice has this name */
} SptrsvStatus;

typedef enum { SPTRSV_HOST, SPTRSV_DEVICE } SptrsvLocation;
typedef enum { SPTRSV_FLOAT, SPTRSV_DOUBLE } SptrsvValueType;
typedef enum { SPTRSV_INT32, SPTRSV_INT64 } SptrsvIndexType;
typedef enum { SPTRSV_LOWER, SPTRSV_UPPER } SptrsvTriangle;
typedef enum { SPTRSV_NON_TRANSPOSE, SPTRSV_TRANSPOSE } SptrsvOperation;
typedef enum {
  SPTRSV_DIAG_UNIT,    /* ones, whatever is stored */
  SPTRSV_DIAG_STORED,  /* the entries of the matrix */
  SPTRSV_DIAG_INVERTED /* the reciprocals are stored, as in the factors that this library makes */
} SptrsvDiagonal;

/* Pattern of a square sparse matrix in CSR: row_ptr [rows + 1] and col_idx [nnz], both in one memory.  Values are given apart from it. */
typedef struct {
  int64_t         rows, nnz;
  const void     *row_ptr, *col_idx; /* of index_type */
  SptrsvIndexType index_type;
  SptrsvLocation  location;
} SptrsvCsr;

typedef struct SptrsvAnalysis_s *SptrsvAnalysis;
typedef struct SptrsvFactor_s   *SptrsvFactor;
typedef struct SptrsvPlan_s     *SptrsvPlan;

/* sptrsvGetErrorString - A sentence for a status, never NULL. */
SPTRSV_API const char *sptrsvGetErrorString(SptrsvStatus status);

/* sptrsvDeviceCount - Number of GPUs that can be used, 0 without CUDA, driver or GPU. */
SPTRSV_API int sptrsvDeviceCount(void);

/* sptrsvWarpSize - Lanes of a warp in this library's kernels: 32, or 64 if it was built for AMD's GPUs. */
SPTRSV_API int sptrsvWarpSize(void);

/* sptrsvDeviceName - Model of the current GPU, cut at size - 1 characters.  Errors: INVALID_ARGUMENT, NO_DEVICE, CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvDeviceName(char *name, size_t size);

/* ------------------------------------------------------- analysis ------------------------------------------------------- */

/* What level scheduling knows of one sweep.  Rows in one level do not need each other. */
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
   sptrsvAnalysisCreate - Takes a pattern (copied) and prepares sweeps with its lower and upper triangle.

   Input:
     A        - the pattern, host or device, 32- or 64-bit indices
     location - where the sweeps will run; levels are computed there too if the pattern is already there, or large
     stream   - in which a pattern on the device was written; waited for

   Errors: INVALID_ARGUMENT, UNSORTED, TOO_LARGE, OUT_OF_MEMORY, NO_DEVICE, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvAnalysisCreate(const SptrsvCsr *A, SptrsvLocation location, SptrsvStream stream, SptrsvAnalysis *analysis);

/* sptrsvAnalysisGetStatistics - Levels and granularity of one of the four sweeps; computed at the first request. */
SPTRSV_API SptrsvStatus sptrsvAnalysisGetStatistics(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op,
                                                    SptrsvStatistics *statistics);

/* sptrsvAnalysisGetLevels - Level of each row, counted from 0: host array [rows], owned by the analysis. */
SPTRSV_API SptrsvStatus sptrsvAnalysisGetLevels(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op,
                                                const int32_t **level);

SPTRSV_API SptrsvStatus sptrsvAnalysisDestroy(SptrsvAnalysis *analysis);

/* ----------------------------------------------------- factorization ---------------------------------------------------- */

typedef enum {
  SPTRSV_ILU0, /* A = L U on the pattern of A */
  SPTRSV_ICC0  /* A = U^T D U on the pattern of A's upper triangle, of which alone it is made; held as L = U^T and D U */
} SptrsvFactorKind;

typedef enum {
  SPTRSV_SHIFT_NONE,              /* report small pivots and go on */
  SPTRSV_SHIFT_NONZERO,           /* add to the whole diagonal, twice as much each time, until no pivot is small */
  SPTRSV_SHIFT_POSITIVE_DEFINITE, /* the same by Manteuffel's rule, until every pivot is positive */
  SPTRSV_SHIFT_INBLOCKS           /* add to small pivots only */
} SptrsvShift;

/* Meaning and arithmetic are PETSc's -pc_factor_shift_type, -pc_factor_shift_amount and -pc_factor_zeropivot. */
typedef struct {
  SptrsvShift shift;
  double      shift_amount; /* NONZERO, INBLOCKS */
  double      zero_pivot;   /* pivots up to this size are zero; with NONZERO and POSITIVE_DEFINITE relative to the row's other entries */
} SptrsvPivoting;

typedef struct {
  int64_t zero_pivot_row; /* row (of the factor, that is after permutation) of a zero pivot that no shift cured, the last one of
                             several without shifts and any of them with; -1: none */
  double  zero_pivot;     /* that pivot */
  double  shift_amount;   /* what was added to the diagonal in the end */
  int     shifts;         /* how often the factorization was begun anew */
} SptrsvFactorResult;

/*
   sptrsvFactorCreate - Symbolic part: the factor's pattern, its analysis, and where each of its values comes from.

   Input:
     A         - pattern, host memory, columns in any order; for ICC0 only entries on and above the diagonal of the permuted matrix count
     kind      - ILU0 or ICC0
     row_perm  - host [rows], row i of the factor is row row_perm[i] of A; NULL: natural
     col_iperm - host [rows], column j of A is column col_iperm[j] of the factor; NULL: natural; ICC0: the inverse of row_perm
     type      - of the values
     location  - where values are given and the work is done

   Errors: INVALID_ARGUMENT (also: no permutation), UNSORTED (an entry stored twice), MISSING_DIAGONAL with the row of the factor in
   *missing (may be NULL), TOO_LARGE, OUT_OF_MEMORY, NO_DEVICE, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvFactorCreate(const SptrsvCsr *A, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                                           SptrsvValueType type, SptrsvLocation location, int64_t *missing, SptrsvFactor *factor);

/*
   sptrsvFactorTune - How the factorization on the device is done from now on: tuning->factor, and tuning->ata for ata.

   Results are the same up to rounding.  Kept until the next call that succeeds.
   Errors: INVALID_ARGUMENT (a value out of its range); NOT_SUPPORTED (the host has no choice); OUT_OF_MEMORY, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvFactorTune(SptrsvFactor factor, const SptrsvTuning *tuning);

/* sptrsvFactorDescribe - How the factorization is done (name, counts, sizes) in one line, cut at size - 1 characters. */
SPTRSV_API SptrsvStatus sptrsvFactorDescribe(SptrsvFactor factor, char *text, size_t size);

/*
   sptrsvFactorNumeric - Factors the values of A, which stay untouched: no value passes through the other memory, one status word comes
   back (and the pivot, if it is bad).  Nothing is allocated, but for A's row pointers at the first positive definite shift of a
   permuted factor.

   Input:
     values   - of A, in the order of its pattern [nnz], in the factor's memory
     pivoting - pivot tests and shifts

   A zero pivot is no error: it is reported in `result`, and the factor then holds Inf or NaN.  Synchronizes the stream.
   Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, STALLED, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvFactorNumeric(SptrsvFactor factor, const void *values, const SptrsvPivoting *pivoting, SptrsvStream stream,
                                            SptrsvFactorResult *result);

/* sptrsvFactorGetAnalysis - Of the factor's pattern, for sptrsvPlanCreate(); owned by the factor. */
SPTRSV_API SptrsvStatus sptrsvFactorGetAnalysis(SptrsvFactor factor, SptrsvAnalysis *analysis);

/* sptrsvFactorGetValues - Multipliers of the unit lower triangle, inverted pivots, upper triangle, in the order of the factor's pattern
   [nnz of the factor], in the factor's memory; owned by the factor, overwritten by the next sptrsvFactorNumeric(). */
SPTRSV_API SptrsvStatus sptrsvFactorGetValues(SptrsvFactor factor, const void **values);

/* sptrsvFactorGetPattern - The factor's pattern: host arrays row_ptr [rows + 1] and col_idx [nnz], owned by the factor. */
SPTRSV_API SptrsvStatus sptrsvFactorGetPattern(SptrsvFactor factor, int64_t *rows, int64_t *nnz, const int32_t **row_ptr,
                                               const int32_t **col_idx);

/* sptrsvFactorGetMemory - Bytes held on the host and on the device, the analysis included; without what CUDA and cuSPARSE keep. */
SPTRSV_API SptrsvStatus sptrsvFactorGetMemory(SptrsvFactor factor, size_t *host, size_t *device);

SPTRSV_API SptrsvStatus sptrsvFactorDestroy(SptrsvFactor *factor);

/* --------------------------------------------------------- sweeps -------------------------------------------------------- */

/* Facts about an algorithm */
typedef enum {
  SPTRSV_VARIES         = 1, /* atomics decide the order of sums, so bits differ from solve to solve */
  SPTRSV_SPLITS         = 2, /* other algorithms do parts of the sweep: sptrsvPlanGetSplit() */
  SPTRSV_USES_THRESHOLD = 4  /* heeds the threshold of yuenyeung */
} SptrsvTrait;

/* One row of the table of algorithms */
typedef struct {
  const char    *name;     /* as in options */
  const char    *source;   /* paper and number of the algorithm */
  const char    *summary;  /* one line */
  SptrsvLocation location; /* where it runs, or at least where its vectors are; a name can be there twice, once for each memory */
  unsigned       traits;   /* of SptrsvTrait */
} SptrsvAlgorithm;

/* sptrsvAlgorithmGet - The k-th algorithm, k = 0, 1, …, or NULL past the last.  All can be used in sptrsvPlanCreate(). */
SPTRSV_API const SptrsvAlgorithm *sptrsvAlgorithmGet(int k);

/* sptrsvAlgorithmFind - The algorithm of this name for this memory, or NULL.  A former name finds it too, so the name may differ. */
SPTRSV_API const SptrsvAlgorithm *sptrsvAlgorithmFind(const char *name, SptrsvLocation location);

typedef struct {
  const char     *algorithm; /* a name of the table, or "auto" */
  SptrsvLocation  location;  /* "auto" chooses among the algorithms of this memory; others must match it */
  SptrsvTriangle  triangle;
  SptrsvOperation op;
  SptrsvDiagonal  diagonal;
  SptrsvValueType type;
  const int32_t  *in_perm;   /* host [rows], a permutation, or NULL: row i of the system reads b[in_perm[i]] */
  const int32_t  *out_perm;  /* host [rows], a permutation, or NULL: unknown i is written to x[out_perm[i]] */
  SptrsvTuning    tuning;    /* of the algorithms; zero: all as by default */
} SptrsvPlanOptions;

/*
   sptrsvPlanCreate - Prepares one sweep: T x = b, T a triangle of the analysed pattern or its transpose.  For the device the analysis
   must be of the device, too.

   Errors: INVALID_ARGUMENT (unknown algorithm, lanes, no permutation, …), NOT_SUPPORTED, MISSING_DIAGONAL, TOO_LARGE, OUT_OF_MEMORY,
   NO_DEVICE, CUDA_ERROR, CUSPARSE_ERROR.  TOO_LARGE can also come from levelorder's padding.  The plan refers to the analysis, which must
   outlive it.
*/
SPTRSV_API SptrsvStatus sptrsvPlanCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan);

/*
   sptrsvPlanUpdate - New values: [nnz] in the order of the analysed pattern, in the memory of the algorithm.

   Device algorithms copy what they need, in stream order, without synchronization or allocation; the first update of a plan of cusparse
   allocates.  Host algorithms keep the pointer, and copy from it at the next solve if at all: until the next update the values must
   stay as they are.
   Errors: INVALID_ARGUMENT; OUT_OF_MEMORY, CUDA_ERROR, CUSPARSE_ERROR, after which the plan has no values until an update succeeds.
*/
SPTRSV_API SptrsvStatus sptrsvPlanUpdate(SptrsvPlan plan, const void *values, SptrsvStream stream);

/*
   sptrsvSolve - x = T^-1 b; b and x [rows] in the memory of the algorithm, not overlapping.

   On the device: asynchronous in the stream, no allocation, synchronization or copy, may be captured into a graph (cusparse too, if its
   version allows).  What split leaves to the CPU is a host function in the stream, to and from which it copies.  One solve at a time per
   plan.  Sums are formed in a fixed order: same plan and input, same bits, but for algorithms that say `varies`, and split with such parts.

   No solve hangs: one whose waits cannot end, because memory of the plan was overwritten, gives up after some seconds, with NaN in place
   of what never came.  Being asynchronous it is reported by sptrsvPlanGetStatus(), and by later solves until the next update.
   Errors: INVALID_ARGUMENT, NOT_READY, STALLED (an earlier solve), CUDA_ERROR, CUSPARSE_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvSolve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream);

/* sptrsvPlanGetStatus - SPTRSV_STALLED if a solve since the last update gave up waiting; complete once the stream was synchronized. */
SPTRSV_API SptrsvStatus sptrsvPlanGetStatus(SptrsvPlan plan);

/* sptrsvPlanDescribe - The algorithm chosen (name and reason for auto, counts, sizes) in one line, cut at size - 1 characters. */
SPTRSV_API SptrsvStatus sptrsvPlanDescribe(SptrsvPlan plan, char *text, size_t size);

/* sptrsvPlanGetAlgorithms - The table's rows for the algorithm in use (of auto: the one chosen) and for those of its parts.
   NULL: there is no such part. */
enum { SPTRSV_PLAN_ALGORITHMS = 3 };
SPTRSV_API SptrsvStatus sptrsvPlanGetAlgorithms(SptrsvPlan plan, const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS]);

/* sptrsvPlanGetMemory - Bytes that the plan holds on the host and on the device. */
SPTRSV_API SptrsvStatus sptrsvPlanGetMemory(SptrsvPlan plan, size_t *host, size_t *device);

SPTRSV_API SptrsvStatus sptrsvPlanDestroy(SptrsvPlan *plan);

/* ---------------------------------------------------- options by name --------------------------------------------------- */

/* sptrsvOptionGet - The k-th option, k = 0, 1, …, or NULL past the last. */
SPTRSV_API const SptrsvOption *sptrsvOptionGet(int k);

/*
   sptrsvOptionSet - Sets the option of this name to the value that a text says; `tuning` stays as it was after an error.

   Input:
     text - a number, a choice's or an algorithm's name, a path; "0", the first choice, "auto" or "" for the default
     size - of `error`

   Output:
     error - after a failure, a sentence that names the option and its values; may be NULL if size is 0

   Errors: UNKNOWN_NAME (of an option, a choice or an algorithm); INVALID_ARGUMENT (no number, or out of range).
*/
SPTRSV_API SptrsvStatus sptrsvOptionSet(SptrsvTuning *tuning, const char *name, const char *text, char *error, size_t size);

/* sptrsvOptionPrint - The option's value as sptrsvOptionSet() takes it, cut at size - 1 characters.  Errors: as of that function. */
SPTRSV_API SptrsvStatus sptrsvOptionPrint(const SptrsvTuning *tuning, const char *name, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
