/* The list of studies, in the order of the tables.  SYNCFREE_STUDIES=no builds no_studies.c in place of this folder. */
#include "../impl.h"
#include "studies.h"

const SptrsvFamily *const sptrsvStudies[] = {&sptrsvYuenyeung, &sptrsvLi, &sptrsvHelal, &sptrsvAhmad, NULL};
