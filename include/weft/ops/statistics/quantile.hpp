// Order statistics: quantile, percentile, median, kthvalue, mode, and those that leave NaN out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/compose.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/index/scatter.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/order/sort.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/statistics/order.hpp"

namespace weft {

/// What a quantile that falls between two elements is: interpolated between them, the lower or
/// higher one, the mean of both, or the nearer one (half-way, the one at the even position).
enum class Quantile { linear, lower, higher, midpoint, nearest };

namespace detail {
/// The options of an order statistic: axis(n), keepdims, a Quantile.
struct RankOptions {
  Axes axes;
  bool flat = true;
  bool keep = false;
  Quantile how = Quantile::linear;
  void take(const Axes& a) {
    axes = a;
    flat = false;
  }
  void take(Keepdims k) { keep = k.on; }
  void take(Quantile q) { how = q; }
};

/// x as a tensor or Var, the axis `along` which to search, and the shape of the result.
template <class V>
struct Ranked {
  V x;
  int along;
  Shape shape;

  int64_t n() const { return x.shape()[along]; }
  template <class R>
  auto result(const R& r) const {
    return r.eval().reshape(shape);
  }
  /// A size of 1 for each axis.
  Shape line_of_ones() const {
    Shape out;
    for (int i = 0; i < x.shape().rank(); ++i) out.push_back(1);
    return out;
  }
};

template <class X, class... Options>
auto ranked(const char* operation, const X& x, RankOptions& given, const Options&... options) {
  static_assert((requires { given.take(options); } && ...),
                "weft: an order statistic takes axis(n), keepdims and, for quantiles, "
                "a Quantile such as Quantile::linear");
  op::Ordered::template report<typename X::value_type>();
  (given.take(options), ...);
  auto value = as_tensor(x);
  using V = std::remove_const_t<decltype(value)>;
  const Shape full = value.shape();
  const bool flat = given.flat || full.rank() == 0;
  const int along = flat ? 0 : one_axis(operation, given.axes, full);
  Shape shape;
  for (int i = 0; i < full.rank(); ++i) {
    if (!flat && i != along) {
      shape.push_back(full[i]);
    } else if (given.keep) {
      shape.push_back(1);
    }
  }
  Ranked<V> out{flat ? V(value.reshape({-1})) : value, along, shape};
  if (out.n() == 0 && (flat || full.size() == 0) && shape.size() > 0) {
    fail<ShapeError>(operation, "no elements in shape ", full, " along axis ", along);
  }
  return out;
}

/// The elements at positions along the axis, which is kept: {values, indices}.
template <class V, class I>
auto values_at(const Ranked<V>& r, const I& at) {
  const auto values = r.result(take_along_axis(r.x, at, Axes{r.along}));
  return ValuesAt<std::remove_const_t<decltype(values)>, I>{values, r.result(at)};
}
/// The elements at a place in order, one a row or for all.
template <class V, class P>
auto at_places(const Ranked<V>& r, const P& places) {
  const Axes along{r.along};
  const auto order = argsort(detached(r.x), along);
  const auto at = take_along_axis(order, places, along).eval();
  return values_at(r, at);
}
/// The positions of the elements at one place in order in each row, which need not be in order
/// beyond it.
template <class V>
auto positions_at(const Ranked<V>& r, int64_t place) {
  const Axes along{r.along};
  return topk(detached(r.x), place + 1, along, smallest).indices.narrow(r.along, place, 1);
}
/// How many elements of each row are not NaN, the axis kept.
template <class V>
auto numbers_in_rows(const Ranked<V>& r) {
  return count_nonzero(!isnan(r.x), Axes{r.along}, keepdims).eval();
}

/// The places in order of a quantile of n elements, and how far it is from the first to the other.
struct QuantilePlace {
  int64_t low;
  int64_t high;
  double weight;
};
inline QuantilePlace quantile_place(const char* operation, double q, int64_t n, Quantile how) {
  if (!(q >= 0 && q <= 1)) fail<ValueError>(operation, "q = ", q, ", expected 0 to 1");
  const double at = q * static_cast<double>(n - 1);
  const auto low = static_cast<int64_t>(__builtin_floor(at));
  const auto high = static_cast<int64_t>(__builtin_ceil(at));
  const auto near = static_cast<int64_t>(__builtin_rint(at));
  switch (how) {
    case Quantile::lower:
      return {low, low, 0};
    case Quantile::higher:
      return {high, high, 0};
    case Quantile::midpoint:
      return {low, high, 0.5};
    case Quantile::nearest:
      return {near, near, 0};
    default:
      return {low, high, at - static_cast<double>(low)};
  }
}

/// From a to b, which may be infinite.
template <class A, class B, class W>
auto between(const A& a, const B& b, const W& weight) {
  return where(a == b, a, lerp(a, b, weight));
}

/// The quantiles of rows, which are in order, at q.
template <class V, class S>
auto quantile_of_sorted(const char* operation, const Ranked<V>& r, const S& sorted, double q,
                        Quantile how) {
  using C = compute_t<typename V::value_type>;
  const QuantilePlace p = quantile_place(operation, q, r.n(), how);
  const auto last = sorted.narrow(r.along, r.n() - 1, 1);  // NaN if there is one
  const auto low = sorted.narrow(r.along, p.low, 1);
  const auto high = sorted.narrow(r.along, p.high, 1);
  return r.result(where(isnan(last), last, between(low, high, static_cast<C>(p.weight))));
}
}  // namespace detail

/// The value below which the fraction q of the elements lies, interpolated between two elements;
/// along axis(n), or over all elements, with keepdims and a Quantile. NaN if any element is NaN.
template <ExpressionLike X, class... Options>
auto quantile(const X& x, double q, Options... options) {
  static_assert(is_floating<typename X::value_type>,
                "weft: quantiles take floating-point numbers: write cast<double>(x)");
  detail::RankOptions given;
  const auto r = detail::ranked("quantile", x, given, options...);
  const auto sorted = sort(r.x, Axes{r.along}).values;
  return detail::quantile_of_sorted("quantile", r, sorted, q, given.how);
}
/// Several quantiles from one sort, along a new first axis of the result.
template <ExpressionLike X, class... Options>
auto quantile(const X& x, const std::vector<double>& qs, Options... options) {
  static_assert(is_floating<typename X::value_type>,
                "weft: quantiles take floating-point numbers: write cast<double>(x)");
  detail::RankOptions given;
  const auto r = detail::ranked("quantile", x, given, options...);
  const auto sorted = sort(r.x, Axes{r.along}).values;
  std::vector<typename detail::Evaluated<std::remove_cvref_t<decltype(r.x)>>::type> found;
  for (double q : qs) {
    found.push_back(detail::quantile_of_sorted("quantile", r, sorted, q, given.how));
  }
  return stack(found, Axes{0});
}
/// The same for a vector of them, or, of rank 0, for one.
template <ExpressionLike X, ExpressionLike Q, class... Options>
auto quantile(const X& x, const Q& qs, Options... options) {
  const auto probabilities = cast<double>(detail::as_tensor(detail::detached(qs))).eval();
  if (probabilities.rank() > 1) {
    fail<ShapeError>("quantile", "probabilities of shape ", probabilities.shape(),
                     ", expected a vector or a number");
  }
  const auto found = quantile(x, probabilities.to_vector(), options...);
  using R = std::remove_const_t<decltype(found)>;
  return probabilities.rank() == 0 ? R(found.reshape(found[0].shape())) : found;
}
/// quantile(x, p / 100)
template <ExpressionLike X, class... Options>
auto percentile(const X& x, double p, Options... options) {
  return quantile(x, p / 100, options...);
}
template <ExpressionLike X, class... Options>
auto percentile(const X& x, std::vector<double> ps, Options... options) {
  for (double& p : ps) p /= 100;
  return quantile(x, ps, options...);
}

/// The quantile ignoring NaN; NaN if all elements are.
template <ExpressionLike X, class... Options>
auto nanquantile(const X& x, double q, Options... options) {
  using T = typename X::value_type;
  static_assert(is_floating<T>,
                "weft: quantiles take floating-point numbers: write cast<double>(x)");
  detail::RankOptions given;
  const auto r = detail::ranked("nanquantile", x, given, options...);
  detail::quantile_place("nanquantile", q, 1, given.how);
  const auto sorted = sort(r.x, Axes{r.along}).values;
  const auto count = detail::numbers_in_rows(r);
  const auto at = (q * cast<double>(maximum(count - 1, 0))).eval();
  const bool upper = given.how == Quantile::higher;
  const bool near = given.how == Quantile::nearest;
  const auto low = cast<int64_t>(upper  ? ceil(at).eval()
                                 : near ? round(at).eval()
                                        : floor(at).eval());
  const bool two = given.how == Quantile::linear || given.how == Quantile::midpoint;
  const auto high = cast<int64_t>(two ? ceil(at).eval() : cast<double>(low).eval());
  const auto weight =
      cast<T>(given.how == Quantile::midpoint ? (at * 0.0 + 0.5).eval() : (at - floor(at)).eval());
  const auto a = take_along_axis(sorted, low.eval(), Axes{r.along}).eval();
  const auto b = take_along_axis(sorted, high.eval(), Axes{r.along}).eval();
  return r.result(detail::between(a, b, weight.eval()));
}

/// nanquantile(x, p / 100)
template <ExpressionLike X, class... Options>
auto nanpercentile(const X& x, double p, Options... options) {
  return nanquantile(x, p / 100, options...);
}

/// The lower of the two middle elements, as in PyTorch (quantile(x, 0.5) is NumPy's median); NaN if
/// any element is NaN.
template <ExpressionLike X>
auto median(const X& x) {
  return median(detail::as_tensor(x).reshape({-1}), Axes{0}).values;
}
/// The lower of the middle elements along axis(n), and its position: `auto [values, indices] =
/// median(x, axis(1))`.
template <ExpressionLike X, class... Options>
auto median(const X& x, const Axes& axis, Options... options) {
  detail::RankOptions given;
  const auto r = detail::ranked("median", x, given, axis, options...);
  const auto count = detail::numbers_in_rows(r);
  if (r.n() == 0) return detail::at_places(r, count);
  const auto middle = detail::positions_at(r, (r.n() - 1) / 2);
  const auto first_nan = argmax(isnan(detail::detached(r.x)), Axes{r.along}, keepdims);
  return detail::values_at(r, where(count < r.n(), first_nan, middle).eval());
}
/// The lower of the middle elements, ignoring NaN; NaN if all elements are.
template <ExpressionLike X>
auto nanmedian(const X& x) {
  return nanmedian(detail::as_tensor(x).reshape({-1}), Axes{0}).values;
}
template <ExpressionLike X, class... Options>
auto nanmedian(const X& x, const Axes& axis, Options... options) {
  detail::RankOptions given;
  const auto r = detail::ranked("nanmedian", x, given, axis, options...);
  return detail::at_places(r, maximum(detail::numbers_in_rows(r) - 1, 0) / 2);
}

/// The k-th smallest element along the last axis, or axis(n), and its position; k counts from 1.
template <ExpressionLike X, class... Options>
auto kthvalue(const X& x, int64_t k, const Axes& axis = {-1}, Options... options) {
  detail::RankOptions given;
  const auto r = detail::ranked("kthvalue", x, given, axis, options...);
  if (k < 1 || k > r.n()) {
    fail<ValueError>("kthvalue", "k = ", k, ", expected 1 to ", r.n(), ", the size of the axis");
  }
  return detail::values_at(r, detail::positions_at(r, k - 1).contiguous());
}

/// The most frequent element along the last axis, or axis(n), the smallest if there are several,
/// and its last position.
template <ExpressionLike X, class... Options>
auto mode(const X& x, const Axes& axis = {-1}, Options... options) {
  detail::RankOptions given;
  const auto r = detail::ranked("mode", x, given, axis, options...);
  const auto sorted = sort(detail::detached(r.x), Axes{r.along}).values;
  const auto device = sorted.device();
  const int64_t n = r.n();
  auto first = full<bool>(sorted.shape(), true, device);
  if (n > 1) {
    first.narrow(r.along, 1, n - 1) =
        sorted.narrow(r.along, 1, n - 1) != sorted.narrow(r.along, 0, n - 1);
  }
  Shape line = r.line_of_ones();
  line[r.along] = n;
  const auto place = arange<int64_t>(n, device).reshape(line);
  const auto start = cummax(where(first, place, int64_t{0}).eval(), Axes{r.along}).eval();
  return detail::at_places(r, argmax(place - start, Axes{r.along}, keepdims).eval());
}

}  // namespace weft
