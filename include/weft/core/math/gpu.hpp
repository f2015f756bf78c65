// math::gpu: functions of float in fewer instructions than CUDA's own; on the CPU for tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "weft/core/config.hpp"
#include "weft/core/ptx.hpp"

namespace weft::math::gpu {

namespace detail {

template <class... Coefficients>
WEFT_HD WEFT_INLINE float polynomial(float x, float first, Coefficients... others) {
  if constexpr (sizeof...(others) == 0) {
    return first;
  } else {
    return fmaf(polynomial(x, others...), x, first);
  }
}

/// x y, never contracted with an addition.
WEFT_HD WEFT_INLINE float product(float x, float y) {
#if defined(__CUDA_ARCH__)
  return __fmul_rn(x, y);
#else
  return x * y;
#endif
}

WEFT_HD WEFT_INLINE int bits_of(float x) { return __builtin_bit_cast(int, x); }
WEFT_HD WEFT_INLINE float float_of(int bits) { return __builtin_bit_cast(float, bits); }

/// A float, given by its bits, as m times a power of two whose exponent is in e_bits, where a float
/// has it; m is between the roots of 1/2 and of 2.
struct Split {
  int e_bits;
  float m;
};
WEFT_HD WEFT_INLINE Split split(int bits) {
  const unsigned all = static_cast<unsigned>(bits);
  const unsigned e_bits = (all - 0x3F3504F3U) & 0xFF800000U;
  return {static_cast<int>(e_bits), float_of(static_cast<int>(all - e_bits))};
}

}  // namespace detail

/// 1 / x within 1 ulp; 0 for subnormal results.
WEFT_HD WEFT_INLINE float reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  return weft::detail::ptx::rcp_approx(x);
#else
  return 1 / x;
#endif
}
/// 2^x within 2 ulp; 0 for subnormal results.
WEFT_HD WEFT_INLINE float exp2(float x) {
#if defined(__CUDA_ARCH__)
  return weft::detail::ptx::ex2_approx(x);
#else
  return ::exp2f(x);
#endif
}
/// log2(x) to 22 binary digits after the point; -infinity for subnormal x.
WEFT_HD WEFT_INLINE float log2(float x) {
#if defined(__CUDA_ARCH__)
  return weft::detail::ptx::lg2_approx(x);
#else
  return ::log2f(x);
#endif
}

/// The normal distribution's tail: exp(-a^2 / 2) and the probability of more than a, both within 5
/// + a^2 / 2 ulp, since the rounding of a^2 is not corrected.
struct NormalTail {
  float a;
  float gauss;
  float beyond;

  /// For a = |x|, at most 15, beyond which nothing is left; NaN counts as 15. The probability over
  /// the exponential function, times a + c, is a polynomial in (a - c) / (a + c), c = 2.5 (fitted
  /// by least squares with weights that approach the least largest error: 0.26 of 2^-24).
  WEFT_HD WEFT_INLINE explicit NormalTail(float x) {
    constexpr float c = 2.5F;
    a = fminf(fabsf(x), 15.F);
    const float over = reciprocal(a + c);
    const float p =
        detail::polynomial((a - c) * over, 0x1.69cee6p-1F, -0x1.bc19c2p-2F, 0x1.0e4f3p-3F,
                           0x1.2ea424p-7F, -0x1.0c78aap-6F, -0x1.a3a5e4p-10F, 0x1.4ad192p-9F,
                           0x1.66d512p-11F, -0x1.46c60ep-12F, -0x1.4abe7p-13F);
    gauss = exp2(a * a * -0x1.715476p-1F);  // 1 / ln 4
    beyond = over * p * gauss;
  }
};

/// x times the probability of less than x, as max(x, 0) - |x| (probability of more than |x|).
WEFT_HD WEFT_INLINE float gelu(float x) {
  const NormalTail tail(x);
  return (x <= 0 ? 0 : x) - tail.a * tail.beyond;
}
WEFT_HD WEFT_INLINE float gelu_derivative(float x) {
  const NormalTail tail(x);
  const float less = x <= 0 ? tail.beyond : 1 - tail.beyond;
  const float y = fmaf(copysignf(tail.a, x) * 0x1.988454p-2F, tail.gauss, less);
  return x == x ? y : x;
}

/// log(1 + exp(x)) as max(x, 0) + 2 artanh(s), s = u / (2 + u), u = exp(-|x|).
WEFT_HD WEFT_INLINE float softplus(float x) {
  const float u = expf(-fabsf(x));
  const float s = u * reciprocal(2 + u);
  const float p = detail::polynomial(s * s, 0x1p+1F, 0x1.5554ep-1F, 0x1.99dae4p-2F, 0x1.1e512ap-2F,
                                     0x1.208b46p-2F);
  return fmaf(s, p, x <= 0 ? 0 : x);
}

