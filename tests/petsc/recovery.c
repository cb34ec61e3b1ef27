static char help[] =
  "Good matrices after singular ones: a KSP and a SNES with PCSYNCFREE recover.\n\
  -icc; -pc_factor_ options act on PETSc's PC too.\n\n";

#include <petscsnes.h>
#include "testing.h"

enum { M = 6 };

/* One KSP through refactorizations of which some fail; each solve must end as with a new KSP and PETSc's PC */
static PetscErrorCode Refactorizations(PetscBool icc)
{
  static const char *const kinds[] = {"good", "good", "good", "singular", "good", "with NaN", "good", "singular", "singular", "good"};
  const PetscInt           row     = M * M / 3;
  Mat                      A, H;
  KSP                      ours, theirs;
  PC                       pc;
  Vec                      b, x, hb, hx;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, SPD, M, &A));
  PetscCall(CreateMatrix(PETSC_COMM_SELF, MATSEQAIJ, SPD, M, &H));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(MatCreateVecs(H, &hx, &hb));
  PetscCall(FillVector(b, 0.0));
  PetscCall(FillVector(hb, 0.0));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ours));
  PetscCall(KSPSetOperators(ours, A, A));
  PetscCall(KSPGetPC(ours, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSyncFreeSetFactor(pc, icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(KSPSetFromOptions(ours));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds); k++) {
    KSPConvergedReason reason, hreason;
    PetscInt           its, hits;

    for (PetscInt host = 0; host < 2; host++) {
      Mat B = host ? H : A;

      PetscCall(FillMatrix(B, SPD, M, 1.0 + 0.1 * (double)k));
      if (kinds[k][0] == 's') PetscCall(MatZeroRowsColumns(B, 1, &row, 0.0, NULL, NULL));
      if (kinds[k][0] == 'w') PetscCall(MatSetValue(B, row, row, NAN, INSERT_VALUES));
      PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    }
    PetscCall(KSPSolve(ours, b, x));
    PetscCall(KSPGetConvergedReason(ours, &reason));
    PetscCall(KSPGetIterationNumber(ours, &its));
    PetscCall(KSPCreate(PETSC_COMM_SELF, &theirs));
    PetscCall(KSPSetOperators(theirs, H, H));
    PetscCall(KSPGetPC(theirs, &pc));
    PetscCall(PCSetType(pc, icc ? PCICC : PCILU));
    PetscCall(KSPSetFromOptions(theirs));
    PetscCall(KSPSolve(theirs, hb, hx));
    PetscCall(KSPGetConvergedReason(theirs, &hreason));
    PetscCall(KSPGetIterationNumber(theirs, &hits));
    PetscCall(KSPDestroy(&theirs));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "matrix %s, %s: ", kinds[k], KSPConvergedReasons[hreason]));
    PetscCall(Says("ours too", (PetscBool)(reason == hreason && its == hits)));
  }
  PetscCall(KSPDestroy(&ours));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&H));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&hb));
  PetscCall(VecDestroy(&hx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Mat      A;
  PetscInt jacobians; /* computed so far; the third is singular */
} Problem;

/* A u + u^3 = 100, far from 0 where Newton starts */
static PetscErrorCode Function(PETSC_UNUSED SNES snes, Vec u, Vec f, void *ctx)
{
  Problem *problem = (Problem *)ctx;
  Vec      cube;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(u, &cube));
  PetscCall(VecPointwiseMult(cube, u, u));
  PetscCall(VecPointwiseMult(cube, cube, u));
  PetscCall(VecShift(cube, -100.0));
  PetscCall(MatMultAdd(problem->A, u, cube, f));
  PetscCall(VecDestroy(&cube));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Jacobian(PETSC_UNUSED SNES snes, Vec u, Mat J, PETSC_UNUSED Mat P, void *ctx)
{
  Problem       *problem = (Problem *)ctx;
  const PetscInt row     = M * M / 3;
  Vec            square;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(u, &square));
  PetscCall(VecPointwiseMult(square, u, u));
  PetscCall(VecScale(square, 3.0));
  PetscCall(MatCopy(problem->A, J, SAME_NONZERO_PATTERN));
  PetscCall(MatDiagonalSet(J, square, ADD_VALUES));
  if (++problem->jacobians == 3) PetscCall(MatZeroRowsColumns(J, 1, &row, 0.0, NULL, NULL));
  PetscCall(VecDestroy(&square));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Newton(PetscBool icc)
{
  Problem             problem = {.jacobians = 0};
  SNES                snes;
  KSP                 ksp;
  PC                  pc;
  Mat                 J;
  Vec                 u;
  SNESConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, SPD, M, &problem.A));
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, SPD, M, &J));
  PetscCall(MatCreateVecs(J, &u, NULL));
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(SNESSetFunction(snes, NULL, Function, &problem));
  PetscCall(SNESSetJacobian(snes, J, J, Jacobian, &problem));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSyncFreeSetFactor(pc, icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(SNESSetFromOptions(snes));
  for (PetscInt k = 0; k < 2; k++) { /* the second goes on where the first ended */
    PetscCall(SNESSolve(snes, NULL, u));
    PetscCall(SNESGetConvergedReason(snes, &reason));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "Newton's method after %" PetscInt_FMT " Jacobians: %s\n", problem.jacobians,
                          SNESConvergedReasons[reason]));
  }
  PetscCall(SNESDestroy(&snes));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&problem.A));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCs with a KSP inside take a failure of its PC for one of their own, and keep it until the caller takes it back.  Then ours recovers. */
static PetscErrorCode Inside(PCType outer)
{
  static const char *const kinds[] = {"good", "singular", "good", "good, failure taken back"};
  const PetscInt           row     = M * M / 3;
  Mat                      A;
  KSP                      ksp;
  PC                       pc;
  Vec                      b, x;
  KSPConvergedReason       reason;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, SPD, M, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVector(b, 0.0));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "inside_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, outer));
  PetscCall(KSPSetFromOptions(ksp));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds); k++) {
    PetscCall(FillMatrix(A, SPD, M, 1.0 + 0.1 * (double)k));
    if (kinds[k][0] == 's') PetscCall(MatZeroRowsColumns(A, 1, &row, 0.0, NULL, NULL));
    if (k == 3) PetscCall(PCSetFailedReason(pc, PC_NOERROR));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, matrix %s: %s\n", outer, kinds[k], KSPConvergedReasons[reason]));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ICC of a negative definite matrix: with its default shift -info says what that does; without a shift it is right, and says nothing */
static PetscErrorCode Negative(void)
{
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, SPD, M, &A));
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(FillMatrix(A, SPD, M, k == 2 ? 1.0 : -1.0));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetType(pc, PCSYNCFREE));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ICC));
    if (k == 1) PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONE));
    PetscCall(PCSetUp(pc));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool icc = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-icc", &icc, NULL));
  PetscCall(Refactorizations(icc));
  PetscCall(Newton(icc));
  PetscCall(Inside(PCBJACOBI));
  PetscCall(Inside(PCASM));
  PetscCall(Inside(PCKSP));
  PetscCall(Negative());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/recovery_1.out
    args: -icc {{0 1}} -pc_factor_shift_type none -pc_factor_mat_ordering_type {{natural rcm}}
    args: -inside_ksp_type fgmres -inside_sub_pc_type syncfree -inside_ksp_pc_type syncfree -inside_ksp_ksp_type preonly
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -mat_type aijcusparse

  test:
    suffix: info
    args: -info :mat
    filter: grep -o "diagonal is negative throughout"

TEST*/
