// math::gpu: functions of float in fewer instructions than CUDA's own, for the GPU alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/config.hpp"

#if defined(__CUDA_ARCH__)

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
}  // namespace detail

/// 1 / x within 1 ulp; 0 where that is not normal.
WEFT_HD WEFT_INLINE float reciprocal(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}
/// 2^x within 2 ulp; 0 where that is not normal.
WEFT_HD WEFT_INLINE float exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Of the normal distribution: exp(-a^2 / 2) and the probability of more than a, both within
/// 5 + a^2 / 2 ulp: the rounding of a^2 is not made up for.
struct NormalTail {
  float a;
  float gauss;
  float beyond;

  /// Of a = |x|, at most 15, where nothing is left; NaN counts as 15. The probability over the
  /// exponential function, times a + c, is a polynomial in (a - c) / (a + c), c = 2.5 (fitted by
  /// least squares with weights that approach the least largest error: 0.26 of 2^-24).
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

}  // namespace weft::math::gpu

#endif
