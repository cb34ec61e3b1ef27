/*
   setup_phases.h - The steps of a first set-up with ILU(0) or ICC(0), as PCSetUp() takes them, beside the bytes that each must move.
*/
#ifndef BENCH_SETUP_PHASES_H
#define BENCH_SETUP_PHASES_H
#include "machine.h"

enum { PHASES = 7 };

typedef struct {
  const char *name;
  double      first; /* seconds in the first set-up of this matrix, in which auto tries its candidates */
  double      again; /* median of the later ones, each with new handles */
  double      bytes; /* the fewest that it can move: what it reads of the matrix, once, and what it leaves in memory */
} Phase;

typedef struct {
  int64_t rows, nnz, levels[2]; /* of the lower and the upper sweep */
  char    algorithm[2][64];     /* of these */
  Phase   phase[PHASES];
} PhasesOfSetup;

/* phases_measure - Sets up machine->repeat + 1 times, with the pattern in the machine's memory and plans by this algorithm.  False on
   failure, with a sentence in machine->error. */
bool phases_measure(Machine *machine, const char *spec, SptrsvFactorKind kind, const char *algorithm, PhasesOfSetup *measured);

#endif
