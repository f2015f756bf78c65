// pad(x, around, mode): an image with a border of zeros, of what it mirrors, or of itself again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/tensor/factory.hpp"

namespace weft {

/// What stands in a border.
enum class PadMode {
  constant,   ///< a number
  reflect,    ///< the image, mirrored at its outermost elements: 3 2 | 1 2 3 | 2 1
  replicate,  ///< the outermost element again: 1 1 | 1 2 3 | 3 3
  circular    ///< the image again: 2 3 | 1 2 3 | 1 2
};

namespace detail {
/// A border along one axis, of views of x side by side with it.
template <class X>
X pad_axis(const char* operation, const X& x, int64_t before, int64_t after, int axis_of,
           PadMode mode, double value) {
  using T = typename X::value_type;
  if (before == 0 && after == 0) return x;
  const int64_t size = x.shape()[axis_of];
  const int64_t most = mode == PadMode::reflect                  ? size - 1
                       : mode == PadMode::circular               ? size
                       : mode == PadMode::replicate && size == 0 ? 0
                                                                 : INT32_MAX;
  if (before < 0 || after < 0 || before > most || after > most) {
    fail<ShapeError>(operation, "a border of ", before, " and ", after, " along axis ", axis_of,
                     " of shape ", x.shape(), ", expected 0 to ", most);
  }
  const auto border = [&](int64_t width, bool first) -> X {
    if (mode == PadMode::reflect) {
      return x.narrow(axis_of, first ? 1 : size - 1 - width, width).flip(axis_of);
    }
    if (mode == PadMode::circular) return x.narrow(axis_of, first ? size - width : 0, width);
    Shape shape = x.shape();
    shape[axis_of] = width;
    if (mode == PadMode::replicate) {
      return x.narrow(axis_of, first ? 0 : size - 1, 1).expand(shape);
    }
    return X(full<T>(shape, static_cast<compute_t<T>>(value), x.device()));
  };
  std::vector<X> parts;
  if (before > 0) parts.push_back(border(before, true));
  parts.push_back(x);
  if (after > 0) parts.push_back(border(after, false));
  return cat(parts, axis(axis_of));
}
}  // namespace detail

/// x with a border: `around` has for the last axis how many elements come before and after it, then
/// for the axis before that, and so on, as in PyTorch. Throws ShapeError for a border that is
/// larger than what it mirrors.
template <ExpressionLike X>
auto pad(const X& e, const Shape& around, PadMode mode = PadMode::constant, double value = 0) {
  auto x = detail::as_tensor(e);
  if (around.rank() % 2 != 0 || around.rank() / 2 > x.rank()) {
    fail<ShapeError>("pad", "borders ", around, " for shape ", x.shape(),
                     ", expected two numbers for each of the last axes");
  }
  for (int i = 0; i < around.rank() / 2; ++i) {
    x = detail::pad_axis("pad", x, around[2 * i], around[2 * i + 1], x.rank() - 1 - i, mode, value);
  }
  return x;
}

}  // namespace weft
