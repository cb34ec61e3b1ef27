static char help[] =
  "SyncFree when there is no memory: PETSc's error, nothing is lost, and the call that failed works when it is repeated.\n\
  -petsc: also if it is PETSc that gets no memory; then it loses some of its own.\n\n";

#include "testing.h"
#include "../kernels/failing.h"

enum { M = 6 };
enum { SOLVE, TRANSPOSE, HALVES, RENEWED, RESULTS };

/* What a factorization gives, of two patterns one after the other */
typedef struct Life Life;
struct Life {
  Mat            A;
  Vec            b, half, x[2][RESULTS], x0[2][RESULTS]; /* x0: without failures */
  MatFactorType  factor;
  PetscViewer    viewer;
  PetscBool      spares; /* algorithm auto does without memory that only helps it to choose, and may then choose another algorithm */
  PetscInt       k;      /* the pattern */
  PC             pc;     /* of a life with PCSYNCFREE */
  Mat            F;      /* of a life with MatGetFactor() */
  IS             row, col;
  MatFactorInfo  info;
  PetscErrorCode ierr; /* of the call in which memory failed */
};

/* PETSc's allocations are counted with the library's, if they are to fail, and if they are made in a call that is tried */
static PetscBool petsc_fails = PETSC_FALSE, counts = PETSC_FALSE;
static PetscErrorCode (*petsc_malloc)(size_t, PetscBool, int, const char[], const char[], void **);
static PetscErrorCode (*petsc_realloc)(size_t, int, const char[], const char[], void **);

static PetscErrorCode Malloc(size_t bytes, PetscBool clear, int line, const char function[], const char file[], void **p)
{
  *p = NULL;
  return counts && failing_strikes() ? PETSC_ERR_MEM : (*petsc_malloc)(bytes, clear, line, function, file, p);
}

static PetscErrorCode Realloc(size_t bytes, int line, const char function[], const char file[], void **p)
{
  return counts && failing_strikes() ? PETSC_ERR_MEM : (*petsc_realloc)(bytes, line, function, file, p);
}

