/*
   train_times.h - One graph's lower triangle, solved with a warp per row, with a thread per row, and by yuenyeung.
*/
#ifndef BENCH_TRAIN_TIMES_H
#define BENCH_TRAIN_TIMES_H
#include "../../matrices/kronecker.h"
#include "../../machine.h"
#include "train_fit.h"

/* train_times - A: this graph's lower triangle with a diagonal.  False on failure, also if results differ, with a sentence in
   machine->error. */
bool train_times(Machine *machine, const Kronecker *graph, const CsrMatrix *A, SptrsvStatistics *statistics, TrainSample *sample);

#endif
