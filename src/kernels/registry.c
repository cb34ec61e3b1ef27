/* The table of algorithms, and the plan handle that dispatches to its rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/cut.h"

/* clang-format off */
typedef struct {
  SptrsvAlgorithm     info;
  const SptrsvMethod *method;
} Row;

static const Row table[] = {
  {{"host", "textbook; CSparse's cs_lsolve and kin", "serial sweep on the CPU, the reference of all tests", SPTRSV_HOST, 0}, &sptrsvHost},
  {{"host-windows", "this project",
    "windows of rows, level by level in each, on one thread or several", SPTRSV_HOST, 0}, &sptrsvHostWindows},
  {{"host-threads", "level scheduling (Anderson and Saad)",
    "levels on the CPU's threads, small ones together on one", SPTRSV_HOST, 0}, &sptrsvHostThreads},
  {{"split", "Ahmad, Yilmaz, Unat: A Split Execution Model for SpTRSV",
    "the first levels by one algorithm, the others by another, on the CPU", SPTRSV_HOST, SPTRSV_SPLITS | SPTRSV_STUDY},
   &sptrsvSplitHost},
#if defined(SPTRSV_HAVE_CUDA)
  {{"levelorder", "this project",
    "rows in level order, few resident warps, values as their own flags", SPTRSV_DEVICE, 0}, &sptrsvLevelOrder},
  {{"levelset", "level scheduling (Anderson and Saad)",
    "a launch for each level, rows packed as in levelorder", SPTRSV_DEVICE, 0}, &sptrsvLevelSet},
  {{"strips", "this project",
    "strips of a topological order, each by a team with its values in shared memory", SPTRSV_DEVICE, 0}, &sptrsvStrips},
  {{"capellini", "Zhang et al. (YuenyeungSpTRSV), Algorithm 5", "a thread per row, writing first", SPTRSV_DEVICE, SPTRSV_STUDY},
   &sptrsvCapellini},
  {{"twophase", "Zhang et al. (YuenyeungSpTRSV), Algorithm 4",
    "a thread per row, waits on other warps first, then rounds inside the warp", SPTRSV_DEVICE, SPTRSV_STUDY}, &sptrsvTwoPhase},
  {{"yuenyeung", "Zhang et al. (YuenyeungSpTRSV), Algorithms 3, 5 and 6",
    "thread or warp per row, by groups of 32 rows and a threshold", SPTRSV_DEVICE, SPTRSV_STUDY}, &sptrsvYuenyeung},
#if !defined(__HIP_PLATFORM_AMD__)
  {{"cusparse", "NVIDIA cuSPARSE, SpSV", "the baseline", SPTRSV_DEVICE, SPTRSV_VARIES}, &sptrsvCusparse},
#endif
  {{"levr", "Li, Algorithm 1", "a launch per level, a warp per row", SPTRSV_DEVICE, SPTRSV_STUDY}, &sptrsvLevr},
  {{"levc", "Li, Algorithm 2", "a launch per level, a warp per column, atomics", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY}, &sptrsvLevc},
  {{"slfr", "Li, Algorithm 3", "a warp per row in level order, counts of what is missing", SPTRSV_DEVICE, SPTRSV_STUDY}, &sptrsvSlfr},
  {{"slfc", "Li, Algorithm 4",
    "a warp per column in level order, counts of what is missing, atomics", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY}, &sptrsvSlfc},
  {{"syncfree-csc", "Liu et al., Algorithm 2",
    "a warp per column in row order, sums of the own block in shared memory", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY},
   &sptrsvSyncFreeCsc},
  {{"syncfree-csr", "Zhang et al. (YuenyeungSpTRSV), Algorithm 3", "a warp per row", SPTRSV_DEVICE, SPTRSV_STUDY}, &sptrsvSyncFreeCsr},
  {{"ata", "Helal et al. (ATA), Algorithms 2 (pull), 3 and 4",
    "rows put together into tasks, which wait for tasks", SPTRSV_DEVICE, SPTRSV_STUDY}, &sptrsvAta},
  {{"ata-push", "Helal et al. (ATA), Algorithms 2 (push), 3 and 4",
    "the same column by column, with counters and atomic sums", SPTRSV_DEVICE, SPTRSV_VARIES | SPTRSV_STUDY}, &sptrsvAtaPush},
  {{"split", "Ahmad, Yilmaz, Unat: A Split Execution Model for SpTRSV",
    "the first levels by one algorithm, the others by another, on GPU and CPU", SPTRSV_DEVICE, SPTRSV_SPLITS | SPTRSV_STUDY},
   &sptrsvSplitDevice},
#endif
};
/* clang-format on */
static const int row_count = (int)(sizeof(table) / sizeof(table[0]));

