/*
   Streams, events and graphs.  Work in a stream is done at once, so work in different streams never runs side by side: only the order that
   a graph guarantees is tested.  A launched graph runs its nodes in any order that its edges allow.
*/
#include "internal.h"
#include <algorithm>

using simt::outcome;

using Nodes = std::vector<size_t>;

struct CUgraph_st {
  struct Node {
    std::function<cudaError_t()> work;
    Nodes                        before;
  };
  std::vector<Node>         nodes;
  std::vector<cudaStream_t> streams; /* in capture */
};
struct CUgraphExec_st {
  CUgraph_st graph;
};
struct CUstream_st {
  CUgraph_st *graph; /* being captured, or NULL */
  Nodes       last;  /* predecessors of the next node */
};
struct CUevent_st {
  CUgraph_st *graph;
  Nodes       last;
};

/* All nodes, each after its predecessors */
static cudaError_t run(const CUgraph_st &graph)
{
  std::vector<bool> done(graph.nodes.size());
  const auto        is_done = [&](size_t k) { return done[k]; };

  for (size_t count = 0; count < graph.nodes.size(); count++) {
    Nodes ready;

    for (size_t k = 0; k < graph.nodes.size(); k++) {
      const Nodes &before = graph.nodes[k].before;
      if (!done[k] && std::all_of(before.begin(), before.end(), is_done)) ready.push_back(k);
    }
    const size_t k = ready[simt::random_number() % ready.size()];

    if (const cudaError_t error = graph.nodes[k].work()) return error;
    done[k] = true;
  }
  return cudaSuccess;
}

cudaError_t simt::enqueue(cudaStream_t stream, const std::function<cudaError_t()> &work)
{
  if (!stream || !stream->graph) return outcome(work());
  stream->graph->nodes.push_back({work, stream->last});
  stream->last = {stream->graph->nodes.size() - 1};
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t stream)
{
  return simt::enqueue(stream, [=] { return cudaMemset(p, byte, bytes); });
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
  return simt::enqueue(stream, [=] { return cudaMemcpy(to, from, bytes, kind); });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
  return simt::enqueue(stream, [=] {
    function(data);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
  *stream = new CUstream_st{nullptr, {}};
  return outcome(cudaSuccess);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
  delete stream;
  return outcome(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
  return outcome(stream && stream->graph ? cudaErrorIllegalState : cudaSuccess);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
  if (!event->graph) return outcome(cudaSuccess);
  if (!stream || (stream->graph && stream->graph != event->graph)) return outcome(cudaErrorIllegalState);
  if (!stream->graph) event->graph->streams.push_back(stream);
  stream->graph = event->graph;
  stream->last.insert(stream->last.end(), event->last.begin(), event->last.end());
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
  *event = new CUevent_st{nullptr, {}};
  return outcome(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
  delete event;
  return outcome(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
  event->graph = stream ? stream->graph : nullptr;
  event->last  = event->graph ? stream->last : Nodes();
  return outcome(cudaSuccess);
}
/* All times are a millisecond, so that decisions by time are the same in every run */
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
  *ms = 1;
  return outcome(cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
  return outcome(event->graph ? cudaErrorIllegalState : cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
  return cudaEventQuery(event);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
  if (!stream || stream->graph) return outcome(cudaErrorIllegalState);
  stream->graph = new CUgraph_st{{}, {stream}};
  stream->last.clear();
  return outcome(cudaSuccess);
}
/* All captured nodes must come before the stream's last nodes: other streams have joined this one */
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
  Nodes todo = stream->last;

  if (!stream->graph) return outcome(cudaErrorIllegalState);
  std::vector<bool> joined(stream->graph->nodes.size());
  while (!todo.empty()) {
    const size_t k = todo.back();

    todo.pop_back();
    if (joined[k]) continue;
    joined[k]           = true;
    const Nodes &before = stream->graph->nodes[k].before;
    todo.insert(todo.end(), before.begin(), before.end());
  }
  *graph = stream->graph;
  for (cudaStream_t captured : (*graph)->streams) *captured = {nullptr, {}};
  return outcome(std::find(joined.begin(), joined.end(), false) == joined.end() ? cudaSuccess : cudaErrorIllegalState);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
  delete graph;
  return outcome(cudaSuccess);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
  *exec = new CUgraphExec_st{*graph};
  return outcome(cudaSuccess);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
  delete exec;
  return outcome(cudaSuccess);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
  return simt::enqueue(stream, [=] { return run(exec->graph); });
}
