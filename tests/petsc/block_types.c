static char help[] =
  "Matrices of blocks: PCSYNCFREE beside PETSc's ILU and ICC of an AIJ copy and of the matrix itself, through new values and patterns.\n\
  -mat_type (baij|sbaij), -mat_block_size bs\n\n";

#include "testing.h"

enum { M = 6 };
#define TINY 1.e-16

/* A solver's options, and those of PETSc's for an AIJ copy; `ranks`: on how many processes (0: any) */
typedef struct {
  const char *name, *ours, *theirs;
  PetscBool   icc;
  PetscMPIInt ranks;
} Variant;

#define OURS "-ours_pc_type syncfree -ours_pc_syncfree_factor "
#define SUB  "-ours_sub_pc_type syncfree -ours_sub_pc_syncfree_factor "
#define RCM  "_pc_factor_mat_ordering_type rcm"

static const Variant Variants[] = {
  {"PC, ilu",        OURS "ilu",              "-theirs_pc_type ilu",                             PETSC_FALSE, 1},
  {"PC, icc",        OURS "icc",              "-theirs_pc_type icc",                             PETSC_TRUE,  1},
  {"PC, ilu, rcm",   OURS "ilu -ours" RCM,    "-theirs_pc_type ilu -theirs" RCM,                 PETSC_FALSE, 1},
  {"PC, icc, rcm",   OURS "icc -ours" RCM,    "-theirs_pc_type icc -theirs" RCM,                 PETSC_TRUE,  1},
  {"PC, ilu",        OURS "ilu",              "-theirs_pc_type bjacobi -theirs_sub_pc_type ilu", PETSC_FALSE, 2},
  {"PC, icc",        OURS "icc",              "-theirs_pc_type bjacobi -theirs_sub_pc_type icc", PETSC_TRUE,  2},
  {"MatSolver, ilu", "-ours_pc_type ilu -ours_pc_factor_mat_solver_type syncfree", "-theirs_pc_type ilu", PETSC_FALSE, 1},
  {"MatSolver, icc", "-ours_pc_type icc -ours_pc_factor_mat_solver_type syncfree", "-theirs_pc_type icc", PETSC_TRUE,  1},
  {"bjacobi, ilu",   "-ours_pc_type bjacobi " SUB "ilu", "-theirs_pc_type bjacobi -theirs_sub_pc_type ilu", PETSC_FALSE, 0},
  {"bjacobi, icc",   "-ours_pc_type bjacobi -ours_sub_pc_type icc -ours_sub_pc_factor_mat_solver_type syncfree",
                     "-theirs_pc_type bjacobi -theirs_sub_pc_type icc",                       PETSC_TRUE, 0},
  {"asm, ilu",       "-ours_pc_type asm " SUB "ilu", "-theirs_pc_type asm -theirs_sub_pc_type ilu", PETSC_FALSE, 0},
  {"asm, icc",       "-ours_pc_type asm " SUB "icc", "-theirs_pc_type asm -theirs_sub_pc_type icc", PETSC_TRUE,  0}
};

