/*
   Citations: the plugin, and the papers whose algorithms are in use.
*/
#include "syncfreeimpl.h"

static const char SyncFreeCitation[] =
  "@software{syncfree,\n"
  "  title  = {{SyncFree}: incomplete factorizations with synchronization-free triangular solves for {PETSc} on {GPU}s},\n"
  "  author = {{The SyncFree developers}},\n"
  "  year   = {2026}\n"
  "}\n";

/* The tables of algorithms */
typedef enum {
  SYNCFREE_OF_SWEEPS,
  SYNCFREE_OF_FACTORS,
  SYNCFREE_TABLES
} SyncFreeTable;
static const struct {
  const SptrsvAlgorithm *(*get)(int k);
  const char *key, *title;
} SyncFreeTables[SYNCFREE_TABLES] = {
  {sptrsvAlgorithmGet,       "",               "Triangular sweep"},
  {sptrsvFactorAlgorithmGet, "factorization-", "Factorization"   }
};

#define SYNCFREE_MOST_ROWS 64
static PetscBool SyncFreeCited;
static PetscBool SyncFreeSourceCited[SYNCFREE_TABLES][SYNCFREE_MOST_ROWS], SyncFreePaperCited[SYNCFREE_TABLES][SYNCFREE_MOST_ROWS];

void SyncFreeCitationsReset(void)
{
  SyncFreeCited = PETSC_FALSE;
  (void)PetscMemzero(SyncFreeSourceCited, sizeof(SyncFreeSourceCited));
  (void)PetscMemzero(SyncFreePaperCited, sizeof(SyncFreePaperCited));
}

/* Cites an algorithm of a paper or of another library: the first row of its name, for either memory, and the paper with the first row that
   has it */
static PetscErrorCode SyncFreeCite(SyncFreeTable table, const SptrsvAlgorithm *algorithm)
{
  const SptrsvAlgorithm *(*const get)(int) = SyncFreeTables[table].get;
  const SptrsvAlgorithm *a;
  char                   text[512];
  int                    k = 0, paper = 0;

  PetscFunctionBegin;
  if (!algorithm || !algorithm->citation) PetscFunctionReturn(PETSC_SUCCESS);
  while (strcmp(get(k)->name, algorithm->name)) k++;
  a = get(k);
  while (get(paper)->citation != a->citation) paper++;
  PetscCheck(k < SYNCFREE_MOST_ROWS, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Too many algorithms");
  if (a->citation[0]) PetscCall(PetscCitationsRegister(a->citation, &SyncFreePaperCited[table][paper]));
  PetscCall(PetscSNPrintf(text, sizeof(text), "@misc{syncfree-%s%s,\n  title = {%s \"%s\"},\n  note  = {%s}\n}\n",
                          SyncFreeTables[table].key, a->name, SyncFreeTables[table].title, a->name, a->source));
  PetscCall(PetscCitationsRegister(text, &SyncFreeSourceCited[table][k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cites the plugin, and the sources of all algorithms in use */
PetscErrorCode SyncFreeEngineCite(SyncFreeEngine engine)
{
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS], *factor;

  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(SyncFreeCitation, &SyncFreeCited));
  for (SyncFreeSweep sweep = SYNCFREE_L; sweep <= SYNCFREE_U; sweep++) {
    PetscCallSptrsv(sptrsvPlanGetAlgorithms(engine->plan[sweep], algorithms));
    for (PetscInt k = 0; k < SPTRSV_PLAN_ALGORITHMS; k++) PetscCall(SyncFreeCite(SYNCFREE_OF_SWEEPS, algorithms[k]));
  }
  PetscCallSptrsv(sptrsvFactorGetAlgorithm(engine->factor, &factor));
  PetscCall(SyncFreeCite(SYNCFREE_OF_FACTORS, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}
