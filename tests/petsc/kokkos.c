static char help[] =
    "Matrices of type aijkokkos: whichever way their values have come, PCSYNCFREE gives what PETSc's ILU on the host gives for aij.\n\n";

#include "testing.h"

typedef struct {
  Mat A, H; /* the same matrix, of Kokkos's type and on the host */
  PC  ours, theirs;
  Vec b, x, hb, hx;
} Pair;

/* Ways to change a matrix: on the GPU, on the host, and to another pattern */
static PetscErrorCode Nothing(Mat A)
{
  (void)A;
  return PETSC_SUCCESS;
}

static PetscErrorCode Scale(Mat A)
{
  return MatScale(A, 3.0);
}

static PetscErrorCode SetValues(Mat A)
{
  return FillMatrix(A, GRID, 7, 2.0);
}

static PetscErrorCode SetOne(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetValue(A, 3, 3, 9.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shift(Mat A)
{
  return MatShift(A, 1.5);
}

static PetscErrorCode ScaleDiagonally(Mat A)
{
  Vec left;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, &left));
  PetscCall(FillVector(left, 0.4));
  PetscCall(VecShift(left, 3.0));
  PetscCall(MatDiagonalScale(A, left, NULL));
  PetscCall(VecDestroy(&left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZeroRows(Mat A)
{
  const PetscInt rows[] = {0, 11, 48};

  return MatZeroRows(A, 3, rows, 2.0, NULL, NULL);
}

/* Another pattern, and values that go to the GPU's array at once */
static PetscErrorCode SetCOO(Mat A)
{
  const PetscInt    i[] = {0, 0, 1, 1, 2, 2}, j[] = {0, 1, 1, 0, 2, 1};
  const PetscScalar v[] = {4.0, 1.0, 5.0, 2.0, 6.0, -1.0};
  PetscInt          row[49 + 6], col[49 + 6];
  PetscScalar       value[49 + 6];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 49 + 6; k++) {
    row[k]   = k < 49 ? k : i[k - 49];
    col[k]   = k < 49 ? k : j[k - 49];
    value[k] = k < 49 ? 3.0 + 0.1 * k : v[k - 49];
  }
  PetscCall(MatSetPreallocationCOO(A, 49 + 6, row, col));
  PetscCall(MatSetValuesCOO(A, value, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *name;
  PetscErrorCode (*change)(Mat);
} Changes[] = {{"assembled", Nothing},
               {"MatScale", Scale},
               {"MatSetValues after that", SetValues},
               {"MatShift", Shift},
               {"one entry after that", SetOne},
               {"MatDiagonalScale", ScaleDiagonally},
               {"MatZeroRows", ZeroRows},
               {"MatScale of the new pattern", Scale},
               {"MatSetValuesCOO", SetCOO}};

static PetscErrorCode Agrees(Vec x, Vec hx, const char what[], const char call[])
{
  PetscReal distance;

  PetscFunctionBeginUser;
  PetscCall(Distance(x, hx, &distance));
  if (!(distance < 1.e5 * PETSC_MACHINE_EPSILON))
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s: off by %g\n", what, call, (double)distance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = y + the solve, for a y that is not a GPU's, too */
static PetscErrorCode CompareAdd(Pair *p, const char what[])
{
  Mat F;

  PetscFunctionBeginUser;
  PetscCall(PCApply(p->theirs, p->hb, p->hx));
  PetscCall(VecAXPY(p->hx, 1.0, p->hb));
  PetscCall(PCFactorGetMatrix(p->ours, &F));
  PetscCall(MatSolveAdd(F, p->b, p->b, p->x));
  PetscCall(Agrees(p->x, p->hx, what, "MatSolveAdd"));
  PetscCall(MatSolveAdd(F, p->b, p->hb, p->x));
  PetscCall(Agrees(p->x, p->hx, what, "MatSolveAdd of host vectors"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dense matrix of the GPU's, and one of the host's */
static PetscErrorCode CompareColumns(Pair *p, const char what[])
{
  Mat B[2], X;
  Vec v;

  PetscFunctionBeginUser;
  PetscCall(PCApply(p->theirs, p->hb, p->hx));
  PetscCall(MatCreateDenseFromVecType(PETSC_COMM_SELF, VECKOKKOS, 49, 2, 49, 2, 49, NULL, &B[0]));
  PetscCall(MatCreateDense(PETSC_COMM_SELF, 49, 2, 49, 2, NULL, &B[1]));
  PetscCall(MatDuplicate(B[1], MAT_DO_NOT_COPY_VALUES, &X));
  for (PetscInt k = 0; k < 2; k++) {
    for (PetscInt c = 0; c < 2; c++) {
      PetscCall(MatDenseGetColumnVecWrite(B[k], c, &v));
      PetscCall(FillVector(v, 0.0));
      PetscCall(MatDenseRestoreColumnVecWrite(B[k], c, &v));
    }
    PetscCall(PCMatApply(p->ours, B[k], X));
    PetscCall(MatDenseGetColumnVecRead(X, 1, &v));
    PetscCall(Agrees(v, p->hx, what, k ? "PCMatApply on the host" : "PCMatApply to the host"));
    PetscCall(MatDenseRestoreColumnVecRead(X, 1, &v));
    PetscCall(MatDestroy(&B[k]));
  }
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Pair *p, const char what[])
{
  PetscFunctionBeginUser;
  PetscCall(PCSetUp(p->ours));
  PetscCall(PCSetUp(p->theirs));
  PetscCall(PCApply(p->ours, p->b, p->x));
  PetscCall(PCApply(p->theirs, p->hb, p->hx));
  PetscCall(Agrees(p->x, p->hx, what, "PCApply"));
  PetscCall(PCApplyTranspose(p->ours, p->b, p->x));
  PetscCall(PCApplyTranspose(p->theirs, p->hb, p->hx));
  PetscCall(Agrees(p->x, p->hx, what, "PCApplyTranspose"));
  PetscCall(CompareAdd(p, what));
  PetscCall(CompareColumns(p, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same PC with a matrix of PETSc's own type for the GPU: what was made for Kokkos's vectors does not serve */
static PetscErrorCode OtherType(Pair *p)
{
  Mat A;
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(p->hx, &x));
  PetscCall(MatConvert(p->H, PetscDefined(HAVE_CUDA) ? MATAIJCUSPARSE : MATAIJ, MAT_INITIAL_MATRIX, &A));
  PetscCall(PCSetOperators(p->ours, A, A));
  PetscCall(PCSetUp(p->ours));
  PetscCall(PCApply(p->ours, p->hb, x));
  PetscCall(PCApply(p->theirs, p->hb, p->hx));
  PetscCall(Agrees(x, p->hx, "another type", "PCApply"));
  PetscCall(VecDestroy(&x));
  PetscCall(PCSetOperators(p->ours, p->A, p->A));
  PetscCall(Compare(p, "Kokkos's type again"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(Pair *p)
{
  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, MATAIJKOKKOS, GRID, 7, &p->A));
  PetscCall(CreateMatrix(PETSC_COMM_SELF, MATAIJ, GRID, 7, &p->H));
  PetscCall(MatCreateVecs(p->A, &p->x, &p->b));
  PetscCall(MatCreateVecs(p->H, &p->hx, &p->hb));
  PetscCall(FillVector(p->b, 0.0));
  PetscCall(FillVector(p->hb, 0.0));
  PetscCall(PCCreate(PETSC_COMM_SELF, &p->ours));
  PetscCall(PCSetOperators(p->ours, p->A, p->A));
  PetscCall(PCSetType(p->ours, PCSYNCFREE));
  PetscCall(PCSetFromOptions(p->ours));
  PetscCall(PCCreate(PETSC_COMM_SELF, &p->theirs));
  PetscCall(PCSetOperators(p->theirs, p->H, p->H));
  PetscCall(PCSetType(p->theirs, PCILU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Pair *p)
{
  PetscFunctionBeginUser;
  PetscCall(PCDestroy(&p->ours));
  PetscCall(PCDestroy(&p->theirs));
  PetscCall(MatDestroy(&p->A));
  PetscCall(MatDestroy(&p->H));
  PetscCall(VecDestroy(&p->b));
  PetscCall(VecDestroy(&p->x));
  PetscCall(VecDestroy(&p->hb));
  PetscCall(VecDestroy(&p->hx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Pair p;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(Create(&p));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(Changes); k++) {
    PetscCall(Changes[k].change(p.A));
    PetscCall(Changes[k].change(p.H));
    PetscCall(Compare(&p, Changes[k].name));
  }
  PetscCall(OtherType(&p));
  PetscCall(PCView(p.ours, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(Destroy(&p));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    requires: kokkos_kernels
    filter: grep -e "off by" -e HOST -e "on the GPU$"
    test:
      suffix: 1
      requires: !cuda
    test:
      suffix: gpu_1
      requires: cuda
    test:
      suffix: gpu_host
      requires: cuda
      args: -pc_syncfree_algorithm host

TEST*/
