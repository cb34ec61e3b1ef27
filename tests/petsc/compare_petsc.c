static char help[] =
  "Compares PCSYNCFREE with PETSc's own ILU and ICC on the host: every kind of application, new values, new patterns.\n\
  -kind (grid|blocks|random|spd|indefinite), -m size, -icc, -vectors (standard|cuda), -bind to the CPU;\n\
  -pc_factor_ options act on both.\n\n";

#include <sptrsv.h>
#include "testing.h"

typedef struct {
  PC         ours, theirs;
  Mat        A, H; /* the matrix, of the type asked for and on the host */
  Vec        b, x, y, hb, hx, hy;
  MatrixKind kind;
  PetscInt   m;
  PetscBool  icc, bind;
  char       vectors[32]; /* their type, unless it is the matrix's */
} Pair;

static const char *Algorithm = "the default";

static PetscErrorCode Agree(Vec x, Vec hx, const char what[], const char which[])
{
  PetscReal distance = 0.0;

  PetscFunctionBeginUser;
  PetscCall(Distance(x, hx, &distance));
  if (!(distance < 1.e5 * PETSC_MACHINE_EPSILON)) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s by %s: off by %g\n", what, which, Algorithm, (double)distance));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareBlocks(Pair *p, const char what[])
{
  const PetscInt columns = 3;
  Mat            B, X, HB, HX;
  PetscInt       n, N;
  Vec            v, hv;
  VecType        type;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(p->b, &n));
  PetscCall(VecGetSize(p->b, &N));
  PetscCall(VecGetType(p->b, &type));
  PetscCall(MatCreateDenseFromVecType(PETSC_COMM_WORLD, type, n, PETSC_DECIDE, N, columns, n, NULL, &B));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, PETSC_DECIDE, N, columns, NULL, &HB));
  PetscCall(MatDuplicate(HB, MAT_DO_NOT_COPY_VALUES, &HX));
  for (PetscInt k = 0; k < columns; k++) {
    PetscCall(MatDenseGetColumnVecWrite(B, k, &v));
    PetscCall(FillVector(v, 0.3 * k));
    PetscCall(MatDenseRestoreColumnVecWrite(B, k, &v));
    PetscCall(MatDenseGetColumnVecWrite(HB, k, &hv));
    PetscCall(FillVector(hv, 0.3 * k));
    PetscCall(MatDenseRestoreColumnVecWrite(HB, k, &hv));
  }
  PetscCall(PCMatApply(p->ours, B, X));
  PetscCall(PCMatApply(p->theirs, HB, HX));
  for (PetscInt k = 0; k < columns; k++) {
    PetscCall(MatDenseGetColumnVecRead(X, k, &v));
    PetscCall(MatDenseGetColumnVecRead(HX, k, &hv));
    PetscCall(Agree(v, hv, what, "PCMatApply"));
    PetscCall(MatDenseRestoreColumnVecRead(HX, k, &hv));
    PetscCall(MatDenseRestoreColumnVecRead(X, k, &v));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscCall(MatDestroy(&HB));
  PetscCall(MatDestroy(&HX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Symmetric left and right applications do not exist for parallel matrices, nor for complex pivots or indefinite factors: bad_matrices.c */
static PetscErrorCode CompareSymmetric(Pair *p, const char what[])
{
  PetscFunctionBeginUser;
  PetscCall(PCApplySymmetricLeft(p->ours, p->b, p->y));
  PetscCall(PCApplySymmetricLeft(p->theirs, p->hb, p->hy));
  PetscCall(Agree(p->y, p->hy, what, "PCApplySymmetricLeft"));
  PetscCall(PCApplySymmetricRight(p->ours, p->y, p->x));
  PetscCall(PCApplySymmetricRight(p->theirs, p->hy, p->hx));
  PetscCall(Agree(p->x, p->hx, what, "PCApplySymmetricRight"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Applications in an order that runs each sweep once, twice, and with others in between */
static PetscErrorCode Compare(Pair *p, const char what[])
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PCApply(p->theirs, p->hb, p->hx));
  PetscCall(PCApplyTranspose(p->theirs, p->hb, p->hy));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(VecSet(p->x, 1.e30));
    PetscCall(PCApply(p->ours, p->b, p->x));
    PetscCall(Agree(p->x, p->hx, what, "PCApply"));
    PetscCall(PCApplyTranspose(p->ours, p->b, p->y));
    PetscCall(Agree(p->y, p->hy, what, "PCApplyTranspose"));
    PetscCall(PCApplyTranspose(p->ours, p->b, p->y));
    PetscCall(Agree(p->y, p->hy, what, "PCApplyTranspose again"));
  }
  if (p->icc && size == 1 && p->kind != INDEFINITE && Phase == 0.0) PetscCall(CompareSymmetric(p, what));
  PetscCall(CompareBlocks(p, what));
  PetscCall(PCApply(p->theirs, p->hb, p->hx));
  PetscCall(PCApply(p->ours, p->b, p->x));
  PetscCall(Agree(p->x, p->hx, what, "PCApply at last"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUp(Pair *p)
{
  PCFailedReason ours, theirs;

  PetscFunctionBeginUser;
  PetscCall(PCSetOperators(p->ours, p->A, p->A));
  PetscCall(PCSetOperators(p->theirs, p->H, p->H));
  PetscCall(PCSetUp(p->ours));
  PetscCall(PCSetUp(p->theirs));
  PetscCall(PCSetUpOnBlocks(p->theirs));
  PetscCall(PCReduceFailedReason(p->ours));
  PetscCall(PCGetFailedReason(p->ours, &ours));
  PetscCall(PCGetFailedReason(p->theirs, &theirs));
  if (ours != theirs) {
    PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "PETSc's factorization says %s, ours %s\n", PCFailedReasons[theirs], PCFailedReasons[ours]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreatePCs(Pair *p)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &p->ours));
  PetscCall(PCSetType(p->ours, PCSYNCFREE));
  PetscCall(PCSyncFreeSetFactor(p->ours, p->icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCSetFromOptions(p->ours));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &p->theirs));
  PetscCall(PCSetType(p->theirs, size > 1 ? PCBJACOBI : p->icc ? PCICC : PCILU));
  if (size > 1) PetscCall(PCSetOptionsPrefix(p->theirs, "outer_"));
  PetscCall(PCSetFromOptions(p->theirs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrices(Pair *p)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&p->A));
  PetscCall(MatDestroy(&p->H));
  PetscCall(VecDestroy(&p->b));
  PetscCall(VecDestroy(&p->x));
  PetscCall(VecDestroy(&p->y));
  PetscCall(VecDestroy(&p->hb));
  PetscCall(VecDestroy(&p->hx));
  PetscCall(VecDestroy(&p->hy));
  if (!p->m) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, p->kind, p->m, &p->A));
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, MATAIJ, p->kind, p->m, &p->H));
  PetscCall(MatBindToCPU(p->A, p->bind));
  PetscCall(MatCreateVecs(p->A, &p->b, NULL));
  if (p->vectors[0]) PetscCall(VecSetType(p->b, p->vectors));
  PetscCall(VecDuplicate(p->b, &p->x));
  PetscCall(VecDuplicate(p->b, &p->y));
  PetscCall(MatCreateVecs(p->H, &p->hb, &p->hx));
  PetscCall(VecDuplicate(p->hx, &p->hy));
  PetscCall(FillVector(p->b, 0.0));
  PetscCall(FillVector(p->hb, 0.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Life(Pair *p)
{
  PetscFunctionBeginUser;
  PetscCall(CreatePCs(p));
  PetscCall(CreateMatrices(p));
  PetscCall(SetUp(p));
  PetscCall(Compare(p, "first set-up"));
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(FillMatrix(p->A, p->kind, p->m, 2.0 + k));
    PetscCall(FillMatrix(p->H, p->kind, p->m, 2.0 + k));
    PetscCall(SetUp(p));
    PetscCall(Compare(p, "new values"));
  }
  PetscCall(CreateMatrices(p)); /* as many applications do in every step */
  PetscCall(SetUp(p));
  PetscCall(Compare(p, "another matrix of the same pattern"));
  if (p->kind == GRID || p->kind == RANDOM) {
    p->kind = p->kind == GRID ? RANDOM : GRID;
    PetscCall(CreateMatrices(p));
    PetscCall(SetUp(p));
    PetscCall(Compare(p, "another pattern"));
    p->kind = p->kind == GRID ? RANDOM : GRID;
  }
  PetscCall(PCReset(p->ours));
  PetscCall(PCReset(p->theirs));
  p->m += 2;
  PetscCall(CreateMatrices(p));
  PetscCall(SetUp(p));
  PetscCall(Compare(p, "another size after PCReset()"));
  PetscCall(MatShift(p->A, 0.5));
  PetscCall(MatShift(p->H, 0.5));
  PetscCall(SetUp(p));
  PetscCall(Compare(p, "a shifted matrix"));
  p->m -= 2;
  PetscCall(PCDestroy(&p->ours));
  PetscCall(PCDestroy(&p->theirs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A life for each algorithm that runs in the memory of the matrix */
static PetscErrorCode Algorithms(Pair *p, PetscInt *count)
{
  PetscBool              gpu;
  const SptrsvAlgorithm *a;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrices(p));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)p->A, &gpu, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE,
                                      PetscDefined(HAVE_CUDA) ? MATSEQAIJKOKKOS : "", MATMPIAIJKOKKOS, ""));
  if (p->bind) gpu = PETSC_FALSE;
  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    if ((a->location == SPTRSV_DEVICE) != gpu || (PetscDefined(USE_COMPLEX) && !(a->values >> SPTRSV_COMPLEX_DOUBLE & 1))) continue;
    Algorithm = a->name;
    PetscCall(PetscOptionsSetValue(NULL, "-pc_syncfree_algorithm", Algorithm));
    PetscCall(Life(p));
    (*count)++;
  }
  PetscCall(PetscOptionsClearValue(NULL, "-pc_syncfree_algorithm"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Pair     p     = {.m = 9};
  PetscInt count = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of this test", NULL);
  PetscCall(PetscOptionsEnum("-kind", "Matrix", NULL, MatrixKinds, (PetscEnum)p.kind, (PetscEnum *)&p.kind, NULL));
  PetscCall(PetscOptionsInt("-m", "Size of the grid", NULL, p.m, &p.m, NULL));
  PetscCall(PetscOptionsBool("-icc", "ICC in place of ILU", NULL, p.icc, &p.icc, NULL));
  PetscCall(PetscOptionsBool("-bind", "Bind the matrix to the CPU", NULL, p.bind, &p.bind, NULL));
  PetscCall(PetscOptionsString("-vectors", "Type of the vectors", NULL, p.vectors, p.vectors, sizeof(p.vectors), NULL));
  PetscOptionsEnd();
  PetscCall(Life(&p)); /* with the algorithm that auto chooses, or the options */
  PetscCall(Algorithms(&p, &count));
  PetscCall(Says("at least one algorithm was tried by name", (PetscBool)(count > 0)));
  p.m = 0;
  PetscCall(CreateMatrices(&p));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Done\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/compare_petsc_1.out
    test:
      suffix: ilu
      args: -kind {{grid blocks random spd}} -pc_factor_mat_ordering_type {{natural rcm nd qmd}}
    test:
      suffix: icc
      args: -icc -kind {{grid spd}} -pc_factor_mat_ordering_type {{natural rcm nd}}
    test:
      suffix: shift
      args: -kind indefinite -icc {{0 1}} -pc_factor_shift_type {{positive_definite nonzero inblocks}}
      args: -pc_factor_shift_amount 0.3 -pc_factor_zeropivot 0.05
    test:
      suffix: fill
      args: -kind {{grid blocks random}} -pc_factor_levels {{1 3}} -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: fill_icc
      args: -icc -kind {{grid spd}} -pc_factor_levels 2 -pc_factor_mat_ordering_type {{natural nd}}
    test:
      suffix: fill_shift
      args: -kind indefinite -icc {{0 1}} -pc_factor_levels 1 -pc_factor_shift_type {{positive_definite nonzero}}
      args: -pc_factor_shift_amount 0.3 -pc_factor_zeropivot 0.05
    test:
      suffix: diagonal
      args: -kind random -pc_factor_nonzeros_along_diagonal -pc_factor_mat_ordering_type {{rcm natural}}
    test:
      suffix: face
      args: -kind grid -mat_syncfree_algorithm host
    test:
      suffix: parallel
      nsize: 2
      args: -kind {{grid blocks random}} -outer_sub_pc_type ilu
    test:
      suffix: parallel_fill
      nsize: 2
      args: -kind blocks -pc_factor_levels 2 -outer_sub_pc_type ilu -outer_sub_pc_factor_levels 2
    test:
      suffix: parallel_icc
      nsize: 2
      args: -kind spd -icc -outer_sub_pc_type icc

  testset:
    requires: complex
    output_file: output/compare_petsc_1.out
    args: -phase 0.3
    test:
      suffix: complex_ilu
      args: -kind {{grid blocks random}} -pc_factor_levels {{0 1 2}} -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: complex_icc
      args: -icc -kind {{grid spd}} -pc_factor_levels {{0 1}} -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: complex_shift
      args: -kind indefinite -icc {{0 1}} -pc_factor_shift_type {{positive_definite nonzero inblocks}}
      args: -pc_factor_shift_amount 0.3 -pc_factor_zeropivot 0.05
    test:
      suffix: complex_parallel
      nsize: 2
      args: -kind {{grid random}} -outer_sub_pc_type ilu

  testset:
    requires: cuda complex
    output_file: output/compare_petsc_1.out
    args: -mat_type aijcusparse -phase 0.3
    test:
      suffix: gpu_complex_ilu
      args: -kind {{grid blocks random}} -pc_factor_levels {{0 1}} -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: gpu_complex_icc
      args: -icc -kind {{grid spd}} -pc_factor_levels {{0 1}}
    test:
      suffix: gpu_complex_shift
      args: -kind indefinite -icc {{0 1}} -pc_factor_shift_type {{positive_definite nonzero inblocks}}
      args: -pc_factor_shift_amount 0.3 -pc_factor_zeropivot 0.05

  testset:
    requires: cuda
    output_file: output/compare_petsc_1.out
    args: -mat_type aijcusparse
    test:
      suffix: gpu_ilu
      args: -kind {{grid blocks random spd}} -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: gpu_icc
      args: -icc -kind {{grid spd}} -pc_factor_mat_ordering_type {{natural nd}}
    test:
      suffix: gpu_fill
      args: -kind {{grid blocks random}} -pc_factor_levels {{1 3}} -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: gpu_fill_shift
      args: -kind indefinite -icc {{0 1}} -pc_factor_levels 1 -pc_factor_shift_type {{positive_definite nonzero}}
      args: -pc_factor_shift_amount 0.3 -pc_factor_zeropivot 0.05
    test:
      suffix: gpu_bound
      args: -kind grid -bind
    test:
      suffix: gpu_host_vectors
      args: -kind grid -vectors standard
    test:
      suffix: gpu_large
      args: -kind {{blocks random}} -m 60
    test:
      suffix: gpu_shift
      args: -kind indefinite -icc {{0 1}} -pc_factor_shift_type {{positive_definite nonzero inblocks}}
      args: -pc_factor_shift_amount 0.3 -pc_factor_zeropivot 0.05
    test:
      suffix: gpu_parallel
      nsize: 2
      args: -kind {{grid random}} -outer_sub_pc_type ilu -use_gpu_aware_mpi 0

  testset:
    requires: cuda kokkos_kernels
    output_file: output/compare_petsc_1.out
    args: -mat_type aijkokkos
    test:
      suffix: gpu_kokkos_ilu
      args: -kind {{grid blocks random spd}} -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: gpu_kokkos_icc
      args: -icc -kind {{grid spd}} -pc_factor_levels {{0 1}}
    test:
      suffix: gpu_kokkos_large
      args: -kind {{blocks random}} -m 60
    test:
      suffix: gpu_kokkos_host_vectors
      args: -kind grid -vectors standard
    test:
      suffix: gpu_kokkos_parallel
      nsize: 2
      args: -kind {{grid random}} -outer_sub_pc_type ilu -use_gpu_aware_mpi 0

  test:
    suffix: gpu_host_matrix
    requires: cuda
    args: -mat_type aij -vectors cuda
    output_file: output/compare_petsc_1.out

TEST*/
