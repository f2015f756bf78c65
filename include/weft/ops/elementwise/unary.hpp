// The unary operations: one line each, with domain, value and derivative.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/table.hpp"

// clang-format off
//         name         domain             value                    derivative (y is the value)
WEFT_UNARY(neg,         Numeric,           math::neg(x),            T(-1))
WEFT_UNARY(abs,         Numeric,           math::abs(x),            math::sign(x))
WEFT_UNARY(sign,        Numeric,           math::sign(x),           T(0))
WEFT_UNARY(square,      Numeric,           math::square(x),         T(2) * x)
WEFT_UNARY(reciprocal,  FloatingOrComplex, T(1) / x,                -(y * y))
WEFT_UNARY(sqrt,        FloatingOrComplex, math::sqrt(x),           T(0.5) / y)
WEFT_UNARY(rsqrt,       FloatingOrComplex, math::rsqrt(x),          T(-0.5) * y / x)
WEFT_UNARY(cbrt,        Floating,          math::cbrt(x),           1 / (3 * y * y))

WEFT_UNARY(exp,         FloatingOrComplex, math::exp(x),            y)
WEFT_UNARY(exp2,        FloatingOrComplex, math::exp2(x),           y * math::ln2<T>)
WEFT_UNARY(expm1,       FloatingOrComplex, math::expm1(x),          y + T(1))
WEFT_UNARY(log,         FloatingOrComplex, math::log(x),            T(1) / x)
WEFT_UNARY(log2,        FloatingOrComplex, math::log2(x),           math::log2e<T> / x)
WEFT_UNARY(log10,       FloatingOrComplex, math::log10(x),          math::log10e<T> / x)
WEFT_UNARY(log1p,       FloatingOrComplex, math::log1p(x),          T(1) / (T(1) + x))

WEFT_UNARY(sin,         FloatingOrComplex, math::sin(x),            math::cos(x))
WEFT_UNARY(cos,         FloatingOrComplex, math::cos(x),            -math::sin(x))
WEFT_UNARY(tan,         FloatingOrComplex, math::tan(x),            T(1) + y * y)
WEFT_UNARY(asin,        FloatingOrComplex, math::asin(x),           math::rsqrt(T(1) - x * x))
WEFT_UNARY(acos,        FloatingOrComplex, math::acos(x),           -math::rsqrt(T(1) - x * x))
WEFT_UNARY(atan,        FloatingOrComplex, math::atan(x),           T(1) / (T(1) + x * x))
WEFT_UNARY(sinh,        FloatingOrComplex, math::sinh(x),           math::cosh(x))
WEFT_UNARY(cosh,        FloatingOrComplex, math::cosh(x),           math::sinh(x))
WEFT_UNARY(tanh,        FloatingOrComplex, math::tanh(x),           T(1) - y * y)
WEFT_UNARY(asinh,       FloatingOrComplex, math::asinh(x),          math::rsqrt(x * x + T(1)))
WEFT_UNARY(acosh,       FloatingOrComplex, math::acosh(x),          math::rsqrt(x - T(1)) * math::rsqrt(x + T(1)))
WEFT_UNARY(atanh,       FloatingOrComplex, math::atanh(x),          T(1) / (T(1) - x * x))

WEFT_UNARY(erf,         Floating,          math::erf(x),            math::two_over_sqrt_pi<T> * math::exp(-x * x))
WEFT_UNARY(erfc,        Floating,          math::erfc(x),           -math::two_over_sqrt_pi<T> * math::exp(-x * x))
WEFT_UNARY(lgamma,      Floating,          math::lgamma(x),         math::digamma(x))
WEFT_UNARY(digamma,     Floating,          math::digamma(x),        math::trigamma(x))

WEFT_UNARY(floor,       Real,              math::floor(x),          T(0))
WEFT_UNARY(ceil,        Real,              math::ceil(x),           T(0))
WEFT_UNARY(round,       Real,              math::round(x),          T(0))
WEFT_UNARY(trunc,       Real,              math::trunc(x),          T(0))
WEFT_UNARY(frac,        Floating,          math::frac(x),           T(1))

