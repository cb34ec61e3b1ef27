static char help[] =
  "Applications to dense matrices, of any leading dimensions: a column has the same bits whatever is beside it, and up to rounding\n\
  those of PCApply().\n\
  -kind (grid|blocks|random|spd), -m size, -icc, -b_type and -x_type: types of the dense matrices, -hpddm: solves by HPDDM, too\n\n";

#include "testing.h"

enum { MOST = 35 }; /* twice as many as are taken together, and some */

typedef PetscErrorCode (*MatApply)(PC, Mat, Mat);

typedef struct {
  PC         pc;
  Mat        A;
  MatrixKind kind;
  PetscInt   m, n, N; /* n, N: rows of A, on this process and of all */
  PetscBool  icc, hpddm;
  char       b_type[32], x_type[32];
} Test;

/* Column k of any matrix is FillVector()'s with a phase of its own; extra: values below each column */
static PetscErrorCode CreateColumns(const Test *t, MatType type, PetscInt first, PetscInt columns, PetscInt extra, Mat *B)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PetscObjectComm((PetscObject)t->A), B));
  PetscCall(MatSetSizes(*B, t->n, PETSC_DECIDE, t->N, columns));
  PetscCall(MatSetType(*B, type));
  PetscCall(MatDenseSetLDA(*B, t->n + extra));
  PetscCall(MatSetUp(*B));
  for (PetscInt k = 0; k < columns; k++) {
    Vec v;

    PetscCall(MatDenseGetColumnVecWrite(*B, k, &v));
    PetscCall(FillVector(v, 0.3 * (first + k)));
    PetscCall(MatDenseRestoreColumnVecWrite(*B, k, &v));
  }
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SameColumn(Mat X, PetscInt k, Mat Y, PetscInt l, const char what[])
{
  Vec                x, y;
  const PetscScalar *a, *b;
  PetscInt           n;
  PetscBool          same;

  PetscFunctionBeginUser;
  PetscCall(MatDenseGetColumnVecRead(X, k, &x));
  PetscCall(MatDenseGetColumnVecRead(Y, l, &y));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  PetscCall(PetscArraycmp(a, b, n, &same));
  if (!same) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: column %" PetscInt_FMT " has other bits than alone\n", what, k));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(MatDenseRestoreColumnVecRead(Y, l, &y));
  PetscCall(MatDenseRestoreColumnVecRead(X, k, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AgreeWithVector(Mat X, PetscInt k, Vec v, const char what[])
{
  Vec       x;
  PetscReal distance;

  PetscFunctionBeginUser;
  PetscCall(MatDenseGetColumnVecRead(X, k, &x));
  PetscCall(Distance(x, v, &distance));
  if (!(distance < 1.e4 * PETSC_MACHINE_EPSILON)) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: column %" PetscInt_FMT " is off by %g\n", what, k, (double)distance));
  }
  PetscCall(MatDenseRestoreColumnVecRead(X, k, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each column alone, and a vector beside it */
static PetscErrorCode Alone(const Test *t, MatApply apply, PetscErrorCode (*vector)(PC, Vec, Vec), Mat alone[], const char what[])
{
  Vec b, x;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(t->A, &x, &b));
  for (PetscInt k = 0; k < MOST; k++) {
    Mat B;

    PetscCall(CreateColumns(t, t->b_type, k, 1, 0, &B));
    PetscCall(CreateColumns(t, t->x_type, 0, 1, 1, &alone[k]));
    PetscCall((*apply)(t->pc, B, alone[k]));
    PetscCall(MatDestroy(&B));
    PetscCall(FillVector(b, 0.3 * k));
    PetscCall((*vector)(t->pc, b, x));
    PetscCall(AgreeWithVector(alone[k], 0, x, what));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Together(const Test *t, MatApply apply, PetscErrorCode (*vector)(PC, Vec, Vec), const char what[])
{
  static const PetscInt counts[] = {0, 1, 2, 3, 5, 8, 16, 17, MOST};
  Mat                   alone[MOST], B, X;

  PetscFunctionBeginUser;
  PetscCall(Alone(t, apply, vector, alone, what));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(counts); c++) {
    PetscCall(CreateColumns(t, t->b_type, 0, counts[c], 3, &B));
    PetscCall(CreateColumns(t, t->x_type, 0, counts[c], 6, &X));
    PetscCall((*apply)(t->pc, B, X));
    for (PetscInt k = 0; k < counts[c]; k++) PetscCall(SameColumn(X, k, alone[k], 0, what));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&X));
  }
  for (PetscInt k = 0; k < MOST; k++) PetscCall(MatDestroy(&alone[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc lets MatMatSolve() overwrite the right-hand sides */
static PetscErrorCode InPlace(const Test *t)
{
  const PetscInt columns = MOST;
  Mat            F, B, X;

  PetscFunctionBeginUser;
  PetscCall(PCFactorGetMatrix(t->pc, &F));
  PetscCall(CreateColumns(t, t->b_type, 0, columns, 1, &B));
  PetscCall(CreateColumns(t, t->x_type, 0, columns, 0, &X));
  PetscCall(MatMatSolve(F, B, X));
  PetscCall(MatMatSolve(F, B, B));
  for (PetscInt k = 0; k < columns; k++) PetscCall(SameColumn(B, k, X, k, "MatMatSolve() in place"));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* extra: values below each right-hand side */
static PetscErrorCode Solves(const Test *t, KSPType type, PetscInt extra)
{
  const PetscInt columns = 5;
  KSP            ksp;
  Mat            B, X;
  Vec            b, x;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)t->A), &ksp));
  PetscCall(KSPSetPC(ksp, t->pc));
  PetscCall(KSPSetOperators(ksp, t->A, t->A));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPSetTolerances(ksp, 0, 0, PETSC_CURRENT, 5)); /* no tolerance that one of two solves reaches an iteration sooner */
  PetscCall(CreateColumns(t, t->b_type, 0, columns, extra, &B));
  PetscCall(CreateColumns(t, t->x_type, 0, columns, 0, &X));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(MatCreateVecs(t->A, &x, &b));
  for (PetscInt k = 0; k < columns; k++) {
    PetscCall(FillVector(b, 0.3 * k));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(AgreeWithVector(X, k, x, type));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of it, before and after new values */
static PetscErrorCode Compare(Test *t)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt values = 1; values < 3; values++) {
    PetscCall(FillMatrix(t->A, t->kind, t->m, values));
    PetscCall(PCSetUp(t->pc));
    PetscCall(Together(t, PCMatApply, PCApply, "PCMatApply()"));
#if PETSC_VERSION_GE(3, 24, 0)
    PetscCall(Together(t, PCMatApplyTranspose, PCApplyTranspose, "PCMatApplyTranspose()"));
#endif
    if (size == 1) PetscCall(InPlace(t));
  }
  PetscCall(Solves(t, KSPPREONLY, 2));
  PetscCall(Solves(t, KSPGMRES, 2));
  if (t->hpddm) PetscCall(Solves(t, KSPHPDDM, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Test t = {.m = 7, .b_type = MATDENSE, .x_type = MATDENSE};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of this test", NULL);
  PetscCall(PetscOptionsEnum("-kind", "Matrix", NULL, MatrixKinds, (PetscEnum)t.kind, (PetscEnum *)&t.kind, NULL));
  PetscCall(PetscOptionsInt("-m", "Size of the grid", NULL, t.m, &t.m, NULL));
  PetscCall(PetscOptionsBool("-icc", "ICC in place of ILU", NULL, t.icc, &t.icc, NULL));
  PetscCall(PetscOptionsBool("-hpddm", "Solves by HPDDM, too", NULL, t.hpddm, &t.hpddm, NULL));
  PetscCall(PetscOptionsString("-b_type", "Type of right-hand sides", NULL, t.b_type, t.b_type, sizeof(t.b_type), NULL));
  PetscCall(PetscOptionsString("-x_type", "Type of solutions", NULL, t.x_type, t.x_type, sizeof(t.x_type), NULL));
  PetscOptionsEnd();
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, t.kind, t.m, &t.A));
  PetscCall(MatGetLocalSize(t.A, &t.n, NULL));
  PetscCall(MatGetSize(t.A, &t.N, NULL));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &t.pc));
  PetscCall(PCSetType(t.pc, PCSYNCFREE));
  PetscCall(PCSetOperators(t.pc, t.A, t.A));
  PetscCall(PCSyncFreeSetFactor(t.pc, t.icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCSetFromOptions(t.pc));
  PetscCall(Compare(&t));
  PetscCall(PCDestroy(&t.pc));
  PetscCall(MatDestroy(&t.A));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Done\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/columns_1.out
    test:
      suffix: ilu
      args: -kind {{grid blocks random}} -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: icc
      args: -icc -kind spd -pc_factor_mat_ordering_type {{natural nd}} -pc_syncfree_algorithm {{host host-windows}}
    test:
      suffix: block_types
      args: -kind blocks -mat_type baij -mat_block_size 3
    test:
      suffix: parallel
      nsize: 2
      args: -kind {{grid random}}
    test:
      suffix: hpddm
      requires: hpddm
      args: -hpddm -kind {{grid random}}

  testset:
    requires: cuda
    output_file: output/columns_1.out
    args: -mat_type aijcusparse -b_type {{dense densecuda}} -x_type {{dense densecuda}}
    test:
      suffix: gpu_ilu
      args: -kind {{grid blocks random}}
    test:
      suffix: gpu_icc
      args: -icc -kind spd -pc_factor_mat_ordering_type nd
    test:
      suffix: gpu_algorithms
      args: -kind random -m 30 -pc_syncfree_algorithm {{auto levelorder strips blockorder}}
    test:
      suffix: gpu_parallel
      nsize: 2
      args: -kind grid -use_gpu_aware_mpi 0

  test:
    suffix: gpu_hpddm
    requires: cuda hpddm
    output_file: output/columns_1.out
    args: -mat_type aijcusparse -b_type densecuda -x_type densecuda -hpddm -kind {{grid random}}

TEST*/