const SptrsvAlgorithm *sptrsvAlgorithmGet(int k)
{
  return k >= 0 && k < row_count ? &table[k].info : NULL;
}

/* A name can have one row for each memory */
static const Row *find_row(const char *name, SptrsvLocation location)
{
  for (int k = 0; k < row_count; k++) {
    if (table[k].info.location == location && !strcmp(table[k].info.name, name)) return &table[k];
  }
  return NULL;
}

const SptrsvAlgorithm *sptrsvAlgorithmFind(const char *name, SptrsvLocation location)
{
  const Row *row = name ? find_row(name, location) : NULL;

  return row ? &row->info : NULL;
}

bool sptrsvIsAuto(const char *name)
{
  return !strcmp(name, "auto");
}

/* auto is host-windows on the host, and sptrsvPlanChoose() on the device */
static const Row *row_of(const SptrsvPlanOptions *options)
{
  const bool fast = sptrsvIsAuto(options->algorithm) && options->location == SPTRSV_HOST;

  return find_row(fast ? "host-windows" : options->algorithm, options->location);
}

/* Why row_of() is NULL */
static SptrsvStatus no_row(const SptrsvPlanOptions *options)
{
  const SptrsvLocation other = options->location == SPTRSV_HOST ? SPTRSV_DEVICE : SPTRSV_HOST;

  return find_row(options->algorithm, other) ? SPTRSV_WRONG_MEMORY : SPTRSV_UNKNOWN_NAME;
}

