/* ready.h - The threads that can run.  Choosing looks at bits and keys in the order of the list: most choices ask all threads. */
#pragma once
#include "internal.h"

namespace simt {

class Ready {
public:
  void   begin(size_t most); /* threads at a time */
  void   add(Lane *lane, uint64_t key, bool pleases);
  void   remove(const Lane *lane);
  void   please(const Lane *lane, bool pleases);
  void   set_key(const Lane *lane, uint64_t key);
  void   tire(const Lane *lane); /* until memory changes */
  size_t size() const { return lanes.size(); }
  Lane  *at(size_t slot) const { return lanes[slot]; }
  Lane  *anyone() const { return lanes[random_number() % lanes.size()]; }
  Lane  *someone(bool pleasing) const; /* who is not tired, and pleases if that is wanted; NULL: there is none */
  Lane  *best();                       /* the first of the highest key among those who are not tired; NULL: there is none */

private:
  static constexpr size_t BITS = 64;
  using Set                    = std::vector<uint64_t>; /* of slots */

  static bool has(const Set &set, size_t slot) { return set[slot / BITS] >> slot % BITS & 1; }
  static void put(Set &set, size_t slot, bool in)
  {
    set[slot / BITS] = (set[slot / BITS] & ~((uint64_t)1 << slot % BITS)) | (uint64_t)in << slot % BITS;
  }
  bool     are_tired() const { return tired_at == changes; }
  uint64_t wanted(size_t word, bool pleasing) const;

  std::vector<Lane *>   lanes;
  std::vector<uint64_t> keys;
  Set                   present, pleases, tired;
  uint64_t              tired_at = 0; /* changes of memory for which `tired` holds */
  bool                  best_known;   /* among all of them, tired or not */
  size_t                best_slot;
};

} // namespace simt
