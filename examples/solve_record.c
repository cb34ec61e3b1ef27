/* solve_record.c - The files of -record. */
#include "solve.h"

static PetscErrorCode OpenRecord(const char *folder, const char *name, FILE **file)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s", folder, name));
  PetscCall(PetscFOpen(PETSC_COMM_WORLD, path, "w", file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells without entries are left out. */
static PetscErrorCode RecordPattern(Mat A, const char *folder)
{
  PetscInt        n, start, end, count, *entries;
  const PetscInt *cols;
  PetscMPIInt     cells, rank;
  FILE           *file;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(MatGetOwnershipRange(A, &start, &end));
  cells = (PetscMPIInt)PetscMin(n, 256);
  PetscCall(PetscCalloc1(cells * cells, &entries));
  PetscCall(MatGetRowUpperTriangular(A)); /* for SBAIJ, which gives the half that it stores */
  for (PetscInt i = start; i < end; i++) {
    PetscCall(MatGetRow(A, i, &count, &cols, NULL));
    for (PetscInt k = 0; k < count; k++) entries[(PetscInt64)i * cells / n * cells + (PetscInt64)cols[k] * cells / n]++;
    PetscCall(MatRestoreRow(A, i, &count, &cols, NULL));
  }
  PetscCall(MatRestoreRowUpperTriangular(A));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, entries, cells * cells, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(OpenRecord(folder, "pattern.csv", &file));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, file, "# %" PetscInt_FMT " rows, %d x %d cells\nrow,col,entries\n", n, cells, cells));
  for (PetscInt k = 0; k < cells * cells && !rank; k++) {
    if (!entries[k]) continue;
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, file, "%d,%d,%" PetscInt_FMT "\n", (int)(k / cells), (int)(k % cells), entries[k]));
  }
  PetscCall(PetscFClose(PETSC_COMM_WORLD, file));
  PetscCall(PetscFree(entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RecordBegin(Mat A, const char *folder, Record *record)
{
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) PetscCall(PetscMkdir(folder));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  record->folder = folder;
  PetscCall(OpenRecord(folder, "history.csv", &record->history));
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, record->history, "solver,iteration,norm\n"));
  PetscCall(RecordPattern(A, folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RecordSolve(Record *record, KSP ksp, Vec x)
{
  char             path[PETSC_MAX_PATH_LEN];
  PetscViewer      viewer;
  const PetscReal *norm;
  PetscInt         count;
  PC               pc;
  PCType           pc_type;
  KSPType          ksp_type;
  Vec              solution;

  PetscFunctionBeginUser;
  if (!record->solves++) {
    PetscCall(VecDuplicate(x, &solution));
    if (record->scale) PetscCall(VecPointwiseMult(solution, record->scale, x));
    else PetscCall(VecCopy(x, solution));
    PetscCall(PetscSNPrintf(path, sizeof path, "%s/solution.bin", record->folder));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path, FILE_MODE_WRITE, &viewer));
    PetscCall(VecView(solution, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(VecDestroy(&solution));
  }
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(KSPGetResidualHistory(ksp, &norm, &count));
  for (PetscInt k = 0; k < count; k++)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, record->history, "%s with %s,%d,%.6e\n", ksp_type, pc_type, (int)k, (double)norm[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
