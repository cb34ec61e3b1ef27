/* Helal et al., Adaptive Task Aggregation: rows of the tables. */
#include "tasks.h"
#define MEMBERS SptrsvTuning
#include "../studies.h"

static const char *const policies[] = {[SPTRSV_TASKS_CONCURRENCY] = "ca", [SPTRSV_TASKS_LOCALITY] = "la", NULL};

/* clang-format off */
static const SptrsvOption options[] = {
  {"ata_policy", "ata, ata-push, factorization ata", "aggregation of rows into tasks by level (ca) or by neighbourhood (la)",
   CHOICE(ata.policy, policies), .rule = "ca", .study = 1},
  {"ata_size", "ata, ata-push, factorization ata", "rows in a task",
   INT(ata.size), .rule = "Equations 1 and 2 of the paper", .study = 1},
  {"ata_ratio", "ata, ata-push, factorization ata", "factor of Equation 2",
   REAL(ata.ratio), .value = 1, .symbol = "R", .study = 1},
  {.name = NULL}
};
/* clang-format on */

const SptrsvFamily sptrsvHelal = {.method = {ON_GPU(&sptrsvAta, &sptrsvAtaPush)}, .options = options, .factor = ON_GPU(&sptrsvFactorAta)};
