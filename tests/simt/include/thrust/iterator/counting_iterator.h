/* thrust::counting_iterator. */
#pragma once

namespace thrust {
template <class T> struct counting_iterator {
  T first;
  explicit counting_iterator(T first) : first(first) { }
  T operator[](int k) const { return first + k; }
};
} // namespace thrust
