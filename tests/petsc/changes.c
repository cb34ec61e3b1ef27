static char help[] =
  "What is said after a set-up counts as if it had been said before, and what the PC tells is of the last factorization.\n\n";

#include "testing.h"

enum { M = 6 };

static PetscErrorCode CreatePC(MatrixKind kind, Mat *A, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, kind, M, A));
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetType(*pc, PCSYNCFREE));
  PetscCall(PCSetOperators(*pc, *A, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewHas(PC pc, const char words[], PetscBool expected, const char what[])
{
  char text[8192];

  PetscFunctionBeginUser;
  PetscCall(ViewText(pc, sizeof(text), text));
  PetscCall(Says(what, (PetscBool)((strstr(text, words) != NULL) == expected)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factorization without a shift after one with shifts */
static PetscErrorCode Shifts(void)
{
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CreatePC(SPD, &A, &pc));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONZERO));
  for (PetscInt k = 0; k < 4; k++) {
    PetscCall(FillMatrix(A, SPD, M, 1.0 + 0.5 * k));
    if (k % 2) PetscCall(MatSetValue(A, 0, 0, 0.0, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(PCSetUp(pc));
    PetscCall(ViewHas(pc, "diagonal shifted", (PetscBool)(k % 2), k % 2 ? "a shift is told" : "no shift is told where there is none"));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Plans of the transposed sweeps follow the algorithm: those of the last one are gone, and the next transposed application makes others */
static PetscErrorCode Transposed(void)
{
  static const char *const algorithms[] = {"auto", "host", "host-threads"};
  const char words[]                    = "plans of the transposed sweeps exist";
  Mat A;
  PC  pc;
  Vec b, x;

  PetscFunctionBeginUser;
  PetscCall(CreatePC(GRID, &A, &pc));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVector(b, 0.0));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(algorithms); k++) {
    PetscCall(PCSyncFreeSetAlgorithm(pc, algorithms[k]));
    PetscCall(PCSetUp(pc));
    PetscCall(ViewHas(pc, words, PETSC_FALSE, "a new algorithm has no plans of transposed sweeps"));
    PetscCall(PCApplyTranspose(pc, b, x));
    PetscCall(ViewHas(pc, words, PETSC_TRUE, "until they are needed"));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsKind(PC pc, Mat A, MatFactorType expected, const char what[])
{
  MatFactorType factor;

  PetscFunctionBeginUser;
  PetscCall(PCSetOperators(pc, A, A)); /* PCReset() forgets them */
  PetscCall(PCSetUp(pc));
  PetscCall(PCSyncFreeGetFactor(pc, &factor));
  PetscCall(Says(what, (PetscBool)(factor == expected)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kind that the matrix has decided on is asked for, and then left to the matrix again, which PETSc no longer knows to be definite */
static PetscErrorCode Kinds(void)
{
  Mat            A;
  PC             pc;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(CreatePC(SPD, &A, &pc));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(IsKind(pc, A, MAT_FACTOR_ICC, "the matrix decides on icc"));
  PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ICC));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_FALSE));
  PetscCall(PCReset(pc));
  PetscCall(IsKind(pc, A, MAT_FACTOR_ICC, "which is asked for, and outlasts PCReset()"));
  PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_NONE));
  PetscCall(IsKind(pc, A, MAT_FACTOR_ILU, "until the matrix is to decide again"));
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(PCFactorSetMatOrderingType(pc, "none-such"));
  ErrorOf(ierr, PCSetUp(pc));
  PetscCall(Says("a set-up fails when it has decided", (PetscBool)(ierr != PETSC_SUCCESS)));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_FALSE));
  PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL));
  PetscCall(IsKind(pc, A, MAT_FACTOR_ICC, "and the next one keeps to that"));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option is the one set last, before the set-up for it and after; a view as a string names the levels while there is a factor */
static PetscErrorCode Options(void)
{
  static const char *const values[] = {"64", "32"};
  char        text[256], value[32];
  PetscViewer viewer;
  Mat         A;
  PC          pc;

  PetscFunctionBeginUser;
  PetscCall(CreatePC(GRID, &A, &pc));
  for (PetscInt k = 0; k < 4; k++) {
    if (k % 2) PetscCall(PCSetUp(pc));
    else PetscCall(PCSyncFreeSetOption(pc, "host_window", values[k / 2]));
    PetscCall(PCSyncFreeGetOption(pc, "host_window", value, sizeof(value)));
    PetscCall(PetscViewerStringOpen(PETSC_COMM_SELF, text, sizeof(text), &viewer));
    PetscCall(PCView(pc, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(Says(k % 2 ? "set up, it has the option" : "it has the option that is set", (PetscBool)!strcmp(value, values[k / 2])));
    PetscCall(Says("as a string", (PetscBool)((strstr(text, "lvls=0") != NULL) == k % 2)));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks that the factored matrix is told of: they count from the next numeric factorization on, with no analysis asked for */
static PetscErrorCode Blocks(void)
{
  Mat            A, B, F;
  PC             pc, fresh;
  MatInfo        info, expected;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(CreatePC(GRID, &B, &fresh));
  PetscCall(PCSyncFreeSetOption(fresh, "factor_blocks", "2"));
  PetscCall(PCSetUp(fresh));
  PetscCall(PCFactorGetMatrix(fresh, &F));
  PetscCall(MatGetInfo(F, MAT_LOCAL, &expected));
  PetscCall(CreatePC(GRID, &A, &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatSyncFreeSetOption(F, "factor_blocks", "2"));
  PetscCall(MatScale(A, 2.0));
  PetscCall(PCSetUp(pc));
  PetscCall(MatGetInfo(F, MAT_LOCAL, &info));
  PetscCall(Says("entries of blocks are counted", (PetscBool)(info.nz_used == expected.nz_used)));
  PetscCall(Says("and fill", (PetscBool)(info.fill_ratio_needed > 1.0 && info.fill_ratio_needed == expected.fill_ratio_needed)));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_POSITIVE_DEFINITE));
  PetscCall(MatScale(A, 2.0));
  ErrorOf(ierr, PCSetUp(pc));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "a shift that blocks do not have: %s\n", ErrorName(ierr)));
  PetscCall(PCDestroy(&pc));
  PetscCall(PCDestroy(&fresh));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(Shifts());
  PetscCall(Transposed());
  PetscCall(Kinds());
  PetscCall(Options());
  PetscCall(Blocks());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/changes_1.out
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -mat_type aijcusparse

TEST*/
