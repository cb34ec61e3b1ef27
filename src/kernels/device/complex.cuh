/* Complex values in kernels.  Nothing is conjugated, and nothing looks for infinities: products are four of reals, as on the host.  What is
   fused is written so: a compiler could choose otherwise in kernels whose bits are to be the same. */
#pragma once
#include <cmath>
#include <type_traits>
#include "device.cuh"

namespace sptrsv {

/* Laid out as C's, and aligned to be loaded at once.  A copy is one of parts, so that memory is always accessed by these (tests/simt). */
template <class R> struct alignas(2 * sizeof(R)) Complex {
  R re, im;

  Complex() = default;
  __host__                    __device__ constexpr Complex(const Complex &v) : re(v.re), im(v.im) {}
  __host__                    __device__ constexpr Complex(R real, R imaginary = 0) : re(real), im(imaginary) {}
  template <class T> __host__ __device__ constexpr explicit Complex(const Complex<T> &v) : re((R)v.re), im((R)v.im) {}

  __host__ __device__ __forceinline__ Complex &operator=(const Complex &v)
  {
    re = v.re;
    im = v.im;
    return *this;
  }

  friend __host__ __device__ __forceinline__ bool    operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
  friend __host__ __device__ __forceinline__ bool    operator!=(Complex a, Complex b) { return !(a == b); }
  friend __host__ __device__ __forceinline__ Complex operator-(Complex a) { return {-a.re, -a.im}; }
  friend __host__ __device__ __forceinline__ Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend __host__ __device__ __forceinline__ Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  friend __host__ __device__ __forceinline__ Complex operator*(Complex a, R factor) { return {a.re * factor, a.im * factor}; }
  friend __host__ __device__ __forceinline__ Complex operator*(Complex a, Complex b)
  {
    return {std::fma(-a.im, b.im, a.re * b.re), std::fma(a.im, b.re, a.re * b.im)};
  }
  /* By the larger part (Smith, 1962).  Of zero a value whose modulus is infinite */
  friend __host__ __device__ __forceinline__ Complex operator/(R a, Complex b)
  {
    const bool steep = std::fabs(b.re) < std::fabs(b.im);
    const R    large = steep ? b.im : b.re, small = steep ? b.re : b.im, ratio = large == 0 ? small : small / large;
    const R    part = a / std::fma(small, ratio, large), other = part * ratio;

    return steep ? Complex(other, -part) : Complex(part, -other);
  }
  friend __host__ __device__ __forceinline__ Complex fma(Complex a, Complex b, Complex c)
  {
    return {std::fma(-a.im, b.im, std::fma(a.re, b.re, c.re)), std::fma(a.im, b.re, std::fma(a.re, b.im, c.im))};
  }

  template <class T> __host__ __device__ __forceinline__ Complex &operator+=(const T &b) { return *this = *this + b; }
  template <class T> __host__ __device__ __forceinline__ Complex &operator-=(const T &b) { return *this = *this - b; }
  template <class T> __host__ __device__ __forceinline__ Complex &operator*=(const T &b) { return *this = *this * b; }
};

/* A kernel's type for a type of values of the library, and the type of its parts */
template <class T, class = void> struct KernelValue {
  using type = T;
  using Part = T;
};
template <class T> struct KernelValue<T, std::void_t<decltype(T::part)>> {
  using Part = std::remove_extent_t<decltype(T::part)>;
  using type = Complex<Part>;
};
template <class R> struct KernelValue<Complex<R>> {
  using type = Complex<R>;
  using Part = R;
};
template <class V> using Part                = typename KernelValue<V>::Part;
template <class V> constexpr bool IS_COMPLEX = !std::is_same_v<V, Part<V>>;

template <class V> __host__ __device__ __forceinline__ double modulus(V v)
{
  if constexpr (IS_COMPLEX<V>) return std::hypot((double)v.re, (double)v.im);
  else return std::fabs((double)v);
}
template <class V> __device__ __forceinline__ double real_part(V v)
{
  if constexpr (IS_COMPLEX<V>) return (double)v.re;
  else return (double)v;
}
/* The larger part of v, without its sign */
template <class V> __device__ __forceinline__ Part<V> larger_part(V v)
{
  if constexpr (IS_COMPLEX<V>) return std::fmax(std::fabs(v.re), std::fabs(v.im));
  else return std::fabs(v);
}

} // namespace sptrsv
