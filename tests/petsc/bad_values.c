static char help[] =
  "Values that break a factorization or a sweep, in every kind of place: PCSYNCFREE must do what PETSc's own ILU and ICC do on the host.\n\
Printed is how PETSc's solves end, and where ours end otherwise, or PCApply() gives other numbers.\n\
  -values names: some only; -alone: without PETSc's, which does not return from an infinite entry of A with some shifts;\n\
  -pc_factor_ options act on both.\n\n";

#include "testing.h"

enum { N = 150, MIDDLE = 40, LONG = 90 }; /* row and column LONG are full */

/* An entry of A, a pivot if on the diagonal; without a column an entry of b */
typedef struct {
  const char *name;
  PetscInt    row, col;
} Place;

static const Place places[] = {
  {"first pivot",       0,      0         },
  {"middle pivot",      MIDDLE, MIDDLE    },
  {"long row's pivot",  LONG,   LONG      },
  {"last pivot",        N - 1,  N - 1     },
  {"first row",         0,      1         },
  {"L of a middle row", MIDDLE, MIDDLE - 1},
  {"U of a middle row", MIDDLE, MIDDLE + 1},
  {"L of a long row",   LONG,   7         },
  {"U of a long row",   LONG,   N - 7     },
  {"last row",          N - 1,  N - 2     },
  {"first of b",        0,      -1        },
  {"middle of b",       MIDDLE, -1        },
  {"long row's b",      LONG,   -1        },
  {"last of b",         N - 1,  -1        }
};
#define PLACES PETSC_STATIC_ARRAY_LENGTH(places)

static const struct {
  const char *name;
  PetscScalar value;
} values[] = {
  {"zero",     0.0                  },
  {"tiny",     1.e-20               }, /* smaller than any zeropivot */
  {"denormal", PETSC_REAL_MIN / 1024}, /* its inverse overflows */
  {"huge",     PETSC_MAX_REAL / 4   }, /* its multiples overflow */
  {"nan",      NAN                  },
  {"inf",      INFINITY             },
  {"-inf",     -INFINITY            }
};

typedef struct {
  char     end[80]; /* the end of the solve, in words */
  PetscInt its;
  Vec      y, yt; /* of PCApply() and PCApplyTranspose() */
} Outcome;

