/* The table of options: values as text in and out, ranges, unknown names, keys, and the meaning of zero. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

static void expect_value(const SptrsvTuning *tuning, const char *name, const char *expected)
{
  char text[256];

  expect_success(sptrsvOptionPrint(tuning, name, text, sizeof(text)));
  expect(!strcmp(text, expected), "%s is %s, not %s", name, text, expected);
}

/* A good value comes back as it was given, and nothing but it is changed */
static void test_value(const char *name, const char *value)
{
  SptrsvTuning        tuning, before;
  const SptrsvOption *o;
  char                error[512] = "", now[256], then[256];

  case_begin("%s %s", name, value);
  memset(&tuning, 0, sizeof(tuning));
  memset(&before, 0, sizeof(before));
  expect(!sptrsvOptionSet(&tuning, name, value, error, sizeof(error)), "%s", error);
  expect_value(&tuning, name, value);
  for (int k = 0; (o = sptrsvOptionGet(k)); k++) {
    expect_success(sptrsvOptionPrint(&tuning, o->name, now, sizeof(now)));
    expect_success(sptrsvOptionPrint(&before, o->name, then, sizeof(then)));
    expect(!strcmp(o->name, name) || !strcmp(now, then), "%s has changed from %s to %s", o->name, then, now);
  }
  case_end();
}

static void test_refusal(const char *name, const char *value, SptrsvStatus status)
{
  SptrsvTuning         tuning;
  const unsigned char *bytes     = (const unsigned char *)&tuning;
  char                 error[512] = "";
  size_t               changed    = 0;

  case_begin("%s %s is refused", name, value);
  memset(&tuning, 1, sizeof(tuning));
  expect_status(sptrsvOptionSet(&tuning, name, value, error, sizeof(error)), status, "sptrsvOptionSet()");
  expect(strstr(error, name) != NULL, "the sentence \"%s\" does not name it", error);
  for (size_t k = 0; k < sizeof(tuning); k++) changed += bytes[k] != 1;
  expect(!changed, "%zu bytes were changed", changed);
  expect_status(sptrsvOptionSet(&tuning, name, value, NULL, 0), status, "sptrsvOptionSet() without a sentence");
  case_end();
}

/* Every row: its name is unique and begins with what it belongs to, its default is said in one way */
static void test_table(void)
{
  const SptrsvOption *o, *other;

  case_begin("rows of the table");
  for (int k = 0; (o = sptrsvOptionGet(k)); k++) {
    for (int j = 0; (other = sptrsvOptionGet(j)); j++) {
      expect(j == k || strcmp(o->name, other->name), "%s is there twice", o->name);
      expect(j == k || o->offset + o->size <= other->offset || other->offset + other->size <= o->offset, "%s and %s share their place",
             o->name, other->name);
    }
    expect(o->offset + o->size <= sizeof(SptrsvTuning), "%s is outside of SptrsvTuning", o->name);
    expect(!o->value != !o->rule, "%s has two defaults, or none", o->name);
    expect((o->type == SPTRSV_OPTION_CHOICE) == (o->choices != NULL), "%s has choices, or has none", o->name);
    expect(o->name[0] && o->algorithms[0] && o->summary[0], "%s says too little", o->name);
  }
  expect(!sptrsvOptionGet(-1), "there is a row before the first");
  case_end();
}

static void test_arguments(void)
{
  SptrsvTuning tuning = {.levelorder.lanes = 1};
  char         text[8];

  case_begin("arguments");
  expect_status(sptrsvOptionSet(NULL, "ata_size", "1", text, sizeof(text)), SPTRSV_INVALID_ARGUMENT, "no tuning");
  expect_status(sptrsvOptionSet(&tuning, NULL, "1", text, sizeof(text)), SPTRSV_INVALID_ARGUMENT, "no name");
  expect_status(sptrsvOptionSet(&tuning, "ata_size", NULL, text, sizeof(text)), SPTRSV_INVALID_ARGUMENT, "no value");
  expect_status(sptrsvOptionSet(&tuning, "ata_size", "1", NULL, 8), SPTRSV_INVALID_ARGUMENT, "no room for the sentence");
  expect_status(sptrsvOptionPrint(NULL, "ata_size", text, sizeof(text)), SPTRSV_INVALID_ARGUMENT, "no tuning");
  expect_status(sptrsvOptionPrint(&tuning, NULL, text, sizeof(text)), SPTRSV_INVALID_ARGUMENT, "no name");
  expect_status(sptrsvOptionPrint(&tuning, "ata_size", NULL, sizeof(text)), SPTRSV_INVALID_ARGUMENT, "no text");
  expect_status(sptrsvOptionPrint(&tuning, "ata_size", text, 0), SPTRSV_INVALID_ARGUMENT, "no room for the text");
  expect_status(sptrsvOptionPrint(&tuning, "size", text, sizeof(text)), SPTRSV_UNKNOWN_NAME, "an unknown name");
  expect(strlen(text) == sizeof(text) - 1, "the sentence is not cut, \"%s\"", text);
  expect_success(sptrsvOptionSet(&tuning, "split_parameters", "level=3,first=host", text, sizeof(text)));
  expect_success(sptrsvOptionPrint(&tuning, "split_parameters", text, sizeof(text)));
  expect(!strcmp(text, "level=3"), "the text is not cut, \"%s\"", text);
  tuning.strips.order = (SptrsvStripsOrder)77;
  expect_status(sptrsvOptionPrint(&tuning, "strips_order", text, sizeof(text)), SPTRSV_INVALID_ARGUMENT, "no choice");
  case_end();
}

