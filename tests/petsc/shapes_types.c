static char help[] = "Shapes, matrix types and options that PCSYNCFREE must refuse, or get right.\n\n";

#include <sptrsv.h>
#include "testing.h"

/* Set-up with the given options; a PC whose set-up failed cannot be applied, but it can be destroyed */
static PetscErrorCode SetUp(Mat A, const char what[], const char string[])
{
  PetscOptions   options;
  PC             pc;
  PetscErrorCode ierr, options_ierr, applied;
  Vec            x, b;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, string));
  PetscCall(PetscOptionsPush(options));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  ErrorOf(options_ierr, PCSetFromOptions(pc));
  ErrorOf(ierr, PCSetUp(pc)); /* without the option if it has been refused */
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s", what, ErrorName(options_ierr ? options_ierr : ierr)));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1.0));
  ErrorOf(applied, PCApply(pc, b, x));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n",
                        (ierr != PETSC_SUCCESS) == (applied != PETSC_SUCCESS) ? "" : ", but PCApply() does not agree"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Diagonal matrices, so that the solution is known, with the given local rows of N */
static PetscErrorCode SolveDiagonal(PetscInt n, const char what[])
{
  Mat       A;
  PC        pc;
  Vec       b, x;
  PetscInt  first, end;
  PetscReal norm = -1.0;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; i++) PetscCall(MatSetValue(A, i, i, 4.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 2.0));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  for (PetscInt k = 0; k < 2; k++) { /* ilu, icc */
    PetscCall(PCSyncFreeSetFactor(pc, k ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
    PetscCall(PCSetUp(pc));
    PetscCall(VecSet(x, -1.0));
    PetscCall(PCApply(pc, b, x));
    PetscCall(VecShift(x, -0.5));
    PetscCall(VecNorm(x, NORM_INFINITY, &norm));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s: ", what, k ? "icc" : "ilu"));
    PetscCall(Says("right result", (PetscBool)(norm <= 0.0))); /* the maximum over no entries is PETSC_MIN_REAL */
    PetscCall(PCApplyTranspose(pc, b, x));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shapes(void)
{
  Mat            A;
  PC             pc;
  PetscErrorCode ierr;
  PetscMPIInt    rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(SolveDiagonal(5, "5 rows each"));
  PetscCall(SolveDiagonal(rank ? 0 : 1, "1 x 1"));
  PetscCall(SolveDiagonal(rank ? 3 : 0, size > 1 ? "no rows on the first process" : "empty"));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 4, 6));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  ErrorOf(ierr, PCSetUp(pc));
  PetscCall(Says("an error without a matrix", (PetscBool)(ierr != PETSC_SUCCESS)));
  PetscCall(PCSetOperators(pc, A, A));
  ErrorOf(ierr, PCSetUp(pc));
  PetscCall(Says("an error if the matrix is not assembled", (PetscBool)(ierr != PETSC_SUCCESS)));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  ErrorOf(ierr, PCSetUp(pc));
  PetscCall(Says("an error if it is not square", (PetscBool)(ierr != PETSC_SUCCESS)));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Types(void)
{
  static const char *const types[] = {MATBAIJ, MATSBAIJ, MATDENSE, MATAIJ};
  Mat                      A, B;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, MATAIJ, SPD, 4, &A));
  for (PetscInt k = 0; k < 4; k++) {
    PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatConvert(A, types[k], MAT_INITIAL_MATRIX, &B));
    PetscCall(SetUp(B, types[k], ""));
    PetscCall(MatDestroy(&B));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GoodOptions(void)
{
  static const char *const good[] = {"",
                                     "-pc_factor_levels 0",
                                     "-pc_factor_levels 1000000 -pc_factor_diagonal_fill",
                                     "-pc_factor_in_place",
                                     "-pc_factor_mat_solver_type syncfree",
                                     "-pc_factor_fill 2",
                                     "-pc_factor_reuse_ordering",
                                     "-pc_factor_reuse_fill",
                                     "-pc_syncfree_algorithm auto",
                                     "-pc_syncfree_levelorder_lanes 4 -pc_syncfree_levelorder_warps 8 -pc_syncfree_yuenyeung_threshold 2.5",
                                     "-pc_syncfree_ata_policy la -pc_syncfree_ata_size 32",
                                     "-pc_syncfree_factor_algorithm auto -mat_syncfree_ata_ratio 1",
                                     "-pc_syncfree_algorithm host-threads -pc_syncfree_host_threads 2 -mat_syncfree_host_threads_entries 3",
                                     "-pc_syncfree_algorithm split -mat_syncfree_split_parameters parallel_rows=2,serial_levels=50",
                                     "-pc_syncfree_algorithm split -pc_syncfree_split_parameters "
                                     "policy=cpu-cpu,level=2,first=host,second=auto"};
  Mat                      A;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, GRID, 5, &A));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(good); k++) PetscCall(SetUp(A, good[k][0] ? good[k] : "no options", good[k]));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc leaks a few strings when an error is raised while it reads options */
