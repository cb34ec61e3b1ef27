static char help[] =
  "Factorizations by blocks of BAIJ and SBAIJ, and of AIJ if they are asked for: iteration counts of PETSc's own for blocks of 2 to 8\n\
rows, levels of fill and orderings; halves of icc; zero pivots and what is refused.\n\
  -mat_type <aij>: of the AIJ matrices\n\n";

#include "testing.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateGet() */

enum { POINTS = 7 };

/* Entries of the block that couples points i and j, small and different; of a symmetric matrix those of (j,i) are its transpose */
static PetscScalar Entry(PetscInt i, PetscInt j, PetscInt r, PetscInt c, PetscInt bs, PetscBool symmetric)
{
  const PetscBool   swap = (PetscBool)(symmetric && (j < i || (j == i && c < r)));
  const PetscInt    p = swap ? j : i, q = swap ? i : j, s = swap ? c : r, t = swap ? r : c;
  const PetscScalar small = 0.4 * ((7 * p + 3 * q + 5 * s + 11 * t) % 13 - 6) / (13.0 * bs);

  return (r == c ? (i == j ? 4.5 + 0.1 * (i % 3) : -1.0) : 0.0) + small;
}

/* Five points to a row, and blocks of all of their couplings, or of some.  type NULL: AIJ, or as the options say */
static PetscErrorCode CreateGrid(MatType type, PetscInt bs, PetscBool symmetric, PetscBool some, Mat *A)
{
  const PetscInt n = POINTS * POINTS;
  PetscBool      sbaij;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, n * bs, n * bs, n * bs, n * bs));
  PetscCall(MatSetBlockSize(*A, bs));
  PetscCall(MatSetType(*A, type ? type : MATSEQAIJ));
  if (!type) PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(PetscObjectTypeCompare((PetscObject)*A, MATSEQSBAIJ, &sbaij));
  if (sbaij) PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt x = i % POINTS, y = i / POINTS;
    const PetscInt near[] = {y > 0 ? i - POINTS : -1, x > 0 ? i - 1 : -1, i, x < POINTS - 1 ? i + 1 : -1, y < POINTS - 1 ? i + POINTS : -1};

    for (PetscInt k = 0; k < 5; k++) {
      for (PetscInt e = 0; near[k] >= 0 && e < bs * bs; e++) {
        if (some && e / bs != e % bs && (e / bs + e % bs + i + near[k]) % 3) continue;
        PetscCall(MatSetValue(*A, i * bs + e / bs, near[k] * bs + e % bs, Entry(i, near[k], e / bs, e % bs, bs, symmetric), INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PCType          type; /* of the preconditioner */
  PetscInt        levels;
  MatOrderingType ordering; /* NULL: natural */
  PetscBool       icc, halves;
  const char     *blocks; /* NULL: as the matrix has them */
} Case;

/* Without levels, and without blocks to fill up, the factor has as many entries as what it factors */
static PetscErrorCode NothingAdded(PC pc)
{
  MatInfo info;
  Mat     F;

  PetscFunctionBeginUser;
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatGetInfo(F, MAT_LOCAL, &info));
  if (info.fill_ratio_needed != 1.0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "fill ratio %g without levels\n", info.fill_ratio_needed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(Mat A, const Case *c, PetscInt *its)
{
  KSP                ksp;
  PC                 pc;
  Vec                x, b;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVector(b, 0.0));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, c->icc && !c->halves ? KSPCG : KSPGMRES));
  PetscCall(KSPSetTolerances(ksp, 1.e-9, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, c->type));
  PetscCall(PCFactorSetLevels(pc, c->levels));
  if (c->ordering) PetscCall(PCFactorSetMatOrderingType(pc, c->ordering));
  PetscCall(PCSyncFreeSetFactor(pc, c->icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU)); /* not what SBAIJ decides on */
  if (c->blocks) PetscCall(PCSyncFreeSetOption(pc, "factor_blocks", c->blocks));
  if (c->halves) PetscCall(KSPSetPCSide(ksp, PC_SYMMETRIC));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, its));
  if (reason < 0) *its = (PetscInt)reason;
  if (!strcmp(c->type, PCSYNCFREE) && !c->levels && !c->blocks) PetscCall(NothingAdded(pc));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Our factorization of A beside PETSc's of B */
