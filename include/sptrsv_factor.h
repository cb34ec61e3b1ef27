/*
   sptrsv_factor.h - The incomplete factorizations ILU(k) and ICC(k); part of sptrsv.h, which includes it.
*/
#ifndef SPTRSV_FACTOR_PUBLIC_H
#define SPTRSV_FACTOR_PUBLIC_H

/* Kind of an incomplete factorization */
typedef enum {
  SPTRSV_ILU0, /* A = L U on the pattern of A, with levels of fill ILU(k) */
  SPTRSV_ICC0  /* A = U^T D U on the pattern of A's upper triangle, ICC(k); reads only that triangle; stored as L = U^T and D U */
} SptrsvFactorKind;

/* Entries of the factor that A lacks.  All zero: ILU(0) and ICC(0). */
typedef struct {
  int64_t levels;   /* (i,j) is kept if its level, min over k of lev(i,k) + lev(k,j) + 1 with 0 for entries of A, is not above this */
  int     diagonal; /* not 0: diagonal entries that the factor's pattern lacks are of level 0, too */
} SptrsvFill;

/* What a numeric factorization does about small pivots */
typedef enum {
  SPTRSV_SHIFT_NONE,              /* report a small pivot and continue */
  SPTRSV_SHIFT_NONZERO,           /* restart with a shift of the whole diagonal, doubled each time, until no pivot is small */
  SPTRSV_SHIFT_POSITIVE_DEFINITE, /* restart with a shift by Manteuffel's rule, until every pivot is positive */
  SPTRSV_SHIFT_INBLOCKS           /* shift small pivots only */
} SptrsvShift;

/* Meaning and arithmetic are PETSc's -pc_factor_shift_type, -pc_factor_shift_amount and -pc_factor_zeropivot. */
typedef struct {
  SptrsvShift shift;
  double      shift_amount; /* NONZERO, INBLOCKS */
  double      zero_pivot;   /* pivots up to this size count as zero; NONZERO, POSITIVE_DEFINITE: relative to the row's other entries */
  int         in_order;     /* of sptrsvFactorCreateBlocks(); not 0: the rows of a pivot block are not exchanged */
} SptrsvPivoting;

/* Outcome of sptrsvFactorNumeric() */
typedef struct {
  int64_t zero_pivot_row; /* row of the factor (after permutation) with a zero pivot that no shift cured: the last such row without
                             shifts, any such row with shifts; -1: none */
  double  zero_pivot;     /* that pivot; of a complex one the modulus, with the sign of the real part */
  double  shift_amount;   /* shift of the diagonal in the final factorization */
  int     shifts;         /* number of restarts */
} SptrsvFactorResult;

/*
   sptrsvFactorCreate - Symbolic factorization: the factor's pattern, its analysis, and the source in A of each of its values.

   Input:
     A         - pattern, on the device only if `location` is, and complete there; columns in any order; ICC0 reads only the upper
                 triangle of the permuted matrix
     kind      - ILU0 or ICC0
     row_perm  - host [rows], row i of the factor is row row_perm[i] of A; NULL: natural
     col_iperm - host [rows], column j of A is column col_iperm[j] of the factor; NULL: natural; ICC0: the inverse of row_perm
     fill      - NULL: none
     type      - type of the values
     location  - memory of the values, and place of the work

   Errors: INVALID_ARGUMENT (also: an array is not a permutation, a negative level), UNSORTED (an entry stored twice), MISSING_DIAGONAL
   with the row of the factor, in which there is no fill either, in *missing (may be NULL), WRONG_MEMORY (the pattern is on the device,
   the factor on the host), TOO_LARGE (also: because of fill), OUT_OF_MEMORY, NO_DEVICE, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvFactorCreate(const SptrsvCsr *A, SptrsvFactorKind kind, const int32_t *row_perm, const int32_t *col_iperm,
                                           const SptrsvFill *fill, SptrsvValueType type, SptrsvLocation location, int64_t *missing,
                                           SptrsvFactor *factor);

/* sptrsvFactorAlgorithmGet - The k-th algorithm of the factorization on the device, k = 0, 1, …, or NULL past the last; "auto" takes the
   first that suits a pattern best (doc/algorithms/factorization.md). */
SPTRSV_API const SptrsvAlgorithm *sptrsvFactorAlgorithmGet(int k);

/* sptrsvFactorAlgorithmFind - The one of this name, or NULL. */
SPTRSV_API const SptrsvAlgorithm *sptrsvFactorAlgorithmFind(const char *name);

