/* matrix_market.c - Reader of MatrixMarket files, https://math.nist.gov/MatrixMarket/formats.html, gzipped or not. */
#define _POSIX_C_SOURCE 200809L
#include "matrix_market.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
  LINE_LENGTH    = 1024, /* the most that the format allows */
  ROWS_PER_ENTRY = 1024  /* a line of sizes with more is refused: it must not make the reader allocate memory */
};

typedef enum { GENERAL, SYMMETRIC, SKEW } Symmetry;

typedef struct {
  FILE       *file;
  pid_t       gzip; /* the process that unpacks, or 0 */
  const char *path;
  char        text[LINE_LENGTH + 2]; /* with "\r" and a zero */
  long        line;
  char       *error;
  size_t      size;
} Reader;

typedef struct {
  bool     pattern;
  Symmetry symmetry;
  int64_t  rows, entries; /* as the size line says */
} Header;

/* ---------------------------------------------------- opening, closing ------------------------------------------------------ */

/* The packed file is gzip's standard input: no name is passed on, so none has to be quoted. */
static bool start_gzip(Reader *reader, int packed)
{
  static char               name[] = "gzip", decompress[] = "-dc";
  char                     *arguments[] = {name, decompress, NULL};
  posix_spawn_file_actions_t actions;
  int                        ends[2], status;

  if (pipe(ends)) return csr_matrix_fail(reader->error, reader->size, "%s: %s", reader->path, strerror(errno));
  (void)posix_spawn_file_actions_init(&actions);
  (void)posix_spawn_file_actions_adddup2(&actions, packed, STDIN_FILENO);
  (void)posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0); /* close_reader() reports errors */
  (void)posix_spawn_file_actions_addclose(&actions, ends[0]);
  status = posix_spawnp(&reader->gzip, name, &actions, NULL, arguments, environ);
  (void)posix_spawn_file_actions_destroy(&actions);
  (void)close(ends[1]);
  if (!status) reader->file = fdopen(ends[0], "r");
  if (reader->file) return true;
  (void)close(ends[0]);
  if (status) reader->gzip = 0;
  return csr_matrix_fail(reader->error, reader->size, "%s: cannot run gzip: %s", reader->path, strerror(status ? status : errno));
}

static bool open_reader(Reader *reader)
{
  unsigned char magic[2];
  int           file = open(reader->path, O_RDONLY | O_CLOEXEC);
  ssize_t       got;
  bool          ok = true;

  if (file < 0) return csr_matrix_fail(reader->error, reader->size, "%s: %s", reader->path, strerror(errno));
  got = pread(file, magic, sizeof magic, 0);
  if (got == 2 && magic[0] == 0x1f && magic[1] == 0x8b) {
    ok = start_gzip(reader, file);
    (void)close(file);
  } else if (got < 0 || !(reader->file = fdopen(file, "r"))) {
    ok = csr_matrix_fail(reader->error, reader->size, "%s: %s", reader->path, strerror(errno));
    (void)close(file);
  }
  return ok;
}

/* gzip's exit status counts only if its whole output was read; else the closed pipe ended it. */
static bool close_reader(Reader *reader, bool ok)
{
  const bool ended  = reader->file && feof(reader->file);
  int        status = 0;

  if (reader->file) (void)fclose(reader->file);
  if (!reader->gzip) return ok;
  while (waitpid(reader->gzip, &status, 0) < 0 && errno == EINTR) { }
  if (ended && status) return csr_matrix_fail(reader->error, reader->size, "%s: gzip failed, the file is damaged", reader->path);
  return ok;
}

/* --------------------------------------------------------- lines ------------------------------------------------------------ */

#define fail_line(...) (line_message(__VA_ARGS__), false)
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void line_message(const Reader *reader, const char *format, ...)
{
  char    message[256];
  va_list arguments;

  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  csr_matrix_message(reader->error, reader->size, "%s, line %ld: %s", reader->path, reader->line, message);
}

static char *skip_space(char *text)
{
  while (isspace((unsigned char)*text)) text++;
  return text;
}

/* Next line of any kind, without its end.  False at the end of the file, and with *ok false if it is not a line of text.  Not by
   fgets(), which does not tell a zero byte from the end of a line. */
static bool next_raw_line(Reader *reader, bool *ok)
{
  int length = 0, c;

  reader->line++;
  while ((c = getc_unlocked(reader->file)) != EOF && c != '\n' && c && length <= LINE_LENGTH) reader->text[length++] = (char)c;
  reader->text[length] = 0;
  *ok                  = c == EOF || c == '\n';
  if (!*ok) return fail_line(reader, c ? "longer than 1024 characters" : "a zero byte: this is not a text file");
  return length || c == '\n';
}

