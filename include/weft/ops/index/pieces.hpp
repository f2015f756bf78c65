// Rearrangements written as views: stretches of a target that an operand's elements fill in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/index/places.hpp"
#include "weft/tensor/access.hpp"

namespace weft::detail {

/// The tensor with an axis as two, of `outer` and of `inner` elements.
template <class T, class D>
Tensor<T, D> with_split_axis(const Tensor<T, D>& x, int axis, int64_t outer, int64_t inner) {
  Shape shape = x.shape();
  Strides strides = x.strides();
  shape[axis] = outer;
  shape.insert(axis + 1, inner);
  strides.insert(axis + 1, strides[axis]);
  strides[axis] *= inner;
  return Access::make<T, D>(StorageHandle(Access::storage(x)), x.data(), shape, strides);
}

/// Writes the axes from number `axis` on, in pieces that are views.
template <class K, class T, class D>
void write_axes(const Places& places, int axis, const Tensor<T, D>& x, const Tensor<T, D>& target,
                compute_t<T> fill) {
  if (target.shape().size() == 0) return;
  if (axis < 0) {
    target.assign(x);
    return;
  }
  const AxisPlaces& a = places.axes[axis];
  constexpr bool divides = requires { K::divides; };
  if constexpr (divides || std::is_same_v<K, placing::tile>) {
    // Copies are an axis of their own along which the operand does not move.
    const int64_t copies = a.to / a.from;
    if (target.rank() < max_rank) {
      return write_axes<K>(
          places, axis - 1, x.unsqueeze(a.axis + (divides ? 1 : 0)),
          with_split_axis(target, a.axis, divides ? a.from : copies, divides ? copies : a.from),
          fill);
    }
    for (int64_t i = 0; i < copies; ++i) {
      const auto part =
          divides ? Tensor<T, D>(
                        target.transpose(0, a.axis)(slice(i, none, copies)).transpose(0, a.axis))
                  : target.narrow(a.axis, i * a.from, a.from);
      write_axes<K>(places, axis - 1, x, part, fill);
    }
  } else {
    int64_t done = 0;
    const auto clear_to = [&](int64_t end) {
      if (end > done) target.narrow(a.axis, done, end - done).fill(fill);
    };
    const bool windowed = a.mode == PadMode::constant && !std::is_same_v<K, placing::roll>;
    for (const Segment& s : segments<K>(a)) {
      if (windowed) clear_to(s.to);
      done = s.to + s.length;
      auto from =
          x.narrow(a.axis, s.step < 0 ? s.from - s.length + 1 : s.from, s.step == 0 ? 1 : s.length);
      if (s.step < 0) from = from.flip(a.axis);
      write_axes<K>(places, axis - 1, from, target.narrow(a.axis, s.to, s.length), fill);
    }
    if (windowed) clear_to(a.to);
  }
}

/// Writes what K makes of x into a target of the places' shape that it does not overlap.
template <class K, class T, class D>
void write_pieces(const Places& given, const Tensor<T, D>& x, const Tensor<T, D>& target,
                  compute_t<T> fill) {
  // Outer numbers first, so that splitting an axis does not renumber the ones still to come.
  Places places(given.shape);
  for (int d = 0; d < given.shape.rank(); ++d) {
    for (int i = 0; i < given.count; ++i) {
      if (given.axes[i].axis == d) places.add(given.axes[i]);
    }
  }
  write_axes<K>(places, places.count - 1, x, target, fill);
}

}  // namespace weft::detail
