/*
   PETSc's private headers, and what their releases differ in.  src/pc is written for 3.26; what earlier ones lack, from 3.18 on, is made
   here of what they have.
*/
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* 3.18 has some */
#include <petsc/private/matimpl.h>                  /* Mat->ops, factortype, canuseordering, preferredordering, factorerrortype */
#include <petsc/private/pcimpl.h>                   /* PC->ops, PC->pmat */
#pragma GCC diagnostic pop

#if PETSC_VERSION_LT(3, 18, 0)
  #error "SyncFree requires PETSc 3.18 or later"
#endif

/* -------------------------------------------------- members of structs -------------------------------------------------- */
typedef PetscErrorCode (*SyncFreeOrderingFunction)(Mat, MatOrderingType, IS *, IS *);

/* Puts a function in the place of the one that MatGetOrdering() calls for this matrix, which is returned.  Before 3.26 it calls none. */
static inline SyncFreeOrderingFunction SyncFreeMatSwapOrdering(Mat A, SyncFreeOrderingFunction f)
{
#if PETSC_VERSION_GE(3, 26, 0)
  SyncFreeOrderingFunction before = A->ops->getordering;

  A->ops->getordering = f;
  return before;
#else
  (void)A;
  (void)f;
  return NULL;
#endif
}

typedef PetscErrorCode (*SyncFreeMatApply)(PC, Mat, Mat);

/* The place of the transposed product with dense matrices among these methods.  Before 3.24 there is none, and NULL. */
static inline SyncFreeMatApply *SyncFreePCMatApplyTranspose(struct _PCOps *ops)
{
#if PETSC_VERSION_GE(3, 24, 0)
  return &ops->matapplytranspose;
#else
  (void)ops;
  return NULL;
#endif
}

/* Names the part that is to be on the host, by options that PETSc has since 3.23; NULL: neither */
static inline const char *SyncFreePartOnHost(const MatFactorInfo *info)
{
#if PETSC_VERSION_GE(3, 23, 0)
  return info->factoronhost ? "factor" : info->solveonhost ? "solve" : NULL;
#else
  (void)info;
  return NULL;
#endif
}

#if PETSC_VERSION_GE(3, 23, 0)
typedef PetscOptionItems SyncFreeOptionItems;
#else
typedef PetscOptionItems *SyncFreeOptionItems;
#endif

/* ------------------------------------------------------- functions ------------------------------------------------------- */
/* Whether KSPSolve() leaves out PCSetUp() when only values are new.  PETSC_VERSION_LT() takes all of main for later than 3.26. */
#define SYNCFREE_KSP_MISSES_NEW_VALUES (PETSC_VERSION_MAJOR == 3 && PETSC_VERSION_MINOR < 26)

#if PETSC_VERSION_LT(3, 23, 0)
  #define PetscCtxDestroyDefault PetscContainerUserDestroyDefault
#endif

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
  /* dense matrices are taken for ones on the host, so their columns are copied for a factor on the GPU */
  #define MatDenseGetArrayReadAndMemType(A, a, mtype)  (*(mtype) = PETSC_MEMTYPE_HOST, MatDenseGetArrayRead(A, a))
  #define MatDenseGetArrayWriteAndMemType(A, a, mtype) (*(mtype) = PETSC_MEMTYPE_HOST, MatDenseGetArrayWrite(A, a))
  #define MatDenseRestoreArrayReadAndMemType           MatDenseRestoreArrayRead
  #define MatDenseRestoreArrayWriteAndMemType          MatDenseRestoreArrayWrite
#endif

#if PETSC_VERSION_LT(3, 20, 0)
  #define PetscAssertPointer                PetscValidPointer
  #define PetscGetCurrentCUDAStream(stream) (*(stream) = PetscDefaultCudaStream, PETSC_SUCCESS)
  #define PetscGetCurrentHIPStream(stream)  (*(stream) = PetscDefaultHipStream, PETSC_SUCCESS)
#endif

#if PETSC_VERSION_LT(3, 22, 0)
/* Makes a vector for VecGetLocalVector() on a parallel one.  PETSc's has the parallel type, with which VecGetLocalVector() shares the
   array on the host only, so that what is written on a GPU is lost. */
static inline PetscErrorCode SyncFreeVecCreateLocalVector(Vec v, Vec *w)
{
  VecType   type;
  PetscInt  n, bs;
  PetscBool parallel;

  PetscFunctionBegin;
  PetscCall(VecGetType(v, &type));
  PetscCall(PetscStrbeginswith(type, VECMPI, &parallel));
  if (!parallel) {
    PetscCall(VecCreateLocalVector(v, w));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  type += strlen(VECMPI); /* as in "mpicuda" */
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetBlockSize(v, &bs));
  PetscCall(VecCreate(PETSC_COMM_SELF, w));
  PetscCall(VecSetSizes(*w, n, n));
  PetscCall(VecSetBlockSize(*w, bs));
  PetscCall(VecSetType(*w, *type ? type : VECSEQ));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #define VecCreateLocalVector SyncFreeVecCreateLocalVector

static inline PetscErrorCode PetscObjectContainerCompose(PetscObject o, const char name[], void *context, PetscErrorCode (*destroy)(void *))
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm(o), &container));
  PetscCall(PetscContainerSetPointer(container, context));
  if (destroy) PetscCall(PetscContainerSetUserDestroy(container, destroy));
  PetscCall(PetscObjectCompose(o, name, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode PetscObjectContainerQuery(PetscObject o, const char name[], void **context)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery(o, name, (PetscObject *)&container));
  *context = NULL;
  if (container) PetscCall(PetscContainerGetPointer(container, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

#if PETSC_VERSION_LT(3, 23, 0) /* later ones take any pointer */
  #define PetscObjectContainerQuery(o, name, context) (PetscObjectContainerQuery)(o, name, (void **)(context))
#endif
