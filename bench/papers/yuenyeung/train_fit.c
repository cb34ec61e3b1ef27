/* train_fit.c - The thresholds that lose least time, and their record. */
#define _POSIX_C_SOURCE 200809L
#include "train_fit.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const double train_thresholds[TRAIN_THRESHOLDS] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48};

static double least(const double *values, int count)
{
  double smallest = values[0];

  for (int k = 1; k < count; k++) smallest = fmin(smallest, values[k]);
  return smallest;
}

void train_fused(const TrainSample *samples, int count, TrainFused *fused)
{
  int best = 0;

  for (int k = 0; k < TRAIN_THRESHOLDS; k++) {
    double sum = 0;

    for (int i = 0; i < count; i++) sum += log(samples[i].fused[k] / least(samples[i].fused, TRAIN_THRESHOLDS));
    fused->loss[k] = exp(sum / count);
    if (fused->loss[k] < fused->loss[best]) best = k;
  }
  fused->threshold = train_thresholds[best];
}

static int by_row_length(const void *a, const void *b)
{
  const double x = ((const TrainSample *)a)->row_length, y = ((const TrainSample *)b)->row_length;

  return (x > y) - (x < y);
}

/* log of the factor by which a choice is slower than the best */
static double loss(const TrainSample *sample, bool warp)
{
  return log((warp ? sample->warp : sample->thread) / fmin(sample->warp, sample->thread));
}

/* The threshold between samples k - 1 and k: the middle on a logarithmic scale */
static double between(const TrainSample *samples, int count, int k)
{
  if (!k) return 1;
  if (k == count) return 2 * samples[count - 1].row_length;
  return sqrt(samples[k - 1].row_length * samples[k].row_length);
}

static bool separates(const TrainSample *samples, int count, int k)
{
  return !k || k == count || samples[k - 1].row_length < samples[k].row_length;
}

/* The first k samples at thread level, the others at warp level; `total` is their loss. */
static double step(const TrainSample *samples, int k, double total)
{
  return total + loss(&samples[k], false) - loss(&samples[k], true);
}

void train_levels(TrainSample *samples, int count, TrainLevels *levels)
{
  double all_warp = 0, total, best;

  qsort(samples, (size_t)count, sizeof *samples, by_row_length);
  for (int k = 0; k < count; k++) all_warp += loss(&samples[k], true);
  total = best = all_warp;
  for (int k = 1; k <= count; k++) {
    total = step(samples, k - 1, total);
    if (separates(samples, count, k)) best = fmin(best, total);
  }
  *levels = (TrainLevels){.threshold = INFINITY, .warp_loss = exp(all_warp / count), .thread_loss = exp(total / count)};
  total   = all_warp;
  for (int k = 0; k <= count; k++) {
    if (k) total = step(samples, k - 1, total);
    if (!separates(samples, count, k) || total / count > best / count + TRAIN_TOLERANCE) continue;
    levels->most = between(samples, count, k);
    if (levels->threshold <= levels->most) continue;
    levels->threshold = levels->most; /* the least: warps are the safer guess for rows longer than those measured */
    levels->loss      = exp(total / count);
  }
  for (int k = 0; k < count; k++) levels->correct += loss(&samples[k], samples[k].row_length >= levels->threshold) <= 0;
  levels->correct /= count;
}

/* ----------------------------------------------------------- file ----------------------------------------------------------- */

typedef double (*Measure)(const TrainSample *sample);

static double length_of_row(const TrainSample *sample) { return sample->row_length; }
static double granularity(const TrainSample *sample) { return sample->granularity; }

/* A line for the samples whose measure is in [from, to) */
static void write_bin(FILE *file, const TrainSample *samples, int count, Measure measure, double from, double to)
{
  int    inside = 0, warps = 0;
  double ratio = 0;

  for (int k = 0; k < count; k++) {
    if (!(measure(&samples[k]) >= from) || !(measure(&samples[k]) < to)) continue;
    inside++;
    warps += samples[k].warp < samples[k].thread;
    ratio += log(samples[k].thread / samples[k].warp);
  }
  if (inside) (void)fprintf(file, "# %8g %8g %10d %12d %12.3f\n", from, to, inside, warps, exp(ratio / inside));
}

