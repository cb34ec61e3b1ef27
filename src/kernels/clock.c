/* The clock of all measurements. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime() */
#include <time.h>
#include "impl.h"

double sptrsvSeconds(void)
{
  struct timespec now;

  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
