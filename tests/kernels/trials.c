/* `auto`: what it tries and chooses, what it says of that, and what it remembers. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../src/kernels/solve/auto/choices.h"
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

enum { TEXT = 1024 };
static const char forecasts[] = "; forecast: ", times[] = "; timed: ";

/* The least time of the plans that were tried whose text begins with `name`: "; forecast: strips 256 bricks 3.1 us, levelorder …" */
static double least_time(const char *text, const char *name)
{
  const char *plan  = strstr(text, times) ? strstr(text, times) + strlen(times) : strstr(text, forecasts);
  double      least = HUGE_VAL;

  if (plan && !strncmp(plan, forecasts, strlen(forecasts))) plan += strlen(forecasts);
  for (; plan; plan = (plan = strstr(plan, ", ")) ? plan + strlen(", ") : NULL) {
    const char *time = strstr(plan, " us");

    if (strncmp(plan, name, strlen(name)) || !time) continue;
    while (time > plan && time[-1] != ' ') time--;
    least = fmin(least, strtod(time, NULL));
  }
  return least;
}

/* "auto" chooses an algorithm of the table and reports its name */
static void describe_auto(SptrsvAnalysis analysis, const SptrsvPlanOptions *o, char text[TEXT])
{
  const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS] = {NULL}, *chosen;
  SptrsvPlan             plan                               = NULL;

  expect_success(sptrsvPlanCreate(analysis, o, &plan));
  expect_success(sptrsvPlanGetAlgorithms(plan, algorithms));
  chosen = algorithms[0];
  if (!expect(chosen, "it chose nothing")) return;
  expect(chosen->location == o->location && strcmp(chosen->name, "auto"), "it chose %s", chosen->name);
  expect_success(sptrsvPlanDescribe(plan, text, TEXT));
  expect(!strncmp(text, "auto", 4) && strstr(text, chosen->name), "its description is \"%s\"", text);
  if (o->location == SPTRSV_DEVICE) expect(least_time(text, chosen->name) <= least_time(text, ""), "not the fastest: \"%s\"", text);
  expect_success(sptrsvPlanDestroy(&plan));
}

static void create(int matrix, bool quick, ZooMatrix *A, SptrsvAnalysis *analysis)
{
  zoo_create(matrix, quick, A);
  const SptrsvCsr csr = zoo_csr(A);

  expect_success(sptrsvAnalysisCreate(&csr, SPTRSV_DEVICE, NULL, analysis));
}

/* The plan of the lower triangle is the first that is tried for the upper one, if the pattern is symmetric, whichever is asked for first */
static void test_mirrored_trial(int matrix, SptrsvTriangle first)
{
  SptrsvPlanOptions o = {.algorithm = "auto", .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE};
  ZooMatrix         A;
  SptrsvAnalysis    analysis      = NULL;
  char              text[2][TEXT] = {"", ""};

  case_begin("the other triangle's choice of auto, %s first", first == SPTRSV_LOWER ? "lower" : "upper");
  create(matrix, false, &A, &analysis);
  o.tuning.levelorder.warps = 100 + (int)first; /* a choice of its own */
  for (int k = 0; k < 2; k++) {
    o.triangle = k ? (SptrsvTriangle)(SPTRSV_LOWER + SPTRSV_UPPER - first) : first;
    describe_auto(analysis, &o, text[o.triangle]);
  }
  const char *const chosen = text[SPTRSV_LOWER] + strlen("auto: "), *const tried = strstr(text[SPTRSV_UPPER], forecasts);
  const size_t length = strcspn(chosen, ",");

  expect(tried && !strncmp(tried + strlen(forecasts), chosen, length) && tried[strlen(forecasts) + length] == ' ', "\"%s\" after \"%s\"",
         text[SPTRSV_UPPER], text[SPTRSV_LOWER]);
  case_end();
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
}

/* Levelset is tried where launches take less time than levelorder at least does: for one level of rows and not for a chain of them */
static void test_levelset_trial(int matrix, bool expected)
{
  const SptrsvPlanOptions o = {.algorithm = "auto", .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE, .diagonal = SPTRSV_DIAG_INVERTED};
  ZooMatrix               A;
  SptrsvAnalysis          analysis   = NULL;
  char                    text[TEXT] = "";

  case_begin("levelset among the candidates of auto, %s", expected ? "expected" : "not expected");
  create(matrix, false, &A, &analysis);
  describe_auto(analysis, &o, text);
  expect((strstr(text, " levelset ") != NULL) == expected, "\"%s\"", text);
  case_end();
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
}

