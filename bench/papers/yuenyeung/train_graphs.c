/* train_graphs.c - The training set. */
#include "train_graphs.h"
#include "../../report.h"
#include <math.h>
#include <pthread.h>

/* Size and density are drawn independently, the density evenly on a logarithmic scale, up to the bound on edges. */
static Kronecker choose_graph(const TrainRange *range, int k)
{
  uint64_t     state  = (range->seed + (uint64_t)k) * UINT64_C(0x9e3779b97f4a7c15) | 1;
  const double least  = ceil(range->scales[0]), scales = floor(range->scales[1]) - least + 1;
  Kronecker    graph;

  for (int skip = 0; skip < 4; skip++) (void)report_random(&state);
  graph.scale       = (int)(least + floor(0.5 * (report_random(&state) + 1) * scales));
  graph.edge_factor = range->edge_factors[0] * pow(range->edge_factors[1] / range->edge_factors[0], 0.5 * (report_random(&state) + 1));
  graph.edge_factor = fmin(graph.edge_factor, range->edges / ldexp(1, graph.scale));
  graph.seed        = range->seed + (uint64_t)k;
  return graph;
}

static void *make_graph(void *context)
{
  TrainGraph *g = context;

  g->made = kronecker_create(&g->graph, &g->A, g->error, sizeof g->error);
  if (g->made && !csr_matrix_make_dominant(&g->A, g->error, sizeof g->error)) {
    csr_matrix_destroy(&g->A);
    g->made = false;
  }
  return NULL;
}

void train_graphs(const TrainRange *range, int first, int count, TrainGraph *graphs)
{
  pthread_t thread[TRAIN_BATCH];
  bool      started[TRAIN_BATCH];

  for (int k = 0; k < count; k++) {
    graphs[k]  = (TrainGraph){.graph = choose_graph(range, first + k)};
    started[k] = !pthread_create(&thread[k], NULL, make_graph, &graphs[k]);
    if (!started[k]) (void)make_graph(&graphs[k]);
  }
  for (int k = 0; k < count; k++) {
    if (started[k]) (void)pthread_join(thread[k], NULL);
  }
}
