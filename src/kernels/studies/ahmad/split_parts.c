/* `split`: the triangle in level order, the three matrices it is cut into (Ahmad et al., section 4.3), the plans of its parts, and other
   code shared by the methods for host and device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "split.h"

typedef struct {
  int col, source;
} Entry;

static int by_column(const void *x, const void *y)
{
  return ((const Entry *)x)->col - ((const Entry *)y)->col;
}

/* The rows of a sweep level by level */
typedef struct {
  SptrsvOrdered ordered;
  int          *row, *place; /* [n] row in each place, place of each row */
} LevelOrder;

/* Lists the entries of row r of the order in ascending columns, the diagonal last unless it is the constant 1; returns their number */
static int sort_row(const LevelOrder *order, int r, Entry *entry)
{
  const SptrsvOrdered *o      = &order->ordered;
  const int            row    = order->row[r];
  int                  length = 0;

  for (int e = o->row_ptr[row]; e < o->row_ptr[row + 1]; e++) entry[length++] = (Entry){order->place[o->col_idx[e]], o->source[e]};
  qsort(entry, (size_t)length, sizeof(*entry), by_column);
  if (o->diagonal[row] != SPTRSV_ONE) entry[length++] = (Entry){r, o->diagonal[row]};
  return length;
}

/* The piece, I, II or III, of an entry */
static int piece(int row, int col, int first)
{
  return row < first ? 0 : col < first ? 1 : 2;
}

static void count(const LevelOrder *order, SptrsvSplit *split)
{
  const SptrsvOrdered *o     = &order->ordered;
  const int            first = (int)split->rows[0];

  for (int row = 0; row < o->n; row++) {
    const int r = order->place[row];

    if (o->diagonal[row] != SPTRSV_ONE) split->nnz[piece(r, r, first)]++;
    for (int e = o->row_ptr[row]; e < o->row_ptr[row + 1]; e++) split->nnz[piece(r, order->place[o->col_idx[e]], first)]++;
  }
}

static SptrsvStatus reserve(SptrsvMemory *memory, SptrsvSplitPlan *s)
{
  const int64_t *rows = s->split.rows, *nnz = s->split.nnz;

  for (int k = 0; k < 2; k++) {
    SPTRSV_TRY(sptrsvNew(1, &s->analysis[k]));
    s->analysis[k]->a.n   = (int)rows[k];
    s->analysis[k]->a.nnz = (int)(k ? nnz[2] : nnz[0]);
    SPTRSV_TRY(sptrsvNew(rows[k] + 1, &s->analysis[k]->a.row_ptr));
    SPTRSV_TRY(sptrsvNew(s->analysis[k]->a.nnz, &s->analysis[k]->a.col_idx));
  }
  SPTRSV_TRY(sptrsvHostNew(memory, rows[1] + 1, &s->row_ptr));
  SPTRSV_TRY(sptrsvHostNew(memory, nnz[1], &s->col_idx));
  return sptrsvHostNew(memory, nnz[0] + nnz[1] + nnz[2], &s->source);
}

static void cut(const LevelOrder *order, SptrsvSplitPlan *s, Entry *entry)
{
  SptrsvPattern *const part[2]   = {&s->analysis[0]->a, &s->analysis[1]->a};
  const int            first     = part[0]->n;
  int *const           source[3] = {s->source, s->source + s->split.nnz[0], s->source + s->split.nnz[0] + s->split.nnz[1]};
  int *const           col[3]    = {part[0]->col_idx, s->col_idx, part[1]->col_idx};
  int                  nnz[3]    = {0, 0, 0};

  for (int r = 0; r < order->ordered.n; r++) {
    const int length = sort_row(order, r, entry);

    for (int k = 0; k < length; k++) {
      const int to = piece(r, entry[k].col, first);

      source[to][nnz[to]] = entry[k].source;
      col[to][nnz[to]++]  = entry[k].col - (to == 2 ? first : 0);
    }
    if (r < first) part[0]->row_ptr[r + 1] = nnz[0];
    else {
      s->row_ptr[r - first + 1]       = nnz[1];
      part[1]->row_ptr[r - first + 1] = nnz[2];
    }
  }
}