/* Of A's type and block size; a block that has an entry is stored whole */
static PetscErrorCode CreateBlocks(MatrixKind kind, Mat *A)
{
  const PetscInt n = M * M * (kind == BLOCKS ? 3 : 1);
  PetscBool      sbaij;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetType(*A, MATBAIJ));
  PetscCall(MatSetFromOptions(*A)); /* with -mat_block_size */
  PetscCall(MatSetUp(*A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)*A, &sbaij, MATSEQSBAIJ, MATMPISBAIJ, ""));
  if (sbaij) PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  PetscCall(FillMatrix(*A, kind, M, 1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateKSP(const char prefix[], PetscBool icc, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, prefix));
  PetscCall(KSPSetType(*ksp, icc ? KSPCG : KSPGMRES));
  PetscCall(KSPSetTolerances(*ksp, 1.e-8, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp, Mat A, Vec x, PetscInt *its)
{
  Vec                b;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &b));
  PetscCall(FillVector(b, 0.0));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  if (reason < 0) *its = reason;
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with A by our KSP, with an AIJ copy by PETSc's; iteration counts, solutions and preconditioners agree */
static PetscErrorCode Step(const Variant *v, KSP ours, KSP theirs, Mat A, const char what[])
{
  Mat       H;
  PC        pc;
  Vec       x, y, b;
  PetscInt  its = 0, expected = -1;
  PetscReal distance = 1.0;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &H));
  PetscCall(MatCreateVecs(H, &x, &y));
  PetscCall(Solve(ours, A, x, &its));
  PetscCall(Solve(theirs, H, y, &expected));
  PetscCall(Distance(x, y, &distance));
  if (its != expected || expected <= 0 || !(distance < 1.e-6))
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s: %" PetscInt_FMT " iterations, PETSc's %" PetscInt_FMT ", solutions differ by %g\n",
                          v->name, what, its, expected, (double)distance));
  PetscCall(VecDuplicate(x, &b));
  PetscCall(FillVector(b, 1.0));
  PetscCall(KSPGetPC(ours, &pc));
  PetscCall(PCApply(pc, b, x));
  PetscCall(KSPGetPC(theirs, &pc));
  PetscCall(PCApply(pc, b, y));
  PetscCall(Distance(x, y, &distance));
  if (!(distance < 1.e4 * PETSC_MACHINE_EPSILON))
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s: preconditioners differ by %g\n", v->name, what, (double)distance));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values, and one more entry with its mirror image, in rows of the same process */
static PetscErrorCode AddEntry(Mat A, MatrixKind kind)
{
  PetscInt first, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  PetscCall(MatSetValue(A, first, end - 1, -0.4, INSERT_VALUES));
  PetscCall(MatSetValue(A, end - 1, first, -0.4, INSERT_VALUES));
  PetscCall(FillMatrix(A, kind, M, 1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Life(const Variant *v, MatrixKind kind)
{
  Mat          A, B;
  KSP          ours, theirs;
  PetscOptions options;

  PetscFunctionBeginUser;
  PetscCall(CreateBlocks(kind, &A)); /* before its options are hidden */
  PetscCall(CreateBlocks(kind, &B));
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, v->ours));
  PetscCall(PetscOptionsInsertString(options, v->theirs));
  PetscCall(PetscOptionsPush(options));
  PetscCall(CreateKSP("ours_", v->icc, &ours));
  PetscCall(CreateKSP("theirs_", v->icc, &theirs));
  PetscCall(Step(v, ours, theirs, A, "first set-up"));
  PetscCall(FillMatrix(A, kind, M, 2.0));
  PetscCall(MatShift(A, 0.5));
  PetscCall(Step(v, ours, theirs, A, "new values"));
  PetscCall(AddEntry(A, kind));
  PetscCall(Step(v, ours, theirs, A, "new pattern"));
  PetscCall(Step(v, ours, theirs, B, "another matrix"));
  PetscCall(KSPDestroy(&ours));
  PetscCall(KSPDestroy(&theirs));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A numeric factorization alone takes new values, but not a new pattern */
static PetscErrorCode Refactorizations(void)
{
  Mat            A, F;
  IS             row, col;
  MatFactorInfo  info;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(CreateBlocks(SPD, &A));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1.0;
  PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &row, &col));
  PetscCall(MatGetFactor(A, MATSOLVERSYNCFREE, MAT_FACTOR_ICC, &F));
  PetscCall(MatICCFactorSymbolic(F, A, row, &info));
  PetscCall(MatCholeskyFactorNumeric(F, A, &info));
  PetscCall(FillMatrix(A, SPD, M, 2.0));
  ErrorOf(ierr, MatCholeskyFactorNumeric(F, A, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "new values: %s\n", ErrorName(ierr)));
  PetscCall(AddEntry(A, SPD));
  ErrorOf(ierr, MatCholeskyFactorNumeric(F, A, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "new pattern: %s\n", ErrorName(ierr)));
  PetscCall(MatDestroy(&F));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's own factorization of the same matrix, by blocks, is the same up to rounding: no entry of a block is dropped.  tiny: of a matrix
   whose pivots are below the tolerance for those of points, which does not hold for blocks */
static PetscErrorCode BlockFactorization(MatrixKind kind, PetscBool icc, MatOrderingType ordering, PetscBool tiny)
{
  Mat       A;
  PC        pc[2];
  Vec       b, x[2];
  PetscInt  bs;
  PetscReal distance = 1.0;

  PetscFunctionBeginUser;
  PetscCall(CreateBlocks(kind, &A));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(FillVector(b, 0.0));
  if (tiny && bs > 1) { /* those of one row are points to PETSc */
    PetscCall(MatScale(A, TINY));
    PetscCall(VecScale(b, TINY));
  }
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc[k]));
    PetscCall(PCSetType(pc[k], icc ? PCICC : PCILU));
    PetscCall(PCFactorSetMatSolverType(pc[k], k ? MATSOLVERSYNCFREE : MATSOLVERPETSC));
    PetscCall(PCFactorSetMatOrderingType(pc[k], ordering));
    PetscCall(PCSetOperators(pc[k], A, A));
    PetscCall(VecDuplicate(b, &x[k]));
    PetscCall(PCApply(pc[k], b, x[k]));
    PetscCall(PCDestroy(&pc[k]));
  }
  PetscCall(Distance(x[1], x[0], &distance));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s ordering%s: ", icc ? "icc" : "ilu", ordering, tiny ? ", tiny" : ""));
  PetscCall(Says("equals PETSc's factorization by blocks", (PetscBool)(distance < 1.e5 * PETSC_MACHINE_EPSILON)));
  PetscCall(VecDestroy(&x[0]));
  PetscCall(VecDestroy(&x[1]));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A zero pivot has the number of its row, not of its block, whose last it is: earlier ones are shifted, as in PETSc */
