/*
   What matrices are asked: the one to factor for the memory that its type uses, its pattern and its values, which are lent to the kernel
   library; a factored one for its pivots, its inertia and its pattern, and the answers are those of PETSc's own factors.
*/
#include "syncfreeimpl.h"
#include <petscdevice.h>

/* -------------------------------------------------- the matrix to factor ------------------------------------------------- */
/* Sets the memory of the engine that F's algorithms and A need */
PetscErrorCode SyncFreeGetLocation(Mat F, Mat A)
{
  Mat_SyncFree   *f      = (Mat_SyncFree *)F->data;
  const char     *name[] = {SyncFreeAlgorithm(&f->choice, SYNCFREE_LOWER), SyncFreeAlgorithm(&f->choice, SYNCFREE_UPPER)};
  const PetscBool ongpu  = (PetscBool)(sptrsvAlgorithmFind(name[0], SPTRSV_DEVICE) != NULL);
  const char     *some   = NULL;                          /* an algorithm for one memory only, if there is one */
  PetscBool       host = PETSC_TRUE, device = PETSC_TRUE; /* both sweeps can run there */
  PetscMemType    mtype = PETSC_MEMTYPE_HOST;
  PetscBool       kokkos, gputype, bound;

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    if (name[k] == SyncFreeAuto) continue;
    if (!sptrsvAlgorithmFind(name[k], SPTRSV_HOST)) host = PETSC_FALSE;
    if (!sptrsvAlgorithmFind(name[k], SPTRSV_DEVICE)) device = PETSC_FALSE;
    if (!some && !(host && device)) some = name[k];
  }
  PetscCheck(host || device, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Algorithm %s runs on the %s but algorithm %s on the %s; choose two for the same memory", name[0], ongpu ? "GPU" : "host",
             name[1], ongpu ? "host" : "GPU");
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &kokkos));
  if (kokkos) PetscCall(MatSeqAIJGetCSRAndMemType(A, NULL, NULL, NULL, &mtype)); /* as PETSc's Kokkos was built */
  PetscCall(PetscObjectTypeCompare((PetscObject)A, SYNCFREE_MATSEQAIJGPU, &gputype));
  gputype = (PetscBool)(SYNCFREE_HAVE_GPU && (gputype || PetscMemTypeDevice(mtype)));
  PetscCall(MatBoundToCPU(A, &bound));
  f->location = SPTRSV_HOST;
  f->where    = "";
  if (!device) f->where = gputype ? "although the matrix has a GPU type: a host algorithm was chosen" : "";
  else if (gputype && bound) f->where = "although the matrix has a GPU type: it is bound to the CPU";
  else if (gputype && sptrsvDeviceCount() < 1) f->where = "although the matrix has a GPU type: there is no usable GPU";
  else if (gputype) f->location = SPTRSV_DEVICE;
  PetscCheck(host || gputype, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Algorithm %s runs on the GPU but the matrix has type %s; use -mat_type " SYNCFREE_MATAIJGPU
             " (with a DM: -dm_mat_type " SYNCFREE_MATAIJGPU ")",
             some, ((PetscObject)A)->type_name);
  PetscCheck(host || f->location == SPTRSV_DEVICE, PETSC_COMM_SELF, bound ? PETSC_ERR_ARG_INCOMP : PETSC_ERR_GPU,
             "Algorithm %s runs on the GPU but %s; use a host algorithm, like -pc_syncfree_algorithm host", some,
             bound ? "the matrix is bound to the CPU" : "there is no usable GPU");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets how A is stored for F's factorization by blocks */
