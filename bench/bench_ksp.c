static char help[] = "Times preconditioners inside PETSc: set-up, refactorization, apply, transposed apply, KSPSolve().\n\n\
  bench_ksp MATRIX ... [options]\n\n\
Matrices come first: grids such as 2d5:256x256, 2d9:256x256, 3d7:64x64x64, 3d27:64x64x64,dof=4, and MatrixMarket files,\n\
perhaps with the unknowns of a point, FILE,dof=3.  The block size of the Mat is dof.\n\
  -kind ilu|icc     : ilu solves unsymmetric systems by gmres (default), icc symmetric ones by cg\n\
  -symmetric        : symmetric systems and cg with ilu, too; -ksp_type, -ksp_rtol and so on are as everywhere\n\
  -pc_list a,b,...  : any PC types, syncfree also as syncfree:ALGORITHM or syncfree:ALGORITHM:OPTION=VALUE:... for\n\
                      -pc_syncfree_OPTION VALUE; default the kind itself, then syncfree\n\
  -mat_type <type>  : aij (default), aijcusparse, baij or sbaij\n\
  -repeat <n>       : timed applies, default 51\n\
  -solves <n>       : timed solves, default 3\n\
  -columns <n>      : also times applies to n columns at once, as the time of one\n\
  -block_solve      : also solves for these columns, by KSPMatSolve()\n\
  -budget <seconds> : what takes longer is repeated less often\n\
  -csv <file>       : append results\n\
  -label <text>     : name of the machine in the CSV file\n\n\
The plugin is loaded by -dll_append PREFIX/lib/libpetscsyncfree.so.  Ratios are to the first of -pc_list, within this run.\n\
The exit code is 1 if a solve did not converge.\n\n";

#include "ksp_measure.h"
#include "matrices/matrices.h"
#include "report.h"

static const char csv_header[] = "run,machine,gpu,matrix,kind,rows,nnz,pc,first_setup_ms,refactor_us,apply_us,transpose_us,"
                                 "solve_ms,iterations,reason,residual,gpu_mb,ksp,rtol,column_us,block_solve_ms,block_iterations,"
                                 "block_residual";

enum { MAX_PCS = 32 };

typedef struct {
  char      run[64], machine[128], gpu[256], kind[8];
  char     *pcs[MAX_PCS];
  PetscInt  num_pcs, columns;
  PetscBool symmetric, block_solve;
  Clock     clock;
  FILE     *csv;
} Bench;

/* ---------------------------------------------------------- objects --------------------------------------------------------- */

/* An entry, of complex scalars turned by an angle that its row and column give together, so that symmetric matrices and dominant ones stay
   so */
static PetscScalar Entry(double value, PetscInt row, PetscInt column)
{
#if PetscDefined(USE_COMPLEX)
  const PetscReal angle = (PetscReal)0.1 * (PetscReal)((row + column) % 7);

  return (PetscReal)value * (PetscCosReal(angle) + PETSC_i * PetscSinReal(angle));
#else
  (void)row, (void)column;
  return (PetscScalar)value;
#endif
}

