/* Which orderings and plans are taken, of small random patterns, against definitions of a few lines. */
#include <stdlib.h>
#include <string.h>
#include "random_pattern.h"

/* Numbers of which some may be twice, too small or too large */
static void choose_numbers(Pattern *p, int32_t perm[MOST_ROWS])
{
  int32_t *sound = random_permutation(p->A.n, p->state);

  memcpy(perm, sound, (size_t)p->A.n * sizeof(*perm));
  free(sound);
  if (pick(p, 2)) perm[pick(p, p->A.n)] = pick(p, p->A.n + 2) - 1;
}

static bool permutes(const Pattern *p, const int32_t perm[MOST_ROWS])
{
  unsigned seen = 0;

  for (int i = 0; i < p->A.n; i++) {
    if (perm[i] < 0 || perm[i] >= p->A.n || seen >> perm[i] & 1) return false;
    seen |= 1U << perm[i];
  }
  return true;
}

static bool is_ordering(Pattern *p)
{
  const SptrsvCsr        csr      = zoo_csr(&p->A);
  const SptrsvFactorKind kind     = any_kind(p);
  SptrsvFactor           factor   = NULL;
  SptrsvAnalysis         analysis = NULL;
  SptrsvPlan             plan     = NULL;
  int32_t                rows[MOST_ROWS], columns[MOST_ROWS];
  bool                   good, inverse = true;
  SptrsvStatus           status;

  choose_numbers(p, rows);
  choose_numbers(p, columns);
  for (int i = 0; i < p->A.n && permutes(p, rows) && pick(p, 4); i++) columns[rows[i]] = i;
  good = permutes(p, rows) && permutes(p, columns);
  for (int i = 0; good && i < p->A.n; i++) inverse = inverse && columns[rows[i]] == i;
  status = sptrsvFactorCreate(&csr, kind, rows, columns, NULL, SPTRSV_DOUBLE, p->location, NULL, &factor);
  expect((status == SPTRSV_INVALID_ARGUMENT) == !(good && (inverse || kind == SPTRSV_ILU0)), "sptrsvFactorCreate: %s",
         sptrsvGetErrorString(status));
  expect_success(sptrsvFactorDestroy(&factor));
  expect_success(sptrsvAnalysisCreate(&csr, p->location, NULL, &analysis));
  status = sptrsvPlanCreate(analysis,
                            &(SptrsvPlanOptions){.algorithm = p->location == SPTRSV_HOST ? "host" : "levelset",
                                                 .location  = p->location,
                                                 .in_perm   = rows,
                                                 .out_perm  = columns},
                            &plan);
  expect_status(status, good ? SPTRSV_SUCCESS : SPTRSV_INVALID_ARGUMENT, "sptrsvPlanCreate");
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvAnalysisDestroy(&analysis));
  return good;
}

/* Only the plan of the factor's own lower sweep can be lent */
static bool can_be_lent(Pattern *p)
{
  SptrsvFactor      factor = any_factor(p, SPTRSV_ILU0), other = any_factor(p, SPTRSV_ILU0);
  const bool        own = pick(p, 6), right_way = pick(p, 6);
  int32_t          *perm    = random_permutation(p->A.n, 3);
  SptrsvPlanOptions options = {.algorithm = p->location == SPTRSV_HOST ? "host" : "levelset",
                               .location  = p->location,
                               .triangle  = pick(p, 6) ? SPTRSV_LOWER : SPTRSV_UPPER,
                               .op        = right_way ? SPTRSV_NON_TRANSPOSE : SPTRSV_TRANSPOSE,
                               .diagonal  = pick(p, 6) ? SPTRSV_DIAG_UNIT : SPTRSV_DIAG_INVERTED,
                               .type      = value_type(!pick(p, 6)),
                               .in_perm   = pick(p, 2) ? perm : NULL,
                               .out_perm  = pick(p, 6) ? NULL : perm};
  const bool        can     = own && right_way && options.triangle == SPTRSV_LOWER && options.diagonal == SPTRSV_DIAG_UNIT &&
                   options.type == SPTRSV_DOUBLE && !options.out_perm;
  SptrsvAnalysis analysis = NULL;
  SptrsvPlan     plan     = NULL;

  if (factor) {
    expect_success(sptrsvFactorGetAnalysis(own ? factor : other, &analysis));
    expect_success(sptrsvPlanCreate(analysis, &options, &plan));
    expect_status(sptrsvFactorSetSweep(factor, plan), can ? SPTRSV_SUCCESS : SPTRSV_INVALID_ARGUMENT, "sptrsvFactorSetSweep");
    expect_success(sptrsvFactorSetSweep(factor, NULL));
  }
  free(perm);
  expect_success(sptrsvPlanDestroy(&plan));
  expect_success(sptrsvFactorDestroy(&factor));
  expect_success(sptrsvFactorDestroy(&other));
  return can;
}

/* The plans of the host's two sweeps of an ICC join if one thread takes rows as they are, in x's own order */
static bool is_stored_once(Pattern *p)
{
  const SptrsvFactorKind kind     = pick(p, 4) ? SPTRSV_ICC0 : SPTRSV_ILU0;
  const SptrsvStorage    storage  = pick(p, 4) ? SPTRSV_STORED_ONCE : SPTRSV_STORED_TWICE;
  SptrsvFactor           factor   = NULL;
  SptrsvAnalysis         analysis = NULL;
  SptrsvPlan             plan[2]  = {NULL, NULL};
  int32_t               *perm     = random_permutation(p->A.n, 3);
  const int              odd      = pick(p, 8); /* what is not as it must be; from 5 on all is */
  bool                   once     = kind == SPTRSV_ICC0 && storage == SPTRSV_STORED_ONCE && odd > 4;

  if (missing_row(p) < 0) expect_success(make_factor(&p->A, kind, SPTRSV_HOST, NULL, &factor));
  if (factor) expect_success(sptrsvFactorGetAnalysis(factor, &analysis));
  for (int k = 0; factor && k < 2; k++) {
    char text[256] = "";

    SptrsvPlanOptions o = {.algorithm   = "host-windows",
                           .location    = SPTRSV_HOST,
                           .triangle    = k ? SPTRSV_UPPER : SPTRSV_LOWER,
                           .diagonal    = k && odd != 0 ? SPTRSV_DIAG_INVERTED : SPTRSV_DIAG_UNIT,
                           .op          = odd == 1 ? SPTRSV_TRANSPOSE : SPTRSV_NON_TRANSPOSE,
                           .in_perm     = k            ? NULL
                                          : pick(p, 2) ? perm
                                                       : NULL,
                           .out_perm    = odd == 2 + k ? perm : NULL,
                           .tuning.host = {.storage = storage, .window = k && odd == 4 ? 2 : 0}};

    expect_success(sptrsvPlanCreate(analysis, &o, &plan[k]));
    expect_success(sptrsvPlanDescribe(plan[k], text, sizeof(text)));
    expect(!strstr(text, ", stored once") == !(once && k), "%s", text);
  }
  for (int k = 0; k < 2; k++) expect_success(sptrsvPlanDestroy(&plan[k]));
  expect_success(sptrsvFactorDestroy(&factor));
  free(perm);
  return once;
}

static const Question questions[] = {{"numbers are orderings", is_ordering},
                                     {"a plan can be lent", can_be_lent},
                                     {"two sweeps are stored once", is_stored_once}};

int main(int argc, char **argv)
{
  return questions_main("plan_predicates", argc, argv, questions, sizeof(questions) / sizeof(*questions));
}
