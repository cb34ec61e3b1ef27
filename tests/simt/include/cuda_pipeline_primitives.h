/* Asynchronous copies to shared memory (tests/simt/copies.cc). */
#pragma once
#include "cuda_runtime.h"

namespace simt {
void start_copy(void *to, const void *from, size_t size);
void commit_copies();
void await_copies(unsigned groups_left, const void *pc);
} // namespace simt

inline void __pipeline_memcpy_async(void *to, const void *from, size_t size)
{
  simt::start_copy(to, from, size);
}
inline void __pipeline_commit()
{
  simt::commit_copies();
}
/* All groups but the last `groups_left` */
inline __attribute__((noinline)) void __pipeline_wait_prior(unsigned groups_left)
{
  simt::await_copies(groups_left, __builtin_return_address(0));
}
