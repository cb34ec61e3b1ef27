/* Ahmad, Yilmaz and Unat, split execution: rows of the tables. */
#include "split.h"
#define MEMBERS SptrsvTuning
#include "../studies.h"

/* clang-format off */
static const SptrsvOption options[] = {
  {"split_parameters", "split", "policy and parameters of the paper, KEY=VALUE,KEY=VALUE",
   MEMBER(split.parameters), .type = SPTRSV_OPTION_PARAMETERS, .rule = "the paper's", .keys = sptrsvSplitKeys, .study = 1},
  {.name = NULL}
};
/* clang-format on */

const SptrsvFamily sptrsvAhmad = {.method = {&sptrsvSplitHost, ON_GPU(&sptrsvSplitDevice)}, .options = options};
