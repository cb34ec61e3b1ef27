/*
   Values, and unknowns that are their own flags.

   An unknown without a value holds NOT_READY in each of its words: a NaN with a payload that no arithmetic yields.  So one store carries
   the value of a word and the news of it, and no fence is needed.  A NaN or Inf that comes out of the data is a value like any other and
   flows on: broken input ends in NaN, not in a hang.
*/
#pragma once
#include <cstring>
#include "complex.cuh"

namespace sptrsv {

/* The same bits as another type */
template <class To, class From> __device__ __forceinline__ To bits_as(const From &from)
{
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy((void *)&to, &from, sizeof(to));
  return to;
}

/* What is stored at once of a value */
template <class V> struct Word;
template <> struct Word<double> {
  using type                         = unsigned long long;
  static constexpr type NOT_READY    = 0x7ff8dead0000beefull;
  static constexpr type NOT_A_NUMBER = 0x7fffffffffffffffull;
};
template <> struct Word<float> {
  using type                         = unsigned;
  static constexpr type NOT_READY    = 0x7fc0beefu;
  static constexpr type NOT_A_NUMBER = 0x7fffffffu;
};

/* Of a complex value each part is a word */
template <class R> struct Word<Complex<R>> : Word<R> {};

/* An unknown as a lane knows it: words, each its own flag */
template <class V> struct Unknown {
  using W                    = Word<V>;
  static constexpr int PARTS = sizeof(V) / sizeof(typename W::type);

  typename W::type part[PARTS];

  static __device__ __forceinline__ Unknown of(V v) { return bits_as<Unknown>(v); }
  /* Not ready, or a zero that nothing waits for */
  static __device__ __forceinline__ Unknown missing_if(bool missing)
  {
    Unknown u = of(V(0));

    for (int k = 0; k < PARTS; k++) u.part[k] = missing ? W::NOT_READY : u.part[k];
    return u;
  }
  /* Words 2 k and 2 k + 1 */
  __device__ __forceinline__ auto pair(int k) -> typename W::type (&)[2] { return *reinterpret_cast<typename W::type(*)[2]>(part + 2 * k); }
  __device__ __forceinline__ V    value() const { return bits_as<V>(*this); }
  __device__ __forceinline__ bool is_ready() const
  {
    bool ready = true;

    for (int k = 0; k < PARTS; k++) ready = ready && part[k] != W::NOT_READY;
    return ready;
  }
  /* Another NaN in place of NOT_READY's: of a wait that is given up, or of the user's data, which may hold it */
  __device__ __forceinline__ Unknown settled() const
  {
    Unknown u;

    for (int k = 0; k < PARTS; k++) u.part[k] = part[k] == W::NOT_READY ? W::NOT_A_NUMBER : part[k];
    return u;
  }
};

/* Ends a wait for several that is given up */
template <class V, int K> __device__ __forceinline__ void settle(Unknown<V> (&unknown)[K])
{
#pragma unroll
  for (int k = 0; k < K; k++) unknown[k] = unknown[k].settled();
}

/* What an unknown is taken for whose wait was given up */
template <class V> __device__ __forceinline__ V no_value()
{
  return Unknown<V>::missing_if(true).settled().value();
}

template <class V> __device__ __forceinline__ Unknown<V> poll(const V *x)
{
  Unknown<V> u;

  if constexpr (u.PARTS == 1) u.part[0] = load_relaxed(reinterpret_cast<const typename Word<V>::type *>(x));
  else
    for (int k = 0; k < u.PARTS / 2; k++) load_relaxed_pair(reinterpret_cast<const typename Word<V>::type *>(x) + 2 * k, u.pair(k));
  return u;
}

/* Gives the unknown its value */
template <class V> __device__ __forceinline__ void publish(V *x, V v)
{
  Unknown<V> u = Unknown<V>::of(v).settled();

  if constexpr (u.PARTS == 1) store_relaxed(reinterpret_cast<typename Word<V>::type *>(x), u.part[0]);
  else
    for (int k = 0; k < u.PARTS / 2; k++) store_relaxed_pair(reinterpret_cast<typename Word<V>::type *>(x) + 2 * k, u.pair(k));
}

/* Takes the unknown's value back: for a later launch, hence a plain store */
template <class V> __device__ __forceinline__ void rearm(V *x)
{
  for (int k = 0; k < Unknown<V>::PARTS; k++) reinterpret_cast<typename Word<V>::type *>(x)[k] = Word<V>::NOT_READY;
}

/* The value of another lane; every lane of the warp takes part */
template <class V> __device__ __forceinline__ V from_lane(V v, int lane)
{
  return __shfl_sync(ALL_LANES, v, lane);
}

template <class R> __device__ __forceinline__ Complex<R> from_lane(Complex<R> v, int lane)
{
  return {from_lane(v.re, lane), from_lane(v.im, lane)};
}
template <int STEP = 1, class R> __device__ __forceinline__ Complex<R> sum_over(int lanes, Complex<R> v)
{
  return {sum_over<STEP>(lanes, v.re), sum_over<STEP>(lanes, v.im)};
}

} // namespace sptrsv
