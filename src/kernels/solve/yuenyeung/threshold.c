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
} trained[] = {{"NVIDIA H200", 16}} /* bench/papers/results/yuenyeung.threshold */;

/* That of the authors' published code, for GPUs without a training */
static const double untrained = 10;

double sptrsvThresholdBuiltIn(const char *gpu, const char **origin)
{
  *origin = "built in, trained on this GPU model";
  for (size_t k = 0; k < sizeof(trained) / sizeof(*trained); k++) {
    if (!strcmp(gpu, trained[k].gpu)) return trained[k].threshold;
  }
  *origin = "built in, not trained on this GPU model";
  return untrained;
}

SptrsvStatus sptrsvThresholdFileName(const char *gpu, char *name, size_t size)
{
  if (!gpu || !name || !size) return SPTRSV_INVALID_ARGUMENT;
  if ((size_t)snprintf(name, size, "%s.threshold", gpu) >= size) return SPTRSV_INVALID_ARGUMENT;
  for (char *c = name; *c; c++) {
    if (!strchr("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", *c)) *c = '_'; /* the same in every locale */
  }
  return SPTRSV_SUCCESS;
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
refuse(const Reader *r, const char *format, ...)
{
  va_list arguments;
  int     head;

  if (!r->size) return SPTRSV_FILE_ERROR;
  head = r->line ? snprintf(r->error, r->size, "%s, line %d: ", r->path, r->line) : snprintf(r->error, r->size, "%s: ", r->path);
  if (head < 0 || (size_t)head >= r->size) return SPTRSV_FILE_ERROR;
  va_start(arguments, format);
  (void)vsnprintf(r->error + head, r->size - (size_t)head, format, arguments);
  va_end(arguments);
  return SPTRSV_FILE_ERROR;
}

/* *more: there was a line */
static SptrsvStatus read_line(Reader *r, bool *more)
{
  size_t length = 0;
  int    c      = getc(r->file);

  *more = c != EOF;
  if (*more) r->line++;
  for (; c != EOF && c != '\n'; c = getc(r->file)) {
    if (!c) return refuse(r, "a zero byte: this is no text");
    if (length + 1 == sizeof(r->text)) return refuse(r, "longer than %zu characters", sizeof(r->text) - 1);
    r->text[length++] = (char)c;
  }
  if (ferror(r->file)) return refuse(r, "%s", strerror(errno));
  r->text[length] = 0;
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

static SptrsvStatus take_threshold(Reader *r, const char *text)
{
  char *end;

  if (r->has_threshold) return refuse(r, "a second threshold");
  r->has_threshold = true;
  r->threshold     = strtod(text, &end);
  if (end == text || *end || !isfinite(r->threshold) || !(r->threshold > 0)) {
    return refuse(r, "the threshold must be a positive number, not \"%s\"", text);
  }
  return SPTRSV_SUCCESS;
}

static SptrsvStatus take_gpu(Reader *r, const char *text)
{
  if (r->has_gpu) return refuse(r, "a second GPU model");
  r->has_gpu = true;
  if (!*text) return refuse(r, "no GPU model is named");
  if (r->gpu && strcmp(text, r->gpu)) return refuse(r, "trained on \"%s\", but this GPU is \"%s\"", text, r->gpu);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus take_line(Reader *r)
{
  char *text = trimmed(r->text), *value = strchr(text, '='), *word;

  if (!*text || *text == '#') return SPTRSV_SUCCESS;
  if (!value || value == text) return refuse(r, "expected \"word = text\" or a comment after #");
  *value++ = 0;
  word     = trimmed(text);
  value    = trimmed(value);
  if (!strcmp(word, "threshold")) return take_threshold(r, value);
  return strcmp(word, "gpu") ? SPTRSV_SUCCESS : take_gpu(r, value);
}

static SptrsvStatus take_file(Reader *r)
{
  bool more;

  for (;;) {
    SPTRSV_TRY(read_line(r, &more));
    if (!more) break;
    SPTRSV_TRY(take_line(r));
  }
  r->line = 0;
  if (!r->has_gpu) return refuse(r, "there is no line \"gpu = MODEL\"");
  if (!r->has_threshold) return refuse(r, "there is no line \"threshold = NUMBER\"");
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
