/* The families of published methods: each has its own folder, and its rows of all tables in family.c there. */
#ifndef SPTRSV_STUDIES_H
#define SPTRSV_STUDIES_H
#include "../option_row.h"

extern const SptrsvFamily sptrsvYuenyeung, sptrsvLi, sptrsvHelal, sptrsvAhmad;

#endif
