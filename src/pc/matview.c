/*
   What -ksp_view says of the factor.
*/
#include "syncfreeimpl.h"

static PetscErrorCode MatSyncFreeGetMemory(Mat F, size_t *host, size_t *device)
{
  SyncFreeEngine e = ((Mat_SyncFree *)F->data)->engine;
  size_t         h = 0, d = 0;

  PetscFunctionBegin;
  *host = *device = 0;
  if (!e) PetscFunctionReturn(PETSC_SUCCESS);
  if (e->factor) PetscCallSptrsv(sptrsvFactorGetMemory(e->factor, host, device));
  for (PetscInt k = 0; k < SYNCFREE_SWEEPS; k++) {
    if (!e->plan[k]) continue;
    PetscCallSptrsv(sptrsvPlanGetMemory(e->plan[k], &h, &d));
    *host += h;
    *device += d;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Required: PCSetUp_ILU() asks for the fill ratio */
PetscErrorCode MatGetInfo_SyncFree(Mat F, PETSC_UNUSED MatInfoType flag, MatInfo *info)
{
  size_t host, device;

  PetscFunctionBegin;
  *info            = F->info;
  info->block_size = 1.0;
  PetscCall(MatSyncFreeGetMemory(F, &host, &device));
  info->memory = (PetscLogDouble)(host + device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SyncFreeViewSweep(SyncFreeEngine e, SyncFreeSweep sweep, PetscViewer viewer)
{
  const PetscBool  lower = (PetscBool)(sweep == SYNCFREE_L);
  PetscBool        used  = PETSC_FALSE;
  const char      *names[SYNCFREE_SWEEP_NAMES];
  char             text[1024];
  SptrsvAnalysis   analysis;
  SptrsvStatistics s;

  PetscFunctionBegin;
  PetscCallSptrsv(sptrsvPlanDescribe(e->plan[sweep], text, sizeof(text)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s sweep: %s\n", lower ? "forward" : "backward", text));
  PetscCallSptrsv(sptrsvFactorGetAnalysis(e->factor, &analysis));
  PetscCallSptrsv(sptrsvAnalysisGetStatistics(analysis, lower ? SPTRSV_LOWER : SPTRSV_UPPER, SPTRSV_NON_TRANSPOSE, &s));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(SyncFreeEngineGetAlgorithms(e, sweep, names));
  for (PetscInt k = 0; k < SYNCFREE_SWEEP_NAMES; k++) used = (PetscBool)(used || SyncFreeUsesThreshold(names[k]));
  if (used && e->choice.thresholdfile[0])
    PetscCall(PetscViewerASCIIPrintf(viewer, "threshold from %s\n", e->choice.thresholdfile));
  PetscCall(PetscViewerASCIIPrintf(viewer, "rows=%lld, nonzeros off the diagonal=%lld, longest row=%lld\n", (long long)s.rows,
                                   (long long)s.nnz, (long long)s.longest));
  PetscCall(PetscViewerASCIIPrintf(viewer, "levels=%lld, rows in the widest=%lld\n", (long long)s.levels, (long long)s.widest));
  if (s.rows) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "granularity=%.4g, rows per level=%.4g, nonzeros per row=%.4g\n", s.granularity, s.n_level,
                                     s.nnz_row));
  }
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_SyncFree(Mat F, PetscViewer viewer)
{
  Mat_SyncFree     *f = (Mat_SyncFree *)F->data;
  SyncFreeEngine    e = f->engine;
  PetscBool         isascii;
  PetscViewerFormat format;
  size_t            host, device;
  char              text[512];

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  if (!isascii || !e || !e->factor || !e->plan[SYNCFREE_U]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "SyncFree %s in %s ordering\n", e->kind == SPTRSV_ICC0 ? "ICC(0)" : "ILU(0)",
                                   e->row || e->col ? "permuted" : "natural"));
  if (SyncFreeOnDevice(e)) PetscCall(PetscViewerASCIIPrintf(viewer, "factorization and sweeps run on the GPU\n"));
  else PetscCall(PetscViewerASCIIPrintf(viewer, "factorization and sweeps run on the HOST%s%s\n", f->where[0] ? ", " : "", f->where));
  PetscCallSptrsv(sptrsvFactorDescribe(e->factor, text, sizeof(text)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "factorization: %s\n", text));
  if (f->shifts)
    PetscCall(PetscViewerASCIIPrintf(viewer, "diagonal shifted by %g after %" PetscInt_FMT " attempts\n", (double)f->shift, f->shifts));
  PetscCall(SyncFreeViewSweep(e, SYNCFREE_L, viewer));
  PetscCall(SyncFreeViewSweep(e, SYNCFREE_U, viewer));
  if (e->plan[SYNCFREE_UT]) PetscCall(PetscViewerASCIIPrintf(viewer, "transposed sweeps are ready too\n"));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) {
    PetscCall(MatSyncFreeGetMemory(F, &host, &device));
    PetscCall(PetscViewerASCIIPrintf(viewer, "memory: %zu bytes on the GPU, %zu bytes on the host\n", device, host));
    PetscCall(PetscViewerASCIIPrintf(viewer, "one analysis for %" PetscInt_FMT " symbolic and %" PetscInt_FMT " numeric factorizations\n",
                                     e->nsymbolic, e->nnumeric));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
