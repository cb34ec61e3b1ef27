static char help[] = "Every option of the table, set by option and by function on PCSYNCFREE and on the factored matrix.\n\n";

#include <sptrsv.h>
#include "testing.h"

/* Every way leads to the plan: what is said last overrules */
typedef enum {
  PC_FUNCTION,
  PC_OPTION,
  MAT_FUNCTION,
  MAT_OPTION,
  WAYS
} Way;

/* A value that is not the default */
static PetscErrorCode Value(const SptrsvOption *row, char value[], size_t len)
{
  PetscFunctionBeginUser;
  switch (row->type) {
  case SPTRSV_OPTION_CHOICE: /* the second is the first with another name where the host allows no other */
    PetscCall(PetscStrncpy(value, row->choices[1], len));
    break;
  case SPTRSV_OPTION_PARAMETERS: /* zero is the default of a number */
    PetscCall(PetscSNPrintf(value, len, "%s=0", row->keys[1].name));
    break;
  case SPTRSV_OPTION_FACTOR:
    PetscCall(PetscStrncpy(value, sptrsvFactorAlgorithmGet(0) ? sptrsvFactorAlgorithmGet(0)->name : "auto", len));
    break;
  default:
    PetscCall(PetscSNPrintf(value, len, "%d", (int)PetscMin(row->most, 16.0)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The option as the PC has it after set-up; a value that ends in an error there, on the host, has arrived if it does */
static PetscErrorCode Set(Mat A, Way way, const SptrsvOption *row, const char value[], char got[], size_t len)
{
  char           option[128];
  PC             pc;
  Mat            F;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s_syncfree_%s", way == PC_OPTION ? "pc" : "mat", row->name));
  if (way == PC_OPTION || way == MAT_OPTION) PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  if (way == PC_FUNCTION) PetscCall(PCSyncFreeSetOption(pc, row->name, value));
  if (way == MAT_FUNCTION) {
    PetscCall(PCFactorSetUpMatSolverType(pc));
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatSyncFreeSetOption(F, row->name, value));
    PetscCall(MatSyncFreeGetOption(F, row->name, got, len));
    PetscCheck(!strcmp(got, value), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The factor has %s in place of %s", got, value);
  }
  if ((row->type == SPTRSV_OPTION_FACTOR && strcmp(value, "auto")) || !strcmp(value, "single")) {
    ErrorOf(ierr, PCSetUp(pc));
    PetscCall(PetscStrncpy(got, ierr ? value : "no error", len));
  } else {
    PetscCall(PCSetUp(pc));
    PetscCall(PCSyncFreeGetOption(pc, row->name, got, len));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UnknownAlgorithm(Mat A)
{
  Mat            F;
  char           value[32];
  PetscBool      same;
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(MatGetFactor(A, MATSOLVERSYNCFREE, MAT_FACTOR_ILU, &F));
  PetscCall(MatSyncFreeSetAlgorithm(F, "host"));
  ErrorOf(ierr, MatSyncFreeSetAlgorithm(F, "gauss"));
  PetscCall(MatSyncFreeGetOption(F, "algorithm", value, sizeof(value)));
  PetscCall(PetscStrcmp(value, "host", &same));
  PetscCall(Says("an unknown algorithm leaves the factor the one it has", (PetscBool)(same && ierr == PETSC_ERR_ARG_UNKNOWN_TYPE)));
  PetscCall(MatDestroy(&F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the PC is given after a set-up comes before what the factor was given, also if it is the default */
static PetscErrorCode DefaultOfPC(Mat A)
{
  PC          pc;
  Mat         F;
  char        value[32];
  const char *name;
  PetscBool   same;

  PetscFunctionBeginUser;
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSyncFreeSetAlgorithm(pc, "host"));
  PetscCall(PCSyncFreeGetAlgorithm(pc, &name));
  PetscCall(PCSyncFreeSetAlgorithm(pc, "auto"));
  PetscCall(PetscStrcmp(name, "host", &same));
  PetscCall(Says("a name outlives the choice of it", same));
  PetscCall(PCSetUp(pc));
  PetscCall(PCFactorGetMatrix(pc, &F));
  PetscCall(MatSyncFreeSetOption(F, "host_window", "64"));
  PetscCall(PCSyncFreeSetOption(pc, "host_window", "0"));
  PetscCall(MatScale(A, 2.0));
  PetscCall(PCSetUp(pc));
  PetscCall(PCSyncFreeGetOption(pc, "host_window", value, sizeof(value)));
  PetscCall(PetscStrcmp(value, "0", &same));
  PetscCall(Says("a default that the PC is given counts", same));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The factor that PCFactorSetUpMatSolverType() makes before the set-up has the PC's prefix */
static PetscErrorCode Prefix(Mat A)
{
  PC   pc;
  char value[32];

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-mine_mat_syncfree_host_window", "64"));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetOptionsPrefix(pc, "mine_"));
  PetscCall(PCSetType(pc, PCSYNCFREE));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCFactorSetUpMatSolverType(pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PCSyncFreeGetOption(pc, "host_window", value, sizeof(value)));
  PetscCall(Says("a factor made before the set-up has the prefix", (PetscBool)!strcmp(value, "64")));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscOptionsClearValue(NULL, "-mine_mat_syncfree_host_window"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EveryOption(Mat A)
{
  const SptrsvOption *row;
  char                value[64], got[64];
  PetscBool           same, all;

  PetscFunctionBeginUser;
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) {
    all = PETSC_TRUE;
    PetscCall(Value(row, value, sizeof(value)));
    for (Way way = PC_FUNCTION; way < WAYS; way++) {
      PetscCall(Set(A, way, row, value, got, sizeof(got)));
      PetscCall(PetscStrcmp(value, got, &same));
      if (!same) PetscCall(PetscPrintf(PETSC_COMM_SELF, "way %d: %s instead of %s\n", (int)way, got, value));
      all = (PetscBool)(all && same);
    }
    PetscCall(Says(row->name, all));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PCRegister_SyncFree());
  PetscCall(CreateMatrix(PETSC_COMM_SELF, MATAIJ, GRID, 5, &A));
  PetscCall(EveryOption(A));
  PetscCall(UnknownAlgorithm(A));
  PetscCall(DefaultOfPC(A));
  PetscCall(Prefix(A));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

TEST*/
