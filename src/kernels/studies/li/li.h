/* The methods of Li and Liu, and what the two files of level_methods share. */
#pragma once
#include "../../analysis/analysis.h"
#include "../../../../include/sptrsv_study.h"

SPTRSV_BEGIN_C

SPTRSV_TABLE SptrsvMethod sptrsvLevr, sptrsvLevc, sptrsvSlfr, sptrsvSlfc, sptrsvSyncFreeCsc;

/* Levels and jlev by the rows that each needs or, `columns`, by those that need it, which are its entries on the other side */
SptrsvStatus sptrsvHostLevelMethod(const SptrsvPattern *lists, SptrsvTriangle side, bool columns, SptrsvMemory *memory, int *level,
                                   int **jlev);

/* sptrsvAnalysisComputeLevels() for an analysis on the device; for methods of the host, too */
SptrsvStatus sptrsvDeviceLevelMethod(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, SptrsvLevelMethod method,
                                     int *level, SptrsvSetupTimes *times);

SPTRSV_END_C