WEFT_UNARY(relu,        Real,              math::relu(x),           y > 0 ? T(1) : T(0))
WEFT_UNARY(sigmoid,     FloatingOrComplex, math::sigmoid(x),        y * (T(1) - y))
WEFT_UNARY(silu,        Floating,          math::silu(x),           math::silu_derivative(x))
WEFT_UNARY(gelu,        Floating,          math::gelu(x),           math::gelu_derivative(x))
WEFT_UNARY(gelu_tanh,   Floating,          math::gelu_tanh(x),      math::gelu_tanh_derivative(x))
WEFT_UNARY(mish,        Floating,          math::mish(x),           math::mish_derivative(x))
WEFT_UNARY(hardswish,   Floating,          math::hardswish(x),      math::hardswish_derivative(x))
WEFT_UNARY(hardsigmoid, Floating,          math::hardsigmoid(x),    x > -3 && x < 3 ? T(1) / 6 : T(0))

WEFT_UNARY(bitwise_not, IntegerOrBool,     math::bit_not(x),        none)
WEFT_UNARY(real,        Complex,           x.re,                    T(1))
WEFT_UNARY(imag,        Complex,           x.im,                    T(0, 1))
WEFT_UNARY(conj,        Complex,           math::conj(x),           none)
WEFT_UNARY(arg,         Complex,           math::arg(x),            T(-x.im, x.re) / (x.re * x.re + x.im * x.im))
// clang-format on

namespace weft {

namespace op {

/// x for positive x, slope * x otherwise.
struct leaky_relu {
  using domain = Floating;
  static constexpr const char* text = "leaky_relu";
  static constexpr int arity = 1;
  double slope = 0.01;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    return math::leaky_relu(x, static_cast<T>(slope));
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y) const {
    return x > 0 ? T(1) : static_cast<T>(slope);
  }
};

/// x for positive x, alpha * (exp(x) - 1) otherwise.
struct elu {
  using domain = Floating;
  static constexpr const char* text = "elu";
  static constexpr int arity = 1;
  double alpha = 1;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    return math::elu(x, static_cast<T>(alpha));
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y y) const {
    return x > 0 ? T(1) : y + static_cast<T>(alpha);
  }
};

/// log(1 + exp(beta x)) / beta, and x itself where beta x exceeds the threshold.
struct softplus {
  using domain = Floating;
  static constexpr const char* text = "softplus";
  static constexpr int arity = 1;
  double beta = 1;
  double threshold = 20;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    return math::softplus(x, static_cast<T>(beta), static_cast<T>(threshold));
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y) const {
    return math::softplus_derivative(x, static_cast<T>(beta), static_cast<T>(threshold));
  }
};

}  // namespace op

template <ExpressionLike X>
constexpr auto leaky_relu(X&& x, double slope = 0.01) {
  return lift(op::leaky_relu{slope}, static_cast<X&&>(x));
}

template <ExpressionLike X>
constexpr auto elu(X&& x, double alpha = 1) {
  return lift(op::elu{alpha}, static_cast<X&&>(x));
}

template <ExpressionLike X>
constexpr auto softplus(X&& x, double beta = 1, double threshold = 20) {
  return lift(op::softplus{beta, threshold}, static_cast<X&&>(x));
}

/// Selects the form of an operation: `gelu(x, approximate::tanh)`.
namespace approximate {
struct Tanh {};
inline constexpr Tanh tanh{};
}  // namespace approximate

template <ExpressionLike X>
constexpr auto gelu(X&& x, approximate::Tanh) {
  return lift(op::gelu_tanh{}, static_cast<X&&>(x));
}

template <ExpressionLike X>
constexpr auto operator-(X&& x) {
  return lift(op::neg{}, static_cast<X&&>(x));
}

/// The operand itself.
template <ExpressionLike X>
constexpr X operator+(const X& x) {
  return x;
}

template <ExpressionLike X>
constexpr auto operator~(X&& x) {
  return lift(op::bitwise_not{}, static_cast<X&&>(x));
}

WEFT_MODEL(Node<Map<float, op::exp, Tensor<float, Cpu>>>);

}  // namespace weft
