static char help[] = "A PC that is set up, refactored and applied in several streams, which the program does not order.\n\n";

/*
   The program orders its matrix.  PETSc's vector operations run in the legacy stream, whatever the current one is; these, and what is in
   the preconditioner, are SyncFree's to order.  A host function that sleeps holds a stream up, so that a missing wait shows at once.
*/
#include "testing.h"
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
  #include <unistd.h>

typedef struct {
  const char *name;
  PetscBool   icc, face; /* face: as PCILU or PCICC with the solver type */
} Kind;

typedef struct {
  Mat                A;
  PC                 pc;
  Vec                b, x, y, z;
  PetscDeviceContext root, mine;
} Problem;

static PetscErrorCode Wait(void)
{
  PetscFunctionBeginUser;
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Sleep(void *unused)
{
  (void)unused;
  (void)usleep(20000);
}

/* What comes next in the current stream comes late */
static PetscErrorCode HoldUp(void)
{
  cudaStream_t stream;

  PetscFunctionBeginUser;
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaLaunchHostFunc(stream, Sleep, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateProblem(const Kind *kind, PetscInt m, Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, MATAIJCUSPARSE, kind->icc ? SPD : GRID, m, &p->A));
  PetscCall(MatCreateVecs(p->A, &p->x, &p->b));
  PetscCall(VecDuplicate(p->x, &p->y));
  PetscCall(VecDuplicate(p->x, &p->z));
  PetscCall(FillVector(p->b, 0.0));
  PetscCall(PCCreate(PETSC_COMM_SELF, &p->pc));
  PetscCall(PCSetOperators(p->pc, p->A, p->A));
  PetscCall(PCSetType(p->pc, !kind->face ? PCSYNCFREE : kind->icc ? PCICC : PCILU));
  if (kind->face) PetscCall(PCFactorSetMatSolverType(p->pc, MATSOLVERSYNCFREE));
  else PetscCall(PCSyncFreeSetFactor(p->pc, kind->icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCSetFromOptions(p->pc));
  PetscCall(PetscDeviceContextGetCurrentContext(&p->root));
  PetscCall(PetscDeviceContextCreate(&p->mine));
  PetscCall(PetscDeviceContextSetStreamType(p->mine, PETSC_STREAM_NONBLOCKING));
  PetscCall(PetscDeviceContextSetUp(p->mine));
  PetscCall(VecSet(p->x, 0.0)); /* allocates */
  PetscCall(VecSet(p->y, 0.0));
  PetscCall(VecSet(p->z, 0.0));
  PetscCall(PCApply(p->pc, p->b, p->x));
  PetscCall(Wait());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DestroyProblem(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(PCDestroy(&p->pc));
  PetscCall(PetscDeviceContextDestroy(&p->mine));
  PetscCall(VecDestroy(&p->b));
  PetscCall(VecDestroy(&p->x));
  PetscCall(VecDestroy(&p->y));
  PetscCall(VecDestroy(&p->z));
  PetscCall(MatDestroy(&p->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The program's own matrix, which it orders itself */
static PetscErrorCode NewValues(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(MatScale(p->A, 2.0));
  PetscCall(Wait());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = PC(b) there, right after what was here */
static PetscErrorCode ApplyThere(Problem *p, PetscErrorCode (*apply)(PC, Vec, Vec), PetscBool late, Vec x)
{
  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextSetCurrentContext(p->mine));
  if (late) PetscCall(HoldUp());
  PetscCall((*apply)(p->pc, p->b, x));
  PetscCall(PetscDeviceContextSetCurrentContext(p->root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Same(const char what[], Vec x, Vec y)
{
  PetscReal distance;

  PetscFunctionBeginUser;
  PetscCall(Wait());
  PetscCall(Distance(x, y, &distance));
  if (!(distance == 0.0)) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: differ by %g\n", what, (double)distance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpHereApplyThere(Problem *p)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 5; k++) {
    PetscCall(NewValues(p));
    PetscCall(PCSetUp(p->pc));
    PetscCall(ApplyThere(p, PCApply, PETSC_FALSE, p->x));
    PetscCall(Wait());
    PetscCall(PCApply(p->pc, p->b, p->y));
    PetscCall(Same("set-up here, apply there", p->x, p->y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewValuesHereApplyThere(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(PCApply(p->pc, p->b, p->y));
  PetscCall(Wait());
  PetscCall(ApplyThere(p, PCApply, PETSC_TRUE, p->x));
  PetscCall(MatScale(p->A, 2.0)); /* which the apply does not read */
  PetscCall(PCSetUp(p->pc));
  PetscCall(Same("an apply there, then new values here", p->x, p->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ApplyHereAndThere(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(PCApply(p->pc, p->b, p->y));
  PetscCall(Wait());
  for (PetscInt k = 0; k < 10; k++) {
    PetscCall(ApplyThere(p, PCApply, PETSC_FALSE, p->x));
    PetscCall(PCApply(p->pc, p->b, p->z));
    PetscCall(Same("applies there and here", p->x, p->y));
    PetscCall(Same("applies here and there", p->z, p->y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors come from PETSc's operations just before the apply, and go to others just after it */
static PetscErrorCode VectorsThere(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(VecScale(p->b, 2.0));
  PetscCall(PCApply(p->pc, p->b, p->y));
  PetscCall(VecScale(p->b, 0.5));
  PetscCall(VecScale(p->y, 3.0));
  PetscCall(Wait());
  PetscCall(HoldUp());
  PetscCall(VecScale(p->b, 2.0));
  PetscCall(ApplyThere(p, PCApply, PETSC_TRUE, p->x));
  PetscCall(VecScale(p->b, 0.5));
  PetscCall(VecScale(p->x, 3.0));
  PetscCall(Same("vectors of PETSc's operations", p->x, p->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Plans of the transposed sweeps are made there, and used here at once */
static PetscErrorCode TransposedThere(Problem *p)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 5; k++) {
    PetscCall(PCReset(p->pc)); /* forgets the matrix, too */
    PetscCall(PCSetOperators(p->pc, p->A, p->A));
    PetscCall(PCSetUp(p->pc));
    PetscCall(ApplyThere(p, PCApplyTranspose, PETSC_FALSE, p->x));
    PetscCall(PCApplyTranspose(p->pc, p->b, p->z));
    PetscCall(Wait());
    PetscCall(PCApplyTranspose(p->pc, p->b, p->y));
    PetscCall(Same("the first transposed apply there", p->x, p->y));
    PetscCall(Same("the next one here", p->z, p->y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Halves(Problem *p)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 5; k++) {
    PetscCall(NewValues(p));
    PetscCall(PCSetUp(p->pc));
    PetscCall(ApplyThere(p, PCApplySymmetricLeft, PETSC_FALSE, p->x));
    PetscCall(PCApplySymmetricRight(p->pc, p->b, p->z));
    PetscCall(Wait());
    PetscCall(PCApplySymmetricLeft(p->pc, p->b, p->y));
    PetscCall(Same("the left half there", p->x, p->y));
    PetscCall(PCApplySymmetricRight(p->pc, p->b, p->y));
    PetscCall(Same("the right half here", p->z, p->y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The factored matrix: sums, and columns of a dense matrix */
static PetscErrorCode FactorThere(Problem *p)
{
  Mat      F, B, X, Y;
  PetscInt n;
  Vec      column;

  PetscFunctionBeginUser;
  PetscCall(PCFactorGetMatrix(p->pc, &F));
  PetscCall(VecGetSize(p->b, &n));
  PetscCall(MatCreateDenseCUDA(PETSC_COMM_SELF, n, 3, n, 3, NULL, &B));
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(MatDenseGetColumnVecWrite(B, k, &column));
    PetscCall(FillVector(column, (PetscReal)k));
    PetscCall(MatDenseRestoreColumnVecWrite(B, k, &column));
  }
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &X));
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &Y));
  PetscCall(NewValues(p));
  PetscCall(PCSetUp(p->pc));
  PetscCall(PetscDeviceContextSetCurrentContext(p->mine));
  PetscCall(MatMatSolve(F, B, X));
  PetscCall(PetscDeviceContextSetCurrentContext(p->root));
  PetscCall(MatSolveAdd(F, p->b, p->b, p->x));
  PetscCall(Wait());
  PetscCall(MatMatSolve(F, B, Y));
  PetscCall(Wait());
  PetscCall(MatAXPY(X, -1.0, Y, SAME_NONZERO_PATTERN));
  PetscCall(MatDenseGetColumnVecRead(X, 0, &column));
  PetscCall(VecSet(p->y, 0.0));
  PetscCall(Same("MatMatSolve() there", column, p->y));
  PetscCall(MatDenseRestoreColumnVecRead(X, 0, &column));
  PetscCall(MatSolve(F, p->b, p->y));
  PetscCall(VecAXPY(p->y, 1.0, p->b));
  PetscCall(Same("MatSolveAdd() here", p->x, p->y));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A graph waits for nothing outside, so the program waits before it launches one, as the manual says */
static PetscErrorCode GraphThere(Problem *p)
{
  cudaStream_t    stream;
  cudaGraph_t     graph;
  cudaGraphExec_t exec;
  PetscScalar    *x;

  PetscFunctionBeginUser;
  PetscCall(PetscDeviceContextSetCurrentContext(p->mine));
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  PetscCall(PCApply(p->pc, p->b, p->x));
  PetscCallCUDA(cudaStreamEndCapture(stream, &graph));
  PetscCallCUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  PetscCall(PetscDeviceContextSetCurrentContext(p->root));
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(NewValues(p));
    PetscCall(PCSetUp(p->pc));
    PetscCall(PCApply(p->pc, p->b, p->y));
    PetscCall(Wait());
    PetscCall(VecCUDAGetArrayWrite(p->x, &x)); /* tells PETSc that the graph writes it */
    PetscCallCUDA(cudaGraphLaunch(exec, stream));
    PetscCall(VecCUDARestoreArrayWrite(p->x, &x));
    PetscCall(Same("a graph", p->x, p->y));
  }
  PetscCallCUDA(cudaGraphExecDestroy(exec));
  PetscCallCUDA(cudaGraphDestroy(graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stream of the last apply is gone when new values come */
static PetscErrorCode StreamGone(Problem *p)
{
  PetscFunctionBeginUser;
  PetscCall(PCApply(p->pc, p->b, p->y));
  PetscCall(Wait());
  PetscCall(ApplyThere(p, PCApply, PETSC_TRUE, p->x));
  PetscCall(PetscDeviceContextDestroy(&p->mine));
  PetscCall(MatScale(p->A, 2.0));
  PetscCall(PCSetUp(p->pc));
  PetscCall(Same("a stream that was destroyed", p->x, p->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestKind(const Kind *kind, PetscInt m)
{
  static PetscErrorCode (*const cases[])(Problem *) = {SetUpHereApplyThere, NewValuesHereApplyThere, ApplyHereAndThere,
                                                       VectorsThere,        TransposedThere,         Halves,
                                                       FactorThere,         GraphThere,              StreamGone};
  Problem p;

  PetscFunctionBeginUser;
  PetscCall(CreateProblem(kind, m, &p));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
    PetscCall(Wait());
    PetscCall((*cases[k])(&p));
  }
  PetscCall(DestroyProblem(&p));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: done\n", kind->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* -stream_type of the command line, a number since the names of types differ by release.  PetscInitialize() takes the type that is set. */
static PetscErrorCode SetStreamType(int argc, char **argv)
{
  PetscFunctionBeginUser;
#if PetscDefined(HAVE_CUDA)
  for (int k = 1; k < argc - 1; k++) {
    if (strcmp(argv[k], "-stream_type")) continue;
    PetscCall(PetscOptionsSetValue(NULL, "-root_device_context_stream_type", PetscStreamTypes[atoi(argv[k + 1]) % PETSC_STREAM_MAX]));
  }
#else
  (void)argc;
  (void)argv;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt type;

  PetscFunctionBeginUser;
  PetscCall(SetStreamType(argc, argv));
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-stream_type", &type, NULL)); /* for it to be used */
  PetscCall(PCRegister_SyncFree());
#if PetscDefined(HAVE_CUDA)
  static const Kind kinds[] = {{"ilu", PETSC_FALSE, PETSC_FALSE},
                               {"icc", PETSC_TRUE, PETSC_FALSE},
                               {"ilu by the solver type", PETSC_FALSE, PETSC_TRUE},
                               {"icc by the solver type", PETSC_TRUE, PETSC_TRUE}};
  PetscInt          m       = 700;

  PetscCall(PetscOptionsGetInt(NULL, NULL, "-m", &m, NULL));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds); k++) PetscCall(TestKind(&kinds[k], m));
#endif
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: gpu_1
    requires: cuda
    args: -stream_type {{0 1 2 3}}
    output_file: output/streams_gpu_1.out

TEST*/
