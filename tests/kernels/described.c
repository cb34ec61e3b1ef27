/*
   What plans and factorizations say of themselves: counts, sizes and choices.  Solutions do not depend on most of them, so that no other
   test sees a rule that is wrong.

     described [--print]

   The lines must be those of output/described.out; --print prints them instead.  Choices for a GPU depend on its processors and, with a
   budget, on times: theirs are of the emulator, whose clock stands still.
*/
#include <stdio.h>
#include <string.h>
#include "check.h"
#include "factor_ways.h"
#include "zoo.h"

enum { LINE = 1024, THREADS = 3 };

static const char *const expected_lines = "tests/kernels/output/described.out";
static const char *const matrices[]     = {"chain",     "grid2d",      "grid3d", "dense-row", "very-long-row",
                                           "long-rows", "unsymmetric", "random", "power-law"};
static bool              prints;
static int               judged;

/* The line of the file that begins with the same name and ": " */
static bool find_line(const char *name, char line[LINE])
{
  const size_t length = strlen(name);
  FILE        *file   = fopen(expected_lines, "r");
  bool         found  = false;

  while (file && !found && fgets(line, LINE, file)) found = !strncmp(line, name, length) && !strncmp(line + length, ": ", 2);
  if (file) (void)fclose(file);
  return found;
}

static void judge(const char *name, const char *text)
{
  char line[LINE];

  if (prints) {
    printf("%s: %s\n", name, text);
    return;
  }
  judged++;
  case_begin("%s", name);
  if (expect(find_line(name, line), "%s has no such line", expected_lines)) {
    line[strcspn(line, "\n")] = 0;
    expect(!strcmp(line + strlen(name) + 2, text), "it says \"%s\", and not \"%s\"", text, line + strlen(name) + 2);
  }
  case_end();
}

/* Choices besides the default ones */
static const struct {
  const char  *algorithm, *name;
  SptrsvTuning tuning;
} variants[] = {{"auto", "", {.choice = {.budget = 0}}},
                {"auto", " of bricks", {.strips = {.order = SPTRSV_STRIPS_BRICKS}}},
                {"auto", " of 4 warps", {.strips = {.warps = 4}}},
                {"auto", " timed", {.choice = {.budget = 1 << 30}}},
                {"auto", " in single precision", {.sweep = {.precision = SPTRSV_PRECISION_SINGLE}}},
                {"strips", " depth-first", {.strips = {.order = SPTRSV_STRIPS_DEPTH_FIRST}}},
                {"strips", " in bricks", {.strips = {.order = SPTRSV_STRIPS_BRICKS}}},
                {"strips", " by list", {.strips = {.rows = 20, .schedule = SPTRSV_STRIPS_LIST}}},
                {"strips", " of 4 entries", {.strips = {.rows = 20, .entries = 4}}},
                {"ata", " by locality", {.ata = {.policy = SPTRSV_TASKS_LOCALITY}}},
                {"split", " on both", {.host = {.threads = THREADS}, .split = {"policy=cpu-gpu"}}}};

static void describe_sweep(const ZooMatrix *A, SptrsvAnalysis analysis, SptrsvLocation location, const char *algorithm, const char *variant,
                           const SptrsvTuning *tuning)
{
  for (int t = SPTRSV_LOWER; t <= SPTRSV_UPPER; t++) {
    const SptrsvPlanOptions o    = {.algorithm = algorithm,
                                    .location  = location,
                                    .triangle  = (SptrsvTriangle)t,
                                    .diagonal  = A->diagonal ? SPTRSV_DIAG_STORED : SPTRSV_DIAG_UNIT,
                                    .type      = SPTRSV_DOUBLE,
                                    .tuning    = *tuning};
    SptrsvPlan              plan = NULL;
    char                    name[LINE], text[LINE];
    const SptrsvStatus      status = sptrsvPlanCreate(analysis, &o, &plan);

    if (status) (void)snprintf(text, sizeof(text), "%s", sptrsvGetErrorString(status));
    else expect_success(sptrsvPlanDescribe(plan, text, sizeof(text)));
    (void)snprintf(name, sizeof(name), "%s, %s, %s%s on the %s", A->name, t == SPTRSV_LOWER ? "lower" : "upper", algorithm, variant,
                   location == SPTRSV_HOST ? "host" : "GPU");
    judge(name, text);
    expect_success(sptrsvPlanDestroy(&plan));
  }
}

