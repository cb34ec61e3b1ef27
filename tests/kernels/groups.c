/* yuenyeung's map of rows, made on the GPU, against Algorithm 6 as it is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/studies/yuenyeung/yuenyeung.h"
#include "check.h"
#include "zoo.h"

#if !defined(SPTRSV_WARP)
  #define SPTRSV_WARP 32
#endif

typedef enum { EMPTY, EQUAL, RANDOM, ONE_LONG, KINDS } Lengths;
static const double      thresholds[]   = {1e-9, 1, 2, 4, 5, 5.5, 8, 32.2, 1e9};
static const char *const length_names[] = {"empty rows", "rows of 4 entries", "random rows", "one long row"};

/* Off-diagonal entries of row i */
static int row_length(Lengths kind, int i, int n, uint64_t *seed)
{
  switch (kind) {
  case EQUAL:
    return 4;
  case RANDOM:
    return (int)(random_unit(seed) * random_unit(seed) * 20);
  case ONE_LONG:
    return i == n / 2 ? 1000 : 1;
  default:
    return 0;
  }
}

/* Algorithm 6, ALGCHOOSE, whose rows contain their diagonal entry; the listing's array_len is the result plus one */
static int alg_choose(const int *row_ptr, int rows, double threshold, int *execute_row_id)
{
  int warp_id = 0;

  for (int row_start = 0; row_start < rows; row_start += SPTRSV_WARP) {
    const int    row_end         = row_start + SPTRSV_WARP < rows ? row_start + SPTRSV_WARP : rows;
    const double avg_element_row = (double)(row_ptr[row_end] - row_ptr[row_start] + row_end - row_start) / (row_end - row_start);

    if (avg_element_row >= threshold) {
      for (int i = row_start; i < row_end; i++) execute_row_id[warp_id++] = i;
    } else execute_row_id[warp_id++] = row_start;
  }
  execute_row_id[warp_id] = rows;
  return warp_id;
}

static void compare_maps(int n, const int *row_ptr, double threshold)
{
  const size_t bytes     = ((size_t)n + 1) * sizeof(int);
  int         *d_row_ptr = place_new(SPTRSV_DEVICE, bytes, row_ptr), *d_execute_row_id = NULL, groups = -1;
  int         *right = place_new(SPTRSV_HOST, bytes, NULL), *made = place_new(SPTRSV_HOST, bytes, NULL);
  const int    right_groups = alg_choose(row_ptr, n, threshold, right);
  SptrsvMemory memory       = {0};

  if (expect_success(sptrsvRowGroups(n, d_row_ptr, threshold, &memory, &d_execute_row_id, &groups)) &&
      expect(groups == right_groups, "threshold %g: %d groups, not %d", threshold, groups, right_groups)) {
    place_get(SPTRSV_DEVICE, made, d_execute_row_id, ((size_t)groups + 1) * sizeof(int));
    expect(!memcmp(made, right, ((size_t)groups + 1) * sizeof(int)), "threshold %g: another map", threshold);
    expect(memory.bytes[SPTRSV_DEVICE] == ((size_t)groups + 1) * sizeof(int), "%zu bytes are said to be held",
           memory.bytes[SPTRSV_DEVICE]);
  }
  sptrsvMemoryFree(&memory);
  place_free(SPTRSV_DEVICE, d_row_ptr);
  free(right);
  free(made);
}

static void test_map(int n, Lengths kind)
{
  int     *row_ptr = place_new(SPTRSV_HOST, ((size_t)n + 1) * sizeof(int), NULL);
  uint64_t seed    = 5;

  case_begin("groups of %d rows, %s", n, length_names[kind]);
  row_ptr[0] = 0;
  for (int i = 0; i < n; i++) row_ptr[i + 1] = row_ptr[i] + row_length(kind, i, n, &seed);
  for (size_t k = 0; k < sizeof(thresholds) / sizeof(*thresholds); k++) compare_maps(n, row_ptr, thresholds[k]);
  case_end();
  free(row_ptr);
}

