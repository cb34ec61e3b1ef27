/*
   The natural ordering of a matrix, without arrays of all its rows.

   MatGetOrdering() fills, copies and scans two such arrays.  While PCSYNCFREE sets up, this is the matrix's own getordering(), which
   MatGetOrdering() calls in place of its own.
*/
#include "syncfreeimpl.h"

PetscErrorCode MatGetOrdering_SyncFree(Mat A, MatOrderingType type, IS *row, IS *col)
{
  PetscBool      natural;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(type, MATORDERINGNATURAL, &natural));
  if (natural && A->rmap->n == A->cmap->n) {
    PetscCall(ISCreateStride(PETSC_COMM_SELF, A->rmap->n, 0, 1, row));
    ierr = ISCreateStride(PETSC_COMM_SELF, A->rmap->n, 0, 1, col); /* not the same IS: PCReset_ILU() would destroy it once */
    if (ierr) (void)ISDestroy(row);                                /* which PCReset_ILU() would not do for one of two */
    PetscCall(ierr);
    PetscCall(ISSetIdentity(*row));
    PetscCall(ISSetIdentity(*col));
    PetscCall(MatViewFromOptions(A, NULL, "-mat_view_ordering"));
  } else {
    A->ops->getordering = NULL;
    ierr                = MatGetOrdering(A, type, row, col);
    A->ops->getordering = MatGetOrdering_SyncFree;
    PetscCall(ierr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
