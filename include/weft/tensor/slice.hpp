// The entries of an index, as in x(i, all, slice(0, 3), newaxis, ellipsis).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "weft/core/layout.hpp"

namespace weft {

namespace detail {
struct WholeAxis {};
}  // namespace detail

/// An omitted bound: slice(none, none, -1) is the whole axis backwards.
struct None {};
inline constexpr None none;

/// One entry of an index; made from an integer, slice(...), all, newaxis or ellipsis.
struct Slice {
  enum Kind : unsigned char { integer, range, new_axis, rest, absent };
  static constexpr int64_t unset = INT64_MIN;

  Kind kind = range;
  int64_t start = unset;
  int64_t stop = unset;
  int64_t step = 1;

  constexpr Slice() = default;
  constexpr Slice(Kind k) : kind(k) {}
  template <std::integral I>
  constexpr Slice(I index) : kind(integer), start(static_cast<int64_t>(index)) {}
  constexpr Slice(void (*)(detail::WholeAxis)) {}
  template <class X>
    requires(!std::integral<X>)
  constexpr Slice(const X&) {
    static_assert(
        sizeof(X) == 0,
        "weft: an index is an integer, slice(a, b, step), all, newaxis or ellipsis; a mask or a "
        "tensor of indices stands alone, x[mask], x[indices], several are at_indices(x, i, j), and "
        "a tensor of one number is i.item()");
  }
  constexpr Slice(int64_t from, int64_t to, int64_t by) : start(from), stop(to), step(by) {}
};

namespace detail {
/// A slice bound: an integer or none.
struct Bound {
  int64_t value;
  template <std::integral I>
  constexpr Bound(I v) : value(static_cast<int64_t>(v)) {}
  constexpr Bound(None) : value(Slice::unset) {}
};
}  // namespace detail

/// The elements start, start + step, ... before stop, with Python's rules: negative bounds count
/// from the end, bounds outside the axis are clipped, a negative step walks backwards.
constexpr Slice slice(detail::Bound start, detail::Bound stop = none, int64_t step = 1) {
  return {start.value, stop.value, step};
}

/// As an index, the whole axis: x(0, all). It is a function, because CUDA declares functions of
/// that name at global scope, with which an object would be ambiguous; the reduction all(x) of
/// ops/reduce/reduce.hpp is another overload.
constexpr void all(detail::WholeAxis) {}

inline constexpr Slice newaxis{Slice::new_axis};  ///< a new axis of size 1
inline constexpr Slice ellipsis{Slice::rest};     ///< as many whole axes as are left

namespace layout {

/// One axis restricted to `s`, by Python's rules for slices.
inline void cut(const Slice& s, int64_t size, int64_t& start, int64_t& length) {
  if (s.step == 0 || s.step == INT64_MIN)
    fail<ValueError>("slice", "step ", s.step, ", expected any other integer");
  const int64_t low = s.step > 0 ? 0 : -1;
  const int64_t high = s.step > 0 ? size : size - 1;
  auto clip = [&](int64_t v, int64_t otherwise) {
    if (v == Slice::unset) return otherwise;
    if (v < 0) v += size;
    return v < low ? low : v > high ? high : v;
  };
  start = clip(s.start, s.step > 0 ? low : high);
  const int64_t stop = clip(s.stop, s.step > 0 ? high : low);
  const int64_t distance = s.step > 0 ? stop - start : start - stop;
  const int64_t step = s.step > 0 ? s.step : -s.step;
  length = distance <= 0 ? 0 : (distance - 1) / step + 1;
}

/// The view x(entries...); throws IndexError for too many entries or an index out of range.
inline Layout index(const Layout& x, const Slice* entries, int count) {
  int used = 0;
  int rests = 0;
  for (int i = 0; i < count; ++i) {
    used += entries[i].kind == Slice::integer || entries[i].kind == Slice::range;
    rests += entries[i].kind == Slice::rest;
  }
  if (used > x.rank() || rests > 1) {
    fail<IndexError>("index", used, " indices and ", rests, " ellipses for shape ", x.shape,
                     ", expected at most ", x.rank(), " and 1");
  }
  Layout out{{}, {}, x.offset};
  int axis = 0;
  auto keep = [&](int n) {
    for (; n > 0; --n, ++axis) {
      out.shape.push_back(x.shape[axis]);
      out.strides.push_back(x.strides[axis]);
    }
  };
  for (int i = 0; i < count; ++i) {
    const Slice& s = entries[i];
    if (s.kind == Slice::new_axis) {
      out.shape.push_back(1);
      out.strides.push_back(0);
    } else if (s.kind == Slice::rest) {
      keep(x.rank() - used);
    } else if (s.kind == Slice::integer) {
      const int64_t size = x.shape[axis];
      if (s.start < -size || s.start >= size) {
        fail<IndexError>("index", "index ", s.start, " at axis ", axis, " of shape ", x.shape,
                         ", expected ", -size, " to ", size - 1);
      }
      out.offset += (s.start < 0 ? s.start + size : s.start) * x.strides[axis];
      ++axis;
    } else {
      int64_t start = 0;
      int64_t length = 0;
      cut(s, x.shape[axis], start, length);
      if (length > 0) out.offset += start * x.strides[axis];
      out.shape.push_back(length);
      out.strides.push_back(length > 1 ? x.strides[axis] * s.step : x.strides[axis]);
      ++axis;
    }
  }
  keep(x.rank() - axis);
  return out;
}

}  // namespace layout
}  // namespace weft
