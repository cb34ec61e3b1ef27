/* bench_sptrsv.c - Times the kernel library's algorithms on grids and files, in one run; see README.md. */
#include "matrices/matrices.h"
#include "report.h"
#include "sptrsv_measure.h"
#include "sptrsv_settings.h"
#include <math.h>
#include <string.h>

static const char CSV_HEADER[] =
  "run,machine,gpu,driver,cuda,matrix,kind,type,rows,nnz,levels_lower,levels_upper,algorithm,first_setup_ms,refactor_us,"
  "lower_us,upper_us,apply_us,spmv_us,plan_bytes,floor_bandwidth_us,floor_hop_us,error,status,analysis_ms,plans_ms,gflops,"
  "repetitions,description,factor_us,factor_description,split_policy,split_level,split_setup_ms,transfer_us,"
  "nnz_lower,granularity";

/* ------------------------------------------------------------ output -------------------------------------------------------- */

static const char *verdict(const Settings *settings, const SptrsvPlanOptions *options, bool ok, const Measurement *measured)
{
  const bool single = settings->type == SPTRSV_FLOAT || options->tuning.sweep.precision == SPTRSV_PRECISION_SINGLE;

  if (!ok && measured->status == SPTRSV_NOT_SUPPORTED) return "NOT SUPPORTED";
  if (!ok) return "FAILED";
  return measured->error <= (single ? 1e-4 : 1e-10) ? "OK" : "WRONG"; /* a NaN is wrong */
}

/* Two operations for each entry of the matrix, in both sweeps together: Li, Equation 4. */
static double gflops(const Problem *problem, const Measurement *measured) { return 2e-9 * (double)problem->A.nnz / measured->apply; }

/* Each level costs at least one hop between SMs, if rows are solved one by one; the default was measured on a GPU. */
static double hop_floor(const Settings *settings, const Problem *problem)
{
  return settings->location == SPTRSV_DEVICE ? settings->hop * (double)(problem->levels_lower + problem->levels_upper) : NAN;
}

static void write_csv(const Settings *settings, const char *name, const char *algorithm, const Problem *problem,
                      const Measurement *measured, const char *status)
{
  machine_report(problem->machine, settings->csv, settings->run, settings->label);
  report_text(settings->csv, false, name);
  report_text(settings->csv, false, problem_kinds[settings->kind]);
  report_text(settings->csv, false, settings->type == SPTRSV_FLOAT ? "float" : "double");
  report_number(settings->csv, (double)problem->A.rows);
  report_number(settings->csv, (double)problem->A.nnz);
  report_number(settings->csv, (double)problem->levels_lower);
  report_number(settings->csv, (double)problem->levels_upper);
  report_text(settings->csv, false, algorithm);
  report_number(settings->csv, 1e3 * measured->first_setup);
  report_number(settings->csv, 1e6 * measured->refactor);
  report_number(settings->csv, 1e6 * measured->lower);
  report_number(settings->csv, 1e6 * measured->upper);
  report_number(settings->csv, 1e6 * measured->apply);
  report_number(settings->csv, 1e6 * problem->spmv);
  report_number(settings->csv, (double)measured->plan_bytes);
  report_number(settings->csv, 1e6 * problem_bytes(problem) / problem->machine->bandwidth);
  report_number(settings->csv, 1e6 * hop_floor(settings, problem));
  report_number(settings->csv, measured->error);
  report_text(settings->csv, false, status);
  report_number(settings->csv, 1e3 * measured->analysis);
  report_number(settings->csv, 1e3 * measured->plans);
  report_number(settings->csv, gflops(problem, measured));
  report_number(settings->csv, measured->repetitions);
  report_text(settings->csv, false, measured->description);
  report_number(settings->csv, 1e6 * measured->factor);
  report_text(settings->csv, false, measured->factor_description);
  report_text(settings->csv, false, measured->split_policy);
  report_number(settings->csv, measured->split_level);
  report_number(settings->csv, 1e3 * measured->split_setup);
  report_number(settings->csv, 1e6 * measured->transfer);
  report_number(settings->csv, (double)problem->nnz_lower);
  report_number(settings->csv, problem->granularity);
  (void)fputc('\n', settings->csv);
  (void)fflush(settings->csv);
}

