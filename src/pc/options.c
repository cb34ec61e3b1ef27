/*
   Options of the PC and of the factor Mat: setting, getting, comparing, overlaying and reading them.

   The kernel library's table lists the options.  The algorithms of the sweeps are not in that table, because a name for both sweeps and a
   name for one sweep override each other.
*/
#include "syncfreeimpl.h"

const char SyncFreeAuto[] = "auto";

#define SYNCFREE_NAME_LEN 64
#define SYNCFREE_LIST_LEN 1024

static const struct {
  const char *option, *text, *manual;
} SyncFreeNameRows[SYNCFREE_NAMES] = {{"algorithm", "algorithm of both sweeps", "Algorithm"},
                                      {"lower_algorithm", "algorithm of the sweeps with L", "Option"},
                                      {"upper_algorithm", "algorithm of the sweeps with U", "Option"}};

/* Returns SYNCFREE_NAMES if the option is none of these */
static SyncFreeName SyncFreeNameFind(const char option[])
{
  SyncFreeName k = SYNCFREE_BOTH;

  while (k < SYNCFREE_NAMES && strcmp(SyncFreeNameRows[k].option, option)) k++;
  return k;
}

const char *SyncFreeNameOrAuto(const SyncFreeOptions *options, SyncFreeName which)
{
  return options->name[which] ? options->name[which] : SyncFreeAuto;
}

