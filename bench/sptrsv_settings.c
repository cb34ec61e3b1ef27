/* sptrsv_settings.c - Command line of bench_sptrsv; see README.md. */
#include "sptrsv_settings.h"
#include <getopt.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char HELP[] =
  "bench_sptrsv [options] MATRIX ...\n"
  "  MATRIX                   2d5:NXxNY, 2d9:NXxNY, 3d7:NXxNYxNZ or 3d27:NXxNYxNZ, each perhaps with ,dof=N;\n"
  "                           kron:SCALE,ef=F, perhaps with ,seed=S; or a MatrixMarket file, gzipped or not\n"
  "  --algorithms a,b,...     default: all of the location; --list shows them; each may have options of its own:\n"
  "                           NAME:KEY=VALUE:..., with the keys of --list, which are those of -pc_syncfree_KEY\n"
  "  --kind ilu|icc|none      whose triangles are solved: those of an incomplete factorization (ilu), or of the matrix itself\n"
  "  --location host|device   where (device, if there is one)\n"
  "  --type float|double      (double)\n"
  "  --repeat N               repetitions of which the median is taken (device 51, host 11), after 5 warm-ups\n"
  "  --budget S               seconds after which a measurement makes do with fewer repetitions, 5 at least\n"
  "  --csv FILE               append results\n"
  "  --label NAME             name of the machine in the CSV file (unnamed)\n"
  "  --hop US                 time that a value takes from one SM to another, for the floor (0.26, measured on one H200)\n"
  "  --threshold R, --warps N, --lanes N   keys for all algorithms that know them\n"
  "The exit code is 1 if a result was wrong or an algorithm failed, 2 if the command line or a matrix was.\n";

typedef enum { KEY_INT, KEY_REAL, KEY_CHOICE, KEY_ALGORITHM, KEY_FACTOR } KeyType;

typedef struct { /* a member of Candidate */
  const char        *name;
  KeyType            type;
  size_t             offset;
  const char *const *choices; /* KEY_CHOICE: names of 0, 1, ..., NULL after the last */
} Key;

static const char *const task_policies[]  = {[SPTRSV_TASKS_CONCURRENCY] = "ca", [SPTRSV_TASKS_LOCALITY] = "la", NULL};
static const char *const factorizations[] = {"auto", "entries", "ata", NULL};

#define PLAN(member) offsetof(Candidate, plan.member)
static const Key keys[] = {
  {"threshold", KEY_REAL, PLAN(tuning.yuenyeung.threshold), NULL},
  {"warps", KEY_INT, PLAN(tuning.levelorder.warps), NULL},
  {"lanes", KEY_INT, PLAN(tuning.levelorder.lanes), NULL},
  {"threads", KEY_INT, PLAN(tuning.host.threads), NULL},
  {"thread_entries", KEY_INT, PLAN(tuning.host.threads_entries), NULL},
  {"split_policy", KEY_CHOICE, PLAN(tuning.split.policy), split_policies},
  {"split_level", KEY_INT, PLAN(tuning.split.level), NULL},
  {"split_first", KEY_ALGORITHM, PLAN(tuning.split.first), NULL},
  {"split_second", KEY_ALGORITHM, PLAN(tuning.split.second), NULL},
  {"ata_policy", KEY_CHOICE, PLAN(tuning.ata.policy), task_policies},
  {"ata_size", KEY_INT, PLAN(tuning.ata.size), NULL},
  {"ata_ratio", KEY_REAL, PLAN(tuning.ata.ratio), NULL},
  {"factor_algorithm", KEY_FACTOR, offsetof(Candidate, factor), NULL},
};
static const size_t num_keys = sizeof keys / sizeof *keys;

static bool fail(const char *what, const char *why)
{
  (void)fprintf(stderr, "%s: %s\n", what, why);
  return false;
}

/* -------------------------------------------------------- algorithms -------------------------------------------------------- */

static void listAlgorithms(void)
{
  const SptrsvAlgorithm *a;

  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    (void)printf("%-14s %-7s %s (%s)\n", a->name, a->location == SPTRSV_HOST ? "host" : "device", a->summary, a->source);
  }
  (void)printf("keys:");
  for (size_t k = 0; k < num_keys; k++) (void)printf(" %s", keys[k].name);
  (void)printf("\n");
}

