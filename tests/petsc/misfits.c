static char help[] =
  "Objects that do not fit: incomplete, unsorted and wrong patterns, vectors of wrong length and of other types, matrices in a wrong\n\
state and of types that are not factored.  PCSYNCFREE must fail, as PETSc's own ILU does if it notices, or give its result.\n\
  -vec_types list: to be tried as b and as x.\n\n";

#include "testing.h"

enum { M = 5 };

static PetscErrorCode CreatePC(Mat A, PCType type, PetscBool icc, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetType(*pc, type));
  PetscCall(PCSyncFreeSetFactor(*pc, icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MissingDiagonal(PetscBool icc)
{
  const PetscInt holes[] = {0, M * M / 2, M * M - 1};
  Mat            A, H;
  PC             pc;
  PetscErrorCode ours, theirs;
  PCFailedReason failed;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(holes); k++) {
    PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, SPD, M, &A));
    PetscCall(MatZeroRowsColumns(A, 1, &holes[k], 0.0, NULL, NULL)); /* an explicit zero on the diagonal */
    PetscCall(MatEliminateZeros(A, PETSC_FALSE));
    PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &H));
    PetscCall(CreatePC(H, PCILU, icc, &pc)); /* also for icc, since PCICC leaks its orderings here */
    ErrorOf(theirs, PCSetUp(pc));
    PetscCall(PCDestroy(&pc));
    PetscCall(CreatePC(A, PCSYNCFREE, icc, &pc));
    PetscCall(PCSetUp(pc));
    PetscCall(PCGetFailedReason(pc, &failed));
    PetscCall(PCDestroy(&pc));
    PetscCall(CreatePC(A, PCSYNCFREE, icc, &pc));
    PetscCall(PCSetErrorIfFailure(pc, PETSC_TRUE));
    ErrorOf(ours, PCSetUp(pc));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&H));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "no diagonal entry in row %" PetscInt_FMT ": %s\n", holes[k], PCFailedReasons[failed]));
    PetscCall(Says("with PCSetErrorIfFailure() PETSc's error", (PetscBool)(ours && ours == theirs)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *name;
  PetscInt    j[12]; /* of 4 rows, 3 in each */
} columns[] = {
  {"sorted",               {0, 1, 3, 0, 1, 2, 1, 2, 3, 0, 2, 3} },
  {"unsorted",             {3, 0, 1, 2, 1, 0, 1, 3, 2, 2, 3, 0} },
  {"one twice in U",       {0, 1, 1, 0, 1, 2, 1, 2, 3, 0, 2, 3} },
  {"one twice in L",       {0, 1, 3, 0, 1, 2, 1, 2, 3, 2, 2, 3} },
  {"a diagonal one twice", {0, 1, 3, 0, 1, 1, 1, 2, 3, 0, 2, 3} },
  {"one past the last",    {0, 1, 4, 0, 1, 2, 1, 2, 3, 0, 2, 3} },
  {"a negative one",       {0, 1, 3, 0, 1, 2, 1, 2, 3, -1, 2, 3}}
};

/* PETSc's assembly sorts, sums and checks entries; arrays from the user are taken as they are.  For sorted arrays the result is compared
   with PETSc's PC.  It is not run on the others, because on some it does not end. */
static PetscErrorCode Columns(PetscBool icc)
{
  PetscInt       i[] = {0, 3, 6, 9, 12}, j[12];
  PetscScalar    a[12];
  char           type[32] = MATSEQAIJ;
  Mat            A;
  PC             pc;
  Vec            b, x, reference;
  PetscReal      distance = 0.0;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", type, sizeof(type), NULL));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 4, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &reference));
  PetscCall(FillVector(b, 0.0));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(columns); k++) {
    for (PetscInt e = 0; e < 12; e++) {
      j[e] = columns[k].j[e];
      a[e] = j[e] == e / 3 ? 4.0 : -1.0 / (1.0 + e / 3 + j[e]); /* symmetric */
    }
    PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 4, 4, i, j, a, &A));
    if (k == 0) {
      PetscCall(CreatePC(A, icc ? PCICC : PCILU, icc, &pc));
      PetscCall(PCApply(pc, b, reference));
      PetscCall(PCDestroy(&pc));
    }
    PetscCall(MatConvert(A, type, MAT_INPLACE_MATRIX, &A));
    PetscCall(CreatePC(A, PCSYNCFREE, icc, &pc));
    ErrorOf(ierr, PCSetUp(pc));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "columns, %s: %s\n", columns[k].name, ErrorName(ierr)));
    if (!ierr) {
      PetscCall(PCApply(pc, b, x));
      PetscCall(Distance(x, reference, &distance));
      PetscCall(Says("as PETSc's with sorted ones", (PetscBool)(distance < 1.e4 * PETSC_MACHINE_EPSILON)));
    }
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A symmetric application that does not exist for ICC must not affect those that do */
static PetscErrorCode Halves(void)
{
  Mat            A;
  PC             pc;
  Vec            b, x;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, INDEFINITE, M, &A));
  PetscCall(CreatePC(A, PCSYNCFREE, PETSC_TRUE, &pc));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONE));
  for (PetscInt k = 0; k < 4; k++) {
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(FillVector(b, 0.0));
    ErrorOf(ierr, k % 2 ? PCApply(pc, b, x) : PCApplySymmetricLeft(pc, b, x));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "indefinite ICC, %s: %s\n", k % 2 ? "PCApply()" : "PCApplySymmetricLeft()", ErrorName(ierr)));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateVector(MPI_Comm comm, VecType type, PetscInt n, Vec *v)
{
  PetscFunctionBeginUser;
  PetscCall(VecCreate(comm, v));
  PetscCall(VecSetSizes(*v, n, PETSC_DETERMINE));
  PetscCall(VecSetType(*v, type));
  PetscCall(FillVector(*v, 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vector with a row too many or too few gives an error, and the next right one a result; the pivots do not fit into a longer one */
static PetscErrorCode Lengths(void)
{
  static const struct {
    const char *name;
    PetscErrorCode (*apply)(PC, Vec, Vec);
  } calls[] = {
    {"PCApply()",               PCApply              },
    {"PCApplyTranspose()",      PCApplyTranspose     },
    {"PCApplySymmetricLeft()",  PCApplySymmetricLeft },
    {"PCApplySymmetricRight()", PCApplySymmetricRight}
  };
  static const PetscInt off[][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {0, 0}}; /* rows too many in b, in x */
  Mat                   A, F;
  PC                    pc;
  Vec                   b, x;
  VecType               type;
  PetscInt              n;
  PetscErrorCode        ierr;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, SPD, M, &A));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetVecType(A, &type));
  PetscCall(CreatePC(A, PCSYNCFREE, PETSC_TRUE, &pc));
  PetscCall(PCSetUp(pc));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(calls); c++) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s:", calls[c].name));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(off); k++) {
      PetscCall(CreateVector(PETSC_COMM_WORLD, type, n + off[k][0], &b));
      PetscCall(CreateVector(PETSC_COMM_WORLD, type, n + off[k][1], &x));
      ErrorOf(ierr, (*calls[c].apply)(pc, b, x));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s", k ? "," : "", ErrorName(ierr)));
      PetscCall(VecDestroy(&b));
      PetscCall(VecDestroy(&x));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  }
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(CreateVector(PETSC_COMM_SELF, VECSTANDARD, n + 1, &x));
  ErrorOf(ierr, MatGetDiagonal(F, x));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "MatGetDiagonal(): %s\n", ErrorName(ierr)));
  PetscCall(VecDestroy(&x));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b and x of any two types */