/// x^y for the most common exponents (`is_plain_exponent`), within 2 ulp, with the special values
/// of C's pow.
WEFT_HD WEFT_INLINE bool is_plain_exponent(float y) {
  return y == 1 || y == 2 || y == 3 || y == 4 || y == 0.5F || y == -0.5F || y == -1;
}
WEFT_HD WEFT_INLINE float plain_power(float x, float y) {
  constexpr float infinity = __builtin_inff();
  if (y >= 1) {
    const float square = x * x;
    return y == 1 ? x : y == 2 ? square : square * (y == 3 ? x : square);
  }
  if (y == -1) return 1 / x;
  // Here the root of -0 is 0, and of -infinity infinity.
  if (y == 0.5F) return x == -infinity ? infinity : sqrtf(x) + 0.F;
#if defined(__CUDA_ARCH__)
  const float root = rsqrtf(x);
#else
  const float root = 1 / sqrtf(x);
#endif
  return x == -infinity ? 0 : fabsf(root);
}

/// x^y within 4 ulp (1.1 where the result is within 2^+-32, 3.4 at the ends, a quarter of one on
/// average), with the special values of C's pow; integers to the power of integers are exact as
/// long as floats are. The only branch is on y, in about 57 instructions for a y that
/// is one number.
WEFT_HD WEFT_INLINE float pow(float x, float y) {
  using namespace detail;
  if (is_plain_exponent(y)) return plain_power(x, y);
  constexpr int sign = static_cast<int>(0x80000000U);
  constexpr float infinity = __builtin_inff();

  // What depends on y alone: computed once per thread if y is a number. Beyond 2^40 the result is
  // 0, 1 or infinity, as at 2^40. The logarithm below is of a ratio, times 2 / ln(2).
  const float half = 0.5F * y;
  const bool is_integer = truncf(y) == y;
  const int odd = is_integer && truncf(half) != half ? sign : 0;
  const float n = fabsf(y) > 0x1p40F ? copysignf(0x1p40F, y) : y;
  const float factor = product(n, 0x1.715476p+1F);
  const float factor_low = fmaf(n, 0x1.4ae0cp-25F, fmaf(n, 0x1.715476p+1F, -factor));

  // |x| = 2^e m.
  const float base = is_integer || x == -infinity ? fabsf(x) : x;  // else a root of a negative
  const bool is_tiny = fabsf(x) < 0x1p-126F;
  const int bits = bits_of(is_tiny ? base * 0x1p24F : base);
  const auto [e_bits, m] = split(bits);
  float e = fmaf(static_cast<float>(e_bits), 0x1p-23F, is_tiny ? -24.F : 0.F);
  const bool is_special =
      static_cast<unsigned>(bits) - 1U >= 0x7F7FFFFFU;  // 0, negative, not finite
  if (is_special) e = gpu::log2(float_of(bits));

  // ln(m) / 2 = artanh(s), s = f / (2 + f), as s + rest.
  const float f = m - 1;
  const float over = reciprocal(m + 1);
  const float s = f * over;
  const float lost = fmaf(-s, f, fmaf(-2, s, f));
  const float z = s * s;
  const float p = polynomial(z, 0x1.555554p-2F, 0x1.999beap-3F, 0x1.23e9a2p-3F, 0x1.ed7ecap-4F);
  const float error = lost * over;
  const float rest = fmaf(fmaf(s, p, error), z, error);

  // y log2|x| = k + r with an integer k; the rounding errors of its parts go into r.
  const float whole = product(n, e);
  const float t = fmaf(factor, s + rest, whole);
  const bool is_negative = t < 0;
  const float rounder = is_negative ? 0x1.8p23F + 64 : 0x1.8p23F - 64;
  const float shifted = t + rounder;
  const float k = shifted - rounder;
  const float low = fmaf(factor, rest, fmaf(factor_low, s, fmaf(n, e, -whole)));
  const float r = fmaf(factor, s, whole - k) + low;

  // 2^r, times 2^(k +- 64) in its exponent, times 2^-+64, so that subnormal results are rounded
  // once.
  const float q = polynomial(r, 1.F, 0x1.62e43p-1F, 0x1.ebfbep-3F, 0x1.c6af78p-5F, 0x1.3b2a48p-7F,
                             0x1.5f0aap-10F, 0x1.4424c8p-13F);
  const float scaled =
      float_of(bits_of(q) + static_cast<int>(static_cast<unsigned>(bits_of(shifted)) << 23));
  float power = scaled * (is_negative ? 0x1p-64F : 0x1p64F);
  if (!(fabsf(t) < 160)) power = gpu::exp2(t);
  power = float_of(bits_of(power) ^ (bits_of(x) & odd));
  return x == 1 || y == 0 ? 1 : power;
}

}  // namespace weft::math::gpu
