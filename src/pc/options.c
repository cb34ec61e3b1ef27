/*
   Options that the PC and the factor Mat share, and the functions that set them on the factor Mat.
*/
#include "syncfreeimpl.h" /*I "petscsyncfree.h" I*/

const char            SyncFreeAuto[]        = "auto";
const SyncFreeOptions SyncFreeOptionsNone   = {.threshold = -1.0, .warps = -1, .lanes = -1, .tasks = {-1, -1, -1.0},
                                               .tuning = SYNCFREE_TUNING_NONE};
const SyncFreeChoice  SyncFreeChoiceDefault = {.lower = SyncFreeAuto, .upper = SyncFreeAuto, .numeric = SyncFreeAuto};

const SptrsvAlgorithm *SyncFreeAlgorithmFind(const char name[])
{
  const SptrsvAlgorithm *a;

  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    if (!strcmp(a->name, name)) return a;
  }
  return NULL;
}

/* "auto" runs anywhere, and a name can be there for either memory */
PetscBool SyncFreeAlgorithmRunsOn(const char name[], SptrsvLocation location)
{
  const SptrsvAlgorithm *a;

  if (!strcmp(name, SyncFreeAuto)) return PETSC_TRUE;
  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    if (a->location == location && !strcmp(a->name, name)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* A name that stays: the table's for the one given; NULL and "" stand for auto */
PetscErrorCode SyncFreeAlgorithmCheck(MPI_Comm comm, const char name[], const char *known[])
{
  const SptrsvAlgorithm *a;
  char                   list[1024] = "auto";

  PetscFunctionBegin;
  *known = SyncFreeAuto;
  if (!name || !name[0] || !strcmp(name, SyncFreeAuto)) PetscFunctionReturn(PETSC_SUCCESS);
  a = SyncFreeAlgorithmFind(name);
  if (!a) {
    for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
      if (SyncFreeAlgorithmFind(a->name) != a) continue; /* there for the other memory, too */
      PetscCall(PetscStrlcat(list, ", ", sizeof(list)));
      PetscCall(PetscStrlcat(list, a->name, sizeof(list)));
    }
    SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "Unknown SyncFree algorithm \"%s\", this library has: %s", name, list);
  }
  *known = a->name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeWarpsCheck(MPI_Comm comm, PetscInt warps, PetscInt lanes)
{
  PetscFunctionBegin;
  PetscCheck(warps >= 0 && (int)warps == warps, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Number of warps %" PetscInt_FMT " must be positive and an int, or 0 to leave it to a rule", warps);
  PetscCheck(lanes >= 0 && lanes <= sptrsvWarpSize() && !(lanes & (lanes - 1)), comm, PETSC_ERR_ARG_OUTOFRANGE,
             "Number of lanes per row %" PetscInt_FMT " must be a power of two up to %d, or 0 to leave it to a rule", lanes,
             sptrsvWarpSize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool SyncFreeOptionsEqual(const SyncFreeOptions *a, const SyncFreeOptions *b)
{
  return (PetscBool)(a->algorithm == b->algorithm && a->lower == b->lower && a->upper == b->upper && a->threshold == b->threshold &&
                     a->warps == b->warps && a->lanes == b->lanes && !strcmp(a->thresholdfile, b->thresholdfile) &&
                     a->numeric == b->numeric && SyncFreeTasksEqual(&a->tasks, &b->tasks) &&
                     SyncFreeTuningEqual(&a->tuning, &b->tuning));
}

/* Called with the weakest voice first: a later word on both sweeps overrules an earlier one on a single sweep */
void SyncFreeOptionsOverlay(const SyncFreeOptions *o, SyncFreeChoice *c)
{
  if (o->algorithm) c->lower = c->upper = o->algorithm;
  if (o->lower) c->lower = o->lower;
  if (o->upper) c->upper = o->upper;
  if (o->threshold >= 0) c->threshold = o->threshold;
  if (o->warps >= 0) c->warps = o->warps;
  if (o->lanes >= 0) c->lanes = o->lanes;
  if (o->thresholdfile[0]) memcpy(c->thresholdfile, o->thresholdfile, sizeof(c->thresholdfile));
  if (o->numeric) c->numeric = o->numeric;
  SyncFreeTasksOverlay(&o->tasks, &c->tasks);
  SyncFreeTuningOverlay(&o->tuning, &c->tuning);
}

static PetscErrorCode SyncFreeOptionsReadName(PetscOptionItems PetscOptionsObject, const char face[], const char which[], const char text[],
                                              const char manual[], PetscFunctionList list, const char name[], char value[], PetscBool *set)
{
  char opt[64], man[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_%s", face, which));
  PetscCall(PetscSNPrintf(man, sizeof(man), "%sSyncFreeSet%s", face[0] == 'p' ? "PC" : "Mat", manual));
  PetscCall(PetscOptionsFList(opt, text, man, list, name ? name : SyncFreeAuto, value, SYNCFREE_NAME_LEN, set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -pc_syncfree_... or -mat_syncfree_..., whatever the face is called; `o` keeps what is not given */
PetscErrorCode SyncFreeOptionsRead(PetscOptionItems PetscOptionsObject, const char face[], SyncFreeOptions *o)
{
  enum {
    SYNCFREE_NAMES = 5
  };
  static const struct {
    const char *which, *text, *manual;
  } names[SYNCFREE_NAMES] = {
    {"algorithm",       "Algorithm of both sweeps",                                 "Algorithm"     },
    {"lower_algorithm", "Algorithm of the sweeps with L",                           "LowerAlgorithm"},
    {"upper_algorithm", "Algorithm of the sweeps with U",                           "UpperAlgorithm"},
    {"split_first",     "Algorithm of the first part (split), auto for the policy's",  "Algorithm"     },
    {"split_second",    "Algorithm of the second part (split), auto for the policy's", "Algorithm"     }
  };
  const char           **name[SYNCFREE_NAMES] = {&o->algorithm, &o->lower, &o->upper, &o->tuning.part[0], &o->tuning.part[1]};
  const char            *kind                 = face[0] == 'p' ? "PC" : "Mat";
  const SptrsvAlgorithm *a;
  PetscFunctionList      list = NULL;
  PetscReal              threshold;
  PetscInt               n;
  PetscBool              set, given[SYNCFREE_NAMES];
  char                   opt[64], man[64], value[SYNCFREE_NAMES][SYNCFREE_NAME_LEN];

  PetscFunctionBegin;
  /* the list is for PetscOptionsFList() to show; its functions are never called */
  PetscCall(PetscFunctionListAdd(&list, SyncFreeAuto, sptrsvAlgorithmGet));
  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) PetscCall(PetscFunctionListAdd(&list, a->name, sptrsvAlgorithmGet));
  for (int k = 0; k < SYNCFREE_NAMES; k++)
    PetscCall(SyncFreeOptionsReadName(PetscOptionsObject, face, names[k].which, names[k].text, names[k].manual, list, *name[k], value[k],
                                      &given[k]));
  PetscCall(PetscFunctionListDestroy(&list)); /* before the names are checked, which may end in an error */
  for (int k = 0; k < SYNCFREE_NAMES; k++) {
    if (given[k]) PetscCall(SyncFreeAlgorithmCheck(PetscOptionsObject->comm, value[k], name[k]));
  }
  PetscCall(SyncFreeTuningRead(PetscOptionsObject, face, &o->tuning));

  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_threshold", face));
  PetscCall(PetscSNPrintf(man, sizeof(man), "%sSyncFreeSetThreshold", kind));
  PetscCall(PetscOptionsReal(opt, "Mean row length from which rows go to whole warps (yuenyeung), 0 for a file's or the built-in value",
                             man, PetscMax(o->threshold, 0), &threshold, &set));
  if (set) {
    PetscCheck(threshold >= 0, PetscOptionsObject->comm, PETSC_ERR_ARG_OUTOFRANGE, "Threshold %g must not be negative", (double)threshold);
    o->threshold = threshold;
  }
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_threshold_file", face));
  PetscCall(PetscSNPrintf(man, sizeof(man), "%sSyncFreeSetThresholdFile", kind));
  PetscCall(PetscOptionsString(opt, "File of syncfree_train with the threshold (yuenyeung)", man, o->thresholdfile, o->thresholdfile,
                               sizeof(o->thresholdfile), NULL));
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_warps", face));
  PetscCall(PetscOptionsInt(opt, "Resident warps (levelorder), 0 for a rule", "PCSyncFreeSetWarps", PetscMax(o->warps, 0), &n, &set));
  if (set) {
    PetscCall(SyncFreeWarpsCheck(PetscOptionsObject->comm, n, 0));
    o->warps = n;
  }
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_lanes", face));
  PetscCall(PetscOptionsInt(opt, "Lanes per row (levelorder), a power of two, 0 for a rule", "PCSyncFreeSetWarps", PetscMax(o->lanes, 0),
                            &n, &set));
  if (set) {
    PetscCall(SyncFreeWarpsCheck(PetscOptionsObject->comm, 0, n));
    o->lanes = n;
  }
  PetscCall(SyncFreeTasksRead(PetscOptionsObject, face, o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeSetName(Mat F, const char name[], const char **where)
{
  PetscFunctionBegin;
  PetscCall(SyncFreeAlgorithmCheck(PetscObjectComm((PetscObject)F), name, where));
  ((Mat_SyncFree *)F->data)->changed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeSetAlgorithm_SyncFree(Mat F, const char name[])
{
  return MatSyncFreeSetName(F, name, &((Mat_SyncFree *)F->data)->options.algorithm);
}

static PetscErrorCode MatSyncFreeSetLowerAlgorithm_SyncFree(Mat F, const char name[])
{
  return MatSyncFreeSetName(F, name, &((Mat_SyncFree *)F->data)->options.lower);
}

static PetscErrorCode MatSyncFreeSetUpperAlgorithm_SyncFree(Mat F, const char name[])
{
  return MatSyncFreeSetName(F, name, &((Mat_SyncFree *)F->data)->options.upper);
}

static PetscErrorCode MatSyncFreeSetThreshold_SyncFree(Mat F, PetscReal threshold)
{
  Mat_SyncFree *f = (Mat_SyncFree *)F->data;

  PetscFunctionBegin;
  PetscCheck(threshold >= 0, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_OUTOFRANGE, "Threshold %g must not be negative",
             (double)threshold);
  f->options.threshold = threshold;
  f->changed           = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeSetThresholdFile_SyncFree(Mat F, const char path[])
{
  Mat_SyncFree *f = (Mat_SyncFree *)F->data;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(f->options.thresholdfile, path ? path : "", sizeof(f->options.thresholdfile)));
  f->changed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeGetSweepAlgorithm(Mat F, SyncFreeSweep sweep, const char *name[])
{
  Mat_SyncFree          *f = (Mat_SyncFree *)F->data;
  const SptrsvAlgorithm *a;

  PetscFunctionBegin;
  if (f->engine && f->engine->plan[sweep]) {
    PetscCallSptrsv(sptrsvPlanGetAlgorithm(f->engine->plan[sweep], &a));
    *name = a->name;
  } else {
    SyncFreeChoice c = SyncFreeChoiceDefault;

    SyncFreeOptionsOverlay(&f->options, &c);
    *name = sweep == SYNCFREE_L ? c.lower : c.upper;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatSyncFreeGetLowerAlgorithm_SyncFree(Mat F, const char *name[])
{
  return MatSyncFreeGetSweepAlgorithm(F, SYNCFREE_L, name);
}

static PetscErrorCode MatSyncFreeGetUpperAlgorithm_SyncFree(Mat F, const char *name[])
{
  return MatSyncFreeGetSweepAlgorithm(F, SYNCFREE_U, name);
}

static PetscErrorCode MatFactorGetSolverType_SyncFree(PETSC_UNUSED Mat F, MatSolverType *type)
{
  *type = MATSOLVERSYNCFREE;
  return PETSC_SUCCESS;
}

static const struct {
  const char       *name;
  PetscErrorCodeFn *f;
} MatSyncFreeMethods[] = {
  {"MatFactorGetSolverType_C",       (PetscErrorCodeFn *)MatFactorGetSolverType_SyncFree      },
  {"MatSyncFreeSetAlgorithm_C",      (PetscErrorCodeFn *)MatSyncFreeSetAlgorithm_SyncFree     },
  {"MatSyncFreeSetLowerAlgorithm_C", (PetscErrorCodeFn *)MatSyncFreeSetLowerAlgorithm_SyncFree},
  {"MatSyncFreeGetLowerAlgorithm_C", (PetscErrorCodeFn *)MatSyncFreeGetLowerAlgorithm_SyncFree},
  {"MatSyncFreeSetUpperAlgorithm_C", (PetscErrorCodeFn *)MatSyncFreeSetUpperAlgorithm_SyncFree},
  {"MatSyncFreeGetUpperAlgorithm_C", (PetscErrorCodeFn *)MatSyncFreeGetUpperAlgorithm_SyncFree},
  {"MatSyncFreeSetThreshold_C",      (PetscErrorCodeFn *)MatSyncFreeSetThreshold_SyncFree     },
  {"MatSyncFreeSetThresholdFile_C",  (PetscErrorCodeFn *)MatSyncFreeSetThresholdFile_SyncFree }
};

PetscErrorCode MatSyncFreeComposeMethods(Mat F, PetscBool compose)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(MatSyncFreeMethods); k++) {
    PetscCall(PetscObjectComposeFunction((PetscObject)F, MatSyncFreeMethods[k].name, compose ? MatSyncFreeMethods[k].f : NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
