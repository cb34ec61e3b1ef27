/*
   The public functions of the factored matrix.
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
