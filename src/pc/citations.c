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
static PetscBool SyncFreeAlgorithmCited[SYNCFREE_MAX_CITED];

void SyncFreeCitationsReset(void)
{
  SyncFreeCited = PETSC_FALSE;
  (void)PetscArrayzero(SyncFreeAlgorithmCited, SYNCFREE_MAX_CITED);
}

/* The paper that this plugin grew from, and the source that the kernel library names for each algorithm in use */
PetscErrorCode SyncFreeEngineCite(SyncFreeEngine e)
{
  const SptrsvAlgorithm *used, *a;

  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(SyncFreeCitation, &SyncFreeCited));
  for (PetscInt sweep = SYNCFREE_L; sweep <= SYNCFREE_U; sweep++) {
    PetscCallSptrsv(sptrsvPlanGetAlgorithm(e->plan[sweep], &used));
    for (int k = 0; k < SYNCFREE_MAX_CITED && (a = sptrsvAlgorithmGet(k)); k++) {
      if (a == used && a->source && a->source[0]) {
        char text[512];

        PetscCall(PetscSNPrintf(text, sizeof(text), "@misc{syncfree-%s,\n  title = {Triangular sweep \"%s\"},\n  note  = {%s}\n}\n",
                                a->name, a->name, a->source));
        PetscCall(PetscCitationsRegister(text, &SyncFreeAlgorithmCited[k]));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
