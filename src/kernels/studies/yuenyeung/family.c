/* Zhang et al., YuenyeungSpTRSV: rows of the tables. */
#include "yuenyeung.h"
#define MEMBERS SptrsvTuning
#include "../studies.h"

/* clang-format off */
static const SptrsvOption options[] = {
  {"yuenyeung_threshold", "yuenyeung", "mean row length from which whole warps process rows",
   REAL(yuenyeung.threshold), .rule = "a value for the GPU's model", .study = 1},
  {.name = NULL}
};
/* clang-format on */

const SptrsvFamily sptrsvYuenyeung = {.method  = {ON_GPU(&sptrsvCapellini, &sptrsvTwoPhase, &sptrsvYuenyeungMethod, &sptrsvSyncFreeCsr)},
                                      .options = options};
