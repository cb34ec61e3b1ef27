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

/* What comes with a sweep */
typedef enum {
  SYNCFREE_ALONE,
  SYNCFREE_FIRST, /* another follows */
  SYNCFREE_SECOND /* b is from one just before */
} SyncFreePlace;

/* The first or second sweep for the columns of dense matrices */
static SptrsvStatus SyncFreeSolveColumns(SyncFreeEngine e, SyncFreeSweep sweep, SyncFreePlace place, const SyncFreeColumns *v,
                                         SptrsvStream stream)
{
  SptrsvPlan   plan = e->plan[SyncFreePlanBeside(sweep)] ? e->plan[SyncFreePlanBeside(sweep)] : e->plan[sweep];
  SptrsvStatus status;

  if (place == SYNCFREE_SECOND) return sptrsvSolveMany(plan, v->columns, v->between, v->ldbetween, v->x, v->ldx, stream);
  status = sptrsvSolveMany(plan, v->columns, v->b, v->ldb, v->between, v->ldbetween, stream);
  for (PetscInt k = 0; k < v->columns && e->byblocks && !status; k++) {
    PetscScalar *const w = v->between + k * (size_t)v->ldbetween;

    status = sptrsvFactorSolveBlocks(e->factor, SPTRSV_BLOCKS_LU, SyncFreeOperation(sweep), w, w, stream);
  }
  return status;
}

/* A sweep.  By blocks a product comes after a forward sweep, and before a backward one; one product does for two sweeps. */
static SptrsvStatus SyncFreeSolve(SyncFreeEngine e, SyncFreeSweep sweep, SyncFreePlace place, const SyncFreeColumns *v, SptrsvStream stream)
{
  const PetscScalar    *b    = place == SYNCFREE_SECOND ? v->between : v->b;
  PetscScalar          *x    = place == SYNCFREE_FIRST ? v->between : v->x;
  const SptrsvOperation op   = SyncFreeOperation(sweep);
  const SptrsvBlockPart own  = SyncFreeIsLower(sweep) ? SPTRSV_BLOCKS_L : SPTRSV_BLOCKS_U;
  const PetscBool       last = (PetscBool)(e->byblocks && (place == SYNCFREE_FIRST || SyncFreeIsForward(sweep)));
  SptrsvStatus          status;

  if (v->columns) return SyncFreeSolveColumns(e, sweep, place, v, stream);
  if (place == SYNCFREE_SECOND) return sptrsvSolveNext(e->plan[sweep], b, x, stream);
  if (e->byblocks && !last) {
    status = sptrsvFactorSolveBlocks(e->factor, own, op, b, e->w, stream);
    return status ? status : sptrsvSolve(e->plan[sweep], e->w, x, stream);
  }
  status = sptrsvSolve(e->plan[sweep], b, x, stream);
  return status || !last ? status : sptrsvFactorSolveBlocks(e->factor, place == SYNCFREE_FIRST ? SPTRSV_BLOCKS_LU : own, op, x, x, stream);
}

