/* table.h - Numbers by address and block, for shared memory, which has the same addresses in every block.  All entries leave together. */
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simt {

class Table {
public:
  /* Of a new entry: 0.  Until the next call. */
  uint32_t &at(const void *p, uint32_t block)
  {
    const uint64_t key = (uint64_t)(uintptr_t)p << 16 | block;

    if (2 * used.size() >= entries.size()) grow();
    Entry &entry = entries[find(key)];
    if (!entry.key) {
      entry = {key, 0};
      used.push_back((uint32_t)(&entry - entries.data()));
    }
    return entry.number;
  }

  void clear()
  {
    for (uint32_t k : used) entries[k] = {0, 0};
    used.clear();
  }

private:
  struct Entry {
    uint64_t key; /* 0: none */
    uint32_t number;
  };

  size_t find(uint64_t key) const
  {
    const size_t mask = entries.size() - 1;
    size_t       k    = (key * 0x9e3779b97f4a7c15ull >> 32) & mask;

    while (entries[k].key && entries[k].key != key) k = (k + 1) & mask;
    return k;
  }

  void grow()
  {
    std::vector<Entry> old(entries.empty() ? 1024 : 2 * entries.size());

    old.swap(entries);
    for (uint32_t &k : used) {
      const Entry &entry = old[k];

      k          = (uint32_t)find(entry.key);
      entries[k] = entry;
    }
  }

  std::vector<Entry>    entries; /* a power of two */
  std::vector<uint32_t> used;
};

} // namespace simt
