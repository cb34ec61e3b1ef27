/* Where yuenyeung's threshold for a GPU model is looked for if no file is named. */
#define _GNU_SOURCE /* dladdr() */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../impl.h"

static bool fits(int length, size_t size)
{
  return length >= 0 && (size_t)length < size;
}

/* A relative XDG_CONFIG_HOME is to be ignored (XDG Base Directory Specification) */
static bool user_folder(char *folder, size_t size)
{
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

  if (config && config[0] == '/') return fits(snprintf(folder, size, "%s/syncfree", config), size);
  return home && home[0] && fits(snprintf(folder, size, "%s/.config/syncfree", home), size);
}

static bool installed_folder(char *folder, size_t size)
{
  static const char here;
  Dl_info           info;
  const char       *slash;

  if (!dladdr(&here, &info) || !info.dli_fname) return false;
  slash = strrchr(info.dli_fname, '/');
  return slash && fits(snprintf(folder, size, "%.*s/../share/syncfree", (int)(slash - info.dli_fname), info.dli_fname), size);
}

SptrsvStatus sptrsvThresholdPath(SptrsvThresholdPlace place, const char *gpu, char *path, size_t size)
{
  size_t folder;

  if ((unsigned)place >= SPTRSV_THRESHOLD_PLACES || !gpu || !path || !size) return SPTRSV_INVALID_ARGUMENT;
  if (!(place == SPTRSV_THRESHOLD_USER ? user_folder(path, size) : installed_folder(path, size))) return SPTRSV_FILE_ERROR;
  folder = strlen(path);
  if (!fits(snprintf(path + folder, size - folder, "/%s.threshold", gpu), size - folder)) return SPTRSV_FILE_ERROR;
  for (char *c = path + folder + 1; *c; c++) {
    if (!strchr("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", *c)) *c = '_'; /* the same in every locale */
  }
  return SPTRSV_SUCCESS;
}
