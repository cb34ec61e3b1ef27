/* `split`: whether and where to cut.  Ahmad et al., sections 4.2.2 and 4.2.3. */
#include "split.h"

enum { WARP_SIZE = 32 }; /* the paper's ws */

SptrsvLocation sptrsvSplitLocation(SptrsvSplitPolicy policy, int k)
{
  const bool gpu =
      policy == SPTRSV_SPLIT_GPU || policy == SPTRSV_SPLIT_GPU_GPU || policy == (k ? SPTRSV_SPLIT_CPU_GPU : SPTRSV_SPLIT_GPU_CPU);

  return gpu ? SPTRSV_DEVICE : SPTRSV_HOST;
}

/* ----------------------------------------------------------- slicing ----------------------------------------------------------- */

/* 4.2.3.1: the GPU's part grows from its end of the graph while it has few serial-friendly levels, and ends with a parallel-friendly
   level.  Returns the number of its levels, or 0 if it has too few rows in parallel-friendly levels. */
static int gpu_levels(const SptrsvGraph *graph, const SptrsvSplitOptions *options, bool first)
{
  int64_t parallel_rows = 0, serial_levels = 0, serial = 0, rows = 0;
  int     levels = 0;

  for (int64_t l = 0; l < graph->levels; l++) {
    if (graph->level[l].rows >= options->parallel_rows) parallel_rows += graph->level[l].rows;
    else serial_levels++;
  }
  for (int k = 0; k < (int)graph->levels; k++) {
    const SptrsvLevel *l = &graph->level[first ? k : (int)graph->levels - 1 - k];

    if (l->rows >= options->parallel_rows) {
      rows += l->rows;
      levels = k + 1;
    } else if (100 * (double)++serial > options->gpu_serial_levels * (double)serial_levels) break; /* (a) */
  }
  return 100 * (double)rows >= options->gpu_parallel_share * (double)parallel_rows ? levels : 0; /* (b) */
}

/* Tells whether the GPU takes the first half of the levels: that with more rows in parallel-friendly levels */
static bool gpu_first(const SptrsvGraph *graph, const SptrsvSplitOptions *options)
{
  int64_t rows[2] = {0, 0};

  for (int64_t l = 0; l < graph->levels; l++) {
    if (graph->level[l].rows >= options->parallel_rows) rows[2 * l >= graph->levels] += graph->level[l].rows;
  }
  return rows[0] >= rows[1];
}

/* 4.2.3.2: the cut follows the last good level up to which few rows are in bad levels; 0: there is no such level */
static int good_levels(const SptrsvGraph *graph, const SptrsvSplitOptions *options)
{
  int64_t rows = 0, bad = 0;
  int     level = 0;

  for (int l = 0; l < (int)graph->levels; l++) {
    const bool good = graph->level[l].rows >= options->good_rows;

    rows += graph->level[l].rows;
    if (!good) bad += graph->level[l].rows;
    if (good && 100 * (double)bad <= options->bad_share * (double)rows) level = l + 1;
  }
  return level;
}

/* 4.2.3.3: a cut after level l moves a column of that level completely into the product, and a column of an earlier level except for the
   rows in between.  The chosen cut saves the most rounds of a warp over its column, at least c (i, iii), and comes after all rows of at
   least d rounds (ii). */
static int column_levels(const SptrsvGraph *graph, const SptrsvSplitOptions *options)
{
  int64_t saved = 0, most = 0;
  int     level = 0;

  for (int l = 0; l < (int)graph->levels - 1; l++) {
    saved -= graph->level[l].rows;
    if (graph->level[l].longest_column > saved) saved = graph->level[l].longest_column;
    if (saved / WARP_SIZE >= options->column_rounds && saved > most) {
      most  = saved;
      level = l + 1;
    }
    if (graph->level[l + 1].longest_row / WARP_SIZE >= options->row_rounds) most = level = 0; /* this row must come before the cut */
  }
  return level;
}

/* Returns the level by the policy's own rule; 0: the rule finds no level to cut at */
static int slice(const SptrsvGraph *graph, const SptrsvSplitOptions *options, SptrsvSplitPolicy policy)
{
  int level = 0;

  if (policy == SPTRSV_SPLIT_GPU_CPU) level = gpu_levels(graph, options, true);
  else if (policy == SPTRSV_SPLIT_CPU_GPU && (level = gpu_levels(graph, options, false))) level = (int)graph->levels - level;
  else if (policy == SPTRSV_SPLIT_CPU_CPU) level = good_levels(graph, options);
  else if (policy == SPTRSV_SPLIT_GPU_GPU) level = column_levels(graph, options);
  return level < (int)graph->levels ? level : 0;
}

/* Returns the level that completes half of the rows */
static int half_of_rows(const SptrsvGraph *graph)
{
  int64_t rows  = 0;
  int     level = 0;

  while (level < (int)graph->levels && 2 * rows < graph->rows) rows += graph->level[level++].rows;
  return level;
}

