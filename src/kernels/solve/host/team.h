/* A team of threads for sweeps on the host. */
#pragma once
#include "../../analysis/analysis.h"

SPTRSV_BEGIN_C

/* Plans with the same number of threads have the same team, so that its threads are still awake when the next plan's solve begins.  They
   live as long as a plan has them.  They wait by polling for some microseconds, then yield, and between runs they sleep.
   A team has no threads where none were to be had, in a process that fork() made after it, and when the process ends. */
typedef struct SptrsvTeam_s *SptrsvTeam;

#define SPTRSV_NO_THREADS "which are not to be had here: one does it all" /* for descriptions */

SptrsvStatus sptrsvTeamGet(int threads, SptrsvTeam *team);
void         sptrsvTeamRelease(SptrsvTeam team); /* NULL: nothing */
bool         sptrsvTeamHasThreads(SptrsvTeam team);

/* together: work(context, k, size) for k = 0, 1, … below the team's size, all at once; the caller is number 0.  One run at a time: a
   second caller waits for the first one's.  Otherwise, and where there is no team or it has no threads, work(context, 0, 1).
   Complete when it returns. */
void sptrsvTeamRun(SptrsvTeam team, bool together, void (*work)(void *context, int me, int members), void *context);

/* Waits, in `work` of several members, for all of them: writes of any before it are visible to all after it.  All must call it equally
   often. */
void sptrsvTeamBarrier(SptrsvTeam team);

/* Pauses between two looks at what a thread waits for; *polls: the number of looks so far, which this counts */
void sptrsvTeamPause(int *polls);

/* Whole processors that this process's control group may use, at least 1; 0: no quota is known.  root: in front of all names of files */
int sptrsvQuota(const char *root);

/* The team of a plan of host-threads, NULL of others */
SptrsvTeam sptrsvHostThreadsTeam(SptrsvPlan plan);

SPTRSV_END_C
