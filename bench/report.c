/* report.c - Medians, the CSV file, seeded numbers. */
#define _POSIX_C_SOURCE 200809L
#include "report.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int compare_times(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;

  return (x > y) - (x < y);
}

double report_median(double *times, int count)
{
  qsort(times, (size_t)count, sizeof *times, compare_times);
  return 0.5 * (times[(count - 1) / 2] + times[count / 2]);
}

/* xorshift64 of Marsaglia */
double report_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

void report_run(char *name, size_t size)
{
  const time_t now = time(NULL);
  struct tm    utc;
  char         stamp[32];

  (void)gmtime_r(&now, &utc);
  (void)strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &utc);
  (void)snprintf(name, size, "%s-%ld", stamp, (long)getpid());
}

/* Whether the first line of the file is the header; true for an empty file too. */
static bool same_header(FILE *file, const char *header)
{
  for (const char *c = header; *c; c++) {
    const int got = fgetc(file);

    if (got == EOF && c == header) return true;
    if (got != (unsigned char)*c) return false;
  }
  return fgetc(file) == '\n';
}

bool report_open(const char *path, const char *header, FILE **file, char *error, size_t size)
{
  *file = fopen(path, "a+");
  if (!*file) {
    (void)snprintf(error, size, "%s: %s", path, strerror(errno));
    return false;
  }
  rewind(*file);
  if (!same_header(*file, header)) {
    (void)snprintf(error, size, "%s: has other columns than this program writes; give a new file", path);
    (void)fclose(*file);
    *file = NULL;
    return false;
  }
  (void)fseek(*file, 0, SEEK_END);
  if (!ftell(*file)) (void)fprintf(*file, "%s\n", header);
  return true;
}

/* Always quoted, because grids have commas in their names. */
void report_text(FILE *file, bool first, const char *text)
{
  (void)fputs(first ? "\"" : ",\"", file);
  for (; *text; text++) {
    if (*text == '"') (void)fputc('"', file);
    (void)fputc(*text, file);
  }
  (void)fputc('"', file);
}

void report_number(FILE *file, double number)
{
  if (isfinite(number)) (void)fprintf(file, ",%.10g", number);
  else (void)fputc(',', file);
}
