/*
   How loads and stores reach the emulator.

   The kernels are compiled with -fsanitize=thread.  The functions it calls before each load and store are defined here, in place of the
   sanitizer's run time.  A fiber is never interrupted between the call and the access, so memory itself is only the port through which
   a value passes: before a load, the value that this thread may see is put there; a store is read back at the thread's next access.
*/
#include "internal.h"
#include <algorithm>
#include <iterator>

namespace simt {

namespace {

const char *parameters; /* of the kernel, on the host's stack */
struct Piece {
  void    *p;
  size_t   size;
  uint32_t time;
};
Piece    pending[4]; /* of the store that is about to be made */
unsigned pieces;

bool on_stack(const void *p)
{
  const char *c = (const char *)p;
  return (c >= current->stack && c < current->stack_end) || (c >= parameters && c < parameters + (64 << 10));
}

/* The value that the thread may see; the thread goes on to the access at once */
void show_plainly(const void *p, size_t size, const void *pc)
{
  if (!arena_check(p, size, false)) return yield();
  look_for_race(p, size, false, Order::PLAIN, pc);
  if (has_history(p)) show(p, size, Order::PLAIN);
  if (in_trouble()) yield();
}

/* In pieces of at most 8 bytes.  Others run before the first one or not at all: shared memory has the same addresses in every block. */
void plain_loads(const char *p, size_t size, const void *pc)
{
  if (!current || on_stack(p)) return;
  commit();
  current->looks.count = 0;
  if (++current->quiet > 64) { /* it spins on a plain load */
    current->met = true;
    yield();
  }
  for (size_t k = 0; k < size; k += 8) show_plainly(p + k, std::min<size_t>(8, size - k), pc);
}

void plain_store(void *p, size_t size, const void *pc)
{
  if (!arena_check(p, size, true)) return yield();
  look_for_race(p, size, true, Order::PLAIN, pc);
  prepare_store(p, size);
  if (pieces < std::size(pending)) pending[pieces++] = {p, size, current->time};
  else if (has_history(p)) fail("stores of more than 32 bytes are not known to this emulator");
}

/* In pieces of at most 8 bytes */
void plain_stores(char *p, size_t size, const void *pc)
{
  if (!current) return arena_written(p, size);
  if (on_stack(p)) return;
  commit();
  current->looks.count = 0;
  for (size_t k = 0; k < size; k += 8) plain_store(p + k, std::min<size_t>(8, size - k), pc);
}

/* A read-modify-write in one step, always of the newest value, which it returns.  It releases what its order demands. */
template <class T, class F> T atomic(T *p, const void *pc, Order order, F change)
{
  commit();
  current->looks.count = 0;
  point(pc, true);
  if (!arena_check(p, sizeof(T), false)) yield();
  look_for_race(p, sizeof(T), true, order, pc);
  const T old = from_bits<T>(load_newest(p, sizeof(T)));
  if (in_trouble()) yield();
  const T next = change(old);
  replace_newest(p, sizeof(T), bits(next), order);
  *p = next;
  return old;
}

template <class W> W load(const W *p, Order order, const void *pc)
{
  commit();
  point(pc, false);
  if (!arena_check(p, sizeof(W), false)) yield();
  sleep_if_in_vain(p, pc);
  look_for_race(p, sizeof(W), false, order, pc);
  if (has_history(p)) show(p, sizeof(W), order);
  if (in_trouble()) yield();
  looked(p, sizeof(W), pc, bits(*p));
  return *p;
}

template <class W> void store(W *p, W v, Order order, const void *pc)
{
  commit();
  current->looks.count = 0;
  point(pc, true);
  if (!arena_check(p, sizeof(W), true)) yield();
  look_for_race(p, sizeof(W), true, order, pc);
  prepare_store(p, sizeof(W));
  store_relaxedly(p, sizeof(W), bits(v), order);
  *p = v;
  changes++;
}

} // namespace

uint64_t word_at(const void *p, size_t size)
{
  uint64_t v = 0;
  std::memcpy(&v, p, size);
  return v;
}

void commit()
{
  const unsigned count = pieces;

  pieces = 0;
  for (unsigned k = 0; k < count; k++) {
    const Piece &piece = pending[k];

    if (has_history(piece.p)) store_plainly({piece.p, piece.size, word_at(piece.p, piece.size), piece.time});
    else changed(piece.p);
  }
}

void launch_begins()
{
  parameters = (const char *)__builtin_frame_address(0);
  pieces     = 0;
  history_begins();
  copies_begin();
}

void move_plainly(char *to, const char *from, size_t size, const void *pc)
{
  const size_t unit = size == 16 ? 8 : 4; /* as sixteen bytes are loaded and stored otherwise */

  for (size_t k = 0; k < size; k += unit) {
    plain_loads(from + k, unit, pc);
    const uint64_t word = word_at(from + k, unit);
    plain_stores(to + k, unit, pc);
    std::memcpy(to + k, &word, unit);
  }
  commit();
}

} // namespace simt

