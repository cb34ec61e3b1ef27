/*
   The threshold of the algorithm yuenyeung, from an option or from a file.
*/
#include "syncfreeimpl.h"
#include <sptrsv_study.h>

static const char SyncFreeVariable[] = "SYNCFREE_THRESHOLD_FILE";

static PetscBool SyncFreeHasTrait(const char name[], SptrsvTrait trait) /* false for NULL and auto */
{
  const SptrsvAlgorithm *a = sptrsvAlgorithmFind(name, SPTRSV_DEVICE);

  return (PetscBool)(a && a->traits & trait);
}

/* The algorithms of the parts count only if the sweep is split */
static PetscBool SyncFreeUsesThreshold(const char name[], const SptrsvTuning *tuning)
{
  if (!SyncFreeHasTrait(name, SPTRSV_SPLITS)) return SyncFreeHasTrait(name, SPTRSV_USES_THRESHOLD);
  return (PetscBool)(SyncFreeHasTrait(tuning->split.first, SPTRSV_USES_THRESHOLD) ||
                     SyncFreeHasTrait(tuning->split.second, SPTRSV_USES_THRESHOLD));
}

static PetscErrorCode SyncFreeThresholdRead(const char path[], const char gpu[], SyncFreeOptions *choice)
{
  double       threshold;
  char         error[PETSC_MAX_PATH_LEN + 512];
  SptrsvStatus status;

  PetscFunctionBegin;
  status = sptrsvThresholdRead(path, gpu, &threshold, error, sizeof(error));
  PetscCheck(status != SPTRSV_FILE_ERROR, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s; it must hold a threshold made by syncfree_train, see -pc_syncfree_yuenyeung_threshold_file and %s", error,
             SyncFreeVariable);
  PetscCallSptrsv(status);
  choice->tuning.yuenyeung.threshold = threshold;
  PetscCall(PetscStrncpy(choice->tuning.yuenyeung.threshold_file, path, sizeof(choice->tuning.yuenyeung.threshold_file)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SyncFreeThresholdResolve - Replaces the options of the threshold by the final value (0: the library's own) and its file ("": none)

   A value in the options overrides all files.  A file named by an option or by the environment is read with every algorithm, so that a
   mistake in the file becomes an error.  If an algorithm uses the threshold, the file must be for this GPU.  The default folders are
   searched only if an algorithm uses the threshold and no file is named.
*/
PetscErrorCode SyncFreeThresholdResolve(SyncFreeOptions *choice)
{
  const PetscBool used = (PetscBool)(SyncFreeUsesThreshold(choice->name[SYNCFREE_LOWER], &choice->tuning) ||
                                     SyncFreeUsesThreshold(choice->name[SYNCFREE_UPPER], &choice->tuning));
  char            path[PETSC_MAX_PATH_LEN], gpu[SPTRSV_NAME_LENGTH];
  PetscBool       known, named, exists;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(path, choice->tuning.yuenyeung.threshold_file, sizeof(path)));
  PetscCall(PetscArrayzero(choice->tuning.yuenyeung.threshold_file, sizeof(choice->tuning.yuenyeung.threshold_file)));
  if (choice->tuning.yuenyeung.threshold > 0) PetscFunctionReturn(PETSC_SUCCESS);
  known = (PetscBool)(used && sptrsvDeviceName(gpu, sizeof(gpu)) == SPTRSV_SUCCESS); /* SyncFreeGetLocation() reports a missing GPU */
  named = (PetscBool)(path[0] != 0);
  if (!named) PetscCall(PetscOptionsGetenv(PETSC_COMM_SELF, SyncFreeVariable, path, sizeof(path), &named));
  if (named && path[0]) {
    PetscCall(SyncFreeThresholdRead(path, known ? gpu : NULL, choice));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; known && k < SPTRSV_THRESHOLD_PLACES; k++) {
    if (sptrsvThresholdPath((SptrsvThresholdPlace)k, gpu, path, sizeof(path))) continue;
    PetscCall(PetscTestFile(path, 'r', &exists));
    if (!exists) continue;
    PetscCall(SyncFreeThresholdRead(path, gpu, choice));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
