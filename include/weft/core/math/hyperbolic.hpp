// math::simd: sinh, cosh, tanh and sigmoid of float and double for the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/exponential.hpp"

namespace weft::math::simd {

namespace detail {

/// With |x| = k ln2 + r: (2^k - 2^-k) / 4, (2^k + 2^-k) / 4, r, sinh r - r and cosh r - 1.
/// Quarters, since cosh and sinh are finite a little further than 2^k is.
template <class T>
struct Hyperbolic {
  T difference;
  T sum;
  T r;
  T sinh_less_r;
  T cosh_less_1;
};

template <class T>
WEFT_INLINE Hyperbolic<T> reduce_hyperbolic(T x) {
  constexpr T limit = sizeof(T) == 4 ? T(89.5) : T(710.5);
  constexpr int bias = static_cast<int>(Format<T>::bias);
  const auto [bits, r, lost] = reduce_exp(limited_magnitude<to_bits(limit)>(x), T(bias - 2));
  const T up = power_of_two<T>(bits);
  const T down = power_of_two<T>(Bits<T>(2 * bias + 4) - bits) * T(0x1p-8);
  const T z = r * r;
  T s, c;
  if constexpr (sizeof(T) == 4) {
    s = polynomial(z, 0x1.555556p-3F, 0x1.1110ep-7F, 0x1.a124f2p-13F);
    c = polynomial(z, 0x1p-1F, 0x1.5554eap-5F, 0x1.6d4324p-10F);
  } else {
    s = polynomial(z, 0x1.5555555555556p-3, 0x1.11111111109b3p-7, 0x1.a01a01a7c41d5p-13,
                   0x1.71de0dae63bb3p-19, 0x1.af38a9b0ec855p-26);
    c = polynomial(z, 0x1p-1, 0x1.5555555555557p-5, 0x1.6c16c16c15a68p-10, 0x1.a01a01a9e991bp-16,
                   0x1.27e4d41966f2fp-22, 0x1.1f7f2776cfaf2p-29);
  }
  return {up - down, up + down, r, r * z * s, z * c};
}

}  // namespace detail

/// By sinh(a + b) = sinh(a) cosh(b) + cosh(a) sinh(b), so that nothing cancels.
template <class T>
WEFT_INLINE T sinh(T x) {
  const auto [difference, sum, r, s, c] = detail::reduce_hyperbolic(x);
  const T small = detail::mul_add(difference, c, sum * s);
  const T half = difference + detail::mul_add(sum, r, small);
  return detail::with_sign_of(half + half, x);
}

template <class T>
WEFT_INLINE T cosh(T x) {
  const auto [difference, sum, r, s, c] = detail::reduce_hyperbolic(x);
  const T small = detail::mul_add(sum, c, difference * s);
  const T half = sum + detail::mul_add(difference, r, small);
  return half + half;
}

/// 1 - 2 / (e^(2 |x|) + 1), and below 1/2 a polynomial, which NaN takes too.
template <class T>
WEFT_INLINE T tanh(T x) {
  using namespace detail;
  constexpr T limit = sizeof(T) == 4 ? T(10) : T(20);  // tanh rounds to 1 there
  constexpr T ln2 = T(0.69314718055994530942);  // one part will do: what it lacks matters far on
  constexpr T rounder = Format<T>::round + static_cast<T>(Format<T>::bias);
  const T a = magnitude_at_most<to_bits(limit)>(x);
  const T shifted = mul_add(a, 2 / ln2, rounder);
  const T r = mul_add(shifted - rounder, -ln2, a + a);
  const T far = 1 - 2 / mul_add(power_of_two<T>(to_bits(shifted)), exp_near(r), T(1));
  const T u = magnitude(x);
  const T z = u * u;
  T p;
  if constexpr (sizeof(T) == 4) {
    p = polynomial(z, -0x1.55554cp-2F, 0x1.110d6ap-3F, -0x1.b931fcp-5F, 0x1.598278p-6F,
                   -0x1.9c94b8p-8F);
  } else {
    p = polynomial(z, -0x1.55555555554a4p-2, 0x1.1111111102ff8p-3, -0x1.ba1ba1adbbe78p-5,
                   0x1.664f45cfeffadp-6, -0x1.226dde93fb803p-7, 0x1.d6c6454243755p-9,
                   -0x1.7cf52fcefaff2p-10, 0x1.2faaa9fd42978p-11, -0x1.b93c1882c9f07p-13,
                   0x1.ac853e2328a24p-15);
  }
  const T near = mul_add(u * z, p, u);
  return with_sign_of(select(near_or_nan(x, T(0.55F)), near, far), x);
}

/// With e = e^-|x| and q = e / (1 + e): 1 - q, and e - e q for negative x, where the roundings of
/// the divisor and of q matter little. e times 2^32 or 2^64 is not subnormal, so it is rounded to a
/// subnormal number only once. From the limit on, it is 0: the power of two is.
template <class T>
WEFT_INLINE T sigmoid(T x) {
  using namespace detail;
  constexpr int up = sizeof(T) == 4 ? 32 : 64;
  constexpr T down = sizeof(T) == 4 ? T(0x1p-32F) : T(0x1p-64);
  constexpr T limit = sizeof(T) == 4 ? T(110.2F) : T(753.4);
  const T a = limited_magnitude<to_bits(limit)>(x);
  const Reduced<T> reduced = reduce_exp(-a, T(static_cast<int>(Format<T>::bias) + up));
  const T e = power_of_two<T>(reduced.bits) * exp_near(reduced.r) * down;
  const T dividend = select(negative(x), e, T(1));
  return mul_add(-dividend, e / (1 + e), dividend);
}

}  // namespace weft::math::simd
