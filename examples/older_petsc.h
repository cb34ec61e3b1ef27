/* older_petsc.h - What examples and benchmarks use of PETSc 3.26, for releases from 3.18 on. */
#ifndef OLDER_PETSC_H
#define OLDER_PETSC_H
#include <petscksp.h>

#if PETSC_VERSION_LT(3, 23, 0)
static inline PetscErrorCode PetscObjectHasFunction(PetscObject o, const char name[], PetscBool *has)
{
  PetscErrorCode (*f)(void) = NULL;
  PetscErrorCode ierr       = PetscObjectQueryFunction(o, name, &f);

  *has = f ? PETSC_TRUE : PETSC_FALSE;
  return ierr;
}
#endif

#if PETSC_VERSION_LT(3, 22, 0)
  #define PETSC_CURRENT PETSC_DEFAULT
#endif

#if PETSC_VERSION_LT(3, 20, 0)
  #define PetscGetCurrentCUDAStream(stream)                                       (*(stream) = PetscDefaultCudaStream, PETSC_SUCCESS)
  #define PetscOptionsBoundedReal(option, text, page, current, value, set, least) PetscOptionsReal(option, text, page, current, value, set)

static inline PetscErrorCode PetscLogStageGetPerfInfo(PetscLogStage stage, PetscEventPerfInfo *info)
{
  PetscStageLog  log;
  PetscErrorCode ierr = PetscLogGetStageLog(&log);

  if (!ierr) *info = log->stageInfo[stage].perfInfo;
  return ierr;
}
#endif

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0
#endif

#endif
