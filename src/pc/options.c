/*
   Options of the PC and of the factor Mat: setting, getting, comparing, overlaying and reading them.

   The kernel library's table lists the options.  In front of its rows are the algorithms of the sweeps, because a name for both sweeps and
   a name for one sweep override each other.
*/
#include "syncfreeimpl.h"

const char SyncFreeAuto[] = "auto";

#define SYNCFREE_TEXT_LEN 2048

static const SptrsvOption SyncFreeNameRows[SYNCFREE_NAMES] = {
  {"algorithm",       "both sweeps",   "algorithm", SPTRSV_OPTION_ALGORITHM, .rule = SyncFreeAuto},
  {"lower_algorithm", "sweeps with L", "algorithm", SPTRSV_OPTION_ALGORITHM, .rule = SyncFreeAuto},
  {"upper_algorithm", "sweeps with U", "algorithm", SPTRSV_OPTION_ALGORITHM, .rule = SyncFreeAuto}
};

/* Returns NULL past the last */
static const SptrsvOption *SyncFreeOptionGet(int k)
{
  return k < SYNCFREE_NAMES ? &SyncFreeNameRows[k] : k < SYNCFREE_OPTIONS ? sptrsvOptionGet(k - SYNCFREE_NAMES) : NULL;
}

/* Returns a place past the last if there is no such option */
static int SyncFreeOptionFind(const char name[])
{
  int k = 0;

  while (SyncFreeOptionGet(k) && strcmp(SyncFreeOptionGet(k)->name, name)) k++;
  return k;
}

/* Returns a name of the kernel library's table or, also if none was set, SyncFreeAuto */
const char *SyncFreeAlgorithm(const SyncFreeOptions *options, SyncFreeName which)
{
  const char            *name = options->text[which] ? options->text[which] : options->text[SYNCFREE_BOTH];
  const SptrsvAlgorithm *a    = sptrsvAlgorithmFind(name, SPTRSV_HOST);

  if (!a) a = sptrsvAlgorithmFind(name, SPTRSV_DEVICE);
  return a ? a->name : SyncFreeAuto;
}

