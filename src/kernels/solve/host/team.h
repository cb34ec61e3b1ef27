/* A team of threads for sweeps on the host. */
#ifndef SPTRSV_THREADS_H
#define SPTRSV_THREADS_H
#include "../../analysis/analysis.h"

/* Its threads live from create to destroy.  They wait by polling for some microseconds, then yield, and between runs they sleep. */
typedef struct SptrsvTeam_s *SptrsvTeam;

int          sptrsvProcessors(void); /* number that this process may run on */
SptrsvStatus sptrsvTeamCreate(int threads, SptrsvTeam *team);
void         sptrsvTeamDestroy(SptrsvTeam team); /* NULL: nothing */
int          sptrsvTeamSize(SptrsvTeam team);

/* work(context, k) for k = 0, 1, … below the size, all at once; the caller is number 0.  Complete when it returns.  One run at a time. */
void sptrsvTeamRun(SptrsvTeam team, void (*work)(void *context, int me), void *context);

/* In `work`: writes of any member before it are visible to all members after it.  All members must call it equally often. */
void sptrsvTeamBarrier(SptrsvTeam team);

/* The team of a plan of host-threads, NULL of others */
SptrsvTeam sptrsvHostThreadsTeam(SptrsvPlan plan);

#endif
