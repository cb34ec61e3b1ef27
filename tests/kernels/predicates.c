/* What set-up decides with yes or no, and counts, of small random patterns, against definitions of a few lines. */
#include <stdio.h>
#include <string.h>
#include "../../src/kernels/analysis/analysis.h"
#include "factor_ways.h"
#include "random_pattern.h"

static bool lacks_diagonal(Pattern *p)
{
  const SptrsvCsr         csr      = zoo_csr(&p->A);
  const int               row      = missing_row(p);
  const SptrsvPlanOptions options  = {.algorithm = p->location == SPTRSV_HOST ? "host-windows" : "levelset",
                                      .location  = p->location,
                                      .triangle  = pick(p, 2) ? SPTRSV_UPPER : SPTRSV_LOWER,
                                      .diagonal  = (SptrsvDiagonal)pick(p, 3)};
  int64_t                 missing  = -1;
  SptrsvFactor            factor   = NULL;
  SptrsvAnalysis          analysis = NULL;
  SptrsvPlan              plan     = NULL;
  const SptrsvStatus      right    = row < 0 ? SPTRSV_SUCCESS : SPTRSV_MISSING_DIAGONAL;

  expect_status(make_factor(&p->A, any_kind(p), p->location, &missing, &factor), right, "sptrsvFactorCreate");
  expect(missing == row, "row %lld, not %d", (long long)missing, row);
  expect_success(sptrsvAnalysisCreate(&csr, p->location, NULL, &analysis));
  expect_status(sptrsvPlanCreate(analysis, &options, &plan), options.diagonal == SPTRSV_DIAG_UNIT ? SPTRSV_SUCCESS : right,
                "sptrsvPlanCreate");
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  expect_success(sptrsvFactorDestroy(&factor));
  return row >= 0;
}

/* Entries first to end - 1 in another order */
static void shuffle(Pattern *p, ZooMatrix *A, int first, int end)
{
  for (int e = end - 1; e > first; e--) {
    const int     other = first + pick(p, e - first + 1);
    const int32_t j     = A->col_idx[e];
    const double  value = A->values[e];

    A->col_idx[e]     = A->col_idx[other];
    A->values[e]      = A->values[other];
    A->col_idx[other] = j;
    A->values[other]  = value;
  }
}

/* Parts of rows in another order: left or right of the diagonal, which stays, or anywhere; or a column twice */
static void disarrange(Pattern *p, ZooMatrix *A)
{
  for (int changes = pick(p, 3); changes > 0; changes--) {
    const int i = pick(p, A->n), begin = A->row_ptr[i], end = A->row_ptr[i + 1];
    int       d = begin;

    while (d < end && A->col_idx[d] != i) d++;
    if (begin == end) continue;
    switch (pick(p, 5)) {
    case 0:
      shuffle(p, A, begin, d);
      break;
    case 1:
      shuffle(p, A, d < end ? d + 1 : end, end);
      break;
    case 2:
      shuffle(p, A, begin + pick(p, end - begin), end);
      break;
    case 3:
      shuffle(p, A, begin, end);
      break;
    default:
      A->col_idx[begin + pick(p, end - begin)] = A->col_idx[begin + pick(p, end - begin)];
    }
  }
}

/* Whether some row has a column twice, from its diagonal on or anywhere */
static bool repeats(const ZooMatrix *A, bool upper)
{
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i]; e < A->row_ptr[i + 1]; e++) {
      for (int q = A->row_ptr[i]; q < e; q++) {
        if (A->col_idx[q] == A->col_idx[e] && (!upper || A->col_idx[e] >= i)) return true;
      }
    }
  }
  return false;
}

static bool ascends(const ZooMatrix *A)
{
  for (int i = 0; i < A->n; i++) {
    for (int e = A->row_ptr[i] + 1; e < A->row_ptr[i + 1]; e++) {
      if (A->col_idx[e] <= A->col_idx[e - 1]) return false;
    }
  }
  return true;
}

