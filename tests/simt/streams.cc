/* Streams, events and graphs: which nodes come before which.  A launched graph is its nodes. */
#include "nodes.h"
#include <algorithm>

using simt::NodePtr;
using simt::outcome;
using simt::Work;

namespace {

using Nodes = std::vector<size_t>; /* of a graph */

struct Graph {
  struct Vertex {
    Work  work;
    Nodes before;
    bool  follows;
  };
  std::vector<Vertex> nodes;
};

/* A graph in the making */
struct Capture : Graph {
  std::vector<cudaStream_t> streams;
  bool                      ended = false, broken = false; /* broken: by a call that a capture forbids */
};
using CapturePtr = std::shared_ptr<Capture>;

} // namespace

struct CUgraph_st : Graph {};
struct CUgraphExec_st : Graph {
  NodePtr last; /* where its latest launch ends: launches of a graph come one after the other */
};
struct CUstream_st {
  bool       blocking;
  NodePtr    last;
  CapturePtr capture;  /* or NULL */
  Nodes      captured; /* after which the next captured node comes */
};
struct CUevent_st {
  NodePtr    node;
  CapturePtr capture;
  Nodes      captured;
};

namespace {

CUstream_st               legacy = {true, nullptr, nullptr, {}};
std::vector<cudaStream_t> blocking;  /* other streams that the legacy stream waits for, and that wait for it */
std::vector<NodePtr>      abandoned; /* last nodes of such streams that were destroyed */
std::vector<CapturePtr>   captures;  /* under way */

CUstream_st &at(cudaStream_t stream)
{
  return stream ? *stream : legacy;
}

cudaError_t breaks(const std::vector<CapturePtr> &forbidding)
{
  for (const CapturePtr &capture : forbidding) capture->broken = true;
  return outcome(cudaErrorIllegalState);
}

/* The legacy stream waits for all blocking streams, and they wait for it */
std::vector<NodePtr> predecessors(const CUstream_st &stream)
{
  std::vector<NodePtr> before = {stream.last};

  if (stream.blocking) before.push_back(legacy.last);
  if (&stream != &legacy) return before;
  before.insert(before.end(), abandoned.begin(), abandoned.end());
  for (const cudaStream_t other : blocking) before.push_back(other->last);
  return before;
}

/* Adds a node to a stream that is not in capture */
cudaError_t append(CUstream_st &stream, const Work &work, const NodePtr &also = nullptr, bool follows = false)
{
  if (!simt::is_allowed()) return outcome(cudaErrorNotPermitted);
  if (&stream == &legacy) simt::expect_no_call("the legacy stream");
  for (const cudaStream_t other : blocking) {
    if (&stream == &legacy && other->capture) return breaks({other->capture});
  }
  std::vector<NodePtr> before = predecessors(stream);
  before.push_back(also);
  stream.last = simt::new_node(work, before, follows ? stream.last : nullptr);
  if (&stream == &legacy) abandoned.clear();
  simt::hurry();
  return outcome(cudaSuccess);
}

} // namespace

bool simt::in_capture(cudaStream_t stream)
{
  return at(stream).capture != nullptr;
}

cudaError_t simt::enqueue(cudaStream_t stream, const Work &work, bool follows)
{
  CUstream_st &s = at(stream);

  if (!s.capture) return append(s, work, nullptr, follows);
  s.capture->nodes.push_back({work, s.captured, follows && s.captured.size() == 1});
  s.captured = {s.capture->nodes.size() - 1};
  return cudaSuccess;
}

cudaError_t simt::wait(cudaStream_t stream)
{
  if (in_capture(stream)) return breaks({stream->capture});
  const cudaError_t error = append(at(stream), nullptr);
  return error ? error : simt::wait_for(at(stream).last);
}

