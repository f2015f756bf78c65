// math: the elementary functions of float and double: weft's on the CPU, CUDA's on the GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include "weft/core/math/arithmetic.hpp"
#include "weft/core/math/error_function.hpp"
#include "weft/core/math/gpu.hpp"
#include "weft/core/math/hyperbolic.hpp"
#include "weft/core/math/inverse.hpp"
#include "weft/core/math/power.hpp"
#include "weft/core/math/rounding.hpp"
#include "weft/core/math/trigonometric.hpp"
#include "weft/core/ptx.hpp"

namespace weft::math {

// -ffast-math would simplify the CPU's forms to nonsense; there g++ vectorises glibc's functions.
#if defined(__CUDA_ARCH__) || defined(__FAST_MATH__)
namespace forms = std;
#else
namespace forms = simd;
#endif

// clang-format off
/// Constants in the real type of T.
template <class T> inline constexpr real_t<T> pi     = real_t<T>(3.14159265358979323846);
template <class T> inline constexpr real_t<T> ln2    = real_t<T>(0.69314718055994530942);
template <class T> inline constexpr real_t<T> ln10   = real_t<T>(2.30258509299404568402);
template <class T> inline constexpr real_t<T> log2e  = real_t<T>(1.44269504088896340736);
template <class T> inline constexpr real_t<T> log10e = real_t<T>(0.43429448190325182765);
/// 1 / sqrt(2), 2 / sqrt(pi), 1 / sqrt(2 pi)
template <class T> inline constexpr real_t<T> inv_sqrt2        = real_t<T>(0.70710678118654752440);
template <class T> inline constexpr real_t<T> two_over_sqrt_pi = real_t<T>(1.12837916709551257390);
template <class T> inline constexpr real_t<T> inv_sqrt_2pi     = real_t<T>(0.39894228040143267794);

template <std::floating_point T> WEFT_HD WEFT_INLINE T abs(T x)   { return std::fabs(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T exp(T x)   { return forms::exp(x); }
/// exp of x <= 0, a term of a sum whose largest is 1; float on a GPU has a relative error of |x| /
/// 2^23, and is 0 where that would be subnormal.
template <std::floating_point T> WEFT_HD WEFT_INLINE T exp_of_term(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 4) {
    return weft::detail::ptx::ex2_approx(x * log2e<T>);
  }
#endif
  return exp(x);
}
/// exp of x <= 0; float on a GPU takes six instructions, has a relative error of two ulp and |x| / 2^29,
/// and is 0 where that would be subnormal.
template <std::floating_point T> WEFT_HD WEFT_INLINE T exp_of_negative(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 4) {
    const T y = maximum(x, T(-128));  // so that -infinity gives 0
    const T exponent = y * log2e<T>;
    const T power = weft::detail::ptx::ex2_approx(exponent);
    return std::fma(power, std::fma(-exponent, ln2<T>, y), power);
  }
#endif
  return exp(x);
}
template <std::floating_point T> WEFT_HD WEFT_INLINE T exp2(T x)  { return forms::exp2(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T expm1(T x) { return forms::expm1(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T log(T x)   { return forms::log(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T log2(T x)  { return forms::log2(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T log10(T x) { return forms::log10(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T log1p(T x) { return forms::log1p(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T sqrt(T x)  { return forms::sqrt(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T cbrt(T x)  { return forms::cbrt(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T sin(T x)   { return forms::sin(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T cos(T x)   { return forms::cos(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T tan(T x)   { return forms::tan(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T asin(T x)  { return forms::asin(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T acos(T x)  { return forms::acos(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T atan(T x)  { return forms::atan(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T sinh(T x)  { return forms::sinh(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T cosh(T x)  { return forms::cosh(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T tanh(T x)  { return forms::tanh(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T asinh(T x) { return forms::asinh(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T acosh(T x) { return forms::acosh(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T atanh(T x) { return forms::atanh(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T erf(T x)   { return forms::erf(x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T erfc(T x)  { return forms::erfc(x); }

template <std::floating_point T> WEFT_HD WEFT_INLINE T atan2(T y, T x)    { return forms::atan2(y, x); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T hypot(T x, T y)    { return forms::hypot(x, y); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T copysign(T x, T y) { return std::copysign(x, y); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T fdim(T x, T y)     { return std::fdim(x, y); }
template <std::floating_point T> WEFT_HD WEFT_INLINE T fma(T x, T y, T z) { return std::fma(x, y, z); }

template <class T> WEFT_HD T floor(T x) { if constexpr (is_integer<T>) return x; else return forms::floor(x); }
template <class T> WEFT_HD T ceil(T x)  { if constexpr (is_integer<T>) return x; else return forms::ceil(x); }
template <class T> WEFT_HD T trunc(T x) { if constexpr (is_integer<T>) return x; else return forms::trunc(x); }
/// To the nearest integer, halves to the even one.
template <class T> WEFT_HD T round(T x) { if constexpr (is_integer<T>) return x; else return std::rint(x); }
// clang-format on

/// What trunc drops, with the sign of `x`.
template <std::floating_point T>
WEFT_HD T frac(T x) {
  return x - trunc(x);
}

template <std::floating_point T>
WEFT_HD WEFT_INLINE T rsqrt(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, float>) {
    return ::rsqrtf(x);
  } else {
    return ::rsqrt(x);
  }
#elif defined(__FAST_MATH__)
  return 1 / std::sqrt(x);
#else
  return simd::rsqrt(x);
#endif
}

#if defined(__FAST_MATH__) && !defined(__CUDA_ARCH__)
/// x^n for integers, 0 <= n < 25, if that is an integer below 2^24; otherwise some larger number.
WEFT_INLINE float power_of_integer(float x, int n) {
  float power = n % 2 != 0 ? x : 1.F;
  for (n /= 2; n > 0; n /= 2) {
    x *= x;
    if (n % 2 != 0) power *= x;
  }
  return power;
}
#endif

/// x^y; small integers to the power of small integers are exact.
template <std::floating_point T>
WEFT_HD WEFT_INLINE T pow(T x, T y) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 4) return gpu::pow(x, y);
#elif defined(__FAST_MATH__)
  if constexpr (sizeof(T) == 4) {
    if (y >= 0 && y < 25 && y == std::trunc(y) && x == std::trunc(x)) {
      const T power = power_of_integer(x, static_cast<int>(y));
      if (std::fabs(power) <= T(0x1p24F)) return power;
    }
  }
#endif
#if defined(__CUDA_ARCH__) || defined(__FAST_MATH__)
  return y == 2 ? x * x : std::pow(x, y);
#else
  return simd::pow(x, y);
#endif
}

template <std::integral T>
WEFT_HD constexpr T fma(T x, T y, T z) {
  return add(mul(x, y), z);
}

/// x * log(y), and 0 where x is 0, unless y is NaN.
template <std::floating_point T>
WEFT_HD WEFT_INLINE T xlogy(T x, T y) {
#if defined(__CUDA_ARCH__)
  return x == 0 && !is_nan(y) ? T(0) : x * log(y);
#else
  return choose((x == 0) & !is_nan(y), T(0), x * log(y));
#endif
}

/// The derivatives of pow(x, y), whose value is z; 0 where a factor of 0 meets log(0).
template <std::floating_point T>
WEFT_HD WEFT_INLINE T pow_derivative_x(T x, T y) {
#if defined(__CUDA_ARCH__)
  return y == 0 ? T(0) : y * pow(x, y - 1);
#else
  return choose(y == 0, T(0), y * pow(x, y - 1));
#endif
}
template <std::floating_point T>
WEFT_HD WEFT_INLINE T pow_derivative_y(T x, T y, T z) {
#if defined(__CUDA_ARCH__)
  return x == 0 && y >= 0 ? T(0) : z * log(x);
#else
  return choose((x == 0) & (y >= 0), T(0), z * log(x));
#endif
}

/// From a to b as weight goes from 0 to 1; exact at both ends.
template <class T>
WEFT_HD constexpr T lerp(T a, T b, T weight) {
  return weight < T(0.5) ? a + weight * (b - a) : b - (b - a) * (T(1) - weight);
}

}  // namespace weft::math