/* ---------------------------------------------------------- decision ---------------------------------------------------------- */

/* The authors' two logistic regressions: positive means yes.  The coefficients are from their published code, for a Xeon Gold 6148 and
   a V100.  In that code the first regression applies if SFL > 90 % or NL > 500. */
static bool serial_beats_cpu_split(const SptrsvGraph *graph)
{
  return 1.22003133 - 2.55600460e-2 * graph->parallelism - 1.06753910e-2 * graph->mean_row - 3.30841013e-5 * (double)graph->longest_row > 0;
}

static bool cpu_split_beats_gpu(const SptrsvGraph *graph)
{
  return -2.00493726 + 2.44439384e-2 * (double)graph->levels - 2.39147474e-7 * graph->parallelism - 3.12534312e-2 * graph->mean_row +
             9.41692274e-4 * (double)graph->longest_column >
         0;
}

/* Takes the parts' algorithms, too: on the CPU a serial sweep for a serial-friendly part, threads for the good levels of CPU-CPU */
static void take(SptrsvSplit *split, SptrsvSplitPolicy policy, int64_t level, const char *reason)
{
  split->policy = policy;
  split->level  = level;
  split->reason = reason;
  for (int k = 0; k < 2; k++) split->algorithm[k] = sptrsvSplitLocation(policy, k) == SPTRSV_DEVICE ? "levelorder" : "host";
  if (policy == SPTRSV_SPLIT_CPU_CPU) split->algorithm[0] = "host-threads";
}

static void take_unified(SptrsvSplit *split, SptrsvSplitPolicy policy, const char *cpu, const char *reason)
{
  take(split, policy, split->graph.levels, reason);
  if (policy == SPTRSV_SPLIT_CPU) split->algorithm[0] = cpu;
}

/* HTS cuts the graph if it has good levels and others; without a cut one algorithm does the whole sweep */
static void take_cpu_split(SptrsvSplit *split, const SptrsvSplitOptions *options, const char *reason)
{
  const int level = slice(&split->graph, options, SPTRSV_SPLIT_CPU_CPU);

  if (level) take(split, SPTRSV_SPLIT_CPU_CPU, level, reason);
  else take_unified(split, SPTRSV_SPLIT_CPU, "host-threads", "a CPU-CPU split finds no level to cut at");
}

static void decide(SptrsvSplit *split, const SptrsvSplitOptions *options, bool gpu)
{
  const SptrsvGraph *graph = &split->graph;
  const bool         deep  = graph->levels > options->min_levels;
  const double       sfl   = 100 - graph->parallel_levels;
  const bool         shares =
      gpu && deep && graph->rows >= options->min_rows && sfl >= options->serial_levels && graph->parallel_rows >= options->parallel_share;
  const SptrsvSplitPolicy sharing = gpu_first(graph, options) ? SPTRSV_SPLIT_GPU_CPU : SPTRSV_SPLIT_CPU_GPU;
  int                     level;

  if (shares && (level = slice(graph, options, sharing))) take(split, sharing, level, "disparate parallelism"); /* (1-a) */
  else if (deep && (sfl > 90 || graph->levels > 500)) {                                                         /* (1-b) */
    if (serial_beats_cpu_split(graph)) take_unified(split, SPTRSV_SPLIT_CPU, "host", "little parallelism");
    else take_cpu_split(split, options, "some parallelism in many levels");
  } else if (gpu && (level = slice(graph, options, SPTRSV_SPLIT_GPU_GPU)))
    take(split, SPTRSV_SPLIT_GPU_GPU, level, "long columns");                                                         /* (1-c) */
  else if (cpu_split_beats_gpu(graph)) take_cpu_split(split, options, "a CPU-CPU split is expected to beat the GPU"); /* (1-d) */
  else take_unified(split, gpu ? SPTRSV_SPLIT_GPU : SPTRSV_SPLIT_CPU, "host-threads", "parallel throughout");
}

void sptrsvSplitDecide(SptrsvSplit *split, const SptrsvSplitOptions *options, bool gpu)
{
  const SptrsvSplitPolicy policy = options->policy;
  const int64_t           levels = split->graph.levels;
  int                     level;

  if (policy == SPTRSV_SPLIT_AUTO) decide(split, options, gpu);
  else if (sptrsvSplitIsUnified(policy)) take_unified(split, policy, "host", "given");
  else if (options->level) take(split, policy, options->level < levels ? options->level : levels, "given, with the level");
  else if ((level = slice(&split->graph, options, policy))) take(split, policy, level, "given");
  else take(split, policy, half_of_rows(&split->graph), "given, cut at half of the rows");
  if (options->first) split->algorithm[0] = options->first;
  if (options->second) split->algorithm[1] = options->second;
}
