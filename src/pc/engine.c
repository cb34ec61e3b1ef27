/*
   The engine: the kernel library's handles for one pattern, and the data to decide whether they can be reused.
*/
#include "syncfreeimpl.h"
#if PetscDefined(HAVE_HIP)
  #include <petscdevice_hip.h>
#elif PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

static const char *SyncFreeLocationName(SptrsvLocation location)
{
  return location == SPTRSV_DEVICE ? "GPU" : "host";
}

static PetscBool SyncFreeRunsOn(const char name[], SptrsvLocation location)
{
  return (PetscBool)(name == SyncFreeAuto || sptrsvAlgorithmFind(name, location));
}

/*
   SyncFreeGetLocation - The memory of the engine that these algorithms and this matrix need

   Output Parameter:
.  where - for the view: why the GPU is not used although the matrix has a GPU type; otherwise ""
*/
PetscErrorCode SyncFreeGetLocation(Mat A, const SyncFreeOptions *options, SptrsvLocation *location, const char **where)
{
  const char     *lower = options->name[SYNCFREE_LOWER], *upper = options->name[SYNCFREE_UPPER];
  const PetscBool lowerhost = SyncFreeRunsOn(lower, SPTRSV_HOST), lowergpu = SyncFreeRunsOn(lower, SPTRSV_DEVICE);
  const PetscBool upperhost = SyncFreeRunsOn(upper, SPTRSV_HOST), uppergpu = SyncFreeRunsOn(upper, SPTRSV_DEVICE);
  const PetscBool host = (PetscBool)(lowerhost && upperhost), device = (PetscBool)(lowergpu && uppergpu);
  const char     *some    = !lowerhost || !lowergpu ? lower : upper; /* an algorithm for one memory only, if there is one */
  PetscBool       gputype = PETSC_FALSE, kokkos = PETSC_FALSE, bound = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCheck(host || device, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Algorithm %s runs on the %s but algorithm %s on the %s; choose two for the same memory", lower,
             SyncFreeLocationName(lowergpu ? SPTRSV_DEVICE : SPTRSV_HOST), upper,
             SyncFreeLocationName(uppergpu ? SPTRSV_DEVICE : SPTRSV_HOST));
  if (SYNCFREE_HAVE_GPU) PetscCall(PetscObjectTypeCompare((PetscObject)A, SYNCFREE_MATSEQAIJGPU, &gputype));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &kokkos));
  PetscCall(MatBoundToCPU(A, &bound));
  *location = SPTRSV_HOST;
  *where    = "";
  if (!device) *where = gputype ? "although the matrix has a GPU type: a host algorithm was chosen" : "";
  else if (kokkos) *where = "although the matrix has a GPU type: only " SYNCFREE_MATAIJGPU " uses the GPU";
  else if (gputype && bound) *where = "although the matrix has a GPU type: it is bound to the CPU";
  else if (gputype && sptrsvDeviceCount() < 1) *where = "although the matrix has a GPU type: there is no usable GPU";
  else if (gputype) *location = SPTRSV_DEVICE;
  PetscCheck(host || gputype, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Algorithm %s runs on the GPU but the matrix has type %s; use -mat_type " SYNCFREE_MATAIJGPU
             " (with a DM: -dm_mat_type " SYNCFREE_MATAIJGPU ")",
             some, ((PetscObject)A)->type_name);
  PetscCheck(host || *location == SPTRSV_DEVICE, PETSC_COMM_SELF, bound ? PETSC_ERR_ARG_INCOMP : PETSC_ERR_GPU,
             "Algorithm %s runs on the GPU but %s; use a host algorithm, like -pc_syncfree_algorithm host", some,
             bound ? "the matrix is bound to the CPU" : "there is no usable GPU");
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscCall(VecSetType(*v, SyncFreeOnDevice(engine) ? SYNCFREE_VECSEQGPU : VECSEQ));
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

/* Converts an ordering to 32-bit indices; leaves *perm NULL for the natural ordering */
static PetscErrorCode SyncFreePermutation(IS is, PetscInt n, int32_t **perm)
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

