/* The table of options: one row for each member of SptrsvTuning, those of studies in their folders.  The PETSc layer, the benchmark and
   doc/options.md use it too. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "impl.h"
#define MEMBERS SptrsvTuning
#include "option_row.h"

static const char *const strips_orders[]    = {[SPTRSV_STRIPS_AUTO]        = "auto",
                                               [SPTRSV_STRIPS_NATURAL]     = "natural",
                                               [SPTRSV_STRIPS_DEPTH_FIRST] = "depth-first",
                                               [SPTRSV_STRIPS_BRICKS]      = "bricks",
                                               NULL};
static const char *const strips_schedules[] = {
    [SPTRSV_STRIPS_SCHEDULE_AUTO] = "auto", [SPTRSV_STRIPS_LEVEL] = "level", [SPTRSV_STRIPS_LIST] = "list", NULL};
static const char *const factor_blocks[] = {"no", "matrix", "2", "3", "4", "5", "6", "7", "8", NULL}; /* to SPTRSV_BLOCK_ROWS */
static const char *const sweep_units[]   = {[SPTRSV_BY_BLOCKS] = "auto", [SPTRSV_BY_ROWS] = "no", NULL};
static const char *const precisions[]    = {[SPTRSV_PRECISION_OWN] = "double", [SPTRSV_PRECISION_SINGLE] = "single", NULL};
static const char *const host_storage[]  = {
     [SPTRSV_STORED_MEASURED] = "measured", [SPTRSV_STORED_ONCE] = "once", [SPTRSV_STORED_TWICE] = "twice", NULL};

/* clang-format off */
static const SptrsvOption options[] = {
  {"factor_algorithm", "the factorization", "algorithm of the factorization on the GPU",
   MEMBER(factor.algorithm), .type = SPTRSV_OPTION_FACTOR, .rule = "the pattern's"},

  {"factor_blocks", "the factorization", "by blocks of so many rows, or of the matrix's block size, as of a BAIJ matrix; zeros fill them",
   CHOICE(factor.blocks, factor_blocks), .rule = "no", .bare = "matrix"},

  {"sweep_blocks", "sweeps on the GPU, host-windows", "by blocks of rows with equal patterns, where half of all rows are in some, or never",
   CHOICE(sweep.blocks, sweep_units), .rule = "auto"},

  {"precision", "levelorder, levelset, strips", "of the values that the sweeps store; double: that of the scalars",
   CHOICE(sweep.precision, precisions), .rule = "double"},

  {"auto_budget", "auto on the GPU", "time for timing plans, in sweeps of the fastest; without it forecasts decide",
   INT(choice.budget), .rule = "none"},

  {"levelorder_lanes", "levelorder, levelset", "lanes for each row, a power of two up to the warp size",
   MEMBER(levelorder.lanes), .type = SPTRSV_OPTION_POWER, .most = SPTRSV_WARP, .rule = "a rule"},
  {"levelorder_warps", "levelorder", "number of resident warps",
   INT(levelorder.warps), .rule = "a rule"},

  {"strips_rows", "strips", "rows of a strip",
   INT(strips.rows), .rule = "a rule"},
  {"strips_warps", "strips", "warps of a team, lowered to what fits",
   INT(strips.warps), .rule = "15"},
  {"strips_order", "strips", "topological order that is cut into strips",
   CHOICE(strips.order, strips_orders), .rule = "natural"},
  {"strips_schedule", "strips", "order inside a strip: by level, or by a list schedule",
   CHOICE(strips.schedule, strips_schedules), .rule = "level"},
  {"strips_entries", "strips", "entries of an unknown: rows of more are cut",
   MEMBER(strips.entries), .type = SPTRSV_OPTION_POWER, .most = 16, .rule = "16, 8 or 4, by a rule"},

  {"host_window", "host-windows", "rows of a window",
   INT(host.window), .rule = "a rule"},
  {"host_storage", "host-windows", "values that the sweeps of icc read: the upper triangle's for both (once), or each its own",
   CHOICE(host.storage, host_storage), .rule = "measured"},
  {"host_threads", "host-windows, host-threads", "number of threads, of host-threads at most",
   INT(host.threads), .rule = "as many as a model expects to pay off"},
  {"host_threads_entries", "host-threads", "entries of a level for each thread",
   INT(host.threads_entries), .rule = "a rule"}
};
/* clang-format on */
static const int option_count = (int)(sizeof(options) / sizeof(options[0]));

/* Value of a member: an int or an enum, a double, or a text */
typedef union {
  int         whole;
  double      number;
  const char *text;
} Value;

