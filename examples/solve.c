static char help[] = "Solves a linear system from a file with any PETSc options, and again with a second PC on request.\n\n\
  solve -f FILE [options]\n\n\
  -f <file>               : matrix, MatrixMarket (.mtx, .mtx.gz) or PETSc binary, told apart by content\n\
  -rhs <vector>           : right-hand side, default ones\n\
  -exact <vector>         : the solution; the right-hand side is the matrix times it, and errors are told\n\
  <vector>                : ones, random, file (it follows the matrix in a PETSc binary file), or the name of a file of its own:\n\
                            a MatrixMarket array of one column, gzipped or not, or a PETSc binary vector\n\
  -dominant               : make the diagonal dominant; pattern files, which hold no values, need it (MatrixMarket only)\n\
  -scale                  : divide row i and column i by sqrt(|a(i,i)|); residuals and errors are then of the scaled system\n\
  -compare_pc_type <type> : solve again with this PC; options with the prefix compare_ are the second solver's, the others both's\n\
  -matload_block_size <n> : size of the blocks of -mat_type baij and sbaij\n\
  -record <folder>        : write there solution.bin (the first solver's, PETSc binary), history.csv (residual norms as the Krylov\n\
                            methods see them) and pattern.csv (entries in 256 x 256 cells); solve_plot.py draws the last two\n\n\
Examples:\n\
  solve -f wang3.mtx.gz -pc_type ilu\n\
  solve -f wang3.mtx.gz -dll_append PREFIX/lib/libpetscsyncfree.so -pc_type syncfree -compare_pc_type ilu\n\
  solve -f G3_circuit.mtx.gz -mat_type aijcusparse -dll_append PREFIX/lib/libpetscsyncfree.so -ksp_type cg \\\n\
        -pc_type syncfree -pc_syncfree_factor icc -compare_pc_type icc -ksp_view\n\
  mpiexec -n 2 solve -f usroads.mtx.gz -dominant -dll_append PREFIX/lib/libpetscsyncfree.so -pc_type syncfree \\\n\
        -compare_pc_type bjacobi -compare_sub_pc_type ilu\n\n\
Times of applies and of short solves are the fastest of several.  The exit code is 1 if a solver did not converge, or if zero would be a\n\
better solution.  doc/using/choosing.md helps to choose.  With -f and -help all options are listed.\n\n";

#include <petsctime.h>
#include "solve.h"

/* || x - y || / || y ||, or || x - y || if y is zero */
static PetscErrorCode Difference(Vec x, Vec y, PetscReal *difference)
{
  Vec       r;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &r));
  PetscCall(VecWAXPY(r, -1.0, y, x));
  PetscCall(VecNorm(r, NORM_2, difference));
  PetscCall(VecNorm(y, NORM_2, &norm));
  PetscCall(VecDestroy(&r));
  if (norm > 0.0) *difference /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* || A x - b || / || b || */
