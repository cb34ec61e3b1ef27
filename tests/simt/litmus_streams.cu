/*
   The emulator's own tests of streams and events: programs of a few lines, right and wrong ones.  Each runs under many seeds; every allowed
   outcome must appear at least once, and no forbidden one.  The rules are those of the CUDA programming guide (default stream) and of "API
   synchronization behavior" in the manual of the runtime.
*/
#include "internal.h"
#include "litmus_programs.h"

namespace {

constexpr int FEW = 20;

/* The legacy stream and blocking streams wait for each other; with non-blocking ones there are both orders */
void legacy_outcomes(const char *what, const Program &program)
{
  outcomes(what, {1}, program, 0);
  outcomes(what, {0, 1}, program, cudaStreamNonBlocking);
}

/* ------------------------------------------------------------ streams ------------------------------------------------------ */

void order_of_streams()
{
  outcomes("two kernels in one stream", {1}, [](World &w) {
    w.set(w.s[0], w.data);
    w.copy(w.s[0]);
    return w.result();
  });
  outcomes("two kernels in two streams", {0, 1}, [](World &w) {
    w.set(w.s[0], w.data);
    w.copy(w.s[1]);
    return w.result();
  });
  outcomes("parameters changed after the launch", {1}, [](World &w) {
    unsigned v = 1;

    (void)launch(set_kernel, 1, 1, w.s[0], w.out, v);
    v = 2;
    return w.result();
  });
  outcomes("a stream destroyed with work left", {1}, [](World &w) {
    w.set(w.s[0], w.out);
    (void)cudaStreamDestroy(w.s[0]);
    w.s[0] = nullptr;
    return w.result();
  });
}

void events()
{
  const auto behind_event = [](World &w, bool early) {
    if (early) (void)cudaEventRecord(w.event, w.s[0]);
    w.set(w.s[0], w.data);
    if (!early) (void)cudaEventRecord(w.event, w.s[0]);
    (void)cudaStreamWaitEvent(w.s[1], w.event);
    w.copy(w.s[1]);
    return w.result();
  };

  outcomes("a kernel behind an event", {1}, [&](World &w) { return behind_event(w, false); });
  outcomes("an event recorded too early", {0, 1}, [&](World &w) { return behind_event(w, true); });
  outcomes("a wait after the kernel that needs it", {0, 1}, [](World &w) {
    w.set(w.s[0], w.data);
    (void)cudaEventRecord(w.event, w.s[0]);
    w.copy(w.s[1]);
    (void)cudaStreamWaitEvent(w.s[1], w.event);
    return w.result();
  });
  outcomes("an event recorded again after the wait", {1}, [](World &w) {
    w.set(w.s[0], w.data);
    (void)cudaEventRecord(w.event, w.s[0]);
    (void)cudaStreamWaitEvent(w.s[1], w.event);
    (void)cudaEventRecord(w.event, w.s[1]);
    w.copy(w.s[1]);
    return w.result();
  });
}

void legacy_stream()
{
  legacy_outcomes("the legacy stream after a stream", [](World &w) {
    w.set(w.s[0], w.data);
    w.copy(nullptr);
    return w.result();
  });
  legacy_outcomes("a stream after the legacy stream", [](World &w) {
    w.set(nullptr, w.data);
    w.copy(w.s[0]);
    return w.result();
  });
  legacy_outcomes("two streams with the legacy stream between them", [](World &w) {
    w.set(w.s[0], w.data);
    w.set(nullptr, w.out, 2);
    w.copy(w.s[1]);
    const int v = w.result();
    return v == 2 ? 0 : v;
  });
  legacy_outcomes("the legacy stream after a stream that was destroyed", [](World &w) {
    w.set(w.s[0], w.data);
    (void)cudaStreamDestroy(w.s[0]);
    w.s[0] = nullptr;
    w.copy(nullptr);
    return w.result();
  });
  legacy_outcomes("cudaMemset() before a kernel", [](World &w) {
    (void)cudaMemset(w.data, 1, 1);
    w.copy(w.s[0]);
    return w.result();
  });
  legacy_outcomes("cudaMemcpy() to the device before a kernel", [](World &w) {
    const unsigned one = 1;

    (void)cudaMemcpy(w.data, &one, sizeof(one), cudaMemcpyHostToDevice);
    w.copy(w.s[0]);
    return w.result();
  });
  outcomes("cudaMemcpy() and cudaStreamSynchronize(NULL) before a kernel", {1}, [](World &w) {
    const unsigned one = 1;

    (void)cudaMemcpy(w.data, &one, sizeof(one), cudaMemcpyHostToDevice);
    (void)cudaStreamSynchronize(nullptr);
    w.copy(w.s[0]);
    return w.result();
  });
  legacy_outcomes("cudaMemcpy() from the device after a kernel", [](World &w) {
    unsigned v = 0;

    w.set(w.s[0], w.data);
    (void)cudaMemcpy(&v, w.data, sizeof(v), cudaMemcpyDeviceToHost);
    return (int)v;
  });
  legacy_outcomes("cudaMemcpy() inside the device, then cudaStreamSynchronize()", [](World &w) {
    w.set(nullptr, w.data);
    (void)cudaMemcpy(w.pinned, w.data, sizeof(unsigned), cudaMemcpyDeviceToHost);
    w.set(nullptr, w.data, 0);
    (void)cudaMemcpy(w.out, w.pinned, sizeof(unsigned), cudaMemcpyHostToDevice);
    (void)cudaMemcpy(w.data, w.out, sizeof(unsigned), cudaMemcpyDeviceToDevice);
    (void)launch(copy_kernel, 1, 1, w.s[0], w.data, w.pinned);
    (void)cudaStreamSynchronize(w.s[0]);
    return (int)*w.pinned;
  });
}

/* -------------------------------------------------------- the host waits --------------------------------------------------- */

void host_reads()
{
  const auto read_after = [](const std::function<void(World &)> &wait) {
    return [wait](World &w) {
      w.set(w.s[0], w.pinned);
      (void)cudaEventRecord(w.event, w.s[0]);
      wait(w);
      return (int)*w.pinned;
    };
  };

  outcomes("the host reads at once", {0, 1}, read_after([](World &) {}));
  outcomes("the host reads after another stream", {0, 1}, read_after([](World &w) { (void)cudaStreamSynchronize(w.s[1]); }));
  outcomes("the host reads after the stream", {1}, read_after([](World &w) { (void)cudaStreamSynchronize(w.s[0]); }));
  outcomes("the host reads after the event", {1}, read_after([](World &w) { (void)cudaEventSynchronize(w.event); }));
  outcomes("the host reads after the device", {1}, read_after([](World &) { (void)cudaDeviceSynchronize(); }));
  outcomes("the host reads after cudaFree()", {1}, read_after([](World &w) {
             (void)cudaFree(w.data);
             w.data = nullptr;
           }));
  legacy_outcomes("the host reads after the legacy stream", read_after([](World &) { (void)cudaStreamSynchronize(nullptr); }));
  outcomes("the host reads after cudaMemset() of pinned memory", {1}, [](World &w) {
    (void)cudaMemset(w.pinned, 1, 1);
    return (int)*w.pinned;
  });
}

/* 2: the launch fails as well, since the kernel ran early; 1: only the synchronize fails; 0: neither does */
void late_errors()
{
  bool late = false, early = false, missed = false;

  case_begin("a kernel's error");
  for (int seed = 1; seed <= SEEDS && !(late && early); seed++) {
    World world(cudaStreamNonBlocking);

    simt::schedule(simt::Mode::RANDOM, (uint64_t)seed);
    const bool launched       = launch(set_kernel, 1, 1, world.s[0], world.data + 1, 1u) == cudaSuccess;
    (launched ? late : early) = true;
    missed                    = missed || cudaStreamSynchronize(world.s[0]) == cudaSuccess;
    simt::schedule(simt::Mode::RANDOM, 1);
  }
  expect(late, "the launch always fails");
  expect(early, "the launch never fails");
  expect(!missed, "the synchronize does not report it");
  case_end();
  caught("a host function that calls CUDA", "host function", [](World &w) {
    (void)cudaLaunchHostFunc(
        w.s[0], [](void *) { (void)cudaDeviceSynchronize(); }, nullptr);
    return 0;
  });
}

/* A failure with these words, or none if there are none, under every seed */
void always(const char *what, const char *words, const Program &program)
{
  int said = 0;

  case_begin("%s", what);
  for (int seed = 1; seed <= FEW; seed++) {
    World world(cudaStreamNonBlocking);

    simt::schedule(simt::Mode::RANDOM, (uint64_t)seed);
    (void)program(world);
    (void)cudaDeviceSynchronize();
    said += words ? simt::failure().find(words) != std::string::npos : !simt::failure().empty();
    simt::schedule(simt::Mode::RANDOM, 1);
  }
  expect(said == (words ? FEW : 0), "%d of %d runs fail", said, FEW);
  case_end();
}

/* A call of the library that is given a stream keeps out of the legacy one, and waits for no other */
void calls()
{
  const auto given = [](bool own, const std::function<void(World &)> &work) {
    return [=](World &w) {
      simt::call_begins("f()", own ? w.s[0] : nullptr);
      work(w);
      simt::call_ends();
      return 0;
    };
  };
  const auto in_legacy = [](World &w) { w.set(nullptr, w.data); };
  const auto in_set_up = [=](World &w) {
    simt::set_up_begins();
    in_legacy(w);
    (void)cudaDeviceSynchronize();
    simt::set_up_ends();
  };

  always("a kernel in the legacy stream in place of the given one", "f() was given a stream, and uses the legacy stream",
         given(true, in_legacy));
  always("cudaMemset() in place of cudaMemsetAsync()", "the legacy stream",
         given(true, [](World &w) { (void)cudaMemset(w.data, 0, sizeof(unsigned)); }));
  always("a wait for the whole device", "cudaDeviceSynchronize()", given(true, [](World &) { (void)cudaDeviceSynchronize(); }));
  always("another call inside, given the legacy stream", "the legacy stream", given(true, given(false, in_legacy)));
  always("the legacy stream after such a call", nullptr, [&](World &w) {
    (void)given(true, [](World &) {})(w);
    in_legacy(w);
    return 0;
  });
  always("the given stream", nullptr, given(true, [](World &w) { w.set(w.s[0], w.data); }));
  always("the legacy stream, which was given", nullptr, given(false, in_legacy));
  always("a set-up in such a call", nullptr, given(true, in_set_up));
  always("the legacy stream after a set-up in such a call", "the legacy stream", given(true, [=](World &w) {
           in_set_up(w);
           in_legacy(w);
         }));
}

/* Work in no order that uses the same memory is an error under every seed, whatever its order */
void conflicts()
{
  always("a kernel writes what another one reads", "no order", [](World &w) {
    w.set(w.s[0], w.data);
    w.copy(w.s[1]);
    return 0;
  });
  always("a clear beside a kernel", "no order", [](World &w) {
    (void)cudaMemset(w.out, 0, sizeof(unsigned));
    w.set(w.s[0], w.out);
    return 0;
  });
  always("two kernels that read", nullptr, [](World &w) {
    (void)launch(copy_kernel, 1, 1, w.s[0], w.data, w.out);
    (void)launch(copy_kernel, 1, 1, w.s[1], w.data, w.pinned);
    return 0;
  });
  always("a kernel behind the host's wait for another one", nullptr, [](World &w) {
    w.set(w.s[0], w.data);
    (void)cudaStreamSynchronize(w.s[0]);
    w.copy(w.s[1]);
    return 0;
  });
  always("a kernel behind the host's wait for the wrong stream", "no order", [](World &w) {
    w.set(w.s[0], w.data);
    (void)cudaStreamSynchronize(w.s[1]);
    w.copy(w.s[1]);
    return 0;
  });
  always("a kernel two events away", nullptr, [](World &w) {
    w.set(w.s[0], w.data);
    (void)cudaEventRecord(w.event, w.s[0]);
    (void)cudaStreamWaitEvent(w.s[1], w.event);
    (void)cudaEventRecord(w.event, w.s[1]);
    (void)cudaStreamWaitEvent(nullptr, w.event);
    w.copy(nullptr);
    return 0;
  });
}

} // namespace

int main(int argc, char **argv)
{
  (void)test_begin("litmus of streams", argc, argv);
  (void)sptrsvDeviceCount(); /* the emulator reads its environment */

  order_of_streams();
  events();
  legacy_stream();
  host_reads();
  late_errors();
  conflicts();
  calls();
  return test_end();
}