static void print_head(const Settings *settings, const char *name, const Problem *problem)
{
  (void)printf("%s, %s, %s: %lld rows, %lld entries, SpMV %.1f us\n", name, problem_kinds[settings->kind],
               settings->type == SPTRSV_FLOAT ? "float" : "double", (long long)problem->A.rows, (long long)problem->A.nnz,
               1e6 * problem->spmv);
  (void)printf("  %-24s %10s %10s %10s %10s %10s %7s %9s %9s  x %s\n", "", "set-up,ms", "refact,us", "lower,us", "upper,us",
               "apply,us", "GFLOPS", "plan,MB", "error", settings_baseline(settings));
}

static void print_floors(const Settings *settings, const Problem *problem)
{
  (void)printf("  floors: %.1f us for the bytes", 1e6 * problem_bytes(problem) / problem->machine->bandwidth);
  if (settings->location == SPTRSV_DEVICE) (void)printf(", %.1f us for the hops", 1e6 * hop_floor(settings, problem));
  (void)printf("; %lld and %lld levels\n", (long long)problem->levels_lower, (long long)problem->levels_upper);
}

static void print_row(const char *algorithm, const Problem *problem, const Measurement *measured, double baseline, const char *status)
{
  (void)printf("  %-24s %10.2f %10.1f %10.1f %10.1f %10.1f %7.2f %9.2f %9.1e  ", algorithm, 1e3 * measured->first_setup,
               1e6 * measured->refactor, 1e6 * measured->lower, 1e6 * measured->upper, 1e6 * measured->apply, gflops(problem, measured),
               1e-6 * (double)measured->plan_bytes, measured->error);
  if (isfinite(baseline)) (void)printf("%.2f", baseline / measured->apply);
  else (void)printf("-");
  (void)printf("%s%s\n", strcmp(status, "OK") ? "  " : "", strcmp(status, "OK") ? status : "");
  (void)fflush(stdout);
}

/* ------------------------------------------------------------- run ---------------------------------------------------------- */

/* False if an algorithm is wrong or fails; an algorithm that is not supported does not count as failed. */
static bool run_matrix(const Settings *settings, const char *name, Problem *problem)
{
  double baseline = NAN;
  bool   fine = true, floors = false;

  print_head(settings, name, problem);
  for (int k = 0; k < settings->num_algorithms; k++) {
    const char *spec = settings->algorithms[k].spec, *status;
    Measurement m;
    bool        ok = measure(problem, &settings->algorithms[k].options, &m), right;

    status = verdict(settings, &settings->algorithms[k].options, ok, &m);
    floors = floors || ok;
    right  = !strcmp(status, "OK");
    if (right && !strcmp(spec, settings_baseline(settings))) baseline = m.apply;
    if (ok) print_row(spec, problem, &m, right ? baseline : NAN, status);
    else (void)printf("  %-24s %s: %s\n", spec, status, problem->machine->error);
    if (settings->csv && ok) write_csv(settings, name, spec, problem, &m, status);
    fine = fine && (right || (!ok && m.status == SPTRSV_NOT_SUPPORTED));
  }
  if (floors) print_floors(settings, problem);
  return fine;
}

static int run(const Settings *settings, Machine *machine, char **specs)
{
  int code = 0;

  (void)printf("%s: copy at %.1f GB/s, median of %d\n", machine->gpu, 1e-9 * machine->bandwidth, machine->repeat);
  for (; *specs; specs++) {
    Problem problem;
    char    name[256];

    matrix_name(*specs, name, sizeof name);
    if (!problem_create(machine, *specs, settings->kind, &problem)) {
      (void)fprintf(stderr, "%s\n", machine->error);
      code = 2;
      continue;
    }
    if (!run_matrix(settings, name, &problem) && !code) code = 1;
    problem_destroy(&problem);
  }
  return code;
}

int main(int argc, char **argv)
{
  Settings  s;
  Machine   machine;
  const int first = settings_parse(argc, argv, &s);
  int       code  = 2;

  if (!first) return 2;
  report_run(s.run, sizeof s.run);
  if (!machine_start(&machine, s.location, s.type, s.repeat, s.budget)
      || (s.csv_path && !report_open(s.csv_path, CSV_HEADER, &s.csv, machine.error, sizeof machine.error))) {
    (void)fprintf(stderr, "%s\n", machine.error);
  } else code = run(&s, &machine, argv + first);
  machine_stop(&machine);
  if (s.csv) (void)fclose(s.csv);
  return code;
}
