// split, tensor_split, unbind and their like: a tensor as views that lie side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/core/axes.hpp"
#include "weft/ops/index/indexing.hpp"
#include "weft/ops/views.hpp"

namespace weft {

/// Pieces of the given lengths along an axis, which add up to its size.
template <ExpressionLike X>
auto split(const X& e, const std::vector<int64_t>& lengths, const Axes& axis = {0}) {
  const auto x = e.eval();
  const int at = detail::one_axis("split", axis, x.rank());
  int64_t sum = 0;
  for (int64_t length : lengths) sum += length < 0 ? INT32_MIN : length;
  if (sum != x.size(at)) {
    Shape shown;
    for (std::size_t i = 0; i < lengths.size() && i < max_rank; ++i) shown.push_back(lengths[i]);
    fail<ShapeError>("split", "lengths ", shown, lengths.size() > max_rank ? " and more" : "",
                     " for axis ", at, " of ", x.shape(), ", expected a sum of ", x.size(at));
  }
  std::vector<std::remove_const_t<decltype(x)>> out;
  int64_t start = 0;
  for (int64_t length : lengths) {
    out.push_back(x.narrow(at, start, length));
    start += length;
  }
  return out;
}
template <ExpressionLike X>
auto split(const X& e, std::initializer_list<int64_t> lengths, const Axes& axis = {0}) {
  return split(e, std::vector<int64_t>(lengths), axis);
}

/// Pieces with `length` elements along axis(n); the last one may be shorter.
template <ExpressionLike X>
auto split(const X& e, int64_t length, const Axes& axis) {
  return e.split(length, detail::one_axis("split", axis, e.shape().rank()));
}

/// `count` pieces along an axis; if its size is not divisible, the first ones are one longer.
template <ExpressionLike X>
auto tensor_split(const X& e, int64_t count, const Axes& axis = {0}) {
  const Shape shape = e.shape();
  const int at = detail::one_axis("tensor_split", axis, shape.rank());
  if (count < 1) fail<ValueError>("tensor_split", "a count of ", count, ", expected at least 1");
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < count; ++i) {
    lengths.push_back(shape[at] / count + (i < shape[at] % count ? 1 : 0));
  }
  return split(e, lengths, Axes{at});
}
/// Pieces between the given positions along an axis; positions past its end give empty pieces.
template <ExpressionLike X>
auto tensor_split(const X& e, const std::vector<int64_t>& places, const Axes& axis = {0}) {
  const auto x = e.eval();
  const int at = detail::one_axis("tensor_split", axis, x.rank());
  const int64_t size = x.size(at);
  std::vector<std::remove_const_t<decltype(x)>> out;
  int64_t start = 0;
  for (std::size_t i = 0; i <= places.size(); ++i) {
    int64_t stop = i == places.size() ? size : places[i] < 0 ? places[i] + size : places[i];
    stop = stop < 0 ? 0 : stop > size ? size : stop;
    out.push_back(x.narrow(at, start < stop ? start : stop, start < stop ? stop - start : 0));
    start = stop;
  }
  return out;
}
template <ExpressionLike X>
auto tensor_split(const X& e, std::initializer_list<int64_t> places, const Axes& axis = {0}) {
  return tensor_split(e, std::vector<int64_t>(places), axis);
}
/// tensor_split under NumPy's name.
template <ExpressionLike X, class Places>
auto array_split(const X& e, const Places& places, const Axes& axis = {0}) {
  return tensor_split(e, places, axis);
}
/// Splits along the second axis; a vector along its only axis.
template <ExpressionLike X, class Places>
auto hsplit(const X& e, const Places& places) {
  return tensor_split(e, places, Axes{e.shape().rank() > 1 ? 1 : 0});
}
/// Splits along the first axis.
template <ExpressionLike X, class Places>
auto vsplit(const X& e, const Places& places) {
  return tensor_split(e, places, Axes{0});
}
/// Splits along the third axis.
template <ExpressionLike X, class Places>
auto dsplit(const X& e, const Places& places) {
  return tensor_split(e, places, Axes{2});
}

/// The slices along an axis, each without that axis.
template <ExpressionLike X>
auto unbind(const X& e, const Axes& axis = {0}) {
  const auto x = e.eval();
  const int at = detail::one_axis("unbind", axis, x.rank());
  std::vector<std::remove_const_t<decltype(x)>> out;
  for (int64_t i = 0; i < x.size(at); ++i) out.push_back(x.narrow(at, i, 1).squeeze(at));
  return out;
}
/// Slice number `index` along an axis, without that axis.
template <ExpressionLike X>
auto select(const X& e, const Axes& axis, int64_t index) {
  const auto x = e.eval();
  if (axis.rank() != 1) fail<IndexError>("select", "axes ", axis, ", expected one axis");
  const int at = normalize_axis("select", axis[0], x.rank());
  const int64_t place = index < 0 ? index + x.size(at) : index;
  if (place < 0 || place >= x.size(at)) {
    fail<IndexError>("select", "index ", index, " of axis ", at, " of ", x.shape(), ", expected ",
                     -x.size(at), " to ", x.size(at) - 1);
  }
  return x.narrow(at, place, 1).squeeze(at);
}

}  // namespace weft