static PetscErrorCode SyncFreeAppendName(const char name[], char text[SYNCFREE_TEXT_LEN])
{
  const char *line = strrchr(text, '\n');

  PetscFunctionBegin;
  if (line && strlen(line) > 66) PetscCall(PetscStrlcat(text, ",\n      ", SYNCFREE_TEXT_LEN));
  else if (text[0] && text[strlen(text) - 1] != ' ') PetscCall(PetscStrlcat(text, ", ", SYNCFREE_TEXT_LEN));
  PetscCall(PetscStrlcat(text, name, SYNCFREE_TEXT_LEN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends the names that an option takes, those of studies, which are the last, only if they are asked for */
static PetscErrorCode SyncFreeAppendNames(const SptrsvOption *row, PetscBool studies, char text[SYNCFREE_TEXT_LEN])
{
  const SptrsvAlgorithm *a;

  PetscFunctionBegin;
  for (int k = 0; row->choices && row->choices[k]; k++) PetscCall(SyncFreeAppendName(row->choices[k], text));
  if (!row->choices) PetscCall(SyncFreeAppendName(SyncFreeAuto, text));
  for (int k = 0; row->type == SPTRSV_OPTION_FACTOR && (a = sptrsvFactorAlgorithmGet(k)); k++) PetscCall(SyncFreeAppendName(a->name, text));
  for (int k = 0; row->type == SPTRSV_OPTION_ALGORITHM && (a = sptrsvAlgorithmGet(k)); k++) {
    if (a->traits & SPTRSV_STUDY && !studies) continue;
    if (a->location == SPTRSV_DEVICE && sptrsvAlgorithmFind(a->name, SPTRSV_HOST)) continue; /* listed for the host already */
    PetscCall(SyncFreeAppendName(a->name, text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts the text of a row, which is in order, in the place of the one that is there */
static PetscErrorCode SyncFreeOptionsPut(int k, const char text[], SyncFreeOptions *options)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(options->text[k]));
  PetscCall(PetscStrallocpy(text, &options->text[k]));
  if (k >= SYNCFREE_NAMES) PetscCallSptrsv(sptrsvOptionSet(&options->tuning, SyncFreeOptionGet(k)->name, options->text[k], NULL, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeOptionsDestroy(SyncFreeOptions *options)
{
  PetscFunctionBegin;
  for (int k = 0; k < SYNCFREE_OPTIONS; k++) PetscCall(PetscFree(options->text[k]));
  PetscCall(PetscMemzero(options, sizeof(*options)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets an option of the table, or one of algorithm, lower_algorithm, upper_algorithm.  An error leaves all options as they are, and so does
   a value that is there already. */
PetscErrorCode SyncFreeOptionsSet(MPI_Comm comm, const char name[], const char value[], SyncFreeOptions *options)
{
  const int    k      = SyncFreeOptionFind(name);
  SptrsvTuning tuning = options->tuning;
  SptrsvStatus status;
  char         text[SYNCFREE_TEXT_LEN] = "";
  PetscBool    same;

  PetscFunctionBegin;
  if (k >= SYNCFREE_NAMES) {
    status = sptrsvOptionSet(&tuning, name, value, text, sizeof(text));
    PetscCheck(status == SPTRSV_SUCCESS, comm, status == SPTRSV_UNKNOWN_NAME ? PETSC_ERR_ARG_UNKNOWN_TYPE : PETSC_ERR_ARG_OUTOFRANGE,
               "SyncFree: %s", text);
  } else {
    if (!value || !value[0]) value = SyncFreeAuto;
    PetscCall(SyncFreeAppendNames(SyncFreeOptionGet(k), PETSC_TRUE, text));
    PetscCheck(!strcmp(value, SyncFreeAuto) || sptrsvAlgorithmFind(value, SPTRSV_DEVICE) || sptrsvAlgorithmFind(value, SPTRSV_HOST), comm,
               PETSC_ERR_ARG_UNKNOWN_TYPE, "Unknown SyncFree algorithm \"%s\", this library has: %s", value, text);
  }
  PetscCall(PetscStrcmp(options->text[k], value, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SyncFreeOptionsPut(k, value, options));
  options->changed = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeOptionsEqual(const SyncFreeOptions *a, const SyncFreeOptions *b, PetscBool *same)
{
  PetscFunctionBegin;
  *same = PETSC_TRUE;
  for (int k = 0; k < SYNCFREE_OPTIONS && *same; k++) PetscCall(PetscStrcmp(a->text[k], b->text[k], same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts `options` over `choice`.  Calls go from the weakest source to the strongest, so a name for both sweeps overrides a weaker
   source's name for one. */
PetscErrorCode SyncFreeOptionsOverlay(const SyncFreeOptions *options, SyncFreeOptions *choice)
{
  PetscFunctionBegin;
  for (int k = 0; k < SYNCFREE_OPTIONS; k++) {
    if (!options->text[k]) continue;
    if (k == SYNCFREE_BOTH) PetscCall(SyncFreeOptionsPut(SYNCFREE_LOWER, options->text[k], choice));
    PetscCall(SyncFreeOptionsPut(k == SYNCFREE_BOTH ? SYNCFREE_UPPER : k, options->text[k], choice));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets the value in use of an option or, without an engine (NULL) or plan, the value that the options lead to, of at most `len` characters
   with the zero at the end */
PetscErrorCode SyncFreeGetOption(SyncFreeEngine engine, const SyncFreeOptions *options, const char name[], char value[], size_t len)
{
  const int              k     = SyncFreeOptionFind(name);
  const SyncFreeSweep    sweep = k == SYNCFREE_LOWER ? SYNCFREE_L : SYNCFREE_U;
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS];
  char                   text[PETSC_MAX_PATH_LEN];
  SptrsvStatus           status;

  PetscFunctionBegin;
  if (k >= SYNCFREE_NAMES) {
    status = sptrsvOptionPrint(engine ? &engine->options.tuning : &options->tuning, name, text, sizeof(text));
    PetscCheck(status == SPTRSV_SUCCESS, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "SyncFree: %s", text);
    PetscCall(PetscStrncpy(value, text, len));
  } else if (k != SYNCFREE_BOTH && engine && engine->plan[sweep]) {
    PetscCallSptrsv(sptrsvPlanGetAlgorithms(engine->plan[sweep], algorithms));
    PetscCall(PetscStrncpy(value, algorithms[0]->name, len));
  } else PetscCall(PetscStrncpy(value, SyncFreeAlgorithm(options, (SyncFreeName)k), len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the options -pc_syncfree_... or -mat_syncfree_... from the database; face: "pc" or "mat".  Options that are not there stay as they
   are. */
PetscErrorCode SyncFreeOptionsRead(SyncFreeOptionItems PetscOptionsObject, const char face[], SyncFreeOptions *options)
{
  const PetscBool     pc = (PetscBool)(face[0] == 'p'), help = PetscOptionsObject->printhelp;
  const SptrsvOption *row;
  char                opt[64], text[SYNCFREE_TEXT_LEN], value[PETSC_MAX_PATH_LEN];
  PetscBool           studies = PETSC_FALSE, set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_studies", face));
  PetscCall(PetscOptionsBool(opt, "-help lists methods of papers, too", pc ? "PCSYNCFREE" : "MATSOLVERSYNCFREE", studies, &studies, NULL));
  for (int k = 0; (row = SyncFreeOptionGet(k)); k++) {
    PetscOptionsObject->printhelp = (PetscBool)(help && (studies || !row->study));
    PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_%s", face, row->name));
    if (row->value) PetscCall(PetscSNPrintf(value, sizeof(value), "%d", (int)row->value));
    /* lines, so that none is long: users of the option, meaning, choices */
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s%s%s\n      %s, default %s", row->algorithms, row->symbol ? ", " : "",
                            row->symbol ? row->symbol : "", row->summary, row->value ? value : row->rule));
    if (row->choices || row->type == SPTRSV_OPTION_FACTOR || (k == SYNCFREE_BOTH && pc)) { /* the long list is printed once */
      PetscCall(PetscStrlcat(text, ",\n      one of ", sizeof(text)));
      PetscCall(SyncFreeAppendNames(row, studies, text));
    }
    if (k < SYNCFREE_NAMES) PetscCall(PetscStrncpy(value, SyncFreeAlgorithm(options, (SyncFreeName)k), sizeof(value)));
    else if (!row->value || options->text[k]) PetscCallSptrsv(sptrsvOptionPrint(&options->tuning, row->name, value, sizeof(value)));
    PetscCall(PetscOptionsString(opt, text, pc ? "PCSyncFreeSetOption" : "MatSyncFreeSetOption", value, value, sizeof(value), &set));
    if (set && row->choices && !value[0]) PetscCall(PetscStrncpy(value, row->bare ? row->bare : row->choices[0], sizeof(value)));
    if (set) PetscCall(SyncFreeOptionsSet(PetscOptionsObject->comm, row->name, value, options));
  }
  PetscOptionsObject->printhelp = help;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells in -info how the sweeps are done, and of each given option that nothing in use reads */
PetscErrorCode SyncFreeOptionsInform(Mat F, SyncFreeEngine engine)
{
  const SyncFreeOptions *options = &engine->options;
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS];
  const SptrsvOption    *row;
  const SptrsvAlgorithm *factor;
  const char            *users[3 + 2 * (1 + SPTRSV_PLAN_ALGORITHMS)]; /* what is in use, as rows name it */
  char                   text[1024], name[64], user[80];
  PetscInt               count = 0;
  PetscBool              informs;

  PetscFunctionBegin;
  PetscCall(PetscInfoEnabled(MAT_CLASSID, &informs));
  if (!informs) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallSptrsv(sptrsvFactorGetAlgorithm(engine->factor, &factor));
  PetscCall(PetscSNPrintf(name, sizeof(name), "factorization %s", factor ? factor->name : SyncFreeAuto));
  users[count++] = name;
  if (SyncFreeOnDevice(engine)) users[count++] = "the factorization";
  if (SyncFreeOnDevice(engine)) users[count++] = "sweeps on the GPU";
  for (SyncFreeSweep sweep = SYNCFREE_L; sweep <= SYNCFREE_U; sweep++) {
    PetscCallSptrsv(sptrsvPlanDescribe(engine->plan[sweep], text, sizeof(text)));
    PetscCall(PetscInfo(F, "%s sweep: %s\n", sweep == SYNCFREE_L ? "Forward" : "Backward", text));
    if (SyncFreeOnDevice(engine) && SyncFreeAlgorithm(options, sweep == SYNCFREE_L ? SYNCFREE_LOWER : SYNCFREE_UPPER) == SyncFreeAuto)
      users[count++] = SyncFreeAuto;
    PetscCallSptrsv(sptrsvPlanGetAlgorithms(engine->plan[sweep], algorithms));
    for (PetscInt p = 0; p < SPTRSV_PLAN_ALGORITHMS; p++) {
      if (algorithms[p]) users[count++] = algorithms[p]->name;
    }
  }
  for (int k = SYNCFREE_NAMES; (row = SyncFreeOptionGet(k)); k++) {
    PetscBool used = (PetscBool)!options->text[k];

    PetscCall(PetscSNPrintf(text, sizeof(text), ", %s,", row->algorithms));
    for (PetscInt u = 0; u < count && !used; u++) {
      PetscCall(PetscSNPrintf(user, sizeof(user), ", %s,", users[u]));
      used = (PetscBool)(strstr(text, user) != NULL);
    }
    if (!used) PetscCall(PetscInfo(F, "Option %s has no effect here, it is for: %s\n", row->name, row->algorithms));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets F's choice from all sources, the weakest first: functions of the factor Mat, options of the PC, -mat_syncfree_...; and what follows
   from it for a factor of A */
PetscErrorCode MatSyncFreeChoose(Mat F, Mat A, const PC_SyncFree *sf)
{
  Mat_SyncFree   *f        = (Mat_SyncFree *)F->data;
  SyncFreeOptions choice   = {.text = {NULL}};
  SyncFreeOptions database = {.text = {NULL}};

  PetscFunctionBegin;
  for (int k = SYNCFREE_LOWER; k <= SYNCFREE_UPPER; k++) PetscCall(SyncFreeOptionsPut(k, SyncFreeAuto, &choice));
  PetscCall(SyncFreeOptionsOverlay(&f->options, &choice));
  if (sf) PetscCall(SyncFreeOptionsOverlay(&sf->options, &choice));
  PetscOptionsBegin(PetscObjectComm((PetscObject)F), ((PetscObject)F)->prefix, "SyncFree factorization options", "Mat");
  PetscCall(SyncFreeOptionsRead(PetscOptionsObject, "mat", &database));
  PetscOptionsEnd();
  PetscCall(SyncFreeOptionsOverlay(&database, &choice));
  PetscCall(SyncFreeOptionsDestroy(&database));
  PetscCall(SyncFreeOptionsDestroy(&f->choice));
  f->choice = choice;
  PetscCall(SyncFreeGetStorage(F, A));
  PetscCall(SyncFreeGetLocation(F, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
