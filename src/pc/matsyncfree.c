/*
   MatSolverType "syncfree": ILU(k) and ICC(k) of MATSEQAIJ, and of MATSEQAIJCUSPARSE, MATSEQAIJHIPSPARSE or MATSEQAIJKOKKOS; by blocks of
   MATSEQBAIJ and MATSEQSBAIJ.
*/
#include "syncfreeimpl.h" /*I "petscsyncfree.h" I*/

/*MC
  MATSOLVERSYNCFREE - A solver type for incomplete factorizations ILU(k) and ICC(k) whose triangular solves are single kernel launches
  without synchronization between levels, on NVIDIA GPUs for `MATSEQAIJCUSPARSE`, on AMD GPUs for `MATSEQAIJHIPSPARSE`, on either for
  `MATSEQAIJKOKKOS`, and on the host for `MATSEQAIJ`, and by blocks for `MATSEQBAIJ` and `MATSEQSBAIJ`; by blocks also for the others, if
  they are asked for

  Use `-pc_type syncfree`, or on one process `-pc_type ilu -pc_factor_mat_solver_type syncfree`, and the same with `-pc_type icc`

  Options Database Keys:
+ -mat_syncfree_algorithm name       - algorithm of both sweeps, `-help` lists them, default auto
. -mat_syncfree_lower_algorithm name - algorithm of the sweeps with L
. -mat_syncfree_upper_algorithm name - algorithm of the sweeps with U
. -mat_syncfree_OPTION value         - tunes an algorithm, `-help` lists the options, see `MatSyncFreeSetOption()`
- -mat_syncfree_studies              - with `-help`, lists algorithms and options of published methods, too

  Level: intermediate

  Notes:
  Levels of fill, orderings, shifts and zero pivot tolerance have the same meaning as in PETSc's factorizations on the host, and give the
  same factors up to rounding. Values are on the GPU throughout.

  `PCILU` changes the shift type nonzero to inblocks for GPU matrices, and does not recover from a zero pivot until the nonzero pattern
  changes. A solver type cannot prevent that; `PCSYNCFREE` does.

  Of blocks of one row, and of more than 8, a `MATSEQAIJ` copy is factored.

.seealso: [](ch_matrices), `PCSYNCFREE`, `PCILU`, `PCICC`, `MatGetFactor()`, `MatSolverType`, `MatSyncFreeSetAlgorithm()`,
          `MatSyncFreeSetOption()`
M*/

