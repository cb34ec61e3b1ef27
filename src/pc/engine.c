/*
   The engine: the kernel library's handles for one pattern, and the data to decide whether they can be reused.
*/
#include "syncfreeimpl.h"
#if PetscDefined(HAVE_HIP)
  #include <petscdevice_hip.h>
#elif PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

/*
   SyncFreeEngineBegin - Gets PETSc's current stream, for work with the engine

   Note:
   PETSc's own vector operations run in the legacy stream, whatever the current one is, and the engine may have been used in another
   stream before.  So all work of the kernel library with the engine's factor and plans comes between this function and
   SyncFreeEngineEnd(), also after an error, and no work of PETSc's does.
*/
PetscErrorCode SyncFreeEngineBegin(SyncFreeEngine engine, SptrsvStream *stream)
{
  PetscFunctionBegin;
  *stream = NULL;
  if (!SyncFreeOnDevice(engine)) PetscFunctionReturn(PETSC_SUCCESS);
#if PetscDefined(HAVE_HIP)
  PetscCall(PetscGetCurrentHIPStream(stream));
#elif PetscDefined(HAVE_CUDA)
  PetscCall(PetscGetCurrentCUDAStream(stream));
#endif
  PetscCallSptrsv(sptrsvUsesBegin(engine->uses, *stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeEngineEnd(SyncFreeEngine engine, SptrsvStream stream)
{
  PetscFunctionBegin;
  if (SyncFreeOnDevice(engine)) PetscCallSptrsv(sptrsvUsesEnd(engine->uses, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a vector for so many columns in the engine's memory, unless *v is one already */
PetscErrorCode SyncFreeEngineNeedVec(SyncFreeEngine engine, PetscInt columns, Vec *v)
{
  PetscFunctionBegin;
  if (*v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCreate(PETSC_COMM_SELF, v));
  PetscCall(VecSetSizes(*v, columns * engine->n, columns * engine->n));
  PetscCall(VecSetType(*v, engine->kokkos ? VECSEQKOKKOS : SyncFreeOnDevice(engine) ? SYNCFREE_VECSEQGPU : VECSEQ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Destroys the vectors that are made when first needed.  After an error one may be half made, or locked by a function of PETSc's. */
PetscErrorCode SyncFreeEngineDropVecs(SyncFreeEngine engine)
{
  Vec *const vecs[] = {&engine->between, &engine->in, &engine->out, &engine->root};

  PetscFunctionBegin;
  engine->rootready = PETSC_FALSE;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(vecs); k++) PetscCall(VecDestroy(vecs[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells whether a permutation, NULL being the natural one, is that of `is`.  ISIdentity() cannot tell: it says what was so before
   MatReorderForNonzeroDiagonal() wrote into the indices.  So they are read, but for a stride, which has none that could be written. */
static PetscErrorCode SyncFreePermutationMatches(const int32_t *perm, IS is, PetscInt n, PetscBool *same)
{
  const PetscInt *idx;
  PetscInt        first, step;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)is, ISSTRIDE, same));
  if (*same && !perm) {
    PetscCall(ISStrideGetInfo(is, &first, &step));
    *same = (PetscBool)(first == 0 && step == 1);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *same = PETSC_TRUE;
  PetscCall(ISGetIndices(is, &idx));
  for (PetscInt k = 0; k < n && *same; k++) *same = (PetscBool)((perm ? perm[k] : k) == idx[k]);
  PetscCall(ISRestoreIndices(is, &idx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Converts an ordering, which keeps the rows of a block together, to 32-bit indices; leaves *perm NULL for the natural ordering */
static PetscErrorCode SyncFreePermutation(IS is, PetscInt n, int rows, int32_t **perm)
{
  const PetscInt *idx;
  PetscBool       natural;

  PetscFunctionBegin;
  PetscCall(SyncFreePermutationMatches(NULL, is, n, &natural));
  if (natural) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, perm));
  PetscCall(ISGetIndices(is, &idx));
  for (PetscInt k = 0; k < n; k++) (*perm)[k] = (int32_t)idx[k];
  PetscCall(ISRestoreIndices(is, &idx));
  for (PetscInt k = 0; k < n; k++)
    PetscCheck((*perm)[k] % rows == k % rows && (*perm)[k] - (*perm)[k - k % rows] == k % rows, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The ordering cuts blocks of %d rows; order blocks, or factor entry by entry", rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts entries and flops of the factor.  A factorization by rows, like PETSc's, takes 1 + 2 (entries of row k right of the
   diagonal) flops for each entry (i, k) of L, and 2 b - 1 in place of 1 by blocks of b rows.  ICC takes half of that,
   because it computes the upper half only. */
static PetscErrorCode SyncFreeEngineCount(SyncFreeEngine engine)
{
  SptrsvFactorCounts counts;

  PetscFunctionBegin;
  PetscCallSptrsv(sptrsvFactorGetCounts(engine->factor, &counts));
  engine->nzlower = (PetscLogDouble)counts.lower;
  engine->nzupper = (PetscLogDouble)counts.upper;
  engine->flops   = (2.0 * engine->storage.rows - 1.0) * (engine->n + engine->nzlower) + 2.0 * (PetscLogDouble)counts.products;
  if (engine->kind == SPTRSV_ICC0) engine->flops *= 0.5;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets such a permutation as one of blocks, which the caller frees; NULL: natural */
static PetscErrorCode SyncFreePermutationOfBlocks(SyncFreeEngine e, const int32_t *perm, int32_t **blocks)
{
  PetscFunctionBegin;
  if (perm) PetscCall(PetscMalloc1(e->n / e->storage.rows, blocks));
  for (PetscInt k = 0; perm && k < e->n; k += e->storage.rows) (*blocks)[k / e->storage.rows] = perm[k] / e->storage.rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inverts a permutation, in new memory; the result is -1 where it is none, which the kernel library refuses */
static PetscErrorCode SyncFreePermutationInvert(const int32_t *perm, PetscInt n, int32_t **inverse)
{
  PetscFunctionBegin;
  if (perm) PetscCall(PetscMalloc1(n, inverse));
  for (PetscInt k = 0; perm && k < n; k++) (*inverse)[k] = -1;
  for (PetscInt k = 0; perm && k < n; k++) {
    if (perm[k] >= 0 && perm[k] < n) (*inverse)[perm[k]] = (int32_t)k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the factor's pattern; missing: as of sptrsvFactorCreate() */
static PetscErrorCode SyncFreeEngineCreateFactor(SyncFreeEngine e, Mat A, int64_t *missing, SptrsvStatus *status)
{
  SptrsvCsr csr;
  int32_t  *row = NULL, *col = NULL, *icol = NULL;

  PetscFunctionBegin;
  PetscCall(SyncFreePermutationOfBlocks(e, e->row, &row));
  PetscCall(SyncFreePermutationOfBlocks(e, e->col, &col));
  PetscCall(SyncFreePermutationInvert(col, e->n / e->storage.rows, &icol));
  PetscCall(SyncFreeMatGetPattern(A, e, &csr));
  e->nz = (PetscInt)csr.nnz;
  PetscCall(PetscLogEventBegin(SyncFree_Symbolic, A, 0, 0, 0));
  if (e->storage.rows > 1)
    *status = sptrsvFactorCreateBlocks(&csr, &e->storage, e->kind, row, icol, &e->fill, SYNCFREE_VALUE, e->location, missing, &e->factor);
  else *status = sptrsvFactorCreate(&csr, e->kind, row, icol, &e->fill, SYNCFREE_VALUE, e->location, missing, &e->factor);
  PetscCall(PetscLogEventEnd(SyncFree_Symbolic, A, 0, 0, 0));
  PetscCall(SyncFreeMatRestorePattern(A, e, &csr));
  PetscCall(PetscFree(row));
  PetscCall(PetscFree(col));
  PetscCall(PetscFree(icol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the vector between the sweeps, and finds the factor's pattern */
static PetscErrorCode SyncFreeEngineAnalyse(SyncFreeEngine e, Mat A, IS row, IS col, PetscInt *missing)
{
  SptrsvStatus status = SPTRSV_SUCCESS;
  int64_t      bad    = -1;
  PetscMemType mtype;

  PetscFunctionBegin;
#if SYNCFREE_HAVE_GPU
  if (SyncFreeOnDevice(e)) PetscCall(PetscDeviceInitialize(PetscDefined(HAVE_HIP) ? PETSC_DEVICE_HIP : PETSC_DEVICE_CUDA));
#endif
  if (SyncFreeOnDevice(e)) PetscCallSptrsv(sptrsvUsesCreate(&e->uses));
  if (SyncFreeOnDevice(e)) PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &e->kokkos));
  PetscCall(MatGetBlockSize(A, &e->bs));
  PetscCheck(A->rmap->n < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " rows on one process are more than SyncFree's 32-bit indices hold; use more processes", A->rmap->n);
  e->n = A->rmap->n;
  PetscCall(SyncFreePermutation(row, e->n, e->storage.rows, &e->row));
  PetscCall(SyncFreePermutation(col, e->n, e->storage.rows, &e->col));
  /* PETSc's memory comes before that which set-ups keep */
  PetscCall(SyncFreeEngineNeedVec(e, 1, &e->work));
  PetscCall(VecGetArrayWriteAndMemType(e->work, &e->w, &mtype)); /* held until destruction, to keep this call out of solves */
  PetscCheck(PetscMemTypeDevice(mtype) == SyncFreeOnDevice(e) || !e->n, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Work vector is in the wrong memory");
  PetscCall(SyncFreeEngineCreateFactor(e, A, &bad, &status));
  if (status == SPTRSV_MISSING_DIAGONAL) {
    bad *= e->storage.rows;
    *missing = e->row ? e->row[bad] : (PetscInt)bad;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(status != SPTRSV_TOO_LARGE || !e->fill.levels, PETSC_COMM_SELF, SyncFreeErrorCode(status),
             "The factor has more entries than SyncFree's 32-bit indices hold; use a smaller -pc_factor_levels, or more processes");
  PetscCheck(status == SPTRSV_SUCCESS, PETSC_COMM_SELF, SyncFreeErrorCode(status), "Analysis of the pattern: %s",
             sptrsvGetErrorString(status));
  PetscCall(SyncFreeEngineCount(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SyncFreeEngineCreate - Analyses a pattern.

   Output Parameters:
+  missing - row of A without a diagonal entry; otherwise -1
-  engine  - the engine; NULL if a diagonal entry is missing, or after an error
*/
PetscErrorCode SyncFreeEngineCreate(Mat A, SptrsvFactorKind kind, SptrsvBlockStorage storage, SptrsvFill fill, SptrsvLocation location,
                                    IS row, IS col, PetscInt *missing, SyncFreeEngine *engine)
{
  SyncFreeEngine e;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *engine  = NULL;
  *missing = -1;
  PetscCall(PetscNew(&e));
  e->refct    = 1;
  e->kind     = kind;
  e->storage  = storage;
  e->fill     = fill;
  e->location = location;
  ierr        = SyncFreeEngineAnalyse(e, A, row, col, missing);
  if (ierr || *missing >= 0) (void)SyncFreeEngineDestroy(&e);
  *engine = e;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells whether SyncFreeEngineCreate() with these arguments would make the same engine */
PetscErrorCode SyncFreeEngineMatches(SyncFreeEngine engine, Mat A, SptrsvFactorKind kind, SptrsvBlockStorage storage, SptrsvFill fill,
                                     SptrsvLocation location, IS row, IS col, PetscBool *same)
{
  SptrsvCsr    csr;
  SptrsvStatus status;
  PetscInt     bs;
  PetscBool    kokkos;
  int          matches;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &kokkos));
  *same = (PetscBool)(engine && engine->factor && engine->kind == kind && engine->location == location && engine->n == A->rmap->n &&
                      engine->fill.levels == fill.levels && engine->fill.diagonal == fill.diagonal);
  if (*same) PetscCall(PetscMemcmp(&engine->storage, &storage, sizeof(storage), same));
  if (location == SPTRSV_DEVICE && engine && (engine->bs != bs || engine->kokkos != kokkos)) *same = PETSC_FALSE;
  if (*same) PetscCall(SyncFreePermutationMatches(engine->row, row, engine->n, same));
  if (*same) PetscCall(SyncFreePermutationMatches(engine->col, col, engine->n, same));
  if (*same) {
    PetscCall(SyncFreeMatGetPattern(A, engine, &csr));
    status = sptrsvFactorMatches(engine->factor, &csr, &matches);
    PetscCall(SyncFreeMatRestorePattern(A, engine, &csr));
    PetscCallSptrsv(status);
    *same = (PetscBool)matches;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeEngineDestroy(SyncFreeEngine *engine)
{
  SyncFreeEngine e = *engine;

  PetscFunctionBegin;
  *engine = NULL;
  if (!e || --e->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < SYNCFREE_PLANS; k++) PetscCallSptrsv(sptrsvPlanDestroy(&e->plan[k])); /* they refer to the factor's analysis */
  PetscCallSptrsv(sptrsvFactorDestroy(&e->factor));
  PetscCallSptrsv(sptrsvUsesDestroy(&e->uses));
  if (e->w) PetscCall(VecRestoreArrayWriteAndMemType(e->work, &e->w));
  PetscCall(VecDestroy(&e->work));
  PetscCall(SyncFreeEngineDropVecs(e));
  PetscCall(SyncFreeOptionsDestroy(&e->options));
  PetscCall(PetscFree(e->row));
  PetscCall(PetscFree(e->col));
  PetscCall(PetscFree(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
