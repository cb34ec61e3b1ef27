/* choices.c - Choices of auto in a file: found, kept, passed over. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
    const char *what, *text;
    uint64_t    key;
    bool        complaint;
    int         rows; /* of the choice that is found, 0: none is */
  } files[] = {{"the first line", "a1 strips 2048 7 1 0; tried: x\na2 levelorder 0 0 0 0; y\n", 0xa1, false, 2048},
               {"the second line", "a1 strips 2048 7 1 0; x\na2 strips 512 7 3 0; y\n", 0xa2, false, 512},
               {"no such line", "a1 strips 2048 7 1 0; x\n", 0xa3, false, 0},
               {"an empty file", "", 0xa4, false, 0},
               {"a line without its end", "a5 strips 2048 7 1 0; x", 0xa5, false, 0},
               {"another text", "threshold = 3\n", 0xa6, true, 0},
               {"no such algorithm", "a7 stripes 2048 7 1; x\n", 0xa7, true, 0},
               {"auto itself", "a8 auto 2048 7 1; x\n", 0xa8, true, 0},
               {"no such order", "a9 strips 2048 7 4 0; x\n", 0xa9, true, 0},
               {"no such schedule", "ae strips 2048 7 1 3; x\n", 0xae, true, 0},
               {"negative rows", "aa strips -1 7 1 0; x\n", 0xaa, true, 0},
               {"a line cut short", "ab strips 2048\n", 0xab, true, 0},
               {"a line after others that are none",
                "ac strips 2048 7 4 0; x\n\nad strips 20ac strips 512 7 1 0; x\nac strips 256 7 1 0; x\n",
                0xac, true, 256}};

  for (size_t k = 0; k < sizeof(files) / sizeof(*files); k++) {
    SptrsvChoice choice = {.key = files[k].key};
    bool         found  = true;

    case_begin("a choice in a file: %s", files[k].what);
    write_file(files[k].text);
    const char *const complaint = sptrsvChoiceFind(path, &choice, &found);
    expect((complaint != NULL) == files[k].complaint, "complaint: %s", complaint ? complaint : "none");
    expect(found == (files[k].rows > 0), "found: %d", found);
    if (files[k].rows) expect(choice.strips.rows == files[k].rows, "%d rows", choice.strips.rows);
    case_end();
  }
}

static void test_long_line(void)
{
  SptrsvChoice choice     = {.key = 0xb1};
  char         text[4096] = "00000000000000b1 strips 2048 7 1 0; ";
  bool         found;

  case_begin("a choice in a file: a line that is too long");
  memset(text + strlen(text), 'x', sizeof(text) - strlen(text) - 2);
  text[sizeof(text) - 2] = '\n';
  write_file(text);
  expect(sptrsvChoiceFind(path, &choice, &found) && !found, "it is found, or nothing is said");
  case_end();
}

/* Runs in a process of its own, which has forgotten nothing and remembers nothing; returns whether it went well */
static bool elsewhere(bool (*run)(const SptrsvChoice *choice), const SptrsvChoice *choice)
{
  int status = -1;

  (void)fflush(NULL);
  const pid_t child = fork();
  if (!child) _exit(!run(choice));
  return waitpid(child, &status, 0) == child && status == 0;
}

static bool keeps(const SptrsvChoice *choice)
{
  return !sptrsvChoiceKeep(path, choice);
}

/* The file may not grow beyond its first bytes, as on a full disk: the line is cut off, but remembered */
static bool keeps_on_full_disk(const SptrsvChoice *choice)
{
  const struct rlimit few  = {20, 20};
  SptrsvChoice        same = {.key = choice->key};
  bool                found;

  (void)signal(SIGXFSZ, SIG_IGN);
  return !setrlimit(RLIMIT_FSIZE, &few) && sptrsvChoiceKeep(path, choice) && !sptrsvChoiceFind(path, &same, &found) && found;
}

static bool finds(const SptrsvChoice *choice)
{
  SptrsvChoice same = {.key = choice->key};
  bool         found;

  (void)sptrsvChoiceFind(path, &same, &found);
  return found;
}

static void test_full_disk(void)
{
  const char *const  strips = sptrsvAlgorithmFind("strips", SPTRSV_DEVICE)->name;
  const SptrsvChoice cut = {.key = 0xd1, .algorithm = strips, .tried = "x"}, whole = {.key = 0xd2, .algorithm = strips, .tried = "y"};

  case_begin("a choice that the disk has no room for");
  (void)remove(path);
  expect(elsewhere(keeps_on_full_disk, &cut), "it is not remembered, or nothing is said");
  expect(!elsewhere(finds, &cut), "it is found although it was cut off");
  expect(elsewhere(keeps, &whole), "the next one is not kept");
  expect(elsewhere(finds, &whole), "the next one is not found");
  case_end();
}

/* Another process keeps it, and this one finds it */
static void test_keep(void)
{
  const SptrsvAlgorithm *strips = sptrsvAlgorithmFind("strips", SPTRSV_DEVICE);
  const SptrsvChoice     kept   = {.key       = 0xc1,
                                   .algorithm = strips->name,
                                   .strips    = {0, 15, SPTRSV_STRIPS_BRICKS},
                                   .tried     = "levelorder 3.0 us, strips bricks 1.0 us"};
  SptrsvChoice           choice = {.key = kept.key};
  bool                   found  = true;

  case_begin("a choice that another process kept");
  (void)remove(path);
  expect(!sptrsvChoiceFind(path, &choice, &found) && !found, "it is found before it was kept");
  expect(elsewhere(keeps, &kept), "the other process does not keep it");
  expect(!sptrsvChoiceFind(path, &choice, &found), "the file is not in order");
  expect(found && choice.algorithm == kept.algorithm && choice.strips.order == kept.strips.order && choice.strips.warps == 15,
         "found: %d, %d warps", found, choice.strips.warps);
  expect(!strcmp(choice.tried, kept.tried), "tried: \"%s\"", choice.tried);
  (void)remove(path);
  expect(!sptrsvChoiceFind(NULL, &choice, &found) && found, "the process has forgotten it");
  expect(sptrsvChoiceKeep("/no/such/folder/file", &kept) != NULL, "nothing is said of a file that cannot be written");
  choice.key = 0xc2;
  expect(sptrsvChoiceFind("/", &choice, &found) && !found, "nothing is said of a folder");
  expect(sptrsvChoiceFind("/dev/zero", &choice, &found) && !found, "nothing is said of a file without an end");
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
    test_full_disk();
    (void)remove(path);
  } else case_skip("choices of auto: built without CUDA");
  return test_end();
}
