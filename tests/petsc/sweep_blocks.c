static char help[] = "Sweeps by blocks and by rows, on grids with several unknowns a point: applies, halves, iteration counts.\n\n";

#include <petscdmda.h>
#include <petscksp.h>
#include "testing.h"

/* Diffusion on a grid with densely coupled unknowns; new values for the same matrix */
static PetscErrorCode Fill(DM dm, Mat A, PetscBool symmetric, PetscScalar centre)
{
  DMDALocalInfo info;
  PetscScalar   v[7 * 6 * 6];
  MatStencil    row = {0}, col[7];

  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(dm, &info));
  for (PetscInt p = 0; p < info.mx * info.my * info.mz; p++) {
    const PetscInt at[] = {p % info.mx, p / info.mx % info.my, p / (info.mx * info.my)}, most[] = {info.mx, info.my, info.mz};
    PetscInt       n    = 1;

    row.i = at[0], row.j = at[1], row.k = at[2];
    col[0] = row;
    for (PetscInt d = 0; d < 6; d++) {
      const PetscInt step = d % 2 ? 1 : -1, to = at[d / 2] + step;

      if (to < 0 || to >= most[d / 2]) continue;
      col[n] = row;
      *(d / 2 == 0 ? &col[n].i : d / 2 == 1 ? &col[n].j : &col[n].k) = to;
      n++;
    }
    for (PetscInt f = 0; f < info.dof; f++) {
      for (PetscInt k = 0; k < n; k++) {
        for (PetscInt g = 0; g < info.dof; g++) {
          const PetscScalar near = k ? -1.0 : 0.2 * (1 + f + g), skew = symmetric ? 0.0 : 0.1 * (f - g);

          v[(f * n + k) * info.dof + g] = !k && f == g ? centre : (near + skew) / (PetscReal)info.dof;
        }
      }
    }
    PetscCall(MatSetValuesBlockedStencil(A, 1, &row, n, col, v, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *name;
  PetscInt    dof, levels;
  PetscBool   icc, rcm;
} Problem;

static PetscErrorCode CreateSolver(const Problem *p, Mat A, const char blocks[], KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, p->icc ? KSPCG : KSPGMRES));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, 200));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSyncFreeSetFactor(pc, p->icc ? MAT_FACTOR_ICC : MAT_FACTOR_ILU));
  PetscCall(PCFactorSetLevels(pc, p->levels));
  if (p->rcm) PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGRCM));
  PetscCall(PCSyncFreeSetOption(pc, "sweep_blocks", blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a PC does to a vector */
static PetscErrorCode Applied(PC pc, PetscInt way, Vec b, Vec x)
{
  PetscFunctionBeginUser;
  if (way == 0) PetscCall(PCApply(pc, b, x));
  if (way == 1) PetscCall(PCApplyTranspose(pc, b, x));
  if (way == 2) PetscCall(PCApplySymmetricLeft(pc, b, x));
  if (way == 3) PetscCall(PCApplySymmetricRight(pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The PC of one solver against that of the other, and both solves */
static PetscErrorCode Compare(KSP ksp[2], Mat A, PetscBool *applies, PetscBool *iterations)
{
  Vec       b, x[2];
  PC        pc[2];
  PetscInt  its[2];
  PetscReal distance = 0;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x[0], &b));
  PetscCall(VecDuplicate(x[0], &x[1]));
  PetscCall(FillVector(b, 0.3));
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(KSPGetPC(ksp[k], &pc[k]));
    PetscCall(KSPSetUp(ksp[k]));
  }
  for (PetscInt way = 0; way < 4; way++) {
    for (PetscInt k = 0; k < 2; k++) PetscCall(Applied(pc[k], way, b, x[k]));
    PetscCall(Distance(x[0], x[1], &distance));
    *applies = (PetscBool)(*applies && distance < 1e3 * PETSC_MACHINE_EPSILON);
  }
  for (PetscInt k = 0; k < 2; k++) {
    PetscCall(KSPSolve(ksp[k], b, x[k]));
    PetscCall(KSPGetIterationNumber(ksp[k], &its[k]));
  }
  *iterations = (PetscBool)(*iterations && its[0] == its[1] && its[0] > 2);
  for (PetscInt k = 0; k < 2; k++) PetscCall(VecDestroy(&x[k]));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view of the first solver names its blocks or, on the host, groups, which other orderings may tear; that of the second has none */
static PetscErrorCode Views(KSP ksp[2], Mat A, const Problem *p, PetscBool *right)
{
  char        text[2][4096], says[64];
  PetscViewer viewer;
  PC          pc;
  PetscBool   gpu;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 2; k++) {
    FILE *file = tmpfile();

    PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No temporary file");
    PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
    PetscCall(KSPGetPC(ksp[k], &pc));
    PetscCall(PCView(pc, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    rewind(file);
    text[k][fread(text[k], 1, sizeof(text[k]) - 1, file)] = 0;
    (void)fclose(file);
  }
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &gpu, MATSEQAIJCUSPARSE, MATSEQAIJHIPSPARSE, ""));
  PetscCall(PetscSNPrintf(says, sizeof(says), gpu ? "are in blocks of %d\n" : "rows in groups of %d,", (int)p->dof));
  *right = (PetscBool)((p->rcm || strstr(text[0], says)) && !strstr(text[1], gpu ? "in blocks of" : "in groups of"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(const Problem *p)
{
  DM        dm;
  Mat       A;
  KSP       ksp[2];
  PC        pc;
  PetscBool applies = PETSC_TRUE, iterations = PETSC_TRUE, views;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate3d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 7, 6, 5, 1, 1, 1, p->dof,
                         1, NULL, NULL, NULL, &dm));
  PetscCall(DMSetFromOptions(dm));
  PetscCall(DMSetUp(dm));
  PetscCall(DMCreateMatrix(dm, &A));
  for (PetscInt k = 0; k < 2; k++) PetscCall(CreateSolver(p, A, k ? "no" : "auto", &ksp[k]));
  PetscCall(Fill(dm, A, p->icc, 7.0));
  PetscCall(Compare(ksp, A, &applies, &iterations));
  PetscCall(Views(ksp, A, p, &views));
  PetscCall(Fill(dm, A, p->icc, 9.0)); /* new values */
  PetscCall(Compare(ksp, A, &applies, &iterations));
  for (PetscInt k = 0; k < 2; k++) { /* the options exchanged */
    PetscCall(KSPGetPC(ksp[k], &pc));
    PetscCall(PCSyncFreeSetOption(pc, "sweep_blocks", k ? "auto" : "no"));
  }
  PetscCall(Fill(dm, A, p->icc, 8.0));
  PetscCall(Compare(ksp, A, &applies, &iterations));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s, %" PetscInt_FMT " unknowns: applies %s, iterations %s, views %s\n", p->name, p->dof,
                        applies ? "agree" : "DIFFER", iterations ? "agree" : "DIFFER", views ? "agree" : "DIFFER"));
  for (PetscInt k = 0; k < 2; k++) PetscCall(KSPDestroy(&ksp[k]));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const Problem problems[] = {{"ilu(0)", 4, 0, PETSC_FALSE, PETSC_FALSE}, {"ilu(1)", 3, 1, PETSC_FALSE, PETSC_FALSE},
                                     {"icc(0)", 4, 0, PETSC_TRUE, PETSC_FALSE},  {"icc(1)", 2, 1, PETSC_TRUE, PETSC_FALSE},
                                     {"ilu(0), rcm", 5, 0, PETSC_FALSE, PETSC_TRUE}, {"icc(0), rcm", 6, 0, PETSC_TRUE, PETSC_TRUE}};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(problems); k++) PetscCall(Test(&problems[k]));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/sweep_blocks_1.out
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -dm_mat_type aijcusparse

TEST*/
