/*
   The emulator's own tests of graphs and captures: the orders in which a graph's nodes may run, under many seeds, and the calls that a
   capture forbids.  The rules are those of the CUDA programming guide.
*/
#include <functional>
#include <set>
#include <string>
#include "litmus_world.h"

namespace {

std::string order; /* in which host functions ran */

void note(cudaStream_t in, const char *letter)
{
  (void)cudaLaunchHostFunc(
      in, [](void *data) { order += (const char *)data; }, (void *)letter);
}

/* Captured from two streams, a before b and c, both of them before d; NULL: not captured */
cudaGraphExec_t capture(const World &w, bool joined)
{
  cudaEvent_t     back;
  cudaGraph_t     graph;
  cudaGraphExec_t exec = nullptr;

  (void)cudaEventCreateWithFlags(&back, cudaEventDisableTiming);
  (void)cudaStreamBeginCapture(w.s[0], cudaStreamCaptureModeRelaxed);
  note(w.s[0], "a");
  (void)cudaEventRecord(w.event, w.s[0]);
  (void)cudaStreamWaitEvent(w.s[1], w.event);
  note(w.s[1], "b");
  (void)cudaEventRecord(back, w.s[1]);
  note(w.s[0], "c");
  if (joined) (void)cudaStreamWaitEvent(w.s[0], back);
  note(w.s[0], "d");
  if (cudaStreamEndCapture(w.s[0], &graph) == cudaSuccess) (void)cudaGraphInstantiateWithFlags(&exec, graph, 0);
  (void)cudaGraphDestroy(graph);
  (void)cudaEventDestroy(back);
  return exec;
}

std::set<std::string> orders(const std::function<void(World &, cudaGraphExec_t)> &program)
{
  std::set<std::string> seen;

  for (int seed = 1; seed <= SEEDS; seed++) {
    World                 world(cudaStreamNonBlocking);
    const cudaGraphExec_t exec = capture(world, true);

    simt::schedule(simt::Mode::RANDOM, (uint64_t)seed);
    order.clear();
    program(world, exec);
    (void)cudaDeviceSynchronize();
    seen.insert(order);
    if (exec) (void)cudaGraphExecDestroy(exec);
  }
  return seen;
}

void graphs()
{
  using Orders = std::set<std::string>;
  World world(cudaStreamNonBlocking);

  case_begin("a graph captured from two streams");
  expect(orders([](World &w, cudaGraphExec_t exec) { (void)cudaGraphLaunch(exec, w.s[0]); }) == Orders{"abcd", "acbd"},
         "not the two orders that its edges allow");
  expect(!capture(world, false), "a stream that does not come back is not noticed");
  case_end();

  case_begin("a graph and its stream");
  for (const std::string &seen : orders([](World &w, cudaGraphExec_t exec) {
         note(w.s[0], "<");
         (void)cudaGraphLaunch(exec, w.s[0]);
         note(w.s[0], ">");
       })) {
    expect(seen == "<abcd>" || seen == "<acbd>", "%s", seen.c_str());
  }
  case_end();

  case_begin("a graph and another stream");
  const Orders beside = orders([](World &w, cudaGraphExec_t exec) {
    (void)cudaGraphLaunch(exec, w.s[0]);
    note(w.s[1], "x");
  });
  expect(beside.size() == 10, "%zu orders, not those of x anywhere in two orders", beside.size());
  case_end();

  case_begin("two launches of one graph");
  for (const std::string &seen : orders([](World &w, cudaGraphExec_t exec) {
         (void)cudaGraphLaunch(exec, w.s[0]);
         (void)cudaGraphLaunch(exec, w.s[1]);
       })) {
    expect(seen.size() == 8 && seen[3] == 'd' && seen[4] == 'a', "%s", seen.c_str());
  }
  case_end();
}

/* A call that a capture of the first stream forbids fails, and so does the capture */
void forbidden(const char *what, bool fails, const std::function<cudaError_t(World &)> &call, unsigned flags = cudaStreamNonBlocking)
{
  World       world(flags);
  cudaGraph_t graph;

  case_begin("%s during a capture", what);
  (void)cudaStreamBeginCapture(world.s[0], cudaStreamCaptureModeRelaxed);
  expect((call(world) != cudaSuccess) == fails, "the call: %s", fails ? "no error" : "an error");
  expect((cudaStreamEndCapture(world.s[0], &graph) != cudaSuccess) == fails, "the capture: %s", fails ? "no error" : "an error");
  (void)cudaGraphDestroy(graph);
  case_end();
}

void captures()
{
  const auto legacy_launch = [](World &w) { return launch(set_kernel, 1, 1, nullptr, w.data, 1u); };

  forbidden("a wait for the stream", true, [](World &w) { return cudaStreamSynchronize(w.s[0]); });
  forbidden("a wait for another stream", false, [](World &w) { return cudaStreamSynchronize(w.s[1]); });
  forbidden("a wait for the device", true, [](World &) { return cudaDeviceSynchronize(); });
  forbidden("an event from outside", true, [](World &w) {
    (void)cudaEventRecord(w.event, w.s[1]);
    return cudaStreamWaitEvent(w.s[0], w.event);
  });
  forbidden("a launch in the legacy stream beside a non-blocking one", false, legacy_launch);
  forbidden("a launch in the legacy stream beside a blocking one", true, legacy_launch, 0);
}

} // namespace

int main(int argc, char **argv)
{
  (void)test_begin("litmus of graphs", argc, argv);
  (void)sptrsvDeviceCount(); /* the emulator reads its environment */

  graphs();
  captures();
  return test_end();
}