/*
   sptrsvFactorTune - Chooses the algorithm of the factorization on the device: tuning->factor, and tuning->ata for ata.

   All algorithms give the same factor up to rounding.  The choice holds until the next call that succeeds.  Whether the pattern suits it
   shows in sptrsvFactorSetSweep(), or else in the first sptrsvFactorNumeric().
   Errors: INVALID_ARGUMENT (a value is out of range); UNKNOWN_NAME; NOT_SUPPORTED (the host has one algorithm only, or it is
   not for this type of values); OUT_OF_MEMORY, TOO_LARGE, STALLED, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvFactorTune(SptrsvFactor factor, const SptrsvTuning *tuning);

/*
   sptrsvFactorSetSweep - Lends the factorization on the device the plan that solves with the factor's lower triangle, and sets it up.

   Where pivots are all that there is to compute, as in 5- and 7-point stencils, strips, levelorder and levelset can factor with their plan.

   Input:
     lower - a plan of the factor's analysis, triangle LOWER, not transposed, diagonal UNIT, of the factor's type, without out_perm; such a
             plan of its block analysis is not lent, but the factorization set up, nor does one of SPTRSV_PRECISION_SINGLE factor; NULL:
             none, and nothing is set up

   The plan is lent until the next call, also a failing one, after which there is none.  It must not be destroyed before.
   sptrsvFactorNumeric() then overwrites its values, so sptrsvPlanUpdate() is to follow, as always, and counts as a use of the plan: no
   solve of it may be under way in another stream.  sptrsvPlanGetStatus() tells if a factorization by it gave up.
   Errors: INVALID_ARGUMENT (another kind of plan); NOT_SUPPORTED (the algorithm that was asked for is not for this pattern, or not for
   this plan); OUT_OF_MEMORY, TOO_LARGE, STALLED, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvFactorSetSweep(SptrsvFactor factor, SptrsvPlan lower);

/* sptrsvFactorGetAlgorithm - The table's row for the algorithm in use; NULL: it is not chosen yet, or the host's. */
SPTRSV_API SptrsvStatus sptrsvFactorGetAlgorithm(SptrsvFactor factor, const SptrsvAlgorithm **algorithm);

/* sptrsvFactorDescribe - The factorization's algorithm, counts and sizes in one line, cut at size - 1 characters. */
SPTRSV_API SptrsvStatus sptrsvFactorDescribe(SptrsvFactor factor, char *text, size_t size);

/*
   sptrsvFactorNumeric - Numeric factorization of the values of A, which are not changed.

   All values stay in the factor's memory; on the device only a status word, and a zero pivot if there is one, are copied to the host.
   The function allocates nothing, except A's row pointers at the first positive definite shift of a permuted factor, and what
   sptrsvFactorSetSweep() would have if it was not called since sptrsvFactorCreate() or sptrsvFactorTune().

   Input:
     values   - values of A in the order of its pattern [nnz], in the factor's memory
     pivoting - pivot tests and shifts; NULL: no shifts, and only zero is a zero pivot

   A zero pivot is not an error: `result` reports it, and the factor then holds Inf or NaN.  `result` may be NULL.  The function
   synchronizes the stream.
   Errors: INVALID_ARGUMENT, NOT_SUPPORTED, TOO_LARGE, OUT_OF_MEMORY, STALLED, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvFactorNumeric(SptrsvFactor factor, const void *values, const SptrsvPivoting *pivoting, SptrsvStream stream,
                                            SptrsvFactorResult *result);

/*
   sptrsvFactorNumericPlans - As sptrsvFactorNumeric(), and gives the factor's values to plans, as sptrsvPlanUpdate() does.

   On the device that takes less time than one after the other: the updates are in the stream before the host waits for the pivots, and may
   be under way when the function returns.

   Input:
     plan - [plans] of the factor's analysis or of its block analysis, in the factor's memory; NULL among them are left out

   After an error no plan has values.
   Errors: as sptrsvFactorNumeric(); INVALID_ARGUMENT (a plan of another analysis).
*/
SPTRSV_API SptrsvStatus sptrsvFactorNumericPlans(SptrsvFactor factor, const void *values, const SptrsvPivoting *pivoting, int plans,
                                                 const SptrsvPlan *plan, SptrsvStream stream, SptrsvFactorResult *result);

/* sptrsvFactorGetAnalysis - The analysis of the factor's pattern, for sptrsvPlanCreate(); owned by the factor. */
SPTRSV_API SptrsvStatus sptrsvFactorGetAnalysis(SptrsvFactor factor, SptrsvAnalysis *analysis);

/* sptrsvFactorGetValues - Multipliers of the unit lower triangle, inverted pivots, upper triangle, in the order of the factor's pattern
   [nnz of the factor], in the factor's memory; owned by the factor, overwritten by the next sptrsvFactorNumeric(). */
SPTRSV_API SptrsvStatus sptrsvFactorGetValues(SptrsvFactor factor, const void **values);

