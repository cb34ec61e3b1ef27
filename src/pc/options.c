/*
   Options of the PC and of the factor Mat: setting, getting, comparing, overlaying and reading them.

   The kernel library's table lists the options.  The algorithms of the sweeps are not in that table, because a name for both sweeps and a
   name for one sweep override each other.
*/
#include "syncfreeimpl.h"

const char SyncFreeAuto[] = "auto";

#define SYNCFREE_NAME_LEN 64

static PetscFunctionList SyncFreeAlgorithmList = NULL; /* names for PetscOptionsFList(); the functions in it are never called */

PetscErrorCode SyncFreeOptionsFinalize(void)
{
  return PetscFunctionListDestroy(&SyncFreeAlgorithmList);
}

static const struct {
  const char *option, *text, *manual;
} SyncFreeNameRows[SYNCFREE_NAMES] = {
  {"algorithm",       "algorithm of both sweeps",       "Algorithm"},
  {"lower_algorithm", "algorithm of the sweeps with L", "Option"   },
  {"upper_algorithm", "algorithm of the sweeps with U", "Option"   }
};

/* Returns SYNCFREE_NAMES if the option is none of these */
SyncFreeName SyncFreeNameFind(const char option[])
{
  SyncFreeName k = SYNCFREE_BOTH;

  while (k < SYNCFREE_NAMES && strcmp(SyncFreeNameRows[k].option, option)) k++;
  return k;
}

const char *SyncFreeNameOrAuto(const SyncFreeOptions *options, SyncFreeName which)
{
  return options->name[which] ? options->name[which] : SyncFreeAuto;
}

/* NULL and "" stand for auto; the options refer to the name in the table, not to `name` */
static PetscErrorCode SyncFreeOptionsSetName(MPI_Comm comm, SyncFreeName which, const char name[], SyncFreeOptions *options)
{
  const SptrsvAlgorithm *a;
  char                   list[1024] = "auto";

  PetscFunctionBegin;
  options->name[which] = SyncFreeAuto;
  if (!name || !name[0] || !strcmp(name, SyncFreeAuto)) PetscFunctionReturn(PETSC_SUCCESS);
  a = sptrsvAlgorithmFind(name, SPTRSV_DEVICE);
  if (!a) a = sptrsvAlgorithmFind(name, SPTRSV_HOST);
  if (!a) {
    for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
      if (a->location == SPTRSV_DEVICE && sptrsvAlgorithmFind(a->name, SPTRSV_HOST)) continue; /* listed for the host already */
      PetscCall(PetscStrlcat(list, ", ", sizeof(list)));
      PetscCall(PetscStrlcat(list, a->name, sizeof(list)));
    }
    SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "Unknown SyncFree algorithm \"%s\", this library has: %s", name, list);
  }
  if (strcmp(a->name, name))
    PetscCall(PetscPrintf(comm, "SyncFree: algorithm \"%s\" is now called \"%s\"; the next release will not accept the former name\n", name,
                          a->name));
  options->name[which] = a->name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SyncFreeOptionsSet - Sets an option of the table, or one of algorithm, lower_algorithm, upper_algorithm
