static char help[] = "Solves a linear system from a file with any PETSc options, and again with a second PC on request.\n\n\
  solve -f FILE [options]\n\n\
  -f <file>               : matrix, MatrixMarket (.mtx, .mtx.gz) or PETSc binary, told apart by content\n\
  -rhs ones|random|file   : right-hand side, default ones; file: the vector after the matrix in a PETSc binary file\n\
  -dominant               : make the diagonal dominant; pattern files, which hold no values, need it (MatrixMarket only)\n\
  -compare_pc_type <type> : solve again with this PC; options with the prefix compare_ are the second solver's, the others both's\n\n\
Examples:\n\
  solve -f wang3.mtx.gz -pc_type ilu\n\
  solve -f wang3.mtx.gz -dll_append PREFIX/lib/libpetscsyncfree.so -pc_type syncfree -compare_pc_type ilu\n\
  solve -f G3_circuit.mtx.gz -mat_type aijcusparse -dll_append PREFIX/lib/libpetscsyncfree.so -ksp_type cg \\\n\
        -pc_type syncfree -pc_syncfree_factor icc -compare_pc_type icc -ksp_view\n\
  mpiexec -n 2 solve -f usroads.mtx.gz -dominant -pc_type bjacobi -sub_pc_type syncfree \\\n\
        -dll_append PREFIX/lib/libpetscsyncfree.so\n\n\
The exit code is 1 if a solver did not converge.\n\n";

/*
   Every process reads a MatrixMarket file as a whole and keeps its own rows.  That is simple, and fast enough for such text files.
*/
#include <petscksp.h>
#include <petsctime.h>
#include "../bench/matrices/matrix_market.h"

