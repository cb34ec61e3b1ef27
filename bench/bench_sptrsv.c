/* bench_sptrsv.c - Times the kernel library's algorithms on grids and files, in one run; see README.md. */
#include "report.h"
#include "sptrsv_measure.h"
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char HELP[] =
  "bench_sptrsv [options] MATRIX ...\n"
  "  MATRIX                   2d5:NXxNY, 2d9:NXxNY, 3d7:NXxNYxNZ or 3d27:NXxNYxNZ, each perhaps with ,dof=N;\n"
  "                           or a MatrixMarket file, gzipped or not\n"
  "  --algorithms a,b,...     default: all of the location; --list shows them\n"
  "  --kind ilu|icc           what is factored (ilu)\n"
  "  --location host|device   where (device, if there is one)\n"
  "  --type float|double      (double)\n"
  "  --repeat N               repetitions of which the median is taken (device 51, host 11), after 5 warm-ups\n"
  "  --csv FILE               append results\n"
  "  --label NAME             name of the machine in the CSV file (unnamed)\n"
  "  --hop US                 time that a value takes from one SM to another, for the floor (0.26, measured on one H200)\n"
  "  --threshold R, --warps N, --lanes N   passed to the algorithms that know them\n"
  "The exit code is 1 if a result was wrong or an algorithm failed, 2 if the command line or a matrix was.\n";

static const char CSV_HEADER[] =
  "run,machine,gpu,driver,cuda,matrix,kind,type,rows,nnz,levels_lower,levels_upper,algorithm,first_setup_ms,refactor_us,"
  "lower_us,upper_us,apply_us,spmv_us,plan_bytes,floor_bandwidth_us,floor_hop_us,error,status";

enum { MAX_ALGORITHMS = 64 };

typedef struct {
  const char       *algorithms[MAX_ALGORITHMS];
  int               num_algorithms, repeat;
  SptrsvFactorKind  kind;
  SptrsvLocation    location;
  SptrsvValueType   type;
  SptrsvPlanOptions plan;
  double            hop; /* seconds */
  const char       *csv_path, *label;
  char              run[64];
  FILE             *csv;
} Settings;

/* ----------------------------------------------------- command line --------------------------------------------------------- */

static void listAlgorithms(void)
{
  const SptrsvAlgorithm *a;

  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    (void)printf("%-14s %-7s %s (%s)\n", a->name, a->location == SPTRSV_HOST ? "host" : "device", a->summary, a->source);
  }
}

/* Index of text in a list of two, or -1. */
static int choice(const char *text, const char *first, const char *second)
{
  return !strcmp(text, first) ? 0 : !strcmp(text, second) ? 1 : -1;
}

static bool parseNumber(const char *text, double low, double *value)
{
  char *end;

  *value = strtod(text, &end);
  return end != text && !*end && *value >= low && *value <= 1e6;
}

/* Cuts the list at its commas, in place. */
static bool parseAlgorithms(char *list, Settings *s)
{
  for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
    if (s->num_algorithms == MAX_ALGORITHMS) return false;
    s->algorithms[s->num_algorithms++] = name;
  }
  return s->num_algorithms > 0;
}

static bool parseOption(int option, char *value, Settings *s)
{
  double number = 0;
  int    chosen = 0;
  bool   ok     = true;

  switch (option) {
  case 'a': return parseAlgorithms(value, s);
  case 'k':
    chosen  = choice(value, "ilu", "icc");
    s->kind = chosen == 1 ? SPTRSV_ICC0 : SPTRSV_ILU0;
    break;
  case 'o':
    chosen      = choice(value, "host", "device");
    s->location = chosen == 1 ? SPTRSV_DEVICE : SPTRSV_HOST;
    break;
  case 't':
    chosen  = choice(value, "float", "double");
    s->type = chosen == 0 ? SPTRSV_FLOAT : SPTRSV_DOUBLE;
    break;
  case 'r':
    ok        = parseNumber(value, 1, &number);
    s->repeat = (int)number;
    break;
  case 'p':
    ok     = parseNumber(value, 0, &number);
    s->hop = 1e-6 * number;
    break;
  case 'h': ok = parseNumber(value, 0, &s->plan.threshold); break;
  case 'w':
    ok            = parseNumber(value, 0, &number);
    s->plan.warps = (int)number;
    break;
  case 'n':
    ok            = parseNumber(value, 0, &number);
    s->plan.lanes = (int)number;
    break;
  case 'c': s->csv_path = value; break;
  case 'm': s->label = value; break;
  default: return false;
  }
  return ok && chosen >= 0;
}

