/*
   The order of what streams and graphs do.  It runs late: when the host waits for it, or at a random moment before, when the host enqueues
   more; and in any order that the edges between nodes allow.  One node is put off at a time, as long as another one can run.

   A node runs to its end before the next one begins, so nothing shows how two kernels would meet.  Instead, two nodes in no order that use
   the same device memory are an error, unless both only read it or change it by atomics.  So are a launch that may begin early and one in
   front of it, as long as a thread has not awaited that one.
*/
#include "../../src/kernels/device/device.cuh"
#include "nodes.h"
#include <algorithm>

namespace simt {

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

namespace {

enum class Haste { NONE, SOME, ALL };

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

/* The k-th node that can run; after an error none does anything.  Device memory stays open until the host goes on. */
void run(size_t k)
{
  const NodePtr node = queue.ready[k];

  queue.ready[k] = queue.ready.back();
  queue.ready.pop_back();
  queue.running = node.get();
  running_node  = node->number;
  if (node->work && !in_trouble()) {
    arena_open(true);
    node->work();
  }
  queue.running = nullptr;
  running_node  = 0;
  node->work    = nullptr;
  node->done    = true;
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

} // namespace

bool is_allowed()
{
  if (queue.in_host_function) fail("a host function of a stream calls CUDA");
  return !queue.in_host_function;
}

void call_on_host(cudaHostFn_t function, void *data)
{
  queue.in_host_function = true;
  arena_open(false);
  function(data);
  queue.in_host_function = false;
}

NodePtr new_node(const Work &work, const std::vector<NodePtr> &before, const NodePtr &front)
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

bool is_done(const NodePtr &node)
{
  return node && node->done;
}

void hurry()
{
  while (!queue.ready.empty() && (queue.haste == Haste::ALL || (queue.haste == Haste::SOME && one_in(2)))) run(pick(false));
  arena_open(false);
}

/* The host waits.  Other work goes on meanwhile, or not at all. */
cudaError_t wait_for(const NodePtr &node)
{
  const bool alone = one_in(2);

  if (alone && node && !node->done) mark_needed(node.get());
  while (node && !node->done) run(pick(alone));
  arena_open(false);
  if (node) {
    queue.host.add(node->past);
    queue.host.add(node->number);
  }
  return outcome(cudaSuccess);
}

void finish_work()
{
  if (!is_allowed()) return;
  while (!queue.ready.empty()) run(pick(false));
  arena_open(false);
  queue.next = (queue.next + 63) / 64 * 64;
  queue.host = Past(queue.next);
}

void allow_conflicts(bool allowed)
{
  queue.conflicts_allowed = allowed;
}

uint32_t running_node;

bool comes_before(uint32_t number)
{
  if (!queue.running || queue.conflicts_allowed || number == queue.running->number) return true;
  return (current && !current->awaited ? queue.running->begin : queue.running->past).has(number);
}

bool begins_early()
{
  return queue.running && queue.running->early;
}

} // namespace simt

void sptrsv::await_previous_launch()
{
  simt::commit(); /* the last store is one of before */
  simt::current->awaited = true;
}