static bool parseNumber(const char *text, double low, double *value)
{
  char *end;

  *value = strtod(text, &end);
  return end != text && !*end && *value >= low && *value <= 1e6;
}

/* Index of text in a list that ends in NULL, or -1. */
static int choice(const char *text, const char *const names[])
{
  for (int k = 0; names[k]; k++) {
    if (!strcmp(text, names[k])) return k;
  }
  return -1;
}

/* The table's own name of an algorithm, or NULL. */
static const char *tableName(const char *name)
{
  const SptrsvAlgorithm *a;

  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    if (!strcmp(a->name, name)) return a->name;
  }
  return NULL;
}

static bool parseKey(const Key *key, const char *text, Candidate *options)
{
  void       *member = (char *)options + key->offset;
  const char *name   = NULL;
  double      number = 0;
  int         chosen = 0;

  switch (key->type) {
  case KEY_CHOICE: chosen = choice(text, key->choices); break;
  case KEY_FACTOR: chosen = choice(text, factorizations); break;
  case KEY_ALGORITHM: name = tableName(text); break;
  default:
    if (!parseNumber(text, 0, &number)) return false;
  }
  if (chosen < 0 || (key->type == KEY_ALGORITHM && !name) || (key->type == KEY_INT && number != floor(number))) return false;
  switch (key->type) {
  case KEY_INT: *(int *)member = (int)number; break;
  case KEY_REAL: *(double *)member = number; break;
  case KEY_CHOICE: memcpy(member, &chosen, sizeof chosen); break; /* enums */
  case KEY_FACTOR: *(const char **)member = factorizations[chosen]; break;
  case KEY_ALGORITHM: *(const char **)member = name; break;
  }
  return true;
}

/* One KEY=VALUE, cut off already. */
static bool parseAssignment(const char *spec, char *text, Candidate *options)
{
  char *value = strchr(text, '=');

  if (!value) return fail(spec, "expected NAME:KEY=VALUE:...");
  *value++ = 0;
  for (size_t k = 0; k < num_keys; k++) {
    if (!strcmp(keys[k].name, text)) return parseKey(&keys[k], value, options) || fail(spec, "no valid value");
  }
  return fail(spec, "unknown key; --list shows them");
}

/* The table's own name, or NULL. */
static const char *findAlgorithm(const char *name, SptrsvLocation location)
{
  const SptrsvAlgorithm *a;

  if (!strcmp(name, "auto")) return "auto";
  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    if (a->location == location && !strcmp(a->name, name)) return a->name;
  }
  return NULL;
}

static bool parseSpec(const Settings *s, const char *spec, AlgorithmSpec *algorithm)
{
  char *copy = strdup(spec), *rest, *part;
  bool  ok;

  if (!copy) return fail(spec, "out of memory");
  algorithm->spec                   = spec;
  algorithm->options                = s->defaults;
  algorithm->options.plan.location  = s->location;
  algorithm->options.plan.type      = s->type;
  part                              = strtok_r(copy, ":", &rest);
  algorithm->options.plan.algorithm = part ? findAlgorithm(part, s->location) : NULL;
  ok = algorithm->options.plan.algorithm || fail(spec, "no algorithm of this place; --list shows them");
  while (ok && (part = strtok_r(NULL, ":", &rest))) ok = parseAssignment(spec, part, &algorithm->options);
  free(copy);
  return ok;
}

const char *settings_baseline(const Settings *s) { return s->location == SPTRSV_DEVICE ? "cusparse" : "host"; }

static void baselineFirst(Settings *s)
{
  for (int k = 1; k < s->num_algorithms; k++) {
    if (strcmp(s->algorithms[k].spec, settings_baseline(s))) continue;
    const AlgorithmSpec baseline = s->algorithms[k];

    memmove(s->algorithms + 1, s->algorithms, (size_t)k * sizeof *s->algorithms);
    s->algorithms[0] = baseline;
  }
}

static bool addAlgorithm(Settings *s, const char *spec)
{
  if (s->num_algorithms == MAX_ALGORITHMS) return fail(spec, "too many algorithms");
  return parseSpec(s, spec, &s->algorithms[s->num_algorithms++]);
}

