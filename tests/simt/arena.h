/* arena.h - Device memory, and what is kept of each four bytes of it */
#pragma once
#include <cstddef>
#include <cstdint>

namespace simt {

struct Cell {
  enum State : uint32_t { OUTSIDE, UNWRITTEN, WRITTEN };

  State    state;
  uint32_t location, word; /* of history.cc and races.cc, 1 + index in this launch; 0: none */
  uint32_t writer, reader; /* the latest nodes of streams that wrote and read (nodes.cc); 0: none */
};

constexpr size_t   ARENA_SIZE = 256 << 20, GRANULE = 4;
extern char *const arena_bytes;
extern Cell *const arena_cells; /* of each granule */

/* Other addresses than those of device memory pass all checks */
inline bool arena_holds(const void *p)
{
  return (uintptr_t)p - (uintptr_t)arena_bytes < ARENA_SIZE;
}
inline Cell *arena_cell(const void *p)
{
  return &arena_cells[(size_t)((const char *)p - arena_bytes) / GRANULE];
}

bool  arena_is_pinned(const void *p);
bool  arena_check(const void *p, size_t size, bool store);        /* bounds, alignment and, for loads, whether it was written */
bool  arena_check_range(const void *p, size_t bytes, bool store); /* of a copy or clear: not whether it was written */
void  arena_written(const void *p, size_t bytes);
void *arena_allocate(size_t bytes, bool pinned);
void  arena_reuse(const void *p, size_t bytes, size_t held); /* of an allocation; a use of all of it */
void  arena_open(bool open); /* to the host, which kernels here are part of */
bool  arena_free(void *p);

} // namespace simt
