/*
   Streams, events and graphs.  Work of a stream runs late: when the host waits for it, or at a random moment before, when the host enqueues
   more.  It runs in any order that streams, events, the legacy stream and the edges of graphs allow; a launched graph is its nodes.  One
   node is put off at a time, as long as another one can run.

   A node runs to its end before the next one begins, so nothing shows how two kernels would meet.  Instead, two nodes in no order that use
   the same device memory are an error, unless both only read it or change it by atomics.  So are a launch that may begin early and one in
   front of it, as long as a thread has not awaited that one.
*/
#include "../../src/kernels/device/device.cuh"
#include "internal.h"
#include <algorithm>

using simt::one_in;
using simt::outcome;
using simt::random_number;

namespace {

struct Node;
using NodePtr = std::shared_ptr<Node>;
using Work    = std::function<void()>;

/* A set of nodes, by their numbers */
class Past {
public:
  explicit Past(uint32_t floor) : floor(floor) {}
  bool has(uint32_t n) const { return n < floor || (word(n) < bits.size() && bits[word(n)] >> n % 64 & 1); }
  void add(uint32_t n)
  {
    if (n < floor) return;
    if (word(n) >= bits.size()) bits.resize(word(n) + 1);
    bits[word(n)] |= (uint64_t)1 << n % 64;
  }
  void add(const Past &other)
  {
    const size_t skip = (floor - other.floor) / 64;

    if (other.bits.size() > bits.size() + skip) bits.resize(other.bits.size() - skip);
    for (size_t k = skip; k < other.bits.size(); k++) bits[k - skip] |= other.bits[k];
  }

private:
  size_t word(uint32_t n) const { return (n - floor) / 64; }

