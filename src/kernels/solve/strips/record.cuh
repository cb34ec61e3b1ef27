/* Records of `strips`: on their way through shared memory, and as a lane has them in registers. */
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

/* Entries that are taken together */
template <int K> constexpr int GROUP = std::min(K, (int)SPTRSV_STRIP_GROUP);

/* The first words of a quad */
template <int WORDS> __device__ __forceinline__ Quad read_words(const Quad *from)
{
  struct alignas(8) Pair {
    unsigned w[2];
  };
  Quad quad = {};

  if constexpr (WORDS == 4) quad = *from;
  else {
    const Pair pair = *(const Pair *)from;

    quad.w[0] = pair.w[0];
    quad.w[1] = pair.w[1];
    if (WORDS > 2) quad.w[2] = from->w[2];
  }
  return quad;
}

/* The lane's record but for its head goes to shared memory, with zeros for entries that the chunk lacks in a group */
template <class V, class S, int K> __device__ __forceinline__ void copy_near(const Quad *record, int near_per, Quad *near)
{
  using Layout       = RecordLayout<V, S>;
  constexpr bool ONE = Layout::quads(K) == Layout::HEAD + 1; /* if near_per is of use for this one only, it is used (Supply) */

#pragma unroll
  for (int q = Layout::HEAD; q < Layout::quads(K); q++) {
    const int first = Layout::first_entry(q), at = WARP * (q - Layout::HEAD);

    if ((!first && !ONE) || first < near_per) copy_async(near + at, record + WARP * q);
    else if (first < GROUP<K> || first / GROUP<K> * GROUP<K> < near_per) near[at] = {};
  }
}

/* The record with the groups of entries that the chunk has, as values of V */
template <class S, class V, int K>
__device__ __forceinline__ void load_near(const Record<V, 1> &first, const Quad *near, Record<V, K> &record)
{
  using Layout       = RecordLayout<V, S>;
  constexpr int HEAD = Layout::HEAD;

#pragma unroll
  for (int q = 0; q < HEAD; q++) record.quad[q] = first.quad[q];
#pragma unroll
  for (int q = HEAD; q < Layout::quads(K); q++) {
    const int group = Layout::first_entry(q) / GROUP<K>;

    if (group && SPTRSV_STRIP_MORE(first.mark()) < (unsigned)group) continue;
    if constexpr (std::is_same_v<S, V>) record.quad[q] = near[WARP * (q - HEAD)];
    else record.template take<S>(q, near[WARP * (q - HEAD)]);
  }
}

} // namespace sptrsv
