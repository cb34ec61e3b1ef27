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
  "                           kron:SCALE,ef=F, perhaps with ,seed=S; or a MatrixMarket file, gzipped or not, perhaps with ,dof=N,\n"
  "                           which says how many consecutive unknowns a point has\n"
  "  --algorithms a,b,...     default: all of the location; --list shows them; each may have options of its own:\n"
  "                           NAME:OPTION=VALUE:..., with the options of --list, which are those of -pc_syncfree_OPTION\n"
  "  --kind ilu|icc|none      whose triangles are solved: those of an incomplete factorization (ilu), or of the matrix itself\n"
  "  --location host|device   where (device, if there is one)\n"
  "  --type float|double      (double)\n"
  "  --repeat N               repetitions of which the median is taken (device 51, host 11), after 5 warm-ups\n"
  "  --budget S               seconds after which a measurement makes do with fewer repetitions, 5 at least\n"
  "  --csv FILE               append results\n"
  "  --label NAME             name of the machine in the CSV file (unnamed)\n"
  "  --hop US                 time that a value takes from one SM to another, for the floor (0.26, measured on one H200)\n"
  "  --OPTION VALUE           an option of --list, for all algorithms\n"
  "The exit code is 1 if a result was wrong or an algorithm failed, 2 if the command line or a matrix was.\n";

static bool fail(const char *what, const char *why)
{
  (void)fprintf(stderr, "%s: %s\n", what, why);
  return false;
}

/* -------------------------------------------------------- algorithms -------------------------------------------------------- */

static void list_algorithms(void)
{
  const SptrsvAlgorithm *a;
  const SptrsvOption    *o;

  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    (void)printf("%-14s %-7s %s (%s)\n", a->name, a->location == SPTRSV_HOST ? "host" : "device", a->summary, a->source);
  }
  for (int k = 0; (o = sptrsvOptionGet(k)); k++) (void)printf("%-24s %s (%s)\n", o->name, o->summary, o->algorithms);
}

static bool parse_number(const char *text, double low, double *value)
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

static bool set_option(const char *spec, const char *name, const char *value, SptrsvTuning *tuning)
{
  char error[1024];

  return !sptrsvOptionSet(tuning, name, value, error, sizeof error) || fail(spec, error);
}

/* One OPTION=VALUE, cut off already. */
static bool parse_assignment(const char *spec, char *text, SptrsvTuning *tuning)
{
  char *value = strchr(text, '=');

  if (!value) return fail(spec, "expected NAME:OPTION=VALUE:...");
  *value++ = 0;
  return set_option(spec, text, value, tuning);
}

/* The table's own name, or NULL. */
static const char *find_algorithm(const char *name, SptrsvLocation location)
{
  const SptrsvAlgorithm *a = sptrsvAlgorithmFind(name, location);

  return a ? a->name : strcmp(name, "auto") ? NULL : "auto";
}

static bool parse_spec(const Settings *s, const char *spec, AlgorithmSpec *algorithm)
{
  char *copy = strdup(spec), *rest, *part;
  bool  ok;

  if (!copy) return fail(spec, "out of memory");
  algorithm->spec              = spec;
  algorithm->copy              = copy;
  algorithm->options           = s->defaults;
  algorithm->options.location  = s->location;
  algorithm->options.type      = s->type;
  part                         = strtok_r(copy, ":", &rest);
  algorithm->options.algorithm = part ? find_algorithm(part, s->location) : NULL;
  ok = algorithm->options.algorithm || fail(spec, "no algorithm of this place; --list shows them");
  while (ok && (part = strtok_r(NULL, ":", &rest))) ok = parse_assignment(spec, part, &algorithm->options.tuning);
  return ok;
}

const char *settings_baseline(const Settings *s) { return s->location == SPTRSV_DEVICE ? "cusparse" : "host"; }