/* A tridiagonal matrix with one long row and column; b ends in a zero, so that a last row of zeros leaves the system consistent */
static PetscErrorCode Create(MatType type, Mat *A, Vec *b)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, N, N, N, N));
  if (type) PetscCall(MatSetType(*A, type));
  else PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  for (PetscInt i = 0; i < N; i++) {
    for (PetscInt j = 0; j < N; j++) {
      if (i == j) PetscCall(MatSetValue(*A, i, j, i == LONG ? N : 4.0, INSERT_VALUES));
      else if (PetscAbsInt(i - j) == 1) PetscCall(MatSetValue(*A, i, j, -1.0, INSERT_VALUES));
      else if (i == LONG || j == LONG) PetscCall(MatSetValue(*A, i, j, -0.5, INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(*A, NULL, b));
  PetscCall(VecSet(*b, 1.0));
  PetscCall(VecSetValue(*b, N - 1, 0.0, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry on the diagonal is decoupled from the rows before it, so that it is the pivot */
static PetscErrorCode Spoil(Mat A, Vec b, const Place *p, PetscScalar value)
{
  PetscFunctionBeginUser;
  if (p->col < 0) {
    PetscCall(VecSetValue(b, p->row, value, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(b));
    PetscCall(VecAssemblyEnd(b));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt j = 0; j < p->row && p->row == p->col; j++) {
    if (p->row == LONG || j == LONG || j == p->row - 1) {
      PetscCall(MatSetValue(A, p->row, j, 0.0, INSERT_VALUES));
      PetscCall(MatSetValue(A, j, p->row, 0.0, INSERT_VALUES));
    }
  }
  PetscCall(MatSetValue(A, p->row, p->col, value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(MatType type, PCType pctype, MatFactorType factor, const Place *p, PetscScalar value, Outcome *o)
{
  Mat                A;
  Vec                b, x;
  KSP                ksp;
  PC                 pc;
  PCFailedReason     failed;
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(Create(type, &A, &b));
  PetscCall(Spoil(A, b, p, value));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1.e-8, PETSC_CURRENT, PETSC_CURRENT, 30));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pctype));
  PetscCall(PCSyncFreeSetFactor(pc, factor));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(VecDuplicate(b, &x));
  /* Norms near overflow, and so the end of a solve, depend on the BLAS: these values are only applied */
  if (p->row != p->col && PetscAbsScalar(value) > 1.0 && !PetscIsInfOrNanScalar(value)) PetscCall(KSPSetUp(ksp));
  else PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &o->its));
  PetscCall(PCGetFailedReason(pc, &failed));
  PetscCall(PetscSNPrintf(o->end, sizeof(o->end), "%s%s%s",
                          reason > 0 ? "CONVERGED" : reason ? KSPConvergedReasons[reason] : "applied only", failed ? ", " : "",
                          failed ? PCFailedReasons[failed] : ""));
  PetscCall(VecDuplicate(b, &o->y));
  PetscCall(VecDuplicate(b, &o->yt));
  PetscCall(PCApply(pc, b, o->y));
  PetscCall(PCApplyTranspose(pc, b, o->yt));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries are finite in both or in neither, and finite entries agree */
static PetscErrorCode Compare(Vec ours, Vec theirs, const char place[], const char what[])
{
  const PetscScalar *a, *b;
  PetscReal          most = 0.0, off = 0.0;
  PetscInt           differ = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(ours, &a));
  PetscCall(VecGetArrayRead(theirs, &b));
  for (PetscInt i = 0; i < N; i++) {
    if (PetscIsInfOrNanScalar(a[i]) || PetscIsInfOrNanScalar(b[i])) differ += PetscIsInfOrNanScalar(a[i]) != PetscIsInfOrNanScalar(b[i]);
    else {
      off  = PetscMax(off, PetscAbsScalar(a[i] - b[i]));
      most = PetscMax(most, PetscAbsScalar(b[i]));
    }
  }
  PetscCall(VecRestoreArrayRead(theirs, &b));
  PetscCall(VecRestoreArrayRead(ours, &a));
  if (differ) PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %s, %s: %" PetscInt_FMT " entries are finite in one only\n", place, what, differ));
  if (off > 1.e4 * PETSC_MACHINE_EPSILON * most) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %s, %s: off by %g of %g\n", place, what, (double)off, (double)most));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Prints solves with the same end on one line */
static PetscErrorCode Print(const Outcome *o)
{
  PetscFunctionBeginUser;
  for (size_t p = 0; p < PLACES; p++) {
    size_t first = 0, alike = 0;

    while (strcmp(o[first].end, o[p].end)) first++;
    if (first < p) continue;
    for (size_t q = p; q < PLACES; q++) alike += !strcmp(o[q].end, o[p].end);
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %s: %s", o[p].end, alike == PLACES ? "everywhere" : places[p].name));
    for (size_t q = p + 1; q < PLACES && alike < PLACES; q++) {
      if (!strcmp(o[q].end, o[p].end)) PetscCall(PetscPrintf(PETSC_COMM_SELF, ", %s", places[q].name));
    }
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Everywhere(PetscScalar value, PetscBool icc, PetscBool alone)
{
  Outcome ours[PLACES], theirs;

  PetscFunctionBeginUser;
  for (size_t p = 0; p < PLACES; p++) {
    const char *name = places[p].name;

    PetscCall(Solve(NULL, PCSYNCFREE, icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU, &places[p], value, &ours[p]));
    if (!alone) {
      PetscCall(Solve(MATSEQAIJ, icc ? PCICC : PCILU, MAT_FACTOR_NONE, &places[p], value, &theirs));
      if (strcmp(ours[p].end, theirs.end) || ours[p].its != theirs.its) {
        PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %s: ours %s, %" PetscInt_FMT " iterations, PETSc's %s, %" PetscInt_FMT "\n", name,
                              ours[p].end, ours[p].its, theirs.end, theirs.its));
      }
      PetscCall(Compare(ours[p].y, theirs.y, name, "PCApply()"));
      PetscCall(Compare(ours[p].yt, theirs.yt, name, "PCApplyTranspose()"));
      PetscCall(VecDestroy(&theirs.y));
      PetscCall(VecDestroy(&theirs.yt));
    }
    PetscCall(VecDestroy(&ours[p].y));
    PetscCall(VecDestroy(&ours[p].yt));
  }
  PetscCall(Print(ours));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Listed(const char name[], char *const list[], PetscInt n, PetscBool *listed)
{
  PetscFunctionBeginUser;
  *listed = PETSC_FALSE;
  for (PetscInt k = 0; k < n && !*listed; k++) PetscCall(PetscStrcmp(name, list[k], listed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char     *list[PETSC_STATIC_ARRAY_LENGTH(values)];
  PetscInt  n     = PETSC_STATIC_ARRAY_LENGTH(values);
  PetscBool alone = PETSC_FALSE, some, listed;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-alone", &alone, NULL));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-values", list, &n, &some));
  for (size_t v = 0; v < PETSC_STATIC_ARRAY_LENGTH(values); v++) {
    PetscCall(Listed(values[v].name, list, n, &listed));
    for (PetscInt icc = 0; icc < 2 && (listed || !some); icc++) {
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %s\n", values[v].name, icc ? "icc" : "ilu"));
      PetscCall(Everywhere(values[v].value, (PetscBool)icc, alone));
    }
  }
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFree(list[k]));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    args: -pc_factor_shift_type none
    output_file: output/bad_values_1.out
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -mat_type aijcusparse -pc_syncfree_algorithm {{auto levelorder capellini twophase yuenyeung}}

  testset: # no pivot is refused: Inf flows through the factorization
    args: -values denormal -pc_factor_shift_type none -pc_factor_zeropivot 0
    output_file: output/bad_values_zeropivot.out
    test:
      suffix: zeropivot
    test:
      suffix: gpu_zeropivot
      requires: cuda
      args: -mat_type aijcusparse

  testset:
    args: -pc_factor_shift_type inblocks -pc_factor_shift_amount 1
    output_file: output/bad_values_inblocks.out
    test:
      suffix: inblocks
    test:
      suffix: gpu_inblocks
      requires: cuda
      args: -mat_type aijcusparse

  testset:
    args: -values zero,tiny,huge,nan -pc_factor_shift_type {{nonzero positive_definite}} -pc_factor_shift_amount 1
    output_file: output/bad_values_shift.out
    test:
      suffix: shift
    test:
      suffix: gpu_shift
      requires: cuda
      args: -mat_type aijcusparse

  test: # not on the GPU: it keeps inverses alone, and one that has overflowed is a zero pivot there, also in a row that is empty else
    suffix: shift_denormal
    args: -values denormal -pc_factor_shift_type {{nonzero positive_definite}} -pc_factor_shift_amount 1

  testset:
    args: -values inf,-inf -alone -pc_factor_shift_type nonzero -pc_factor_shift_amount 1
    output_file: output/bad_values_nonzero_alone.out
    test:
      suffix: nonzero_alone
    test:
      suffix: gpu_nonzero_alone
      requires: cuda
      args: -mat_type aijcusparse

  testset:
    args: -values inf,-inf -alone -pc_factor_shift_type positive_definite
    output_file: output/bad_values_positive_definite_alone.out
    test:
      suffix: positive_definite_alone
    test:
      suffix: gpu_positive_definite_alone
      requires: cuda
      args: -mat_type aijcusparse

TEST*/
