/* The plan of `host-windows`, and what its two sweeps of an ICC factor have in common. */
#pragma once
#include <stdatomic.h>
#include "host_rows.h"
#include "pace.h"
#include "team.h"

typedef struct {
  _Alignas(64) atomic_int chunks; /* chunks this thread has finished in this solve */
} SptrsvProgress;

typedef struct {
  SptrsvHostRows  stored;
  int             threads, window;
  double          speedup;  /* of the threads, by the model; 0: unknown */
  SptrsvChunks    chunks;   /* none if there is one thread */
  SptrsvProgress *progress; /* [threads] */
  SptrsvTeam      team;     /* NULL: one thread */
  SptrsvPace      pace;     /* of a team that nobody asked for: plan->part[0] is the sweep by one thread, while that is used or tried */
  int32_t        *in, *out; /* [n] the permutations, for that one; NULL: natural, or there is none */
} SptrsvWindows;

/* stored_once.c: the forward sweep of an ICC factor can read the rows of the backward sweep instead of its own, so that an apply reads
   one triangle twice.  All take a plan with SptrsvWindows. */
SptrsvStatus sptrsvPairJoin(SptrsvPlan plan); /* at the end of build() */
void         sptrsvPairLeave(SptrsvPlan plan);
void         sptrsvPairUpdate(SptrsvPlan plan); /* at the end of an update */
bool         sptrsvPairBegin(SptrsvPlan plan);  /* at the begin of a solve; true: that was all of it, by the other's rows */
void         sptrsvPairEnd(SptrsvPlan plan);    /* at the end of a solve */
void         sptrsvPairDescribe(SptrsvPlan plan, char *text, size_t size); /* appends */
