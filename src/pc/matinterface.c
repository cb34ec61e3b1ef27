/*
   The functions of a user on the factor Mat.
*/
#include "syncfreeimpl.h" /*I "petscsyncfree.h" I*/

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

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `PCSYNCFREE`, `MatSyncFreeSetLowerAlgorithm()`, `MatSyncFreeSetUpperAlgorithm()`,
          `MatSyncFreeSetThreshold()`, `PCSyncFreeSetAlgorithm()`
@*/
PetscErrorCode MatSyncFreeSetAlgorithm(Mat F, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscTryMethod(F, "MatSyncFreeSetAlgorithm_C", (Mat, const char[]), (F, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSyncFreeSetLowerAlgorithm - Sets the algorithm of the sweeps with the lower triangle, in place of that of `MatSyncFreeSetAlgorithm()`

  Logically Collective

  Input Parameters:
+ F    - the factored matrix
- name - the algorithm, as listed by `-help`

  Options Database Key:
. -mat_syncfree_lower_algorithm name - the algorithm of the sweeps with L

  Level: advanced

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `MatSyncFreeSetAlgorithm()`, `MatSyncFreeSetUpperAlgorithm()`,
          `MatSyncFreeGetLowerAlgorithm()`
@*/
PetscErrorCode MatSyncFreeSetLowerAlgorithm(Mat F, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscTryMethod(F, "MatSyncFreeSetLowerAlgorithm_C", (Mat, const char[]), (F, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSyncFreeGetLowerAlgorithm - Gets the algorithm of the sweeps with the lower triangle

  Not Collective

  Input Parameter:
. F - the factored matrix

  Output Parameter:
. name - after the symbolic factorization the algorithm in use, also where `auto` chose it; before that the one asked for

  Level: advanced

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `MatSyncFreeSetLowerAlgorithm()`, `MatSyncFreeGetUpperAlgorithm()`
@*/
PetscErrorCode MatSyncFreeGetLowerAlgorithm(Mat F, const char *name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscUseMethod(F, "MatSyncFreeGetLowerAlgorithm_C", (Mat, const char *[]), (F, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSyncFreeSetUpperAlgorithm - Sets the algorithm of the sweeps with the upper triangle, in place of that of `MatSyncFreeSetAlgorithm()`

  Logically Collective

  Input Parameters:
+ F    - the factored matrix
- name - the algorithm, as listed by `-help`

  Options Database Key:
. -mat_syncfree_upper_algorithm name - the algorithm of the sweeps with U

  Level: advanced

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `MatSyncFreeSetAlgorithm()`, `MatSyncFreeSetLowerAlgorithm()`,
          `MatSyncFreeGetUpperAlgorithm()`
@*/
PetscErrorCode MatSyncFreeSetUpperAlgorithm(Mat F, const char name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscTryMethod(F, "MatSyncFreeSetUpperAlgorithm_C", (Mat, const char[]), (F, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSyncFreeGetUpperAlgorithm - Gets the algorithm of the sweeps with the upper triangle

  Not Collective

  Input Parameter:
. F - the factored matrix

  Output Parameter:
. name - after the symbolic factorization the algorithm in use, also where `auto` chose it; before that the one asked for

  Level: advanced

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `MatSyncFreeSetUpperAlgorithm()`, `MatSyncFreeGetLowerAlgorithm()`
@*/
PetscErrorCode MatSyncFreeGetUpperAlgorithm(Mat F, const char *name[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscAssertPointer(name, 2);
  PetscUseMethod(F, "MatSyncFreeGetUpperAlgorithm_C", (Mat, const char *[]), (F, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSyncFreeSetThreshold - Sets the mean row length from which the algorithm `yuenyeung` gives a group of rows to whole warps

  Logically Collective

  Input Parameters:
+ F         - the factored matrix
- threshold - mean number of entries per row, the diagonal included; 0 for a file's or the built-in value

  Options Database Key:
. -mat_syncfree_threshold r - the threshold

  Level: advanced

  Note:
  Takes effect at the next numeric factorization.

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `MatSyncFreeSetAlgorithm()`, `PCSyncFreeSetThreshold()`
@*/
PetscErrorCode MatSyncFreeSetThreshold(Mat F, PetscReal threshold)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscValidLogicalCollectiveReal(F, threshold, 2);
  PetscTryMethod(F, "MatSyncFreeSetThreshold_C", (Mat, PetscReal), (F, threshold));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  MatSyncFreeSetThresholdFile - Names the file that holds the threshold of the algorithm `yuenyeung`

  Logically Collective

  Input Parameters:
+ F    - the factored matrix
- path - the file, which every process reads; `NULL` or an empty string for none

  Options Database Key:
. -mat_syncfree_threshold_file path - the file

  Level: advanced

  Note:
  Takes effect at the next numeric factorization; see `PCSyncFreeSetThresholdFile()`.

.seealso: [](ch_matrices), `MATSOLVERSYNCFREE`, `MatSyncFreeSetThreshold()`, `PCSyncFreeSetThresholdFile()`
@*/
PetscErrorCode MatSyncFreeSetThresholdFile(Mat F, const char path[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(F, MAT_CLASSID, 1);
  PetscTryMethod(F, "MatSyncFreeSetThresholdFile_C", (Mat, const char[]), (F, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
