/*
   Functions of the preconditioner that users call to tune an algorithm: of the factorization, of yuenyeung, of levelorder.
*/
#include "syncfreeimpl.h" /*I "petscsyncfree.h" I*/

/*@
  PCSyncFreeSetFactorAlgorithm - Sets how `PCSYNCFREE` computes the incomplete factorization on the GPU

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner context
- name - `entries` (each entry waits for those that it needs), `ata` (rows are put together into tasks), or `auto`

  Options Database Keys:
+ -pc_syncfree_factor_algorithm name - the algorithm
. -pc_syncfree_ata_policy (ca|la)    - tasks of `ata` by level or by neighbourhood, also for the sweeps
. -pc_syncfree_ata_size n            - rows of a task, 0 for Equations 1 and 2 of the paper
- -pc_syncfree_ata_ratio r           - R of Equation 2, 0 for 1

  Level: advanced

  Note:
  The factors are the same up to rounding.

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeGetFactorAlgorithm()`, `PCSyncFreeSetAlgorithm()`
@*/
PetscErrorCode PCSyncFreeSetFactorAlgorithm(PC pc, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscTryMethod(pc, "PCSyncFreeSetFactorAlgorithm_C", (PC, const char[]), (pc, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetFactorAlgorithm - Gets the algorithm set with `PCSyncFreeSetFactorAlgorithm()`

  Not Collective

  Input Parameter:
. pc - the preconditioner context

  Output Parameter:
. name - the algorithm, `auto` if none was asked for

  Level: advanced

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetFactorAlgorithm()`
@*/
PetscErrorCode PCSyncFreeGetFactorAlgorithm(PC pc, const char *name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscUseMethod(pc, "PCSyncFreeGetFactorAlgorithm_C", (PC, const char *[]), (pc, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeSetThreshold - Sets the mean row length from which the algorithm `yuenyeung` gives a group of rows to whole warps

  Logically Collective

  Input Parameters:
+ pc        - the preconditioner context
- threshold - mean number of entries per row, the diagonal included; 0 for that of a file, see `PCSyncFreeSetThresholdFile()`, or the
              built-in value

  Options Database Key:
. -pc_syncfree_threshold r - the threshold

  Level: advanced

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeGetThreshold()`, `PCSyncFreeSetThresholdFile()`, `PCSyncFreeSetAlgorithm()`
@*/
PetscErrorCode PCSyncFreeSetThreshold(PC pc, PetscReal threshold)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveReal(pc, threshold, 2);
  PetscTryMethod(pc, "PCSyncFreeSetThreshold_C", (PC, PetscReal), (pc, threshold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetThreshold - Gets the threshold of the algorithm `yuenyeung`

  Not Collective

  Input Parameter:
. pc - the preconditioner context

  Output Parameter:
. threshold - after set-up the one in use, a file's too; before it the one asked for; 0 for the built-in value

  Level: advanced

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetThreshold()`, `PCSyncFreeGetThresholdFile()`
@*/
PetscErrorCode PCSyncFreeGetThreshold(PC pc, PetscReal *threshold)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(threshold, 2);
  PetscUseMethod(pc, "PCSyncFreeGetThreshold_C", (PC, PetscReal *), (pc, threshold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeSetThresholdFile - Names the file with the threshold of the algorithm `yuenyeung` that the program `syncfree_train` wrote

  Logically Collective

  Input Parameters:
+ pc   - the preconditioner context
- path - the file, which every process reads; `NULL` or an empty string for none

  Options Database Key:
. -pc_syncfree_threshold_file path - the file

  Environmental Variable:
. `SYNCFREE_THRESHOLD_FILE` - the file, if it is not named otherwise

  Level: advanced

  Notes:
  It is read at set-up, unless `PCSyncFreeSetThreshold()` gives a value. A file that is named must be there, be well formed and, if
  `yuenyeung` is in use, have been made on this model of GPU; all else is an error.

  If no file is named and `yuenyeung` is in use, that of the GPU's model is looked for in $XDG_CONFIG_HOME/syncfree (without that variable
  ~/.config/syncfree), where `syncfree_train` writes it, and in share/syncfree beside the folder of the plugin. Without one the
  built-in value serves; `-ksp_view` tells.

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeGetThresholdFile()`, `PCSyncFreeSetThreshold()`, `PCSyncFreeSetAlgorithm()`
@*/
PetscErrorCode PCSyncFreeSetThresholdFile(PC pc, const char path[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscTryMethod(pc, "PCSyncFreeSetThresholdFile_C", (PC, const char[]), (pc, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetThresholdFile - Gets the file that the threshold of the algorithm `yuenyeung` comes from

  Not Collective

  Input Parameter:
. pc - the preconditioner context

  Output Parameter:
. path - after set-up the file in use, also where nobody named it; before it the one named; empty if there is none

  Level: advanced

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetThresholdFile()`, `PCSyncFreeGetThreshold()`
@*/
PetscErrorCode PCSyncFreeGetThresholdFile(PC pc, const char *path[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscAssertPointer(path, 2);
  PetscUseMethod(pc, "PCSyncFreeGetThresholdFile_C", (PC, const char *[]), (pc, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeSetWarps - Sets how the algorithm `levelorder` uses the GPU

  Logically Collective

  Input Parameters:
+ pc    - the preconditioner context
. warps - number of resident warps, 0 to leave it to a rule
- lanes - lanes that share a row, a power of two up to 32 (AMD: 64), 0 to leave it to a rule

  Options Database Keys:
+ -pc_syncfree_warps n - number of resident warps
- -pc_syncfree_lanes n - lanes that share a row

  Level: advanced

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeGetWarps()`, `PCSyncFreeSetAlgorithm()`
@*/
PetscErrorCode PCSyncFreeSetWarps(PC pc, PetscInt warps, PetscInt lanes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscValidLogicalCollectiveInt(pc, warps, 2);
  PetscValidLogicalCollectiveInt(pc, lanes, 3);
  PetscTryMethod(pc, "PCSyncFreeSetWarps_C", (PC, PetscInt, PetscInt), (pc, warps, lanes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PCSyncFreeGetWarps - Gets what was set with `PCSyncFreeSetWarps()`

  Not Collective

  Input Parameter:
. pc - the preconditioner context

  Output Parameters:
+ warps - number of resident warps, 0 for a rule; pass `NULL` if not needed
- lanes - lanes that share a row, 0 for a rule; pass `NULL` if not needed

  Level: advanced

.seealso: [](ch_ksp), `PCSYNCFREE`, `PCSyncFreeSetWarps()`
@*/
PetscErrorCode PCSyncFreeGetWarps(PC pc, PetscInt *warps, PetscInt *lanes)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  PetscUseMethod(pc, "PCSyncFreeGetWarps_C", (PC, PetscInt *, PetscInt *), (pc, warps, lanes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
