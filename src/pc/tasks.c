/*
   Options of rows put together into tasks: algorithms ata and ata-push of the sweeps, and ata of the factorization.
*/
#include "syncfreeimpl.h"

static const char *const Policies[] = {[SPTRSV_TASKS_CONCURRENCY] = "ca", [SPTRSV_TASKS_LOCALITY] = "la"};
static const char        Entries[] = "entries", Ata[] = "ata";

/* A name that stays; NULL and "" stand for auto */
PetscErrorCode SyncFreeNumericCheck(MPI_Comm comm, const char name[], const char *known[])
{
  const char *const all[] = {SyncFreeAuto, Entries, Ata};

  PetscFunctionBegin;
  if (!name || !name[0]) name = SyncFreeAuto;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(all); k++) {
    if (strcmp(all[k], name)) continue;
    *known = all[k];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "Unknown algorithm \"%s\" of the factorization, there are auto, entries and ata", name);
}

PetscBool SyncFreeTasksEqual(const SyncFreeTasks *a, const SyncFreeTasks *b)
{
  return (PetscBool)(a->policy == b->policy && a->size == b->size && a->ratio == b->ratio);
}

void SyncFreeTasksOverlay(const SyncFreeTasks *o, SyncFreeTasks *c)
{
  if (o->policy >= 0) c->policy = o->policy;
  if (o->size >= 0) c->size = o->size;
  if (o->ratio >= 0) c->ratio = o->ratio;
}

void SyncFreeTasksConvert(const SyncFreeTasks *c, SptrsvTaskOptions *tasks)
{
  tasks->policy = (SptrsvTaskPolicy)c->policy;
  tasks->size   = (int)c->size;
  tasks->ratio  = (double)c->ratio;
}

/* -pc_syncfree_... or -mat_syncfree_...; `o` keeps what is not given */
PetscErrorCode SyncFreeTasksRead(PetscOptionItems PetscOptionsObject, const char face[], SyncFreeOptions *o)
{
  const char *const algorithms[] = {SyncFreeAuto, Entries, Ata}, *const manual = "PCSyncFreeSetFactorAlgorithm";
  PetscInt          size, k;
  PetscReal         ratio;
  PetscBool         set;
  char              opt[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_factor_algorithm", face));
  PetscCall(PetscOptionsEList(opt, "Algorithm of the factorization on the GPU", manual, algorithms, 3,
                              o->numeric ? o->numeric : SyncFreeAuto, &k, &set));
  if (set) o->numeric = algorithms[k];
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_ata_policy", face));
  PetscCall(PetscOptionsEList(opt, "Rows put together into tasks (ata) by level or by neighbourhood", manual, Policies, 2,
                              Policies[PetscMax(o->tasks.policy, 0)], &k, &set));
  if (set) o->tasks.policy = k;
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_ata_size", face));
  PetscCall(PetscOptionsInt(opt, "Rows of a task (ata), 0 for Equations 1 and 2 of the paper", manual,
                            PetscMax(o->tasks.size, 0), &size, &set));
  if (set) {
    PetscCheck(size >= 0 && (int)size == size, PetscOptionsObject->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "Size of a task %" PetscInt_FMT " must be positive and an int, or 0 to leave it to a rule", size);
    o->tasks.size = size;
  }
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_ata_ratio", face));
  PetscCall(PetscOptionsReal(opt, "R of Equation 2 (ata), 0 for 1", manual, PetscMax(o->tasks.ratio, 0), &ratio, &set));
  if (set) {
    PetscCheck(ratio >= 0, PetscOptionsObject->comm, PETSC_ERR_ARG_OUTOFRANGE, "Ratio %g must not be negative", (double)ratio);
    o->tasks.ratio = ratio;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
