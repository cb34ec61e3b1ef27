/*
   Solves with the factors.  Sweeps apply the orderings themselves; the engine's work vector holds the values between two sweeps:

     A   = L U (for ICC L is the transpose of the unit U, and "U" is D U)
     x   = col(U^-1 L^-1 row(b))                 MatSolve()
     x   = row(L^-T U^-T col(b))                 MatSolveTranspose(); for ICC MatSolve() is the same
     x   = L^-1 row(b),        x = col(U^-1 b)   MatForwardSolve(), MatBackwardSolve() for ILU
     x   = S L^-1 row(b),      x = col(U^-1 S^-1 b), S = D^-1/2, for ICC: each is the transpose of the other

   Sweeps of AIJ matrices on the GPU may go by blocks, and those of BAIJ and SBAIJ do: products with the inverses of the factors' diagonal
   blocks are then parts of them (sptrsvFactorFindBlocks()).
*/
#include "syncfreeimpl.h"

static const SyncFreeSweep SyncFreeBoth[]      = {SYNCFREE_L, SYNCFREE_U};
static const SyncFreeSweep SyncFreeBothTrans[] = {SYNCFREE_UT, SYNCFREE_LT};

/* Right-hand sides of two sweeps and their solutions */
typedef struct {
  PetscInt           columns; /* 0: those of a vector */
  const PetscScalar *b;
  PetscInt           ldb;
  PetscScalar       *between;   /* the sweeps: b to between, between to x */
  PetscInt           ldbetween; /* negative: by rows, as of sptrsvSolveMany() */
  PetscScalar       *x;
  PetscInt           ldx;
} SyncFreeColumns;

/* What comes with a sweep */
typedef enum {
  SYNCFREE_ALONE,
  SYNCFREE_FIRST, /* another follows */
  SYNCFREE_SECOND /* b is from one just before */
} SyncFreePlace;

/* A sweep.  By blocks a product comes after a forward sweep, and before a backward one; one product does for two sweeps. */
static SptrsvStatus SyncFreeSolve(SyncFreeEngine e, SyncFreeSweep sweep, SyncFreePlace place, const SyncFreeColumns *v, SptrsvStream stream)
{
  SptrsvPlan            beside = v->columns ? e->plan[SyncFreePlanBeside(sweep)] : NULL, plan = beside ? beside : e->plan[sweep];
  const PetscScalar    *b      = place == SYNCFREE_SECOND ? v->between : v->b;
  PetscScalar          *x      = place == SYNCFREE_FIRST ? v->between : v->x;
  const PetscInt        ldb    = place == SYNCFREE_SECOND ? v->ldbetween : v->ldb;
  const PetscInt        ldx    = place == SYNCFREE_FIRST ? v->ldbetween : v->ldx;
  const SptrsvOperation op     = SyncFreeOperation(sweep);
  SptrsvBlockPart       part   = SyncFreeIsLower(sweep) ? SPTRSV_BLOCKS_L : SPTRSV_BLOCKS_U;
  SptrsvStatus          status = SPTRSV_SUCCESS;

  if (place == SYNCFREE_FIRST) part = SPTRSV_BLOCKS_LU;
  else if (e->blocks.worth && place == SYNCFREE_ALONE && !SyncFreeIsForward(sweep)) {
    status = sptrsvFactorSolveBlocks(e->factor, part, op, b, e->w, stream);
    b      = e->w;
  }
  if (status) return status;
  if (v->columns) status = sptrsvSolveMany(plan, v->columns, b, ldb, x, ldx, stream);
  else status = (place == SYNCFREE_SECOND ? sptrsvSolveNext : sptrsvSolve)(plan, b, x, stream);
  if (!e->blocks.worth || !SyncFreeIsForward(sweep)) return status;
  for (PetscInt k = 0; k < PetscMax(1, v->columns) && !status; k++)
    status = sptrsvFactorSolveBlocks(e->factor, part, op, x + k * (size_t)ldx, x + k * (size_t)ldx, stream);
  return status;
}

