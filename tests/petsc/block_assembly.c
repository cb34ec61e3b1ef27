static char help[] = "Several unknowns a point, assembled and used in PETSc's ways: syncfree beside PETSc's ilu of a host's copy.\n\n";

#include <petscdmda.h>
#include "testing.h"

enum { M = 6, DOF = 3, POINTS = M * M, ROWS = DOF * POINTS };

/* Values of a coupling of two points, which are at most neighbours on an M x M grid; scale: other values */
static void Couple(PetscInt p, PetscInt q, PetscReal scale, PetscScalar block[DOF * DOF])
{
  for (PetscInt f = 0; f < DOF; f++) {
    for (PetscInt g = 0; g < DOF; g++)
      block[f * DOF + g] = p == q && f == g ? 5.0 * scale : (p == q ? 0.2 * (1 + f + g) : -1.0 + 0.1 * (f - g) - 0.2 * (p < q)) / DOF;
  }
}

/* Neighbours of a point, itself first */
static PetscInt Neighbours(PetscInt p, PetscInt q[5])
{
  PetscInt n = 0;

  q[n++] = p;
  if (p >= M) q[n++] = p - M;
  if (p % M > 0) q[n++] = p - 1;
  if (p % M < M - 1) q[n++] = p + 1;
  if (p < POINTS - M) q[n++] = p + M;
  return n;
}