/* Gets how A is stored for a factorization by blocks; blocks of one row mean one by points */
PetscErrorCode SyncFreeGetStorage(Mat A, const SyncFreeOptions *options, SptrsvBlockStorage *storage)
{
  PetscBool aij, sbaij;
  PetscInt  bs;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  PetscCall(MatGetBlockSize(A, &bs));
  *storage = (SptrsvBlockStorage){.rows = 1};
  if (aij && !options->tuning.factor.blocks) PetscFunctionReturn(PETSC_SUCCESS);
  if (aij && options->tuning.factor.blocks > 1) bs = options->tuning.factor.blocks;
  PetscCheck(!aij || (bs <= SPTRSV_BLOCK_ROWS && A->rmap->n % bs == 0), PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "-pc_syncfree_factor_blocks cuts %" PetscInt_FMT " rows into blocks of at most %d, but not into blocks of %" PetscInt_FMT,
             A->rmap->n, SPTRSV_BLOCK_ROWS, bs);
  if (bs > 1 && bs <= SPTRSV_BLOCK_ROWS) *storage = (SptrsvBlockStorage){.rows = (int)bs, .upper = sbaij, .points = aij};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets A's pattern for the kernel library, to be given back; from the GPU if it is factored there, by rows only in natural order */
static PetscErrorCode SyncFreeMatGetPattern(Mat A, SyncFreeEngine engine, SptrsvCsr *csr)
{
  const PetscBool      natural  = (PetscBool)(!engine->row && !engine->col);
  const SptrsvLocation location = (natural || engine->storage.points) && engine->n ? engine->location : SPTRSV_HOST;
  const PetscInt      *i, *j;
  PetscInt             n;
  PetscBool            done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, SyncFreeStoresBlocks(engine), &n, &i, &j, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "Matrix of type %s does not give its rows", ((PetscObject)A)->type_name);
  *csr = (SptrsvCsr){n, i[n], i, j, SYNCFREE_INDEX, location};
#if SYNCFREE_HAVE_GPU
  if (location == SPTRSV_DEVICE) {
    PetscDeviceContext context;

    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
    PetscCall(SyncFreeMatGetIJ(A, PETSC_FALSE, &i, &j));
    csr->row_ptr = i;
    csr->col_idx = j;
    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextSynchronize(context)); /* which may still be copying the arrays */
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SyncFreeMatRestorePattern(Mat A, SyncFreeEngine engine, SptrsvCsr *csr)
{
  const PetscInt *i = (const PetscInt *)csr->row_ptr, *j = (const PetscInt *)csr->col_idx;
  PetscInt        n = (PetscInt)csr->rows;
  PetscBool       done;

  PetscFunctionBegin;
#if SYNCFREE_HAVE_GPU
  if (csr->location == SPTRSV_DEVICE) PetscCall(SyncFreeMatRestoreIJ(A, PETSC_FALSE, &i, &j));
#endif
  if (csr->location == SPTRSV_HOST)
    PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, SyncFreeStoresBlocks(engine), &n, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks that a permutation of rows keeps those of a block together */
static PetscErrorCode SyncFreeCheckKeepsBlocks(const int32_t *perm, PetscInt n, int rows)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; perm && k < n; k++)
    PetscCheck(perm[k] % rows == k % rows && perm[k] - perm[k - k % rows] == k % rows, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The ordering cuts blocks of %d rows; order blocks, or factor entry by entry", rows);
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
  PetscCall(SyncFreeCheckKeepsBlocks(e->row, e->n, e->storage.rows));
  PetscCall(SyncFreeCheckKeepsBlocks(e->col, e->n, e->storage.rows));
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

/* Finds the factor's pattern, and makes the vector between the sweeps */
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
  PetscCall(MatGetBlockSize(A, &e->bs));
  PetscCheck(A->rmap->n < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " rows on one process are more than SyncFree's 32-bit indices hold; use more processes", A->rmap->n);
  e->n = A->rmap->n;
  PetscCall(SyncFreePermutation(row, e->n, &e->row));
  PetscCall(SyncFreePermutation(col, e->n, &e->col));
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
  PetscCall(SyncFreeEngineNeedVec(e, 1, &e->work));
  PetscCall(VecGetArrayWriteAndMemType(e->work, &e->w, &mtype)); /* held until destruction, to keep this call out of solves */
  PetscCheck(PetscMemTypeDevice(mtype) == SyncFreeOnDevice(e) || !e->n, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "Work vector is in the wrong memory");
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
  int          matches;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  *same = (PetscBool)(engine && engine->factor && engine->kind == kind && engine->location == location && engine->n == A->rmap->n &&
                      engine->fill.levels == fill.levels && engine->fill.diagonal == fill.diagonal);
  if (*same) PetscCall(PetscMemcmp(&engine->storage, &storage, sizeof(storage), same));
  if (location == SPTRSV_DEVICE && engine && engine->bs != bs) *same = PETSC_FALSE;
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
  for (PetscInt k = 0; k < SYNCFREE_PLANS; k++) {
    if (e->plan[k]) PetscCallSptrsv(sptrsvPlanDestroy(&e->plan[k])); /* before the factor: plans refer to its analysis */
  }
  if (e->factor) PetscCallSptrsv(sptrsvFactorDestroy(&e->factor));
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
