/* Li and Liu: rows of the table. */
#include "li.h"
#include "../studies.h"

const SptrsvFamily sptrsvLi = {.method = {ON_GPU(&sptrsvLevr, &sptrsvLevc, &sptrsvSlfr, &sptrsvSlfc, &sptrsvSyncFreeCsc)}};