/* Cuts the triangle behind level split.level.  *row (host [rows]): those of the analysed pattern */
static SptrsvStatus slice(SptrsvPlan plan, SptrsvSplitPlan *s, int **row)
{
  const SptrsvSweep *sweep;
  LevelOrder         order;
  Entry             *entry;

  SPTRSV_TRY(sptrsvAnalysisLevels(plan->analysis, plan->options.triangle, plan->options.op, &sweep));
  SPTRSV_TRY(sptrsvOrderedCreate(plan->analysis, &plan->options, &plan->scratch, &order.ordered));
  SPTRSV_TRY(sptrsvLevelOrder(sweep, order.ordered.row, &plan->scratch, &order.row));
  SPTRSV_TRY(sptrsvHostNew(&plan->scratch, order.ordered.n, &order.place));
  SPTRSV_TRY(sptrsvHostNew(&plan->scratch, sweep->statistics.longest + 1, &entry));
  for (int k = 0; k < order.ordered.n; k++) order.place[order.row[k]] = k;
  s->split.rows[0] = sweep->level_ptr[s->split.level];
  s->split.rows[1] = order.ordered.n - s->split.rows[0];
  count(&order, &s->split);
  SPTRSV_TRY(reserve(&plan->memory, s));
  cut(&order, s, entry);
  for (int k = 0; k < order.ordered.n; k++) order.row[k] = order.ordered.row[order.row[k]];
  *row = order.row;
  for (int k = 0; k < 2; k++) SPTRSV_TRY(sptrsvPatternSplit(&s->analysis[k]->a));
  return SPTRSV_SUCCESS;
}

/* Adds the time since *start to a step of the set-up */
static void lap(double *start, double *step)
{
  const double now = sptrsvSeconds();

  *step += now - *start;
  *start = now;
}

