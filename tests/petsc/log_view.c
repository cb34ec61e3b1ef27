static char help[] =
  "What -log_view shows of PCSYNCFREE: its events, flops, and that an application copies and allocates nothing.\n\n";

#include "testing.h"

enum { APPLIES = 10, FACTORS = 3 };

static PetscErrorCode EventInfo(const char name[], PetscEventPerfInfo *info)
{
  PetscLogEvent event;

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventGetId(name, &event));
  PetscCheck(event >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "There is no event %s", name);
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DEFAULT, event, info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EventCounts(const char name[], int count)
{
  PetscEventPerfInfo info;

  PetscFunctionBeginUser;
  PetscCall(EventInfo(name, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s ", name));
  PetscCall(Says("called so often", (PetscBool)(info.count == count)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EventHas(const char name[], int count, PetscLogDouble flops, PetscBool gpu)
{
  PetscEventPerfInfo info;

  PetscFunctionBeginUser;
  PetscCall(EventCounts(name, count));
  PetscCall(EventInfo(name, &info));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s ", name));
  if (flops > 0.0) PetscCall(Says("with so many flops", (PetscBool)(info.flops == PETSC_FLOPS_PER_OP * flops)));
  else PetscCall(Says("with flops", (PetscBool)(info.flops > 0.0)));
#if PetscDefined(HAVE_DEVICE)
  if (info.CpuToGpuCount != 0.0 || info.GpuToCpuCount != 0.0) {
    PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "%s: %g copies to the GPU, %g from it\n", name, info.CpuToGpuCount, info.GpuToCpuCount));
  }
  if (gpu && info.GpuFlops != info.flops) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %g of %g flops on the GPU\n", name, info.GpuFlops, info.flops));
  }
#else
  (void)gpu;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns count as so many applications, in one event */
static PetscErrorCode Columns(PC pc, PetscInt n, PetscLogDouble flops, PetscBool gpu)
{
  const PetscInt columns = 3;
  Mat            B, X;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, &B));
  PetscCall(MatSetSizes(B, n, columns, n, columns));
  PetscCall(MatSetType(B, gpu ? MATDENSECUDA : MATDENSE));
  PetscCall(MatSetUp(B));
  PetscCall(MatZeroEntries(B));
  PetscCall(MatDuplicate(B, MAT_COPY_VALUES, &X));
  PetscCall(PCMatApply(pc, B, X));
  PetscCall(EventHas("SyncFreeForward", APPLIES + 1, (APPLIES + columns) * flops, gpu));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An attempt without the shift that is needed counts, too */
static PetscErrorCode Shifts(PC pc, Mat A)
{
  PetscEventPerfInfo before, after;

  PetscFunctionBeginUser;
  PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONZERO));
  PetscCall(MatSetValue(A, 0, 0, 0.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(EventInfo("SyncFreeFactor", &before));
  PetscCall(PCSetUp(pc));
  PetscCall(EventInfo("SyncFreeFactor", &after));
  PetscCall(Says("flops of all attempts", (PetscBool)(after.flops - before.flops >= 2.0 * before.flops / FACTORS)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt m = 8, off = 2 * m * (m - 1); /* entries in each strict triangle of a grid */
  Mat            A;
  Vec            b, x;
  PC             pc;
  PetscBool      gpu;
  PetscLogDouble before, after;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PCRegister_SyncFree());
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, GRID, m, &A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &gpu));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVector(b, 0.0));
  PetscCall(MatMult(A, b, x)); /* moves everything to where it is needed */
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCSetOperators(pc, A, A));
  for (PetscInt k = 0; k < FACTORS; k++) {
    PetscCall(MatScale(A, 2.0)); /* on the GPU if the matrix is there */
    PetscCall(PCSetUp(pc));
  }
  PetscCall(PCApply(pc, b, x));
  PetscCall(PetscMallocGetCurrentUsage(&before));
  for (PetscInt k = 1; k < APPLIES; k++) PetscCall(PCApply(pc, b, x));
  PetscCall(PetscMallocGetCurrentUsage(&after));
  PetscCall(Says("applications allocate nothing", (PetscBool)(after == before)));
  PetscCall(EventCounts("SyncFreeAnalysis", 1));
  PetscCall(EventCounts("SyncFreeSymbolic", 1));
  PetscCall(EventCounts("SyncFreeLevels", gpu ? 2 : 0));
  PetscCall(EventCounts("SyncFreePlan", 2));
  PetscCall(EventHas("SyncFreeFactor", FACTORS, 0.0, gpu));
  PetscCall(EventHas("SyncFreeForward", APPLIES, APPLIES * 2.0 * off, gpu));
  PetscCall(EventHas("SyncFreeBackward", APPLIES, APPLIES * (2.0 * off + m * m), gpu));
  PetscCall(EventHas("PCApply", APPLIES, APPLIES * (4.0 * off + m * m), gpu));
  PetscCall(Columns(pc, m * m, 2.0 * off, gpu));
  PetscCall(Shifts(pc, A));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    output_file: output/log_view_1.out
    test:
      suffix: 1
    test:
      suffix: gpu
      requires: cuda
      args: -mat_type aijcusparse

  testset: # every option is listed, those of published methods on request
    filter: grep -oE "^  -(pc|mat)_syncfree_[a-z_]+" | sort -u
    test:
      suffix: help
      args: -help
    test:
      suffix: help_studies
      args: -help -pc_syncfree_studies -mat_syncfree_studies

  test: # in lines that fit into a window
    suffix: help_width
    args: -help -pc_syncfree_studies -mat_syncfree_studies
    filter: grep -A2 -E "^  -(pc|mat)_syncfree_" | awk "length > 120" | wc -l

  test: # one that nothing reads is told
    suffix: no_effect
    args: -mat_type aij -info -pc_syncfree_levelorder_lanes 2 -pc_syncfree_host_threads 1
    filter: grep -o "Option .* has no effect.*" | sort -u

  test: # also if it is for an algorithm whose name begins as that in use
    suffix: no_effect_name
    args: -mat_type aij -info -pc_syncfree_algorithm host -pc_syncfree_host_window 64
    filter: grep -o "Option .* has no effect.*" | sort -u

  test: # a misspelled one is reported by PETSc, unless the other options hide it
    suffix: misspelled
    args: -mat_type aij -pc_syncfree_algoritm host -mat_syncfree_lane 2 -pc_syncfree_levelorder_lanes 2 -options_left
    filter: grep -o "Option left: name:[^ ]* value: [^ ]*"

TEST*/
