/* solve.h - What the files of the example solve share. */
#ifndef SOLVE_H
#define SOLVE_H
#include "older_petsc.h"

typedef struct {
  const char *folder;  /* of -record, or NULL */
  FILE       *history; /* on rank 0 */
  Vec         exact;   /* or NULL */
  Vec         scale;   /* the solution is the vector that is solved for times this, or NULL */
  PetscInt    solves;
} Record;

typedef struct {
  PetscReal      residual, wrong;     /* relative norms; wrong: of the difference to the exact solution, negative without one */
  PetscLogDouble setup, apply, solve; /* seconds; apply and solve are the fastest of several, apply is 0 if the PC failed */
} Outcome;

#define MISLED 100.0 /* times the tolerance: a true residual that is to be told */

/* LoadMatrix - Reads a MatrixMarket or PETSc binary file; with_vector: also the vector after the matrix. */
PetscErrorCode LoadMatrix(const char *path, PetscBool dominant, PetscBool with_vector, Mat *A, Vec *vector);

/* MakeVector - A vector as -rhs and -exact name it; after_matrix: that of the matrix's file, or NULL. */
PetscErrorCode MakeVector(const char *name, Mat A, Vec after_matrix, Vec *v);

/* OptionsOfSecond - All options, and over them those with the prefix compare_, without it. */
PetscErrorCode OptionsOfSecond(PetscOptions *options);

/* ReportUnread - Names the options of the second solver that made no difference to it, after its solve. */
PetscErrorCode ReportUnread(PetscOptions second);

/* Measure - Times of the solver, which has solved once; silent, and only short solves are repeated. */
PetscErrorCode Measure(KSP ksp, Vec b, Outcome *outcome);

/* ReportHead, ReportSolve, ReportRatios - The table, a line for each solver, with what helps one that failed, and the second's times. */
PetscErrorCode ReportHead(PetscBool exact);
PetscErrorCode ReportSolve(KSP ksp, const Outcome *outcome);
PetscErrorCode ReportRatios(const Outcome *first, const Outcome *second);

/* OneMessage - An error handler: what the user can mend is one line, the rest has PETSc's trace. */
PetscErrorCode OneMessage(MPI_Comm, int, const char *, const char *, PetscErrorCode, PetscErrorType, const char *, void *);

/* RecordBegin - Makes the folder with history.csv, and pattern.csv: entries in a grid of at most 256 x 256 cells. */
PetscErrorCode RecordBegin(Mat A, const char *folder, Record *record);

/* RecordSolve - Writes the first solver's solution, and every solver's residual norms. */
PetscErrorCode RecordSolve(Record *record, KSP ksp, Vec x);

#endif
