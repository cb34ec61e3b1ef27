static char help[] = "The GPU's memory is scarce: where the plans of levelorder fit, auto sets up, too, whatever it chose before.\n\n";

#include "testing.h"
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>

/* Set-up, an apply and a transposed one */
static PetscErrorCode Try(Mat A, Vec b, Vec x, const char algorithm[], PetscErrorCode *ierr)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSyncFreeSetAlgorithm(pc, algorithm));
  ErrorOf(*ierr, PCSetUp(pc));
  if (!*ierr) ErrorOf(*ierr, PCApply(pc, b, x));
  if (!*ierr) ErrorOf(*ierr, PCApplyTranspose(pc, b, x));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves ever less memory, in MB, until levelorder fails */
static PetscErrorCode Squeeze(Mat A, Vec b, Vec x)
{
  const size_t   step = 20 << 20;
  PetscErrorCode of_auto, of_levelorder = PETSC_SUCCESS;
  size_t         available, total, left;
  void          *taken;
  PetscBool      follows = PETSC_TRUE;

  PetscFunctionBeginUser;
  for (left = 80 * step; left && !of_levelorder; left -= step) {
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCallCUDA(cudaMemGetInfo(&available, &total));
    if (available <= left) continue; /* of a small GPU */
    PetscCallCUDA(cudaMalloc(&taken, available - left));
    PetscCall(Try(A, b, x, "levelorder", &of_levelorder));
    PetscCall(Try(A, b, x, "auto", &of_auto));
    PetscCallCUDA(cudaFree(taken));
    follows = (PetscBool)(follows && (!of_auto || of_levelorder));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "levelorder ends in: %s\n", ErrorName(of_levelorder)));
  PetscCall(Says("auto works where levelorder does", follows));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
#if PetscDefined(HAVE_CUDA)
  Mat            A;
  Vec            b, x;
  PetscErrorCode ierr;

  PetscCall(CreateMatrix(PETSC_COMM_SELF, MATAIJCUSPARSE, GRID, 1000, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVector(b, 0.0));
  PetscCall(VecSet(x, 0.0)); /* allocates */
  PetscCall(Try(A, b, x, "auto", &ierr)); /* chooses, and remembers */
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "auto: %s\n", ErrorName(ierr)));
  PetscCall(Squeeze(A, b, x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
#endif
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: gpu_1
    requires: cuda

TEST*/
