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
  unsigned    group;
  char       *to;
  const char *from;
  size_t      size;
};
std::vector<std::vector<Copy>> under_way; /* of each block that had some, in the order of their starts */

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

/* Those of the block that runs */
std::vector<Copy> &own_copies()
{
  if (under_way.size() <= current->block->index) under_way.resize(current->block->index + 1);
  return under_way[current->block->index];
}

} // namespace

size_t copies_left;

void copies_begin()
{
  under_way.clear();
  copies_left = 0;
  targets = sources = {};
}

/* Shared memory has the same addresses in every block, so a target is one in its own */
void look_for_copies(const void *p, size_t size, bool store)
{
  if (targets.touch((const char *)p, size)) {
    for (const Copy &copy : own_copies()) {
      if (overlap((const char *)p, size, copy.to, copy.size)) fail("access to the target of an asynchronous copy that is not complete");
    }
  }
  if (!store || !sources.touch((const char *)p, size)) return;
  for (const std::vector<Copy> &copies : under_way) {
    for (const Copy &copy : copies) {
      if (overlap((const char *)p, size, copy.from, copy.size)) fail("store to the source of an asynchronous copy that is not complete");
    }
  }
}

void start_copy(void *to, const void *from, size_t size)
{
  if ((size != 4 && size != 8 && size != 16) || (uintptr_t)to % size || (uintptr_t)from % size || arena_holds(to) || !arena_holds(from))
    fail("an asynchronous copy takes 4, 8 or 16 aligned bytes from global to shared memory");
  commit();
  look_for_copies(to, size, true);
  own_copies().push_back({current, current->copy_group, (char *)to, (const char *)from, size});
  copies_left++;
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

  for (;;) {
    std::vector<Copy> &copies = own_copies(); /* anew, since others may run below */
    const auto         copy   = std::find_if(copies.begin(), copies.end(), is_awaited);

    if (copy == copies.end()) return;
    const Copy done = *copy;
    copies.erase(copy);
    if (!--copies_left) targets = sources = {};
    move_plainly(done.to, done.from, done.size, pc);
  }
}

} // namespace simt
