/*
   threshold_places.h - Where yuenyeung's threshold for a GPU model is looked for if nobody names a file.  Without PETSc, since
   bench/syncfree_train writes there.
*/
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef enum {
  SYNCFREE_PLACE_USER,      /* $XDG_CONFIG_HOME/syncfree, or else ~/.config/syncfree */
  SYNCFREE_PLACE_INSTALLED, /* share/syncfree beside the folder that this library was loaded from */
  SYNCFREE_PLACES
} SyncFreePlace;

/* Path of the model's file; false if there is no such place, or no room for its name */
bool syncfreeThresholdPlace(SyncFreePlace place, const char *gpu, char *path, size_t size);