static void write_table(FILE *file, const char *what, const TrainSample *samples, int count, Measure measure, const double *ends)
{
  (void)fprintf(file, "#\n# by %s\n#     from       to   matrices  warp faster  thread/warp\n", what);
  for (; isfinite(ends[1]); ends++) write_bin(file, samples, count, measure, ends[0], ends[1]);
}

static void write_fit(FILE *file, const TrainOrigin *origin, const TrainFused *fused, const TrainLevels *levels, int count)
{
  const time_t now = time(NULL);
  struct tm    utc;
  char         date[32];

  (void)gmtime_r(&now, &utc);
  (void)strftime(date, sizeof date, "%Y-%m-%d", &utc);
  (void)fprintf(file, "# SyncFree: threshold of the algorithm yuenyeung, trained on this GPU model\n");
  (void)fprintf(file, "gpu = %s\nthreshold = %.4g\n", origin->gpu, fused->threshold);
  (void)fprintf(file, "date = %s\ndriver = CUDA %s\nruntime = CUDA %s\ntype = %s\n", date, origin->driver, origin->cuda, origin->type);
  (void)fprintf(file, "command = %.400s\nmatrices = %d\n", origin->command, count);
  (void)fprintf(file, "threshold for whole matrices = %.4g\nthresholds as good = some up to %.4g\n", levels->threshold, levels->most);
  (void)fprintf(file, "accuracy = %.4f\nloss = %.4f\n", levels->correct, levels->loss);
  (void)fprintf(file, "loss of warp level = %.4f\nloss of thread level = %.4f\n", levels->warp_loss, levels->thread_loss);
  (void)fprintf(file, "#\n# by threshold of yuenyeung\n#threshold     loss\n");
  for (int k = 0; k < TRAIN_THRESHOLDS; k++) (void)fprintf(file, "# %8g %8.3f\n", train_thresholds[k], fused->loss[k]);
  (void)fprintf(file, "# loss: time over that with the best one for the matrix, geometric mean; the threshold that loses least is taken\n");
}

static void write_evidence(FILE *file, const TrainSample *samples, int count)
{
  static const double lengths[]       = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 1e9, INFINITY};
  static const double granularities[] = {-10, -0.2, -0.1, 0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 10, INFINITY};

  (void)fprintf(file, "#\n# whole matrices, with a warp or a thread per row: the paper's way to a threshold\n");
  (void)fprintf(file, "# accuracy: share of the matrices for which that threshold names the faster level\n");
  (void)fprintf(file, "# loss: time of the level chosen over that of the faster one, geometric mean\n");
  (void)fprintf(file, "# threshold: the least that loses up to %g %% more than the best one; as good: some above it do, not all of them\n",
                100 * TRAIN_TOLERANCE);
  (void)fprintf(file, "# thread/warp: time at thread level over time at warp level, geometric mean\n");
  write_table(file, "mean row length, with the diagonal", samples, count, length_of_row, lengths);
  write_table(file, "parallel granularity", samples, count, granularity, granularities);
}

bool train_write(const char *path, const TrainOrigin *origin, const TrainFused *fused, const TrainLevels *levels,
                 const TrainSample *samples, int count, char *error, size_t size)
{
  char  temporary[4096];
  FILE *file;
  bool  ok;

  if (snprintf(temporary, sizeof temporary, "%s.%ld", path, (long)getpid()) >= (int)sizeof temporary) {
    (void)snprintf(error, size, "%s: too long a name", path);
    return false;
  }
  file = fopen(temporary, "w");
  ok   = file != NULL;
  if (ok) {
    write_fit(file, origin, fused, levels, count);
    write_evidence(file, samples, count);
    ok = !ferror(file);
    ok = !fclose(file) && ok && !rename(temporary, path);
  }
  if (!ok) {
    (void)snprintf(error, size, "%s: %s", path, strerror(errno));
    (void)remove(temporary);
  }
  return ok;
}