/* Next line that is neither blank nor a comment. */
static bool next_line(Reader *reader, bool *ok)
{
  while (next_raw_line(reader, ok)) {
    const char first = *skip_space(reader->text);

    if (first && first != '%') return true;
  }
  return false;
}

static bool parse_integer(char **text, int64_t low, int64_t high, int64_t *value)
{
  char *end;

  errno  = 0;
  *value = strtoll(*text, &end, 10);
  if (end == *text || errno || (*end && !isspace((unsigned char)*end)) || *value < low || *value > high) return false;
  *text = end;
  return true;
}

/* --------------------------------------------------------- header ----------------------------------------------------------- */

static bool read_banner(Reader *reader, const char *expected, Header *header)
{
  char banner[32], object[32], format[32], field[32], symmetry[32], rest[2];
  bool ok;

  if (!next_raw_line(reader, &ok)) return ok ? csr_matrix_fail(reader->error, reader->size, "%s: empty file", reader->path) : false;
  if (sscanf(reader->text, "%31s %31s %31s %31s %31s %1s", banner, object, format, field, symmetry, rest) != 5
      || strcasecmp(banner, "%%MatrixMarket") || strcasecmp(object, "matrix")) {
    return fail_line(reader, "expected %%%%MatrixMarket matrix %s %s", expected,
                     strcmp(expected, "array") ? "real|integer|pattern general|symmetric|skew-symmetric" : "real|integer general");
  }
  if (strcasecmp(format, expected)) return fail_line(reader, "expected %s, not %s", expected, format);
  header->pattern = !strcasecmp(field, "pattern");
  if (!header->pattern && strcasecmp(field, "real") && strcasecmp(field, "integer")) {
    return fail_line(reader, "expected real, integer or pattern, not %s", field);
  }
  if (!strcasecmp(symmetry, "general")) header->symmetry = GENERAL;
  else if (!strcasecmp(symmetry, "symmetric")) header->symmetry = SYMMETRIC;
  else if (!strcasecmp(symmetry, "skew-symmetric") && !header->pattern) header->symmetry = SKEW;
  else return fail_line(reader, "expected general, symmetric or, with values, skew-symmetric, not %s", symmetry);
  return true;
}

static bool read_sizes(Reader *reader, Header *header)
{
  char   *text = reader->text;
  int64_t cols;
  bool    ok;

  if (!next_line(reader, &ok)) return ok ? fail_line(reader, "the file ends where rows, columns and entries are expected") : false;
  if (!parse_integer(&text, 0, INT32_MAX - 1, &header->rows) || !parse_integer(&text, 0, INT32_MAX - 1, &cols)
      || !parse_integer(&text, 0, INT32_MAX, &header->entries) || *skip_space(text)) {
    return fail_line(reader, "expected rows, columns and entries, none negative and each of which fits in 32 bits");
  }
  if (header->rows != cols) {
    return fail_line(reader, "expected a square matrix, not %lld rows and %lld columns", (long long)header->rows, (long long)cols);
  }
  if (header->rows / ROWS_PER_ENTRY > header->entries) {
    return fail_line(reader, "more than %d rows to each entry: the file is damaged", ROWS_PER_ENTRY);
  }
  return true;
}

/* --------------------------------------------------------- entries ---------------------------------------------------------- */

static bool parse_entry(const Reader *reader, const Header *header, CsrEntry *entry)
{
  char   *text = (char *)reader->text, *end;
  int64_t row, col;

  if (!parse_integer(&text, 1, header->rows, &row) || !parse_integer(&text, 1, header->rows, &col)) {
    return fail_line(reader, "expected a row and a column between 1 and %lld", (long long)header->rows);
  }
  entry->row   = (int32_t)(row - 1);
  entry->col   = (int32_t)(col - 1);
  entry->value = -1; /* patterns: as in a graph's Laplacian */
  if (!header->pattern) {
    entry->value = strtod(text, &end);
    if (end == text || !isfinite(entry->value)) return fail_line(reader, "expected a finite value after row and column");
    text = end;
  }
  if (*skip_space(text)) {
    return fail_line(reader, "expected the end of the line after %s", header->pattern ? "row and column" : "row, column and value");
  }
  if (header->symmetry != GENERAL && row < col) return fail_line(reader, "expected row >= column in a symmetric file");
  if (header->symmetry == SKEW && row == col) return fail_line(reader, "expected row > column in a skew-symmetric file");
  return true;
}

