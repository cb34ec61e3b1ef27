static char help[] =
  "Matrices that PCSYNCFREE must refuse or survive: zero pivots, missing and repeated entries, NaN and Inf.\n\n";

#include "testing.h"

/* A tridiagonal matrix without entry (hole, hole), and with entry (special, special) equal to d */
static PetscErrorCode Tridiagonal(PetscInt n, PetscInt hole, PetscInt special, PetscScalar d, Mat *A)
{
  PetscInt first, end;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt i = first; i < end; i++) {
    if (i > 0) PetscCall(MatSetValue(*A, i, i - 1, -1.0, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, i, i + 1, -1.0, INSERT_VALUES));
    if (i != hole) PetscCall(MatSetValue(*A, i, i, i == special ? d : 2.5, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateKSP(Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(KSPSetTolerances(*ksp, 1.e-8, PETSC_CURRENT, PETSC_CURRENT, 100));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints how a solve ends; b is all ones except for b[special] */
static PetscErrorCode Solve(KSP ksp, const char what[], PetscInt special, PetscScalar value)
{
  Mat                A, F;
  Vec                b, x, r;
  PC                 pc;
  PCFailedReason     failed;
  KSPConvergedReason reason;
  PetscReal          norm, pivot;
  PetscInt           row = -1;
  PetscMPIInt        size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecSet(b, 1.0));
  if (special >= 0) PetscCall(VecSetValue(b, special, value, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PCGetFailedReason(pc, &failed));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s", what, reason > 0 ? "converged" : KSPConvergedReasons[reason]));
  if (failed && size == 1) {
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatFactorGetErrorZeroPivot(F, &pivot, &row));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", %s in row %" PetscInt_FMT, PCFailedReasons[failed], row));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  if (reason > 0) {
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAXPY(r, -1.0, b));
    PetscCall(VecNorm(r, NORM_INFINITY, &norm));
    if (!(norm < 1.e-5)) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  but the residual is %g\n", (double)norm));
  }
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve with the given options */
static PetscErrorCode SolveWith(Mat A, const char what[], const char string[])
{
  PetscOptions options;
  KSP          ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, string));
  PetscCall(PetscOptionsPush(options));
  PetscCall(CreateKSP(A, &ksp));
  PetscCall(Solve(ksp, what, -1, 0.0));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetDiagonal(Mat A, PetscInt row, PetscScalar d)
{
  PetscInt first, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  if (first <= row && row < end) PetscCall(MatSetValue(A, row, row, d, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row 7 eliminates itself: its pivot is d - 1 / (pivot of row 6), and pivots follow 2.5 - 1 / (the one before) from the block's
   first row on. On 2 processes it is on the second. */
static PetscErrorCode ZeroPivot(void)
{
  const PetscInt row = 7;
  PetscMPIInt    size;
  PetscReal      pivot = 2.5;
  Mat            A;
  KSP            ksp;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt i = size > 1 ? row : 1; i < row; i++) pivot = 2.5 - 1.0 / pivot;
  PetscCall(Tridiagonal(12, -1, row, 1.0 / pivot, &A));
  PetscCall(CreateKSP(A, &ksp));
  PetscCall(Solve(ksp, "zero pivot", -1, 0.0));
  PetscCall(Solve(ksp, "once more", -1, 0.0));
  PetscCall(SetDiagonal(A, row, 2.5));
  PetscCall(Solve(ksp, "good values after it", -1, 0.0));
  PetscCall(SetDiagonal(A, row, 1.0 / pivot));
  PetscCall(Solve(ksp, "bad ones again", -1, 0.0));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(SolveWith(A, "with the shift nonzero", "-pc_factor_shift_type nonzero -pc_factor_shift_amount 0.1"));
  if (size == 1) {
    PetscCall(CreateKSP(A, &ksp));
    PetscCall(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
    ErrorOf(ierr, KSPSetUp(ksp));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "as an error: %s\n", ErrorName(ierr)));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZeroDiagonal(void)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(Tridiagonal(12, -1, 0, 0.0, &A));
  PetscCall(SolveWith(A, "zero on the diagonal", ""));
  PetscCall(SolveWith(A, "with the shift nonzero", "-pc_factor_shift_type nonzero -pc_factor_shift_amount 0.1"));
  PetscCall(SolveWith(A, "with the shift inblocks", "-pc_factor_shift_type inblocks -pc_factor_shift_amount 0.1"));
  PetscCall(SolveWith(A, "with the shift positive_definite", "-pc_factor_shift_type positive_definite"));
  PetscCall(SolveWith(A, "icc, which shifts unless told otherwise", "-pc_syncfree_factor icc"));
  PetscCall(SolveWith(A, "icc without a shift", "-pc_syncfree_factor icc -pc_factor_shift_type none"));
  PetscCall(MatDestroy(&A));
  PetscCall(Tridiagonal(12, -1, 11, 0.0, &A)); /* rcm turns the chain around: the last row comes first */
  PetscCall(SolveWith(A, "reordered, still the row of A", "-pc_factor_mat_ordering_type rcm"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MissingDiagonal(void)
{
  Mat A, B;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(Tridiagonal(10, 6, -1, 0.0, &A));
  PetscCall(Tridiagonal(10, -1, -1, 0.0, &B));
  PetscCall(SolveWith(A, "missing diagonal entry", ""));
  PetscCall(SolveWith(A, "missing diagonal entry, icc", "-pc_syncfree_factor icc"));
  PetscCall(SolveWith(A, "missing diagonal entry, shift", "-pc_factor_shift_type nonzero"));
  PetscCall(SolveWith(A, "missing diagonal entry, fill of the diagonal", "-pc_factor_diagonal_fill"));
  PetscCall(SolveWith(A, "missing diagonal entry, icc, fill of the diagonal", "-pc_syncfree_factor icc -pc_factor_diagonal_fill"));
  PetscCall(CreateKSP(A, &ksp));
  PetscCall(Solve(ksp, "missing diagonal entry", -1, 0.0));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(Solve(ksp, "a complete matrix after it", -1, 0.0));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(Solve(ksp, "and the first again", -1, 0.0));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NotNumbers(void)
{
  Mat A;
  KSP ksp;

  PetscFunctionBeginUser;
  PetscCall(Tridiagonal(10, -1, -1, 0.0, &A));
  PetscCall(CreateKSP(A, &ksp));
  PetscCall(Solve(ksp, "NaN in b", 4, NAN));
  PetscCall(Solve(ksp, "Inf in b", 4, INFINITY));
  PetscCall(Solve(ksp, "a good b after them", -1, 0.0));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  for (PetscInt k = 0; k < 4; k++) { /* each fails in its own way, none gives a solution */
    KSPConvergedReason reason;
    Vec                b, x;

    PetscCall(Tridiagonal(10, -1, 3, k % 2 ? INFINITY : NAN, &A));
    PetscCall(CreateKSP(A, &ksp));
    if (k > 1) {
      PC pc;

      PetscCall(KSPGetPC(ksp, &pc));
      PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ICC));
    }
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1.0));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s in A, %s: ", k % 2 ? "Inf" : "NaN", k > 1 ? "icc" : "ilu"));
    PetscCall(Says("no convergence", (PetscBool)(reason == KSP_DIVERGED_NANORINF || reason == KSP_DIVERGED_PC_FAILED)));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of 3 x 3 matrices given by their arrays */
static PetscErrorCode Columns(void)
{
  PetscInt i[] = {0, 2, 5, 7}, sorted[] = {0, 1, 0, 1, 2, 1, 2}, mixed[] = {1, 0, 2, 1, 0, 1, 2}, twice[] = {0, 1, 0, 1, 1, 1, 2};
  PetscScalar    s[] = {4, -1, -2, 5, -1, -1, 6}, m[] = {-1, 4, -1, 5, -2, -1, 6}, t[] = {4, -1, -2, 5, -1, -1, 6};
  PetscInt      *columns[] = {sorted, mixed, twice};
  PetscScalar   *values[]  = {s, m, t};
  Mat            A;
  PC             pc;
  Vec            b, x[2];
  PetscReal      distance = 0.0;
  PetscErrorCode ierr     = PETSC_SUCCESS;

  PetscFunctionBeginUser;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 3, &b));
  PetscCall(FillVector(b, 0.0));
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 3, 3, i, columns[k], values[k], &A));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetType(pc, PCSYNCFREE));
    PetscCall(PCSetOperators(pc, A, A));
    ErrorOf(ierr, PCSetUp(pc));
    if (k < 2) {
      PetscCall(ierr);
      PetscCall(VecDuplicate(b, &x[k]));
      PetscCall(PCApply(pc, b, x[k]));
    } else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "a column twice: %s\n", ErrorName(ierr)));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(Distance(x[1], x[0], &distance));
  PetscCall(Says("unsorted columns give the same as sorted ones", (PetscBool)(distance == 0.0)));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x[0]));
  PetscCall(VecDestroy(&x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(ZeroPivot());
  if (size == 1) {
    PetscCall(ZeroDiagonal());
    PetscCall(Columns());
  }
  PetscCall(MissingDiagonal());
  PetscCall(NotNumbers());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1
  test:
    suffix: 2
    nsize: 2
  test:
    suffix: gpu_1
    requires: cuda
    args: -mat_type aijcusparse
    output_file: output/bad_matrices_1.out
  test:
    suffix: gpu_2
    requires: cuda
    nsize: 2
    args: -mat_type aijcusparse -use_gpu_aware_mpi 0
    output_file: output/bad_matrices_2.out

TEST*/
