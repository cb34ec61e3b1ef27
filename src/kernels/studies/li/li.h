/* The methods of Li and Liu, and what the two files of level_methods share. */
#pragma once
#include "../../analysis/analysis.h"
#include "../../../../include/sptrsv_study.h"

SPTRSV_BEGIN_C

SPTRSV_TABLE SptrsvMethod sptrsvLevr, sptrsvLevc, sptrsvSlfr, sptrsvSlfc, sptrsvSyncFreeCsc;

/* Each row raises the levels of the rows that need it, which are its entries on the other side */
void sptrsvHostLevelsByColumns(const SptrsvPattern *transpose, SptrsvTriangle side, int *level);

/* sptrsvAnalysisComputeLevels() for an analysis on the device; for methods of the host, too */
SptrsvStatus sptrsvDeviceLevelMethod(SptrsvAnalysis analysis, SptrsvTriangle triangle, SptrsvOperation op, SptrsvLevelMethod method,
                                     int *level, SptrsvSetupTimes *times);

SPTRSV_END_C