/* Room for two more entries.  It grows as lines arrive, since the number in the file may be wrong. */
static bool reserve(const Reader *reader, CsrEntry **entries, int64_t count, int64_t *room)
{
  CsrEntry *more;

  if (count + 2 <= *room) return true;
  if (count + 2 > INT32_MAX) return fail_line(reader, "more entries than 32-bit indices hold");
  *room = 2 * *room + 1024;
  more  = realloc(*entries, (size_t)*room * sizeof **entries);
  if (!more) return fail_line(reader, "out of memory");
  *entries = more;
  return true;
}

static bool read_entries(Reader *reader, const Header *header, CsrEntry **entries, int64_t *count)
{
  int64_t read = 0, room = 0;
  bool    ok = true;

  *entries = NULL;
  *count   = 0;
  while (next_line(reader, &ok)) {
    CsrEntry *entry;

    if (read++ == header->entries) return fail_line(reader, "expected the end of the file after %lld entries", (long long)header->entries);
    if (!reserve(reader, entries, *count, &room)) return false;
    entry = *entries + (*count)++;
    if (!parse_entry(reader, header, entry)) return false;
    if (header->symmetry != GENERAL && entry->row != entry->col) {
      (*entries)[(*count)++] = (CsrEntry){entry->col, entry->row, header->symmetry == SKEW ? -entry->value : entry->value};
    }
  }
  if (ok && ferror(reader->file)) return fail_line(reader, "%s", strerror(errno));
  if (ok && read < header->entries) {
    return fail_line(reader, "the file ends after %lld of %lld entries", (long long)read, (long long)header->entries);
  }
  return ok;
}

/* ----------------------------------------------------------- CSR ------------------------------------------------------------ */

/* Each value is finite, but the sum of equal entries may not be. */
static bool check_sums(const Reader *reader, const CsrMatrix *A)
{
  for (int64_t i = 0; i < A->rows; i++) {
    for (int32_t p = A->row_ptr[i]; p < A->row_ptr[i + 1]; p++) {
      if (isfinite(A->values[p])) continue;
      return csr_matrix_fail(reader->error, reader->size, "%s: the values given for row %lld, column %d add up to %g", reader->path,
                             (long long)i + 1, A->col_idx[p] + 1, A->values[p]);
    }
  }
  return true;
}

static bool build_csr(const Reader *reader, const Header *header, CsrEntry *entries, int64_t count, CsrMatrix *A)
{
  if (!csr_matrix_assemble(header->rows, entries, count, A)) {
    return csr_matrix_fail(reader->error, reader->size, "%s: out of memory", reader->path);
  }
  A->pattern = header->pattern;
  if (check_sums(reader, A)) return true;
  csr_matrix_destroy(A);
  return false;
}

bool matrix_market_read(const char *path, CsrMatrix *A, char *error, size_t size)
{
  Reader  reader  = {.path = path, .error = error, .size = size};
  Header  header  = {0};
  CsrEntry  *entries = NULL;
  int64_t count   = 0;
  bool    ok      = open_reader(&reader);

  ok = ok && read_banner(&reader, "coordinate", &header) && read_sizes(&reader, &header);
  ok = ok && read_entries(&reader, &header, &entries, &count);
  ok = close_reader(&reader, ok) && build_csr(&reader, &header, entries, count, A);
  free(entries);
  return ok;
}

/* ---------------------------------------------------------- vectors --------------------------------------------------------- */

static bool read_values(Reader *reader, int64_t rows, double *values)
{
  char   *text = reader->text, *end;
  int64_t number;
  bool    ok;

  if (!next_line(reader, &ok)) return ok && fail_line(reader, "the file ends where rows and columns are expected");
  if (!parse_integer(&text, rows, rows, &number) || !parse_integer(&text, 1, 1, &number) || *skip_space(text)) {
    return fail_line(reader, "expected %lld rows and 1 column", (long long)rows);
  }
  for (int64_t i = 0; i < rows; i++) {
    if (!next_line(reader, &ok)) return ok && fail_line(reader, "the file ends after %lld of %lld values", (long long)i, (long long)rows);
    values[i] = strtod(reader->text, &end);
    if (end == reader->text || !isfinite(values[i]) || *skip_space(end)) return fail_line(reader, "expected one finite value");
  }
  if (next_line(reader, &ok)) return fail_line(reader, "expected the end of the file after %lld values", (long long)rows);
  return ok;
}

bool matrix_market_read_vector(const char *path, int64_t rows, double *values, char *error, size_t size)
{
  Reader reader = {.path = path, .error = error, .size = size};
  Header header = {0};
  bool   ok     = open_reader(&reader) && read_banner(&reader, "array", &header);

  if (ok && (header.pattern || header.symmetry != GENERAL)) ok = fail_line(&reader, "expected real or integer, and general");
  ok = ok && read_values(&reader, rows, values);
  return close_reader(&reader, ok);
}
