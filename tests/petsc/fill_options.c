static char help[] = "Options of PETSc's factorizations that go with fill: in place, missing diagonal entries, levels.\n\n";

#include "testing.h"

/* The factor is the same as without, and the matrix keeps its values */
static PetscErrorCode InPlace(Mat A)
{
  PC        pc[2];
  Mat       before;
  Vec       x[2], b;
  PetscBool inplace, same;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &before));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(A, &x[k], &b));
    PetscCall(FillVector(b, 0.0));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc[k]));
    PetscCall(PCSetType(pc[k], PCSYNCFREE));
    PetscCall(PCSetOperators(pc[k], A, A));
    PetscCall(PCFactorSetUseInPlace(pc[k], (PetscBool)k));
    PetscCall(PCSetUp(pc[k]));
    PetscCall(PCFactorGetUseInPlace(pc[k], &inplace));
    if (inplace) PetscCall(PetscPrintf(PETSC_COMM_SELF, "the factor is said to be in place\n"));
    PetscCall(PCApply(pc[k], b, x[k]));
    PetscCall(VecDestroy(&b));
    PetscCall(PCDestroy(&pc[k]));
  }
  PetscCall(VecEqual(x[0], x[1], &same));
  if (!same) PetscCall(PetscPrintf(PETSC_COMM_SELF, "another factor with -pc_factor_in_place\n"));
  PetscCall(MatEqual(A, before, &same));
  if (!same) PetscCall(PetscPrintf(PETSC_COMM_SELF, "-pc_factor_in_place changes the matrix\n"));
  for (PetscInt k = 0; k < 2; k++) PetscCall(VecDestroy(&x[k]));
  PetscCall(MatDestroy(&before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ILU(0) of a tridiagonal matrix is exact, also if a diagonal entry is missing and fill adds it.  PETSc's routine refuses the matrix.  So
   does ours before the PC is told to fill, and when that is taken back: an option that is new starts a set-up, which may reuse the last
   analysis. */
static PetscErrorCode MissingDiagonal(void)
{
  enum { N = 20, ROW = 10 };
  static const PCFailedReason expected[] = {PC_FACTOR_STRUCT_ZEROPIVOT, PC_NOERROR, PC_FACTOR_STRUCT_ZEROPIVOT};
  Mat            A;
  PC             pc;
  Vec            x, b, r;
  PCFailedReason reason;
  PetscReal      distance = 0.0;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, N, N, N, N));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  for (PetscInt i = 0; i < N; i++) {
    if (i != ROW) PetscCall(MatSetValue(A, i, i, 3.0, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(A, i, i - 1, -1.0, INSERT_VALUES));
    if (i < N - 1) PetscCall(MatSetValue(A, i, i + 1, -1.5, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(FillVector(b, 0.0));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(PCFactorSetAllowDiagonalFill(pc, (PetscBool)(k == 1)));
    PetscCall(PCSyncFreeSetOption(pc, "levelorder_lanes", k == 1 ? "8" : "16"));
    PetscCall(PCSetUp(pc));
    PetscCall(PCGetFailedReason(pc, &reason));
    if (reason != expected[k])
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "missing diagonal entry, step %d: %s\n", (int)k, PCFailedReasons[reason]));
    PetscCall(PCApply(pc, b, x));
    if (reason) continue;
    PetscCall(MatMult(A, x, r));
    PetscCall(Distance(r, b, &distance));
    if (!(distance < 1.e3 * PETSC_MACHINE_EPSILON))
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "residual with fill of the diagonal: %g\n", (double)distance));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Levels that are set after set-up start a new factorization, of the kind that was decided on when PETSc knew the matrix to be definite */
static PetscErrorCode KindIsKept(PetscInt m)
{
  Mat           A;
  PC            pc;
  MatFactorType kind;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, SPD, m, &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(FillMatrix(A, SPD, m, 2.0));
  PetscCall(PCFactorSetLevels(pc, 1));
  PetscCall(PCSetUp(pc));
  PetscCall(PCSyncFreeGetFactor(pc, &kind));
  if (kind != MAT_FACTOR_ICC) PetscCall(PetscPrintf(PETSC_COMM_SELF, "after PCFactorSetLevels() the kind is %s\n", MatFactorTypes[kind]));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, GRID, 9, &A));
  PetscCall(InPlace(A));
  PetscCall(MatDestroy(&A));
  PetscCall(MissingDiagonal());
  PetscCall(KindIsKept(9));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Done\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/fill_1.out
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -mat_type aijcusparse

TEST*/
