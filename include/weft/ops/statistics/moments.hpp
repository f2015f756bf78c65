// var_mean, std_mean, aminmax, ptp, average, cov, corrcoef: reductions made of others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/compose.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/stack.hpp"

namespace weft {

namespace detail {
/// f(options...) without corrections, which only var and std take.
template <class F>
auto without_corrections(const F& f) {
  return f();
}
template <class F, class Option, class... Rest>
auto without_corrections(const F& f, Option option, Rest... rest) {
  if constexpr (std::is_same_v<Option, Correction>) {
    return without_corrections(f, rest...);
  } else {
    return without_corrections([&](auto... more) { return f(option, more...); }, rest...);
  }
}
template <class X, class... Options>
auto mean_beside_var(const X& x, Options... options) {
  return without_corrections([&](auto... kept) { return mean(x, kept...); }, options...);
}
}  // namespace detail

// Expressions: both evaluated in one kernel by `tie(v, m) = fuse(r.var, r.mean)`.
template <class V, class M>
struct VarMean {
  V var;
  M mean;
};
template <class S, class M>
struct StdMean {
  S std;
  M mean;
};
template <class A, class B>
struct MinMax {
  A min;
  B max;
};

/// {var, mean} as expressions, with the options of var: `auto [v, m] = var_mean(x, axis(1))`.
template <ExpressionLike X, class... Options>
auto var_mean(const X& x, Options... options) {
  const auto m = detail::mean_beside_var(x, options...);
  return VarMean<decltype(var(x, options...)), std::remove_const_t<decltype(m)>>{var(x, options...),
                                                                                 m};
}
/// {std, mean} as expressions.
template <ExpressionLike X, class... Options>
auto std_mean(const X& x, Options... options) {
  const auto m = detail::mean_beside_var(x, options...);
  return StdMean<decltype(stddev(x, options...)), std::remove_const_t<decltype(m)>>{
      stddev(x, options...), m};
}
/// {min, max} as expressions.
template <ExpressionLike X, class... Options>
auto aminmax(const X& x, Options... options) {
  return MinMax<decltype(min(x, options...)), decltype(max(x, options...))>{min(x, options...),
                                                                            max(x, options...)};
}
/// The range: the largest element minus the smallest.
template <ExpressionLike X, class... Options>
auto ptp(const X& x, Options... options) {
  return max(x, options...) - min(x, options...);
}

namespace detail {
/// Weights stretched to a shape; a vector of them, where axis(n) is given, lies along that axis.
template <class W, class... Options>
auto weights_for(const Shape& shape, const W& weights, const Options&... options) {
  Shape own = weights.shape();
  [[maybe_unused]] const auto look = [&](const auto& option) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(option)>, Axes>) {
      if (own.rank() != 1 || option.rank() != 1) return;
      const int along = one_axis("average", option, shape);
      if (own[0] != shape[along]) return;
      own = Shape{};
      for (int i = 0; i < shape.rank(); ++i) own.push_back(i == along ? shape[i] : 1);
    }
  };
  (look(options), ...);
  return weights.reshape(own).expand(shape);
}
}  // namespace detail

/// The weighted mean of x; the weights broadcast to x's shape and are divided by their sum. With
/// axis(n), a vector of weights lies along that axis, as in NumPy.
template <ExpressionLike X, ExpressionLike W, class... Options>
auto average(const X& x, const W& weights, Options... options) {
  using T = typename X::value_type;
  const auto w = detail::weights_for(x.shape(), detail::as_tensor(weights), options...);
  return cast<T>(sum(x * w, options...)) / cast<T>(sum(w, options...));
}

/// mean(x, options...)
template <ExpressionLike X, class... Options>
  requires(!ExpressionLike<Options> && ...)
auto average(const X& x, Options... options) { return mean(x, options...); }

/// The covariance matrix of variables, the rows of x, whose columns are observations; for a single
/// variable a number, its variance. Unbiased unless correction(n) is given.
template <ExpressionLike X>
auto cov(const X& x, Correction divisor = {}) {
  if (x.shape().rank() > 2) {
    fail<ShapeError>("cov", "shape ", x.shape(), ", expected (variables, observations)");
  }
  using T = typename X::value_type;
  auto rows = detail::as_tensor(x);
  while (rows.rank() < 2) rows = rows.unsqueeze(0);
  const int64_t n = rows.shape()[1];
  const auto centred = (rows - mean(rows, axis(1), keepdims)).eval();
  const auto count = static_cast<compute_t<T>>(n > divisor.value ? n - divisor.value : 0);
  auto out = (matmul(centred, centred.t()) / count).eval();
  return out.size() == 1 ? out.reshape(Shape{}) : out;
}
/// The covariance matrix of two variables, vectors of equal length, or of the rows of both.
template <ExpressionLike X, ExpressionLike Y>
auto cov(const X& x, const Y& y, Correction divisor = {}) {
  return cov(vstack(x, y), divisor);
}
/// The correlation coefficients of variables, the rows of x: a matrix with a diagonal of ones.
template <ExpressionLike X>
auto corrcoef(const X& x) {
  using T = typename X::value_type;
  const auto c = cov(x);
  if (c.rank() == 0) return (c / c).eval();
  const auto scale = rsqrt(c.diagonal()).eval();
  return clamp(c * scale.unsqueeze(1) * scale, compute_t<T>(-1), compute_t<T>(1)).eval();
}
/// The correlation coefficients of two variables, vectors of equal length, or of the rows of both.
template <ExpressionLike X, ExpressionLike Y>
auto corrcoef(const X& x, const Y& y) {
  return corrcoef(vstack(x, y));
}

}  // namespace weft
