/* Training of yuenyeung's threshold, without a GPU: graphs, the choice among thresholds, the record. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../../bench/matrices/kronecker.h"
#include "../../bench/matrices/matrices.h"
#include "../../bench/papers/yuenyeung/train_fit.h"
#include "../../bench/papers/yuenyeung/train_graphs.h"
#include "check.h"

static void test_graph(int scale, double edge_factor, uint64_t seed)
{
  const Kronecker graph = {scale, edge_factor, seed};
  CsrMatrix       A, B;
  char            error[256] = "";

  case_begin("graph of scale %d, %g edges to a vertex", scale, edge_factor);
  if (expect(kronecker_create(&graph, &A, error, sizeof(error)), "%s", error)) {
    expect(A.rows == (int64_t)1 << scale && A.nnz <= (int64_t)(edge_factor * (double)A.rows), "%lld rows, %lld entries", (long long)A.rows,
           (long long)A.nnz);
    for (int64_t i = 0; i < A.rows; i++) {
      for (int32_t e = A.row_ptr[i]; e < A.row_ptr[i + 1]; e++)
        expect(A.col_idx[e] < i && (e == A.row_ptr[i] || A.col_idx[e] > A.col_idx[e - 1]), "row %lld has column %d", (long long)i,
               A.col_idx[e]);
    }
    if (expect(kronecker_create(&graph, &B, error, sizeof(error)), "%s", error)) {
      expect(A.nnz == B.nnz && !memcmp(A.col_idx, B.col_idx, (size_t)A.nnz * sizeof(*A.col_idx)), "another graph the second time");
      csr_matrix_destroy(&B);
    }
    csr_matrix_destroy(&A);
  }
  case_end();
}

/* With A, B, C, D = 0.57, 0.19, 0.19, 0.05: of two vertices an edge joins both with probability B + C; of four the six pairs have
   A (B + C), B B + C C = 2 B C and D (B + C), each twice, whatever the vertices are called. */
static void test_quarters(void)
{
  static const double share[] = {0.57 * 0.38, 2 * 0.19 * 0.19, 0.05 * 0.38};
  const double        edges   = 1e6;
  Kronecker           graph   = {1, edges / 2, 7};
  CsrMatrix           A;
  char                error[256] = "";

  case_begin("probabilities of the quarters");
  if (expect(kronecker_create(&graph, &A, error, sizeof(error)), "%s", error)) {
    expect(A.nnz == 1 && fabs(-A.values[0] / edges - 0.38) < 0.003, "%g of the edges", -A.values[0] / edges);
    csr_matrix_destroy(&A);
  }
  graph = (Kronecker){2, edges / 4, 7};
  if (expect(kronecker_create(&graph, &A, error, sizeof(error)), "%s", error)) {
    expect(A.nnz == 6, "%lld pairs", (long long)A.nnz);
    for (int k = 0; k < 3; k++) {
      int pairs = 0;

      for (int64_t e = 0; e < A.nnz; e++) pairs += fabs(-A.values[e] / edges - share[k]) < 0.003;
      expect(pairs == 2, "%d pairs have %g of the edges", pairs, share[k]);
    }
    csr_matrix_destroy(&A);
  }
  case_end();
}

static void test_names(void)
{
  static const char *const bad[] = {"kron:",        "kron:3",        "kron:-1,ef=2",       "kron:27,ef=1",      "kron:3,ef=",
                                    "kron:3,ef=-1", "kron:3,ef=nan", "kron:3,ef=1,seed=0", "kron:3,ef=1,seed=", "kron:3,ef=1,seeds=2",
                                    "kron:3,ef=1x"};
  Kronecker                graph = {0, 0, 0};
  CsrMatrix                A;
  char                     error[256] = "";

  case_begin("names of graphs");
  expect(kronecker_parse("kron:14,ef=0.5,seed=9", &graph, error, sizeof(error)), "%s", error);
  expect(graph.scale == 14 && graph.edge_factor == 0.5 && graph.seed == 9, "scale %d", graph.scale);
  for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
    expect(!matrix_create(bad[k], false, &A, error, sizeof(error)) && !strncmp(error, bad[k], strlen(bad[k])), "%s: \"%s\"", bad[k],
           error);
  }
  case_end();
}