/* The numbers of groups in a plan's description, for the strict lower triangle of each matrix of the zoo */
static void test_described(int k)
{
  ZooMatrix         A;
  SptrsvCsr         csr;
  SptrsvPlanOptions options  = {.algorithm = "yuenyeung", .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE};
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlan        plan     = NULL;
  char              text[256], right[256];
  int              *row_ptr, *map;

  zoo_create(k, true, &A);
  csr              = zoo_csr(&A);
  options.diagonal = SPTRSV_DIAG_UNIT;
  row_ptr          = place_new(SPTRSV_HOST, ((size_t)A.n + 1) * sizeof(int), NULL);
  map              = place_new(SPTRSV_HOST, ((size_t)A.n + 1) * sizeof(int), NULL);
  row_ptr[0]       = 0;
  for (int i = 0; i < A.n; i++) {
    row_ptr[i + 1] = row_ptr[i];
    for (int e = A.row_ptr[i]; e < A.row_ptr[i + 1]; e++) row_ptr[i + 1] += A.col_idx[e] < i;
  }
  case_begin("description of %s", A.name);
  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &analysis));
  for (size_t t = 0; t < sizeof(thresholds) / sizeof(*thresholds); t++) {
    const double threshold = thresholds[t];
    const int    groups    = alg_choose(row_ptr, A.n, threshold, map);
    int          warp_rows = 0;

    for (int g = 0; g < groups; g++) warp_rows += map[g + 1] - map[g] == 1;
    (void)snprintf(right, sizeof(right), "%d groups of %d rows at thread level, %d rows at warp level, threshold %g (given)",
                   groups - warp_rows, SPTRSV_WARP, warp_rows, threshold);
    options.tuning.yuenyeung.threshold = threshold;
    expect_success(sptrsvPlanCreate(analysis, &options, &plan));
    expect_success(sptrsvPlanDescribe(plan, text, sizeof(text)));
    expect(strstr(text, right) != NULL, "\"%s\", not \"%s\"", text, right);
    expect_success(sptrsvPlanDestroy(&plan));
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  case_end();
  free(row_ptr);
  free(map);
  zoo_destroy(&A);
}

/* A row's entries are spread over a warp: its sum is exact only if the two large ones meet on one lane before the others come */
static void test_warp_level(const char *algorithm)
{
  enum { WARP = SPTRSV_WARP, N = WARP + 2 };
  const SptrsvPlanOptions options = {.algorithm                  = algorithm,
                                     .location                   = SPTRSV_DEVICE,
                                     .diagonal                   = SPTRSV_DIAG_UNIT,
                                     .type                       = SPTRSV_DOUBLE,
                                     .tuning.yuenyeung.threshold = thresholds[0]};
  int                     row_ptr[N + 1] = {0}, col_idx[WARP + 1];
  double                  values[WARP + 1], b[N], x[N];
  const SptrsvCsr         A        = {N, WARP + 1, row_ptr, col_idx, SPTRSV_INT32, SPTRSV_HOST};
  SptrsvAnalysis          analysis = NULL;
  SptrsvPlan              plan     = NULL;
  double                 *d_values, *d_b, *d_x;

  case_begin("%s spreads a row's entries over a warp", algorithm);
  row_ptr[N] = WARP + 1;
  for (int k = 0; k <= WARP; k++) {
    col_idx[k] = k;
    values[k]  = k % WARP ? 1 : k ? -0x1p60 : 0x1p60;
  }
  for (int i = 0; i < N; i++) b[i] = i < N - 1;
  d_values = place_new(SPTRSV_DEVICE, sizeof(values), values);
  d_b      = place_new(SPTRSV_DEVICE, sizeof(b), b);
  d_x      = place_new(SPTRSV_DEVICE, sizeof(x), NULL);
  expect_success(sptrsvAnalysisCreate(&A, SPTRSV_DEVICE, NULL, &analysis));
  expect_success(sptrsvPlanCreate(analysis, &options, &plan));
  expect_success(sptrsvPlanUpdate(plan, d_values, NULL));
  expect_success(sptrsvSolve(plan, d_b, d_x, NULL));
  place_get(SPTRSV_DEVICE, x, d_x, sizeof(x));
  expect(x[N - 1] == 1 - WARP, "the last unknown is %g, not %d", x[N - 1], 1 - WARP);
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  place_free(SPTRSV_DEVICE, d_values);
  place_free(SPTRSV_DEVICE, d_b);
  place_free(SPTRSV_DEVICE, d_x);
  case_end();
}

int main(int argc, char **argv)
{
  static const int sizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 129, 1000, 10007, 100003}; /* 10007: strides of the emulator's grid */

  (void)test_begin("groups", argc, argv);
  for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
    if (test_quick() && sizes[k] > 10007) continue;
    for (int kind = 0; kind < KINDS; kind++) {
      if (sptrsvDeviceCount()) test_map(sizes[k], (Lengths)kind);
      else case_skip("groups of %d rows, %s: there is no GPU", sizes[k], length_names[kind]);
    }
  }
  if (sptrsvDeviceCount()) {
    for (int k = 0; k < zoo_count(); k++) test_described(k);
    test_warp_level("syncfree-csr");
    test_warp_level("yuenyeung");
  } else case_skip("descriptions, and rows spread over warps: there is no GPU");
  return test_end();
}
