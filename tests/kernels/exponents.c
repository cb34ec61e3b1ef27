/* exponents.c - The powers of two by which numbers can be multiplied without a rounding. */
#include "exponents.h"
#include <math.h>

Exponents any_exponent(SptrsvValueType type)
{
  return (Exponents){-10000, 10000, value_types[type].least_exponent, value_types[type].most_exponent - 8};
}

void must_fit(Exponents *e, double number, int power)
{
  const int own = number == 0 || !isfinite(number) ? 0 : ilogb(number) + 1;
  const int low = power > 0 ? e->least - own : own - e->most, high = power > 0 ? e->most - own : own - e->least;

  if (number == 0 || !isfinite(number)) return;
  e->low  = low > e->low ? low : e->low;
  e->high = high < e->high ? high : e->high;
}

void expect_most(const Exponents *e, SptrsvValueType type)
{
  expect(e->high - e->low > value_types[type].most_exponent, "only 2^%d to 2^%d are tried", e->low, e->high);
}