static SptrsvStatus check_options(SptrsvAnalysis analysis, const SptrsvPlanOptions *options)
{
  if (!analysis) return SPTRSV_INVALID_ARGUMENT;
  if (!sptrsvIsSweep(options->triangle, options->op)) return SPTRSV_INVALID_ARGUMENT;
  if ((unsigned)options->diagonal > SPTRSV_DIAG_INVERTED || !sptrsvIsValueType(options->type)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(sptrsvTuningCheck(&options->tuning));
  if (options->location == SPTRSV_DEVICE && !sptrsvDeviceCount()) return SPTRSV_NO_DEVICE;
  if (options->location == SPTRSV_DEVICE && analysis->location != SPTRSV_DEVICE) return SPTRSV_WRONG_MEMORY;
  if (options->diagonal != SPTRSV_DIAG_UNIT && analysis->missing >= 0) return SPTRSV_MISSING_DIAGONAL;
  SPTRSV_TRY(sptrsvPermutationCheck(analysis->a.n, options->in_perm));
  return sptrsvPermutationCheck(analysis->a.n, options->out_perm);
}

SptrsvStatus sptrsvPlanBuild(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan)
{
  const Row   *row = row_of(options);
  SptrsvPlan   p;
  SptrsvStatus status;

  if (!row) return no_row(options);
  SPTRSV_TRY(sptrsvNew(1, &p));
  p->algorithm         = &row->info;
  p->method            = row->method;
  p->analysis          = analysis;
  p->options           = *options;
  p->scatters          = options->out_perm != NULL;
  status               = SPTRSV_SUCCESS;
#if defined(SPTRSV_HAVE_CUDA)
  if (options->location == SPTRSV_DEVICE) status = sptrsvLaunchesOverlap(&p->overlaps);
#endif
  if (!status) status = p->method->build(p);
  p->options.algorithm = p->algorithm->name;
  p->options.in_perm = p->options.out_perm = NULL; /* arrays and texts of the caller, valid only during build() */
  p->options.tuning.choice.file = p->options.tuning.split.parameters = NULL;
  if (status) (void)sptrsvPlanDestroy(&p);
  else *plan = p;
  return status;
}

/* sptrsvPlanCreate() of an algorithm with a name */
static SptrsvStatus create_plan(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan)
{
#if defined(SPTRSV_HAVE_CUDA)
  if (sptrsvIsAuto(options->algorithm) && options->location == SPTRSV_DEVICE) return sptrsvPlanChoose(analysis, options, plan);
#endif
  SPTRSV_TRY(sptrsvPlanBuild(analysis, options, plan));
  (*plan)->automatic = sptrsvIsAuto(options->algorithm);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan)
{
  SptrsvPlanOptions o;
  SptrsvStatus      status;

  if (!options || !plan || !sptrsvIsLocation(options->location)) return SPTRSV_INVALID_ARGUMENT;
  o = *options;
  if (!o.algorithm) o.algorithm = "auto";
  if (!row_of(&o) && no_row(&o) == SPTRSV_WRONG_MEMORY) return SPTRSV_WRONG_MEMORY;
  SPTRSV_TRY(check_options(analysis, &o)); /* before sptrsvPlanBuild(), so that NO_DEVICE comes before "unknown" */
  sptrsvSetupBegin();
  status = create_plan(analysis, &o, plan);
  sptrsvCutFree(&analysis->cut);
  return sptrsvSetupEnd(status);
}

SptrsvStatus sptrsvPlanUpdate(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  if (!plan || (!values && plan->analysis->a.nnz)) return SPTRSV_INVALID_ARGUMENT;
  plan->ready = false;
  if (plan->stalled) *plan->stalled = 0;
  SPTRSV_TRY(plan->method->update(plan, values, stream));
  plan->ready = true;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSolve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  if (!plan->ready) return SPTRSV_NOT_READY;
  SPTRSV_TRY(sptrsvPlanGetStatus(plan));
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  if (!b || !x || b == x) return SPTRSV_INVALID_ARGUMENT;
  return plan->method->solve(plan, b, x, stream);
}

SptrsvStatus sptrsvSolveNext(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  SptrsvStatus status;

  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  plan->follows = plan->overlaps;
  status        = sptrsvSolve(plan, b, x, stream);
  plan->follows = false;
  return status;
}

static bool is_stalled(SptrsvPlan plan)
{
  return plan && plan->stalled && *plan->stalled;
}

SptrsvStatus sptrsvPlanGetStatus(SptrsvPlan plan) /* no recursion: a part has no parts of its own */
{
  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  return is_stalled(plan) || is_stalled(plan->part[0]) || is_stalled(plan->part[1]) ? SPTRSV_STALLED : SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanDescribe(SptrsvPlan plan, char *text, size_t size)
{
  int head;

  if (!plan || !text || !size) return SPTRSV_INVALID_ARGUMENT;
  head = snprintf(text, size, "%s%s, ", plan->automatic ? "auto: " : "", plan->algorithm->name);
  if (head > 0 && (size_t)head < size) plan->method->describe(plan, text + head, size - (size_t)head);
  head = (int)strlen(text);
  (void)snprintf(text + head, size - (size_t)head, "%s%s%s%s", *plan->tried ? "; tried: " : "", plan->tried, plan->note ? "; " : "",
                 plan->note ? plan->note : "");
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanGetAlgorithms(SptrsvPlan plan, const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS])
{
  if (!plan || !algorithms) return SPTRSV_INVALID_ARGUMENT;
  algorithms[0] = plan->algorithm;
  for (int k = 0; k < 2; k++) algorithms[k + 1] = plan->part[k] ? plan->part[k]->algorithm : NULL;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanGetMemory(SptrsvPlan plan, size_t *host, size_t *device)
{
  if (!plan || !host || !device) return SPTRSV_INVALID_ARGUMENT;
  *host   = plan->host_bytes;
  *device = plan->memory.bytes;
  for (int k = 0; k < 2; k++) {
    if (!plan->part[k]) continue;
    *host += plan->part[k]->host_bytes;
    *device += plan->part[k]->memory.bytes;
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanDestroy(SptrsvPlan *plan)
{
  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  if (*plan) {
    if ((*plan)->data && (*plan)->method->destroy) (*plan)->method->destroy(*plan);
    sptrsvMemoryFree(&(*plan)->memory);
    free((*plan)->data);
    free(*plan);
  }
  *plan = NULL;
  return SPTRSV_SUCCESS;
}