/* One sweep, logged.  PCApply() runs this, so it has no query, allocation or synchronization. */
static PetscErrorCode SyncFreeRunSweep(Mat F, SyncFreeSweep sweep, SyncFreePlace place, const SyncFreeColumns *v, SptrsvStream stream)
{
  SyncFreeEngine       e      = ((Mat_SyncFree *)F->data)->engine;
  const PetscBool      device = SyncFreeOnDevice(e);
  const PetscLogEvent  event  = SyncFreeIsForward(sweep) ? SyncFree_Forward : SyncFree_Backward;
  SptrsvStatus         status;
  const PetscLogDouble pivots = SyncFreeIsLower(sweep) ? 0.0 : (2.0 * e->storage.rows - 1.0) * e->n;
  const PetscLogDouble nz     = (PetscLogDouble)(SyncFreeIsLower(sweep) ? e->counts.lower : e->counts.upper);
  const PetscLogDouble flops  = (2.0 * nz + pivots) * PetscMax(1, v->columns);

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, F, 0, 0, 0));
  if (device) PetscCall(PetscLogGpuTimeBegin());
  status = SyncFreeSolve(e, sweep, place, v, stream);
  if (device) PetscCall(PetscLogGpuTimeEnd());
  PetscCall(device ? PetscLogGpuFlops(flops) : PetscLogFlops(flops));
  PetscCheck(status != SPTRSV_NOT_SUPPORTED, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A pivot block is not positive definite, so ICC has no symmetric halves; use -ksp_pc_side left");
  PetscCallSptrsv(status);
  PetscCall(PetscLogEventEnd(event, F, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SyncFreeRunSweeps(Mat F, PetscInt count, const SyncFreeSweep sweep[], const SyncFreeColumns *v)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;
  SptrsvStream   stream;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(SyncFreeEngineBegin(e, &stream));
  ierr = SyncFreeRunSweep(F, sweep[0], count > 1 ? SYNCFREE_FIRST : SYNCFREE_ALONE, v, stream);
  if (!ierr && count > 1) ierr = SyncFreeRunSweep(F, sweep[1], SYNCFREE_SECOND, v, stream);
  PetscCall(SyncFreeEngineEnd(e, stream));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSyncFreeCheckReady(Mat F)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  PetscCheck(e && e->ready, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "There is no numeric factorization, or the last one ended in an error");
  PetscCheck(e->owner == F, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "Another factored matrix has taken over the storage of this one");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the engine's copy of a vector, unless *copy is one already */
static PetscErrorCode MatSyncFreeNeedCopy(Mat F, const char vector[], Vec *copy)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  if (!*copy)
    PetscCall(PetscInfo(F, "%s is on the host and the factor on the GPU, so each solve copies it; use -vec_type %s\n", vector,
                        e->kokkos ? VECKOKKOS : SYNCFREE_GPU));
  PetscCall(SyncFreeEngineNeedVec(e, 1, copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves where the factor is, by vectors or, if `columns` is 1, as for a dense matrix.  For one on the GPU vectors on the host are copied
   to and from work vectors; for one on the host PETSc's functions copy those on the GPU. */
static PetscErrorCode MatSyncFreeSolve(Mat F, PetscInt count, const SyncFreeSweep sweep[], PetscInt columns, Vec b, Vec x)
{
  SyncFreeEngine  e      = ((Mat_SyncFree *)F->data)->engine;
  const PetscBool device = SyncFreeOnDevice(e);
  SyncFreeColumns v      = {.columns = columns, .ldb = e->n, .between = e->w, .ldbetween = e->n, .ldx = e->n};
  Vec             in = b, out = x;
  PetscMemType    mtype;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(device ? VecGetArrayReadAndMemType(in, &v.b, &mtype) : VecGetArrayRead(in, &v.b));
  if (device && !PetscMemTypeDevice(mtype) && e->n) {
    PetscCall(VecRestoreArrayReadAndMemType(in, &v.b));
    PetscCall(MatSyncFreeNeedCopy(F, "Right-hand side", &e->in));
    in = e->in;
    PetscCall(VecCopy(b, in));
    PetscCall(VecGetArrayReadAndMemType(in, &v.b, &mtype));
  }
  PetscCall(device ? VecGetArrayWriteAndMemType(out, &v.x, &mtype) : VecGetArrayWrite(out, &v.x));
  if (device && !PetscMemTypeDevice(mtype) && e->n) {
    PetscCall(VecRestoreArrayWriteAndMemType(out, &v.x));
    PetscCall(MatSyncFreeNeedCopy(F, "Solution", &e->out));
    out = e->out;
    PetscCall(VecGetArrayWriteAndMemType(out, &v.x, &mtype));
  }
  ierr = SyncFreeRunSweeps(F, count, sweep, &v);
  PetscCall(device ? VecRestoreArrayWriteAndMemType(out, &v.x) : VecRestoreArrayWrite(out, &v.x));
  PetscCall(device ? VecRestoreArrayReadAndMemType(in, &v.b) : VecRestoreArrayRead(in, &v.b));
  PetscCall(ierr);
  if (out != x) PetscCall(VecCopy(out, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After an error of a solve its work vectors may be locked or half made */
static PetscErrorCode MatSyncFreeEndSolve(Mat F, PetscErrorCode ierr)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  if (ierr && e) (void)SyncFreeEngineDropVecs(e);
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets the sweeps of a solve with a factor, and checks that it has one.  The first transposed solve makes its plans. */
static PetscErrorCode MatSyncFreeGetSweeps(Mat F, PetscBool transpose, const SyncFreeSweep *sweep[])
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeCheckReady(F));
  *sweep = SyncFreeBoth;
  if (!transpose || e->kind == SPTRSV_ICC0) PetscFunctionReturn(PETSC_SUCCESS); /* that of ICC is symmetric */
  *sweep = SyncFreeBothTrans;
  PetscCall(SyncFreeEngineNeedPlan(e, SYNCFREE_UT));
  PetscCall(SyncFreeEngineNeedPlan(e, SYNCFREE_LT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeSolveBoth(Mat F, PetscBool transpose, Vec b, Vec x)
{
  const SyncFreeSweep *sweep;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeGetSweeps(F, transpose, &sweep));
  PetscCall(MatSyncFreeSolve(F, 2, sweep, 0, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolve_SyncFree(Mat F, Vec b, Vec x)
{
  return MatSyncFreeEndSolve(F, MatSyncFreeSolveBoth(F, PETSC_FALSE, b, x));
}

PetscErrorCode MatSolveTranspose_SyncFree(Mat F, Vec b, Vec x)
{
  return MatSyncFreeEndSolve(F, MatSyncFreeSolveBoth(F, PETSC_TRUE, b, x));
}

/* x = y + the solve; y may be x.  PETSc's basic version adds vectors that may be in different memories; here both are in the engine's. */
static PetscErrorCode MatSyncFreeSolveAdd(Mat F, PetscBool transpose, Vec b, Vec y, Vec x)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeCheckReady(F));
  PetscCall(SyncFreeEngineNeedVec(e, 1, &e->out));
  PetscCall(MatSyncFreeSolveBoth(F, transpose, b, e->out));
  PetscCall(SyncFreeEngineNeedVec(e, 1, &e->in)); /* the solve may have had b in it */
  PetscCall(VecCopy(y, e->in));
  PetscCall(VecAXPY(e->out, 1.0, e->in));
  PetscCall(VecCopy(e->out, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolveAdd_SyncFree(Mat F, Vec b, Vec y, Vec x)
{
  return MatSyncFreeEndSolve(F, MatSyncFreeSolveAdd(F, PETSC_FALSE, b, y, x));
}

PetscErrorCode MatSolveTransposeAdd_SyncFree(Mat F, Vec b, Vec y, Vec x)
{
  return MatSyncFreeEndSolve(F, MatSyncFreeSolveAdd(F, PETSC_TRUE, b, y, x));
}

/* Half of a symmetric preconditioner.  Of ICC by rows the forward sweep is followed, and the backward sweep preceded, by the scaling, which
   products with blocks include. */
static PetscErrorCode MatSyncFreeHalfSolve(Mat F, SyncFreeSweep sweep, Vec b, Vec x)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  if (F->factorerrortype) { /* MatSolve() does this itself, MatForwardSolve() and MatBackwardSolve() do not */
    PetscCall(VecSet(x, (PetscReal)INFINITY));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatSyncFreeCheckReady(F));
  if (e->kind == SPTRSV_ILU0 || e->storage.rows > 1) {
    PetscCall(MatSyncFreeSolve(F, 1, &sweep, 0, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(SyncFreeEngineNeedRoot(e));
  if (sweep == SYNCFREE_L) {
    PetscCall(SyncFreeEngineNeedVec(e, 1, &e->out));
    PetscCall(MatSyncFreeSolve(F, 1, &sweep, 0, b, e->out));
    PetscCall(VecPointwiseMult(e->out, e->out, e->root));
    PetscCall(VecCopy(e->out, x));
  } else {
    PetscCall(SyncFreeEngineNeedVec(e, 1, &e->in));
    PetscCall(VecCopy(b, e->in));
    PetscCall(VecPointwiseDivide(e->in, e->in, e->root));
    PetscCall(MatSyncFreeSolve(F, 1, &sweep, 0, e->in, x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatForwardSolve_SyncFree(Mat F, Vec b, Vec x)
{
  return MatSyncFreeEndSolve(F, MatSyncFreeHalfSolve(F, SYNCFREE_L, b, x));
}

PetscErrorCode MatBackwardSolve_SyncFree(Mat F, Vec b, Vec x)
{
  return MatSyncFreeEndSolve(F, MatSyncFreeHalfSolve(F, SYNCFREE_U, b, x));
}

/* ---------------------------------------------- columns of dense matrices ----------------------------------------------- */

/* Solves for all columns if B and X are where the factor is, SYNCFREE_COLUMNS at a time: both sweeps for these, then for the next ones, so
   that B may be X.  Between two sweeps that take several columns at once these are by rows. */
static PetscErrorCode MatSyncFreeSolveThere(Mat F, const SyncFreeSweep sweep[], PetscInt columns, Mat B, Mat X, PetscBool *solved)
{
  SyncFreeEngine     e      = ((Mat_SyncFree *)F->data)->engine;
  const PetscBool    device = SyncFreeOnDevice(e);
  const PetscInt     most   = PetscMax(1, PetscMin(SYNCFREE_COLUMNS, INT32_MAX / PetscMax(1, e->n))); /* in a Vec */
  PetscMemType       bmem = PETSC_MEMTYPE_HOST, xmem = PETSC_MEMTYPE_HOST;
  PetscErrorCode     ierr = PETSC_SUCCESS;
  const PetscScalar *b;
  PetscScalar       *x;
  SyncFreeColumns    v;
  PetscBool          together[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; k++) PetscCall(SyncFreeEngineNeedColumns(e, sweep[k], &together[k]));
  PetscCall(SyncFreeEngineNeedVec(e, most, &e->between));
  PetscCall(VecGetArrayWriteAndMemType(e->between, &v.between, NULL));
  PetscCall(MatDenseGetLDA(B, &v.ldb));
  PetscCall(MatDenseGetLDA(X, &v.ldx));
  PetscCall(device ? MatDenseGetArrayReadAndMemType(B, &b, &bmem) : MatDenseGetArrayRead(B, &b));
  PetscCall(device ? MatDenseGetArrayWriteAndMemType(X, &x, &xmem) : MatDenseGetArrayWrite(X, &x));
  *solved = (PetscBool)(PetscMemTypeDevice(bmem) == device && PetscMemTypeDevice(xmem) == device);
  for (PetscInt k = 0; k < columns && *solved && !ierr; k += v.columns) {
    v.columns   = PetscMin(most, columns - k);
    v.ldbetween = together[0] && together[1] && v.columns > 1 && most == SYNCFREE_COLUMNS && !e->blocks.worth ? -most : e->n;
    v.b         = b + k * (size_t)v.ldb;
    v.x         = x + k * (size_t)v.ldx;
    ierr        = SyncFreeRunSweeps(F, 2, sweep, &v);
  }
  PetscCall(device ? MatDenseRestoreArrayWriteAndMemType(X, &x) : MatDenseRestoreArrayWrite(X, &x));
  PetscCall(device ? MatDenseRestoreArrayReadAndMemType(B, &b) : MatDenseRestoreArrayRead(B, &b));
  PetscCall(VecRestoreArrayWriteAndMemType(e->between, &v.between));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves for a column if B or X is not there.  One matrix lends one column at a time. */
static PetscErrorCode MatSyncFreeSolveColumn(Mat F, const SyncFreeSweep sweep[], PetscInt k, Mat B, Mat X)
{
  Vec            b, x;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(MatDenseGetColumnVec(X, k, &x));
  b = x;
  if (B != X) PetscCall(MatDenseGetColumnVecRead(B, k, &b));
  ierr = MatSyncFreeSolve(F, 2, sweep, 1, b, x);
  if (B != X) PetscCall(MatDenseRestoreColumnVecRead(B, k, &b));
  PetscCall(MatDenseRestoreColumnVec(X, k, &x));
  PetscCall(ierr);
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
