/* Records of `strips`, as a lane has them in registers. */
#pragma once
#include "strips.cuh"

namespace sptrsv {

/* Record of a lane's unknown, with room for K near entries */
template <class V, int K> struct Record {
  using Layout               = RecordLayout<V>;
  static constexpr int QUADS = Layout::quads(K);

  Quad quad[QUADS];

  __device__ __forceinline__ unsigned half(int quad, int k) const
  {
    const unsigned word = this->quad[quad].w[k / 2];

    return k & 1 ? word >> 16 : word & 0xffff;
  }
  template <class T> static __device__ __forceinline__ T value_in(const Quad &quad, int k)
  {
    if constexpr (sizeof(T) == 2 * sizeof(Part<T>)) return {value_in<Part<T>>(quad, 2 * k), value_in<Part<T>>(quad, 2 * k + 1)};
    else if constexpr (sizeof(T) == 4) return bits_as<T>(quad.w[k]);
    else return bits_as<T>((typename Word<T>::type)quad.w[2 * k + 1] << 32 | quad.w[2 * k]);
  }
  __device__ __forceinline__ unsigned mark() const { return half(Layout::HEAD - 1, Layout::MARK); }
  __device__ __forceinline__ V        reciprocal() const { return value_in<V>(quad[0], 0); } /* of the diagonal entry */
  __device__ __forceinline__ V        value(int k) const { return value_in<V>(quad[Layout::value_quad(k)], k % Layout::VALUES); }
  __device__ __forceinline__ unsigned offset(int k) const { return half(Layout::place_quad(k), Layout::place_in_quad(k)); }

  /* Takes quad q, behind the head, of a record whose values are stored as S */
  template <class S> __device__ __forceinline__ void take(int q, Quad from)
  {
    using From = RecordLayout<V, S>;

    if (From::has_places(q)) quad[Layout::place_quad(From::first_entry(q))] = from;
    else {
#pragma unroll
      for (int k = 0; k < From::VALUES; k++) take_value(From::first_entry(q) + k, V(value_in<S>(from, k)));
    }
  }

private:
  __device__ __forceinline__ void take_value(int k, V v)
  {
    if (k < K) set_words(quad[Layout::value_quad(k)].w + k % Layout::VALUES * (int)(sizeof(V) / sizeof(unsigned)), v);
  }
};

/* Returns where a lane finds the x of its near entry k, or a zero if it is not the lane's turn */
template <class V, int K, class Values>
__device__ __forceinline__ const Values *place_of(const Record<V, K> &record, int k, const Values *x, bool turn)
{
  return (const Values *)((const char *)x + (turn ? record.offset(k) * (unsigned)(sizeof(Values) / sizeof(V)) : 0));
}

} // namespace sptrsv
