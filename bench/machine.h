/*
   machine.h - Memory, clock and reference times of the processor that runs the kernel library: the host, or a GPU through CUDA.

   Functions return false on failure and leave a sentence in machine->error.
*/
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H
#include "matrices/csr_matrix.h"
#include "../include/sptrsv_study.h"
#include <stdio.h>

typedef struct Machine_s Machine;
typedef bool (*MachineWork)(void *context);

typedef struct { /* y = A x */
  const CsrMatrix *A;
  const void      *values, *x; /* [nnz], [rows] of the machine's type and in its memory */
  void            *y;          /* [rows] */
  Machine         *machine;
  void            *data; /* cuSPARSE's objects */
} MachineSpmv;

typedef struct { /* the operations that differ between host and GPU */
  bool (*start)(Machine *machine);
  void (*stop)(Machine *machine);
  bool (*allocate)(Machine *machine, size_t bytes, void **p);
  void (*release)(void *p);
  bool (*copy)(Machine *machine, void *to, const void *from, size_t bytes); /* within the memory, or between it and the host's */
  bool (*spoil)(Machine *machine, void *p, size_t bytes);                   /* fills with NaN, so that no old number passes for a result */
  bool (*synchronize)(Machine *machine);
  bool (*time)(Machine *machine, MachineWork work, void *context, int count); /* fills machine->times [count] */
  bool (*spmv_create)(MachineSpmv *spmv);
  bool (*spmv)(MachineSpmv *spmv);
  void (*spmv_destroy)(MachineSpmv *spmv);
} MachineOps;

struct Machine_s {
  const MachineOps *ops;
  SptrsvLocation    location;
  SptrsvValueType   type;
  size_t            value_size;
  char              gpu[256], driver[32], cuda[32]; /* "none" on the host; driver: the newest CUDA version that it supports */
  double            bandwidth;                      /* bytes per second of a large copy, read and written */
  int               repeat, repetitions;            /* as requested, and as many as the last measurement had time for */
  double            budget;                         /* seconds that one measurement may take */
  double           *times;                          /* [repeat] scratch, seconds */
  void             *data;  /* CUDA events */
  char              error[512];
};

bool machine_start(Machine *machine, SptrsvLocation location, SptrsvValueType type, int repeat, double budget);
void machine_stop(Machine *machine);

/* machine_report - The first columns of every CSV row: the run, its label unless that is NULL, GPU, driver and CUDA. */
void machine_report(const Machine *machine, FILE *csv, const char *run, const char *label);

/* machine_wall - Seconds since a fixed moment, after all work has ended. */
bool machine_wall(Machine *machine, double *seconds);

/*
   machine_time - Median seconds of asynchronous work, after 5 warm-ups: on a GPU between events in the stream, recorded without
   waiting in between, as in a Krylov solver whose host runs ahead; else by the clock.  Work that would take longer than the budget
   has fewer warm-ups, 2 at least, and fewer repetitions, MACHINE_FEWEST at least.

   machine_time_wall - The same for work that synchronizes: by the clock, from an idle machine to an idle machine.
*/
bool machine_time(Machine *machine, MachineWork work, void *context, double *seconds);
bool machine_time_wall(Machine *machine, MachineWork work, void *context, double *seconds);

enum { MACHINE_WARM_UPS = 5, MACHINE_FEWEST = 5 };

#if defined(SPTRSV_HAVE_CUDA)
extern const MachineOps machine_cuda;
#endif

#endif
