/* solve.h - What the files of the example solve share. */
#ifndef SOLVE_H
#define SOLVE_H
#include <petscksp.h>

typedef struct {
  const char *folder;  /* of -record, or NULL */
  FILE       *history; /* on rank 0 */
  Vec         exact;   /* or NULL */
  Vec         scale;   /* the solution is the vector that is solved for times this, or NULL */
  PetscInt    solves;
} Record;

/* LoadMatrix - Reads a MatrixMarket or PETSc binary file; with_vector: also the vector after the matrix. */
PetscErrorCode LoadMatrix(const char *path, PetscBool dominant, PetscBool with_vector, Mat *A, Vec *vector);

/* MakeVector - A vector as -rhs and -exact name it; after_matrix: that of the matrix's file, or NULL. */
PetscErrorCode MakeVector(const char *name, Mat A, Vec after_matrix, Vec *v);

/* RecordBegin - Makes the folder with history.csv, and pattern.csv: entries in a grid of at most 256 x 256 cells. */
PetscErrorCode RecordBegin(Mat A, const char *folder, Record *record);

/* RecordSolve - Writes the first solver's solution, and every solver's residual norms. */
PetscErrorCode RecordSolve(Record *record, KSP ksp, Vec x);

#endif
