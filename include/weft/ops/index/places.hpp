// Places: which element of an operand is at each coordinate of the result of pad, roll or repeat.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/error.hpp"
#include "weft/core/lazy_vector.hpp"
#include "weft/core/shape.hpp"

namespace weft {

/// What a border is filled with.
enum class PadMode {
  constant,          ///< a number
  reflect,           ///< the image, mirrored at its outermost elements: 3 2 | 1 2 3 | 2 1
  replicate,         ///< the outermost element again: 1 1 | 1 2 3 | 3 3
  circular,          ///< the image again: 2 3 | 1 2 3 | 1 2
  symmetric,         ///< the image, mirrored with its outermost elements: 2 1 | 1 2 3 | 3 2
  edge = replicate,  ///< NumPy's name
  wrap = circular    ///< NumPy's name
};

/// One axis of a rearrangement, which has `to` elements where the operand has `from`.
struct AxisPlaces {
  int axis = 0;
  int64_t from = 0;
  int64_t to = 0;
  int64_t before = 0;  ///< where the operand's first element stands; of repeats, how often each
  PadMode mode = PadMode::constant;

  bool operator==(const AxisPlaces&) const = default;
};

/// The axes that a rearrangement changes, all others being as they are, and the shape it makes.
struct Places {
  Shape shape;
  int count = 0;
  AxisPlaces axes[max_rank];

  explicit Places(const Shape& of) : shape(of) {}
  bool operator==(const Places& other) const {
    bool same = shape == other.shape && count == other.count;
    for (int i = 0; same && i < count; ++i) same = axes[i] == other.axes[i];
    return same;
  }
  void add(const AxisPlaces& places) {
    shape[places.axis] = places.to;
    axes[count++] = places;
  }
};

/// How operations find the operand's coordinate `u` along an axis, which lies `before` elements
/// behind the coordinate of the result; false where no element stands there.
namespace placing {
/// A border: filled with a constant, or with the operand's own elements; then at most as large as
/// the operand.
struct pad {
  static constexpr const char* text = "pad";
  static constexpr bool has_modes = true;
  template <class I>
  WEFT_HD static bool find(I& u, I size, I, PadMode mode) {
    if (mode == PadMode::constant) return u >= 0 && u < size;
    // Without branches, since kernels compute this for many neighbours at once.
    const bool inside = u >= 0 && u < size;
    const I sign = mode == PadMode::replicate ? 0 : mode == PadMode::circular ? 1 : -1;
    const I low = mode == PadMode::circular ? size : mode == PadMode::symmetric ? -1 : 0;
    const I high = mode == PadMode::reflect     ? 2 * size - 2
                   : mode == PadMode::replicate ? size - 1
                   : mode == PadMode::circular  ? -size
                                                : 2 * size - 1;
    const I other = sign * u + (u < 0 ? low : high);
    u = inside ? u : other;
    return true;
  }
};
struct shift : pad {
  static constexpr const char* text = "shift";
};
/// One of several parts along an axis: 0 where the other parts are.
struct part {
  static constexpr const char* text = "part";
  static constexpr int most_axes = 1;
  template <class I>
  WEFT_HD static bool find(I& u, I size, I, PadMode) {
    return u >= 0 && u < size;
  }
};
/// The operand's elements starting from another one, wrapping around.
struct roll {
  static constexpr const char* text = "roll";
  template <class I>
  WEFT_HD static bool find(I& u, I size, I, PadMode) {
    if (u < 0) u += size;
    return true;
  }
};
/// Copies of the operand.
struct tile {
  static constexpr const char* text = "tile";
  template <class I>
  WEFT_HD static bool find(I& u, I size, I, PadMode) {
    u %= size;
    return true;
  }
};
/// Each element repeated.
struct repeat_interleave {
  static constexpr const char* text = "repeat_interleave";
  static constexpr bool divides = true;
  template <class I>
  WEFT_HD static bool find(I& u, I, I repeats, PadMode) {
    u /= repeats;
    return true;
  }
};
}  // namespace placing

namespace detail {
/// The most axes that an operation changes in a kernel, whose parameters hold what it knows of
/// them.
template <class K>
inline constexpr int most_axes = 4;
template <class K>
  requires requires { K::most_axes; }
inline constexpr int most_axes<K> = K::most_axes;

/// Neighbours of a result along an axis that are neighbours in the operand: `length` from `to` on
/// are the operand's from `from` on, which steps by 1, by -1, or stays.
struct Segment {
  int64_t to;
  int64_t length;
  int64_t from;
  int step;
};

/// The segments of an axis; none of a repeat_interleave, whose segments are its elements.
template <bool Wraps>
[[gnu::noinline]] auto segments_of(const AxisPlaces& a) {
  lazy_vector<std::bool_constant<Wraps>, Segment> out;
  const auto low = [](int64_t x, int64_t y) { return x < y ? x : y; };
  const int64_t first = a.before > 0 ? low(a.before, a.to) : 0;  // of the middle,
  const int64_t last = low(a.to, a.before + a.from);             // and behind it
  const auto add = [&](int64_t to, int64_t length, int64_t from, int step) {
    if (length > 0) out.push_back({to, length, from, step});
  };
  if (Wraps) {
    for (int64_t at = 0; at < a.to && a.from > 0;) {
      const int64_t from = ((at - a.before) % a.from + a.from) % a.from;
      const int64_t length = low(a.from - from, a.to - at);
      add(at, length, from, 1);
      at += length;
    }
    return out;
  }
  add(first, last - first, first - a.before, 1);
  if (a.mode == PadMode::constant) return out;
  const int64_t behind = a.to - last;
  switch (a.mode) {
    case PadMode::reflect:
      add(0, first, first, -1);
      add(last, behind, a.from - 2, -1);
      break;
    case PadMode::symmetric:
      add(0, first, first - 1, -1);
      add(last, behind, a.from - 1, -1);
      break;
    case PadMode::circular:
      add(0, first, a.from - first, 1);
      add(last, behind, 0, 1);
      break;
    default:
      add(0, first, 0, 0);
      add(last, behind, a.from - 1, 0);
  }
  return out;
}
template <class K>
auto segments(const AxisPlaces& a) {
  constexpr bool wraps = std::is_same_v<K, placing::roll> || std::is_same_v<K, placing::tile>;
  return segments_of<wraps>(a);
}

}  // namespace detail
}  // namespace weft
