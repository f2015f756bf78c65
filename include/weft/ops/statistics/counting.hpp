// Counts: bincount with weights, histograms with edges in one and more dimensions, packbits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "weft/ops/index/scatter.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/order/histogram.hpp"
#include "weft/ops/order/search.hpp"

namespace weft {

/// For each number, the sum of the weights (of x's shape) of its elements: as long as bincount(x).
template <ExpressionLike X, ExpressionLike W>
auto bincount(X&& x, W&& weights, int64_t minlength = 0) {
  if (!(x.shape() == weights.shape())) {
    fail<ShapeError>("bincount", "weights of shape ", weights.shape(), " for ", x.shape(),
                     ", expected equal shapes");
  }
  const auto numbers = detail::as_tensor(detail::detached(x)).reshape({-1});
  const int64_t bins = bincount(numbers, minlength).size();
  auto sums = zeros<typename std::remove_cvref_t<W>::value_type>({bins}, numbers.device());
  if (numbers.size() > 0) {
    index_add(sums, Axes{0}, numbers, detail::as_tensor(detail::detached(weights)).reshape({-1}));
  }
  return sums;
}

namespace detail {
/// The bin of each sample between rising edges; -1 outside and for NaN. The last bin includes its
/// edge.
template <class X, class E>
auto bin_of(const char* operation, const X& x, const E& edges) {
  const int64_t bins = edges.size() - 1;
  if (edges.rank() != 1 || bins < 1) {
    fail<ShapeError>(operation, "edges of shape ", edges.shape(),
                     ", expected a vector of 2 or more");
  }
  check_edges(operation, edges);
  const auto place = searchsorted(edges, x, Side::right);
  const auto bin = where(x == edges(bins), bins, place) - 1;
  return where(bin < bins && !isnan(x), bin, int64_t{-1}).eval();
}
/// n equally spaced edges.
template <class T, class D>
Tensor<T, D> even_edges(const char* operation, const Tensor<T, D>& x, int64_t bins) {
  if (bins < 1) fail<ValueError>(operation, bins, " bins, expected at least 1");
  double low = 0;
  double high = 1;
  if (x.size() > 0) {
    low = static_cast<double>(min(x).item());
    high = static_cast<double>(max(x).item());
  }
  if (!std::isfinite(low) || !std::isfinite(high)) {
    fail<ValueError>(operation, "elements from ", low, " to ", high, ", expected finite ones");
  }
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  return linspace<T>(low, high, bins + 1, x.device());
}
}  // namespace detail

/// Counts, of bins along each axis, and the axes' edges.
template <class T, class D>
struct Histogram {
  Tensor<int64_t, D> counts;
  std::vector<Tensor<T, D>> edges;
};

/// The number of elements of x between consecutive ascending edges, the last edge included.
template <ExpressionLike X, ExpressionLike E>
auto histogram(const X& x, const E& edges) {
  const auto value = detail::as_tensor(detail::detached(x)).reshape({-1});
  const auto between = detail::as_tensor(detail::detached(edges));
  const auto bin = detail::bin_of("histogram", value, between);
  const auto counts = bincount(bin + 1, between.size());
  return counts.narrow(0, 1, between.size() - 1).clone();
}
/// The sum of the weights of the elements between neighbouring edges; weights have x's shape.
template <ExpressionLike X, ExpressionLike E, ExpressionLike W>
auto histogram(const X& x, const E& edges, const W& weights) {
  const auto value = detail::as_tensor(detail::detached(x));
  const auto between = detail::as_tensor(detail::detached(edges));
  const auto bin = detail::bin_of("histogram", value, between);
  const auto sums = bincount(bin + 1, weights, between.size());
  return sums.narrow(0, 1, between.size() - 1).clone();
}
/// The number of elements in each of `bins` equal intervals from the smallest to the largest.
template <ExpressionLike X>
auto histogram(const X& x, int64_t bins) {
  const auto value = detail::as_tensor(detail::detached(x));
  return histogram(value, detail::even_edges("histogram", value, bins));
}
/// The number of samples, the rows of x (samples, dimensions), in each cell between edges, with one
/// vector of edges per dimension: {counts, edges}.
template <ExpressionLike X>
auto histogramdd(const X& x,
                 const std::vector<Tensor<typename X::value_type, detail::home_of<X>>>& edges) {
  using T = typename X::value_type;
  using D = detail::home_of<X>;
  const auto samples = detail::as_tensor(detail::detached(x));
  const auto dimensions = static_cast<int64_t>(edges.size());
  if (samples.rank() != 2 || samples.shape()[1] != dimensions) {
    fail<ShapeError>("histogramdd", "samples of shape ", samples.shape(), " and ", dimensions,
                     " vectors of edges, expected (samples, dimensions)");
  }
  Shape shape;
  Tensor<int64_t, D> cell = zeros<int64_t>({samples.shape()[0]}, samples.device());
  Tensor<bool, D> inside = full<bool>({samples.shape()[0]}, true, samples.device());
  for (int64_t d = 0; d < dimensions; ++d) {
    const auto& between = edges[static_cast<std::size_t>(d)];
    const auto bin = detail::bin_of("histogramdd", samples(all, d).contiguous(), between);
    shape.push_back(between.size() - 1);
    inside = (inside && bin >= int64_t{0}).eval();
    cell = (cell * (between.size() - 1) + bin).eval();
  }
  const auto counts = bincount(where(inside, cell + 1, int64_t{0}), shape.size() + 1);
  return Histogram<T, D>{counts.narrow(0, 1, shape.size()).reshape(shape).clone(), edges};
}
/// histogramdd with the given number of equal bins in each dimension, from the smallest to the
/// largest sample.
template <ExpressionLike X>
auto histogramdd(const X& x, const Shape& bins) {
  const auto samples = detail::as_tensor(detail::detached(x));
  using T = typename X::value_type;
  std::vector<Tensor<T, detail::home_of<X>>> edges;
  for (int d = 0; d < bins.rank(); ++d) {
    if (samples.rank() != 2 || samples.shape()[1] != bins.rank()) {
      fail<ShapeError>("histogramdd", "samples of shape ", samples.shape(), " for bins ", bins,
                       ", expected (samples, dimensions)");
    }
    edges.push_back(detail::even_edges("histogramdd", samples(all, d).contiguous(), bins[d]));
  }
  return histogramdd(samples, edges);
}
/// {counts, edges} of points (x, y), with counts of shape (x's bins, y's bins).
template <ExpressionLike X, ExpressionLike Y>
auto histogram2d(const X& x, const Y& y, int64_t bins_x = 10, int64_t bins_y = 10) {
  return histogramdd(stack({detail::as_tensor(detail::detached(x)).reshape({-1}),
                            detail::as_tensor(detail::detached(y)).reshape({-1})},
                           Axes{1}),
                     Shape{bins_x, bins_y});
}
template <ExpressionLike X, ExpressionLike Y, ExpressionLike E, ExpressionLike F>
auto histogram2d(const X& x, const Y& y, const E& edges_x, const F& edges_y) {
  using T = typename X::value_type;
  const std::vector<Tensor<T, detail::home_of<X>>> edges{detail::as_tensor(edges_x),
                                                         detail::as_tensor(edges_y)};
  return histogramdd(stack({detail::as_tensor(detail::detached(x)).reshape({-1}),
                            detail::as_tensor(detail::detached(y)).reshape({-1})},
                           Axes{1}),
                     edges);
}

namespace op {
/// Bit `position` of a byte, the highest first.
struct unpacked_bit {
  using domain = Any;
  using result_type = std::uint8_t;
  static constexpr const char* text = "unpackbits";
  static constexpr bool mixes_types = true;
  WEFT_HD static int value(int byte, int position) { return byte >> (7 - position) & 1; }
};
}  // namespace op

/// Packs eight bools along the last axis into a byte, the first in its highest bit, padded with
/// zeros.
template <ExpressionLike X>
auto packbits(const X& x) {
  const auto value = (detail::as_tensor(x) != typename X::value_type(0)).eval();
  const int last = value.rank() - 1;
  if (last < 0) fail<ShapeError>("packbits", "rank 0, expected an axis of bits");
  using D = std::remove_cvref_t<decltype(value.device())>;
  Shape shape = value.shape();
  const int64_t n = shape[last];
  const int64_t bytes = (n + 7) / 8;
  shape[last] = bytes * 8;
  auto bits = zeros<std::uint8_t>(shape, value.device());
  bits.narrow(last, 0, n) = cast<std::uint8_t>(value);
  shape[last] = bytes;
  shape.push_back(8);
  const auto place = std::uint8_t{7} - arange<std::uint8_t>(8, value.device());
  return Tensor<std::uint8_t, D>(
      cast<std::uint8_t>(sum(left_shift(bits.reshape(shape), place), Axes{-1})));
}
/// The inverse of packbits: eight elements, 0 or 1, for each byte; only the first `count` unless
/// that is negative.
template <ExpressionLike X>
  requires std::is_same_v<typename X::value_type, std::uint8_t>
auto unpackbits(const X& x, int64_t count = -1) {
  const auto value = detail::as_tensor(x);
  const int last = value.rank() - 1;
  if (last < 0) fail<ShapeError>("unpackbits", "rank 0, expected an axis of bytes");
  Shape shape = value.shape();
  shape[last] *= 8;
  if (count > shape[last]) {
    fail<ValueError>("unpackbits", "count ", count, ", expected at most ", shape[last]);
  }
  using D = std::remove_cvref_t<decltype(value.device())>;
  const Tensor<std::uint8_t, D> bits =
      lift(op::unpacked_bit{}, value.unsqueeze(last + 1), arange<int>(8, value.device()));
  return bits.reshape(shape).narrow(last, 0, count < 0 ? shape[last] : count).contiguous();
}

}  // namespace weft
