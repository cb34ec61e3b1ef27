/*
   The public functions of the PC and of the factored matrix.
*/
#include "syncfreeimpl.h" /*I "petscsyncfree.h" I*/

/*@
  PCSyncFreeSetFactor - Sets which incomplete factorization `PCSYNCFREE` makes

  Logically Collective

  Input Parameters:
+ pc     - the preconditioner context
- factor - `MAT_FACTOR_ILU`, `MAT_FACTOR_ICC`, or `MAT_FACTOR_NONE` to let the matrix decide

  Options Database Key:
. -pc_syncfree_factor (ilu|icc) - the kind of factorization

  Level: intermediate

  Notes:
  By default the first set-up chooses `MAT_FACTOR_ICC` if the matrix is known to be symmetric positive definite, see `MatIsSPDKnown()`,
  or is a `MATSBAIJ`, otherwise `MAT_FACTOR_ILU`. `PCReset()` discards that choice.

  The default shift is that of `PCICC` or `PCILU`, according to the factorization.

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeGetFactor()`, `MatSetOption()`, `PCFactorSetShiftType()`
@*/
PetscErrorCode PCSyncFreeSetFactor(PC pc, MatFactorType factor)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(pc, factor, 2);
  PetscTryMethod(pc, "PCSyncFreeSetFactor_C", (PC, MatFactorType), (pc, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetFactor - Gets which incomplete factorization `PCSYNCFREE` makes

  Not Collective

  Input Parameter:
. pc - the preconditioner context

  Output Parameter:
. factor - `MAT_FACTOR_ILU` or `MAT_FACTOR_ICC`; `MAT_FACTOR_NONE` if the first set-up has yet to choose

  Level: intermediate

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetFactor()`
@*/
PetscErrorCode PCSyncFreeGetFactor(PC pc, MatFactorType *factor)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(factor, 2);
  PetscUseMethod(pc, "PCSyncFreeGetFactor_C", (PC, MatFactorType *), (pc, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeSetAlgorithm - Sets the algorithm of both triangular sweeps of `PCSYNCFREE`

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner context
- name - the algorithm, as listed by `-help`; `auto` leaves the choice to the library

  Options Database Key:
. -pc_syncfree_algorithm name - the algorithm of both sweeps

  Level: intermediate

  Notes:
  A host algorithm moves factorization and sweeps to the host, for every matrix type. An algorithm for GPUs needs a `MATAIJCUSPARSE`,
  `MATAIJHIPSPARSE` or `MATAIJKOKKOS`.

  Takes effect at the next set-up, which this function causes if it changes anything. The analysis of the pattern is kept unless the
  sweeps move between GPU and host.

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeGetAlgorithm()`, `PCSyncFreeSetOption()`
@*/
PetscErrorCode PCSyncFreeSetAlgorithm(PC pc, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscTryMethod(pc, "PCSyncFreeSetOption_C", (PC, const char[], const char[]), (pc, "algorithm", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetAlgorithm - Gets the algorithm set with `PCSyncFreeSetAlgorithm()`

  Not Collective

  Input Parameter:
. pc - the preconditioner context

  Output Parameter:
. name - the algorithm, `auto` if none was set

  Level: intermediate

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetAlgorithm()`, `PCSyncFreeGetOption()`
@*/
PetscErrorCode PCSyncFreeGetAlgorithm(PC pc, const char *name[])
{
  char set[64];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscCall(PCSyncFreeGetOption(pc, "algorithm", set, sizeof(set)));
  *name = SyncFreeAlgorithm(&(SyncFreeOptions){.text = {[SYNCFREE_BOTH] = set}}, SYNCFREE_BOTH); /* the table's, which lasts */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeSetOption - Sets an option that tunes an algorithm of `PCSYNCFREE`

  Logically Collective

  Input Parameters:
+ pc    - the preconditioner context
. name  - the option, as in `-pc_syncfree_NAME`
- value - its value as text; 0, the first choice, `auto` or an empty string for the default

  Options Database Key:
. -pc_syncfree_NAME value - sets the option, `-help` lists the options with their values and defaults

  Level: advanced

  Example Usage:
.vb
  PCSyncFreeSetOption(pc, "factor_algorithm", "ata");
  PCSyncFreeSetOption(pc, "ata_size", "4096");
.ve

  Notes:
  The page doc/options.md lists all options. An option begins with the name of the algorithm that it tunes, and has no effect while that
  algorithm is not in use. `lower_algorithm` and `upper_algorithm` set the algorithm of the sweeps with L or U, in place of that of
  `PCSyncFreeSetAlgorithm()`; both sweeps have to run in the same memory, on the GPU or on the host.

  Takes effect at the next set-up, which this function causes if it changes anything. An unknown name and a value out of range are errors,
  which leave all options unchanged.

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeGetOption()`, `PCSyncFreeSetAlgorithm()`, `MatSyncFreeSetOption()`
@*/
PetscErrorCode PCSyncFreeSetOption(PC pc, const char name[], const char value[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscAssertPointer(value, 3);
  PetscTryMethod(pc, "PCSyncFreeSetOption_C", (PC, const char[], const char[]), (pc, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetOption - Gets an option that tunes an algorithm of `PCSYNCFREE`

  Not Collective

  Input Parameters:
+ pc   - the preconditioner context
. name - the option, as in `-pc_syncfree_NAME`
- len  - length of `value`

  Output Parameter:
. value - as text: after set-up the value in use, also from `-mat_syncfree_NAME` or a file; before set-up the value set

  Level: advanced

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetOption()`
@*/
PetscErrorCode PCSyncFreeGetOption(PC pc, const char name[], char value[], size_t len)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscAssertPointer(value, 3);
  PetscUseMethod(pc, "PCSyncFreeGetOption_C", (PC, const char[], char[], size_t), (pc, name, value, len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSyncFreeSetAlgorithm - Sets the algorithm of the triangular sweeps of a factored matrix of solver type `MATSOLVERSYNCFREE`

  Logically Collective

  Input Parameters:
+ F    - the factored matrix, from `MatGetFactor()` or `PCFactorGetMatrix()`
- name - the algorithm, as listed by `-help`; `auto` leaves the choice to the library

  Options Database Key:
. -mat_syncfree_algorithm name - the algorithm of both sweeps; overrides this function

  Level: intermediate

  Notes:
  Takes effect at the next numeric factorization. The analysis of the pattern is kept unless the sweeps move between GPU and host.

  Under `PCSYNCFREE` use `PCSyncFreeSetAlgorithm()`, which overrides this function.

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `PCSYNCFREE`, `MatSyncFreeSetOption()`, `MatSyncFreeGetOption()`,
          `PCSyncFreeSetAlgorithm()`
@*/
PetscErrorCode MatSyncFreeSetAlgorithm(Mat F, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscTryMethod(F, "MatSyncFreeSetOption_C", (Mat, const char[], const char[]), (F, "algorithm", name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSyncFreeSetOption - Sets an option that tunes an algorithm of a factored matrix of solver type `MATSOLVERSYNCFREE`

  Logically Collective

  Input Parameters:
+ F     - the factored matrix, from `MatGetFactor()` or `PCFactorGetMatrix()`
. name  - the option, as in `-mat_syncfree_NAME`
- value - its value as text, see `PCSyncFreeSetOption()`

  Options Database Key:
. -mat_syncfree_NAME value - sets the option; overrides this function

  Level: advanced

  Note:
  Takes effect at the next numeric factorization.

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `MatSyncFreeGetOption()`, `MatSyncFreeSetAlgorithm()`, `PCSyncFreeSetOption()`
@*/
PetscErrorCode MatSyncFreeSetOption(Mat F, const char name[], const char value[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscAssertPointer(value, 3);
  PetscTryMethod(F, "MatSyncFreeSetOption_C", (Mat, const char[], const char[]), (F, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSyncFreeGetOption - Gets an option that tunes an algorithm of a factored matrix of solver type `MATSOLVERSYNCFREE`

  Not Collective

  Input Parameters:
+ F    - the factored matrix
. name - the option, as in `-mat_syncfree_NAME`
- len  - length of `value`

  Output Parameter:
. value - as text: the value in use or, if an option was set after the last factorization, the value set

  Level: advanced

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `MatSyncFreeSetOption()`
@*/
PetscErrorCode MatSyncFreeGetOption(Mat F, const char name[], char value[], size_t len)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscAssertPointer(value, 3);
  PetscUseMethod(F, "MatSyncFreeGetOption_C", (Mat, const char[], char[], size_t), (F, name, value, len));
  PetscFunctionReturn(PETSC_SUCCESS);
}