static PetscErrorCode VectorTypes(void)
{
  char          *types[4] = {NULL};
  PetscInt       n        = PETSC_STATIC_ARRAY_LENGTH(types);
  Mat            A, H;
  PC             pc;
  Vec            b, x, reference;
  PetscReal      distance = 0.0;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-vec_types", types, &n, NULL));
  PetscCall(CreateMatrix(PETSC_COMM_SELF, MATSEQAIJ, GRID, M, &H));
  PetscCall(MatCreateVecs(H, &reference, &b));
  PetscCall(FillVector(b, 0.0));
  PetscCall(CreatePC(H, PCILU, PETSC_FALSE, &pc));
  PetscCall(PCApply(pc, b, reference));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&b));
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, GRID, M, &A));
  PetscCall(CreatePC(A, PCSYNCFREE, PETSC_FALSE, &pc));
  for (PetscInt k = 0; k < n * n; k++) {
    const char *from = types[k / n], *to = types[k % n];

    PetscCall(CreateVector(PETSC_COMM_SELF, from, M * M, &b));
    PetscCall(CreateVector(PETSC_COMM_SELF, to, M * M, &x));
    ErrorOf(ierr, PCApply(pc, b, x));
    PetscCall(Distance(x, reference, &distance));
    if (ierr || !(distance < 1.e4 * PETSC_MACHINE_EPSILON)) {
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "vectors, %s to %s: %s, off by %g\n", from, to, ErrorName(ierr), (double)distance));
    }
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "vectors: %" PetscInt_FMT " types by %" PetscInt_FMT "\n", n, n));
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFree(types[k]));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&H));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that becomes factored or unassembled, before and after the set-up of its PC */
static PetscErrorCode States(void)
{
  Mat            A;
  PC             pc, before;
  IS             row, col;
  Vec            b, x;
  PetscErrorCode ours, again, theirs;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(CreateMatrix(PETSC_COMM_SELF, k ? NULL : MATSEQAIJ, GRID, M, &A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(FillVector(b, 0.0));
    PetscCall(CreatePC(A, PCSYNCFREE, PETSC_FALSE, &before));
    PetscCall(PCSetUp(before));
    PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &row, &col));
    if (k) PetscCall(MatSetValue(A, 0, 0, 5.0, INSERT_VALUES));
    else PetscCall(MatLUFactor(A, row, col, NULL));
    ErrorOf(again, PCApply(before, b, x));
    PetscCall(CreatePC(A, PCSYNCFREE, PETSC_FALSE, &pc));
    ErrorOf(ours, PCSetUp(pc));
    PetscCall(PCDestroy(&pc));
    PetscCall(CreatePC(A, PCILU, PETSC_FALSE, &pc));
    ErrorOf(theirs, PCSetUp(pc));
    PetscCall(PCDestroy(&pc));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s matrix, %s: ", k ? "unassembled" : "factored", ErrorName(theirs)));
    PetscCall(Says("ours too", (PetscBool)(theirs && ours == theirs && again == theirs)));
    PetscCall(PCDestroy(&before));
    PetscCall(ISDestroy(&row));
    PetscCall(ISDestroy(&col));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The messages for types that are not factored, of the PC and, on one process, of the MatSolver */
static PetscErrorCode Refuse(Mat A, PetscBool face)
{
  PC             pc;
  char           message[256] = "no message";
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, face ? PCILU : PCSYNCFREE));
  PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PetscPushErrorHandler(KeepMessage, message));
  ierr = PCSetUp(pc);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", ErrorName(ierr), message));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatrixTypes(void)
{
  Mat         A, B[4];
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, MATAIJ, SPD, 4, &A));
  PetscCall(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &B[0]));
  PetscCall(MatConvert(A, MATIS, MAT_INITIAL_MATRIX, &B[1]));
  PetscCall(MatConvert(A, MATSHELL, MAT_INITIAL_MATRIX, &B[2]));
  PetscCall(MatCreateNest(PETSC_COMM_WORLD, 1, NULL, 1, NULL, &A, &B[3]));
  for (PetscInt k = 0; k < 4; k++) {
    PetscCall(Refuse(B[k], PETSC_FALSE));
    if (size == 1) PetscCall(Refuse(B[k], PETSC_TRUE));
    PetscCall(MatDestroy(&B[k]));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt icc = 0; icc < 2 && size == 1; icc++) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", icc ? "icc" : "ilu"));
    PetscCall(MissingDiagonal((PetscBool)icc));
    PetscCall(Columns((PetscBool)icc));
  }
  PetscCall(Lengths());
  PetscCall(Halves());
  if (size == 1) {
    PetscCall(VectorTypes());
    PetscCall(States());
  }
  PetscCall(MatrixTypes());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/misfits_1.out
    filter: sed -e s/aijhipsparse/aijcusparse/
    test:
      suffix: 1
      args: -vec_types standard,mpi
    test:
      suffix: gpu_1
      requires: cuda
      args: -mat_type aijcusparse -vec_types standard,cuda
    test:
      suffix: gpu_host_matrix
      requires: cuda
      args: -mat_type aij -vec_types standard,cuda

  testset:
    nsize: 2
    output_file: output/misfits_2.out
    filter: sed -e s/aijhipsparse/aijcusparse/
    test:
      suffix: 2
    test:
      suffix: gpu_2
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0

TEST*/
