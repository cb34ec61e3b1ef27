/*
   The threshold of the algorithm yuenyeung: the value given, or else that of a file.
*/
#include "syncfreeimpl.h"
#include "threshold_places.h"

static const char Variable[] = "SYNCFREE_THRESHOLD_FILE";

PetscBool SyncFreeUsesThreshold(const char algorithm[]) /* NULL: there is none */
{
  return (PetscBool)(algorithm && !strcmp(algorithm, "yuenyeung"));
}

/* The parts' algorithms count where a sweep is split only */
static PetscBool SyncFreeChoiceUsesThreshold(const SyncFreeChoice *c)
{
  const PetscBool parts = (PetscBool)(SyncFreeUsesThreshold(c->tuning.part[0]) || SyncFreeUsesThreshold(c->tuning.part[1]));
  const PetscBool split = (PetscBool)(!strcmp(c->lower, "split") || !strcmp(c->upper, "split"));

  return (PetscBool)(SyncFreeUsesThreshold(c->lower) || SyncFreeUsesThreshold(c->upper) || (split && parts));
}

static PetscErrorCode SyncFreeThresholdRead(const char path[], const char gpu[], SyncFreeChoice *c)
{
  double       threshold;
  char         error[PETSC_MAX_PATH_LEN + 512];
  SptrsvStatus status;

  PetscFunctionBegin;
  status = sptrsvThresholdRead(path, gpu, &threshold, error, sizeof(error));
  PetscCheck(status != SPTRSV_FILE_ERROR, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s; it is to hold a threshold made by syncfree_train, see -pc_syncfree_threshold_file and %s", error, Variable);
  PetscCallSptrsv(status);
  c->threshold = (PetscReal)threshold;
  PetscCall(PetscStrncpy(c->thresholdfile, path, sizeof(c->thresholdfile)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SyncFreeThresholdResolve - Replaces what was said of the threshold by a value, 0 for the library's own, and the file that it comes from,
   "" for none.

   A value given overrules all files.  A file that an option or the environment names is read whatever the algorithms, so that a mistake in
   it shows; it must be for this GPU if one of them uses the threshold.  Default places are looked at only then.
*/
PetscErrorCode SyncFreeThresholdResolve(SyncFreeChoice *c)
{
  const PetscBool used = SyncFreeChoiceUsesThreshold(c);
  char            path[PETSC_MAX_PATH_LEN], gpu[SPTRSV_NAME_LENGTH];
  PetscBool       known, named, exists;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(path, c->thresholdfile, sizeof(path)));
  c->thresholdfile[0] = 0;
  if (c->threshold > 0) PetscFunctionReturn(PETSC_SUCCESS);
  known = (PetscBool)(used && sptrsvDeviceName(gpu, sizeof(gpu)) == SPTRSV_SUCCESS); /* that there is none will be said elsewhere */
  named = (PetscBool)(path[0] != 0);
  if (!named) PetscCall(PetscOptionsGetenv(PETSC_COMM_SELF, Variable, path, sizeof(path), &named));
  if (named && path[0]) {
    PetscCall(SyncFreeThresholdRead(path, known ? gpu : NULL, c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; known && k < SYNCFREE_PLACES; k++) {
    if (!syncfreeThresholdPlace((SyncFreePlace)k, gpu, path, sizeof(path))) continue;
    PetscCall(PetscTestFile(path, 'r', &exists));
    if (!exists) continue;
    PetscCall(SyncFreeThresholdRead(path, gpu, c));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
