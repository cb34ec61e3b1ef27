/* A team of threads for sweeps on the host. */
#ifndef SPTRSV_THREADS_H
#define SPTRSV_THREADS_H
#include "../../analysis/analysis.h"

/* Plans with the same number of threads have the same team, so that its threads are still awake when the next plan's solve begins.  They
   live as long as a plan has them.  They wait by polling for some microseconds, then yield, and between runs they sleep. */
typedef struct SptrsvTeam_s *SptrsvTeam;

SptrsvStatus sptrsvTeamGet(int threads, SptrsvTeam *team);
void         sptrsvTeamRelease(SptrsvTeam team); /* NULL: nothing */
int          sptrsvTeamSize(SptrsvTeam team);

/* work(context, k) for k = 0, 1, … below the size, all at once; the caller is number 0.  Complete when it returns.  One run at
   a time: a second caller waits for the first one's. */
void sptrsvTeamRun(SptrsvTeam team, void (*work)(void *context, int me), void *context);

/* In `work`: writes of any member before it are visible to all members after it.  All members must call it equally often. */
void sptrsvTeamBarrier(SptrsvTeam team);

/* Between two looks at what a thread waits for; *polls: the number of looks so far, which this counts */
void sptrsvTeamPause(int *polls);

/* The team of a plan of host-threads, NULL of others */
SptrsvTeam sptrsvHostThreadsTeam(SptrsvPlan plan);

#endif