static PetscErrorCode Compare(const char what[], Mat A, Mat B, Case c)
{
  PetscInt its, expected;
  Case     theirs = {c.icc ? PCICC : PCILU, c.levels, c.ordering, c.icc, c.halves, NULL};

  PetscFunctionBeginUser;
  c.type = PCSYNCFREE;
  PetscCall(Iterations(A, &c, &its));
  PetscCall(Iterations(B, &theirs, &expected));
  if (its != expected || its <= 0)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, levels %" PetscInt_FMT ", %s: %" PetscInt_FMT " iterations, PETSc's %" PetscInt_FMT "\n",
                          what, c.levels, c.ordering ? c.ordering : MATORDERINGNATURAL, its, expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's own icc of SBAIJ has no orderings, and keeps less fill than levels say: its icc of AIJ is beside ours there.  Four: of AIJ */
static PetscErrorCode Counts(PetscInt bs)
{
  Mat baij, symmetric, sbaij, aij;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(MATSEQBAIJ, bs, PETSC_FALSE, PETSC_FALSE, &baij));
  PetscCall(CreateGrid(MATSEQBAIJ, bs, PETSC_TRUE, PETSC_FALSE, &symmetric));
  PetscCall(CreateGrid(MATSEQSBAIJ, bs, PETSC_TRUE, PETSC_FALSE, &sbaij));
  PetscCall(CreateGrid(MATSEQAIJ, bs, PETSC_TRUE, PETSC_FALSE, &aij));
  for (PetscInt levels = 0; levels < 3; levels++) {
    const char *four = levels ? "4" : NULL;
    PetscCall(Compare("ilu of BAIJ", baij, baij, (Case){.levels = levels, .blocks = four}));
    PetscCall(Compare("ilu of BAIJ", baij, baij, (Case){.levels = levels, .ordering = MATORDERINGRCM}));
    PetscCall(Compare("icc of SBAIJ", sbaij, levels ? aij : sbaij, (Case){.levels = levels, .icc = PETSC_TRUE, .blocks = four}));
    PetscCall(Compare("icc of BAIJ", symmetric, aij, (Case){.levels = levels, .icc = PETSC_TRUE}));
    PetscCall(Compare("halves of icc", sbaij, aij, (Case){.levels = levels, .icc = PETSC_TRUE, .halves = PETSC_TRUE}));
    PetscCall(Compare("ilu of SBAIJ", sbaij, aij, (Case){.levels = levels}));
  }
  PetscCall(MatDestroy(&baij));
  PetscCall(MatDestroy(&symmetric));
  PetscCall(MatDestroy(&sbaij));
  PetscCall(MatDestroy(&aij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Orderings of AIJ by blocks are those of the same as BAIJ; before 3.26 PETSc does not let us make them */
static PetscErrorCode CountsOfOrderings(Mat aij, Mat baij, const char rows[])
{
  static const MatOrderingType orderings[] = {MATORDERINGRCM, MATORDERINGND, MATORDERINGQMD, MATORDERING1WD, MATORDERINGROWLENGTH};

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(orderings) && PETSC_VERSION_GE(3, 26, 0); k++) {
    for (PetscInt levels = 0; levels < 2; levels++)
      PetscCall(Compare("ilu of AIJ by blocks", aij, baij, (Case){.levels = levels, .ordering = orderings[k], .blocks = rows}));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of AIJ, some with entries that are missing, beside PETSc's of the same as BAIJ, or of AIJ if all are dense */
static PetscErrorCode CountsOfPoints(PetscInt bs, PetscBool some)
{
  Mat  aij, baij, spd, sbaij, all;
  char rows[8];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(rows, sizeof(rows), "%" PetscInt_FMT, bs));
  PetscCall(CreateGrid(NULL, bs, PETSC_FALSE, some, &aij));
  PetscCall(CreateGrid(MATSEQBAIJ, bs, PETSC_FALSE, some, &baij));
  PetscCall(CreateGrid(NULL, bs, PETSC_TRUE, some, &spd));
  PetscCall(CreateGrid(MATSEQSBAIJ, bs, PETSC_TRUE, some, &sbaij));
  for (PetscInt levels = 0; levels < 3; levels++)
    PetscCall(Compare("ilu of AIJ by blocks", aij, baij, (Case){.levels = levels, .blocks = "matrix"}));
  PetscCall(CountsOfOrderings(aij, baij, rows));
  PetscCall(Compare("icc of AIJ by blocks", spd, sbaij, (Case){.icc = PETSC_TRUE, .blocks = rows}));
  if (!some) {
    PetscCall(MatConvert(sbaij, MATSEQAIJ, MAT_INITIAL_MATRIX, &all));
    PetscCall(Compare("halves of icc of AIJ by blocks", spd, all, (Case){.icc = PETSC_TRUE, .halves = PETSC_TRUE, .blocks = rows}));
    if (bs <= 5 && PETSC_VERSION_GE(3, 26, 0)) /* PETSc orders so many equal rows as one */
      PetscCall(Compare("icc of AIJ by blocks", spd, all, (Case){.icc = PETSC_TRUE, .ordering = MATORDERINGRCM, .blocks = rows}));
    PetscCall(MatDestroy(&all));
  }
  PetscCall(MatDestroy(&aij));
  PetscCall(MatDestroy(&baij));
  PetscCall(MatDestroy(&spd));
  PetscCall(MatDestroy(&sbaij));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The message of a call that fails */
#define Refused(...)                                                                              \
  do {                                                                                            \
    char           message[256] = "no message";                                                   \
    PetscErrorCode ierr;                                                                          \
    PetscCall(PetscPushErrorHandler(KeepMessage, message));                                       \
    ierr = __VA_ARGS__;                                                                           \
    PetscCall(PetscPopErrorHandler());                                                            \
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", ErrorName(ierr), message));               \
  } while (0)

/* Blocks (0 1; 1 0) have a factor, unless pivots are taken in order; the matrix is not positive definite */
static PetscErrorCode Pivots(void)
{
  Mat            A, F;
  PC             pc;
  Vec            x, y, b;
  PCFailedReason reason;
  PetscReal      distance = 1.0;
  PetscInt       nneg, nzero, npos;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(MATSEQBAIJ, 2, PETSC_TRUE, PETSC_FALSE, &A));
  PetscCall(MatZeroEntries(A));
  for (PetscInt i = 0; i < 2 * POINTS * POINTS; i++) PetscCall(MatSetValue(A, i, i + (i % 2 ? -1 : 1), 1.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(FillVector(b, 0.0));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ICC));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCApply(pc, b, x));
  PetscCall(MatMult(A, x, y));
  PetscCall(Distance(y, b, &distance));
  PetscCall(Says("rows are exchanged", (PetscBool)(distance < 1.e-6)));
  PetscCall(PCFactorGetMatrix(pc, &F));
  Refused(MatGetDiagonal(F, x));
  Refused(MatGetInertia(F, &nneg, &nzero, &npos));
  Refused(MatForwardSolve(F, b, x));
  PetscCall(PCFactorSetPivotInBlocks(pc, PETSC_FALSE));
  PetscCall(PCFactorSetShiftAmount(pc, 0.0));
  PetscCall(MatScale(A, 2.0));
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "in order: %s\n", PCFailedReasons[reason]));
  PetscCall(PCReset(pc));
  PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ILU));
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_POSITIVE_DEFINITE));
  PetscCall(PCSetOperators(pc, A, A));
  Refused(PCSetUp(pc));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of AIJ that the matrix cannot have, and an ordering of PCILU that cuts them */
