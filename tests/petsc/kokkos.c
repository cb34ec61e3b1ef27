static char help[] = "Matrices of type aijkokkos: PCSYNCFREE works on the host, and the view says why.\n\n";

#include "testing.h"

/* Where PETSc has no Kokkos, an AIJ matrix of this name stands in */
static PetscErrorCode CreateKokkosMatrix(Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, MATAIJ, GRID, 5, A));
#if PetscDefined(HAVE_KOKKOS_KERNELS)
  PetscCall(MatConvert(*A, MATAIJKOKKOS, MAT_INPLACE_MATRIX, A));
#else
  PetscCall(PetscObjectChangeTypeName((PetscObject)*A, MATSEQAIJKOKKOS));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  KSP                ksp;
  PC                 pc;
  Mat                A;
  Vec                x, b;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(CreateKokkosMatrix(&A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(Says("converged", (PetscBool)(reason > 0)));
  PetscCall(PCView(pc, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
    filter: grep -e HOST -e converged | sed -e s/aijhipsparse/aijcusparse/

TEST*/
