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

static const char *verdict(const Settings *s, bool ok, const Measurement *m)
{
  if (!ok && m->status == SPTRSV_NOT_SUPPORTED) return "NOT SUPPORTED";
  if (!ok) return "FAILED";
  return m->error <= (s->type == SPTRSV_FLOAT ? 1e-4 : 1e-10) ? "OK" : "WRONG"; /* a NaN is wrong */
}

/* Two operations for each entry of the matrix, in both sweeps together: Li, Equation 4. */
static double gflops(const Problem *p, const Measurement *m) { return 2e-9 * (double)p->A.nnz / m->apply; }

/* Each level costs at least one hop between SMs, if rows are solved one by one; the default was measured on a GPU. */
static double hop_floor(const Settings *s, const Problem *p)
{
  return s->location == SPTRSV_DEVICE ? s->hop * (double)(p->levels_lower + p->levels_upper) : NAN;
}

static void write_csv(const Settings *s, const char *name, const char *algorithm, const Problem *p, const Measurement *m,
                      const char *status)
{
  const Machine *machine = p->machine;

  report_text(s->csv, true, s->run);
  report_text(s->csv, false, s->label);
  report_text(s->csv, false, machine->gpu);
  report_text(s->csv, false, machine->driver);
  report_text(s->csv, false, machine->cuda);
  report_text(s->csv, false, name);
  report_text(s->csv, false, problem_kinds[s->kind]);
  report_text(s->csv, false, s->type == SPTRSV_FLOAT ? "float" : "double");
  report_number(s->csv, (double)p->A.rows);
  report_number(s->csv, (double)p->A.nnz);
  report_number(s->csv, (double)p->levels_lower);
  report_number(s->csv, (double)p->levels_upper);
  report_text(s->csv, false, algorithm);
  report_number(s->csv, 1e3 * m->first_setup);
  report_number(s->csv, 1e6 * m->refactor);
  report_number(s->csv, 1e6 * m->lower);
  report_number(s->csv, 1e6 * m->upper);
  report_number(s->csv, 1e6 * m->apply);
  report_number(s->csv, 1e6 * p->spmv);
  report_number(s->csv, (double)m->plan_bytes);
  report_number(s->csv, 1e6 * problem_bytes(p) / machine->bandwidth);
  report_number(s->csv, 1e6 * hop_floor(s, p));
  report_number(s->csv, m->error);
  report_text(s->csv, false, status);
  report_number(s->csv, 1e3 * m->analysis);
  report_number(s->csv, 1e3 * m->plans);
  report_number(s->csv, gflops(p, m));
  report_number(s->csv, m->repetitions);
  report_text(s->csv, false, m->description);
  report_number(s->csv, 1e6 * m->factor);
  report_text(s->csv, false, m->factor_description);
  report_text(s->csv, false, m->split_policy);
  report_number(s->csv, m->split_level);
  report_number(s->csv, 1e3 * m->split_setup);
  report_number(s->csv, 1e6 * m->transfer);
  report_number(s->csv, (double)p->nnz_lower);
  report_number(s->csv, p->granularity);
  (void)fputc('\n', s->csv);
  (void)fflush(s->csv);
}

static void print_head(const Settings *s, const char *name, const Problem *p)
{
  (void)printf("%s, %s, %s: %lld rows, %lld entries, SpMV %.1f us\n", name, problem_kinds[s->kind],
               s->type == SPTRSV_FLOAT ? "float" : "double", (long long)p->A.rows, (long long)p->A.nnz, 1e6 * p->spmv);
  (void)printf("  %-24s %10s %10s %10s %10s %10s %7s %9s %9s  x %s\n", "", "set-up,ms", "refact,us", "lower,us", "upper,us",
               "apply,us", "GFLOPS", "plan,MB", "error", settings_baseline(s));
}

static void print_floors(const Settings *s, const Problem *p)
{
  (void)printf("  floors: %.1f us for the bytes", 1e6 * problem_bytes(p) / p->machine->bandwidth);
  if (s->location == SPTRSV_DEVICE) (void)printf(", %.1f us for the hops", 1e6 * hop_floor(s, p));
  (void)printf("; %lld and %lld levels\n", (long long)p->levels_lower, (long long)p->levels_upper);
}

static void print_row(const char *algorithm, const Problem *p, const Measurement *m, double baseline, const char *status)
{
  (void)printf("  %-24s %10.2f %10.1f %10.1f %10.1f %10.1f %7.2f %9.2f %9.1e  ", algorithm, 1e3 * m->first_setup, 1e6 * m->refactor,
               1e6 * m->lower, 1e6 * m->upper, 1e6 * m->apply, gflops(p, m), 1e-6 * (double)m->plan_bytes, m->error);
  if (isfinite(baseline)) (void)printf("%.2f", baseline / m->apply);
  else (void)printf("-");
  (void)printf("%s%s\n", strcmp(status, "OK") ? "  " : "", strcmp(status, "OK") ? status : "");
  (void)fflush(stdout);
}

/* ------------------------------------------------------------- run ---------------------------------------------------------- */

/* False if an algorithm is wrong or fails; an algorithm that is not supported does not count as failed. */
static bool run_matrix(const Settings *s, const char *name, Problem *problem)
{
  double baseline = NAN;
  bool   fine = true, floors = false;

  print_head(s, name, problem);
  for (int k = 0; k < s->num_algorithms; k++) {
    const char *spec = s->algorithms[k].spec, *status;
    Measurement m;
    bool        ok = measure(problem, &s->algorithms[k].options, &m), right;

    status = verdict(s, ok, &m);
    floors = floors || ok;
    right  = !strcmp(status, "OK");
    if (right && !strcmp(spec, settings_baseline(s))) baseline = m.apply;
    if (ok) print_row(spec, problem, &m, right ? baseline : NAN, status);
    else (void)printf("  %-24s %s: %s\n", spec, status, problem->machine->error);
    if (s->csv && ok) write_csv(s, name, spec, problem, &m, status);
    fine = fine && (right || (!ok && m.status == SPTRSV_NOT_SUPPORTED));
  }
  if (floors) print_floors(s, problem);
  return fine;
}

static int run(const Settings *s, Machine *machine, char **specs)
{
  int code = 0;

  (void)printf("%s: copy at %.1f GB/s, median of %d\n", machine->gpu, 1e-9 * machine->bandwidth, machine->repeat);
  for (; *specs; specs++) {
    Problem problem;
    char    name[256];

    matrix_name(*specs, name, sizeof name);
    if (!problem_create(machine, *specs, s->kind, &problem)) {
      (void)fprintf(stderr, "%s\n", machine->error);
      code = 2;
      continue;
    }
    if (!run_matrix(s, name, &problem) && !code) code = 1;
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
