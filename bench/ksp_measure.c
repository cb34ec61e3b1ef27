/* ksp_measure.c - Clocks and measurements of bench_ksp. */
#include "ksp_measure.h"
#include <petsctime.h>
#if PetscDefined(HAVE_CUDA) && defined(SPTRSV_HAVE_CUDA) /* else the program is linked without CUDA */
  #include <petscdevice_cuda.h>
  #define HAS_GPU 1
#else
  #define HAS_GPU 0
#endif
#include "report.h"

enum { WARM_UPS = 5, FEWEST = 5 };

struct Clock_s {
  PetscBool on_gpu;
  PetscInt  repeat, solves;
  PetscReal budget; /* seconds */
  double   *times; /* [max of repeat, solves] */
#if HAS_GPU
  cudaEvent_t *events; /* [repeat + 1]: each but the first ends an apply, each but the last begins one */
#endif
};

/* ----------------------------------------------------------- clock ---------------------------------------------------------- */

PetscErrorCode ClockCreate(PetscBool on_gpu, PetscInt repeat, PetscInt solves, PetscReal budget, Clock *clock)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(clock));
  (*clock)->on_gpu = on_gpu;
  (*clock)->repeat = repeat;
  (*clock)->solves = solves;
  (*clock)->budget = budget;
  PetscCall(PetscMalloc1(PetscMax(repeat, solves), &(*clock)->times));
  if (!on_gpu) PetscFunctionReturn(PETSC_SUCCESS);
#if HAS_GPU
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscCall(PetscMalloc1(repeat + 1, &(*clock)->events));
  for (PetscInt k = 0; k <= repeat; k++) PetscCallCUDA(cudaEventCreate(&(*clock)->events[k]));
