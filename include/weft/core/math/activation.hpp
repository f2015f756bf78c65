// math: the activation functions of neural networks, stable for every argument.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include "weft/core/math/dual.hpp"
#include "weft/core/math/elementary.hpp"
#include "weft/core/math/gpu.hpp"

namespace weft::math {

/// float, double, and their Dual for second derivatives.
template <class T>
concept Smooth = std::floating_point<T> || is_dual<T>;

namespace detail {
/// 1 / x for x of at least 1. On the GPU the hardware's approximation replaces a float division of
/// eight instructions.
template <std::floating_point T>
WEFT_HD WEFT_INLINE T reciprocal_from_1(T x) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, float>) return gpu::reciprocal(x);
#endif
  return 1 / x;
}
}  // namespace detail

/// 1 / (1 + exp(-x)); on a GPU 0 where that is not normal.
template <std::floating_point T>
WEFT_HD WEFT_INLINE T sigmoid(T x) {
#if defined(__CUDA_ARCH__) || defined(__FAST_MATH__)
  return detail::reciprocal_from_1(1 + std::exp(-x));
#else
  return simd::sigmoid(x);
#endif
}

template <class T>
WEFT_HD Dual<T> sigmoid(Dual<T> x) {
  const T y = sigmoid(x.value);
  return {y, y * (1 - y) * x.tangent};
}

/// NaN stays NaN, and -0 becomes 0.
template <class T>
WEFT_HD constexpr T relu(T x) {
  return x <= 0 ? T(0) : x;
}

template <std::floating_point T>
WEFT_HD WEFT_INLINE T silu(T x) {
  return x * sigmoid(x);
}
template <Smooth T>
WEFT_HD WEFT_INLINE T silu_derivative(T x) {
  const T s = sigmoid(x);
  return s * (1 + x * (1 - s));
}

/// x times the normal distribution's cumulative probability of x.
template <std::floating_point T>
WEFT_HD WEFT_INLINE T gelu(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return gpu::gelu(x);
#endif
#if defined(__CUDA_ARCH__) || defined(__FAST_MATH__)
  return T(0.5) * x * std::erfc(-inv_sqrt2<T> * x);
#else
  return simd::gelu(x);
#endif
}
template <Smooth T>
WEFT_HD WEFT_INLINE T gelu_derivative(T x) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) return gpu::gelu_derivative(x);
#endif
  return T(0.5) * erfc(-inv_sqrt2<T> * x) + x * inv_sqrt_2pi<T> * exp(T(-0.5) * x * x);
}

/// gelu's usual approximation x / 2 * (1 + tanh(u)), u = sqrt(2 / pi) * (x + 0.044715 x^3), in the
/// equal form x * sigmoid(2 u), which costs one exp and does not cancel for negative x.
template <std::floating_point T>
WEFT_HD WEFT_INLINE T gelu_tanh(T x) {
  constexpr T linear = T(1.59576912160573071176);  // 2 sqrt(2 / pi)
  constexpr T cubic = T(0.044715 * 1.59576912160573071176);
  return x * sigmoid(x * (linear + cubic * (x * x)));
}
template <Smooth T>
WEFT_HD WEFT_INLINE T gelu_tanh_derivative(T x) {
  constexpr T linear = T(1.59576912160573071176);
  constexpr T cubic = T(0.044715 * 1.59576912160573071176);
  const T s = sigmoid(x * (linear + cubic * (x * x)));
  const T rest = sigmoid(-x * (linear + cubic * (x * x)));
  return s + (s * rest) * x * (linear + 3 * cubic * (x * x));
}

/// log(1 + exp(beta x)) / beta; x itself once beta x exceeds the threshold.
template <Smooth T>
WEFT_HD WEFT_INLINE T softplus(T x, T beta = 1, T threshold = 20) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, float>) {
    return x * beta > threshold ? x : gpu::softplus(x * beta) * (1 / beta);
  }
  return x * beta > threshold ? x : log1p(exp(x * beta)) / beta;
#else
  return choose(x * beta > threshold, x, log1p(exp(x * beta)) / beta);
#endif
}
template <Smooth T>
WEFT_HD WEFT_INLINE T softplus_derivative(T x, T beta = 1, T threshold = 20) {
#if defined(__CUDA_ARCH__)
  return x * beta > threshold ? T(1) : sigmoid(x * beta);
#else
  return choose(x * beta > threshold, T(1), sigmoid(x * beta));
#endif
}

/// x * tanh(softplus(x)), with tanh(log(1 + e)) written as e (e + 2) / (e (e + 2) + 2).
template <std::floating_point T>
WEFT_HD WEFT_INLINE T mish(T x) {
#if defined(__CUDA_ARCH__)
  if (x > 20) return x;
#endif
  const T e = exp(x);
  const T n = e * (e + 2);
  return choose(x > 20, x, x * (n * detail::reciprocal_from_1(n + 2)));
}
template <Smooth T>
WEFT_HD WEFT_INLINE T mish_derivative(T x) {
#if defined(__CUDA_ARCH__)
  if (x > 20) return 1;
#endif
  const T e = exp(x);
  const T n = e * (e + 2);
  const T t = n / (n + 2);
  return choose(x > 20, T(1), t + x * sigmoid(x) * (1 - t * t));
}

template <Smooth T>
WEFT_HD WEFT_INLINE T elu(T x, T alpha) {
#if defined(__CUDA_ARCH__)
  return x <= 0 ? alpha * expm1(x) : x;
#else
  return choose(x <= 0, alpha * expm1(x), x);
#endif
}
template <Smooth T>
WEFT_HD constexpr T leaky_relu(T x, T slope) {
  return x > 0 ? x : slope * x;
}

/// The constants with which values of mean 0 and variance 1 keep these through layers (Klambauer et
/// al. 2017).
template <class T>
inline constexpr T selu_alpha = T(1.6732632423543772848170429916717);
template <class T>
inline constexpr T selu_scale = T(1.0507009873554804934193349852946);
template <class T>
inline constexpr T selu_alpha<Dual<T>> = selu_alpha<T>;
template <class T>
inline constexpr T selu_scale<Dual<T>> = selu_scale<T>;

/// 1.0507 x for positive x, 1.7581 (exp(x) - 1) for the others
template <std::floating_point T>
WEFT_HD WEFT_INLINE T selu(T x) {
  return selu_scale<T> * elu(x, selu_alpha<T>);
}
/// log(sigmoid(x)), exact for large |x|
template <std::floating_point T>
WEFT_HD WEFT_INLINE T logsigmoid(T x) {
  return minimum(x, T(0)) - log1p(exp(-abs(x)));
}

/// x * relu6(x + 3) / 6
template <std::floating_point T>
WEFT_HD constexpr T hardswish(T x) {
  return x * clamp(x + 3, T(0), T(6)) / 6;
}
template <Smooth T>
WEFT_HD constexpr T hardswish_derivative(T x) {
  return x <= -3 ? T(0) : x >= 3 ? T(1) : x / 3 + T(0.5);
}
/// relu6(x + 3) / 6
template <std::floating_point T>
WEFT_HD constexpr T hardsigmoid(T x) {
  return clamp(x + 3, T(0), T(6)) / 6;
}

}  // namespace weft::math