  uint32_t              floor; /* all nodes below are in it; a multiple of 64, which never falls */
  std::vector<uint64_t> bits;
};

/* Something that a stream does; without work, a point in the stream */
struct Node {
  uint32_t             number;
  Past                 past;  /* nodes that come before, for threads that have awaited the launch in front */
  Past                 begin; /* nodes that have ended when this one begins */
  Work                 work;
  std::vector<Node *>  before; /* those that are not done */
  std::vector<NodePtr> after;
  bool                 early;        /* begins before the one in front of it ends */
  bool                 done, needed; /* needed: the host waits for it, or for one after it */
};

enum Haste { NONE, SOME, ALL };

struct {
  std::vector<NodePtr> ready; /* nodes that can run; all other nodes come after these */
  const Node          *laggard;
  Haste                haste; /* how much runs early, until nothing is left */
  bool                 in_host_function;
  uint32_t             next = 64; /* number; below 64 is none */
  Past                 host{64};  /* nodes that the host has waited for */
  const Node          *running;   /* its number is running_node */
  bool                 conflicts_allowed;
} queue = {};

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

/* Host functions may not call CUDA */
bool is_allowed()
{
  if (queue.in_host_function) simt::fail("a host function of a stream calls CUDA");
  return !queue.in_host_function;
}

cudaError_t breaks(const std::vector<CapturePtr> &forbidding)
{
  for (const CapturePtr &capture : forbidding) capture->broken = true;
  return outcome(cudaErrorIllegalState);
}

/* front: NULL, or the one of `before` that need not have ended, only begun */
NodePtr new_node(const Work &work, const std::vector<NodePtr> &before, const NodePtr &front = nullptr)
{
  const NodePtr node(new Node{queue.next++, queue.host, queue.host, work, {}, {}, front != nullptr, false, false});

  if (queue.ready.empty()) queue.haste = (Haste)(random_number() % 3);
  for (const NodePtr &b : before) {
    if (!b) continue;
    node->past.add(b->past);
    node->past.add(b->number);
    node->begin.add(b == front ? b->begin : b->past);
    if (b != front) node->begin.add(b->number);
    if (b->done || std::find(node->before.begin(), node->before.end(), b.get()) != node->before.end()) continue;
    node->before.push_back(b.get());
    b->after.push_back(node);
  }
  if (node->before.empty()) queue.ready.push_back(node);
  return node;
}

/* The k-th node that can run; after an error none does anything.  Device memory stays open until the host goes on. */
void run(size_t k)
{
  const NodePtr node = queue.ready[k];

  queue.ready[k] = queue.ready.back();
  queue.ready.pop_back();
  queue.running      = node.get();
  simt::running_node = node->number;
  if (node->work && !simt::in_trouble()) {
    simt::arena_open(true);
    node->work();
  }
  queue.running      = nullptr;
  simt::running_node = 0;
  node->work         = nullptr;
  node->done         = true;
  if (queue.laggard == node.get()) queue.laggard = nullptr;
  for (const NodePtr &next : node->after) {
    next->before.erase(std::find(next->before.begin(), next->before.end(), node.get()));
    if (next->before.empty()) queue.ready.push_back(next);
  }
  node->after.clear();
}

/* One of the nodes that can run, or of those among them that are needed */
size_t pick(bool needed)
{
  std::vector<size_t> some;
  size_t              last = 0;

  if (!queue.laggard && one_in(2)) queue.laggard = queue.ready[random_number() % queue.ready.size()].get();
  for (size_t k = 0; k < queue.ready.size(); k++) {
    if (needed && !queue.ready[k]->needed) continue;
    if (queue.ready[k].get() == queue.laggard) last = k;
    else some.push_back(k);
  }
  return some.empty() ? last : some[random_number() % some.size()];
}

void hurry()
{
  while (!queue.ready.empty() && (queue.haste == ALL || (queue.haste == SOME && one_in(2)))) run(pick(false));
  simt::arena_open(false);
}

void mark_needed(Node *last)
{
  std::vector<Node *> todo = {last};

  while (!todo.empty()) {
    Node *node = todo.back();

    todo.pop_back();
    if (node->needed) continue;
    node->needed = true;
    todo.insert(todo.end(), node->before.begin(), node->before.end());
  }
}

/* The host waits.  Other work goes on meanwhile, or not at all. */
cudaError_t wait_for(const NodePtr &node)
{
  const bool alone = one_in(2);

  if (alone && node && !node->done) mark_needed(node.get());
  while (node && !node->done) run(pick(alone));
  simt::arena_open(false);
  if (node) {
    queue.host.add(node->past);
    queue.host.add(node->number);
  }
  return outcome(cudaSuccess);
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
  if (!is_allowed()) return outcome(cudaErrorNotPermitted);
  if (&stream == &legacy) simt::expect_no_call("the legacy stream");
  for (const cudaStream_t other : blocking) {
    if (&stream == &legacy && other->capture) return breaks({other->capture});
  }
  std::vector<NodePtr> before = predecessors(stream);
  before.push_back(also);
  stream.last = new_node(work, before, follows ? stream.last : nullptr);
  if (&stream == &legacy) abandoned.clear();
  hurry();
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
  return error ? error : wait_for(at(stream).last);
}

void simt::finish_work()
{
  if (!is_allowed()) return;
  while (!queue.ready.empty()) run(pick(false));
  arena_open(false);
  queue.next = (queue.next + 63) / 64 * 64;
  queue.host = Past(queue.next);
}

void simt::allow_conflicts(bool allowed)
{
  queue.conflicts_allowed = allowed;
}

uint32_t simt::running_node;

bool simt::comes_before(uint32_t number)
{
  if (!queue.running || queue.conflicts_allowed || number == queue.running->number) return true;
  return (simt::current && !simt::current->awaited ? queue.running->begin : queue.running->past).has(number);
}

bool simt::begins_early()
{
  return queue.running && queue.running->early;
}

void sptrsv::await_previous_launch()
{
  simt::commit(); /* the last store is one of before */
  simt::current->awaited = true;
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
  return simt::enqueue(stream, [=] {
    queue.in_host_function = true;
    simt::arena_open(false);
    function(data);
    queue.in_host_function = false;
  });
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
  return is_allowed() ? wait_for(event->node) : outcome(cudaErrorNotPermitted);
}
/* All times are a millisecond, so that decisions by time are the same in every run */
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
  *ms = 1;
  return outcome(from->node && from->node->done && to->node && to->node->done ? cudaSuccess : cudaErrorNotReady);
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
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
  *exec = new CUgraphExec_st{*graph, nullptr};
  return outcome(cudaSuccess);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
  return cudaGraphInstantiate(exec, graph, flags);
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
    nodes.push_back(new_node(v.work, before, v.follows ? nodes[v.before[0]] : nullptr));
  }
  nodes.push_back(begin);
  s.last = exec->last = new_node(nullptr, nodes);
  hurry();
  return outcome(cudaSuccess);
}