static PetscErrorCode TrueResidual(Mat A, Vec b, Vec x, PetscReal *residual)
{
  Vec product;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &product));
  PetscCall(MatMult(A, x, product));
  PetscCall(Difference(product, b, residual));
  PetscCall(VecDestroy(&product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up, solves and reports.  The first and last norm wait for the GPU. */
static PetscErrorCode Solve(Mat A, Vec b, Record *record, Vec x, Outcome *outcome, PetscBool *converged)
{
  KSP                ksp;
  KSPConvergedReason reason;
  PetscReal          norm;
  PetscLogDouble     start, ready, done;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  if (record->folder) PetscCall(KSPSetResidualHistory(ksp, NULL, PETSC_DECIDE, PETSC_TRUE));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(PetscTime(&start));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPSetUpOnBlocks(ksp));
  PetscCall(PetscTime(&ready));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(PetscTime(&done));
  *outcome = (Outcome){.wrong = -1.0, .setup = ready - start, .solve = done - ready};
  PetscCall(TrueResidual(A, b, x, &outcome->residual));
  if (record->exact) PetscCall(Difference(x, record->exact, &outcome->wrong));
  if (record->folder) PetscCall(RecordSolve(record, ksp, x));
  PetscCall(Measure(ksp, b, outcome));
  PetscCall(ReportSolve(ksp, outcome));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason <= 0 || !(outcome->residual < 1.0)) *converged = PETSC_FALSE; /* zero would be a better solution */
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(Mat A, Vec b, Vec x, Record *record, const Outcome *first, PetscBool *converged)
{
  PetscOptions options;
  Outcome      second;
  Vec          other;
  PetscReal    difference;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &other));
  PetscCall(OptionsOfSecond(&options));
  PetscCall(PetscOptionsPush(options));
  PetscCall(Solve(A, b, record, other, &second, converged));
  PetscCall(PetscOptionsPop());
  PetscCall(ReportUnread(options));
  PetscCall(ReportRatios(first, &second));
  PetscCall(Difference(other, x, &difference));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "relative difference of the solutions %.2e\n", (double)difference));
  PetscCall(PetscOptionsDestroy(&options));
  PetscCall(VecDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A <- D A D, b <- D b, and the exact solution <- D^-1 of it, where D = diag(1 / sqrt(|a(i,i)|)), or 1 for a zero */
static PetscErrorCode Scale(Mat A, Vec b, Record *record)
{
  PetscScalar *d;
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &record->scale, NULL));
  PetscCall(MatGetDiagonal(A, record->scale));
  PetscCall(VecGetLocalSize(record->scale, &n));
  PetscCall(VecGetArray(record->scale, &d));
  for (PetscInt i = 0; i < n; i++) d[i] = d[i] == 0.0 ? 1.0 : 1.0 / PetscSqrtReal(PetscAbsScalar(d[i]));
  PetscCall(VecRestoreArray(record->scale, &d));
  PetscCall(MatDiagonalScale(A, record->scale, record->scale));
  PetscCall(VecPointwiseMult(b, b, record->scale));
  if (record->exact) PetscCall(VecPointwiseDivide(record->exact, record->exact, record->scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is solved, and in capitals what makes it another system than the file's */
static PetscErrorCode Announce(const char *path, Mat A, PetscBool dominant, const Record *record)
{
  PetscInt n;
  MatInfo  info;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " rows, %.0f entries\n", path, n, info.nz_used));
  if (dominant) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "DIAGONAL MADE DOMINANT: easier to solve than the system of the file\n"));
  if (record->scale) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "SCALED by the diagonal: residuals and errors are of the scaled system\n"));
  PetscCall(ReportHead((PetscBool)(record->exact != NULL)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveFile(PetscBool *converged)
{
  char      path[PETSC_MAX_PATH_LEN] = "", folder[PETSC_MAX_PATH_LEN] = "";
  char      rhs[PETSC_MAX_PATH_LEN] = "ones", exact[PETSC_MAX_PATH_LEN] = "";
  PetscBool dominant = PETSC_FALSE, scale = PETSC_FALSE, compare, from_file, has_rhs, has_exact, asked;
  Record    record = {0};
  Outcome   first;
  Mat       A;
  Vec       b, x, after_matrix = NULL;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Solve a system from a file", NULL);
  PetscCall(PetscOptionsString("-f", "Matrix", NULL, path, path, sizeof path, NULL));
  PetscCall(PetscOptionsString("-rhs", "Right-hand side: ones, random, file, or a file's name", NULL, rhs, rhs, sizeof rhs, &has_rhs));
  PetscCall(PetscOptionsString("-exact", "Solution, likewise", NULL, exact, exact, sizeof exact, &has_exact));
  PetscCall(PetscOptionsBool("-dominant", "Make the diagonal dominant", NULL, dominant, &dominant, NULL));
  PetscCall(PetscOptionsBool("-scale", "Scale by the diagonal", NULL, scale, &scale, NULL));
  PetscCall(PetscOptionsString("-record", "Folder for solution, residual norms and pattern", NULL, folder, folder, sizeof folder, NULL));
  PetscOptionsEnd();
  PetscCall(PetscOptionsHasHelp(NULL, &asked));
  if (asked && !path[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(path[0], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Give a matrix by -f FILE; -help intro says more");
  PetscCheck(!has_rhs || !has_exact, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Give -rhs or -exact, not both");
  PetscCall(PetscOptionsHasName(NULL, NULL, "-compare_pc_type", &compare));
  PetscCall(PetscStrcmp(has_exact ? exact : rhs, "file", &from_file));
  PetscCall(LoadMatrix(path, dominant, from_file, &A, &after_matrix));
  if (has_exact) {
    PetscCall(MakeVector(exact, A, after_matrix, &record.exact));
    PetscCall(VecDuplicate(record.exact, &b));
    PetscCall(MatMult(A, record.exact, b));
  } else PetscCall(MakeVector(rhs, A, after_matrix, &b));
  PetscCall(MatCreateVecs(A, &x, NULL));
  if (scale) PetscCall(Scale(A, b, &record));
  if (folder[0]) PetscCall(RecordBegin(A, folder, &record));
  PetscCall(Announce(path, A, dominant, &record));
  PetscCall(Solve(A, b, &record, x, &first, converged));
  if (compare) PetscCall(Compare(A, b, x, &record, &first, converged));
  if (record.history) PetscCall(PetscFClose(PETSC_COMM_WORLD, record.history));
  PetscCall(VecDestroy(&record.exact));
  PetscCall(VecDestroy(&record.scale));
  PetscCall(VecDestroy(&after_matrix));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool   converged = PETSC_TRUE;
  PetscMPIInt size, rank;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscPushErrorHandler(OneMessage, NULL));
  if (SolveFile(&converged)) { /* the error is told; other processes may wait for this one */
    if (size > 1) { /* an abort loses what mpiexec has not passed on: the first says the error, and the others come later */
      (void)PetscSleep(rank ? 10 : 1);
      PETSCABORT(PETSC_COMM_WORLD, 1);
    }
    return 1;
  }
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscFinalize());
  return converged ? 0 : 1;
}