/* sptrsvFactorGetInvertedPivots - Copies these to `inverted` [rows], in the factor's memory and in the order of its rows, in the stream.
   Errors: INVALID_ARGUMENT, CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvFactorGetInvertedPivots(SptrsvFactor factor, void *inverted, SptrsvStream stream);

/* SptrsvFactorCounts - What sptrsvFactorGetCounts() finds. */
typedef struct {
  int64_t lower, upper; /* entries left and right of the diagonal */
  int64_t products;     /* multiplications with a subtraction, of a factorization of whole rows */
} SptrsvFactorCounts;

/* sptrsvFactorMatches - Whether sptrsvFactorCreate() got the pattern of A: *matches is 1 or 0.  A is as there; on either memory.  Errors:
   INVALID_ARGUMENT, TOO_LARGE, OUT_OF_MEMORY, NO_DEVICE, CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvFactorMatches(SptrsvFactor factor, const SptrsvCsr *A, int *matches);

/* sptrsvFactorGetCounts - Sizes of the factor's pattern, counted where the factor is.  Errors: INVALID_ARGUMENT, OUT_OF_MEMORY,
   CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvFactorGetCounts(SptrsvFactor factor, SptrsvFactorCounts *counts);

/* sptrsvFactorGetPattern - The factor's pattern: host arrays row_ptr [rows + 1] and col_idx [nnz], owned by the factor.  A pattern that was
   on the device only is copied.  Errors: INVALID_ARGUMENT, OUT_OF_MEMORY, CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvFactorGetPattern(SptrsvFactor factor, int64_t *rows, int64_t *nnz, const int32_t **row_ptr,
                                               const int32_t **col_idx);

/* sptrsvFactorGetMemory - Bytes held on the host and on the device, with the analysis, without memory inside CUDA and cuSPARSE. */
SPTRSV_API SptrsvStatus sptrsvFactorGetMemory(SptrsvFactor factor, size_t *host, size_t *device);

/* sptrsvFactorDestroy - Frees a factor with its analysis and sets the handle to NULL; NULL is allowed.  No plan may use it any more.
   Errors: INVALID_ARGUMENT (the address is NULL). */
SPTRSV_API SptrsvStatus sptrsvFactorDestroy(SptrsvFactor *factor);

/* ------------------------------------------------- blocks of unknowns -------------------------------------------------- */

/* Blocks are consecutive rows of the factor with equal patterns, whose block on the diagonal is therefore dense. */
typedef struct {
  int64_t rows;        /* in blocks of two rows or more */
  int     least, most; /* rows of such a block; 0: there is none */
  int     worth;       /* whether sweeps by blocks are worth it: at least half of all rows are in them */
} SptrsvBlocks;

/*
   sptrsvFactorFindBlocks - Finds blocks in the factor's pattern, for solves by blocks on the device (doc/algorithms/blocks.md).

   With unit lower triangle L and upper triangle U, which have the blocks L_i and U_i on their diagonals:

     L^-1 b = diag(L_i^-1) Lb^-1 b                           sptrsvSolve() with a plan of Lb, then sptrsvFactorSolveBlocks(), BLOCKS_L
     U^-1 b = Ub^-1 diag(U_i^-1) b                           that with BLOCKS_U, then a plan of Ub
     (L U)^-1 b = Ub^-1 diag(U_i^-1 L_i^-1) Lb^-1 b          a plan of Lb, BLOCKS_LU, a plan of Ub

   Lb and Ub are the triangles, with unit diagonals, of sptrsvFactorGetBlockAnalysis() with values of sptrsvFactorGetBlockValues().  They
   have no entries inside of blocks, so that rows of a block do not wait for each other.  Transposed solves go backwards through the same.

   Input:
     size - rows of the blocks into which more rows with equal patterns are cut, the last one smaller; 0, or too many: SPTRSV_BLOCK_ROWS;
            1: no blocks, and what was found before is freed

   A block of which a row below has some columns and not all becomes single rows.  Of complex values on the device no blocks are found.  No
   plan of an earlier block analysis may be left.  This is a part of the set-up, as is sptrsvFactorGetBlockAnalysis(): both work in the
   legacy stream, and are complete when they return.
   Errors: INVALID_ARGUMENT; NOT_SUPPORTED (the factor is on the host, and not one of blocks); OUT_OF_MEMORY, CUDA_ERROR.
*/
SPTRSV_API SptrsvStatus sptrsvFactorFindBlocks(SptrsvFactor factor, int size, SptrsvBlocks *blocks);

