static char help[] = "Compares ILU(k) and ICC(k) with PETSc's on the host: patterns entry by entry, fill, iterations, solutions.\n\
  -kind (grid|blocks|random|spd|indefinite), -m size, -icc, -face (syncfree|ilu): PCSYNCFREE or PCILU and PCICC with the solver type;\n\
  in parallel both are the blocks of bjacobi or asm, by options with the prefixes ours_ and theirs_.\n\n";

#include "testing.h"
#include "../../src/pc/syncfreeimpl.h" /* the factor's pattern */

typedef struct {
  MatrixKind kind;
  PetscInt   m;
  PetscBool  icc;
  char       face[32];
} Case;

/* --------------------------------------------------------- patterns --------------------------------------------------------- */

/* kept [n * n].  PETSc's factors store L by rising rows, then U by falling ones, each with its diagonal entry last; of ICC only U, by
   rising rows */
static PetscErrorCode TheirPattern(Mat F, PetscBool icc, PetscInt n, PetscBool *kept)
{
  const PetscInt *i, *j;
  PetscInt        rows, k;
  PetscBool       done;

  PetscFunctionBeginUser;
  PetscCall(MatGetRowIJ(F, 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j, &done));
  for (PetscInt r = 0; r < n; r++) {
    for (PetscInt e = i[r]; e < i[r + 1]; e++) kept[r * n + j[e]] = PETSC_TRUE;
  }
  k = i[n];
  for (PetscInt r = n - 1; r >= 0 && !icc; r--) {
    do kept[r * n + j[k]] = PETSC_TRUE;
    while (j[k++] != r);
  }
  PetscCall(MatRestoreRowIJ(F, 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OurPattern(Mat F, PetscBool icc, PetscInt n, PetscBool *kept)
{
  const int32_t *i, *j;
  int64_t        rows, nz;

  PetscFunctionBeginUser;
  PetscCallSptrsv(sptrsvFactorGetPattern(((Mat_SyncFree *)F->data)->engine->factor, &rows, &nz, &i, &j));
  for (PetscInt r = 0; r < n; r++) {
    for (int32_t e = i[r]; e < i[r + 1]; e++) kept[r * n + j[e]] = (PetscBool)(!icc || j[e] >= r);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symbolic(Mat A, MatSolverType solver, PetscBool icc, IS row, IS col, const MatFactorInfo *info, Mat *F)
{
  PetscFunctionBeginUser;
  PetscCall(MatGetFactor(A, solver, icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU, F));
  if (icc) PetscCall(MatICCFactorSymbolic(*F, A, row, info));
  else PetscCall(MatILUFactorSymbolic(*F, A, row, col, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H is A on the host */
static PetscErrorCode ComparePattern(Mat A, Mat H, PetscBool icc, IS row, IS col, const MatFactorInfo *info, const char what[])
{
  Mat        F[2];
  PetscInt   n, differ = 0;
  PetscBool *kept[2];
  MatInfo    have[2];

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(PetscCalloc2(n * n, &kept[0], n * n, &kept[1]));
  PetscCall(Symbolic(A, MATSOLVERSYNCFREE, icc, row, col, info, &F[0]));
  PetscCall(Symbolic(H, MATSOLVERPETSC, icc, row, col, info, &F[1]));
  PetscCall(OurPattern(F[0], icc, n, kept[0]));
  PetscCall(TheirPattern(F[1], icc, n, kept[1]));
  for (PetscInt e = 0; e < n * n; e++) differ += kept[0][e] != kept[1][e];
  if (differ)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %g levels: %" PetscInt_FMT " entries differ\n", what, (double)info->levels, differ));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatGetInfo(F[k], MAT_LOCAL, &have[k]));
  if (PetscAbsReal((PetscReal)(have[0].fill_ratio_needed / have[1].fill_ratio_needed - 1)) > 10 * PETSC_MACHINE_EPSILON ||
      have[0].fill_ratio_given != have[1].fill_ratio_given || have[0].nz_used != have[1].nz_used)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %g levels: fill %g, %g nonzeros, PETSc's %g, %g\n", what, (double)info->levels,
                          have[0].fill_ratio_needed, have[0].nz_used, have[1].fill_ratio_needed, have[1].nz_used));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatDestroy(&F[k]));
  PetscCall(PetscFree2(kept[0], kept[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 0 to 3 levels in three orderings, and in complete factorizations */
static PetscErrorCode Patterns(const Case *c, Mat A, Mat H)
{
  static const char *const orderings[] = {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND};
  MatFactorInfo            info;

  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 2.5;
  for (PetscInt k = 0; k < 3; k++) {
    IS row, col;

    PetscCall(MatGetOrdering(H, orderings[k], &row, &col));
    for (PetscInt level = 0; level < 5; level++) {
      info.levels = level < 4 ? level : 1000;
      PetscCall(ComparePattern(A, H, c->icc, row, col, &info, orderings[k]));
    }
    PetscCall(ISDestroy(&row));
    PetscCall(ISDestroy(&col));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two columns of a grid change places, so that two diagonal entries are missing: fill of the diagonal adds them, and so do 3 levels.
   With both together PETSc's routine lists such an entry twice, and then loses others or does not end; where neither adds them it leaks. */
static PetscErrorCode PatternsWithDiagonal(Mat A, Mat H)
{
  MatFactorInfo  info;
  IS             row, col;
  PetscInt       n, *order;
  MatFactorError err;
  Mat            F;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(PetscMalloc1(n, &order));
  for (PetscInt k = 0; k < n; k++) order[k] = k == n - 1 ? n - 3 : k == n - 3 ? n - 1 : k;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &row));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, order, PETSC_OWN_POINTER, &col));
  PetscCall(ISSetPermutation(row));
  PetscCall(ISSetPermutation(col));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill          = 1.0;
  info.diagonal_fill = 1.0;
  PetscCall(ComparePattern(A, H, PETSC_FALSE, row, col, &info, "fill of the diagonal"));
  info.diagonal_fill = 0.0;
  for (PetscInt level = 0; level < 5; level++) {
    info.levels = level;
    PetscCall(Symbolic(A, MATSOLVERSYNCFREE, PETSC_FALSE, row, col, &info, &F));
    PetscCall(MatFactorGetError(F, &err));
    PetscCall(MatDestroy(&F));
    if ((err == MAT_FACTOR_STRUCT_ZEROPIVOT) != (level < 3))
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "missing diagonal entries, level %d: error %d\n", (int)level, (int)err));
    if (!err) PetscCall(ComparePattern(A, H, PETSC_FALSE, row, col, &info, "missing diagonal entries"));
  }
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---------------------------------------------------------- solves ---------------------------------------------------------- */

static PetscErrorCode CreateKSP(const Case *c, PetscBool ours, KSP *ksp)
{
  PetscMPIInt size;
  PetscBool   pcsyncfree;
  PC          pc;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrcmp(c->face, PCSYNCFREE, &pcsyncfree));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetTolerances(*ksp, 1.e3 * PETSC_MACHINE_EPSILON, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPGetPC(*ksp, &pc));
  if (size > 1) {
    PetscCall(KSPSetOptionsPrefix(*ksp, ours ? "ours_" : "theirs_"));
    PetscCall(PCSetType(pc, PCBJACOBI));
  } else if (ours && pcsyncfree) {
    PetscCall(PCSetType(pc, PCSYNCFREE));
    PetscCall(PCSyncFreeSetFactor(pc, c->icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  } else {
    PetscCall(PCSetType(pc, c->icc ? PCICC : PCILU));
    if (ours) PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERSYNCFREE));
  }
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareSolves(KSP ksp[2], Mat A[2], const char what[])
{
  PetscInt           its[2];
  KSPConvergedReason reason[2];
  Vec                x[2], b;
  PetscReal          distance;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(A[k], &x[k], &b));
    PetscCall(FillVector(b, 0.0));
    PetscCall(KSPSetOperators(ksp[k], A[k], A[k]));
    PetscCall(KSPSolve(ksp[k], b, x[k]));
    PetscCall(KSPGetIterationNumber(ksp[k], &its[k]));
    PetscCall(KSPGetConvergedReason(ksp[k], &reason[k]));
    PetscCall(VecDestroy(&b));
  }
  PetscCall(Distance(x[0], x[1], &distance));
  if (its[0] != its[1] || reason[0] != reason[1] || reason[0] <= 0 || !(distance < 1.e5 * PETSC_MACHINE_EPSILON))
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " iterations, %s, PETSc's %" PetscInt_FMT ", %s; off by %g\n", what,
                          its[0], KSPConvergedReasons[reason[0]], its[1], KSPConvergedReasons[reason[1]], (double)distance));
  for (PetscInt k = 0; k < 2; k++) PetscCall(VecDestroy(&x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values, other levels by function after set-up, and levels by an option, which the next new matrix finds */
static PetscErrorCode Solves(const Case *c, Mat A[2])
{
  PetscMPIInt size;
  KSP         ksp[2];
  PC          pc;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt k = 0; k < 2; k++) PetscCall(CreateKSP(c, (PetscBool)!k, &ksp[k]));
  PetscCall(CompareSolves(ksp, A, "first solve"));
  for (PetscInt k = 0; k < 2; k++) PetscCall(FillMatrix(A[k], c->kind, c->m, 3.0));
  PetscCall(CompareSolves(ksp, A, "new values"));
  for (PetscInt level = 2; size == 1 && level >= 0; level--) {
    for (PetscInt k = 0; k < 2; k++) {
      PetscCall(KSPGetPC(ksp[k], &pc));
      PetscCall(PCFactorSetLevels(pc, level));
    }
    PetscCall(CompareSolves(ksp, A, "other levels"));
  }
  if (size == 1) PetscCall(PetscOptionsSetValue(NULL, "-pc_factor_levels", "3"));
  for (PetscInt k = 0; k < 2 && size == 1; k++) {
    Mat B;

    PetscCall(KSPSetFromOptions(ksp[k]));
    PetscCall(MatDuplicate(A[k], MAT_COPY_VALUES, &B));
    PetscCall(MatDestroy(&A[k]));
    A[k] = B;
  }
  PetscCall(CompareSolves(ksp, A, "levels by an option, another matrix"));
  for (PetscInt k = 0; k < 2; k++) PetscCall(KSPDestroy(&ksp[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Case        c = {.m = 9, .face = PCSYNCFREE};
  Mat         A[2];
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of this test", NULL);
  PetscCall(PetscOptionsEnum("-kind", "Matrix", NULL, MatrixKinds, (PetscEnum)c.kind, (PetscEnum *)&c.kind, NULL));
  PetscCall(PetscOptionsInt("-m", "Size of the grid", NULL, c.m, &c.m, NULL));
  PetscCall(PetscOptionsBool("-icc", "ICC in place of ILU", NULL, c.icc, &c.icc, NULL));
  PetscCall(PetscOptionsString("-face", "Type of our PC", NULL, c.face, c.face, sizeof(c.face), NULL));
  PetscOptionsEnd();
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, NULL, c.kind, c.m, &A[0]));
  PetscCall(CreateMatrix(PETSC_COMM_WORLD, MATAIJ, c.kind, c.m, &A[1]));
  if (size == 1) PetscCall(Patterns(&c, A[0], A[1]));
  if (size == 1 && c.kind == GRID) PetscCall(PatternsWithDiagonal(A[0], A[1]));
  PetscCall(Solves(&c, A));
  PetscCall(MatDestroy(&A[0]));
  PetscCall(MatDestroy(&A[1]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Done\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  # with inodes MatGetRowIJ() of PETSc's factor gives blocks of rows
  testset:
    output_file: output/fill_1.out
    args: -mat_no_inode
    test:
      suffix: ilu
      args: -ksp_type bcgs -kind {{grid blocks random}} -face {{syncfree ilu}} -pc_factor_levels {{1 3}}
      args: -pc_factor_mat_ordering_type {{natural rcm nd}}
    test:
      suffix: icc
      args: -ksp_type cg -icc -kind spd -face {{syncfree ilu}} -pc_factor_levels {{1 3}} -pc_factor_mat_ordering_type {{natural rcm nd}}
    test:
      suffix: shift
      args: -ksp_type gmres -kind indefinite -icc {{0 1}} -face {{syncfree ilu}} -pc_factor_levels 1
      args: -pc_factor_shift_type positive_definite -pc_factor_zeropivot 0.05
    test:
      suffix: parallel
      nsize: 2
      args: -kind grid -ours_ksp_type bcgs -theirs_ksp_type bcgs -ours_sub_pc_factor_levels 2 -theirs_sub_pc_factor_levels 2
      args: -ours_sub_pc_type {{syncfree ilu}} -ours_sub_pc_factor_mat_solver_type syncfree -theirs_sub_pc_type ilu
    test:
      suffix: asm
      nsize: 2
      args: -kind grid -ours_ksp_type bcgs -theirs_ksp_type bcgs -ours_sub_pc_factor_levels 1 -theirs_sub_pc_factor_levels 1
      args: -ours_pc_type asm -theirs_pc_type asm
      args: -ours_sub_pc_type {{syncfree ilu}} -ours_sub_pc_factor_mat_solver_type syncfree -theirs_sub_pc_type ilu

  testset:
    requires: cuda
    output_file: output/fill_1.out
    args: -mat_type aijcusparse -mat_no_inode
    test:
      suffix: gpu_ilu
      args: -ksp_type bcgs -kind {{grid blocks random}} -face {{syncfree ilu}} -pc_factor_levels {{1 3}}
      args: -pc_factor_mat_ordering_type {{natural nd}}
    test:
      suffix: gpu_icc
      args: -ksp_type cg -icc -kind spd -pc_factor_levels {{1 3}} -pc_factor_mat_ordering_type {{natural rcm}}

TEST*/
