/* Choices of `auto`, kept for the life of the process. */
#pragma once
#include "../../impl.h"

SPTRSV_BEGIN_C

typedef struct {
  uint64_t            key;       /* of all that the choice depends on */
  const char         *algorithm; /* of the table */
  SptrsvStripsOptions strips;
  char                tried[SPTRSV_TRIED];
  double              us; /* of a sweep: its forecast, or its time */
} SptrsvChoice;

/* A hash of all that the choice for a plan on the device depends on; blocks: whether the sweep can go by dense blocks */
SptrsvStatus sptrsvChoiceKey(SptrsvAnalysis analysis, const SptrsvPlanOptions *options, bool blocks, uint64_t *key);

/* Finds the choice of choice->key; false: it is not remembered */
bool sptrsvChoiceFind(SptrsvChoice *choice);

/* Keeps the choice, in place of the oldest one if there are too many */
void sptrsvChoiceKeep(const SptrsvChoice *choice);

SPTRSV_END_C
