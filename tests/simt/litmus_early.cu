/*
   The emulator's own tests of launches that may begin before the one in front of them ends: what their threads may use before they have
   awaited it.  The rules are those of "Programmatic dependent launch" in the CUDA programming guide.
*/
#include <functional>
#include "litmus_world.h"

namespace {

using sptrsv::await_previous_launch;
using sptrsv::launch_with;

constexpr int FEW = 20;

__global__ void copy_early_kernel(const unsigned *from, unsigned *to, bool awaits)
{
  if (awaits) await_previous_launch();
  *to = *from;
}

void copy_early(cudaStream_t in, const unsigned *from, unsigned *to, bool awaits)
{
  (void)launch_with({0, true}, copy_early_kernel, 1, 1, in, from, to, awaits);
}

/* The program runs in a stream, and as a graph captured from it.  Each run is an error, or none is */
void always(const char *what, bool wrong, const std::function<void(World &)> &program)
{
  for (bool captured : {false, true}) {
    int said = 0;

    case_begin("%s%s", what, captured ? ", in a graph" : "");
    for (int seed = 1; seed <= FEW; seed++) {
      World           world(cudaStreamNonBlocking);
      cudaGraph_t     graph = nullptr;
      cudaGraphExec_t exec  = nullptr;

      simt::schedule(simt::Mode::RANDOM, (uint64_t)seed);
      if (captured) (void)cudaStreamBeginCapture(world.s[0], cudaStreamCaptureModeRelaxed);
      program(world);
      if (captured) {
        (void)cudaStreamEndCapture(world.s[0], &graph);
        (void)cudaGraphInstantiateWithFlags(&exec, graph, 0);
        (void)cudaGraphLaunch(exec, world.s[0]);
      }
      (void)cudaDeviceSynchronize();
      if (exec) (void)cudaGraphExecDestroy(exec);
      if (graph) (void)cudaGraphDestroy(graph);
      said += simt::failure().find("no order") != std::string::npos;
      simt::schedule(simt::Mode::RANDOM, 1);
    }
    expect(said == (wrong ? FEW : 0), "%d of %d runs fail", said, FEW);
    case_end();
  }
}

} // namespace

int main(int argc, char **argv)
{
  (void)test_begin("litmus of early launches", argc, argv);
  (void)sptrsvDeviceCount(); /* the emulator reads its environment */

  for (bool awaits : {true, false}) {
    const auto named = [=](const char *what) { return std::string(what) + (awaits ? "" : ", not awaited"); };

    always(named("reads what the launch in front writes").c_str(), !awaits, [=](World &w) {
      w.set(w.s[0], w.data);
      copy_early(w.s[0], w.data, w.out, awaits);
    });
    always(named("writes what the launch in front reads").c_str(), !awaits, [=](World &w) {
      w.copy(w.s[0]);
      copy_early(w.s[0], w.pinned, w.data, awaits);
    });
    always(named("reads what was there before the launch in front").c_str(), false, [=](World &w) {
      w.set(w.s[0], w.data);
      w.set(w.s[0], w.out);
      copy_early(w.s[0], w.data, w.pinned, awaits);
    });
    always(named("reads what is written two launches in front, of which the second begins early").c_str(), !awaits, [=](World &w) {
      w.set(w.s[0], w.data);
      copy_early(w.s[0], w.pinned, w.out, true);
      copy_early(w.s[0], w.data, w.pinned, awaits);
    });
  }
  return test_end();
}
