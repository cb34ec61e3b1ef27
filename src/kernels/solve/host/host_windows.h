/* The plan of `host-windows`, and what its two sweeps of an ICC factor have in common. */
#ifndef SPTRSV_HOST_WINDOWS_H
#define SPTRSV_HOST_WINDOWS_H
#include <stdatomic.h>
#include "pace.h"
#include "team.h"
#include "windows.h"

typedef struct {
  _Alignas(64) atomic_int chunks; /* chunks this thread has finished in this solve */
} SptrsvProgress;

typedef struct {
  SptrsvRows      rows;
  int             nnz, threads, window;
  double          speedup;    /* of the threads, by the model; 0: unknown */
  int            *row_ptr;    /* [n + 1] rows in the order of execution */
  int            *col_idx;    /* [nnz] positions in x */
  int            *from, *to;  /* [n] positions in b and x, the same array if equal; NULL: rows as they are, without permutations */
  int            *start;      /* [n] first entry of each row in the pattern; with `source`: in the transpose */
  int             stride;     /* -1: an upper row is taken from its last entry to its first: the nearest rows are known last */
  int            *diagonal;   /* [n] position of the diagonal in the pattern; NULL: it is one */
  const int      *source;     /* the analysis's, of a transpose; NULL: as they are */
  SptrsvChunks    chunks;     /* none if there is one thread */
  SptrsvProgress *progress;   /* [threads] */
  SptrsvTeam      team;       /* NULL: one thread */
  bool            judged;     /* nobody asked for the team: plan->part[0] is the sweep by one thread, while that is used or tried */
  SptrsvPace      pace;       /* which of the two is used */
  int32_t        *in, *out;   /* [n] the permutations, for that one; NULL: natural, or not judged */
  void           *values;     /* [nnz] */
  void           *reciprocal; /* [n] of the diagonal; NULL: it is one */
  const void     *updated;    /* the caller's values, of the last update */
  const void     *given;      /* the same until they are packed in `values`, then NULL */
  const void     *b;          /* of the solve under way */
  void           *x;
} SptrsvWindows;

/* A copy that belongs to the plan, of a permutation that may be NULL (host.c) */
SptrsvStatus sptrsvHostPermutation(SptrsvPlan plan, const int32_t *perm, int **copy);

/* stored_once.c: the forward sweep of an ICC factor can read the rows of the backward sweep instead of its own, so that an apply reads
   one triangle twice.  All take a plan with SptrsvWindows. */
SptrsvStatus sptrsvPairJoin(SptrsvPlan plan); /* at the end of build() */
void         sptrsvPairLeave(SptrsvPlan plan);
void         sptrsvPairUpdate(SptrsvPlan plan); /* at the end of an update */
bool         sptrsvPairBegin(SptrsvPlan plan);  /* at the begin of a solve; whether it is to be sptrsvPairForward() */
void         sptrsvPairForward(SptrsvPlan plan);
void         sptrsvPairEnd(SptrsvPlan plan); /* at the end of a solve */
void         sptrsvPairDescribe(SptrsvPlan plan, char *text, size_t size);

#endif
