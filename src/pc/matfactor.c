/*
   Symbolic and numeric factorization of MATSOLVERSYNCFREE.
*/
#include "syncfreeimpl.h"

/* Gets the matrix to factor: A itself or, if A is BAIJ or SBAIJ with other blocks than those that are factored as such, an AIJ copy, which
   the caller destroys by MatDestroy(&f->copy) */
static PetscErrorCode MatSyncFreeGetFactored(Mat F, Mat A, Mat *factored)
{
  Mat_SyncFree *f = (Mat_SyncFree *)F->data;
  PetscBool     isaij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &isaij));
  f->copied = (PetscBool)(!isaij && f->storage.rows == 1);
  *factored = A;
  if (!f->copied) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscInfo(F, "Copying the matrix from type %s to %s\n", ((PetscObject)A)->type_name, MATSEQAIJ));
  PetscCall(MatDestroy(&f->copy)); /* an error may have left one */
  PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &f->copy));
  *factored = f->copy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets an ordering of A's rows or, as MatGetOrdering() gives for matrices of blocks, of blocks, as 32-bit indices of rows; leaves *perm
   NULL for the natural one.  ISIdentity() cannot tell: it says what was so before MatReorderForNonzeroDiagonal() wrote into the indices.
   So they are read, but for a stride, which has none that could be written. */
static PetscErrorCode SyncFreeGetPermutation(Mat A, const SptrsvBlockStorage *storage, IS ordering, int32_t **perm)
{
  const PetscInt  rows = storage->rows, m = A->rmap->n;
  const PetscInt *idx;
  PetscInt        n, bs = rows, first = 1, step;
  PetscBool       natural;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(ordering, &n));
  if (!storage->points) PetscCall(MatGetBlockSize(A, &bs));
  PetscCheck(n == m || n * bs == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "The matrix has %" PetscInt_FMT " rows, but the ordering %" PetscInt_FMT, m, n);
  if (n == m) bs = 1;
  PetscCall(PetscObjectTypeCompare((PetscObject)ordering, ISSTRIDE, &natural));
  if (natural) PetscCall(ISStrideGetInfo(ordering, &first, &step));
  if (natural && first == 0 && step == 1) PetscFunctionReturn(PETSC_SUCCESS);
  natural = PETSC_TRUE;
  PetscCall(PetscMalloc1(m, perm));
  PetscCall(ISGetIndices(ordering, &idx));
  for (PetscInt k = 0; k < m; k++) {
    (*perm)[k] = (int32_t)(idx[k / bs] * bs + k % bs);
    natural    = (PetscBool)(natural && (*perm)[k] == k);
  }
  PetscCall(ISRestoreIndices(ordering, &idx));
  for (PetscInt k = 0; k < m; k++)
    PetscCheck((*perm)[k] % rows == k % rows && (*perm)[k] - (*perm)[k - k % rows] == k % rows, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The ordering cuts blocks of %d rows; order blocks, or factor entry by entry", storage->rows);
  if (natural) PetscCall(PetscFree(*perm));
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

/* Gives up F's factor and plans.  The engine keeps its analysis; another factor Mat that has taken it over keeps all. */
void MatSyncFreeDisown(Mat F)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;

  if (!e || e->owner != F) return;
  e->owner = NULL;
  e->ready = PETSC_FALSE;
}

