/*
   kronecker.h - Lower triangles of the graphs of Graph500: each edge falls into one of the four quarters of the adjacency matrix with the
   probabilities 0.57, 0.19, 0.19, 0.05, within that again, and so on; then the vertices are renumbered at random.

   Functions return false on failure and leave a sentence in `error`, cut at size - 1 characters.
*/
#ifndef BENCH_KRONECKER_H
#define BENCH_KRONECKER_H
#include "matrices.h"

enum { KRONECKER_SCALE = 26 }; /* the largest */

typedef struct {
  int      scale;       /* 2^scale vertices */
  double   edge_factor; /* edges that are drawn, per vertex */
  uint64_t seed;        /* not 0 */
} Kronecker;

/* kronecker_parse - "kron:SCALE,ef=F" with an optional ",seed=S" (1). */
bool kronecker_parse(const char *spec, Kronecker *graph, char *error, size_t size);

/*
   kronecker_create - Strict lower triangle of the adjacency matrix of the undirected graph.  Edges drawn more than once are one entry, its
   value minus the number of times; those from a vertex to itself are none.  The same on every machine.
*/
bool kronecker_create(const Kronecker *graph, CsrMatrix *A, char *error, size_t size);

#endif