#else
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "Built without CUDA");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ClockDestroy(Clock *clock)
{
  PetscFunctionBeginUser;
#if HAS_GPU
  if ((*clock)->on_gpu) {
    for (PetscInt k = 0; k <= (*clock)->repeat; k++) PetscCallCUDA(cudaEventDestroy((*clock)->events[k]));
    PetscCall(PetscFree((*clock)->events));
  }
#endif
  PetscCall(PetscFree((*clock)->times));
  PetscCall(PetscFree(*clock));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ClockGpuName(Clock clock, char *name, size_t size)
{
  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(name, "none", size));
#if HAS_GPU
  if (clock->on_gpu) {
    struct cudaDeviceProp properties;
    int                   device;

    PetscCallCUDA(cudaGetDevice(&device));
    PetscCallCUDA(cudaGetDeviceProperties(&properties, device));
    PetscCall(PetscStrncpy(name, properties.name, size));
  }
#else
  (void)clock;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ClockGpuMemory(Clock clock, double *bytes)
{
  PetscFunctionBeginUser;
  *bytes = NAN;
#if HAS_GPU
  if (clock->on_gpu) {
    size_t free_bytes, total;

    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCallCUDA(cudaMemGetInfo(&free_bytes, &total));
    *bytes = (double)(total - free_bytes);
  }
#else
  (void)clock;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Wall clock after all work has ended. */
static PetscErrorCode WallTime(Clock clock, PetscLogDouble *now)
{
  PetscFunctionBeginUser;
#if HAS_GPU
  if (clock->on_gpu) PetscCallCUDA(cudaDeviceSynchronize());
#else
  (void)clock;
#endif
  PetscCall(PetscTime(now));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------- measurements ------------------------------------------------------- */

typedef struct {
  Clock clock;
  PetscErrorCode (*apply)(PC, Vec, Vec); /* NULL: refactorization */
  Mat A;
  PC  pc;
  Vec b, x;
  Mat columns, solutions; /* NULL: vectors */
} Work;

/* The new values are the old ones times a number, computed in the memory of the matrix; two calls undo each other. */
static PetscErrorCode Refactor(const Work *work, PetscInt k, PetscLogDouble *seconds)
{
  PetscLogDouble start, stop;

  PetscFunctionBeginUser;
  PetscCall(MatScale(work->A, k % 2 ? 0.5 : 2.0));
  PetscCall(WallTime(work->clock, &start));
  PetscCall(PCSetUp(work->pc));
  PetscCall(PCSetUpOnBlocks(work->pc));
  PetscCall(WallTime(work->clock, &stop));
  *seconds = stop - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Apply(const Work *work)
{
  PetscFunctionBeginUser;
  if (work->columns) PetscCall(PCMatApply(work->pc, work->columns, work->solutions));
  else PetscCall(work->apply(work->pc, work->b, work->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunOnce(const Work *work, PetscInt k, PetscLogDouble *seconds)
{
  PetscLogDouble start, stop;

  PetscFunctionBeginUser;
  if (!work->apply) {
    PetscCall(Refactor(work, k, seconds));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(WallTime(work->clock, &start));
  PetscCall(Apply(work));
  PetscCall(WallTime(work->clock, &stop));
  *seconds = stop - start;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two at least, if the budget allows no more.  The last one gives the number of repetitions that fit: the first may load code. */
static PetscErrorCode WarmUp(const Work *work, PetscInt *repetitions)
{
  Clock          clock = work->clock;
  PetscLogDouble spent = 0, last = 0;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < WARM_UPS && (k < 2 || spent < clock->budget); k++) {
    PetscCall(RunOnce(work, k, &last));
    spent += last;
  }
  *repetitions = clock->repeat;
  if (last * (PetscLogDouble)clock->repeat > clock->budget) *repetitions = (PetscInt)(clock->budget / last);
  *repetitions = PetscMin(PetscMax(*repetitions, FEWEST), clock->repeat);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between events, without a wait until the end, as in a Krylov solver whose host runs ahead. */
static PetscErrorCode TimeAppliesOnGpu(const Work *work, PetscInt count)
{
  PetscFunctionBeginUser;
#if HAS_GPU
  Clock        clock = work->clock;
  cudaStream_t stream;

  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaEventRecord(clock->events[0], stream));
  for (PetscInt k = 0; k < count; k++) {
    PetscCall(Apply(work));
    PetscCallCUDA(cudaEventRecord(clock->events[k + 1], stream));
  }
  PetscCallCUDA(cudaEventSynchronize(clock->events[count]));
  for (PetscInt k = 0; k < count; k++) {
    float milliseconds;

    PetscCallCUDA(cudaEventElapsedTime(&milliseconds, clock->events[k], clock->events[k + 1]));
    clock->times[k] = 1e-3 * milliseconds;
  }
#else
  (void)work, (void)count;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MedianTime(const Work *work, double *seconds)
{
  Clock    clock = work->clock;
  PetscInt count = 0;

  PetscFunctionBeginUser;
  PetscCall(WarmUp(work, &count));
  if (work->apply && clock->on_gpu) PetscCall(TimeAppliesOnGpu(work, count));
  else {
    for (PetscInt k = 0; k < count; k++) PetscCall(RunOnce(work, k, &clock->times[k]));
  }
  *seconds = report_median(clock->times, (int)count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MedianSolve(Clock clock, KSP ksp, Vec b, Vec x, double *seconds)
{
  PetscLogDouble spent = 0;
  PetscInt       count = 0;

  PetscFunctionBeginUser;
  while (count < clock->solves && (!count || spent < clock->budget)) {
    PetscLogDouble start, stop;

    PetscCall(WallTime(clock, &start));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(WallTime(clock, &stop));
    clock->times[count++] = stop - start;
    spent += stop - start;
  }
  *seconds = report_median(clock->times, (int)count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateVecs(Mat A, Vec *b, Vec *x)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, x, b));
  PetscCall(VecSet(*x, 1.0));
  PetscCall(MatMult(A, *x, *b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RelativeResidual(Mat A, Vec b, Vec x, PetscReal *residual)
{
  Vec       r;
  PetscReal norm, norm_b;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(b, NORM_2, &norm_b));
  PetscCall(VecDestroy(&r));
  *residual = norm / norm_b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of random columns, since block methods break down where columns depend on each other; the same ones for each PC */
static PetscErrorCode CreateDense(const Work *work, PetscInt columns, Mat *dense)
{
  PetscRandom random;
  PetscInt    n;

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetFromOptions(random));
  PetscCall(VecGetSize(work->b, &n));
  PetscCall(MatCreate(PETSC_COMM_SELF, dense));
  PetscCall(MatSetSizes(*dense, n, columns, n, columns));
  PetscCall(MatSetType(*dense, work->clock->on_gpu ? MATSEQDENSECUDA : MATSEQDENSE));
  PetscCall(MatSetUp(*dense));
  for (PetscInt k = 0; k < columns; k++) {
    Vec v;

    PetscCall(MatDenseGetColumnVecWrite(*dense, k, &v));
    PetscCall(VecSetRandom(v, random));
    PetscCall(MatDenseRestoreColumnVecWrite(*dense, k, &v));
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(MatAssemblyBegin(*dense, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*dense, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BlockSolve(const Work *work, KSP ksp, PetscInt columns, Result *result)
{
  PetscLogDouble start, stop;

  PetscFunctionBeginUser;
  PetscCall(WallTime(work->clock, &start));
  PetscCall(KSPMatSolve(ksp, work->columns, work->solutions));
  PetscCall(WallTime(work->clock, &stop));
  result->block_solve = stop - start;
  PetscCall(KSPGetIterationNumber(ksp, &result->block_iterations));
  result->block_residual = 0;
  for (PetscInt k = 0; k < columns; k++) {
    PetscReal residual;
    Vec       b, x;

    PetscCall(MatDenseGetColumnVecRead(work->columns, k, &b));
    PetscCall(MatDenseGetColumnVecRead(work->solutions, k, &x));
    PetscCall(RelativeResidual(work->A, b, x, &residual));
    result->block_residual = PetscMax(result->block_residual, residual);
    PetscCall(MatDenseRestoreColumnVecRead(work->solutions, k, &x));
    PetscCall(MatDenseRestoreColumnVecRead(work->columns, k, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MeasureColumns(Work work, KSP ksp, PetscInt columns, PetscBool block_solve, Result *result)
{
  PetscFunctionBeginUser;
  PetscCall(CreateDense(&work, columns, &work.columns));
  PetscCall(CreateDense(&work, columns, &work.solutions));
  if (block_solve) PetscCall(BlockSolve(&work, ksp, columns, result));
  PetscCall(MedianTime(&work, &result->column));
  result->column /= (double)columns;
  PetscCall(MatDestroy(&work.columns));
  PetscCall(MatDestroy(&work.solutions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Measure(Clock clock, Mat A, KSP ksp, Vec b, Vec x, PetscInt columns, PetscBool block_solve, Result *result)
{
  Work           work = {clock, NULL, A, NULL, b, x, NULL, NULL};
  PC             pc;
  PCFailedReason failed;
  PetscBool      transposable;
  PetscLogDouble start, stop;

  PetscFunctionBeginUser;
  *result = (Result){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, 0, KSP_DIVERGED_PC_FAILED};
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(WallTime(clock, &start));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(WallTime(clock, &stop));
  result->first_setup = stop - start;
  PetscCall(PCGetFailedReason(pc, &failed));
  if (failed != PC_NOERROR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MedianSolve(clock, ksp, b, x, &result->solve));
  PetscCall(KSPGetIterationNumber(ksp, &result->iterations));
  PetscCall(KSPGetConvergedReason(ksp, &result->reason));
  PetscCall(RelativeResidual(A, b, x, &result->residual));
  work.pc    = pc;
  work.apply = PCApply;
  PetscCall(MedianTime(&work, &result->apply));
  if (columns) PetscCall(MeasureColumns(work, ksp, columns, block_solve, result));
  PetscCall(PCApplyTransposeExists(pc, &transposable));
  work.apply = PCApplyTranspose;
  if (transposable) PetscCall(MedianTime(&work, &result->transpose));
  work.apply = NULL;
  PetscCall(MedianTime(&work, &result->refactor));
  PetscFunctionReturn(PETSC_SUCCESS);
}
