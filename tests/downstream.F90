! The same as downstream.c in Fortran.  install_test.sh puts the lines of doc/using/programs.md, which choose the PC, into page.inc.
program downstream
#include <petsc/finclude/petscksp.h>
  use petscksp
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none

#if !defined(UNLINKED)
  interface
    integer(c_int) function PCRegister_SyncFree() bind(c, name='PCRegister_SyncFree')
      import c_int
    end function
  end interface
#endif

  PetscInt, parameter :: n = 50
  PetscInt :: i, its
  PetscErrorCode :: ierr
  Mat :: A
  Vec :: x, b
  KSP :: ksp
  PC :: pc
  character(len=32) :: line

  PetscCallA(PetscInitialize(ierr))
#if !defined(UNLINKED)
  ierr = PCRegister_SyncFree()
  CHKERRA(ierr)
#endif
  PetscCallA(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3_PETSC_INT_KIND, PETSC_NULL_INTEGER_ARRAY, A, ierr))
  do i = 0, n - 1
    PetscCallA(MatSetValue(A, i, i, 2.0_PETSC_REAL_KIND, INSERT_VALUES, ierr))
    if (i > 0) then
      PetscCallA(MatSetValue(A, i, i - 1, -1.0_PETSC_REAL_KIND, INSERT_VALUES, ierr))
    end if
    if (i < n - 1) then
      PetscCallA(MatSetValue(A, i, i + 1, -1.0_PETSC_REAL_KIND, INSERT_VALUES, ierr))
    end if
  end do
  PetscCallA(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY, ierr))
  PetscCallA(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY, ierr))
  PetscCallA(MatCreateVecs(A, x, b, ierr))
  PetscCallA(VecSet(b, 1.0_PETSC_REAL_KIND, ierr))
  PetscCallA(KSPCreate(PETSC_COMM_SELF, ksp, ierr))
  PetscCallA(KSPSetOperators(ksp, A, A, ierr))
#include "page.inc"
  PetscCallA(KSPSetFromOptions(ksp, ierr))
  PetscCallA(KSPSolve(ksp, b, x, ierr))
  PetscCallA(KSPGetIterationNumber(ksp, its, ierr))
  write (line, '(a, i0)') 'iterations ', its
  PetscCallA(PetscPrintf(PETSC_COMM_SELF, trim(line)//new_line('a'), ierr))
  PetscCallA(KSPDestroy(ksp, ierr))
  PetscCallA(VecDestroy(x, ierr))
  PetscCallA(VecDestroy(b, ierr))
  PetscCallA(MatDestroy(A, ierr))
  PetscCallA(PetscFinalize(ierr))
end program
