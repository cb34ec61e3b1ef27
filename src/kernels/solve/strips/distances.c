/* Classes of entries by their distance from the diagonal. */
#include <math.h>
#include "strips.h"

/* Distances are counted in quarters of an octave.  A gap is a factor of two or more in which hardly any are. */
enum { PER_OCTAVE = 4, BUCKETS = 31 * PER_OCTAVE + 1, SAMPLED = 4096, RARE = 200 };

static int64_t count_distances(const SptrsvPattern *p, SptrsvTriangle side, int64_t count[BUCKETS])
{
  const int step  = p->n / SAMPLED + 1;
  int64_t   total = 0;

  for (int i = step / 2; i < p->n; i += step) {
    for (int e = sptrsvRowBegin(p, side, i); e < sptrsvRowEnd(p, side, i); e++, total++)
      count[(int)(PER_OCTAVE * log2(fabs((double)i - p->col_idx[e])))]++;
  }
  return total;
}

int sptrsvDistanceClasses(const SptrsvPattern *pattern, SptrsvTriangle side, int bound[2])
{
  int64_t       count[BUCKETS] = {0};
  const int64_t total          = count_distances(pattern, side, count);
  int           width[2] = {0, 0}, above[2] = {0, 0}, last = -1; /* the two widest gaps, and the buckets above them */

  for (int k = 0; k < BUCKETS; k++) {
    const int gap = k - last - 1;

    if (count[k] <= total / RARE) continue;
    if (last >= 0 && gap >= PER_OCTAVE && gap > width[1]) {
      const int at = gap > width[0] ? 0 : 1;

      if (!at) {
        width[1] = width[0];
        above[1] = above[0];
      }
      width[at] = gap;
      above[at] = k;
    }
    last = k;
  }
  const int gaps = (width[0] > 0) + (width[1] > 0), first = gaps == 2 && above[1] < above[0]; /* the gap at the smaller distance */

  bound[0] = gaps ? (int)ceil(exp2((double)above[first] / PER_OCTAVE)) : 1;
  bound[1] = gaps == 2 ? (int)ceil(exp2((double)above[!first] / PER_OCTAVE)) : INT_MAX;
  return gaps;
}
