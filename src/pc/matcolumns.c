/*
   Solves with the factors for the columns of dense matrices, SYNCFREE_COLUMNS at a time: both sweeps for these, then for the next ones.
   So B may be X.
*/
#include "syncfreeimpl.h"

/* Between two sweeps that take several columns at once these are by rows */
static PetscErrorCode MatSyncFreeSolveArrays(Mat F, const SyncFreeSweep sweep[], PetscInt columns, const PetscScalar *b, PetscInt ldb,
                                             PetscScalar *x, PetscInt ldx)
{
  SyncFreeEngine  e    = ((Mat_SyncFree *)F->data)->engine;
  const PetscInt  most = PetscMax(1, PetscMin(SYNCFREE_COLUMNS, PETSC_INT32_MAX / PetscMax(1, e->n))); /* in a Vec */
  SyncFreeColumns v    = {.ldb = ldb, .ldx = ldx};
  PetscBool       together[2];
  PetscErrorCode  ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; k++) PetscCall(SyncFreeEngineNeedColumns(e, sweep[k], &together[k]));
  PetscCall(SyncFreeEngineNeedVec(e, most, &e->between));
  PetscCall(VecGetArrayWriteAndMemType(e->between, &v.between, NULL));
  for (PetscInt k = 0; k < columns && !ierr; k += v.columns) {
    v.columns   = PetscMin(most, columns - k);
    v.ldbetween = together[0] && together[1] && v.columns > 1 && most == SYNCFREE_COLUMNS && !e->blocks.worth ? -most : e->n;
    v.b         = b + k * (size_t)ldb;
    v.x         = x + k * (size_t)ldx;
    ierr        = SyncFreeRunSweeps(F, 2, sweep, &v);
  }
  PetscCall(VecRestoreArrayWriteAndMemType(e->between, &v.between));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves for all columns if B and X are where the factor is */
static PetscErrorCode MatSyncFreeSolveThere(Mat F, const SyncFreeSweep sweep[], PetscInt columns, Mat B, Mat X, PetscBool *solved)
{
  const PetscBool    device = SyncFreeOnDevice(((Mat_SyncFree *)F->data)->engine);
  PetscMemType       bmem = PETSC_MEMTYPE_HOST, xmem = PETSC_MEMTYPE_HOST;
  PetscErrorCode     ierr = PETSC_SUCCESS;
  const PetscScalar *b;
  PetscScalar       *x;
  PetscInt           ldb, ldx;

  PetscFunctionBegin;
  PetscCall(MatDenseGetLDA(B, &ldb));
  PetscCall(MatDenseGetLDA(X, &ldx));
  if (device) {
    PetscCall(MatDenseGetArrayReadAndMemType(B, &b, &bmem));
    PetscCall(MatDenseGetArrayWriteAndMemType(X, &x, &xmem));
  } else {
    PetscCall(MatDenseGetArrayRead(B, &b));
    PetscCall(MatDenseGetArrayWrite(X, &x));
  }
  *solved = (PetscBool)(PetscMemTypeDevice(bmem) == device && PetscMemTypeDevice(xmem) == device);
  if (*solved) ierr = MatSyncFreeSolveArrays(F, sweep, columns, b, ldb, x, ldx);
  if (device) {
    PetscCall(MatDenseRestoreArrayWriteAndMemType(X, &x));
    PetscCall(MatDenseRestoreArrayReadAndMemType(B, &b));
  } else {
    PetscCall(MatDenseRestoreArrayWrite(X, &x));
    PetscCall(MatDenseRestoreArrayRead(B, &b));
  }
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies a column to or from a vector of the engine's.  PETSc copies no GPU vectors to Kokkos's, so these are copied on the host. */
static PetscErrorCode SyncFreeCopyColumn(SyncFreeEngine e, Vec from, Vec to)
{
  const PetscScalar *a;
  PetscScalar       *b;

  PetscFunctionBegin;
  if (!e->kokkos) {
    PetscCall(VecCopy(from, to));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetArrayRead(from, &a));
  PetscCall(VecGetArrayWrite(to, &b));
  PetscCall(PetscArraycpy(b, a, e->n));
  PetscCall(VecRestoreArrayWrite(to, &b));
  PetscCall(VecRestoreArrayRead(from, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves for a column by vectors where the factor is, if B or X is not there */
static PetscErrorCode MatSyncFreeSolveColumn(Mat F, const SyncFreeSweep sweep[], PetscInt k, Mat B, Mat X)
{
  SyncFreeEngine     e = ((Mat_SyncFree *)F->data)->engine;
  Vec                column;
  const PetscScalar *b;
  PetscScalar       *x;

  PetscFunctionBegin;
  PetscCall(SyncFreeEngineNeedVec(e, 1, &e->in));
  PetscCall(SyncFreeEngineNeedVec(e, 1, &e->out));
  PetscCall(MatDenseGetColumnVecRead(B, k, &column));
  PetscCall(SyncFreeCopyColumn(e, column, e->in));
  PetscCall(MatDenseRestoreColumnVecRead(B, k, &column));
  PetscCall(VecGetArrayReadAndMemType(e->in, &b, NULL));
  PetscCall(VecGetArrayWriteAndMemType(e->out, &x, NULL));
  PetscCall(MatSyncFreeSolveArrays(F, sweep, 1, b, e->n, x, e->n));
  PetscCall(VecRestoreArrayWriteAndMemType(e->out, &x));
  PetscCall(VecRestoreArrayReadAndMemType(e->in, &b));
  PetscCall(MatDenseGetColumnVecWrite(X, k, &column));
  PetscCall(SyncFreeCopyColumn(e, e->out, column));
  PetscCall(MatDenseRestoreColumnVecWrite(X, k, &column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's basic version converts to MATDENSECUDA, even for a factor on the host */
static PetscErrorCode MatSyncFreeMatSolve(Mat F, PetscBool transpose, Mat B, Mat X)
{
  const SyncFreeSweep *sweep;
  PetscErrorCode       ierr;
  PetscInt             columns;
  PetscBool            solved = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeGetSweeps(F, transpose, &sweep));
  PetscCall(MatGetSize(B, NULL, &columns));
  if (!columns) PetscFunctionReturn(PETSC_SUCCESS);
  ierr = MatSyncFreeSolveThere(F, sweep, columns, B, X, &solved);
  for (PetscInt k = 0; k < columns && !ierr && !solved; k++) ierr = MatSyncFreeSolveColumn(F, sweep, k, B, X);
  PetscCall(MatSyncFreeEndSolve(F, ierr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMatSolve_SyncFree(Mat F, Mat B, Mat X)
{
  return MatSyncFreeMatSolve(F, PETSC_FALSE, B, X);
}

PetscErrorCode MatMatSolveTranspose_SyncFree(Mat F, Mat B, Mat X)
{
  return MatSyncFreeMatSolve(F, PETSC_TRUE, B, X);
}
