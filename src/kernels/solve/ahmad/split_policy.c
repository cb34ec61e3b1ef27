/* `split`: whether and where to cut.  Ahmad et al., sections 4.2.2 and 4.2.3. */
#include "split.h"

enum { WARP_SIZE = 32 }; /* the paper's ws */

SptrsvLocation sptrsvSplitLocation(SptrsvSplitPolicy policy, int k)
{
  const bool gpu =
      policy == SPTRSV_SPLIT_GPU || policy == SPTRSV_SPLIT_GPU_GPU || policy == (k ? SPTRSV_SPLIT_CPU_GPU : SPTRSV_SPLIT_GPU_CPU);

  return gpu ? SPTRSV_DEVICE : SPTRSV_HOST;
}

SptrsvStatus sptrsvSplitOptionsCheck(const SptrsvSplitOptions *o, SptrsvLocation location)
{
  const char *const names[] = {o->first, o->second};

  if (o->level && (o->policy == SPTRSV_SPLIT_AUTO || sptrsvSplitIsUnified(o->policy))) return SPTRSV_INVALID_ARGUMENT;
  if (location == SPTRSV_HOST && o->policy && o->policy != SPTRSV_SPLIT_CPU && o->policy != SPTRSV_SPLIT_CPU_CPU)
    return SPTRSV_INVALID_ARGUMENT;
  for (int k = 0; k < 2; k++) {
    const SptrsvAlgorithm *algorithm = sptrsvAlgorithmFind(names[k], SPTRSV_HOST); /* split has a row for both memories */

    if (algorithm && algorithm->traits & SPTRSV_SPLITS) return SPTRSV_INVALID_ARGUMENT;
  }
  return SPTRSV_SUCCESS;
}

/* ----------------------------------------------------------- slicing ----------------------------------------------------------- */

/* 4.2.3.1: the GPU's part grows from its end of the graph while it has few serial-friendly levels, and ends with a parallel-friendly
   level.  Returns the number of its levels, or 0 if it has too few rows in parallel-friendly levels. */
static int gpu_levels(const SptrsvGraph *g, const SptrsvSplitOptions *o, bool first)
{
  int64_t parallel_rows = 0, serial_levels = 0, serial = 0, rows = 0;
  int     levels = 0;

  for (int64_t l = 0; l < g->levels; l++) {
    if (g->level[l].rows >= o->parallel_rows) parallel_rows += g->level[l].rows;
    else serial_levels++;
  }
  for (int k = 0; k < (int)g->levels; k++) {
    const SptrsvLevel *l = &g->level[first ? k : (int)g->levels - 1 - k];

    if (l->rows >= o->parallel_rows) {
      rows += l->rows;
      levels = k + 1;
    } else if (100 * (double)++serial > o->gpu_serial_levels * (double)serial_levels) break; /* (a) */
  }
  return 100 * (double)rows >= o->gpu_parallel_share * (double)parallel_rows ? levels : 0; /* (b) */
}

/* The GPU takes the half of the levels with more rows in parallel-friendly levels */
static bool gpu_first(const SptrsvGraph *g, const SptrsvSplitOptions *o)
{
  int64_t rows[2] = {0, 0};

  for (int64_t l = 0; l < g->levels; l++) {
    if (g->level[l].rows >= o->parallel_rows) rows[2 * l >= g->levels] += g->level[l].rows;
  }
  return rows[0] >= rows[1];
}

/* 4.2.3.2: the cut follows the last good level up to which few rows are in bad levels; 0: there is no such level */
static int good_levels(const SptrsvGraph *g, const SptrsvSplitOptions *o)
{
  int64_t rows = 0, bad = 0;
  int     level = 0;

  for (int l = 0; l < (int)g->levels; l++) {
    const bool good = g->level[l].rows >= o->good_rows;

    rows += g->level[l].rows;
    if (!good) bad += g->level[l].rows;
    if (good && 100 * (double)bad <= o->bad_share * (double)rows) level = l + 1;
  }
  return level;
}

/* 4.2.3.3: a cut after level l moves a column of that level completely into the product, and a column of an earlier level except for the
   rows in between.  The chosen cut saves the most rounds of a warp over its column, at least c (i, iii), and comes after all rows of at
   least d rounds (ii). */
static int column_levels(const SptrsvGraph *g, const SptrsvSplitOptions *o)
{
  int64_t saved = 0, most = 0;
  int     level = 0;

  for (int l = 0; l < (int)g->levels - 1; l++) {
    saved -= g->level[l].rows;
    if (g->level[l].longest_column > saved) saved = g->level[l].longest_column;
    if (saved / WARP_SIZE >= o->column_rounds && saved > most) {
      most  = saved;
      level = l + 1;
    }
    if (g->level[l + 1].longest_row / WARP_SIZE >= o->row_rounds) most = level = 0; /* this row must come before the cut */
  }
  return level;
}

