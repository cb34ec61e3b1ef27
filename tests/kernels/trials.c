/* `auto`: what it tries and chooses, what it says of that, and what it remembers. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check.h"
#include "sweep_check.h"
#include "zoo.h"

enum { TEXT = 1024 };

/* Whether the plan that took the least time of those tried is of the algorithm chosen */
static bool is_fastest(const char *text, const char *chosen)
{
  const char *plan = strstr(text, "tried: "), *best = chosen;
  double      least = HUGE_VAL;

  for (plan += strlen("tried: "); plan; plan = (plan = strstr(plan, " us, ")) ? plan + strlen(" us, ") : NULL) {
    const char *time = strstr(plan, " us");

    while (time > plan && time[-1] != ' ') time--;
    if (strtod(time, NULL) < least) {
      least = strtod(time, NULL);
      best  = plan;
    }
  }
  return !strncmp(best, chosen, strlen(chosen));
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
  if (o->location == SPTRSV_DEVICE) expect(strstr(text, "tried: ") && is_fastest(text, chosen->name), "not the fastest: \"%s\"", text);
  expect_success(sptrsvPlanDestroy(&plan));
}

/* The choice goes into the file.  One that cannot be written is no error, but is told where nothing was remembered. */
static void keep_choice(SptrsvAnalysis analysis, SptrsvPlanOptions o)
{
  char  path[64], text[TEXT], line[TEXT] = "";
  FILE *file;

  (void)snprintf(path, sizeof(path), "/tmp/syncfree-trials-%ld", (long)getpid());
  o.tuning.choice.file   = path;
  o.tuning.choice.budget = INT_MAX - 1; /* a choice of its own */
  describe_auto(analysis, &o, text);
  file = fopen(path, "r");
  if (expect(file != NULL, "%s was not written", path)) {
    expect(fgets(line, sizeof(line), file) && strstr(text, "tried: ") && strstr(line, strstr(text, "tried: ") + strlen("tried: ")),
           "the file has \"%s\" for \"%s\"", line, text);
    (void)fclose(file);
  }
  (void)remove(path);
  o.tuning.choice.file = "/no/such/folder/file";
  o.tuning.choice.budget--;
  describe_auto(analysis, &o, text);
  expect(strstr(text, "; auto_file cannot be written") != NULL, "\"%s\" says nothing of the file", text);
}

/* The plan of one triangle is the first that is tried for the other, if the pattern is symmetric */
static void test_mirrored_trial(int matrix, bool quick)
{
  SptrsvPlanOptions o = {.algorithm = "auto", .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE, .tuning.choice.budget = INT_MAX - 4};
  ZooMatrix         A;
  SptrsvCsr         csr;
  SptrsvAnalysis    analysis = NULL;
  char              lower[TEXT] = "", upper[TEXT] = "";

  zoo_create(matrix, quick, &A);
  csr = zoo_csr(&A);
  case_begin("the other triangle's choice of auto, %s", A.name);
  expect_success(sptrsvAnalysisCreate(&csr, o.location, NULL, &analysis));
  describe_auto(analysis, &o, lower);
  o.triangle = SPTRSV_UPPER;
  describe_auto(analysis, &o, upper);
  const char *const chosen = lower + strlen("auto: "), *const tried = strstr(upper, "tried: ");
  const size_t      length = strcspn(chosen, ",");

  expect(tried && !strncmp(tried + strlen("tried: "), chosen, length) && tried[strlen("tried: ") + length] == ' ', "\"%s\" after \"%s\"",
         upper, lower);
  case_end();
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
}

/* Levelset is tried where a level takes levelorder longer than a launch does: certain from 10 us on, and out of the question below 1 */
static void test_levelset_trial(int matrix, bool quick)
{
  const SptrsvPlanOptions o       = {.algorithm = "auto", .location = SPTRSV_DEVICE, .type = SPTRSV_DOUBLE,
                                     .diagonal = SPTRSV_DIAG_INVERTED, .tuning.choice.budget = INT_MAX - 3}; /* a choice of its own */
  static const char       first[] = "tried: levelorder ";
  ZooMatrix               A;
  SptrsvCsr               csr;
  SptrsvAnalysis          analysis   = NULL;
  SptrsvStatistics        statistics = {0};
  char                    text[TEXT] = "";

  zoo_create(matrix, quick, &A);
  csr = zoo_csr(&A);
  case_begin("levelset among the trials of auto, %s", A.name);
  expect_success(sptrsvAnalysisCreate(&csr, o.location, NULL, &analysis));
  expect_success(sptrsvAnalysisGetStatistics(analysis, o.triangle, o.op, &statistics));
  describe_auto(analysis, &o, text);
  const char *const time  = strstr(text, first);
  const double      level = time ? strtod(time + strlen(first), NULL) / (double)statistics.levels : NAN;

  expect(level > 0, "no time of levelorder in \"%s\"", text);
  expect(level < 10 || strstr(text, ", levelset "), "not tried: \"%s\"", text);
  expect(level > 1 || !strstr(text, ", levelset "), "tried: \"%s\"", text);
  case_end();
  expect_success(sptrsvAnalysisDestroy(&analysis));
  zoo_destroy(&A);
}

/* On the GPU it tries strips if its budget allows, in all sizes or the given one, and remembers the choice */
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
    expect(strstr(text, "tried: levelorder"), "its description is \"%s\"", text);
    o.tuning.choice.budget = INT_MAX;
    describe_auto(analysis, &o, text);
    expect(strstr(text, "strips 256 "), "with a large budget its description is \"%s\"", text);
    describe_auto(analysis, &o, again);
    expect(!strcmp(text, again), "first it was \"%s\", then \"%s\"", text, again);
    o.tuning.strips.rows = 5;
    describe_auto(analysis, &o, text);
    expect(strstr(text, "strips 5 ") && !strstr(text, "strips 256"), "for strips of 5 rows its description is \"%s\"", text);
    expect(strstr(text, "; its bytes alone "), "no time of the bytes in \"%s\"", text);
    keep_choice(analysis, o);
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

int main(int argc, char **argv)
{
  (void)test_begin("trials", argc, argv);
  test_auto(SPTRSV_HOST);
  if (sptrsvDeviceCount()) {
    test_auto(SPTRSV_DEVICE);
    test_levelset_trial(4, false); /* a chain */
    test_levelset_trial(6, true);  /* a grid */
    test_mirrored_trial(6, false);
  } else case_skip("auto on the GPU: there is no GPU");
  return test_end();
}
