/*
   Citations: the plugin, and the papers whose algorithms are in use.
*/
#include "syncfreeimpl.h"

static PetscBool  SyncFreeCited = PETSC_FALSE, SyncFreeYuenyeungCited = PETSC_FALSE;
static const char SyncFreeCitation[] =
  "@software{syncfree,\n"
  "  title  = {{SyncFree}: incomplete factorizations with synchronization-free triangular solves for {PETSc} on {GPU}s},\n"
  "  author = {{The SyncFree developers}},\n"
  "  year   = {2026}\n"
  "}\n";
static const char SyncFreeYuenyeungCitation[] =
  "@article{zhang2021yuenyeung,\n"
  "  title   = {{YuenyeungSpTRSV}: A Thread-Level and Warp-Level Fusion Synchronization-Free Sparse Triangular Solve},\n"
  "  author  = {Feng Zhang and Jiya Su and Weifeng Liu and Bingsheng He and Ruofan Wu and Xiaoyong Du and Rujia Wang},\n"
  "  journal = {IEEE Transactions on Parallel and Distributed Systems},\n"
  "  year    = {2021},\n"
  "  doi     = {10.1109/TPDS.2021.3066635}\n"
  "}\n";
static const char SyncFreeTasksCitation[] =
  "@misc{syncfree-factorization-ata,\n  title = {Factorization \"ata\"},\n  note  = {Helal et al. (ATA), Algorithm 5}\n}\n";

#define SYNCFREE_MAX_CITED 64
static PetscBool SyncFreeAlgorithmCited[SYNCFREE_MAX_CITED], SyncFreeTasksCited;

void SyncFreeCitationsReset(void)
{
  SyncFreeCited = SyncFreeYuenyeungCited = SyncFreeTasksCited = PETSC_FALSE;
  (void)PetscArrayzero(SyncFreeAlgorithmCited, SYNCFREE_MAX_CITED);
}

/* Cites the table's source of an algorithm that is from a paper or another library; one with rows for both memories is cited once */
static PetscErrorCode SyncFreeCite(const SptrsvAlgorithm *algorithm)
{
  const SptrsvAlgorithm *host = sptrsvAlgorithmFind(algorithm->name, SPTRSV_HOST), *a = host ? host : algorithm;
  char                   text[512];

  PetscFunctionBegin;
  if (strstr(a->source, "this project") || strstr(a->source, "textbook")) PetscFunctionReturn(PETSC_SUCCESS);
  if (strstr(a->source, "YuenyeungSpTRSV")) PetscCall(PetscCitationsRegister(SyncFreeYuenyeungCitation, &SyncFreeYuenyeungCited));
  for (int k = 0; k < SYNCFREE_MAX_CITED && sptrsvAlgorithmGet(k); k++) {
    if (sptrsvAlgorithmGet(k) != a) continue;
    PetscCall(PetscSNPrintf(text, sizeof(text), "@misc{syncfree-%s,\n  title = {Triangular sweep \"%s\"},\n  note  = {%s}\n}\n", a->name,
                            a->name, a->source));
    PetscCall(PetscCitationsRegister(text, &SyncFreeAlgorithmCited[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cites the plugin, and the sources of all algorithms in use */
PetscErrorCode SyncFreeEngineCite(SyncFreeEngine engine)
{
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS];

  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(SyncFreeCitation, &SyncFreeCited));
  for (SyncFreeSweep sweep = SYNCFREE_L; sweep <= SYNCFREE_U; sweep++) {
    PetscCallSptrsv(sptrsvPlanGetAlgorithms(engine->plan[sweep], algorithms));
    for (PetscInt k = 0; k < SPTRSV_PLAN_ALGORITHMS; k++) {
      if (algorithms[k]) PetscCall(SyncFreeCite(algorithms[k]));
    }
  }
  if (engine->options.tuning.factor.algorithm == SPTRSV_FACTOR_ATA)
    PetscCall(PetscCitationsRegister(SyncFreeTasksCitation, &SyncFreeTasksCited));
  PetscFunctionReturn(PETSC_SUCCESS);
}
