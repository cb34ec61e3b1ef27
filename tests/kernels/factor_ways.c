/* factor_ways.c - Ways to factor on the device. */
#include "factor_ways.h"
#include <string.h>

const FactorWay factor_ways[FACTOR_WAYS] = {{"entries", "entries", NULL},
                                            {"rows", "rows", NULL},
                                            {"tasks", "ata", NULL},
                                            {"sweep, strips", "sweep", "strips"},
                                            {"sweep, levelorder", "sweep", "levelorder"},
                                            {"sweep, levelset", "sweep", "levelset"}};

bool way_is_there(const FactorWay *way)
{
  return (!way->algorithm || sptrsvFactorAlgorithmFind(way->algorithm)) && (!way->lower || sptrsvAlgorithmFind(way->lower, SPTRSV_DEVICE));
}

SptrsvStatus factor_lend(SptrsvFactor factor, const char *algorithm, const int32_t *row_perm, SptrsvValueType type, SptrsvPlan *lower)
{
  SptrsvPlanOptions options  = {.algorithm = algorithm,
                                .location  = SPTRSV_DEVICE,
                                .triangle  = SPTRSV_LOWER,
                                .diagonal  = SPTRSV_DIAG_UNIT,
                                .type      = type,
                                .in_perm   = row_perm,
                                .tuning    = {.strips.rows = 8}};
  SptrsvAnalysis    analysis = NULL;
  SptrsvStatus      status   = sptrsvFactorGetAnalysis(factor, &analysis);

  if (!status) status = sptrsvPlanCreate(analysis, &options, lower);
  return status ? status : sptrsvFactorSetSweep(factor, *lower);
}

SptrsvStatus factor_go(SptrsvFactor factor, const FactorWay *way, const SptrsvTaskOptions *tasks, const int32_t *row_perm,
                       SptrsvValueType type, SptrsvPlan *lower)
{
  const SptrsvTuning tuning = {.factor.algorithm = way->algorithm, .ata = *tasks};
  SptrsvStatus       status = sptrsvFactorTune(factor, &tuning);

  *lower = NULL;
  if (status || !way->lower) return status ? status : sptrsvFactorSetSweep(factor, NULL);
  /* for a sweep again, with all other data there, so that its counter of tickets is the last array that was allocated */
  for (int k = 0; !status && k < (is_named(way->algorithm, "sweep") ? 2 : 1); k++) {
    expect_success(sptrsvFactorSetSweep(factor, NULL));
    expect_success(sptrsvPlanDestroy(lower));
    status = factor_lend(factor, way->lower, row_perm, type, lower);
  }
  return status;
}

static int longest_row(const Target *target)
{
  int longest = 0;

  for (int i = 0; i < target->n; i++) {
    const int length = target->row_ptr[i + 1] - target->row_ptr[i];

    longest = length > longest ? length : longest;
  }
  return longest;
}

static bool products_meet(const Target *target)
{
  for (int i = 0; i < target->n; i++) {
    for (int e = target->row_ptr[i]; e < target->row_ptr[i + 1]; e++) {
      const int k = target->col_idx[e];

      for (int q = target->row_ptr[k]; k < i && q < target->row_ptr[k + 1]; q++) {
        const int j = target->col_idx[q];

        for (int p = target->row_ptr[i]; j > k && j != i && p < target->row_ptr[i + 1]; p++) {
          if (target->col_idx[p] == j) return true;
        }
      }
    }
  }
  return false;
}

bool is_named(const char *algorithm, const char *name)
{
  return algorithm && !strcmp(algorithm, name);
}

bool target_suits(const Target *target, const char *algorithm)
{
  if (is_named(algorithm, "sweep")) return !products_meet(target);
  return !is_named(algorithm, "rows") || longest_row(target) <= MOST_OF_ROW;
}
