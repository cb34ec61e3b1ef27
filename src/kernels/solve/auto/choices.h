/* Choices of `auto`, kept for the life of the process. */
#ifndef SPTRSV_CHOICES_H
#define SPTRSV_CHOICES_H
#include "../../impl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t            key;       /* of all that the choice depends on */
  const char         *algorithm; /* of the table */
  SptrsvStripsOptions strips;
  char                tried[SPTRSV_TRIED];
  double              us; /* of a sweep: its forecast, or its time */
} SptrsvChoice;

/* Finds the choice of choice->key; false: it is not remembered */
bool sptrsvChoiceFind(SptrsvChoice *choice);

/* Keeps the choice, in place of the oldest one if there are too many */
void sptrsvChoiceKeep(const SptrsvChoice *choice);

#ifdef __cplusplus
}
#endif
#endif
