/*
   What -ksp_view says of PCSYNCFREE, before PETSc's PCILU says its part.
*/
#include "syncfreeimpl.h"

PetscErrorCode PCView_SyncFree(PC pc, PetscViewer viewer)
{
  PC_SyncFree      *sf;
  SyncFreeEngine    e;
  PetscMPIInt       size, rank;
  PetscBool         isascii, isstring, all;
  PetscViewer       sub;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(PCSyncFreeGetContext(pc, &sf));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)pc), &rank));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERSTRING, &isstring));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  all = (PetscBool)(format == PETSC_VIEWER_ASCII_INFO_DETAIL);
  e   = sf->channel.engine;
  if (isascii) {
    if (!sf->decided) PetscCall(PetscViewerASCIIPrintf(viewer, "  incomplete factorization not chosen yet\n"));
    else {
      PetscCall(PetscViewerASCIIPrintf(viewer, "  incomplete factorization %s", sf->channel.icc ? "icc" : "ilu"));
      PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE));
      if (e) PetscCall(PetscViewerASCIIPrintf(viewer, ", made and applied on the %s", SyncFreeOnDevice(e) ? "GPU" : "HOST"));
      PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
      PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
    }
    if (size > 1)
      PetscCall(PetscViewerASCIIPrintf(viewer, "  of each process's diagonal block (block Jacobi), %s\n",
                                       all ? "one after the other:" : "the first one being:"));
  }
  /* PETSc's view as a string asks the factor, which is not there before set-up */
  if (!isascii && !(isstring && pc->setupcalled && size == 1)) PetscFunctionReturn(PETSC_SUCCESS);
  if (size > 1) { /* the factor lives on one process, so must its viewer */
    PetscCall(PetscViewerGetSubViewer(viewer, PETSC_COMM_SELF, &sub));
    if (!rank || all) PetscCall((*sf->inner.view)(pc, sub));
    PetscCall(PetscViewerRestoreSubViewer(viewer, PETSC_COMM_SELF, &sub));
    PetscCall(PetscViewerASCIIPopSynchronized(viewer)); /* as in PCView_BJacobi() */
  } else PetscCall((*sf->inner.view)(pc, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
