/*
   The emulator's own tests of memory: buffers of the host in copies, blocks that a set-up takes again, and what the host may read.  Each
   program runs under many seeds, as those of litmus_streams.cu.
*/
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#include "litmus_programs.h"

namespace {

void host_buffers()
{
  const auto overwritten = [](World &w, unsigned *buffer) {
    *buffer = 1;
    (void)cudaMemcpyAsync(w.out, buffer, sizeof(*buffer), cudaMemcpyHostToDevice, w.s[0]);
    *buffer = 2;
    return w.result();
  };
  const auto filled = [](World &w, unsigned *buffer) {
    w.set(w.s[0], w.data);
    (void)cudaMemcpyAsync(buffer, w.data, sizeof(*buffer), cudaMemcpyDeviceToHost, w.s[0]);
    return (int)*buffer;
  };

  outcomes("a pinned buffer overwritten after cudaMemcpyAsync()", {1, 2}, [&](World &w) { return overwritten(w, w.pinned); });
  outcomes("a pageable buffer overwritten after cudaMemcpyAsync()", {1}, [&](World &w) {
    unsigned buffer;
    return overwritten(w, &buffer);
  });
  outcomes("a pinned buffer read after cudaMemcpyAsync()", {0, 1}, [&](World &w) { return filled(w, w.pinned); });
  outcomes("a pageable buffer read after cudaMemcpyAsync()", {1}, [&](World &w) {
    unsigned buffer = 0;
    return filled(w, &buffer);
  });
  for (const bool waits : {false, true}) {
    const auto freed = [=](World &w) {
      w.set(w.s[0], w.pinned);
      if (waits) (void)cudaStreamSynchronize(w.s[0]);
      (void)cudaFreeHost(w.pinned);
      w.pinned = nullptr;
      return simt::failure().empty() && cudaDeviceSynchronize() == cudaSuccess;
    };
    if (waits) outcomes("pinned memory freed after the stream", {1}, freed);
    else caught("pinned memory freed too early", "out of bounds", freed);
  }
  caught("a copy to pinned memory that is freed too early", "copy or clear", [](World &w) {
    w.set(w.s[0], w.data);
    (void)cudaMemcpyAsync(w.pinned, w.data, sizeof(unsigned), cudaMemcpyDeviceToHost, w.s[0]);
    (void)cudaFreeHost(w.pinned);
    w.pinned = nullptr;
    return 0;
  });
}

/* A block that a set-up frees and takes again: what a kernel reads or writes there before and after */
void reused_memory()
{
  constexpr size_t MANY = 1 << 16, FEWER = MANY - 32; /* words */

  const auto take_again = [](World &w, const std::function<void(unsigned *)> &before, const std::function<void(unsigned *)> &after) {
    SptrsvMemory first = {}, second = {};
    unsigned    *p;

    sptrsvSetupBegin();
    if (!sptrsvDeviceAllocate(&first, MANY * sizeof(*p), (void **)&p)) before(p);
    sptrsvMemoryFree(&first);
    if (!sptrsvDeviceAllocate(&second, FEWER * sizeof(*p), (void **)&p)) after(p);
    sptrsvMemoryFree(&second);
    (void)sptrsvSetupEnd(SPTRSV_DEVICE, SPTRSV_SUCCESS);
    return simt::failure().empty() && cudaDeviceSynchronize() == cudaSuccess ? w.result() : -1;
  };

  outcomes("memory of a set-up that is taken again", {2}, [&](World &w) {
    return take_again(
      w, [&](unsigned *p) { w.set(nullptr, p); },
      [&](unsigned *p) {
        w.set(nullptr, p + FEWER - 1, 2);
        (void)launch(copy_kernel, 1, 1, nullptr, p + FEWER - 1, w.out);
      });
  });
  caught("memory that was written before it was taken again", "never written", [&](World &w) {
    return take_again(
      w, [&](unsigned *p) { w.set(nullptr, p); }, [&](unsigned *p) { (void)launch(copy_kernel, 1, 1, nullptr, p, w.out); });
  });
  caught("memory behind what was taken again", "out of bounds", [&](World &w) {
    return take_again(
      w, [](unsigned *) {}, [&](unsigned *p) { w.set(nullptr, p + FEWER); });
  });
}

/* A host that follows a device pointer crashes; pinned memory is its own */
void device_memory()
{
  const auto signal_of = [](const volatile unsigned *p) {
    const pid_t child  = fork();
    int         status = 0;

    if (!child) _exit((int)*p);
    (void)waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  };
  const World world(cudaStreamNonBlocking);

  case_begin("the host reads device memory");
  expect(signal_of(world.data) == SIGSEGV, "it may");
  expect(!signal_of(world.pinned), "it may not read pinned memory either");
  case_end();
}

} // namespace

int main(int argc, char **argv)
{
  (void)test_begin("litmus of memory", argc, argv);
  (void)sptrsvDeviceCount(); /* the emulator reads its environment */

  host_buffers();
  reused_memory();
  device_memory();
  return test_end();
}
