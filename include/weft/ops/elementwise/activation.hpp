// relu6 hardtanh selu celu softsign logsigmoid threshold softshrink hardshrink tanhshrink.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/table.hpp"

// At its bounds relu6 passes no gradient, as in PyTorch; clamp does.
// clang-format off
//         name         domain    value                             derivative (y is the value)
WEFT_UNARY(relu6,       Floating, math::clamp(x, T(0), T(6)),       x > 0 && x < 6 ? T(1) : T(0))
WEFT_UNARY(selu,        Floating, math::selu(x),                    x > 0 ? math::selu_scale<T> : y + math::selu_scale<T> * math::selu_alpha<T>)
WEFT_UNARY(softsign,    Floating, x / (T(1) + math::abs(x)),        math::square(T(1) / (T(1) + math::abs(x))))
WEFT_UNARY(logsigmoid,  Floating, math::logsigmoid(x),              math::sigmoid(-x))
WEFT_UNARY(tanhshrink,  Floating, x - math::tanh(x),                math::square(math::tanh(x)))
// clang-format on

namespace weft {

namespace op {

/// x clamped to [low, high], without a gradient at the bounds.
struct hardtanh {
  using domain = Floating;
  static constexpr const char* text = "hardtanh";
  static constexpr int arity = 1;
  double low = -1;
  double high = 1;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    return math::clamp(x, static_cast<T>(low), static_cast<T>(high));
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y) const {
    return x > static_cast<T>(low) && x < static_cast<T>(high) ? T(1) : T(0);
  }
};

/// x for positive x, alpha * (exp(x / alpha) - 1) for the others.
struct celu {
  using domain = Floating;
  static constexpr const char* text = "celu";
  static constexpr int arity = 1;
  double alpha = 1;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    const auto a = static_cast<T>(alpha);
    return x <= 0 ? a * math::expm1(x / a) : x;
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y y) const {
    return x > 0 ? T(1) : y / static_cast<T>(alpha) + T(1);
  }
};

/// x if it is above the limit, else `otherwise`.
struct threshold {
  using domain = Floating;
  static constexpr const char* text = "threshold";
  static constexpr int arity = 1;
  double limit = 0;
  double otherwise = 0;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    return math::choose(x <= static_cast<T>(limit), static_cast<T>(otherwise), x);
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y) const {
    return x <= static_cast<T>(limit) ? T(0) : T(1);
  }
};

/// x moved towards 0 by lambda; 0 if |x| <= lambda.
struct softshrink {
  using domain = Floating;
  static constexpr const char* text = "softshrink";
  static constexpr int arity = 1;
  double lambda = 0.5;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    const auto l = static_cast<T>(lambda);
    if (x >= -l && x <= l) return T(0);
    return x < 0 ? x + l : x - l;
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y) const {
    return x >= -static_cast<T>(lambda) && x <= static_cast<T>(lambda) ? T(0) : T(1);
  }
};

/// x if |x| > lambda, else 0.
struct hardshrink {
  using domain = Floating;
  static constexpr const char* text = "hardshrink";
  static constexpr int arity = 1;
  double lambda = 0.5;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    return x >= -static_cast<T>(lambda) && x <= static_cast<T>(lambda) ? T(0) : x;
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y) const {
    return x >= -static_cast<T>(lambda) && x <= static_cast<T>(lambda) ? T(0) : T(1);
  }
};

}  // namespace op

template <ExpressionLike X>
constexpr auto hardtanh(X&& x, double low = -1, double high = 1) {
  if (!(low <= high)) {
    fail<ValueError>("hardtanh", "low ", low, " and high ", high, ", expected low <= high");
  }
  return lift(op::hardtanh{low, high}, static_cast<X&&>(x));
}

template <ExpressionLike X>
constexpr auto celu(X&& x, double alpha = 1) {
  if (alpha == 0) fail<ValueError>("celu", "alpha 0, expected a nonzero number");
  return lift(op::celu{alpha}, static_cast<X&&>(x));
}

template <ExpressionLike X>
constexpr auto threshold(X&& x, double limit, double otherwise) {
  return lift(op::threshold{limit, otherwise}, static_cast<X&&>(x));
}

template <ExpressionLike X>
constexpr auto softshrink(X&& x, double lambda = 0.5) {
  if (!(lambda >= 0)) {
    fail<ValueError>("softshrink", "lambda ", lambda, ", expected at least 0");
  }
  return lift(op::softshrink{lambda}, static_cast<X&&>(x));
}

template <ExpressionLike X>
constexpr auto hardshrink(X&& x, double lambda = 0.5) {
  return lift(op::hardshrink{lambda}, static_cast<X&&>(x));
}

}  // namespace weft