static PetscErrorCode MatSyncFreeAnalyse_Kept(Mat F, Mat A, PC_SyncFree *sf)
{
  Mat_SyncFree *f = (Mat_SyncFree *)F->data;
  Mat           B;
  PetscInt      missing = -1;
  PetscBool     same;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(SyncFree_Analysis, F, A, 0, 0));
  PetscCall(MatSyncFreeGetFactored(F, A, &B));
  if (sf && sf->engine != f->engine) {
    PetscCall(SyncFreeEngineDestroy(&f->engine));
    f->engine = sf->engine;
    if (f->engine) f->engine->refct++;
  }
  PetscCall(SyncFreeEngineMatches(F, B, &same));
  if (!same) {
    if (sf) PetscCall(SyncFreeEngineDestroy(&sf->engine)); /* before the new one is made, to save memory */
    PetscCall(SyncFreeEngineDestroy(&f->engine));
    PetscCall(SyncFreeEngineCreate(F, B, &missing));
  }
  PetscCall(MatDestroy(&f->copy));
  if (missing >= 0) {
    PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
               "Matrix is missing diagonal entry %" PetscInt_FMT "; store a zero there, or use -pc_factor_diagonal_fill", missing);
    PetscCall(
        PetscInfo(F, "Matrix is missing diagonal entry %" PetscInt_FMT "; store a zero there, or use -pc_factor_diagonal_fill\n", missing));
    F->factorerrortype             = MAT_FACTOR_STRUCT_ZEROPIVOT;
    F->factorerror_zeropivot_value = 0.0;
    F->factorerror_zeropivot_row   = missing;
  } else {
    PetscCall(PetscInfo(F, "%s; factorization and sweeps run on the %s\n", same ? "Same pattern, analysis reused" : "Analysed the pattern",
                        f->location == SPTRSV_DEVICE ? "GPU" : "host"));
    if (SYNCFREE_HAVE_GPU && f->location == SPTRSV_HOST && !f->where[0])
      PetscCall(PetscInfo(F, "Matrices of type " SYNCFREE_MATAIJGPU " use the GPU\n"));
    if (f->where[0]) PetscCall(PetscInfo(F, "They run on the host %s; each solve copies vectors from and to the GPU\n", f->where));
    f->engine->owner = NULL; /* NOLINT(clang-analyzer-core.NullDereference): SyncFreeEngineCreate() makes one unless a row is missing */
    f->engine->ready = PETSC_FALSE;
    f->engine->nsymbolic++;
    PetscCall(SyncFreeEngineSetOptions(f->engine, &f->choice));
    PetscCall(SyncFreeOptionsInform(F, f->engine));
    PetscCall(SyncFreeEngineCite(f->engine));
    f->engine->owner = F; /* last: without an owner the next factorization begins with the analysis */
    if (sf && !sf->engine) {
      sf->engine = f->engine;
      f->engine->refct++;
    }
  }
  f->options.changed = PETSC_FALSE;
  PetscCall(PetscLogEventEnd(SyncFree_Analysis, F, A, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts as PETSc does: ICC stores one triangle, and takes A's pattern for a symmetric one */
static PetscErrorCode MatSyncFreeCountFill(Mat F)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;
  PetscLogDouble diagonal, nz, nza;
  PetscInt       stored; /* rows of what A stores */

  PetscFunctionBegin;
  if (!e) PetscFunctionReturn(PETSC_SUCCESS); /* a diagonal entry is missing */
  stored   = SyncFreeStoresBlocks(e) ? e->storage.rows : 1;
  diagonal = (PetscLogDouble)e->n * e->storage.rows;
  nza      = (PetscLogDouble)e->nz * stored * stored;
  if (F->factortype == MAT_FACTOR_ICC && !e->storage.upper) nza = (nza + (PetscLogDouble)e->n * stored) / 2;
  if (F->factortype == MAT_FACTOR_ILU && e->storage.upper) nza = 2 * nza - diagonal;
  nz                        = diagonal + (PetscLogDouble)(e->counts.upper + (F->factortype == MAT_FACTOR_ILU ? e->counts.lower : 0));
  F->info.nz_used           = nz;
  F->info.nz_allocated      = nz;
  F->info.fill_ratio_needed = nza > 0 ? nz / nza : 1.0;
  PetscCall(PetscInfo(F, "Fill ratio:given %g needed %g\n", F->info.fill_ratio_given, F->info.fill_ratio_needed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets F's engine for A's pattern and the chosen algorithms: reuses that of the PC or of F if it fits, else makes a new one */
static PetscErrorCode MatSyncFreeAnalyse(Mat F, Mat A, PC_SyncFree *sf)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  sptrsvMemoryKeep();
  ierr = MatSyncFreeAnalyse_Kept(F, A, sf);
  sptrsvMemoryRelease();
  PetscCall(ierr);
  PetscCall(MatSyncFreeCountFill(F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors A's values where they are, and gives the factor's to the plans.  Counts flops as PETSc's ILU does, with updates outside of the
   pattern: by rows 1 + 2 (entries of row k right of the diagonal) for each entry (i, k) of L, by blocks of b rows 2 b - 1 in place of 1;
   half of that for ICC, which computes the upper half only. */
static PetscErrorCode MatSyncFreeFactor(SyncFreeEngine e, Mat A, const SptrsvPivoting *pivoting, SptrsvFactorResult *result)
{
  const PetscBool      device    = SyncFreeOnDevice(e);
  const PetscLogDouble divisions = (2.0 * e->storage.rows - 1.0) * (PetscLogDouble)(e->n + e->counts.lower);
  PetscLogDouble       flops     = (e->kind == SPTRSV_ICC0 ? 0.5 : 1.0) * (divisions + 2.0 * (PetscLogDouble)e->counts.products);
  const PetscScalar   *a;
  SptrsvStream         stream;
  SptrsvStatus         status;

  PetscFunctionBegin;
  PetscCall(SyncFreeMatGetValues(e, A, &a));
  PetscCall(SyncFreeEngineBegin(e, &stream));
  if (device) PetscCall(PetscLogGpuTimeBegin());
  status = sptrsvFactorNumericPlans(e->factor, a, pivoting, SYNCFREE_PLANS, e->plan, stream, result);
  if (device) PetscCall(PetscLogGpuTimeEnd());
  PetscCall(SyncFreeEngineEnd(e, stream));
  PetscCall(SyncFreeMatRestoreValues(e, A, &a));
  PetscCheckSptrsv(status, "Numeric factorization: %s", sptrsvGetErrorString(status));
  flops *= 1 + result->shifts; /* each restart is a factorization */
  PetscCall(device ? PetscLogGpuFlops(flops) : PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reports as PETSc does: an error names the first zero pivot, the cause of others; without an error the last one is on record */
static PetscErrorCode MatSyncFreeReportZeroPivot(Mat F, Mat A, SptrsvFactorResult *result, const SptrsvPivoting *pivoting)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;
  PetscInt       row;

  PetscFunctionBegin;
  if (A->erroriffailure && pivoting->shift == SPTRSV_SHIFT_NONE) /* by blocks the first one is reported */
    PetscCall(SyncFreeEngineFindZeroPivot(e, pivoting->zero_pivot, &result->zero_pivot_row, &result->zero_pivot));
  row = e->row ? e->row[result->zero_pivot_row] : (PetscInt)result->zero_pivot_row;
  PetscCheck(!A->erroriffailure, PETSC_COMM_SELF, e->kind == SPTRSV_ICC0 ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT,
             "Zero pivot row %" PetscInt_FMT " value %g tolerance %g", row, result->zero_pivot, pivoting->zero_pivot);
  PetscCall(PetscInfo(F, "Detected zero pivot in factorization in row %" PetscInt_FMT " value %g tolerance %g\n", row, result->zero_pivot,
                      pivoting->zero_pivot));
  F->factorerrortype             = MAT_FACTOR_NUMERIC_ZEROPIVOT;
  F->factorerror_zeropivot_value = (PetscReal)result->zero_pivot;
  F->factorerror_zeropivot_row   = row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ICC with its default shift of a negative definite matrix is the factor of another matrix, though sweeps and iteration run.  The diagonal
   is read for a log only, and after a shift or zero pivot only. */
static PetscErrorCode MatSyncFreeInformNegative(Mat F, Mat A)
{
  Vec       diagonal;
  PetscReal most;
  PetscBool logs;

  PetscFunctionBegin;
  PetscCall(PetscInfoEnabled(MAT_CLASSID, &logs));
  if (!logs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecMax(diagonal, NULL, &most));
  PetscCall(VecDestroy(&diagonal));
  if (most < 0.0)
    PetscCall(PetscInfo(F, "The diagonal is negative throughout, and the shift makes the pivots positive; change the sign of the matrix, "
                           "or use -pc_factor_shift_type none, or ilu\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeCheckPattern(SyncFreeEngine e, Mat A)
{
  const PetscInt *ai, *aj;
  PetscInt        n;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, SyncFreeStoresBlocks(e), &n, &ai, &aj, &done));
  PetscCheck(done && n * (SyncFreeStoresBlocks(e) ? e->storage.rows : 1) == e->n && ai[n] == e->nz, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "The nonzero pattern of the matrix differs from that of the symbolic factorization");
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, SyncFreeStoresBlocks(e), &n, &ai, &aj, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets the rules for pivots, and refuses what a factorization like F's does not have.  PETSc's factorizations by blocks have one rule only,
   whatever the type of the shift: zeros get it.
   sf: it has the user's shift type, where PCSetUp_ILU() changes NONZERO to INBLOCKS for all except two matrix types; or NULL */
static PetscErrorCode MatSyncFreeGetPivoting(Mat F, const PC_SyncFree *sf, const MatFactorInfo *info, SptrsvPivoting *pivoting)
{
  /* in the order of MatFactorShiftType */
  static const SptrsvShift shifts[] = {SPTRSV_SHIFT_NONE, SPTRSV_SHIFT_NONZERO, SPTRSV_SHIFT_POSITIVE_DEFINITE, SPTRSV_SHIFT_INBLOCKS};
  const Mat_SyncFree      *f        = (Mat_SyncFree *)F->data;
  const MatFactorShiftType shift    = sf ? sf->shift : (MatFactorShiftType)(int)info->shifttype;
  const PetscBool          blocks   = (PetscBool)(f->storage.rows > 1);
  const char              *part     = SyncFreePartOnHost(info);

  PetscFunctionBegin;
  PetscCheck(!part || f->location == SPTRSV_HOST, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "SyncFree has no -pc_factor_mat_%s_on_host; use -pc_syncfree_algorithm host, which moves factorization and sweeps to the host",
             part);
  PetscCheck(!blocks || F->factortype == MAT_FACTOR_ICC || shift != MAT_SHIFT_POSITIVE_DEFINITE, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "ILU by blocks has no -pc_factor_shift_type positive_definite; use inblocks, or a factorization by entries");
  *pivoting = (SptrsvPivoting){.shift        = blocks ? SPTRSV_SHIFT_INBLOCKS : shifts[shift],
                               .shift_amount = (double)info->shiftamount,
                               .zero_pivot   = blocks ? 0.0 : (double)info->zeropivot,
                               .in_order     = blocks && !info->pivotinblocks};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatFactorNumeric_SyncFree(Mat F, Mat A, const MatFactorInfo *info)
{
  Mat_SyncFree      *f     = (Mat_SyncFree *)F->data;
  const PetscBool    again = (PetscBool)(f->options.changed || !f->engine || !f->engine->owner); /* no owner: the last analysis failed */
  PC_SyncFree       *sf;
  SptrsvPivoting     pivoting;
  SptrsvFactorResult result;
  SyncFreeEngine     e;
  Mat                B;

  PetscFunctionBegin;
  if (F->factorerrortype == MAT_FACTOR_STRUCT_ZEROPIVOT && !A->erroriffailure) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!f->engine || !f->engine->owner || f->engine->owner == F, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "Another factored matrix has taken over the storage of this one");
  if (f->engine) f->engine->ready = PETSC_FALSE; /* after an error from here on, solves must not use the old factor */
  PetscCall(MatFactorClearError(F));             /* PETSc does not clear it before a numeric factorization */
  PetscCall(PetscObjectContainerQuery((PetscObject)A, SYNCFREE_CONTEXT, &sf));
  if (again) PetscCall(MatSyncFreeChoose(F, A, sf));
  else PetscCall(SyncFreeGetLocation(F, A));
  if (again || f->location != f->engine->location) PetscCall(MatSyncFreeAnalyse(F, A, sf)); /* A may be bound to the CPU by now */
  e = f->engine;
  if (!e) PetscFunctionReturn(PETSC_SUCCESS); /* F has the error that a diagonal entry is missing */
  PetscCall(MatSyncFreeGetPivoting(F, sf, info, &pivoting));
  PetscCall(MatSyncFreeGetFactored(F, A, &B));
  PetscCall(MatSyncFreeCheckPattern(e, B));
  PetscCall(PetscLogEventBegin(SyncFree_Factor, F, A, 0, 0));
  PetscCall(MatSyncFreeFactor(e, B, &pivoting, &result));
  PetscCall(MatDestroy(&f->copy));
  e->nnumeric++;
  PetscCall(VecDestroy(&e->root));
  f->shifts       = result.shifts;
  f->shift        = (PetscReal)result.shift_amount;
  F->assembled    = PETSC_TRUE;
  F->preallocated = PETSC_TRUE;
#if PetscDefined(HAVE_DEVICE)
  F->offloadmask = SyncFreeOnDevice(e) ? PETSC_OFFLOAD_GPU : PETSC_OFFLOAD_CPU;
#endif
  if (e->kind == SPTRSV_ICC0 && (result.shifts || result.zero_pivot_row >= 0)) PetscCall(MatSyncFreeInformNegative(F, A));
  if (result.zero_pivot_row >= 0) PetscCall(MatSyncFreeReportZeroPivot(F, A, &result, &pivoting));
  if (result.shifts)
    PetscCall(PetscInfo(F, "Factored %d times; the final shift of the diagonal is %g\n", result.shifts + 1, result.shift_amount));
  e->ready = PETSC_TRUE;
  PetscCall(PetscLogEventEnd(SyncFree_Factor, F, A, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As PETSc's, ICC takes the transpose of the upper triangle for the lower one, and not its conjugate */
static PetscErrorCode MatSyncFreeCheckSymmetric(Mat A)
{
  PetscBool known, hermitian, symmetric;

  PetscFunctionBegin;
  if (!PetscDefined(USE_COMPLEX)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatIsHermitianKnown(A, &known, &hermitian));
  hermitian = (PetscBool)(known && hermitian);
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  PetscCheck(!hermitian || (known && symmetric), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "ICC is of complex symmetric matrices, and this one is Hermitian; use -pc_syncfree_factor ilu");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatILUFactorSymbolic_SyncFree(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  Mat_SyncFree  *f = (Mat_SyncFree *)F->data;
  PC_SyncFree   *sf;
  SptrsvPivoting pivoting;
  PetscBool      same;

  PetscFunctionBegin;
  PetscCheck(info->levels >= 0, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_OUTOFRANGE,
             "%g levels of fill were requested; use -pc_factor_levels 0 or more", (double)info->levels);
  PetscCheck(!info->usedt, PetscObjectComm((PetscObject)F), PETSC_ERR_SUP, "SyncFree has no drop tolerance; use -pc_type ilu");
  PetscCheck(row && col, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_WRONG, "SyncFree needs an ordering, for example natural");
  PetscCheck(A->rmap->n == A->cmap->n, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "The matrix must be square, but is %" PetscInt_FMT " by %" PetscInt_FMT, A->rmap->n, A->cmap->n);
  PetscCheck(A->rmap->n < INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%" PetscInt_FMT " rows on one process are more than SyncFree's 32-bit indices hold; use more processes", A->rmap->n);
  PetscCall(PetscObjectContainerQuery((PetscObject)A, SYNCFREE_CONTEXT, &sf));
  if (sf) F->factortype = sf->made; /* the inner PC is PCILU for both kinds */
  if (F->factortype == MAT_FACTOR_ICC) PetscCall(MatSyncFreeCheckSymmetric(A));
  PetscCall(MatSyncFreeChoose(F, A, sf)); /* reads options, which need the prefix; MatGetFactor() sets that last */
  PetscCall(MatSyncFreeGetPivoting(F, sf, info, &pivoting)); /* for its errors */
  MatSyncFreeDisown(F);
  F->ops->lufactornumeric = F->ops->choleskyfactornumeric = NULL; /* until there are orderings */
  PetscCall(PetscFree(f->row));
  PetscCall(PetscFree(f->col));
  PetscCall(SyncFreeGetPermutation(A, &f->storage, row, &f->row));
  PetscCall(SyncFreeGetPermutation(A, &f->storage, col, &f->col));
  PetscCall(SyncFreePermutationsEqual(A->rmap->n, f->row, f->col, &same));
  PetscCheck(same || F->factortype == MAT_FACTOR_ILU, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_INCOMP,
             "ICC needs the same ordering of rows and columns; use -pc_syncfree_factor ilu, or no -pc_factor_nonzeros_along_diagonal");
  F->ops->lufactornumeric       = MatFactorNumeric_SyncFree;
  F->ops->choleskyfactornumeric = MatFactorNumeric_SyncFree;
  F->ops->getinertia            = F->factortype == MAT_FACTOR_ICC ? MatGetInertia_SyncFree : NULL;

  f->fill.levels           = (PetscInt)info->levels;
  f->fill.diagonal         = info->diagonal_fill != 0;
  F->info.fill_ratio_given = info->fill;
  PetscCall(MatFactorClearError(F));
  PetscCall(MatSyncFreeAnalyse(F, A, sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatICCFactorSymbolic_SyncFree(Mat F, Mat A, IS perm, const MatFactorInfo *info)
{
  return MatILUFactorSymbolic_SyncFree(F, A, perm, perm, info);
}
