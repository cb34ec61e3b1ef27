/*
   Device memory: one block of host memory, with a state for each four bytes.  The first half is closed to the host unless work of a stream
   runs, so a host that follows a device pointer crashes, as with a GPU.  The second half is pinned memory.
*/
#include "internal.h"
#include <algorithm>
#include <memory>
#include <sys/mman.h>

namespace simt {

namespace {

constexpr size_t DEVICE   = ARENA_SIZE / 2;
constexpr size_t RED_ZONE = 256; /* between allocations */

/* In large pages, where the system has them: mprotect() takes as long as there are pages */
template <class T> T *map_memory(size_t count)
{
  constexpr size_t PAGE  = 2 << 20;
  const size_t     bytes = count * sizeof(T);
  size_t           space = bytes + PAGE;
  void            *p     = mmap(nullptr, space, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (p == MAP_FAILED) abort();
  std::align(PAGE, bytes, p, space);
  madvise(p, bytes, MADV_HUGEPAGE);
  return (T *)p;
}

struct {
  size_t                                 used = 0, pinned = DEVICE; /* nothing has been allocated beyond, in either half */
  std::vector<std::pair<size_t, size_t>> allocations;               /* first and end, sorted */
} arena;

/* Notes the use; false: other work in no order with the running node has used it, and one of them writes */
bool use(Cell *cell, bool store)
{
  uint32_t &user = store ? cell->writer : cell->reader;

  if (user == running_node && (!current || current->awaited)) return true; /* found good before: no other node has run since */
  const bool good = comes_before(cell->writer) && (!store || comes_before(cell->reader));

  if (!good)
    fail("%s of device memory that other work, in no order with this, %s", store ? "store" : "load",
         comes_before(cell->writer) ? "reads" : "writes");
  user = running_node;
  return good;
}

bool is_open = false;

/* A protection key (pkeys(7)) opens and closes device memory by one instruction; -1: mprotect() does.  It is closed at first. */
int key_of_device()
{
  static const int key = [] {
    const int found = pkey_alloc(0, PKEY_DISABLE_ACCESS);

    if (found < 0 ? mprotect(arena_bytes, DEVICE, PROT_NONE) : pkey_mprotect(arena_bytes, DEVICE, PROT_READ | PROT_WRITE, found)) abort();
    return found;
  }();

  return key;
}

} // namespace

char *const arena_bytes = map_memory<char>(ARENA_SIZE);
Cell *const arena_cells = map_memory<Cell>(ARENA_SIZE / GRANULE);

void arena_open(bool open)
{
  const int key = key_of_device();

  if (open == is_open) return;
  if (key < 0 ? mprotect(arena_bytes, DEVICE, open ? PROT_READ | PROT_WRITE : PROT_NONE) : pkey_set(key, open ? 0 : PKEY_DISABLE_ACCESS))
    abort();
  is_open = open;
}

bool arena_is_pinned(const void *p)
{
  return arena_holds(p) && (const char *)p >= arena_bytes + DEVICE;
}

bool arena_check(const void *p, size_t size, bool store)
{
  const size_t alignment = size & (~size + 1); /* a power of two, so that nothing is divided */

  if (!arena_holds(p)) return true;
  if ((uintptr_t)p & (std::min<size_t>(alignment, 8) - 1)) {
    fail("%s of %zu bytes at %p, which is not aligned", store ? "store" : "load", size, p);
    return false;
  }
  for (Cell *cell = arena_cell(p); cell <= arena_cell((const char *)p + size - 1); cell++) {
    if (cell->state == Cell::OUTSIDE) {
      fail("%s of %zu bytes out of bounds of device memory", store ? "store" : "load", size);
      return false;
    }
    if (!store && cell->state == Cell::UNWRITTEN) {
      fail("load of %zu bytes of device memory never written", size);
      return false;
    }
    if (!use(cell, store)) return false;
  }
  return true;
}

bool arena_check_range(const void *p, size_t bytes, bool store)
{
  if (!arena_holds(p) || !bytes) return true;
  for (Cell *cell = arena_cell(p); cell <= arena_cell((const char *)p + bytes - 1); cell++) {
    if (cell->state == Cell::OUTSIDE) {
      fail("copy or clear of %zu bytes out of bounds of device memory", bytes);
      return false;
    }
    if (!use(cell, store)) return false;
  }
  return true;
}

void arena_written(const void *p, size_t bytes)
{
  if (!arena_holds(p) || !bytes) return;
  for (Cell *cell = arena_cell(p); cell <= arena_cell((const char *)p + bytes - 1); cell++) cell->state = Cell::WRITTEN;
}

void arena_reuse(const void *p, size_t bytes, size_t held)
{
  const Cell *const first = arena_cell(p), *const end = first + (bytes + GRANULE - 1) / GRANULE;

  for (Cell *cell = arena_cell(p); cell < first + (held + GRANULE - 1) / GRANULE; cell++) {
    if (!use(cell, true)) return;
    cell->state = cell < end ? Cell::UNWRITTEN : Cell::OUTSIDE;
  }
}

void *arena_allocate(size_t bytes, bool pinned)
{
  const size_t size = (bytes + GRANULE - 1) / GRANULE * GRANULE, step = (size + 2 * RED_ZONE - 1) / RED_ZONE * RED_ZONE;
  size_t       offset = RED_ZONE + (pinned ? DEVICE : 0);
  auto         place  = arena.allocations.begin();

  for (; place != arena.allocations.end() && place->first < offset + step; place++) offset = std::max(offset, place->second);
  if (size > DEVICE || offset + step > (pinned ? ARENA_SIZE : DEVICE)) return nullptr;
  arena.allocations.insert(place, {offset, offset + step});
  size_t &used = pinned ? arena.pinned : arena.used;
  used         = std::max(used, offset + step);
  const bool was_open = is_open;
  arena_open(true);
  std::memset(arena_bytes + offset, 0xa5, size);
  arena_open(was_open);
  std::fill_n(arena_cells + offset / GRANULE, size / GRANULE, Cell{Cell::UNWRITTEN, 0, 0, 0, 0});
  return arena_bytes + offset;
}

bool arena_free(void *p)
{
  const size_t offset = (size_t)((char *)p - arena_bytes);

  for (auto place = arena.allocations.begin(); place != arena.allocations.end(); place++) {
    if (place->first != offset) continue;
    std::fill_n(arena_cells + offset / GRANULE, (place->second - offset) / GRANULE, Cell{Cell::OUTSIDE, 0, 0, 0, 0});
    arena.allocations.erase(place);
    return true;
  }
  return false;
}

Snapshot memory_save()
{
  finish_work();
  arena_open(true);
  const Snapshot snapshot = {std::string(arena_bytes, arena.used), std::string(arena_bytes + DEVICE, arena.pinned - DEVICE)};
  arena_open(false);
  return snapshot;
}

void memory_restore(const Snapshot &snapshot)
{
  finish_work();
  arena_open(true);
  std::memcpy(arena_bytes, snapshot.device.data(), snapshot.device.size());
  std::memcpy(arena_bytes + DEVICE, snapshot.pinned.data(), snapshot.pinned.size());
  arena_open(false);
}

} // namespace simt
