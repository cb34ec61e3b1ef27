#include "analysis_check.h"
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/analysis/analysis.h"
#include "check.h"
#include "cut_rows.h"

const char *const sweep_names[] = {"L", "U", "L^T", "U^T"};

SptrsvPlanOptions options_of(int sweep)
{
  SptrsvPlanOptions options = {0};

  set_sweep(sweep, &options);
  return options;
}

#if defined(SPTRSV_HAVE_CUDA)
static bool is_same(const int *d, const int *right, int count)
{
  int       *copy = place_new(SPTRSV_HOST, (size_t)count * sizeof(*copy), NULL);
  const bool same = (place_get(SPTRSV_DEVICE, copy, d, (size_t)count * sizeof(*copy)), !memcmp(copy, right, (size_t)count * sizeof(*copy)));

  free(copy);
  return same;
}

void compare_cut_rows(SptrsvAnalysis analysis, int sweep, const SptrsvOrdered *u, const int *level, int longest)
{
  const SptrsvPlanOptions o   = options_of(sweep);
  const SptrsvCut        *cut = &analysis->cut;
  SptrsvMemory            memory = {0};
  int                     levels, *level_ptr;

  if (!expect_success(sptrsvDeviceCut(analysis, o.triangle, o.op, longest))) return;
  expect_success(sptrsvLevelPointers(u->n, level, &memory, &levels, &level_ptr));
  if (expect(cut->n == u->n && cut->nnz == u->nnz && cut->levels == levels, "%s, at most %d: %d unknowns, %d entries, %d levels",
             sweep_names[sweep], longest, cut->n, cut->nnz, cut->levels)) {
    expect(is_same(cut->row_ptr, u->row_ptr, u->n + 1), "%s, at most %d: other pointers to rows", sweep_names[sweep], longest);
    expect(is_same(cut->col_idx, u->col_idx, u->nnz), "%s, at most %d: other columns", sweep_names[sweep], longest);
    expect(is_same(cut->source, u->source, u->nnz), "%s, at most %d: other sources", sweep_names[sweep], longest);
    expect(is_same(cut->row, u->row, u->n), "%s, at most %d: other rows", sweep_names[sweep], longest);
    expect(is_same(cut->level, level, u->n), "%s, at most %d: other levels", sweep_names[sweep], longest);
    expect(!memcmp(cut->level_ptr, level_ptr, ((size_t)levels + 1) * sizeof(*level_ptr)), "%s, at most %d: other counts of levels",
           sweep_names[sweep], longest);
  }
  sptrsvMemoryFree(&memory);
}

static void compare_sweeps(SptrsvAnalysis on_host, SptrsvAnalysis on_device, int sweep)
{
  static const int        most[] = {3, 16, 70};
  const SptrsvPlanOptions o      = options_of(sweep);
  const int32_t          *right = NULL, *level = NULL;
  SptrsvStatistics        wanted = {0}, found = {0};
  SptrsvMemory            memory = {0};
  SptrsvOrdered           unknowns;
  int                    *cut_level;

  expect_success(sptrsvAnalysisGetLevels(on_host, o.triangle, o.op, &right));
  expect_success(sptrsvAnalysisGetLevels(on_device, o.triangle, o.op, &level));
  expect_success(sptrsvAnalysisGetStatistics(on_host, o.triangle, o.op, &wanted));
  expect_success(sptrsvAnalysisGetStatistics(on_device, o.triangle, o.op, &found));
  expect(right && level && !memcmp(right, level, (size_t)wanted.rows * sizeof(*level)), "%s: other levels", sweep_names[sweep]);
  expect(wanted.rows == found.rows && wanted.nnz == found.nnz && wanted.levels == found.levels && wanted.widest == found.widest &&
             wanted.longest == found.longest && wanted.granularity == found.granularity,
         "%s: other statistics", sweep_names[sweep]);
  for (size_t k = 0; k < sizeof(most) / sizeof(*most); k++) {
    if (expect_success(cut_rows_on_host(on_host, &o, most[k], &memory, &unknowns, &cut_level)))
      compare_cut_rows(on_device, sweep, &unknowns, cut_level, most[k]);
    sptrsvMemoryFree(&memory);
  }
}

void compare_analyses(const ZooMatrix *A)
{
  const SptrsvCsr csr     = zoo_csr(A);
  SptrsvAnalysis  on_host = NULL, on_device = NULL;

  if (expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &on_host)) &&
      expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, &on_device))) {
    for (int sweep = 0; sweep < 4; sweep++) compare_sweeps(on_host, on_device, sweep);
  }
  expect_success(sptrsvAnalysisDestroy(&on_device));
  expect_success(sptrsvAnalysisDestroy(&on_host));
}
#endif
