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
  const auto [bits, r, lost] = reduce_exp(magnitude(clamp_magnitude(x, limit)), T(bias - 2));
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

/// t / (t + 2) for t = e^(2 |x|) - 1, and to first order what the rounding of t and of t + 2 (up to
/// 4, where that matters) took from it.
template <class T>
WEFT_INLINE T tanh(T x) {
  using namespace detail;
  constexpr T limit = sizeof(T) == 4 ? T(10) : T(20);  // tanh rounds to 1 there
  const T a = magnitude(clamp_magnitude(x, limit));
  const auto [bits, r, lost_of_r] = reduce_exp(a + a, T(Format<T>::bias));
  const T power = power_of_two<T>(bits);
  const T most = mul_add(power, r, power - 1);
  const T rest = power * mul_add(r * r, exp_rest(r), lost_of_r);
  const T t = most + rest;
  const T divisor = t + 2;
  const T of_t = (most - t) + rest;
  const T of_divisor = from_bits(to_bits((2 - divisor) + t) & below(to_bits(t), to_bits(T(4))));
  const T y = t / divisor;
  const T twice_over = 1 - y;  // 2 / divisor
  const T error = mul_add(twice_over, of_t, -y * of_divisor);
  return with_sign_of(mul_add(T(0.5) * twice_over, error, y), x);
}

/// 1 / (1 + e^-x), and for negative x the equal e^x / (1 + e^x); with what the rounding of e^-|x|
/// and of the divisor took from it, to first order.
template <class T>
WEFT_INLINE T sigmoid(T x) {
  using namespace detail;
  const T minus_a = from_bits(to_bits(x) | Format<T>::sign);
  const auto [bits, r, lost_of_r] =
      reduce_exp(clamp_magnitude(minus_a, exp_limit<T>), twice_bias<T>);
  const T part = r + mul_add(r * r, exp_rest(r), lost_of_r);
  const T most = 1 + part;
  const T e = scale(most, bits);
  const T of_e = scale((1 - most) + part, bits);
  const T divisor = 1 + e;
  const T of_divisor = ((1 - divisor) + e) + of_e;
  const Bits<T> minus = negative(x);
  const T y = select(minus, e, T(1)) / divisor;
  const T over = select(minus, 1 - y, y);  // 1 / divisor
  const T of_dividend = from_bits(to_bits(of_e) & minus);
  return mul_add(over, mul_add(-y, of_divisor, of_dividend), y);
}

}  // namespace weft::math::simd