/* The list, cut at its commas in place; NULL: all of the location. */
static bool chooseAlgorithms(Settings *s, char *list)
{
  const SptrsvAlgorithm *a;
  char                  *rest;

  if (list) {
    for (char *spec = strtok_r(list, ",", &rest); spec; spec = strtok_r(NULL, ",", &rest)) {
      if (!addAlgorithm(s, spec)) return false;
    }
  } else {
    for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
      if (a->location == s->location && !addAlgorithm(s, a->name)) return false;
    }
    if (!addAlgorithm(s, "auto")) return false;
  }
  baselineFirst(s);
  return s->num_algorithms > 0 || fail("--algorithms", "none named");
}

/* ---------------------------------------------------------- options --------------------------------------------------------- */

static bool parseOption(int option, const char *value, Settings *s)
{
  static const char *const locations[] = {"host", "device", NULL}, *const types[] = {"float", "double", NULL};
  double                   number = 0;
  int                      chosen = 0;
  bool                     ok     = true;

  switch (option) {
  case 'k':
    chosen  = choice(value, problem_kinds);
    s->kind = (ProblemKind)chosen;
    break;
  case 'o':
    chosen      = choice(value, locations);
    s->location = chosen == 1 ? SPTRSV_DEVICE : SPTRSV_HOST;
    break;
  case 't':
    chosen  = choice(value, types);
    s->type = chosen == 0 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
    break;
  case 'r':
    ok        = parseNumber(value, 1, &number);
    s->repeat = (int)number;
    break;
  case 'b': ok = parseNumber(value, 0, &s->budget); break;
  case 'p':
    ok     = parseNumber(value, 0, &number);
    s->hop = 1e-6 * number;
    break;
  case 'h': ok = parseNumber(value, 0, &s->defaults.plan.tuning.yuenyeung.threshold); break;
  case 'w':
    ok = parseNumber(value, 0, &number);
    s->defaults.plan.tuning.levelorder.warps = (int)number;
    break;
  case 'n':
    ok = parseNumber(value, 0, &number);
    s->defaults.plan.tuning.levelorder.lanes = (int)number;
    break;
  case 'c': s->csv_path = value; break;
  case 'm': s->label = value; break;
  default: return false;
  }
  return ok && chosen >= 0;
}

int settings_parse(int argc, char **argv, Settings *s)
{
  static const struct option options[] = {
    {"algorithms", required_argument, NULL, 'a'}, {"kind", required_argument, NULL, 'k'},
    {"location", required_argument, NULL, 'o'},   {"type", required_argument, NULL, 't'},
    {"repeat", required_argument, NULL, 'r'},     {"budget", required_argument, NULL, 'b'},
    {"csv", required_argument, NULL, 'c'},        {"label", required_argument, NULL, 'm'},
    {"hop", required_argument, NULL, 'p'},        {"threshold", required_argument, NULL, 'h'},
    {"warps", required_argument, NULL, 'w'},      {"lanes", required_argument, NULL, 'n'},
    {"list", no_argument, NULL, 'l'},             {"help", no_argument, NULL, '?'},
    {NULL, 0, NULL, 0}
  };
  char *algorithms = NULL;
  int   option, index;

  *s          = (Settings){.type = SPTRSV_DOUBLE, .hop = 0.26e-6, .budget = INFINITY, .label = "unnamed", .defaults = {.factor = "auto"}};
  s->location = sptrsvDeviceCount() > 0 ? SPTRSV_DEVICE : SPTRSV_HOST;
  while ((option = getopt_long(argc, argv, "", options, &index)) != -1) {
    if (option == 'l') {
      listAlgorithms();
      exit(0);
    }
    if (option == 'a') algorithms = optarg;
    else if (option == '?') break;
    else if (!parseOption(option, optarg, s)) {
      (void)fprintf(stderr, "--%s: %s is no valid value\n", options[index].name, optarg);
      return 0;
    }
  }
  if (option == '?' || optind >= argc) {
    (void)fputs(HELP, stderr);
    return 0;
  }
  if (!s->repeat) s->repeat = s->location == SPTRSV_DEVICE ? 51 : 11;
  return chooseAlgorithms(s, algorithms) ? optind : 0;
}
