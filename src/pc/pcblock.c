/*
   PCSYNCFREE on several processes: each one sets up and applies its diagonal block, which on one process is the matrix itself.
*/
#include "syncfreeimpl.h" /*I "petscsyncfree.h" I*/

/* Runs f() with pc->pmat replaced by this process's diagonal block (a sequential matrix is its own block).  f() may destroy the factor
   Mat and make a new one, so our options cannot be set on the factor beforehand.  They are composed with the block, where the factor's
   routines find them, and removed after f(), because other PCs may use the same matrix. */
static PetscErrorCode PCSyncFreeOnBlock(PC pc, PC_SyncFree *sf, PetscErrorCode (*f)(PC))
{
  Mat                      D, P = pc->pmat;
  SyncFreeOrderingFunction getordering;
  PetscBool                flg;
  PetscErrorCode           ierr;

  PetscFunctionBegin;
  PetscCheck(P, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONGSTATE, "Call PCSetOperators() or KSPSetOperators() first");
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)P, &flg, MATSEQAIJ, MATMPIAIJ, MATSEQBAIJ, MATMPIBAIJ, MATSEQSBAIJ, MATMPISBAIJ,
                                          ""));
  PetscCheck(flg, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PC type syncfree does not work with matrices of type %s; use -mat_type aij or " SYNCFREE_MATAIJGPU
             " (with a DM: -dm_mat_type)",
             ((PetscObject)P)->type_name);
  PetscCall(MatGetDiagonalBlock(P, &D));
  PetscCall(MatSetOptionsPrefixFactor(D, ((PetscObject)pc)->prefix)); /* PCFactorSetUpMatSolverType_Factor() forgets it */
  if (f == sf->inner.setup) PetscCall(PetscObjectContainerCompose((PetscObject)D, SYNCFREE_CONTEXT, sf, NULL));
  getordering = SyncFreeMatSwapOrdering(D, MatGetOrdering_SyncFree);
  if (getordering || sf->reordered) (void)SyncFreeMatSwapOrdering(D, getordering);
  pc->pmat = D;
  ierr     = (*f)(pc);
  pc->pmat = P;
  (void)SyncFreeMatSwapOrdering(D, getordering);
  if (f == sf->inner.setup) PetscCall(PetscObjectCompose((PetscObject)D, SYNCFREE_CONTEXT, NULL)); /* not within PCSetUp_ILU() */
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFactorSetUpMatSolverType_SyncFree(PC pc)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCall(PCSyncFreeOnBlock(pc, sf, sf->setupsolvertype));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a vector for VecGetLocalVector() on a parallel vector, and a new one when the parallel vector's type or size changes */
static PetscErrorCode PCSyncFreeNeedLocalVector(Vec global, Vec *local, char type[SYNCFREE_TYPE_LEN])
{
  PetscBool      same = PETSC_FALSE;
  PetscInt       n, nlocal;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  if (*local) {
    PetscCall(PetscStrncmp(((PetscObject)global)->type_name, type, SYNCFREE_TYPE_LEN - 1, &same));
    PetscCall(VecGetLocalSize(global, &n));
    PetscCall(VecGetLocalSize(*local, &nlocal));
    same = (PetscBool)(same && n == nlocal);
  }
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroy(local));
  ierr = VecCreateLocalVector(global, local);
  if (ierr) (void)VecDestroy(local); /* it may be half made */
  PetscCall(ierr);
  PetscCall(PetscStrncpy(type, ((PetscObject)global)->type_name, SYNCFREE_TYPE_LEN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  SYNCFREE_APPLY,
  SYNCFREE_APPLY_TRANSPOSE,
  SYNCFREE_APPLY_LEFT,
  SYNCFREE_APPLY_RIGHT
} SyncFreeApplyKind;

static PetscErrorCode PCSyncFreeApplyLocal(PC pc, SyncFreeApplyKind kind, Vec x, Vec y)
{
  PC_SyncFree   *sf;
  PetscInt       m, n, nx, ny;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(pc->pmat, &m, &n));
  PetscCall(VecGetLocalSize(x, &nx));
  PetscCall(VecGetLocalSize(y, &ny));
  PetscCheck(nx == m && ny == n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, /* PETSc checks this in PCApply() only */
             "Preconditioner has %" PetscInt_FMT " local rows, but the vectors have %" PetscInt_FMT " and %" PetscInt_FMT, m, nx, ny);
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCall(PCSyncFreeNeedLocalVector(x, &sf->x, sf->xtype));
  PetscCall(PCSyncFreeNeedLocalVector(y, &sf->y, sf->ytype));
  PetscCall(VecGetLocalVectorRead(x, sf->x));
  ierr = VecGetLocalVector(y, sf->y);
  if (!ierr) {
    ierr = (*(kind == SYNCFREE_APPLY             ? sf->inner.apply
              : kind == SYNCFREE_APPLY_TRANSPOSE ? sf->inner.applytranspose
              : kind == SYNCFREE_APPLY_LEFT      ? sf->inner.applysymmetricleft
                                                 : sf->inner.applysymmetricright))(pc, sf->x, sf->y);
    PetscCall(VecRestoreLocalVector(y, sf->y)); /* also after an error, to keep the local vectors usable */
  }
  PetscCall(VecRestoreLocalVectorRead(x, sf->x));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCApply_SyncFree(PC pc, Vec x, Vec y)
{
  return PCSyncFreeApplyLocal(pc, SYNCFREE_APPLY, x, y);
}

static PetscErrorCode PCApplyTranspose_SyncFree(PC pc, Vec x, Vec y)
{
  return PCSyncFreeApplyLocal(pc, SYNCFREE_APPLY_TRANSPOSE, x, y);
}

static PetscErrorCode PCApplySymmetricLeft_SyncFree(PC pc, Vec x, Vec y)
{
  return PCSyncFreeApplyLocal(pc, SYNCFREE_APPLY_LEFT, x, y);
}

static PetscErrorCode PCApplySymmetricRight_SyncFree(PC pc, Vec x, Vec y)
{
  return PCSyncFreeApplyLocal(pc, SYNCFREE_APPLY_RIGHT, x, y);
}

static PetscErrorCode PCSyncFreeMatApplyLocal(PC pc, PetscBool transposed, Mat X, Mat Y)
{
  PC_SyncFree *sf;
  Mat          x, y;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCall(MatDenseGetLocalMatrix(X, &x));
  PetscCall(MatDenseGetLocalMatrix(Y, &y));
  PetscCall((*(transposed ? *SyncFreePCMatApplyTranspose(&sf->inner) : sf->inner.matapply))(pc, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCMatApply_SyncFree(PC pc, Mat X, Mat Y)
{
  return PCSyncFreeMatApplyLocal(pc, PETSC_FALSE, X, Y);
}

static PetscErrorCode PCMatApplyTranspose_SyncFree(PC pc, Mat X, Mat Y)
{
  return PCSyncFreeMatApplyLocal(pc, PETSC_TRUE, X, Y);
}

/* Discards everything except the analysis, which the next set-up may reuse: what was set has changed */
PetscErrorCode PCSyncFreeStartAfresh(PC pc, PC_SyncFree *sf)
{
  PetscFunctionBegin;
  sf->options.changed = PETSC_FALSE;
  if (!pc->setupcalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*sf->inner.reset)(pc));
  pc->setupcalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeSetUp(PC pc, PC_SyncFree *sf)
{
  Mat               D, F;
  MatFactorError    err;
  MatSolverType     stype;
  SyncFreeMatApply *transposed;
  PetscBool         flg, spd, sbaij, parallel;
  PetscErrorCode    ierr;

  PetscFunctionBegin;
  PetscCall(PCFactorGetMatSolverType(pc, &stype));
  PetscCall(PetscStrcmp(stype, MATSOLVERSYNCFREE, &flg));
  PetscCheck(flg, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PC type syncfree cannot use -pc_factor_mat_solver_type %s; use -pc_type ilu or icc for that", stype);
  if (!sf->made) { /* only once, because MAT_SPD does not survive a new assembly */
    PetscCall(MatIsSPDKnown(pc->pmat, &flg, &spd));
    PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)pc->pmat, &sbaij, MATSEQSBAIJ, MATMPISBAIJ, ""));
    spd      = (PetscBool)(flg && spd);
    sf->made = sf->factor ? sf->factor : spd || sbaij ? MAT_FACTOR_ICC : MAT_FACTOR_ILU;
    if (sf->factor == MAT_FACTOR_NONE)
      PetscCall(PetscInfo(pc, "Matrix is %s, chose %s\n", sbaij ? "SBAIJ" : spd ? "known to be SPD" : "not known to be SPD",
                          sf->made == MAT_FACTOR_ICC ? "icc" : "ilu"));
  }
  if (!sf->shiftset) { /* the defaults of PCICC and PCILU */
    PetscCall((*sf->setshifttype)(pc, sf->made == MAT_FACTOR_ICC ? MAT_SHIFT_POSITIVE_DEFINITE : MAT_SHIFT_NONE));
  }
  PetscCall(PCFactorGetShiftType(pc, &sf->shift));
  if (pc->setupcalled) { /* PCSetUp_ILU() would not factor new values after a zero pivot in the last factorization */
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatFactorGetError(F, &err));
    if (err == MAT_FACTOR_NUMERIC_ZEROPIVOT) PetscCall(MatFactorClearError(F));
    if (err == MAT_FACTOR_STRUCT_ZEROPIVOT && pc->erroriffailure) /* the analysis makes the error */
      PetscCall(PCSyncFreeStartAfresh(pc, sf));
  }
  ierr = PCSyncFreeOnBlock(pc, sf, sf->inner.setup);
  PetscCall((*sf->setshifttype)(pc, sf->shift)); /* PCSetUp_ILU() may have changed the type before it failed */
  PetscCall(ierr);
  PetscCall(MatGetDiagonalBlock(pc->pmat, &D));
  /* the factor of a diagonal block needs local vectors and matrices */
  parallel                     = (PetscBool)(D != pc->pmat);
  pc->ops->apply               = parallel ? PCApply_SyncFree : sf->inner.apply;
  pc->ops->applytranspose      = parallel ? PCApplyTranspose_SyncFree : sf->inner.applytranspose;
  pc->ops->applysymmetricleft  = parallel ? PCApplySymmetricLeft_SyncFree : sf->inner.applysymmetricleft;
  pc->ops->applysymmetricright = parallel ? PCApplySymmetricRight_SyncFree : sf->inner.applysymmetricright;
  pc->ops->matapply            = parallel ? PCMatApply_SyncFree : sf->inner.matapply;
  transposed                   = SyncFreePCMatApplyTranspose(pc->ops);
  if (transposed) *transposed = parallel ? PCMatApplyTranspose_SyncFree : *SyncFreePCMatApplyTranspose(&sf->inner);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_SyncFree(PC pc)
{
  PC_SyncFree   *sf;
  MatFactorType  made;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  ierr = PCSyncFreeSetUp(pc, sf);
  if (ierr) { /* without a reset the next PCSetUp_ILU() would leak its orderings, and PCApply() would use a factor of the old values */
    made = sf->made;
    (void)(*pc->ops->reset)(pc);
    sf->made        = made; /* ilu or icc is decided once; the matrix may have lost MAT_SPD by now */
    pc->setupcalled = PETSC_FALSE;
  }
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}
