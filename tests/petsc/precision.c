static char help[] =
  "Sweeps with values in single precision: iterations and results close to those with double ones.  On the host they are refused.\n\
  -kind (grid|blocks|random|spd), -m size, -icc, -solver_view\n\n";

#include "testing.h"

typedef struct {
  Mat         A;
  Vec         b;
  MatrixKind  kind;
  PetscInt    m;
  PetscBool   icc;
  const char *algorithm;
} Test;

enum { SOLVED, APPLIED, TRANSPOSED, RESULTS };
typedef struct {
  KSP      ksp;
  PC       pc;
  PetscInt iterations;
  Vec      x[RESULTS];
} Solver;

static PetscErrorCode SolverCreate(const Test *t, const char precision[], Solver *s)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &s->ksp));
  PetscCall(KSPSetType(s->ksp, t->icc ? KSPCG : KSPGMRES));
  PetscCall(KSPSetTolerances(s->ksp, 1e-5, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetOperators(s->ksp, t->A, t->A));
  PetscCall(KSPGetPC(s->ksp, &s->pc));
  PetscCall(PCSetType(s->pc, PCSYNCFREE));
  PetscCall(PCSyncFreeSetFactor(s->pc, t->icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCSyncFreeSetAlgorithm(s->pc, t->algorithm));
  PetscCall(PCSyncFreeSetOption(s->pc, "precision", precision));
  for (int k = 0; k < RESULTS; k++) PetscCall(VecDuplicate(t->b, &s->x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolverDestroy(Solver *s)
{
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->ksp));
  for (int k = 0; k < RESULTS; k++) PetscCall(VecDestroy(&s->x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(const Test *t, Solver *s)
{
  PetscFunctionBeginUser;
  PetscCall(KSPSolve(s->ksp, t->b, s->x[SOLVED]));
  PetscCall(KSPGetIterationNumber(s->ksp, &s->iterations));
  PetscCall(PCApply(s->pc, t->b, s->x[APPLIED]));
  PetscCall(PCApplyTranspose(s->pc, t->b, s->x[TRANSPOSED]));
  PetscCall(KSPViewFromOptions(s->ksp, NULL, "-solver_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Scalars of single precision are stored as ever: their results are the same */
static PetscErrorCode CompareResults(const Test *t, const Solver *s, const Solver *d)
{
  static const char *const what[] = {[SOLVED] = "KSPSolve()", [APPLIED] = "PCApply()", [TRANSPOSED] = "PCApplyTranspose()"};

  PetscFunctionBeginUser;
  for (int k = 0; k < RESULTS; k++) {
    PetscReal distance = 0.0;

    PetscCall(Distance(s->x[k], d->x[k], &distance));
    if (!(distance < (k == SOLVED ? 1e-4 : 1e-5)) || (distance > 0) != !PetscDefined(USE_REAL_SINGLE))
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s: off by %g\n", t->algorithm, what[k], (double)distance));
  }
  if (PetscAbsInt(s->iterations - d->iterations) > 1)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %" PetscInt_FMT " iterations, with double values %" PetscInt_FMT "\n", t->algorithm,
                          s->iterations, d->iterations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With values of the matrix, with others, and when the precision of a solver changes */
static PetscErrorCode Compare(const Test *t)
{
  Solver    s, d;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(SolverCreate(t, "single", &s));
  PetscCall(SolverCreate(t, "double", &d));
  for (PetscInt scale = 1; scale < 3; scale++) {
    PetscCall(FillMatrix(t->A, t->kind, t->m, scale));
    PetscCall(Solve(t, &s));
    PetscCall(Solve(t, &d));
    PetscCall(CompareResults(t, &s, &d));
  }
  PetscCall(PCSyncFreeSetOption(d.pc, "precision", "single"));
  PetscCall(PCSetUp(d.pc));
  PetscCall(PCApply(d.pc, t->b, d.x[APPLIED]));
  PetscCall(VecEqual(s.x[APPLIED], d.x[APPLIED], &same));
  if (!same) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: other bits once the precision is single\n", t->algorithm));
  PetscCall(SolverDestroy(&s));
  PetscCall(SolverDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A PC that refuses the precision works with the other one */
static PetscErrorCode Refusal(const Test *t)
{
  Solver         s;
  PetscErrorCode ierr;
  char           message[256] = "", value[16];

  PetscFunctionBeginUser;
  PetscCall(SolverCreate(t, "single", &s));
  PetscCall(PCSyncFreeGetOption(s.pc, "precision", value, sizeof(value)));
  PetscCall(PetscPushErrorHandler(KeepMessage, message));
  ierr = PCSetUp(s.pc);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s: %s, %s\n", t->algorithm, value, ErrorName(ierr), message));
  PetscCall(PCSyncFreeSetOption(s.pc, "precision", "double"));
  PetscCall(PCApply(s.pc, t->b, s.x[APPLIED]));
  PetscCall(SolverDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const char *const takes[] = {"auto", "levelorder", "levelset", "strips"}, *const refuses[] = {"auto", "host-threads"};
  Test                     t       = {.m = 12};
  PetscBool                gpu;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Options of this test", NULL);
  PetscCall(PetscOptionsEnum("-kind", "Matrix", NULL, MatrixKinds, (PetscEnum)t.kind, (PetscEnum *)&t.kind, NULL));
  PetscCall(PetscOptionsInt("-m", "Size of the grid", NULL, t.m, &t.m, NULL));
  PetscCall(PetscOptionsBool("-icc", "ICC in place of ILU", NULL, t.icc, &t.icc, NULL));
  PetscOptionsEnd();
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, t.kind, t.m, &t.A));
  PetscCall(MatCreateVecs(t.A, &t.b, NULL));
  PetscCall(FillVector(t.b, 0.0));
  PetscCall(PetscObjectTypeCompare((PetscObject)t.A, MATSEQAIJ, &gpu));
  gpu = (PetscBool)!gpu;
  for (size_t k = 0; gpu && k < PETSC_STATIC_ARRAY_LENGTH(takes); k++) {
    t.algorithm = takes[k];
    PetscCall(Compare(&t));
  }
  for (size_t k = 0; !gpu && k < PETSC_STATIC_ARRAY_LENGTH(refuses); k++) {
    t.algorithm = refuses[k];
    PetscCall(Refusal(&t));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Done\n"));
  PetscCall(VecDestroy(&t.b));
  PetscCall(MatDestroy(&t.A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

  testset:
    requires: cuda
    args: -mat_type aijcusparse
    output_file: output/fill_1.out
    test:
      suffix: gpu_ilu
      args: -kind {{grid blocks random}}
    test:
      suffix: gpu_icc
      args: -icc -kind spd

  test: # both sweeps, twice for each algorithm
    suffix: gpu_view
    requires: cuda
    args: -mat_type aijcusparse -solver_view
    filter: grep -c "values in single precision"

TEST*/