PetscErrorCode SyncFreeGetStorage(Mat F, Mat A)
{
  Mat_SyncFree *f      = (Mat_SyncFree *)F->data;
  const int     blocks = f->choice.tuning.factor.blocks;
  PetscBool     aij, sbaij;
  PetscInt      bs;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &aij));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQSBAIJ, &sbaij));
  PetscCall(MatGetBlockSize(A, &bs));
  f->storage = (SptrsvBlockStorage){.rows = 1};
  if (aij && !blocks) PetscFunctionReturn(PETSC_SUCCESS);
  if (aij && blocks > 1) bs = blocks;
  PetscCheck(!aij || (bs <= SPTRSV_BLOCK_ROWS && A->rmap->n % bs == 0), PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "-pc_syncfree_factor_blocks cuts %" PetscInt_FMT " rows into blocks of at most %d, but not into blocks of %" PetscInt_FMT,
             A->rmap->n, SPTRSV_BLOCK_ROWS, bs);
  if (bs > 1 && bs <= SPTRSV_BLOCK_ROWS) f->storage = (SptrsvBlockStorage){.rows = (int)bs, .upper = sbaij, .points = aij};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets A's pattern for the kernel library, to be given back; from the GPU if it is factored there, by rows only in natural order */
PetscErrorCode SyncFreeMatGetPattern(Mat A, SyncFreeEngine engine, SptrsvCsr *csr)
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
    /* that of Kokkos has no other function; of the other types it gives compressed rows if many are empty */
    if (engine->kokkos) PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, NULL, NULL));
    else PetscCall(SyncFreeMatGetIJ(A, PETSC_FALSE, &i, &j));
    csr->row_ptr = i;
    csr->col_idx = j;
    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextSynchronize(context)); /* which may still be copying the arrays */
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeMatRestorePattern(Mat A, SyncFreeEngine engine, SptrsvCsr *csr)
{
  const PetscInt *i = (const PetscInt *)csr->row_ptr, *j = (const PetscInt *)csr->col_idx;
  PetscInt        n = (PetscInt)csr->rows;
  PetscBool       done;

  PetscFunctionBegin;
#if SYNCFREE_HAVE_GPU
  if (csr->location == SPTRSV_DEVICE && !engine->kokkos) PetscCall(SyncFreeMatRestoreIJ(A, PETSC_FALSE, &i, &j));
#endif
  if (csr->location == SPTRSV_HOST) PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, SyncFreeStoresBlocks(engine), &n, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets the values of a matrix of the engine's type where the engine is, to be given back */
PetscErrorCode SyncFreeMatGetValues(SyncFreeEngine e, Mat A, const PetscScalar **a)
{
  PetscFunctionBegin;
  if (e->kokkos) PetscCall(MatSeqAIJGetCSRAndMemType(A, NULL, NULL, (PetscScalar **)a, NULL));
  else if (SyncFreeStoresBlocks(e)) PetscCall((e->storage.upper ? MatSeqSBAIJGetArray : MatSeqBAIJGetArray)(A, (PetscScalar **)a));
  else PetscCall(SyncFreeOnDevice(e) ? SyncFreeMatGetArrayRead(A, a) : MatSeqAIJGetArrayRead(A, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The function that gives blocks back says that they have changed, and does nothing else, so it is not called.  Kokkos's type has none. */
PetscErrorCode SyncFreeMatRestoreValues(SyncFreeEngine e, Mat A, const PetscScalar **a)
{
  PetscFunctionBegin;
  if (e->kokkos || SyncFreeStoresBlocks(e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SyncFreeOnDevice(e) ? SyncFreeMatRestoreArrayRead(A, a) : MatSeqAIJRestoreArrayRead(A, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -------------------------------------------------- the factored matrix -------------------------------------------------- */
/* Gets the inverted pivots, in the order of the factor's rows; *inverted is made in the engine's memory */
static PetscErrorCode SyncFreeEngineGetInvertedPivots(SyncFreeEngine engine, Vec *inverted)
{
  PetscScalar *v;
  SptrsvStream stream;
  SptrsvStatus status;

  PetscFunctionBegin;
  *inverted = NULL;
  PetscCall(SyncFreeEngineNeedVec(engine, 1, inverted));
  PetscCall(VecGetArrayWriteAndMemType(*inverted, &v, NULL));
  PetscCall(SyncFreeEngineBegin(engine, &stream));
  status = sptrsvFactorGetInvertedPivots(engine->factor, v, stream);
  PetscCall(SyncFreeEngineEnd(engine, stream));
  PetscCall(VecRestoreArrayWriteAndMemType(*inverted, &v));
  PetscCheckSptrsv(status, "Pivots: %s", sptrsvGetErrorString(status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes square roots of ICC's inverted pivots; MatSyncFreeEndSolve() destroys what an error leaves */
PetscErrorCode SyncFreeEngineNeedRoot(SyncFreeEngine engine)
{
  Vec       imaginary;
  PetscReal least, most = 0.0;

  PetscFunctionBegin;
  if (engine->root) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SyncFreeEngineGetInvertedPivots(engine, &engine->root));
  if (PetscDefined(USE_COMPLEX)) {
    PetscCall(VecDuplicate(engine->root, &imaginary));
    PetscCall(VecCopy(engine->root, imaginary));
    PetscCall(VecImaginaryPart(imaginary));
    PetscCall(VecNorm(imaginary, NORM_INFINITY, &most));
    PetscCall(VecDestroy(&imaginary));
  }
  PetscCheck(most == 0.0, PETSC_COMM_SELF, PETSC_ERR_SUP, "Pivots are complex, so ICC has no symmetric halves; use -ksp_pc_side left");
  PetscCall(VecMin(engine->root, NULL, &least));
  PetscCheck(!engine->n || !(least < 0), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Pivot %g is negative, so ICC has no symmetric halves; use -pc_factor_shift_type positive_definite or -ksp_pc_side left",
             1.0 / (double)least);
  PetscCall(VecSqrtAbs(engine->root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the first zero pivot of a factorization without shifts, and its row of the factor, where the last one is given.  Pivots up to the
   tolerance count as zero. */
PetscErrorCode SyncFreeEngineFindZeroPivot(SyncFreeEngine engine, double tolerance, int64_t *row, double *pivot)
{
  const PetscReal    least = (PetscReal)(1.0 / tolerance); /* inverted pivots are compared: inverting one again may change its last bit */
  const PetscScalar *inverted;
  int64_t            r = 0;
  Vec                v;

  PetscFunctionBegin;
  PetscCall(SyncFreeEngineGetInvertedPivots(engine, &v));
  PetscCall(VecGetArrayRead(v, &inverted));
  while (r < *row && !(PetscAbsScalar(inverted[r]) >= least)) r++; /* not >=: also past a NaN */
  if (r < *row) {
    *row   = r;
    *pivot = 1.0 / (PetscDefined(USE_COMPLEX) ? (double)PetscAbsScalar(inverted[r]) : (double)PetscRealPart(inverted[r]));
  }
  PetscCall(VecRestoreArrayRead(v, &inverted));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeCheckPivots(Mat F)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeCheckReady(F));
  PetscCheck(e->storage.rows == 1, PETSC_COMM_SELF, PETSC_ERR_SUP, "A factorization by blocks of %d rows has pivot blocks, and no pivots",
             e->storage.rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets the pivots in the order of the factor's rows, not of the matrix's, as PETSc's ILU and ICC give them */
PetscErrorCode MatGetDiagonal_SyncFree(Mat F, Vec d)
{
  SyncFreeEngine     e = ((Mat_SyncFree *)F->data)->engine;
  const PetscScalar *inverted;
  PetscScalar       *pivot;
  PetscInt           n;
  Vec                v;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeCheckPivots(F));
  PetscCall(VecGetLocalSize(d, &n));
  PetscCheck(n == e->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Factor has %" PetscInt_FMT " rows, but the vector has %" PetscInt_FMT, e->n,
             n);
  PetscCall(SyncFreeEngineGetInvertedPivots(e, &v));
  PetscCall(VecGetArrayRead(v, &inverted));
  PetscCall(VecGetArrayWrite(d, &pivot));
  for (PetscInt r = 0; r < n; r++) pivot[r] = 1.0 / inverted[r]; /* not VecReciprocal(), which leaves a zero: this pivot is infinite */
  PetscCall(VecRestoreArrayWrite(d, &pivot));
  PetscCall(VecRestoreArrayRead(v, &inverted));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Signs of ICC's pivots.  As in PETSc's ICC they are those of the inverses, so that a zero pivot counts as positive. */
PetscErrorCode MatGetInertia_SyncFree(Mat F, PetscInt *nneg, PetscInt *nzero, PetscInt *npos)
{
  SyncFreeEngine     e = ((Mat_SyncFree *)F->data)->engine;
  const PetscScalar *inverted;
  PetscInt           negative = 0, positive = 0;
  Vec                v;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeCheckPivots(F));
  PetscCall(SyncFreeEngineGetInvertedPivots(e, &v));
  PetscCall(VecGetArrayRead(v, &inverted));
  for (PetscInt r = 0; r < e->n; r++) {
    negative += PetscRealPart(inverted[r]) < 0.0;
    positive += PetscRealPart(inverted[r]) > 0.0;
  }
  PetscCall(VecRestoreArrayRead(v, &inverted));
  PetscCall(VecDestroy(&v));
  if (nneg) *nneg = negative;
  if (nzero) *nzero = e->n - negative - positive;
  if (npos) *npos = positive;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows as PETSc's factors give them: of L without its diagonal for ILU; of U, with the diagonal entry last, for ICC.  There are no
   symmetrized rows, and none of a factorization by blocks. */
PetscErrorCode MatGetRowIJ_SyncFree(Mat F, PetscInt shift, PetscBool symmetric, PETSC_UNUSED PetscBool compressed, PetscInt *m,
                                    const PetscInt *ia[], const PetscInt *ja[], PetscBool *done)
{
  SyncFreeEngine e   = ((Mat_SyncFree *)F->data)->engine;
  PetscBool      icc = (PetscBool)(F->factortype == MAT_FACTOR_ICC);
  const int32_t *i, *j;
  int64_t        n, nz;
  PetscInt      *row, *col = NULL, count = 0;

  PetscFunctionBegin;
  if (symmetric || !e || e->owner != F || e->storage.rows > 1) {
    if (done) *done = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (m) *m = e->n;
  if (!ia) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallSptrsv(sptrsvFactorGetPattern(e->factor, &n, &nz, &i, &j));
  PetscCall(PetscMalloc1(n + 1, &row));
  if (ja) PetscCall(PetscMalloc1(nz, &col));
  for (int64_t r = 0; r < n; r++) {
    row[r] = count + shift;
    for (int32_t p = i[r]; p < i[r + 1]; p++) {
      if (icc ? j[p] <= r : j[p] >= r) continue;
      if (col) col[count] = (PetscInt)j[p] + shift;
      count++;
    }
    if (icc && col) col[count] = (PetscInt)r + shift;
    if (icc) count++;
  }
  row[n] = count + shift;
  *ia    = row;
  if (ja) *ja = col;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatRestoreRowIJ_SyncFree(PETSC_UNUSED Mat F, PETSC_UNUSED PetscInt shift, PetscBool symmetric,
                                        PETSC_UNUSED PetscBool compressed, PETSC_UNUSED PetscInt *m, const PetscInt *ia[],
                                        const PetscInt *ja[], PETSC_UNUSED PetscBool *done)
{
  PetscFunctionBegin;
  if (symmetric) PetscFunctionReturn(PETSC_SUCCESS);
  if (ia) PetscCall(PetscFree(*ia));
  if (ja) PetscCall(PetscFree(*ja));
  PetscFunctionReturn(PETSC_SUCCESS);
}
