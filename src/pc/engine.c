/*
   The engine: the kernel library's handles for one pattern, the data to decide whether they can be reused, and the plans: made for options,
   given the factor's values, and lent to the factorization.
*/
#include "syncfreeimpl.h"
#if PetscDefined(HAVE_HIP)
  #include <petscdevice_hip.h>
#elif PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

/* Gets PETSc's current stream, for work with the engine.  PETSc's own vector operations run in the legacy stream, whatever the current one
   is, and the engine may have been used in another stream before.  So all work of the kernel library with the engine's factor and plans
   comes between this function and SyncFreeEngineEnd(), also after an error, and no work of PETSc's does. */
PetscErrorCode SyncFreeEngineBegin(SyncFreeEngine engine, SptrsvStream *stream)
{
  PetscFunctionBegin;
  *stream = NULL;
  if (!SyncFreeOnDevice(engine)) PetscFunctionReturn(PETSC_SUCCESS);
#if SYNCFREE_HAVE_GPU
  PetscCall(SyncFreeGetCurrentStream(stream));
#endif
  PetscCallSptrsv(sptrsvUsesBegin(engine->uses, *stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeEngineEnd(SyncFreeEngine engine, SptrsvStream stream)
{
  PetscFunctionBegin;
  if (SyncFreeOnDevice(engine)) PetscCallSptrsv(sptrsvUsesEnd(engine->uses, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a vector for so many columns in the engine's memory, unless *v is one already */
PetscErrorCode SyncFreeEngineNeedVec(SyncFreeEngine engine, PetscInt columns, Vec *v)
{
  PetscFunctionBegin;
  if (*v) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecCreate(PETSC_COMM_SELF, v));
  PetscCall(VecSetSizes(*v, columns * engine->n, columns * engine->n));
  PetscCall(VecSetType(*v, engine->kokkos ? VECSEQKOKKOS : SyncFreeOnDevice(engine) ? SYNCFREE_VECSEQGPU : VECSEQ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Destroys the vectors that are made when first needed.  After an error one may be half made, or locked by a function of PETSc's. */
PetscErrorCode SyncFreeEngineDropVecs(SyncFreeEngine engine)
{
  Vec *const vecs[] = {&engine->between, &engine->in, &engine->out, &engine->root};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(vecs); k++) PetscCall(VecDestroy(vecs[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a permutation of blocks, or its inverse, out of one of rows, which keeps those of a block together; the caller frees it.  What is
   none has an inverse with -1 in it, which the kernel library refuses. */
static PetscErrorCode SyncFreePermutationOfBlocks(SyncFreeEngine e, const int32_t *perm, PetscBool invert, int32_t **blocks)
{
  const PetscInt rows = e->storage.rows;

  PetscFunctionBegin;
  if (!perm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(e->n / rows, blocks));
  for (PetscInt k = 0; k < e->n; k += rows) (*blocks)[k / rows] = invert ? -1 : (int32_t)(perm[k] / rows);
  for (PetscInt k = 0; k < e->n && invert; k += rows) {
    if (perm[k] >= 0 && perm[k] < e->n) (*blocks)[perm[k] / rows] = (int32_t)(k / rows);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the vector between the sweeps, and finds the factor's pattern */
static PetscErrorCode SyncFreeEngineAnalyse(SyncFreeEngine e, Mat A, const int32_t row[], const int32_t col[], PetscInt *missing)
{
  int32_t     *blocks = NULL, *inverse = NULL;
  int64_t      bad    = -1;
  SptrsvCsr    csr;
  SptrsvStatus status;

  PetscFunctionBegin;
#if SYNCFREE_HAVE_GPU
  if (SyncFreeOnDevice(e)) PetscCall(PetscDeviceInitialize(PetscDefined(HAVE_HIP) ? PETSC_DEVICE_HIP : PETSC_DEVICE_CUDA));
#endif
  if (SyncFreeOnDevice(e)) PetscCallSptrsv(sptrsvUsesCreate(&e->uses));
  if (SyncFreeOnDevice(e)) PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &e->kokkos));
  PetscCall(MatGetBlockSize(A, &e->bs));
  e->n = A->rmap->n;
  if (row) PetscCall(PetscMalloc1(e->n, &e->row));
  if (col) PetscCall(PetscMalloc1(e->n, &e->col));
  PetscCall(PetscArraycpy(e->row, row, row ? e->n : 0));
  PetscCall(PetscArraycpy(e->col, col, col ? e->n : 0));
  /* PETSc's memory comes before that which set-ups keep */
  PetscCall(SyncFreeEngineNeedVec(e, 1, &e->work));
  PetscCall(VecGetArrayWriteAndMemType(e->work, &e->w, NULL)); /* held until destruction, to keep this call out of solves */
  PetscCall(SyncFreePermutationOfBlocks(e, e->row, PETSC_FALSE, &blocks));
  PetscCall(SyncFreePermutationOfBlocks(e, e->col, PETSC_TRUE, &inverse));
  PetscCall(SyncFreeMatGetPattern(A, e, &csr));
  e->nz = (PetscInt)csr.nnz;
  PetscCall(PetscLogEventBegin(SyncFree_Symbolic, A, 0, 0, 0));
  if (e->storage.rows > 1)
    status = sptrsvFactorCreateBlocks(&csr, &e->storage, e->kind, blocks, inverse, &e->fill, SYNCFREE_VALUE, e->location, &bad, &e->factor);
  else status = sptrsvFactorCreate(&csr, e->kind, blocks, inverse, &e->fill, SYNCFREE_VALUE, e->location, &bad, &e->factor);
  PetscCall(PetscLogEventEnd(SyncFree_Symbolic, A, 0, 0, 0));
  PetscCall(SyncFreeMatRestorePattern(A, e, &csr));
  PetscCall(PetscFree(blocks));
  PetscCall(PetscFree(inverse));
  if (status == SPTRSV_MISSING_DIAGONAL) {
    bad *= e->storage.rows;
    *missing = e->row ? e->row[bad] : (PetscInt)bad;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(status != SPTRSV_TOO_LARGE || !e->fill.levels, PETSC_COMM_SELF, SyncFreeErrorCode(status),
             "The factor has more entries than SyncFree's 32-bit indices hold; use a smaller -pc_factor_levels, or more processes");
  PetscCheckSptrsv(status, "Analysis of the pattern: %s", sptrsvGetErrorString(status));
  PetscCallSptrsv(sptrsvFactorGetCounts(e->factor, &e->counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes F's engine: analyses the pattern of A, which is F's matrix or the AIJ copy of it.  *missing: a row of A without a diagonal entry,
   or -1.  If there is such a row, and after an error, F has no engine. */
PetscErrorCode SyncFreeEngineCreate(Mat F, Mat A, PetscInt *missing)
{
  Mat_SyncFree  *f = (Mat_SyncFree *)F->data;
  SyncFreeEngine e;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *missing = -1;
  PetscCall(PetscNew(&e));
  e->refct    = 1;
  e->kind     = SyncFreeKind(F);
  e->storage  = f->storage;
  e->fill     = f->fill;
  e->location = f->location;
  f->engine   = e;
  ierr        = SyncFreeEngineAnalyse(e, A, f->row, f->col, missing);
  if (ierr || *missing >= 0) (void)SyncFreeEngineDestroy(&f->engine);
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells whether F has the engine that SyncFreeEngineCreate() would make */
PetscErrorCode SyncFreeEngineMatches(Mat F, Mat A, PetscBool *same)
{
  Mat_SyncFree  *f = (Mat_SyncFree *)F->data;
  SyncFreeEngine e = f->engine;
  SptrsvCsr      csr;
  SptrsvStatus   status;
  PetscInt       bs;
  PetscBool      kokkos;
  int            matches;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJKOKKOS, &kokkos));
  *same = (PetscBool)(e && e->kind == SyncFreeKind(F) && e->location == f->location && e->n == A->rmap->n &&
                      e->fill.levels == f->fill.levels && e->fill.diagonal == f->fill.diagonal &&
                      (!SyncFreeOnDevice(e) || (e->bs == bs && e->kokkos == kokkos)));
  if (*same) PetscCall(PetscMemcmp(&e->storage, &f->storage, sizeof(f->storage), same));
  if (*same) PetscCall(SyncFreePermutationsEqual(e->n, e->row, f->row, same));
  if (*same) PetscCall(SyncFreePermutationsEqual(e->n, e->col, f->col, same));
  if (*same) {
    PetscCall(SyncFreeMatGetPattern(A, e, &csr));
    status = sptrsvFactorMatches(e->factor, &csr, &matches);
    PetscCall(SyncFreeMatRestorePattern(A, e, &csr));
    PetscCallSptrsv(status);
    *same = (PetscBool)matches;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeEngineDestroy(SyncFreeEngine *engine)
{
  SyncFreeEngine e = *engine;

  PetscFunctionBegin;
  *engine = NULL;
  if (!e || --e->refct > 0) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < SYNCFREE_PLANS; k++) PetscCallSptrsv(sptrsvPlanDestroy(&e->plan[k])); /* they refer to the factor's analysis */
  PetscCallSptrsv(sptrsvFactorDestroy(&e->factor));
  PetscCallSptrsv(sptrsvUsesDestroy(&e->uses));
  if (e->w) PetscCall(VecRestoreArrayWriteAndMemType(e->work, &e->w));
  PetscCall(VecDestroy(&e->work));
  PetscCall(SyncFreeEngineDropVecs(e));
  PetscCall(SyncFreeOptionsDestroy(&e->options));
  PetscCall(PetscFree(e->row));
  PetscCall(PetscFree(e->col));
  PetscCall(PetscFree(e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* --------------------------------------------------------- plans --------------------------------------------------------- */
/* Gets the analysis of the plans' pattern */
SptrsvStatus SyncFreeEngineGetAnalysis(SyncFreeEngine engine, SptrsvAnalysis *analysis)
{
  return engine->blocks.worth ? sptrsvFactorGetBlockAnalysis(engine->factor, analysis) : sptrsvFactorGetAnalysis(engine->factor, analysis);
}

/* Gives a new plan the factor's values.  Without them it goes, as it would have none until the next factorization. */
static PetscErrorCode SyncFreeEngineGiveValues(SyncFreeEngine engine, SyncFreeSweep sweep, const char algorithm[])
{
  SptrsvStream stream;
  SptrsvStatus status;
  const void  *values;

  PetscFunctionBegin;
  PetscCall(SyncFreeEngineBegin(engine, &stream));
  if (engine->blocks.worth) status = sptrsvFactorGetBlockValues(engine->factor, stream, &values); /* which the stream makes */
  else status = sptrsvFactorGetValues(engine->factor, &values);
  if (!status) status = sptrsvPlanUpdate(engine->plan[sweep], values, stream);
  if (status) (void)sptrsvPlanDestroy(&engine->plan[sweep]);
  PetscCall(SyncFreeEngineEnd(engine, stream));
  PetscCheckSptrsv(status, "Values of algorithm %s: %s", algorithm, sptrsvGetErrorString(status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells whether memory has run out beside blocks or plans of auto's choice, which may be larger than levelorder's plans of rows */
static PetscBool SyncFreeEngineHasLeast(SyncFreeEngine engine, SptrsvStatus status)
{
  const PetscBool automatic = (PetscBool)(SyncFreeAlgorithm(&engine->options, SYNCFREE_LOWER) == SyncFreeAuto ||
                                          SyncFreeAlgorithm(&engine->options, SYNCFREE_UPPER) == SyncFreeAuto);

  return (PetscBool)(status == SPTRSV_OUT_OF_MEMORY && SyncFreeOnDevice(engine) && !engine->least && (engine->blocks.worth || automatic));
}

/* Makes the plan of a sweep, or the second one, with the factor's values if they are ready; *full: there is none, but
   SyncFreeEngineUseLeast() helps */
static PetscErrorCode SyncFreeEngineTryPlan(SyncFreeEngine engine, SyncFreeSweep place, PetscBool *full)
{
  const PetscBool     beside = (PetscBool)(place >= SYNCFREE_SWEEPS);
  const SyncFreeSweep sweep  = beside ? (SyncFreeSweep)(place - SYNCFREE_SWEEPS) : place;
  const PetscBool     lower  = SyncFreeIsLower(sweep);
  SptrsvAnalysis      analysis;
  SptrsvStatistics    statistics;
  SptrsvPlanOptions   o = {.algorithm = SyncFreeAlgorithm(&engine->options, lower ? SYNCFREE_LOWER : SYNCFREE_UPPER),
                           .location  = engine->location,
                           .triangle  = lower ? SPTRSV_LOWER : SPTRSV_UPPER,
                           .op        = SyncFreeOperation(sweep),
                           .diagonal  = lower || engine->blocks.worth ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_INVERTED,
                           .type      = SYNCFREE_VALUE,
                           .in_perm   = sweep == SYNCFREE_L ? engine->row : sweep == SYNCFREE_UT ? engine->col : NULL,
                           .out_perm  = sweep == SYNCFREE_U ? engine->col : sweep == SYNCFREE_LT ? engine->row : NULL,
                           .tuning    = engine->options.tuning};
  SptrsvStatus        status;
  char                error[256];
  PetscBool           logs;

  PetscFunctionBegin;
  if ((engine->least || beside) && o.algorithm == SyncFreeAuto) o.algorithm = SYNCFREE_LEAST;
  status = sptrsvPlanOptionsCheck(&o, error, sizeof(error));
  PetscCheck(status == SPTRSV_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "SyncFree: %s", error);
  status = SyncFreeEngineGetAnalysis(engine, &analysis);
  /* On the GPU auto needs the levels first.  For a log they are asked for before, which makes them an event of their own; else within the
     plan's set-up, which saves some allocations. */
  PetscCall(PetscLogIsActive(&logs));
  if (!status && logs && SyncFreeOnDevice(engine) && o.algorithm == SyncFreeAuto) {
    PetscCall(PetscLogEventBegin(SyncFree_Levels, 0, 0, 0, 0));
    status = sptrsvAnalysisGetStatistics(analysis, o.triangle, o.op, &statistics);
    PetscCall(PetscLogEventEnd(SyncFree_Levels, 0, 0, 0, 0));
  }
  PetscCall(PetscLogEventBegin(SyncFree_Plan, 0, 0, 0, 0));
  if (!status) status = sptrsvPlanCreate(analysis, &o, &engine->plan[place]);
  PetscCall(PetscLogEventEnd(SyncFree_Plan, 0, 0, 0, 0));
  *full = SyncFreeEngineHasLeast(engine, status);
  if (*full) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheckSptrsv(status, "Algorithm %s for the %s triangle%s: %s", o.algorithm,
                   lower ? "lower" : "upper", o.op == SPTRSV_TRANSPOSE ? ", transposed" : "", sptrsvGetErrorString(status));
  if (engine->ready) PetscCall(SyncFreeEngineGiveValues(engine, place, o.algorithm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SyncFreeCheckLent(SptrsvStatus status)
{
  PetscFunctionBegin;
  PetscCheck(status != SPTRSV_NOT_SUPPORTED, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "The factorization's algorithm is not for this pattern, or not beside this algorithm of the lower sweep; use "
             "-pc_syncfree_factor_algorithm auto");
  PetscCheckSptrsv(status, "Set-up of the factorization: %s", sptrsvGetErrorString(status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Looks for blocks, which both sweeps must take.  There are no plans. */
static PetscErrorCode SyncFreeEngineFindBlocks(SyncFreeEngine engine, const SyncFreeOptions *options)
{
  int size = engine->bs > 1 ? (int)PetscMin(engine->bs, SPTRSV_BLOCK_ROWS) : 0; /* 1 may be said of any matrix */

  PetscFunctionBegin;
  engine->blocks = (SptrsvBlocks){.rows = 0};
  if (!SyncFreeOnDevice(engine) && engine->storage.rows == 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (options->tuning.sweep.blocks != SPTRSV_BY_BLOCKS) size = 1; /* none */
  for (SyncFreeName k = SYNCFREE_LOWER; k <= SYNCFREE_UPPER; k++) {
    const SptrsvAlgorithm *a = sptrsvAlgorithmFind(SyncFreeAlgorithm(options, k), SPTRSV_DEVICE); /* NULL: auto */

    if (a && !(a->traits & SPTRSV_BLOCKS)) size = 1;
  }
  PetscCallSptrsv(sptrsvFactorFindBlocks(engine->factor, size, &engine->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts plans of levelorder, of rows, in the place of all, until the options change */
static PetscErrorCode SyncFreeEngineUseLeast(SyncFreeEngine engine)
{
  PetscBool had[SYNCFREE_PLANS], full;

  PetscFunctionBegin;
  PetscCall(PetscInfo(NULL, "The GPU's memory does not hold the plans of %s%s; %s%s takes their place\n", SyncFreeAuto,
                      engine->blocks.worth ? ", or blocks" : "", SYNCFREE_LEAST, engine->blocks.worth ? " by rows" : ""));
  engine->least = PETSC_TRUE;
  PetscCallSptrsv(sptrsvFactorSetSweep(engine->factor, NULL)); /* before the plan goes */
  for (PetscInt k = 0; k < SYNCFREE_PLANS; k++) {
    had[k] = (PetscBool)(engine->plan[k] != NULL);
    PetscCallSptrsv(sptrsvPlanDestroy(&engine->plan[k]));
  }
  /* frees them, but a factor by blocks always has some */
  if (engine->blocks.worth) PetscCallSptrsv(sptrsvFactorFindBlocks(engine->factor, 1, &engine->blocks));
  for (PetscInt k = 0; k < SYNCFREE_SWEEPS; k++) { /* second ones are not needed beside these */
    if (had[k]) PetscCall(SyncFreeEngineTryPlan(engine, (SyncFreeSweep)k, &full));
  }
  /* a set-up under way lends the plan itself */
  if (had[SYNCFREE_U]) PetscCall(SyncFreeCheckLent(sptrsvFactorSetSweep(engine->factor, engine->plan[SYNCFREE_L])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the plan of a sweep, or the second one, if it does not exist yet */
PetscErrorCode SyncFreeEngineNeedPlan(SyncFreeEngine engine, SyncFreeSweep sweep)
{
  PetscBool full;

  PetscFunctionBegin;
  if (engine->plan[sweep]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SyncFreeEngineTryPlan(engine, sweep, &full));
  if (!full) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SyncFreeEngineUseLeast(engine));
  if (sweep < SYNCFREE_SWEEPS) PetscCall(SyncFreeEngineTryPlan(engine, sweep, &full)); /* second ones are not needed now */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes what a sweep takes to solve for several columns at once, and tells whether it has it.  Where auto chose an algorithm that takes one
   after the other, a plan of another one solves for dense matrices, of one column, too: so the bits of a column do not depend on how many
   there are. */
PetscErrorCode SyncFreeEngineNeedColumns(SyncFreeEngine engine, SyncFreeSweep sweep, PetscBool *together)
{
  const char *const   name   = SyncFreeAlgorithm(&engine->options, SyncFreeIsLower(sweep) ? SYNCFREE_LOWER : SYNCFREE_UPPER);
  const SyncFreeSweep beside = SyncFreePlanBeside(sweep);
  SptrsvStatus        status;
  int                 columns = 1;

  PetscFunctionBegin;
  status = sptrsvPlanPrepareMany(engine->plan[engine->plan[beside] ? beside : sweep], &columns);
  if (!status && columns == 1 && !engine->plan[beside] && engine->n && SyncFreeOnDevice(engine) && name == SyncFreeAuto) {
    PetscCall(SyncFreeEngineNeedPlan(engine, beside));
    status = sptrsvPlanPrepareMany(engine->plan[engine->plan[beside] ? beside : sweep], &columns);
  }
  if (status) PetscCall(PetscInfo(NULL, "Columns are solved for one after the other: %s\n", sptrsvGetErrorString(status)));
  *together = (PetscBool)(!status && columns > 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the plans of L and U for these options, and lends L's to the factorization, which is set up then; all of these stay if the options
   are equal */
PetscErrorCode SyncFreeEngineSetOptions(SyncFreeEngine engine, const SyncFreeOptions *options)
{
  SptrsvStatus status;
  PetscBool    same;

  PetscFunctionBegin;
  PetscCheck(!options->tuning.factor.algorithm || SyncFreeOnDevice(engine), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Algorithms of the factorization are for the GPU, but this factorization runs on the host; use -mat_type "
             SYNCFREE_MATAIJGPU ", or -pc_syncfree_factor_algorithm auto");
  PetscCall(SyncFreeOptionsEqual(&engine->options, options, &same));
  if (!same) {
    PetscCallSptrsv(sptrsvFactorSetSweep(engine->factor, NULL)); /* before the plan goes */
    status = sptrsvFactorTune(engine->factor, &options->tuning);
    PetscCheckSptrsv(status, "Algorithm of the factorization: %s", sptrsvGetErrorString(status));
    for (PetscInt k = 0; k < SYNCFREE_PLANS; k++) PetscCallSptrsv(sptrsvPlanDestroy(&engine->plan[k]));
    PetscCall(SyncFreeEngineFindBlocks(engine, options)); /* before the options are the engine's: after an error it is done again */
    PetscCall(SyncFreeOptionsDestroy(&engine->options));
    PetscCall(SyncFreeOptionsOverlay(options, &engine->options));
    engine->least = PETSC_FALSE;
  }
  PetscCall(SyncFreeEngineNeedPlan(engine, SYNCFREE_L));
  PetscCall(SyncFreeEngineNeedPlan(engine, SYNCFREE_U));
  status = sptrsvFactorSetSweep(engine->factor, engine->plan[SYNCFREE_L]);
  if (SyncFreeEngineHasLeast(engine, status)) PetscCall(SyncFreeEngineUseLeast(engine));
  else PetscCall(SyncFreeCheckLent(status));
  PetscFunctionReturn(PETSC_SUCCESS);
}
