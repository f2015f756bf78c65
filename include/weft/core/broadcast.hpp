// NumPy's broadcasting: shapes are aligned at the right, and size 1 stretches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/shape.hpp"

namespace weft {

/// The shape that `a` and `b` broadcast to; throws ShapeError naming both when they do not. A
/// template, like the next, for the sake of weft::lib, which holds them compiled.
template <class = void>
WEFT_OUTLINED Shape broadcast(const char* operation, const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  const int shift = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    int64_t& size = out[i + shift];
    if (shorter[i] == size || shorter[i] == 1) continue;
    if (size != 1) {
      fail<ShapeError>(operation, "shapes do not broadcast: ", a, " and ", b,
                       ", expected trailing sizes equal or 1");
    }
    size = shorter[i];
  }
  return out;
}

namespace detail {
/// Makes `a` the shape that it and `b` broadcast to.
template <class = void>
[[gnu::noinline]] void stretch(const char* operation, Shape& a, const Shape& b) {
  a = broadcast(operation, a, b);
}
}  // namespace detail

/// Broadcasts `a` with `b` in place.
template <class = void>
WEFT_OUTLINED void broadcast_with(const char* operation, Shape& a, const Shape& b) {
  if (a.rank() >= b.rank()) {  // mostly it stays as it is
    const int64_t* own = a.end() - b.rank();
    const int64_t* other = b.begin();
    while (other != b.end() && (*other == *own || *other == 1)) {
      ++other;
      ++own;
    }
    if (other == b.end()) return;
  }
  detail::stretch(operation, a, b);
}

/// True when `from` broadcasts to exactly `to`.
inline bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return false;
  const int shift = to.rank() - from.rank();
  for (int i = 0; i < from.rank(); ++i) {
    if (from[i] != to[i + shift] && from[i] != 1) return false;
  }
  return true;
}

}  // namespace weft
