/* choices.c - Choices of auto in a file: found, kept, refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../src/kernels/solve/auto/choices.h"
#include "check.h"

static char path[64];

static void write_file(const char *text)
{
  FILE *file = fopen(path, "w");

  if (!expect(file != NULL, "%s cannot be written", path)) return;
  (void)fputs(text, file);
  (void)fclose(file);
}

/* Each key is asked for once only, since what was found is kept in the process */
static void test_find(void)
{
  static const struct {
    const char  *what, *text;
    uint64_t     key;
    SptrsvStatus status;
    int          rows; /* of the choice that is found, 0: none is */
  } files[] = {
    {"the first line", "a1 strips 2048 7 1; tried: x\na2 levelorder 0 0 0; y\n", 0xa1, SPTRSV_SUCCESS, 2048},
    {"the second line", "a1 strips 2048 7 1; x\na2 strips 512 7 3; y\n", 0xa2, SPTRSV_SUCCESS, 512},
    {"no such line", "a1 strips 2048 7 1; x\n", 0xa3, SPTRSV_SUCCESS, 0},
    {"an empty file", "", 0xa4, SPTRSV_SUCCESS, 0},
    {"a line without its end", "a5 strips 2048 7 1; x", 0xa5, SPTRSV_SUCCESS, 0},
    {"another text", "threshold = 3\n", 0xa6, SPTRSV_FILE_ERROR, 0},
    {"no such algorithm", "a7 stripes 2048 7 1; x\n", 0xa7, SPTRSV_FILE_ERROR, 0},
    {"auto itself", "a8 auto 2048 7 1; x\n", 0xa8, SPTRSV_FILE_ERROR, 0},
    {"no such order", "a9 strips 2048 7 4; x\n", 0xa9, SPTRSV_FILE_ERROR, 0},
    {"negative rows", "aa strips -1 7 1; x\n", 0xaa, SPTRSV_FILE_ERROR, 0},
    {"a line cut short", "ab strips 2048\n", 0xab, SPTRSV_FILE_ERROR, 0}
  };

  for (size_t k = 0; k < sizeof(files) / sizeof(*files); k++) {
    SptrsvChoice choice = {.key = files[k].key};
    bool         found  = true;

    case_begin("a choice in a file: %s", files[k].what);
    write_file(files[k].text);
    expect_status(sptrsvChoiceFind(path, &choice, &found), files[k].status, "sptrsvChoiceFind");
    if (!files[k].status) expect(found == (files[k].rows > 0), "found: %d", found);
    if (files[k].rows) expect(choice.strips.rows == files[k].rows, "%d rows", choice.strips.rows);
    case_end();
  }
}

static void test_long_line(void)
{
  SptrsvChoice choice = {.key = 0xb1};
  char         text[4096] = "00000000000000b1 strips 2048 7 1; ";
  bool         found;

  case_begin("a choice in a file: a line that is too long");
  memset(text + strlen(text), 'x', sizeof(text) - strlen(text) - 2);
  text[sizeof(text) - 2] = '\n';
  write_file(text);
  expect_status(sptrsvChoiceFind(path, &choice, &found), SPTRSV_FILE_ERROR, "sptrsvChoiceFind");
  case_end();
}

/* Another process keeps it, and this one finds it */
static void test_keep(void)
{
  const SptrsvAlgorithm *strips = sptrsvAlgorithmFind("strips", SPTRSV_DEVICE);
  const SptrsvChoice     kept   = {.key = 0xc1, .algorithm = strips->name, .strips = {0, 15, SPTRSV_STRIPS_BRICKS},
                                   .tried = "levelorder 3.0 us, strips bricks 1.0 us"};
  SptrsvChoice           choice = {.key = kept.key};
  bool                   found  = true;
  int                    status = -1;

  case_begin("a choice that another process kept");
  (void)remove(path);
  expect_success(sptrsvChoiceFind(path, &choice, &found));
  expect(!found, "it is found before it was kept");
  (void)fflush(NULL);
  const pid_t child = fork();
  if (!child) _exit(sptrsvChoiceKeep(path, &kept));
  expect(waitpid(child, &status, 0) == child && status == 0, "the other process ends with status %d", status);
  expect_success(sptrsvChoiceFind(path, &choice, &found));
  expect(found && choice.algorithm == kept.algorithm && choice.strips.order == kept.strips.order && choice.strips.warps == 15,
         "found: %d, %d warps", found, choice.strips.warps);
  expect(!strcmp(choice.tried, kept.tried), "tried: \"%s\"", choice.tried);
  (void)remove(path);
  expect_success(sptrsvChoiceFind("", &choice, &found));
  expect(found, "the process has forgotten it");
  expect_status(sptrsvChoiceKeep("/no/such/folder/file", &kept), SPTRSV_FILE_ERROR, "a file that cannot be written");
  choice.key = 0xc2;
  expect_status(sptrsvChoiceFind("/", &choice, &found), SPTRSV_FILE_ERROR, "a folder");
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("choices", argc, argv);
  (void)snprintf(path, sizeof(path), "/tmp/syncfree-choices-%ld", (long)getpid());
  if (sptrsvAlgorithmFind("strips", SPTRSV_DEVICE)) {
    test_find();
    test_long_line();
    test_keep();
    (void)remove(path);
  } else case_skip("choices of auto: built without CUDA");
  return test_end();
}
