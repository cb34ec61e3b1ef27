/* Strips: what does not depend on a plan.  See doc/algorithms/strips.md. */
#ifndef SPTRSV_STRIPS_H
#define SPTRSV_STRIPS_H
#include "../../analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of a strip, by rule, for a matrix of n rows */
int sptrsvStripsRows(int n);

/* Classes of a triangle's entries by their distance from the diagonal, with gaps between them: of a grid, within a line, from line to line,
   from plane to plane.  An entry is of class 0, 1, or 2 if its distance is at least as many of *bound.  *gaps: their number; without one
   all entries are of class 1, and without a second one none is of class 2.  *beside: the part of the rows, about, that need the row beside
   them, as rows of a line do.  On the device. */
SptrsvStatus sptrsvDistanceClasses(SptrsvAnalysis analysis, SptrsvTriangle side, int bound[2], int *gaps, double *beside);

#ifdef __cplusplus
}
#endif
#endif