/* One sweep, logged.  PCApply() runs this, so it has no query, allocation or synchronization. */
static PetscErrorCode SyncFreeRunSweep(Mat F, SyncFreeSweep sweep, SyncFreePlace place, const SyncFreeColumns *v, SptrsvStream stream)
{
  SyncFreeEngine       e      = ((Mat_SyncFree *)F->data)->engine;
  const PetscBool      device = SyncFreeOnDevice(e);
  const PetscLogEvent  event  = SyncFreeIsForward(sweep) ? SyncFree_Forward : SyncFree_Backward;
  SptrsvStatus         status;
  const PetscLogDouble once  = SyncFreeIsLower(sweep) ? 2.0 * e->nzlower : 2.0 * e->nzupper + (2.0 * e->storage.rows - 1.0) * e->n;
  const PetscLogDouble flops = once * PetscMax(1, v->columns);

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, F, 0, 0, 0));
  if (device) PetscCall(PetscLogGpuTimeBegin());
  status = SyncFreeSolve(e, sweep, place, v, stream);
  if (device) PetscCall(PetscLogGpuTimeEnd());
  if (device) PetscCall(PetscLogGpuFlops(flops));
  else PetscCall(PetscLogFlops(flops));
  PetscCheck(status != SPTRSV_NOT_SUPPORTED, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A pivot block is not positive definite, so ICC has no symmetric halves; use -ksp_pc_side left");
  PetscCallSptrsv(status);
  PetscCall(PetscLogEventEnd(event, F, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeRunSweeps(Mat F, PetscInt count, const SyncFreeSweep sweep[], const SyncFreeColumns *v)
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

/* Solves on the GPU; vectors on the host are copied to and from work vectors */
static PetscErrorCode MatSyncFreeSolveDevice(Mat F, PetscInt count, const SyncFreeSweep sweep[], Vec b, Vec x)
{
  SyncFreeEngine     e  = ((Mat_SyncFree *)F->data)->engine;
  Vec                in = b, out = x;
  const PetscScalar *bb;
  PetscScalar       *xx;
  PetscMemType       mtype;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(in, &bb, &mtype));
  if (!PetscMemTypeDevice(mtype) && e->n) {
    PetscCall(VecRestoreArrayReadAndMemType(in, &bb));
    PetscCall(MatSyncFreeNeedCopy(F, "Right-hand side", &e->in));
    in = e->in;
    PetscCall(VecCopy(b, in));
    PetscCall(VecGetArrayReadAndMemType(in, &bb, &mtype));
  }
  PetscCall(VecGetArrayWriteAndMemType(out, &xx, &mtype));
  if (!PetscMemTypeDevice(mtype) && e->n) {
    PetscCall(VecRestoreArrayWriteAndMemType(out, &xx));
    PetscCall(MatSyncFreeNeedCopy(F, "Solution", &e->out));
    out = e->out;
    PetscCall(VecGetArrayWriteAndMemType(out, &xx, &mtype));
  }
  PetscCall(SyncFreeRunSweeps(F, count, sweep, &(SyncFreeColumns){.b = bb, .between = e->w, .x = xx}));
  PetscCall(VecRestoreArrayWriteAndMemType(out, &xx));
  PetscCall(VecRestoreArrayReadAndMemType(in, &bb));
  if (out != x) PetscCall(VecCopy(out, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After an error of a solve its work vectors may be locked or half made */
PetscErrorCode MatSyncFreeEndSolve(Mat F, PetscErrorCode ierr)
{
  PetscFunctionBegin;
  if (ierr) (void)SyncFreeEngineDropVecs(((Mat_SyncFree *)F->data)->engine);
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeSolve(Mat F, PetscInt count, const SyncFreeSweep sweep[], Vec b, Vec x)
{
  SyncFreeEngine     e = ((Mat_SyncFree *)F->data)->engine;
  PetscErrorCode     ierr;
  const PetscScalar *bb;
  PetscScalar       *xx;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeCheckReady(F));
  if (SyncFreeOnDevice(e)) ierr = MatSyncFreeSolveDevice(F, count, sweep, b, x);
  else {
    /* these functions copy vectors from and to the GPU */
    PetscCall(VecGetArrayRead(b, &bb));
    PetscCall(VecGetArrayWrite(x, &xx));
    ierr = SyncFreeRunSweeps(F, count, sweep, &(SyncFreeColumns){.b = bb, .between = e->w, .x = xx});
    PetscCall(VecRestoreArrayWrite(x, &xx));
    PetscCall(VecRestoreArrayRead(b, &bb));
  }
  PetscCall(MatSyncFreeEndSolve(F, ierr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets the sweeps of a solve with a factor, and checks that it has one.  The first transposed solve makes its plans. */
PetscErrorCode MatSyncFreeGetSweeps(Mat F, PetscBool transpose, const SyncFreeSweep *sweep[])
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

PetscErrorCode MatSolve_SyncFree(Mat F, Vec b, Vec x)
{
  return MatSyncFreeSolve(F, 2, SyncFreeBoth, b, x);
}

PetscErrorCode MatSolveTranspose_SyncFree(Mat F, Vec b, Vec x)
{
  const SyncFreeSweep *sweep;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeGetSweeps(F, PETSC_TRUE, &sweep));
  PetscCall(MatSyncFreeSolve(F, 2, sweep, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = y + the solve; y may be x.  PETSc's basic version adds vectors that may be in different memories; here both are in the engine's. */
static PetscErrorCode MatSyncFreeSolveAndAdd(Mat F, const SyncFreeSweep sweep[], Vec b, Vec y, Vec x)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  PetscCall(SyncFreeEngineNeedVec(e, 1, &e->out));
  PetscCall(MatSyncFreeSolve(F, 2, sweep, b, e->out));
  PetscCall(SyncFreeEngineNeedVec(e, 1, &e->in)); /* the solve may have had b in it */
  PetscCall(VecCopy(y, e->in));
  PetscCall(VecAXPY(e->out, 1.0, e->in));
  PetscCall(VecCopy(e->out, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeSolveAdd(Mat F, PetscBool transpose, Vec b, Vec y, Vec x)
{
  const SyncFreeSweep *sweep;

  PetscFunctionBegin;
  PetscCall(MatSyncFreeGetSweeps(F, transpose, &sweep));
  PetscCall(MatSyncFreeEndSolve(F, MatSyncFreeSolveAndAdd(F, sweep, b, y, x)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSolveAdd_SyncFree(Mat F, Vec b, Vec y, Vec x)
{
  return MatSyncFreeSolveAdd(F, PETSC_FALSE, b, y, x);
}

PetscErrorCode MatSolveTransposeAdd_SyncFree(Mat F, Vec b, Vec y, Vec x)
{
  return MatSyncFreeSolveAdd(F, PETSC_TRUE, b, y, x);
}

/* ICC's half of a symmetric preconditioner: the forward sweep is followed, and the backward sweep preceded, by the scaling */
static PetscErrorCode MatSyncFreeScaledHalf(Mat F, SyncFreeSweep sweep, Vec b, Vec x)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  PetscCall(SyncFreeEngineNeedRoot(e));
  if (sweep == SYNCFREE_L) {
    PetscCall(SyncFreeEngineNeedVec(e, 1, &e->out));
    PetscCall(MatSyncFreeSolve(F, 1, &sweep, b, e->out));
    PetscCall(VecPointwiseMult(e->out, e->out, e->root));
    PetscCall(VecCopy(e->out, x));
  } else {
    PetscCall(SyncFreeEngineNeedVec(e, 1, &e->in));
    PetscCall(VecCopy(b, e->in));
    PetscCall(VecPointwiseDivide(e->in, e->in, e->root));
    PetscCall(MatSyncFreeSolve(F, 1, &sweep, e->in, x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeHalfSolve(Mat F, SyncFreeSweep sweep, Vec b, Vec x)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  PetscFunctionBegin;
  PetscCall(VecFlag(x, F->factorerrortype)); /* MatSolve() does this itself, MatForwardSolve() and MatBackwardSolve() do not */
  if (F->factorerrortype) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSyncFreeCheckReady(F));
  if (e->kind == SPTRSV_ILU0 || e->storage.rows > 1) PetscCall(MatSyncFreeSolve(F, 1, &sweep, b, x)); /* products with blocks scale it */
  else PetscCall(MatSyncFreeEndSolve(F, MatSyncFreeScaledHalf(F, sweep, b, x)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatForwardSolve_SyncFree(Mat F, Vec b, Vec x)
{
  return MatSyncFreeHalfSolve(F, SYNCFREE_L, b, x);
}

PetscErrorCode MatBackwardSolve_SyncFree(Mat F, Vec b, Vec x)
{
  return MatSyncFreeHalfSolve(F, SYNCFREE_U, b, x);
}