/* Where the arguments that are no options begin, or 0 after an error. */
static int parseArguments(int argc, char **argv, Settings *s)
{
  static const struct option options[] = {
    {"algorithms", required_argument, NULL, 'a'}, {"kind", required_argument, NULL, 'k'},
    {"location", required_argument, NULL, 'o'},   {"type", required_argument, NULL, 't'},
    {"repeat", required_argument, NULL, 'r'},     {"csv", required_argument, NULL, 'c'},
    {"label", required_argument, NULL, 'm'},      {"hop", required_argument, NULL, 'p'},
    {"threshold", required_argument, NULL, 'h'},  {"warps", required_argument, NULL, 'w'},
    {"lanes", required_argument, NULL, 'n'},      {"list", no_argument, NULL, 'l'},
    {"help", no_argument, NULL, '?'},             {NULL, 0, NULL, 0}
  };
  int option, index;

  while ((option = getopt_long(argc, argv, "", options, &index)) != -1) {
    if (option == 'l') {
      listAlgorithms();
      exit(0);
    }
    if (option == '?') return 0;
    if (!parseOption(option, optarg, s)) {
      (void)fprintf(stderr, "--%s: %s is no valid value\n", options[index].name, optarg);
      return 0;
    }
  }
  return optind < argc ? optind : 0;
}

/* cuSPARSE goes first, and on the host the serial sweep, since the others are compared with it as they come. */
static const char *baselineName(const Settings *s) { return s->location == SPTRSV_DEVICE ? "cusparse" : "host"; }

static void completeAlgorithms(Settings *s)
{
  const SptrsvAlgorithm *a;

  if (!s->num_algorithms) {
    for (int k = 0; (a = sptrsvAlgorithmGet(k)) && s->num_algorithms < MAX_ALGORITHMS - 1; k++) {
      if (a->location == s->location) s->algorithms[s->num_algorithms++] = a->name;
    }
    s->algorithms[s->num_algorithms++] = "auto";
  }
  for (int k = 1; k < s->num_algorithms; k++) {
    if (strcmp(s->algorithms[k], baselineName(s))) continue;
    const char *baseline = s->algorithms[k];

    memmove(s->algorithms + 1, s->algorithms, (size_t)k * sizeof *s->algorithms);
    s->algorithms[0] = baseline;
  }
}

/* ------------------------------------------------------------ output -------------------------------------------------------- */

static const char *verdict(const Settings *s, bool ok, const Measurement *m)
{
  if (!ok && m->status == SPTRSV_NOT_SUPPORTED) return "NOT SUPPORTED";
  if (!ok) return "FAILED";
  return m->error <= (s->type == SPTRSV_FLOAT ? 1e-4 : 1e-10) ? "OK" : "WRONG"; /* a NaN is wrong */
}

/* Each level costs at least one hop, if rows are solved one by one; the figure is a GPU's. */
static double hopFloor(const Settings *s, const Problem *p)
{
  return s->location == SPTRSV_DEVICE ? s->hop * (double)(p->levels_lower + p->levels_upper) : NAN;
}

static void writeCsv(const Settings *s, const char *name, const char *algorithm, const Problem *p, const Measurement *m,
                     const char *status)
{
  const Machine *machine = p->machine;

  reportText(s->csv, true, s->run);
  reportText(s->csv, false, s->label);
  reportText(s->csv, false, machine->gpu);
  reportText(s->csv, false, machine->driver);
  reportText(s->csv, false, machine->cuda);
  reportText(s->csv, false, name);
  reportText(s->csv, false, s->kind == SPTRSV_ICC0 ? "icc" : "ilu");
  reportText(s->csv, false, s->type == SPTRSV_FLOAT ? "float" : "double");
  reportNumber(s->csv, (double)p->A.rows);
  reportNumber(s->csv, (double)p->A.nnz);
  reportNumber(s->csv, (double)p->levels_lower);
  reportNumber(s->csv, (double)p->levels_upper);
  reportText(s->csv, false, algorithm);
  reportNumber(s->csv, 1e3 * m->first_setup);
  reportNumber(s->csv, 1e6 * m->refactor);
  reportNumber(s->csv, 1e6 * m->lower);
  reportNumber(s->csv, 1e6 * m->upper);
  reportNumber(s->csv, 1e6 * m->apply);
  reportNumber(s->csv, 1e6 * p->spmv);
  reportNumber(s->csv, (double)m->plan_bytes);
  reportNumber(s->csv, 1e6 * problemBytes(p) / machine->bandwidth);
  reportNumber(s->csv, 1e6 * hopFloor(s, p));
  reportNumber(s->csv, m->error);
  reportText(s->csv, false, status);
  (void)fputc('\n', s->csv);
  (void)fflush(s->csv);
}

