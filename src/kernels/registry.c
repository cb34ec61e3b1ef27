/* The table of algorithms, and the plan handle that dispatches to its rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "analysis/analysis.h"
#include "option_row.h"

/* clang-format off */
static const SptrsvFamily *const families[] = {
  &sptrsvHostFamily,
#if defined(SPTRSV_HAVE_CUDA)
  &sptrsvLevelFamily, &sptrsvStripsFamily,
  #if !defined(__HIP_PLATFORM_AMD__)
  &sptrsvCusparseFamily,
  #endif
#endif
  NULL
};
/* clang-format on */

static const SptrsvMethod *row_at(int k)
{
  const SptrsvFamily *const *const lists[] = {families, sptrsvStudies};

  for (int l = 0; l < 2 && k >= 0; l++) {
    for (const SptrsvFamily *const *family = lists[l]; *family; family++) {
      for (const SptrsvMethod *const *row = (*family)->method; *row; row++) {
        if (!k--) return *row;
      }
    }
  }
  return NULL;
}

const SptrsvAlgorithm *sptrsvAlgorithmGet(int k)
{
  const SptrsvMethod *row = row_at(k);

  return row ? &row->info : NULL;
}

/* A name can have one row for each memory */
static const SptrsvMethod *find_row(const char *name, SptrsvLocation location)
{
  const SptrsvMethod *row;

  for (int k = 0; (row = row_at(k)); k++) {
    if (row->info.location == location && !strcmp(row->info.name, name)) return row;
  }
  return NULL;
}

const SptrsvAlgorithm *sptrsvAlgorithmFind(const char *name, SptrsvLocation location)
{
  const SptrsvMethod *row = name ? find_row(name, location) : NULL;

  return row ? &row->info : NULL;
}

bool sptrsvIsAuto(const char *name)
{
  return !strcmp(name, "auto");
}

/* auto is host-windows on the host, and sptrsvPlanChoose() on the device */
static const SptrsvMethod *row_of(const SptrsvPlanOptions *options)
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

