/* Choices of `auto`: a ring of them in the process, and a line for each in a file. */
#define _POSIX_C_SOURCE 200809L /* pread() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
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

/* key algorithm rows warps order schedule; tried */
static bool parse(const char *line, SptrsvChoice *choice)
{
  char                   name[32];
  int                    read, order, schedule, tried = 0;
  SptrsvStripsOptions   *strips = &choice->strips;
  const SptrsvAlgorithm *algorithm;

  read = sscanf(line, "%" SCNx64 " %31s %d %d %d %d; %n", &choice->key, name, &strips->rows, &strips->warps, &order, &schedule, &tried);
  if (read < 6 || !tried) return false;
  algorithm        = sptrsvAlgorithmFind(name, SPTRSV_DEVICE);
  strips->order    = (SptrsvStripsOrder)order;
  strips->schedule = (SptrsvStripsSchedule)schedule;
  if (!algorithm || sptrsvIsAuto(name) || strlen(line + tried) >= sizeof(choice->tried)) return false;
  if (strips->rows < 0 || strips->warps < 0 || order < 0 || order > SPTRSV_STRIPS_BRICKS) return false;
  if (schedule < 0 || schedule > SPTRSV_STRIPS_LIST) return false;
  choice->algorithm = algorithm->name;
  memcpy(choice->tried, line + tried, strlen(line + tried) + 1);
  return true;
}

/* The next line without its end; nothing of one that is too long.  False: there is none, or only one without an end, which may still be
   written, or was cut off */
static bool next_line(FILE *file, char line[LINE])
{
  size_t length = 0;
  int    c;

  while ((c = getc(file)) != EOF && c != '\n') {
    if (length < LINE) line[length++] = (char)c;
  }
  line[length < LINE ? length : 0] = 0;
  return c != EOF;
}

static const char *search(FILE *file, SptrsvChoice *choice, bool *found)
{
  char line[LINE];
  bool strange = false;

  while (!*found && next_line(file, line)) {
    SptrsvChoice kept = {0};

    if (!parse(line, &kept)) strange = true;
    else if (kept.key == choice->key) {
      *found  = true;
      *choice = kept;
    }
  }
  return ferror(file) ? "auto_file cannot be read" : strange ? "auto_file has lines that are no choices of this version" : NULL;
}

const char *sptrsvChoiceFind(const char *path, SptrsvChoice *choice, bool *found)
{
  FILE       *file;
  struct stat status;
  const char *complaint;

  *found = recall(choice);
  if (*found || !path) return NULL;
  if (stat(path, &status)) return errno == ENOENT ? NULL : "auto_file cannot be read";
  file = S_ISREG(status.st_mode) ? fopen(path, "r") : NULL; /* others may never end */
  if (!file) return "auto_file cannot be read";
  complaint = search(file, choice, found);
  (void)fclose(file);
  if (*found) remember(choice);
  return complaint;
}

/* Tells whether the file's last line lacks its end */
static bool is_cut_off(int file)
{
  const off_t end = lseek(file, 0, SEEK_END);
  char        last;

  return end > 0 && pread(file, &last, 1, end - 1) == 1 && last != '\n';
}

/* Writes the line in one call, so that those of several processes do not mix.  One that was cut off is ended before. */
static bool append(int file, const SptrsvChoice *choice)
{
  const SptrsvStripsOptions *s = &choice->strips;
  char                       line[LINE];
  const int length = snprintf(line, sizeof(line), "%s%016" PRIx64 " %s %d %d %d %d; %s\n", is_cut_off(file) ? "\n" : "", choice->key,
                              choice->algorithm, s->rows, s->warps, (int)s->order, (int)s->schedule, choice->tried);

  return write(file, line, (size_t)length) == length;
}

const char *sptrsvChoiceKeep(const char *path, const SptrsvChoice *choice)
{
  int  file;
  bool written;

  remember(choice);
  if (!path) return NULL;
  file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return "auto_file cannot be written";
  written = append(file, choice);
  return !close(file) && written ? NULL : "auto_file cannot be written";
}