static void printHead(const Settings *s, const char *name, const Problem *p)
{
  (void)printf("%s, %s, %s: %lld rows, %lld entries, SpMV %.1f us\n", name, s->kind == SPTRSV_ICC0 ? "icc" : "ilu",
               s->type == SPTRSV_FLOAT ? "float" : "double", (long long)p->A.rows, (long long)p->A.nnz, 1e6 * p->spmv);
  (void)printf("  %-16s %10s %10s %10s %10s %10s %9s %9s  x %s\n", "", "set-up,ms", "refact,us", "lower,us", "upper,us",
               "apply,us", "plan,MB", "error", baselineName(s));
}

static void printFloors(const Settings *s, const Problem *p)
{
  (void)printf("  floors: %.1f us for the bytes", 1e6 * problemBytes(p) / p->machine->bandwidth);
  if (s->location == SPTRSV_DEVICE) (void)printf(", %.1f us for the hops", 1e6 * hopFloor(s, p));
  (void)printf("; %lld and %lld levels\n", (long long)p->levels_lower, (long long)p->levels_upper);
}

static void printRow(const char *algorithm, const Measurement *m, double baseline, const char *status)
{
  (void)printf("  %-16s %10.2f %10.1f %10.1f %10.1f %10.1f %9.2f %9.1e  ", algorithm, 1e3 * m->first_setup, 1e6 * m->refactor,
               1e6 * m->lower, 1e6 * m->upper, 1e6 * m->apply, 1e-6 * (double)m->plan_bytes, m->error);
  if (isfinite(baseline)) (void)printf("%.2f", baseline / m->apply);
  else (void)printf("-");
  (void)printf("%s%s\n", strcmp(status, "OK") ? "  " : "", strcmp(status, "OK") ? status : "");
  (void)fflush(stdout);
}

/* ------------------------------------------------------------- run ---------------------------------------------------------- */

/* False if an algorithm is wrong or fails; not being supported is no failure. */
static bool runMatrix(const Settings *s, const char *name, Problem *problem)
{
  double baseline = NAN;
  bool   fine = true, floors = false;

  printHead(s, name, problem);
  for (int k = 0; k < s->num_algorithms; k++) {
    SptrsvPlanOptions options = s->plan;
    Measurement       m;
    const char       *status;
    bool              ok, right;

    options.algorithm = s->algorithms[k];
    options.location  = s->location;
    options.type      = s->type;
    ok                = measure(problem, &options, &m);
    status            = verdict(s, ok, &m);
    floors            = floors || ok;
    right             = !strcmp(status, "OK");
    if (right && !strcmp(options.algorithm, baselineName(s))) baseline = m.apply;
    if (ok) printRow(options.algorithm, &m, right ? baseline : NAN, status);
    else (void)printf("  %-16s %s: %s\n", options.algorithm, status, problem->machine->error);
    if (s->csv && ok) writeCsv(s, name, options.algorithm, problem, &m, status);
    fine = fine && (right || (!ok && m.status == SPTRSV_NOT_SUPPORTED));
  }
  if (floors) printFloors(s, problem);
  return fine;
}

static int run(const Settings *s, Machine *machine, char **specs)
{
  int code = 0;

  (void)printf("%s: copy at %.1f GB/s, median of %d\n", machine->gpu, 1e-9 * machine->bandwidth, machine->repeat);
  for (; *specs; specs++) {
    Problem problem;
    char    name[256];

    csrMatrixName(*specs, name, sizeof name);
    if (!problemCreate(machine, *specs, s->kind, &problem)) {
      (void)fprintf(stderr, "%s\n", machine->error);
      code = 2;
      continue;
    }
    if (!runMatrix(s, name, &problem) && !code) code = 1;
    problemDestroy(&problem);
  }
  return code;
}

int main(int argc, char **argv)
{
  Settings s = {.type = SPTRSV_DOUBLE, .hop = 0.26e-6, .label = "unnamed"};
  Machine  machine;
  int      first, code = 2;

  s.location = sptrsvDeviceCount() > 0 ? SPTRSV_DEVICE : SPTRSV_HOST;
  first      = parseArguments(argc, argv, &s);
  if (!first) {
    (void)fputs(HELP, stderr);
    return 2;
  }
  if (!s.repeat) s.repeat = s.location == SPTRSV_DEVICE ? 51 : 11;
  completeAlgorithms(&s);
  reportRun(s.run, sizeof s.run);
  if (!machineStart(&machine, s.location, s.type, s.repeat)
      || (s.csv_path && !reportOpen(s.csv_path, CSV_HEADER, &s.csv, machine.error, sizeof machine.error))) {
    (void)fprintf(stderr, "%s\n", machine.error);
  } else code = run(&s, &machine, argv + first);
  machineStop(&machine);
  if (s.csv) (void)fclose(s.csv);
  return code;
}
