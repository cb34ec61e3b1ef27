/* The number of processors for this process: those that it may run on, the quota of its control group, and a limit. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "team.h"

enum { LINE = 1024 };

static atomic_int limit; /* of threads; 0: none */

static FILE *open_file(const char *root, const char *folder, const char *name)
{
  char path[3 * LINE];

  (void)snprintf(path, sizeof(path), "%s%s/%s", root, folder, name);
  return fopen(path, "r");
}

/* Returns a number of a file, the first or the second one; 0: it has none */
static double number_in(const char *root, const char *folder, const char *name, bool second)
{
  FILE  *file   = open_file(root, folder, name);
  double number = 0;

  if (file && fscanf(file, second ? "%*s %lf" : "%lf", &number) != 1) number = 0;
  if (file) (void)fclose(file);
  return number;
}

/* Returns the least quota of the group and those that it is in, up to the one that is mounted; 0: none.  Of cgroups there are two versions,
   and a machine can have both: the second one's folder has quota and period in one file, the other's in two.  folder: is shortened */
static double least_quota(const char *root, char *folder, size_t mount, bool second)
{
  double least = 0;

  for (char *end = folder + strlen(folder); end; end = strrchr(folder + mount, '/')) {
    double quota, period;

    *end   = 0;
    quota  = number_in(root, folder, second ? "cpu.max" : "cpu.cfs_quota_us", false);
    period = number_in(root, folder, second ? "cpu.max" : "cpu.cfs_period_us", second);
    if (quota > 0 && period > 0 && (!least || quota / period < least)) least = quota / period;
  }
  return least;
}

/* Tells whether a list with commas has the word */
static bool has_word(const char *list, const char *word)
{
  const size_t length = strlen(word);

  for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
    if ((at == list || at[-1] == ',') && strchr(",\n", at[length])) return true;
  }
  return false;
}

/* ID:controllers:path; the second version's has no controllers.  group: its path in the hierarchy */
static bool find_group(const char *root, bool second, char group[LINE])
{
  FILE *file = open_file(root, "", "proc/self/cgroup");
  char  line[LINE];
  bool  found = false;

  while (file && !found && fgets(line, sizeof(line), file)) {
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;

    if (!path) continue;
    *controllers++ = 0;
    *path++        = 0;
    found          = second ? !*controllers : has_word(controllers, "cpu");
    if (found) (void)snprintf(group, LINE, "%.*s", (int)strcspn(path, "\n"), path);
  }
  if (file) (void)fclose(file);
  return found && !strstr(group, "/.."); /* out of sight of this container */
}

/* ... root mount-point options ... - type source options */
static double quota_of_mount(const char *root, char *line)
{
  char        type[16], top[LINE], folder[2 * LINE], options[LINE], group[LINE];
  bool        second;
  size_t      mount, length;
  const char *tail = strstr(line, " - ");

  if (!tail || sscanf(tail, " - %15s %*s %1023s", type, options) != 2 || strncmp(type, "cgroup", 6)) return 0;
  second = !strcmp(type, "cgroup2");
  if (!second && !has_word(options, "cpu")) return 0;
  if (sscanf(line, "%*s %*s %*s %1023s %1023s", top, folder) != 2) return 0;
  mount  = strlen(folder);
  length = strcmp(top, "/") ? strlen(top) : 0;
  if (find_group(root, second, group) && !strncmp(group, top, length) && strcmp(group, "/"))
    (void)snprintf(folder + mount, sizeof(folder) - mount, "%s", group + length);
  return least_quota(root, folder, mount, second);
}

int sptrsvQuota(const char *root)
{
  FILE  *file = open_file(root, "", "proc/self/mountinfo");
  char   line[LINE];
  double least = 0;

  while (file && fgets(line, sizeof(line), file)) {
    const double quota = quota_of_mount(root, line);

    if (quota > 0 && (!least || quota < least)) least = quota;
  }
  if (file) (void)fclose(file);
  return least <= 0 ? 0 : least < 1 ? 1 : least < INT_MAX ? (int)least : INT_MAX;
}

static int allowed(void)
{
#if defined(__linux__)
  cpu_set_t set;

  if (!sched_getaffinity(0, sizeof(set), &set)) return CPU_COUNT(&set);
#endif
  const long count = sysconf(_SC_NPROCESSORS_ONLN);

  return count > 0 ? (int)count : 1;
}

int sptrsvProcessors(void)
{
  const int bounds[] = {sptrsvQuota(""), atomic_load(&limit)};
  int       count    = allowed();

  for (int k = 0; k < 2; k++) {
    if (bounds[k] && bounds[k] < count) count = bounds[k];
  }
  return count;
}

void sptrsvLimitThreads(int most)
{
  atomic_store(&limit, most > 0 ? most : 0);
}