*/
PetscErrorCode SyncFreeOptionsSet(MPI_Comm comm, const char name[], const char value[], SyncFreeOptions *options)
{
  const SyncFreeName  which = SyncFreeNameFind(name);
  const SptrsvOption *row;
  SptrsvStatus        status;
  char                error[1024];

  PetscFunctionBegin;
  if (which < SYNCFREE_NAMES) {
    PetscCall(SyncFreeOptionsSetName(comm, which, value, options));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  status = sptrsvOptionSet(&options->tuning, name, value, error, sizeof(error));
  PetscCheck(status == SPTRSV_SUCCESS, comm, status == SPTRSV_UNKNOWN_NAME ? PETSC_ERR_ARG_UNKNOWN_TYPE : PETSC_ERR_ARG_OUTOFRANGE,
             "SyncFree: %s", error);
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) {
    if (!strcmp(row->name, name)) options->given |= (uint64_t)1 << k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void *SyncFreeMember(const SyncFreeOptions *options, const SptrsvOption *row)
{
  return (char *)&options->tuning + row->offset;
}

PetscBool SyncFreeOptionsEqual(const SyncFreeOptions *a, const SyncFreeOptions *b)
{
  const SptrsvOption *row;
  PetscBool           same = (PetscBool)(a->given == b->given);

  for (PetscInt k = 0; k < SYNCFREE_NAMES; k++) same = (PetscBool)(same && a->name[k] == b->name[k]);
  for (int k = 0; same && (row = sptrsvOptionGet(k)); k++)
    same = (PetscBool)!memcmp(SyncFreeMember(a, row), SyncFreeMember(b, row), row->size);
  return same;
}

/* Puts `options` over `choice`.  Calls go from the weakest source to the strongest, so a name for both sweeps overrides a weaker
   source's name for one. */
PetscErrorCode SyncFreeOptionsOverlay(const SyncFreeOptions *options, SyncFreeOptions *choice)
{
  const SptrsvOption *row;

  PetscFunctionBegin;
  for (SyncFreeName k = SYNCFREE_LOWER; k <= SYNCFREE_UPPER; k++) {
    if (options->name[SYNCFREE_BOTH]) choice->name[k] = options->name[SYNCFREE_BOTH];
    if (options->name[k]) choice->name[k] = options->name[k];
    if (!choice->name[k]) choice->name[k] = SyncFreeAuto;
  }
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) {
    if (options->given >> k & 1) PetscCall(PetscMemcpy(SyncFreeMember(choice, row), SyncFreeMember(options, row), row->size));
  }
  choice->given |= options->given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SyncFreeGetOption - The value in use of an option or, without an engine or plan, the value that the options lead to

   Input Parameters:
+  engine  - the engine, or NULL
.  options - the options
-  name    - as for SyncFreeOptionsSet()

   Output Parameter:
.  value - the value, at most `len` characters with the zero at the end
*/
PetscErrorCode SyncFreeGetOption(SyncFreeEngine engine, const SyncFreeOptions *options, const char name[], char value[], size_t len)
{
  const SyncFreeName     which  = SyncFreeNameFind(name);
  const SyncFreeSweep    sweep  = which == SYNCFREE_LOWER ? SYNCFREE_L : SYNCFREE_U;
  SyncFreeOptions        choice = {.given = 0};
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS];
  char                   text[PETSC_MAX_PATH_LEN];
  SptrsvStatus           status;

  PetscFunctionBegin;
  if (which == SYNCFREE_NAMES) {
    status = sptrsvOptionPrint(engine ? &engine->options.tuning : &options->tuning, name, text, sizeof(text));
    PetscCheck(status == SPTRSV_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "SyncFree: %s", text);
    PetscCall(PetscStrncpy(value, text, len));
  } else if (which == SYNCFREE_BOTH) {
    PetscCall(PetscStrncpy(value, SyncFreeNameOrAuto(options, SYNCFREE_BOTH), len));
  } else if (engine && engine->plan[sweep]) {
    PetscCallSptrsv(sptrsvPlanGetAlgorithms(engine->plan[sweep], algorithms));
    PetscCall(PetscStrncpy(value, algorithms[0]->name, len));
  } else {
    PetscCall(SyncFreeOptionsOverlay(options, &choice));
    PetscCall(PetscStrncpy(value, choice.name[which], len));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads -pc_syncfree_ROW or -mat_syncfree_ROW; a former name is an error that gives the new name */
static PetscErrorCode SyncFreeOptionsReadRow(PetscOptionItems PetscOptionsObject, const char face[], const SptrsvOption *row,
                                             SyncFreeOptions *options)
{
  const char *manual = face[0] == 'p' ? "PCSyncFreeSetOption" : "MatSyncFreeSetOption";
  char        opt[64], text[256], value[PETSC_MAX_PATH_LEN];
  PetscInt    n, count = 0;
  PetscReal   r;
  PetscBool   set;

  PetscFunctionBegin;
  if (row->former) {
    PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_%s", face, row->former));
    PetscCall(PetscOptionsHasName(PetscOptionsObject->options, PetscOptionsObject->prefix, opt, &set));
    PetscCheck(!set, PetscOptionsObject->comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "%s is now -%s_syncfree_%s", opt, face, row->name);
  }
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_%s", face, row->name));
  if (row->value)
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s (%s: %s), 0 means %d", row->summary, row->algorithms, row->symbol, (int)row->value));
  else PetscCall(PetscSNPrintf(text, sizeof(text), "%s (%s), default: %s", row->summary, row->algorithms, row->rule));
  PetscCallSptrsv(sptrsvOptionPrint(&options->tuning, row->name, value, sizeof(value)));
  switch (row->type) {
  case SPTRSV_OPTION_INT:
  case SPTRSV_OPTION_POWER:
    PetscCall(PetscOptionsStringToInt(value, &n));
    PetscCall(PetscOptionsInt(opt, text, manual, n, &n, &set));
    PetscCall(PetscSNPrintf(value, sizeof(value), "%" PetscInt_FMT, n));
    break;
  case SPTRSV_OPTION_REAL:
    PetscCall(PetscOptionsStringToReal(value, &r));
    PetscCall(PetscOptionsReal(opt, text, manual, r, &r, &set));
    PetscCall(PetscSNPrintf(value, sizeof(value), "%.17g", (double)r));
    break;
  case SPTRSV_OPTION_CHOICE:
    while (row->choices[count]) count++;
    PetscCall(PetscOptionsEList(opt, text, manual, row->choices, count, value, &n, &set));
    if (set) PetscCall(PetscStrncpy(value, row->choices[n], sizeof(value)));
    break;
  case SPTRSV_OPTION_ALGORITHM:
    PetscCall(PetscOptionsString(opt, text, manual, value, value, sizeof(value), &set)); /* -help lists the names once */
    break;
  case SPTRSV_OPTION_FILE:
    PetscCall(PetscOptionsString(opt, text, manual, value, value, sizeof(value), &set));
    break;
  }
  if (set) PetscCall(SyncFreeOptionsSet(PetscOptionsObject->comm, row->name, value, options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SyncFreeOptionsRead - Reads the options -pc_syncfree_... or -mat_syncfree_... from the database

   Input Parameter:
.  face - "pc" or "mat"

   Input/Output Parameter:
.  options - those absent from the database stay unchanged
*/
PetscErrorCode SyncFreeOptionsRead(PetscOptionItems PetscOptionsObject, const char face[], SyncFreeOptions *options)
{
  const SptrsvAlgorithm *a;
  const SptrsvOption    *row;
  char                   opt[64], manual[64], value[SYNCFREE_NAME_LEN];
  PetscBool              set;

  PetscFunctionBegin;
  if (!SyncFreeAlgorithmList) {
    PetscCall(PetscFunctionListAdd(&SyncFreeAlgorithmList, SyncFreeAuto, sptrsvAlgorithmGet));
    for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) PetscCall(PetscFunctionListAdd(&SyncFreeAlgorithmList, a->name, sptrsvAlgorithmGet));
  }
  for (SyncFreeName k = SYNCFREE_BOTH; k < SYNCFREE_NAMES; k++) {
    PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_%s", face, SyncFreeNameRows[k].option));
    PetscCall(PetscSNPrintf(manual, sizeof(manual), "%sSyncFreeSet%s", face[0] == 'p' ? "PC" : "Mat", SyncFreeNameRows[k].manual));
    if (k == SYNCFREE_BOTH && face[0] == 'p') {
      PetscCall(PetscOptionsFList(opt, SyncFreeNameRows[k].text, manual, SyncFreeAlgorithmList, SyncFreeNameOrAuto(options, k), value,
                                  sizeof(value), &set));
    } else PetscCall(PetscOptionsString(opt, SyncFreeNameRows[k].text, manual, SyncFreeNameOrAuto(options, k), value, sizeof(value), &set));
    if (set) PetscCall(SyncFreeOptionsSet(PetscOptionsObject->comm, SyncFreeNameRows[k].option, value, options));
  }
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) PetscCall(SyncFreeOptionsReadRow(PetscOptionsObject, face, row, options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets F's choice from all sources, the weakest first: functions of the factor Mat, options of the PC, -mat_syncfree_... */
PetscErrorCode MatSyncFreeChoose(Mat F, const SyncFreeChannel *channel)
{
  Mat_SyncFree   *f        = (Mat_SyncFree *)F->data;
  SyncFreeOptions choice   = {.given = 0};
  SyncFreeOptions database = {.given = 0};

  PetscFunctionBegin;
  PetscCall(SyncFreeOptionsOverlay(&f->options, &choice));
  if (channel) PetscCall(SyncFreeOptionsOverlay(&channel->options, &choice));
  PetscOptionsBegin(PetscObjectComm((PetscObject)F), ((PetscObject)F)->prefix, "SyncFree factorization options", "Mat");
  PetscCall(SyncFreeOptionsRead(PetscOptionsObject, "mat", &database));
  PetscOptionsEnd();
  PetscCall(SyncFreeOptionsOverlay(&database, &choice));
  PetscCall(SyncFreeThresholdResolve(&choice));
  f->choice = choice;
  PetscFunctionReturn(PETSC_SUCCESS);
}
