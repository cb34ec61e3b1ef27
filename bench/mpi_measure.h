/* mpi_measure.h - The measurements of bench_mpi for one KSP. */
#ifndef BENCH_MPI_MEASURE_H
#define BENCH_MPI_MEASURE_H
#include <petscksp.h>

enum { MAX_SOLVES = 99 };

typedef struct {
  PetscBool on_gpu;         /* wall time waits for the GPU */
  PetscInt  repeat, solves; /* applies in a series, and solves: at most MAX_SOLVES */
} MpiClock;

typedef struct {
  double             setup, apply, in_turn, solve; /* seconds, the largest over the processes; NaN: not measured */
  PetscReal          residual;                     /* true and relative */
  PetscInt           iterations;
  KSPConvergedReason reason;
} MpiTimes;

/*
   MpiMeasure - Times a KSP with its options set but not yet set up; collective.

   in_turn is the sum over the processes of an apply while the others wait, of preconditioners whose applies do not communicate.
*/
PetscErrorCode MpiMeasure(const MpiClock *clock, KSP ksp, Mat A, Vec b, Vec x, MpiTimes *times);

#endif