/* A training set has the same graphs, however it is divided into batches */
static void test_set(void)
{
  const TrainRange range = {{3, 6}, {0.5, 8}, 200, 11};
  TrainGraph       all[8], one[1];

  case_begin("training set");
  train_graphs(&range, 5, 8, all);
  for (int k = 0; k < 8; k++) {
    train_graphs(&range, 5 + k, 1, one);
    if (expect(all[k].made && one[0].made, "%s%s", all[k].error, one[0].error)) {
      expect(all[k].graph.scale >= 3 && all[k].graph.scale <= 6, "scale %d", all[k].graph.scale);
      expect(all[k].graph.edge_factor <= 8 && all[k].graph.edge_factor * (double)all[k].A.rows <= 200, "%g edges to a vertex",
             all[k].graph.edge_factor);
      expect(all[k].A.nnz == one[0].A.nnz && !memcmp(all[k].A.values, one[0].A.values, (size_t)one[0].A.nnz * sizeof(double)),
             "graph %d depends on its batch", 5 + k);
    }
    if (one[0].made) csr_matrix_destroy(&one[0].A);
  }
  for (int k = 0; k < 8; k++) {
    if (all[k].made) csr_matrix_destroy(&all[k].A);
  }
  case_end();
}

/* Of yuenyeung's thresholds 4 is the best */
static TrainSample make_sample(double row_length, double warp, double thread)
{
  TrainSample s = {.row_length = row_length, .granularity = 0.5, .warp = warp, .thread = thread};

  for (int k = 0; k < TRAIN_THRESHOLDS; k++) s.fused[k] = train_thresholds[k] == 4 ? 1 : 2;
  return s;
}

/* Threads are better below 7, but for one matrix that does not matter much; 6 and 8 have 7 in their middle, sqrt(48) = 6.928 */
static void test_fit(void)
{
  TrainSample samples[] = {make_sample(8, 1, 3), make_sample(2, 2, 1), make_sample(3, 4, 1),
                           make_sample(4, 1, 1.1), make_sample(6, 2, 1), make_sample(12, 1, 2)};
  TrainLevels fit;

  case_begin("the threshold that loses least");
  train_levels(samples, 6, &fit);
  expect(samples[0].row_length == 2 && samples[5].row_length == 12, "the samples are not sorted");
  expect(fabs(fit.threshold - sqrt(48)) < 1e-12, "threshold %g", fit.threshold);
  expect(fabs(fit.correct - 5. / 6) < 1e-12, "%g are right", fit.correct);
  expect(fabs(fit.loss - pow(1.1, 1. / 6)) < 1e-12, "%g lost", fit.loss);
  expect(fabs(fit.warp_loss - pow(2 * 4 * 2, 1. / 6)) < 1e-12, "%g lost by warps", fit.warp_loss);
  expect(fabs(fit.thread_loss - pow(3 * 1.1 * 2, 1. / 6)) < 1e-12, "%g lost by threads", fit.thread_loss);
  expect(fit.most == fit.threshold, "%g to %g are said to be as good", fit.threshold, fit.most);
  case_end();
}

