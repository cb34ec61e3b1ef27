#define _GNU_SOURCE /* dladdr() */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../include/sptrsv.h"
#include "threshold_places.h"

static bool Fits(int length, size_t size)
{
  return length >= 0 && (size_t)length < size;
}

static bool UserFolder(char *folder, size_t size)
{
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

  if (config && config[0] == '/') return Fits(snprintf(folder, size, "%s/syncfree", config), size); /* others are to be ignored */
  return home && home[0] && Fits(snprintf(folder, size, "%s/.config/syncfree", home), size);
}

static bool InstalledFolder(char *folder, size_t size)
{
  static const char here;
  Dl_info           info;
  const char       *slash;

  if (!dladdr(&here, &info) || !info.dli_fname) return false;
  slash = strrchr(info.dli_fname, '/');
  return slash && Fits(snprintf(folder, size, "%.*s/../share/syncfree", (int)(slash - info.dli_fname), info.dli_fname), size);
}

bool syncfreeThresholdPlace(SyncFreePlace place, const char *gpu, char *path, size_t size)
{
  char   name[SPTRSV_NAME_LENGTH];
  size_t length;

  if (!(place == SYNCFREE_PLACE_USER ? UserFolder(path, size) : InstalledFolder(path, size))) return false;
  if (sptrsvThresholdFileName(gpu, name, sizeof(name))) return false;
  length = strlen(path);
  return Fits(snprintf(path + length, size - length, "/%s", name), size - length);
}
