/* Files and lines of the kernels' code, for messages: addr2line reads them from this program. */
#include "internal.h"
#include <cstdio>
#include <link.h>
#include <map>
#include <unistd.h>

namespace simt {

/* A return address is one past the call; the program may be loaded anywhere */
std::string place_of(const void *pc)
{
  static std::map<const void *, std::string> places;

  std::string &place = places[pc];
  uintptr_t    base  = 0;
  char         command[128], line[512];

  if (!place.empty()) return place;
  (void)dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *first) {
        *(uintptr_t *)first = info->dlpi_addr;
        return 1;
      },
      &base);
  (void)snprintf(command, sizeof(command), "addr2line -s -i -e /proc/%d/exe %#zx 2>/dev/null", (int)getpid(), (uintptr_t)pc - 1 - base);
  FILE *output = popen(command, "r");

  while (output && fgets(line, sizeof(line), output)) { /* the innermost function first */
    line[strcspn(line, " \n")] = 0;
    place += (place.empty() ? "" : ", in ") + std::string(line);
  }
  if (output) (void)pclose(output);
  if (place.empty()) place = "an unknown place";
  return place;
}

} // namespace simt
