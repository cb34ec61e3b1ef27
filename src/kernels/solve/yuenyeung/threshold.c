/* yuenyeung's threshold: the file that training writes, and the values that are built in. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "yuenyeung.h"

static const struct {
  const char *gpu;
  double      threshold;
} measured[] = {{"NVIDIA H100 80GB HBM3", 8}}; /* least loss on grids and files, bench/papers/yuenyeung.md */

/* That of the authors' published code, for other GPUs */
static const double published = 10;

double sptrsvThresholdBuiltIn(const char *gpu, const char **origin)
{
  *origin = "built in, measured on this GPU model";
  for (size_t k = 0; k < sizeof(measured) / sizeof(*measured); k++) {
    if (!strcmp(gpu, measured[k].gpu)) return measured[k].threshold;
  }
  *origin = "built in, not measured on this GPU model";
  return published;
}

typedef struct {
  const char *path, *gpu;
  FILE       *file;
  int         line;
  bool        has_gpu, has_threshold;
  double      threshold;
  char       *error;
  size_t      size;
  char        text[512]; /* of the line, without its end */
} Reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static SptrsvStatus
refuse(const Reader *reader, const char *format, ...)
{
  va_list arguments;
  int     head;

  if (!reader->size) return SPTRSV_FILE_ERROR;
  head = reader->line ? snprintf(reader->error, reader->size, "%s, line %d: ", reader->path, reader->line)
                      : snprintf(reader->error, reader->size, "%s: ", reader->path);
  if (head < 0 || (size_t)head >= reader->size) return SPTRSV_FILE_ERROR;
  va_start(arguments, format);
  (void)vsnprintf(reader->error + head, reader->size - (size_t)head, format, arguments);
  va_end(arguments);
  return SPTRSV_FILE_ERROR;
}

/* *more: there was a line */
static SptrsvStatus read_line(Reader *reader, bool *more)
{
  size_t length = 0;
  int    c      = getc(reader->file);

  *more = c != EOF;
  if (*more) reader->line++;
  for (; c != EOF && c != '\n'; c = getc(reader->file)) {
    if (!c) return refuse(reader, "a zero byte: this is no text");
    if (length + 1 == sizeof(reader->text)) return refuse(reader, "longer than %zu characters", sizeof(reader->text) - 1);
    reader->text[length++] = (char)c;
  }
  if (ferror(reader->file)) return refuse(reader, "%s", strerror(errno));
  reader->text[length] = 0;
  return SPTRSV_SUCCESS;
}

/* Without blanks at both ends */
static char *trimmed(char *text)
{
  char *end = text + strlen(text);

  while (end > text && isspace((unsigned char)end[-1])) *--end = 0;
  while (isspace((unsigned char)*text)) text++;
  return text;
}

static SptrsvStatus take_threshold(Reader *reader, const char *text)
{
  char *end;

  if (reader->has_threshold) return refuse(reader, "a second threshold");
  reader->has_threshold = true;
  reader->threshold     = strtod(text, &end);
  if (end == text || *end || !isfinite(reader->threshold) || !(reader->threshold > 0)) {
    return refuse(reader, "the threshold must be a positive number, not \"%s\"", text);
  }
  return SPTRSV_SUCCESS;
}

static SptrsvStatus take_gpu(Reader *reader, const char *text)
{
  if (reader->has_gpu) return refuse(reader, "a second GPU model");
  reader->has_gpu = true;
  if (!*text) return refuse(reader, "no GPU model is named");
  if (reader->gpu && strcmp(text, reader->gpu)) return refuse(reader, "trained on \"%s\", but this GPU is \"%s\"", text, reader->gpu);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus take_line(Reader *reader)
{
  char *text = trimmed(reader->text), *value = strchr(text, '='), *word;

  if (!*text || *text == '#') return SPTRSV_SUCCESS;
  if (!value || value == text) return refuse(reader, "expected \"word = text\" or a comment after #");
  *value++ = 0;
  word     = trimmed(text);
  value    = trimmed(value);
  if (!strcmp(word, "threshold")) return take_threshold(reader, value);
  return strcmp(word, "gpu") ? SPTRSV_SUCCESS : take_gpu(reader, value);
}

static SptrsvStatus take_file(Reader *reader)
{
  bool more;

  for (;;) {
    SPTRSV_TRY(read_line(reader, &more));
    if (!more) break;
    SPTRSV_TRY(take_line(reader));
  }
  reader->line = 0;
  if (!reader->has_gpu) return refuse(reader, "there is no line \"gpu = MODEL\"");
  if (!reader->has_threshold) return refuse(reader, "there is no line \"threshold = NUMBER\"");
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvThresholdRead(const char *path, const char *gpu, double *threshold, char *error, size_t size)
{
  Reader       r = {.path = path, .gpu = gpu, .error = error, .size = size};
  SptrsvStatus status;

  if (!path || !threshold || (size && !error)) return SPTRSV_INVALID_ARGUMENT;
  r.file = fopen(path, "r");
  if (!r.file) return refuse(&r, "%s", strerror(errno));
  status = take_file(&r);
  (void)fclose(r.file);
  if (!status) *threshold = r.threshold;
  return status;
}
