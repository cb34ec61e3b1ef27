/* Choices of `auto`, kept for the life of the process and, on request, in a file. */
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
  uint64_t            matrix; /* as key, of all but which sweep it is */
  int64_t             levels; /* of the sweep */
  float               us;     /* of a sweep; 0: unknown, since a file has no times */
} SptrsvChoice;

/* Looks for the choice of choice->key, first among those of the process, then in the file at `path` (NULL: none), which need not exist.
   The file is a cache: what is wrong with it is no error, but is returned in words, or NULL.  Lines that are no choices of this version are
   passed over. */
const char *sptrsvChoiceFind(const char *path, SptrsvChoice *choice, bool *found);

/* Looks for the latest choice of the process for any sweep of this matrix, with its time; *found is false if there is none. */
void sptrsvChoiceOfMatrix(uint64_t matrix, SptrsvChoice *choice, bool *found);

/* Keeps the choice in the process, in place of the oldest one if there are too many, and appends it to the file, as a whole line.
   Returns what was wrong, as above. */
const char *sptrsvChoiceKeep(const char *path, const SptrsvChoice *choice);

#ifdef __cplusplus
}
#endif
#endif
