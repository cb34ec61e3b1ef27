/*
   testing.h - Matrices and comparisons that the PETSc programs in this folder share.
*/
#pragma once

#include "older_petsc.h"
#include <petscsyncfree.h>

/* Prints a statement and whether it holds, so that a difference from the expected output names it */
static inline PetscErrorCode Says(const char what[], PetscBool holds)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %s\n", what, holds ? "yes" : "NO"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Error code of a call that is expected to fail: nothing is printed, nothing aborts */
#define ErrorOf(ierr, ...)                                                                                                       \
  do {                                                                                                                           \
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));                                                             \
    ierr = __VA_ARGS__;                                                                                                          \
    PetscCall(PetscPopErrorHandler());                                                                                           \
  } while (0)

/* An error handler that keeps the message of the place where an error began, in a char[256] */
static inline PetscErrorCode KeepMessage(MPI_Comm comm, int line, const char function[], const char file[], PetscErrorCode n,
                                          PetscErrorType p, const char message[], void *kept)
{
  (void)comm;
  (void)line;
  (void)function;
  (void)file;
  if (p == PETSC_ERROR_INITIAL) (void)PetscStrncpy((char *)kept, message, 256);
  return n;
}

/* Names for codes that tests print */
static inline const char *ErrorName(PetscErrorCode ierr)
{
  switch (ierr) {
  case PETSC_SUCCESS:
    return "no error";
  case PETSC_ERR_MEM:
    return "out of memory";
  case PETSC_ERR_SUP:
    return "not supported";
  case PETSC_ERR_ARG_SIZ:
    return "wrong size";
  case PETSC_ERR_ARG_WRONG:
    return "wrong argument";
  case PETSC_ERR_ARG_WRONGSTATE:
    return "wrong state";
  case PETSC_ERR_ARG_OUTOFRANGE:
    return "out of range";
  case PETSC_ERR_ARG_INCOMP:
    return "incompatible";
  case PETSC_ERR_ARG_UNKNOWN_TYPE:
    return "unknown type";
  case PETSC_ERR_MAT_LU_ZRPVT:
    return "zero pivot";
  case PETSC_ERR_MAT_CH_ZRPVT:
    return "zero pivot";
  case PETSC_ERR_FILE_UNEXPECTED:
    return "bad file";
  case PETSC_ERR_MISSING_FACTOR:
    return "no such factorization";
  default:
    return "another error";
  }
}

typedef enum {
  GRID,      /* convection and diffusion on an m x m grid */
  BLOCKS,    /* the same with 3 unknowns to a point, densely coupled */
  RANDOM,    /* unsymmetric pattern */
  SPD,       /* diffusion alone */
  INDEFINITE /* diffusion, shifted: incomplete factorizations break down */
} MatrixKind;
static const char *const MatrixKinds[] = {"grid", "blocks", "random", "spd", "indefinite", "MatrixKind", "", NULL};

static PetscReal Phase = 0.0; /* -phase: entries of complex scalars are turned by up to three times as much */

