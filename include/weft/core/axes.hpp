// Options of operations: axis(...), keepdims, correction(n), deterministic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "weft/core/shape.hpp"

namespace weft {

/// The axes of an operation, negative ones counted from the end. Made by axis(...).
struct Axes : detail::Int64s {
  using Int64s::Int64s;
  /// For arguments that can only be an axis, as in softmax(x, 1).
  template <std::integral I>
  constexpr Axes(I axis) : Int64s{static_cast<int64_t>(axis)} {}
};

/// axis(-1), axis(0, 2).
template <class... I>
constexpr Axes axis(I... axes) {
  static_assert((std::is_integral_v<I> && ...), "weft: axis(...) takes integers");
  return {static_cast<int64_t>(axes)...};
}

/// axis({0, 2}).
constexpr Axes axis(std::initializer_list<int64_t> axes) { return axes; }

/// Keeps the reduced axes with size 1, so that the result broadcasts against the operand.
struct Keepdims {
  bool on = true;
  /// keepdims = true, as in Python.
  constexpr Keepdims operator=(bool keep) const { return {keep}; }
};
inline constexpr Keepdims keepdims;

/// Asks for the same bits on every run from operations that do not guarantee them: scans of
/// floating types and additions by indices on CUDA.
struct Deterministic {};
inline constexpr Deterministic deterministic;

/// The divisor of var and std is n - correction; 1 (unbiased) unless given.
struct Correction {
  int64_t value = 1;
};
constexpr Correction correction(int64_t value) { return {value}; }

namespace detail {
/// Whether numbers, which have no axes, accept the axis too: 0 or -1, as for one element.
constexpr bool is_axis_of_number(int64_t axis) { return axis == 0 || axis == -1; }

/// How one reduction treats each axis of its operand.
struct ReducedAxes {
  unsigned mask = 0;  ///< bit i: axis i is reduced
  bool keep = false;

  bool reduces(int axis) const { return (mask >> axis & 1U) != 0; }

  Shape result(const Shape& shape) const {
    Shape out;
    for (int i = 0; i < shape.rank(); ++i) {
      if (!reduces(i)) {
        out.push_back(shape[i]);
      } else if (keep) {
        out.push_back(1);
      }
    }
    return out;
  }
};

/// The axes, a bit for each; for rank 0 none, given axis(0) or axis(-1), as in NumPy.
inline unsigned axes_mask(const char* operation, const Axes& axes, int rank) {
  unsigned mask = 0;
  if (rank == 0 && axes.rank() == 1 && is_axis_of_number(axes[0])) return mask;
  for (int64_t a : axes) {
    const unsigned bit = 1U << normalize_axis(operation, a, rank);
    if ((mask & bit) != 0) fail<IndexError>(operation, "axis ", a, " appears twice in ", axes);
    mask |= bit;
  }
  return mask;
}
}  // namespace detail

}  // namespace weft