/* PETSc binary files begin with their class id, as a big-endian 32-bit integer. */
static PetscErrorCode IsPetscBinary(const char *path, PetscBool *binary)
{
  unsigned char bytes[4] = {0};
  FILE         *file     = fopen(path, "rb");
  size_t        got;
  uint32_t      id;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s", path);
  got = fread(bytes, 1, sizeof bytes, file);
  (void)fclose(file);
  id      = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
  *binary = (PetscBool)(got == sizeof bytes && id == MAT_FILE_CLASSID);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills rows [start, end) of A; converts column numbers and offsets to PETSc's integers. */
static PetscErrorCode FillMat(const CsrMatrix *csr, Mat A)
{
  PetscInt    *row_ptr, *col_idx, start, end;
  PetscScalar *values;
  int32_t      first, count;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  first = csr->row_ptr[start];
  count = csr->row_ptr[end] - first;
  PetscCall(PetscMalloc3(end - start + 1, &row_ptr, count, &col_idx, count, &values));
  for (PetscInt i = start; i <= end; i++) row_ptr[i - start] = csr->row_ptr[i] - first;
  for (int32_t k = 0; k < count; k++) {
    col_idx[k] = csr->col_idx[first + k];
    values[k]  = csr->values[first + k];
  }
  PetscCall(MatSeqAIJSetPreallocationCSR(A, row_ptr, col_idx, values)); /* each of the two functions ignores the other's matrix type */
  PetscCall(MatMPIAIJSetPreallocationCSR(A, row_ptr, col_idx, values));
  PetscCall(PetscFree3(row_ptr, col_idx, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LoadMatrixMarket(const char *path, PetscBool dominant, Mat A)
{
  CsrMatrix csr;
  char      error[512];

  PetscFunctionBeginUser;
  PetscCheck(matrix_market_read(path, &csr, error, sizeof error), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s", error);
  PetscCheck(dominant || !csr.pattern, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
             "%s holds a pattern without values: use -dominant, which gives each entry -1 and adds a diagonal", path);
  if (dominant) {
    PetscCheck(csr_matrix_make_dominant(&csr, error, sizeof error), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s: %s", path, error);
  }
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, (PetscInt)csr.rows, (PetscInt)csr.rows));
  PetscCall(MatSetUp(A));
  PetscCall(FillMat(&csr, A));
  csr_matrix_destroy(&csr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Loads the matrix, and the right-hand side if it comes from the same file. */
static PetscErrorCode Load(const char *path, PetscBool dominant, PetscBool with_rhs, Mat *A, Vec *b, Vec *x)
{
  PetscViewer viewer;
  PetscBool   binary;

  PetscFunctionBeginUser;
  PetscCall(IsPetscBinary(path, &binary));
  PetscCheck(binary || !with_rhs, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-rhs file needs a PETSc binary file");
  PetscCheck(!binary || !dominant, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-dominant is for MatrixMarket files");
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetFromOptions(*A));
  if (!binary) {
    PetscCall(LoadMatrixMarket(path, dominant, *A));
    PetscCall(MatCreateVecs(*A, x, b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_READ, &viewer));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(MatCreateVecs(*A, x, b));
  if (with_rhs) PetscCall(VecLoad(*b, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RandomRhs(Vec b)
{
  PetscRandom random;

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PetscObjectComm((PetscObject)b), &random));
  PetscCall(PetscRandomSetFromOptions(random));
  PetscCall(VecSetRandom(b, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* || b - A x || / || b ||, or || b - A x || if b is zero */
static PetscErrorCode TrueResidual(Mat A, Vec b, Vec x, PetscReal *residual)
{
  Vec       r;
  PetscReal norm, norm_b;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(b, NORM_2, &norm_b));
  PetscCall(VecDestroy(&r));
  *residual = norm_b > 0.0 ? norm / norm_b : norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the PC failed, in which row, and what helps */
static PetscErrorCode ReportFailure(PC pc)
{
  PCFailedReason reason;
  PetscBool      factors;
  PetscReal      pivot;
  PetscInt       row;
  Mat            F;

  PetscFunctionBeginUser;
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "the preconditioner failed, %s", PCFailedReasons[reason]));
  PetscCall(PetscObjectHasFunction((PetscObject)pc, "PCFactorSetUpMatSolverType_C", &factors));
  if (factors) {
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatFactorGetErrorZeroPivot(F, &pivot, &row));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " in row %" PetscInt_FMT, row));
  }
  if (reason == PC_FACTOR_STRUCT_ZEROPIVOT)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, ": a diagonal entry is not stored; store a zero there, or -dominant"));
  if (reason == PC_FACTOR_NUMERIC_ZEROPIVOT) PetscCall(PetscPrintf(PETSC_COMM_WORLD, ": try -pc_factor_shift_type nonzero"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(KSP ksp, PetscReal residual, PetscLogDouble setup, PetscLogDouble solve)
{
  PC                 pc;
  PCType             type;
  KSPType            ksp_type;
  PetscReal          rtol;
  PetscInt           iterations;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &type));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-12s %s, rtol %g: %5" PetscInt_FMT " iterations, %s, ", type, ksp_type, (double)rtol,
                        iterations, KSPConvergedReasons[reason]));
  if (reason == KSP_DIVERGED_PC_FAILED) {
    PetscCall(ReportFailure(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "true residual %.2e, ", (double)residual));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "set-up %.2f ms, solve %.2f ms\n", 1e3 * setup, 1e3 * solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up, solves and reports; options with the prefix come before those without.  The first and last norm wait for the GPU. */
static PetscErrorCode Solve(Mat A, Vec b, const char *prefix, Vec x, PetscBool *converged)
{
  KSP                ksp;
  KSPConvergedReason reason;
  PetscReal          residual = 0.0, norm;
  PetscLogDouble     start, ready, done;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  if (prefix) {
    PetscCall(KSPSetOptionsPrefix(ksp, prefix));
    PetscCall(KSPSetFromOptions(ksp));
  }
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(PetscTime(&start));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(PetscTime(&ready));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(PetscTime(&done));
  PetscCall(TrueResidual(A, b, x, &residual));
  PetscCall(Report(ksp, residual, ready - start, done - ready));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason <= 0) *converged = PETSC_FALSE;
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Mat A, Vec b, Vec x, PetscBool *converged)
{
  Vec       other;
  PetscReal difference, norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &other));
  PetscCall(Solve(A, b, "compare_", other, converged));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(VecAXPY(other, -1.0, x));
  PetscCall(VecNorm(other, NORM_2, &difference));
  if (norm > 0.0) difference /= norm;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "relative difference of the solutions %.2e\n", (double)difference));
  PetscCall(VecDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const kinds[] = {"ones", "random", "file"};
  char              path[PETSC_MAX_PATH_LEN] = "";
  PetscInt          rhs = 0, n;
  PetscBool         dominant = PETSC_FALSE, compare, converged = PETSC_TRUE;
  Mat               A;
  Vec               b, x;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Solve a system from a file", NULL);
  PetscCall(PetscOptionsString("-f", "Matrix", NULL, path, path, sizeof path, NULL));
  PetscCall(PetscOptionsEList("-rhs", "Right-hand side", NULL, kinds, 3, kinds[0], &rhs, NULL));
  PetscCall(PetscOptionsBool("-dominant", "Make the diagonal dominant", NULL, dominant, &dominant, NULL));
  PetscOptionsEnd();
  PetscCheck(path[0], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Give a matrix by -f FILE; -help says more");
  PetscCall(PetscOptionsHasName(NULL, NULL, "-compare_pc_type", &compare));
  PetscCall(Load(path, dominant, (PetscBool)(rhs == 2), &A, &b, &x));
  if (rhs == 0) PetscCall(VecSet(b, 1.0));
  if (rhs == 1) PetscCall(RandomRhs(b));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " rows\n", path, n));
  PetscCall(Solve(A, b, NULL, x, &converged));
  if (compare) PetscCall(Compare(A, b, x, &converged));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return converged ? 0 : 1;
}
