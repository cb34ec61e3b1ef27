static char help[] =
  "Iteration counts with PCSYNCFREE and with PETSc's own ILU and ICC, of methods that apply them as they are, transposed and,\n\
  with complex scalars, transposed and conjugated.  Of a Hermitian matrix ICC is PETSc's error.\n\
  -kind (grid|blocks|random|spd|indefinite), -m size, -icc, -phase, -methods count, -hermitian; -mat_type and -pc_factor_ act on both.\n\n";

#include "testing.h"

typedef struct {
  KSPType   type;
  PetscBool transpose; /* KSPSolveTranspose() */
  PCSide    side;
} Method;

/* BICG applies Hermitian transposes.  What rounding can disturb comes last. */
static const Method methods[] = {{KSPGMRES, PETSC_FALSE, PC_LEFT}, {KSPGMRES, PETSC_TRUE, PC_LEFT}, {KSPGMRES, PETSC_FALSE, PC_RIGHT},
                                 {KSPBICG, PETSC_FALSE, PC_LEFT},  {KSPBCGS, PETSC_FALSE, PC_LEFT}};

static PetscErrorCode Solve(Mat A, PCType pctype, PetscBool icc, const Method *method, Vec b, Vec x, PetscInt *its,
                            KSPConvergedReason *reason)
{
  KSP       ksp;
  PC        pc;
  PetscBool ours;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, method->type));
  PetscCall(KSPSetPCSide(ksp, method->side));
  PetscCall(KSPSetTolerances(ksp, 100 * PETSC_SQRT_MACHINE_EPSILON, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pctype));
  PetscCall(PetscStrcmp(pctype, PCSYNCFREE, &ours));
  if (ours) PetscCall(PCSyncFreeSetFactor(pc, icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCSetFromOptions(pc));
  if (method->transpose) PetscCall(KSPSolveTranspose(ksp, b, x));
  else PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Mat A, PetscBool icc, const Method *method, Vec b)
{
  Vec                x, y;
  PetscInt           ours, theirs;
  KSPConvergedReason reason, expected;
  PetscReal          distance = 0.0;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(Solve(A, icc ? PCICC : PCILU, icc, method, b, y, &theirs, &expected));
  PetscCall(Solve(A, PCSYNCFREE, icc, method, b, x, &ours, &reason));
  PetscCall(Distance(x, y, &distance));
  if (ours != theirs || reason != expected || !(distance < 1.e4 * PETSC_SQRT_MACHINE_EPSILON)) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s%s: PETSc's takes %" PetscInt_FMT " iterations (%s), ours %" PetscInt_FMT
                          " (%s), off by %g\n",
                          method->type, method->transpose ? ", transposed" : "", theirs, KSPConvergedReasons[expected], ours,
                          KSPConvergedReasons[reason], (double)distance));
  }
  if (reason < 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", method->type, KSPConvergedReasons[reason]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareHermitian(Mat A)
{
  PetscErrorCode ierr[2];

  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_HERMITIAN, PETSC_TRUE));
  for (PetscInt k = 0; k < 2; k++) {
    PC pc;

    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetType(pc, k ? PCSYNCFREE : PCICC));
    if (k) PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ICC));
    PetscCall(PCSetOperators(pc, A, A));
    ErrorOf(ierr[k], PCSetUp(pc));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(Says("Of a Hermitian matrix ICC does the same as PETSc's", (PetscBool)(ierr[0] == ierr[1])));
  PetscCall(Says("which is an error of complex scalars only",
                 (PetscBool)(ierr[1] == (PetscDefined(USE_COMPLEX) ? PETSC_ERR_SUP : PETSC_SUCCESS))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  MatrixKind kind = GRID;
  PetscInt   m = 12, count = PETSC_STATIC_ARRAY_LENGTH(methods);
  PetscBool  icc = PETSC_FALSE, hermitian = PETSC_FALSE;
  Mat        A;
  Vec        b;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of this test", NULL);
  PetscCall(PetscOptionsEnum("-kind", "Matrix", NULL, MatrixKinds, (PetscEnum)kind, (PetscEnum *)&kind, NULL));
  PetscCall(PetscOptionsInt("-m", "Size of the grid", NULL, m, &m, NULL));
  PetscCall(PetscOptionsBool("-icc", "ICC in place of ILU", NULL, icc, &icc, NULL));
  PetscCall(PetscOptionsInt("-methods", "The first of the methods", NULL, count, &count, NULL));
  PetscCall(PetscOptionsBool("-hermitian", "A matrix known to be Hermitian", NULL, hermitian, &hermitian, NULL));
  PetscOptionsEnd();
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, kind, m, &A));
  PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(FillVector(b, 0.0));
  if (hermitian) PetscCall(CompareHermitian(A));
  for (PetscInt k = 0; k < count && !hermitian; k++) PetscCall(Compare(A, icc, &methods[k], b));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Done\n"));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset: # a phase does nothing to real scalars
    output_file: output/iterations_1.out
    args: -phase 0.3
    test:
      suffix: ilu
      args: -kind {{grid blocks random}} -pc_factor_levels {{0 1 2}}
    test:
      suffix: icc
      args: -icc -kind spd -pc_factor_levels {{0 1}} -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: shift
      args: -methods 3 -m 5 -kind indefinite -icc {{0 1}} -pc_factor_shift_type {{positive_definite nonzero inblocks}}
      args: -pc_factor_shift_amount 0.3 -pc_factor_zeropivot 0.05

  test: # PETSc's own on the GPU, too
    suffix: gpu
    requires: cuda
    output_file: output/iterations_1.out
    args: -mat_type aijcusparse -phase 0.3 -kind {{grid blocks random}}

  test:
    suffix: hermitian
    args: -kind spd -hermitian

TEST*/
