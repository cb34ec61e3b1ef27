/*
   What -citations says.
*/
#include "syncfreeimpl.h"

static PetscBool  SyncFreeCited = PETSC_FALSE;
static const char SyncFreeCitation[] =
  "@article{zhang2021yuenyeung,\n"
  "  title   = {{YuenyeungSpTRSV}: A Thread-Level and Warp-Level Fusion Synchronization-Free Sparse Triangular Solve},\n"
  "  author  = {Feng Zhang and Jiya Su and Weifeng Liu and Bingsheng He and Ruofan Wu and Xiaoyong Du and Rujia Wang},\n"
  "  journal = {IEEE Transactions on Parallel and Distributed Systems},\n"
  "  year    = {2021},\n"
  "  doi     = {10.1109/TPDS.2021.3066635}\n"
  "}\n";

enum {
  SYNCFREE_MAX_CITED = 64
};
static PetscBool SyncFreeAlgorithmCited[SYNCFREE_MAX_CITED], SyncFreeNumericCited;

void SyncFreeCitationsReset(void)
{
  SyncFreeCited = SyncFreeNumericCited = PETSC_FALSE;
  (void)PetscArrayzero(SyncFreeAlgorithmCited, SYNCFREE_MAX_CITED);
}

/* The source that the kernel library names for an algorithm; what is there for both memories has one source, and is cited once */
static PetscErrorCode SyncFreeCite(const char name[], const char what[], const char key[], PetscBool cited[])
{
  const SptrsvAlgorithm *a;
  char                   text[512];

  PetscFunctionBegin;
  for (int k = 0; k < SYNCFREE_MAX_CITED && (a = sptrsvAlgorithmGet(k)); k++) {
    if (strcmp(a->name, name)) continue;
    if (a->source && a->source[0]) {
      PetscCall(PetscSNPrintf(text, sizeof(text), "@misc{syncfree-%s%s,\n  title = {%s \"%s\"},\n  note  = {%s}\n}\n", key, name, what,
                              name, a->source));
      PetscCall(PetscCitationsRegister(text, cited ? &cited[k] : &SyncFreeNumericCited));
    }
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The paper that this plugin grew from, and the sources of all algorithms in use */
PetscErrorCode SyncFreeEngineCite(SyncFreeEngine e)
{
  const char *names[SYNCFREE_NAMES];

  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(SyncFreeCitation, &SyncFreeCited));
  for (SyncFreeSweep sweep = SYNCFREE_L; sweep <= SYNCFREE_U; sweep++) {
    PetscCall(SyncFreeEngineGetAlgorithms(e, sweep, names));
    for (PetscInt k = 0; k < SYNCFREE_NAMES; k++) {
      if (names[k]) PetscCall(SyncFreeCite(names[k], "Triangular sweep", "", SyncFreeAlgorithmCited));
    }
  }
  /* the paper of the factorization by tasks is that of the sweep of the same name; auto and entries are in no table */
  if (e->choice.numeric) PetscCall(SyncFreeCite(e->choice.numeric, "Factorization", "factorization-", NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
