/*
   train_fit.h - From times at warp level and at thread level to yuenyeung's threshold, and the file that holds it (Zhang et al., section
   6.2, which does not say how the best threshold is told: here it is the least of those that lose no more than 1 % more time than the
   best).
*/
#ifndef BENCH_TRAIN_FIT_H
#define BENCH_TRAIN_FIT_H
#include <stdbool.h>
#include <stddef.h>

typedef struct {      /* one matrix */
  double row_length;  /* mean number of entries per row, with the diagonal: at least 1 */
  double granularity; /* parallel granularity, Equation 1 */
  double warp, thread; /* seconds of a sweep with a warp per row, and with a thread per row */
} TrainSample;

typedef struct {
  double threshold;   /* rows go to warps from this mean length on; 1: all do */
  double most;        /* thresholds up to this one are as good */
  double correct;     /* share of the matrices for which the threshold names the faster one */
  double loss;        /* time of the choice over that of the faster one, geometric mean; at least 1 */
  double warp_loss, thread_loss; /* of always the same choice */
} TrainFit;

#define TRAIN_TOLERANCE 0.01

/* trainFit - Sorts the samples [count > 0] by row length. */
void trainFit(TrainSample *samples, int count, TrainFit *fit);

typedef struct { /* how the samples were found */
  const char *gpu, *driver, *cuda, *type, *command;
} TrainOrigin;

/*
   trainWrite - Writes the file that sptrsvThresholdRead() reads, with the evidence in comments, in one step: whoever reads meanwhile finds
   the old file or the new one.  False on failure, with a sentence in `error`.
*/
bool trainWrite(const char *path, const TrainOrigin *origin, const TrainFit *fit, const TrainSample *samples, int count, char *error,
                size_t size);

#endif