SptrsvStatus sptrsvSplitPrepare(SptrsvPlan plan, SptrsvSplitPlan *s)
{
  const SptrsvPlanOptions *o     = &plan->options;
  const int                n     = plan->analysis->a.n;
  int                     *row   = NULL;
  double                   start = sptrsvSeconds();

  SPTRSV_TRY(sptrsvSplitOptionsRead(o->tuning.split.parameters, o->location, &s->options, NULL, 0));
  SPTRSV_TRY(sptrsvAnalysisGetGraph(plan->analysis, o->triangle, o->op, s->options.parallel_rows, &s->split.graph));
  lap(&start, &s->split.setup[0]);
  sptrsvSplitDecide(&s->split, &s->options, o->location == SPTRSV_DEVICE);
  lap(&start, &s->split.setup[1]);
  if (sptrsvSplitIsUnified(s->split.policy)) {
    s->split.rows[0] = n;
    s->split.nnz[0]  = s->split.graph.nnz;
  } else SPTRSV_TRY(slice(plan, s, &row));
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, n, &s->from));
  SPTRSV_TRY(sptrsvHostNew(&plan->memory, n, &s->to));
  for (int r = 0; r < n; r++) {
    const int i = row ? row[r] : r;

    s->from[r] = o->in_perm ? o->in_perm[i] : i;
    s->to[r]   = o->out_perm ? o->out_perm[i] : i;
  }
  lap(&start, &s->split.setup[2]);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus build_part(SptrsvPlan plan, SptrsvSplitPlan *split, int k)
{
  const SptrsvLocation location = sptrsvSplitLocation(split->split.policy, k);
  const bool           here = location == plan->options.location, one = sptrsvSplitIsUnified(split->split.policy);
  SptrsvPlanOptions    o     = plan->options;
  double               start = sptrsvSeconds();

  o.algorithm = split->split.algorithm[k];
  o.location  = location;
  o.in_perm   = here && !k ? split->from : NULL;
  o.out_perm  = here ? split->to + (k ? split->split.rows[0] : 0) : NULL;
  if (!one) {
    o.triangle = SPTRSV_LOWER;
    o.op       = SPTRSV_NON_TRANSPOSE;
    SPTRSV_TRY(sptrsvAnalysisFinish(split->analysis[k], location));
  }
  lap(&start, &split->split.setup[2]);
  SPTRSV_TRY(sptrsvPlanBuild(one ? plan->analysis : split->analysis[k], &o, &plan->part[k]));
  if (!one) { /* after the part's plan, which has made the analysis compute its levels, and for which it has cut rows */
    sptrsvPlanMade(split->analysis[k], NULL);
    for (int l = SPTRSV_HOST; l <= SPTRSV_DEVICE; l++) plan->memory.bytes[l] += split->analysis[k]->memory.bytes[l];
  }
  lap(&start, &split->split.setup[3]);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSplitBuildParts(SptrsvPlan plan, SptrsvSplitPlan *split)
{
  for (int k = 0; k < 2; k++) {
    if (!split->split.rows[k]) split->split.algorithm[k] = NULL;
    else SPTRSV_TRY(build_part(plan, split, k));
  }
  return SPTRSV_SUCCESS;
}

void sptrsvSplitDestroy(SptrsvPlan plan, SptrsvSplitPlan *split)
{
  for (int k = 0; k < 2; k++) {
    (void)sptrsvPlanDestroy(&plan->part[k]); /* before its analysis */
    (void)sptrsvAnalysisDestroy(&split->analysis[k]);
  }
}

void sptrsvSplitDescribe(SptrsvPlan plan, char *text, size_t size)
{
  static const char *const policies[] = {
      [SPTRSV_SPLIT_AUTO] = "auto",       [SPTRSV_SPLIT_CPU] = "unified on the CPU", [SPTRSV_SPLIT_GPU] = "unified on the GPU",
      [SPTRSV_SPLIT_CPU_GPU] = "CPU-GPU", [SPTRSV_SPLIT_GPU_CPU] = "GPU-CPU",        [SPTRSV_SPLIT_CPU_CPU] = "CPU-CPU",
      [SPTRSV_SPLIT_GPU_GPU] = "GPU-GPU"};
  const SptrsvSplitPlan *s = (const SptrsvSplitPlan *)plan->data;
  const SptrsvGraph     *g = &s->split.graph;

  (void)snprintf(text, size, "%s (%s)", policies[s->split.policy], s->split.reason);
  if (!sptrsvSplitIsUnified(s->split.policy))
    sptrsvAppend(text, size, ", cut behind level %lld of %lld with %.3g%% of the rows", (long long)s->split.level, (long long)g->levels,
                 g->rows ? 100 * (double)s->split.rows[0] / (double)g->rows : 0.0);
  sptrsvAppend(text, size, ", NL=%lld, AP=%.4g, PFL=%.3g%%, PFR=%.3g%%, MCL=%lld, MRL=%lld, ARL=%.3g", (long long)g->levels, g->parallelism,
               g->parallel_levels, g->parallel_rows, (long long)g->longest_column, (long long)g->longest_row, g->mean_row);
  sptrsvKeysDescribe(sptrsvSplitKeys, &s->options, text, size);
  for (int k = 0; k < 2; k++) {
    if (!plan->part[k]) continue;
    sptrsvAppend(text, size, plan->part[1] ? "; part %d: " : "; ", k + 1);
    (void)sptrsvPlanDescribe(plan->part[k], text + strlen(text), size - strlen(text));
  }
}

static bool is_split(SptrsvPlan plan)
{
  return plan && plan->method->info.traits & SPTRSV_SPLITS;
}

SptrsvStatus sptrsvPlanGetSplit(SptrsvPlan plan, SptrsvSplit *split)
{
  if (!is_split(plan) || !split) return SPTRSV_INVALID_ARGUMENT;
  *split = ((const SptrsvSplitPlan *)plan->data)->split;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvPlanSplitTransfer(SptrsvPlan plan, const void *b, void *x, SptrsvStream stream)
{
  if (!is_split(plan)) return SPTRSV_INVALID_ARGUMENT;
  if (!plan->ready) return SPTRSV_NOT_READY;
  if (!plan->analysis->a.n) return SPTRSV_SUCCESS;
  if (!b || !x) return SPTRSV_INVALID_ARGUMENT;
#if defined(SPTRSV_HAVE_CUDA)
  if (plan->options.location == SPTRSV_DEVICE) return sptrsvSplitTransferDevice(plan, b, x, stream);
#else
  (void)stream;
#endif
  return SPTRSV_SUCCESS; /* nothing to transfer on the host */
}
