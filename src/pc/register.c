/*
   Registration, for -dll_append and for linked programs; citations; and a process's share of the processors.
*/
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE /* sched_getaffinity() */
#endif
#include <sched.h>
#include "syncfreeimpl.h" /*I "petscsyncfree.h" I*/

/* ------------------------------------------------------- citations ------------------------------------------------------- */
static const char SyncFreeCitation[] =
  "@software{syncfree,\n"
  "  title  = {{SyncFree}: incomplete factorizations with synchronization-free triangular solves for {PETSc} on {GPU}s},\n"
  "  author = {{The SyncFree developers}},\n"
  "  year   = {2026}\n"
  "}\n";

/* Texts and rows of tables that are cited, NULL behind the last */
static const void *SyncFreeCited[256];

static PetscErrorCode SyncFreeCiteOnce(const void *what, const char text[])
{
  size_t k = 0;

  PetscFunctionBegin;
  while (SyncFreeCited[k] && SyncFreeCited[k] != what) k++;
  if (SyncFreeCited[k]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(k + 1 < PETSC_STATIC_ARRAY_LENGTH(SyncFreeCited), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Too many algorithms");
  SyncFreeCited[k] = what;
  PetscCall(PetscCitationsRegister(text, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cites an algorithm of a paper or of another library, and the paper */
static PetscErrorCode SyncFreeCite(const char key[], const char title[], const SptrsvAlgorithm *a)
{
  char text[512];

  PetscFunctionBegin;
  if (!a || !a->citation) PetscFunctionReturn(PETSC_SUCCESS);
  if (a->citation[0]) PetscCall(SyncFreeCiteOnce(a->citation, a->citation));
  PetscCall(PetscSNPrintf(text, sizeof(text), "@misc{syncfree-%s%s,\n  title = {%s \"%s\"},\n  note  = {%s}\n}\n", key, a->name, title,
                          a->name, a->source));
  PetscCall(SyncFreeCiteOnce(a, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cites the plugin, and the sources of all algorithms in use */
PetscErrorCode SyncFreeEngineCite(SyncFreeEngine engine)
{
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS], *host, *factor;

  PetscFunctionBegin;
  PetscCall(SyncFreeCiteOnce(SyncFreeCitation, SyncFreeCitation));
  for (SyncFreeSweep sweep = SYNCFREE_L; sweep <= SYNCFREE_U; sweep++) {
    PetscCallSptrsv(sptrsvPlanGetAlgorithms(engine->plan[sweep], algorithms));
    for (PetscInt k = 0; k < SPTRSV_PLAN_ALGORITHMS; k++) {
      host = algorithms[k] ? sptrsvAlgorithmFind(algorithms[k]->name, SPTRSV_HOST) : NULL; /* a name of both is cited once */
      PetscCall(SyncFreeCite("", "Triangular sweep", host ? host : algorithms[k]));
    }
  }
  PetscCallSptrsv(sptrsvFactorGetAlgorithm(engine->factor, &factor));
  PetscCall(SyncFreeCite("factorization-", "Factorization", factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------ processors ------------------------------------------------------- */
/* Limits the threads that this process starts without being asked to its share of the machine's processors; collective.

   Of processes with c(1), c(2), ... processors that have u different ones together, process k takes c(k) u / (c(1) + c(2) + ...).  That is
   c(k) if the processes are bound to processors of their own, and an equal part if they are not bound.  A quota of their control group that
   is less than c(k) takes the place of u: it is taken to be the quota of all. */
#if defined(__linux__)
static PetscErrorCode SyncFreeShareProcessors(void)
{
  cpu_set_t   mine, all;
  MPI_Comm    node;
  PetscMPIInt count, sum, usable;

  PetscFunctionBegin;
  CPU_ZERO(&mine);
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof(mine), &mine)) CPU_SET(0, &mine); /* more processors than a cpu_set_t has: one thread */
  count = (PetscMPIInt)CPU_COUNT(&mine);
  PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPIU_Allreduce(&mine, &all, (PetscMPIInt)sizeof(mine), MPI_BYTE, MPI_BOR, node));
  PetscCallMPI(MPIU_Allreduce(&count, &sum, 1, MPI_INT, MPI_SUM, node));
  PetscCallMPI(MPI_Comm_free(&node));
  sptrsvLimitThreads(0);
  usable = sptrsvProcessors() < count ? sptrsvProcessors() : CPU_COUNT(&all);
  sptrsvLimitThreads((int)PetscMax(1, (PetscInt64)count * usable / sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
  #define SyncFreeShareProcessors() PETSC_SUCCESS /* PCRegister_SyncFree() has divided them equally */
#endif

/* ------------------------------------------------------ registration ----------------------------------------------------- */
PetscLogEvent SyncFree_Analysis, SyncFree_Symbolic, SyncFree_Levels, SyncFree_Plan, SyncFree_Factor, SyncFree_Forward, SyncFree_Backward;

static PetscBool SyncFreeRegistered = PETSC_FALSE;

static PetscErrorCode SyncFreeFinalize(void) /* PetscFinalize() empties PETSc's lists, so the next PetscInitialize() needs a registration */
{
  SyncFreeRegistered = PETSC_FALSE;
  (void)PetscMemzero(SyncFreeCited, sizeof(SyncFreeCited));
  return PETSC_SUCCESS;
}

/* The configuration decides on members of PETSc's structs.  What functions of the running library set must be where the headers have it:
   behind the members that may be there, and in front of the end of what the plugin uses. */
static PetscErrorCode SyncFreeCheckLayout(void)
{
  Mat          A;
  PC           pc;
  PetscOptions options;
  PetscLayout  rows, cols;
  VecType      vtype;
  PetscBool    same;

  PetscFunctionBegin;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(PetscObjectSetOptions((PetscObject)A, options));
  PetscCall(MatSetSizes(A, 3, 5, 3, 5));
  PetscCall(MatGetLayouts(A, &rows, &cols));
  PetscCall(MatSetFactorType(A, MAT_FACTOR_ICC));
  PetscCall(MatSetErrorIfFailure(A, PETSC_TRUE));
  PetscCall(MatSetVecType(A, VECSEQ));
  PetscCall(MatGetVecType(A, &vtype));
  same = (PetscBool)(((PetscObject)A)->options == options && A->rmap == rows && A->cmap == cols && rows->n == 3 && cols->N == 5);
  same = (PetscBool)(same && A->factortype == MAT_FACTOR_ICC && A->erroriffailure && A->defaultvectype == vtype);
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetModifySubMatrices(pc, NULL, &same)); /* `data` is behind its context */
  same = (PetscBool)(same && pc->pmat == A && pc->modifysubmatricesP == &same);
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscOptionsDestroy(&options));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "libpetscsyncfree was compiled for another configuration of PETSc %d.%d than the one that is running; compile it again",
             PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plugin uses PETSc's private structs, so it would crash, or worse, with a PETSc other than that of the headers */
static PetscErrorCode SyncFreeCheckPetsc(void)
{
  static const char *const gpus[]   = {"no GPU", "CUDA", "HIP"};
  const int                compiled = PetscDefined(HAVE_HIP) ? 2 : PetscDefined(HAVE_CUDA);
  /* major, minor, release; two elements each, in case the running library's PetscInt is larger */
  PetscInt                 v[3][2] = {{0}, {0}, {0}};
  PetscDataType            scalar;
  size_t                   intsize, scalarsize;
  PetscBool                found, cuda, hip;
  int                      running;

  PetscFunctionBegin;
  PetscCall(PetscGetVersionNumber(v[0], v[1], NULL, v[2]));
  PetscCheck(v[0][0] == PETSC_VERSION_MAJOR && v[1][0] == PETSC_VERSION_MINOR && v[2][0] == PETSC_VERSION_RELEASE, PETSC_COMM_SELF,
             PETSC_ERR_LIB, "libpetscsyncfree was compiled for PETSc %d.%d%s but is running with PETSc %d.%d%s; compile it again",
             PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_RELEASE ? "" : " (development)", (int)v[0][0], (int)v[1][0],
             v[2][0] ? "" : " (development)");
  PetscCall(PetscDataTypeGetSize(PETSC_INT, &intsize)); /* sizes in the running library */
  PetscCall(PetscDataTypeFromString("scalar", &scalar, &found));
  PetscCall(PetscDataTypeGetSize(scalar, &scalarsize));
  PetscCheck(intsize == sizeof(PetscInt) && scalarsize == sizeof(PetscScalar) && scalar == PETSC_SCALAR, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "libpetscsyncfree was compiled for %d-byte indices and %d-byte %s scalars but the running PETSc has %d-byte indices and "
             "%d-byte %s scalars; compile it again",
             (int)sizeof(PetscInt), (int)sizeof(PetscScalar), PetscDefined(USE_COMPLEX) ? "complex" : "real", (int)intsize,
             (int)scalarsize, scalar == PETSC_COMPLEX ? "complex" : "real");
  PetscCall(PetscHasExternalPackage("cuda", &cuda));
  PetscCall(PetscHasExternalPackage("hip", &hip));
  running = hip ? 2 : (int)cuda;
  PetscCheck(running == compiled, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "libpetscsyncfree was compiled for a PETSc with %s but is running with one with %s; compile it again", gpus[compiled],
             gpus[running]);
  PetscCall(SyncFreeCheckLayout());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PCRegister_SyncFree - Makes `PCSYNCFREE` and `MATSOLVERSYNCFREE` known to PETSc

  Not Collective

  Level: beginner

  Notes:
  Programs linked with the library, static or shared, must call this function between `PetscInitialize()` and the first use. Programs that
  load the library with `-dll_append ${PREFIX}/lib/libpetscsyncfree.so` need no call.

  A linked program's sweeps on the host use at most the processors that the process may run on, divided by the number of all processes.
  Programs that load the library know more of the processes on a machine: each takes its share of the processors there.

  It can be called any number of times, and must be called again after `PetscFinalize()` and another `PetscInitialize()`.

.seealso: [](ch_ksp), `PCSYNCFREE`, `MATSOLVERSYNCFREE`, `PCRegister()`, `MatSolverTypeRegister()`
@*/
PetscErrorCode PCRegister_SyncFree(void)
{
  /* longer name first: PETSc matches types by their beginning */
  const MatType       mtypes[] = {SYNCFREE_MATSEQAIJGPU, MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ};
  const MatFactorType ftypes[] = {MAT_FACTOR_ILU, MAT_FACTOR_ICC};
  PetscMPIInt         size;

  PetscFunctionBegin;
  if (SyncFreeRegistered) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SyncFreeCheckPetsc());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  sptrsvLimitThreads(0);
  sptrsvLimitThreads(PetscMax(1, sptrsvProcessors() / size)); /* until SyncFreeShareProcessors(), which is collective */
  PetscCall(MatInitializePackage()); /* otherwise MatSolverTypeRegister() would lose PETSc's own solvers */
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(mtypes); m++) {
    for (size_t f = 0; f < PETSC_STATIC_ARRAY_LENGTH(ftypes); f++)
      PetscCall(MatSolverTypeRegister(MATSOLVERSYNCFREE, mtypes[m], ftypes[f], MatGetFactor_seqaij_syncfree));
  }
  PetscCall(PCRegister(PCSYNCFREE, PCCreate_SyncFree));
  PetscCall(PetscLogEventRegister("SyncFreeAnalysis", PC_CLASSID, &SyncFree_Analysis));
  PetscCall(PetscLogEventRegister("SyncFreeSymbolic", PC_CLASSID, &SyncFree_Symbolic));
  PetscCall(PetscLogEventRegister("SyncFreeLevels", PC_CLASSID, &SyncFree_Levels));
  PetscCall(PetscLogEventRegister("SyncFreePlan", PC_CLASSID, &SyncFree_Plan));
  PetscCall(PetscLogEventRegister("SyncFreeFactor", PC_CLASSID, &SyncFree_Factor));
  PetscCall(PetscLogEventRegister("SyncFreeForward", PC_CLASSID, &SyncFree_Forward));
  PetscCall(PetscLogEventRegister("SyncFreeBackward", PC_CLASSID, &SyncFree_Backward));
  PetscCall(PetscRegisterFinalize(SyncFreeFinalize));
  SyncFreeRegistered = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PetscDLLibraryRegister_petscsyncfree - Makes `PCSYNCFREE` and `MATSOLVERSYNCFREE` known to PETSc when PETSc loads the library

  Collective

  Level: developer

  Note:
  PETSc calls this function for `-dll_append ${PREFIX}/lib/libpetscsyncfree.so`. Programs call `PCRegister_SyncFree()`.

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCRegister_SyncFree()`, `PetscDLLibraryOpen()`
@*/
PetscErrorCode PetscDLLibraryRegister_petscsyncfree(void)
{
  PetscFunctionBegin;
  PetscCall(PCRegister_SyncFree());
  PetscCall(SyncFreeShareProcessors()); /* all processes load the library, in PetscInitialize() */
  PetscFunctionReturn(PETSC_SUCCESS);
}