/* Two matrices: one that is best off at 8, one at 16 */
static void test_fused(void)
{
  TrainSample samples[2];
  TrainFused  fused;

  case_begin("the threshold with which yuenyeung loses least");
  for (int k = 0; k < TRAIN_THRESHOLDS; k++) {
    samples[0].fused[k] = train_thresholds[k] == 8 ? 1 : 4;
    samples[1].fused[k] = train_thresholds[k] == 16 ? 2 : train_thresholds[k] == 8 ? 4 : 32;
  }
  train_fused(samples, 2, &fused);
  for (int k = 0; k < TRAIN_THRESHOLDS; k++) {
    const double loss = train_thresholds[k] == 8 ? sqrt(2) : train_thresholds[k] == 16 ? 2 : 8;

    expect(fabs(fused.loss[k] - loss) < 1e-12, "%g loses %g", train_thresholds[k], fused.loss[k]);
  }
  expect(fused.threshold == 8, "threshold %g", fused.threshold);
  samples[1].fused[1] = samples[0].fused[1] = sqrt(4.05);
  train_fused(samples, 2, &fused);
  expect(fused.threshold == 8, "3 is hardly worse than 8, but worse, threshold %g", fused.threshold);
  for (int k = 0; k < 2; k++) samples[k].fused[8] = samples[k].fused[4];
  train_fused(samples, 2, &fused);
  expect(fused.threshold == 8, "32 is no better than 8, threshold %g", fused.threshold);
  case_end();
}

static void test_ends(void)
{
  TrainSample warps[] = {make_sample(2, 1, 2), make_sample(3, 1, 2)}, threads[] = {make_sample(2, 2, 1), make_sample(3, 2, 1)};
  TrainSample ties[]   = {make_sample(3, 1, 2), make_sample(3, 2, 1), make_sample(3, 2, 1), make_sample(5, 1, 2)};
  TrainSample nearly[] = {make_sample(2, 2, 1), make_sample(8, 1, 1.001), make_sample(32, 1, 2)};
  TrainLevels fit;

  case_begin("thresholds at the ends, between equal lengths, and as good");
  train_levels(warps, 2, &fit);
  expect(fit.threshold == 1 && fit.loss == 1, "warps are always better, threshold %g", fit.threshold);
  train_levels(threads, 2, &fit);
  expect(fit.threshold == 6 && fit.loss == 1, "threads are always better, threshold %g", fit.threshold);
  train_levels(ties, 4, &fit);
  expect(fabs(fit.threshold - sqrt(15)) < 1e-12, "rows of 3 entries cannot be told apart, threshold %g", fit.threshold);
  train_levels(nearly, 3, &fit);
  expect(fit.threshold == 4 && fit.most == 16, "threshold %g, some up to %g as good", fit.threshold, fit.most);
  case_end();
}

static void test_record(void)
{
  const TrainOrigin origin    = {"NVIDIA H200", "13.0", "13.0", "double", "syncfree_train --made up"};
  TrainSample       samples[] = {make_sample(2, 2, 1), make_sample(3, 2, 1), make_sample(8, 1, 2)};
  TrainLevels       levels;
  TrainFused        fused;
  char              path[64], error[256] = "", text[4096] = "";
  FILE             *file;

  case_begin("the record");
  (void)snprintf(path, sizeof(path), "/tmp/syncfree-training-%ld", (long)getpid());
  train_levels(samples, 3, &levels);
  train_fused(samples, 3, &fused);
  expect(train_write(path, &origin, &fused, &levels, samples, 3, error, sizeof(error)), "%s", error);
  file = fopen(path, "r");
  if (expect(file != NULL, "it is not there")) {
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    (void)fclose(file);
  }
  expect(strstr(text, "gpu = NVIDIA H200\nthreshold = 4\n") && strstr(text, "matrices = 3\n") &&
             strstr(text, "threshold for whole matrices = 4.899\n") &&
             strstr(text, "thresholds as good = some up to 4.899\n") && strstr(text, "accuracy = 1.0000\n"),
         "its numbers are not there:\n%s", text);
  expect(strstr(text, "#        2        3          1            0        0.500\n") != NULL, "its evidence is not there:\n%s", text);
  (void)remove(path);
  expect(!train_write("/no/such/folder/file", &origin, &fused, &levels, samples, 3, error, sizeof(error)) &&
             !strcmp(error, "/no/such/folder/file: No such file or directory"),
         "\"%s\"", error);
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("training", argc, argv);
  test_graph(0, 4, 1);
  test_graph(1, 0, 1);
  test_graph(6, 3, 5);
  test_graph(10, 8, 2);
  test_quarters();
  test_names();
  test_set();
  test_fit();
  test_fused();
  test_ends();
  test_record();
  return test_end();
}
