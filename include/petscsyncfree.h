/*
   SyncFree: a PETSc plugin with incomplete factorizations for GPUs, whose triangular solves need no synchronization between levels.

   Programs that use the preconditioner only through options do not need this file.
*/
#pragma once

#include <petscpc.h>

#define SYNCFREE_VERSION_MAJOR    0 /* first number of the version, as in the file VERSION */
#define SYNCFREE_VERSION_MINOR    1 /* second number of the version, as in the file VERSION */
#define SYNCFREE_VERSION_SUBMINOR 0 /* third number of the version, as in the file VERSION */

/*MANSEC KSP*/
/*SUBMANSEC PC */

#define PCSYNCFREE        "syncfree"
#define MATSOLVERSYNCFREE "syncfree"

PETSC_EXTERN PetscErrorCode PCRegister_SyncFree(void);
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_petscsyncfree(void);

PETSC_EXTERN PetscErrorCode PCSyncFreeSetFactor(PC, MatFactorType);
PETSC_EXTERN PetscErrorCode PCSyncFreeGetFactor(PC, MatFactorType *);
PETSC_EXTERN PetscErrorCode PCSyncFreeSetAlgorithm(PC, const char[]);
PETSC_EXTERN PetscErrorCode PCSyncFreeGetAlgorithm(PC, const char *[]);
PETSC_EXTERN PetscErrorCode PCSyncFreeSetOption(PC, const char[], const char[]);
PETSC_EXTERN PetscErrorCode PCSyncFreeGetOption(PC, const char[], char[], size_t);

PETSC_EXTERN PetscErrorCode MatSyncFreeSetAlgorithm(Mat, const char[]);
PETSC_EXTERN PetscErrorCode MatSyncFreeSetOption(Mat, const char[], const char[]);
PETSC_EXTERN PetscErrorCode MatSyncFreeGetOption(Mat, const char[], char[], size_t);
