/* `split`: its parameters, and which of them go together. */
#include <string.h>
#include "split.h"
#define MEMBERS SptrsvSplitOptions
#include "../../option_row.h"

static const char *const policies[] = {[SPTRSV_SPLIT_AUTO] = "auto",       [SPTRSV_SPLIT_CPU] = "cpu",
                                       [SPTRSV_SPLIT_GPU] = "gpu",         [SPTRSV_SPLIT_CPU_GPU] = "cpu-gpu",
                                       [SPTRSV_SPLIT_GPU_CPU] = "gpu-cpu", [SPTRSV_SPLIT_CPU_CPU] = "cpu-cpu",
                                       [SPTRSV_SPLIT_GPU_GPU] = "gpu-gpu", NULL};

/* clang-format off */
const SptrsvOption sptrsvSplitKeys[] = {
  {"policy", "split", "processor of the sweep, or of its first and second part",
   CHOICE(policy, policies), .rule = "the paper's decision"},
  {"level", "split", "levels of the first part, for a policy of two parts",
   INT(level), .rule = "the policy's rule"},
  {"first", "split", "algorithm of the first part",
   NAME(first), .rule = "the policy's"},
  {"second", "split", "algorithm of the second part",
   NAME(second), .rule = "the policy's"},
  {"min_levels", "split", "levels above which CPU and GPU may share a sweep",
   INT(min_levels), .value = 40, .symbol = "t"},
  {"min_rows", "split", "rows from which CPU and GPU may share a sweep",
   INT(min_rows), .value = 10000, .symbol = "s"},
  {"parallel_rows", "split", "rows that make a level parallel-friendly",
   INT(parallel_rows), .value = 200, .symbol = "m"},
  {"column_rounds", "split", "minimum saving of a GPU-GPU split, in rounds of a warp over the longest column",
   INT(column_rounds), .value = 100, .symbol = "c"},
  {"row_rounds", "split", "GPU-GPU puts rows of at least this number of rounds into its first part",
   INT(row_rounds), .value = 75, .symbol = "d"},
  {"good_rows", "split", "CPU-CPU cuts after a level with at least this number of rows",
   INT(good_rows), .value = 10, .symbol = "n_good"},
  {"serial_levels", "split", "minimum of serial-friendly levels for sharing by CPU and GPU, in %",
   SHARE(serial_levels), .value = 10, .symbol = "u"},
  {"parallel_share", "split", "minimum of rows in parallel-friendly levels for that sharing, in %",
   SHARE(parallel_share), .value = 60, .symbol = "v"},
  {"gpu_serial_levels", "split", "maximum of serial-friendly levels in the GPU's part, in %",
   SHARE(gpu_serial_levels), .value = 10, .symbol = "a"},
  {"gpu_parallel_share", "split", "minimum of rows in parallel-friendly levels in the GPU's part, in %",
   SHARE(gpu_parallel_share), .value = 85, .symbol = "b"},
  {"bad_share", "split", "maximum of rows in smaller levels before the cut of CPU-CPU, in %",
   SHARE(bad_share), .value = 1, .symbol = "f_bad"},
  {.name = NULL}
};
/* clang-format on */

const char *sptrsvSplitPolicyName(SptrsvSplitPolicy policy)
{
  return (unsigned)policy <= SPTRSV_SPLIT_GPU_GPU ? policies[policy] : NULL;
}

/* Checks that the algorithm chosen for part k runs where the policy puts the part, and is not split again */
static SptrsvStatus check_part(const SptrsvSplitOptions *chosen, SptrsvLocation location, int k, char *error, size_t size)
{
  const char            *key = k ? "second" : "first", *name = k ? chosen->second : chosen->first;
  const SptrsvAlgorithm *on[]  = {sptrsvAlgorithmFind(name, SPTRSV_HOST), sptrsvAlgorithmFind(name, SPTRSV_DEVICE)};
  const SptrsvLocation   where = sptrsvSplitLocation(chosen->policy, k);

  if (!name) return SPTRSV_SUCCESS;
  if ((on[SPTRSV_HOST] ? on[SPTRSV_HOST] : on[SPTRSV_DEVICE])->traits & SPTRSV_SPLITS)
    return sptrsvRefuse(SPTRSV_INVALID_ARGUMENT, error, size,
                        "split_parameters: %s=%s: a part is not split again, choose another algorithm", key, name);
  if (on[where] || (location == SPTRSV_DEVICE && chosen->policy == SPTRSV_SPLIT_AUTO)) return SPTRSV_SUCCESS;
  return sptrsvRefuse(SPTRSV_WRONG_MEMORY, error, size, "split_parameters: %s=%s runs on the %s, but this part of the sweep on the %s", key,
                      name, where == SPTRSV_HOST ? "GPU" : "host", where == SPTRSV_HOST ? "host" : "GPU");
}

static SptrsvStatus check(const SptrsvSplitOptions *chosen, SptrsvLocation location, char *error, size_t size)
{
  const SptrsvSplitPolicy policy = chosen->policy;
  const bool              host   = policy == SPTRSV_SPLIT_AUTO || policy == SPTRSV_SPLIT_CPU || policy == SPTRSV_SPLIT_CPU_CPU;

  if (chosen->level && (policy == SPTRSV_SPLIT_AUTO || sptrsvSplitIsUnified(policy)))
    return sptrsvRefuse(SPTRSV_INVALID_ARGUMENT, error, size, "split_parameters: level=%d needs a policy of two parts, like policy=cpu-cpu",
                        chosen->level);
  if (location == SPTRSV_HOST && !host)
    return sptrsvRefuse(SPTRSV_WRONG_MEMORY, error, size,
                        "split_parameters: policy=%s needs a matrix on the GPU; without one, cpu and cpu-cpu are possible",
                        policies[policy]);
  SPTRSV_TRY(check_part(chosen, location, 0, error, size));
  return check_part(chosen, location, 1, error, size);
}

SptrsvStatus sptrsvSplitOptionsRead(const char *parameters, SptrsvLocation location, SptrsvSplitOptions *options, char *error, size_t size)
{
  memset(options, 0, sizeof(*options));
  SPTRSV_TRY(sptrsvKeysSet("split_parameters", sptrsvSplitKeys, parameters ? parameters : "", options, error, size));
  SPTRSV_TRY(check(options, location, error, size));
  sptrsvKeysFill(sptrsvSplitKeys, options);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvSplitCheck(const SptrsvPlanOptions *options, char *error, size_t size)
{
  SptrsvSplitOptions split;

  return sptrsvSplitOptionsRead(options->tuning.split.parameters, options->location, &split, error, size);
}