static PetscErrorCode BadOptions(void)
{
  static const char *const bad[] = {"-pc_factor_mat_solver_type petsc",
                                    "-pc_syncfree_algorithm cholesky",
                                    "-pc_syncfree_lower_algorithm x",
                                    "-mat_syncfree_upper_algorithm y",
                                    "-pc_syncfree_factor lu",
                                    "-pc_syncfree_levelorder_lanes 3",
                                    "-pc_syncfree_levelorder_lanes -1",
                                    "-pc_syncfree_levelorder_warps -2",
                                    "-pc_syncfree_yuenyeung_threshold -1",
                                    "-pc_syncfree_yuenyeung_threshold nan",
                                    "-pc_syncfree_yuenyeung_threshold inf",
                                    "-pc_syncfree_yuenyeung_threshold x",
                                    "-pc_syncfree_levelorder_warps 1.5",
                                    "-pc_syncfree_levelorder_warps many",
                                    "-pc_syncfree_levelorder_lanes 64",
                                    "-mat_syncfree_levelorder_lanes 5",
                                    "-mat_syncfree_levelorder_warps -1",
                                    "-mat_syncfree_yuenyeung_threshold -1",
                                    "-pc_syncfree_factor_algorithm host",
                                    "-pc_syncfree_ata_policy some",
                                    "-pc_syncfree_ata_size -1",
                                    "-mat_syncfree_ata_ratio -1",
                                    "-pc_syncfree_ata_ratio nan",
                                    "-pc_syncfree_host_threads -1",
                                    "-mat_syncfree_host_threads_entries -1",
                                    "-pc_syncfree_split_parameters policy=gpu-tpu",
                                    "-pc_syncfree_split_parameters first=x",
                                    "-pc_syncfree_split_parameters level=-1",
                                    "-pc_syncfree_split_parameters bad_share=101",
                                    "-mat_syncfree_split_parameters parallel_share=nan",
                                    "-pc_syncfree_algorithm split -pc_syncfree_split_parameters level=2",
                                    "-pc_syncfree_algorithm split -pc_syncfree_split_parameters policy=cpu-cpu,second=split",
                                    "-pc_factor_levels -1",
                                    "-pc_factor_shift_type some",
                                    "-pc_factor_shift_amount x",
                                    "-pc_factor_zeropivot x",
                                    "-pc_factor_zeropivot nan",
                                    "-pc_factor_fill 0.5",
                                    "-pc_factor_mat_ordering_type some",
                                    "-pc_factor_nonzeros_along_diagonal x",
                                    "-pc_factor_mat_solver_type some"};
  Mat                      A;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, GRID, 5, &A));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(bad); k++) PetscCall(SetUp(A, bad[k], bad[k]));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An algorithm for the GPU is refused for a matrix on the host, and so are two algorithms for different memories */
static PetscErrorCode Memories(void)
{
  const SptrsvAlgorithm *a;
  const char            *device = NULL;
  char                   string[128];
  Mat                    A;

  PetscFunctionBeginUser;
  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    if (a->location == SPTRSV_DEVICE && strcmp(a->name, "split")) device = a->name; /* split runs in both */
  }
  if (!device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, MATAIJ, GRID, 5, &A));
  PetscCall(PetscSNPrintf(string, sizeof(string), "-pc_syncfree_algorithm %s", device));
  PetscCall(SetUp(A, "an algorithm for the GPU, a matrix on the host", string));
  PetscCall(PetscSNPrintf(string, sizeof(string), "-pc_syncfree_lower_algorithm host -pc_syncfree_upper_algorithm %s", device));
  PetscCall(SetUp(A, "one sweep on the host, one on the GPU", string));
  PetscCall(SetUp(A, "a factorization on the GPU, a matrix on the host", "-pc_syncfree_factor_algorithm ata"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Symmetric left, then right is a whole application, for ILU too; ICC with a negative pivot has neither */
static PetscErrorCode Halves(void)
{
  static const MatFactorType factors[] = {MAT_FACTOR_ILU, MAT_FACTOR_ICC, MAT_FACTOR_ICC};
  static const char *const   names[]   = {"ILU", "ICC of a definite matrix", "ICC of an indefinite matrix"};
  Mat                        A;
  PC                         pc;
  Vec                        x, y, z, b;
  PetscErrorCode             ierr;
  PetscReal                  distance = 0.0;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, k == 2 ? INDEFINITE : k ? SPD : GRID, 5, &A));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetType(pc, PCSYNCFREE));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSyncFreeSetFactor(pc, factors[k]));
    PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONE));
    PetscCall(PCSetUp(pc));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecDuplicate(x, &y));
    PetscCall(VecDuplicate(x, &z));
    PetscCall(FillVector(b, 0.0));
    ErrorOf(ierr, PCApplySymmetricLeft(pc, b, y));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "half of %s: %s\n", names[k], ErrorName(ierr)));
    PetscCall(PCApply(pc, b, x));
    if (!ierr) {
      PetscCall(PCApplySymmetricRight(pc, y, z));
      PetscCall(Distance(z, x, &distance));
      PetscCall(Says("two halves are a whole", (PetscBool)(distance < 1.e4 * PETSC_MACHINE_EPSILON)));
    }
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(VecDestroy(&z));
    PetscCall(VecDestroy(&b));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;
  PetscBool   bad = PETSC_FALSE, memories = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-bad_options", &bad, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-memories", &memories, NULL));
  if (bad) PetscCall(BadOptions());
  else if (memories) PetscCall(Memories());
  else {
    PetscCall(Shapes());
    PetscCall(Types());
    PetscCall(GoodOptions());
    if (size == 1) PetscCall(Halves());
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/shapes_types_1.out
    test:
      suffix: 1
    test:
      suffix: gpu_1
      requires: cuda
      args: -mat_type aijcusparse

  testset:
    nsize: 2
    output_file: output/shapes_types_2.out
    test:
      suffix: 2
    test:
      suffix: gpu_2
      requires: cuda
      args: -mat_type aijcusparse -use_gpu_aware_mpi 0

  test:
    suffix: bad_options
    nsize: {{1 2}}
    args: -bad_options
    filter: grep -v -e PetscStrallocpy -e PetscOptionsGetEList
    output_file: output/shapes_types_bad_options.out

  test:
    suffix: cuda_memories
    requires: cuda
    args: -memories
    nsize: {{1 2}}

TEST*/
