/* choices.c - Choices of auto that the process remembers. */
#include "../../src/kernels/solve/auto/choices.h"
#include "check.h"

enum { REMEMBERED = 64 };

/* As many as it remembers, and one more, which takes the place of the oldest */
static void test_ring(void)
{
  case_begin("choices of auto: %d are remembered", REMEMBERED);
  for (int k = 0; k <= REMEMBERED; k++) {
    const SptrsvChoice choice = {.key = 0xc0de0000 + (uint64_t)k, .strips.rows = 100 + k};
    SptrsvChoice       same   = {.key = choice.key};

    expect(!sptrsvChoiceFind(&same), "%d is found before it was kept", k);
    sptrsvChoiceKeep(&choice);
  }
  for (int k = 0; k <= REMEMBERED; k++) {
    SptrsvChoice choice = {.key = 0xc0de0000 + (uint64_t)k};
    const bool   found  = sptrsvChoiceFind(&choice);

    expect(found == (k > 0), "%d is %s", k, found ? "found" : "forgotten");
    if (found) expect(choice.strips.rows == 100 + k, "%d rows for %d", choice.strips.rows, k);
  }
  case_end();
}

int main(int argc, char **argv)
{
  (void)test_begin("choices", argc, argv);
  test_ring();
  return test_end();
}
