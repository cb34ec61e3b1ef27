/* ksp_measure.h - The measurements of bench_ksp for one KSP. */
#ifndef BENCH_KSP_MEASURE_H
#define BENCH_KSP_MEASURE_H
#include "../examples/older_petsc.h"

typedef struct Clock_s *Clock;

typedef struct {
  double             first_setup, refactor, apply, transpose, solve; /* seconds; NaN: not measured */
  double             column;                                         /* an apply to a dense matrix, over the number of its columns */
  double             block_solve;                                    /* KSPMatSolve() for these columns */
  PetscReal          residual, block_residual;                       /* true and relative; the largest of the columns */
  PetscInt           iterations, block_iterations;
  KSPConvergedReason reason;
} Result;

/*
   ClockCreate - With on_gpu, applies are timed by CUDA events in PETSc's stream, and wall time waits for the GPU.

   A measurement longer than `budget` seconds is repeated less often: applies and refactorizations at least 5 times, solves once.
*/
PetscErrorCode ClockCreate(PetscBool on_gpu, PetscInt repeat, PetscInt solves, PetscReal budget, Clock *clock);
PetscErrorCode ClockDestroy(Clock *clock);

/* ClockGpuName, ClockGpuMemory - "none" and NaN on the host; bytes in use on the whole GPU. */
PetscErrorCode ClockGpuName(Clock clock, char *name, size_t size);
PetscErrorCode ClockGpuMemory(Clock clock, double *bytes);

/* CreateVecs - b of the solution of all ones.  The product also moves the matrix to the GPU, which is not part of the set-up. */
PetscErrorCode CreateVecs(Mat A, Vec *b, Vec *x);

/* RelativeResidual - || b - A x || / || b || */
PetscErrorCode RelativeResidual(Mat A, Vec b, Vec x, PetscReal *residual);

/*
   Measure - Times a KSP with its options set but not yet set up, in the order of a program's life: first set-up, solves, applies, to a
   dense matrix if there are columns, for which block_solve also solves, transposed applies, refactorizations.  Changes the values of A.
*/
PetscErrorCode Measure(Clock clock, Mat A, KSP ksp, Vec b, Vec x, PetscInt columns, PetscBool block_solve, Result *result);

#endif