static void judge(SptrsvFactor factor, const ZooMatrix *A, SptrsvFactorKind kind, SptrsvLocation location)
{
  void  *values = zoo_values(A, SPTRSV_DOUBLE, false, location);
  Target t;

  target_create(A, kind, NULL, NULL, SPTRSV_DOUBLE, &t);
  factor_test(factor, &t, values, SPTRSV_DOUBLE, location);
  target_destroy(&t);
  place_free(location, values);
}

/* Rows in any order are factored, but an analysis takes those that ascend */
static bool is_sorted(Pattern *p)
{
  const SptrsvFactorKind kind = any_kind(p);
  ZooMatrix              A    = p->A;
  SptrsvFactor           factor;
  SptrsvAnalysis         analysis = NULL;

  for (int i = 0; i < A.n; i++) p->in[i][i] = false;
  disarrange(p, &A);
  for (int i = 0; i < A.n; i++) {
    for (int e = A.row_ptr[i]; e < A.row_ptr[i + 1]; e++) p->in[i][i] = p->in[i][i] || A.col_idx[e] == i;
  }
  const SptrsvCsr csr     = zoo_csr(&A);
  const bool      doubled = repeats(&A, kind == SPTRSV_ICC0), sorted = ascends(&A);
  const int       row = missing_row(p);

  expect_status(make_factor(&A, kind, p->location, NULL, &factor),
                doubled    ? SPTRSV_UNSORTED
                : row >= 0 ? SPTRSV_MISSING_DIAGONAL
                           : SPTRSV_SUCCESS,
                "sptrsvFactorCreate");
  if (factor) judge(factor, &A, kind, p->location);
  expect_status(sptrsvAnalysisCreate(&csr, p->location, NULL, &analysis), sorted ? SPTRSV_SUCCESS : SPTRSV_UNSORTED,
                "sptrsvAnalysisCreate");
  expect_success(sptrsvAnalysisDestroy(&analysis));
  expect_success(sptrsvFactorDestroy(&factor));
  return sorted;
}

/* ICC takes the upper triangle, whatever the lower one is, and ILU both; entries are computed in ranks of the symmetrized pattern */
static bool is_symmetric(Pattern *p)
{
  const SptrsvFactorKind kind            = any_kind(p);
  SptrsvFactor           factor          = any_factor(p, kind);
  bool                   mirrors         = true;
  int                    rank[MOST_ROWS] = {0}, ranks = 0, said = 0, unknowns = 0;
  char                   text[256] = "";

  for (int i = 0; i < p->A.n; i++) {
    for (int k = 0; k < i; k++) {
      mirrors = mirrors && p->in[i][k] == p->in[k][i];
      if ((p->in[k][i] || (p->in[i][k] && kind == SPTRSV_ILU0)) && rank[i] <= rank[k]) rank[i] = rank[k] + 1;
    }
    ranks = rank[i] >= ranks ? rank[i] + 1 : ranks;
  }
  if (!factor) return mirrors;
  if (p->location == SPTRSV_DEVICE) expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = "entries"}));
  judge(factor, &p->A, kind, p->location);
  expect_success(sptrsvFactorDescribe(factor, text, sizeof(text)));
  if (p->location == SPTRSV_DEVICE)
    expect(sscanf(text, "entries, %d to compute in %d ranks", &unknowns, &said) == 2 && said == ranks, "%d ranks: %s", ranks, text);
  expect_success(sptrsvFactorDestroy(&factor));
  return mirrors;
}

