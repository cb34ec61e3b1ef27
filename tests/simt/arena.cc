/*
   Device memory: one block of host memory, with a state for each four bytes.  The first half is closed to the host unless work of a stream
   runs, so a host that follows a device pointer crashes, as with a GPU.  The second half is pinned memory.
*/
#include "internal.h"
#include <algorithm>
#include <sys/mman.h>

namespace simt {

namespace {

constexpr size_t SIZE = 256 << 20, DEVICE = SIZE / 2, GRANULE = 4;
constexpr size_t RED_ZONE = 256; /* between allocations */
enum : uint8_t { OUTSIDE, UNWRITTEN, WRITTEN };

template <class T> T *map_memory(size_t count)
{
  void *p = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) abort();
  return (T *)p;
}

/* The latest nodes of streams that wrote and read (streams.cc); 0: none */
struct Users {
  uint32_t writer, reader;
};

struct {
  char                                  *bytes    = map_memory<char>(SIZE);
  uint8_t                               *state    = map_memory<uint8_t>(SIZE / GRANULE);
  uint32_t                              *location = map_memory<uint32_t>(SIZE / GRANULE);
  uint32_t                              *word     = map_memory<uint32_t>(SIZE / GRANULE);
  Users                                 *users    = map_memory<Users>(SIZE / GRANULE);
  size_t                                 used     = 0, pinned = DEVICE; /* nothing has been allocated beyond, in either half */
  std::vector<std::pair<size_t, size_t>> allocations;                   /* first and end, sorted */
} arena;

size_t granule(const void *p)
{
  return (size_t)((const char *)p - arena.bytes) / GRANULE;
}

/* Notes the use; false: other work in no order with the running node has used it, and one of them writes */
bool use(size_t g, bool store)
{
  Users     &users = arena.users[g];
  const bool good  = comes_before(users.writer) && (!store || comes_before(users.reader));

  if (!good)
    fail("%s of device memory that work in another stream, in no order with this, %s", store ? "store" : "load",
         comes_before(users.writer) ? "reads" : "writes");
  (store ? users.writer : users.reader) = running_node();
  return good;
}

} // namespace

void arena_open(bool open)
{
  if (mprotect(arena.bytes, DEVICE, open ? PROT_READ | PROT_WRITE : PROT_NONE)) abort();
}

bool arena_holds(const void *p)
{
  return (const char *)p >= arena.bytes && (const char *)p < arena.bytes + SIZE;
}

bool arena_is_pinned(const void *p)
{
  return arena_holds(p) && (const char *)p >= arena.bytes + DEVICE;
}

bool arena_is_written(const void *p)
{
  return arena.state[granule(p)] == WRITTEN;
}

uint32_t *arena_location(const void *p)
{
  return &arena.location[granule(p)];
}

uint32_t *arena_word(const void *p)
{
  return &arena.word[granule(p)];
}

bool arena_check(const void *p, size_t size, bool store)
{
  if (!arena_holds(p)) return true;
  if ((uintptr_t)p % (size < 8 ? size : 8)) {
    fail("%s of %zu bytes at %p, which is not aligned", store ? "store" : "load", size, p);
    return false;
  }
  for (size_t g = granule(p); g <= granule((const char *)p + size - 1); g++) {
    if (arena.state[g] == OUTSIDE) {
      fail("%s of %zu bytes out of bounds of device memory", store ? "store" : "load", size);
      return false;
    }
    if (!store && arena.state[g] == UNWRITTEN) {
      fail("load of %zu bytes of device memory never written", size);
      return false;
    }
    if (!use(g, store)) return false;
  }
  return true;
}

bool arena_check_range(const void *p, size_t bytes, bool store)
{
  if (!arena_holds(p) || !bytes) return true;
  for (size_t g = granule(p); g <= granule((const char *)p + bytes - 1); g++) {
    if (arena.state[g] == OUTSIDE) {
      fail("copy or clear of %zu bytes out of bounds of device memory", bytes);
      return false;
    }
    if (!use(g, store)) return false;
  }
  return true;
}

void arena_written(const void *p, size_t bytes)
{
  if (!arena_holds(p) || !bytes) return;
  for (size_t g = granule(p); g <= granule((const char *)p + bytes - 1); g++) arena.state[g] = WRITTEN;
}

void *arena_allocate(size_t bytes, bool pinned)
{
  const size_t size = (bytes + GRANULE - 1) / GRANULE * GRANULE, step = (size + 2 * RED_ZONE - 1) / RED_ZONE * RED_ZONE;
  size_t       offset = RED_ZONE + (pinned ? DEVICE : 0);
  auto         place  = arena.allocations.begin();

  for (; place != arena.allocations.end() && place->first < offset + step; place++) offset = std::max(offset, place->second);
  if (size > DEVICE || offset + step > (pinned ? SIZE : DEVICE)) return nullptr;
  arena.allocations.insert(place, {offset, offset + step});
  size_t &used = pinned ? arena.pinned : arena.used;
  used         = std::max(used, offset + step);
  arena_open(true);
  std::memset(arena.state + offset / GRANULE, UNWRITTEN, size / GRANULE);
  std::memset(arena.bytes + offset, 0xa5, size);
  std::fill_n(arena.users + offset / GRANULE, size / GRANULE, Users{0, 0});
  arena_open(false);
  return arena.bytes + offset;
}

bool arena_free(void *p)
{
  const size_t offset = (size_t)((char *)p - arena.bytes);

  for (auto place = arena.allocations.begin(); place != arena.allocations.end(); place++) {
    if (place->first != offset) continue;
    std::memset(arena.state + offset / GRANULE, OUTSIDE, (place->second - offset) / GRANULE);
    arena.allocations.erase(place);
    return true;
  }
  return false;
}

Snapshot memory_save()
{
  finish_work();
  arena_open(true);
  const Snapshot snapshot = {std::string(arena.bytes, arena.used), std::string(arena.bytes + DEVICE, arena.pinned - DEVICE)};
  arena_open(false);
  return snapshot;
}

void memory_restore(const Snapshot &snapshot)
{
  finish_work();
  arena_open(true);
  std::memcpy(arena.bytes, snapshot.device.data(), snapshot.device.size());
  std::memcpy(arena.bytes + DEVICE, snapshot.pinned.data(), snapshot.pinned.size());
  arena_open(false);
}

} // namespace simt