/* On the GPU it tries strips in all sizes or the given one, by forecasts or, with a budget, by time, and remembers the choice */
static void test_auto(SptrsvLocation location)
{
  ZooMatrix         A;
  SptrsvCsr         csr;
  SptrsvAnalysis    analysis = NULL;
  SptrsvPlanOptions o        = {.algorithm = "auto", .location = location, .type = SPTRSV_DOUBLE, .diagonal = SPTRSV_DIAG_STORED};
  char              text[TEXT], again[TEXT];

  zoo_create(6, true, &A);
  csr = zoo_csr(&A);
  case_begin("auto on the %s", location == SPTRSV_HOST ? "host" : "GPU");
  expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &analysis));
  describe_auto(analysis, &o, text);
  if (location == SPTRSV_DEVICE) {
    expect(strstr(text, forecasts) && strstr(text, "strips 256 "), "its description is \"%s\"", text);
    o.tuning.choice.budget = INT_MAX;
    describe_auto(analysis, &o, text);
    expect(strstr(text, times) && strstr(text, " us (forecast "), "with a large budget its description is \"%s\"", text);
    describe_auto(analysis, &o, again);
    expect(!strcmp(text, again), "first it was \"%s\", then \"%s\"", text, again);
    o.tuning.strips.rows = 5;
    describe_auto(analysis, &o, text);
    expect(strstr(text, "strips 5 ") && !strstr(text, "strips 256"), "for strips of 5 rows its description is \"%s\"", text);
    expect(strstr(text, "; its bytes alone "), "no time of the bytes in \"%s\"", text);
  }
  case_end();
  for (int s = 0; s < SWEEPS_OF_PATTERN; s++) {
    set_sweep(s, &o);
    o.diagonal = SPTRSV_DIAG_STORED;
    sweep_case(&A, analysis, &o);
  }
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
}

#if defined(SPTRSV_HAVE_CUDA)
/* A choice is another one if it differs in anything that makes other plans or times, and the same one in the rest */
static void test_keys(void)
{
  const SptrsvPlanOptions o         = {.algorithm = "auto", .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE};
  SptrsvPlanOptions       various[] = {o, o, o, o, o, o, o, o, o, o, o, o, o};
  enum { VARIOUS = sizeof(various) / sizeof(*various), KEYS = VARIOUS + 2 };
  uint64_t       key[KEYS], same = 0;
  ZooMatrix      A;
  SptrsvAnalysis analysis = NULL;

  various[1].type                    = SPTRSV_FLOAT;
  various[2].tuning.sweep.precision  = SPTRSV_PRECISION_SINGLE;
  various[3].triangle                = SPTRSV_UPPER;
  various[4].op                      = SPTRSV_TRANSPOSE;
  various[5].tuning.choice.budget    = 1;
  various[6].tuning.levelorder.warps = 1;
  various[7].tuning.levelorder.lanes = 1;
  various[8].tuning.strips.rows      = 1;
  various[9].tuning.strips.warps     = 1;
  various[10].tuning.strips.order    = SPTRSV_STRIPS_BRICKS;
  various[11].tuning.strips.schedule = SPTRSV_STRIPS_LIST;
  various[12].tuning.strips.entries  = 4;
  case_begin("keys of choices of auto");
  create(6, true, &A, &analysis);
  for (int k = 0; k < VARIOUS; k++) expect_success(sptrsvChoiceKey(analysis, &various[k], false, &key[k]));
  expect_success(sptrsvChoiceKey(analysis, &o, true, &key[VARIOUS]));
  various[0].tuning.host.threads = 1;
  various[0].diagonal            = SPTRSV_DIAG_INVERTED;
  expect_success(sptrsvChoiceKey(analysis, &various[0], false, &same));
  expect(same == key[0], "the same choice has another key");
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
  create(7, true, &A, &analysis);
  expect_success(sptrsvChoiceKey(analysis, &o, false, &key[VARIOUS + 1]));
  for (int k = 0; k < KEYS; k++) {
    for (int l = 0; l < k; l++) expect(key[k] != key[l], "choices %d and %d have the same key", l, k);
  }
  case_end();
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
}
#endif

int main(int argc, char **argv)
{
  (void)test_begin("trials", argc, argv);
  test_auto(SPTRSV_HOST);
  if (sptrsvDeviceCount()) {
    test_auto(SPTRSV_DEVICE);
    test_levelset_trial(3, true);  /* a diagonal */
    test_levelset_trial(4, false); /* a chain */
    test_mirrored_trial(6, SPTRSV_LOWER);
    test_mirrored_trial(6, SPTRSV_UPPER);
#if defined(SPTRSV_HAVE_CUDA)
    test_keys();
#endif
  } else case_skip("auto on the GPU: there is no GPU");
  return test_end();
}
