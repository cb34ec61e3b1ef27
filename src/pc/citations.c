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
static const char SyncFreeTasksCitation[] =
  "@misc{syncfree-factorization-ata,\n  title = {Factorization \"ata\"},\n  note  = {Helal et al. (ATA), Algorithm 5}\n}\n";

enum {
  SYNCFREE_MAX_CITED = 64
};
static PetscBool SyncFreeAlgorithmCited[SYNCFREE_MAX_CITED], SyncFreeTasksCited;

void SyncFreeCitationsReset(void)
{
  SyncFreeCited = SyncFreeTasksCited = PETSC_FALSE;
  (void)PetscArrayzero(SyncFreeAlgorithmCited, SYNCFREE_MAX_CITED);
}

/* The source that the kernel library names for an algorithm; what is there for both memories has one source, and is cited once */
static PetscErrorCode SyncFreeCite(const char name[])
{
  const SptrsvAlgorithm *a;
  char                   text[512];

  PetscFunctionBegin;
  for (int k = 0; k < SYNCFREE_MAX_CITED && (a = sptrsvAlgorithmGet(k)); k++) {
    if (strcmp(a->name, name)) continue;
    if (a->source && a->source[0]) {
      PetscCall(PetscSNPrintf(text, sizeof(text), "@misc{syncfree-%s,\n  title = {Triangular sweep \"%s\"},\n  note  = {%s}\n}\n",
                              name, name, a->source));
      PetscCall(PetscCitationsRegister(text, &SyncFreeAlgorithmCited[k]));
    }
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The paper that this plugin grew from, and the sources of all algorithms in use */
PetscErrorCode SyncFreeEngineCite(SyncFreeEngine e)
{
  const char *names[SYNCFREE_SWEEP_NAMES];
  PetscBool   tasks;

  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(SyncFreeCitation, &SyncFreeCited));
  for (SyncFreeSweep sweep = SYNCFREE_L; sweep <= SYNCFREE_U; sweep++) {
    PetscCall(SyncFreeEngineGetAlgorithms(e, sweep, names));
    for (PetscInt k = 0; k < SYNCFREE_SWEEP_NAMES; k++) {
      if (names[k]) PetscCall(SyncFreeCite(names[k]));
    }
  }
  PetscCall(PetscStrcmp(e->choice.numeric, "ata", &tasks));
  if (tasks) PetscCall(PetscCitationsRegister(SyncFreeTasksCitation, &SyncFreeTasksCited));
  PetscFunctionReturn(PETSC_SUCCESS);
}
