/*
   kronecker.h - Lower triangles of the graphs of Graph500.  Each edge falls into one of the four quarters of the adjacency matrix with the
   probabilities 0.57, 0.19, 0.19, 0.05, then into a quarter of that one, and so on; the vertices are renumbered at random.
*/
#ifndef BENCH_KRONECKER_H
#define BENCH_KRONECKER_H
#include "csr_matrix.h"

enum { KRONECKER_SCALE = 26 }; /* the largest */

typedef struct {
  int      scale;       /* 2^scale vertices */
  double   edge_factor; /* edges that are drawn, per vertex */
  uint64_t seed;        /* not 0 */
} Kronecker;

/* is_kronecker - Whether the spec begins as the name of a graph. */
bool is_kronecker(const char *spec);

/* kronecker_parse - "kron:SCALE,ef=F" with an optional ",seed=S" (1). */
bool kronecker_parse(const char *spec, Kronecker *graph, char *error, size_t size);

/*
   kronecker_create - Strict lower triangle of the adjacency matrix of the undirected graph.  An edge drawn k
   times is one entry -k; an edge from a vertex to itself is none.  The same on every machine.
*/
bool kronecker_create(const Kronecker *graph, CsrMatrix *A, char *error, size_t size);

#endif