/* Lists "auto" and the names of the algorithms, each once, those of studies last and only if they are asked for; a new line after some */
static PetscErrorCode SyncFreeAlgorithmNames(PetscBool studies, char list[SYNCFREE_LIST_LEN])
{
  const SptrsvAlgorithm *a;
  size_t                 len, line = 0;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(list, SyncFreeAuto, SYNCFREE_LIST_LEN));
  for (PetscInt study = 0; study <= (PetscInt)studies; study++) {
    for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
      if (!(a->traits & SPTRSV_STUDY) != !study) continue;
      if (a->location == SPTRSV_DEVICE && sptrsvAlgorithmFind(a->name, SPTRSV_HOST)) continue; /* listed for the host already */
      PetscCall(PetscStrlen(list, &len));
      PetscCall(PetscStrlcat(list, len - line > 60 ? ",\n      " : ", ", SYNCFREE_LIST_LEN));
      if (len - line > 60) line = len;
      PetscCall(PetscStrlcat(list, a->name, SYNCFREE_LIST_LEN));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NULL and "" stand for auto; the options refer to the name in the table, not to `name` */
static PetscErrorCode SyncFreeOptionsSetName(MPI_Comm comm, SyncFreeName which, const char name[], SyncFreeOptions *options)
{
  const SptrsvAlgorithm *a;
  char                   list[SYNCFREE_LIST_LEN];

  PetscFunctionBegin;
  if (!name || !name[0] || !strcmp(name, SyncFreeAuto)) {
    options->name[which] = SyncFreeAuto;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  a = sptrsvAlgorithmFind(name, SPTRSV_DEVICE);
  if (!a) a = sptrsvAlgorithmFind(name, SPTRSV_HOST);
  if (!a) {
    PetscCall(SyncFreeAlgorithmNames(PETSC_TRUE, list));
    SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "Unknown SyncFree algorithm \"%s\", this library has: %s", name, list);
  }
  options->name[which] = a->name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of type SPTRSV_OPTION_PARAMETERS it is a text, which the options own */
static void *SyncFreeMember(const SyncFreeOptions *options, const SptrsvOption *row)
{
  return (char *)&options->tuning + row->offset;
}

/* Puts one member of a tuning, which keeps its texts, into the options */
static PetscErrorCode SyncFreeOptionsTake(const SptrsvTuning *tuning, const SptrsvOption *row, SyncFreeOptions *options)
{
  const void *from = (const char *)tuning + row->offset;
  char       *copy, **text = (char **)SyncFreeMember(options, row);

  PetscFunctionBegin;
  if (row->type == SPTRSV_OPTION_PARAMETERS) {
    PetscCall(PetscStrallocpy(*(const char *const *)from, &copy));
    PetscCall(PetscFree(*text));
    *text = copy;
  } else PetscCall(PetscMemcpy(SyncFreeMember(options, row), from, row->size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SyncFreeOptionsCopy(const SyncFreeOptions *from, SyncFreeOptions *to)
{
  const SptrsvOption *row;

  PetscFunctionBegin;
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) PetscCall(SyncFreeOptionsTake(&from->tuning, row, to));
  PetscCall(PetscArraycpy(to->name, from->name, SYNCFREE_NAMES));
  to->given = from->given;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frees the texts */
PetscErrorCode SyncFreeOptionsDestroy(SyncFreeOptions *options)
{
  const SptrsvOption *row;

  PetscFunctionBegin;
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) {
    if (row->type == SPTRSV_OPTION_PARAMETERS) PetscCall(PetscFree(*(char **)SyncFreeMember(options, row)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   SyncFreeOptionsSet - Sets an option of the table, or one of algorithm, lower_algorithm, upper_algorithm
*/
PetscErrorCode SyncFreeOptionsSet(MPI_Comm comm, const char name[], const char value[], SyncFreeOptions *options)
{
  const SyncFreeName  which = SyncFreeNameFind(name);
  const SptrsvOption *row;
  SptrsvTuning        tuning = options->tuning;
  SptrsvStatus        status;
  char                error[1024];

  PetscFunctionBegin;
  if (which < SYNCFREE_NAMES) {
    PetscCall(SyncFreeOptionsSetName(comm, which, value, options));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  status = sptrsvOptionSet(&tuning, name, value, error, sizeof(error));
  PetscCheck(status == SPTRSV_SUCCESS, comm, status == SPTRSV_UNKNOWN_NAME ? PETSC_ERR_ARG_UNKNOWN_TYPE : PETSC_ERR_ARG_OUTOFRANGE,
             "SyncFree: %s", error);
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) {
    if (strcmp(row->name, name)) continue;
    PetscCall(SyncFreeOptionsTake(&tuning, row, options));
    options->given |= (uint64_t)1 << k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool SyncFreeMembersEqual(const SyncFreeOptions *a, const SyncFreeOptions *b, const SptrsvOption *row)
{
  const char *const *text[] = {(const char *const *)SyncFreeMember(a, row), (const char *const *)SyncFreeMember(b, row)};

  if (row->type != SPTRSV_OPTION_PARAMETERS) return (PetscBool)!memcmp(text[0], text[1], row->size);
  return (PetscBool)(*text[0] && *text[1] ? !strcmp(*text[0], *text[1]) : *text[0] == *text[1]);
}

PetscBool SyncFreeOptionsEqual(const SyncFreeOptions *a, const SyncFreeOptions *b)
{
  const SptrsvOption *row;
  PetscBool           same = (PetscBool)(a->given == b->given);

  for (PetscInt k = 0; k < SYNCFREE_NAMES; k++) same = (PetscBool)(same && a->name[k] == b->name[k]);
  for (int k = 0; same && (row = sptrsvOptionGet(k)); k++) same = SyncFreeMembersEqual(a, b, row);
  return same;
}

/* Puts `options` over `choice`.  Calls go from the weakest source to the strongest, so a name for both sweeps overrides a weaker
   source's name for one. */
static PetscErrorCode SyncFreeOptionsOverlay(const SyncFreeOptions *options, SyncFreeOptions *choice)
{
  const SptrsvOption *row;

  PetscFunctionBegin;
  for (SyncFreeName k = SYNCFREE_LOWER; k <= SYNCFREE_UPPER; k++) {
    if (options->name[SYNCFREE_BOTH]) choice->name[k] = options->name[SYNCFREE_BOTH];
    if (options->name[k]) choice->name[k] = options->name[k];
    if (!choice->name[k]) choice->name[k] = SyncFreeAuto;
  }
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) {
    if (options->given >> k & 1) PetscCall(SyncFreeOptionsTake(&options->tuning, row, choice));
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
    PetscCall(SyncFreeOptionsDestroy(&choice));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads -pc_syncfree_ROW or -mat_syncfree_ROW */
static PetscErrorCode SyncFreeOptionsReadRow(SyncFreeOptionItems PetscOptionsObject, const char face[], const SptrsvOption *row,
                                             SyncFreeOptions *options)
{
  const char *manual = face[0] == 'p' ? "PCSyncFreeSetOption" : "MatSyncFreeSetOption", *given;
  char        opt[64], text[256], value[PETSC_MAX_PATH_LEN];
  PetscInt    n, count = 0;
  PetscReal   r;
  PetscBool   set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_%s", face, row->name));
  /* two or three lines, so that none is long: users of the option, meaning, choices */
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s%s%s\n      %s, default ", row->algorithms, row->symbol ? ", " : "",
                          row->symbol ? row->symbol : "", row->summary));
  if (row->value) PetscCall(PetscSNPrintf(value, sizeof(value), "%d", (int)row->value));
  PetscCall(PetscStrlcat(text, row->value ? value : row->rule, sizeof(text)));
  if (row->type == SPTRSV_OPTION_CHOICE) PetscCall(PetscStrlcat(text, "\n     ", sizeof(text)));
  for (int k = 0; row->type == SPTRSV_OPTION_FACTOR && sptrsvFactorAlgorithmGet(k); k++) {
    PetscCall(PetscStrlcat(text, k ? ", " : ",\n      or one of ", sizeof(text)));
    PetscCall(PetscStrlcat(text, sptrsvFactorAlgorithmGet(k)->name, sizeof(text)));
  }
  PetscCallSptrsv(sptrsvOptionPrint(&options->tuning, row->name, value, sizeof(value)));
  switch (row->type) {
  case SPTRSV_OPTION_INT:
  case SPTRSV_OPTION_POWER:
    PetscCall(PetscOptionsStringToInt(value, &n));
    if (!n) n = (PetscInt)row->value; /* zero stands for the default, so -help shows that */
    PetscCall(PetscOptionsInt(opt, text, manual, n, &n, &set));
    PetscCall(PetscSNPrintf(value, sizeof(value), "%" PetscInt_FMT, n));
    break;
  case SPTRSV_OPTION_REAL:
    PetscCall(PetscOptionsStringToReal(value, &r));
    if (r == 0.0) r = (PetscReal)row->value;
    PetscCall(PetscOptionsReal(opt, text, manual, r, &r, &set));
    PetscCall(PetscSNPrintf(value, sizeof(value), "%.17g", (double)r));
    break;
  case SPTRSV_OPTION_CHOICE:
    while (row->choices[count]) count++;
    PetscCall(PetscOptionsEList(opt, text, manual, row->choices, count, value, &n, &set));
    if (set) PetscCall(PetscOptionsFindPair(PetscOptionsObject->options, PetscOptionsObject->prefix, opt, &given, NULL));
    if (set) PetscCall(PetscStrncpy(value, row->bare && (!given || !given[0]) ? row->bare : row->choices[n], sizeof(value)));
    break;
  case SPTRSV_OPTION_ALGORITHM:
  case SPTRSV_OPTION_FACTOR:
  case SPTRSV_OPTION_PARAMETERS:
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
PetscErrorCode SyncFreeOptionsRead(SyncFreeOptionItems PetscOptionsObject, const char face[], SyncFreeOptions *options)
{
  const SptrsvOption *row;
  char                opt[64], manual[64], value[SYNCFREE_NAME_LEN], list[SYNCFREE_LIST_LEN], text[SYNCFREE_LIST_LEN + 64];
  const PetscBool     help    = PetscOptionsObject->printhelp;
  PetscBool           studies = PETSC_FALSE, set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_studies", face));
  PetscCall(PetscOptionsBool(opt, "-help lists methods of papers, too", face[0] == 'p' ? "PCSYNCFREE" : "MATSOLVERSYNCFREE", studies,
                             &studies, NULL));
  PetscCall(SyncFreeAlgorithmNames(studies, list));
  for (SyncFreeName k = SYNCFREE_BOTH; k < SYNCFREE_NAMES; k++) {
    PetscCall(PetscSNPrintf(opt, sizeof(opt), "-%s_syncfree_%s", face, SyncFreeNameRows[k].option));
    PetscCall(PetscSNPrintf(manual, sizeof(manual), "%sSyncFreeSet%s", face[0] == 'p' ? "PC" : "Mat", SyncFreeNameRows[k].manual));
    PetscCall(PetscStrncpy(text, SyncFreeNameRows[k].text, sizeof(text)));
    if (k == SYNCFREE_BOTH && face[0] == 'p') { /* the list is printed once */
      PetscCall(PetscStrlcat(text, ", one of\n      ", sizeof(text)));
      PetscCall(PetscStrlcat(text, list, sizeof(text)));
    }
    PetscCall(PetscOptionsString(opt, text, manual, SyncFreeNameOrAuto(options, k), value, sizeof(value), &set));
    if (set) PetscCall(SyncFreeOptionsSet(PetscOptionsObject->comm, SyncFreeNameRows[k].option, value, options));
  }
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) {
    PetscOptionsObject->printhelp = (PetscBool)(help && (studies || !row->study));
    PetscCall(SyncFreeOptionsReadRow(PetscOptionsObject, face, row, options));
  }
  PetscOptionsObject->printhelp = help;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells whether `name` is in a list with commas */
static PetscBool SyncFreeIsListed(const char list[], const char name[])
{
  const size_t len = strlen(name);

  for (const char *word = list; *word; word += strspn(word, ", ")) {
    const size_t end = strcspn(word, ",");

    if (end == len && !strncmp(word, name, len)) return PETSC_TRUE;
    word += end;
  }
  return PETSC_FALSE;
}

/* Tells in -info how the sweeps are done, and of each given option that nothing in use reads */
PetscErrorCode SyncFreeOptionsInform(Mat F, SyncFreeEngine engine)
{
  const SyncFreeOptions *options = &engine->options;
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS];
  const SptrsvOption    *row;
  const SptrsvAlgorithm *factor;
  const char            *users[3 + 2 * (1 + SPTRSV_PLAN_ALGORITHMS)]; /* what is in use, as rows name it */
  char                   text[1024], name[64];
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
    if (SyncFreeOnDevice(engine) && options->name[sweep == SYNCFREE_L ? SYNCFREE_LOWER : SYNCFREE_UPPER] == SyncFreeAuto)
      users[count++] = SyncFreeAuto;
    PetscCallSptrsv(sptrsvPlanGetAlgorithms(engine->plan[sweep], algorithms));
    for (PetscInt p = 0; p < SPTRSV_PLAN_ALGORITHMS; p++) {
      if (algorithms[p]) users[count++] = algorithms[p]->name;
    }
  }
  for (int k = 0; (row = sptrsvOptionGet(k)); k++) {
    PetscBool used = (PetscBool)!(options->given >> k & 1);

    for (PetscInt u = 0; u < count && !used; u++) used = SyncFreeIsListed(row->algorithms, users[u]);
    if (!used) PetscCall(PetscInfo(F, "Option %s has no effect here, it is for: %s\n", row->name, row->algorithms));
  }
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
  PetscCall(SyncFreeOptionsDestroy(&database));
  PetscCall(SyncFreeOptionsDestroy(&f->choice));
  f->choice = choice;
  PetscFunctionReturn(PETSC_SUCCESS);
}