const SptrsvOption *sptrsvOptionGet(int k)
{
  if (k < option_count) return k < 0 ? NULL : &options[k];
  k -= option_count;
  for (const SptrsvFamily *const *study = sptrsvStudies; *study; study++) {
    for (const SptrsvOption *row = (*study)->options; row && row->name; row++) {
      if (!k--) return row;
    }
  }
  return NULL;
}

SptrsvStatus sptrsvRefuse(SptrsvStatus status, char *error, size_t size, const char *format, ...)
{
  va_list arguments;

  if (!size) return status;
  va_start(arguments, format);
  (void)vsnprintf(error, size, format, arguments);
  va_end(arguments);
  return status;
}

/* The option of this name */
static SptrsvStatus find(const char *name, const SptrsvOption **option, char *error, size_t size)
{
  for (int k = 0; (*option = sptrsvOptionGet(k)); k++) {
    if (!strcmp((*option)->name, name)) return SPTRSV_SUCCESS;
  }
  return sptrsvRefuse(SPTRSV_UNKNOWN_NAME, error, size, "unknown option \"%s\", doc/options.md lists all", name);
}

/* Options whose member is the name of an algorithm, NULL for auto */
static bool is_name(const SptrsvOption *option)
{
  return option->type == SPTRSV_OPTION_ALGORITHM || option->type == SPTRSV_OPTION_FACTOR;
}

static SptrsvStatus range(const SptrsvOption *option, double value, char *error, size_t size)
{
  static const char *const kind[] = {[SPTRSV_OPTION_INT]    = "a whole number",
                                     [SPTRSV_OPTION_CHOICE] = "a choice",
                                     [SPTRSV_OPTION_POWER]  = "0 or a power of two",
                                     [SPTRSV_OPTION_REAL]   = "a number"};
  const bool               whole  = option->type == SPTRSV_OPTION_REAL || value == floor(value);

  if (value >= 0 && value <= option->most && whole) {
    if (option->type != SPTRSV_OPTION_POWER || !((int)value & ((int)value - 1))) return SPTRSV_SUCCESS;
  }
  return sptrsvRefuse(SPTRSV_INVALID_ARGUMENT, error, size, "%s must be %s, from 0 to %.15g, not %.15g", option->name, kind[option->type],
                      option->most, value);
}

/* The k-th name that the option takes, NULL past the last */
static const char *name_at(const SptrsvOption *option, int k)
{
  const SptrsvAlgorithm *algorithm;

  if (option->type == SPTRSV_OPTION_CHOICE) return option->choices[k];
  if (!k) return "auto";
  algorithm = option->type == SPTRSV_OPTION_FACTOR ? sptrsvFactorAlgorithmGet(k - 1) : sptrsvAlgorithmGet(k - 1);
  return algorithm ? algorithm->name : NULL;
}

/* Without a text an algorithm is auto */
static SptrsvStatus parse_name(const SptrsvOption *option, const char *text, Value *value, char *error, size_t size)
{
  char        names[512] = "";
  const char *name;

  for (int k = 0; (name = name_at(option, k)); k++) {
    if (option->type == SPTRSV_OPTION_CHOICE) value->whole = k;
    else value->text = k ? name : NULL;
    if (!strcmp(text, name) || (is_name(option) && !*text)) return SPTRSV_SUCCESS;
    sptrsvAppend(names, sizeof(names), "%s%s", k ? ", " : "", name);
  }
  return sptrsvRefuse(SPTRSV_UNKNOWN_NAME, error, size, "%s has no choice \"%s\", there are: %s", option->name, text, names);
}

static SptrsvStatus parse(const SptrsvOption *option, const char *text, Value *value, char *error, size_t size)
{
  double number;
  char  *end;

  switch (option->type) {
  case SPTRSV_OPTION_CHOICE:
  case SPTRSV_OPTION_FACTOR:
  case SPTRSV_OPTION_ALGORITHM:
    return parse_name(option, text, value, error, size);
  case SPTRSV_OPTION_PARAMETERS:
    value->text = *text ? text : NULL;
    return SPTRSV_SUCCESS;
  default:
    number = strtod(text, &end);
    if (end == text || *end)
      return sptrsvRefuse(SPTRSV_INVALID_ARGUMENT, error, size, "%s must be a number, not \"%s\"", option->name, text);
    SPTRSV_TRY(range(option, number, error, size));
    if (option->type == SPTRSV_OPTION_REAL) value->number = number;
    else value->whole = (int)number;
    return SPTRSV_SUCCESS;
  }
}