/* sptrsvFactorGetBlockAnalysis - The analysis of Lb and Ub, for sptrsvPlanCreate() with diagonal UNIT; owned by the factor, made at the
   first request.  Errors: INVALID_ARGUMENT; NOT_SUPPORTED; NOT_READY (blocks were not looked for); OUT_OF_MEMORY, CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvFactorGetBlockAnalysis(SptrsvFactor factor, SptrsvAnalysis *analysis);

/* sptrsvFactorGetBlockValues - Makes the values of Lb and Ub, and the inverses, of the last sptrsvFactorNumeric(), in the stream, without
   synchronization or allocation.  *values is in the order of the block analysis's pattern, for sptrsvPlanUpdate(); owned by the factor,
   overwritten by the next call.  Errors: INVALID_ARGUMENT; NOT_SUPPORTED; NOT_READY (there is no block analysis); CUDA_ERROR. */
SPTRSV_API SptrsvStatus sptrsvFactorGetBlockValues(SptrsvFactor factor, SptrsvStream stream, const void **values);

/* Inverses of diagonal blocks */
typedef enum {
  SPTRSV_BLOCKS_L,
  SPTRSV_BLOCKS_U,
  SPTRSV_BLOCKS_LU /* first L's, then U's; transposed first U's */
} SptrsvBlockPart;

/* sptrsvFactorSolveBlocks - Multiplies b by them, or by their transposes: b and x in the factor's memory [rows], which may be the same, in
   the stream.  A solve just before and sptrsvSolveNext() just after it overlap with it as with each other.
   Errors: INVALID_ARGUMENT; NOT_SUPPORTED; NOT_READY (there are no block values); CUDA_ERROR; OUT_OF_MEMORY (of sptrsvFactorCreateBlocks()
   with ICC0). */
SPTRSV_API SptrsvStatus sptrsvFactorSolveBlocks(SptrsvFactor factor, SptrsvBlockPart part, SptrsvOperation op, const void *b, void *x,
                                                SptrsvStream stream);

/* How a matrix of square blocks is stored */
typedef struct {
  int rows;   /* of a block: 2 to SPTRSV_BLOCK_ROWS */
  int upper;  /* not 0: the blocks on and above the diagonal, and the others are their transposes */
  int points; /* not 0: entry by entry, row by row; a block that has one has zeros where others are missing; `upper` is 0 */
} SptrsvBlockStorage;

/*
   sptrsvFactorCreateBlocks - Symbolic factorization by blocks: the blocks take the place of entries, D_i that of pivots.

     ILU0: A = L D U with unit blocks on the diagonals of L and U;   ICC0: A = U^T D U

   Input: as of sptrsvFactorCreate(), but
     A, fill, row_perm, col_iperm - are of blocks, and so is *missing; with `points` A is of entries, and on either memory
     storage                      - how A is stored, which sptrsvFactorNumeric() takes as [nnz][rows * rows], each block column by column,
                                    or with `points` as [nnz]

   sptrsvFactorNumeric() inverts the pivot blocks by elimination with exchanges of their rows.  A zero pivot there gets shift_amount, times
   a quarter of the sum of the block's absolute diagonal entries, with SHIFT_INBLOCKS, unless it is the block's last.  NONZERO and
   POSITIVE_DEFINITE are not supported.  The zero pivot in its result is the first one.

   Solves go by blocks, in the terms of sptrsvFactorFindBlocks(): all rows are in blocks, whatever the size asked for, Lb and Ub are L and
   U, and U_i^-1 L_i^-1 is D_i^-1.  With ILU0 L_i is the unit block.  With ICC0 L_i and U_i are the transposes of each other; BLOCKS_L and
   BLOCKS_U are not supported if one D_i is not positive definite, and on the device the first of them after a factorization waits for it.

   On the host sptrsvFactorGetBlockAnalysis() is of blocks: they are what its statistics count, and its values are [nnz][rows * rows],
   column by column.  Plans of it have vectors of all rows, and permutations of these that keep each block together; algorithms of the trait
   SPTRSV_BLOCKS take it.  On the device it is of entries, as for any factor, and so are its values.  sptrsvFactorGetPattern() is of blocks;
   sptrsvFactorGetCounts() counts entries of blocks.  There are no sptrsvFactorGetAnalysis(), sptrsvFactorGetValues() and
   sptrsvFactorGetInvertedPivots().

   Errors: as there, also INVALID_ARGUMENT (blocks that do not divide the rows); NOT_SUPPORTED (on the device: complex values; a row of
   more blocks than 255, or than its multiprocessors' shared memory holds).
*/
SPTRSV_API SptrsvStatus sptrsvFactorCreateBlocks(const SptrsvCsr *A, const SptrsvBlockStorage *storage, SptrsvFactorKind kind,
                                                 const int32_t *row_perm, const int32_t *col_iperm, const SptrsvFill *fill,
                                                 SptrsvValueType type, SptrsvLocation location, int64_t *missing, SptrsvFactor *factor);

#endif
