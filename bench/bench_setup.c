/* bench_setup.c - Times the methods that compute levels (Li, section 4.4), or the phases of a whole set-up; see README.md. */
#include "machine.h"
#include "matrices/matrices.h"
#include "report.h"
#include "setup_phases.h"
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char HELP[] =
  "bench_setup [options] MATRIX ...\n"
  "  MATRIX                   as for bench_sptrsv\n"
  "  --phases ALGORITHM       not levels, but the phases of a first set-up with this algorithm, like auto\n"
  "  --kind ilu|icc           the phases of ILU(0) (which is the default) or ICC(0)\n"
  "  --location host|device   where the matrix is (device, if there is a GPU)\n"
  "  --repeat N               repetitions of which the median is taken (5), after 1 warm-up\n"
  "  --csv FILE               append results\n"
  "  --label NAME             name of the machine in the CSV file (unnamed)\n"
  "The exit code is 1 if levels differ from the host's, 2 if something failed.\n";

static const char CSV_HEADER[] = "run,machine,gpu,driver,cuda,matrix,rows,nnz,levels_lower,levels_upper,location,method,"
                                 "pattern_to_host_ms,transpose_ms,dependencies_ms,levels_ms,levels_to_device_ms,status";

static const char PHASES_HEADER[] = "run,machine,gpu,driver,cuda,matrix,rows,nnz,levels_lower,levels_upper,location,kind,lower,upper,phase,"
                                    "first_ms,again_ms,bytes,floor_ms";

enum { STEPS = 5, MAX_REPEAT = 1000 };
static const size_t steps[STEPS] = {offsetof(SptrsvSetupTimes, pattern_to_host), offsetof(SptrsvSetupTimes, transpose),
                                    offsetof(SptrsvSetupTimes, dependencies), offsetof(SptrsvSetupTimes, levels),
                                    offsetof(SptrsvSetupTimes, levels_to_device)};

typedef struct {
  SptrsvLevelMethod method;
  const char       *name;
  bool              on_host;
} Method;

/* the others are compared with the first */
static const Method methods[] = {{SPTRSV_LEVELS_HOST_ROWS, "host-rows", true},
                                 {SPTRSV_LEVELS_HOST_COLUMNS, "host-columns", true},
                                 {SPTRSV_LEVELS_ROWS, "rows", false},
                                 {SPTRSV_LEVELS_KAHN, "kahn", false}};

typedef struct {
  SptrsvLocation location;
  int            repeat;
  const char    *csv_path, *label, *phases; /* phases: the algorithm; NULL: levels */
  bool           icc;
  char           run[64];
  FILE          *csv;
} Settings;

typedef struct {
  CsrMatrix      A;
  SptrsvAnalysis analysis;
  int32_t       *expected[2], *level; /* [rows] of both sweeps by the first method; scratch */
  int64_t        levels[2];
} Study;

/* ------------------------------------------------------- measurement ------------------------------------------------------- */

static bool fail(Machine *machine, SptrsvStatus status, const char *what)
{
  return csr_matrix_fail(machine->error, sizeof machine->error, "%s: %s", what, sptrsvGetErrorString(status));
}

static bool study_create(Machine *machine, const char *spec, Study *study)
{
  SptrsvStatus status;

  memset(study, 0, sizeof *study);
  if (!matrix_create(spec, false, &study->A, machine->error, sizeof machine->error)) return false;
  const SptrsvCsr A = {study->A.rows, study->A.nnz, study->A.row_ptr, study->A.col_idx, SPTRSV_INT32, SPTRSV_HOST};

  study->expected[0] = malloc((size_t)(study->A.rows + 1) * sizeof(int32_t));
  study->expected[1] = malloc((size_t)(study->A.rows + 1) * sizeof(int32_t));
  study->level       = malloc((size_t)(study->A.rows + 1) * sizeof(int32_t));
  if (!study->expected[0] || !study->expected[1] || !study->level) return fail(machine, SPTRSV_OUT_OF_MEMORY, spec);
  status = sptrsvAnalysisCreate(&A, machine->location, NULL, &study->analysis);
  return !status || fail(machine, status, spec);
}

static void study_destroy(Study *study)
{
  (void)sptrsvAnalysisDestroy(&study->analysis);
  free(study->expected[0]);
  free(study->expected[1]);
  free(study->level);
  csr_matrix_destroy(&study->A);
}

static int64_t count_levels(const int32_t *level, int64_t rows)
{
  int64_t levels = 0;

  for (int64_t i = 0; i < rows; i++) {
    if (level[i] >= levels) levels = level[i] + 1;
  }
  return levels;
}

