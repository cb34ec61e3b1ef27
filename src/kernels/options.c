/* The table of options: one row for each member of SptrsvTuning.  The PETSc layer, the benchmark and doc/options.md use it too. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "impl.h"
#include "solve/ahmad/split.h"

static const char *const strips_orders[]  = {[SPTRSV_STRIPS_AUTO]        = "auto",
                                             [SPTRSV_STRIPS_NATURAL]     = "natural",
                                             [SPTRSV_STRIPS_DEPTH_FIRST] = "depth-first",
                                             [SPTRSV_STRIPS_BRICKS]      = "bricks",
                                             NULL};
static const char *const host_storage[]   = {
    [SPTRSV_STORED_MEASURED] = "measured", [SPTRSV_STORED_ONCE] = "once", [SPTRSV_STORED_TWICE] = "twice", NULL};
static const char *const task_policies[]  = {[SPTRSV_TASKS_CONCURRENCY] = "ca", [SPTRSV_TASKS_LOCALITY] = "la", NULL};
static const char *const split_policies[] = {[SPTRSV_SPLIT_AUTO] = "auto",       [SPTRSV_SPLIT_CPU] = "cpu",
                                             [SPTRSV_SPLIT_GPU] = "gpu",         [SPTRSV_SPLIT_CPU_GPU] = "cpu-gpu",
                                             [SPTRSV_SPLIT_GPU_CPU] = "gpu-cpu", [SPTRSV_SPLIT_CPU_CPU] = "cpu-cpu",
                                             [SPTRSV_SPLIT_GPU_GPU] = "gpu-gpu", NULL};

#define MEMBER(member) .offset = offsetof(SptrsvTuning, member), .size = sizeof(((SptrsvTuning *)0)->member)
#define INT(member)    MEMBER(member), .type = SPTRSV_OPTION_INT, .most = INT_MAX
#define REAL(member)   MEMBER(member), .type = SPTRSV_OPTION_REAL, .most = INFINITY
#define SHARE(member)  MEMBER(member), .type = SPTRSV_OPTION_REAL, .most = 100
#define CHOICE(member) MEMBER(member), .type = SPTRSV_OPTION_CHOICE
#define NAME(member)   MEMBER(member), .type = SPTRSV_OPTION_ALGORITHM

/* clang-format off */
static const SptrsvOption options[] = {
  {"factor_algorithm", "the factorization", "algorithm of the factorization on the GPU",
   MEMBER(factor.algorithm), .type = SPTRSV_OPTION_FACTOR, .rule = "the pattern's"},

  {"auto_budget", "auto", "time for trying others than levelorder, in sweeps of levelorder",
   INT(choice.budget), .value = 200},
  {"auto_file", "auto", "file that keeps choices for later runs",
   MEMBER(choice.file), .type = SPTRSV_OPTION_FILE, .rule = "none"},

  {"levelorder_lanes", "levelorder, levelset", "lanes for each row, a power of two up to the warp size",
   MEMBER(levelorder.lanes), .type = SPTRSV_OPTION_POWER, .most = SPTRSV_WARP, .rule = "a rule", .former = "lanes"},
  {"levelorder_warps", "levelorder", "number of resident warps",
   INT(levelorder.warps), .rule = "a rule", .former = "warps"},

  {"strips_rows", "strips", "rows of a strip",
   INT(strips.rows), .rule = "a rule"},
  {"strips_warps", "strips", "warps of a team, lowered to what fits",
   INT(strips.warps), .rule = "15"},
  {"strips_order", "strips", "topological order that is cut into strips",
   CHOICE(strips.order), .choices = strips_orders, .rule = "natural"},

  {"host_window", "host-windows", "rows of a window",
   INT(host.window), .rule = "a rule"},
  {"host_storage", "host-windows", "values that the sweeps of icc read: the upper triangle's for both (once), or each its own",
   CHOICE(host.storage), .choices = host_storage, .rule = "measured"},
  {"host_threads", "host-windows, host-threads", "number of threads, of host-threads at most",
   INT(host.threads), .rule = "those that pay", .former = "threads"},
  {"host_threads_entries", "host-threads", "entries of a level for each thread",
   INT(host.threads_entries), .rule = "a rule", .former = "thread_entries"},

  {"yuenyeung_threshold", "yuenyeung", "mean row length from which whole warps process rows",
   REAL(yuenyeung.threshold), .rule = "a file's or the built-in value", .former = "threshold"},
  {"yuenyeung_threshold_file", "yuenyeung", "file with the threshold, made by syncfree_train",
   MEMBER(yuenyeung.threshold_file), .type = SPTRSV_OPTION_FILE, .rule = "a file in the default folders", .former = "threshold_file"},

  {"ata_policy", "ata, ata-push, factorization ata", "aggregation of rows into tasks by level (ca) or by neighbourhood (la)",
   CHOICE(ata.policy), .choices = task_policies, .rule = "ca"},
  {"ata_size", "ata, ata-push, factorization ata", "rows in a task",
   INT(ata.size), .rule = "Equations 1 and 2 of the paper"},
  {"ata_ratio", "ata, ata-push, factorization ata", "factor of Equation 2",
   REAL(ata.ratio), .value = 1, .symbol = "R"},

  {"split_policy", "split", "processor of the sweep, or of its first and second part",
   CHOICE(split.policy), .choices = split_policies, .rule = "the paper's decision"},
  {"split_level", "split", "levels of the first part, for a policy of two parts",
   INT(split.level), .rule = "the policy's rule"},
  {"split_first", "split", "algorithm of the first part",
   NAME(split.first), .rule = "the policy's"},
  {"split_second", "split", "algorithm of the second part",
   NAME(split.second), .rule = "the policy's"},
  {"split_min_levels", "split", "levels above which CPU and GPU may share a sweep",
   INT(split.min_levels), .value = 40, .symbol = "t"},
  {"split_min_rows", "split", "rows from which CPU and GPU may share a sweep",
   INT(split.min_rows), .value = 10000, .symbol = "s"},
  {"split_parallel_rows", "split", "rows that make a level parallel-friendly",
   INT(split.parallel_rows), .value = 200, .symbol = "m"},
  {"split_column_rounds", "split", "minimum saving of a GPU-GPU split, in rounds of a warp over the longest column",
   INT(split.column_rounds), .value = 100, .symbol = "c"},
  {"split_row_rounds", "split", "GPU-GPU puts rows of at least this number of rounds into its first part",
   INT(split.row_rounds), .value = 75, .symbol = "d"},
  {"split_good_rows", "split", "CPU-CPU cuts after a level with at least this number of rows",
   INT(split.good_rows), .value = 10, .symbol = "n_good"},
  {"split_serial_levels", "split", "minimum of serial-friendly levels for sharing by CPU and GPU, in %",
   SHARE(split.serial_levels), .value = 10, .symbol = "u"},
  {"split_parallel_share", "split", "minimum of rows in parallel-friendly levels for that sharing, in %",
   SHARE(split.parallel_share), .value = 60, .symbol = "v"},
  {"split_gpu_serial_levels", "split", "maximum of serial-friendly levels in the GPU's part, in %",
   SHARE(split.gpu_serial_levels), .value = 10, .symbol = "a"},
  {"split_gpu_parallel_share", "split", "minimum of rows in parallel-friendly levels in the GPU's part, in %",
   SHARE(split.gpu_parallel_share), .value = 85, .symbol = "b"},
  {"split_bad_share", "split", "maximum of rows in smaller levels before the cut of CPU-CPU, in %",
   SHARE(split.bad_share), .value = 1, .symbol = "f_bad"}
};
/* clang-format on */
static const int option_count = (int)(sizeof(options) / sizeof(options[0]));

