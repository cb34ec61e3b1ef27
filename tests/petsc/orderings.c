static char help[] = "Orderings whose arrays are not what PETSc has on record for them, and orderings that are none.\n\n";

#include "testing.h"

enum { N = 3, M = 5 };

/* A matrix with all entries, whose ILU(0) is exact */
static PetscErrorCode CreateFull(const PetscScalar a[], Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, N, N, N, N));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  for (PetscInt k = 0; k < N * N; k++) PetscCall(MatSetValue(*A, k / N, k % N, a[k], INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The distance of PC(A x) from x, and for the transpose; -1 if the factorization failed */
static PetscErrorCode ErrorOfPC(PC pc, Mat A, PetscReal error[2])
{
  PCFailedReason reason;
  Vec            x, b, y;

  PetscFunctionBeginUser;
  error[0] = error[1] = -1.0;
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  if (reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(FillVector(x, 0.0));
  PetscCall(MatMult(A, x, b));
  PetscCall(PCApply(pc, b, y));
  PetscCall(Distance(y, x, &error[0]));
  PetscCall(MatMultTranspose(A, x, b));
  PetscCall(PCApplyTranspose(pc, b, y));
  PetscCall(Distance(y, x, &error[1]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatReorderForNonzeroDiagonal() writes into orderings that ISIdentity() goes on to call natural.  late: it is asked for after a set-up in
   the natural ordering, whose analysis is there to be reused. */
static PetscErrorCode NonzeroDiagonal(PCType type, MatOrderingType ordering, PetscBool late)
{
  static const PetscScalar good[] = {3, 1, 2, 1, 4, 3, 4, -3, 8}, zero[] = {0, 1, 2, 1, 0, 3, 4, -3, 8},
                           tiny[] = {1e-10, 1, 2, 1, 4, 3, 4, -3, 8};
  const PetscScalar *const a[]    = {zero, tiny};
  Mat                      A;
  PC                       pc;
  PetscReal                error[2];

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(a); k++) {
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetType(pc, type));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERSYNCFREE));
    PetscCall(PCFactorSetMatOrderingType(pc, ordering));
    if (late) {
      PetscCall(CreateFull(good, &A));
      PetscCall(ErrorOfPC(pc, A, error));
      PetscCall(MatDestroy(&A));
    }
    PetscCall(PCFactorReorderForNonzeroDiagonal(pc, 1e-8));
    PetscCall(CreateFull(a[k], &A));
    PetscCall(ErrorOfPC(pc, A, error));
    if (!(error[0] >= 0.0 && PetscMax(error[0], error[1]) < 1e3 * PETSC_MACHINE_EPSILON)) {
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s, diagonal %s%s: errors %g and %g\n", type, ordering, a[k] == zero ? "zero" : "tiny",
                            late ? ", late" : "", (double)error[0], (double)error[1]));
    }
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ICC has one ordering, so it cannot exchange columns only */
static PetscErrorCode NoICC(MatOrderingType ordering)
{
  const PetscInt row = M;
  Mat            A;
  PC             pc;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, SPD, M, &A));
  PetscCall(MatSetValue(A, row, row, 0.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ICC));
  PetscCall(PCFactorSetMatOrderingType(pc, ordering));
  PetscCall(PCFactorReorderForNonzeroDiagonal(pc, 1e-8));
  ErrorOf(ierr, PCSetUp(pc));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "icc, %s, columns exchanged: %s\n", ordering, ErrorName(ierr)));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns that are exchanged with those of another block cut it, though rows are in order */
static PetscErrorCode CutBlocks(void)
{
  Mat            A;
  PC             pc;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 4, 4, 4, 4));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  for (PetscInt k = 0; k < 4; k++) PetscCall(MatSetValue(A, k, k, k == 1 ? 0.0 : 4.0, INSERT_VALUES));
  PetscCall(MatSetValue(A, 1, 2, 3.0, INSERT_VALUES));
  PetscCall(MatSetValue(A, 2, 1, 3.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSyncFreeSetOption(pc, "factor_blocks", "2"));
  PetscCall(PCFactorReorderForNonzeroDiagonal(pc, 1e-8));
  ErrorOf(ierr, PCSetUp(pc));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "blocks, columns exchanged: %s\n", ErrorName(ierr)));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F's solution of a new factorization; the first one is kept, and others are compared with it */
