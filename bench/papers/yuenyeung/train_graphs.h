/*
   train_graphs.h - The training set: graphs of many sizes and densities, made by several threads at a time.
*/
#ifndef BENCH_TRAIN_GRAPHS_H
#define BENCH_TRAIN_GRAPHS_H
#include "../../matrices/kronecker.h"

typedef struct {
  double   scales[2], edge_factors[2]; /* least and most */
  double   edges;                      /* of a graph, at most */
  uint64_t seed;
} TrainRange;

typedef struct {
  Kronecker graph;
  CsrMatrix A; /* its lower triangle with a dominant diagonal */
  bool      made;
  char      error[256];
} TrainGraph;

enum { TRAIN_BATCH = 16 };

/* train_graphs - Makes the graphs from number `first` on [count <= TRAIN_BATCH], the same ones in every run; `made` tells
   whether each succeeded. */
void train_graphs(const TrainRange *range, int first, int count, TrainGraph *graphs);

#endif
