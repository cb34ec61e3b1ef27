/* Threads on a machine that others use, too: a sweep by several threads is as slow as the slowest, which waits for its processor.  So runs
   are timed, and the other way is tried now and then.  A trial ends as soon as it loses, and is paid for before the next one: no way to run
   costs more than a few percent against the better one, whatever the machine does.  See doc/algorithms/host-windows.md. */
#include "pace.h"
#include <math.h>

enum {
  FIRST  = 4,  /* runs before the first trial */
  ENOUGH = 8,  /* runs of a trial that gains; runs in a mean */
  PRICE  = 16, /* times its loss that a trial is apart from the next one; twice that after each one that did not pay, */
  MOST   = 3   /* so often */
};

bool sptrsvPaceTogether(const SptrsvPace *pace)
{
  return (pace->way == SPTRSV_TOGETHER) != pace->away;
}

static int other(const SptrsvPace *pace)
{
  return SPTRSV_WAYS - 1 - pace->way;
}

static void add_to_mean(SptrsvPace *pace, int way, double seconds)
{
  if (pace->runs[way] < ENOUGH) pace->runs[way]++;
  pace->seconds[way] += (seconds - pace->seconds[way]) / pace->runs[way];
}

/* Tells whether the way in use has become slower than the other one was, or it is time to look again */
static bool is_due(const SptrsvPace *pace)
{
  const double mean = pace->seconds[pace->way];

  if (!pace->runs[other(pace)]) return pace->runs[pace->way] >= FIRST;
  if (mean > pace->seconds[other(pace)] && pace->since >= PRICE * pace->loss) return true;
  return pace->since >= (PRICE << pace->patience) * fmax(pace->loss, mean);
}

static void begin_trial(SptrsvPace *pace)
{
  pace->away              = true;
  pace->tried             = 0;
  pace->loss              = 0;
  pace->aside             = 0;
  pace->runs[other(pace)] = 0;
}

static void end_trial(SptrsvPace *pace)
{
  pace->away  = false;
  pace->since = 0;
  if (pace->loss < 0) {
    pace->way      = other(pace);
    pace->loss     = 0;
    pace->patience = 0;
  } else {
    pace->loss += pace->aside;
    if (pace->patience < MOST) pace->patience++;
  }
}

void sptrsvPaceCount(SptrsvPace *pace, double seconds, bool usual)
{
  const double mean = pace->seconds[pace->way];

  if (!usual) {
    pace->aside += seconds;
    return;
  }
  add_to_mean(pace, pace->away ? other(pace) : pace->way, seconds);
  if (pace->away) {
    pace->loss += seconds - mean;
    if (++pace->tried == ENOUGH || pace->loss > mean / 2) end_trial(pace);
  } else {
    pace->since += seconds;
    if (is_due(pace)) begin_trial(pace);
  }
}