static PetscErrorCode Solve(Mat F, Mat A, const MatFactorInfo *info, Vec b, Vec *first)
{
  Vec       x;
  PetscBool same = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(MatLUFactorNumeric(F, A, info));
  PetscCall(MatSolve(F, b, x));
  if (*first) PetscCall(VecEqual(x, *first, &same));
  else {
    *first = x;
    PetscCall(PetscObjectReference((PetscObject)x));
  }
  if (!same) PetscCall(PetscPrintf(PETSC_COMM_SELF, "another solution with the same ordering\n"));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Orderings of a caller's own, for rows and for columns; after the error the factor works with a good one, and with the natural one that a
   stride is.  type: NULL, or one of blocks, of which an AIJ copy is factored. */
static PetscErrorCode Refused(MatType type)
{
  enum { SHORT, TWICE, OUTSIDE, KINDS };
  static const char *const names[] = {"a row short", "an index twice", "an index outside"};
  Mat                      A, F, G;
  Vec                      b, x = NULL, y = NULL;
  IS                       good[2], bad, natural;
  MatFactorInfo            info;
  PetscInt                 idx[M * M];
  PetscErrorCode           ierr;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, type, RANDOM, M, &A));
  PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(FillVector(b, 0.0));
  PetscCall(MatGetOrdering(A, MATORDERINGRCM, &good[0], &good[1]));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1.0;
  PetscCall(MatGetFactor(A, MATSOLVERSYNCFREE, MAT_FACTOR_ILU, &F));
  PetscCall(MatILUFactorSymbolic(F, A, good[0], good[1], &info));
  PetscCall(Solve(F, A, &info, b, &x));
  for (PetscInt k = 0; k < 2 * KINDS; k++) {
    for (PetscInt r = 0; r < M * M; r++) idx[r] = M * M - 1 - r;
    if (k / 2 == TWICE) idx[0] = idx[1];
    if (k / 2 == OUTSIDE) idx[0] = M * M;
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, M * M - (k / 2 == SHORT), idx, PETSC_COPY_VALUES, &bad));
    ErrorOf(ierr, MatILUFactorSymbolic(F, A, k % 2 ? good[0] : bad, k % 2 ? bad : good[1], &info));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s with %s: %s\n", k % 2 ? "columns" : "rows", names[k / 2], ErrorName(ierr)));
    PetscCall(ISDestroy(&bad));
    PetscCall(MatILUFactorSymbolic(F, A, good[0], good[1], &info));
    PetscCall(Solve(F, A, &info, b, &x));
  }
  PetscCall(ISCreateStride(PETSC_COMM_SELF, M * M, 0, 1, &natural));
  PetscCall(MatGetFactor(A, MATSOLVERSYNCFREE, MAT_FACTOR_ILU, &G));
  PetscCall(MatILUFactorSymbolic(G, A, natural, natural, &info));
  PetscCall(Solve(G, A, &info, b, &y));
  PetscCall(MatILUFactorSymbolic(F, A, natural, natural, &info));
  PetscCall(Solve(F, A, &info, b, &y));
  PetscCall(MatDestroy(&F));
  PetscCall(MatDestroy(&G));
  PetscCall(ISDestroy(&good[0]));
  PetscCall(ISDestroy(&good[1]));
  PetscCall(ISDestroy(&natural));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const PCType          types[]     = {PCSYNCFREE, PCILU};
  static const MatOrderingType orderings[] = {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  for (size_t o = 0; o < PETSC_STATIC_ARRAY_LENGTH(orderings); o++) {
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); t++) {
      for (int late = 0; late < 2; late++) PetscCall(NonzeroDiagonal(types[t], orderings[o], (PetscBool)late));
    }
    PetscCall(NoICC(orderings[o]));
  }
  PetscCall(CutBlocks());
  PetscCall(Refused(NULL));
  PetscCall(Refused(MATSEQBAIJ));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/orderings_1.out
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -mat_type aijcusparse

TEST*/
