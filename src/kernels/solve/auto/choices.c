/* Choices of `auto`: a ring of them in the process, and a line for each in a file. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "choices.h"

enum { REMEMBERED = 64, LINE = SPTRSV_TRIED + 128 };

static SptrsvChoice    remembered[REMEMBERED];
static unsigned        choices;
static pthread_mutex_t remembering = PTHREAD_MUTEX_INITIALIZER;

static bool recall(SptrsvChoice *choice)
{
  bool found = false;

  (void)pthread_mutex_lock(&remembering);
  for (unsigned k = 0; !found && k < REMEMBERED && k < choices; k++) {
    found = remembered[k].key == choice->key;
    if (found) *choice = remembered[k];
  }
  (void)pthread_mutex_unlock(&remembering);
  return found;
}

void sptrsvChoiceOfMatrix(uint64_t matrix, SptrsvChoice *choice, bool *found)
{
  *found = false;
  (void)pthread_mutex_lock(&remembering);
  for (unsigned k = choices; !*found && k && k + REMEMBERED > choices; k--) {
    const SptrsvChoice *one = &remembered[(k - 1) % REMEMBERED];

    *found = one->matrix == matrix && one->us > 0;
    if (*found) *choice = *one;
  }
  (void)pthread_mutex_unlock(&remembering);
}

static void remember(const SptrsvChoice *choice)
{
  (void)pthread_mutex_lock(&remembering);
  remembered[choices++ % REMEMBERED] = *choice;
  (void)pthread_mutex_unlock(&remembering);
}

/* key algorithm rows warps order; tried */
static SptrsvStatus parse(const char *line, SptrsvChoice *choice)
{
  char                   name[32];
  int                    read, order, tried = 0;
  const SptrsvAlgorithm *algorithm;

  read = sscanf(line, "%" SCNx64 " %31s %d %d %d; %n", &choice->key, name, &choice->strips.rows, &choice->strips.warps, &order, &tried);
  if (read < 5 || !tried) return SPTRSV_FILE_ERROR;
  algorithm            = sptrsvAlgorithmFind(name, SPTRSV_DEVICE);
  choice->strips.order = (SptrsvStripsOrder)order;
  if (!algorithm || sptrsvIsAuto(name) || strlen(line + tried) >= sizeof(choice->tried)) return SPTRSV_FILE_ERROR;
  if (choice->strips.rows < 0 || choice->strips.warps < 0 || order < 0 || order > SPTRSV_STRIPS_BRICKS) return SPTRSV_FILE_ERROR;
  choice->algorithm = algorithm->name;
  memcpy(choice->tried, line + tried, strlen(line + tried) + 1);
  return SPTRSV_SUCCESS;
}

/* A last line without its end is still being written. */
static SptrsvStatus search(FILE *file, SptrsvChoice *choice, bool *found)
{
  char line[LINE];

  while (!*found && fgets(line, sizeof(line), file)) {
    char *const  end  = strchr(line, '\n');
    SptrsvChoice kept = {0};

    if (!end) return feof(file) ? SPTRSV_SUCCESS : SPTRSV_FILE_ERROR;
    *end = 0;
    SPTRSV_TRY(parse(line, &kept));
    *found = kept.key == choice->key;
    if (*found) *choice = kept;
  }
  return ferror(file) ? SPTRSV_FILE_ERROR : SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvChoiceFind(const char *path, SptrsvChoice *choice, bool *found)
{
  FILE        *file;
  SptrsvStatus status;

  *found = recall(choice);
  if (*found || !*path) return SPTRSV_SUCCESS;
  file = fopen(path, "r");
  if (!file) return errno == ENOENT ? SPTRSV_SUCCESS : SPTRSV_FILE_ERROR;
  status = search(file, choice, found);
  (void)fclose(file);
  if (*found) remember(choice);
  return status;
}

SptrsvStatus sptrsvChoiceKeep(const char *path, const SptrsvChoice *choice)
{
  const SptrsvStripsOptions *s = &choice->strips;
  FILE                      *file;
  int                        written;

  if (!*path) {
    remember(choice);
    return SPTRSV_SUCCESS;
  }
  file = fopen(path, "a");
  if (!file) return SPTRSV_FILE_ERROR;
  written =
      fprintf(file, "%016" PRIx64 " %s %d %d %d; %s\n", choice->key, choice->algorithm, s->rows, s->warps, (int)s->order, choice->tried);
  if (fclose(file) || written < 0) return SPTRSV_FILE_ERROR; /* not remembered, so that the next attempt fails, too */
  remember(choice);
  return SPTRSV_SUCCESS;
}