/* Whether the row takes these options; error: as of sptrsvOptionSet() */
static SptrsvStatus check_row(const SptrsvMethod *row, const SptrsvPlanOptions *options, char *error, size_t size)
{
  if (options->tuning.sweep.precision != SPTRSV_PRECISION_OWN && !(row->info.traits & SPTRSV_STORES_SINGLE))
    return sptrsvRefuse(SPTRSV_NOT_SUPPORTED, error, size,
                        "%s does not store values in single precision; leave precision at double, or take auto on the GPU", row->info.name);
  return row->check ? row->check(options, error, size) : SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanOptionsCheck(const SptrsvPlanOptions *options, char *error, size_t size)
{
  const SptrsvMethod *row = options && options->algorithm ? row_of(options) : NULL;

  if (!options || (size && !error)) return SPTRSV_INVALID_ARGUMENT;
  return row ? check_row(row, options, error, size) : SPTRSV_SUCCESS;
}

/* A permutation of rows, which keeps those of a block together */
static SptrsvStatus check_permutation(SptrsvAnalysis analysis, const int32_t *perm)
{
  const int     block = sptrsvBlockRows(analysis);
  const int64_t n     = (int64_t)analysis->a.n * block;

  SPTRSV_TRY(sptrsvPermutationCheck(n, perm));
  for (int64_t i = 0; perm && block > 1 && i < n; i++) {
    if (perm[i] != perm[i - i % block] + i % block) return SPTRSV_INVALID_ARGUMENT;
  }
  return SPTRSV_SUCCESS;
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
  SPTRSV_TRY(check_permutation(analysis, options->in_perm));
  return check_permutation(analysis, options->out_perm);
}

SptrsvStatus sptrsvPlanBuild(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan)
{
  const SptrsvMethod *row = row_of(options);
  SptrsvPlan          p;
  SptrsvStatus        status;

  if (!row) return no_row(options);
  if (!(row->info.values >> options->type & 1)) return SPTRSV_NOT_SUPPORTED;
  if (analysis->block && !(row->info.traits & SPTRSV_BLOCKS)) return SPTRSV_NOT_SUPPORTED;
  SPTRSV_TRY(check_row(row, options, NULL, 0));
  SPTRSV_TRY(sptrsvNew(1, &p));
  p->method   = row;
  p->analysis = analysis;
  p->options  = *options;
  p->scatters = options->out_perm != NULL;
  status      = sptrsvAllocate(1, row->size, &p->data);
#if defined(SPTRSV_HAVE_CUDA)
  if (!status && options->location == SPTRSV_DEVICE) status = sptrsvLaunchesOverlap(&p->overlaps);
#endif
  if (!status) status = p->method->build(p);
  sptrsvMemoryFree(&p->scratch);
  p->options.algorithm = row->info.name;
  p->options.in_perm = p->options.out_perm = NULL; /* arrays and texts of the caller, valid only during build() */
  p->options.tuning.split.parameters       = NULL;
  if (status) (void)sptrsvPlanDestroy(&p);
  else *plan = p;
  return status;
}

SptrsvStatus sptrsvPlanCreate(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, SptrsvPlan *plan)
{
  SptrsvPlanOptions o;
  SptrsvPlan        p = NULL;
  SptrsvStatus      status;

  if (!options || !plan || !sptrsvIsLocation(options->location)) return SPTRSV_INVALID_ARGUMENT;
  o = *options;
  if (!o.algorithm) o.algorithm = "auto";
  if (!row_of(&o) && no_row(&o) == SPTRSV_WRONG_MEMORY) return SPTRSV_WRONG_MEMORY;
  SPTRSV_TRY(check_options(analysis, &o)); /* before sptrsvPlanBuild(), so that NO_DEVICE comes before "unknown" */
  sptrsvSetupBegin();
#if defined(SPTRSV_HAVE_CUDA)
  if (sptrsvIsAuto(o.algorithm) && o.location == SPTRSV_DEVICE) status = sptrsvPlanChoose(analysis, &o, &p);
  else
#endif
    status = sptrsvPlanBuild(analysis, &o, &p);
  if (p) p->automatic = sptrsvIsAuto(o.algorithm);
  sptrsvPlanMade(analysis, status ? NULL : &o);
  status = sptrsvSetupEnd(o.location, status);
  if (status) (void)sptrsvPlanDestroy(&p);
  else *plan = p;
  return status;
}

void sptrsvPlanEmpty(SptrsvPlan plan)
{
  plan->ready = false;
  if (plan->stalled) *plan->stalled = 0;
}

SptrsvStatus sptrsvPlanFill(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  plan->values = values;
  if (plan->method->update) SPTRSV_TRY(plan->method->update(plan, values, stream));
  plan->ready = true;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanUpdate(SptrsvPlan plan, const void *values, SptrsvStream stream)
{
  if (!plan || (!values && plan->analysis->a.nnz)) return SPTRSV_INVALID_ARGUMENT;
  sptrsvPlanEmpty(plan);
  return sptrsvPlanFill(plan, values, stream);
}

/* Several columns at once take about as long as so many one by one, or less */
enum { LEAST_TOGETHER = 3 };

/* Elements until column k */
static size_t until_column(int64_t k, int64_t ld)
{
  return (size_t)(ld < 0 ? k : k * ld);
}

static SptrsvStatus solve(SptrsvPlan plan, const SptrsvSolve *s)
{
  if (!plan) return SPTRSV_INVALID_ARGUMENT;
  if (!plan->ready) return SPTRSV_NOT_READY;
  SPTRSV_TRY(sptrsvPlanGetStatus(plan));
  if (!plan->analysis->a.n || !s->columns) return SPTRSV_SUCCESS;
  if (!s->b || !s->x || s->b == s->x) return SPTRSV_INVALID_ARGUMENT;

  for (int64_t k = 0, count; k < s->columns; k += count) {
    const size_t  size     = sptrsvValueSize(plan->options.type);
    const char   *b        = (const char *)s->b + until_column(k, s->ldb) * size;
    char         *x        = (char *)s->x + until_column(k, s->ldx) * size;
    const int64_t left     = s->columns - k;
    const bool    together = plan->together && (left >= LEAST_TOGETHER || s->ldb < 0 || s->ldx < 0);

    count = !together ? 1 : left < plan->together ? left : plan->together;
    SPTRSV_TRY((together ? plan->several->solve
                         : plan->method->solve)(plan, &(SptrsvSolve){count, b, s->ldb, x, s->ldx, s->stream, s->follows && !k}));
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSolve(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  return solve(plan, &(SptrsvSolve){1, b, 0, x, 0, stream, false});
}

SptrsvStatus sptrsvSolveNext(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  return solve(plan, &(SptrsvSolve){1, b, 0, x, 0, stream, plan && plan->overlaps});
}

SptrsvStatus sptrsvPlanPrepareMany(SptrsvPlan plan, int *columns)
{
  if (!plan || !columns) return SPTRSV_INVALID_ARGUMENT;
  if (plan->several && !plan->together && plan->analysis->a.n) {
    const int    blocks = plan->memory.blocks;
    SptrsvStatus status;

    sptrsvSetupBegin();
    status = sptrsvSetupEnd(plan->options.location, plan->several->prepare(plan));
    if (status) { /* leaves the plan as it was */
      plan->together = 0;
      sptrsvMemoryCut(&plan->memory, blocks);
      return status;
    }
  }
  *columns = plan->together ? plan->together : 1;
  return SPTRSV_SUCCESS;
}

/* Whether an array with this leading dimension has room for so many columns, by rows or each apart */
static bool holds_columns(SptrsvPlan plan, int64_t columns, int64_t ld)
{
  if (ld >= 0) return ld >= (int64_t)plan->analysis->a.n * sptrsvBlockRows(plan->analysis);
  return plan->together && ld <= -columns && ld % plan->together == 0;
}

SptrsvStatus sptrsvSolveMany(SptrsvPlan plan, int64_t columns, const void *b, int64_t ldb, void *x, int64_t ldx, SptrsvStream stream)
{
  if (columns < 0 || (plan && !(holds_columns(plan, columns, ldb) && holds_columns(plan, columns, ldx)))) return SPTRSV_INVALID_ARGUMENT;
  return solve(plan, &(SptrsvSolve){columns, b, ldb, x, ldx, stream, false});
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
  if (!plan || !text || !size) return SPTRSV_INVALID_ARGUMENT;
  (void)snprintf(text, size, "%s%s, ", plan->automatic ? "auto: " : "", plan->method->info.name);
  plan->method->describe(plan, text + strlen(text), size - strlen(text));
  if (plan->options.tuning.sweep.precision == SPTRSV_PRECISION_SINGLE) sptrsvAppend(text, size, ", values in single precision");
  if (plan->together) sptrsvAppend(text, size, ", %d columns at once", plan->together);
#if defined(SPTRSV_HAVE_CUDA)
  if (plan->automatic) sptrsvChoiceDescribe(plan, text, size);
#endif
  if (plan->note) sptrsvAppend(text, size, "; %s", plan->note);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanGetAlgorithms(SptrsvPlan plan, const SptrsvAlgorithm *algorithms[SPTRSV_PLAN_ALGORITHMS])
{
  if (!plan || !algorithms) return SPTRSV_INVALID_ARGUMENT;
  algorithms[0] = &plan->method->info;
  for (int k = 0; k < 2; k++) algorithms[k + 1] = plan->part[k] ? &plan->part[k]->method->info : NULL;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanGetMemory(SptrsvPlan plan, size_t *host, size_t *device)
{
  if (!plan || !host || !device) return SPTRSV_INVALID_ARGUMENT;
  *host   = plan->memory.bytes[SPTRSV_HOST];
  *device = plan->memory.bytes[SPTRSV_DEVICE];
  for (int k = 0; k < 2; k++) {
    if (!plan->part[k]) continue;
    *host += plan->part[k]->memory.bytes[SPTRSV_HOST];
    *device += plan->part[k]->memory.bytes[SPTRSV_DEVICE];
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
