/*
   What -ksp_view says of PCSYNCFREE, before PETSc's PCILU says its part.
*/
#include "syncfreeimpl.h"

PetscErrorCode PCView_SyncFree(PC pc, PetscViewer viewer)
{
  PC_SyncFree      *sf;
  SyncFreeEngine    e;
  const char       *where = "";
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
  e   = pc->setupcalled ? sf->channel.engine : NULL; /* after a change of options it is there still, but of another set-up */
  if (e) where = SyncFreeOnDevice(e) ? ", made and applied on the GPU" : ", made and applied on the HOST";
  if (isascii) { /* a line in one piece: a subviewer puts tabs before each */
    if (!sf->decided) PetscCall(PetscViewerASCIIPrintf(viewer, "  incomplete factorization not chosen yet\n"));
    else PetscCall(PetscViewerASCIIPrintf(viewer, "  incomplete factorization %s%s\n", sf->channel.icc ? "icc" : "ilu", where));
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
