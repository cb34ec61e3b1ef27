static char help[] =
  "Setters, getters, options, views and the life of PCSYNCFREE, in two rounds of PetscInitialize() and PetscFinalize().\n\n";

#include <sptrsv.h>
#include "testing.h"

static PetscErrorCode IsName(PetscErrorCode (*get)(PC, const char *[]), PC pc, const char expected[], const char what[])
{
  const char *name = NULL;
  PetscBool   same;

  PetscFunctionBeginUser;
  PetscCall((*get)(pc, &name));
  PetscCall(PetscStrcmp(name, expected, &same));
  PetscCall(Says(what, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsOption(PC pc, const char name[], const char expected[], const char what[])
{
  char      value[64];
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(PCSyncFreeGetOption(pc, name, value, sizeof(value)));
  PetscCall(PetscStrcmp(value, expected, &same));
  PetscCall(Says(what, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SettersAndGetters(void)
{
  PC             pc;
  MatFactorType  factor;
  const char    *ata = sptrsvFactorAlgorithmFind("ata") ? "ata" : "auto"; /* without CUDA there is none */
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(IsName(PCSyncFreeGetAlgorithm, pc, "auto", "algorithm auto by default"));
  PetscCall(IsOption(pc, "lower_algorithm", "auto", "of L too"));
  PetscCall(PCSyncFreeGetFactor(pc, &factor));
  PetscCall(Says("kind still open", (PetscBool)(factor == MAT_FACTOR_NONE)));
  PetscCall(PCSyncFreeSetAlgorithm(pc, "host"));
  PetscCall(IsName(PCSyncFreeGetAlgorithm, pc, "host", "set to host"));
  PetscCall(IsOption(pc, "upper_algorithm", "host", "for U too"));
  PetscCall(PCSyncFreeSetOption(pc, "lower_algorithm", "auto"));
  PetscCall(IsOption(pc, "lower_algorithm", "auto", "L alone back to auto"));
  PetscCall(IsOption(pc, "upper_algorithm", "host", "U is still host"));
  PetscCall(PCSyncFreeSetOption(pc, "upper_algorithm", "auto"));
  PetscCall(IsOption(pc, "upper_algorithm", "auto", "U alone"));
  ErrorOf(ierr, PCSyncFreeSetAlgorithm(pc, "gauss"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "algorithm gauss: %s\n", ErrorName(ierr)));
  PetscCall(IsName(PCSyncFreeGetAlgorithm, pc, "host", "and nothing is changed"));
  PetscCall(PCSyncFreeSetOption(pc, "yuenyeung_threshold", "12.5"));
  PetscCall(IsOption(pc, "yuenyeung_threshold", "12.5", "threshold"));
  ErrorOf(ierr, PCSyncFreeSetOption(pc, "yuenyeung_threshold", "-1"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "threshold -1: %s\n", ErrorName(ierr)));
  PetscCall(PCSyncFreeSetOption(pc, "levelorder_lanes", "8"));
  PetscCall(IsOption(pc, "levelorder_lanes", "8", "lanes"));
  ErrorOf(ierr, PCSyncFreeSetOption(pc, "levelorder_lanes", "12"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "12 lanes: %s\n", ErrorName(ierr)));
  ErrorOf(ierr, PCSyncFreeSetOption(pc, "levelorder_warps", "-1"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "-1 warps: %s\n", ErrorName(ierr)));
  PetscCall(IsOption(pc, "factor_algorithm", "auto", "factorization auto by default"));
  PetscCall(PCSyncFreeSetOption(pc, "factor_algorithm", ata));
  ErrorOf(ierr, PCSyncFreeSetOption(pc, "factor_algorithm", "host"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "factorization host: %s\n", ErrorName(ierr)));
  PetscCall(IsOption(pc, "factor_algorithm", ata, "factorization ata"));
  PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ICC));
  PetscCall(PCSyncFreeGetFactor(pc, &factor));
  PetscCall(Says("kind icc", (PetscBool)(factor == MAT_FACTOR_ICC)));
  ErrorOf(ierr, PCSyncFreeSetFactor(pc, MAT_FACTOR_QR));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "kind qr: %s\n", ErrorName(ierr)));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(PCSyncFreeSetAlgorithm(pc, "host")); /* of another type: no effect, as everywhere in PETSc */
  ErrorOf(ierr, PCSyncFreeGetFactor(pc, &factor));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "getter on another type: %s\n", ErrorName(ierr)));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options with a prefix act, those without do not */
static PetscErrorCode Options(void)
{
  PC                 pc;
  MatFactorType      factor;
  MatFactorShiftType shift;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(
    NULL, "-mine_pc_type syncfree -mine_pc_syncfree_factor icc -mine_pc_syncfree_lower_algorithm host "
          "-mine_pc_syncfree_levelorder_warps 16 -mine_pc_syncfree_levelorder_lanes 2 -mine_pc_syncfree_yuenyeung_threshold 3 "
          "-mine_pc_factor_shift_type nonzero -pc_syncfree_factor ilu"));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetOptionsPrefix(pc, "mine_"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCSyncFreeGetFactor(pc, &factor));
  PetscCall(PCFactorGetShiftType(pc, &shift));
  PetscCall(Says("options: kind", (PetscBool)(factor == MAT_FACTOR_ICC)));
  PetscCall(IsOption(pc, "lower_algorithm", "host", "options: L"));
  PetscCall(IsOption(pc, "upper_algorithm", "auto", "options: U"));
  PetscCall(IsOption(pc, "levelorder_warps", "16", "options: warps"));
  PetscCall(IsOption(pc, "levelorder_lanes", "2", "options: lanes"));
  PetscCall(IsOption(pc, "yuenyeung_threshold", "3", "options: threshold"));
  PetscCall(Says("options: PETSc's shift", (PetscBool)(shift == MAT_SHIFT_NONZERO)));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_syncfree_factor"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compares PCApply() with PETSc's own factorization of the matrix with these values on the host */
static PetscErrorCode SameAs(PC pc, MatrixKind kind, PetscScalar scale, PetscBool icc, const char what[])
{
  Mat       H, P;
  PC        host;
  Vec       b, x, hb, hx;
  PetscReal distance = 1.0;

  PetscFunctionBeginUser;
  PetscCall(PCGetOperators(pc, NULL, &P));
  PetscCall(CreateMatrix(PETSC_COMM_SELF, MATSEQAIJ, kind, 8, &H));
  PetscCall(FillMatrix(H, kind, 8, scale));
  PetscCall(PCCreate(PETSC_COMM_SELF, &host));
  PetscCall(PCSetType(host, icc ? PCICC : PCILU));
  PetscCall(PCSetOperators(host, H, H));
  PetscCall(MatCreateVecs(P, &x, &b));
  PetscCall(MatCreateVecs(H, &hx, &hb));
  PetscCall(FillVector(b, 0.0));
  PetscCall(FillVector(hb, 0.0));
  PetscCall(PCApply(pc, b, x));
  PetscCall(PCApply(host, hb, hx));
  PetscCall(Distance(x, hx, &distance));
  PetscCall(Says(what, (PetscBool)(distance < 1.e4 * PETSC_MACHINE_EPSILON)));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&hb));
  PetscCall(VecDestroy(&hx));
  PetscCall(PCDestroy(&host));
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FactorMatrix(PC pc)
{
  Mat           F;
  MatSolverType type;
  MatFactorType factor;
  MatInfo       info;
  PetscBool     same;

  PetscFunctionBeginUser;
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatFactorGetSolverType(F, &type));
  PetscCall(PetscStrcmp(type, MATSOLVERSYNCFREE, &same));
  PetscCall(Says("the factored matrix is of solver type syncfree", same));
  PetscCall(MatGetFactorType(F, &factor));
  PetscCall(Says("and an ILU", (PetscBool)(factor == MAT_FACTOR_ILU)));
  PetscCall(MatGetInfo(F, MAT_LOCAL, &info));
  PetscCall(Says("as full as the matrix", (PetscBool)(info.nz_used == 5 * 64 - 4 * 8 && info.memory > 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Which parts of the set-up are reused while matrices, types and kinds change */
static PetscErrorCode Life(void)
{
  KSP       ksp;
  PC        pc;
  Mat       A, B, F, G;
  Vec       b, x;
  PetscBool set, same;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, GRID, 8, &A));
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, RANDOM, 8, &B));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVector(b, 0.0));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(SameAs(pc, GRID, 1.0, PETSC_FALSE, "first matrix"));
  PetscCall(FactorMatrix(pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(FillMatrix(A, GRID, 8, 3.0));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(SameAs(pc, GRID, 1.0, PETSC_FALSE, "KSPSetReusePreconditioner(): the old factor"));
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_FALSE));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(SameAs(pc, GRID, 3.0, PETSC_FALSE, "and the new one afterwards"));
  PetscCall(PCFactorGetMatrix(pc, &G));
  PetscCall(Says("in the same factored matrix", (PetscBool)(F == G)));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(SameAs(pc, RANDOM, 1.0, PETSC_FALSE, "another pattern"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(SameAs(pc, GRID, 3.0, PETSC_FALSE, "after another type"));
  PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ICC));
  PetscCall(PCSetUp(pc));
  PetscCall(SameAs(pc, GRID, 3.0, PETSC_TRUE, "icc from now on"));
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_ILU));
  PetscCall(PCSetUp(pc));
  PetscCall(SameAs(pc, RANDOM, 1.0, PETSC_FALSE, "after KSPReset(), ilu"));
  PetscCall(MatDestroy(&A)); /* the PC keeps no pointer into it */
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, SPD, 8, &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(KSPReset(ksp));
  PetscCall(PCSyncFreeSetFactor(pc, MAT_FACTOR_NONE));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(SameAs(pc, SPD, 1.0, PETSC_TRUE, "icc chosen for an SPD matrix"));
  PetscCall(FillMatrix(A, SPD, 8, 2.0));
  PetscCall(MatIsSPDKnown(A, &set, &same));
  PetscCall(Says("which assembly makes the matrix forget", (PetscBool)!set));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(SameAs(pc, SPD, 2.0, PETSC_TRUE, "but the choice is kept"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a PC's set-up told of the matrix is gone with it, also if it failed: a factor of another kind */
static PetscErrorCode OtherKind(Mat A, IS row)
{
  Mat           F;
  MatFactorInfo info;
  MatFactorType kind;

  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1.0;
  PetscCall(MatGetFactor(A, MATSOLVERSYNCFREE, MAT_FACTOR_ICC, &F));
  PetscCall(MatICCFactorSymbolic(F, A, row, &info));
  PetscCall(MatGetFactorType(F, &kind));
  PetscCall(Says("then the matrix has an ICC, too", (PetscBool)(kind == MAT_FACTOR_ICC)));
  PetscCall(MatDestroy(&F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PCSetUp_ILU() rewrites the shift for some types of matrices: the user's shift must survive a set-up that fails half-way */
static PetscErrorCode Shift(void)
{
  static const char *const types[] = {MATSEQAIJ, MATSEQAIJPERM, NULL};
  Mat                      A;
  PC                       pc;
  IS                       row, col;
  PetscErrorCode           ierr;
  MatFactorShiftType       shift;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(CreateMatrix(PETSC_COMM_SELF, types[k], GRID, 8, &A));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetType(pc, PCSYNCFREE));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCFactorSetShiftType(pc, MAT_SHIFT_NONZERO));
    PetscCall(PCFactorSetMatOrderingType(pc, "none-such")); /* is looked for once the type is changed */
    ErrorOf(ierr, PCSetUp(pc));
    PetscCall(PCFactorGetShiftType(pc, &shift));
    PetscCall(Says("the shift is what it was when a set-up failed", (PetscBool)(ierr && shift == MAT_SHIFT_NONZERO)));
    PetscCall(MatGetOrdering(A, MATORDERINGRCM, &row, &col)); /* the matrix has its own functions again */
    if (!k) PetscCall(OtherKind(A, row));
    PetscCall(ISDestroy(&row));
    PetscCall(ISDestroy(&col));
    PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGNATURAL));
    PetscCall(PCSetUp(pc));
    PetscCall(PCFactorGetShiftType(pc, &shift));
    PetscCall(Says("and when the next one did not", (PetscBool)(shift == MAT_SHIFT_NONZERO)));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The words that a user looks for in -ksp_view */
static PetscErrorCode View(void)
{
  static const char *const words[] = {"type: syncfree", "incomplete factorization ilu",
                                      "levels",         "granularity",
                                      "rows=64",        "forward sweep",
                                      "backward sweep", "rcm"};
  const char              *place;
  char                     text[8192];
  Mat                      A;
  PC                       pc;
  PetscBool                gpu;

  PetscFunctionBeginUser;
  PetscCall(CreateMatrix(PETSC_COMM_SELF, NULL, GRID, 8, &A));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCView(pc, PETSC_VIEWER_STDOUT_(PETSC_COMM_SELF))); /* before set-up */
  PetscCall(PCFactorSetMatOrderingType(pc, MATORDERINGRCM));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(ViewText(pc, sizeof(text), text));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &gpu));
  place = gpu ? "GPU" : "HOST";
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(words); k++) {
    PetscCall(Says(words[k], (PetscBool)(strstr(text, words[k]) != NULL)));
  }
  PetscCall(Says("the view says where it runs", (PetscBool)(strstr(text, place) != NULL)));
  PetscCall(Says("and how much memory it takes", (PetscBool)(strstr(text, "bytes") != NULL)));
  PetscCall(PCSyncFreeSetAlgorithm(pc, "host"));
  PetscCall(ViewText(pc, sizeof(text), text));
  PetscCall(Says("but not where after a change, until the next set-up", (PetscBool)!strstr(text, "applied on")));
  PetscCall(PCSetUp(pc));
  PetscCall(ViewText(pc, sizeof(text), text));
  PetscCall(Says("then it does", (PetscBool)(strstr(text, "applied on the HOST") != NULL)));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt code = MPI_Init(&argc, &argv);

  for (PetscInt round = 0; round < 2 && code == MPI_SUCCESS; round++) {
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, help));
    PetscCall(PCRegister_SyncFree());
    PetscCall(PCRegister_SyncFree()); /* a second call has no effect */
    PetscCall(SettersAndGetters());
    PetscCall(Options());
    PetscCall(Life());
    PetscCall(Shift());
    PetscCall(View());
    PetscCall(PetscFinalize());
  }
  return MPI_Finalize();
}

/*TEST

  test:
    suffix: 1
  test:
    suffix: dll
    args: -dll_append ${SYNCFREE_LIB}
    output_file: output/lifecycle_1.out
  test:
    suffix: gpu
    requires: cuda
    args: -mat_type aijcusparse
    output_file: output/lifecycle_1.out
  testset: # each round cites all of its sources
    filter: sed -n "/^@/p"
    args: -citations
    test:
      suffix: cited
      args: -pc_syncfree_algorithm split -pc_syncfree_split_parameters policy=cpu-cpu,level=2,first=host-threads,second=host
    test: # with a paper
      suffix: gpu_cited
      requires: cuda
      args: -mat_type aijcusparse -pc_syncfree_algorithm yuenyeung
  test: # nothing that was said goes unheard, and nothing is left over
    suffix: left
    args: -ksp_type gmres -mat_type aij -options_left
    filter: grep -i "unused"

TEST*/