/* Sets one member from KEY=VALUE, whose text is cut */
static SptrsvStatus set_key(const SptrsvOption *keys, char *text, void *members, char *error, size_t size)
{
  const SptrsvOption *key;
  Value               value;
  char               *sign = strchr(text, '='), names[320] = "";

  if (!sign) return sptrsvRefuse(SPTRSV_INVALID_ARGUMENT, error, size, "expected KEY=VALUE, not \"%s\"", text);
  *sign = 0;
  for (key = keys; key->name && strcmp(key->name, text); key++) {
    sptrsvAppend(names, sizeof(names), "%s%s", key == keys ? "" : ", ", key->name);
  }
  if (!key->name) return sptrsvRefuse(SPTRSV_UNKNOWN_NAME, error, size, "no key \"%s\", there are: %s", text, names);
  SPTRSV_TRY(parse(key, sign + 1, &value, error, size));
  if (members) memcpy((char *)members + key->offset, &value, key->size);
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvKeysSet(const char *name, const SptrsvOption *keys, const char *text, void *members, char *error, size_t size)
{
  static const char separators[] = ",/";
  char              part[128], why[512] = "";
  SptrsvStatus      status;

  while (*text) {
    const size_t length = strcspn(text, separators);

    if (length >= sizeof(part)) return sptrsvRefuse(SPTRSV_INVALID_ARGUMENT, error, size, "%s: \"%.20s...\" is too long", name, text);
    memcpy(part, text, length);
    part[length] = 0;
    status       = set_key(keys, part, members, why, sizeof(why));
    if (status) return sptrsvRefuse(status, error, size, "%s: %s", name, why);
    text += length;
    text += strspn(text, separators);
  }
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvOptionSet(SptrsvTuning *tuning, const char *name, const char *text, char *error, size_t size)
{
  const SptrsvOption *option;
  Value               value;

  if (!tuning || !name || !text || (size && !error)) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(find(name, &option, error, size));
  SPTRSV_TRY(parse(option, text, &value, error, size));
  if (option->keys) SPTRSV_TRY(sptrsvKeysSet(option->name, option->keys, text, NULL, error, size));
  memcpy((char *)tuning + option->offset, &value, option->size);
  return SPTRSV_SUCCESS;
}

static Value value_of(const SptrsvOption *option, const void *members)
{
  Value value;

  memcpy(&value, (const char *)members + option->offset, option->size);
  return value;
}

static bool is_text(const SptrsvOption *option)
{
  return is_name(option) || option->type == SPTRSV_OPTION_PARAMETERS;
}

/* Returns 0 for a text */
static double number_of(const SptrsvOption *option, const void *members)
{
  if (is_text(option)) return 0;
  return option->type == SPTRSV_OPTION_REAL ? value_of(option, members).number : value_of(option, members).whole;
}

SptrsvStatus sptrsvOptionPrint(const SptrsvTuning *tuning, const char *name, char *text, size_t size)
{
  const SptrsvOption *option;
  Value               value;

  if (!tuning || !name || !text || !size) return SPTRSV_INVALID_ARGUMENT;
  SPTRSV_TRY(find(name, &option, text, size));
  value = value_of(option, tuning);
  if (!is_text(option)) SPTRSV_TRY(range(option, number_of(option, tuning), NULL, 0));
  if (is_text(option)) (void)snprintf(text, size, "%s", value.text ? value.text : is_name(option) ? "auto" : "");
  else if (option->type == SPTRSV_OPTION_CHOICE) (void)snprintf(text, size, "%s", option->choices[value.whole]);
  else (void)snprintf(text, size, "%.17g", number_of(option, tuning));
  return SPTRSV_SUCCESS;
}

SptrsvStatus sptrsvTuningCheck(const SptrsvTuning *tuning)
{
  const SptrsvOption *option;

  for (int k = 0; (option = sptrsvOptionGet(k)); k++) {
    const char *text = is_text(option) ? value_of(option, tuning).text : NULL;

    if (!is_text(option)) SPTRSV_TRY(range(option, number_of(option, tuning), NULL, 0));
    if (option->keys && text) SPTRSV_TRY(sptrsvKeysSet(option->name, option->keys, text, NULL, NULL, 0));
  }
  return SPTRSV_SUCCESS;
}

void sptrsvKeysFill(const SptrsvOption *keys, void *members)
{
  for (; keys->name; keys++) {
    void *member = (char *)members + keys->offset;

    if (!keys->value || number_of(keys, members)) continue;
    if (keys->type == SPTRSV_OPTION_REAL) *(double *)member = keys->value;
    else *(int *)member = (int)keys->value;
  }
}

void sptrsvKeysDescribe(const SptrsvOption *keys, const void *members, char *text, size_t size)
{
  for (; keys->name; keys++) {
    const double number = keys->symbol ? number_of(keys, members) : 0;

    if (number && number != keys->value) sptrsvAppend(text, size, ", %s=%g%s", keys->symbol, number, keys->most == 100 ? "%" : "");
  }
}