/* The phase depends on row + col, so that what is symmetric stays so */
static inline PetscErrorCode SetEntry(Mat A, PetscInt row, PetscInt col, PetscScalar value)
{
  PetscFunctionBeginUser;
#if PetscDefined(USE_COMPLEX)
  value *= PetscCMPLX(PetscCosReal(Phase * ((row + col) % 4)), PetscSinReal(Phase * ((row + col) % 4)));
#endif
  PetscCall(MatSetValue(A, row, col, value, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode GridRow(Mat A, MatrixKind kind, PetscInt m, PetscInt dof, PetscInt row, PetscScalar scale)
{
  const PetscInt point = row / dof, i = point % m, j = point / m;
  const PetscInt near[] = {j > 0 ? point - m : -1, i > 0 ? point - 1 : -1, i < m - 1 ? point + 1 : -1,
                           j < m - 1 ? point + m : -1};
  const PetscScalar convection = kind == GRID || kind == BLOCKS ? 0.3 : 0.0,
                    centre     = kind == INDEFINITE ? 1.6 : 4.0 + 0.05 * (i + j % 3);

  PetscFunctionBeginUser;
  for (PetscInt g = 0; g < dof; g++) {
    for (PetscInt k = 0; k < 4; k++) {
      if (near[k] >= 0) {
        PetscCall(SetEntry(A, row, near[k] * dof + g, scale * (-1.0 + (k < 2 ? -convection : convection)) / (PetscReal)dof));
      }
    }
    PetscCall(SetEntry(A, row, point * dof + g, scale * (point * dof + g == row ? centre : 0.1 * (g + 1))));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode RandomRow(Mat A, PetscInt n, PetscInt row, PetscScalar scale)
{
  PetscFunctionBeginUser;
  for (PetscInt k = 1; k <= 5; k++) { /* multiplicative hashing is random enough */
    const PetscInt col = (PetscInt)(((PetscInt64)(row + 1) * 7919 * k + 104729 * k * k) % n);

    PetscCall(SetEntry(A, row, col, scale * (0.1 * k - 0.35)));
  }
  PetscCall(SetEntry(A, row, row, scale * 2.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values for the same pattern: every coefficient times scale, and rows differently */
static inline PetscErrorCode FillMatrix(Mat A, MatrixKind kind, PetscInt m, PetscScalar scale)
{
  const PetscInt dof = kind == BLOCKS ? 3 : 1;
  PetscInt       first, end, n;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-phase", &Phase, NULL));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt row = first; row < end; row++) {
    const PetscScalar s = kind == RANDOM || kind == GRID ? scale * (1.0 + 0.25 * (row % 4)) : scale;

    if (kind == RANDOM) PetscCall(RandomRow(A, n, row, s));
    else PetscCall(GridRow(A, kind, m, dof, row, s));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its type follows -mat_type unless one is given */
static inline PetscErrorCode CreateMatrix(MPI_Comm comm, MatType type, MatrixKind kind, PetscInt m, Mat *A)
{
  const PetscInt n = m * m * (kind == BLOCKS ? 3 : 1);

  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  if (type) PetscCall(MatSetType(*A, type));
  else PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(FillMatrix(*A, kind, m, 1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode FillVector(Vec v, PetscReal phase)
{
  PetscInt     first, end;
  PetscScalar *array;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &first, &end));
  PetscCall(VecGetArrayWrite(v, &array));
  for (PetscInt i = first; i < end; i++) array[i - first] = PetscSinReal(1.0 + 0.7 * i + phase);
  PetscCall(VecRestoreArrayWrite(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |x - y| / |y|, of vectors in whatever memory */
static inline PetscErrorCode Distance(Vec x, Vec y, PetscReal *distance)
{
  PetscReal          square[2] = {0.0, 0.0};
  const PetscScalar *a, *b;
  PetscInt           n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArrayRead(y, &b));
  for (PetscInt i = 0; i < n; i++) {
    square[0] += PetscRealPart((a[i] - b[i]) * PetscConj(a[i] - b[i]));
    square[1] += PetscRealPart(b[i] * PetscConj(b[i]));
  }
  PetscCall(VecRestoreArrayRead(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, square, 2, MPIU_REAL, MPI_SUM, PetscObjectComm((PetscObject)x)));
  *distance = square[1] > 0.0 ? PetscSqrtReal(square[0] / square[1]) : PetscSqrtReal(square[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills text [size] with the detailed view of a PC on one process */
static inline PetscErrorCode ViewText(PC pc, size_t size, char text[])
{
  FILE       *file = tmpfile();
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "tmpfile() failed");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO_DETAIL));
  PetscCall(PCView(pc, viewer));
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  rewind(file);
  text[fread(text, 1, size - 1, file)] = 0;
  (void)fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}
