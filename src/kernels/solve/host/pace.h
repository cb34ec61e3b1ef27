/* Decides whether a plan's threads are worth having, by the time that its runs take. */
#pragma once
#include <stdbool.h>

enum { SPTRSV_TOGETHER, SPTRSV_ALONE, SPTRSV_WAYS }; /* to run: with all threads, with the caller's */

/* All zero: nothing is known */
typedef struct {
  int    way;                  /* the faster one, as far as is known */
  bool   away;                 /* the other one is being tried */
  int    tried, patience;      /* runs of this trial; trials in a row that did not pay */
  int    runs[SPTRSV_WAYS];    /* that are in the means, up to a limit */
  double seconds[SPTRSV_WAYS]; /* means of the last runs */
  double loss, since;          /* seconds that the last trial cost; that `way` has taken since then */
  double aside;                /* what the trial under way cost beside its runs */
} SptrsvPace;

/* Tells whether the next run is to be with all threads */
bool sptrsvPaceTogether(const SptrsvPace *pace);
/* Takes the time of that run.  usual: it is like those to come, and did not prepare them. */
void sptrsvPaceCount(SptrsvPace *pace, double seconds, bool usual);
