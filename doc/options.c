/* options.c - Writes doc/options.md from the kernel library's table of options:  make options */
#include <sptrsv.h>
#include <math.h>
#include <stdio.h>

static const char head[] =
  "# Options\n"
  "`make options` writes this page from the table of options; do not edit it.\n"
  "\n"
  "Each option can be set by\n"
  "- `-pc_syncfree_NAME VALUE` or `PCSyncFreeSetOption(pc, \"NAME\", \"VALUE\")` on the PC,\n"
  "- `-mat_syncfree_NAME VALUE` or `MatSyncFreeSetOption(F, \"NAME\", \"VALUE\")` on the factored matrix,\n"
  "- its member of `SptrsvTuning`, or `sptrsvOptionSet()`, in C without PETSc,\n"
  "- `ALGORITHM:NAME=VALUE` or `--NAME VALUE` in `bench_sptrsv`.\n"
  "\n"
  "0, the first choice, `auto` or an empty text stands for the default. An option has no effect while its algorithm is not in use.\n"
  "Options of the PC override functions of the factored matrix, and `-mat_syncfree_NAME` overrides both.\n";

static const char studies[] =
  "\n"
  "## Of published methods\n"
  "`auto` never picks these methods; they are there for comparison. `-help` lists their options with `-pc_syncfree_studies`.\n";

static const char tail[] =
  "\n"
  "## Algorithms\n"
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
  case SPTRSV_OPTION_PARAMETERS: (void)printf("`KEY=VALUE,...`, keys below"); break;
  case SPTRSV_OPTION_POWER: (void)printf("0 or a power of two"); break; /* the largest value depends on the GPU */
  default:
    (void)printf(o->type == SPTRSV_OPTION_INT ? "a whole number" : "a number");
    if (o->type == SPTRSV_OPTION_REAL && isfinite(o->most)) (void)printf(" up to %g", o->most);
  }
}

static void print_row(const SptrsvOption *o)
{
  (void)printf("| `%s` | %s | ", o->name, o->algorithms);
  print_values(o);
  if (o->value) (void)printf(" | %g", o->value);
  else (void)printf(" | %s", o->rule);
  (void)printf(o->symbol ? " | %s (%s in the paper) |\n" : " | %s |\n", o->summary, o->symbol);
}

static const char columns[] = "used by | values | default | meaning |\n|---|---|---|---|---|\n";

static void print_table(int study)
{
  const SptrsvOption *o;

  (void)printf("\n| option | %s", columns);
  for (int k = 0; (o = sptrsvOptionGet(k)); k++) {
    if (!o->study == !study) print_row(o);
  }
}

/* Prints a table of the keys of each option that has some */
static void print_keys(void)
{
  const SptrsvOption *o;

  for (int k = 0; (o = sptrsvOptionGet(k)); k++) {
    if (!o->keys) continue;
    (void)printf("\n`%s` takes `KEY=VALUE,KEY=VALUE`; a slash is as good as a comma. Keys that it does not name have their defaults.\n\n",
                 o->name);
    (void)printf("| key | %s", columns);
    for (const SptrsvOption *key = o->keys; key->name; key++) print_row(key);
  }
}

static void print_algorithms(int study)
{
  const SptrsvAlgorithm *a;

  for (int k = 0; (a = sptrsvAlgorithmGet(k)); k++) {
    if (!(a->traits & SPTRSV_STUDY) != !study) continue;
    (void)printf("| `%s` | %s | %s | %s |\n", a->name, a->location == SPTRSV_HOST ? "host" : "GPU", a->source, a->summary);
  }
}

int main(void)
{
  (void)fputs(head, stdout);
  print_table(0);
  (void)fputs(studies, stdout);
  print_table(1);
  print_keys();
  (void)fputs(tail, stdout);
  print_algorithms(0);
  print_algorithms(1);
  return 0;
}
