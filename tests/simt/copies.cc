/*
   Asynchronous copies from global to shared memory: cp.async, by the names of cuda_pipeline_primitives.h.

   A copy may read and write at any time between its start and the wait for its group.  Here it is done in the wait, and until then an
   access to its target and a store to its source are errors.  After the wait its bytes are as if the waiting thread had stored them
   plainly: other threads see them after a barrier.
*/
#include "include/cuda_pipeline_primitives.h"
#include "internal.h"
#include <algorithm>

namespace simt {

namespace {

struct Copy {
  const Lane *lane;
  unsigned    group, block;
  char       *to;
  const char *from;
  size_t      size;
};
std::vector<Copy> under_way; /* in the order of their starts */

bool overlap(const char *a, size_t size_a, const char *b, size_t size_b)
{
  return a < b + size_b && b < a + size_a;
}

/* Bounds of what copies read or write, since most accesses are elsewhere */
struct Bounds {
  const char *first, *end;

  void include(const char *p, size_t size)
  {
    first = end ? std::min(first, p) : p;
    end   = std::max(end, p + size);
  }
  bool touch(const char *p, size_t size) const { return p < end && first < p + size; }
};
Bounds targets, sources;

} // namespace

size_t copies_left;

void copies_begin()
{
  under_way.clear();
  copies_left = 0;
  targets = sources = {};
}

/* Shared memory has the same addresses in every block */
void look_for_copies(const void *p, size_t size, bool store)
{
  if (!targets.touch((const char *)p, size) && !(store && sources.touch((const char *)p, size))) return;
  for (const Copy &copy : under_way) {
    if (overlap((const char *)p, size, copy.to, copy.size) && copy.block == current->block->index)
      fail("access to the target of an asynchronous copy that is not complete");
    if (store && overlap((const char *)p, size, copy.from, copy.size))
      fail("store to the source of an asynchronous copy that is not complete");
  }
}

void start_copy(void *to, const void *from, size_t size)
{
  if ((size != 4 && size != 8 && size != 16) || (uintptr_t)to % size || (uintptr_t)from % size || arena_holds(to) || !arena_holds(from))
    fail("an asynchronous copy takes 4, 8 or 16 aligned bytes from global to shared memory");
  commit();
  look_for_copies(to, size, true);
  under_way.push_back({current, current->copy_group, current->block->index, (char *)to, (const char *)from, size});
  copies_left = under_way.size();
  targets.include((char *)to, size);
  sources.include((const char *)from, size);
}

void commit_copies()
{
  current->copy_group++;
}

void await_copies(unsigned groups_left, const void *pc)
{
  const auto is_awaited = [=](const Copy &copy) { return copy.lane == current && copy.group + groups_left < current->copy_group; };

  for (auto copy = under_way.begin(); (copy = std::find_if(under_way.begin(), under_way.end(), is_awaited)) != under_way.end();) {
    const Copy done = *copy;

    under_way.erase(copy);
    copies_left = under_way.size();
    if (!copies_left) targets = sources = {};
    move_plainly(done.to, done.from, done.size, pc);
  }
}

} // namespace simt