static PetscErrorCode MakePC(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(PCDestroy(&l->pc));
  PetscCall(PCCreate(PETSC_COMM_SELF, &l->pc));
  PetscCall(PCSetType(l->pc, PCSYNCFREE));
  PetscCall(PCSyncFreeSetFactor(l->pc, l->factor));
  PetscCall(PCSetFromOptions(l->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpPC(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(PCSetOperators(l->pc, l->A, l->A));
  PetscCall(PCSetUp(l->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ApplyPC(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(PCApply(l->pc, l->b, l->x[l->k][SOLVE]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TransposePC(Life *l) /* makes plans for the transpose */
{
  PetscFunctionBeginUser;
  PetscCall(PCApplyTranspose(l->pc, l->b, l->x[l->k][TRANSPOSE]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LeftPC(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(PCApplySymmetricLeft(l->pc, l->b, l->half));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RightPC(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(PCApplySymmetricRight(l->pc, l->half, l->x[l->k][HALVES]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewPC(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(PCView(l->pc, l->viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OptionPC(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(PCSyncFreeSetOption(l->pc, "levelorder_lanes", l->k ? "8" : "16"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AgainPC(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(PCApply(l->pc, l->b, l->x[l->k][RENEWED]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMat(Life *l)
{
  PetscFunctionBeginUser;
  if (!l->F) PetscCall(MatGetFactor(l->A, MATSOLVERSYNCFREE, l->factor, &l->F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SymbolicMat(Life *l)
{
  PetscFunctionBeginUser;
  if (l->factor == MAT_FACTOR_ICC) PetscCall(MatICCFactorSymbolic(l->F, l->A, l->row, &l->info));
  else PetscCall(MatILUFactorSymbolic(l->F, l->A, l->row, l->col, &l->info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NumericMat(Life *l)
{
  PetscFunctionBeginUser;
  if (l->factor == MAT_FACTOR_ICC) PetscCall(MatCholeskyFactorNumeric(l->F, l->A, &l->info));
  else PetscCall(MatLUFactorNumeric(l->F, l->A, &l->info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveMat(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(MatSolve(l->F, l->b, l->x[l->k][SOLVE]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TransposeMat(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(MatSolveTransposeAdd(l->F, l->b, l->b, l->x[l->k][TRANSPOSE]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LeftMat(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(MatForwardSolve(l->F, l->b, l->half));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RightMat(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(MatBackwardSolve(l->F, l->half, l->x[l->k][HALVES]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewMat(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(MatView(l->F, l->viewer));
  PetscCall(MatGetDiagonal(l->F, l->half));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OptionMat(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(MatSyncFreeSetOption(l->F, "levelorder_lanes", l->k ? "8" : "16"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AgainMat(Life *l)
{
  PetscFunctionBeginUser;
  PetscCall(MatSolve(l->F, l->b, l->x[l->k][RENEWED]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between these the matrix gets its pattern, and then new values */
typedef PetscErrorCode Step(Life *);
static const struct {
  const char *name;
  Step       *make, *first[9], *renewed[4];
} faces[] = {
  {"PC",  MakePC,  {SetUpPC, ApplyPC, TransposePC, LeftPC, RightPC, ViewPC, OptionPC},                       {SetUpPC, AgainPC}    },
  {"Mat", MakeMat, {SymbolicMat, NumericMat, SolveMat, TransposeMat, LeftMat, RightMat, ViewMat, OptionMat}, {NumericMat, AgainMat}}
};

/* Makes steps until one fails; that is repeated, if the life is to go on */
static PetscErrorCode Go(Life *l, Step *const steps[], PetscBool again)
{
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; steps[k]; k++) {
    if (l->ierr && !again) break;
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    counts = PETSC_TRUE;
    ierr   = (*steps[k])(l);
    counts = PETSC_FALSE;
    PetscCall(PetscPopErrorHandler());
    if (ierr) l->ierr = ierr;
    if (ierr && again) PetscCall((*steps[k])(l));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A life in which one allocation fails */
static PetscErrorCode Live(Life *l, size_t face, long fatal, PetscBool again)
{
  const long     blocks = failing_blocks();
  Step *const    make[] = {faces[face].make, NULL};
  PetscBool      struck;
  PetscErrorCode expected;
  char           type[32] = MATORDERINGNATURAL;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-pc_factor_mat_ordering_type", type, sizeof(type), NULL));
  l->ierr = PETSC_SUCCESS;
  failing_arm(fatal, PETSC_FALSE);
  for (l->k = 0; l->k < 2; l->k++) {
    PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, l->k ? RANDOM : GRID, M, &l->A));
    PetscCall(MatGetOrdering(l->A, type, &l->row, &l->col));
    PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "/dev/null", &l->viewer));
    PetscCall(PetscViewerPushFormat(l->viewer, PETSC_VIEWER_ASCII_INFO_DETAIL)); /* the only kind for a factored matrix */
    PetscCall(VecDuplicate(l->b, &l->half)); /* after an error PETSc leaves the vectors of PCApplySymmetricRight() locked */
    if (!l->k) PetscCall(Go(l, make, again));
    PetscCall(Go(l, faces[face].first, again));
    PetscCall(FillMatrix(l->A, l->k ? RANDOM : GRID, M, 2.0));
    PetscCall(Go(l, faces[face].renewed, again));
    PetscCall(MatDestroy(&l->A));
    PetscCall(ISDestroy(&l->row));
    PetscCall(ISDestroy(&l->col));
    PetscCall(PetscViewerDestroy(&l->viewer));
    PetscCall(VecDestroy(&l->half));
  }
  PetscCall(PCDestroy(&l->pc));
  PetscCall(MatDestroy(&l->F));
  struck = (PetscBool)failing_struck();
  expected = !struck ? PETSC_SUCCESS : petsc_fails && l->ierr ? l->ierr : PETSC_ERR_MEM; /* PETSc itself may lose the code of the error */
  PetscCheck(l->ierr == expected || (l->spares && !l->ierr), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s: error %d when allocation %ld failed", faces[face].name, (int)l->ierr, fatal);
  PetscCheck(failing_blocks() == blocks, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%ld blocks are left of a %s in which allocation %ld failed",
             failing_blocks() - blocks, faces[face].name, fatal);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Overwrites x.  Another algorithm's solution has other roundings. */
static PetscErrorCode Compare(const Life *l, Vec x, Vec x0, PetscBool *same)
{
  PetscReal error, norm;

  PetscFunctionBeginUser;
  PetscCall(VecAXPY(x, -1.0, x0));
  PetscCall(VecNorm(x, NORM_INFINITY, &error));
  PetscCall(VecNorm(x0, NORM_INFINITY, &norm));
  *same = (PetscBool)(*same && error <= (l->spares ? 1e-12 * norm : 0.0));
  PetscCall(VecSet(x, -1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends with the first life that has fewer allocations than the failing one's number */
static PetscErrorCode FailEverywhere(Life *l, size_t face)
{
  long      fatal = 0, errors = 0;
  PetscBool same = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(Live(l, face, 0, PETSC_TRUE));
  for (PetscInt k = 0; k < 2 * RESULTS; k++) PetscCall(VecCopy(l->x[k / RESULTS][k % RESULTS], l->x0[k / RESULTS][k % RESULTS]));
  do {
    PetscCall(Live(l, face, ++fatal, PETSC_FALSE));
    if (l->ierr) errors++;
    PetscCall(Live(l, face, fatal, PETSC_TRUE));
    for (PetscInt k = 0; k < 2 * RESULTS; k++)
      PetscCall(Compare(l, l->x[k / RESULTS][k % RESULTS], l->x0[k / RESULTS][k % RESULTS], &same));
  } while (failing_struck());
  failing_arm(0, PETSC_FALSE);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s\n", faces[face].name, MatFactorTypes[l->factor]));
  PetscCall(Says("memory has failed", (PetscBool)(errors > 10)));
  PetscCall(Says("the same solutions afterwards", same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Life l = {.spares = PETSC_FALSE};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-spares", &l.spares, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-petsc", &petsc_fails, NULL));
  PetscCall(PCRegister_SyncFree());
  petsc_malloc  = PetscTrMalloc;
  petsc_realloc = PetscTrRealloc;
  if (petsc_fails) {
    PetscTrMalloc  = Malloc;
    PetscTrRealloc = Realloc;
  }
  PetscCall(MatFactorInfoInitialize(&l.info));
  l.info.fill = 1.0;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, GRID, M, &l.A));
  PetscCall(MatCreateVecs(l.A, &l.b, NULL));
  PetscCall(MatDestroy(&l.A));
  PetscCall(FillVector(l.b, 0.0));
  for (PetscInt k = 0; k < 2 * RESULTS; k++) {
    PetscCall(VecDuplicate(l.b, &l.x[k / RESULTS][k % RESULTS]));
    PetscCall(VecDuplicate(l.b, &l.x0[k / RESULTS][k % RESULTS]));
  }
  for (size_t face = 0; face < PETSC_STATIC_ARRAY_LENGTH(faces); face++) {
    for (PetscInt k = 0; k < 2; k++) {
      l.factor         = k ? MAT_FACTOR_ICC : MAT_FACTOR_ILU;
      l.info.shifttype = (PetscReal)(k ? MAT_SHIFT_POSITIVE_DEFINITE : MAT_SHIFT_NONE);
      PetscCall(FailEverywhere(&l, face));
    }
  }
  for (PetscInt k = 0; k < 2 * RESULTS; k++) {
    PetscCall(VecDestroy(&l.x[k / RESULTS][k % RESULTS]));
    PetscCall(VecDestroy(&l.x0[k / RESULTS][k % RESULTS]));
  }
  PetscCall(VecDestroy(&l.b));
  PetscTrMalloc  = petsc_malloc;
  PetscTrRealloc = petsc_realloc;
  if (petsc_fails) PetscCall(PetscOptionsClearValue(NULL, "-malloc_dump")); /* it would list what PETSc's own functions lose */
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/no_memory_1.out
    args: -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: 1
    test: # an AIJ copy is factored
      suffix: baij
      args: -mat_type baij
    test:
      suffix: petsc
      args: -petsc -checkfunctionlist 0
    test:
      suffix: gpu_1
      requires: cuda
      timeoutfactor: 4
      args: -mat_type aijcusparse -spares

TEST*/