/* Both sweeps; their steps are added up.  *same: the levels are those of the first method. */
static bool run_once(Machine *machine, Study *study, const Method *method, double seconds[STEPS], bool *same)
{
  const bool   first = method == methods;
  const size_t bytes = (size_t)study->A.rows * sizeof(int32_t);

  memset(seconds, 0, STEPS * sizeof *seconds);
  for (int k = 0; k < 2; k++) {
    int32_t           *level = first ? study->expected[k] : study->level;
    SptrsvSetupTimes   times;
    const SptrsvStatus status = sptrsvAnalysisComputeLevels(study->analysis, k ? SPTRSV_UPPER : SPTRSV_LOWER, SPTRSV_NON_TRANSPOSE,
                                                            method->method, level, &times);

    if (status) return fail(machine, status, method->name);
    for (int s = 0; s < STEPS; s++) seconds[s] += 1e-3 * *(const double *)((const char *)&times + steps[s]);
    if (first) study->levels[k] = count_levels(level, study->A.rows);
    else *same = *same && !memcmp(level, study->expected[k], bytes);
  }
  return true;
}

/* Medians, step by step. */
static bool measure_method(Machine *machine, Study *study, const Method *method, double median[STEPS], bool *same)
{
  double sample[STEPS], times[STEPS][MAX_REPEAT];

  *same = true;
  for (int k = -1; k < machine->repeat; k++) {
    if (!run_once(machine, study, method, sample, same)) return false;
    for (int s = 0; s < STEPS && k >= 0; s++) times[s][k] = sample[s];
  }
  for (int s = 0; s < STEPS; s++) median[s] = report_median(times[s], machine->repeat);
  return true;
}

/* ------------------------------------------------------------ output -------------------------------------------------------- */

static void write_matrix(const Settings *settings, const Machine *machine, const char *name, int64_t rows, int64_t nnz,
                         const int64_t levels[2])
{
  machine_report(machine, settings->csv, settings->run, settings->label);
  report_text(settings->csv, false, name);
  report_number(settings->csv, (double)rows);
  report_number(settings->csv, (double)nnz);
  report_number(settings->csv, (double)levels[0]);
  report_number(settings->csv, (double)levels[1]);
  report_text(settings->csv, false, machine->location == SPTRSV_DEVICE ? "device" : "host");
}

static void write_csv(const Settings *settings, const Machine *machine, const char *name, const Study *study, const char *method,
                      const double seconds[STEPS], bool same)
{
  write_matrix(settings, machine, name, study->A.rows, study->A.nnz, study->levels);
  report_text(settings->csv, false, method);
  for (int k = 0; k < STEPS; k++) report_number(settings->csv, 1e3 * seconds[k]);
  report_text(settings->csv, false, same ? "OK" : "WRONG");
  (void)fputc('\n', settings->csv);
  (void)fflush(settings->csv);
}

static void write_phase(const Settings *settings, const Machine *machine, const char *name, const PhasesOfSetup *measured,
                        const Phase *phase)
{
  write_matrix(settings, machine, name, measured->rows, measured->nnz, measured->levels);
  report_text(settings->csv, false, settings->icc ? "icc" : "ilu");
  report_text(settings->csv, false, measured->algorithm[0]);
  report_text(settings->csv, false, measured->algorithm[1]);
  report_text(settings->csv, false, phase->name);
  report_number(settings->csv, 1e3 * phase->first);
  report_number(settings->csv, 1e3 * phase->again);
  report_number(settings->csv, phase->bytes);
  report_number(settings->csv, 1e3 * phase->bytes / machine->bandwidth);
  (void)fputc('\n', settings->csv);
  (void)fflush(settings->csv);
}

static bool run_phases(const Settings *settings, Machine *machine, const char *spec, const char *name)
{
  PhasesOfSetup measured;
  double        sum[3] = {0, 0, 0};

  if (!phases_measure(machine, spec, settings->icc ? SPTRSV_ICC0 : SPTRSV_ILU0, settings->phases, &measured)) return false;
  (void)printf("%s: %lld rows, %lld entries, %lld and %lld levels; lower %s, upper %s\n", name, (long long)measured.rows,
               (long long)measured.nnz, (long long)measured.levels[0], (long long)measured.levels[1], measured.algorithm[0],
               measured.algorithm[1]);
  (void)printf("  %-12s %10s %10s %10s %10s %8s\n", "", "first, ms", "again, ms", "MB", "floor, ms", "of it");
  for (int k = 0; k < PHASES; k++) {
    const Phase *phase    = &measured.phase[k];
    const double values[] = {1e3 * phase->first, 1e3 * phase->again, 1e-6 * phase->bytes}, floor = 1e3 * phase->bytes / machine->bandwidth;

    (void)printf("  %-12s %10.3f %10.3f %10.2f %10.3f", phase->name, values[0], values[1], values[2], floor);
    (void)printf(floor > 0 ? " %7.1fx\n" : "\n", values[1] / floor);
    for (int s = 0; s < 3; s++) sum[s] += values[s];
    if (settings->csv) write_phase(settings, machine, name, &measured, phase);
  }
  (void)printf("  %-12s %10.3f %10.3f %10.2f %10.3f\n", "all", sum[0], sum[1], sum[2], 1e9 * sum[2] / machine->bandwidth);
  (void)fflush(stdout);
  return true;
}

