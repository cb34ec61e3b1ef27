/* Strips: what does not depend on a plan.  See doc/algorithms/strips.md. */
#pragma once
#include "../../analysis/analysis.h"

SPTRSV_BEGIN_C

enum { SPTRSV_STRIP_ENTRIES = 16, SPTRSV_STRIP_GROUP = 4 }; /* most entries of an unknown; those that are taken together */

/* Rows of a strip, by rule, for a matrix of n rows */
int sptrsvStripsRows(int n);

/* Entries of an unknown, by rule: rows of more are cut */
int sptrsvStripsEntries(const SptrsvStatistics *sweep);

/* Rows of the strips' widest level; 0: the plan is not of `strips` */
int sptrsvStripsWidest(SptrsvPlan plan);

/* Classes of a triangle's entries by their distance from the diagonal, with gaps between them: of a grid, within a line, from line to line,
   from plane to plane.  An entry is of class 0, 1, or 2 if its distance is at least as many of *bound.  *gaps: their number; without one
   all entries are of class 1, and without a second one none is of class 2.  *beside: the part of the rows, about, that need the row beside
   them, as rows of a line do.  On the device. */
SptrsvStatus sptrsvDistanceClasses(SptrsvAnalysis analysis, SptrsvTriangle side, int bound[2], int *gaps, double *beside);

SPTRSV_END_C