/* A plan is taken if the pattern is for a sweep, or another algorithm will do; auto takes it where it can */
static bool suits_sweep(Pattern *p)
{
  const SptrsvFactorKind kind      = any_kind(p);
  const char *const      asked     = pick(p, 3) ? "sweep" : NULL;
  SptrsvFactor           factor    = any_factor(p, kind);
  SptrsvPlan             lower     = NULL;
  char                   text[256] = "";
  SptrsvStatus           status;
  Target                 t;
  bool                   suits;

  target_create(&p->A, kind, NULL, NULL, SPTRSV_DOUBLE, &t);
  suits = target_suits(&t, "sweep");
  target_destroy(&t);
  if (!factor || p->location == SPTRSV_HOST) {
    expect_success(sptrsvFactorDestroy(&factor));
    return suits;
  }
  expect_success(sptrsvFactorTune(factor, &(SptrsvTuning){.factor.algorithm = asked}));
  status = factor_lend(factor, pick(p, 2) ? "levelset" : "levelorder", NULL, SPTRSV_DOUBLE, &lower);
  expect_status(status, suits || !asked ? SPTRSV_SUCCESS : SPTRSV_NOT_SUPPORTED, "sptrsvFactorSetSweep");
  if (!status) {
    judge(factor, &p->A, kind, SPTRSV_DEVICE);
    expect_success(sptrsvFactorDescribe(factor, text, sizeof(text)));
    expect(!strncmp(text, suits ? "sweep" : "entries", 5), "it is \"%s\"", text);
  }
  expect_success(sptrsvFactorSetSweep(factor, NULL));
  expect_success(sptrsvPlanDestroy(&lower));
  expect_success(sptrsvFactorDestroy(&factor));
  return suits;
}

/* A pattern of equal sizes with a column or a row pointer that differs, or itself, in either memory and index type */
static bool matches(Pattern *p)
{
  SptrsvFactor         factor = any_factor(p, any_kind(p));
  const SptrsvLocation memory = pick(p, 2) ? p->location : SPTRSV_HOST;
  const int            nnz = p->A.nnz, n = p->A.n, change = pick(p, 3);
  int32_t              narrow[MOST_ROWS + 1 + MOST_ROWS * MOST_ROWS];
  int64_t              wide[MOST_ROWS + 1 + MOST_ROWS * MOST_ROWS];
  bool                 same    = true;
  int                  answer  = -1;
  const bool           is_wide = pick(p, 2);
  char                *indices;

  memcpy(narrow, p->A.row_ptr, (size_t)(n + 1) * sizeof(*narrow));
  memcpy(narrow + n + 1, p->A.col_idx, (size_t)nnz * sizeof(*narrow));
  if (change == 1 && nnz) {
    const int e = n + 1 + pick(p, nnz), j = pick(p, n);

    same      = narrow[e] == j;
    narrow[e] = j;
  } else if (change == 2 && n > 1) {
    const int i = 1 + pick(p, n - 1), e = narrow[i - 1] + pick(p, narrow[i + 1] - narrow[i - 1] + 1);

    same      = narrow[i] == e;
    narrow[i] = e;
  }
  for (int k = 0; k < n + 1 + nnz; k++) wide[k] = narrow[k];
  if (is_wide && same && memory == SPTRSV_HOST && !pick(p, 4)) { /* a number whose lower half is right */
    wide[1 + pick(p, n + nnz)] += INT64_C(1) << 32;
    same = false;
  }
  const size_t size = is_wide ? sizeof(*wide) : sizeof(*narrow);

  indices             = place_new(memory, (size_t)(n + 1 + nnz) * size, is_wide ? (void *)wide : (void *)narrow);
  const SptrsvCsr csr = {n, nnz, indices, indices + (size_t)(n + 1) * size, is_wide ? SPTRSV_INT64 : SPTRSV_INT32, memory};

  if (factor) {
    expect_success(sptrsvFactorMatches(factor, &csr, &answer));
    expect(answer == (int)same, "it is said to be %s", answer ? "the same" : "another");
  }
  place_free(memory, indices);
  expect_success(sptrsvFactorDestroy(&factor));
  return same;
}

/* Whether unknown i needs j in this sweep */
static bool needs(const Pattern *p, int sweep, int i, int j)
{
  const int row = sweep & 2 ? j : i, column = sweep & 2 ? i : j;

  return p->in[row][column] && (sweep & 1 ? column > row : column < row);
}

