/*
   The functions of a user on PCSYNCFREE.
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
  Unless told, the first set-up chooses `MAT_FACTOR_ICC` if the matrix is known to be symmetric positive definite, see `MatIsSPDKnown()`,
  else `MAT_FACTOR_ILU`, and `PCReset()` forgets that choice.

  The default shift is that of `PCICC` or `PCILU`, whichever is made.

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
. factor - `MAT_FACTOR_ILU` or `MAT_FACTOR_ICC`; `MAT_FACTOR_NONE` if the first set-up is still to choose

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
  A host algorithm moves factorization and sweeps to the host, whatever the matrix; an algorithm for GPUs needs a `MATAIJCUSPARSE` or
  `MATAIJHIPSPARSE`.

  Takes effect at the next set-up, which this function causes if it changes anything. The analysis of the pattern is kept unless the
  sweeps move between GPU and host.

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeGetAlgorithm()`, `PCSyncFreeSetLowerAlgorithm()`, `PCSyncFreeSetUpperAlgorithm()`,
          `PCSyncFreeSetThreshold()`
@*/
PetscErrorCode PCSyncFreeSetAlgorithm(PC pc, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscTryMethod(pc, "PCSyncFreeSetAlgorithm_C", (PC, const char[]), (pc, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetAlgorithm - Gets the algorithm that was asked for with `PCSyncFreeSetAlgorithm()`

  Not Collective

  Input Parameter:
. pc - the preconditioner context

  Output Parameter:
. name - the algorithm, `auto` if none was asked for

  Level: intermediate

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetAlgorithm()`, `PCSyncFreeGetLowerAlgorithm()`, `PCSyncFreeGetUpperAlgorithm()`
@*/
PetscErrorCode PCSyncFreeGetAlgorithm(PC pc, const char *name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscUseMethod(pc, "PCSyncFreeGetAlgorithm_C", (PC, const char *[]), (pc, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeSetLowerAlgorithm - Sets the algorithm of the sweeps with L, in place of that of `PCSyncFreeSetAlgorithm()`

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner context
- name - the algorithm, as listed by `-help`

  Options Database Key:
. -pc_syncfree_lower_algorithm name - the algorithm of the sweeps with L

  Level: advanced

  Note:
  Both sweeps have to run in the same memory, on the GPU or on the host.

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetAlgorithm()`, `PCSyncFreeGetLowerAlgorithm()`
@*/
PetscErrorCode PCSyncFreeSetLowerAlgorithm(PC pc, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscTryMethod(pc, "PCSyncFreeSetLowerAlgorithm_C", (PC, const char[]), (pc, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetLowerAlgorithm - Gets the algorithm of the sweeps with L

  Not Collective

  Input Parameter:
. pc - the preconditioner context

  Output Parameter:
. name - after set-up the algorithm in use, also where `auto` chose it; before that the one asked for

  Level: advanced

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetLowerAlgorithm()`
@*/
PetscErrorCode PCSyncFreeGetLowerAlgorithm(PC pc, const char *name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscUseMethod(pc, "PCSyncFreeGetLowerAlgorithm_C", (PC, const char *[]), (pc, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeSetUpperAlgorithm - Sets the algorithm of the sweeps with U, in place of that of `PCSyncFreeSetAlgorithm()`

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner context
- name - the algorithm, as listed by `-help`

  Options Database Key:
. -pc_syncfree_upper_algorithm name - the algorithm of the sweeps with U

  Level: advanced

  Note:
  Both sweeps have to run in the same memory, on the GPU or on the host.

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetAlgorithm()`, `PCSyncFreeGetUpperAlgorithm()`
@*/
PetscErrorCode PCSyncFreeSetUpperAlgorithm(PC pc, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscTryMethod(pc, "PCSyncFreeSetUpperAlgorithm_C", (PC, const char[]), (pc, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetUpperAlgorithm - Gets the algorithm of the sweeps with U

  Not Collective

  Input Parameter:
. pc - the preconditioner context

  Output Parameter:
. name - after set-up the algorithm in use, also where `auto` chose it; before that the one asked for

  Level: advanced

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetUpperAlgorithm()`
@*/
PetscErrorCode PCSyncFreeGetUpperAlgorithm(PC pc, const char *name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscUseMethod(pc, "PCSyncFreeGetUpperAlgorithm_C", (PC, const char *[]), (pc, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
