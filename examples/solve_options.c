/* solve_options.c - The second solver has every option of the first but those that are given again with the prefix compare_. */
#include "solve.h"

static const char prefix[] = "compare_";

/* A database of which nothing was read: PetscOptionsLeftGet() then gives all of it */
PetscErrorCode OptionsOfSecond(PetscOptions *options)
{
  char    *text, **names, **values, name[PETSC_MAX_OPTION_NAME];
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetAll(NULL, &text));
  PetscCall(PetscOptionsCreate(options));
  PetscCall(PetscOptionsInsertString(*options, text));
  PetscCall(PetscFree(text));
  PetscCall(PetscOptionsLeftGet(*options, &n, &names, &values));
  for (PetscInt i = 0; i < n; i++) {
    PetscBool own;

    PetscCall(PetscStrbeginswith(names[i], prefix, &own));
    if (!own) continue;
    PetscCall(PetscSNPrintf(name, sizeof name, "-%s", names[i] + sizeof prefix - 1));
    PetscCall(PetscOptionsSetValue(*options, name, values[i]));
    PetscCall(PetscOptionsHasName(NULL, prefix, name, &own)); /* for -options_left */
  }
  PetscCall(PetscOptionsLeftRestore(*options, &n, &names, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its own option that it did not read, or one of the first solver's PC */
static PetscErrorCode MadeNoDifference(PetscOptions second, const char *name, PetscBool *unread)
{
  PetscBool own, pc, syncfree, read = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscStrbeginswith(name, prefix, &own));
  PetscCall(PetscStrbeginswith(name, "pc_", &pc));
  PetscCall(PetscStrbeginswith(name, "pc_syncfree_", &syncfree));
  if (own) PetscCall(PetscOptionsUsed(second, name + sizeof prefix - 1, &read));
  else PetscCall(PetscOptionsUsed(NULL, name, &read));
  *unread = own ? (PetscBool)!read : (PetscBool)(pc && !syncfree && read);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportUnread(PetscOptions second)
{
  char   **names;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsLeftGet(second, &n, &names, NULL));
  for (PetscInt i = 0; i < n; i++) {
    PetscBool unread = PETSC_FALSE;

    PetscCall(MadeNoDifference(second, names[i], &unread));
    if (unread) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "NOT READ by the second solver: -%s\n", names[i]));
  }
  PetscCall(PetscOptionsLeftRestore(second, &n, &names, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