/* The statistics of a sweep; one that is a chain counts as a yes */
static bool is_chain(Pattern *p)
{
  const SptrsvCsr  csr   = zoo_csr(&p->A);
  const int        sweep = pick(p, 4), n = p->A.n;
  SptrsvAnalysis   analysis         = NULL;
  SptrsvStatistics s                = {0};
  const int32_t   *found            = NULL;
  int              level[MOST_ROWS] = {0}, width[MOST_ROWS] = {0}, levels = 0, widest = 0, longest = 0, nnz = 0, wrong = 0;

  for (int pass = 0; pass < n; pass++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) level[i] = needs(p, sweep, i, j) && level[i] <= level[j] ? level[j] + 1 : level[i];
    }
  }
  for (int i = 0; i < n; i++) {
    int length = 0;

    for (int j = 0; j < n; j++) length += needs(p, sweep, i, j);
    nnz += length;
    longest = length > longest ? length : longest;
    levels  = level[i] >= levels ? level[i] + 1 : levels;
    widest  = ++width[level[i]] > widest ? width[level[i]] : widest;
  }
  const SptrsvTriangle  triangle = sweep & 1 ? SPTRSV_UPPER : SPTRSV_LOWER;
  const SptrsvOperation op       = sweep & 2 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE;

  expect_success(sptrsvAnalysisCreate(&csr, p->location, NULL, &analysis));
  expect_success(sptrsvAnalysisGetStatistics(analysis, triangle, op, &s));
  expect_success(sptrsvAnalysisGetLevels(analysis, triangle, op, &found));
  for (int i = 0; i < n; i++) wrong += found[i] != level[i];
  expect(!wrong && s.levels == levels && s.widest == widest && s.longest == longest && s.nnz == nnz,
         "sweep %d: %d levels are wrong; %lld levels, widest %lld, longest %lld, %lld entries, not %d, %d, %d, %d", sweep, wrong,
         (long long)s.levels, (long long)s.widest, (long long)s.longest, (long long)s.nnz, levels, widest, longest, nnz);
  expect_success(sptrsvAnalysisDestroy(&analysis));
  return levels == n;
}

static bool has(const Pattern *p, SptrsvOperation op, int i, int j)
{
  return op == SPTRSV_TRANSPOSE ? p->in[j][i] : p->in[i][j];
}

/* Whether rows i and k of the operation are dense among themselves and have equal patterns */
static bool go_together(const Pattern *p, SptrsvOperation op, int i, int k)
{
  for (int j = 0; j < p->A.n; j++) {
    if (has(p, op, i, j) != has(p, op, k, j)) return false;
  }
  return p->in[i][i] && p->in[k][k];
}

/* Groups of rows with equal patterns, which the host finds, of both operations, with some rows like those before; any group counts as a
   yes */
static bool is_in_groups(Pattern *p)
{
  SptrsvAnalysis analysis = NULL;
  bool           some     = false;

  for (int i = 1; i < p->A.n; i++) {
    if (pick(p, 2)) memcpy(p->in[i], p->in[i - 1], sizeof(p->in[i]));
  }
  store_pattern(p);
  const SptrsvCsr csr = zoo_csr(&p->A);

  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_HOST, NULL, &analysis));
  for (int op = SPTRSV_NON_TRANSPOSE; op <= SPTRSV_TRANSPOSE; op++) {
    const SptrsvGroups *found;
    int                 rows = 0, least = 0, most = 0;

    for (int i = 0, end; i < p->A.n; i = end) {
      for (end = i + 1; end < p->A.n && end - i < SPTRSV_BLOCK_ROWS && go_together(p, (SptrsvOperation)op, i, end);) end++;
      if (end - i == 1) continue;
      rows += end - i;
      least = !least || end - i < least ? end - i : least;
      most  = end - i > most ? end - i : most;
    }
    if (expect_success(sptrsvAnalysisGroups(analysis, (SptrsvOperation)op, &found)))
      expect(found->rows == rows && found->least == least && found->most == most, "%s: %d rows in groups of %d to %d, not %d, %d, %d",
             op ? "transposed" : "as stored", found->rows, found->least, found->most, rows, least, most);
    some = some || rows;
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  return some;
}

static const Question questions[] = {{"a diagonal entry is missing", lacks_diagonal}, {"rows ascend", is_sorted},
                                     {"the pattern is symmetric", is_symmetric},      {"a sweep can factor it", suits_sweep},
                                     {"the pattern is that of before", matches},      {"a sweep is a chain, and its levels", is_chain},
                                     {"rows are in groups", is_in_groups}};

int main(int argc, char **argv)
{
  return questions_main("predicates", argc, argv, questions, sizeof(questions) / sizeof(*questions));
}
