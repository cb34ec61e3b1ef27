static char help[] =
  "Patterns that change under PCSYNCFREE, which must follow as PETSc's own ILU and ICC on the host do.\n\
  -icc; -pc_factor_ options act on both.\n\n";

#include "testing.h"

enum { N = 36 };

typedef struct {
  Mat A, H; /* of the type asked for, and on the host */
  PC  ours, theirs;
  Vec b, x, hb, hx;
} Pair;

/* Row i has 4 on the diagonal and -1 in columns i - stride and i + stride, modulo N: the same number of entries for any stride */
static PetscErrorCode Fill(Mat A, PetscInt stride)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < N; i++) {
    PetscCall(MatSetValue(A, i, i, 4.0 + 0.1 * (i % 3), INSERT_VALUES));
    PetscCall(MatSetValue(A, i, (i + stride) % N, -1.0, INSERT_VALUES));
    PetscCall(MatSetValue(A, i, (i + N - stride) % N, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(MatType type, PetscInt stride, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, N, N, N, N));
  if (type) PetscCall(MatSetType(*A, type));
  else PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(Fill(*A, stride));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreatePC(Mat A, PCType type, PetscBool icc, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetType(*pc, type));
  PetscCall(PCSyncFreeSetFactor(*pc, icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCSetFromOptions(*pc));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Scale(Mat *A)
{
  return MatScale(*A, 2.0);
}

static PetscErrorCode MoreEntries(Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < N; i += 5) {
    PetscCall(MatSetValue(*A, i, (i + 7) % N, -0.5, INSERT_VALUES));
    PetscCall(MatSetValue(*A, (i + 7) % N, i, -0.5, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AnotherPreallocation(Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
  PetscCall(Fill(*A, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ResetPreallocation(Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatResetPreallocation(*A));
  PetscCall(Fill(*A, 3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NewMatrix(Mat *A)
{
  MatType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(*A, &type));
  PetscCall(MatDestroy(A));
  PetscCall(Create(type, 4, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ZeroRows(Mat *A)
{
  const PetscInt rows[] = {0, 5, N - 1};

  return MatZeroRowsColumns(*A, 3, rows, 3.0, NULL, NULL);
}

static PetscErrorCode ShortenRows(Mat *A)
{
  const PetscInt rows[] = {1, 7, N - 2};

  return MatZeroRows(*A, 3, rows, 3.0, NULL, NULL); /* leaves their diagonal */
}

/* Followed by an access to the host's values, since MatEliminateZeros() does not mark them as the newest */
static PetscErrorCode EliminateZeros(Mat *A)
{
  const PetscInt rows[] = {3, 20};

  PetscFunctionBeginUser;
  PetscCall(MatZeroRowsColumns(*A, 2, rows, 2.0, NULL, NULL));
  PetscCall(MatEliminateZeros(*A, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddPattern(Mat *A)
{
  MatType type;
  Mat     B;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(*A, &type));
  PetscCall(Create(type, 6, &B));
  PetscCall(MatAXPY(*A, 0.5, B, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *name;
  PetscErrorCode (*change)(Mat *);
} changes[] = {
  {"no change",                                            NULL                },
  {"new values",                                           Scale               },
  {"more entries",                                         MoreEntries         },
  {"MatSeqAIJSetPreallocation(), as many entries as ever", AnotherPreallocation},
  {"MatResetPreallocation(), the same number elsewhere",   ResetPreallocation  },
  {"a new matrix with the same number elsewhere",          NewMatrix           },
  {"MatZeroRowsColumns()",                                 ZeroRows            },
  {"MatEliminateZeros()",                                  EliminateZeros      },
  {"MatZeroRows()",                                        ShortenRows         },
  {"MatAXPY()",                                            AddPattern          }
};

/* The same change of the matrices of both PCs */
static PetscErrorCode Step(Pair *p, const char what[], PetscErrorCode (*change)(Mat *))
{
  MatInfo   info, hinfo;
  PetscReal distance = 1.0;

  PetscFunctionBeginUser;
  if (change) {
    PetscCall((*change)(&p->A));
    PetscCall((*change)(&p->H));
  }
  PetscCall(PCSetOperators(p->ours, p->A, p->A));
  PetscCall(PCSetOperators(p->theirs, p->H, p->H));
  PetscCall(PCApply(p->ours, p->b, p->x));
  PetscCall(PCApply(p->theirs, p->hb, p->hx));
  PetscCall(Distance(p->x, p->hx, &distance));
  PetscCall(MatGetInfo(p->A, MAT_LOCAL, &info));
  PetscCall(MatGetInfo(p->H, MAT_LOCAL, &hinfo));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %g entries: ", what, hinfo.nz_used));
  PetscCall(Says("as PETSc's", (PetscBool)(distance < 1.e4 * PETSC_MACHINE_EPSILON && info.nz_used == hinfo.nz_used)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Changes(PetscBool icc)
{
  Pair p;

  PetscFunctionBeginUser;
  PetscCall(Create(NULL, 1, &p.A));
  PetscCall(Create(MATSEQAIJ, 1, &p.H));
  PetscCall(MatCreateVecs(p.A, &p.x, &p.b));
  PetscCall(MatCreateVecs(p.H, &p.hx, &p.hb));
  PetscCall(FillVector(p.b, 0.0));
  PetscCall(FillVector(p.hb, 0.0));
  PetscCall(CreatePC(p.A, PCSYNCFREE, icc, &p.ours));
  PetscCall(CreatePC(p.H, icc ? PCICC : PCILU, icc, &p.theirs));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(changes); k++) PetscCall(Step(&p, changes[k].name, changes[k].change));
  PetscCall(PCDestroy(&p.ours));
  PetscCall(PCDestroy(&p.theirs));
  PetscCall(MatDestroy(&p.A));
  PetscCall(MatDestroy(&p.H));
  PetscCall(VecDestroy(&p.b));
  PetscCall(VecDestroy(&p.x));
  PetscCall(VecDestroy(&p.hb));
  PetscCall(VecDestroy(&p.hx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscBool icc = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-icc", &icc, NULL));
  PetscCall(Changes(icc));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/pattern_changes_1.out
    args: -pc_factor_mat_ordering_type {{natural rcm}} -pc_factor_reuse_ordering {{0 1}} -pc_factor_reuse_fill {{0 1}}
    test:
      suffix: ilu
    test:
      suffix: gpu_ilu
      requires: cuda
      args: -mat_type aijcusparse

  testset: # without the reuse of orderings, which PETSc's ICC does not do
    output_file: output/pattern_changes_1.out
    args: -icc -pc_factor_mat_ordering_type {{natural rcm}}
    test:
      suffix: icc
    test:
      suffix: gpu_icc
      requires: cuda
      args: -mat_type aijcusparse

TEST*/