static bool run_levels(const Settings *settings, Machine *machine, const char *name, Study *study, int *code)
{
  double seconds[STEPS];
  bool   same;

  (void)printf("%s: %lld rows, %lld entries; ms for both triangles\n", name, (long long)study->A.rows, (long long)study->A.nnz);
  (void)printf("  %-14s %10s %10s %10s %10s %10s\n", "", "to host", "transpose", "counts", "levels", "to device");
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    if (!methods[k].on_host && machine->location != SPTRSV_DEVICE) continue;
    if (!measure_method(machine, study, &methods[k], seconds, &same)) return false;
    (void)printf("  %-14s %10.2f %10.2f %10.2f %10.2f %10.2f%s\n", methods[k].name, 1e3 * seconds[0], 1e3 * seconds[1],
                 1e3 * seconds[2], 1e3 * seconds[3], 1e3 * seconds[4], same ? "" : "  WRONG");
    (void)fflush(stdout);
    if (settings->csv) write_csv(settings, machine, name, study, methods[k].name, seconds, same);
    if (!same && !*code) *code = 1;
  }
  return true;
}

/* ------------------------------------------------------------- run ---------------------------------------------------------- */

/* The index of the first matrix among the arguments, or 0 after an error. */
static int parse_arguments(int argc, char **argv, Settings *settings)
{
  static const struct option options[] = {
    {"location", required_argument, NULL, 'o'}, {"repeat", required_argument, NULL, 'r'}, {"csv", required_argument, NULL, 'c'},
    {"label", required_argument, NULL, 'm'},    {"phases", required_argument, NULL, 'p'}, {"kind", required_argument, NULL, 'k'},
    {"help", no_argument, NULL, '?'},           {NULL, 0, NULL, 0}
  };
  int option;

  while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
    switch (option) {
    case 'o':
      if (strcmp(optarg, "host") && strcmp(optarg, "device")) return 0;
      settings->location = strcmp(optarg, "host") ? SPTRSV_DEVICE : SPTRSV_HOST;
      break;
    case 'r':
      settings->repeat = (int)strtol(optarg, NULL, 10);
      if (settings->repeat < 1 || settings->repeat > MAX_REPEAT) return 0;
      break;
    case 'c': settings->csv_path = optarg; break;
    case 'm': settings->label = optarg; break;
    case 'p': settings->phases = optarg; break;
    case 'k':
      if (strcmp(optarg, "ilu") && strcmp(optarg, "icc")) return 0;
      settings->icc = !strcmp(optarg, "icc");
      break;
    default: return 0;
    }
  }
  return optind < argc ? optind : 0;
}

static bool run_matrix(const Settings *settings, Machine *machine, const char *spec, int *code)
{
  Study study;
  char    name[256];
  bool    ok;

  matrix_name(spec, name, sizeof name);
  if (settings->phases) return run_phases(settings, machine, spec, name);
  ok = study_create(machine, spec, &study) && run_levels(settings, machine, name, &study, code);
  study_destroy(&study);
  return ok;
}

static int run(const Settings *settings, Machine *machine, char **specs)
{
  int code = 0;

  for (; *specs; specs++) {
    if (run_matrix(settings, machine, *specs, &code)) continue;
    (void)fprintf(stderr, "%s\n", machine->error);
    code = 2;
  }
  return code;
}

int main(int argc, char **argv)
{
  Settings s = {.repeat = 5, .label = "unnamed"};
  Machine  machine;
  int      first, code = 2;

  s.location = sptrsvDeviceCount() > 0 ? SPTRSV_DEVICE : SPTRSV_HOST;
  first      = parse_arguments(argc, argv, &s);
  if (!first) {
    (void)fputs(HELP, stderr);
    return 2;
  }
  report_run(s.run, sizeof s.run);
  if (!machine_start(&machine, s.location, SPTRSV_DOUBLE, s.repeat, INFINITY)
      || (s.csv_path && !report_open(s.csv_path, s.phases ? PHASES_HEADER : CSV_HEADER, &s.csv, machine.error, sizeof machine.error))) {
    (void)fprintf(stderr, "%s\n", machine.error);
  } else code = run(&s, &machine, argv + first);
  machine_stop(&machine);
  if (s.csv) (void)fclose(s.csv);
  return code;
}
