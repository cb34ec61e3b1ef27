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
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(vecs); k++) PetscCall(VecDestroy(vecs[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL is the natural permutation */
PetscErrorCode SyncFreePermutationsEqual(PetscInt n, const int32_t *a, const int32_t *b, PetscBool *same)
{
  PetscFunctionBegin;
  *same = (PetscBool)(!a == !b);
  if (a && b) PetscCall(PetscMemcmp(a, b, n * sizeof(*a), same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a permutation of blocks, or its inverse, out of one of rows, which keeps those of a block together; the caller frees it.  What is
   none has an inverse with -1 in it, which the kernel library refuses. */
static PetscErrorCode SyncFreePermutationOfBlocks(SyncFreeEngine e, const int32_t *perm, PetscBool invert, int32_t **blocks)
{
  const PetscInt rows = e->storage.rows;

  PetscFunctionBegin;
  if (!perm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(e->n / rows, blocks));
  for (PetscInt k = 0; k < e->n; k += rows) (*blocks)[k / rows] = invert ? -1 : (int32_t)(perm[k] / rows);
  for (PetscInt k = 0; k < e->n && invert; k += rows) {
    if (perm[k] >= 0 && perm[k] < e->n) (*blocks)[perm[k] / rows] = (int32_t)(k / rows);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the factor's pattern; missing: as of sptrsvFactorCreate() */
static PetscErrorCode SyncFreeEngineCreateFactor(SyncFreeEngine e, Mat A, int64_t *missing, SptrsvStatus *status)
{
  SptrsvCsr csr;
  int32_t  *row = NULL, *icol = NULL;

  PetscFunctionBegin;
  PetscCall(SyncFreePermutationOfBlocks(e, e->row, PETSC_FALSE, &row));
  PetscCall(SyncFreePermutationOfBlocks(e, e->col, PETSC_TRUE, &icol));
  PetscCall(SyncFreeMatGetPattern(A, e, &csr));
  e->nz = (PetscInt)csr.nnz;
  PetscCall(PetscLogEventBegin(SyncFree_Symbolic, A, 0, 0, 0));
  if (e->storage.rows > 1)
    *status = sptrsvFactorCreateBlocks(&csr, &e->storage, e->kind, row, icol, &e->fill, SYNCFREE_VALUE, e->location, missing, &e->factor);
  else *status = sptrsvFactorCreate(&csr, e->kind, row, icol, &e->fill, SYNCFREE_VALUE, e->location, missing, &e->factor);
  PetscCall(PetscLogEventEnd(SyncFree_Symbolic, A, 0, 0, 0));
  PetscCall(SyncFreeMatRestorePattern(A, e, &csr));
  PetscCall(PetscFree(row));
  PetscCall(PetscFree(icol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the vector between the sweeps, and finds the factor's pattern */
static PetscErrorCode SyncFreeEngineAnalyse(SyncFreeEngine e, Mat A, const int32_t row[], const int32_t col[], PetscInt *missing)
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
  e->n = A->rmap->n;
  if (row) PetscCall(PetscMalloc1(e->n, &e->row));
  if (col) PetscCall(PetscMalloc1(e->n, &e->col));
  PetscCall(PetscArraycpy(e->row, row, row ? e->n : 0));
  PetscCall(PetscArraycpy(e->col, col, col ? e->n : 0));
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
  PetscCallSptrsv(sptrsvFactorGetCounts(e->factor, &e->counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SyncFreeEngineCreate - Makes F's engine: analyses the pattern of A, which is F's matrix or the AIJ copy of it.

   Output Parameter:
.  missing - row of A without a diagonal entry; otherwise -1.  Then, and after an error, F has no engine.
*/
PetscErrorCode SyncFreeEngineCreate(Mat F, Mat A, PetscInt *missing)
{
  Mat_SyncFree  *f = (Mat_SyncFree *)F->data;
  SyncFreeEngine e;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *missing = -1;
  PetscCall(PetscNew(&e));
  e->refct    = 1;
  e->kind     = SyncFreeKind(F);
  e->storage  = f->storage;
  e->fill     = f->fill;
  e->location = f->location;
  ierr        = SyncFreeEngineAnalyse(e, A, f->row, f->col, missing);
  if (ierr || *missing >= 0) (void)SyncFreeEngineDestroy(&e);
  f->engine = e;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells whether F has the engine that SyncFreeEngineCreate() would make */
PetscErrorCode SyncFreeEngineMatches(Mat F, Mat A, PetscBool *same)
{
  Mat_SyncFree  *f = (Mat_SyncFree *)F->data;
  SyncFreeEngine e = f->engine;
  SptrsvCsr      csr;
  SptrsvStatus   status;
  PetscInt       bs;
  PetscBool      kokkos;
  int            matches;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &kokkos));
  *same = (PetscBool)(e && e->factor && e->kind == SyncFreeKind(F) && e->location == f->location && e->n == A->rmap->n &&
                      e->fill.levels == f->fill.levels && e->fill.diagonal == f->fill.diagonal);
  if (*same) PetscCall(PetscMemcmp(&e->storage, &f->storage, sizeof(f->storage), same));
  if (*same && SyncFreeOnDevice(e)) *same = (PetscBool)(e->bs == bs && e->kokkos == kokkos);
  if (*same) PetscCall(SyncFreePermutationsEqual(e->n, e->row, f->row, same));
  if (*same) PetscCall(SyncFreePermutationsEqual(e->n, e->col, f->col, same));
  if (*same) {
    PetscCall(SyncFreeMatGetPattern(A, e, &csr));
    status = sptrsvFactorMatches(e->factor, &csr, &matches);
    PetscCall(SyncFreeMatRestorePattern(A, e, &csr));
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