/* Functions that src/kernels/device/device.cuh declares for compilers other than nvcc */
namespace sptrsv {

unsigned long long load_relaxed(const unsigned long long *p)
{
  return simt::load(p, simt::Order::RELAXED, __builtin_return_address(0));
}
unsigned load_relaxed(const unsigned *p)
{
  return simt::load(p, simt::Order::RELAXED, __builtin_return_address(0));
}
void store_relaxed(unsigned long long *p, unsigned long long v)
{
  simt::store(p, v, simt::Order::RELAXED, __builtin_return_address(0));
}
void store_relaxed(unsigned *p, unsigned v)
{
  simt::store(p, v, simt::Order::RELAXED, __builtin_return_address(0));
}

unsigned load_acquire(const unsigned *p)
{
  return simt::load(p, simt::Order::GPU, __builtin_return_address(0));
}
unsigned load_acquire_block(const unsigned *p)
{
  return simt::load(p, simt::Order::BLOCK, __builtin_return_address(0));
}
void subtract_release(unsigned *p, unsigned v)
{
  (void)simt::atomic(p, __builtin_return_address(0), simt::Order::GPU, [v](unsigned old) { return old - v; });
}
void subtract_release_block(unsigned *p, unsigned v)
{
  (void)simt::atomic(p, __builtin_return_address(0), simt::Order::BLOCK, [v](unsigned old) { return old - v; });
}

} // namespace sptrsv

#define SIMT_ATOMIC(name, T, result)                                                                                                       \
  T name(T *p, T v)                                                                                                                        \
  {                                                                                                                                        \
    return simt::atomic(p, __builtin_return_address(0), simt::Order::RELAXED, [v](T old) { return result; });                              \
  }
SIMT_ATOMICS(SIMT_ATOMIC)
unsigned atomicAdd_block(unsigned *p, unsigned v)
{
  return simt::atomic(p, __builtin_return_address(0), simt::Order::RELAXED_BLOCK, [v](unsigned old) { return old + v; });
}

/* Called by code compiled with -fsanitize=thread and -fsanitize-coverage=trace-pc */
#define SIMT_ACCESS(size)                                                                                                                  \
  void __tsan_read##size(const void *p)                                                                                                    \
  {                                                                                                                                        \
    simt::plain_loads((const char *)p, size, __builtin_return_address(0));                                                                 \
  }                                                                                                                                        \
  void __tsan_unaligned_read##size(const void *p)                                                                                          \
  {                                                                                                                                        \
    simt::plain_loads((const char *)p, size, __builtin_return_address(0));                                                                 \
  }                                                                                                                                        \
  void __tsan_write##size(void *p)                                                                                                         \
  {                                                                                                                                        \
    simt::plain_stores((char *)p, size, __builtin_return_address(0));                                                                      \
  }                                                                                                                                        \
  void __tsan_unaligned_write##size(void *p)                                                                                               \
  {                                                                                                                                        \
    simt::plain_stores((char *)p, size, __builtin_return_address(0));                                                                      \
  }

extern "C" {
SIMT_ACCESS(1)
SIMT_ACCESS(2)
SIMT_ACCESS(4)
SIMT_ACCESS(8)
SIMT_ACCESS(16)
void __tsan_read_range(const void *p, size_t size)
{
  simt::plain_loads((const char *)p, size, __builtin_return_address(0));
}
void __tsan_write_range(void *p, size_t size)
{
  simt::plain_stores((char *)p, size, __builtin_return_address(0));
}
void __sanitizer_cov_trace_pc(void)
{
  if (simt::mode == simt::Mode::LOCKSTEP && simt::current) simt::step(__builtin_return_address(0));
}
void __tsan_vptr_update(void **, void *)
{}
void __tsan_init(void)
{}
void __tsan_func_entry(void *)
{}
void __tsan_func_exit(void)
{}
}
