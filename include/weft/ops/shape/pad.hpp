// pad: a border of a constant, of reflected elements or of repetitions; inside expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "weft/ops/index/rearrange.hpp"

namespace weft {

namespace detail {
/// The places of one axis with a border; throws for one that is larger than what it mirrors. What a
/// negative border takes away is still mirrored on the other side, as in PyTorch, which repeats
/// what is left.
[[gnu::noinline]] inline AxisPlaces padded_axis(const char* operation, const Shape& shape, int axis,
                                                int64_t before, int64_t after, PadMode mode) {
  const int64_t size = shape[axis];
  const bool constant = mode == PadMode::constant;
  const int64_t least = mode == PadMode::circular && (before > 0 || after > 0) ? 0 : -size;
  const int64_t most = mode == PadMode::reflect                  ? size - 1
                       : mode == PadMode::replicate && size == 0 ? 0
                       : constant || mode == PadMode::replicate  ? INT64_MAX / 4
                                                                 : size;
  if (before < least || after < least || before > most || after > most ||
      before + size + after < 0) {
    fail<ShapeError>(operation, "a border of ", before, " and ", after, " along axis ", axis,
                     " of shape ", shape, ", expected ", least, " to ",
                     most < INT64_MAX / 4 ? text(static_cast<long long>(most)) : Text("any"));
  }
  return {axis, size, before + size + after, before, mode};
}

}  // namespace detail

/// How many elements come before and after an axis.
struct Border {
  int64_t before = 0;
  int64_t after = 0;
};

/// x with a border: `around` lists how many elements to add before and after the last axis, then
/// the axis before that, and so on, as in PyTorch, for four axes at most. A negative border takes
/// elements away. Throws ShapeError for a border that is larger than what it mirrors, and for a
/// circular one that adds elements on one side and takes some away on the other.
template <ExpressionLike X, NumberLike N = int>
auto pad(X&& x, const Shape& around, PadMode mode = PadMode::constant, N value = 0) {
  const Shape& shape = x.shape();
  if (around.rank() % 2 != 0 || around.rank() / 2 > shape.rank()) {
    fail<ShapeError>("pad", "borders ", around, " for shape ", shape,
                     ", expected two numbers for each of the last axes");
  }
  Places places(shape);
  for (int i = 0; i < around.rank() / 2; ++i) {
    if (around[2 * i] == 0 && around[2 * i + 1] == 0) continue;
    places.add(detail::padded_axis("pad", shape, shape.rank() - 1 - i, around[2 * i],
                                   around[2 * i + 1], mode));
  }
  const auto fill = detail::fill_number<detail::element_of_t<X>>("pad", value);
  return detail::rearranged<placing::pad>(static_cast<X&&>(x), places, fill);
}

/// pad with a pair for each axis from the first one on, as in NumPy: pad(x, {{1, 1}, {0, 2}}).
template <ExpressionLike X, NumberLike N = int>
auto pad(X&& x, std::initializer_list<Border> borders, PadMode mode = PadMode::constant,
         N value = 0) {
  const Shape shape = x.shape();
  if (static_cast<int>(borders.size()) != shape.rank()) {
    fail<ShapeError>("pad", borders.size(), " pairs for shape ", shape,
                     ", expected one for each axis");
  }
  Places places(shape);
  for (int i = 0; i < shape.rank(); ++i) {
    const Border& b = borders.begin()[i];
    if (b.before == 0 && b.after == 0) continue;
    places.add(detail::padded_axis("pad", shape, i, b.before, b.after, mode));
  }
  const auto fill = detail::fill_number<detail::element_of_t<X>>("pad", value);
  return detail::rearranged<placing::pad>(static_cast<X&&>(x), places, fill);
}

/// pad with the same number of elements before and after every axis, as in NumPy: pad(x, 1).
template <ExpressionLike X, std::integral I, NumberLike N = int>
auto pad(X&& x, I border, PadMode mode = PadMode::constant, N value = 0) {
  const Shape shape = x.shape();
  Places places(shape);
  for (int i = 0; i < shape.rank() && border != 0; ++i) {
    places.add(detail::padded_axis("pad", shape, i, border, border, mode));
  }
  const auto fill = detail::fill_number<detail::element_of_t<X>>("pad", value);
  return detail::rearranged<placing::pad>(static_cast<X&&>(x), places, fill);
}

}  // namespace weft