static PetscErrorCode RefusedBlocks(void)
{
  static const char *const blocks[] = {"4", "matrix", "3"};
  Mat                      A, F;
  PC                       pc;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(CreateGrid(MATSEQAIJ, k == 1 ? 9 : 3, PETSC_TRUE, (PetscBool)(k == 2), &A));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetType(pc, k == 2 ? PCILU : PCSYNCFREE));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERSYNCFREE));
    PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGRCM));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCFactorSetUpMatSolverType(pc));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatSyncFreeSetOption(F, "factor_blocks", blocks[k]));
    Refused(PCSetUp(pc));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The option without a value */
static PetscErrorCode Bare(void)
{
  PC   pc;
  char value[16];

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-bare_pc_syncfree_factor_blocks", NULL));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetOptionsPrefix(pc, "bare_"));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCSyncFreeGetOption(pc, "factor_blocks", value, sizeof(value)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "-pc_syncfree_factor_blocks: %s\n", value));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ApplyWith(PC pc, Mat A, const char blocks[], Vec b, Vec x)
{
  PetscFunctionBeginUser;
  PetscCall(PCSyncFreeSetOption(pc, "factor_blocks", blocks));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCApply(pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A PC whose option, values and pattern change is as a new one */
static PetscErrorCode Changes(void)
{
  static const struct {
    const char *blocks;
    PetscInt    pattern;
    PetscScalar scale;
  } steps[] = {{"matrix", 0, 1.0}, {"no", 0, 1.0}, {"2", 0, 1.0},      {"2", 0, 3.0},
               {"2", 1, 1.0},      {"4", 1, 1.0},  {"matrix", 1, 0.5}, {"no", 0, 1.0}};
  Mat       A[2];
  Vec       b, x, y;
  PC        pc, fresh;
  PetscReal distance = 1.0;
  PetscBool same     = PETSC_TRUE;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 2; k++) PetscCall(CreateGrid(NULL, 4, PETSC_FALSE, (PetscBool)k, &A[k]));
  PetscCall(MatCreateVecs(A[0], &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(FillVector(b, 0.0));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(steps); k++) {
    PetscCall(MatScale(A[steps[k].pattern], steps[k].scale));
    PetscCall(ApplyWith(pc, A[steps[k].pattern], steps[k].blocks, b, x));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &fresh));
    PetscCall(PCSetType(fresh, PCSYNCFREE));
    PetscCall(ApplyWith(fresh, A[steps[k].pattern], steps[k].blocks, b, y));
    PetscCall(PCDestroy(&fresh));
    PetscCall(Distance(x, y, &distance));
    if (!(distance < 1.e3 * PETSC_MACHINE_EPSILON)) same = PETSC_FALSE;
  }
  PetscCall(Says("after changes it is as a new one", same));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  for (PetscInt k = 0; k < 2; k++) PetscCall(MatDestroy(&A[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Applies of one set-up do not factor again */
static PetscErrorCode States(MatType type)
{
  Mat              A;
  PC               pc;
  PetscObjectState before, after;

  PetscFunctionBeginUser;
  PetscCall(CreateGrid(type, 3, PETSC_TRUE, PETSC_FALSE, &A));
  PetscCall(PetscObjectStateGet((PetscObject)A, &before));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PetscObjectStateGet((PetscObject)A, &after));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: ", type));
  PetscCall(Says("the matrix counts as unchanged", (PetscBool)(before == after)));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  for (PetscInt bs = 2; bs <= 8; bs++) {
    PetscCall(Counts(bs));
    PetscCall(CountsOfPoints(bs, PETSC_FALSE));
    PetscCall(CountsOfPoints(bs, PETSC_TRUE));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "iteration counts were compared\n"));
  PetscCall(Pivots());
  PetscCall(RefusedBlocks());
  PetscCall(Bare());
  PetscCall(Changes());
  PetscCall(States(MATSEQBAIJ));
  PetscCall(States(MATSEQSBAIJ));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/block_levels_1.out
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -mat_type aijcusparse

TEST*/
