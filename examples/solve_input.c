/* solve_input.c - Matrices and vectors from files.  Every process reads a MatrixMarket file as a whole and keeps its own rows, which is
   simple, and fast enough for such text files. */
#include <errno.h>
#include <string.h>
#include "solve.h"
#include "../bench/matrices/matrix_market.h"

/* PETSc binary files begin with their class id, as a big-endian integer of PETSc's width. */
static PetscErrorCode IsPetscBinary(const char *path, PetscClassId wanted, PetscBool *binary)
{
  unsigned char bytes[sizeof(PetscInt)] = {0};
  FILE         *file                    = fopen(path, "rb");
  size_t        got;
  uint64_t      id = 0;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s: %s", path, strerror(errno));
  got = fread(bytes, 1, sizeof bytes, file);
  (void)fclose(file);
  for (size_t k = 0; k < sizeof bytes; k++) id = id << 8 | bytes[k];
  *binary = (PetscBool)(got == sizeof bytes && id == (uint64_t)wanted);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills rows [start, end) of A; converts column numbers and offsets to PETSc's integers. */
static PetscErrorCode FillMat(const CsrMatrix *csr, Mat A)
{
  PetscInt    *row_ptr, *col_idx, start, end;
  PetscScalar *values;
  int32_t      first, count;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  first = csr->row_ptr[start];
  count = csr->row_ptr[end] - first;
  PetscCall(PetscMalloc3(end - start + 1, &row_ptr, count, &col_idx, count, &values));
  for (PetscInt i = start; i <= end; i++) row_ptr[i - start] = csr->row_ptr[i] - first;
  for (int32_t k = 0; k < count; k++) {
    col_idx[k] = csr->col_idx[first + k];
    values[k]  = csr->values[first + k];
  }
  PetscCall(MatSeqAIJSetPreallocationCSR(A, row_ptr, col_idx, values)); /* each of the two functions ignores the other's matrix type */
  PetscCall(MatMPIAIJSetPreallocationCSR(A, row_ptr, col_idx, values));
  PetscCall(PetscFree3(row_ptr, col_idx, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A has the type that the options name.  Rows are put into AIJ matrices; other types, such as those of blocks, are converted from it. */
static PetscErrorCode LoadMatrixMarket(const char *path, PetscBool dominant, Mat *A)
{
  CsrMatrix csr;
  char      error[512], *type;
  MatType   wanted;
  PetscInt  block = 0;
  PetscBool seq, mpi;

  PetscFunctionBeginUser;
  PetscCheck(matrix_market_read(path, &csr, error, sizeof error), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s", error);
  PetscCheck(dominant || !csr.pattern, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
             "%s holds a pattern without values: use -dominant, which gives each entry -1 and adds a diagonal", path);
  if (dominant) {
    PetscCheck(csr_matrix_make_dominant(&csr, error, sizeof error), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s: %s", path, error);
  }
  PetscCall(MatGetType(*A, &wanted));
  PetscCall(PetscStrallocpy(wanted, &type));
  PetscCall(PetscObjectHasFunction((PetscObject)*A, "MatSeqAIJSetPreallocationCSR_C", &seq));
  PetscCall(PetscObjectHasFunction((PetscObject)*A, "MatMPIAIJSetPreallocationCSR_C", &mpi));
  if (!seq && !mpi) PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-matload_block_size", &block, NULL)); /* as MatLoad() does */
  if (block) {
    PetscCheck(block > 0 && csr.rows % block == 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "-matload_block_size %" PetscInt_FMT " does not divide the %" PetscInt_FMT " rows of %s", block, (PetscInt)csr.rows, path);
    PetscCall(MatSetBlockSize(*A, block));
  }
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, (PetscInt)csr.rows, (PetscInt)csr.rows));
  PetscCall(MatSetUp(*A));
  PetscCall(FillMat(&csr, *A));
  if (!seq && !mpi) {
    PetscCall(MatSetOption(*A, MAT_SYMMETRIC, (PetscBool)csr_matrix_is_symmetric(&csr))); /* SBAIJ stores a half of symmetric ones only */
    PetscCall(MatConvert(*A, type, MAT_INPLACE_MATRIX, A));
  }
  PetscCall(PetscFree(type));
  csr_matrix_destroy(&csr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LoadMatrix(const char *path, PetscBool dominant, PetscBool with_vector, Mat *A, Vec *vector)
{
  PetscViewer viewer;
  PetscBool   binary;

  PetscFunctionBeginUser;
  PetscCall(IsPetscBinary(path, MAT_FILE_CLASSID, &binary));
  PetscCheck(binary || !with_vector, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "Only a PETSc binary file has a vector after the matrix");
  PetscCheck(!binary || !dominant, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-dominant is for MatrixMarket files");
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetFromOptions(*A));
  if (!binary) {
    PetscCall(LoadMatrixMarket(path, dominant, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_READ, &viewer));
  PetscCall(MatLoad(*A, viewer));
  if (with_vector) {
    PetscCall(MatCreateVecs(*A, NULL, vector));
    PetscCall(VecLoad(*vector, viewer));
  }
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetRandom(Vec v)
{
  PetscRandom random;

  PetscFunctionBeginUser;
  PetscCall(PetscRandomCreate(PetscObjectComm((PetscObject)v), &random));
  PetscCall(PetscRandomSetFromOptions(random));
  PetscCall(VecSetRandom(v, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LoadVector(const char *path, Vec v)
{
  PetscViewer  viewer;
  PetscBool    binary;
  PetscInt     rows, start, end;
  PetscScalar *own;
  double      *values;
  char         error[512];

  PetscFunctionBeginUser;
  PetscCall(IsPetscBinary(path, VEC_FILE_CLASSID, &binary));
  if (binary) {
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_READ, &viewer));
    PetscCall(VecLoad(v, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecGetSize(v, &rows));
  PetscCall(VecGetOwnershipRange(v, &start, &end));
  PetscCall(PetscMalloc1(rows, &values));
  PetscCheck(matrix_market_read_vector(path, rows, values, error, sizeof error), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "%s", error);
  PetscCall(VecGetArrayWrite(v, &own));
  for (PetscInt i = start; i < end; i++) own[i - start] = values[i];
  PetscCall(VecRestoreArrayWrite(v, &own));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeVector(const char *name, Mat A, Vec after_matrix, Vec *v)
{
  PetscBool ones, random, file;

  PetscFunctionBeginUser;
  PetscCall(PetscStrcmp(name, "ones", &ones));
  PetscCall(PetscStrcmp(name, "random", &random));
  PetscCall(PetscStrcmp(name, "file", &file));
  PetscCall(MatCreateVecs(A, NULL, v));
  if (ones) PetscCall(VecSet(*v, 1.0));
  else if (random) PetscCall(SetRandom(*v));
  else if (file) PetscCall(VecCopy(after_matrix, *v));
  else PetscCall(LoadVector(name, *v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
