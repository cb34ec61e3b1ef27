/*
   Calls of the library that are given a stream.  Their work stays out of the legacy stream, which other streams of the program wait for,
   unless that is the one they were given; only a set-up inside of them may use it, and one that makes nothing does not wait for it.  The
   linker puts these functions in the place of the library's (--wrap, see rules.mk), so every program on the emulator keeps the rule.
*/
#include "../../include/sptrsv_study.h"
#include "internal.h"

namespace {

struct {
  const char *name;    /* of the outermost call that was given a stream of its own; NULL: none is under way */
  int         calls;   /* inside of each other, from that one on */
  int         set_ups; /* likewise */
  bool        made;    /* the outermost of them has used the legacy stream */
} under_way = {};

} // namespace

void simt::call_begins(const char *name, cudaStream_t stream)
{
  if (!under_way.calls && !stream) return;
  if (!under_way.calls++) under_way.name = name;
}
void simt::call_ends()
{
  if (under_way.calls) under_way.calls--;
}
void simt::set_up_begins()
{
  if (!under_way.set_ups++) under_way.made = false;
}
void simt::set_up_ends()
{
  under_way.set_ups--;
}

void simt::expect_no_call(const char *what)
{
  if (under_way.calls && !under_way.set_ups) fail("%s was given a stream, and uses %s", under_way.name, what);
  under_way.made = true;
}

/* By the linker's option --wrap=f, calls of f() go to __wrap_f(), and __real_f() is f() */
extern "C" {
#define WRAP(name, parameters, ...)                                                                                                        \
  SptrsvStatus __real_##name parameters;                                                                                                   \
  SptrsvStatus __wrap_##name parameters;                                                                                                   \
  SptrsvStatus __wrap_##name parameters                                                                                                    \
  {                                                                                                                                        \
    simt::call_begins(#name "()", stream);                                                                                                 \
    const SptrsvStatus status = __real_##name(__VA_ARGS__);                                                                                \
    simt::call_ends();                                                                                                                     \
    return status;                                                                                                                         \
  }
WRAP(sptrsvFactorNumeric,
     (SptrsvFactor factor, const void *values, const SptrsvPivoting *pivoting, SptrsvStream stream, SptrsvFactorResult *result), factor,
     values, pivoting, stream, result)
WRAP(sptrsvFactorNumericPlans,
     (SptrsvFactor factor, const void *values, const SptrsvPivoting *pivoting, int plans, const SptrsvPlan *plan, SptrsvStream stream,
      SptrsvFactorResult *result),
     factor, values, pivoting, plans, plan, stream, result)
WRAP(sptrsvFactorGetInvertedPivots, (SptrsvFactor factor, void *inverted, SptrsvStream stream), factor, inverted, stream)
WRAP(sptrsvFactorGetBlockValues, (SptrsvFactor factor, SptrsvStream stream, const void **values), factor, stream, values)
WRAP(sptrsvFactorSolveBlocks,
     (SptrsvFactor factor, SptrsvBlockPart part, SptrsvOperation op, const void *b, void *x, SptrsvStream stream), factor, part, op, b, x,
     stream)
WRAP(sptrsvPlanUpdate, (SptrsvPlan plan, const void *values, SptrsvStream stream), plan, values, stream)
WRAP(sptrsvSolve, (SptrsvPlan plan, const void *b, void *x, SptrsvStream stream), plan, b, x, stream)
WRAP(sptrsvSolveNext, (SptrsvPlan plan, const void *b, void *x, SptrsvStream stream), plan, b, x, stream)
WRAP(sptrsvSolveMany, (SptrsvPlan plan, int64_t columns, const void *b, int64_t ldb, void *x, int64_t ldx, SptrsvStream stream), plan,
     columns, b, ldb, x, ldx, stream)
WRAP(sptrsvPlanSplitTransfer, (SptrsvPlan plan, const void *b, void *x, SptrsvStream stream), plan, b, x, stream)

void         __real_sptrsvSetupBegin(void);
SptrsvStatus __real_sptrsvSetupEnd(SptrsvLocation location, SptrsvStatus status);
void         __wrap_sptrsvSetupBegin(void);
SptrsvStatus __wrap_sptrsvSetupEnd(SptrsvLocation location, SptrsvStatus status);

void __wrap_sptrsvSetupBegin(void)
{
  simt::set_up_begins();
  __real_sptrsvSetupBegin();
}
SptrsvStatus __wrap_sptrsvSetupEnd(SptrsvLocation location, SptrsvStatus status)
{
  if (under_way.calls && under_way.set_ups == 1 && !under_way.made && !status && location == SPTRSV_DEVICE)
    simt::fail("%s was given a stream, and waits for a set-up that makes nothing", under_way.name);
  const SptrsvStatus ended = __real_sptrsvSetupEnd(location, status);

  simt::set_up_ends();
  return ended;
}
}
