/*
   Options of the algorithms host-threads and split.
*/
#include "syncfreeimpl.h"

static const char *const SyncFreePolicies[] = {
  [SPTRSV_SPLIT_AUTO] = "auto",
  [SPTRSV_SPLIT_CPU] = "cpu",
  [SPTRSV_SPLIT_GPU] = "gpu",
  [SPTRSV_SPLIT_CPU_GPU] = "cpu-gpu",
  [SPTRSV_SPLIT_GPU_CPU] = "gpu-cpu",
  [SPTRSV_SPLIT_CPU_CPU] = "cpu-cpu",
  [SPTRSV_SPLIT_GPU_GPU] = "gpu-gpu"
};

static const struct {
  const char *name, *text;
  size_t      member; /* of SptrsvPlanOptions: an int */
} SyncFreeCounts[SYNCFREE_COUNTS] = {
  {"threads", "Threads (host-threads), 0 for the processors the process may use",
   offsetof(SptrsvPlanOptions, tuning.host.threads)},
  {"thread_entries", "Entries of a level for each thread (host-threads), 0 for a rule",
   offsetof(SptrsvPlanOptions, tuning.host.threads_entries)},
  {"split_level", "Levels of the first part (split, with a policy), 0 for the policy's rule",
   offsetof(SptrsvPlanOptions, tuning.split.level)},
  {"split_min_levels", "Levels up to which CPU and GPU do not share (split: t), 0 for 40",
   offsetof(SptrsvPlanOptions, tuning.split.min_levels)},
  {"split_min_rows", "Rows below which CPU and GPU do not share (split: s), 0 for 10000",
   offsetof(SptrsvPlanOptions, tuning.split.min_rows)},
  {"split_parallel_rows", "Rows that make a level parallel-friendly (split: m), 0 for 200",
   offsetof(SptrsvPlanOptions, tuning.split.parallel_rows)},
  {"split_column_rounds", "Rounds of a warp that a GPU-GPU split saves at least (split: c), 0 for 100",
   offsetof(SptrsvPlanOptions, tuning.split.column_rounds)},
  {"split_row_rounds", "Rows of so many rounds stay in the first part of GPU-GPU (split: d), 0 for 75",
   offsetof(SptrsvPlanOptions, tuning.split.row_rounds)},
  {"split_good_rows", "Rows of a level that CPU-CPU is cut behind (split: n_good), 0 for 10",
   offsetof(SptrsvPlanOptions, tuning.split.good_rows)}
};

static const struct {
  const char *name, *text;
  size_t      member; /* of SptrsvPlanOptions: a double */
} SyncFreeShares[SYNCFREE_SHARES] = {
  {"split_serial_levels", "Serial-friendly levels that CPU and GPU share for, % (split: u), 0 for 10",
   offsetof(SptrsvPlanOptions, tuning.split.serial_levels)},
  {"split_parallel_share", "Rows in parallel-friendly levels that they share for, % (split: v), 0 for 60",
   offsetof(SptrsvPlanOptions, tuning.split.parallel_share)},
  {"split_gpu_serial_levels", "Most serial-friendly levels in the GPU's part, % (split: a), 0 for 10",
   offsetof(SptrsvPlanOptions, tuning.split.gpu_serial_levels)},
  {"split_gpu_parallel_share", "Least rows of parallel-friendly levels in it, % (split: b), 0 for 85",
   offsetof(SptrsvPlanOptions, tuning.split.gpu_parallel_share)},
  {"split_bad_share", "Most rows in small levels before the cut of CPU-CPU, % (split: f_bad), 0 for 1",
   offsetof(SptrsvPlanOptions, tuning.split.bad_share)}
};

PetscBool SyncFreeTuningEqual(const SyncFreeTuning *a, const SyncFreeTuning *b)
{
  PetscBool same = (PetscBool)(a->policy == b->policy);

  for (PetscInt k = 0; k < SYNCFREE_COUNTS; k++) same = (PetscBool)(same && a->count[k] == b->count[k]);
  for (PetscInt k = 0; k < SYNCFREE_SHARES; k++) same = (PetscBool)(same && a->share[k] == b->share[k]);
  for (PetscInt k = 0; k < 2; k++) same = (PetscBool)(same && a->part[k] == b->part[k]);
  return same;
}

void SyncFreeTuningOverlay(const SyncFreeTuning *o, SyncFreeTuning *t)
{
  if (o->policy >= 0) t->policy = o->policy;
  for (PetscInt k = 0; k < SYNCFREE_COUNTS; k++) {
    if (o->count[k] >= 0) t->count[k] = o->count[k];
  }
  for (PetscInt k = 0; k < SYNCFREE_SHARES; k++) {
    if (o->share[k] >= 0) t->share[k] = o->share[k];
  }
  for (PetscInt k = 0; k < 2; k++) {
    if (o->part[k]) t->part[k] = o->part[k];
  }
}

void SyncFreeTuningApply(const SyncFreeTuning *t, SptrsvPlanOptions *o)
{
  o->tuning.split.policy = (SptrsvSplitPolicy)t->policy;
  for (PetscInt k = 0; k < SYNCFREE_COUNTS; k++) *(int *)((char *)o + SyncFreeCounts[k].member) = (int)t->count[k];
  for (PetscInt k = 0; k < SYNCFREE_SHARES; k++) *(double *)((char *)o + SyncFreeShares[k].member) = (double)t->share[k];
  o->tuning.split.first  = t->part[0] == SyncFreeAuto ? NULL : t->part[0];
  o->tuning.split.second = t->part[1] == SyncFreeAuto ? NULL : t->part[1];
}

/* `t` keeps what is not given */
PetscErrorCode SyncFreeTuningRead(PetscOptionItems PetscOptionsObject, const char face[], SyncFreeTuning *t)
{
  PetscInt  n;
  PetscReal r;
  PetscBool set;
  char      opt[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_split_policy", face));
  PetscCall(PetscOptionsEList(opt, "Who does a split sweep, unified on one or in two parts", "PCSyncFreeSetAlgorithm", SyncFreePolicies,
                              PETSC_STATIC_ARRAY_LENGTH(SyncFreePolicies), SyncFreePolicies[PetscMax(t->policy, 0)], &n, &set));
  if (set) t->policy = n;
  for (PetscInt k = 0; k < SYNCFREE_COUNTS; k++) {
    PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_%s", face, SyncFreeCounts[k].name));
    PetscCall(PetscOptionsInt(opt, SyncFreeCounts[k].text, "PCSyncFreeSetAlgorithm", PetscMax(t->count[k], 0), &n, &set));
    if (!set) continue;
    PetscCheck(n >= 0 && (int)n == n, PetscOptionsObject->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "%s %" PetscInt_FMT " must not be negative, and an int", opt, n);
    t->count[k] = n;
  }
  for (PetscInt k = 0; k < SYNCFREE_SHARES; k++) {
    PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_%s", face, SyncFreeShares[k].name));
    PetscCall(PetscOptionsReal(opt, SyncFreeShares[k].text, "PCSyncFreeSetAlgorithm", PetscMax(t->share[k], 0), &r, &set));
    if (!set) continue;
    PetscCheck(r >= 0 && r <= 100, PetscOptionsObject->comm, PETSC_ERR_ARG_OUTOFRANGE, "%s %g must be between 0 and 100", opt, (double)r);
    t->share[k] = r;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