static void describe_sweeps(const ZooMatrix *A, SptrsvLocation location)
{
  const SptrsvTuning     plain = {.host = {.threads = THREADS}};
  const SptrsvCsr        csr   = zoo_csr(A);
  const SptrsvAlgorithm *algorithm;
  SptrsvAnalysis         analysis = NULL;

  expect_success(sptrsvAnalysisCreate(&csr, location, NULL, &analysis));
  for (int k = 0; (algorithm = sptrsvAlgorithmGet(k)); k++) {
    if (algorithm->location == location) describe_sweep(A, analysis, location, algorithm->name, "", &plain);
  }
  for (size_t k = 0; location == SPTRSV_DEVICE && k < sizeof(variants) / sizeof(*variants); k++)
    describe_sweep(A, analysis, location, variants[k].algorithm, variants[k].name, &variants[k].tuning);
  expect_success(sptrsvAnalysisDestroy(&analysis));
}

static void describe_factor(const ZooMatrix *A, SptrsvFactorKind kind, const FactorWay *way)
{
  static const SptrsvPivoting    no_shift = {SPTRSV_SHIFT_NONE, 0, 1e-30, 0};
  static const SptrsvTaskOptions tasks    = {.policy = SPTRSV_TASKS_LOCALITY};
  const SptrsvCsr                csr      = zoo_csr(A);
  void *const                    values   = zoo_values(A, SPTRSV_DOUBLE, false, SPTRSV_DEVICE);
  SptrsvFactor                   factor   = NULL;
  SptrsvPlan                     lower    = NULL;
  char                           name[LINE], text[LINE];
  SptrsvStatus                   status;

  expect_success(sptrsvFactorCreate(&csr, kind, NULL, NULL, NULL, SPTRSV_DOUBLE, SPTRSV_DEVICE, NULL, &factor));
  status = factor_go(factor, way, &tasks, NULL, SPTRSV_DOUBLE, &lower);
  if (!status) status = sptrsvFactorNumeric(factor, values, &no_shift, NULL, NULL);
  if (status) (void)snprintf(text, sizeof(text), "%s", sptrsvGetErrorString(status));
  else expect_success(sptrsvFactorDescribe(factor, text, sizeof(text)));
  (void)snprintf(name, sizeof(name), "%s, %s by %s", A->name, kind == SPTRSV_ILU0 ? "ILU(0)" : "ICC(0)", way->name);
  judge(name, text);
  expect_success(sptrsvPlanDestroy(&lower));
  expect_success(sptrsvFactorDestroy(&factor));
  place_free(SPTRSV_DEVICE, values);
}

static void describe_factors(const ZooMatrix *A)
{
  static const FactorWay automatic = {"auto", NULL, "levelorder"};

  for (int kind = SPTRSV_ILU0; kind <= SPTRSV_ICC0; kind++) {
    describe_factor(A, (SptrsvFactorKind)kind, &automatic);
    for (int k = 0; k < FACTOR_WAYS; k++) describe_factor(A, (SptrsvFactorKind)kind, &factor_ways[k]);
  }
}

/* None is of what is no longer there */
static void count_lines(void)
{
  char  line[LINE];
  int   lines = 0;
  FILE *file  = fopen(expected_lines, "r");

  while (file && fgets(line, LINE, file)) lines++;
  if (file) (void)fclose(file);
  case_begin("every line of %s", expected_lines);
  expect(lines == judged, "it has %d lines, and %d things were described", lines, judged);
  case_end();
}

static bool is_described(const ZooMatrix *A)
{
  for (size_t k = 0; k < sizeof(matrices) / sizeof(*matrices); k++) {
    if (!strcmp(A->name, matrices[k])) return true;
  }
  return false;
}

int main(int argc, char **argv)
{
  const int  first    = test_begin("described", argc, argv);
  const bool emulated = test_emulated();

  prints = first < argc && !strcmp(argv[first], "--print");
  sptrsvLimitThreads(1); /* of plans that choose their number */
  for (int m = 0; m < zoo_count(); m++) {
    ZooMatrix A;

    zoo_create(m, true, &A);
    if (is_described(&A)) {
      describe_sweeps(&A, SPTRSV_HOST);
      if (emulated) describe_sweeps(&A, SPTRSV_DEVICE);
      if (emulated && A.diagonal) describe_factors(&A);
    }
    zoo_destroy(&A);
  }
  if (emulated && !prints) count_lines();
  if (!emulated) case_skip("choices for a GPU: they are compared on the emulator only");
  return prints ? 0 : test_end();
}
