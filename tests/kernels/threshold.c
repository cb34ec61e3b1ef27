/* Files with yuenyeung's threshold: what is read, what is refused and with which words, and their names. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "check.h"

static char Path[64];

static void Write(const char *text, size_t length)
{
  FILE *file = fopen(Path, "wb");

  if (!expect(file != NULL, "%s cannot be written", Path)) return;
  expect(fwrite(text, 1, length, file) == length && !fclose(file), "%s cannot be written", Path);
}

static void Takes(const char *text, const char *gpu, double right)
{
  double threshold  = -1;
  char   error[256] = "";

  caseBegin("a file that is right, for %s", gpu ? gpu : "any GPU");
  Write(text, strlen(text));
  expectStatus(sptrsvThresholdRead(Path, gpu, &threshold, error, sizeof(error)), SPTRSV_SUCCESS, error);
  expect(threshold == right, "threshold %g, not %g", threshold, right);
  expectSuccess(sptrsvThresholdRead(Path, gpu, &threshold, NULL, 0));
  caseEnd();
}

/* words: the message after the path */
static void RefusesBytes(const char *text, size_t length, const char *words)
{
  double threshold  = -1;
  char   error[256] = "", small[8];

  caseBegin("a file that is refused: %s", words);
  Write(text, length);
  expectStatus(sptrsvThresholdRead(Path, "NVIDIA H200", &threshold, error, sizeof(error)), SPTRSV_FILE_ERROR, "sptrsvThresholdRead");
  expect(!strncmp(error, Path, strlen(Path)) && !strcmp(error + strlen(Path), words), "it says \"%s\"", error);
  expect(threshold == -1, "the threshold was touched");
  expectStatus(sptrsvThresholdRead(Path, "NVIDIA H200", &threshold, small, sizeof(small)), SPTRSV_FILE_ERROR, "a short message");
  expect(strlen(small) == sizeof(small) - 1, "the message is cut to \"%s\"", small);
  caseEnd();
}

static void Refuses(const char *text, const char *words)
{
  RefusesBytes(text, strlen(text), words);
}

static void Lines(void)
{
  char text[1200] = "gpu = NVIDIA H200\nnote = ";

  memset(text + strlen(text), 'x', 600);
  Refuses(text, ", line 2: longer than 511 characters");
  RefusesBytes("gpu = NVIDIA H200\n\0threshold = 3\n", 33, ", line 2: a zero byte: this is no text");
  Refuses("", ": there is no line \"gpu = MODEL\"");
  Refuses("gpu = NVIDIA H200\n", ": there is no line \"threshold = NUMBER\"");
  Refuses("threshold = 3\n", ": there is no line \"gpu = MODEL\"");
  Refuses("# a comment\n\nNVIDIA H200\n", ", line 3: expected \"word = text\" or a comment after #");
  Refuses("= 3\n", ", line 1: expected \"word = text\" or a comment after #");
  Refuses("gpu =\n", ", line 1: no GPU model is named");
  Refuses("gpu = NVIDIA H100\n", ", line 1: trained on \"NVIDIA H100\", but this GPU is \"NVIDIA H200\"");
  Refuses("gpu = NVIDIA H200\ngpu = NVIDIA H200\n", ", line 2: a second GPU model");
  Refuses("threshold = 3\nthreshold = 3\n", ", line 2: a second threshold");
}

static void Numbers(void)
{
  static const char *const bad[] = {"", "-3", "0", "nan", "inf", "1e999", "ten", "3 4", "3,5", "0x"};
  char                     text[64], words[96];

  for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
    (void)snprintf(text, sizeof(text), "threshold = %s\n", bad[k]);
    (void)snprintf(words, sizeof(words), ", line 1: the threshold must be a positive number, not \"%s\"", bad[k]);
    Refuses(text, words);
  }
}

static void Missing(void)
{
  double threshold  = -1;
  char   error[256] = "";

  caseBegin("files that are none, missing arguments");
  expectStatus(sptrsvThresholdRead("/no/such/file", NULL, &threshold, error, sizeof(error)), SPTRSV_FILE_ERROR, "no file");
  expect(!strcmp(error, "/no/such/file: No such file or directory"), "it says \"%s\"", error);
  expectStatus(sptrsvThresholdRead("/", NULL, &threshold, error, sizeof(error)), SPTRSV_FILE_ERROR, "a folder");
  expect(!strcmp(error, "/: Is a directory"), "it says \"%s\"", error);
  expectRefusal(sptrsvThresholdRead(NULL, NULL, &threshold, error, sizeof(error)));
  expectRefusal(sptrsvThresholdRead(Path, NULL, NULL, error, sizeof(error)));
  expectRefusal(sptrsvThresholdRead(Path, NULL, &threshold, NULL, 1));
  caseEnd();
}

static void FileNames(void)
{
  char name[SPTRSV_NAME_LENGTH], longest[SPTRSV_NAME_LENGTH];

  caseBegin("names of files");
  expectSuccess(sptrsvThresholdFileName("NVIDIA H200", name, sizeof(name)));
  expect(!strcmp(name, "NVIDIA_H200.threshold"), "%s", name);
  expectSuccess(sptrsvThresholdFileName("../a/b (80 GB)", name, sizeof(name)));
  expect(!strcmp(name, ".._a_b__80_GB_.threshold"), "%s", name);
  expectRefusal(sptrsvThresholdFileName("NVIDIA H200", name, sizeof("NVIDIA_H200.threshold") - 1));
  expectSuccess(sptrsvThresholdFileName("NVIDIA H200", name, sizeof("NVIDIA_H200.threshold")));
  memset(longest, 'x', sizeof(longest) - 1);
  longest[sizeof(longest) - 1] = 0;
  expectRefusal(sptrsvThresholdFileName(longest, name, sizeof(name)));
  expectRefusal(sptrsvThresholdFileName(NULL, name, sizeof(name)));
  expectRefusal(sptrsvThresholdFileName("x", NULL, sizeof(name)));
  expectRefusal(sptrsvThresholdFileName("x", name, 0));
  expectRefusal(sptrsvDeviceName(NULL, 1));
  expectRefusal(sptrsvDeviceName(name, 0));
  if (sptrsvDeviceCount()) expect(!sptrsvDeviceName(name, sizeof(name)) && name[0], "the GPU has no name");
  else expectStatus(sptrsvDeviceName(name, sizeof(name)), SPTRSV_NO_DEVICE, "the name of a GPU that is not there");
  caseEnd();
}

int main(int argc, char **argv)
{
  (void)testBegin("threshold", argc, argv);
  (void)snprintf(Path, sizeof(Path), "/tmp/syncfree-threshold-%ld", (long)getpid());
  Takes("gpu = NVIDIA H200\nthreshold = 12.5\n", "NVIDIA H200", 12.5);
  Takes("# by hand\n\n  threshold=3e0   \r\n\tgpu =  NVIDIA H100  \nmatrices = many = x\n#", NULL, 3);
  Takes("gpu = NVIDIA H200\nthreshold = 0x1p3", "NVIDIA H200", 8); /* what strtod() takes */
  Lines();
  Numbers();
  Missing();
  FileNames();
  (void)remove(Path);
  return testEnd();
}
