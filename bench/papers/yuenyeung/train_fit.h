/*
   train_fit.h - From times of one sweep to yuenyeung's threshold, and its record (Zhang et al., section 6.2).

   The paper times whole matrices with a warp per row and with a thread per row, and does not say how the threshold follows.  Here it is
   the least threshold that loses at most 1 % more time than the best one.  yuenyeung, however, uses both levels within a matrix, which
   ranks thresholds differently.  So yuenyeung itself is timed with each of train_thresholds, and the result is the one that loses
   least.  Lower ones are not preferred, since a threshold that is too low costs more than one that is too high.  The paper's threshold is
   in the record as evidence.
*/
#ifndef BENCH_TRAIN_FIT_H
#define BENCH_TRAIN_FIT_H
#include <stdbool.h>
#include <stddef.h>

#define TRAIN_TOLERANCE 0.01
enum { TRAIN_THRESHOLDS = 10 };
extern const double train_thresholds[TRAIN_THRESHOLDS]; /* rising */

typedef struct {       /* one matrix */
  double row_length;   /* mean number of entries per row, with the diagonal: at least 1 */
  double granularity;  /* parallel granularity, Equation 1 */
  double warp, thread; /* seconds of a sweep with a warp per row, and with a thread per row */
  double fused[TRAIN_THRESHOLDS]; /* by yuenyeung with each threshold */
} TrainSample;

typedef struct {
  double threshold;              /* that loses least, the lowest of equals */
  double loss[TRAIN_THRESHOLDS]; /* time over that with the matrix's best threshold, geometric mean; at least 1 */
} TrainFused;

typedef struct {      /* whole matrices, as in the paper */
  double threshold;   /* rows go to warps from this mean length on; 1: all do */
  double most;        /* the highest that is as good; some between the two may not be */
  double correct;     /* share of the matrices for which the threshold names the faster one */
  double loss;        /* time of the choice over that of the faster one, geometric mean; at least 1 */
  double warp_loss, thread_loss; /* of always the same choice */
} TrainLevels;

/* train_fused - From yuenyeung's times of the samples [count > 0]. */
void train_fused(const TrainSample *samples, int count, TrainFused *fused);

/* train_levels - From the times of the two levels; sorts the samples [count > 0] by row length. */
void train_levels(TrainSample *samples, int count, TrainLevels *levels);

typedef struct { /* how the samples were found */
  const char *gpu, *driver, *cuda, *type, *command;
} TrainOrigin;

/*
   train_write - Writes the record, lines "word = text" with the evidence in comments, in one step: a reader finds the old record or the
   new one.  False on failure, with a sentence in `error`.
*/
bool train_write(const char *path, const TrainOrigin *origin, const TrainFused *fused, const TrainLevels *levels,
                 const TrainSample *samples, int count, char *error, size_t size);

#endif
