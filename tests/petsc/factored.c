static char help[] =
  "The factored matrix beside PETSc's: its pivots, inertia and rows, solves that add, and the zero pivot that an error names.\n\
  -vectors (standard|cuda): their type, unless it is the matrix's.\n\n";

#include "testing.h"

typedef struct {
  PetscBool   icc, face; /* face: PETSc's own PC with our MatSolverType, instead of PCSYNCFREE */
  const char *ordering;
  PetscInt    levels;
  PetscReal   zeropivot;
} Choice;

static PetscErrorCode CreatePC(const Choice *c, PetscBool ours, Mat A, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetType(*pc, ours && !c->face ? PCSYNCFREE : c->icc ? PCICC : PCILU));
  if (ours && !c->face) PetscCall(PCSyncFreeSetFactor(*pc, c->icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCFactorSetMatSolverType(*pc, ours ? MATSOLVERSYNCFREE : MATSOLVERPETSC));
  PetscCall(PCFactorSetMatOrderingType(*pc, c->ordering));
  PetscCall(PCFactorSetLevels(*pc, c->levels));
  PetscCall(PCFactorSetShiftType(*pc, MAT_SHIFT_NONE));
  if (c->zeropivot > 0.0) PetscCall(PCFactorSetZeroPivot(*pc, c->zeropivot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Agree(PetscBool good, const Choice *c, const char what[])
{
  PetscFunctionBeginUser;
  if (!good) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s, %s, %" PetscInt_FMT " levels: not as PETSc's %s\n", c->face ? "MatSolver" : "PC",
                          c->ordering, c->icc ? "icc" : "ilu", c->levels, what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pivots are those of the factor's rows, so a wrong order shows with rcm */
static PetscErrorCode Pivots(const Choice *c, Mat F, Mat G, Vec x, Vec hx)
{
  PetscReal distance = 1.0;

  PetscFunctionBeginUser;
  PetscCall(VecSet(x, 0.0));
  PetscCall(MatGetDiagonal(F, x));
  PetscCall(MatGetDiagonal(G, hx));
  PetscCall(Distance(x, hx, &distance));
  PetscCall(Agree((PetscBool)(distance < 1.e4 * PETSC_MACHINE_EPSILON), c, "pivots"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Inertia(const Choice *c, Mat F, Mat G, PetscInt *negative)
{
  PetscInt       ours[3] = {0}, theirs[3] = {0};
  PetscErrorCode ierr, expected;

  PetscFunctionBeginUser;
  ErrorOf(ierr, MatGetInertia(F, &ours[0], &ours[1], &ours[2]));
  ErrorOf(expected, MatGetInertia(G, &theirs[0], &theirs[1], &theirs[2]));
  PetscCall(Agree((PetscBool)(ierr == expected), c, "error of MatGetInertia()"));
  PetscCall(Agree((PetscBool)(ierr || (ours[0] == theirs[0] && ours[1] == theirs[1] && ours[2] == theirs[2])), c, "inertia"));
  if (!ierr) *negative = ours[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rows(const Choice *c, Mat F, Mat G)
{
  const PetscInt *i, *j, *hi, *hj;
  PetscInt        n = -1, hn = -2;
  PetscBool       done = PETSC_FALSE, hdone = PETSC_FALSE, same = PETSC_FALSE;

  PetscFunctionBeginUser;
  for (PetscInt shift = 0; shift < 2; shift++) {
    PetscCall(MatGetRowIJ(F, shift, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
    PetscCall(MatGetRowIJ(G, shift, PETSC_FALSE, PETSC_FALSE, &hn, &hi, &hj, &hdone));
    same = (PetscBool)(done && hdone && n == hn && i[n] == hi[n]);
    if (same) PetscCall(PetscArraycmp(i, hi, n + 1, &same));
    if (same) PetscCall(PetscArraycmp(j, hj, i[n] - shift, &same));
    PetscCall(Agree(same, c, shift ? "rows counted from 1" : "rows"));
    PetscCall(MatRestoreRowIJ(G, shift, PETSC_FALSE, PETSC_FALSE, &hn, &hi, &hj, &hdone));
    PetscCall(MatRestoreRowIJ(F, shift, PETSC_FALSE, PETSC_FALSE, &n, &i, &j, &done));
  }
  PetscCall(MatGetRowIJ(F, 0, PETSC_FALSE, PETSC_FALSE, &n, NULL, NULL, &done)); /* as MatGetOrdering_Natural() calls it */
  PetscCall(MatRestoreRowIJ(F, 0, PETSC_FALSE, PETSC_FALSE, NULL, NULL, NULL, &done));
  PetscCall(MatGetRowIJ(F, 0, PETSC_TRUE, PETSC_FALSE, &n, &i, &j, &done));
  if (done) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "there should be no symmetrized rows\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = y + F^-1 b and x += F^-1 b; y is in the memory of x or, with `other`, in the host's */
static PetscErrorCode Adds(const Choice *c, Mat F, Mat G, Vec x, Vec hx, Vec other)
{
  PetscErrorCode (*const add[])(Mat, Vec, Vec, Vec) = {MatSolveAdd, MatSolveTransposeAdd};
  const char *const names[]                         = {"MatSolveAdd()", "MatSolveTransposeAdd()"};
  Vec               b, y, hb, hy;
  PetscReal         distance = 1.0;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecDuplicate(other, &y));
  PetscCall(VecDuplicate(hx, &hb));
  PetscCall(VecDuplicate(hx, &hy));
  PetscCall(FillVector(b, 0.0));
  PetscCall(FillVector(hb, 0.0));
  PetscCall(FillVector(y, 0.5));
  PetscCall(FillVector(hy, 0.5));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(VecSet(x, 1.e30));
    PetscCall((*add[k])(F, b, y, x));
    PetscCall((*add[k])(G, hb, hy, hx));
    PetscCall(Distance(x, hx, &distance));
    PetscCall(Agree((PetscBool)(distance < 1.e4 * PETSC_MACHINE_EPSILON), c, names[k]));
    PetscCall((*add[k])(F, b, x, x));
    PetscCall((*add[k])(G, hb, hx, hx));
    PetscCall(Distance(x, hx, &distance));
    PetscCall(Agree((PetscBool)(distance < 1.e4 * PETSC_MACHINE_EPSILON), c, names[k]));
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&hb));
  PetscCall(VecDestroy(&hy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const Choice *c, Mat A, Mat H, const char vectors[], PetscInt *negative)
{
  PC  ours, theirs;
  Mat F, G;
  Vec x, hx;

  PetscFunctionBeginUser;
  PetscCall(CreatePC(c, PETSC_TRUE, A, &ours));
  PetscCall(CreatePC(c, PETSC_FALSE, H, &theirs));
  PetscCall(PCSetUp(ours));
  PetscCall(PCSetUp(theirs));
  PetscCall(PCFactorGetMatrix(ours, &F));
  PetscCall(PCFactorGetMatrix(theirs, &G));
  PetscCall(MatCreateVecs(A, &x, NULL));
  if (vectors[0]) PetscCall(VecSetType(x, vectors));
  PetscCall(MatCreateVecs(H, &hx, NULL));
  PetscCall(Pivots(c, F, G, x, hx));
  PetscCall(Inertia(c, F, G, negative));
  PetscCall(Rows(c, F, G));
  PetscCall(Adds(c, F, G, x, hx, x));
  PetscCall(Adds(c, F, G, x, hx, hx));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&hx));
  PetscCall(PCDestroy(&ours));
  PetscCall(PCDestroy(&theirs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row of the first zero pivot of an error is PETSc's, and so is the row on record without an error, that of the last one */
static PetscErrorCode ZeroPivots(Choice c, Mat A, Mat H)
{
  PC             pc;
  Mat            F;
  char           message[2][256] = {"", ""};
  PetscErrorCode ierr[2];
  PetscReal      pivot[2] = {0.0, 1.0};
  PetscInt       row[2]   = {-1, -2};

  PetscFunctionBeginUser;
  c.zeropivot = 3.9; /* row 0 has a pivot of 4 */
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(CreatePC(&c, (PetscBool)!k, k ? H : A, &pc));
    PetscCall(PCSetErrorIfFailure(pc, PETSC_TRUE));
    PetscCall(PetscPushErrorHandler(KeepMessage, message[k]));
    ierr[k] = PCSetUp(pc);
    PetscCall(PetscPopErrorHandler());
    PetscCall(PCDestroy(&pc));
    PetscCall(CreatePC(&c, (PetscBool)!k, k ? H : A, &pc));
    PetscCall(PCSetUp(pc));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatFactorGetErrorZeroPivot(F, &pivot[k], &row[k]));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(Agree((PetscBool)(ierr[0] == (c.icc ? PETSC_ERR_MAT_CH_ZRPVT : PETSC_ERR_MAT_LU_ZRPVT)), &c, "zero pivot as an error"));
  if (!c.icc) { /* PETSc's ICC names another row than the one that failed */
    PetscCall(Agree((PetscBool)!strcmp(message[0], message[1]), &c, "message of a zero pivot"));
    PetscCall(Agree((PetscBool)(row[0] == row[1]), &c, "last zero pivot"));
    PetscCall(Agree((PetscBool)(PetscAbsReal(pivot[0] - pivot[1]) <= 1.e4 * PETSC_MACHINE_EPSILON), &c, "value of it"));
  }
  if (!c.face) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: error: %s; on record: row %" PetscInt_FMT "\n", c.icc ? "icc" : "ilu",
                                     message[0], row[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCILU factors in place without a look at the solver type, and PCICC knows nothing of it: doc/manual.md tells so */
static PetscErrorCode InPlace(void)
{
  Mat           A, F;
  PC            pc;
  MatSolverType type;

  PetscFunctionBeginUser;
  for (PetscInt icc = 0; icc < 2; icc++) {
    const Choice c = {.icc = (PetscBool)icc, .face = PETSC_TRUE, .ordering = MATORDERINGNATURAL};

    PetscCall(CreateMatrix(PETSC_COMM_SELF, MATAIJ, SPD, 5, &A));
    PetscCall(CreatePC(&c, PETSC_TRUE, A, &pc));
    PetscCall(PCFactorSetUseInPlace(pc, PETSC_TRUE));
    PetscCall(PCSetUp(pc));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatFactorGetSolverType(F, &type));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s in place: the factor is %s\n", icc ? "icc" : "ilu",
                          F == A ? "the matrix, PETSc has factored it" : type));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const MatrixKind        kinds[]     = {GRID, RANDOM, SPD, INDEFINITE};
  static const MatOrderingType   orderings[] = {MATORDERINGNATURAL, MATORDERINGRCM};
  char                           vectors[32] = "";
  PetscInt                       count = 0, negative = 0, most = 0;
  Mat                            A, H;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-vectors", vectors, sizeof(vectors), NULL));
  for (PetscInt k = 0; k < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(kinds); k++) {
    PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, kinds[k], 7, &A));
    PetscCall(CreateMatrix(PETSC_COMM_SELF, MATAIJ, kinds[k], 7, &H));
    for (PetscInt o = 0; o < 16; o++) {
      const Choice c = {.icc      = (PetscBool)(o & 1),
                        .face     = (PetscBool)(o / 2 % 2),
                        .ordering = orderings[o / 4 % 2],
                        .levels   = o / 8};

      PetscCall(Compare(&c, A, H, vectors, &negative));
      if (kinds[k] == SPD && o < 4) PetscCall(ZeroPivots(c, A, H));
      most = PetscMax(most, negative);
      count++;
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&H));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " factors were compared\n", count));
  PetscCall(Says("one of them has negative pivots", (PetscBool)(most > 0)));
  PetscCall(InPlace());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  # PETSc's factorizations leak when they raise an error
  testset:
    filter: grep -v -e MatCholeskyFactorNumeric_SeqAIJ -e MatLUFactorNumeric_SeqAIJ
    output_file: output/factored_1.out
    test:
      suffix: 1
    test:
      suffix: gpu_1
      requires: cuda
      args: -mat_type aijcusparse
    test:
      suffix: gpu_host_vectors
      requires: cuda
      args: -mat_type aijcusparse -vectors standard
    test:
      suffix: gpu_host_matrix
      requires: cuda
      args: -mat_type aij -vectors cuda

TEST*/
