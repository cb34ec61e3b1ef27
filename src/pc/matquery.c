/*
   What a user can ask a factored matrix: its pivots, its inertia and its pattern.  The answers are those of PETSc's own factors.
*/
#include "syncfreeimpl.h"

/* Gets the inverted pivots, in the order of the factor's rows; `inverted` is in the engine's memory */
PetscErrorCode SyncFreeEngineGetInvertedPivots(SyncFreeEngine engine, Vec inverted)
{
  PetscScalar *v;
  SptrsvStream stream;
  SptrsvStatus status;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWriteAndMemType(inverted, &v, NULL));
  PetscCall(SyncFreeEngineBegin(engine, &stream));
  status = sptrsvFactorGetInvertedPivots(engine->factor, v, stream);
  PetscCall(SyncFreeEngineEnd(engine, stream));
  PetscCall(VecRestoreArrayWriteAndMemType(inverted, &v));
  PetscCheck(status == SPTRSV_SUCCESS, PETSC_COMM_SELF, SyncFreeErrorCode(status), "Pivots: %s", sptrsvGetErrorString(status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks that all are real */
static PetscErrorCode SyncFreeCheckReal(Vec pivots)
{
  Vec       imaginary;
  PetscReal most;

  PetscFunctionBegin;
  if (!PetscDefined(USE_COMPLEX)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(pivots, &imaginary));
  PetscCall(VecCopy(pivots, imaginary));
  PetscCall(VecImaginaryPart(imaginary));
  PetscCall(VecNorm(imaginary, NORM_INFINITY, &most));
  PetscCall(VecDestroy(&imaginary));
  PetscCheck(most == 0.0, PETSC_COMM_SELF, PETSC_ERR_SUP, "Pivots are complex, so ICC has no symmetric halves; use -ksp_pc_side left");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes square roots of ICC's inverted pivots */
PetscErrorCode SyncFreeEngineNeedRoot(SyncFreeEngine engine)
{
  PetscReal least;

  PetscFunctionBegin;
  if (engine->rootready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SyncFreeEngineNeedVec(engine, 1, &engine->root));
  PetscCall(SyncFreeEngineGetInvertedPivots(engine, engine->root));
  PetscCall(SyncFreeCheckReal(engine->root));
  PetscCall(VecMin(engine->root, NULL, &least));
  PetscCheck(!engine->n || !(least < 0), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Pivot %g is negative, so ICC has no symmetric halves; use -pc_factor_shift_type positive_definite or -ksp_pc_side left",
             1.0 / (double)least);
  PetscCall(VecSqrtAbs(engine->root));
  engine->rootready = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets the same in a host array [n], which the caller frees */
static PetscErrorCode SyncFreeEngineCopyInvertedPivots(SyncFreeEngine engine, PetscScalar **inverted)
{
  Vec                all = NULL;
  const PetscScalar *v;

  PetscFunctionBegin;
  PetscCall(SyncFreeEngineNeedVec(engine, 1, &all));
  PetscCall(SyncFreeEngineGetInvertedPivots(engine, all));
  PetscCall(PetscMalloc1(engine->n, inverted));
  PetscCall(VecGetArrayRead(all, &v));
  PetscCall(PetscArraycpy(*inverted, v, engine->n));
  PetscCall(VecRestoreArrayRead(all, &v));
  PetscCall(VecDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SyncFreeEngineFindZeroPivot - Finds the first zero pivot of a factorization without shifts, which has reported the last one

   Input Parameter:
.  tolerance - pivots up to this size count as zero

   Input/Output Parameters:
+  row   - row of the factor
-  pivot - its pivot
*/
PetscErrorCode SyncFreeEngineFindZeroPivot(SyncFreeEngine engine, double tolerance, int64_t *row, double *pivot)
{
  const PetscReal least = (PetscReal)(1.0 / tolerance); /* inverted pivots are compared: inverting one again may change its last bit */
  PetscScalar    *inverted;
  int64_t         r = 0;

  PetscFunctionBegin;
  PetscCall(SyncFreeEngineCopyInvertedPivots(engine, &inverted));
  while (r < *row && !(PetscAbsScalar(inverted[r]) >= least)) r++; /* not >=: also past a NaN */
  if (r < *row) {
    *row   = r;
    *pivot = 1.0 / (PetscDefined(USE_COMPLEX) ? (double)PetscAbsScalar(inverted[r]) : (double)PetscRealPart(inverted[r]));
  }
  PetscCall(PetscFree(inverted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SyncFreeEngineCheckPivots(SyncFreeEngine engine)
{
  PetscFunctionBegin;
  PetscCheck(engine->storage.rows == 1, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A factorization by blocks of %d rows has pivot blocks, and no pivots", engine->storage.rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets the pivots in the order of the factor's rows, not of the matrix's, as PETSc's ILU and ICC give them */
PetscErrorCode MatGetDiagonal_SyncFree(Mat F, Vec d)
{
  SyncFreeEngine e;
  PetscScalar   *inverted, *pivot;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeCheckReady(F));
  e = ((Mat_SyncFree *)F->data)->engine;
  PetscCall(SyncFreeEngineCheckPivots(e));
  PetscCall(VecGetLocalSize(d, &n));
  PetscCheck(n == e->n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Factor has %" PetscInt_FMT " rows, but the vector has %" PetscInt_FMT, e->n,
             n);
  PetscCall(SyncFreeEngineCopyInvertedPivots(e, &inverted));
  PetscCall(VecGetArrayWrite(d, &pivot));
  for (PetscInt r = 0; r < n; r++) pivot[r] = 1.0 / inverted[r];
  PetscCall(VecRestoreArrayWrite(d, &pivot));
  PetscCall(PetscFree(inverted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Signs of ICC's pivots.  As in PETSc's ICC they are those of the inverses, so that a zero pivot counts as positive. */
PetscErrorCode MatGetInertia_SyncFree(Mat F, PetscInt *nneg, PetscInt *nzero, PetscInt *npos)
{
  SyncFreeEngine e;
  PetscScalar   *inverted;
  PetscInt       negative = 0, positive = 0;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeCheckReady(F));
  e = ((Mat_SyncFree *)F->data)->engine;
  PetscCall(SyncFreeEngineCheckPivots(e));
  PetscCall(SyncFreeEngineCopyInvertedPivots(e, &inverted));
  for (PetscInt r = 0; r < e->n; r++) {
    negative += PetscRealPart(inverted[r]) < 0.0;
    positive += PetscRealPart(inverted[r]) > 0.0;
  }
  PetscCall(PetscFree(inverted));
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
