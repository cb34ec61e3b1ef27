static char help[] = "PCSYNCFREE when the kernel library gets no memory: PETSc's error, nothing is lost, and later it works.\n\n";

#include "testing.h"
#include "../kernels/failing.h"

typedef struct {
  Mat            A[2];                        /* with two patterns, for one PC one after the other */
  Vec            b, x[2], y[2], x0[2], y0[2]; /* y: with the transpose; x0, y0: without failures */
  MatFactorType  factor;
  PetscBool      spares; /* algorithm auto does without memory that only helps it to choose, and may then choose another algorithm */
  PetscBool      struck; /* an allocation has failed */
  PetscErrorCode ierr;   /* of the call in which memory failed */
} Life;

static PetscErrorCode Use(PC pc, Life *l, PetscInt k)
{
  PetscFunctionBeginUser;
  PetscCall(PCSetOperators(pc, l->A[k], l->A[k]));
  PetscCall(PCSetUp(pc));
  PetscCall(PCApply(pc, l->b, l->x[k]));
  PetscCall(PCApplyTranspose(pc, l->b, l->y[k])); /* creates plans for the transpose */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The life of a PC in which one allocation fails; the failed call is repeated, or the PC destroyed */
static PetscErrorCode Live(Life *l, long fatal, PetscBool again)
{
  const long blocks = failing_blocks();
  PC         pc;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSyncFreeSetFactor(pc, l->factor));
  PetscCall(PCSetFromOptions(pc));
  l->ierr = PETSC_SUCCESS;
  failing_arm(fatal, PETSC_FALSE);
  for (PetscInt k = 0; k < 2 && (again || !l->ierr); k++) {
    PetscErrorCode ierr;

    ErrorOf(ierr, Use(pc, l, k));
    if (ierr) {
      l->ierr = ierr;
      if (again) PetscCall(Use(pc, l, k));
    }
  }
  PetscCall(PCDestroy(&pc));
  l->struck = (PetscBool)failing_struck();
  PetscCheck(l->ierr == (l->struck ? PETSC_ERR_MEM : PETSC_SUCCESS) || (l->spares && !l->ierr), PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%s when allocation %ld failed", ErrorName(l->ierr), fatal);
  PetscCheck(failing_blocks() == blocks, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%ld blocks are left of a PC in which allocation %ld failed",
             failing_blocks() - blocks, fatal);
  failing_arm(0, PETSC_FALSE);
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
static PetscErrorCode FailEverywhere(Life *l)
{
  long      fatal = 0, errors = 0;
  PetscBool same = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(Live(l, 0, PETSC_TRUE));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(VecCopy(l->x[k], l->x0[k]));
    PetscCall(VecCopy(l->y[k], l->y0[k]));
  }
  do {
    PetscCall(Live(l, ++fatal, PETSC_FALSE));
    if (l->ierr) errors++;
    PetscCall(Live(l, fatal, PETSC_TRUE));
    for (PetscInt k = 0; k < 2; k++) {
      PetscCall(Compare(l, l->x[k], l->x0[k], &same));
      PetscCall(Compare(l, l->y[k], l->y0[k], &same));
    }
  } while (l->struck);
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
  PetscCall(PCRegister_SyncFree());
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, k ? RANDOM : GRID, 6, &l.A[k]));
    PetscCall(MatCreateVecs(l.A[k], &l.x[k], &l.y[k]));
    PetscCall(VecDuplicate(l.x[k], &l.x0[k]));
    PetscCall(VecDuplicate(l.y[k], &l.y0[k]));
  }
  PetscCall(VecDuplicate(l.x[0], &l.b));
  PetscCall(FillVector(l.b, 0.0));
  for (PetscInt k = 0; k < 2; k++) {
    l.factor = k ? MAT_FACTOR_ICC : MAT_FACTOR_ILU;
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", k ? "icc" : "ilu"));
    PetscCall(FailEverywhere(&l));
  }
  PetscCall(VecDestroy(&l.b));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&l.x[k]));
    PetscCall(VecDestroy(&l.y[k]));
    PetscCall(VecDestroy(&l.x0[k]));
    PetscCall(VecDestroy(&l.y0[k]));
    PetscCall(MatDestroy(&l.A[k]));
  }
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/no_memory_1.out
    args: -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: 1
    test:
      suffix: gpu_1
      requires: cuda
      args: -mat_type aijcusparse -spares

TEST*/
