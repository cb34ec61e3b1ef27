/*
   older_petsc.h - What the programs in this folder use of PETSc 3.26 besides what the examples do, for releases from 3.18 on.
*/
#pragma once

#include "../../examples/older_petsc.h"

#if PETSC_VERSION_LT(3, 21, 0)
  #define PETSC_STREAM_NONBLOCKING PETSC_STREAM_GLOBAL_NONBLOCKING
#endif

#if PETSC_VERSION_LT(3, 20, 0)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
  #include <petsc/private/matimpl.h> /* Mat->nonzerostate */
  #pragma GCC diagnostic pop
  #define PCReduceFailedReason(pc)                                         PETSC_SUCCESS /* later ones leave it to the caller */
  #define MatCreateDenseFromVecType(comm, type, m, n, M, N, lda, array, A) ((void)(type), MatCreateDense(comm, m, n, M, N, array, A))

static inline PetscErrorCode VecCreateFromOptions(MPI_Comm comm, const char prefix[], PetscInt bs, PetscInt n, PetscInt N, Vec *v)
{
  PetscFunctionBeginUser;
  PetscCall(VecCreate(comm, v));
  PetscCall(VecSetOptionsPrefix(*v, prefix));
  PetscCall(VecSetBlockSize(*v, bs));
  PetscCall(VecSetSizes(*v, n, N));
  PetscCall(VecSetFromOptions(*v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 3.19 has one without `keep`, for zeros of the diagonal */
static inline PetscErrorCode EliminateSomeZeros(Mat A, PetscBool keep)
{
  Mat      B;
  MatType  type;
  PetscInt m, n, M, N, first, end;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatGetSize(A, &M, &N));
  PetscCall(MatGetType(A, &type));
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &B));
  PetscCall(MatSetSizes(B, m, n, M, N));
  PetscCall(MatSetType(B, type));
  PetscCall(MatSetUp(B));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt row = first; row < end; row++) {
    PetscInt           count;
    const PetscInt    *cols;
    const PetscScalar *vals;

    PetscCall(MatGetRow(A, row, &count, &cols, &vals));
    for (PetscInt k = 0; k < count; k++) {
      if (vals[k] != 0.0 || (keep && cols[k] == row)) PetscCall(MatSetValue(B, row, cols[k], vals[k], INSERT_VALUES));
    }
    PetscCall(MatRestoreRow(A, row, &count, &cols, &vals));
  }
  PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
  B->nonzerostate = A->nonzerostate + 1;
  PetscCall(MatHeaderReplace(A, &B));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #define MatEliminateZeros EliminateSomeZeros
#endif

#if PETSC_VERSION_LT(3, 19, 0)
  #include <float.h>
  #define PETSC_REAL_MIN (PetscDefined(USE_REAL_SINGLE) ? (PetscReal)FLT_MIN : (PetscReal)DBL_MIN)
#endif