const SptrsvOption *sptrsvOptionGet(int k)
{
  return k >= 0 && k < option_count ? &options[k] : NULL;
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static SptrsvStatus
refuse(SptrsvStatus status, char *error, size_t size, const char *format, ...)
{
  va_list arguments;

  if (!size) return status;
  va_start(arguments, format);
  (void)vsnprintf(error, size, format, arguments);
  va_end(arguments);
  return status;
}

/* size must be more than the length of text */
static void append(char *text, size_t size, const char *more)
{
  const size_t used = strlen(text);

  (void)snprintf(text + used, size - used, "%s%s", used ? ", " : "", more);
}

static SptrsvStatus find(const char *name, const SptrsvOption **option, char *error, size_t size)
{
  for (int k = 0; k < option_count; k++) {
    *option = &options[k];
    if (!strcmp(name, options[k].name)) return SPTRSV_SUCCESS;
    if (options[k].former && !strcmp(name, options[k].former))
      return refuse(SPTRSV_UNKNOWN_NAME, error, size, "option %s is now %s", name, options[k].name);
  }
  return refuse(SPTRSV_UNKNOWN_NAME, error, size, "unknown option \"%s\", doc/options.md lists all", name);
}

/* Options whose member is the name of an algorithm, NULL for auto */
static bool is_name(const SptrsvOption *option)
{
  return option->type == SPTRSV_OPTION_ALGORITHM || option->type == SPTRSV_OPTION_FACTOR;
}

/* Checks the form of a number; range() checks its range */
static SptrsvStatus parse_number(const SptrsvOption *option, const char *text, double *value, char *error, size_t size)
{
  char *end;

  *value = strtod(text, &end);
  if (end != text && !*end) return SPTRSV_SUCCESS;
  return refuse(SPTRSV_INVALID_ARGUMENT, error, size, "%s must be a number, not \"%s\"", option->name, text);
}

static SptrsvStatus range(const SptrsvOption *option, double value, char *error, size_t size)
{
  static const char *const kind[] = {
      [SPTRSV_OPTION_INT] = "a whole number", [SPTRSV_OPTION_POWER] = "0 or a power of two", [SPTRSV_OPTION_REAL] = "a number"};
  const bool whole = option->type == SPTRSV_OPTION_REAL || value == floor(value);

  if (value >= 0 && value <= option->most && whole) {
    if (option->type != SPTRSV_OPTION_POWER || !((int)value & ((int)value - 1))) return SPTRSV_SUCCESS;
  }
  return refuse(SPTRSV_INVALID_ARGUMENT, error, size, "%s must be %s, from 0 to %.15g, not %.15g", option->name, kind[option->type],
                option->most, value);
}

static SptrsvStatus parse_choice(const SptrsvOption *option, const char *text, int *value, char *error, size_t size)
{
  char names[256] = "";

  for (int k = 0; option->choices[k]; k++) {
    *value = k;
    if (!strcmp(text, option->choices[k])) return SPTRSV_SUCCESS;
    append(names, sizeof(names), option->choices[k]);
  }
  return refuse(SPTRSV_UNKNOWN_NAME, error, size, "%s has no choice \"%s\", there are: %s", option->name, text, names);
}

static SptrsvStatus parse_algorithm(const SptrsvOption *option, const char *text, const char **value, char *error, size_t size)
{
  const SptrsvAlgorithm *algorithm = sptrsvAlgorithmFind(text, SPTRSV_DEVICE);

  if (!algorithm) algorithm = sptrsvAlgorithmFind(text, SPTRSV_HOST);
  if (!algorithm && *text && !sptrsvIsAuto(text))
    return refuse(SPTRSV_UNKNOWN_NAME, error, size, "%s: unknown algorithm \"%s\"", option->name, text);
  *value = algorithm ? algorithm->name : NULL;
  return SPTRSV_SUCCESS;
}

static SptrsvStatus parse_factor(const SptrsvOption *option, const char *text, const char **value, char *error, size_t size)
{
  const SptrsvAlgorithm *algorithm  = sptrsvFactorAlgorithmFind(text);
  char                   names[256] = "auto";

  for (int k = 0; sptrsvFactorAlgorithmGet(k); k++) append(names, sizeof(names), sptrsvFactorAlgorithmGet(k)->name);
  if (!algorithm && *text && !sptrsvIsAuto(text))
    return refuse(SPTRSV_UNKNOWN_NAME, error, size, "%s has no choice \"%s\", there are: %s", option->name, text, names);
  *value = algorithm ? algorithm->name : NULL;
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvOptionSet(SptrsvTuning *tuning, const char *name, const char *text, char *error, size_t size)
{
  const SptrsvOption *option;
  void               *member;
  double              number;
  int                 whole;

  if (!tuning || !name || !text || (size && !error)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(find(name, &option, error, size));
  member = (char *)tuning + option->offset;
  switch (option->type) {
  case SPTRSV_OPTION_CHOICE:
    SPTRSV_TRY(parse_choice(option, text, &whole, error, size));
    memcpy(member, &whole, sizeof(whole)); /* an enum */
    return SPTRSV_SUCCESS;
  case SPTRSV_OPTION_FACTOR:
    return parse_factor(option, text, (const char **)member, error, size);
  case SPTRSV_OPTION_ALGORITHM:
    return parse_algorithm(option, text, (const char **)member, error, size);
  case SPTRSV_OPTION_FILE:
    if (strlen(text) >= option->size) return refuse(SPTRSV_INVALID_ARGUMENT, error, size, "%s is too long", option->name);
    memset(member, 0, option->size);
    memcpy(member, text, strlen(text));
    return SPTRSV_SUCCESS;
  default:
    SPTRSV_TRY(parse_number(option, text, &number, error, size));
    SPTRSV_TRY(range(option, number, error, size));
    if (option->type == SPTRSV_OPTION_REAL) *(double *)member = number;
    else *(int *)member = (int)number;
    return SPTRSV_SUCCESS;
  }
}

static double number_of(const SptrsvOption *option, const SptrsvTuning *tuning)
{
  const char *member = (const char *)tuning + option->offset;
  int         whole;

  if (option->type == SPTRSV_OPTION_REAL) return *(const double *)member;
  memcpy(&whole, member, sizeof(whole));
  return whole;
}

static const char *text_of(const SptrsvOption *option, const SptrsvTuning *tuning)
{
  const char *member = (const char *)tuning + option->offset;

  if (option->type == SPTRSV_OPTION_CHOICE) return option->choices[(int)number_of(option, tuning)];
  if (is_name(option)) return *(const char *const *)member ? *(const char *const *)member : "auto";
  return option->type == SPTRSV_OPTION_FILE ? member : NULL;
}

SptrsvStatus sptrsvOptionPrint(const SptrsvTuning *tuning, const char *name, char *text, size_t size)
{
  const SptrsvOption *option;

  if (!tuning || !name || !text || !size) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(find(name, &option, text, size));
  if (text_of(option, tuning)) (void)snprintf(text, size, "%s", text_of(option, tuning));
  else (void)snprintf(text, size, "%.17g", number_of(option, tuning));
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvTuningCheck(const SptrsvTuning *tuning)
{
  for (int k = 0; k < option_count; k++) {
    const SptrsvOption *option  = &options[k];
    double              choices = 0;

    if (is_name(option) || option->type == SPTRSV_OPTION_FILE) continue;
    for (; option->choices && option->choices[(int)choices]; choices++) {}
    if (!option->choices) SPTRSV_TRY(range(option, number_of(option, tuning), NULL, 0));
    else if (!(number_of(option, tuning) >= 0 && number_of(option, tuning) < choices)) return SPTRSV_INVALID_ARGUMENT;
  }
  return SPTRSV_SUCCESS;
}

void sptrsvTuningFill(SptrsvTuning *tuning)
{
  for (int k = 0; k < option_count; k++) {
    const SptrsvOption *option = &options[k];
    void               *member = (char *)tuning + option->offset;

    if (!option->value || number_of(option, tuning)) continue;
    if (option->type == SPTRSV_OPTION_REAL) *(double *)member = option->value;
    else *(int *)member = (int)option->value;
  }
}

void sptrsvTuningDescribe(const SptrsvTuning *tuning, const char *algorithm, char *text, size_t size)
{
  size_t used = 0;

  text[0] = 0;
  for (int k = 0; k < option_count && used < size; k++) {
    const SptrsvOption *option = &options[k];
    const double        number = option->symbol ? number_of(option, tuning) : 0;

    if (strcmp(option->algorithms, algorithm) || !number || number == option->value) continue;
    used += (size_t)snprintf(text + used, size - used, ", %s=%g%s", option->symbol, number, option->most == 100 ? "%" : "");
  }
}

/* The algorithm that is chosen for part k of a split: it exists, runs where the policy puts the part, and is not split again */
static SptrsvStatus check_part(const SptrsvSplitOptions *chosen, SptrsvLocation location, int k, char *error, size_t size)
{
  const char            *option = k ? "split_second" : "split_first", *name = k ? chosen->second : chosen->first;
  const SptrsvAlgorithm *on[]   = {sptrsvAlgorithmFind(name, SPTRSV_HOST), sptrsvAlgorithmFind(name, SPTRSV_DEVICE)};
  const SptrsvLocation   where  = sptrsvSplitLocation(chosen->policy, k);

  if (!name) return SPTRSV_SUCCESS;
  if (!on[SPTRSV_HOST] && !on[SPTRSV_DEVICE]) return refuse(SPTRSV_UNKNOWN_NAME, error, size, "%s: no algorithm \"%s\"", option, name);
  if ((on[SPTRSV_HOST] ? on[SPTRSV_HOST] : on[SPTRSV_DEVICE])->traits & SPTRSV_SPLITS)
    return refuse(SPTRSV_INVALID_ARGUMENT, error, size, "%s %s: a part is not split again, choose another algorithm", option, name);
  if (on[where] || (location == SPTRSV_DEVICE && chosen->policy == SPTRSV_SPLIT_AUTO)) return SPTRSV_SUCCESS;
  return refuse(SPTRSV_WRONG_MEMORY, error, size, "%s %s runs on the %s, but this part of the sweep on the %s", option, name,
                where == SPTRSV_HOST ? "GPU" : "host", where == SPTRSV_HOST ? "host" : "GPU");
}

SptrsvStatus sptrsvSplitOptionsCheck(const SptrsvSplitOptions *chosen, SptrsvLocation location, char *error, size_t size)
{
  const SptrsvSplitPolicy policy = chosen ? chosen->policy : SPTRSV_SPLIT_AUTO;
  const bool              host   = policy == SPTRSV_SPLIT_AUTO || policy == SPTRSV_SPLIT_CPU || policy == SPTRSV_SPLIT_CPU_CPU;

  if (!chosen || (size && !error)) return SPTRSV_INVALID_ARGUMENT;
  if (!sptrsvIsLocation(location) || (unsigned)policy > SPTRSV_SPLIT_GPU_GPU) return SPTRSV_INVALID_ARGUMENT;
  if (chosen->level && (policy == SPTRSV_SPLIT_AUTO || policy == SPTRSV_SPLIT_CPU || policy == SPTRSV_SPLIT_GPU))
    return refuse(SPTRSV_INVALID_ARGUMENT, error, size, "split_level %d needs a split_policy of two parts, like cpu-cpu", chosen->level);
  if (location == SPTRSV_HOST && !host)
    return refuse(SPTRSV_WRONG_MEMORY, error, size, "split_policy %s needs a matrix on the GPU; without one, cpu and cpu-cpu are possible",
                  split_policies[policy]);
  SPTRSV_TRY(check_part(chosen, location, 0, error, size));
  return check_part(chosen, location, 1, error, size);
}