/* Of the type that the options name; rows are put into AIJ matrices, and those of blocks converted from it */
static PetscErrorCode CreateMat(const CsrMatrix *csr, Mat *A)
{
  PetscInt    *row_ptr, *col_idx, n = (PetscInt)csr->rows;
  PetscScalar *values;
  MatType      type;
  char         wanted[64];
  PetscBool    blocks;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(csr->rows + 1, &row_ptr, csr->nnz, &col_idx, csr->nnz, &values));
  for (PetscInt i = 0; i <= n; i++) row_ptr[i] = csr->row_ptr[i];
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
      col_idx[k] = csr->col_idx[k];
      values[k]  = Entry(csr->values[k], i, col_idx[k]);
    }
  }
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatGetType(*A, &type));
  PetscCall(PetscStrncpy(wanted, type, sizeof wanted));
  PetscCall(PetscStrendswith(wanted, "baij", &blocks));
  if (blocks) PetscCall(MatSetType(*A, MATAIJ));
  if (csr->dof) PetscCall(MatSetBlockSize(*A, (PetscInt)csr->dof));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, row_ptr, col_idx, values));
  PetscCall(PetscFree3(row_ptr, col_idx, values));
  if (!blocks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, (PetscBool)csr_matrix_is_symmetric(csr))); /* SBAIJ stores a half of symmetric ones only */
  PetscCall(MatConvert(*A, wanted, MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A spec is TYPE, TYPE:ALGORITHM or TYPE:ALGORITHM:OPTION=VALUE:...  Set through the options, so that nothing of the plugin is needed
   at link time. */
static PetscErrorCode SetPC(const Bench *bench, const char *spec)
{
  char    **part, option[64];
  int       parts;
  PetscBool syncfree;

  PetscFunctionBeginUser;
  PetscCall(PetscStrToArray(spec, ':', &parts, &part));
  PetscCheck(parts > 0, PETSC_COMM_SELF, PETSC_ERR_USER, "-pc_list: an empty name");
  PetscCall(PetscStrcmp(part[0], "syncfree", &syncfree));
  PetscCheck(syncfree || parts == 1, PETSC_COMM_SELF, PETSC_ERR_USER, "%s: only syncfree takes an algorithm", spec);
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", part[0]));
  if (syncfree) PetscCall(PetscOptionsSetValue(NULL, "-pc_syncfree_factor", bench->kind));
  if (parts > 1) PetscCall(PetscOptionsSetValue(NULL, "-pc_syncfree_algorithm", part[1]));
  for (int k = 2; k < parts; k++) {
    char *value;

    PetscCall(PetscStrchr(part[k], '=', &value));
    PetscCheck(value, PETSC_COMM_SELF, PETSC_ERR_USER, "%s: expected OPTION=VALUE in place of %s", spec, part[k]);
    *value++ = 0;
    PetscCall(PetscSNPrintf(option, sizeof option, "-pc_syncfree_%s", part[k]));
    PetscCall(PetscOptionsSetValue(NULL, option, value));
  }
  PetscCall(PetscStrToArrayDestroy(parts, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Before the next spec is set; an option that has not been read is unknown. */
static PetscErrorCode ClearPC(const char *spec)
{
  char    **part, option[64];
  int       parts;
  PetscBool used;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsClearValue(NULL, "-pc_syncfree_factor"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_syncfree_algorithm"));
  PetscCall(PetscStrToArray(spec, ':', &parts, &part));
  for (int k = 2; k < parts; k++) {
    char *value;

    PetscCall(PetscStrchr(part[k], '=', &value));
    *value = 0;
    PetscCall(PetscSNPrintf(option, sizeof option, "-pc_syncfree_%s", part[k]));
    PetscCall(PetscOptionsUsed(NULL, option + 1, &used));
    PetscCheck(used, PETSC_COMM_SELF, PETSC_ERR_USER, "%s: there is no option %s", spec, option);
    PetscCall(PetscOptionsClearValue(NULL, option));
  }
  PetscCall(PetscStrToArrayDestroy(parts, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateKSP(const Bench *bench, Mat A, const char *spec, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(SetPC(bench, spec));
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetType(*ksp, bench->symmetric ? KSPCG : KSPGMRES));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------ run ----------------------------------------------------------- */

typedef struct { /* the PC and KSP that the options chose */
  char      type[64];
  PetscReal rtol;
} Method;

static void WriteCsv(const Bench *bench, const char *matrix, const CsrMatrix *csr, const char *pc, const Method *method,
                     const Result *result, double gpu_bytes)
{
  report_text(bench->csv, true, bench->run);
  report_text(bench->csv, false, bench->machine);
  report_text(bench->csv, false, bench->gpu);
  report_text(bench->csv, false, matrix);
  report_text(bench->csv, false, bench->kind);
  report_number(bench->csv, (double)csr->rows);
  report_number(bench->csv, (double)csr->nnz);
  report_text(bench->csv, false, pc);
  report_number(bench->csv, 1e3 * result->first_setup);
  report_number(bench->csv, 1e6 * result->refactor);
  report_number(bench->csv, 1e6 * result->apply);
  report_number(bench->csv, 1e6 * result->transpose);
  report_number(bench->csv, 1e3 * result->solve);
  report_number(bench->csv, (double)result->iterations);
  report_text(bench->csv, false, KSPConvergedReasons[result->reason]);
  report_number(bench->csv, (double)result->residual);
  report_number(bench->csv, 1e-6 * gpu_bytes);
  report_text(bench->csv, false, method->type);
  report_number(bench->csv, (double)method->rtol);
  report_number(bench->csv, 1e6 * result->column);
  report_number(bench->csv, 1e3 * result->block_solve);
  report_number(bench->csv, (double)result->block_iterations);
  report_number(bench->csv, (double)result->block_residual);
  (void)fputc('\n', bench->csv);
  (void)fflush(bench->csv);
}

static PetscErrorCode PrintHead(const char *name, const char *kind, const CsrMatrix *csr)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s: %lld rows, %lld entries\n", name, kind, (long long)csr->rows,
                        (long long)csr->nnz));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %-22s %10s %10s %10s %10s %10s %10s %5s %8s %8s  %6s %6s\n", "", "set-up,ms", "refact,us",
                        "apply,us", "transp,us", "column,us", "solve,ms", "its", "residual", "GPU,MB", "apply", "solve"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintResult(const char *pc, const Result *r, const Result *first, double gpu_bytes)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %-22s %10.2f %10.1f %10.1f %10.1f %10.1f %10.2f", pc, 1e3 * r->first_setup,
                        1e6 * r->refactor, 1e6 * r->apply, 1e6 * r->transpose, 1e6 * r->column, 1e3 * r->solve));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, " %5" PetscInt_FMT " %8.1e %8.0f  %6.2f %6.2f  %s\n", r->iterations, (double)r->residual,
                        1e-6 * gpu_bytes, first->apply / r->apply, first->solve / r->solve, KSPConvergedReasons[r->reason]));
  if (isnan(r->block_solve)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %22s %10.2f ms, %" PetscInt_FMT " iterations, residual %.1e, %.2f times\n", "block solve",
                        1e3 * r->block_solve, r->block_iterations, (double)r->block_residual, first->block_solve / r->block_solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrix, vectors and solver are created for each PC, so that none profits from the memory or the caches of another. */
static PetscErrorCode RunPC(const Bench *bench, const CsrMatrix *csr, const char *spec, Method *method, Result *result,
                            double *gpu_bytes)
{
  Mat     A;
  Vec     b, x;
  KSP     ksp;
  KSPType type;
  double  before, after;

  PetscFunctionBeginUser;
  PetscCall(ClockGpuMemory(bench->clock, &before));
  PetscCall(CreateMat(csr, &A));
  PetscCall(CreateVecs(A, &b, &x));
  PetscCall(CreateKSP(bench, A, spec, &ksp));
  PetscCall(Measure(bench->clock, A, ksp, b, x, bench->columns, bench->block_solve, result));
  PetscCall(ClockGpuMemory(bench->clock, &after));
  *gpu_bytes = after - before;
  PetscCall(KSPGetType(ksp, &type));
  PetscCall(PetscStrncpy(method->type, type, sizeof method->type));
  PetscCall(KSPGetTolerances(ksp, &method->rtol, NULL, NULL, NULL));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(ClearPC(spec));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunMatrix(const Bench *bench, const char *spec, PetscBool *converged)
{
  CsrMatrix csr;
  Result    first, result;
  Method    method;
  double    gpu_bytes = NAN;
  char      error[512], name[256];

  PetscFunctionBeginUser;
  PetscCheck(matrix_create(spec, bench->symmetric, &csr, error, sizeof error), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s", error);
  matrix_name(spec, name, sizeof name);
  PetscCall(PrintHead(name, bench->kind, &csr));
  for (PetscInt k = 0; k < bench->num_pcs; k++) {
    PetscCall(RunPC(bench, &csr, bench->pcs[k], &method, &result, &gpu_bytes));
    if (!k) first = result;
    PetscCall(PrintResult(bench->pcs[k], &result, &first, gpu_bytes));
    if (bench->csv) WriteCsv(bench, name, &csr, bench->pcs[k], &method, &result, gpu_bytes);
    if (result.reason <= 0) *converged = PETSC_FALSE;
  }
  csr_matrix_destroy(&csr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DefaultPCs(Bench *bench)
{
  PetscFunctionBeginUser;
  PetscCall(PetscStrallocpy(bench->kind, &bench->pcs[0]));
  PetscCall(PetscStrallocpy("syncfree", &bench->pcs[1]));
  bench->num_pcs = 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateClock(Bench *bench, PetscInt repeat, PetscInt solves, PetscReal budget)
{
  char      mat_type[64] = "";
  PetscBool on_gpu;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", mat_type, sizeof mat_type, NULL));
  PetscCall(PetscStrendswith(mat_type, "aijcusparse", &on_gpu));
  if (!on_gpu && PetscDefined(HAVE_CUDA)) PetscCall(PetscStrendswith(mat_type, "aijkokkos", &on_gpu));
  PetscCall(ClockCreate(on_gpu, repeat, solves, budget, &bench->clock));
  PetscCall(ClockGpuName(bench->clock, bench->gpu, sizeof bench->gpu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BenchCreate(Bench *bench)
{
  const char *const kinds[]                 = {"ilu", "icc"};
  char              csv[PETSC_MAX_PATH_LEN] = "", label[128] = "unnamed", error[512];
  PetscInt          kind = 0, repeat = 51, solves = 3;
  PetscReal         budget = PETSC_INFINITY;
  PetscBool         given;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(bench, sizeof *bench));
  bench->num_pcs = MAX_PCS;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Benchmark of preconditioners", NULL);
  PetscCall(PetscOptionsEList("-kind", "Factorization", NULL, kinds, 2, kinds[0], &kind, NULL));
  PetscCall(PetscOptionsBool("-symmetric", "Symmetric systems, by cg", NULL, bench->symmetric, &bench->symmetric, NULL));
  PetscCall(PetscOptionsStringArray("-pc_list", "TYPE or syncfree:ALGORITHM:OPTION=VALUE:...", NULL, bench->pcs, &bench->num_pcs, &given));
  PetscCall(PetscOptionsBoundedInt("-repeat", "Timed applies", NULL, repeat, &repeat, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-solves", "Timed solves", NULL, solves, &solves, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-columns", "Columns of dense matrices", NULL, bench->columns, &bench->columns, NULL, 0));
  PetscCall(PetscOptionsBool("-block_solve", "Solve for the columns, too", NULL, bench->block_solve, &bench->block_solve, NULL));
  PetscCall(PetscOptionsBoundedReal("-budget", "Seconds after which there are fewer repetitions", NULL, budget, &budget, NULL, 0));
  PetscCall(PetscOptionsString("-csv", "File to append to", NULL, csv, csv, sizeof csv, NULL));
  PetscCall(PetscOptionsString("-label", "Name of the machine", NULL, label, label, sizeof label, NULL));
  PetscOptionsEnd();
  PetscCall(PetscStrncpy(bench->kind, kinds[kind], sizeof bench->kind));
  if (kind == 1) bench->symmetric = PETSC_TRUE;
  PetscCall(PetscStrncpy(bench->machine, label, sizeof bench->machine));
  if (!given) PetscCall(DefaultPCs(bench));
  PetscCall(CreateClock(bench, repeat, solves, budget));
  report_run(bench->run, sizeof bench->run);
  if (!csv[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(report_open(csv, csv_header, &bench->csv, error, sizeof error), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s", error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BenchDestroy(Bench *bench)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < bench->num_pcs; k++) PetscCall(PetscFree(bench->pcs[k]));
  PetscCall(ClockDestroy(&bench->clock));
  if (bench->csv) (void)fclose(bench->csv);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Bench       bench;
  PetscBool   converged = PETSC_TRUE;
  PetscMPIInt size;
  int         matrices = 1;

  while (matrices < argc && argv[matrices][0] != '-') matrices++;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "This benchmark runs on one process");
  PetscCall(BenchCreate(&bench));
  for (int k = 1; k < matrices; k++) PetscCall(RunMatrix(&bench, argv[k], &converged));
  PetscCall(BenchDestroy(&bench));
  PetscCall(PetscFinalize());
  return converged ? 0 : 1;
}