static void baseline_first(Settings *s)
{
  for (int k = 1; k < s->num_algorithms; k++) {
    if (strcmp(s->algorithms[k].spec, settings_baseline(s))) continue;
    const AlgorithmSpec baseline = s->algorithms[k];

    memmove(s->algorithms + 1, s->algorithms, (size_t)k * sizeof *s->algorithms);
    s->algorithms[0] = baseline;
  }
}

static bool add_algorithm(Settings *s, const char *spec)
{
  if (s->num_algorithms == MAX_ALGORITHMS) return fail(spec, "too many algorithms");
  return parse_spec(s, spec, &s->algorithms[s->num_algorithms++]);
}

/* The list, cut at its commas in place; NULL: all of the location. */
static bool choose_algorithms(Settings *s, char *list)
{
  const SptrsvAlgorithm *a;
  char                  *rest;

  if (list) {
    for (char *spec = strtok_r(list, ",", &rest); spec; spec = strtok_r(NULL, ",", &rest)) {
      if (!add_algorithm(s, spec)) return false;
    }
  } else {
    for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
      if (a->location == s->location && !add_algorithm(s, a->name)) return false;
    }
    if (!add_algorithm(s, "auto")) return false;
  }
  baseline_first(s);
  return s->num_algorithms > 0 || fail("--algorithms", "none named");
}

/* ---------------------------------------------------------- options --------------------------------------------------------- */

static bool parse_option(int option, const char *value, Settings *s)
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
    ok        = parse_number(value, 1, &number);
    s->repeat = (int)number;
    break;
  case 'b': ok = parse_number(value, 0, &s->budget); break;
  case 'p':
    ok     = parse_number(value, 0, &number);
    s->hop = 1e-6 * number;
    break;
  case 'c': s->csv_path = value; break;
  case 'm': s->label = value; break;
  default: return false;
  }
  return ok && chosen >= 0;
}

int settings_parse(int argc, char **argv, Settings *s)
{
  enum { OPTIONS = 64, FIRST_OF_TABLE = 256 }; /* values of the table's options are beyond those of characters */
  struct option options[OPTIONS] = {
    {"algorithms", required_argument, NULL, 'a'}, {"kind", required_argument, NULL, 'k'},
    {"location", required_argument, NULL, 'o'},   {"type", required_argument, NULL, 't'},
    {"repeat", required_argument, NULL, 'r'},     {"budget", required_argument, NULL, 'b'},
    {"csv", required_argument, NULL, 'c'},        {"label", required_argument, NULL, 'm'},
    {"hop", required_argument, NULL, 'p'},        {"list", no_argument, NULL, 'l'},
    {"help", no_argument, NULL, '?'}
  };
  const SptrsvOption *row;
  char               *algorithms = NULL;
  int                 option, index, known = 0;

  *s          = (Settings){.type = SPTRSV_DOUBLE, .hop = 0.26e-6, .budget = INFINITY, .label = "unnamed"};
  s->location = sptrsvDeviceCount() > 0 ? SPTRSV_DEVICE : SPTRSV_HOST;
  while (options[known].name) known++;
  for (int k = 0; (row = sptrsvOptionGet(k)) && known + k < OPTIONS - 1; k++)
    options[known + k] = (struct option){row->name, required_argument, NULL, FIRST_OF_TABLE + k};
  while ((option = getopt_long(argc, argv, "", options, &index)) != -1) {
    if (option == 'l') {
      list_algorithms();
      exit(0);
    }
    if (option >= FIRST_OF_TABLE) {
      if (!set_option(options[index].name, options[index].name, optarg, &s->defaults.tuning)) return 0;
    } else if (option == 'a') algorithms = optarg;
    else if (option == '?') break;
    else if (!parse_option(option, optarg, s)) {
      (void)fprintf(stderr, "--%s: %s is no valid value\n", options[index].name, optarg);
      return 0;
    }
  }
  if (option == '?' || optind >= argc) {
    (void)fputs(HELP, stderr);
    return 0;
  }
  if (!s->repeat) s->repeat = s->location == SPTRSV_DEVICE ? 51 : 11;
  return choose_algorithms(s, algorithms) ? optind : 0;
}
