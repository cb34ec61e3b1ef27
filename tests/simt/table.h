/* table.h - Numbers by address and block, for shared memory, which has the same addresses in every block.  All leave together. */
#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace simt {

class Table {
public:
  /* Of a new entry: 0 */
  uint32_t &at(const void *p, uint32_t block)
  {
    const uint64_t key = (uint64_t)(uintptr_t)p / PAGE << 16 | block;

    if (!last || key != last_key) turn_to(key);
    return last->number[(uintptr_t)p % PAGE];
  }

  void clear()
  {
    for (Page *page : used) *page = {};
    used.clear();
    last = nullptr;
  }

private:
  static constexpr size_t PAGE = 1024; /* neighbours are near each other here, too */
  struct Page {
    uint32_t number[PAGE]; /* of each byte */
    bool     is_used;
  };

  void turn_to(uint64_t key)
  {
    last_key = key;
    last     = &pages[key];
    if (!last->is_used) used.push_back(last);
    last->is_used = true;
  }

  std::unordered_map<uint64_t, Page> pages; /* kept for the next launch */
  std::vector<Page *>                used;
  Page                              *last = nullptr; /* that was asked for, and its key */
  uint64_t                           last_key;
};

} // namespace simt
