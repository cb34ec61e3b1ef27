/*
   PCSYNCFREE: PETSc's PCILU with the solver type "syncfree" preset; our methods wrap those of PCILU.

   PCILU's methods are hidden in libpetsc and cannot be called by name.  So PCILU's creator, found in PCList, sets them on the PC; we save
   and call them.  pc->data belongs to PCILU; our own data is a container composed with the PC.  The same PCILU serves for ICC, because the
   context, which the factor Mat finds while it is made, tells it which kind to make.
*/
#include "syncfreeimpl.h" /*I "petscsyncfree.h" I*/

PetscErrorCode PCSyncFreeGetContext(PC pc, PC_SyncFree **sf)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)pc, SYNCFREE_CONTEXT, sf));
  PetscCheck(*sf, PetscObjectComm((PetscObject)pc), PETSC_ERR_PLIB, "PC has lost its context");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCFactorSetShiftType_SyncFree(PC pc, MatFactorShiftType shift)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  sf->shiftset = PETSC_TRUE;
  PetscCall((*sf->setshifttype)(pc, shift));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatReorderForNonzeroDiagonal() writes into the arrays of MatGetOrdering() */
static PetscErrorCode PCFactorReorderForNonzeroDiagonal_SyncFree(PC pc, PetscReal rtol)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  sf->reordered = PETSC_TRUE;
  PetscCall((*sf->reorder)(pc, rtol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's would have PCSetUp_ILU() factor by its own routine, in the matrix; and PCReset_ILU() take our factor for the matrix */
static PetscErrorCode PCFactorSetUseInPlace_SyncFree(PC pc, PetscBool inplace)
{
  PetscFunctionBegin;
  if (inplace) PetscCall(PetscInfo(pc, "The factor is not made in place: it has memory of its own, and the matrix keeps its values\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's resets the PC after set-up; that must not undo the choice of ilu or icc, since the matrix may have lost MAT_SPD by now */
static PetscErrorCode PCFactorSetLevels_SyncFree(PC pc, PetscInt levels)
{
  PC_SyncFree  *sf;
  MatFactorType made;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  made = sf->made;
  PetscCall((*sf->setlevels)(pc, levels));
  sf->made = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeSetFactor_SyncFree(PC pc, MatFactorType factor)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCheck(factor == MAT_FACTOR_ICC || factor == MAT_FACTOR_ILU || factor == MAT_FACTOR_NONE, PetscObjectComm((PetscObject)pc),
             PETSC_ERR_ARG_OUTOFRANGE, "Factorization must be MAT_FACTOR_ILU, MAT_FACTOR_ICC, or MAT_FACTOR_NONE to let the matrix decide");
  if (factor == sf->factor) PetscFunctionReturn(PETSC_SUCCESS);
  sf->factor = factor;
  sf->made   = MAT_FACTOR_NONE;
  PetscCall(PCSyncFreeStartAfresh(pc, sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeGetFactor_SyncFree(PC pc, MatFactorType *factor)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  *factor = sf->made ? sf->made : sf->factor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeSetOption_SyncFree(PC pc, const char name[], const char value[])
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCall(SyncFreeOptionsSet(PetscObjectComm((PetscObject)pc), name, value, &sf->options));
  if (sf->options.changed) PetscCall(PCSyncFreeStartAfresh(pc, sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeGetOption_SyncFree(PC pc, const char name[], char value[], size_t len)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCall(SyncFreeGetOption(pc->setupcalled ? sf->engine : NULL, &sf->options, name, value, len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSetFromOptions_SyncFree(PC pc, SyncFreeOptionItems PetscOptionsObject)
{
  static const char *const factors[] = {"ilu", "icc"};
  PC_SyncFree             *sf;
  PetscInt                 k;
  PetscBool                set;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscOptionsHeadBegin(PetscOptionsObject, "SyncFree options");
  PetscCall(PetscOptionsEList("-pc_syncfree_factor", "kind, default icc if the matrix is known to be SPD, else ilu\n     ",
                              "PCSyncFreeSetFactor", factors, PETSC_STATIC_ARRAY_LENGTH(factors), factors[sf->factor == MAT_FACTOR_ICC],
                              &k, &set));
  if (set) PetscCall(PCSyncFreeSetFactor(pc, k ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(SyncFreeOptionsRead(PetscOptionsObject, "pc", &sf->options));
  if (sf->options.changed) PetscCall(PCSyncFreeStartAfresh(pc, sf)); /* not so if KSPSetFromOptions() is called once more */
  PetscOptionsHeadEnd();
  PetscCall((*sf->inner.setfromoptions)(pc, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCSyncFreeComposeMethods(PC pc, PetscBool compose)
{
  PetscObject o = (PetscObject)pc;

  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(o, "PCSyncFreeSetFactor_C", compose ? PCSyncFreeSetFactor_SyncFree : NULL));
  PetscCall(PetscObjectComposeFunction(o, "PCSyncFreeGetFactor_C", compose ? PCSyncFreeGetFactor_SyncFree : NULL));
  PetscCall(PetscObjectComposeFunction(o, "PCSyncFreeSetOption_C", compose ? PCSyncFreeSetOption_SyncFree : NULL));
  PetscCall(PetscObjectComposeFunction(o, "PCSyncFreeGetOption_C", compose ? PCSyncFreeGetOption_SyncFree : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_SyncFree(PC pc, PetscViewer viewer)
{
  PC_SyncFree      *sf;
  SyncFreeEngine    e;
  const char       *where = "";
  PetscMPIInt       size, rank;
  PetscBool         isascii, isstring, all;
  PetscViewer       sub;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)pc), &rank));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERSTRING, &isstring));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  all = (PetscBool)(format == PETSC_VIEWER_ASCII_INFO_DETAIL);
  e   = pc->setupcalled ? sf->engine : NULL; /* after a change of options the engine still belongs to the previous set-up */
  if (e) where = SyncFreeOnDevice(e) ? ", made and applied on the GPU" : ", made and applied on the HOST";
  if (isascii) { /* each line in one call, because a subviewer puts tabs before the text of each call */
    if (!sf->made) PetscCall(PetscViewerASCIIPrintf(viewer, "  incomplete factorization not chosen yet\n"));
    else PetscCall(PetscViewerASCIIPrintf(viewer, "  incomplete factorization %s%s\n", sf->made == MAT_FACTOR_ICC ? "icc" : "ilu", where));
    if (size > 1)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  of each process's diagonal block (block Jacobi), %s\n",
                                       all ? "one after the other:" : "the first one being:"));
  }
  /* PETSc's view as a string uses the factor, which does not exist before set-up */
  if (!isascii && !(isstring && pc->setupcalled && size == 1)) PetscFunctionReturn(PETSC_SUCCESS);
  if (size > 1) { /* the factor Mat is sequential and needs a sequential viewer */
    PetscCall(PetscViewerGetSubViewer(viewer, PETSC_COMM_SELF, &sub));
    if (!rank || all) PetscCall((*sf->inner.view)(pc, sub));
    PetscCall(PetscViewerRestoreSubViewer(viewer, PETSC_COMM_SELF, &sub));
    PetscCall(PetscViewerFlush(viewer)); /* 3.18 loses it otherwise */
    PetscCall(PetscViewerASCIIPopSynchronized(viewer)); /* as in PCView_BJacobi() */
  } else PetscCall((*sf->inner.view)(pc, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCReset_SyncFree(PC pc)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCall((*sf->inner.reset)(pc));
  PetscCall(SyncFreeEngineDestroy(&sf->engine));
  PetscCall(VecDestroy(&sf->x));
  PetscCall(VecDestroy(&sf->y));
  sf->made = MAT_FACTOR_NONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCDestroy_SyncFree(PC pc)
{
  PC_SyncFree *sf;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCall(PCReset_SyncFree(pc));
  PetscCall(SyncFreeOptionsDestroy(&sf->options));
  PetscCall((*sf->inner.destroy)(pc)); /* frees pc->data and removes PCILU's composed functions, with those that are ours */
  PetscCall(PCSyncFreeComposeMethods(pc, PETSC_FALSE));
  PetscCall(PetscObjectCompose((PetscObject)pc, SYNCFREE_CONTEXT, NULL)); /* PCSetType() would not remove it */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
  PCSYNCFREE - Incomplete factorization ILU(k) or ICC(k), made and applied on the GPU: a triangular sweep is a single kernel launch in
  which rows wait for the rows they need, without synchronization between levels

  Options Database Keys:
+ -pc_syncfree_factor (ilu|icc)                              - kind of factorization, default icc if the matrix is known to be symmetric
                                                               positive definite at the first set-up, see `MatSetOption()`, or is
                                                               a `MATSBAIJ`, else ilu
. -pc_syncfree_algorithm name                                - algorithm of both sweeps, `-help` lists them, default auto
. -pc_syncfree_lower_algorithm name                          - algorithm of the sweeps with L
. -pc_syncfree_upper_algorithm name                          - algorithm of the sweeps with U
. -pc_syncfree_factor_blocks (no|matrix|2|...|8)             - factors a `MATAIJ` by blocks of the matrix's block size (also without a
                                                               value), or of so many rows
. -pc_syncfree_OPTION value                                  - tunes an algorithm, `-help` lists the options, see `PCSyncFreeSetOption()`
. -pc_syncfree_studies                                       - with `-help`, lists algorithms and options of published methods, too
. -pc_factor_levels k                                        - levels of fill, default 0
. -pc_factor_diagonal_fill                                   - adds diagonal entries that are missing, of value zero
. -pc_factor_shift_type (none|nonzero|positive_definite|inblocks) - shift of the diagonal, default positive_definite for icc, none for ilu
. -pc_factor_shift_amount s                                  - size of the shift
. -pc_factor_zeropivot tol                                   - pivots up to this size count as zero
. -pc_factor_pivot_in_blocks                                 - exchanges rows inside the pivot blocks of a `MATBAIJ` or `MATSBAIJ`,
                                                               default true
- -pc_factor_mat_ordering_type (natural|nd|1wd|rcm|qmd)      - ordering of the rows and columns

  Level: beginner

  Notes:
  Factorization and sweeps run on the GPU if the matrix is of type `MATAIJCUSPARSE`, `MATAIJHIPSPARSE` where PETSc has HIP, or
  `MATAIJKOKKOS` where its Kokkos has either. Use `-mat_type aijcusparse -vec_type cuda` (with a `DM` `-dm_mat_type aijcusparse -dm_vec_type
  cuda`), `-vec_type hip` with HIP, or `-mat_type aijkokkos -vec_type kokkos`. They run on the host for `MATAIJ`, for matrices bound to the
  CPU, and with a host algorithm; `-ksp_view` shows where. The factors equal those of `PCILU` and `PCICC` on the host up to rounding.

  With complex scalars `PCICC` and this ICC are of complex symmetric matrices. On a GPU they are factored and solved for by rows.

  A `MATBAIJ` or `MATSBAIJ` with blocks of 2 to 8 rows is factored by blocks on the host, as `PCILU` and `PCICC` do: levels of fill and
  orderings are of blocks, whose pivot blocks are inverted with exchanges of rows. There a zero pivot gets the shift amount, times a
  quarter of the sum of the block's absolute diagonal entries, whatever the type of the shift. Of other blocks a `MATAIJ` copy is factored
  by rows, and destroyed then. With `-pc_syncfree_factor_blocks` a `MATAIJ` is factored by blocks in the same way, on the GPU, too;
  orderings are of blocks from PETSc 3.26 on, and before must keep the rows of a block together.

  On more than one process the preconditioner acts on each process's diagonal block, like `PCBJACOBI` with one block per process. It can
  also be used for the blocks of `PCBJACOBI` and `PCASM`, in multigrid smoothers, and in `PCFIELDSPLIT`.

  The functions and options of `PCILU` work, such as `PCFactorSetShiftType()`, `PCFactorSetMatOrderingType()` and `PCFactorGetMatrix()`.
  On a GPU `-pc_factor_mat_factor_on_host` is an error. The factor is never made in place: with `-pc_factor_in_place`
  (`PCFactorSetUseInPlace()`) it is the same factor in memory of its own, and the matrix keeps its values. `-pc_factor_fill` changes
  nothing, since the arrays of the factor grow as they need.

  With levels of fill (`PCFactorSetLevels()`) the nonzero pattern of the factor is that of PETSc's `PCILU` or `PCICC`. It is found once
  for each pattern of the matrix, for factors on a GPU there, up to 16 levels. `-pc_factor_diagonal_fill`
  (`PCFactorSetAllowDiagonalFill()`) also holds for diagonal entries that the matrix itself lacks, where `PCILU` stops with an error.

  Only the first set-up, and the first one after a change of the nonzero pattern, analyses and allocates. A new matrix with the same
  pattern does not cause a new analysis. After a change of values only the numeric factorization is done.

  `PCApply()` allocates nothing and does not wait for the GPU. `PCApplyTranspose()` prepares the transposed sweeps at its first call.

.seealso: [](ch_ksp), `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCILU`, `PCICC`, `MATSOLVERSYNCFREE`, `PCSyncFreeSetFactor()`,
          `PCSyncFreeSetAlgorithm()`, `PCSyncFreeSetOption()`, `PCFactorSetShiftType()`, `PCFactorSetShiftAmount()`,
          `PCFactorSetZeroPivot()`, `PCFactorSetMatOrderingType()`, `PCRegister_SyncFree()`
M*/

PetscErrorCode PCCreate_SyncFree(PC pc)
{
  PC_SyncFree *sf;
  PetscErrorCode (*create)(PC);

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PCList, PCILU, &create));
  PetscCheck(create, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP, "PC type syncfree needs PCILU, which has not been registered");
  PetscCall((*create)(pc));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERSYNCFREE));
  PetscCall(PetscNew(&sf));
  sf->pc = pc;
  sf->factor     = MAT_FACTOR_NONE;
  sf->inner      = *pc->ops;
  PetscCall(PetscObjectContainerCompose((PetscObject)pc, SYNCFREE_CONTEXT, sf, PetscCtxDestroyDefault));
  pc->ops->setup          = PCSetUp_SyncFree; /* with the context, so that after an error below our methods remove what there is */
  pc->ops->reset          = PCReset_SyncFree;
  pc->ops->destroy        = PCDestroy_SyncFree;
  pc->ops->view           = PCView_SyncFree;
  pc->ops->setfromoptions = PCSetFromOptions_SyncFree;
  if (SYNCFREE_KSP_MISSES_NEW_VALUES) pc->ops->setuponblocks = PCSetUp; /* else a failure would stay */
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCFactorSetUpMatSolverType_C", &sf->setupsolvertype));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCFactorSetShiftType_C", &sf->setshifttype));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCFactorSetLevels_C", &sf->setlevels));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCFactorReorderForNonzeroDiagonal_C", &sf->reorder));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCFactorSetUpMatSolverType_C", PCFactorSetUpMatSolverType_SyncFree));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCFactorSetShiftType_C", PCFactorSetShiftType_SyncFree));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCFactorSetLevels_C", PCFactorSetLevels_SyncFree));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCFactorSetUseInPlace_C", PCFactorSetUseInPlace_SyncFree));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, "PCFactorReorderForNonzeroDiagonal_C", PCFactorReorderForNonzeroDiagonal_SyncFree));
  PetscCall(PCSyncFreeComposeMethods(pc, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