static PetscErrorCode Finish(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By blocks, as the matrix of a DMDA or one with a block size takes them, or entry by entry */
static PetscErrorCode Fill(Mat A, PetscBool blocked, PetscReal scale)
{
  PetscScalar block[DOF * DOF];
  PetscInt    q[5], n;

  PetscFunctionBeginUser;
  for (PetscInt p = 0; p < POINTS; p++) {
    n = Neighbours(p, q);
    for (PetscInt k = 0; k < n; k++) {
      Couple(p, q[k], scale, block);
      if (blocked) PetscCall(MatSetValuesBlocked(A, 1, &p, 1, &q[k], block, INSERT_VALUES));
      for (PetscInt e = 0; !blocked && e < DOF * DOF; e++)
        PetscCall(MatSetValue(A, p * DOF + e / DOF, q[k] * DOF + e % DOF, block[e], INSERT_VALUES));
    }
  }
  PetscCall(Finish(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FillCOO(Mat A, PetscReal scale)
{
  PetscInt    *row, *col, q[5], n, count = 0;
  PetscScalar *values;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(5 * DOF * ROWS, &row, 5 * DOF * ROWS, &col, 5 * DOF * ROWS, &values));
  for (PetscInt p = 0; p < POINTS; p++) {
    n = Neighbours(p, q);
    for (PetscInt k = 0; k < n; k++) {
      Couple(p, q[k], scale, values + count);
      for (PetscInt e = 0; e < DOF * DOF; e++, count++) {
        row[count] = p * DOF + e / DOF;
        col[count] = q[k] * DOF + e % DOF;
      }
    }
  }
  PetscCall(MatSetPreallocationCOO(A, count, row, col));
  PetscCall(MatSetValuesCOO(A, values, INSERT_VALUES));
  PetscCall(PetscFree3(row, col, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  DA,
  BLOCKED,
  COO,
  AFTERWARDS /* rows of one unknown get their block size when they are assembled */
} Assembly;
static const char *const assemblies[] = {"DMDA", "MatSetValuesBlocked()", "MatSetValuesCOO()", "MatSetBlockSize() after assembly"};

static PetscErrorCode Create(Assembly how, Mat *A)
{
  DM dm;

  PetscFunctionBeginUser;
  if (how == DA) {
    PetscCall(DMDACreate2d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, M, M, 1, 1, DOF, 1, NULL, NULL, &dm));
    PetscCall(DMSetFromOptions(dm));
    PetscCall(DMSetUp(dm));
    PetscCall(DMCreateMatrix(dm, A));
    PetscCall(DMDestroy(&dm));
  } else {
    PetscCall(MatCreate(PETSC_COMM_SELF, A));
    PetscCall(MatSetSizes(*A, ROWS, ROWS, ROWS, ROWS));
    PetscCall(MatSetOptionsPrefix(*A, "dm_"));
    PetscCall(MatSetFromOptions(*A));
    if (how != AFTERWARDS) PetscCall(MatSetBlockSize(*A, DOF));
    if (how != COO) PetscCall(MatSetUp(*A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FillHow(Assembly how, Mat A, PetscReal scale)
{
  PetscFunctionBeginUser;
  if (how == COO) PetscCall(FillCOO(A, scale));
  else PetscCall(Fill(A, (PetscBool)(how != AFTERWARDS), scale));
  if (how == AFTERWARDS) PetscCall(MatSetBlockSize(A, DOF));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------- solvers ------------------------------------------------------ */

typedef enum {
  ALONE,
  FIELDS, /* the first two unknowns of each point, and the third */
  CUT,    /* two fields with a cut inside of a point */
  ASM     /* two subdomains that overlap, and begin and end inside of points */
} Use;
static const char *const uses[] = {"alone", "fieldsplit by unknowns", "fieldsplit through a point", "asm through points"};

static PetscErrorCode Part(PetscInt begin, PetscInt end, IS *is)
{
  PetscFunctionBeginUser;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, end - begin, begin, 1, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Field k of two, by unknowns or with a cut */
static PetscErrorCode Field(Use use, PetscInt k, IS *is)
{
  const PetscInt own = k ? 1 : DOF - 1;
  PetscInt       rows[ROWS], n = 0;

  PetscFunctionBeginUser;
  if (use == CUT) {
    PetscCall(Part(k ? ROWS / 2 + 1 : 0, k ? ROWS : ROWS / 2 + 1, is));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < ROWS; i++) {
    if ((i % DOF == DOF - 1) == k) rows[n++] = i;
  }
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, rows, PETSC_COPY_VALUES, is));
  if (own > 1) PetscCall(ISSetBlockSize(*is, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetSplit(PC pc, Use use)
{
  IS is;

  PetscFunctionBeginUser;
  PetscCall(PCSetType(pc, PCFIELDSPLIT));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(Field(use, k, &is));
    PetscCall(PCFieldSplitSetIS(pc, k ? "1" : "0", is));
    PetscCall(ISDestroy(&is));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetSubdomains(PC pc)
{
  IS is[2];

  PetscFunctionBeginUser;
  PetscCall(PCSetType(pc, PCASM));
  PetscCall(PCASMSetOverlap(pc, 0));
  PetscCall(Part(0, ROWS / 2 + 10, &is[0]));
  PetscCall(Part(ROWS / 2 - 10, ROWS, &is[1]));
  PetscCall(PCASMSetLocalSubdomains(pc, 2, is, NULL));
  for (PetscInt k = 0; k < 2; k++) PetscCall(ISDestroy(&is[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By options, so that PCs inside of others have the same */
static PetscErrorCode SetInner(const char prefix[], PetscBool ours)
{
  static const char *const where[] = {"", "fieldsplit_0_", "fieldsplit_1_", "sub_"};
  char                     option[64];

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(where); k++) {
    PetscCall(PetscSNPrintf(option, sizeof(option), "-%s%spc_type", prefix, where[k]));
    PetscCall(PetscOptionsSetValue(NULL, option, ours ? PCSYNCFREE : PCILU));
    PetscCall(PetscSNPrintf(option, sizeof(option), "-%s%sksp_type", prefix, where[k]));
    if (k) PetscCall(PetscOptionsSetValue(NULL, option, KSPPREONLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSolver(Use use, PetscBool ours, Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetOptionsPrefix(*ksp, ours ? "ours_" : "theirs_"));
  PetscCall(SetInner(ours ? "ours_" : "theirs_", ours));
  PetscCall(KSPSetTolerances(*ksp, 1.e-8, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  if (use == ALONE) PetscCall(PCSetFromOptions(pc));
  else if (use == ASM) PetscCall(SetSubdomains(pc));
  else PetscCall(SetSplit(pc, use));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ----------------------------------------------------------- comparisons ---------------------------------------------------- */

/* Applies, transposed ones where the PC has them, and solves, of [0] ours and [1] PETSc's */
static PetscErrorCode Compare(KSP ksp[2], Mat A[2], PetscBool transposed, PetscBool *agree)
{
  Vec       b[2], x[2];
  PC        pc[2];
  PetscInt  its[2] = {-1, -2};
  PetscReal distance = 1.0;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(A[k], &x[k], &b[k]));
    PetscCall(FillVector(b[k], 0.3));
    PetscCall(KSPGetPC(ksp[k], &pc[k]));
    PetscCall(KSPSetUp(ksp[k]));
    PetscCall(PCApply(pc[k], b[k], x[k]));
  }
  PetscCall(Distance(x[0], x[1], &distance));
  *agree = (PetscBool)(*agree && distance < 1.e4 * PETSC_MACHINE_EPSILON);
  for (PetscInt k = 0; k < 2 && transposed; k++) PetscCall(PCApplyTranspose(pc[k], b[k], x[k]));
  PetscCall(Distance(x[0], x[1], &distance));
  *agree = (PetscBool)(*agree && distance < 1.e4 * PETSC_MACHINE_EPSILON);
  for (PetscInt t = 0; t <= (PetscInt)transposed; t++) {
    for (PetscInt k = 0; k < 2; k++) {
      if (t) PetscCall(KSPSolveTranspose(ksp[k], b[k], x[k]));
      else PetscCall(KSPSolve(ksp[k], b[k], x[k]));
      PetscCall(KSPGetIterationNumber(ksp[k], &its[k]));
    }
    PetscCall(Distance(x[0], x[1], &distance));
    *agree = (PetscBool)(*agree && its[0] == its[1] && its[0] > 2 && distance < 1.e-6);
  }
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&b[k]));
    PetscCall(VecDestroy(&x[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pivots, and the factor's solves, which may add to a vector */
static PetscErrorCode CompareFactors(KSP ksp[2], Mat A[2], PetscBool *agree)
{
  Vec       b[2], x[2];
  PC        pc;
  Mat       F[2];
  PetscReal distance = 1.0;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(KSPGetPC(ksp[k], &pc));
    PetscCall(PCFactorGetMatrix(pc, &F[k]));
    PetscCall(MatCreateVecs(A[k], &x[k], &b[k]));
    PetscCall(FillVector(b[k], 0.6));
    PetscCall(MatGetDiagonal(F[k], x[k]));
  }
  PetscCall(Distance(x[0], x[1], &distance));
  *agree = (PetscBool)(*agree && distance < 1.e4 * PETSC_MACHINE_EPSILON);
  for (PetscInt way = 0; way < 3; way++) {
    for (PetscInt k = 0; k < 2; k++) {
      if (way == 0) PetscCall(MatSolveAdd(F[k], b[k], x[k], x[k]));
      else if (way == 1) PetscCall(MatSolveTranspose(F[k], b[k], x[k]));
      else PetscCall(MatSolveTransposeAdd(F[k], b[k], x[k], x[k]));
    }
    PetscCall(Distance(x[0], x[1], &distance));
    *agree = (PetscBool)(*agree && distance < 1.e4 * PETSC_MACHINE_EPSILON);
  }
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&b[k]));
    PetscCall(VecDestroy(&x[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* First set-up, new values, and other block sizes with new values */
static PetscErrorCode Test(Assembly how, Use use)
{
  static const PetscInt sizes[] = {1, 2, DOF, 6};
  const PetscBool       resized = (PetscBool)(use == ALONE && how != DA); /* that of a DMDA's matrix stays */
  Mat                   A[2];
  KSP                   ksp[2];
  PetscBool             first = PETSC_TRUE, again = PETSC_TRUE, other = PETSC_TRUE, factors = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(Create(how, &A[0]));
  PetscCall(FillHow(how, A[0], 1.0));
  PetscCall(MatConvert(A[0], MATSEQAIJ, MAT_INITIAL_MATRIX, &A[1]));
  for (PetscInt k = 0; k < 2; k++) PetscCall(CreateSolver(use, (PetscBool)!k, A[k], &ksp[k]));
  PetscCall(Compare(ksp, A, (PetscBool)(use == ALONE), &first));
  if (use == ALONE) PetscCall(CompareFactors(ksp, A, &factors));
  PetscCall(FillHow(how, A[0], 1.5));
  PetscCall(MatCopy(A[0], A[1], SAME_NONZERO_PATTERN));
  PetscCall(Compare(ksp, A, (PetscBool)(use == ALONE), &again));
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(sizes) && resized; s++) {
    for (PetscInt k = 0; k < 2; k++) {
      PetscCall(MatSetBlockSize(A[k], sizes[s]));
      PetscCall(MatScale(A[k], 1.1));
    }
    PetscCall(Compare(ksp, A, PETSC_TRUE, &other));
    PetscCall(CompareFactors(ksp, A, &factors));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s: first set-up %s, new values %s", assemblies[how], uses[use], first ? "agrees" : "DIFFERS",
                        again ? "agree" : "DIFFER"));
  if (use == ALONE) PetscCall(PetscPrintf(PETSC_COMM_SELF, ", factors %s", factors ? "agree" : "DIFFER"));
  if (resized) PetscCall(PetscPrintf(PETSC_COMM_SELF, ", other block sizes %s", other ? "agree" : "DIFFER"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(KSPDestroy(&ksp[k]));
    PetscCall(MatDestroy(&A[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  for (Assembly how = DA; how <= AFTERWARDS; how++) {
    for (Use use = ALONE; use <= ASM; use++) PetscCall(Test(how, use));
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/block_assembly_1.out
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -dm_mat_type aijcusparse

TEST*/
