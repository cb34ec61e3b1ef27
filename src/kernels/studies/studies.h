/* The families of published methods: each has its own folder, and its rows of all tables in family.c there. */
#pragma once
#include "../option_row.h"

extern const SptrsvFamily sptrsvYuenyeung, sptrsvLi, sptrsvHelal, sptrsvAhmad;
