/*
   Fuzz target: any bytes as a file with yuenyeung's threshold.  An accepted threshold is positive and finite, and the same for any GPU as
   for the one that the file names.  A refused file gives a message that begins with its name, and leaves the threshold alone.
*/
#define _GNU_SOURCE /* memfd_create() */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../kernels/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_refused(SptrsvStatus status, const char *path, const char *error, double threshold)
{
  expect_status(status, SPTRSV_FILE_ERROR, "sptrsvThresholdRead");
  expect(!strncmp(error, path, strlen(path)) && strlen(error) > strlen(path) + 4, "refused with \"%s\"", error);
  expect(threshold == -1, "refused, but the threshold is %g", threshold);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const int    descriptor = memfd_create("fuzz", 0);
  double       any = -1, h200       = -1;
  char         path[64], error[256] = "", small[8] = "", name[SPTRSV_NAME_LENGTH];
  SptrsvStatus status;

  if (descriptor < 0 || write(descriptor, data, size) != (ssize_t)size) abort();
  (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
  case_begin("a file of %zu bytes", size);
  status = sptrsvThresholdRead(path, NULL, &any, error, sizeof(error));
  if (status) expect_refused(status, path, error, any);
  else {
    expect(isfinite(any) && any > 0, "threshold %g", any);
    expect(!memchr(data, 0, size), "a text with a zero byte is taken");
  }

  error[0] = 0;
  status   = sptrsvThresholdRead(path, "NVIDIA H200", &h200, error, sizeof(error));
  if (status) expect_refused(status, path, error, h200);
  else {
    expect(h200 == any, "threshold %g for the H200, %g for any", h200, any);
    expect(memmem(data, size, "NVIDIA H200", strlen("NVIDIA H200")) != NULL, "a file that does not name the H200 is taken for it");
  }
  expect(sptrsvThresholdRead(path, "NVIDIA H200", &h200, small, sizeof(small)) == status, "another status with less room");
  expect(sptrsvThresholdRead(path, "NVIDIA H200", &h200, NULL, 0) == status, "another status with no room");

  if (!memchr(data, 0, size) && size < sizeof(small)) { /* the bytes as the model's name */
    memcpy(small, data, size);
    small[size] = 0;
    (void)setenv("XDG_CONFIG_HOME", "/x", 1);
    expect_success(sptrsvThresholdPath(SPTRSV_THRESHOLD_USER, small, name, sizeof(name)));
    expect(strlen(name) == strlen("/x/syncfree/.threshold") + size && strrchr(name, '/') == name + strlen("/x/syncfree"),
           "the file is called \"%s\"", name);
  }
  if (!case_end()) abort();
  (void)close(descriptor);
  return 0;
}