/* Makes the graph of A's blocks, of type BAIJ: of AIJ PETSc would order equal rows as one */
static PetscErrorCode SyncFreeCreateBlockGraph(Mat A, PetscInt rows, Mat *graph)
{
  const PetscInt *ai, *aj;
  PetscInt        m, n, nz = 0, *i, *j, *last;
  PetscBool       done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &ai, &aj, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "Matrix of type %s does not give its rows", ((PetscObject)A)->type_name);
  n = m / rows;
  PetscCall(PetscCalloc3(n + 1, &i, n, &last, ai[m], &j)); /* there are at most as many blocks as entries */
  for (PetscInt r = 0; r < n; r++) {
    const PetscInt *const first = ai + (ptrdiff_t)r * rows; /* of the entries of each row */

    for (PetscInt e = first[0]; e < first[rows]; e++) {
      const PetscInt c = aj[e] / rows;

      if (last[c] == r + 1) continue; /* the block has had an entry */
      last[c] = r + 1;
      j[nz++] = c;
    }
    i[r + 1] = nz;
  }
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_FALSE, &m, &ai, &aj, &done));
  PetscCall(MatCreate(PETSC_COMM_SELF, graph));
  PetscCall(MatSetSizes(*graph, n, n, n, n));
  PetscCall(MatSetType(*graph, MATSEQBAIJ));
  PetscCall(MatSeqBAIJSetPreallocationCSR(*graph, 1, i, j, NULL));
  PetscCall(PetscFree3(i, last, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Orders the rows of A as PETSc does or, of AIJ by blocks, the blocks as PETSc does those of BAIJ.  A PC is setting up. */
static PetscErrorCode SyncFreeGetOrdering(Mat A, MatOrderingType type, IS *row, IS *col)
{
  PC_SyncFree              *sf;
  const SptrsvBlockStorage *storage;
  Mat                       F, graph;
  PetscErrorCode            ierr;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)A, SYNCFREE_CONTEXT, &sf));
  PetscCall(PCFactorGetMatrix(sf->pc, &F));
  PetscCall(MatSyncFreeChoose(F, A, sf));
  storage = &((Mat_SyncFree *)F->data)->storage;
  if (!storage->points) {
    PetscCall(MatGetOrdering(A, type, row, col));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(SyncFreeCreateBlockGraph(A, storage->rows, &graph));
  ierr = MatGetOrdering(graph, type, row, col);
  PetscCall(MatDestroy(&graph));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the natural ordering of a matrix without arrays of all its rows; MatGetOrdering() fills, copies and scans two.  While PCSYNCFREE
   sets up, this is the matrix's own getordering(), which MatGetOrdering() calls in place of its own. */
PetscErrorCode MatGetOrdering_SyncFree(Mat A, MatOrderingType type, IS *row, IS *col)
{
  PetscBool      natural;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, MATORDERINGNATURAL, &natural));
  if (natural && A->rmap->n == A->cmap->n) {
    PetscCall(ISCreateStride(PETSC_COMM_SELF, A->rmap->n, 0, 1, row));
    ierr = ISCreateStride(PETSC_COMM_SELF, A->rmap->n, 0, 1, col); /* not the same IS: PCReset_ILU() would destroy it once */
    if (ierr) (void)ISDestroy(row);                                /* which PCReset_ILU() would not do for one of two */
    PetscCall(ierr);
    PetscCall(ISSetIdentity(*row));
    PetscCall(ISSetIdentity(*col));
    PetscCall(MatViewFromOptions(A, NULL, "-mat_view_ordering"));
  } else {
    (void)SyncFreeMatSwapOrdering(A, NULL);
    ierr = SyncFreeGetOrdering(A, type, row, col);
    (void)SyncFreeMatSwapOrdering(A, MatGetOrdering_SyncFree);
    PetscCall(ierr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeGetMemory(Mat F, size_t *host, size_t *device)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;
  size_t         h = 0, d = 0;

  PetscFunctionBegin;
  *host = *device = 0;
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallSptrsv(sptrsvFactorGetMemory(e->factor, host, device));
  for (PetscInt k = 0; k < SYNCFREE_PLANS; k++) {
    if (!e->plan[k]) continue;
    PetscCallSptrsv(sptrsvPlanGetMemory(e->plan[k], &h, &d));
    *host += h;
    *device += d;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Required, because PCSetUp_ILU() gets the fill ratio from it */
static PetscErrorCode MatGetInfo_SyncFree(Mat F, PETSC_UNUSED MatInfoType flag, MatInfo *info)
{
  size_t host, device;

  PetscFunctionBegin;
  *info            = F->info;
  info->block_size = 1.0;
  PetscCall(MatSyncFreeGetMemory(F, &host, &device));
  info->memory = (PetscLogDouble)(host + device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints a list, which has commas and semicolons, in lines of at most some 100 characters */
static PetscErrorCode SyncFreeViewList(PetscViewer viewer, const char what[], const char list[])
{
  const size_t most = 90;

  PetscFunctionBegin;
  do {
    size_t end = strlen(list), cut = most;

    if (end > most) {
      while (cut && !((list[cut - 1] == ';' || list[cut - 1] == ',') && list[cut] == ' ')) cut--;
      if (cut) end = cut;
    }
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s%.*s\n", what, (int)end, list));
    what = "  ";
    list += end;
    if (*list) list++; /* the blank */
  } while (*list);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SyncFreeViewSweep(SyncFreeEngine engine, SyncFreeSweep sweep, PetscViewer viewer)
{
  const PetscBool  lower = (PetscBool)(sweep == SYNCFREE_L);
  char             text[1024];
  SptrsvAnalysis   analysis;
  SptrsvStatistics s;

  PetscFunctionBegin;
  PetscCallSptrsv(sptrsvPlanDescribe(engine->plan[sweep], text, sizeof(text)));
  PetscCall(SyncFreeViewList(viewer, lower ? "forward sweep: " : "backward sweep: ", text));
  if (engine->plan[SyncFreePlanBeside(sweep)]) {
    PetscCallSptrsv(sptrsvPlanDescribe(engine->plan[SyncFreePlanBeside(sweep)], text, sizeof(text)));
    PetscCall(SyncFreeViewList(viewer, "  with dense matrices: ", text));
  }
  PetscCallSptrsv(SyncFreeEngineGetAnalysis(engine, &analysis));
  PetscCallSptrsv(sptrsvAnalysisGetStatistics(analysis, lower ? SPTRSV_LOWER : SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE, &s));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%srows=%lld, nonzeros off the diagonal=%lld, longest row=%lld nonzeros\n",
                                   engine->storage.rows > 1 ? "of blocks: " : "", (long long)s.rows, (long long)s.nnz,
                                   (long long)s.longest));
  PetscCall(PetscViewerASCIIPrintf(viewer, "levels=%lld, rows in the widest=%lld\n", (long long)s.levels, (long long)s.widest));
  if (s.rows) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "rows per level=%.4g, nonzeros per row=%.4g, granularity=%.4g (larger is more parallel)\n",
                                     s.n_level, s.nnz_row, s.granularity));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatView_SyncFree(Mat F, PetscViewer viewer)
{
  Mat_SyncFree     *f = (Mat_SyncFree *)F->data;
  SyncFreeEngine    e = f->engine;
  PetscBool         isascii;
  PetscViewerFormat format;
  size_t            host, device;
  char              text[512], most[32] = "";

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  if (!isascii || !e || !e->plan[SYNCFREE_U]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "SyncFree %s(%lld) in %s ordering%s\n", e->kind == SPTRSV_ICC0 ? "ICC" : "ILU",
                                   (long long)e->fill.levels, e->row || e->col ? "permuted" : "natural",
                                   e->fill.diagonal ? ", with fill of missing diagonal entries" : ""));
  if (f->copied) PetscCall(PetscViewerASCIIPrintf(viewer, "of an AIJ copy of the matrix, made at each factorization\n"));
  if (SyncFreeOnDevice(e)) PetscCall(PetscViewerASCIIPrintf(viewer, "factorization and sweeps run on the GPU\n"));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "factorization and sweeps run on the HOST%s%s\n", f->where[0] ? ", " : "", f->where));
  PetscCallSptrsv(sptrsvFactorDescribe(e->factor, text, sizeof(text)));
  PetscCall(SyncFreeViewList(viewer, "factorization: ", text));
  if (f->shifts)
    PetscCall(PetscViewerASCIIPrintf(viewer, "diagonal shifted by %g after %" PetscInt_FMT " attempts\n", (double)f->shift, f->shifts));
  if (e->blocks.least < e->blocks.most) PetscCall(PetscSNPrintf(most, sizeof(most), " to %d", e->blocks.most));
  if (e->blocks.rows)
    PetscCall(PetscViewerASCIIPrintf(viewer, "sweeps by %s: %lld rows of %" PetscInt_FMT " are in blocks of %d%s\n",
                                     e->blocks.worth ? "blocks" : "rows", (long long)e->blocks.rows, e->n, e->blocks.least, most));
  if (e->least) PetscCall(PetscViewerASCIIPrintf(viewer, "in place of auto, or of blocks, which the GPU's memory does not hold:\n"));
  PetscCall(SyncFreeViewSweep(e, SYNCFREE_L, viewer));
  PetscCall(SyncFreeViewSweep(e, SYNCFREE_U, viewer));
  if (e->plan[SYNCFREE_UT]) PetscCall(PetscViewerASCIIPrintf(viewer, "plans of the transposed sweeps exist\n"));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) {
    PetscCall(MatSyncFreeGetMemory(F, &host, &device));
    PetscCall(PetscViewerASCIIPrintf(viewer, "memory: %zu bytes on the GPU, %zu bytes on the host\n", device, host));
    PetscCall(PetscViewerASCIIPrintf(viewer, "analysis used for %" PetscInt_FMT " symbolic and %" PetscInt_FMT " numeric factorizations\n",
                                     e->nsymbolic, e->nnumeric));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeSetOption_SyncFree(Mat F, const char name[], const char value[])
{
  Mat_SyncFree *f = (Mat_SyncFree *)F->data;

  PetscFunctionBegin;
  PetscCall(SyncFreeOptionsSet(PetscObjectComm((PetscObject)F), name, value, &f->options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeGetOption_SyncFree(Mat F, const char name[], char value[], size_t len)
{
  Mat_SyncFree *f = (Mat_SyncFree *)F->data;

  PetscFunctionBegin;
  PetscCall(SyncFreeGetOption(f->options.changed ? NULL : f->engine, &f->options, name, value, len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatFactorGetSolverType_SyncFree(PETSC_UNUSED Mat F, MatSolverType *type)
{
  *type = MATSOLVERSYNCFREE;
  return PETSC_SUCCESS;
}

static PetscErrorCode MatSyncFreeComposeMethods(Mat F, PetscBool compose)
{
  PetscObject o = (PetscObject)F;

  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction(o, "MatFactorGetSolverType_C", compose ? MatFactorGetSolverType_SyncFree : NULL));
  PetscCall(PetscObjectComposeFunction(o, "MatSyncFreeSetOption_C", compose ? MatSyncFreeSetOption_SyncFree : NULL));
  PetscCall(PetscObjectComposeFunction(o, "MatSyncFreeGetOption_C", compose ? MatSyncFreeGetOption_SyncFree : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDestroy_SyncFree(Mat F)
{
  Mat_SyncFree *f = (Mat_SyncFree *)F->data;

  PetscFunctionBegin;
  MatSyncFreeDisown(F); /* the PC may still hold the engine */
  PetscCall(SyncFreeEngineDestroy(&f->engine));
  PetscCall(SyncFreeOptionsDestroy(&f->options));
  PetscCall(SyncFreeOptionsDestroy(&f->choice));
  PetscCall(PetscFree(f->row));
  PetscCall(PetscFree(f->col));
  PetscCall(MatDestroy(&f->copy));
  PetscCall(PetscFree(F->data));
  PetscCall(MatSyncFreeComposeMethods(F, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Does no work, because PCFactor (factor.c) calls it up to three times before the first set-up, only for the default ordering */
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
  /* a type name of its own, as in MUMPS, because Mat_SeqAIJ is private */
  PetscCall(PetscStrallocpy(MATSOLVERSYNCFREE, &((PetscObject)B)->type_name));
  PetscCall(MatSetUp(B));
  PetscCall(PetscNew(&f));
  f->where                  = "";
  B->data                   = f;
  B->ops->destroy           = MatDestroy_SyncFree;
  B->ops->getinfo           = MatGetInfo_SyncFree;
  B->ops->view              = MatView_SyncFree;
  B->ops->getdiagonal       = MatGetDiagonal_SyncFree;
  B->ops->getrowij          = MatGetRowIJ_SyncFree;
  B->ops->restorerowij      = MatRestoreRowIJ_SyncFree;
  B->ops->solve             = MatSolve_SyncFree;
  B->ops->solveadd          = MatSolveAdd_SyncFree;
  B->ops->solvetransposeadd = MatSolveTransposeAdd_SyncFree;
  B->ops->solvetranspose    = MatSolveTranspose_SyncFree;
  B->ops->matsolve          = MatMatSolve_SyncFree;
  B->ops->matsolvetranspose = MatMatSolveTranspose_SyncFree;
  B->ops->forwardsolve      = MatForwardSolve_SyncFree;
  B->ops->backwardsolve     = MatBackwardSolve_SyncFree;
  B->ops->ilufactorsymbolic = MatILUFactorSymbolic_SyncFree;
  B->ops->iccfactorsymbolic = MatICCFactorSymbolic_SyncFree;
  B->factortype             = ftype;
  B->canuseordering         = PETSC_TRUE; /* otherwise PETSc passes NULL orderings */
  PetscCall(PetscStrallocpy(MATORDERINGNATURAL, (char **)&B->preferredordering[MAT_FACTOR_ILU]));
  PetscCall(PetscStrallocpy(MATORDERINGNATURAL, (char **)&B->preferredordering[MAT_FACTOR_ICC]));
  PetscCall(PetscStrallocpy(MATSOLVERSYNCFREE, &B->solvertype));
  PetscCall(MatSyncFreeComposeMethods(B, PETSC_TRUE));
  *F = B;
  PetscFunctionReturn(PETSC_SUCCESS);
}
