/* random_pattern.c - Small random patterns, and the questions that the library has to answer about them. */
#include "random_pattern.h"
#include <stdlib.h>

enum { PATTERNS = 400 };

int pick(Pattern *p, int n)
{
  return (int)(n * random_unit(&p->state));
}

static bool chance(Pattern *p, double share)
{
  return random_unit(&p->state) < share;
}

/* Few entries or many; with their mirror images, without, or with all but one; on all of the diagonal, or on most */
static void choose_entries(Pattern *p)
{
  const int    n         = p->A.n;
  const bool   symmetric = chance(p, 0.6);
  const double density = (chance(p, 0.6) ? 1.1 : 4) / n, holes = chance(p, 0.2) ? 0.1 : 0;

  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) p->in[i][j] = i == j ? !chance(p, holes) : symmetric && j < i ? p->in[j][i] : chance(p, density);
  }
  for (int changes = pick(p, 3); changes > 0; changes--) {
    const int i = pick(p, n), j = pick(p, n);

    if (i != j) p->in[i][j] = !p->in[i][j];
  }
}

void store_pattern(Pattern *p)
{
  p->A.nnz = 0;
  for (int i = 0; i < p->A.n; i++) {
    p->A.row_ptr[i] = p->A.nnz;
    for (int j = 0; j < p->A.n; j++) {
      if (p->in[i][j]) p->A.col_idx[p->A.nnz++] = j;
    }
  }
  p->A.row_ptr[p->A.n] = p->A.nnz;
  zoo_randomize(&p->A, 5);
}

static void create(int k, SptrsvLocation location, Pattern *p)
{
  *p           = (Pattern){.state = (uint64_t)k + 1, .location = location};
  p->A         = (ZooMatrix){.name = "random", .n = 1 + pick(p, MOST_ROWS)};
  p->A.row_ptr = place_new(SPTRSV_HOST, (MOST_ROWS + 1) * sizeof(int32_t), NULL);
  p->A.col_idx = place_new(SPTRSV_HOST, (size_t)MOST_ROWS * MOST_ROWS * sizeof(int32_t), NULL);
  p->A.values  = place_new(SPTRSV_HOST, (size_t)MOST_ROWS * MOST_ROWS * sizeof(double), NULL);
  choose_entries(p);
  store_pattern(p);
}

int missing_row(const Pattern *p)
{
  for (int i = 0; i < p->A.n; i++) {
    if (!p->in[i][i]) return i;
  }
  return -1;
}

SptrsvStatus make_factor(const ZooMatrix *A, SptrsvFactorKind kind, SptrsvLocation location, int64_t *missing, SptrsvFactor *factor)
{
  const SptrsvCsr csr = zoo_csr(A);

  *factor = NULL;
  return sptrsvFactorCreate(&csr, kind, NULL, NULL, NULL, SPTRSV_DOUBLE, location, missing, factor);
}

SptrsvFactorKind any_kind(Pattern *p)
{
  return pick(p, 2) ? SPTRSV_ICC0 : SPTRSV_ILU0;
}

SptrsvFactor any_factor(Pattern *p, SptrsvFactorKind kind)
{
  SptrsvFactor factor;

  if (missing_row(p) < 0) expect_success(make_factor(&p->A, kind, p->location, NULL, &factor));
  else expect_status(make_factor(&p->A, kind, p->location, NULL, &factor), SPTRSV_MISSING_DIAGONAL, "sptrsvFactorCreate");
  return factor;
}

static void test_question(const Question *question, SptrsvLocation location)
{
  const int patterns = location == SPTRSV_HOST || test_emulated() ? PATTERNS : PATTERNS / 4; /* a set-up on a GPU takes milliseconds */
  int       yes      = 0;

  case_begin("whether %s, on the %s", question->what, location == SPTRSV_HOST ? "host" : "GPU");
  for (int k = 0; k < patterns; k++) {
    Pattern p;

    create(k, location, &p);
    yes += question->ask(&p);
    zoo_destroy(&p.A);
  }
  expect(yes > patterns / 20 && yes < patterns - patterns / 20, "the answer is yes in %d of %d cases", yes, patterns);
  case_end();
}

int questions_main(const char *program, int argc, char **argv, const Question *questions, size_t count)
{
  (void)test_begin(program, argc, argv);
  for (size_t q = 0; q < count; q++) {
    test_question(&questions[q], SPTRSV_HOST);
    if (sptrsvDeviceCount()) test_question(&questions[q], SPTRSV_DEVICE);
  }
  if (!sptrsvDeviceCount()) case_skip("questions to the GPU: there is no GPU");
  return test_end();
}
