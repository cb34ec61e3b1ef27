/* The list of studies of a library without any, in place of studies/studies.c. */
#include "impl.h"

const SptrsvFamily *const sptrsvStudies[] = {NULL};
