// math::gpu::for_half: functions of float whose values are rounded to 16-bit types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/gpu.hpp"

/// Within 2^-13 of the value, at most a quarter of a unit in half's last place, in fewer
/// instructions than float takes. 0 where sigmoid, or a power, is not a normal float.
namespace weft::math::gpu::for_half {

/// e^x
WEFT_HD WEFT_INLINE float exp(float x) { return gpu::exp2(x * 0x1.715476p+0F); }

WEFT_HD WEFT_INLINE float sigmoid(float x) { return gpu::reciprocal(1 + exp(-x)); }
WEFT_HD WEFT_INLINE float silu(float x) { return x * sigmoid(x); }
/// gelu by tanh; math::gelu_tanh has the formula.
WEFT_HD WEFT_INLINE float gelu_tanh(float x) {
  constexpr float linear = 1.59576912F;  // 2 sqrt(2 / pi)
  return x * sigmoid(x * fmaf(0.044715F * linear, x * x, linear));
}

/// 1 - 2 / (1 + e^2x), and below 1/4 its series.
WEFT_HD WEFT_INLINE float tanh(float x) {
  const float z = x * x;
  const float near = fmaf(x * z, fmaf(z, 0x1.111112p-3F, -0x1.555556p-2F), x);
  const float far = fmaf(-2, gpu::reciprocal(1 + exp(2 * x)), 1.F);
  return fabsf(x) < 0.25F ? near : far;
}

/// As math::gpu::gelu, with a polynomial of fewer terms (fitted in the same way).
WEFT_HD WEFT_INLINE float gelu(float x) {
  constexpr float c = 2.5F;
  const float a = fminf(fabsf(x), 15.F);
  const float over = gpu::reciprocal(a + c);
  const float p =
      gpu::detail::polynomial((a - c) * over, 0x1.69d16ep-1F, -0x1.bc24b2p-2F, 0x1.0d435p-3F,
                              0x1.3bb074p-7F, -0x1.d33ea4p-7F, -0x1.028fd4p-9F);
  const float beyond = over * p * gpu::exp2(a * a * -0x1.715476p-1F);
  return (x <= 0 ? 0 : x) - a * beyond;
}

/// log(1 + e^x), as math::gpu::softplus.
WEFT_HD WEFT_INLINE float softplus(float x) {
  const float u = exp(-fabsf(x));
  const float s = u * gpu::reciprocal(2 + u);
  const float p = gpu::detail::polynomial(s * s, 0x1p+1F, 0x1.5554ep-1F, 0x1.99dae4p-2F,
                                          0x1.1e512ap-2F, 0x1.208b46p-2F);
  return fmaf(s, p, x <= 0 ? 0 : x);
}

/// x^y with the special values of C's pow, as 2^(y log2|x|); ln(m) = 2 artanh((m - 1) / (m + 1)),
/// whose relative error is that of its series, so that y may be large.
WEFT_HD WEFT_INLINE float pow(float x, float y) {
  using gpu::detail::bits_of;
  using gpu::detail::float_of;
  if (is_plain_exponent(y)) return plain_power(x, y);
  constexpr int sign = static_cast<int>(0x80000000U);
  const bool is_integer = truncf(y) == y;
  const int odd = is_integer && truncf(0.5F * y) != 0.5F * y ? sign : 0;
  const float base = is_integer || x == -__builtin_inff() ? fabsf(x) : x;
  const bool is_tiny = fabsf(x) < 0x1p-126F;
  const int bits = bits_of(is_tiny ? base * 0x1p24F : base);
  const auto [e_bits, m] = gpu::detail::split(bits);
  float e = fmaf(static_cast<float>(e_bits), 0x1p-23F, is_tiny ? -24.F : 0.F);
  if (static_cast<unsigned>(bits) - 0x800000U >= 0x7F000000U) e = gpu::log2(float_of(bits));
  const float s = (m - 1) * gpu::reciprocal(m + 1);
  const float z = s * s;
  const float p = gpu::detail::polynomial(z, 0x1.555554p-2F, 0x1.999beap-3F, 0x1.23e9a2p-3F);
  const float log = fmaf(fmaf(s * z, p, s), 0x1.715476p+1F, e);
  const float n = fabsf(y) > 0x1p40F ? copysignf(0x1p40F, y) : y;  // infinity times 0 is NaN
  const float power = float_of(bits_of(gpu::exp2(n * log)) ^ (bits_of(x) & odd));
  return x == 1 || y == 0 ? 1 : power;
}

}  // namespace weft::math::gpu::for_half
