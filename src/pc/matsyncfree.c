/*
   MatSolverType "syncfree": ILU(0) and ICC(0) of MATSEQAIJ and MATSEQAIJCUSPARSE, or MATSEQAIJHIPSPARSE.
*/
#include "syncfreeimpl.h" /*I "petscsyncfree.h" I*/

/*MC
  MATSOLVERSYNCFREE - A solver type for incomplete factorizations ILU(0) and ICC(0) whose triangular solves are single kernel launches
  without synchronization between levels, on NVIDIA GPUs for `MATSEQAIJCUSPARSE`, on AMD GPUs for `MATSEQAIJHIPSPARSE`, and on the
  host for `MATSEQAIJ`

  Use `-pc_type syncfree`, or on one process `-pc_type ilu -pc_factor_mat_solver_type syncfree`, also with icc

  Options Database Keys:
+ -mat_syncfree_algorithm name                          - algorithm of both sweeps, `-help` lists them, default auto
. -mat_syncfree_lower_algorithm name                    - algorithm of the sweeps with L
. -mat_syncfree_upper_algorithm name                    - algorithm of the sweeps with U
. -mat_syncfree_threshold r                             - mean row length from which rows go to whole warps (yuenyeung), 0 for a
                                                          file's or the built-in value
. -mat_syncfree_threshold_file path                     - file with that threshold, see `PCSyncFreeSetThresholdFile()`
. -mat_syncfree_warps n                                 - resident warps (levelorder), 0 for a rule
. -mat_syncfree_lanes n                                 - lanes per row (levelorder), a power of two up to 32 (AMD: 64), 0 for a rule
. -mat_syncfree_factor_algorithm (auto|entries|ata)     - algorithm of the factorization on the GPU
. -mat_syncfree_ata_policy (ca|la)                      - rows put together into tasks (ata) by level or by neighbourhood
. -mat_syncfree_ata_size n                              - rows of a task (ata), 0 for Equations 1 and 2 of the paper
. -mat_syncfree_ata_ratio r                             - R of Equation 2 (ata), 0 for 1
- -mat_syncfree_split_..., -mat_syncfree_threads, -mat_syncfree_thread_entries - as for `PCSYNCFREE`

  Level: intermediate

  Notes:
  Orderings, shifts and zero pivot tolerance mean what they mean for PETSc's own factorizations on the host, and give the same factors
  up to rounding. Levels of fill are not available.

  What PETSc's own `PCILU` does before it calls the factorization cannot be changed from here: it turns the shift type nonzero into
  inblocks for GPU matrices, and it never recovers from a zero pivot as long as the nonzero pattern stays. `PCSYNCFREE` does better.

.seealso: [](ch_matrices), `PCSYNCFREE`, `PCILU`, `PCICC`, `MatGetFactor()`, `MatSolverType`, `MatSyncFreeSetAlgorithm()`
M*/

static const char *SyncFreeLocationName(SptrsvLocation location)
{
  return location == SPTRSV_DEVICE ? "GPU" : "host";
}