static PetscErrorCode ZeroPivot(void)
{
  Mat            A, F;
  PC             pc;
  PCFailedReason reason;
  PetscReal      pivot;
  PetscInt       row;

  PetscFunctionBeginUser;
  PetscCall(CreateBlocks(SPD, &A));
  PetscCall(MatZeroEntries(A));
  PetscCall(MatShift(A, 1.0));
  PetscCall(MatSetValue(A, 5, 5, 0.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatFactorGetErrorZeroPivot(F, &pivot, &row));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s in row %" PetscInt_FMT "\n", PCFailedReasons[reason], row));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DefaultKind(void)
{
  Mat           A;
  PC            pc;
  MatFactorType kind;

  PetscFunctionBeginUser;
  PetscCall(CreateBlocks(SPD, &A));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCSyncFreeGetFactor(pc, &kind));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "by default: %s\n", MatFactorTypes[kind]));
  PetscCall(PCViewFromOptions(pc, NULL, "-default_view"));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(void)
{
  Mat         A;
  PetscMPIInt size;
  PetscInt    count = 0;
  PetscBool   sbaij;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(CreateBlocks(SPD, &A));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &sbaij, MATSEQSBAIJ, MATMPISBAIJ, ""));
  PetscCall(MatDestroy(&A));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(Variants); k++) {
    if (Variants[k].ranks && Variants[k].ranks != size) continue;
    PetscCall(Life(&Variants[k], sbaij || Variants[k].icc ? SPD : BLOCKS));
    count++;
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " solvers were compared\n", count));
  PetscCall(DefaultKind());
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (!sbaij) { /* PETSc has no ILU of SBAIJ */
    PetscCall(BlockFactorization(BLOCKS, PETSC_FALSE, MATORDERINGNATURAL, PETSC_FALSE));
    PetscCall(BlockFactorization(BLOCKS, PETSC_FALSE, MATORDERINGNATURAL, PETSC_TRUE));
    PetscCall(BlockFactorization(BLOCKS, PETSC_FALSE, MATORDERINGRCM, PETSC_FALSE));
  }
  PetscCall(BlockFactorization(SPD, PETSC_TRUE, MATORDERINGNATURAL, PETSC_FALSE));
  PetscCall(BlockFactorization(SPD, PETSC_TRUE, MATORDERINGNATURAL, PETSC_TRUE));
  PetscCall(Refactorizations());
  PetscCall(ZeroPivot());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(Compare());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -mat_block_size {{1 2 3}}
    test:
      suffix: baij
      args: -mat_type baij
    test:
      suffix: sbaij
      args: -mat_type sbaij

  testset:
    nsize: 2
    args: -mat_block_size {{1 3}}
    test:
      suffix: 2_baij
      args: -mat_type baij
    test:
      suffix: 2_sbaij
      args: -mat_type sbaij

  testset:
    requires: complex
    args: -phase 0.3 -mat_block_size 2
    test:
      suffix: complex_baij
      args: -mat_type baij
      output_file: output/block_types_baij.out
    test:
      suffix: complex_sbaij
      args: -mat_type sbaij
      output_file: output/block_types_sbaij.out

  test:
    suffix: view
    args: -mat_type sbaij -mat_block_size 3 -default_view
    filter: grep "factorization: by\|sweeps by"

  test:
    suffix: view_copied
    args: -mat_type sbaij -mat_block_size 9 -default_view
    filter: grep copy

  test:
    suffix: info
    args: -mat_type baij -mat_block_size 1 -info :mat
    filter: grep Copying | sed "s/<mat>/<mat:syncfree>/" | sort -u

TEST*/
