// math::simd: erf, erfc and gelu of float and double for the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/exponential.hpp"

namespace weft::math::simd {

namespace detail {

/// log(sqrt(2 pi) t e^(t^2 / 2) Phi(-t)) for t from 0.65, where Phi is the normal distribution's
/// cumulative probability: by a polynomial in (t - 25/16) / (t + 25/16), which maps infinity to 1.
template <class T>
WEFT_INLINE T log_tail(T t) {
  const T w = 1 / (t + T(1.25));
  const T q = (t - T(1.25)) * w;
  if constexpr (sizeof(T) == 4) {
    return w * polynomial(q, -0x1.9f1886p-1F, 0x1.325872p+0F, -0x1.cd5588p-2F, 0x1.16cad4p-2F,
                          -0x1.586e22p-2F, 0x1.a20748p-3F, -0x1.7b966p-3F, 0x1.73da5ap-3F,
                          -0x1.2c5afp-3F, 0x1.1d8468p-3F, -0x1.480672p-4F, 0x1.0082eep-6F);
  } else {
    return w * polynomial(q, -0x1.9f188642a56dap-1, 0x1.3258727ce0a6dp+0, -0x1.cd5566e55dfcfp-2,
                          0x1.16c8c8e14bb0fp-2, -0x1.586ed15cf01e7p-2, 0x1.a28f527a36f4dp-3,
                          -0x1.7cb455e31c457p-3, 0x1.6ed54a42d06ap-3, -0x1.17612b8296e9bp-3,
                          0x1.152b28f0b16dp-3, -0x1.e86a0b8ce6644p-4, 0x1.b287f46b4705fp-4,
                          -0x1.a282735044c4ap-4, 0x1.751eb190272b6p-4, -0x1.620d573cde1ccp-4,
                          0x1.4bf216695813fp-4, -0x1.3581365033fc8p-4, 0x1.22c38f3043e27p-4,
                          -0x1.022fe97f77836p-4, 0x1.f5a6a6e72d79p-5, -0x1.3a98886d140acp-4,
                          0x1.94b9d90d9a59bp-4, -0x1.3a967ec9e391cp-4, -0x1.559662d405d1p-6,
                          0x1.0f51428f27712p-3, -0x1.4c6b81bdfbafap-3, 0x1.ac08742c6d3a2p-4,
                          -0x1.27d9babf2478ep-5, 0x1.5a5448c33c911p-8);
  }
}

/// y e^(rest - factor a^2), a^2 in two parts: near the end its rounding alone would cost 100 ulp.
template <class T>
WEFT_INLINE T times_gauss(T y, T rest, T a, T factor) {
  const T high = upper_half(a);
  return times_exp(y, -factor * high * high, mul_add(-factor * (a - high), a + high, rest));
}

/// erfc(|x|) for |x| from 0.46.
template <class T>
WEFT_INLINE T erfc_far(T x) {
  constexpr T limit = sizeof(T) == 4 ? T(10.25) : T(27.5);  // erfc rounds to 0 there
  const T a = limited_magnitude<to_bits(limit)>(x);
  const T rest = log_tail(a * T(1.41421356237309504880));
  return times_gauss(T(0.56418958354775628695) / a, rest, a, T(1));
}

/// erf(x) for |x| up to 1.
template <class T>
WEFT_INLINE T erf_near(T x) {
  const T z = x * x;
  T p;
  if constexpr (sizeof(T) == 4) {
    p = polynomial(z, 0x1.06eba8p-3F, -0x1.81273ep-2F, 0x1.ce2d1p-4F, -0x1.b7fab6p-6F,
                   0x1.541248p-8F, -0x1.a44f5p-11F, 0x1.4a5308p-14F);
  } else {
    p = polynomial(z, 0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2, 0x1.ce2f21a042bdep-4,
                   -0x1.b82ce312889bap-6, 0x1.565bcd0e65018p-8, -0x1.c02db3feeb0c9p-11,
                   0x1.f9a326c2284bep-14, -0x1.f4d25619e1da1p-17, 0x1.b9e6508a369ffp-20,
                   -0x1.5f6d919248428p-23, 0x1.fc434a34e5273p-27, -0x1.4e603f0ea3f96p-30,
                   0x1.7f05c4ce71a84p-34, -0x1.29b6758efffb1p-38);
  }
  return mul_add(x, p, x);
}

/// All ones where |x| < limit.
template <class T>
WEFT_INLINE Bits<T> is_near(T x, T limit) {
  return below(magnitude_bits(x), to_bits(limit));
}

}  // namespace detail

/// By one polynomial near 0 and one beyond; NaN takes the first.
WEFT_INLINE float erf(float x) {
  using namespace detail;
  const float u = magnitude(x);
  const float v = magnitude_at_most<to_bits(3.92F)>(x) - 2.25F;  // erf rounds to 1 at 3.92
  const float far = polynomial(v, 0x1.ff4048p-1F, 0x1.d414ecp-8F, -0x1.074ca0p-6F, 0x1.63ec52p-6F,
                               -0x1.389dc4p-6F, 0x1.5d588ep-7F, -0x1.7e06c4p-9F, -0x1.630852p-11F,
                               0x1.0ae632p-10F, -0x1.7df270p-12F, -0x1.f1942ap-16F, 0x1.105474p-14F,
                               -0x1.bb9546p-17F, -0x1.a0277cp-19F, 0x1.24d02ep-20F);
  return with_sign_of(select(near_or_nan(x, 1.0F), erf_near(u), far), x);
}

WEFT_INLINE double erf(double x) {
  using namespace detail;
  return select(is_near(x, 1.0), erf_near(x), with_sign_of(1 - erfc_far(x), x));
}

template <class T>
WEFT_INLINE T erfc(T x) {
  using namespace detail;
  const T right = erfc_far(x);
  return select(is_near(x, T(0.5)), 1 - erf_near(x), select(negative(x), 2 - right, right));
}

/// x Phi(x): near 0 as x (1/2 + x p(x^2)), else as max(x, 0) - |x| Phi(-|x|), in which
/// t Phi(-t) e^(t^2 / 2) is a polynomial in (t - c) / (t + c), for c at which that is nearly a T.
template <class T>
WEFT_INLINE T gelu(T x) {
  using namespace detail;
  constexpr bool single = sizeof(T) == 4;
  constexpr int up = single ? 32 : 128;  // times 2^32 or 2^128 the tail is no subnormal number
  constexpr T down = single ? T(0x1p-32F) : T(0x1p-128);
  constexpr T limit = single ? T(14.5) : T(39);  // nothing is left of the tail there
  constexpr T c = single ? T(1.5625) : T(0x1.a2p+0);
  const T a = limited_magnitude<to_bits(limit)>(x);
  const T q = (a - c) / (a + c);
  T ratio, p;
  if constexpr (single) {
    ratio = polynomial(q, 0x1.406fe4p-2F, 0x1.a59802p-3F, -0x1.0d6eep-3F, -0x1.a9d97ap-7F,
                       0x1.445898p-6F, 0x1.2fd50cp-7F, -0x1.2f14bap-11F, -0x1.729eaap-9F,
                       -0x1.d3e59p-10F, 0x1.940b78p-15F, 0x1.9fd43p-11F);
    p = polynomial(x * x, 0x1.988452p-2F, -0x1.1057b6p-4F, 0x1.46b13p-7F, -0x1.342144p-10F,
                   0x1.9c6e6ep-14F);
  } else {
    ratio = polynomial(q, 0x1.4502a0e50ca98p-2, 0x1.998033985576bp-3, -0x1.17d1bcd0f6ac3p-3,
                       -0x1.59c3d30c64c44p-8, 0x1.5d53b2c3d20bdp-6, 0x1.dd54b2c70d18dp-8,
                       -0x1.05432cfaccadep-9, -0x1.77a72a751c965p-9, -0x1.18c322d6f7121p-10,
                       0x1.7c6a1a736db27p-13, 0x1.e32e88bcd1892p-12, 0x1.204da124fe447p-12,
                       0x1.ba554496657dcp-15, -0x1.cc3540fedd6c5p-15, -0x1.131688abda966p-14,
                       -0x1.4825941a6e9fp-15, -0x1.32ee7cdc91d1cp-20, 0x1.5702bb9431da2p-16,
                       -0x1.1566d077242f4p-15, 0x1.09a0a336e7dc8p-16, 0x1.19c9fd15f5057p-13,
                       -0x1.b70e86abcabbep-13, -0x1.e474a5de987c9p-18, 0x1.8ab79cf0e144bp-12,
                       -0x1.0fe6ca9bea698p-11, 0x1.62cfff33b25aep-12, -0x1.d22b96d5bfc08p-14,
                       0x1.ee024787b75f9p-17);
    p = polynomial(x * x, 0x1.9884533d43651p-2, -0x1.1058377e2ceep-4, 0x1.46d04297691d7p-7,
                   -0x1.37403f6ba0e8cp-10, 0x1.e42b0d51f408ap-14, -0x1.3ce8fab849d81p-17,
                   0x1.658a1e86473c7p-21, -0x1.6221cd4015dbcp-25, 0x1.3863a4d83697ep-29,
                   -0x1.ed80933ecc2d6p-34, 0x1.3c8933ea59fe3p-38);
  }
  const T high = upper_half(a);
  const T low = T(-0.5) * (a - high) * (a + high);
  const auto [bits, r, lost] =
      reduce_exp(T(-0.5) * high * high, T(static_cast<int>(Format<T>::bias) + up), low);
  const T sum = r + low;
  const T less_1 = sum + mul_add(sum * sum, exp_rest(sum), ((r - sum) + low) + lost);
  const T tail = power_of_two<T>(bits) * mul_add(ratio, less_1, ratio);
  const T positive = from_bits(to_bits(x) & ~(negative(x) >> 1));  // -0 for negative x
  const T far = mul_add(-tail, down, positive);
  return select(near_or_nan(x, T(0.75F)), x * mul_add(x, p, T(0.5)), far);
}

}  // namespace weft::math::simd