cudaError_t cudaDeviceSynchronize(void)
{
  if (!captures.empty()) return breaks(captures);
  simt::expect_no_call("cudaDeviceSynchronize()");
  simt::finish_work();
  return outcome(cudaSuccess);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
  return simt::enqueue(stream, [=] { simt::call_on_host(function, data); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
  *stream = new CUstream_st{!(flags & cudaStreamNonBlocking), nullptr, nullptr, {}};
  if ((*stream)->blocking) blocking.push_back(*stream);
  return outcome(cudaSuccess);
}
/* The stream's work goes on */
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
  if (stream->blocking) {
    abandoned.push_back(stream->last);
    blocking.erase(std::find(blocking.begin(), blocking.end(), stream));
  }
  delete stream;
  return outcome(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
  return simt::wait(stream);
}

/* A stream that waits for a captured event joins its capture */
static cudaError_t join(cudaStream_t stream, cudaEvent_t event)
{
  if (!stream || event->capture->ended || (stream->capture && stream->capture != event->capture)) return breaks({event->capture});
  if (!stream->capture) event->capture->streams.push_back(stream);
  stream->capture = event->capture;
  stream->captured.insert(stream->captured.end(), event->captured.begin(), event->captured.end());
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
  if (flags) return outcome(cudaErrorInvalidValue); /* an external node of a graph, which no capture here has */
  if (event->capture) return join(stream, event);
  if (simt::in_capture(stream)) return breaks({stream->capture}); /* the event is from outside */
  return append(at(stream), nullptr, event->node);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
  *event = new CUevent_st{nullptr, nullptr, {}};
  return outcome(cudaSuccess);
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
  delete event;
  return outcome(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
  CUstream_st &s = at(stream);

  event->capture  = s.capture;
  event->captured = s.captured;
  if (s.capture) return cudaSuccess;
  const cudaError_t error = append(s, nullptr);
  event->node             = s.last;
  return error;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
  if (event->capture) return breaks({event->capture});
  return simt::is_allowed() ? simt::wait_for(event->node) : outcome(cudaErrorNotPermitted);
}
/* All times are a millisecond, so that decisions by time are the same in every run */
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
  *ms = 1;
  return outcome(simt::is_done(from->node) && simt::is_done(to->node) ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
  if (!stream || stream->capture) return outcome(cudaErrorIllegalState);
  stream->capture = std::make_shared<Capture>();
  stream->capture->streams.push_back(stream);
  captures.push_back(stream->capture);
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
  if (!stream && !captures.empty()) return breaks(captures);
  const CapturePtr &capture = at(stream).capture;

  *status = !capture ? cudaStreamCaptureStatusNone : capture->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  return outcome(cudaSuccess);
}

/* All captured nodes must come before the stream's last nodes: other streams have joined this one */
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
  const CapturePtr capture = stream->capture;
  Nodes            todo    = stream->captured;

  if (!capture) return outcome(cudaErrorIllegalState);
  std::vector<bool> joined(capture->nodes.size());
  while (!todo.empty()) {
    const size_t k = todo.back();

    todo.pop_back();
    if (joined[k]) continue;
    joined[k]           = true;
    const Nodes &before = capture->nodes[k].before;
    todo.insert(todo.end(), before.begin(), before.end());
  }
  for (cudaStream_t captured : capture->streams) {
    captured->capture = nullptr;
    captured->captured.clear();
  }
  captures.erase(std::find(captures.begin(), captures.end(), capture));
  capture->ended = true;
  *graph         = new CUgraph_st{*capture};
  return outcome(!capture->broken && std::find(joined.begin(), joined.end(), false) == joined.end() ? cudaSuccess : cudaErrorIllegalState);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
  delete graph;
  return outcome(cudaSuccess);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
  *exec = new CUgraphExec_st{*graph, nullptr};
  return outcome(cudaSuccess);
}
/* A launched graph goes on */
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
  delete exec;
  return outcome(cudaSuccess);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
  CUstream_st         &s = at(stream);
  std::vector<NodePtr> nodes;

  if (s.capture) return outcome(cudaErrorIllegalState); /* graphs in graphs are not known to this emulator */
  const cudaError_t error = append(s, nullptr, exec->last);
  if (error) return error;
  const NodePtr begin = s.last;
  for (const Graph::Vertex &v : exec->nodes) {
    std::vector<NodePtr> before = {begin};

    for (size_t k : v.before) before.push_back(nodes[k]);
    nodes.push_back(simt::new_node(v.work, before, v.follows ? nodes[v.before[0]] : nullptr));
  }
  nodes.push_back(begin);
  s.last = exec->last = simt::new_node(nullptr, nodes);
  simt::hurry();
  return outcome(cudaSuccess);
}