/* Where the engine has to live for these algorithms and this matrix */
PetscErrorCode SyncFreeGetLocation(Mat A, const SyncFreeChoice *c, SptrsvLocation *location, const char **where)
{
  const PetscBool lowerhost = SyncFreeAlgorithmRunsOn(c->lower, SPTRSV_HOST), lowergpu = SyncFreeAlgorithmRunsOn(c->lower, SPTRSV_DEVICE);
  const PetscBool upperhost = SyncFreeAlgorithmRunsOn(c->upper, SPTRSV_HOST), uppergpu = SyncFreeAlgorithmRunsOn(c->upper, SPTRSV_DEVICE);
  const PetscBool host = (PetscBool)(lowerhost && upperhost), device = (PetscBool)(lowergpu && uppergpu);
  const char     *some    = !lowerhost || !lowergpu ? c->lower : c->upper; /* that leaves no choice, if one does */
  PetscBool       gputype = PETSC_FALSE, bound = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCheck(host || device, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Algorithm %s runs on the %s but algorithm %s on the %s; choose two for the same memory", c->lower,
             SyncFreeLocationName(lowergpu ? SPTRSV_DEVICE : SPTRSV_HOST), c->upper,
             SyncFreeLocationName(uppergpu ? SPTRSV_DEVICE : SPTRSV_HOST));
  if (SYNCFREE_HAVE_GPU) PetscCall(PetscObjectTypeCompare((PetscObject)A, SYNCFREE_MATSEQAIJGPU, &gputype));
  PetscCall(MatBoundToCPU(A, &bound));
  *location = SPTRSV_HOST;
  if (!device) *where = gputype ? "although the matrix has a GPU type: a host algorithm was asked for" : "";
  else if (!gputype) *where = "";
  else if (bound) *where = "although the matrix has a GPU type: it is bound to the CPU";
  else if (sptrsvDeviceCount() < 1) *where = "although the matrix has a GPU type: there is no usable GPU";
  else {
    *location = SPTRSV_DEVICE;
    *where    = "";
  }
  PetscCheck(host || gputype, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Algorithm %s runs on the GPU but the matrix has type %s; use -mat_type " SYNCFREE_MATAIJGPU
             " (with a DM: -dm_mat_type " SYNCFREE_MATAIJGPU ")",
             some, ((PetscObject)A)->type_name);
  PetscCheck(host || *location == SPTRSV_DEVICE, PETSC_COMM_SELF, bound ? PETSC_ERR_ARG_INCOMP : PETSC_ERR_GPU,
             "Algorithm %s runs on the GPU but %s; use a host algorithm, like -pc_syncfree_algorithm host", some,
             bound ? "the matrix is bound to the CPU" : "there is no usable GPU");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was said where: MatSyncFreeSetAlgorithm() < the PC < -mat_syncfree_algorithm */
PetscErrorCode MatSyncFreeChoose(Mat F, const SyncFreeChannel *channel)
{
  Mat_SyncFree   *f        = (Mat_SyncFree *)F->data;
  SyncFreeChoice  c        = SyncFreeChoiceDefault;
  SyncFreeOptions database = SyncFreeOptionsNone;

  PetscFunctionBegin;
  SyncFreeOptionsOverlay(&f->options, &c);
  if (channel) SyncFreeOptionsOverlay(&channel->options, &c);
  PetscOptionsBegin(PetscObjectComm((PetscObject)F), ((PetscObject)F)->prefix, "SyncFree factorization options", "Mat");
  PetscCall(SyncFreeOptionsRead(PetscOptionsObject, "mat", &database));
  PetscOptionsEnd();
  SyncFreeOptionsOverlay(&database, &c);
  PetscCall(SyncFreeThresholdResolve(&c));
  f->choice = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_SyncFree(Mat F)
{
  Mat_SyncFree *f = (Mat_SyncFree *)F->data;

  PetscFunctionBegin;
  if (f->engine && f->engine->owner == F) { /* the PC may still hold it */
    f->engine->owner = NULL;
    f->engine->ready = PETSC_FALSE;
  }
  PetscCall(SyncFreeEngineDestroy(&f->engine));
  PetscCall(ISDestroy(&f->row));
  PetscCall(ISDestroy(&f->col));
  PetscCall(PetscFree(F->data));
  PetscCall(MatSyncFreeComposeMethods(F, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called up to three times before the first set-up, merely to ask for the default ordering (factor.c): does no work */
PetscErrorCode MatGetFactor_seqaij_syncfree(Mat A, MatFactorType ftype, Mat *F)
{
  Mat           B;
  Mat_SyncFree *f;
  VecType       vtype;

  PetscFunctionBegin;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
  PetscCall(MatSetSizes(B, A->rmap->n, A->cmap->n, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizesFromMats(B, A, A));
  PetscCall(MatGetVecType(A, &vtype));
  PetscCall(MatSetVecType(B, vtype));
  /* a Mat type of its own, like MUMPS's: Mat_SeqAIJ is private */
  PetscCall(PetscStrallocpy(MATSOLVERSYNCFREE, &((PetscObject)B)->type_name));
  PetscCall(MatSetUp(B));
  PetscCall(PetscNew(&f));
  f->options                = SyncFreeOptionsNone;
  f->where                  = "";
  B->data                   = f;
  B->ops->destroy           = MatDestroy_SyncFree;
  B->ops->getinfo           = MatGetInfo_SyncFree;
  B->ops->view              = MatView_SyncFree;
  B->ops->solve             = MatSolve_SyncFree;
  B->ops->solvetranspose    = MatSolveTranspose_SyncFree;
  B->ops->matsolve          = MatMatSolve_SyncFree;
  B->ops->matsolvetranspose = MatMatSolveTranspose_SyncFree;
  B->ops->forwardsolve      = MatForwardSolve_SyncFree;
  B->ops->backwardsolve     = MatBackwardSolve_SyncFree;
  B->ops->ilufactorsymbolic = MatILUFactorSymbolic_SyncFree;
  B->ops->iccfactorsymbolic = MatICCFactorSymbolic_SyncFree;
  B->factortype             = ftype;
  B->canuseordering         = PETSC_TRUE; /* else the orderings arrive as NULL */
  PetscCall(PetscStrallocpy(MATORDERINGNATURAL, (char **)&B->preferredordering[MAT_FACTOR_ILU]));
  PetscCall(PetscStrallocpy(MATORDERINGNATURAL, (char **)&B->preferredordering[MAT_FACTOR_ICC]));
  PetscCall(PetscStrallocpy(MATSOLVERSYNCFREE, &B->solvertype));
  PetscCall(MatSyncFreeComposeMethods(B, PETSC_TRUE));
  *F = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}