/* A key that is not there is told with those that are, and a value out of range with its key */
static void test_keys(void)
{
  SptrsvTuning tuning = {.ata.size = 0};
  char         error[512];

  case_begin("keys");
  expect_success(sptrsvOptionSet(&tuning, "split_parameters", "level=3,policy=cpu-cpu", NULL, 0));
  expect_value(&tuning, "split_parameters", "level=3,policy=cpu-cpu");
  expect_status(sptrsvOptionSet(&tuning, "split_parameters", "levels=3", error, sizeof(error)), SPTRSV_UNKNOWN_NAME, "a wrong key");
  expect(strstr(error, "no key \"levels\", there are: policy, level, first, ") && strstr(error, ", bad_share"), "\"%s\"", error);
  expect_status(sptrsvOptionSet(&tuning, "split_parameters", "level=3,bad_share=101", error, sizeof(error)), SPTRSV_INVALID_ARGUMENT,
                "101 %");
  expect(!strcmp(error, "split_parameters: bad_share must be a number, from 0 to 100, not 101"), "\"%s\"", error);
  expect_value(&tuning, "split_parameters", "level=3,policy=cpu-cpu");
  expect_success(sptrsvOptionSet(&tuning, "split_parameters", "", NULL, 0));
  expect(!tuning.split.parameters, "an empty text is no default");
  expect(!sptrsvAlgorithmFind("auto", SPTRSV_HOST) && !sptrsvAlgorithmFind(NULL, SPTRSV_HOST), "auto or NULL is an algorithm");
  case_end();
}

int main(int argc, char **argv)
{
  static const char *const good[][2] = {{"levelorder_lanes", "8"},         {"levelorder_lanes", "0"},     {"host_threads", "2147483647"},
                                        {"yuenyeung_threshold", "2.5"},    {"yuenyeung_threshold", "inf"}, {"ata_policy", "la"},
                                        {"split_parameters", "policy=gpu-gpu"},
                                        {"split_parameters", "first=host-threads/second=auto,bad_share=100"},
                                        {"factor_algorithm", "auto"},      {"split_parameters", ""}};
  static const char *const bad[][2]  = {{"levelorder_lanes", "3"},     {"levelorder_lanes", "128"},     {"levelorder_lanes", "-1"},
                                        {"levelorder_lanes", "1.5"},   {"levelorder_lanes", "8x"},      {"levelorder_lanes", ""},
                                        {"host_threads", "2147483648"}, {"host_threads", "nan"},        {"yuenyeung_threshold", "-1"},
                                        {"yuenyeung_threshold", "nan"}, {"split_parameters", "bad_share=100.5"},   {"ata_ratio", "much"}};
  static const char *const unknown[][2] = {{"lanes", "4"},           {"threshold", "2"},      {"split", "4"},
                                           {"ata_policy", "some"},   {"factor_algorithm", "x"},
                                           {"split_parameters", "policy="}, {"split_parameters", "first=cholesky"}};

  (void)test_begin("options", argc, argv);
  test_table();
  test_arguments();
  test_keys();
  for (size_t k = 0; k < sizeof(good) / sizeof(*good); k++) test_value(good[k][0], good[k][1]);
  for (int k = 0; sptrsvFactorAlgorithmGet(k); k++) test_value("factor_algorithm", sptrsvFactorAlgorithmGet(k)->name);
  for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) test_refusal(bad[k][0], bad[k][1], SPTRSV_INVALID_ARGUMENT);
  for (size_t k = 0; k < sizeof(unknown) / sizeof(*unknown); k++) test_refusal(unknown[k][0], unknown[k][1], SPTRSV_UNKNOWN_NAME);
  return test_end();
}
