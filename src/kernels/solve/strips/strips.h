/* Strips of a sweep on the host: arrange.c makes them, strips_plan.cu takes them to the device.  See doc/algorithms/strips.md. */
#ifndef SPTRSV_STRIPS_H
#define SPTRSV_STRIPS_H
#include <stdalign.h>
#include "../../analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(SPTRSV_STRIP_RING)
  #define SPTRSV_STRIP_RING 1024 /* places of a strip whose x is in shared memory, a multiple of SPTRSV_WARP */
#endif
enum { SPTRSV_STRIP_ENTRIES = 16, SPTRSV_STRIP_GROUP = 4 }; /* most entries of an unknown; those that warp 0 takes together */

/* Up to SPTRSV_WARP unknowns of a strip.  Entry k of lane l is in slot near + SPTRSV_WARP k + l, or far + …  Words, for a single load */
typedef struct {
  alignas(16) int near; /* first slots */
  int             far;
  unsigned        per;    /* entries per lane: near ones, at least 1, + far ones << 8 */
  int             record; /* for strips_plan.cu */
} SptrsvStripChunk;
#define SPTRSV_STRIP_NEAR_PER(chunk) ((int)((chunk).per & 0xff))
#define SPTRSV_STRIP_FAR_PER(chunk)  ((int)((chunk).per >> 8))

/* Marks.  Lane l of a chunk is solved in its step SPTRSV_STRIP_STEP(mark[l]). */
#define SPTRSV_STRIP_FAR        1u /* the unknown is far from another */
#define SPTRSV_STRIP_STEP(mark) ((mark) >> 1 & 0x3f)
#define SPTRSV_STRIP_LAST(mark) ((mark) >> 7 & 0x3f) /* the chunk's last step */
#define SPTRSV_STRIP_MORE(mark) ((mark) >> 13) /* groups of SPTRSV_STRIP_GROUP near entries in the chunk, less one */

/* A strip is a part of a topological order, in level order.  Unknowns have places, SPTRSV_WARP to a chunk, which need not be full.  An
   entry is near if its unknown is in the same strip and still in the ring when it is needed, and far otherwise. */
typedef struct {
  int               strips, chunks, most; /* most: entries per lane of any chunk, near or far */
  int               near_slots, far_slots;
  int              *strip_ptr;  /* [strips + 1] first chunk of each */
  SptrsvStripChunk *chunk;      /* [chunks] */
  int              *unknown;    /* [places], -1: none */
  unsigned short   *mark;       /* [places] */
  unsigned short   *near_place; /* [near_slots] SPTRSV_WARP + the place in the ring; 0: no entry */
  int              *far_place;  /* [far_slots] place, -1: no entry */
  int              *near_source, *far_source; /* positions in the matrix's values, or constants (SPTRSV_ONE, …) */
} SptrsvStrips;

/* Rows of a strip, by rule, for a matrix of n rows */
int sptrsvStripsRows(int n);

/* order [n]: the unknowns in a topological order, NULL: as they are; rows: unknowns of a strip.  To be freed after a failure, too. */
SptrsvStatus sptrsvStripsArrange(const SptrsvOrdered *unknowns, const int *level, const int *order, int rows, SptrsvStrips *strips);
void         sptrsvStripsFree(SptrsvStrips *strips);

/* Kahn's algorithm with a stack: unknowns follow soon after those that they need.  order [n] */
SptrsvStatus sptrsvDepthFirst(const SptrsvOrdered *unknowns, int *order);

#ifdef __cplusplus
}
#endif
#endif