/* The policy's own rule; 0: the rule finds no level to cut at */
static int slice(const SptrsvGraph *g, const SptrsvSplitOptions *o, SptrsvSplitPolicy policy)
{
  int level = 0;

  if (policy == SPTRSV_SPLIT_GPU_CPU) level = gpu_levels(g, o, true);
  else if (policy == SPTRSV_SPLIT_CPU_GPU && (level = gpu_levels(g, o, false))) level = (int)g->levels - level;
  else if (policy == SPTRSV_SPLIT_CPU_CPU) level = good_levels(g, o);
  else if (policy == SPTRSV_SPLIT_GPU_GPU) level = column_levels(g, o);
  return level < (int)g->levels ? level : 0;
}

/* The cut follows the level that completes half of the rows */
static int half_of_rows(const SptrsvGraph *g)
{
  int64_t rows  = 0;
  int     level = 0;

  while (level < (int)g->levels && 2 * rows < g->rows) rows += g->level[level++].rows;
  return level;
}

/* ---------------------------------------------------------- decision ---------------------------------------------------------- */

/* The authors' two logistic regressions: positive means yes.  The coefficients are from their published code, for a Xeon Gold 6148 and
   a V100.  In that code the first regression applies if SFL > 90 % or NL > 500. */
static bool serial_beats_cpu_split(const SptrsvGraph *g)
{
  return 1.22003133 - 2.55600460e-2 * g->parallelism - 1.06753910e-2 * g->mean_row - 3.30841013e-5 * (double)g->longest_row > 0;
}

static bool cpu_split_beats_gpu(const SptrsvGraph *g)
{
  return -2.00493726 + 2.44439384e-2 * (double)g->levels - 2.39147474e-7 * g->parallelism - 3.12534312e-2 * g->mean_row +
             9.41692274e-4 * (double)g->longest_column >
         0;
}

/* Adds the parts' algorithms: on the CPU a serial sweep for a serial-friendly part, threads for the good levels of CPU-CPU */
static SptrsvSplitDecision decision(SptrsvSplitPolicy policy, int level, const char *reason)
{
  SptrsvSplitDecision d = {policy, level, reason, {NULL, NULL}};

  for (int k = 0; k < 2; k++) d.algorithm[k] = sptrsvSplitLocation(policy, k) == SPTRSV_DEVICE ? "levelorder" : "host";
  if (policy == SPTRSV_SPLIT_CPU_CPU) d.algorithm[0] = "host-threads";
  return d;
}

static SptrsvSplitDecision unified(const SptrsvGraph *g, SptrsvSplitPolicy policy, const char *cpu, const char *reason)
{
  SptrsvSplitDecision d = decision(policy, (int)g->levels, reason);

  if (policy == SPTRSV_SPLIT_CPU) d.algorithm[0] = cpu;
  return d;
}

/* HTS cuts the graph if it has good levels and others; without a cut one algorithm does the whole sweep */
static SptrsvSplitDecision cpu_split(const SptrsvGraph *g, const SptrsvSplitOptions *o, const char *reason)
{
  const int level = slice(g, o, SPTRSV_SPLIT_CPU_CPU);

  return level ? decision(SPTRSV_SPLIT_CPU_CPU, level, reason)
               : unified(g, SPTRSV_SPLIT_CPU, "host-threads", "a CPU-CPU split finds no level to cut at");
}

static SptrsvSplitDecision automatic(const SptrsvGraph *g, const SptrsvSplitOptions *o, bool gpu)
{
  const bool   deep = g->levels > o->min_levels;
  const double sfl  = 100 - g->parallel_levels;
  int          level;

  if (gpu && deep && g->rows >= o->min_rows && sfl >= o->serial_levels && g->parallel_rows >= o->parallel_share) { /* (1-a) */
    const SptrsvSplitPolicy policy = gpu_first(g, o) ? SPTRSV_SPLIT_GPU_CPU : SPTRSV_SPLIT_CPU_GPU;

    level = slice(g, o, policy);
    if (level) return decision(policy, level, "disparate parallelism");
  }
  if (deep && (sfl > 90 || g->levels > 500)) { /* (1-b) */
    if (serial_beats_cpu_split(g)) return unified(g, SPTRSV_SPLIT_CPU, "host", "little parallelism");
    return cpu_split(g, o, "some parallelism in many levels");
  }
  if (gpu && (level = slice(g, o, SPTRSV_SPLIT_GPU_GPU))) return decision(SPTRSV_SPLIT_GPU_GPU, level, "long columns"); /* (1-c) */
  if (cpu_split_beats_gpu(g)) return cpu_split(g, o, "a CPU-CPU split is expected to beat the GPU");                    /* (1-d) */
  return unified(g, gpu ? SPTRSV_SPLIT_GPU : SPTRSV_SPLIT_CPU, "host-threads", "parallel throughout");
}

SptrsvSplitDecision sptrsvSplitDecide(const SptrsvGraph *g, const SptrsvSplitOptions *o, bool gpu)
{
  const int levels = (int)g->levels;
  int       level;

  if (o->policy == SPTRSV_SPLIT_AUTO) return automatic(g, o, gpu);
  if (sptrsvSplitIsUnified(o->policy)) return unified(g, o->policy, "host", "given");
  if (o->level) return decision(o->policy, o->level < levels ? o->level : levels, "given, with the level");
  level = slice(g, o, o->policy);
  return level ? decision(o->policy, level, "given") : decision(o->policy, half_of_rows(g), "given, cut at half of the rows");
}
