/* yuenyeung's threshold: the file that training writes, and the values that are built in. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../impl.h"

static const struct {
  const char *gpu;
  double      threshold;
} Trained[] = {{"NVIDIA H200", 16}} /* bench/papers/results/yuenyeung.threshold */;

/* That of the authors' published code, for GPUs that nobody has trained */
static const double Untrained = 10;

double sptrsvThresholdBuiltIn(const char *gpu, const char **origin)
{
  *origin = "built in, trained on this GPU model";
  for (size_t k = 0; k < sizeof(Trained) / sizeof(*Trained); k++) {
    if (!strcmp(gpu, Trained[k].gpu)) return Trained[k].threshold;
  }
  *origin = "built in, not trained on this GPU model";
  return Untrained;
}

SptrsvStatus sptrsvThresholdFileName(const char *gpu, char *name, size_t size)
{
  if (!gpu || !name || !size) return SPTRSV_INVALID_ARGUMENT;
  if ((size_t)snprintf(name, size, "%s.threshold", gpu) >= size) return SPTRSV_INVALID_ARGUMENT;
  for (char *c = name; *c; c++) {
    if (!strchr("-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", *c)) *c = '_'; /* in every locale the same */
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
Refuse(const Reader *r, const char *format, ...)
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
static SptrsvStatus ReadLine(Reader *r, bool *more)
{
  size_t length = 0;
  int    c      = getc(r->file);

  *more = c != EOF;
  if (*more) r->line++;
  for (; c != EOF && c != '\n'; c = getc(r->file)) {
    if (!c) return Refuse(r, "a zero byte: this is no text");
    if (length + 1 == sizeof(r->text)) return Refuse(r, "longer than %zu characters", sizeof(r->text) - 1);
    r->text[length++] = (char)c;
  }
  if (ferror(r->file)) return Refuse(r, "%s", strerror(errno));
  r->text[length] = 0;
  return SPTRSV_SUCCESS;
}

/* Without blanks at both ends */
static char *Trimmed(char *text)
{
  char *end = text + strlen(text);

  while (end > text && isspace((unsigned char)end[-1])) *--end = 0;
  while (isspace((unsigned char)*text)) text++;
  return text;
}

static SptrsvStatus TakeThreshold(Reader *r, const char *text)
{
  char *end;

  if (r->has_threshold) return Refuse(r, "a second threshold");
  r->has_threshold = true;
  r->threshold     = strtod(text, &end);
  if (end == text || *end || !isfinite(r->threshold) || !(r->threshold > 0)) {
    return Refuse(r, "the threshold must be a positive number, not \"%s\"", text);
  }
  return SPTRSV_SUCCESS;
}

static SptrsvStatus TakeGpu(Reader *r, const char *text)
{
  if (r->has_gpu) return Refuse(r, "a second GPU model");
  r->has_gpu = true;
  if (!*text) return Refuse(r, "no GPU model is named");
  if (r->gpu && strcmp(text, r->gpu)) return Refuse(r, "trained on \"%s\", but this GPU is \"%s\"", text, r->gpu);
  return SPTRSV_SUCCESS;
}

static SptrsvStatus TakeLine(Reader *r)
{
  char *text = Trimmed(r->text), *value = strchr(text, '='), *word;

  if (!*text || *text == '#') return SPTRSV_SUCCESS;
  if (!value || value == text) return Refuse(r, "expected \"word = text\" or a comment after #");
  *value++ = 0;
  word     = Trimmed(text);
  value    = Trimmed(value);
  if (!strcmp(word, "threshold")) return TakeThreshold(r, value);
  return strcmp(word, "gpu") ? SPTRSV_SUCCESS : TakeGpu(r, value);
}

static SptrsvStatus TakeFile(Reader *r)
{
  bool more;

  for (;;) {
    SPTRSV_TRY(ReadLine(r, &more));
    if (!more) break;
    SPTRSV_TRY(TakeLine(r));
  }
  r->line = 0;
  if (!r->has_gpu) return Refuse(r, "there is no line \"gpu = MODEL\"");
  if (!r->has_threshold) return Refuse(r, "there is no line \"threshold = NUMBER\"");
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvThresholdRead(const char *path, const char *gpu, double *threshold, char *error, size_t size)
{
  Reader       r = {.path = path, .gpu = gpu, .error = error, .size = size};
  SptrsvStatus status;

  if (!path || !threshold || (size && !error)) return SPTRSV_INVALID_ARGUMENT;
  r.file = fopen(path, "r");
  if (!r.file) return Refuse(&r, "%s", strerror(errno));
  status = TakeFile(&r);
  (void)fclose(r.file);
  if (!status) *threshold = r.threshold;
  return status;
}
