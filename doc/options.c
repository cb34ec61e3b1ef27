/* options.c - Writes doc/options.md from the kernel library's table of options:  make options */
#include <sptrsv.h>
#include <math.h>
#include <stdio.h>

static const char head[] =
  "# Options\n"
  "`make options` writes this page from the table in `src/kernels/options.c`; do not edit it.\n"
  "\n"
  "Each option can be set by\n"
  "- `-pc_syncfree_NAME VALUE` or `PCSyncFreeSetOption(pc, \"NAME\", \"VALUE\")` on the PC,\n"
  "- `-mat_syncfree_NAME VALUE` or `MatSyncFreeSetOption(F, \"NAME\", \"VALUE\")` on the factored matrix,\n"
  "- its member of `SptrsvTuning`, or `sptrsvOptionSet()`, in C without PETSc,\n"
  "- `ALGORITHM:NAME=VALUE` or `--NAME VALUE` in `bench_sptrsv`.\n"
  "\n"
  "0, the first choice, `auto` or an empty text stands for the default. An option has no effect while its algorithm is not in use.\n"
  "Options of the PC override functions of the factored matrix, and `-mat_syncfree_NAME` overrides both.\n"
  "\n"
  "| option | used by | values | default | meaning |\n"
  "|---|---|---|---|---|\n";

static const char tail[] =
  "\n"
  "`-pc_syncfree_algorithm NAME` sets the algorithm of both sweeps; `-pc_syncfree_lower_algorithm` and `-pc_syncfree_upper_algorithm`\n"
  "set that of one sweep (`PCSyncFreeSetAlgorithm()`, `PCSyncFreeSetOption(pc, \"lower_algorithm\", ...)`; `-mat_syncfree_...` likewise).\n"
  "`-pc_syncfree_factor ilu|icc` sets the kind of factorization (`PCSyncFreeSetFactor()`). Each [algorithm](algorithms/README.md) has a\n"
  "page. `-pc_factor_...` options have PETSc's meaning, except that the factor is never made in place\n"
  "([manual](manual.md#choosing)).\n"
  "\n"
  "| algorithm | runs on | source | summary |\n"
  "|---|---|---|---|\n";

static void print_values(const SptrsvOption *o)
{
  switch (o->type) {
  case SPTRSV_OPTION_CHOICE:
    for (int k = 0; o->choices[k]; k++) (void)printf("%s`%s`", k ? ", " : "", o->choices[k]);
    break;
  case SPTRSV_OPTION_ALGORITHM: (void)printf("an algorithm below, or `auto`"); break;
  case SPTRSV_OPTION_FACTOR:
    (void)printf("`auto`");
    for (int k = 0; sptrsvFactorAlgorithmGet(k); k++) (void)printf(", `%s`", sptrsvFactorAlgorithmGet(k)->name);
    break;
  case SPTRSV_OPTION_FILE: (void)printf("a path"); break;
  case SPTRSV_OPTION_POWER: (void)printf("0 or a power of two"); break; /* the largest value depends on the GPU */
  default:
    (void)printf(o->type == SPTRSV_OPTION_INT ? "a whole number" : "a number");
    if (o->type == SPTRSV_OPTION_REAL && isfinite(o->most)) (void)printf(" up to %g", o->most);
  }
}

int main(void)
{
  const SptrsvOption    *o;
  const SptrsvAlgorithm *a;

  (void)fputs(head, stdout);
  for (int k = 0; (o = sptrsvOptionGet(k)); k++) {
    (void)printf("| `%s` | %s | ", o->name, o->algorithms);
    print_values(o);
    if (o->value) (void)printf(" | %g", o->value);
    else (void)printf(" | %s", o->rule);
    (void)printf(o->symbol ? " | %s (%s in the paper) |\n" : " | %s |\n", o->summary, o->symbol);
  }
  (void)fputs(tail, stdout);
  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++)
    (void)printf("| `%s` | %s | %s | %s |\n", a->name, a->location == SPTRSV_HOST ? "host" : "GPU", a->source, a->summary);
  return 0;
}
