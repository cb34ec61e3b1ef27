/* Files with yuenyeung's threshold: accepted and refused contents, error messages, and names of files. */
#define _DEFAULT_SOURCE /* setenv() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check.h"

static char file_path[64];

static void write_text(const char *text, size_t length)
{
  FILE *file = fopen(file_path, "wb");

  if (!expect(file != NULL, "%s cannot be written", file_path)) return;
  expect(fwrite(text, 1, length, file) == length && !fclose(file), "%s cannot be written", file_path);
}

static void test_taken(const char *text, const char *gpu, double right)
{
  double threshold  = -1;
  char   error[256] = "";

  case_begin("a file that is right, for %s", gpu ? gpu : "any GPU");
  write_text(text, strlen(text));
  expect_status(sptrsvThresholdRead(file_path, gpu, &threshold, error, sizeof(error)), SPTRSV_SUCCESS, error);
  expect(threshold == right, "threshold %g, not %g", threshold, right);
  expect_success(sptrsvThresholdRead(file_path, gpu, &threshold, NULL, 0));
  case_end();
}

/* words: the message after the path */
static void test_refused_bytes(const char *text, size_t length, const char *words)
{
  double threshold  = -1;
  char   error[256] = "", small[8];

  case_begin("a file that is refused: %s", words);
  write_text(text, length);
  expect_status(sptrsvThresholdRead(file_path, "NVIDIA H200", &threshold, error, sizeof(error)), SPTRSV_FILE_ERROR, "sptrsvThresholdRead");
  expect(!strncmp(error, file_path, strlen(file_path)) && !strcmp(error + strlen(file_path), words), "it says \"%s\"", error);
  expect(threshold == -1, "the threshold was touched");
  expect_status(sptrsvThresholdRead(file_path, "NVIDIA H200", &threshold, small, sizeof(small)), SPTRSV_FILE_ERROR, "a short message");
  expect(strlen(small) == sizeof(small) - 1, "the message is cut to \"%s\"", small);
  case_end();
}

static void test_refused(const char *text, const char *words)
{
  test_refused_bytes(text, strlen(text), words);
}

static void test_lines(void)
{
  char text[1200] = "gpu = NVIDIA H200\nnote = ";

  memset(text + strlen(text), 'x', 600);
  test_refused(text, ", line 2: longer than 511 characters");
  test_refused_bytes("gpu = NVIDIA H200\n\0threshold = 3\n", 33, ", line 2: a zero byte: this is no text");
  test_refused("", ": there is no line \"gpu = MODEL\"");
  test_refused("gpu = NVIDIA H200\n", ": there is no line \"threshold = NUMBER\"");
  test_refused("threshold = 3\n", ": there is no line \"gpu = MODEL\"");
  test_refused("# a comment\n\nNVIDIA H200\n", ", line 3: expected \"word = text\" or a comment after #");
  test_refused("= 3\n", ", line 1: expected \"word = text\" or a comment after #");
  test_refused("gpu =\n", ", line 1: no GPU model is named");
  test_refused("gpu = NVIDIA H100\n", ", line 1: trained on \"NVIDIA H100\", but this GPU is \"NVIDIA H200\"");
  test_refused("gpu = NVIDIA H200\ngpu = NVIDIA H200\n", ", line 2: a second GPU model");
  test_refused("threshold = 3\nthreshold = 3\n", ", line 2: a second threshold");
}

static void test_numbers(void)
{
  static const char *const bad[] = {"", "-3", "0", "nan", "inf", "1e999", "ten", "3 4", "3,5", "0x"};
  char                     text[64], words[96];

  for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
    (void)snprintf(text, sizeof(text), "threshold = %s\n", bad[k]);
    (void)snprintf(words, sizeof(words), ", line 1: the threshold must be a positive number, not \"%s\"", bad[k]);
    test_refused(text, words);
  }
}

static void test_missing(void)
{
  double threshold  = -1;
  char   error[256] = "";

  case_begin("files that are none, missing arguments");
  expect_status(sptrsvThresholdRead("/no/such/file", NULL, &threshold, error, sizeof(error)), SPTRSV_FILE_ERROR, "no file");
  expect(!strcmp(error, "/no/such/file: No such file or directory"), "it says \"%s\"", error);
  expect_status(sptrsvThresholdRead("/", NULL, &threshold, error, sizeof(error)), SPTRSV_FILE_ERROR, "a folder");
  expect(!strcmp(error, "/: Is a directory"), "it says \"%s\"", error);
  expect_refusal(sptrsvThresholdRead(NULL, NULL, &threshold, error, sizeof(error)));
  expect_refusal(sptrsvThresholdRead(file_path, NULL, NULL, error, sizeof(error)));
  expect_refusal(sptrsvThresholdRead(file_path, NULL, &threshold, NULL, 1));
  case_end();
}

static void test_paths(void)
{
  const SptrsvThresholdPlace user = SPTRSV_THRESHOLD_USER;
  char                       path[64], name[SPTRSV_NAME_LENGTH];

  case_begin("paths of files");
  (void)setenv("XDG_CONFIG_HOME", "/x", 1);
  expect_success(sptrsvThresholdPath(user, "NVIDIA H200", path, sizeof(path)));
  expect(!strcmp(path, "/x/syncfree/NVIDIA_H200.threshold"), "%s", path);
  expect_success(sptrsvThresholdPath(user, "../a/b (80 GB)", path, sizeof(path)));
  expect(!strcmp(path, "/x/syncfree/.._a_b__80_GB_.threshold"), "%s", path);
  expect_status(sptrsvThresholdPath(user, "H", path, sizeof("/x/syncfree/H.threshold") - 1), SPTRSV_FILE_ERROR, "a path without room");
  expect_success(sptrsvThresholdPath(user, "H", path, sizeof("/x/syncfree/H.threshold")));
  (void)setenv("XDG_CONFIG_HOME", "x", 1);
  (void)setenv("HOME", "/h", 1);
  expect_success(sptrsvThresholdPath(user, "H", path, sizeof(path)));
  expect(!strcmp(path, "/h/.config/syncfree/H.threshold"), "a relative folder is not ignored: %s", path);
  expect_refusal(sptrsvThresholdPath(SPTRSV_THRESHOLD_PLACES, "H", path, sizeof(path)));
  expect_refusal(sptrsvThresholdPath(user, NULL, path, sizeof(path)));
  expect_refusal(sptrsvThresholdPath(user, "H", NULL, sizeof(path)));
  expect_refusal(sptrsvThresholdPath(user, "H", path, 0));
  expect_refusal(sptrsvDeviceName(NULL, 1));
  expect_refusal(sptrsvDeviceName(name, 0));
  if (sptrsvDeviceCount()) expect(!sptrsvDeviceName(name, sizeof(name)) && name[0], "the GPU has no name");
  else expect_status(sptrsvDeviceName(name, sizeof(name)), SPTRSV_NO_DEVICE, "the name of a GPU that is not there");
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("threshold", argc, argv);
  (void)snprintf(file_path, sizeof(file_path), "/tmp/syncfree-threshold-%ld", (long)getpid());
  test_taken("gpu = NVIDIA H200\nthreshold = 12.5\n", "NVIDIA H200", 12.5);
  test_taken("# by hand\n\n  threshold=3e0   \r\n\tgpu =  NVIDIA H100  \nmatrices = many = x\n#", NULL, 3);
  test_taken("gpu = NVIDIA H200\nthreshold = 0x1p3", "NVIDIA H200", 8); /* what strtod() takes */
  test_lines();
  test_numbers();
  test_missing();
  test_paths();
  (void)remove(file_path);
  return test_end();
}
