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
  const auto [bits, r] = reduce_exp(magnitude(clamp_magnitude(x, limit)), T(bias - 2));
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

/// t / (t + 2) for t = e^(2 |x|) - 1, less what the rounding of t + 2 adds to it
/// where that matters.
template <class T>
WEFT_INLINE T tanh(T x) {
  using namespace detail;
  constexpr T limit = sizeof(T) == 4 ? T(10) : T(20);  // tanh rounds to 1 there
  const T a = magnitude(clamp_magnitude(x, limit));
  const auto [bits, r] = reduce_exp(a + a, T(Format<T>::bias));
  const T part = mul_add(r * r, exp_rest(r), r);
  const T power = power_of_two<T>(bits);
  const T t = mul_add(power, part, power - 1);
  const T divisor = t + 2;
  const T lost = from_bits(to_bits((2 - divisor) + t) & below(to_bits(t), to_bits(T(4))));
  const T y = t / divisor;
  const T over = T(0.5) - T(0.5) * y;  // 1 / divisor
  return with_sign_of(mul_add(y * over, -lost, y), x);
}

/// 1 / (1 + e^-x), and for negative x the equal e^x / (1 + e^x).
template <class T>
WEFT_INLINE T sigmoid(T x) {
  using namespace detail;
  const T e = exp(from_bits(to_bits(x) | Format<T>::sign));
  return select(negative(x), e, T(1)) / (1 + e);
}

}  // namespace weft::math::simd
